//! Pointers that are handed on in pieces: not followed, but said.

use crate::common::Solved;
use crate::rules::check::program;

const FUNCTIONS: &str = "function @take(%b: i8 \"b\") -> i32 {\nentry:\n    return 0:i32\n}
function @strcpy(%to: ptr, %from: ptr) -> ptr model {\nentry:\n    store [%to], 0:i8\n    return %to\n}
function @strlen(%s: ptr) -> i64 model {\nentry:\n    return 0\n}
function @puts(%s: ptr) -> i32 model {\nentry:\n    call @put(%s)\n    return 0:i32\n}
function @put(%s: ptr) model {\nentry:\n    store [@q], 0:i8\n    return\n}";

/// The number of places, `%p` being a pointer to one in memory.
fn places(lines: &str) -> usize {
    let body = format!("    store [@p], @a\n    {}\n    return null", lines.replace("; ", "\n    "));
    let solved = Solved::new(&program(&body, FUNCTIONS));
    match &solved.notes()[..] {
        [] => 0,
        [note] => {
            assert!(note.starts_with("bytes of memory that may hold pointers are handed on at main"), "{note}");
            note.split_once(" and ").map_or(1, |(_, rest)| match rest.split_once(' ') {
                Some(("another", _)) => 2,
                Some((number, _)) => number.parse::<usize>().map_or(0, |n| n + 1),
                None => 0,
            })
        }
        more => panic!("one note, not {more:?}"),
    }
}

#[test]
fn a_byte_of_a_pointer_that_leaves_the_function_is_said() {
    assert_eq!(places("%x: i8 = load [@p]; %r: i32 = call @take(%x)"), 1);
    assert_eq!(places("%x: i8 = load [@p]; store [@q], %x"), 0, "a copy is followed");
    assert_eq!(places("%x: i8 = load [@number]; %r: i32 = call @take(%x)"), 0, "no pointer is there");
    assert_eq!(places("%q = address @p + 8; %x: i8 = load [%q]; %r: i32 = call @take(%x)"), 0);
    assert_eq!(places("%x: i8 = load [@p]; %y = icmp.eq %x, 0:i8"), 0, "a test hands nothing on");
}

#[test]
fn a_byte_is_followed_to_where_it_leaves() {
    assert_eq!(places("%x: i16 = load [@p]; %y: i8 = trunc %x; %r: i32 = call @take(%y)"), 1);
    assert_eq!(places("%x: i8 = load [@p]; %y = select %yes, %x, 0:i8; %z = freeze %y; %r: i32 = call @take(%z)"), 1);
    assert_eq!(places("%x: i8 = load [@p]; jump next(%x)\nnext(%y: i8):; %r: i32 = call @take(%y)"), 1);
    let returned = "function @low() -> i8 {\nentry:\n    %x: i8 = load [@p]\n    return %x\n}";
    let body = "    store [@p], @a\n    %x: i8 = call @low()\n    return null";
    assert_eq!(Solved::new(&program(body, returned)).notes().len(), 1);
}

#[test]
fn bytes_that_are_shifted_together_are_said() {
    assert_eq!(places("%x: i8 = load [@p]; %y: i64 = zext %x; %z = shl %y, 8"), 1);
    assert_eq!(places("%x: i8 = load [@p]; %y: i32 = zext %x; %z = shl %y, 8:i32"), 1);
    assert_eq!(places("%x: i32 = load [@p]; %y: i64 = zext %x; %z = shl %y, 32"), 0, "halves are followed");
    assert_eq!(places("%x: i32 = load [@p]; %y: i16 = trunc %x; %z = shl %y, 8:i16"), 1, "parts of them are not");
    let late = "    store [@p], @a\n    jump first\nlast:\n    %z = shl %y, 32\n    return null
first:\n    %x: i32 = load [@p]\n    %y: i64 = zext %x\n    jump last";
    assert_eq!(Solved::new(&program(late, "")).notes(), [""; 0], "in whatever order the blocks are");
}

#[test]
fn memory_with_pointers_that_is_taken_for_text_is_said() {
    assert_eq!(places("%r: ptr = call @strcpy(@b, @p)"), 1);
    assert_eq!(places("%r: i32 = call @puts(@p)"), 1);
    assert_eq!(places("%r: i64 = call @strlen(@p)"), 0, "who only reads hands nothing on");
    assert_eq!(places("%r: ptr = call @strcpy(@p, @b)"), 0, "what is there before");
    assert_eq!(places("%r: i32 = call @puts(@p); %s: i32 = call @puts(@p)"), 2);
    assert_eq!(places("%r: i32 = call @puts(@p); %s: i32 = call @puts(@p); %t: i32 = call @puts(@p)"), 3);
}

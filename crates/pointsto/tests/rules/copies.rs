//! Copies of memory.

use icsched_pointsto::Options;

use crate::common::Solved;
use crate::rules::check::{program, returned, returned_under, returned_with};

/// `@a` in the first and `@b` in the third field of `@c`.
const FIELDS: &str =
    "    %third = address @c + 16\n    store [@c], @a\n    store [%third], @b\n    %to = alloca 64 align 8\n";

/// What is at an offset of `%to` after a copy.
fn copied(copy: &str, at: i64) -> String {
    returned(&format!("{FIELDS}{copy}\n    %at = address %to + {at}\n    %x: ptr = load [%at]\n    return %x"))
}

#[test]
fn fields_get_where_they_were() {
    for copy in [
        "    memcpy [%to], [@c], 64",
        "    memmove [%to], [@c], 64",
        "    memcpy [%to], [@c], %n",
        "    call __ics_memcpy(%to, @c, 64:i64)",
        "    call __ics_memmove(%to, @c, %n)",
    ] {
        assert_eq!([copied(copy, 0), copied(copy, 8), copied(copy, 16)], ["a+0", "", "b+0"], "{copy}");
    }
}

#[test]
fn a_copy_of_known_length_ends_there() {
    let copy = |bytes: i64| format!("    memcpy [%to], [@c], {bytes}");
    assert_eq!([copied(&copy(16), 0), copied(&copy(16), 16)], ["a+0", ""]);
    assert_eq!([copied(&copy(17), 0), copied(&copy(17), 16)], ["a+0", "b+0"]);
    assert_eq!(copied(&copy(0), 0), "");
    let engine = "    call __ics_memcpy(%to, @c, 16:i64)";
    assert_eq!([copied(engine, 0), copied(engine, 16)], ["a+0", ""]);
}

#[test]
fn a_copy_of_a_word_or_less_is_a_load_and_a_store() {
    for bytes in [1, 4, 8] {
        let copy = format!("    memcpy [%to], [@c], {bytes}");
        assert_eq!([copied(&copy, 0), copied(&copy, 8)], ["a+0", ""], "{bytes}");
    }
    let shifted = "    %from = address @c + 12\n    memcpy [%to], [%from], 4";
    assert_eq!(copied(shifted, 0), "");
    let shifted = "    %from = address @c + 12\n    memcpy [%to], [%from], 8";
    assert_eq!(copied(shifted, 0), "b+0");
}

#[test]
fn a_copy_moves_fields_by_the_distance_of_both_places() {
    let copy = "    %there = address %to + 24\n    memcpy [%there], [@c], 32";
    assert_eq!([24, 32, 40].map(|at| copied(copy, at)), ["a+0", "", "b+0"]);
    assert_eq!([0, 16].map(|at| copied(copy, at)), ["", ""]);
    let copy = "    %from = address @c + 16\n    memcpy [%to], [%from], 32";
    assert_eq!([0, 16].map(|at| copied(copy, at)), ["b+0", ""]);
    // A pointer that does not lie at a multiple of eight reaches into two.
    let copy = "    %there = address %to + 4\n    memcpy [%there], [@c], 32";
    assert_eq!([0, 8, 16, 24].map(|at| copied(copy, at)), ["a+0", "a+0", "b+0", "b+0"]);
    let copy = "    %from = address @c + 20\n    memcpy [%to], [%from], 32";
    assert_eq!([0, 8].map(|at| copied(copy, at)), ["b+0", ""]);
    // What lies before the source does not get before the target.
    let copy = "    %from = address @c + 16\n    %there = address %to + 24\n    memcpy [%there], [%from], 32";
    assert_eq!([8, 16, 24].map(|at| copied(copy, at)), ["", "", "b+0"]);
    let copy = "    %from = address @c + 20\n    %there = address %to + 8\n    memcpy [%there], [%from], 32";
    assert_eq!([0, 8].map(|at| copied(copy, at)), ["", "b+0"]);
}

#[test]
fn places_that_become_known_late_are_copied_between() {
    let copy = "    %source: ptr = load [@p]
    %target: ptr = load [@q]
    memcpy [%target], [%source], 24
    store [@p], @c
    store [@q], %to";
    assert_eq!([0, 8, 16].map(|at| copied(copy, at)), ["a+0", "", "b+0"]);
}

#[test]
fn reading_the_source_anywhere_does_not_mix_its_fields() {
    let read = "    %anywhere = address @c + %n*1\n    %any: ptr = load [%anywhere]\n    store [@p], %any";
    let copy = "    memcpy [%to], [@c], 64";
    for lines in [format!("{read}\n{copy}"), format!("{copy}\n{read}")] {
        assert_eq!([0, 8, 16].map(|at| copied(&lines, at)), ["a+0", "", "b+0"], "{lines}");
    }
}

#[test]
fn a_copy_from_a_stride_reads_every_element() {
    let copy = "    %from = address @c + %n*16\n    memcpy [%to], [%from], 16";
    assert_eq!([0, 8, 16].map(|at| copied(copy, at)), ["a+0 b+0", "", "a+0 b+0"]);
    let copy = "    %from = address @c + 8 + %n*24\n    memcpy [%to], [%from], 24";
    assert_eq!([0, 8, 16].map(|at| copied(copy, at)), ["", "b+0", "a+0"]);
    let short = "    %from = address @c + 8 + %n*32\n    memcpy [%to], [%from], 8";
    assert_eq!(copied(short, 0), "");
    let short = "    %from = address @c + 24 + %n*32\n    memcpy [%to], [%from], 16";
    assert_eq!([0, 8, 24].map(|at| copied(short, at)), ["", "a+0", ""], "the element's third field is not copied");
    let none = "    %from = address @c + 4 + %n*16\n    memcpy [%to], [%from], 0";
    assert_eq!(copied(none, 0), "");
    let part = "    %from = address @c + 4 + %n*16\n    memcpy [%to], [%from], 12";
    assert_eq!(copied(part, 0), "a+0 b+0", "the second half of each");
}

#[test]
fn a_copy_to_a_stride_writes_every_element() {
    let copy = "    %there = address %to + %n*32\n    memcpy [%there], [@c], 24";
    assert_eq!([0, 8, 16, 32, 40, 48].map(|at| copied(copy, at)), ["a+0", "", "b+0", "a+0", "", "b+0"]);
}

#[test]
fn what_was_written_at_a_stride_is_copied() {
    let copied = |first: i64, at: i64| {
        returned(&format!(
            "    %each = address @c + {first} + %n*16
    %to = alloca 64 align 8
    memcpy [%to], [@c], 64
    store [%each], @a
    %at = address %to + {at}
    %x: ptr = load [%at]
    return %x"
        ))
    };
    assert_eq!([0, 8, 16, 24].map(|at| copied(8, at)), ["", "a+0", "", "a+0"]);
    assert_eq!([0, 8, 16, 24].map(|at| copied(4, at)), ["a+0"; 4], "in parts");
}

#[test]
fn what_is_stored_later_is_copied_too() {
    // The pointer that is stored through is known only when the copy has long been followed.
    let body = "    memcpy [@c], [@a], 64
    store [@p], @q
    store [@q], @a
    %q: ptr = load [@p]
    %a: ptr = load [%q]
    %field = address %a + 40
    store [%field], @b
    %copy = address @c + 40
    %x: ptr = load [%copy]
    return %x";
    assert_eq!(returned(body), "b+0");
    let strided = "    memcpy [@c], [@a], 64
    store [@p], @a
    %a: ptr = load [@p]
    %field = address %a + 8 + %n*32
    store [%field], @b
    %copy = address @c + 40
    %x: ptr = load [%copy]
    return %x";
    assert_eq!(returned(strided), "b+0");
    let twice = |to: &str| {
        let body =
            "    memcpy [@a], [@c], 64\n    memcpy [@b], [@c], 64\n    %field = address @c + 8\n    store [%field], @p";
        returned(&format!("{body}\n    %at = address {to} + 8\n    %x: ptr = load [%at]\n    return %x"))
    };
    assert_eq!([twice("@a"), twice("@b")], ["p+0"; 2], "by every copy");
}

#[test]
fn copies_of_copies_are_followed() {
    let body = "    %other = alloca 64 align 8\n    memcpy [%other], [@c], 64\n    memcpy [%to], [%other], 64";
    assert_eq!([0, 8, 16].map(|at| copied(body, at)), ["a+0", "", "b+0"]);
    // In the order in which they are known last.
    let body = "    %other = alloca 64 align 8\n    memcpy [%to], [%other], 64\n    memcpy [%other], [@c], 64";
    assert_eq!([0, 8, 16].map(|at| copied(body, at)), ["a+0", "", "b+0"]);
}

#[test]
fn a_copy_stays_within_its_target() {
    let body = "    %to = alloca 16 align 8\n    %field = address @c + 16\n    store [%field], @a\n    memcpy [%to], [@c], 64\n    %any = address %to + %n*1\n    %x: ptr = load [%any]\n    return %x";
    assert_eq!(returned(body), "");
    // The end of what is copied is cut off where the target ends; what is inside is not.
    let body = "    %to = alloca 12 align 8\n    %field = address @c + 8\n    store [%field], @a\n    memcpy [%to], [@c], %n\n    %any = address %to + 8\n    %piece: i32 = load [%any]\n    store [@p], %piece\n    %x: ptr = load [@p]\n    return %x";
    assert_eq!(returned(body), "a+0");
    let behind = body
        .replace("memcpy [%to]", "%behind = address %to + 12\n    memcpy [%behind]")
        .replace("address @c + 8", "address @c + 0");
    assert_eq!(returned(&behind), "");
    // What begins before the target is cut off too.
    let body = "    %to = alloca 16 align 8\n    %before = address %to - 8\n    store [@c], @a\n    %field = address @c + 8\n    store [%field], @b\n    memcpy [%before], [@c], 64\n    %any = address %to + %n*1\n    %x: ptr = load [%any]\n    return %x";
    assert_eq!(returned(body), "b+0");
}

#[test]
fn nothing_is_copied_into_constants_or_functions() {
    let table = "global @table size 16 align 8 constant = { 8: @a }";
    let body = "    store [@c], @b\n    memcpy [@table], [@c], 16\n    %x: ptr = load [@table]\n    return %x";
    assert_eq!(returned_with(body, table), "");
    let body = "    store [@c], @b\n    memcpy [@main], [@c], 16\n    %x: ptr = load [@main]\n    return %x";
    assert_eq!(returned(body), "");
    assert_eq!(Solved::new(&program(body, "")).contents("&main"), "");
    let from = "    memcpy [@c], [@table], 16\n    %field = address @c + 8\n    %x: ptr = load [%field]\n    return %x";
    assert_eq!(returned_with(from, table), "a+0", "but out of constants");
}

#[test]
fn a_copy_onto_itself_ends() {
    let body = "    store [@c], @a
    %next = address @c + 8
    memmove [%next], [@c], %n
    %x: ptr = load [%next]
    return %x";
    assert_eq!(returned(body), "a+0");
    let endless = "    %to \"to\" = alloca 8 x %n
    store [%to], @a
    %next = address %to + 8
    memmove [%next], [%to], %n
    %far = address %to + 65536
    %x: ptr = load [%far]
    return %x";
    let options = Options { max_offsets: 16, ..Options::default() };
    assert_eq!(returned_under(&options, endless, ""), "a+0");
    let pairs = |at: usize| {
        let element = "    %each = address %to + %n*16\n    store [@q], %each\n    %next = address %to + 16\n";
        let body = endless.replace("    %next = address %to + 8\n", element).replace("65536", &at.to_string());
        returned_under(&options, &body, "")
    };
    assert_eq!([pairs(65536), pairs(65544)], ["a+0", ""], "elements are told from what is between them");
}

#[test]
fn several_sources_and_targets_are_all_connected() {
    let body = "    store [@p], @a
    store [@q], @b
    %from = select %yes, @p, @q
    %x = alloca 16 align 8
    %y = alloca 16 align 8
    %to = select %yes, %x, %y
    memcpy [%to], [%from], %n
    %z: ptr = load [%y]
    return %z";
    assert_eq!(returned(body), "a+0 b+0");
}

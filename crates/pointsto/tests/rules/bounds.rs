//! Where precision ends, so that every program is solved.

use std::cell::Cell;
use std::fmt::Write;

use icsched_pointsto::{Interrupted, Options, PointsTo};

use crate::rules::check::{program, returned, returned_under};

const TABLE: &str = "global @table size 4096 align 8";

/// What is in the second word of `@table`, in whose first one there is `@a`, behind these lines.
fn second(options: &Options<'_>, before: &str, lines: &str) -> String {
    let body = format!(
        "{before}    store [@table], @a
{lines}    %second = address @table + 8
    %x: ptr = load [%second]
    return %x"
    );
    returned_under(options, &body, TABLE)
}

#[test]
fn an_object_with_too_many_known_offsets_counts_modulo_a_word() {
    let many = |count: usize| {
        let mut lines = String::new();
        for at in 2..count {
            writeln!(lines, "    %p{at} = address @table + {}\n    store [%p{at}], @p", at * 8).expect("text grows");
        }
        lines
    };
    let options = Options { max_offsets: 8, ..Options::default() };
    assert_eq!(second(&options, "", &many(8)), "");
    assert_eq!(second(&options, "", &many(9)), "a+0 p+0");
}

#[test]
fn elements_that_accesses_have_shown_stay_apart() {
    let mut lines = String::new();
    for at in 1..10 {
        writeln!(lines, "    %p{at} = address @table + {}\n    store [%p{at}], @b", at * 16).expect("text grows");
    }
    let options = Options { max_offsets: 8, ..Options::default() };
    let element = "    %element = address @table + %n*16\n    %e: ptr = load [%element]\n";
    assert_eq!(second(&options, element, &lines), "");
    let first = format!("{element}{lines}    store [@table], @a\n    %x: ptr = load [%p3]\n    return %x");
    assert_eq!(returned_under(&options, &first, TABLE), "a+0 b+0");
}

#[test]
fn too_many_strides_of_an_object_are_their_common_divisor() {
    let strides = |count: usize| {
        let mut lines = String::new();
        for (at, stride) in [2, 3, 5, 7, 11, 13, 17].into_iter().take(count).enumerate() {
            writeln!(lines, "    %p{at} = address @table + 16 + %n*{}\n    store [%p{at}], @p", stride * 8)
                .expect("text grows");
        }
        lines
    };
    assert_eq!(second(&Options::default(), "", &strides(6)), "");
    assert_eq!(second(&Options::default(), "", &strides(7)), "a+0 p+0");
}

#[test]
fn what_was_in_cells_that_become_one_is_in_it() {
    let mut lines = String::from("    %field = address @table + 8\n    store [%field], @b\n");
    for at in 3..11 {
        writeln!(lines, "    %p{at} = address @table + {}\n    store [@q], %p{at}", at * 8).expect("text grows");
    }
    let options = Options { max_offsets: 8, ..Options::default() };
    let body = format!(
        "    store [@table], @a\n{lines}    %third = address @table + 16\n    %x: ptr = load [%third]\n    return %x"
    );
    assert_eq!(returned_under(&options, &body, TABLE), "a+0 b+0");
}

#[test]
fn what_was_loaded_from_a_cell_gets_what_is_in_those_that_it_becomes_one_with() {
    for at in [0, 8] {
        let mut body = String::from(
            "    %field = address @table + 8
    store [@table], @a
    store [%field], @b
    %x0: ptr = load [@table]
    %x8: ptr = load [%field]
    store [@p], %x0
    store [@q], %x8
    %late: ptr = load [@c]\n",
        );
        for stride in [16, 24, 40, 56, 88, 104, 136] {
            let base = if stride == 136 { "%late" } else { "@table" };
            writeln!(body, "    %p{stride} = address {base} + %n*{stride}\n    store [@q], %p{stride}")
                .expect("text grows");
        }
        write!(body, "    store [@c], @table\n    return %x{at}").expect("text grows");
        assert_eq!(returned_under(&Options::default(), &body, TABLE), "a+0 b+0", "{at}");
    }
}

/// What is at an offset of `@table` that holds `@p` at a class of offsets, where the last stride becomes known when all
/// accesses have been seen.
fn strided_late(strides: [usize; 7], write: &str, at: usize) -> String {
    let mut body = format!(
        "    %w = address @table + {write}
    store [%w], @p
    %at = address @table + {at}
    %x: ptr = load [%at]
    %late: ptr = load [@c]\n"
    );
    for (number, stride) in strides.into_iter().enumerate() {
        let base = if number == 6 { "%late" } else { "@table" };
        writeln!(body, "    %p{number} = address {base} + %n*{stride}\n    store [@q], %p{number}")
            .expect("text grows");
    }
    body.push_str("    store [@c], @table\n    return %x");
    returned_under(&Options::default(), &body, TABLE)
}

#[test]
fn what_is_folded_late_meets_what_it_did_not_before() {
    let words = [16, 24, 40, 56, 88, 104, 136];
    assert_eq!(strided_late(words, "16 + %n*16", 8), "p+0");
    let six = [16, 24, 40, 56, 88, 104, 104];
    assert_eq!(strided_late(six, "16 + %n*16", 8), "", "not folded");
    let pairs = [48, 80, 112, 176, 208, 272, 304];
    assert_eq!(strided_late(pairs, "24 + %n*48", 8), "p+0", "modulo 16");
    assert_eq!(strided_late(pairs, "16 + %n*48", 8), "", "its other half");
    let halves = [24, 28, 44, 52, 68, 76, 92];
    assert_eq!(strided_late(halves, "16 + %n*24", 8), "p+0", "modulo 4: all of it");
}

#[test]
fn pointers_into_a_folded_object_are_classes() {
    let many: String =
        (0..9).map(|at| format!("    %p{at} = address @table + {}\n    store [%p{at}], @p\n", at * 8)).collect();
    let options = Options { max_offsets: 8, ..Options::default() };
    let pointer = |sum: &str| {
        let late = "    store [@c], @table\n    store [@c], @b\n    %late: ptr = load [@c]\n";
        returned_under(&options, &format!("{many}{late}    %x = address %late + {sum}\n    return %x"), TABLE)
    };
    assert_eq!(pointer("0"), "b+0 table+0", "where it is known already");
    assert_eq!(pointer("8"), "b+8 table+8");
    assert_eq!(pointer("804"), "b+804 table+4+8k");
    assert_eq!(pointer("%n*16"), "b+0+16k table+0+8k");
    assert_eq!(pointer("%n*12"), "b+0+12k table+0+4k");
}

#[test]
fn copies_out_of_a_folded_object_keep_its_classes() {
    let options = Options { max_offsets: 4, ..Options::default() };
    let copied = |table: &str, at: i64| {
        let body = format!(
            "    %to = alloca 256 align 8
    memcpy [%to], [@table], %n
    %at = address %to + {at}
    %x: ptr = load [%at]
    return %x"
        );
        returned_under(&options, &body, table)
    };
    let pairs = "global @table size 96 align 8 = { 8: @a, 24: @a, 40: @a, 56: @a, 72: @a }";
    assert_eq!([8, 40, 48].map(|at| copied(pairs, at)), ["a+0", "a+0", ""]);
    let packed = "global @table size 96 align 1 = { 0: @a, 12: @a, 24: @a, 36: @a, 48: @a }";
    assert_eq!([0, 8, 80].map(|at| copied(packed, at)), ["a+0"; 3]);
}

#[test]
fn too_many_kinds_of_strided_accesses_fold_an_object() {
    let accesses = |count: usize, at: usize| {
        let mut lines = String::new();
        for at in 0..count {
            let from = at * 8 + 512;
            writeln!(lines, "    %p{at} = address @table + {from} + %n*2048\n    store [%p{at}], @b")
                .expect("text grows");
        }
        let body = format!(
            "    store [@table], @a\n{lines}    %later = address @table + {at}\n    %x: ptr = load [%later]\n    return %x"
        );
        returned_under(&Options::default(), &body, TABLE)
    };
    assert_eq!(accesses(47, 2048), "");
    assert_eq!(accesses(48, 2048), "a+0");
    // The load is one of them in an object that is folded already.
    assert_eq!(accesses(94, 8), "");
    assert_eq!(accesses(95, 8), "a+0 b+0", "modulo a word");
}

/// String literals, each chosen or not.
fn choice_of_texts(count: usize) -> (String, String) {
    let mut globals = String::new();
    let mut body = String::from("    %s0: ptr = freeze @text0\n");
    for at in 0..count {
        writeln!(globals, "global @text{at} size 2 align 1 constant = \"x\\00\"").expect("text grows");
    }
    for at in 1..count {
        writeln!(body, "    %s{at} = select %yes, %s{}, @text{at}", at - 1).expect("text grows");
    }
    writeln!(body, "    %all = select %yes, %s{}, @a\n    return %all", count - 1).expect("text grows");
    (body, globals)
}

#[test]
fn many_constants_without_pointers_count_as_one() {
    let returned = |count: usize| {
        let (body, globals) = choice_of_texts(count);
        returned_under(&Options::default(), &body, &globals)
    };
    assert_eq!(returned(2), "a+0 text0+0 text1+0");
    assert_eq!(returned(16).split(' ').count(), 17);
    assert_eq!(returned(17), "a+0 constants+*");
    assert_eq!(returned(20), "a+0 constants+*", "with those that are added later");
}

#[test]
fn many_constants_count_as_one_wherever_in_them() {
    let (body, globals) = choice_of_texts(17);
    let moved: String = (0..17).map(|at| format!("    %m{at} = address @text{at} + 1\n")).collect();
    let body = body.replace("freeze @text0", "freeze %m0");
    let body = (0..17).fold(body, |body, at| body.replace(&format!(", @text{at}\n"), &format!(", %m{at}\n")));
    assert_eq!(returned_under(&Options::default(), &format!("{moved}{body}"), &globals), "a+0 constants+*");
}

#[test]
fn constants_that_count_as_one_have_no_contents() {
    let (body, globals) = choice_of_texts(17);
    let body = body.replace("return %all", "store [%all], @b\n    %x: ptr = load [%all]\n    return %x");
    assert_eq!(returned_under(&Options::default(), &body, &globals), "b+0");
    let texts_only = body.replace("%all = select %yes, %s16, @a", "%all = freeze %s16");
    assert_eq!(returned_under(&Options::default(), &texts_only, &globals), "");
}

#[test]
fn of_a_constant_without_pointers_the_start_is_told_from_the_rest() {
    let text = "global @text size 8 align 1 constant = \"abcdefg\\00\"";
    let options = Options::default();
    assert_eq!(returned_under(&options, "    return @text", text), "text+0");
    assert_eq!(returned_under(&options, "    %x = address @text + 3\n    return %x", text), "text+*");
    assert_eq!(returned_under(&options, "    %x = address @text + %n*4\n    return %x", text), "text+*");
    assert_eq!(returned("    %x = address @a + 3\n    return %x"), "a+3", "others keep theirs");
}

#[test]
fn solving_can_be_stopped() {
    let program = icsched_ir::parse(&program("    return @a", "")).expect("it parses");
    let options = Options { interrupted: &|| true, ..Options::default() };
    assert_eq!(PointsTo::new(&program, &options).err(), Some(Interrupted));
}

/// Whether solving ends when it is told to at this question, and after how many questions it does.
fn stopped(text: &str, at: usize) -> (bool, usize) {
    let program = icsched_ir::parse(text).expect("it parses");
    let asked = Cell::new(0);
    let interrupted = || {
        asked.set(asked.get() + 1);
        asked.get() == at
    };
    let options = Options { interrupted: &interrupted, ..Options::default() };
    let ended = PointsTo::new(&program, &options).err() == Some(Interrupted);
    (ended, asked.get())
}

#[test]
fn solving_can_be_stopped_within_a_wave() {
    // So many pointers become known at once, and have stores to look into.
    let pointers = |count: usize| {
        let mut body = String::from("    %x0: ptr = load [@p]\n");
        for at in 1..=count {
            writeln!(body, "    %x{at} = address %x0 + {}\n    store [%x{at}], @b", at * 8).expect("text grows");
        }
        program(&format!("{body}    store [@p], @a\n    return null"), "")
    };
    let (ended, few) = stopped(&pointers(10), 0);
    assert!(!ended);
    assert_eq!(stopped(&pointers(100), 0), (false, few + 1));
    assert_eq!(stopped(&pointers(100), 2), (true, 2));
}

#[test]
fn copies_out_of_what_is_folded_last_are_followed() {
    // The last kind of access is seen when nothing else is left to do.
    let copied = |count: usize| {
        let mut body = String::from(
            "    %to = alloca 4096 align 8
    store [@table], @a
    memcpy [%to], [@table], %n
    %at = address %to + 1024
    %x: ptr = load [%at]\n",
        );
        for at in 1..count {
            let from = at * 8 + 512;
            writeln!(body, "    %p{at} = address @table + {from} + %n*1024\n    %v{at}: ptr = load [%p{at}]\n    store [@q], %v{at}")
                .expect("text grows");
        }
        body.push_str(
            "    %p = address @table + 512 + %n*1024
    jump next(%p)
next(%late: ptr):
    %v: ptr = load [%late]
    store [@q], %v
    return %x",
        );
        returned_under(&Options::default(), &body, TABLE)
    };
    assert_eq!(copied(47), "");
    assert_eq!(copied(48), "a+0");
}

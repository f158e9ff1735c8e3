//! The pointers in the initial bytes of globals.

use icsched_pointsto::Options;

use crate::rules::check::{returned_under, returned_with};

fn initial(globals: &str, at: i64) -> String {
    let body = format!("    %at = address @table + {at}\n    %x: ptr = load [%at]\n    return %x");
    returned_with(&body, globals)
}

#[test]
fn they_are_where_the_initialiser_has_them() {
    let table = "global @table size 40 align 8 = { 0: @a, 16: @b + 8, 24: @main, 32: @main:b0 }";
    assert_eq!([0, 8, 16, 24, 32].map(|at| initial(table, at)), ["a+0", "", "b+8", "&main", ""]);
}

#[test]
fn one_that_is_not_aligned_reaches_into_two_words() {
    let table = "global @table size 24 align 1 = { 4: @a }";
    assert_eq!([0, 8, 16].map(|at| initial(table, at)), ["a+0", "a+0", ""]);
}

#[test]
fn constants_have_theirs_too() {
    let table = "global @table size 16 align 8 constant = { 8: @a }";
    assert_eq!([0, 8].map(|at| initial(table, at)), ["", "a+0"]);
    let local = "global @table size 16 align 8 thread_local = { 8: @a }";
    assert_eq!([0, 8].map(|at| initial(local, at)), ["", "a+0"]);
}

#[test]
fn what_only_an_initialiser_names_is_initialised() {
    let chain = "global @table size 8 align 8 = { 0: @next }\nglobal @next size 8 align 8 = { 0: @a }";
    let body = "    %next: ptr = load [@table]\n    %x: ptr = load [%next]\n    return %x";
    assert_eq!(returned_with(body, chain), "a+0");
}

#[test]
fn a_global_may_point_to_itself() {
    let ring = "global @table size 16 align 8 = { 0: @table + 8, 8: @table }";
    let body = "    %next: ptr = load [@table]\n    %x: ptr = load [%next]\n    return %x";
    assert_eq!(returned_with(body, ring), "table+0");
}

/// A table of 16 pointers, to `@a` and `@b` in turn, that begins with a number.
fn long_table(attributes: &str, rest: &str) -> String {
    let pointers: Vec<String> =
        (0..16).map(|i| format!("{}: @{}", 8 + i * 8, if i % 2 == 0 { "a" } else { "b" })).collect();
    format!("global @table size 136 align 8 {attributes} = {{ {} }}\n{rest}", pointers.join(", "))
}

#[test]
fn a_long_table_counts_modulo_its_elements() {
    let options = Options { max_offsets: 8, ..Options::default() };
    let at = |table: &str, at: i64| {
        let body = format!("    %at = address @table + {at}\n    %x: ptr = load [%at]\n    return %x");
        returned_under(&options, &body, table)
    };
    let elements = long_table("t1", "t0 = pointer ?\nt1 = array t2 x 8\nt2 = base \"pair\" size 16");
    assert_eq!([24, 32].map(|offset| at(&elements, offset)), ["a+0", "b+0"]);
    let plain = long_table("", "");
    assert_eq!([24, 32].map(|offset| at(&plain, offset)), ["a+0 b+0"; 2], "as far apart as the pointers");
    let every_other =
        "global @table size 256 align 8 = { 8: @a, 24: @b, 40: @a, 56: @b, 72: @a, 88: @b, 104: @a, 120: @b, 136: @a }";
    assert_eq!([16, 24].map(|offset| at(every_other, offset)), ["", "a+0 b+0"]);
}

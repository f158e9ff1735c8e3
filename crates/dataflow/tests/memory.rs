//! Loads and stores in one function, rule by rule of figure 2.17.

use crate::common::{At, definitions, main_with, places_of_main, registers};

#[test]
fn a_store_defines_its_place() {
    assert_eq!(places_of_main("    store [@a], 5:i32", ""), ["[a+0:4] = 5"]);
}

#[test]
fn a_store_kills_what_it_overwrites() {
    assert_eq!(places_of_main("    store [@a], 5:i32\n    store [@a], 6:i32", ""), ["[a+0:4] = 6"]);
}

#[test]
fn a_store_kills_what_it_overwrites_in_part() {
    let body = "    store [@a], 5:i64\n    %x = address @a + 7\n    store [%x], 1:i8";
    assert_eq!(places_of_main(body, ""), ["[a+7:1] = 1"]);
    let body = "    %x = address @a + 2\n    store [%x], 5:i64\n    store [@a], 1:i32";
    assert_eq!(places_of_main(body, ""), ["[a+0:4] = 1"]);
}

#[test]
fn a_store_beside_it_does_not() {
    let body = "    store [@a], 5:i32\n    %x = address @a + 4\n    store [%x], 1:i32\n    store [@b], 2:i32";
    assert_eq!(places_of_main(body, ""), ["[a+0:4] = 5", "[a+4:4] = 1", "[b+0:4] = 2"]);
}

#[test]
fn a_store_through_a_pointer_kills_what_it_may_alias() {
    let body = "    %one = icmp.sgt %argc, 1
    %q: ptr = select %one, @a, @p
    store [@a], 5:i32
    store [@b], 6:i32
    store [@p], 7:i32
    store [%q], 8:i32";
    assert_eq!(places_of_main(body, ""), ["[b+0:4] = 6", "[v3#0+0:4] = 8"]);
}

#[test]
fn a_store_at_an_unknown_index_kills_the_array_from_there() {
    let body = "    %i: i64 = sext %argc
    %q = address @a + 8 + %i*4
    store [@a], 5:i32
    store [@b], 6:i32
    store [%q], 8:i32";
    assert_eq!(places_of_main(body, ""), ["[b+0:4] = 6", "[v3#0+0:4] = 8"]);
}

#[test]
fn offsets_of_one_unknown_pointer_are_told_apart() {
    let body = "    %q: ptr = load [%argv]
    store [%q], 5:i32
    %r = address %q + 4
    store [%r], 6:i32
    %s = address %q + 2
    store [%s], 7:i8";
    assert_eq!(places_of_main(body, ""), ["[v1#0+0:8] = v2#0", "[v2#0+2:1] = 7", "[v2#0+4:4] = 6"]);
}

#[test]
fn two_pointers_that_may_be_equal_kill_each_other() {
    let body = "    %q: ptr = load [%argv]
    %x = address %argv + 8
    %r: ptr = load [%x]
    store [%q], 5:i32
    store [%r], 6:i32";
    assert_eq!(places_of_main(body, ""), ["[v1#0+0:8] = v2#0", "[v1#0+8:8] = v4#0", "[v4#0+0:4] = 6"]);
}

#[test]
fn stores_through_pointers_that_nothing_is_known_of_kill_everything() {
    let body = "    store [@a], 5:i32
    %q: ptr = load [@p]
    store [%q], 6:i32";
    assert_eq!(places_of_main(body, ""), Vec::<String>::new());
    let body = "    store [@a], 5:i32
    %q: ptr = bitcast 4096:i64
    store [%q], 6:i32";
    assert_eq!(places_of_main(body, ""), Vec::<String>::new());
}

#[test]
fn a_load_gives_what_was_stored() {
    let body = "    store [@a], %argc\n    %x: i32 = load [@a]\n    %y = add %x, 1";
    assert_eq!(registers(&main_with(body, ""), &[At::Mark(1)]), ["v2#0 = v0#0", "v3#0 = v0#0+1"]);
}

#[test]
fn a_load_of_another_width_gives_nothing() {
    let body = "    store [@a], %argc\n    %x: i16 = load [@a]";
    assert_eq!(registers(&main_with(body, ""), &[At::Mark(1)]), Vec::<String>::new());
}

#[test]
fn a_load_is_remembered_until_its_place_is_written() {
    let body =
        "    %x: i32 = load [%argv]\n    %y: i32 = load [%argv]\n    store [%argv], 3:i32\n    %z: i32 = load [%argv]";
    assert_eq!(definitions(&main_with(body, ""), &[At::Mark(1)]), ["v3#0 = v2#0", "v4#0 = 3", "[v1#0+0:4] = 3"]);
}

#[test]
fn volatile_and_atomic_accesses_are_never_known() {
    let body = "    store volatile [@a], 5:i32\n    %x: i32 = load volatile [@a]";
    assert_eq!(definitions(&main_with(body, ""), &[At::Mark(1)]), Vec::<String>::new());
    let body = "    store [@a], 5:i32\n    store seq_cst [@a], 6:i32\n    %x: i32 = load seq_cst [@a]";
    assert_eq!(definitions(&main_with(body, ""), &[At::Mark(1)]), Vec::<String>::new());
    let body = "    store [@a], 5:i32\n    %x: i32 = rmw add seq_cst [@a], 1";
    assert_eq!(definitions(&main_with(body, ""), &[At::Mark(1)]), Vec::<String>::new());
    let body = "    store [@a], 5:i32\n    %x: i32 = cmpxchg seq_cst seq_cst [@a], 5, 1";
    assert_eq!(definitions(&main_with(body, ""), &[At::Mark(1)]), Vec::<String>::new());
}

#[test]
fn an_unspecified_value_is_none() {
    assert_eq!(places_of_main("    store [@a], 5:i32\n    store [@a], undef:i32", ""), Vec::<String>::new());
}

#[test]
fn fills_and_copies_kill_their_target() {
    let body = "    store [@a], 5:i32\n    %x = address @a + 8\n    store [%x], 6:i32\n    memset [@a], 0, 8";
    assert_eq!(places_of_main(body, ""), ["[a+8:4] = 6"]);
    let body = "    store [@a], 5:i32\n    %x = address @a + 8\n    store [%x], 6:i32\n    memcpy [@a], [@b], 8";
    assert_eq!(places_of_main(body, ""), ["[a+8:4] = 6"]);
    let body = "    %n: i64 = sext %argc\n    store [@a], 5:i32\n    store [@b], 6:i32\n    memset [@a], 0, %n";
    assert_eq!(places_of_main(body, ""), ["[b+0:4] = 6"]);
}

#[test]
fn a_copy_takes_what_is_known_along() {
    let body = "    store [@a], 5:i32
    %x = address @a + 4
    store [%x], 6:i32
    %y = address @a + 8
    store [%y], 7:i32
    %z = address @b + 4
    memcpy [%z], [@a], 8";
    assert_eq!(places_of_main(body, ""), ["[a+0:4] = 5", "[a+4:4] = 6", "[a+8:4] = 7", "[b+4:4] = 5", "[b+8:4] = 6"]);
}

#[test]
fn freed_memory_is_not_known() {
    let body = "    %q: ptr = call __ics_malloc(16:i64, 0:i32)
    store [%q], 5:i32
    store [@a], 6:i32
    call __ics_free(%q)";
    assert_eq!(places_of_main(body, ""), ["[a+0:4] = 6"]);
}

#[test]
fn constants_hold_what_they_are_made_with() {
    let rest = "global @n constant = i32 7, i32 -2\nglobal @f size 16 align 8 constant = { 0: @b, 8: @main }";
    let body = "    %x = address @n + 4
    %y: i32 = load [%x]
    %z: ptr = load [@f]
    %u = address @f + 8
    %f: ptr = load [%u]";
    assert_eq!(
        registers(&main_with(body, rest), &[At::Mark(1)]),
        ["v2#0 = &n+4", "v3#0 = -2", "v4#0 = &b", "v5#0 = &f+8", "v6#0 = main"]
    );
}

#[test]
fn variables_have_their_initial_value_until_they_are_written() {
    let rest = "global @n = i32 7\nglobal @m = i32 8";
    let body = "    %x: i32 = load [@n]\n    store [@m], 9:i32\n    %y: i32 = load [@m]";
    assert_eq!(
        definitions(&main_with(body, rest), &[At::Mark(1)]),
        ["v2#0 = 7", "v3#0 = 9", "[n+0:4] = 7", "[m+0:4] = 9"]
    );
}

#[test]
fn constructors_may_write_before_main() {
    let rest =
        "global @n = i32 7\nglobal @m = i32 8\nfunction @early() {\nentry:\n    store [@n], 1:i32\n    return\n}";
    let body = "    %x: i32 = load [@n]\n    %y: i32 = load [@m]";
    let text = format!("constructors @early\n{}", main_with(body, rest));
    assert_eq!(definitions(&text, &[At::Mark(1)]), ["v3#0 = 8", "[n+0:4] = v2#0", "[m+0:4] = 8"]);
}

#[test]
fn thread_local_variables_are_left_out() {
    let body = "    store [@t], 5:i32\n    store [@p], @t";
    assert_eq!(places_of_main(body, "global @t size 4 align 4 thread_local"), Vec::<String>::new());
}

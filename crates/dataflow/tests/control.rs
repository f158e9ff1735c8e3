//! Merges, loops and registers: must, not may.

use crate::common::{At, definitions, main_with, places, places_of_main, registers};

#[test]
fn a_merge_keeps_what_both_sides_agree_on() {
    let body = "    store [@a], 5:i32
    %c = icmp.sgt %argc, 1
    branch %c, yes, no
yes:
    store [@b], 1:i32
    %x = address @a + 4
    store [%x], 7:i32
    jump join
no:
    store [@b], 2:i32
    %y = address @a + 4
    store [%y], 7:i32
    jump join
join:";
    assert_eq!(places_of_main(body, ""), ["[a+0:4] = 5", "[a+4:4] = 7"]);
}

#[test]
fn what_only_one_side_says_is_dropped() {
    let body = "    %c = icmp.sgt %argc, 1
    branch %c, yes, join
yes:
    store [@b], 1:i32
    jump join
join:";
    assert_eq!(places_of_main(body, ""), Vec::<String>::new());
    let body = "    store [@b], 1:i32
    %c = icmp.sgt %argc, 1
    branch %c, yes, join
yes:
    store [@b], 2:i32
    jump join
join:";
    assert_eq!(places_of_main(body, ""), Vec::<String>::new());
}

#[test]
fn a_side_that_ends_the_process_says_nothing() {
    let body = "    store [@b], 1:i32
    %c = icmp.sgt %argc, 1
    branch %c, yes, join
yes:
    store [@b], 2:i32
    call __ics_abort()
    jump join
join:";
    assert_eq!(places_of_main(body, ""), ["[b+0:4] = 1"]);
}

#[test]
fn block_parameters_are_what_all_edges_pass() {
    let body = "    %c = icmp.sgt %argc, 1
    branch %c, join(%argc, 1), no
no:
    jump join(%argc, 2)
join(%x: i32, %y: i32):
    %z = add %x, 3";
    let text = main_with(body, "");
    assert_eq!(
        registers(&text, &[At::Mark(1)]),
        ["v2#0 = Sgt(v0#0, 1)", "v3#0 = v0#0", "v4#0 = Select(Sgt(v0#0, 1), 1, 2)", "v5#0 = v0#0+3"]
    );
}

/// A loop over `i` from 0 that runs `body` in each iteration, and is left to the code behind.
fn counting(body: &str) -> String {
    format!(
        "    jump head(0)\nhead(%i: i32):\n    %c = icmp.slt %i, %argc\n    branch %c, body, done\nbody:\n{body}\n    \
         %next = add %i, 1\n    jump head(%next)\ndone:"
    )
}

#[test]
fn a_loop_kills_on_its_way_back() {
    let body = format!("    store [@a], 5:i32\n    store [@b], 6:i32\n{}", counting("    store [@a], %i"));
    assert_eq!(places_of_main(&body, ""), ["[b+0:4] = 6"]);
}

#[test]
fn what_a_loop_counts_is_no_constant() {
    let text = main_with(&counting("    store [@a], %i"), "");
    assert_eq!(registers(&text, &[At::Mark(1)]), ["v3#0 = Slt(v2#0, v0#0)"]);
}

#[test]
fn facts_about_registers_that_get_new_values_end() {
    // In front of the store in the second iteration, `a` holds what `%x` was in the first, and `%x` is new.
    let body = "    %x: i32 = load volatile [@b]\n    %m: i32 = add 12345, 2\n    store [@a], %x";
    let text = main_with(&format!("    store [@a], 0:i32\n{}", counting(body)), "");
    let found = definitions(&text, &[At::Mark(2)]);
    assert!(found.iter().all(|line| !line.starts_with("[a")), "{found:?}");
    // And without the first definition, since the value of the first iteration is not that of the second.
    let body = "    %x: i32 = load volatile [@b]
    store [@a], %x
    %d = icmp.slt %x, 7
    branch %d, again, on
again:
    jump body2
body2:
    %y: i32 = load volatile [@b]
    %m: i32 = add 12345, 2
    %e = icmp.slt %y, 7
    store [@p], %y
    branch %e, body2, on
on:";
    let found = definitions(&main_with(body, ""), &[At::Mark(2)]);
    let places: Vec<&String> = found.iter().filter(|l| l.starts_with('[')).collect();
    assert_eq!(places, ["[a+0:4] = v2#0"]);
}

#[test]
fn places_that_are_named_by_a_register_end_with_it() {
    let body = "    jump loop
loop:
    %q: ptr = load volatile [%argv]
    %m: i32 = add 12345, 2
    store [%q], 5:i32
    %c: i1 = load volatile [@b]
    branch %c, loop, out
out:";
    let found = definitions(&main_with(body, ""), &[At::Mark(2)]);
    assert_eq!(found, Vec::<String>::new());
    // Behind the loop the register is the last one that the store went through.
    assert_eq!(places_of_main(body, ""), ["[v2#0+0:4] = 5"]);
}

#[test]
fn parameters_of_a_loop_that_swap_are_not_mixed_up() {
    let body = "    jump head(%argc, 7)
head(%x: i32, %y: i32):
    store [@a], %x
    %c = icmp.slt %x, %y
    branch %c, head(%y, %x), done
done:";
    assert_eq!(definitions(&main_with(body, ""), &[At::Mark(1)]), ["v4#0 = Slt(v2#0, v3#0)", "[a+0:4] = v2#0"]);
    let body = "    store [@a], %argc
    jump head(%argc, 7)
head(%x: i32, %y: i32):
    %m: i32 = add 12345, 2
    store [@a], %x
    %c = icmp.slt %x, %y
    branch %c, head(%y, %x), done
done:";
    assert_eq!(definitions(&main_with(body, ""), &[At::Mark(2)]), Vec::<String>::new());
}

#[test]
fn a_register_that_a_loop_does_not_change_stays_known() {
    let body = format!("    %x: i32 = load [%argv]\n    store [@a], %x\n{}", counting("    store [@b], %x"));
    assert_eq!(places_of_main(&body, ""), ["[a+0:4] = v2#0", "[v1#0+0:4] = v2#0"]);
}

#[test]
fn an_inner_loop_kills_for_the_outer_one() {
    let inner = "    jump in
in:
    store [@a], 1:i32
    %d: i1 = load volatile [@b]
    branch %d, in, rest
rest:";
    let body = format!("    store [@a], 5:i32\n{}", counting(&format!("    %m: i32 = add 12345, 2\n{inner}")));
    let found = definitions(&main_with(&body, ""), &[At::Mark(2)]);
    assert!(found.iter().all(|line| !line.starts_with('[')), "{found:?}");
}

#[test]
fn expressions_are_brought_into_one_form() {
    let body = "    %a = add %argc, 3
    %b = sub %a, 5
    %c = mul %b, 1
    %d = sub %c, %c
    %e: i64 = zext 255:i8
    %f: i64 = sext 255:i8
    %g = shl 3:i32, 4
    %k = add %argc, %b
    %l = add %b, %argc";
    assert_eq!(
        registers(&main_with(body, ""), &[At::Mark(1)]),
        [
            "v2#0 = v0#0+3",
            "v3#0 = v0#0-2",
            "v4#0 = v0#0-2",
            "v5#0 = 0",
            "v6#0 = 255",
            "v7#0 = -1",
            "v8#0 = 48",
            "v9#0 = Add(v0#0, v0#0-2)",
            "v10#0 = Add(v0#0, v0#0-2)",
        ]
    );
}

/// A loop over `i` below `bound` that runs `body`.
fn below(bound: &str, body: &str) -> String {
    counting(body).replace("icmp.slt %i, %argc", &format!("icmp.slt %i, {bound}"))
}

#[test]
fn short_loops_are_followed_iteration_by_iteration() {
    let element = "    %w: i64 = sext %i\n    %q = address @a + %w*4\n    store [%q], %i";
    assert_eq!(places_of_main(&below("2", element), ""), ["[a+0:4] = 0", "[a+4:4] = 1"]);
    assert_eq!(places_of_main(&below("%argc", element), ""), Vec::<String>::new(), "it may not run at all");
    assert_eq!(places_of_main(&below("0", element), ""), Vec::<String>::new());
    let last = "    store [@b], %i";
    assert_eq!(places_of_main(&below("8", last), ""), ["[b+0:4] = 7"]);
    assert_eq!(places_of_main(&below("9", last), ""), Vec::<String>::new(), "too long");
    let one = "    %d = icmp.eq %i, 1\n    branch %d, yes, no\nyes:\n    store [@b], %i\n    jump no\nno:";
    assert_eq!(places_of_main(&below("3", one), ""), ["[b+0:4] = 1"], "each iteration decides for itself");
    let unknown = one.replace("icmp.eq %i, 1", "icmp.eq %argc, 1");
    assert_eq!(places_of_main(&below("3", &unknown), ""), Vec::<String>::new());
}

#[test]
fn what_a_short_loop_says_of_its_registers_ends_with_it() {
    // The second iteration stores what the first one was told, under the name of what it is told itself.
    let carried = "    jump head(0, 5)\nhead(%i: i32, %p: i32):\n    %c = icmp.slt %i, 2\n    branch %c, body, done\nbody:
    store [@b], %p\n    %x: i32 = call __ics_thread_self()\n    store [@a], %argc\n    %next = add %i, 1\n    jump head(%next, %x)\ndone:";
    assert_eq!(places_of_main(carried, ""), ["[a+0:4] = v0#0"]);
}

#[test]
fn short_loops_inside_of_short_ones_are_followed_too() {
    let inner = "    jump head2(0)\nhead2(%j: i32):\n    %c2 = icmp.slt %j, 2\n    branch %c2, body2, done2\nbody2:\n    %s = mul %i, 2
    %t = add %s, %j\n    store [@b], %t\n    %next2 = add %j, 1\n    jump head2(%next2)\ndone2:";
    assert_eq!(places_of_main(&below("2", inner), ""), ["[b+0:4] = 3"]);
    let left = inner
        .replace("    store [@b], %t", "    store [@b], %t\n    %e = icmp.eq %t, 1\n    branch %e, done2, on2\non2:");
    assert_eq!(places_of_main(&below("2", &left), ""), ["[b+0:4] = 3"], "a way out of the body is followed as well");
}

/// A block with the parameter `%y` that two sides of a branch pass numbers to.
fn diamond(then: &str, other: &str) -> String {
    main_with(
        &format!(
            "    %c = icmp.sgt %argc, 3
    branch %c, yes, no
yes:
    %u: i32 = load volatile [@a]
    %v = add %u, 1
    jump both({then})
no:
    jump both({other})
both(%y: i32):
    store [@b], %y"
        ),
        "",
    )
}

#[test]
fn a_number_that_a_branch_chooses_is_chosen_by_its_condition() {
    assert_eq!(places(&diamond("7:i32", "%argc"), &[At::Mark(1)]), ["[b+0:4] = Select(Sgt(v0#0, 3), 7, v0#0)"]);
    // A register of one side only: it counts where control came from there.
    assert_eq!(places(&diamond("%v", "9:i32"), &[At::Mark(1)]), ["[b+0:4] = Select(Sgt(v0#0, 3), v3#0+1, 9)"]);
}

#[test]
fn a_branch_that_skips_a_block_chooses() {
    let body = "    %x: i32 = load volatile [@a]
    %c = icmp.slt %x, %argc
    branch %c, least(%x), more
more:
    jump least(%argc)
least(%y: i32):
    store [@b], %y";
    assert_eq!(places(&main_with(body, ""), &[At::Mark(1)]), ["[b+0:4] = Select(Slt(v2#0, v0#0), v2#0, v0#0)"]);
}

#[test]
fn addresses_that_a_branch_chooses_keep_a_name() {
    let body = "    %c = icmp.sgt %argc, 3
    branch %c, yes, no
yes:
    jump both(@a)
no:
    jump both(@b)
both(%y: ptr):
    store [%y], 5:i32";
    assert_eq!(places(&main_with(body, ""), &[At::Mark(1)]), ["[v3#0+0:4] = 5"]);
}

#[test]
fn sides_that_control_gets_to_otherwise_choose_nothing() {
    let body = "    %c = icmp.sgt %argc, 3
    branch %c, yes, no
yes:
    %d = icmp.sgt %argc, 5
    branch %d, both(1:i32), no
no:
    jump both(2:i32)
both(%y: i32):
    store [@b], %y";
    assert_eq!(places(&main_with(body, ""), &[At::Mark(1)]), ["[b+0:4] = v4#0"]);
}

#[test]
fn what_an_iteration_has_chosen_ends_with_it() {
    let body = "    jump loop(0:i32)
loop(%i: i32):
    %c = icmp.sgt %i, 3
    branch %c, yes, no
yes:
    %h2: i32 = add 12345, 2
    %u: i32 = load volatile [@a]
    jump both(%u)
no:
    jump both(9:i32)
both(%y: i32):
    store [@b], %y
    %next = add %i, 1
    %d = icmp.slt %next, %argc
    branch %d, loop(%next), out
out:";
    let text = main_with(body, "");
    assert_eq!(places(&text, &[At::Mark(2)]), Vec::<String>::new());
    assert_eq!(places(&text, &[At::Mark(1)]), ["[b+0:4] = Select(Sgt(v2#0, 3), v5#0, 9)"]);
}

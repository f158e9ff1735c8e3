//! Rules that running programs showed to be missing; each test is one of them as a small program.

use crate::common::Solved;
use icsched_ir::{BlockId, EntityId as _, Op};

/// What the address points to that the last load or store of a function's last block uses.
fn last_address(solved: &Solved, name: &str) -> Vec<String> {
    let func = solved.function(name);
    let blocks = &solved.program.functions[func].blocks;
    let block = &blocks[BlockId::from_index(blocks.len() - 1)];
    let addresses = block.insts.iter().rev().filter_map(|inst| match inst.op {
        Op::Load { address, .. } | Op::Store { address, .. } => Some(address),
        _ => None,
    });
    let address = addresses.into_iter().next().expect("the test accesses memory");
    let info = solved.points_to.pointer_info(func, address);
    info.locations.iter().map(|l| solved.points_to.describe_location(&solved.program, l)).collect()
}

/// What is known of a pointer made of narrow numbers: those taken apart, and that it may come from elsewhere.
const ASSEMBLED: [&str; 2] = ["x+*", "outside+*"];

#[test]
fn an_address_is_put_together_from_halves() {
    let solved = Solved::new(
        "global @x = i32 0
        function @main(%n: i32, %argv: ptr, %env: ptr) -> i32 {
        a:
            %word: i64 = bitcast @x
            %low: i32 = trunc %word
            %upper = lshr %word, 32
            %high: i32 = trunc %upper
            %h: i64 = zext %high
            %l: i64 = zext %low
            %moved = shl %h, 32
            %whole = or %moved, %l
            %p: ptr = bitcast %whole
            store [%p], 1:i32
            return 0:i32
        }",
    );
    assert_eq!(last_address(&solved, "main"), ASSEMBLED);
}

#[test]
fn the_halves_of_an_address_are_passed_as_arguments() {
    let solved = Solved::new(
        "global @x = i32 0
        function @use(%low: i32, %high: i32) {
        a:
            %h: i64 = zext %high
            %l: i64 = zext %low
            %moved = shl %h, 32
            %whole = or %moved, %l
            %p: ptr = bitcast %whole
            store [%p], 1:i32
            return
        }
        function @main(%n: i32, %argv: ptr, %env: ptr) -> i32 {
        a:
            %word: i64 = bitcast @x
            %low: i32 = trunc %word
            %upper = lshr %word, 32
            %high: i32 = trunc %upper
            call @use(%low, %high)
            return 0:i32
        }",
    );
    assert_eq!(last_address(&solved, "use"), ASSEMBLED);
}

#[test]
fn the_halves_of_an_address_are_stored_and_loaded_as_one() {
    let solved = Solved::new(
        "global @x = i32 0
        global @place size 8 align 8
        function @main(%n: i32, %argv: ptr, %env: ptr) -> i32 {
        a:
            %word: i64 = bitcast @x
            %low: i32 = trunc %word
            %upper = lshr %word, 32
            %high: i32 = trunc %upper
            store [@place], %low
            store [@place + 4], %high
            %p: ptr = load [@place]
            store [%p], 1:i32
            return 0:i32
        }",
    );
    assert_eq!(last_address(&solved, "main"), ["x+*"]);
}

#[test]
fn an_address_in_memory_is_read_in_halves() {
    let solved = Solved::new(
        "global @x = i32 0
        global @place size 8 align 8
        function @main(%n: i32, %argv: ptr, %env: ptr) -> i32 {
        a:
            store [@place], @x
            %low: i32 = load [@place]
            %high: i32 = load [@place + 4]
            %h: i64 = zext %high
            %l: i64 = zext %low
            %moved = shl %h, 32
            %whole = or %moved, %l
            %p: ptr = bitcast %whole
            store [%p], 1:i32
            return 0:i32
        }",
    );
    assert_eq!(last_address(&solved, "main"), ASSEMBLED);
}

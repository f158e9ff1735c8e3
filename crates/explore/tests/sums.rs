//! Of which sums it counts that they are said not to overflow.

use crate::common::explore;
use icsched_ir::{EntityId as _, GlobalId};
use icsched_machine::PathEnd;
use icsched_machine::memory::global_object;
use icsched_machine::state_place::StatePlace;
use icsched_smt::Model;
use icsched_symbolic::inputs::ArgSpec;

/// Whether it is said of `@out` that the program may not depend on it if the input `%x` has this value. `body` goes on
/// behind a branch.
fn excludes(body: &str, x: i32) -> bool {
    let text = format!(
        "global @out size 4 align 4
        global @other size 4 align 4
        global @name_atoi size 5 align 1 constant = \"atoi\\00\"
        function @next(%x: i32) -> i32 {{
        entry:
            %more: i32 = add nsw %x, 1
            return %more
        }}
        function @main(%argc: i32, %argv: ptr, %envp: ptr) -> i32 {{
        start:
            %at: ptr = address %argv + 8
            %argument: ptr = load [%at]
            %wide: i64 = call __ics_input_of_string(@name_atoi, %argument, 32:i32)
            %x: i32 = trunc %wide
            %known: i1 = icmp.ne %x, 3
            branch %known, body, end
        body:
            {body}
            return 0
        end:
            return 1
        }}"
    );
    let mut paths = explore(&text, &[ArgSpec::Symbolic { max: 8 }]);
    let outcome = paths.paths.into_iter().map(|path| path.outcome);
    let outcome = outcome.into_iter().find(|path| path.end == PathEnd::Exit { status: Some(0) }).expect("a path");
    let out = StatePlace::Memory(global_object(GlobalId::from_index(0)), 0, 4);
    let said = icsched_explore::sums::sums_behind(&mut paths.machine, &outcome.state, &outcome.trace, &[out]);
    let mut model = Model::new();
    model.set("atoi(argv[1])", 32, u128::from(x.cast_unsigned()));
    said[0].iter().any(|&condition| !paths.machine.domain.pool.eval_bool(condition, &model))
}

/// The same for the largest number; of others nothing is said.
fn excludes_overflow(body: &str) -> bool {
    assert!(!excludes(body, 7) && !excludes(body, -7), "{body}");
    excludes(body, i32::MAX)
}

#[test]
fn a_sum_with_the_flag_fits() {
    assert!(excludes_overflow("%y: i32 = add nsw %x, 1\nstore [@out], %y"));
    assert!(!excludes_overflow("%y: i32 = add %x, 1\nstore [@out], %y"));
    assert!(excludes("%y: i32 = sub nsw %x, 1\nstore [@out], %y", i32::MIN));
    assert!(excludes("%y: i32 = add nuw %x, 1\nstore [@out], %y", -1));
    assert!(!excludes("%y: i32 = add nsw %x, 1\nstore [@out], %y", -1));
}

#[test]
fn numbers_are_followed_to_the_sums_that_they_are_computed_from() {
    assert!(excludes_overflow("%y: i32 = add nsw %x, 1\n%z: i32 = mul %y, 2\nstore [@out], %z"));
    assert!(excludes_overflow(
        "%y: i32 = add nsw %x, 1\nstore [@other], %y\n%z: i32 = load [@other]\nstore [@out], %z"
    ));
    assert!(excludes_overflow("%y: i32 = call @next(%x)\nstore [@out], %y"));
    assert!(excludes_overflow("%y: i32 = add nsw %x, 1\njump more(%y)\nmore(%z: i32):\nstore [@out], %z"));
}

/// Compilers execute sums whose results are not used.
#[test]
fn what_is_not_computed_from_a_sum_may_be_anything() {
    // It is the same number, but an unsigned one.
    assert!(!excludes_overflow("%y: i32 = add nsw %x, 1\n%z: i32 = add %x, 1\nstore [@out], %z"));
    assert!(!excludes_overflow(
        "%y: i32 = add nsw %x, 1\n%c: i1 = icmp.sgt %x, 9\n%z: i32 = select %c, 5, %y\nstore [@out], %z"
    ));
    assert!(!excludes_overflow("%y: i32 = add nsw %x, 1\n%z: i32 = freeze %y\nstore [@out], %z"));
    assert!(!excludes_overflow("%y: i32 = add nsw %x, 1\nstore [@out], %y\nstore [@out + 1], 0:i8"));
    assert!(!excludes_overflow("%y: i32 = add nsw %x, 1\nstore [@out], %y\nstore [@out], %x"));
    assert!(!excludes_overflow(
        "%y: i32 = add nsw %x, 1\njump more(%y, %x)\nmore(%a: i32, %b: i32):\nstore [@out], %b"
    ));
}

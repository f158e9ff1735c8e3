//! Functions that call themselves, and each other.

use super::{analysed, function, recursion};

fn one(head: &str, call: &str) -> String {
    format!(
        "function @main() -> i32 {{
        at0:
            call @f(7)
            return 0
        }}
        function @f(%v0: i32 \"n\") {{
        at0:
            %v1: i1 = icmp.{head}
            branch %v1, at1, at2
        at1:
            {call}
            return
        at2:
            return
        }}"
    )
}

#[test]
fn an_argument_that_gets_smaller() {
    assert_eq!(recursion(&one("sgt %v0, 0", "%v2: i32 = add nsw %v0, -1\n call @f(%v2)")), "ends: n counts down to 0");
    assert!(recursion(&one("ne %v0, 0", "%v2: i32 = sub %v0, 1\n call @f(%v2)")).starts_with("ends"));
    assert!(recursion(&one("ne %v0, 0", "%v2: i32 = udiv %v0, 2\n call @f(%v2)\n call @f(%v2)")).starts_with("ends"));
    assert!(recursion(&one("slt %v0, 100", "%v2: i32 = add nsw %v0, 1\n call @f(%v2)")).starts_with("ends"));
}

#[test]
fn an_argument_that_may_stay() {
    assert_eq!(recursion(&one("sgt %v0, 0", "call @f(%v0)")), "unknown");
    assert_eq!(recursion(&one("uge %v0, 0", "%v2: i32 = add %v0, -1\n call @f(%v2)")), "unknown");
    let one_of_two = "%v2: i32 = add nsw %v0, -1\n call @f(%v2)\n call @f(%v0)";
    assert_eq!(recursion(&one("sgt %v0, 0", one_of_two)), "unknown");
}

#[test]
fn two_functions_call_each_other() {
    let both = |step: &str| {
        format!(
            "function @main() -> i32 {{
            at0:
                call @f(7)
                return 0
            }}
            function @f(%v0: i32) {{
            at0:
                %v1: i1 = icmp.ne %v0, 0
                branch %v1, at1, at2
            at1:
                %v2: i32 = sub %v0, 1
                call @g(%v2)
                return
            at2:
                return
            }}
            function @g(%v0: i32) {{
            at0:
                %v1: i1 = icmp.ne %v0, 0
                branch %v1, at1, at2
            at1:
                %v2: i32 = sub %v0, {step}
                call @f(%v2)
                return
            at2:
                return
            }}"
        )
    };
    assert!(recursion(&both("1")).starts_with("ends"));
    assert!(recursion(&both("0")).starts_with("ends"));
    assert_eq!(recursion(&both("-1")), "unknown");
}

#[test]
fn what_a_loop_calls_has_to_end() {
    let text = "function @main(%v0: i32) -> i32 {
        at0:
            jump at1(0)
        at1(%v1: i32):
            %v2: i1 = icmp.slt %v1, %v0
            branch %v2, at2, at3
        at2:
            call @f(%v1)
            %v3: i32 = add nsw %v1, 1
            jump at1(%v3)
        at3:
            return 0
        }
        function @f(%v0: i32) {
        at0:
            jump at1(%v0)
        at1(%v1: i32):
            %v2: i1 = icmp.ne %v1, 10
            branch %v2, at2, at3
        at2:
            %v3: i32 = add %v1, 2
            jump at1(%v3)
        at3:
            return
        }";
    analysed(text, |program, termination| {
        let (main, callee) = (function(program, "main"), function(program, "f"));
        let header = |func| {
            icsched_ir::LoopForest::new(&icsched_ir::Cfg::new(&program.functions[func]))
                .iter()
                .next()
                .map(|(_, l)| l.header)
        };
        let rests = termination.loop_rests_on(main, header(main).expect("it has a loop"));
        let expected = icsched_dataflow::termination::Unproved::Loop(callee, header(callee).expect("it has a loop"));
        assert_eq!(rests.unproved.into_iter().collect::<Vec<_>>(), [expected]);
    });
}

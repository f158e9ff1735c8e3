//! Trip counts and induction variables of counted loops.

use crate::common;
use crate::common::counted::{Counted, function};
use crate::common::graphs::b;
use expect_test::{Expect, expect};
use icsched_ir::{Cfg, Count, CountedLoops, Definitions, DomTree, Expressions, LoopForest, parse};

/// All loops as text.
fn describe(counted: &Counted) -> String {
    let function = function(&counted.program);
    let definitions = Definitions::new(function);
    let text = Expressions::new(&counted.program, function, &definitions);
    let mut out = String::new();
    for ((_, l), (_, found)) in counted.loops.iter().zip(counted.counts.iter()) {
        let exact = if found.is_exact { "exact" } else { "at most" };
        let place = if found.is_bottom_tested { ", tested at the bottom" } else { "" };
        out += &format!("loop at {}: {exact}{place}\n", l.header);
        for basic in &found.basic {
            out += &format!("  {} = {}, += {}\n", basic.value, text.affine(&basic.start), text.affine(&basic.step));
        }
        for derived in &found.derived {
            let (value, basic, scale) = (derived.value, derived.basic, derived.scale);
            out += &format!("  {value} = {basic} * {scale} + {}\n", text.affine(&derived.offset));
        }
        for test in &found.tests {
            let (from, to) = test.exit;
            let form = test.closed_form(0);
            let formula = form.as_ref().map_or("no formula".to_owned(), |form| text.closed_form(form));
            let proviso =
                form.and_then(|form| form.proviso).map(|proviso| format!(" if {proviso:?}")).unwrap_or_default();
            out += &format!("  {from} -> {to} unless {}: {formula}{proviso}\n", test.predicate);
        }
    }
    out
}

fn check(body: &str, expected: Expect) {
    expected.assert_eq(&describe(&Counted::new(body)));
}

#[test]
fn a_for_loop_with_a_symbolic_bound() {
    check(
        r#"
        function @f(v0: i32 "n") {
        b0:
            jump b1(0)
        b1(v1: i32 "i"):
            v2: i1 = icmp.slt v1, v0
            branch v2, b2, b3
        b2:
            v3: i64 = sext v1
            v4: i32 = mul v1, 4
            v5: i32 = sub 10, v4
            v6: i32 = add v1, 1
            jump b1(v6)
        b3:
            return
        }
        "#,
        expect![[r#"
            loop at b1: exact
              v1 = 0, += 1
              v4 = v1 * 4 + 0
              v5 = v1 * 4294967292 + 10
              v6 = v1 * 1 + 1
              b1 -> b3 unless slt: max(n, 0)
        "#]],
    );
}

#[test]
fn threads_that_share_the_iterations() {
    check(
        r#"
        global @threads size 4
        function @f(v0: i32 "id", v1: i32 "n") {
        b0:
            v2: i32 = shl v0, 1
            jump b1(v2)
        b1(v3: i32 "i"):
            v4: i32 = load [@threads]
            v5: i32 = sub v1, 1
            v6: i1 = icmp.ule v3, v5
            branch v6, b2, b3
        b2:
            v7: i32 = add v3, v4
            jump b1(v7)
        b3:
            return
        }
        "#,
        expect![[r#"
            loop at b1: exact
              v3 = id << 1, += threads
              v7 = v3 * 1 + threads
              b1 -> b3 unless ule: max((n + threads - (id << 1) - 1) / threads, 0) if Advances
        "#]],
    );
}

#[test]
fn a_load_is_invariant_only_where_nothing_writes_or_synchronises() {
    let with = |inst: &str| {
        let text = format!(
            "global @n size 4
            declare @g()
            function @f(%p: ptr) {{
            entry:
                jump head(0)
            head(%i: i32):
                %n: i32 = load [@n]
                {inst}
                %c = icmp.slt %i, %n
                branch %c, body, out
            body:
                %j = add %i, 1
                jump head(%j)
            out:
                return
            }}"
        );
        let counted = Counted::new(&text);
        let (_, count) = counted.first();
        assert_eq!(count.basic.len(), 1, "{inst}");
        count.tests.len()
    };
    assert_eq!(with("%m: i32 = load [%p]"), 1);
    assert_eq!(with("store [%p], %i"), 0);
    assert_eq!(with("call @g()"), 0);
    assert_eq!(with("fence seq_cst"), 0);
    assert_eq!(with("memset [%p], 0, 4"), 0);
    assert_eq!(with("%m: i32 = rmw add seq_cst [%p], %i"), 0);
    assert_eq!(with("%m: i32 = load acquire [%p]"), 0);
}

#[test]
fn somebody_else_may_know_that_a_load_is_invariant_and_an_exit_does_not_matter() {
    let program = parse(
        "global @n size 4
        function @f(%p: ptr, %x: i1) {
        entry:
            jump head(0)
        head(%i: i32):
            %n: i32 = load [@n]
            %c = icmp.slt %i, %n
            branch %c, body, out
        body:
            store [%p], %i
            %v: i32 = load volatile [@n]
            branch %x, next, fails
        next:
            %j = add %i, 1
            jump head(%j)
        out:
            return
        fails:
            unreachable
        }",
    )
    .unwrap();
    let function = function(&program);
    let cfg = Cfg::new(function);
    let (loops, dominators) = (LoopForest::new(&cfg), DomTree::dominators(&cfg));
    let asked = std::cell::RefCell::new(vec![]);
    let loads = |_, block, inst| {
        asked.borrow_mut().push((block, inst));
        true
    };
    let count = |ignore: &[usize]| {
        let ignore = common::graphs::set(6, ignore.iter().copied());
        let counts = CountedLoops::with_loads(function, &cfg, &dominators, &loops, &ignore, &loads);
        counts.iter().map(|(_, c)| (c.tests.len(), c.is_exact)).collect::<Vec<_>>()
    };
    assert_eq!(count(&[]), [(1, false)]);
    assert_eq!(count(&[5]), [(1, true)]);
    assert_eq!(asked.into_inner(), [(b(1), 0); 2], "volatile loads are not asked about");
}

#[test]
fn several_tests_and_conditions_of_several_parts() {
    // `while (i < n && i != m)` with the second part computed by control flow, as at -O0; then one exit in the middle.
    check(
        r#"
        function @f(v0: i32 "n", v1: i32 "m", v2: i32 "k", v9: i1 "stop") {
        b0:
            jump b1(0)
        b1(v3: i32 "i"):
            v4: i1 = icmp.slt v3, v0
            branch v4, b2, b3(false)
        b2:
            v5: i1 = icmp.ne v3, v1
            jump b3(v5)
        b3(v6: i1):
            branch v6, b4, b6
        b4:
            v7: i1 = icmp.sgt v3, v2
            v10: i1 = or v7, v9
            branch v10, b6, b5
        b5:
            v8: i32 = add v3, 2
            jump b1(v8)
        b6:
            return
        }
        "#,
        expect![[r#"
            loop at b1: at most
              v3 = 0, += 2
              v8 = v3 * 1 + 2
              b3 -> b6 unless slt: max((n + 1) / 2, 0) if NoWrap
              b3 -> b6 unless ne: m / 2 if Divides
              b4 -> b6 unless sle: max((k + 2) / 2, 0) if NoWrap
        "#]],
    );
}

#[test]
fn truth_values_in_integers_selections_and_negations() {
    check(
        r#"
        function @f(v0: i64 "n", v1: i64 "m") {
        b0:
            jump b1(9)
        b1(v2: i64 "i"):
            v3: i1 = icmp.ugt v2, v0
            v4: i8 = zext v3
            v5: i1 = trunc v4
            v6: i1 = icmp.eq v2, v1
            v7: i1 = xor v6, true
            v8: i1 = select v5, v7, false
            v9: i32 = zext v8
            v10: i1 = icmp.eq v9, 0
            branch v10, b3, b2
        b2:
            v11: i64 = sub v2, 3
            jump b1(v11)
        b3:
            return
        }
        "#,
        expect![[r#"
            loop at b1: exact
              v2 = 9, += -3
              v11 = v2 * 1 + -3
              b1 -> b3 unless ugt: max((11 - n) / 3, 0) if NoWrap
              b1 -> b3 unless ne: (9 - m) / 3 if Divides
        "#]],
    );
}

#[test]
fn pointers_and_several_ways_in_and_back() {
    check(
        r#"
        global @a size 80
        function @f(v0: i1 "c", v1: ptr "end") {
        b0:
            branch v0, b1(@a), b1(@a + 8)
        b1(v2: ptr "p"):
            v3: i1 = icmp.ne v2, v1
            branch v3, b2, b5
        b2:
            v4: i32 = load [v2]
            v5: i1 = icmp.eq v4, 0
            v6: ptr = address v2 + 4
            branch v5, b3, b4
        b3:
            jump b1(v6)
        b4:
            v7: ptr = address v2 + 8
            v8: ptr = address v7 - 4
            jump b1(v8)
        b5:
            return
        }
        "#,
        expect![[r#"
            loop at b1: exact
              v2 = start(p), += 4
              v6 = v2 * 1 + 4
              v7 = v2 * 1 + 8
              v8 = v2 * 1 + 4
              b1 -> b5 unless ne: (end - start(p)) / 4 if Divides
        "#]],
    );
}

#[test]
fn nested_loops() {
    // The inner loop's bound is the outer variable; the inner exit leaves only the inner loop.
    check(
        r#"
        function @f(v0: i32 "n") {
        b0:
            jump b1(0)
        b1(v1: i32 "i"):
            v2: i1 = icmp.slt v1, v0
            branch v2, b2(v1), b4
        b2(v3: i32 "j"):
            v4: i32 = sub v3, v1
            v5: i32 = add v3, 1
            v6: i1 = icmp.ult v5, v0
            branch v6, b2(v5), b3
        b3:
            v7: i32 = add v1, 1
            jump b1(v7)
        b4:
            return
        }
        "#,
        expect![[r#"
            loop at b1: exact
              v1 = 0, += 1
              v7 = v1 * 1 + 1
              b1 -> b4 unless slt: max(n, 0)
            loop at b2: exact, tested at the bottom
              v3 = i, += 1
              v4 = v3 * 1 + -i
              v5 = v3 * 1 + 1
              b2 -> b3 unless ult: max(n - i - 1, 0) if NoWrap
        "#]],
    );
}

#[test]
fn what_is_no_counted_loop() {
    // Two different steps; a sum of two variables; an unspecified start; a variable that stays; a test that only
    // some iterations make.
    check(
        r#"
        function @f(v0: i32 "n", v1: i1 "c") {
        b0:
            jump b1(0, 0, undef, 7, 5)
        b1(v2: i32 "i", v3: i32 "fib", v4: i32 "u", v5: i32 "same", v11: i32 "w"):
            v6: i32 = add v3, v4
            v7: i32 = add v4, 1
            branch v1, b2, b3
        b2:
            v8: i32 = add v2, 1
            v9: i1 = icmp.slt v4, v0
            branch v9, b1(v8, v6, v7, v5, v11), b4
        b3:
            v10: i32 = add v2, 2
            jump b1(v10, v6, v7, v5, v0)
        b4:
            return
        }
        "#,
        expect![[r#"
            loop at b1: at most
              v4 = start(u), += 1
              v7 = v4 * 1 + 1
        "#]],
    );
}

#[test]
fn an_irreducible_loop_is_not_counted() {
    check(
        r#"
        function @f(v0: i32 "n", v1: i1 "c") {
        b0:
            branch v1, b1(0), b2(0)
        b1(v2: i32 "i"):
            v3: i32 = add v2, 1
            v4: i1 = icmp.slt v3, v0
            branch v4, b2(v3), b3
        b2(v5: i32 "i"):
            jump b1(v5)
        b3:
            return
        }
        "#,
        expect![[r#"
            loop at b2: at most
        "#]],
    );
}

#[test]
fn numbers() {
    let count = |bits: u8, start: &str, predicate: &str, bound: &str, step: &str| {
        let counted = Counted::new(&format!(
            "function @f() {{\nentry:\njump head({start})\nhead(%i: i{bits}):\n%c = icmp.{predicate} %i, {bound}\n\
             branch %c, body, out\nbody:\n%j: i{bits} = add %i, {step}\njump head(%j)\nout:\nreturn\n}}\n"
        ));
        counted.first().1.tests[0].constant()
    };
    assert_eq!(count(32, "0", "slt", "10", "1"), Some(Count::Finite(10)));
    assert_eq!(count(32, "0", "slt", "10", "3"), Some(Count::Finite(4)));
    assert_eq!(count(32, "10", "sge", "0", "-1"), Some(Count::Finite(11)));
    assert_eq!(count(32, "10", "uge", "0", "-1"), Some(Count::Endless));
    assert_eq!(count(32, "5", "ult", "10", "-1"), Some(Count::Finite(6)), "wraps around behind 0");
    assert_eq!(count(64, "0", "ne", "-1", "1"), Some(Count::Finite(u64::MAX)));
    assert_eq!(count(64, "0", "ne", "1", "2"), Some(Count::Endless));
    assert_eq!(count(64, "0", "sle", "9223372036854775807", "1"), Some(Count::Endless));
    assert_eq!(count(8, "3", "eq", "3", "1"), Some(Count::Finite(1)));
}

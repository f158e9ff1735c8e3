//! Schedule trees (Bergan 3.2.1) on small programs in text IR: which conditions are decided where.
//!
//! Each part is a line `constraint => nodes`, below the part that it continues.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::{Expect, expect};
use icsched_enumerate::enumerate;
use icsched_epochs::{Request, RunLimits, SearchOptions, Technique, graph};
use icsched_ir::Program;
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::host::MemoryHost;
use icsched_machine::step::{Arguments, answer};
use icsched_machine::{Answers, Machine, Options, PathEnd, Stop};
use icsched_schedule::{Enumeration, HappensBefore, ScheduleEnd, TreeNode};
use icsched_smt::{Model, Term, TermPool, serial};
use proptest::prelude::*;

const GLOBALS: &str = r#"
global @x_name size 2 align 1 constant = "x\00"
global @y_name size 2 align 1 constant = "y\00"
global @z_name size 2 align 1 constant = "z\00"
global @A size 8 align 8
global @B size 8 align 8
global @C size 8 align 8
"#;

fn program(body: &str) -> Arc<Program> {
    let program = icsched_ir::parse(&format!("{GLOBALS}\n{body}")).unwrap_or_else(|error| panic!("{error}\n{body}"));
    icsched_ir::verify(&program).expect("the test's program is well formed");
    Arc::new(program)
}

fn run(program: &Arc<Program>, without: &[Technique]) -> Enumeration {
    let request = Request {
        program: Arc::clone(program),
        inputs: Default::default(),
        externs: Default::default(),
        memory_errors: Default::default(),
        search: SearchOptions::default(),
        limits: RunLimits::default(),
        without: without.iter().copied().chain([Technique::Epochs]).collect(),
    };
    enumerate(&request).expect("the program starts")
}

fn render(node: &TreeNode, depth: usize, text: &mut String) {
    for branch in &node.branches {
        let schedule = &branch.schedule;
        let nodes: Vec<&str> = schedule.graph.nodes().iter().map(|n| &*n.object).collect();
        let indent = "  ".repeat(depth);
        let constraint = if schedule.constraint.is_always() { "true" } else { &schedule.constraint.c };
        writeln!(text, "{indent}{constraint} => {} [{}]", nodes.join(" "), schedule.ends).expect("a string grows");
        render(&branch.next, depth + 1, text);
    }
}

fn check(body: &str, expected: Expect) {
    let result = run(&program(body), &[]);
    assert!(result.is_complete(), "{:?}", result.all_reasons());
    let mut text = String::new();
    render(&result.epochs[0].tree.root, 0, &mut text);
    expected.assert_eq(&text);
}

#[test]
fn what_is_read_later_is_decided_there() {
    // The order by hand: A, then x is read and one of two objects taken.
    check(
        "function f0 @main() -> i32 {
b0:
    call __ics_event(@A, 0:i32)
    v0: i64 = call __ics_input(@x_name, 32:i32)
    v1: i32 = trunc v0
    v2: i1 = icmp.eq v1, 0
    branch v2, b1, b2
b1:
    call __ics_event(@B, 0:i32)
    return 0
b2:
    call __ics_event(@C, 0:i32)
    return 0
}",
        expect![[r#"
            true => A [input]
              x == 0 => A B [exit]
              x != 0 => A C [exit]
        "#]],
    );
}

#[test]
fn what_is_decided_by_what_comes_later_waits_for_it() {
    // x alone decides nothing: with y it does, and A is taken before y is known.
    check(
        "function f0 @main() -> i32 {
b0:
    v0: i64 = call __ics_input(@x_name, 32:i32)
    call __ics_event(@A, 0:i32)
    v1: i64 = call __ics_input(@y_name, 32:i32)
    v2: i64 = add v0, v1
    v3: i32 = trunc v2
    v4: i1 = icmp.eq v3, 7
    branch v4, b1, b2
b1:
    call __ics_event(@B, 0:i32)
    return 0
b2:
    call __ics_event(@C, 0:i32)
    return 0
}",
        expect![[r#"
            true => A [input]
              x + y == 7 => A B [exit]
              x + y != 7 => A C [exit]
        "#]],
    );
}

#[test]
fn one_decision_below_another() {
    // x decides whether A or B comes first, and y behind A whether C follows. B is alone.
    check(
        "function f0 @main() -> i32 {
b0:
    v0: i64 = call __ics_input(@x_name, 32:i32)
    v1: i32 = trunc v0
    v2: i1 = icmp.eq v1, 0
    branch v2, b1, b2
b1:
    call __ics_event(@A, 0:i32)
    v3: i64 = call __ics_input(@y_name, 32:i32)
    v4: i32 = trunc v3
    v5: i1 = icmp.eq v4, 1
    branch v5, b3, b4
b2:
    call __ics_event(@B, 0:i32)
    return 0
b3:
    call __ics_event(@C, 0:i32)
    jump b4
b4:
    call __ics_event(@A, 0:i32)
    return 0
}",
        expect![[r#"
            true =>  [input]
              x != 0 => B [exit]
              x == 0 => A [input]
                y != 1 => A A [exit]
                y == 1 => A C A [exit]
        "#]],
    );
}

#[test]
fn a_decision_that_only_matters_with_a_later_one_is_left_to_it() {
    // Both are read before anything is taken. By hand: y != 0 is B whatever x is.
    check(
        "function f0 @main() -> i32 {
b0:
    v0: i64 = call __ics_input(@x_name, 32:i32)
    v1: i64 = call __ics_input(@y_name, 32:i32)
    v2: i32 = trunc v1
    v3: i1 = icmp.eq v2, 0
    branch v3, b1, b2
b1:
    v4: i32 = trunc v0
    v5: i1 = icmp.eq v4, 0
    branch v5, b3, b4
b2:
    call __ics_event(@B, 0:i32)
    return 0
b3:
    call __ics_event(@A, 0:i32)
    return 0
b4:
    call __ics_event(@C, 0:i32)
    return 0
}",
        expect![[r#"
            true =>  [input]
              y != 0 => B [exit]
              y == 0 && x == 0 => A [exit]
              x != 0 && y == 0 => C [exit]
        "#]],
    );
}

#[test]
fn without_trees_all_is_decided_at_the_start() {
    let body = "function f0 @main() -> i32 {
b0:
    call __ics_event(@A, 0:i32)
    v0: i64 = call __ics_input(@x_name, 32:i32)
    v1: i32 = trunc v0
    v2: i1 = icmp.eq v1, 0
    branch v2, b1, b2
b1:
    call __ics_event(@B, 0:i32)
    return 0
b2:
    call __ics_event(@C, 0:i32)
    return 0
}";
    let (tree, flat) = (run(&program(body), &[]), run(&program(body), &[Technique::ScheduleTrees]));
    assert!(flat.epochs[0].tree.parts().iter().all(|(parent, _)| parent.is_none()));
    assert_ne!(tree.epochs[0].tree, flat.epochs[0].tree);
    assert_eq!(
        tree.epochs[0].tree.schedules().into_keys().collect::<BTreeSet<_>>(),
        flat.epochs[0].tree.schedules().into_keys().collect::<BTreeSet<_>>()
    );
}

#[test]
fn which_input_of_a_name_it_is_depends_on_how_many_were_read() {
    // Where x is not 0, the y that decides is the second one.
    check(
        "function f0 @main() -> i32 {
b0:
    v0: i64 = call __ics_input(@x_name, 32:i32)
    v1: i1 = icmp.eq v0, 0
    branch v1, b2, b1
b1:
    v2: i64 = call __ics_input(@y_name, 32:i32)
    jump b2
b2:
    v3: i64 = call __ics_input(@y_name, 32:i32)
    v4: i1 = icmp.eq v3, 0
    branch v4, b3, b4
b3:
    call __ics_event(@A, 0:i32)
    return 0
b4:
    call __ics_event(@B, 0:i32)
    return 0
}",
        expect![[r#"
            true =>  [input]
              (y == 0 && x == 0) || (x != 0 && y#2 == 0) => A [exit]
              (x != 0 && y#2 != 0) || (y != 0 && x == 0) => B [exit]
        "#]],
    );
}

/// A statement of a random program.
#[derive(Clone, Debug)]
enum Statement {
    Event(usize),
    Read(usize),
    /// On an input that was read: which, compared with what.
    If(usize, u32, Vec<Statement>, Vec<Statement>),
}

fn statements() -> impl Strategy<Value = Vec<Statement>> {
    let leaf = prop_oneof![(0..3usize).prop_map(Statement::Event), (0..3usize).prop_map(Statement::Read)];
    let statement = leaf.prop_recursive(3, 14, 3, |inner| {
        let block = || prop::collection::vec(inner.clone(), 0..3);
        prop_oneof![
            inner.clone(),
            (0..6usize, 0..4u32, block(), block()).prop_map(|(i, n, a, b)| Statement::If(i, n, a, b)),
        ]
    });
    prop::collection::vec(statement, 1..6)
}

/// A program in text IR under construction; its blocks are called `(1)`, `(2)` and so on.
#[derive(Default)]
struct Writer {
    text: String,
    blocks: u32,
    values: u32,
}

impl Writer {
    fn block(&mut self, statements: &[Statement], inputs: &[u32]) {
        let mut inputs = inputs.to_vec();
        for statement in statements {
            match statement {
                Statement::Event(object) => {
                    let object = ["A", "B", "C"][*object];
                    self.text += &format!("    call __ics_event(@{object}, 0:i32)\n");
                }
                Statement::Read(name) => {
                    let (name, value) = (["x", "y", "z"][*name], self.values);
                    self.values += 1;
                    self.text += &format!("    v{value}: i64 = call __ics_input(@{name}_name, 32:i32)\n");
                    inputs.push(value);
                }
                Statement::If(which, bound, then, otherwise) => {
                    if inputs.is_empty() {
                        continue;
                    }
                    let (input, test) = (inputs[which % inputs.len()], self.values);
                    self.values += 1;
                    let (a, b, next) = (self.blocks + 1, self.blocks + 2, self.blocks + 3);
                    self.blocks += 3;
                    self.text +=
                        &format!("    v{test}: i1 = icmp.ule v{input}, {bound}\n    branch v{test}, ({a}), ({b})\n");
                    for (block, statements) in [(a, then), (b, otherwise)] {
                        self.text += &format!("({block}):\n");
                        self.block(statements, &inputs);
                        self.text += &format!("    jump ({next})\n");
                    }
                    self.text += &format!("({next}):\n");
                }
            }
        }
    }

    /// The program, its blocks numbered in the order of the text.
    fn finish(&self) -> String {
        let mut text = format!("function f0 @main() -> i32 {{\nb0:\n{}    return 0\n}}", self.text);
        let labels: Vec<String> =
            self.text.lines().filter(|line| line.starts_with('(')).map(|line| line.replace(':', "")).collect();
        for (label, number) in labels.iter().zip(1..) {
            text = text.replace(label, &format!("b{number}"));
        }
        text
    }
}

/// What a run does whose inputs follow from `answers`.
fn concrete(program: &Arc<Program>, answers: u64) -> HappensBefore {
    let options = Options { answers: Some(Answers::Seed(answers)), ..Options::default() };
    let mut machine = Machine::new(Arc::clone(program), ConcreteDomain, Box::new(MemoryHost::default()), options);
    let arguments = Arguments { argc: 0, argv: Vec::new(), environment: Vec::new() };
    let mut state = machine.initial_state(&arguments).expect("the program can be started");
    state.record_events = true;
    match machine.run(&mut state, &mut (), 1 << 20) {
        Err(Stop::End(end)) if matches!(*end, PathEnd::Exit { .. }) => {}
        other => panic!("the run does not end: {other:?}"),
    }
    graph::happens_before(program, &state).expect("there is one thread")
}

/// The leaf that a run comes to: exactly one branch of each decision may be its own, and each part is what it does
/// first.
fn descend(pool: &mut TermPool, node: &TreeNode, answers: u64, does: &HappensBefore) -> Result<(), TestCaseError> {
    let mut node = node;
    loop {
        let mut taken = Vec::new();
        for branch in &node.branches {
            let dag = branch.schedule.constraint.dag.as_ref().expect("a search says its constraints as terms");
            let condition = serial::import(pool, dag).expect("what was exported can be imported")[0];
            if holds(pool, condition, answers) {
                taken.push(branch);
            }
        }
        prop_assert_eq!(taken.len(), 1, "branches are taken");
        let schedule = &taken[0].schedule;
        prop_assert!(schedule.graph.is_prefix_of(does));
        if !matches!(schedule.ends, ScheduleEnd::Input { .. }) {
            prop_assert!(taken[0].next.branches.is_empty());
            prop_assert!(schedule.graph.is_same(does));
            for (node, own) in schedule.graph.nodes().iter().zip(does.nodes()) {
                prop_assert!(node.places().any(|at| *at == *own.at), "{own:?} is not among the places of {node:?}");
            }
            return Ok(());
        }
        node = &taken[0].next;
    }
}

fn holds(pool: &TermPool, condition: Term, answers: u64) -> bool {
    let mut model = Model::new();
    for &symbol in pool.symbols_of(condition).iter() {
        let (name, width) = (pool.symbol_name(symbol).expect("it is a symbol"), pool.width(symbol));
        model.set(name, width, u128::from(answer(answers, name, width)));
    }
    pool.eval_bool(condition, &model)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_run_comes_to_one_leaf(statements in statements(), seeds in prop::collection::vec(any::<u64>(), 24)) {
        let mut writer = Writer::default();
        writer.block(&statements, &[]);
        let program = program(&writer.finish());
        // Without prefixes: a run that ends early is one that ends.
        let result = run(&program, &[Technique::PrefixSchedules]);
        prop_assert!(result.is_complete());
        let mut pool = TermPool::new();
        for seed in seeds {
            let does = concrete(&program, seed);
            descend(&mut pool, &result.epochs[0].tree.root, seed, &does)?;
        }
    }
}

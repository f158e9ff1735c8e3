//! Symbolic runs of small programs: which paths there are, what they assume, what they report.

use crate::common;
use crate::common::{Paths, explore, explore_spec, machine, spec};
use icsched_explore::explore::{FirstSide, FollowModel, Limits, execute_path};
use icsched_machine::{DecisionKind, ErrorKind, Limit, PathEnd};
use icsched_smt::{Answer, Model, Solver, SolverStatistics, Term, TermPool, UnknownReason};
use icsched_symbolic::inputs::{ArgSpec, InputSpec, OptionalArguments};
use icsched_symbolic::path::SymPath;
use icsched_symbolic::trace::{Decision, OtherSide, TraceEvent};

const BRANCHES: &str = include_str!("programs/branches.ir");
const REPEATED: &str = include_str!("programs/repeated.ir");
const ERRORS: &str = include_str!("programs/errors.ir");
const SIZES: &str = include_str!("programs/sizes.ir");
const ARGC: &str = include_str!("programs/argc.ir");

const ARGUMENT: [ArgSpec; 1] = [ArgSpec::Symbolic { max: 8 }];

fn statuses(paths: &Paths) -> Vec<(&str, Option<i32>)> {
    let mut found: Vec<_> = paths
        .paths
        .iter()
        .map(|p| match p.end {
            PathEnd::Exit { status } => (p.constraint.as_str(), status),
            ref other => panic!("unexpected end {other:?}"),
        })
        .collect();
    found.sort_unstable();
    found
}

fn decisions(events: &[TraceEvent]) -> Vec<&Decision> {
    let decisions = events.iter().filter_map(|event| match event {
        TraceEvent::Decision { decision, .. } => Some(decision),
        _ => None,
    });
    decisions.collect()
}

#[test]
fn branches_on_one_number_give_one_path_per_outcome() {
    let paths = explore(BRANCHES, &ARGUMENT);
    assert_eq!(
        statuses(&paths),
        [
            ("atoi(argv[1]) < 0", Some(2)),
            ("atoi(argv[1]) <= 10 && atoi(argv[1]) >= 0", Some(3)),
            ("atoi(argv[1]) > 10", Some(1)),
        ]
    );
}

#[test]
fn a_model_steers_the_run() {
    for (value, status) in [(11, 1), (-1, 2), (3, 3)] {
        let (mut machine, state) = machine(BRANCHES, &spec(&ARGUMENT));
        let mut model = Model::new();
        model.set("atoi(argv[1])", 32, (value as u32).into());
        let outcome = execute_path(&mut machine, state, &mut FollowModel(model), &Limits::default());
        assert_eq!(outcome.end, PathEnd::Exit { status: Some(status) });
    }
}

/// Each branch of a repeated condition is recorded, so that a slicer can drop the first and keep the second.
#[test]
fn a_condition_is_recorded_wherever_it_is_relied_on() {
    let paths = explore(REPEATED, &ARGUMENT);
    assert_eq!(statuses(&paths), [("argv[1][0] != 'a'", Some(0)), ("argv[1][0] == 'a'", Some(1))]);
    for path in &paths.paths {
        let found = decisions(&path.outcome.trace.events);
        assert_eq!(found.len(), 2, "on the path {}", path.constraint);
        assert_eq!(found[0].condition, found[1].condition);
        assert_eq!(found.iter().map(|d| d.other).collect::<Vec<_>>(), [OtherSide::Feasible, OtherSide::Infeasible]);
        assert_eq!(path.outcome.decisions.len(), 1, "the list of decisions has each term once");
    }
}

/// What an input constraint implies is still recorded where the path relies on it, with an infeasible other side.
#[test]
fn what_the_input_constraint_implies_is_recorded() {
    let (mut machine, mut state) = machine(BRANCHES, &spec(&ARGUMENT));
    let number = machine.domain.pool.symbol("atoi(argv[1])", 32);
    let hundred = machine.domain.pool.constant(32, 100);
    let constraint = machine.domain.pool.cmp(icsched_smt::CmpOp::Slt, hundred, number);
    state.path = SymPath::assuming(&machine.domain.pool, constraint);
    let outcome = execute_path(&mut machine, state, &mut FirstSide, &Limits::default());
    assert_eq!(outcome.end, PathEnd::Exit { status: Some(1) });
    let found = decisions(&outcome.trace.events);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|d| d.other == OtherSide::Infeasible && d.taken));
}

/// A decision stands in front of the effects of its instruction.
#[test]
fn decisions_come_before_the_blocks_they_lead_to() {
    let paths = explore(BRANCHES, &ARGUMENT);
    for path in &paths.paths {
        let kinds: Vec<bool> = path
            .outcome
            .trace
            .events
            .iter()
            .filter_map(|event| match event {
                TraceEvent::Decision { .. } => Some(true),
                TraceEvent::Block { .. } => Some(false),
                _ => None,
            })
            .collect();
        assert_eq!(kinds, [true, false, true, false]);
    }
}

#[test]
fn contradicting_assumptions_end_the_path() {
    let (mut machine, mut state) = machine(BRANCHES, &spec(&ARGUMENT));
    let number = machine.domain.pool.symbol("atoi(argv[1])", 32);
    for value in [1, 2] {
        let value = machine.domain.pool.constant(32, value);
        let equal = machine.domain.pool.cmp(icsched_smt::CmpOp::Eq, number, value);
        state.path.constrain(&machine.domain.pool, equal);
    }
    let outcome = execute_path(&mut machine, state, &mut FirstSide, &Limits::default());
    assert_eq!(outcome.end, PathEnd::Infeasible);
}

#[test]
fn possible_errors_are_reported_and_avoided() {
    let mut paths = explore(ERRORS, &ARGUMENT);
    // Only in bounds and with a divisor that is not zero: the index 7 is not possible any more.
    assert_eq!(paths.paths.len(), 1);
    let Paths { machine, paths } = &mut paths;
    let path = &paths[0];
    assert_eq!(path.end, PathEnd::Exit { status: Some(0) });
    let errors = &path.outcome.errors;
    assert_eq!(errors.iter().map(|e| e.kind).collect::<Vec<_>>(), [ErrorKind::OutOfBounds, ErrorKind::DivisionByZero]);
    assert!(errors.iter().all(|e| e.certain));
    for (error, expected) in errors.iter().zip([4..=255, 0..=0]) {
        let mut before = SymPath::default();
        let constraints = &path.outcome.state.path.constraints()[..error.constraints];
        constraints.iter().for_each(|&c| before.constrain(&machine.domain.pool, c));
        let model = machine.domain.model(&before, error.condition).expect("decided").expect("the error can happen");
        let index = model.get("argv[1][0]").and_then(icsched_smt::ModelValue::as_u64).unwrap_or(0);
        assert!(expected.contains(&index), "{:?} for the index {index}", error.kind);
    }
}

#[test]
fn a_size_is_held_to_one_value_per_path() {
    let paths = explore(SIZES, &ARGUMENT);
    let mut found: Vec<_> = paths.paths.iter().map(|p| p.end.clone()).collect();
    found.sort_by_key(|end| format!("{end:?}"));
    assert_eq!(found, [1, 2].map(|status| PathEnd::Exit { status: Some(status) }));
    for path in &paths.paths {
        assert_eq!(path.outcome.decisions[0].1.kind, DecisionKind::Concretise);
    }
}

#[test]
fn optional_arguments_exist_up_to_argc() {
    let optional = Some(OptionalArguments { min: 0, max: 2, bytes: 2 });
    let spec = InputSpec { program: "prog".to_owned(), optional, ..InputSpec::default() };
    let paths = explore_spec(ARGC, &spec);
    let found: Vec<Option<i32>> = statuses(&paths).into_iter().map(|(_, status)| status).collect();
    assert_eq!(found.len(), 3, "{:?}", statuses(&paths));
    assert!(paths.paths.iter().all(|p| p.outcome.errors.is_empty()), "argv[2] is no null pointer behind the test");
}

#[test]
fn limits_end_a_path_and_say_so() {
    let (mut machine, state) = machine(BRANCHES, &spec(&ARGUMENT));
    let limits = Limits { instructions: 3, ..Limits::default() };
    let outcome = execute_path(&mut machine, state, &mut FirstSide, &limits);
    assert_eq!(outcome.end, PathEnd::Limit(Limit::Instructions));
    assert_eq!(outcome.state.instructions, 3);
}

/// A solver that never knows.
struct Clueless;

impl Solver for Clueless {
    fn check(&mut self, _: &mut TermPool, _: &[Term], _: Term) -> Answer {
        Answer::Unknown(UnknownReason::Timeout)
    }
    fn model(&mut self, _: &mut TermPool, _: &[Term], _: Term) -> Result<Option<Model>, UnknownReason> {
        Err(UnknownReason::Timeout)
    }
    fn statistics(&self) -> SolverStatistics {
        SolverStatistics::default()
    }
}

/// "Don't know" is explored and reported, never taken for "no".
#[test]
fn what_the_solver_gives_up_on_is_explored() {
    let paths = common::explore_with(BRANCHES, &spec(&ARGUMENT), Box::new(Clueless));
    let found: Vec<_> = paths.paths.iter().map(|p| p.end.clone()).collect();
    assert_eq!(found, [1, 2, 2, 3].map(|status| PathEnd::Exit { status: Some(status) }));
    for path in &paths.paths {
        assert!(!path.outcome.gave_up.is_empty());
        assert!(decisions(&path.outcome.trace.events).iter().all(|d| d.other == OtherSide::Unknown));
    }
}

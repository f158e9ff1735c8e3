//! Runs programs in IR text.

use std::ops::ControlFlow;
use std::sync::Arc;

use icsched_explore::explore::{Limits, PathOutcome, PathRun, explore_from};
use icsched_ir::{parse, verify};
use icsched_machine::host::MemoryHost;
use icsched_machine::{Machine, Options, PathEnd, State};
use icsched_smt::{CachingSolver, Solver, Z3Solver};
use icsched_symbolic::inputs::{ArgSpec, InputSpec};
use icsched_symbolic::print::Printer;
use icsched_symbolic::symbolic::SymbolicDomain;

/// A finished path.
pub(crate) struct Path {
    pub(crate) end: PathEnd,
    pub(crate) constraint: String,
    pub(crate) outcome: PathOutcome,
}

/// All paths of a program.
pub(crate) struct Paths {
    pub(crate) machine: Machine<SymbolicDomain>,
    pub(crate) paths: Vec<Path>,
}

/// A symbolic machine for a program and its first state.
pub(crate) fn machine(text: &str, spec: &InputSpec) -> (Machine<SymbolicDomain>, State<SymbolicDomain>) {
    machine_with(text, spec, Box::new(CachingSolver::new(Z3Solver::default())))
}

fn machine_with(
    text: &str,
    spec: &InputSpec,
    solver: Box<dyn Solver>,
) -> (Machine<SymbolicDomain>, State<SymbolicDomain>) {
    let program = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let errors = verify(&program);
    assert!(errors.is_ok(), "{errors:?}\n{text}");
    let domain = SymbolicDomain::new(solver);
    let mut machine = Machine::new(Arc::new(program), domain, Box::new(MemoryHost::default()), Options::default());
    let (arguments, constraints) = spec.arguments(&mut machine.domain);
    let mut state = machine.initial_state(&arguments).expect("the program has a main function");
    for constraint in constraints {
        state.path.constrain(&machine.domain.pool, constraint);
    }
    (machine, state)
}

pub(crate) fn spec(arguments: &[ArgSpec]) -> InputSpec {
    InputSpec { program: "prog".to_owned(), arguments: arguments.to_vec(), ..InputSpec::default() }
}

/// Explores all paths.
pub(crate) fn explore(text: &str, arguments: &[ArgSpec]) -> Paths {
    explore_spec(text, &spec(arguments))
}

pub(crate) fn explore_spec(text: &str, spec: &InputSpec) -> Paths {
    explore_with(text, spec, Box::new(CachingSolver::new(Z3Solver::default())))
}

pub(crate) fn explore_with(text: &str, spec: &InputSpec, solver: Box<dyn Solver>) -> Paths {
    let (mut machine, state) = machine_with(text, spec, solver);
    let mut paths = Vec::new();
    let limits = Limits { instructions: 1_000_000, ..Limits::default() };
    let complete = explore_from(&mut machine, PathRun::new(state).with_sides(), &limits, |machine, outcome| {
        let constraint = Printer::new(&machine.domain.pool).conjunction(outcome.state.path.constraints());
        paths.push(Path { end: outcome.end.clone(), constraint, outcome });
        ControlFlow::Continue(())
    });
    assert!(complete);
    Paths { machine, paths }
}

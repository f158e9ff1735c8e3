//! All paths of a program against its runs.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use icsched_explore::explore::{Limits, PathOutcome, PossibleError, explore_all};
use icsched_ir::Program;
use icsched_machine::{Machine, MemoryByte, PathEnd};
use icsched_smt::{CachingSolver, Model, SolverOptions, Term, Z3Solver};
use icsched_symbolic::path::SymPath;
use icsched_symbolic::symbolic::SymbolicDomain;

use crate::deboer::compare::{Agreement, agree};
use crate::deboer::inputs::{BYTES, Inputs};
use crate::deboer::runs::{Finish, Runner, memory, symbolic};

/// Paths after which a program is left alone.
const MAX_PATHS: usize = 32;
/// Limits of one query: a random program may well ask what no solver answers.
const QUERY: SolverOptions = SolverOptions {
    timeout: Some(Duration::from_millis(100)),
    float_timeout: Some(Duration::from_millis(100)),
    resource_limit: None,
};

/// What was looked at.
#[derive(Copy, Clone, Default, Debug)]
pub(crate) struct Looked {
    pub(crate) paths: usize,
    pub(crate) errors: usize,
    pub(crate) inputs: usize,
}

struct Explored {
    machine: Machine<SymbolicDomain>,
    paths: Vec<PathOutcome>,
    complete: bool,
}

fn explore(program: &Arc<Program>) -> Explored {
    let solver = Box::new(CachingSolver::new(Z3Solver::new(QUERY)));
    let (mut machine, state) = symbolic(program, solver, BYTES);
    let mut paths = Vec::new();
    let limits = Limits { instructions: 20_000, ..Limits::default() };
    let complete = explore_all(&mut machine, state, &limits, |_, outcome| {
        paths.push(outcome);
        if paths.len() < MAX_PATHS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    Explored { machine, paths, complete }
}

/// Each path's input takes that path, each error's input ends there, and every other input takes exactly one of them.
pub(crate) fn check(program: &Arc<Program>, inputs: &[Inputs]) -> Result<Looked, String> {
    let mut found = explore(program);
    let mut runner = Runner::new(program, false);
    let mut looked = Looked::default();
    for index in 0..found.paths.len() {
        looked.paths += usize::from(found.path(&mut runner, index)?);
    }
    let mut seen = BTreeSet::new();
    for error in found.paths.iter().flat_map(|p| p.errors.iter().map(move |e| (p, e))) {
        let prefix = error.0.state.path.constraints()[..error.1.constraints].to_vec();
        if seen.insert((prefix.clone(), error.1.condition)) {
            looked.errors += usize::from(possible_error(&mut found.machine, &mut runner, &prefix, error.1)?);
        }
    }
    for input in inputs {
        looked.inputs += usize::from(found.input(&mut runner, input)?);
    }
    Ok(looked)
}

impl Explored {
    /// A path of the exploration with its terms evaluated.
    fn finish(&mut self, index: usize, model: &Model) -> Finish {
        let path = &self.paths[index];
        let memory = memory(&mut self.machine.domain, &path.state);
        let pool = &self.machine.domain.pool;
        let mut known = icsched_smt::Evaluation::default();
        let mut value = |byte: &MemoryByte<Term>| match *byte {
            MemoryByte::Constant(b) => b,
            MemoryByte::Symbolic(t) => pool.eval_with(t, model, &mut known) as u8,
        };
        let memory = memory.into_iter().map(|(id, bytes)| (id, bytes.iter().map(&mut value).collect())).collect();
        Finish { end: path.end.clone(), memory, trace: path.trace.clone() }
    }

    fn text(&self, index: usize) -> String {
        let printer = icsched_symbolic::print::Printer::new(&self.machine.domain.pool);
        printer.conjunction(self.paths[index].state.path.constraints())
    }

    /// Soundness: the path's input takes the path.
    fn path(&mut self, runner: &mut Runner, index: usize) -> Result<bool, String> {
        let always = self.machine.domain.pool.bool(true);
        let path = self.paths[index].state.path.clone();
        let gave_up = !self.paths[index].gave_up.is_empty() || self.paths[index].end == PathEnd::Infeasible;
        let inputs = match self.machine.domain.model(&path, always) {
            Ok(Some(model)) => Inputs::of_model(&model),
            Ok(None) if gave_up => return Ok(false),
            Ok(None) => return Err(format!("no input takes the path {}", self.text(index))),
            Err(_) => return Ok(false),
        };
        self.agrees(runner, index, &inputs)
    }

    fn agrees(&mut self, runner: &mut Runner, index: usize, inputs: &Inputs) -> Result<bool, String> {
        let concrete = runner.concrete(inputs);
        let finish = self.finish(index, &inputs.model());
        match agree(&self.machine.program, &finish, &concrete) {
            Ok(agreement) => Ok(agreement == Agreement::Full),
            Err(how) => Err(format!("{how}\ninput {:02x?} on the path {}", inputs.argument, self.text(index))),
        }
    }

    /// Completeness: the input satisfies the constraint of exactly one path, and takes it.
    fn input(&mut self, runner: &mut Runner, inputs: &Inputs) -> Result<bool, String> {
        let model = inputs.model();
        let pool = &self.machine.domain.pool;
        let holds = |constraints: &[Term]| constraints.iter().all(|&c| pool.eval_bool(c, &model));
        let taken: Vec<usize> =
            (0..self.paths.len()).filter(|&i| holds(self.paths[i].state.path.constraints())).collect();
        let is_error = self.paths.iter().any(|p| {
            let fails = |e: &PossibleError| {
                pool.eval_bool(e.condition, &model) && holds(&p.state.path.constraints()[..e.constraints])
            };
            p.errors.iter().any(fails)
        });
        match taken.as_slice() {
            [one] if !is_error => {
                let one = *one;
                self.agrees(runner, one, inputs)
            }
            [] if is_error => match runner.concrete(inputs).end {
                PathEnd::Error(_) => Ok(true),
                other => {
                    Err(format!("the input {:02x?} is said to be an error, but ends in {other:?}", inputs.argument))
                }
            },
            [] if !self.complete => Ok(false),
            several => Err(format!(
                "the input {:02x?} takes {} paths{}",
                inputs.argument,
                several.len(),
                if is_error { " and ends in an error" } else { "" }
            )),
        }
    }
}

/// The input of an error that was called certain ends in it.
fn possible_error(
    machine: &mut Machine<SymbolicDomain>,
    runner: &mut Runner,
    prefix: &[Term],
    error: &PossibleError,
) -> Result<bool, String> {
    if !error.certain {
        return Ok(false);
    }
    let mut path = SymPath::default();
    for &constraint in prefix {
        path.constrain(&machine.domain.pool, constraint);
    }
    let inputs = match machine.domain.model(&path, error.condition) {
        Ok(Some(model)) => Inputs::of_model(&model),
        Ok(None) => return Err(format!("no input leads to the error {error:?}")),
        Err(_) => return Ok(false),
    };
    match runner.concrete(&inputs).end {
        PathEnd::Error(e) if e.kind == error.kind && e.stack == error.stack => Ok(true),
        other => Err(format!("{:02x?} should end in {error:?}, but ends in {other:?}", inputs.argument)),
    }
}

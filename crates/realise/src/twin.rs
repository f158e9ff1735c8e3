//! The path of a run in the symbolic domain: the same instructions in the same order of threads, with all that inputs
//! decide on it.

use icsched_epochs::Setting;
use icsched_explore::explore::{Advance, Limits, PathRun, StepKind};
use icsched_ir::ProgramPoint;
use icsched_machine::scheduler::Scheduler;
use icsched_machine::{DecisionKind, Machine, ThreadId};
use icsched_smt::{CachingSolver, Model, SolverOptions, Term, UnknownReason, Z3Solver};
use icsched_symbolic::inputs::TestInput;
use icsched_symbolic::print::Printer;
use icsched_symbolic::symbolic::SymbolicDomain;

use crate::budgets::BUDGETS;

/// Something that inputs decide.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Decided {
    /// What.
    pub(crate) kind: DecisionKind,
    /// As it holds on the path.
    pub(crate) condition: Term,
    /// Synchronisation events of the path before it.
    pub(crate) events: usize,
    /// Which instruction decides, and which side it took.
    pub(crate) side: Option<(ProgramPoint, bool)>,
}

/// How models look at text that is an input.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Text {
    /// Byte by byte: what inputs are asked for is exact.
    Bytes,
    /// They ask for what a function gives for it: what is decided is readable.
    Functions,
}

/// The path that a run takes.
pub(crate) struct Twin {
    machine: Machine<SymbolicDomain>,
    /// What always holds of inputs.
    bounds: Vec<Term>,
    /// In the order of the path.
    pub(crate) decided: Vec<Decided>,
    /// Whether it was cut.
    pub(crate) is_cut: bool,
    /// Instructions of the path.
    pub(crate) instructions: u64,
}

/// A domain with a solver for questions about inputs.
pub(crate) fn domain(setting: &Setting<'_>) -> SymbolicDomain {
    let limits = &setting.request.limits;
    let options = SolverOptions { timeout: Some(limits.solver_timeout), ..SolverOptions::default() };
    let solver = Z3Solver::new(options).interrupted_by(limits.stop.interrupt());
    SymbolicDomain::new(Box::new(CachingSolver::new(solver)))
}

impl Twin {
    /// Follows a run; `None` if the program cannot be started.
    pub(crate) fn follow(
        setting: &Setting<'_>,
        input: &TestInput,
        scheduler: Box<dyn Scheduler<SymbolicDomain>>,
        text: Text,
    ) -> Option<Self> {
        let mut machine = setting.machine_as_loaded(domain(setting), text == Text::Bytes);
        let (state, bounds) = setting.at_entry(&mut machine).ok()?;
        machine.scheduler = scheduler;
        let mut run = PathRun::untraced(state).guided(input.model());
        let limits = Limits {
            instructions: BUDGETS.instructions,
            deadline: setting.request.limits.deadline,
            decisions: BUDGETS.decisions,
            errors: false,
            ..Limits::default()
        };
        let is_cut = loop {
            match run.advance(&mut machine, &limits) {
                Advance::Choice(choice) => {
                    let side = machine.domain.pool.eval_bool(choice.condition, &input.model());
                    run.take(&mut machine, &choice, side);
                }
                Advance::Switch(enabled) => run.switch(&machine, enabled.first().copied().unwrap_or(ThreadId::MAIN)),
                Advance::End(end) => {
                    use icsched_machine::PathEnd;
                    break matches!(end, PathEnd::Limit(_) | PathEnd::Unsupported { .. } | PathEnd::Unmodelled { .. });
                }
            }
        };
        let decided = run.steps.iter().filter_map(|step| match step.what {
            StepKind::Choice { kind, condition, taken } => {
                let side = step.point.map(|point| (point, taken));
                Some(Decided { kind, condition, events: step.events, side })
            }
            StepKind::Switch => None,
        });
        let decided = decided.collect();
        Some(Self { bounds, decided, is_cut, instructions: run.state.instructions, machine })
    }

    /// Inputs that do the same up to a decision, and decide that one the other way.
    ///
    /// # Errors
    /// If the solver gives up.
    pub(crate) fn other_side(&mut self, at: usize) -> Result<Option<Model>, UnknownReason> {
        let mut constraints = self.bounds.clone();
        constraints.extend(self.decided[..at].iter().map(|decided| decided.condition));
        let negated = self.machine.domain.pool.not(self.decided[at].condition);
        constraints.push(negated);
        self.machine.domain.model_of(&constraints)
    }

    /// The first decision that another input decides otherwise than the path's own. What functions give for text has a
    /// value only where it is known of both.
    pub(crate) fn first_other(&self, own: &TestInput, other: &TestInput) -> Option<usize> {
        let (own, other) = (own.model(), other.model());
        let pool = &self.machine.domain.pool;
        let is_known = |symbol: &Term| {
            let name = pool.symbol_name(*symbol).unwrap_or_default();
            let is_of_text = name.contains('(') || name.contains("scanf");
            !is_of_text || own.get(name).is_some() && other.get(name).is_some()
        };
        self.decided.iter().position(|decided| {
            let condition = decided.condition;
            pool.symbols_of(condition).iter().all(is_known)
                && pool.eval_bool(condition, &own)
                && !pool.eval_bool(condition, &other)
        })
    }

    /// A decision in words, as C.
    pub(crate) fn text(&self, at: usize) -> String {
        Printer::new(&self.machine.domain.pool).condition(self.decided[at].condition)
    }
}

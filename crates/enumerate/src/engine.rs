//! The symbolic machine as the search uses it: one input constraint in, one finished path out.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use icsched_ir::{CallStack, Program, ProgramPoint};
use icsched_schedule::{InputConstraint, Reason};
use icsched_smt::{Answer, CachingSolver, Solver, SolverOptions, SolverStatistics, Term, TermPool, Z3Solver, serial};
use icsched_symex::code::Code;
use icsched_symex::explore::{self, Choice, Strategy};
use icsched_symex::host::MemoryHost;
use icsched_symex::inputs::InputSpec;
use icsched_symex::print::Printer;
use icsched_symex::request::StopRequest;
use icsched_symex::stop::{Limit, Stop};
use icsched_symex::symbolic::SymbolicDomain;
use icsched_symex::trace::OtherSide;
use icsched_symex::{DecisionKind, Extern, FrameId, Machine, Options, PathEnd, State};
use rustc_hash::FxHashMap;

use crate::reasons;
use crate::slice::Statics;
use crate::strategy::{leaving_side, shorter_side};

pub(crate) use icsched_symex::explore::PathOutcome as Path;

/// Limits of a whole run.
#[derive(Clone, Debug)]
pub struct RunLimits {
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Bytes of memory of the process.
    pub max_memory: Option<u64>,
    /// Instructions on one path.
    pub max_instructions: u64,
    /// Synchronisation events on one path.
    pub max_events: usize,
    /// Time for one solver query.
    pub solver_timeout: Duration,
    /// Asked from outside to stop cleanly.
    pub stop: Arc<StopRequest>,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            deadline: None,
            max_memory: None,
            max_instructions: 100_000_000,
            max_events: 50_000,
            solver_timeout: Duration::from_millis(2500),
            stop: Arc::default(),
        }
    }
}

/// Time for one query that only makes a constraint shorter.
const SIMPLIFICATION: Duration = Duration::from_millis(200);

/// Runs paths of one program from its entry.
pub(crate) struct Engine {
    machine: Machine<SymbolicDomain>,
    initial: State<SymbolicDomain>,
    /// For questions about constraints; the machine's own solver answers about paths.
    solver: CachingSolver<Z3Solver>,
    /// For questions about coverage: what is covered grows like a stack, which the plain solver keeps between queries.
    cover: Z3Solver,
    /// Bounds of the inputs that always hold.
    bounds: Vec<Term>,
    limits: RunLimits,
    shortest_first: bool,
    loop_bound: u32,
    instructions: u64,
}

impl Engine {
    /// An engine at the program's entry.
    ///
    /// # Errors
    /// If the start-up itself needs something that is not supported; says what.
    pub(crate) fn new(
        program: &Arc<Program>,
        inputs: &InputSpec,
        externs: &BTreeMap<String, Extern>,
        limits: RunLimits,
        shortest_first: bool,
        loop_bound: u32,
    ) -> Result<Self, String> {
        let solver_options = SolverOptions { timeout: Some(limits.solver_timeout), ..SolverOptions::default() };
        let domain = SymbolicDomain::new(Box::new(CachingSolver::new(Z3Solver::new(solver_options))));
        let brief = SolverOptions { timeout: Some(SIMPLIFICATION.min(limits.solver_timeout)), ..solver_options };
        let options = Options {
            externs: externs.clone(),
            symbolic_files: inputs.files.clone(),
            symbolic_stdin: inputs.stdin,
            stop: Arc::clone(&limits.stop),
            ..Options::default()
        };
        let mut machine = Machine::new(Arc::clone(program), domain, Box::new(MemoryHost::default()), options);
        let (arguments, bounds) = inputs.arguments(&mut machine.domain);
        let mut initial = machine
            .initial_state(&arguments)
            .map_err(|stop| format!("the program cannot be started: {}", start_up(stop)))?;
        for &bound in &bounds {
            initial.path.constrain(&machine.domain.pool, bound);
        }
        Ok(Self {
            machine,
            initial,
            solver: CachingSolver::new(Z3Solver::new(brief)),
            cover: Z3Solver::new(solver_options),
            bounds,
            limits,
            shortest_first,
            instructions: 0,
            loop_bound,
        })
    }

    pub(crate) fn pool(&mut self) -> &mut TermPool {
        &mut self.machine.domain.pool
    }

    pub(crate) fn pool_and_solver(&mut self) -> (&mut TermPool, &mut dyn Solver) {
        (&mut self.machine.domain.pool, &mut self.solver)
    }

    /// Whether conditions on the inputs can hold together.
    pub(crate) fn check(&mut self, constraints: &[Term], extra: Term) -> Answer {
        let all: Vec<Term> = constraints.iter().chain(&self.bounds).copied().chain([extra]).collect();
        let extra = self.machine.domain.pool.and_all(&all);
        self.solver.check(&mut self.machine.domain.pool, &[], extra)
    }

    /// Whether an input can satisfy all `constraints`, which grow from call to call, and `extra`.
    pub(crate) fn check_growing(&mut self, constraints: &[Term], extra: Term) -> Answer {
        let all: Vec<Term> = self.bounds.iter().copied().chain([extra]).collect();
        let extra = self.machine.domain.pool.and_all(&all);
        match self.machine.domain.pool.as_const(extra) {
            Some(0) => Answer::Unsat,
            _ => self.cover.check(&mut self.machine.domain.pool, constraints, extra),
        }
    }

    /// Executes one path under an input constraint (`ExecutePath` of figure 3.4).
    pub(crate) fn execute(&mut self, statics: &Statics<'_>, constraint: &[Term]) -> Path {
        let mut state = self.initial.clone();
        for &condition in constraint {
            state.path.constrain(&self.machine.domain.pool, condition);
        }
        let limits = explore::Limits {
            instructions: self.limits.max_instructions,
            events: self.limits.max_events,
            deadline: self.limits.deadline,
            memory: self.limits.max_memory.unwrap_or(u64::MAX),
            ..explore::Limits::default()
        };
        let mut strategy = ShortestFirst {
            statics,
            code: Arc::clone(&self.machine.code),
            enabled: self.shortest_first,
            bound: self.loop_bound,
            asked: FxHashMap::default(),
        };
        let path = explore::execute_path(&mut self.machine, state, &mut strategy, &limits);
        self.instructions += path.state.instructions;
        path
    }

    /// Instructions executed so far.
    pub(crate) fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Counters of both solvers.
    pub(crate) fn solver_statistics(&self) -> SolverStatistics {
        let mut all = self.machine.domain.solver_statistics();
        all.add(&self.solver.statistics());
        all.add(&self.cover.statistics());
        all
    }

    /// The instruction that a path did not get past although the program goes on behind it.
    pub(crate) fn abnormal_end(&self, path: &Path) -> Option<(FrameId, ProgramPoint)> {
        match &path.end {
            PathEnd::Error(_) | PathEnd::Unmodelled { .. } | PathEnd::Unsupported { .. } | PathEnd::Limit(_) => {
                path.state.current_frame().zip(path.state.point(&self.machine.code))
            }
            PathEnd::Exit { .. }
            | PathEnd::Abort { .. }
            | PathEnd::AssertFailed { .. }
            | PathEnd::Deadlock { .. }
            | PathEnd::LeftContext
            | PathEnd::Infeasible => None,
        }
    }

    /// Where a thread of a finished path is.
    pub(crate) fn current_stack(&self, state: &State<SymbolicDomain>) -> CallStack {
        state.stack(&self.machine.code, state.current)
    }

    /// The limit of the whole run that was reached, if one was.
    pub(crate) fn stop_reason(&self) -> Option<Reason> {
        let limits = &self.limits;
        let (kind, message) = match limits.stop.asked() {
            Some(limit) => reasons::words(limit),
            None if limits.deadline.is_some_and(|d| Instant::now() >= d) => reasons::words(Limit::Time),
            None if limits.max_memory.is_some_and(|m| resident_bytes().is_some_and(|used| used > m)) => {
                reasons::words(Limit::Memory)
            }
            None => return None,
        };
        Some(Reason { kind, message: message.to_owned(), at: None })
    }

    /// A constraint for people and for machines.
    pub(crate) fn describe(&self, term: Term) -> InputConstraint {
        let pool = &self.machine.domain.pool;
        InputConstraint { c: Printer::new(pool).condition(term), dag: Some(serial::export(pool, &[term])) }
    }
}

/// Whether a path says something about schedules.
pub(crate) fn is_feasible(path: &Path) -> bool {
    path.end != PathEnd::Infeasible
}

struct ShortestFirst<'a, 'p> {
    statics: &'a Statics<'p>,
    code: Arc<Code>,
    enabled: bool,
    /// How often one loop's question is answered by preference; then the answer is to leave the loop.
    bound: u32,
    asked: FxHashMap<CallStack, u32>,
}

impl Strategy for ShortestFirst<'_, '_> {
    fn choose(&mut self, _: &TermPool, choice: &Choice, state: &State<SymbolicDomain>) -> bool {
        let Statics { program, control, .. } = *self.statics;
        match choice.site.kind {
            DecisionKind::Branch => {
                let count = self.asked.entry(state.stack(&self.code, choice.site.thread)).or_insert(0);
                *count += 1;
                let preferred = match (choice.when_true, choice.when_false) {
                    // Nothing behind an undecided side is certain; a side that can be taken for sure is better.
                    (OtherSide::Unknown, OtherSide::Feasible) => false,
                    (OtherSide::Feasible, OtherSide::Unknown) => true,
                    _ => !self.enabled || shorter_side(program, control, choice.site.point),
                };
                if *count <= self.bound {
                    return preferred;
                }
                // The preferred side has gone round often enough. In a callee of the loop it is the other one that may end it.
                leaving_side(program, control, choice.site.point).unwrap_or(!preferred)
            }
            DecisionKind::InBounds
            | DecisionKind::Alive
            | DecisionKind::Divisor
            | DecisionKind::SyncAddress
            | DecisionKind::CallTarget
            | DecisionKind::Concretise
            | DecisionKind::Wake
            | DecisionKind::Assume
            | DecisionKind::Other => true,
        }
    }
}

/// What a program needs before its first instruction and does not get.
fn start_up(stop: Stop<SymbolicDomain>) -> String {
    match stop {
        Stop::Unsupported { what } => format!("{what} is not supported"),
        Stop::Fault { message, .. } => message,
        Stop::End(end) => format!("{end:?}"),
        Stop::Undecided { .. } | Stop::Hidden { .. } | Stop::Switch => "its start depends on inputs".to_owned(),
    }
}

/// Resident memory of this process.
pub fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmRSS:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

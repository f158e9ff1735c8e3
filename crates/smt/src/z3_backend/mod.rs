//! Z3 behind the [`Solver`] trait.
//!
//! Queries without floats go to a few incremental solvers, each to the one whose assertion stack it has most in common
//! with: a path asks about several sets of conditions in turn, and each grows with it. When that one gives up, a fresh
//! solver (which may apply Z3's whole-problem tactics, and blasts to SAT at once) gets the rest of the work. Queries
//! with floats go to a fresh solver each, as SMT-LIB text.
//!
//! Limits are durations for whoever sets them, but counted in Z3's own units of work: the same query is decided, or
//! given up, on every machine and under every load.

mod extract;
mod integers;
mod limits;
mod session;
mod translate;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use z3::{SatResult, Solver as RawSolver};

use crate::bounds::ranges::Ranges;
use crate::budgets::BUDGETS;
use crate::interrupt::{Interrupt, Registered};
use crate::solver::{Answer, Solver, SolverStatistics, UnknownReason};
use crate::terms::model::Model;
use crate::terms::node::Term;
use crate::terms::pool::TermPool;
use crate::terms::smtlib;
use limits::{Limits, Running};
use session::Session;

/// Limits of a [`Z3Solver`], per query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SolverOptions {
    /// Limit of a query; `None`: no limit. Not of wall-clock time but of the work that Z3 does in about this time.
    pub timeout: Option<Duration>,
    /// The same for a query with float operators.
    pub float_timeout: Option<Duration>,
    /// Limit in Z3's own unit of work; `None`: no limit.
    pub resource_limit: Option<u32>,
}

impl Default for SolverOptions {
    /// Two and a half seconds, five with floats, no limit of work.
    fn default() -> Self {
        SolverOptions {
            timeout: Some(BUDGETS.z3.timeout),
            float_timeout: Some(BUDGETS.z3.float_timeout),
            resource_limit: None,
        }
    }
}

/// Z3, in the thread's own context: the solver stays on the thread that made it.
///
/// Works with one pool at a time; handed terms of another one it starts afresh.
#[derive(Debug)]
pub struct Z3Solver {
    options: SolverOptions,
    statistics: SolverStatistics,
    session: Option<Session>,
    /// For [sums as integers](integers).
    integers: Option<RawSolver>,
    /// Ends queries from outside.
    interrupt: Option<Registered>,
}

impl Default for Z3Solver {
    fn default() -> Self {
        Self::new(SolverOptions::default())
    }
}

/// A decided query, with the solver that still holds the model, or the reason why it is not decided.
type Outcome = Result<Option<Model>, UnknownReason>;

impl Z3Solver {
    /// A solver with these limits.
    pub fn new(options: SolverOptions) -> Self {
        let statistics = SolverStatistics::default();
        Z3Solver { options, statistics, session: None, integers: None, interrupt: None }
    }

    /// The same, whose queries end undecided when somebody asks for that.
    #[must_use]
    pub fn interrupted_by(self, interrupt: &Arc<Interrupt>) -> Self {
        Self { interrupt: Some(interrupt.register()), ..self }
    }

    /// The limits in force.
    pub fn options(&self) -> SolverOptions {
        self.options
    }

    /// Changes the limits for the queries to come.
    pub fn set_options(&mut self, options: SolverOptions) {
        self.options = options;
    }

    /// Decides a query; the model is extracted only when wanted (else an empty one stands for "satisfiable").
    fn solve(&mut self, pool: &TermPool, constraints: &[Term], extra: Term, want_model: bool) -> Outcome {
        self.statistics.queries += 1;
        if self.is_interrupted() {
            self.statistics.unknown += 1;
            return Err(UnknownReason::Interrupted);
        }
        self.statistics.solved += 1;
        let start = Instant::now();
        let has_float = pool.has_float(extra) || constraints.iter().any(|&c| pool.has_float(c));
        let mut outcome = if has_float {
            self.solve_floats(pool, constraints, extra, want_model)
        } else {
            self.solve_bits(pool, constraints, extra, want_model)
        };
        if let Ok(Some(model)) = &outcome
            && want_model
            && !extract::satisfies(pool, constraints, extra, model)
        {
            outcome = Err(UnknownReason::Other);
        }
        if outcome.is_err() && self.is_interrupted() {
            outcome = Err(UnknownReason::Interrupted);
        }
        self.statistics.solver_time += start.elapsed();
        self.statistics.unknown += u64::from(outcome.is_err());
        outcome
    }

    fn solve_bits(&mut self, pool: &TermPool, constraints: &[Term], extra: Term, want_model: bool) -> Outcome {
        let identity = pool.identity();
        let session = match self.session.take() {
            Some(s) if s.pool == identity && s.translator.len() < BUDGETS.z3.translated_terms => s,
            _ => Session::new(identity),
        };
        let session = self.session.insert(session);
        let formula = session.translator.formula(pool, extra);
        let stack = session.assert_path(pool, constraints);
        stack.solver.push();
        stack.solver.assert(&formula);
        let single = self.options.timeout.is_some_and(|t| t <= BUDGETS.z3.single_attempt);
        let first = self.options.timeout.map(|t| if single { t } else { (t / 4).min(BUDGETS.z3.first_attempt) });
        let limits = Limits::new(first, self.options.resource_limit);
        stack.set_limits(limits.kept_by(self.interrupt.as_ref()));
        let _running = Running::new(self.interrupt.as_ref(), limits);
        let outcome = run(&stack.solver, pool, constraints, extra, want_model, limits.reached);
        let first_reason = match outcome {
            Ok(answer) => {
                stack.solver.pop(1);
                return Ok(answer);
            }
            Err(UnknownReason::Interrupted) => UnknownReason::Interrupted,
            Err(reason) => reason,
        };
        // What a solver that gave up has learned is not relied on.
        session.stacks.remove(0);
        let is_interrupted = self.interrupt.as_ref().is_some_and(Registered::is_asked);
        if single || is_interrupted || first_reason == UnknownReason::Interrupted {
            return Err(first_reason);
        }
        let fresh = RawSolver::new();
        for &constraint in constraints {
            fresh.assert(session.translator.formula(pool, constraint));
        }
        fresh.assert(&formula);
        let rest = self.options.timeout.map(|t| t - first.unwrap_or_default());
        let limits = Limits::new(rest, self.options.resource_limit);
        limits.kept_by(self.interrupt.as_ref()).set(&fresh);
        let _running = Running::new(self.interrupt.as_ref(), limits);
        run(&fresh, pool, constraints, extra, want_model, limits.reached)
    }

    fn solve_floats(&mut self, pool: &TermPool, constraints: &[Term], extra: Term, want_model: bool) -> Outcome {
        let mut assertions = constraints.to_vec();
        assertions.push(extra);
        let script = smtlib::script(pool, &assertions).map_err(|_| UnknownReason::Unsupported)?;
        let solver = RawSolver::new();
        solver.from_string(script.text);
        // Errors of the parser are silent, and a solver without assertions would answer "satisfiable".
        if solver.get_assertions().len() != assertions.len() {
            return Err(UnknownReason::Other);
        }
        let limits = Limits::new(self.options.float_timeout, self.options.resource_limit);
        limits.kept_by(self.interrupt.as_ref()).set(&solver);
        let _running = Running::new(self.interrupt.as_ref(), limits);
        run(&solver, pool, constraints, extra, want_model, limits.reached)
    }
}

/// Does something in this thread with a Z3 context that has not been asked anything, as in a new thread: Z3's answers
/// depend on what a context has seen before. Solvers that were made outside must not be used inside, nor the other way
/// round.
pub fn in_fresh_context(work: impl FnOnce() + Send) {
    let work = Mutex::new(Some(work));
    let once = || {
        let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(work) = work {
            work();
        }
    };
    z3::with_z3_config(&z3::Config::new(), once);
}

/// Decides what is asserted; `limit` is the reason if the work that is allowed does not suffice.
fn run(
    solver: &RawSolver,
    pool: &TermPool,
    constraints: &[Term],
    extra: Term,
    want_model: bool,
    limit: UnknownReason,
) -> Outcome {
    match solver.check() {
        SatResult::Unsat => Ok(None),
        SatResult::Unknown => Err(reason(solver.get_reason_unknown().as_deref(), limit)),
        SatResult::Sat if !want_model => Ok(Some(Model::new())),
        SatResult::Sat => match solver.get_model() {
            Some(model) => Ok(Some(extract::model(pool, constraints, extra, &model))),
            None => Err(UnknownReason::Other),
        },
    }
}

/// Z3's explanations are texts without a fixed list; these are the ones 4.8 gives for limits. It says "canceled" for
/// work and for time.
fn reason(text: Option<&str>, limit: UnknownReason) -> UnknownReason {
    let text = text.unwrap_or_default();
    if ["resource limit", "timeout", "canceled"].iter().any(|t| text.contains(t)) {
        limit
    } else if text.contains("memory") {
        UnknownReason::ResourceLimit
    } else if text.contains("interrupted") {
        UnknownReason::Interrupted
    } else {
        UnknownReason::Other
    }
}

impl Solver for Z3Solver {
    fn check(&mut self, pool: &mut TermPool, constraints: &[Term], extra: Term) -> Answer {
        match self.solve(pool, constraints, extra, false) {
            Ok(Some(_)) => Answer::Sat,
            Ok(None) => Answer::Unsat,
            Err(reason) => Answer::Unknown(reason),
        }
    }

    fn model(
        &mut self,
        pool: &mut TermPool,
        constraints: &[Term],
        extra: Term,
    ) -> Result<Option<Model>, UnknownReason> {
        self.solve(pool, constraints, extra, true)
    }

    fn model_within(
        &mut self,
        pool: &mut TermPool,
        constraints: &[Term],
        extra: Term,
        limit: Duration,
    ) -> Result<Option<Model>, UnknownReason> {
        let options = self.options;
        let shorter = |own: Option<Duration>| Some(own.map_or(limit, |own| own.min(limit)));
        self.options.timeout = shorter(options.timeout);
        self.options.float_timeout = shorter(options.float_timeout);
        let outcome = self.solve(pool, constraints, extra, true);
        self.options = options;
        outcome
    }

    fn contradict_as_integers(&mut self, pool: &TermPool, ranges: &mut Ranges, terms: &[Term]) -> bool {
        if self.is_interrupted() {
            return false;
        }
        let start = Instant::now();
        let limits = Limits::new(Some(BUDGETS.z3.least_clock / BUDGETS.z3.clock_factor), None);
        let kept = limits.kept_by(self.interrupt.as_ref());
        let _running = Running::new(self.interrupt.as_ref(), limits);
        let found = integers::contradict(&mut self.integers, pool, ranges, terms, kept.milliseconds);
        self.statistics.solver_time += start.elapsed();
        found
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(Registered::is_asked)
    }

    fn time_limit(&self) -> Option<Duration> {
        self.options.timeout
    }

    fn statistics(&self) -> SolverStatistics {
        self.statistics
    }
}

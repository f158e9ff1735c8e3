//! Z3 behind the [`Solver`] trait.
//!
//! Queries without floats go to a few incremental solvers, each to the one whose assertion stack it has most in common
//! with: a path asks about several sets of conditions in turn, and each grows with it. When that one gives up, a fresh
//! solver (which may apply Z3's whole-problem tactics, and blasts to SAT at once) gets the rest of the work. Queries with
//! floats go to a fresh solver each, as SMT-LIB text.
//!
//! Limits are durations for whoever sets them, but counted in Z3's own units of work: the same query is decided, or
//! given up, on every machine and under every load.

mod extract;
mod integers;
mod translate;

use std::cmp::Reverse;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use z3::{Params, SatResult, Solver as RawSolver};

use crate::interrupt::{Clock, Interrupt, Registered};
use crate::model::Model;
use crate::node::Term;
use crate::pool::TermPool;
use crate::ranges::Ranges;
use crate::smtlib;
use crate::solver::{Answer, Solver, SolverStatistics, UnknownReason};
use translate::Translator;

/// The most that the incremental solver gets before a fresh one takes over. What it doesn't decide in this time it
/// rarely decides at all.
const FIRST_ATTEMPT: Duration = Duration::from_millis(300);
/// Below this limit the incremental solver gets all of the time.
const SINGLE_ATTEMPT: Duration = Duration::from_millis(20);
/// Units of work ("rlimit") that count as a millisecond. Z3 does 1,000 to 13,000 of them in one.
const UNITS_PER_MILLISECOND: u64 = 5_000;
/// Not all of Z3's work is counted, so a clock stops a query after this many times its limit, and not before the least.
const CLOCK_FACTOR: u32 = 10;
const LEAST_CLOCK: Duration = Duration::from_secs(2);
/// Milliseconds that stand for no limit.
const NO_CLOCK: u32 = u32::MAX;
/// Translated terms kept before the memory is given back.
const MAX_TRANSLATED: usize = 2_000_000;
/// Incremental solvers at the same time.
const MAX_STACKS: usize = 8;

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
            timeout: Some(Duration::from_millis(2500)),
            float_timeout: Some(Duration::from_secs(5)),
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

/// What Z3 knows of one pool's terms.
#[derive(Debug)]
struct Session {
    pool: u64,
    translator: Translator,
    /// The last used one first.
    stacks: Vec<Stack>,
}

/// An incremental solver and what is asserted in it, one level per constraint.
#[derive(Debug)]
struct Stack {
    solver: RawSolver,
    asserted: Vec<Term>,
    /// Those in force; Z3 takes longer to be told than to answer many a question.
    limits: Option<Limits>,
}

/// What a solver may take for a query.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Limits {
    milliseconds: u32,
    units: u32,
    /// Which of them a query that runs out of work has reached.
    reached: UnknownReason,
}

impl Session {
    fn new(pool: u64) -> Self {
        Session { pool, translator: Translator::default(), stacks: Vec::new() }
    }

    /// A solver in which `constraints` are asserted and nothing else.
    fn assert_path(&mut self, pool: &TermPool, constraints: &[Term]) -> &mut Stack {
        let at = self.nearest(constraints);
        self.stacks[..=at].rotate_right(1);
        self.stacks[0].assert_path(&mut self.translator, pool, constraints);
        &mut self.stacks[0]
    }

    /// The stack with the longest common prefix, if most of it is. Another one is better left as it is, for a query that goes on with
    /// it; then a new stack, or the one that was not used for the longest time.
    fn nearest(&mut self, constraints: &[Term]) -> usize {
        let common = self.stacks.iter().enumerate().map(|(at, stack)| (stack.common(constraints), at));
        let best = common.max_by_key(|&(kept, at)| (kept, Reverse(at)));
        match best {
            Some((kept, at)) if 2 * kept >= self.stacks[at].asserted.len() => at,
            _ => {
                if self.stacks.len() < MAX_STACKS {
                    self.stacks.push(Stack::new());
                }
                self.stacks.len() - 1
            }
        }
    }
}

impl Stack {
    fn new() -> Self {
        Stack { solver: incremental_solver(), asserted: Vec::new(), limits: None }
    }

    fn set_limits(&mut self, limits: Limits) {
        if self.limits != Some(limits) {
            limits.set(&self.solver);
            self.limits = Some(limits);
        }
    }

    /// How many of the first constraints are asserted.
    fn common(&self, constraints: &[Term]) -> usize {
        self.asserted.iter().zip(constraints).take_while(|(a, b)| a == b).count()
    }

    /// Makes the assertion stack equal to `constraints`, keeping the common prefix.
    fn assert_path(&mut self, translator: &mut Translator, pool: &TermPool, constraints: &[Term]) {
        let kept = self.common(constraints);
        let surplus = self.asserted.len() - kept;
        if surplus > 0 {
            self.solver.pop(u32::try_from(surplus).expect("fewer than 2^32 constraints fit in memory"));
            self.asserted.truncate(kept);
        }
        for &constraint in &constraints[kept..] {
            let formula = translator.formula(pool, constraint);
            self.solver.push();
            self.solver.assert(&formula);
            self.asserted.push(constraint);
        }
    }
}

fn incremental_solver() -> RawSolver {
    RawSolver::new_for_logic("QF_ABV").expect("Z3 knows the logic QF_ABV")
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
            Some(s) if s.pool == identity && s.translator.len() < MAX_TRANSLATED => s,
            _ => Session::new(identity),
        };
        let session = self.session.insert(session);
        let formula = session.translator.formula(pool, extra);
        let stack = session.assert_path(pool, constraints);
        stack.solver.push();
        stack.solver.assert(&formula);
        let single = self.options.timeout.is_some_and(|t| t <= SINGLE_ATTEMPT);
        let first = self.options.timeout.map(|t| if single { t } else { (t / 4).min(FIRST_ATTEMPT) });
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

impl Limits {
    fn new(timeout: Option<Duration>, resource_limit: Option<u32>) -> Self {
        // Z3 takes the greatest value as "no limit".
        let clock = timeout.map(|t| t.saturating_mul(CLOCK_FACTOR).max(LEAST_CLOCK));
        let milliseconds = clock.map_or(NO_CLOCK, |t| u32::try_from(t.as_millis()).unwrap_or(NO_CLOCK));
        let (units, reached) = match (timeout.map(units), resource_limit) {
            (Some(own), Some(other)) if other < own => (other, UnknownReason::ResourceLimit),
            (Some(own), _) => (own, UnknownReason::Timeout),
            // 0 is "no limit".
            (None, other) => (other.unwrap_or(0), UnknownReason::ResourceLimit),
        };
        Self { milliseconds, units, reached }
    }

    /// Those that Z3 itself keeps to. It takes a thread to look at its clock, which is a waste where somebody else
    /// does, and aborts the process where there is none.
    fn kept_by(self, interrupt: Option<&Registered>) -> Self {
        match interrupt.map_or(Clock::Solver, Registered::clock) {
            Clock::Solver => self,
            Clock::Watched | Clock::Nobody => Self { milliseconds: NO_CLOCK, ..self },
        }
    }

    fn set(self, solver: &RawSolver) {
        let mut params = Params::new();
        // Else Z3 handles SIGINT while it works: the process would not be told, and with several threads at work Z3 is not safe.
        params.set_bool("ctrl_c", false);
        params.set_u32("timeout", self.milliseconds);
        params.set_u32("rlimit", self.units);
        solver.set_params(&params);
    }
}

/// A query that is under way until this is dropped.
struct Running<'a>(Option<&'a Registered>);

impl<'a> Running<'a> {
    fn new(interrupt: Option<&'a Registered>, limits: Limits) -> Self {
        let has_clock = limits.milliseconds != NO_CLOCK;
        if let Some(registered) = interrupt.filter(|_| has_clock) {
            registered.begin(Duration::from_millis(limits.milliseconds.into()));
        }
        Self(interrupt)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(registered) = self.0 {
            registered.end();
        }
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

/// The work that counts as a time.
fn units(time: Duration) -> u32 {
    let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1);
    u32::try_from(milliseconds.saturating_mul(UNITS_PER_MILLISECOND)).unwrap_or(u32::MAX)
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

/// Z3's explanations are texts without a fixed list; these are the ones 4.8 gives for limits. It says "canceled" for work and
/// for time.
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
        let limits = Limits::new(Some(LEAST_CLOCK / CLOCK_FACTOR), None);
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

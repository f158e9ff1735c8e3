//! Runs paths: decides what the machine can't (Bergan 2.3.1 and the ExecutePath of figure 3.4).
//!
//! The machine stops at a condition that is no constant. Both sides are put to the solver. One feasible side is taken;
//! of two, an error condition goes on without the error (which is reported as possible), and a real choice is left to a
//! [`Strategy`] or forks ([`explore_all`]).
//!
//! Every condition an instruction relies on becomes a [`TraceEvent::Decision`](icsched_symbolic::trace::TraceEvent) in
//! front of the instruction's effects, also when it was decided before on the path: precondition slicing may drop the
//! earlier instruction and keep the later one.
//!
//! Invariant: a side is called infeasible only when the solver proved it. What it gives up on is explored, and noted in
//! [`PathRun::gave_up`].

mod endless;
mod errors;
mod limits;
mod sides;

use std::ops::ControlFlow;
use std::time::Instant;

pub use limits::Limits;

use icsched_ir::{CallStack, Callee, Intrinsic, Op, Origin, ProgramPoint};
use icsched_smt::{Evaluation, Model, Term, TermPool, UnknownReason};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use self::sides::ends_on_other_side;
use crate::budgets::BUDGETS;
use icsched_machine::domain::Objects as _;
use icsched_machine::observe::Observer;
use icsched_machine::state::State;
use icsched_machine::step::{Extern, Machine};
use icsched_machine::stop::{DecisionKind, DecisionSite, ErrorKind, Limit, PathEnd, Stop};
use icsched_machine::thread::ThreadId;
use icsched_symbolic::initial::InitialStates as _;
use icsched_symbolic::symbolic::{SymValue, SymbolicDomain};
use icsched_symbolic::trace::{Decision, OtherSide, Sum, Trace, TraceEvent};

/// A decision with two sides that can both happen.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Where and what.
    pub site: DecisionSite,
    /// The condition; true is the side the instruction names first.
    pub condition: Term,
    /// [`OtherSide::Feasible`], or [`OtherSide::Unknown`] when the solver did not decide the true side.
    pub when_true: OtherSide,
    /// The same for the false side.
    pub when_false: OtherSide,
}

/// Picks a side where both are feasible.
pub trait Strategy {
    /// Whether to go on with the condition true.
    fn choose(&mut self, pool: &TermPool, choice: &Choice, state: &State<SymbolicDomain>) -> bool;

    /// Whether the path is to end here, with [`Limit::Decisions`].
    fn has_enough(&self) -> bool {
        false
    }

    /// Whether the path is to end here, with [`Limit::Decisions`], after more than [`Limits::solved`] questions. Asked
    /// again and again then.
    fn asks_much(&mut self, _: &State<SymbolicDomain>) -> bool {
        true
    }

    /// Whether the path is to end here, with [`Limit::Decisions`], after many new terms.
    fn gives_up(&mut self, _: &State<SymbolicDomain>) -> bool {
        false
    }

    /// The same, after many instructions.
    fn takes_long(&mut self, _: &State<SymbolicDomain>) -> bool {
        false
    }
}

/// Takes the first side: the proposed candidate, the then edge.
#[derive(Copy, Clone, Default, Debug)]
pub struct FirstSide;

impl Strategy for FirstSide {
    fn choose(&mut self, _: &TermPool, _: &Choice, _: &State<SymbolicDomain>) -> bool {
        true
    }
}

/// Follows the path of one input.
#[derive(Clone, Debug)]
pub struct FollowModel(pub icsched_smt::Model);

impl Strategy for FollowModel {
    fn choose(&mut self, pool: &TermPool, choice: &Choice, _: &State<SymbolicDomain>) -> bool {
        pool.eval_bool(choice.condition, &self.0)
    }
}

/// An error that some inputs of the path's prefix lead to; the path went on without them, or behind it.
#[derive(Clone, PartialEq, Debug)]
pub struct PossibleError {
    /// What would go wrong.
    pub kind: ErrorKind,
    /// One sentence.
    pub message: String,
    /// Where.
    pub stack: CallStack,
    /// Holds, together with the path's constraints before it, for the inputs that lead there.
    pub condition: Term,
    /// Number of the path's constraints that come before it.
    pub constraints: usize,
    /// Whether the solver found such inputs, or gave up.
    pub certain: bool,
    /// Number of the path's [`Step`]s that come before it.
    pub steps: usize,
    /// Number of the path's synchronisation events that come before it.
    pub events: usize,
    /// Conditional branches of the program itself before it.
    pub branches: u64,
    /// Instructions of the path before it.
    pub instructions: u64,
    /// Number of the path's decisions that come before it.
    pub decisions: usize,
    /// Whether the path goes on behind it. Else it goes on without it.
    pub happened: bool,
}

/// A question the solver did not answer.
#[derive(Clone, PartialEq, Debug)]
pub struct GaveUpAt {
    /// Why.
    pub reason: UnknownReason,
    /// Where.
    pub stack: CallStack,
}

/// Something that a path did that another one may do otherwise, or that synchronises.
#[derive(Clone, Debug)]
pub struct Step {
    /// The thread.
    pub thread: ThreadId,
    /// Where in the program, in front of models.
    pub at: Option<ProgramPoint>,
    /// What.
    pub what: StepKind,
    /// The instruction that decides, models included.
    pub point: Option<ProgramPoint>,
    /// Synchronisation events of the path before it.
    pub events: usize,
    /// Conditional branches of the program itself before it.
    pub branches: u64,
    /// Instructions of the path before it.
    pub instructions: u64,
}

/// What a [`Step`] is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StepKind {
    /// A decision with two sides, as it holds.
    Choice {
        /// What was decided.
        kind: DecisionKind,
        /// The condition, negated where the false side was taken.
        condition: Term,
        /// Which side was taken.
        taken: bool,
    },
    /// The thread goes on, and not the one before it.
    Switch,
}

/// A path that is being run.
#[derive(Clone)]
pub struct PathRun {
    /// The state.
    pub state: State<SymbolicDomain>,
    /// What was recorded.
    pub trace: Trace,
    /// Decisions in order, each term once.
    pub decisions: Vec<(DecisionSite, Decision)>,
    /// Errors that were avoided.
    pub errors: Vec<PossibleError>,
    /// What the solver gave up on.
    pub gave_up: Vec<GaveUpAt>,
    /// What was chosen on the way.
    pub steps: Vec<Step>,
    /// Decisions that had two sides.
    choices: usize,
    /// Those of them that were no conditional branches of the program itself.
    other_choices: u64,
    /// Instructions that were executed before this path parted from another one.
    shared_instructions: u64,
    /// Whether a trace is kept.
    traced: bool,
    /// Grants of the instruction that is being executed, while the run isn't.
    grants: SmallVec<[(Term, bool); 4]>,
    /// Whether the path's constraints are known to have a solution.
    satisfiable: bool,
    /// How often the solver was asked about a branch.
    asked: FxHashMap<CallStack, u32>,
    often: Option<CallStack>,
    /// How many questions the solver's back end had been asked when the path began.
    solved_before: Option<u64>,
    /// After how many instructions and events a strategy was asked whether the path takes too long.
    looked_at: (u64, usize),
    /// The inputs of the run that the path follows, if it is to follow one.
    guide: Option<(Model, Evaluation)>,
}

/// Why [`PathRun::advance`] returned.
#[derive(Debug)]
pub enum Advance {
    /// [`PathRun::take`] a side.
    Choice(Choice),
    /// [`PathRun::switch`] to one of these threads.
    Switch(Vec<ThreadId>),
    /// The path has ended.
    End(PathEnd),
}

impl PathRun {
    /// A path from a state. Its `path` may hold an input constraint.
    pub fn new(state: State<SymbolicDomain>) -> Self {
        PathRun {
            state,
            trace: Trace { is_wanted: true, ..Trace::default() },
            decisions: Vec::new(),
            errors: Vec::new(),
            gave_up: Vec::new(),
            steps: Vec::new(),
            choices: 0,
            other_choices: 0,
            shared_instructions: 0,
            traced: true,
            grants: SmallVec::new(),
            satisfiable: false,
            asked: FxHashMap::default(),
            often: None,
            solved_before: None,
            looked_at: (0, 0),
            guide: None,
        }
    }

    /// The same, without a trace: for who only wants to know what was chosen and how the path ends.
    pub fn untraced(state: State<SymbolicDomain>) -> Self {
        PathRun { traced: false, trace: Trace::default(), ..Self::new(state) }
    }

    /// The same, with the sides in the trace to which branches of the program go.
    pub fn with_sides(mut self) -> Self {
        self.trace.sides = Some(Vec::new());
        self
    }

    /// The same, for the path that a run with these inputs takes: nothing is asked, each condition is what it is there.
    /// Each is a [`Step`], also where there is no other side.
    pub fn guided(mut self, inputs: Model) -> Self {
        self.guide = Some((inputs, Evaluation::default()));
        self
    }

    /// Runs to the next choice or the end.
    pub fn advance(&mut self, machine: &mut Machine<SymbolicDomain>, limits: &Limits) -> Advance {
        self.advance_by(machine, limits, None)
    }

    /// The same; whenever it has made [`Limits::terms`], or executed [`Limits::long`] instructions or events, a
    /// strategy is asked if it goes on.
    fn advance_by(
        &mut self,
        machine: &mut Machine<SymbolicDomain>,
        limits: &Limits,
        mut strategy: Option<&mut dyn Strategy>,
    ) -> Advance {
        machine.domain.restore_grants(std::mem::take(&mut self.grants));
        let longest = if limits.terms < usize::MAX { BUDGETS.term_interval } else { BUDGETS.clock_interval };
        let mut terms = machine.domain.pool.len();
        let solved = |machine: &Machine<SymbolicDomain>| machine.domain.solver_statistics().solved;
        let most_solved = (limits.solved < u64::MAX)
            .then(|| self.solved_before.get_or_insert_with(|| solved(machine)).saturating_add(limits.solved));
        let result = loop {
            if let Some(limit) = self.limit_reached(limits) {
                break Advance::End(PathEnd::Limit(limit));
            }
            machine.options.stop.note(self.state.own_point(&machine.code, &machine.program));
            if most_solved.is_some_and(|most| solved(machine) > most)
                && strategy.as_mut().is_none_or(|s| s.asks_much(&self.state))
            {
                break Advance::End(PathEnd::Limit(Limit::Decisions));
            }
            // An instruction with grants is executed alone, so that no other one can use them.
            let budget = if machine.domain.has_grants() { 1 } else { longest.min(self.instructions_left(limits)) };
            let result = machine.run(&mut self.state, &mut self.trace, budget);
            self.note_recovered(machine);
            match result {
                Ok(()) => {
                    machine.domain.retract_grants();
                    if machine.domain.pool.len() - terms >= limits.terms {
                        terms = machine.domain.pool.len();
                        if strategy.as_mut().is_some_and(|s| s.gives_up(&self.state)) {
                            break Advance::End(PathEnd::Limit(Limit::Decisions));
                        }
                    }
                    let (executed, traced) = (self.state.instructions, self.trace.events.len());
                    if executed - self.looked_at.0 >= limits.long.0 || traced - self.looked_at.1 >= limits.long.1 {
                        self.looked_at = (executed, traced);
                        if strategy.as_mut().is_some_and(|s| s.takes_long(&self.state)) {
                            break Advance::End(PathEnd::Limit(Limit::Decisions));
                        }
                    }
                }
                // No more choices behind the last branch of the program.
                Err(Stop::Undecided { .. } | Stop::Switch) if self.limit_reached(limits).is_some() => {}
                Err(Stop::Undecided { condition, kind, error }) => {
                    if limits.rounds < u32::MAX {
                        match kind {
                            DecisionKind::Branch => self.count(machine, &condition, limits.rounds),
                            DecisionKind::InBounds | DecisionKind::Valid => {
                                self.count(machine, &condition, limits.rounds.saturating_mul(BUDGETS.access_questions))
                            }
                            _ => {}
                        }
                    }
                    // Without a message it is taken for granted that nothing is wrong.
                    let asked = limits.errors && error.is_some() || !kind.is_of_error();
                    if let Some(advance) = self.settle(machine, condition, kind, error, asked) {
                        break advance;
                    }
                }
                Err(Stop::Suspect { condition, error }) => self.suspect(machine, &condition, error, limits.errors),
                Err(Stop::Hidden { pointer }) => machine.expose(&mut self.state, &pointer),
                Err(Stop::Switch) => {
                    let enabled: Vec<ThreadId> =
                        self.state.live_threads().filter(|t| t.is_enabled()).map(|t| t.id).collect();
                    break Advance::Switch(enabled);
                }
                Err(Stop::End(end)) if *end == PathEnd::GoesRound && self.goes_round_for_ever(machine, limits) => {
                    // No other thread can go on.
                    if let Err(Stop::End(end)) = machine.goes_round_for_ever(&mut self.state, &mut self.trace) {
                        break Advance::End(*end);
                    }
                }
                Err(Stop::End(end)) => break Advance::End(*end),
                Err(Stop::Fault { kind, message }) => {
                    let stack = self.stack(machine);
                    let thread = self.state.current;
                    break Advance::End(PathEnd::Error(icsched_machine::stop::ProgramError {
                        kind,
                        message,
                        thread,
                        stack,
                    }));
                }
                Err(Stop::Unsupported { what }) => {
                    break Advance::End(PathEnd::Unsupported { what, stack: self.stack(machine) });
                }
            }
        };
        self.note_gave_up(machine);
        self.grants = machine.domain.retract_grants();
        result
    }

    fn limit_reached(&self, limits: &Limits) -> Option<Limit> {
        if limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Limit::Time);
        }
        if self.instructions_left(limits) == 0 {
            return Some(Limit::Instructions);
        }
        let (events, sums) =
            (self.trace.events.len() * size_of::<TraceEvent>(), self.trace.sums.len() * size_of::<Sum>());
        let traced = (events + sums) as u64;
        if self.state.heap.live_bytes() + traced > limits.memory {
            return Some(Limit::Memory);
        }
        let (events, most_events) = match self.state.counted() {
            None => (self.state.events.len(), limits.undecided.events),
            Some(counted) => (counted.events, limits.events),
        };
        if events > most_events {
            return Some(Limit::Events);
        }
        let is_undecided = limits.decided && self.gave_up.iter().any(|at| !limits.hopeless.contains(&at.stack));
        if is_undecided || self.often.is_some() {
            return Some(Limit::Decisions);
        }
        let too_many = self.choices > limits.decisions
            || self.trace.branches >= limits.branches
            || self.other_choices >= limits.branches;
        too_many.then_some(Limit::Decisions)
    }

    fn instructions_left(&self, limits: &Limits) -> u64 {
        match self.state.counted() {
            None => limits.undecided.instructions.saturating_sub(self.state.instructions),
            Some(counted) => limits.instructions.saturating_sub(counted.instructions),
        }
    }

    /// Counts a question about a branch or an access of the program; one that is hard counts more often, for it gets
    /// harder.
    fn count(&mut self, machine: &Machine<SymbolicDomain>, condition: &SymValue, rounds: u32) {
        let of_program = |p| machine.code.functions[p].origin == Origin::Program;
        if !self.state.point(&machine.code).is_some_and(|p| of_program(p.func)) {
            return;
        }
        let stack = self.stack(machine);
        let count = self.asked.entry(stack.clone()).or_insert(0);
        let is_hard = matches!(*condition, SymValue::Term(term) if machine.domain.pool.is_hard(term));
        *count += if is_hard { BUDGETS.rounds_of_hard_question } else { 1 };
        if *count > rounds {
            self.often = Some(stack);
        }
    }

    fn stack(&self, machine: &Machine<SymbolicDomain>) -> CallStack {
        self.state.stack(&machine.code, self.state.current)
    }

    fn note_gave_up(&mut self, machine: &mut Machine<SymbolicDomain>) {
        for gave_up in machine.domain.take_gave_up() {
            let stack = self.stack(machine);
            self.gave_up.push(GaveUpAt { reason: gave_up.reason, stack });
        }
    }

    /// Answers a question of the machine, or hands it on.
    fn settle(
        &mut self,
        machine: &mut Machine<SymbolicDomain>,
        condition: SymValue,
        kind: DecisionKind,
        error: Option<Box<(ErrorKind, String)>>,
        asked: bool,
    ) -> Option<Advance> {
        let condition = machine.domain.term(&condition, 1);
        let Some(point) = self.state.point(&machine.code) else {
            return Some(Advance::End(PathEnd::Unsupported {
                what: "a decision outside of all code".to_owned(),
                stack: CallStack::default(),
            }));
        };
        let site = DecisionSite { thread: self.state.current, point, kind };
        if let Some(taken) = self.state.path.decided(condition) {
            self.record(machine, site, condition, taken, OtherSide::Infeasible);
            machine.domain.grant(condition, taken);
            return None;
        }
        if let Some((inputs, known)) = &mut self.guide {
            let taken = machine.domain.pool.eval_with(condition, inputs, known) == 1;
            let holds = if taken { condition } else { machine.domain.pool.not(condition) };
            self.step(machine, site.thread, StepKind::Choice { kind, condition: holds, taken });
            self.choices += 1;
            self.assume(machine, site, condition, taken, OtherSide::Feasible, OtherSide::Unknown);
            return match taken || kind != DecisionKind::Assume {
                true => None,
                false => Some(Advance::End(PathEnd::Infeasible)),
            };
        }
        let negation = machine.domain.pool.not(condition);
        let is_observed = machine.domain.is_observed(condition);
        let when_true = machine.domain.feasible(&self.state.path, condition);
        if !asked && !is_observed && when_true != OtherSide::Infeasible {
            // No condition of a schedule: nobody asks about the other side.
            let kind = if kind == DecisionKind::Valid { DecisionKind::InBounds } else { kind };
            self.assume(machine, DecisionSite { kind, ..site }, condition, true, when_true, OtherSide::Unknown);
            return None;
        }
        // One side of a path that can happen can happen.
        let when_false = if when_true == OtherSide::Infeasible && self.satisfiable && !is_observed {
            OtherSide::Feasible
        } else {
            machine.domain.feasible(&self.state.path, negation)
        };
        if is_observed && when_true != OtherSide::Infeasible && when_false != OtherSide::Infeasible {
            // Neither what the path began with nor what was decided before says how it turns out.
            let choice = Choice { site, condition, when_true: OtherSide::Unknown, when_false: OtherSide::Unknown };
            return Some(Advance::Choice(choice));
        }
        if tracing::enabled!(tracing::Level::TRACE) {
            let at = self.state.heap.place(point);
            let condition = icsched_symbolic::print::Printer::new(&machine.domain.pool).condition(condition);
            tracing::trace!(?kind, at, condition, ?when_true, ?when_false, "asked");
        }
        self.note_gave_up(machine);
        self.satisfiable |= !is_observed && (when_true == OtherSide::Feasible || when_false == OtherSide::Feasible);
        match (when_true, when_false) {
            (OtherSide::Infeasible, OtherSide::Infeasible) => {
                let condition = icsched_symbolic::print::Printer::new(&machine.domain.pool).condition(condition);
                tracing::debug!(condition, "what was taken for granted before contradicts itself; the last condition");
                Some(Advance::End(PathEnd::Infeasible))
            }
            // No state that is taken to be possible gets here.
            (OtherSide::Infeasible, _) if kind == DecisionKind::Assume => {
                // It says why the path is none.
                let decision = Decision { kind, condition, taken: true, other: when_false };
                self.decisions.push((site, decision));
                let condition = icsched_symbolic::print::Printer::new(&machine.domain.pool).condition(condition);
                let at = &machine.program.functions[point.func].name;
                tracing::debug!(condition, at, "excluded by what is known of the initial state");
                Some(Advance::End(PathEnd::Infeasible))
            }
            (OtherSide::Infeasible, _) => self.forced(machine, site, condition, false, when_false),
            (_, OtherSide::Infeasible) => self.forced(machine, site, condition, true, when_true),
            _ if kind == DecisionKind::Assume => self.forced(machine, site, condition, true, when_true),
            _ if kind.false_is_error() => {
                self.possible_error(machine, kind, error, negation, when_false);
                self.assume(machine, site, condition, true, when_true, when_false);
                None
            }
            _ => {
                if kind == DecisionKind::Valid {
                    self.possible_error(machine, kind, error, negation, when_false);
                }
                let choice = Choice { site, condition, when_true, when_false };
                // The grants stay with the run until a side is taken.
                Some(Advance::Choice(choice))
            }
        }
    }

    fn forced(
        &mut self,
        machine: &mut Machine<SymbolicDomain>,
        site: DecisionSite,
        condition: Term,
        taken: bool,
        this_side: OtherSide,
    ) -> Option<Advance> {
        self.assume(machine, site, condition, taken, this_side, OtherSide::Infeasible);
        None
    }

    /// Goes on with one side of a choice.
    pub fn take(&mut self, machine: &mut Machine<SymbolicDomain>, choice: &Choice, side: bool) {
        let (this, other) =
            if side { (choice.when_true, choice.when_false) } else { (choice.when_false, choice.when_true) };
        self.choices += 1;
        let in_program = machine.code.functions[choice.site.point.func].origin == Origin::Program;
        if choice.site.kind != DecisionKind::Branch || !in_program {
            self.other_choices += 1;
        }
        let holds = if side { choice.condition } else { machine.domain.pool.not(choice.condition) };
        let what = StepKind::Choice { kind: choice.site.kind, condition: holds, taken: side };
        self.step(machine, choice.site.thread, what);
        machine.domain.restore_grants(std::mem::take(&mut self.grants));
        self.assume(machine, choice.site, choice.condition, side, this, other);
        self.grants = machine.domain.retract_grants();
    }

    fn step(&mut self, machine: &Machine<SymbolicDomain>, thread: ThreadId, what: StepKind) {
        let at = self.state.program_call(&machine.code, thread).stack.0.last().copied();
        let point = self.state.point(&machine.code);
        let (events, instructions) = (self.state.events.len(), self.state.instructions);
        let branches = self.trace.branches;
        self.steps.push(Step { thread, at, what, point, events, branches, instructions });
    }

    /// Another path that is the same so far.
    fn fork(&self) -> Self {
        PathRun { shared_instructions: self.state.instructions, ..self.clone() }
    }

    /// Goes on with this thread.
    pub fn switch(&mut self, machine: &Machine<SymbolicDomain>, to: ThreadId) {
        self.step(machine, to, StepKind::Switch);
        self.state.go_on_with(to);
        Observer::<SymbolicDomain>::switch(&mut self.trace, to);
    }

    fn assume(
        &mut self,
        machine: &mut Machine<SymbolicDomain>,
        site: DecisionSite,
        condition: Term,
        taken: bool,
        this_side: OtherSide,
        other: OtherSide,
    ) {
        if other != OtherSide::Infeasible && site.kind != DecisionKind::Assume && self.state.counts_from.is_none() {
            self.state.note_decided();
            self.looked_at = (self.state.instructions, self.trace.events.len());
        }
        if machine.domain.is_observed(condition) {
            self.state.path.observe(&mut machine.domain.pool, condition, taken);
        } else {
            self.satisfiable = this_side == OtherSide::Feasible;
            self.state.path.decide(&mut machine.domain.pool, condition, taken);
            if site.kind == DecisionKind::Branch && ends_on_other_side(machine, site.point, taken) {
                let holds = if taken { condition } else { machine.domain.pool.not(condition) };
                self.state.path.check(holds);
            }
        }
        let decision = self.record(machine, site, condition, taken, other);
        self.decisions.push((site, decision));
        machine.domain.grant(condition, taken);
    }

    fn record(
        &mut self,
        machine: &mut Machine<SymbolicDomain>,
        site: DecisionSite,
        condition: Term,
        taken: bool,
        other: OtherSide,
    ) -> Decision {
        let holds = if taken { condition } else { machine.domain.pool.not(condition) };
        let decision = Decision { kind: site.kind, condition: holds, taken, other };
        if self.traced && site.kind == DecisionKind::Assume && machine.domain.knows_objects() {
            // Behind the entry, what was computed before other decisions counts: sums.
            self.trace.grant(&self.state, &machine.code, decision.clone());
            return decision;
        }
        if self.traced {
            self.trace.activate(&self.state, &machine.code);
        }
        self.trace.decision(&self.state, &machine.code, decision.clone());
        decision
    }

    /// The outcome of a run that has ended.
    pub fn finish(self, end: PathEnd) -> PathOutcome {
        let branches = self.trace.branches;
        let own_instructions = self.state.instructions - self.shared_instructions;
        PathOutcome {
            end,
            state: self.state,
            trace: self.trace,
            decisions: self.decisions,
            errors: self.errors,
            gave_up: self.gave_up,
            often: self.often,
            steps: self.steps,
            own_instructions,
            branches,
            waiting: 0,
        }
    }
}

/// A path that was run to its end.
pub struct PathOutcome {
    /// How it ended.
    pub end: PathEnd,
    /// The state then.
    pub state: State<SymbolicDomain>,
    /// What was recorded.
    pub trace: Trace,
    /// Decisions in order, each term once.
    pub decisions: Vec<(DecisionSite, Decision)>,
    /// Errors that other inputs lead to.
    pub errors: Vec<PossibleError>,
    /// What the solver gave up on: the path may be infeasible, and nothing was cut.
    pub gave_up: Vec<GaveUpAt>,
    /// Where the path ended because it had asked about one branch as often as [`Limits::rounds`] says.
    pub often: Option<CallStack>,
    /// What was chosen on the way.
    pub steps: Vec<Step>,
    /// Instructions that no other path of the exploration executed before.
    pub own_instructions: u64,
    /// Conditional branches of the program itself.
    pub branches: u64,
    /// Paths of the exploration that were begun and wait to be gone on with.
    pub waiting: usize,
}

impl PathOutcome {
    /// Whether the path ends at an assumption of the program that is false after what was decided before, whatever
    /// the inputs are else: `if (x < 0) ok = 0; assume(ok);`. All that decide so end there.
    pub fn contradicts_assumption(&self, machine: &Machine<SymbolicDomain>) -> bool {
        let is_refused =
            self.decisions.last().is_some_and(|(site, decision)| site.kind == DecisionKind::Assume && !decision.taken);
        let stack = self.state.stack(&machine.code, self.state.current);
        let functions = &machine.program.functions;
        let inst = stack.0.last().and_then(|at| functions[at.func].blocks[at.block].insts.get(at.inst as usize));
        let assumes = |op: &Op| match op {
            Op::Call { callee: Callee::Intrinsic(intrinsic), .. } => *intrinsic == Intrinsic::Assume,
            Op::Call { callee: Callee::Direct(func), .. } => {
                machine.options.externs.get(&functions[*func].name) == Some(&Extern::Assume)
            }
            _ => false,
        };
        self.end == PathEnd::Infeasible && !is_refused && inst.is_some_and(|inst| assumes(&inst.op))
    }
}

/// Runs one path from a state to its end.
pub fn execute_path(
    machine: &mut Machine<SymbolicDomain>,
    state: State<SymbolicDomain>,
    strategy: &mut dyn Strategy,
    limits: &Limits,
) -> PathOutcome {
    machine.forget_states();
    let mut run = PathRun::new(state);
    let end = loop {
        match run.advance_by(machine, limits, Some(&mut *strategy)) {
            Advance::Choice(choice) => {
                let side = strategy.choose(&machine.domain.pool, &choice, &run.state);
                if strategy.has_enough() {
                    break PathEnd::Limit(Limit::Decisions);
                }
                run.take(machine, &choice, side);
            }
            Advance::Switch(enabled) => run.switch(machine, enabled.first().copied().unwrap_or(ThreadId::MAIN)),
            Advance::End(end) => break end,
        }
    };
    machine.forget_states();
    run.finish(end)
}

/// Runs all paths from a state, depth first, the true side of each choice before the false one. The callback gets each
/// finished path and can stop the exploration; the result says whether all paths were finished.
pub fn explore_all(
    machine: &mut Machine<SymbolicDomain>,
    state: State<SymbolicDomain>,
    limits: &Limits,
    finished: impl FnMut(&mut Machine<SymbolicDomain>, PathOutcome) -> ControlFlow<()>,
) -> bool {
    explore_from(machine, PathRun::new(state), limits, finished)
}

/// The same for the paths that begin like one that was begun.
pub fn explore_from(
    machine: &mut Machine<SymbolicDomain>,
    begun: PathRun,
    limits: &Limits,
    mut finished: impl FnMut(&mut Machine<SymbolicDomain>, PathOutcome) -> ControlFlow<()>,
) -> bool {
    let mut waiting = vec![begun];
    while let Some(mut run) = waiting.pop() {
        let end = loop {
            match run.advance(machine, limits) {
                Advance::Choice(choice) => {
                    let mut other = run.fork();
                    other.take(machine, &choice, false);
                    waiting.push(other);
                    run.take(machine, &choice, true);
                }
                Advance::Switch(enabled) => {
                    for &thread in enabled.iter().skip(1).rev() {
                        let mut other = run.fork();
                        other.switch(machine, thread);
                        waiting.push(other);
                    }
                    run.switch(machine, enabled.first().copied().unwrap_or(ThreadId::MAIN));
                }
                Advance::End(end) => break end,
            }
        };
        let outcome = PathOutcome { waiting: waiting.len(), ..run.finish(end) };
        if finished(machine, outcome).is_break() {
            return false;
        }
    }
    true
}

//! The symbolic machine as the search uses it: one input constraint in, one finished path out.

use std::collections::BTreeSet;
use std::sync::Arc;

use icsched_epochs::summarisable::{Summarisable, is_summarised};
use icsched_epochs::{Analyses, Beginning, EpochFacts, Request, RunLimits, Setting, StartError, Statics, Technique};
use icsched_explore::explore;
use icsched_facts::{EndState, Pointers};
use icsched_ir::{CallStack, ProgramPoint};
use icsched_machine::abstraction::Abstractions;
use icsched_machine::code::Code;
use icsched_machine::memory::ObjectId;
use icsched_machine::state::PathLength;
use icsched_machine::state_place::StatePlace;
use icsched_machine::step::EpochLength;
use icsched_machine::thread::ThreadId;
use icsched_machine::{Machine, PathEnd, State, SyncObjects};
use icsched_pointsto::{ObjectId as Abstract, Offsets};
use icsched_schedule::{EpochId, InputConstraint, NamedInput, Reason, SearchedWith, ThreadContext};
use icsched_slicing::{AbnormalEnd, EndKind};
use icsched_smt::{Answer, CachingSolver, Solver, SolverStatistics, Term, TermPool, Z3Solver, serial};
use icsched_symbolic::print::InputName;
use icsched_symbolic::request::Activity;
use icsched_symbolic::symbolic::{Meaning, NamePlace, SymbolicDomain};
use rustc_hash::FxHashMap;

use crate::budgets::BUDGETS;
use crate::kept_answers::KeptAnswers;
use crate::next_summary::{Wanted, innermost_summarisable};
use crate::passed_markers::{self, Executed, Followed};
use crate::plan::Plan;
use crate::progress::SearchedEpoch;
use crate::questions::Questions;
use crate::restart::Restart;
use crate::strategy::ShortestFirst;

pub(crate) use icsched_explore::explore::PathOutcome as Path;

/// Runs paths of one program from its entry, or from where an epoch begins.
pub(crate) struct Engine {
    machine: Machine<SymbolicDomain>,
    initial: State<SymbolicDomain>,
    /// For questions about constraints; the machine's own solver answers about paths.
    solver: CachingSolver<Z3Solver>,
    /// What the solvers had been asked before.
    before: SolverStatistics,
    /// Bounds of the inputs that always hold.
    bounds: Vec<Term>,
    limits: RunLimits,
    shortest_first: bool,
    loop_bound: u32,
    instructions: u64,
    errors: bool,
    followed: Followed,
    /// How many markers the last path has passed.
    passed: u32,
    /// All paths from where limits count, and up to there.
    counted: PathLength,
    undecided: PathLength,
    /// Where an input has decided something first, on all paths.
    decided_at: Option<PathLength>,
    /// Whether the last path was too long without that, or came back to where it was.
    has_no_end: bool,
    wanted: Option<Restart>,
    /// Whether paths may ask as often as they want.
    patient: bool,
    /// Where the solver gives up, and no loop is there that might be replaced.
    hopeless: BTreeSet<CallStack>,
    /// Names in printed constraints that are no C.
    names: Vec<InputName>,
}

impl Engine {
    /// An engine at the program's entry.
    ///
    /// # Errors
    /// If the start-up itself needs something that is not supported; says what.
    pub(crate) fn at_entry(setting: &Setting<'_>, plan: &Plan, asked: KeptAnswers) -> Result<Self, StartError> {
        let (mut machine, asker) = machine(setting, plan, asked);
        let (initial, bounds) = setting.at_entry(&mut machine)?;
        Ok(Self { followed: plan.followed.clone(), ..Self::new(machine, initial, setting.request, bounds, asker) })
    }

    /// An engine at a program context. Undefined behaviour is not looked for there: of a state that nobody knows, it
    /// is always possible.
    pub(crate) fn at_context(
        setting: &Setting<'_>,
        plan: &Plan,
        beginning: (&Analyses<'_>, &Beginning),
        facts: &EpochFacts,
        asked: KeptAnswers,
    ) -> Self {
        let (mut machine, asker) = machine(setting, plan, asked);
        let initial = setting.at_context(&mut machine, beginning, facts);
        let known = initial.path.constraints().to_vec();
        let followed = plan.followed.clone();
        Self { errors: false, followed, ..Self::new(machine, initial, setting.request, known, asker) }
    }

    fn new(
        machine: Machine<SymbolicDomain>,
        initial: State<SymbolicDomain>,
        request: &Request,
        bounds: Vec<Term>,
        solver: CachingSolver<Z3Solver>,
    ) -> Self {
        let limits = request.limits.clone();
        let mut machine = machine;
        machine.domain.keep_discoveries();
        let mut before = machine.domain.solver_statistics();
        before.add(&solver.statistics());
        Self {
            machine,
            initial,
            solver,
            before,
            bounds,
            limits,
            shortest_first: !request.without.contains(&Technique::ShortestPath),
            instructions: 0,
            loop_bound: request.search.loop_bound,
            errors: true,
            followed: Followed::default(),
            passed: 0,
            counted: PathLength::default(),
            undecided: PathLength::default(),
            decided_at: None,
            has_no_end: false,
            wanted: None,
            patient: false,
            hopeless: BTreeSet::new(),
            names: Vec::new(),
        }
    }

    /// The terms and the solvers, for a search of the same epoch that begins anew.
    pub(crate) fn into_kept_answers(self) -> KeptAnswers {
        KeptAnswers { paths: self.machine.domain.into_kept(), constraints: self.solver }
    }

    /// What others need to know of an epoch that has been searched.
    pub(crate) fn into_searched(self, epoch: &EpochId, facts: &EpochFacts) -> SearchedEpoch {
        let is_entry = self.is_entry();
        let (id, shape, none_ended) = (epoch.clone(), facts.shape.clone(), facts.none_ended);
        SearchedEpoch { id, machine: self.machine, initial: self.initial, is_entry, shape, none_ended }
    }

    /// What the database keeps of how the epoch was searched.
    pub(crate) fn searched_with(
        &self,
        setting: &Setting<'_>,
        facts: &EpochFacts,
        summarised: &[Summarisable],
    ) -> SearchedWith {
        setting.searched_with(facts, summarised, &self.machine)
    }

    /// Whether paths begin at the program's entry: then errors that are possible are looked for.
    pub(crate) fn is_entry(&self) -> bool {
        self.errors
    }

    /// Something that holds of all inputs.
    pub(crate) fn learn(&mut self, fact: Term) {
        if !self.bounds.contains(&fact) {
            self.bounds.push(fact);
        }
    }

    /// Threads that are alive at the beginning.
    pub(crate) fn initial_threads(&self) -> u32 {
        u32::try_from(self.initial.live_threads().count()).expect("threads are few")
    }

    /// Whether it is decided which objects synchronisation is on.
    pub(crate) fn decides_objects(&self) -> bool {
        self.machine.options.objects == SyncObjects::Decided
    }

    /// Whether something is summarised.
    pub(crate) fn summarises(&self, of: Summarisable) -> bool {
        is_summarised(&self.machine.options.marks.abstractions, of)
    }

    /// What is summarised.
    pub(crate) fn replaced(&self) -> Arc<Abstractions> {
        Arc::clone(&self.machine.options.marks.abstractions)
    }

    /// What points-to analysis calls the objects of the initial state that a path knows of.
    pub(crate) fn initial_objects(
        &mut self,
        state: &State<SymbolicDomain>,
    ) -> Vec<(ObjectId, Vec<(Abstract, Offsets)>)> {
        self.machine.domain.initial_objects(&state.path, &state.heap)
    }

    /// What a path leaves behind, its threads in this order.
    pub(crate) fn left(
        &mut self,
        state: &State<SymbolicDomain>,
        threads: &[ThreadId],
        pointers: &Pointers<'_>,
    ) -> EndState {
        EndState::of(&mut self.machine, state, threads, pointers)
    }

    /// For places at the end of a path, that the sums have not overflowed that they were computed from.
    pub(crate) fn sums_behind(&mut self, path: &Path, places: &[StatePlace]) -> Vec<Vec<Term>> {
        icsched_explore::sums::sums_behind(&mut self.machine, &path.state, &path.trace, places)
    }

    /// The decoded program.
    pub(crate) fn code(&self) -> &Code {
        &self.machine.code
    }

    /// What symbols are about.
    pub(crate) fn domain(&self) -> &SymbolicDomain {
        &self.machine.domain
    }

    pub(crate) fn pool(&mut self) -> &mut TermPool {
        &mut self.machine.domain.pool
    }

    pub(crate) fn limits(&self) -> &RunLimits {
        &self.limits
    }

    pub(crate) fn pool_and_solver(&mut self) -> (&mut TermPool, &mut dyn Solver) {
        (&mut self.machine.domain.pool, &mut self.solver)
    }

    /// A condition in which outcomes of comparisons of floats are inputs of their own (design decision D7), as they
    /// are on paths.
    fn without_floats(&mut self, condition: Term) -> Term {
        match self.machine.domain.is_observed(condition) {
            true => self.machine.domain.pool.without_floats(condition),
            false => condition,
        }
    }

    /// Whether conditions on the inputs can hold together.
    pub(crate) fn check(&mut self, constraints: &[Term], extra: Term) -> Answer {
        let all: Vec<Term> = constraints.iter().chain(&self.bounds).copied().chain([extra]).collect();
        let extra = self.machine.domain.pool.and_all(&all);
        let extra = self.without_floats(extra);
        self.solver.check(&mut self.machine.domain.pool, &[], extra)
    }

    /// Whether a condition can hold where those of a path that is possible do; see
    /// [`Asker::check`](crate::questions::Asker::check).
    pub(crate) fn check_behind(&mut self, possible: &[Term], extra: Term) -> Answer {
        let all: Vec<Term> = self.bounds.iter().chain(possible).copied().collect();
        let all: Vec<Term> = all.into_iter().map(|condition| self.without_floats(condition)).collect();
        let extra = self.without_floats(extra);
        self.solver.check(&mut self.machine.domain.pool, &all, extra)
    }

    /// Whether an input can satisfy all `constraints`, which grow from call to call, and `extra`.
    pub(crate) fn check_growing(&mut self, constraints: &[Term], extra: Term) -> Answer {
        let all: Vec<Term> = constraints.iter().chain(&self.bounds).copied().chain([extra]).collect();
        let all: Vec<Term> = all.into_iter().map(|condition| self.without_floats(condition)).collect();
        self.solver.check_all(&mut self.machine.domain.pool, &all)
    }

    /// For questions that have nothing to do with others, in another thread perhaps.
    pub(crate) fn questions(&self) -> Questions {
        Questions {
            pool: self.machine.domain.pool.fork(),
            known: self.bounds.clone(),
            observes_floats: self.machine.domain.observes_floats(),
            limits: self.limits.clone(),
        }
    }

    /// Executes one path under an input constraint (`ExecutePath` of figure 3.4).
    /// With `decided`, it ends where the solver gives up, if it [does not go on](Self::go_on_at).
    pub(crate) fn execute(&mut self, statics: &Statics<'_>, constraint: &[Term], decided: bool) -> Path {
        let mut state = self.initial.clone();
        for &condition in constraint {
            state.path.constrain(&self.machine.domain.pool, condition);
        }
        if self.followed.is_everything() {
            state.counts_from = self.decided_at;
        }
        let in_all_ways = self.followed.is_everything_in_all_ways();
        let limits = explore::Limits {
            instructions: self.limits.max_instructions,
            events: self.limits.max_events,
            undecided: self.limits.undecided,
            deadline: self.limits.deadline,
            memory: self.limits.memory.resident.unwrap_or(u64::MAX),
            errors: self.errors,
            decided,
            hopeless: self.hopeless.clone(),
            rounds: if decided && !self.patient { BUDGETS.questions_of_branch } else { u32::MAX },
            terms: if decided { BUDGETS.loop_terms } else { usize::MAX },
            long: if decided { (BUDGETS.long_instructions, BUDGETS.long_events) } else { (u64::MAX, usize::MAX) },
            solved: if decided { self.followed.most_solved() } else { u64::MAX },
            ..explore::Limits::default()
        };
        let limits = if in_all_ways { passed_markers::limits_in_all_ways(limits) } else { limits };
        let mut strategy = ShortestFirst {
            statics,
            code: Arc::clone(&self.machine.code),
            enabled: self.shortest_first,
            bound: self.loop_bound,
            asked: FxHashMap::default(),
            replaced: decided.then(|| Arc::clone(&self.machine.options.marks.abstractions)),
            followed: self.followed.clone(),
            loops: Vec::new(),
            given_up: 0,
            wanted: None,
        };
        let path = explore::execute_path(&mut self.machine, state, &mut strategy, &limits);
        self.instructions += path.state.instructions;
        self.wanted = strategy.wanted;
        self.note_length(&path.state);
        if in_all_ways && (path.often.is_some() || !path.gave_up.is_empty()) {
            self.wanted = Some(Restart::PassFewerMarkers);
        } else if let Some(stack) = &path.often {
            let is_replaced = |of: &Summarisable| self.summarises(*of);
            let points: Vec<ProgramPoint> = stack.0.iter().rev().copied().collect();
            let last_resort = Wanted { last_resort: true, activations: BUDGETS.nested_activations };
            self.wanted = innermost_summarisable(statics, is_replaced, last_resort, &points)
                .map(|wanted| Restart::Summarise(vec![wanted]));
            if self.wanted.is_none() {
                // It asks for another reason.
                self.patient = true;
                return self.execute(statics, constraint, decided);
            }
        }
        path
    }

    /// Executes one path under an input constraint, at most so many instructions of it, for what is to be seen on it.
    pub(crate) fn execute_within(&mut self, statics: &Statics<'_>, constraint: &[Term], instructions: u64) -> Path {
        let most = std::mem::replace(&mut self.limits.max_instructions, instructions);
        let (passed, counted, undecided) = (self.passed, self.counted, self.undecided);
        let (decided_at, has_no_end, patient) = (self.decided_at, self.has_no_end, self.patient);
        let path = self.execute(statics, constraint, false);
        // It is no path of the search, which goes on as if there was none.
        (self.passed, self.counted, self.undecided) = (passed, counted, undecided);
        (self.decided_at, self.has_no_end, self.patient) = (decided_at, has_no_end, patient);
        (self.limits.max_instructions, self.wanted) = (most, None);
        path
    }

    fn note_length(&mut self, state: &State<SymbolicDomain>) {
        let (length, counted) = (state.length(), state.counted().unwrap_or_default());
        self.passed = length.markers;
        self.counted = self.counted.and(counted);
        self.undecided = self.undecided.and(length.since(counted));
        let is_undecided = state.counts_from.is_none();
        self.has_no_end = is_undecided && (state.repeats || self.limits.undecided.is_reached(length));
        if self.followed.is_everything() {
            // All inputs go the same way up to there.
            self.decided_at = self.decided_at.or(state.counts_from);
        }
    }

    /// Where the solver gave up on a path, but for the places at which it goes on.
    pub(crate) fn given_up(&self, path: &Path) -> Vec<CallStack> {
        let stacks = path.gave_up.iter().map(|at| &at.stack);
        stacks.filter(|stack| !self.hopeless.contains(stack)).cloned().collect()
    }

    /// Paths go on at these places though the solver gives up there. Whether that is so of few.
    pub(crate) fn go_on_at(&mut self, stacks: Vec<CallStack>) -> bool {
        self.hopeless.extend(stacks);
        self.hopeless.len() <= BUDGETS.hopeless_places
    }

    /// An attempt has come to its end, and is the result.
    pub(crate) fn be_patient(&mut self) {
        self.machine.domain.set_impatient(false);
        self.solver.set_impatient(false);
    }

    /// Whether the last path was too long although no input has decided anything, or would never have ended.
    pub(crate) fn has_no_end(&self) -> bool {
        self.has_no_end
    }

    /// Whether the last path has passed a marker.
    pub(crate) fn has_passed(&self) -> bool {
        self.passed > 0
    }

    /// What paths pass markers of.
    pub(crate) fn followed(&self) -> &Followed {
        &self.followed
    }

    /// Whether inputs decide how something goes on that is followed, in too many ways, or there are paths that were
    /// not searched to their ends: a loop may be covered by a marker that is passed.
    pub(crate) fn has_many_ways(&self, paths: u64, to_the_end: bool) -> bool {
        let SolverStatistics { solved, unknown, .. } = self.solver_statistics();
        let executed = Executed { paths, counted: self.counted, undecided: self.undecided, solved, unknown };
        let is_followed = self.passed > 0 || self.followed.is_everything_in_all_ways();
        is_followed && (self.followed.are_many_ways(executed, self.limits.undecided) || !to_the_end)
    }

    /// What is done instead of a restart that the last path asks for: who follows everything follows less before
    /// something is summarised, since inputs matter then.
    pub(crate) fn instead_of(&self, restart: Restart) -> Restart {
        match restart {
            Restart::Summarise(_) if self.followed.ends_before_replacing(self.passed) => Restart::PassFewerMarkers,
            other => other,
        }
    }

    /// What the last path has shown to be necessary first: something it asks about too often is to be summarised, or it
    /// follows what inputs decide.
    pub(crate) fn take_wanted(&mut self) -> Option<Restart> {
        self.wanted.take()
    }

    /// Instructions executed so far.
    pub(crate) fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Counters of the solvers since the search began.
    pub(crate) fn solver_statistics(&self) -> SolverStatistics {
        let mut all = self.machine.domain.solver_statistics();
        all.add(&self.solver.statistics());
        all.since(&self.before)
    }

    /// The instructions that threads of a path did not get past although the program goes on behind them.
    pub(crate) fn abnormal_ends(&self, path: &Path) -> Vec<AbnormalEnd> {
        let what = match &path.end {
            PathEnd::Error(error) if error.kind.is_of_freed() => EndKind::OfFreed,
            PathEnd::Error(_) => EndKind::Plain,
            PathEnd::Unmodelled { .. }
            | PathEnd::Unsupported { .. }
            | PathEnd::Limit(_)
            | PathEnd::GoesRound
            | PathEnd::Abort { .. }
            | PathEnd::AssertFailed { .. } => EndKind::Plain,
            PathEnd::Endless { .. } => EndKind::Endless,
            PathEnd::Exit { .. }
            | PathEnd::Deadlock { .. }
            | PathEnd::LeftContext
            | PathEnd::Epoch
            | PathEnd::Infeasible => return Vec::new(),
        };
        let threads = match &path.end {
            PathEnd::Endless { loops, .. } => loops.iter().map(|(thread, _)| *thread).collect(),
            _ => vec![path.state.current],
        };
        threads.into_iter().filter_map(|thread| self.end_of(path, thread, what)).collect()
    }

    /// The end of a path, with what decides about its exit status.
    pub(crate) fn exit_of(&self, path: &Path) -> Vec<AbnormalEnd> {
        self.end_of(path, path.state.current, EndKind::Exit).into_iter().collect()
    }

    fn end_of(&self, path: &Path, thread: ThreadId, what: EndKind) -> Option<AbnormalEnd> {
        let frame = path.state.thread(thread).top()?;
        Some(AbnormalEnd { frame: frame.id, point: self.machine.code.point(frame.func, frame.pc), what })
    }

    /// Where a thread of a finished path is.
    pub(crate) fn current_stack(&self, state: &State<SymbolicDomain>) -> CallStack {
        state.stack(&self.machine.code, state.current)
    }

    /// [`Path::contradicts_assumption`].
    pub(crate) fn contradicts_assumption(&self, path: &Path) -> bool {
        path.contradicts_assumption(&self.machine)
    }

    /// Whether paths go on behind memory errors.
    pub(crate) fn goes_on_behind_errors(&self) -> bool {
        self.machine.options.memory_errors == icsched_machine::MemoryErrors::Continue
    }

    /// Whether there is no time left; see [`RunLimits::is_over`].
    pub(crate) fn is_late(&self) -> bool {
        self.limits.is_over()
    }

    /// The limit of the whole run that was reached, if one was.
    pub(crate) fn stop_reason(&self) -> Option<Reason> {
        self.limits.stop_reason(&self.machine.program)
    }

    /// Whether one was.
    pub(crate) fn is_stopped(&self) -> bool {
        self.limits.reached().is_some()
    }

    /// Says what is being done.
    pub(crate) fn begin(&self, activity: Activity) {
        self.limits.stop.begin(activity);
    }

    /// A constraint for people and for machines.
    pub(crate) fn describe(&mut self, term: Term) -> InputConstraint {
        let domain = &self.machine.domain;
        let c;
        (c, self.names) = domain.condition_in_c(term, &self.names);
        InputConstraint { c, dag: Some(serial::export(&domain.pool, &[term])) }
    }

    /// A constraint for logs.
    pub(crate) fn in_words(&self, term: Term) -> String {
        self.machine.domain.condition_in_c(term, &[]).0
    }

    /// The names in texts of this epoch that are no C: those that `is_told` holds for, in order of names.
    pub(crate) fn inputs(&self, contexts: &[ThreadContext], is_told: impl Fn(&str) -> bool) -> Vec<NamedInput> {
        let names = self.names.iter().filter(|input| is_told(&input.name));
        let mut inputs: Vec<NamedInput> = names.map(|input| self.input(input, contexts)).collect();
        inputs.sort_unstable();
        inputs
    }

    fn input(&self, input: &InputName, contexts: &[ThreadContext]) -> NamedInput {
        let program = &self.machine.program;
        let Meaning { text: meaning, place: read } = self.machine.domain.meaning_of(input);
        // `lu.c:120 in main`.
        let place = |line: &String| line.split(" in ").next().map(str::to_owned);
        let start = |thread: usize| contexts.get(thread)?.stack.last().and_then(place);
        let at = match read {
            NamePlace::Read(stack) => Some(icsched_epochs::graph::place(program, &stack)).filter(|at| !at.is_empty()),
            NamePlace::Replaced(point) => Some(icsched_epochs::graph::place(program, &CallStack(vec![point]))),
            NamePlace::Thread(thread) => start(thread),
            NamePlace::Start => start(0),
            NamePlace::Nowhere => None,
        };
        NamedInput { name: input.name.clone(), ty: input.ty.clone(), meaning, at }
    }
}

/// A machine for paths of an epoch, and a solver for questions about constraints.
fn machine(
    setting: &Setting<'_>,
    plan: &Plan,
    asked: KeptAnswers,
) -> (Machine<SymbolicDomain>, CachingSolver<Z3Solver>) {
    let (domain, asker) = asked.domain(plan);
    let search = &setting.request.search;
    let epoch_length = EpochLength::Instructions {
        least: search.epoch_instructions,
        balance: search.epoch_balance,
        followed: plan.followed.markers(setting.request.limits.undecided),
    };
    (setting.machine(domain, plan.marks.clone(), plan.objects, epoch_length), asker)
}

/// Whether a path says something about schedules.
pub(crate) fn is_feasible(path: &Path) -> bool {
    path.end != PathEnd::Infeasible
}

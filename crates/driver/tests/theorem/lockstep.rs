//! A concrete and a symbolic run side by side: the same instructions, the same threads, the same values (the induction
//! in the proof of Theorem 1, appendix B).

mod compare;

use std::collections::BTreeMap;

use icsched_explore::Snapshot;
use icsched_explore::explore::{Advance, Choice, Limits, PathRun, Step, StepKind};
use icsched_ir::{Callee, FuncId, Intrinsic, Op, Origin, ProgramPoint, ValueId};
use icsched_machine::code::Code;
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::domain::Synchronisation as _;
use icsched_machine::{ErrorKind, Machine, PathEnd, ProgramError, State, Stop, ThreadId, ThreadStatus};
use icsched_smt::Term;
use icsched_symbolic::symbolic::SymbolicDomain;

use crate::common::random::Random;
use crate::common::recorded::{Concrete, Recorded, word};
use crate::common::relation::{Ended, Relation};
use crate::theorem::watch::Watch;

/// Choices and switches that are followed.
const MAX_CHOICES: usize = 24;
/// Instructions that are.
pub(crate) const MAX_INSTRUCTIONS: u64 = 3000;

/// Instructions by which a path may see an error of an object before the run does.
const MAX_AHEAD: u32 = 16;

/// Who says which thread goes on.
pub(crate) enum Pilot<'p> {
    Random(&'p mut Random),
    /// A path: it must be followed to its end; after how many instructions it was cut, if it was.
    Path(&'p [Step], Option<u64>),
}

/// What was compared.
#[derive(Clone, Default, Debug)]
pub(crate) struct Looked {
    pub(crate) contexts: u64,
    pub(crate) concurrent: u64,
    pub(crate) waiting: u64,
    pub(crate) states: u64,
    pub(crate) choices: u64,
    pub(crate) switches: u64,
    pub(crate) constraints: u64,
    pub(crate) registers: u64,
    pub(crate) bytes: u64,
    pub(crate) ends: u64,
    pub(crate) paths: u64,
    pub(crate) followed: u64,
    pub(crate) varied: u64,
    pub(crate) cuts: BTreeMap<String, u64>,
}

impl Looked {
    pub(crate) fn add(&mut self, other: &Self) {
        self.contexts += other.contexts;
        self.concurrent += other.concurrent;
        self.waiting += other.waiting;
        self.states += other.states;
        self.choices += other.choices;
        self.switches += other.switches;
        self.constraints += other.constraints;
        self.registers += other.registers;
        self.bytes += other.bytes;
        self.ends += other.ends;
        self.paths += other.paths;
        self.followed += other.followed;
        self.varied += other.varied;
        for (why, count) in &other.cuts {
            *self.cuts.entry(why.clone()).or_insert(0) += count;
        }
    }

    pub(crate) fn cut(&mut self, why: &str) {
        *self.cuts.entry(why.to_owned()).or_insert(0) += 1;
    }
}

/// What both sides are run with.
pub(crate) struct Machines {
    pub(crate) concrete: Machine<ConcreteDomain>,
    pub(crate) symbolic: Machine<SymbolicDomain>,
    pub(crate) live: BTreeMap<ProgramPoint, Vec<ValueId>>,
}

impl Machines {
    fn live(&mut self, point: ProgramPoint) -> Vec<ValueId> {
        let program = &self.symbolic.program;
        self.live.entry(point).or_insert_with(|| Code::live_before(program, point)).clone()
    }
}

/// How the concrete side stands.
enum Caught {
    /// Where the symbolic one is.
    Up,
    /// It has ended before.
    Ended(PathEnd),
}

pub(crate) struct Lockstep<'a, 'r> {
    pub(crate) machines: &'a mut Machines,
    pub(crate) recorded: &'r Recorded,
    pub(crate) relation: Relation<'r>,
    pub(crate) concrete: Concrete,
    /// Concrete threads by symbolic ones, with their oldest frames.
    threads: Vec<(ThreadId, usize)>,
    first_instruction: u64,
    /// Constraints that were evaluated.
    checked: usize,
    /// Whether the context's threads have their real slots.
    real_slots: bool,
    /// What looks for free slots, if others are free symbolically.
    starter: Option<FuncId>,
    first_objects: (u32, u32),
    pub(crate) looked: &'a mut Looked,
}

impl<'a, 'r> Lockstep<'a, 'r> {
    pub(crate) fn new(
        machines: &'a mut Machines,
        recorded: &'r Recorded,
        initial: &'r State<SymbolicDomain>,
        looked: &'a mut Looked,
    ) -> Self {
        let threads = recorded.views.iter().map(|v| (v.thread, v.oldest)).collect();
        let real_slots = (0..recorded.views.len()).all(|i| recorded.thread(i).slot == initial.threads[i].slot);
        let table = machines.symbolic.domain.thread_table();
        let state_of = |slot: u32| word(&recorded.state, table?.state_of(table?.handle(slot.into())), 1);
        let is_live = |slot: u32| recorded.state.live_threads().any(|t| t.slot == slot);
        let mut slots = recorded.state.threads.iter().map(|t| t.slot).filter(|&slot| !is_live(slot));
        let has_ended = slots.any(|slot| state_of(slot).is_some_and(|state| state != 0));
        let starter = machines.concrete.program.function_named("ics_start_thread").filter(|_| has_ended || !real_slots);
        Self {
            machines,
            recorded,
            starter,
            relation: Relation::new(recorded, initial),
            concrete: recorded.state.clone(),
            threads,
            first_instruction: recorded.state.instructions,
            checked: 0,
            real_slots,
            first_objects: (recorded.state.heap.object_count(), initial.heap.object_count()),
            looked,
        }
    }

    /// Follows the concrete run. `Ok` if it was followed to a limit or its end.
    pub(crate) fn follow(&mut self, mut run: PathRun, mut pilot: Pilot<'_>) -> Result<(), Ended> {
        self.looked.states += 1;
        // A path that was cut says nothing of what would have come next.
        let instructions = if let Pilot::Path(_, Some(length)) = pilot { length } else { MAX_INSTRUCTIONS };
        let limits = Limits { instructions, ..Limits::default() };
        self.relation.expose(&self.machines.symbolic.domain, &run.state)?;
        self.constraints(&run, None)?;
        for step in 0.. {
            let length = if let Pilot::Path(steps, _) = pilot { steps.len() } else { MAX_CHOICES };
            let advance = run.advance(&mut self.machines.symbolic, &limits);
            let caught = self.catch_up(run.state.instructions)?;
            self.relation.expose(&self.machines.symbolic.domain, &run.state)?;
            match caught {
                Caught::Up => {
                    if let Err(wrong) = self.constraints(&run, None) {
                        // The path may be in the middle of an instruction that is the run's last one.
                        let Caught::Ended(end) = self.catch_up(run.state.instructions + 1)? else { return Err(wrong) };
                        return self.stopped(&run, &advance, end);
                    }
                }
                Caught::Ended(end) => return self.stopped(&run, &advance, end),
            }
            // What ends a path is not executed to its end.
            if !matches!(advance, Advance::End(_)) {
                self.compare(&run.state)?;
            }
            if step == length && !matches!(advance, Advance::End(_)) {
                break;
            }
            match advance {
                Advance::Choice(choice) => self.choice(&mut run, &choice, &pilot, step)?,
                Advance::Switch(enabled) => self.switch(&mut run, &enabled, &mut pilot, step)?,
                Advance::End(end) => return self.end(&run, &end),
            }
        }
        self.compare_memory(&run.state)
    }

    fn choice(&mut self, run: &mut PathRun, choice: &Choice, pilot: &Pilot<'_>, step: usize) -> Result<(), Ended> {
        self.looked.choices += 1;
        let side = self.holds(choice.condition)?;
        if let Pilot::Path(steps, _) = pilot {
            match steps.get(step).map(|s| &s.what) {
                Some(StepKind::Choice { taken, .. }) if *taken == side => {}
                other => {
                    let text = self.text(run, choice.condition);
                    let values = self.relation.values(&self.machines.symbolic.domain, choice.condition);
                    return Err(Ended::Wrong(format!(
                        "step {step} of the path is {other:?}, here `{text}` is {side}:{values}"
                    )));
                }
            }
        }
        run.take(&mut self.machines.symbolic, choice, side);
        Ok(())
    }

    fn switch(
        &mut self,
        run: &mut PathRun,
        enabled: &[ThreadId],
        pilot: &mut Pilot<'_>,
        step: usize,
    ) -> Result<(), Ended> {
        self.looked.switches += 1;
        self.more_threads();
        let mut here: Vec<ThreadId> = enabled.iter().map(|t| self.threads[t.index()].0).collect();
        here.sort_unstable();
        let real: Vec<ThreadId> = self.concrete.live_threads().filter(|t| t.is_enabled()).map(|t| t.id).collect();
        if here != real {
            return Err(Ended::Wrong(format!("threads {real:?} can go on, symbolically {here:?}")));
        }
        let next = match pilot {
            Pilot::Random(random) => random.pick(enabled),
            Pilot::Path(steps, _) => match steps.get(step) {
                Some(Step { what: StepKind::Switch, thread, .. }) => *thread,
                other => return Err(Ended::Wrong(format!("step {step} of the path is {other:?}, here a switch"))),
            },
        };
        run.switch(&self.machines.symbolic, next);
        self.concrete.go_on_with(self.threads[next.index()].0);
        Ok(())
    }

    fn holds(&mut self, condition: Term) -> Result<bool, Ended> {
        Ok(self.relation.eval(&self.machines.symbolic.domain, condition)? & 1 == 1)
    }

    fn text(&self, run: &PathRun, t: Term) -> String {
        Snapshot::new(&run.state, &self.machines.symbolic).in_c(|printer| printer.value(t))
    }

    /// Every constraint must hold.
    fn constraints(&mut self, run: &PathRun, but: Option<usize>) -> Result<(), Ended> {
        let all = run.state.path.constraints();
        while self.checked < but.unwrap_or(all.len()) {
            let constraint = all[self.checked];
            self.looked.constraints += 1;
            if !self.holds(constraint)? {
                let text = self.text(run, constraint);
                let values = self.relation.values(&self.machines.symbolic.domain, constraint);
                return Err(Ended::Wrong(format!("the path assumes `{text}`, which is false here:{values}")));
            }
            self.checked += 1;
        }
        Ok(())
    }

    /// Runs the concrete side to the same number of instructions.
    fn catch_up(&mut self, instructions: u64) -> Result<Caught, Ended> {
        while self.concrete.instructions - self.first_instruction < instructions {
            let mut watch = Watch { starter: self.starter, ..Watch::default() };
            let thread = self.concrete.current;
            let result = self.machines.concrete.run(&mut self.concrete, &mut watch, 1);
            if watch.outside {
                return Err(Ended::Cut("something that the domains do differently"));
            }
            if watch.starts {
                return Err(Ended::Cut("a new thread gets another slot"));
            }
            if watch.asks_who && !self.real_slots {
                return Err(Ended::Cut("a thread asks who it is"));
            }
            match result {
                Ok(()) => self.leave(thread),
                Err(Stop::Switch) => {
                    return Err(Ended::Wrong("there is a choice of threads, symbolically there is none".to_owned()));
                }
                Err(Stop::End(end)) => return Ok(Caught::Ended(*end)),
                Err(stop) => return Err(Ended::Wrong(format!("the concrete run stops: {stop:?}"))),
            }
        }
        Ok(Caught::Up)
    }

    /// A thread that returns from its oldest known frame does not go on.
    fn leave(&mut self, thread: ThreadId) {
        let Some(&(_, oldest)) = self.threads.iter().find(|t| t.0 == thread) else { return };
        let concrete = &mut self.concrete;
        let left = oldest > 0 && concrete.thread(thread).frames.len() <= oldest;
        if !left || concrete.thread(thread).status != ThreadStatus::Enabled {
            return;
        }
        std::rc::Rc::make_mut(&mut concrete.threads[thread.index()]).status = ThreadStatus::Left;
        let next = icsched_machine::scheduler::next_enabled(concrete);
        concrete.go_on_with(next.unwrap_or(thread));
    }

    /// New threads, in order of creation.
    fn more_threads(&mut self) {
        let first = self.recorded.state.threads.len();
        let known = self.threads.len() - self.recorded.views.len();
        for index in first + known..self.concrete.threads.len() {
            self.threads.push((ThreadId(u32::try_from(index).expect("threads are few")), 0));
        }
    }

    /// The concrete run has ended where the path goes on or ends as well.
    fn stopped(&mut self, run: &PathRun, advance: &Advance, end: PathEnd) -> Result<(), Ended> {
        if end == PathEnd::Infeasible {
            return Err(Ended::Cut("an assumption of the program that does not hold"));
        }
        let PathEnd::Error(error) = &end else {
            return Err(Ended::Wrong(format!("the concrete run ends with {end:?}, the path not yet")));
        };
        for possible in &run.errors {
            let before =
                possible.constraints <= self.checked || self.constraints(run, Some(possible.constraints)).is_ok();
            if before && possible.kind == error.kind && self.holds(possible.condition)? {
                self.looked.ends += 1;
                return Ok(());
            }
        }
        // A state that was made has values that no model has inside of it, and specialised models do not look at them
        // any more.
        let is_model = |p: &ProgramPoint| self.machines.symbolic.program.functions[p.func].origin == Origin::Model;
        let begins_in_model = self.recorded.stacks.iter().any(|s| s.0.last().is_some_and(is_model));
        match error.kind {
            ErrorKind::NullPointer if begins_in_model && error.stack.0.last().is_some_and(is_model) => {
                Err(Ended::Cut("a null pointer inside of a model that it began in"))
            }
            ErrorKind::Uninitialised => Err(Ended::Cut("an uninitialised value")),
            ErrorKind::OutOfBounds
            | ErrorKind::UseAfterFree
            | ErrorKind::UseAfterReturn
            | ErrorKind::InvalidFree
            | ErrorKind::DoubleFree => Err(Ended::Cut("an error that is taken not to happen")),
            _ => Err(Ended::Wrong(format!("the concrete run ends with {error:?}, the path goes on to {advance:?}"))),
        }
    }

    /// The path has ended.
    fn end(&mut self, run: &PathRun, end: &PathEnd) -> Result<(), Ended> {
        match end {
            PathEnd::Limit(_) => {
                self.compare(&run.state)?;
                return self.compare_memory(&run.state);
            }
            PathEnd::Unsupported { .. } => return Err(Ended::Cut("something that is not supported")),
            PathEnd::Infeasible => {
                return match self.catch_up(run.state.instructions + 1)? {
                    Caught::Ended(PathEnd::Infeasible) => {
                        Err(Ended::Cut("an assumption of the program that does not hold"))
                    }
                    Caught::Up | Caught::Ended(_) => Err(Ended::Wrong("the path is called infeasible".to_owned())),
                };
            }
            PathEnd::LeftContext => return self.left(run),
            PathEnd::Epoch | PathEnd::GoesRound => return Err(Ended::Cut("what these machines do not mark")),
            PathEnd::Exit { .. }
            | PathEnd::Abort { .. }
            | PathEnd::AssertFailed { .. }
            | PathEnd::Deadlock { .. }
            | PathEnd::Endless { .. }
            | PathEnd::Error(_)
            | PathEnd::Unmodelled { .. } => {}
        }
        let mut watch = Watch::default();
        let mut result = self.machines.concrete.run(&mut self.concrete, &mut watch, 1);
        let mut ahead = if self.names_object(end) { MAX_AHEAD } else { 0 };
        while ahead > 0 && result.is_ok() {
            result = self.machines.concrete.run(&mut self.concrete, &mut watch, 1);
            ahead -= 1;
        }
        if watch.outside {
            return Err(Ended::Cut("something that the domains do differently"));
        }
        match result {
            Err(Stop::End(real)) if matches!(*real, PathEnd::Unsupported { .. }) => {
                Err(Ended::Cut("something that is not supported"))
            }
            Err(Stop::End(real)) if std::mem::discriminant(&*real) == std::mem::discriminant(end) => {
                self.looked.ends += 1;
                match (&*real, end) {
                    (PathEnd::Error(real), PathEnd::Error(found))
                        if real.kind == ErrorKind::Uninitialised && found.kind != real.kind =>
                    {
                        Err(Ended::Cut("an uninitialised value"))
                    }
                    (PathEnd::Error(real), PathEnd::Error(found)) if real.kind != found.kind => {
                        Err(Ended::Wrong(format!("the path ends with {found:?}, the run with {real:?}")))
                    }
                    (PathEnd::Exit { status: Some(real) }, PathEnd::Exit { status: Some(found) }) if real != found => {
                        Err(Ended::Wrong(format!("the path ends with exit({found}), the run with exit({real})")))
                    }
                    _ => Ok(()),
                }
            }
            other => {
                let at = self.concrete.stack(&self.machines.concrete.code, self.concrete.current);
                Err(Ended::Wrong(format!("the path ends with {end:?}, the concrete run goes on: {other:?}, at {at:?}")))
            }
        }
    }

    /// Whether a path ends where a model says which object a mutex or the like is: a run looks at it later.
    fn names_object(&self, end: &PathEnd) -> bool {
        let PathEnd::Error(ProgramError { stack, .. }) = end else { return false };
        let program = &self.machines.symbolic.program;
        let inst = stack.0.last().and_then(|p| program.functions[p.func].blocks[p.block].insts.get(p.inst as usize));
        inst.is_some_and(|i| matches!(i.op, Op::Call { callee: Callee::Intrinsic(Intrinsic::Known), .. }))
    }

    /// No thread of the path can go on, since some have left the context.
    fn left(&mut self, run: &PathRun) -> Result<(), Ended> {
        // The return that ends the path does not count as executed.
        match self.catch_up(run.state.instructions + 1)? {
            // The last thread waits.
            Caught::Ended(PathEnd::LeftContext) => {
                self.looked.ends += 1;
                return self.compare_memory(&run.state);
            }
            Caught::Ended(end) => {
                return Err(Ended::Wrong(format!("all threads leave the context, the concrete run ends with {end:?}")));
            }
            Caught::Up => {}
        }
        let left = self.concrete.live_threads().any(|t| t.status == ThreadStatus::Left);
        let stuck = !self.concrete.live_threads().any(icsched_machine::Thread::is_enabled);
        if !left || !stuck {
            return Err(Ended::Wrong("all threads leave the context, but the concrete run goes on".to_owned()));
        }
        self.looked.ends += 1;
        self.compare_memory(&run.state)
    }
}

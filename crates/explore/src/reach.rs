//! Runs that come to a program context (Bergan 2.9.1, 2.9.2).
//!
//! A run from the program's entry is *at* a context when the stacks of its live threads are those of the context. Left
//! to themselves, threads are hardly ever there together. A [`Guide`] leads them: a thread that comes to a place of the
//! context stops there with some probability until the others are where they belong or cannot go on without it; and
//! threads take turns at random. All of this is a function of a seed.
//!
//! Threads change only while they execute the program itself: models do not expect it elsewhere.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Instant;

use icsched_dataflow::{Context, Status};
use icsched_ir::ProgramPoint;
use smallvec::SmallVec;

use crate::budgets::BUDGETS;
use crate::explore::{Advance, Limits, PathRun, Strategy};
use icsched_machine::code::Code;
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::domain::Domain;
use icsched_machine::state::{Startup, State};
use icsched_machine::step::Machine;
use icsched_machine::stop::{Limit, PathEnd, Stop};
use icsched_machine::thread::{Bottom, Thread, ThreadId, ThreadStatus};
use icsched_symbolic::symbolic::SymbolicDomain;

/// Where the threads of a context are.
#[derive(Clone, Debug)]
pub struct Places {
    threads: Vec<Place>,
    none_ended: bool,
}

#[derive(Clone, Debug)]
struct Place {
    /// The calls, oldest first.
    calls: Vec<ProgramPoint>,
    /// The instruction that comes next: its function's decoded position.
    innermost: (ProgramPoint, u32),
    complete: bool,
    waits: bool,
}

impl Places {
    /// The places of a context, if all of them are in code that can be executed.
    pub fn new(code: &Code, context: &Context) -> Option<Self> {
        let place = |thread: &icsched_dataflow::ThreadContext| {
            let (&innermost, calls) = thread.stack.0.split_last()?;
            Some(Place {
                calls: calls.to_vec(),
                innermost: (innermost, code.pc(innermost)?),
                complete: thread.complete,
                waits: thread.status == Status::Waiting,
            })
        };
        let threads = context.threads.iter().map(place).collect::<Option<_>>()?;
        Some(Self { threads, none_ended: context.none_ended })
    }

    fn is_at<D: Domain>(&self, code: &Code, place: usize, thread: &Thread<D>) -> bool {
        let Place { calls, innermost: (point, pc), complete, waits } = &self.threads[place];
        let stands = match thread.status {
            ThreadStatus::Enabled => !waits,
            ThreadStatus::Waiting { .. } => *waits,
            ThreadStatus::AtMarker | ThreadStatus::Finished | ThreadStatus::Left | ThreadStatus::Endless => false,
        };
        let Some((top, callers)) = thread.frames.split_last().filter(|_| stands) else { return false };
        let unknown = callers.len().checked_sub(calls.len()).filter(|&n| n == 0 || !complete);
        top.func == point.func
            && top.pc == *pc
            && thread.interrupt.is_none()
            && unknown.is_some_and(|n| {
                callers[n..].iter().zip(calls).all(|(frame, &call)| code.point(frame.func, frame.pc) == call)
            })
    }

    /// The ways in which the live threads of a state stand for those of the context: none if it is not there.
    pub fn orders<D: Domain>(&self, code: &Code, state: &State<D>) -> Vec<Vec<ThreadId>> {
        let mut found = Vec::new();
        let fits = !self.none_ended || state.none_ended();
        if state.live.len() == self.threads.len() && state.startup == Startup::Main && fits {
            self.extend_order(code, state, &mut Vec::new(), &mut found);
        }
        found
    }

    fn extend_order<D: Domain>(
        &self,
        code: &Code,
        state: &State<D>,
        order: &mut Vec<ThreadId>,
        found: &mut Vec<Vec<ThreadId>>,
    ) {
        if order.len() == self.threads.len() {
            found.push(order.clone());
            return;
        }
        for thread in state.live_threads() {
            if found.len() < BUDGETS.orders && !order.contains(&thread.id) && self.is_at(code, order.len(), thread) {
                order.push(thread.id);
                self.extend_order(code, state, order, found);
                order.pop();
            }
        }
    }

    /// A state that is at the context, as if it had begun there: its threads are numbered as those of the context, and
    /// what lies below their oldest known activations is unknown.
    pub fn begun_there<D: Domain>(&self, state: &State<D>, order: &[ThreadId]) -> State<D> {
        let numbered = (0..).zip(order.iter().zip(&self.threads)).map(|(number, (&id, place))| {
            let mut thread = state.thread(id).clone();
            thread.id = ThreadId(number);
            thread.yields = 0;
            if !place.complete {
                let unknown = thread.frames.len() - (place.calls.len() + 1);
                thread.frames.drain(..unknown);
                thread.bottom = Bottom::Unknown;
            }
            Rc::new(thread)
        });
        State::begun_with(state, numbered.collect())
    }
}

/// What a [`Guide`] says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guidance {
    /// This thread executes the next instruction.
    Run(ThreadId),
    /// The threads are at the context, in these orders.
    There(Vec<Vec<ThreadId>>),
}

/// Leads the threads of a run to a context.
#[derive(Clone, Debug)]
pub struct Guide {
    places: Places,
    random: Random,
    /// One in so many arrivals is no stop.
    passes: u64,
    /// One in so many instructions of the program is followed by those of another thread.
    turns: u64,
    /// Who stops, and at which place.
    stopped: Vec<(ThreadId, usize)>,
    /// Whether it said last that the threads are there.
    told: bool,
}

impl Guide {
    /// A guide to a context.
    pub fn new(places: Places, seed: u64) -> Self {
        let mut random = Random(seed);
        let mut one_of = |choices: [u64; 4]| choices[random.below(4) as usize];
        let (passes, turns) = (one_of([u64::MAX, 8, 3, 2]), one_of([4, 16, 64, 256]));
        Self { places, random, passes, turns, stopped: Vec::new(), told: false }
    }

    /// What comes next; to be asked before each instruction.
    pub fn next<D: Domain>(&mut self, machine: &Machine<D>, state: &State<D>) -> Guidance {
        let current = state.current_thread();
        if std::mem::take(&mut self.told) {
            self.stopped.clear();
            return Guidance::Run(state.current);
        }
        let may_turn = !current.is_enabled() || machine.is_in_program(state);
        if !may_turn {
            return Guidance::Run(state.current);
        }
        if let Some(place) = self.place_of(machine, current) {
            let orders = self.places.orders(&machine.code, state);
            if !orders.is_empty() {
                self.told = true;
                return Guidance::There(orders);
            }
            let is_free = !self.stopped.iter().any(|s| s.0 == current.id || s.1 == place);
            if is_free && (self.passes == u64::MAX || self.random.below(self.passes) > 0) {
                self.stopped.push((current.id, place));
            }
        }
        let stops = self.stopped.iter().any(|s| s.0 == current.id);
        if current.is_enabled() && !stops && self.random.below(self.turns) > 0 {
            return Guidance::Run(current.id);
        }
        Guidance::Run(self.turn(state))
    }

    /// The place at which a thread is: one where nobody stops yet, if there are several.
    fn place_of<D: Domain>(&self, machine: &Machine<D>, thread: &Thread<D>) -> Option<usize> {
        let at = thread.top().map(|f| (f.func, f.pc))?;
        let is_near = |place: &usize| {
            let (point, pc) = self.places.threads[*place].innermost;
            (point.func, pc) == at
        };
        let near: SmallVec<[usize; 4]> = (0..self.places.threads.len()).filter(is_near).collect();
        let is_free = |place: &&usize| !self.stopped.iter().any(|s| s.1 == **place);
        let is_at = |place: &&usize| self.places.is_at(&machine.code, **place, thread);
        near.iter().filter(is_at).find(is_free).or_else(|| near.iter().find(is_at)).copied()
    }

    /// Another thread. When all that can go on have stopped, one of them has to.
    fn turn<D: Domain>(&mut self, state: &State<D>) -> ThreadId {
        let enabled = || state.live_threads().filter(|t| t.is_enabled()).map(|t| t.id);
        let going: Vec<ThreadId> = enabled().filter(|id| !self.stopped.iter().any(|s| s.0 == *id)).collect();
        if !going.is_empty() {
            return going[self.random.below(going.len() as u64) as usize];
        }
        let all: Vec<ThreadId> = enabled().collect();
        let Some(&next) = all.get(self.random.below(all.len().max(1) as u64) as usize) else { return state.current };
        self.stopped.retain(|s| s.0 != next);
        next
    }
}

/// Runs a program with a guide, and tells of each state that is at the context. The end of the run; none if it was
/// stopped by `found` or at a limit.
pub fn lead(
    machine: &mut Machine<ConcreteDomain>,
    state: &mut State<ConcreteDomain>,
    guide: &mut Guide,
    limits: &Limits,
    mut found: impl FnMut(&mut Machine<ConcreteDomain>, &State<ConcreteDomain>, &[Vec<ThreadId>]) -> ControlFlow<()>,
) -> Option<PathEnd> {
    loop {
        match guide.next(machine, state) {
            Guidance::There(orders) => {
                if found(machine, state, &orders).is_break() {
                    return None;
                }
            }
            Guidance::Run(thread) => {
                state.turn_to(thread);
                let is_late = || limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
                if state.instructions >= limits.instructions
                    || state.instructions.is_multiple_of(BUDGETS.clock_interval) && is_late()
                {
                    return None;
                }
                match machine.run(state, &mut (), 1) {
                    Ok(()) => {}
                    Err(Stop::End(end)) => return Some(*end),
                    Err(stop) => unreachable!("a run without choices stopped: {stop:?}"),
                }
            }
        }
    }
}

/// The same in the symbolic domain, up to the first state that is at the context.
///
/// # Errors
/// If the path ends before.
pub fn lead_path(
    machine: &mut Machine<SymbolicDomain>,
    run: &mut PathRun,
    guide: &mut Guide,
    strategy: &mut dyn Strategy,
    limits: &Limits,
) -> Result<(), PathEnd> {
    let mut step = limits.clone();
    loop {
        let Guidance::Run(thread) = guide.next(machine, &run.state) else { return Ok(()) };
        run.state.turn_to(thread);
        step.instructions = limits.instructions.min(run.state.instructions + 1);
        while run.state.instructions < step.instructions {
            match run.advance(machine, &step) {
                Advance::Choice(choice) => {
                    let side = strategy.choose(&machine.domain.pool, &choice, &run.state);
                    run.take(machine, &choice, side);
                }
                Advance::Switch(enabled) => run.switch(machine, enabled.first().copied().unwrap_or(ThreadId::MAIN)),
                Advance::End(PathEnd::Limit(Limit::Instructions)) => break,
                Advance::End(end) => return Err(end),
            }
        }
        if run.state.instructions >= limits.instructions {
            return Err(PathEnd::Limit(Limit::Instructions));
        }
    }
}

/// Numbers that look random (Steele, Lea and Flood's SplitMix64).
#[derive(Clone, Debug)]
struct Random(u64);

impl Random {
    /// A number below `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound.max(1)
    }
}

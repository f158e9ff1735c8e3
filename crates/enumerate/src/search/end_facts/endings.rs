//! Who looks at the ends of paths, and in which order.
//!
//! What an epoch begins with is what all ways to it have in common. So the first end that leads to an epoch is looked
//! at alone, and of the others nobody asks what the first one does not say anything of. What is asked depends on the
//! order of the paths, and on nothing else.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};

use icsched_epochs::summarisable::{Helps, Summarisable};
use icsched_epochs::{Analyses, EpochFacts, SearchOptions, Statics};
use icsched_facts::Mentioned;
use icsched_machine::abstraction::Abstractions;
use icsched_schedule::EpochId;
use icsched_smt::SolverStatistics;

use super::finder::{Context, Finder};
use super::found::Seen;
use super::lost_in_loops;
use super::path_ending::PathEnding;
use crate::budgets::BUDGETS;
use crate::questions::Questions;
use crate::slots::{Slot, Slots};
use crate::successors::{Successors, add_successor};
use icsched_epochs::threads;
use icsched_slicing::Caches;

/// Name of the threads.
const THREAD: &str = "icsched-ending";

/// The ends of an epoch's paths, and threads that look at them.
pub(in crate::search) struct Endings<'s, 'p> {
    statics: &'s Statics<'p>,
    analyses: &'s Analyses<'p>,
    slots: &'s Arc<Slots>,
    slicing: bool,
    /// [`SearchOptions::symbolic_threads`].
    symbolic_threads: bool,
    /// [`SearchOptions::combines`].
    combines: bool,
    replaced: Arc<Abstractions>,
    state: Mutex<State>,
    /// The first end that leads to some epoch was looked at.
    is_looked_at: Condvar,
    /// Nobody wants to know any more.
    is_over: AtomicBool,
}

#[derive(Default)]
struct State {
    /// How many ends were told.
    told: usize,
    waiting: VecDeque<Waiting>,
    /// The first end that leads to each epoch.
    first: BTreeMap<EpochId, First>,
    /// By number: the epoch that follows with what holds there.
    found: BTreeMap<usize, (EpochId, EpochFacts)>,
    /// What had better be replaced.
    lost: BTreeMap<Summarisable, Helps>,
    solver: SolverStatistics,
    /// Not in use now.
    caches: Vec<Caches>,
}

struct Waiting {
    number: usize,
    ending: PathEnding,
    questions: Questions,
}

struct First {
    number: usize,
    none_ended: bool,
    /// Of what it says anything, once it was looked at.
    said: Option<Arc<Mentioned>>,
}

impl State {
    /// The next end to be looked at now: none while all that wait lead where another one is the first.
    fn take_next(&mut self) -> Option<(Waiting, Option<Arc<Mentioned>>)> {
        let said = |waiting: &Waiting| {
            let first = &self.first[&waiting.ending.next];
            if first.number == waiting.number { Some(None) } else { first.said.clone().map(Some) }
        };
        let (at, said) = self.waiting.iter().enumerate().find_map(|(at, waiting)| Some((at, said(waiting)?)))?;
        Some((self.waiting.remove(at)?, said))
    }
}

/// Where the first end was looked at, however that went, nobody waits for it any more.
struct Looking<'a, 's, 'p> {
    endings: &'a Endings<'s, 'p>,
    next: EpochId,
    number: usize,
}

impl Drop for Looking<'_, '_, '_> {
    fn drop(&mut self) {
        let mut state = self.endings.state();
        if let Some(first) = state.first.get_mut(&self.next).filter(|first| first.number == self.number) {
            first.said.get_or_insert_default();
            self.endings.is_looked_at.notify_all();
        }
    }
}

impl<'s, 'p> Endings<'s, 'p> {
    pub(in crate::search) fn new(
        statics: &'s Statics<'p>,
        analyses: &'s Analyses<'p>,
        slots: &'s Arc<Slots>,
        (options, replaced): (&SearchOptions, Arc<Abstractions>),
    ) -> Self {
        let SearchOptions { slicing, symbolic_threads, combines, .. } = *options;
        Self {
            statics,
            analyses,
            slots,
            slicing,
            symbolic_threads,
            combines,
            replaced,
            state: Mutex::default(),
            is_looked_at: Condvar::new(),
            is_over: AtomicBool::new(false),
        }
    }

    /// What questions about all ends have in common.
    fn context(&self) -> Context<'_, 'p> {
        Context {
            statics: self.statics,
            analyses: self.analyses,
            replaced: &self.replaced,
            slicing: self.slicing,
            combines: self.combines,
            is_over: &self.is_over,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has another end looked at, now or later.
    pub(in crate::search) fn add<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        ending: PathEnding,
        questions: Questions,
    ) {
        let many = {
            let mut state = self.state();
            let number = state.told;
            state.told += 1;
            let none_ended = ending.none_ended;
            state.first.entry(ending.next.clone()).or_insert(First { number, none_ended, said: None });
            state.waiting.push_back(Waiting { number, ending, questions });
            state.waiting.len() > BUDGETS.waiting_ends
        };
        let is_begun = self.slots.try_take().is_some_and(|slot| self.have_looked(scope, slot));
        if many && !is_begun {
            self.look_at_next();
        }
    }

    /// Another thread looks at the next end, and has those behind it looked at. Whether there is one to look at now.
    fn have_looked<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, slot: Slot) -> bool {
        let Some((next, said)) = self.state().take_next() else {
            drop(slot);
            return false;
        };
        let work = move || {
            self.look(next, said);
            self.have_looked(scope, slot);
        };
        threads::spawn_or_do(scope, THREAD, work);
        true
    }

    /// This thread waits while one looks at the next end, as soon as there is one to look at. Whether there was.
    fn look_at_next(&self) -> bool {
        let mut state = self.state();
        let (next, said) = loop {
            match state.take_next() {
                Some(next) => break next,
                None if state.waiting.is_empty() => return false,
                None => state = self.is_looked_at.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        };
        drop(state);
        thread::scope(|scope| threads::spawn_or_do(scope, THREAD, || self.look(next, said)));
        true
    }

    /// Asks what is known of where the epochs that follow begin, while others look at ends: who searches these epochs
    /// need not wait for it.
    pub(in crate::search) fn prepare_beginnings(&self) {
        let next: Vec<(EpochId, bool)> =
            self.state().first.iter().map(|(next, first)| (next.clone(), first.none_ended)).collect();
        for (next, none_ended) in next {
            // Whoever searches the epoch is told why there is none.
            let _ = self.analyses.beginning(self.statics, &next, none_ended);
        }
    }

    /// Looks at all ends that nobody looks at.
    pub(in crate::search) fn work_off(&self) {
        while self.look_at_next() {}
    }

    /// What is not known by now is not wanted.
    pub(in crate::search) fn give_up(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.state().waiting.clear();
    }

    fn look(&self, Waiting { number, mut ending, questions }: Waiting, said: Option<Arc<Mentioned>>) {
        let (next, none_ended) = (ending.next.clone(), ending.none_ended);
        let _looking = Looking { endings: self, next: next.clone(), number };
        if let Some(said) = &said {
            ending.left.keep(said);
        }
        let mut caches = self.state().caches.pop().unwrap_or_default();
        let Seen { shape, lost, solver } = Finder::new(&self.context(), &ending, questions).look(&mut caches);
        let says = said.is_none().then(|| Arc::new(Mentioned::new(&shape)));
        let mut state = self.state();
        if let Some((first, says)) = state.first.get_mut(&next).zip(says) {
            first.said = Some(says);
        }
        lost.into_iter().for_each(|(code, helps)| lost_in_loops::add(&mut state.lost, code, helps));
        state.solver.add(&solver);
        state.caches.push(caches);
        state.found.insert(number, (next, EpochFacts { none_ended, shape }));
    }

    /// The epochs that follow, when all ends were looked at, the loops that had better be replaced, and what the
    /// solvers had to do.
    pub(in crate::search) fn into_successors(self) -> (Successors, BTreeMap<Summarisable, Helps>, SolverStatistics) {
        let mut successors = Successors::new();
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (next, holds) in state.found.into_values() {
            add_successor(&mut successors, next, holds, self.symbolic_threads);
        }
        (successors, state.lost, state.solver)
    }
}

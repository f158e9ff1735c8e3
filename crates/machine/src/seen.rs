//! Whether a path comes back to a state that it was in before: it has no end then, if no input decides anything.
//!
//! One state is kept, and replaced after twice as many looks each time (Brent 1980). Each look compares the current one
//! with it: threads first, then memory that was written since. What differed last is looked at first, so that a counter
//! makes a look cheap.
//!
//! States are the same but for names: ids of objects, activations and waits. Symbolic values are all alike, as they
//! have decided nothing. Who is told that a state comes back follows the path no longer, which is right in any case.

use crate::budgets::BUDGETS;
use crate::log::Log;
use crate::memory::{Differing, Pair};
use crate::state::State;
use crate::thread::{Frame, Thread, ThreadStatus};
use crate::values::Values;

/// What is known of the states of a path.
pub(crate) struct Seen<D: Values> {
    state: Option<Box<State<D>>>,
    looks: u64,
    next: u64,
    differing: Option<Different>,
    /// Words that were compared.
    cost: u64,
}

/// Where two states differ.
#[derive(Copy, Clone)]
enum Different {
    /// In a register of a live thread, or where it is.
    Thread(usize),
    Memory(Differing),
    Elsewhere,
}

impl<D: Values> Default for Seen<D> {
    fn default() -> Self {
        Self { state: None, looks: 0, next: BUDGETS.first_seen_look, differing: None, cost: 0 }
    }
}

impl<D: Values> Seen<D> {
    /// Looks at a state of the path; whether it is one that it was in before.
    pub(crate) fn comes_back(&mut self, state: &State<D>) -> bool {
        self.looks += 1;
        if let Some(seen) = self.state.take() {
            let differs = self.differs(&seen, state);
            self.state = Some(seen);
            self.differing = differs;
            if differs.is_none() {
                return true;
            }
        }
        if self.looks == self.next {
            self.next *= 2;
            self.differing = None;
            let kept = State { events: Log::default(), observations: Log::default(), ..state.clone() };
            self.state = Some(Box::new(kept));
        }
        false
    }

    /// Where two states differ, or may.
    fn differs(&mut self, seen: &State<D>, state: &State<D>) -> Option<Different> {
        if (seen.current, &seen.live) != (state.current, &state.live) || seen.pauses != state.pauses {
            return Some(Different::Elsewhere);
        }
        if !is_here(seen.current_thread(), state.current_thread()) {
            return Some(Different::Elsewhere);
        }
        match self.differing {
            Some(Different::Memory(word)) if word.is_certain(&seen.heap, &state.heap) => return self.differing,
            Some(Different::Thread(index)) if !is_here(&seen.threads[index], &state.threads[index]) => {
                return self.differing;
            }
            _ if self.cost > state.instructions / BUDGETS.instructions_per_word + BUDGETS.free_words => {
                return Some(Different::Elsewhere);
            }
            _ => {}
        }
        let Some(mut pair) = Pair::of(&seen.heap, &state.heap, &mut self.cost) else {
            return Some(Different::Elsewhere);
        };
        let found = differing(&mut pair, seen, state);
        self.cost += pair.cost;
        found
    }
}

fn differing<D: Values>(pair: &mut Pair<'_, D>, seen: &State<D>, state: &State<D>) -> Option<Different> {
    let current = seen.current;
    let first = std::iter::once(current).chain(seen.live.iter().copied().filter(|&id| id != current));
    for id in first {
        let (old, new) = (seen.thread(id), state.thread(id));
        pair.cost += old.registers.len() as u64;
        if !is_here(old, new) {
            return Some(Different::Thread(id.index()));
        }
        if !is_same_thread(pair, old, new) {
            return Some(Different::Elsewhere);
        }
    }
    if seen.barriers != state.barriers || seen.waiters() != state.waiters() {
        return Some(Different::Elsewhere);
    }
    match pair.memory_is_same() {
        Ok(true) => None,
        Ok(false) => Some(Different::Elsewhere),
        Err(word) => Some(Different::Memory(word)),
    }
}

/// Whether a thread is at the same place, and waits or does not.
fn is_here<D: Values>(old: &Thread<D>, new: &Thread<D>) -> bool {
    // When a timed wait ends is a question of the clock.
    let waits_alike = match (old.status, new.status) {
        (ThreadStatus::Waiting { deadline: None, .. }, ThreadStatus::Waiting { deadline: None, .. }) => true,
        (ThreadStatus::Waiting { .. }, _) | (_, ThreadStatus::Waiting { .. }) => false,
        (old, new) => old == new,
    };
    let place = |frame: &Frame| (frame.func, frame.pc);
    waits_alike
        && old.frames.len() == new.frames.len()
        && old.frames.iter().rev().map(place).eq(new.frames.iter().rev().map(place))
}

/// Whether all else is the same of a thread at the same place.
fn is_same_thread<D: Values>(pair: &Pair<'_, D>, old: &Thread<D>, new: &Thread<D>) -> bool {
    let are_same = |old: &[D::Value], new: &[D::Value]| {
        old.len() == new.len() && old.iter().zip(new).all(|(old, new)| pair.is_same_value(old, new))
    };
    let locals = old.thread_locals.iter().zip(new.thread_locals.iter());
    let mut same_locals = locals.map(|(old, new)| match (old, new) {
        (Some(old), Some(new)) => pair.is_same_object(*old, *new),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    });
    let waits = matches!(old.status, ThreadStatus::Waiting { .. });
    old.yields.min(BUDGETS.scheduling_points) == new.yields.min(BUDGETS.scheduling_points)
        && old.interrupt == new.interrupt
        && are_same(&old.registers, &new.registers)
        && are_same(&old.locks, &new.locks)
        && (!waits || pair.is_same_value(&old.queue, &new.queue))
        && same_locals.all(|same| same)
}

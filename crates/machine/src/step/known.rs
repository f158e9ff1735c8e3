//! What models know of words that nobody else knows (Bergan 2.5.3): synchronisation invariants, asked for by the models
//! themselves.
//!
//! A model says that it is about to look at a word. Where the word is a symbol of an initial state, what holds of all
//! such words is assumed. Nothing is switched while a model runs, so the invariants hold whenever one asks.

use icsched_ir::{IntPredicate, Type};

use super::access;
use super::context::decide;
use super::{Machine, operations};
use crate::domain::{Domain, Known};
use crate::observe::Observer;
use crate::state::State;
use crate::stop::{DecisionKind, Stop};
use crate::thread::ThreadStatus;

/// What a model says that a word is: `enum ics_known` of `ics.h`, in its order.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Word {
    /// Zero, unless a thread holds the object.
    ZeroUnlessHeld,
    /// The number of threads that a barrier waits for.
    Expected,
    /// The number of threads that wait at the object.
    CountsWaiters,
    /// The permits of a semaphore.
    CountsPermits,
    /// Not zero while a thread waits at the object.
    SetWhileWaitedFor,
    /// The number of threads that live.
    CountsThreads,
    /// Zero, unless the program makes an error.
    ZeroIfValid,
    /// At least the number of threads that live, without the main one.
    CountsOthers,
    /// Not zero: a string ends here at the latest.
    Ends,
    /// How often the holder has locked once more.
    CountsHolds,
    /// The holder: a pointer, other than the rest.
    Holder,
}

impl Word {
    const ALL: [Self; 11] = [
        Self::ZeroUnlessHeld,
        Self::Expected,
        Self::CountsWaiters,
        Self::CountsPermits,
        Self::SetWhileWaitedFor,
        Self::CountsThreads,
        Self::ZeroIfValid,
        Self::CountsOthers,
        Self::Ends,
        Self::CountsHolds,
        Self::Holder,
    ];

    /// The word that a model names by a number.
    pub fn of(number: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }
}

impl<D: Domain> Machine<D> {
    /// [`icsched_ir::Intrinsic::Known`].
    pub(super) fn known<O: Observer<D>>(&mut self, state: &mut State<D>, observer: &mut O) -> Result<(), Stop<D>> {
        if !self.domain.has_invariants() {
            return Ok(());
        }
        let cx = self.cx(state, observer);
        let args = &cx.current_call().args;
        let (what, field, object) = (cx.get(args[0]), cx.get(args[1]), cx.get(args[2]));
        let what = D::as_constant(&what).and_then(Word::of);
        let ty = if what == Some(Word::Holder) { Type::Ptr } else { Type::Int(32) };
        let (value, _) = access::load(cx.domain, cx.heap, cx.path, &field, ty)?;
        if D::as_constant(&value).is_some() {
            return Ok(());
        }
        if what == Some(Word::Ends) {
            return self.ends(state, observer, &object, &value);
        }
        let (mut waiting, mut held, mut holders) = (Vec::new(), Vec::new(), Vec::new());
        // A thread may have ended, and not have given up its locks.
        for thread in &state.threads {
            let locks = || thread.locks.iter().chain(&thread.maybe_locks).cloned();
            held.extend(locks());
            holders.extend(locks().map(|lock| (lock, thread.slot)));
            if matches!(thread.status, ThreadStatus::Waiting { .. }) {
                waiting.push(thread.queue.clone());
            }
        }
        let what = match what {
            Some(Word::ZeroUnlessHeld) => Known::ZeroUnlessHeld(held),
            Some(Word::Expected) => Known::Expected,
            Some(Word::CountsWaiters) => Known::CountsWaiters(waiting),
            Some(Word::CountsPermits) => Known::CountsPermits(waiting),
            Some(Word::SetWhileWaitedFor) => Known::SetWhileWaitedFor(waiting),
            Some(Word::CountsThreads) => Known::Number(state.live.len() as u64),
            Some(Word::ZeroIfValid) => Known::ZeroIfValid,
            Some(Word::CountsOthers) => Known::AtLeast(state.live_threads().filter(|t| t.slot != 0).count() as u64),
            Some(Word::CountsHolds) => Known::CountsHolds,
            Some(Word::Holder) => Known::Holder(holders),
            Some(Word::Ends) | None => return Ok(()),
        };
        let Some(holds) = self.domain.invariant(&state.path, what, &value, &object) else { return Ok(()) };
        decide(&mut self.domain, &state.path, &holds, DecisionKind::Assume).map(drop)
    }

    /// A string ends as far as it was followed, where nobody knows how large its object is or asks for errors.
    fn ends<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        string: &D::Value,
        ended: &D::Value,
    ) -> Result<(), Stop<D>> {
        let cx = self.cx(state, observer);
        let found = access::targets(cx.domain, cx.heap, cx.path, string, 1, false)?;
        let mut objects = found.iter().map(|target| target.object);
        let is_initial = |id| cx.heap.object(id).is_some_and(|o| o.initial_number().is_some());
        let strict = cx.domain.checks_memory() || cx.domain.knows_objects();
        if strict && !objects.any(|id| is_initial(id) && cx.domain.is_of_unknown_size(id)) {
            return Ok(());
        }
        let zero = D::constant(0);
        let holds = operations::int_compare(cx.domain, IntPredicate::Ne, Type::Int(32), ended, &zero);
        decide(cx.domain, cx.path, &holds, DecisionKind::Assume).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::Word;

    const HEADER: &str = include_str!("../../../../runtime-models/ics.h");

    /// `ICS_ZERO_UNLESS_HELD` as `ZeroUnlessHeld`.
    fn camel(name: &str) -> String {
        let parts = name.trim().trim_start_matches("ICS_").split('_');
        parts.map(|part| part[..1].to_owned() + &part[1..].to_lowercase()).collect()
    }

    #[test]
    fn the_words_are_those_of_the_header_in_its_order() {
        let (_, list) = HEADER.split_once("enum ics_known {").expect("the header has the list");
        let (list, _) = list.split_once('}').expect("the list ends");
        let of_header: Vec<String> = list.split(',').filter(|name| !name.trim().is_empty()).map(camel).collect();
        assert_eq!(of_header, Word::ALL.map(|word| format!("{word:?}")));
    }
}

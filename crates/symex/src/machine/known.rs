//! What models know of words that nobody else knows (Bergan 2.5.3): synchronisation invariants, asked for by the models themselves.
//!
//! A model says that it is about to look at a word. Where the word is a symbol of an initial state, what holds of all such words
//! is assumed. Nothing is switched while a model runs, so the invariants hold whenever one asks.

use icsched_ir::{IntPredicate, Type};

use super::access;
use super::context::decide;
use super::{Machine, operations};
use crate::domain::{Domain, Known};
use crate::observe::Observer;
use crate::state::State;
use crate::stop::{DecisionKind, Stop};
use crate::thread::ThreadStatus;

/// `ICS_ENDS` of `ics.h`.
const ENDS: u64 = 8;

/// `ICS_HOLDER` of `ics.h`: of a pointer, other than the rest.
const HOLDER: u64 = 10;

impl<D: Domain> Machine<D> {
    /// [`icsched_ir::Intrinsic::Known`].
    pub(super) fn known<O: Observer>(&mut self, state: &mut State<D>, observer: &mut O) -> Result<(), Stop<D>> {
        if !self.domain.has_invariants() {
            return Ok(());
        }
        let cx = self.cx(state, observer);
        let args = &cx.current_call().args;
        let (what, field, object) = (cx.get(args[0]), cx.get(args[1]), cx.get(args[2]));
        let ty = if D::as_constant(&what) == Some(HOLDER) { Type::Ptr } else { Type::Int(32) };
        let (value, _) = access::load(cx.domain, cx.heap, cx.path, &field, ty)?;
        if D::as_constant(&value).is_some() {
            return Ok(());
        }
        if D::as_constant(&what) == Some(ENDS) {
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
        let what = match D::as_constant(&what) {
            Some(0) => Known::ZeroUnlessHeld(held),
            Some(1) => Known::Expected,
            Some(2) => Known::CountsWaiters(waiting),
            Some(3) => Known::CountsPermits(waiting),
            Some(4) => Known::SetWhileWaitedFor(waiting),
            Some(5) => Known::Number(state.live.len() as u64),
            Some(6) => Known::ZeroIfValid,
            Some(7) => Known::AtLeast(state.live_threads().filter(|t| t.slot != 0).count() as u64),
            Some(9) => Known::CountsHolds,
            Some(HOLDER) => Known::Holder(holders),
            _ => return Ok(()),
        };
        let Some(holds) = self.domain.invariant(&state.path, what, &value, &object) else { return Ok(()) };
        decide(&mut self.domain, &state.path, &holds, DecisionKind::Assume).map(drop)
    }

    /// A string ends as far as it was followed, where nobody knows how large its object is or asks for errors.
    fn ends<O: Observer>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        string: &D::Value,
        ended: &D::Value,
    ) -> Result<(), Stop<D>> {
        let cx = self.cx(state, observer);
        let found = access::targets(cx.domain, cx.heap, cx.path, string, 1, false)?;
        let mut objects = found.iter().map(|target| target.object);
        let is_initial = |id| cx.heap.object(id).is_some_and(|o| o.root().is_some());
        let strict = cx.domain.checks_memory() || cx.domain.knows_objects();
        if strict && !objects.any(|id| is_initial(id) && cx.domain.is_of_unknown_size(id)) {
            return Ok(());
        }
        let zero = D::constant(0);
        let holds = operations::int_compare(cx.domain, IntPredicate::Ne, Type::Int(32), ended, &zero);
        decide(cx.domain, cx.path, &holds, DecisionKind::Assume).map(drop)
    }
}

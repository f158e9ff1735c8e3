//! The locks that threads of a context may hold: `L+` of its initial state (Bergan 2.5.1, 2.5.4).
//!
//! No frame of the context has returned. So the locks of the oldest frame's function are followed up to its call. The
//! next frame starts with these, and so on. The thread's first function starts with no locks. Any other one starts with
//! what some way from the program's start has when it gets there.

use std::collections::BTreeSet;

use icsched_ir::ProgramPoint;
use icsched_pointsto::InstanceId;

use super::lattice::Locks;
use super::summarise::Locksets;
use crate::reaching::solved::Reaching;
use crate::reaching::solver::Solution;
use crate::state::HeldLock;

/// The locks that a thread may hold; `None`: any.
pub(crate) type Held = Option<BTreeSet<HeldLock>>;

/// The locks that may be held if none was before.
pub(crate) fn said(locks: &Locks) -> BTreeSet<HeldLock> {
    let within = locks.within().map(|targets| HeldLock::Within(targets.to_vec()));
    locks.held().map(|(lock, times)| HeldLock::At { lock, times }).chain(within).collect()
}

impl Locksets {
    /// What a thread may hold whose frames are these instances at these points, with what was solved for them.
    pub(crate) fn held(
        &mut self,
        reaching: &mut Reaching<'_, '_>,
        chain: &[InstanceId],
        points: &[ProgramPoint],
        solutions: &[Solution],
        complete: bool,
    ) -> Held {
        if !reaching.view.interference.any_locks() {
            return Some(BTreeSet::new());
        }
        self.summarise_locks(reaching, chain);
        let mut locks = if complete { self.first_locks(reaching) } else { self.enter_locks(reaching, chain[0]) };
        for (solution, point) in solutions.iter().zip(points) {
            let mut solver = self.solver(reaching, solution);
            let inputs = solver.locks(&locks);
            let before = solver.locks_before(&inputs, point.block, point.inst as usize);
            // What nothing leads to holds nothing.
            let Some(before) = before else { return Some(BTreeSet::new()) };
            locks = before;
        }
        if locks.is_unknown() || self.handlers_may_acquire(reaching) {
            return None;
        }
        Some(said(&locks))
    }
}

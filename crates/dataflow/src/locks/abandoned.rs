//! Locks that stay taken because the thread that held them has ended.
//!
//! A thread ends where its first function is through, or where the program calls what never returns and ends the
//! thread. What it holds there is nobody's any more. Threads that are cancelled end inside of models, at any wait:
//! where the program cancels threads, nothing is known of locks.

use std::collections::BTreeSet;

use icsched_ir::{Callee, Intrinsic, Op, Origin, ProgramPoint};
use icsched_pointsto::InstanceId;

use super::held::{Held, said};
use super::lattice::Locks;
use super::summarise::Locksets;
use crate::code::{point, returned};
use crate::icfg::EdgeKind;
use crate::place::Frames;
use crate::reaching::facts::Entry;
use crate::reaching::solved::Reaching;
use crate::reaching::summary::CallSummary;

impl Locksets {
    /// What threads that have ended may have left taken; `None`: any lock.
    pub(crate) fn abandoned(&mut self, reaching: &mut Reaching<'_, '_>) -> Held {
        let mut all = BTreeSet::new();
        if !reaching.view.interference.any_locks() {
            return Some(all);
        }
        if self.cancels_threads(reaching) {
            return None;
        }
        for instance in reaching.view.points_to.instances().ids() {
            let ends = self.ends_of(reaching, instance);
            if !ends.is_empty() {
                all.extend(said(&self.left_at(reaching, instance, &ends)?));
            }
        }
        Some(all)
    }

    fn cancels_threads(&self, reaching: &mut Reaching<'_, '_>) -> bool {
        let cancel = reaching.view.program.library_function("pthread_cancel");
        cancel.is_some_and(|f| {
            reaching.view.points_to.instances_of(f).iter().any(|&i| reaching.view.icfg.incoming(i).next().is_some())
        })
    }

    /// Where threads end in an instance, as far as it may hold locks there.
    fn ends_of(&mut self, reaching: &mut Reaching<'_, '_>, instance: InstanceId) -> Vec<ProgramPoint> {
        let func = reaching.view.points_to.instances()[instance].func;
        let is_first = reaching.view.icfg.incoming(instance).any(|(_, e)| e.kind == EdgeKind::Create);
        let is_own = is_first || reaching.view.program.functions[func].origin == Origin::Program;
        if !is_own {
            return Vec::new();
        }
        let mut ends: Vec<ProgramPoint> = Vec::new();
        for (block, body) in reaching.view.program.functions[func].blocks.iter() {
            let exits = |op: &Op| matches!(op, Op::Call { callee: Callee::Intrinsic(Intrinsic::ThreadExit), .. });
            let by_itself = body.insts.iter().zip(0..).filter(|(inst, _)| exits(&inst.op));
            ends.extend(by_itself.map(|(_, at)| ProgramPoint { func, block, inst: at }));
            if is_first && returned(&body.terminator).is_some() {
                ends.push(point(func, block, body.insts.len()));
            }
        }
        let calls: Vec<_> =
            reaching.view.icfg.edges(instance).iter().filter(|e| e.kind == EdgeKind::Call).copied().collect();
        let calls: Vec<_> = calls.into_iter().filter(|e| reaching.view.interference.may_end_thread(e.to)).collect();
        if !calls.is_empty() {
            reaching.summarise_callees(&[instance]);
        }
        for edge in calls {
            let origin = reaching.view.program.functions[reaching.view.points_to.instances()[edge.to].func].origin;
            if origin == Origin::Model && matches!(reaching.summaries[edge.to], CallSummary::NeverReturns) {
                ends.push(edge.at);
            }
        }
        if !is_first && !ends.is_empty() && !self.may_hold(reaching, instance) {
            ends.clear();
        }
        ends
    }

    /// Whether a lock can be held while the instance runs: it or a caller of it uses some.
    fn may_hold(&self, reaching: &mut Reaching<'_, '_>, instance: InstanceId) -> bool {
        let before = reaching.view.icfg.leading_to([instance]);
        before.iter().any(|(i, &is)| is && reaching.view.interference.uses_locks(i))
    }

    /// What a thread holds that ends at one of some points of an instance.
    fn left_at(
        &mut self,
        reaching: &mut Reaching<'_, '_>,
        instance: InstanceId,
        ends: &[ProgramPoint],
    ) -> Option<Locks> {
        let is_first = reaching.view.icfg.incoming(instance).all(|(_, e)| e.kind == EdgeKind::Create);
        let entry = if is_first { Locks::default() } else { self.enter_locks(reaching, instance) };
        reaching.summarise_callees(&[instance]);
        self.summarise_locks(reaching, &[instance]);
        let solution = reaching.solve(Frames::Stack(vec![instance]), &Entry::default());
        let mut solver = self.solver(reaching, &solution);
        let inputs = solver.locks(&entry);
        let mut all = Locks::default();
        for end in ends {
            if let Some(locks) = solver.locks_before(&inputs, end.block, end.inst as usize) {
                all.join(&locks);
            }
        }
        let pool = &reaching.view.pool;
        all.rename(|e| !pool.symbols(e).is_empty());
        (!all.is_unknown()).then_some(all)
    }
}

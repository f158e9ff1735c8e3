//! Which locks may be held when functions start, whoever calls them.

use icsched_ir::{IdVec, Op};
use icsched_pointsto::InstanceId;

use super::lattice::{Locks, Named};
use super::solver::{LockSolver, LockSummary};
use super::summarise::Locksets;
use crate::code::operation;
use crate::icfg::{Edge, EdgeKind};
use crate::place::Frames;
use crate::reaching::entry::names_in;
use crate::reaching::solved::Reaching;
use crate::symbol::Symbol;

impl Locksets {
    /// What a thread's first function starts with: nothing, unless constructors keep locks.
    pub(super) fn first_locks(&mut self, reaching: &mut Reaching<'_, '_>) -> Locks {
        let mut first: Vec<InstanceId> = Vec::new();
        for &constructor in &reaching.view.program.constructors {
            first.extend(reaching.view.points_to.instances_of(constructor));
        }
        if self.may_acquire(reaching, &first) { Locks::unknown() } else { Locks::default() }
    }

    /// Whether calls of some instances may come back with a lock.
    fn may_acquire(&mut self, reaching: &mut Reaching<'_, '_>, instances: &[InstanceId]) -> bool {
        let (interference, summaries) = (&reaching.view.interference, &self.summaries);
        let users: Vec<InstanceId> = instances.iter().copied().filter(|&i| interference.uses_locks(i)).collect();
        let missing = users.iter().any(|&i| matches!(summaries[i], LockSummary::NotComputed));
        if missing {
            reaching.summarise_callees(&users);
            self.summarise_locks(reaching, &users);
        }
        users.iter().any(|&i| match &self.summaries[i] {
            LockSummary::NotComputed => true,
            LockSummary::NeverReturns => false,
            LockSummary::Returns(summary) => summary.may_acquire(),
        })
    }

    /// Whether a signal may come back with a lock, at any point of any thread.
    pub(super) fn handlers_may_acquire(&mut self, reaching: &mut Reaching<'_, '_>) -> bool {
        let handlers = reaching.view.icfg.handlers();
        self.may_acquire(reaching, &handlers)
    }

    /// What may be held whenever an instance starts, over its parameters as registers of frame 0.
    pub(crate) fn enter_locks(&mut self, reaching: &mut Reaching<'_, '_>, target: InstanceId) -> Locks {
        if let Some(known) = &self.entries[target] {
            return known.clone();
        }
        let needed = reaching.view.icfg.leading_to([target]);
        reaching.enter(&[target]);
        let order = reaching.view.icfg.components().iter().rev().flatten().copied();
        let order: Vec<InstanceId> = order.filter(|&i| needed[i]).collect();
        self.summarise_locks(reaching, &order);
        let mut entries = self.lock_roots(reaching);
        let mut dirty: IdVec<InstanceId, bool> = IdVec::filled(true, needed.len());
        loop {
            let mut changed = false;
            for &instance in &order {
                let Some(entry) = entries[instance].clone() else { continue };
                if !std::mem::replace(&mut dirty[instance], false) {
                    continue;
                }
                for (to, passed) in self.passed_locks(reaching, instance, &entry, &needed) {
                    let more = match &mut entries[to] {
                        Some(known) => known.join(&passed),
                        none => {
                            *none = Some(passed);
                            true
                        }
                    };
                    dirty[to] |= more;
                    changed |= more;
                }
            }
            if !changed || reaching.view.is_to_end() {
                break;
            }
        }
        for (instance, _) in needed.iter().filter(|(_, is)| **is) {
            self.entries[instance] = Some(entries[instance].take().unwrap_or_default());
        }
        self.entries[target].clone().unwrap_or_default()
    }

    /// What runs without being called by code that is seen.
    fn lock_roots(&mut self, reaching: &mut Reaching<'_, '_>) -> IdVec<InstanceId, Option<Locks>> {
        let mut entries = IdVec::filled(None, reaching.view.points_to.instances().len());
        let first = self.first_locks(reaching);
        let program = reaching.view.program;
        let shared = |f: &icsched_ir::FuncId| reaching.view.points_to.shared_instance(*f);
        let exit = program.library_function("exit");
        let starts = program.main.iter().chain(&program.constructors).filter_map(shared);
        for instance in starts {
            entries[instance] = Some(first.clone());
        }
        let ends = program.destructors.iter().chain(&exit).filter_map(shared);
        for instance in ends.chain(reaching.view.points_to.called_from_outside()) {
            entries[instance] = Some(Locks::unknown());
        }
        entries
    }

    /// What the calls of an instance that lead on find held.
    fn passed_locks(
        &mut self,
        reaching: &mut Reaching<'_, '_>,
        instance: InstanceId,
        entry: &Locks,
        needed: &IdVec<InstanceId, bool>,
    ) -> Vec<(InstanceId, Locks)> {
        let edges: Vec<Edge> = reaching.view.icfg.edges(instance).iter().filter(|e| needed[e.to]).copied().collect();
        if edges.is_empty() {
            return Vec::new();
        }
        let is_plain = entry.is_empty() && !reaching.view.interference.uses_locks(instance);
        if is_plain || entry.is_unknown() {
            let passed = |kind| match kind {
                EdgeKind::Call => entry.clone(),
                EdgeKind::Create => Locks::default(),
                EdgeKind::Interrupt => Locks::unknown(),
            };
            return edges.iter().map(|e| (e.to, passed(e.kind))).collect();
        }
        let Some(start) = reaching.entries[instance].clone() else { return Vec::new() };
        let solution = reaching.solve(Frames::Stack(vec![instance]), &start);
        let mut solver = self.solver(reaching, &solution);
        let inputs = solver.locks(entry);
        let mut passed = Vec::new();
        for edge in edges {
            let Some(mut locks) = solver.locks_before(&inputs, edge.at.block, edge.at.inst as usize) else { continue };
            match edge.kind {
                EdgeKind::Call => solver.pass_locks(edge, &mut locks),
                EdgeKind::Create => locks = Locks::default(),
                EdgeKind::Interrupt => locks = Locks::unknown(),
            }
            passed.push((edge.to, locks));
        }
        passed
    }
}

impl LockSolver<'_, '_, '_> {
    /// Names the locks that are held at a call over the callee's parameters, as frame 0.
    fn pass_locks(&mut self, edge: Edge, locks: &mut Locks) {
        let program = self.solver.view.program;
        let callee = &program.functions[self.solver.view.points_to.instances()[edge.to].func];
        let Some(Op::Call { args, .. }) = operation(program, edge.at) else { return };
        let values: Vec<_> = args.iter().map(|&arg| self.solver.operand(arg)).collect();
        let map = names_in(&mut self.solver.view.pool, callee, args, &values);
        let replacement = |symbol: Symbol| map.iter().find(|m| m.0 == symbol).map(|m| m.1);
        let mut passed = Locks::default();
        for Named { names, effect, targets } in locks.named() {
            let pool = &mut self.solver.view.pool;
            let names = names.iter().filter_map(|&lock| pool.substitute(lock, &replacement)).collect();
            passed.apply_beside(&names, *effect, targets);
        }
        for targets in locks.within() {
            passed.add_within(targets);
        }
        if locks.is_unknown() {
            passed.add_unknown();
        }
        *locks = passed;
    }
}

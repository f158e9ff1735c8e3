//! The locks that threads of a context may hold: `L+` of its initial state (Bergan 2.5.1, 2.5.4).
//!
//! No frame of the context has returned. So the locks of the oldest frame's function are followed up to its call, the next frame starts
//! with these, and so on. What may be held when the oldest frame started is nothing if it is the thread's first; else what any way from the
//! program's start leads there with.

use std::collections::BTreeSet;

use icsched_ir::{IdVec, Op, ProgramPoint};
use icsched_pointsto::InstanceId;

use crate::analysis::Analysis;
use crate::context::operation;
use crate::function::{Solution, Solver};
use crate::icfg::{Edge, EdgeKind};
use crate::locks::{Locks, Named};
use crate::lockset::LockSummary;
use crate::place::Frames;
use crate::state::HeldLock;
use crate::symbol::Symbol;

/// The locks that a thread may hold; `None`: any.
pub(crate) type Held = Option<BTreeSet<HeldLock>>;

/// The locks that may be held if none was before.
pub(crate) fn said(locks: &Locks) -> BTreeSet<HeldLock> {
    let within = locks.within().map(|targets| HeldLock::Within(targets.to_vec()));
    locks.held().map(|(lock, times)| HeldLock::At { lock, times }).chain(within).collect()
}

impl Analysis<'_, '_> {
    /// What a thread may hold whose frames are these instances at these points, with what was solved for them.
    pub(crate) fn held(
        &mut self,
        chain: &[InstanceId],
        points: &[ProgramPoint],
        solutions: &[Solution],
        complete: bool,
    ) -> Held {
        if !self.interference.any_locks() {
            return Some(BTreeSet::new());
        }
        self.summarise_locks(chain);
        let mut locks = if complete { self.first_locks() } else { self.enter_locks(chain[0]) };
        for (solution, point) in solutions.iter().zip(points) {
            let mut solver = Solver::resume(self, solution);
            let inputs = solver.locks(&locks);
            let before = solver.locks_before(&inputs, point.block, point.inst as usize);
            // What nothing leads to holds nothing.
            let Some(before) = before else { return Some(BTreeSet::new()) };
            locks = before;
        }
        if locks.is_unknown() || self.handlers_may_acquire() {
            return None;
        }
        Some(said(&locks))
    }

    /// What a thread's first function starts with: nothing, unless constructors keep locks.
    fn first_locks(&mut self) -> Locks {
        let mut first: Vec<InstanceId> = Vec::new();
        for &constructor in &self.program.constructors {
            first.extend(self.points_to.instances_of(constructor));
        }
        if self.may_acquire(&first) { Locks::unknown() } else { Locks::default() }
    }

    /// Whether calls of some instances may come back with a lock.
    fn may_acquire(&mut self, instances: &[InstanceId]) -> bool {
        let (interference, summaries) = (&self.interference, &self.lock_summaries);
        let users: Vec<InstanceId> = instances.iter().copied().filter(|&i| interference.uses_locks(i)).collect();
        let missing = users.iter().any(|&i| matches!(summaries[i], LockSummary::No));
        if missing {
            self.summarise_callees(&users);
            self.summarise_locks(&users);
        }
        users.iter().any(|&i| match &self.lock_summaries[i] {
            LockSummary::No => true,
            LockSummary::Yes(summary) => summary.as_ref().is_some_and(|s| s.may_acquire()),
        })
    }

    /// Whether a signal may come back with a lock, at any point of any thread.
    fn handlers_may_acquire(&mut self) -> bool {
        let handlers = self.icfg.handlers();
        self.may_acquire(&handlers)
    }

    /// What may be held whenever an instance starts, over its parameters as registers of frame 0.
    pub(crate) fn enter_locks(&mut self, target: InstanceId) -> Locks {
        if let Some(known) = &self.lock_entries[target] {
            return known.clone();
        }
        let needed = self.icfg.leading_to([target]);
        self.enter(&[target]);
        let order = self.icfg.components().iter().rev().flatten().copied();
        let order: Vec<InstanceId> = order.filter(|&i| needed[i]).collect();
        self.summarise_locks(&order);
        let mut entries = self.lock_roots();
        let mut dirty: IdVec<InstanceId, bool> = IdVec::filled(true, needed.len());
        loop {
            let mut changed = false;
            for &instance in &order {
                let Some(entry) = entries[instance].clone() else { continue };
                if !std::mem::replace(&mut dirty[instance], false) {
                    continue;
                }
                for (to, passed) in self.passed_locks(instance, &entry, &needed) {
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
            if !changed || self.is_to_end() {
                break;
            }
        }
        for (instance, _) in needed.iter().filter(|(_, is)| **is) {
            self.lock_entries[instance] = Some(entries[instance].take().unwrap_or_default());
        }
        self.lock_entries[target].clone().unwrap_or_default()
    }

    /// What runs without being called by code that is seen.
    fn lock_roots(&mut self) -> IdVec<InstanceId, Option<Locks>> {
        let mut entries = IdVec::filled(None, self.points_to.instances().len());
        let first = self.first_locks();
        let program = self.program;
        let shared = |f: &icsched_ir::FuncId| self.points_to.shared_instance(*f);
        let exit = program.library_function("exit");
        let starts = program.main.iter().chain(&program.constructors).filter_map(shared);
        for instance in starts {
            entries[instance] = Some(first.clone());
        }
        let ends = program.destructors.iter().chain(&exit).filter_map(shared);
        for instance in ends.chain(self.points_to.called_from_outside()) {
            entries[instance] = Some(Locks::unknown());
        }
        entries
    }

    /// What the calls of an instance that lead on find held.
    fn passed_locks(
        &mut self,
        instance: InstanceId,
        entry: &Locks,
        needed: &IdVec<InstanceId, bool>,
    ) -> Vec<(InstanceId, Locks)> {
        let edges: Vec<Edge> = self.icfg.edges(instance).iter().filter(|e| needed[e.to]).copied().collect();
        if edges.is_empty() {
            return Vec::new();
        }
        let is_plain = entry.is_empty() && !self.interference.uses_locks(instance);
        if is_plain || entry.is_unknown() {
            let passed = |kind| match kind {
                EdgeKind::Call => entry.clone(),
                EdgeKind::Create => Locks::default(),
                EdgeKind::Interrupt => Locks::unknown(),
            };
            return edges.iter().map(|e| (e.to, passed(e.kind))).collect();
        }
        let Some(start) = self.entries[instance].clone() else { return Vec::new() };
        let solution = Solver::new(self, Frames::Stack(vec![instance])).solve(&start);
        let mut solver = Solver::resume(self, &solution);
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

impl Solver<'_, '_, '_> {
    /// Names the locks that are held at a call over the callee's parameters, as frame 0.
    fn pass_locks(&mut self, edge: Edge, locks: &mut Locks) {
        let program = self.analysis.program;
        let callee = &program.functions[self.analysis.points_to.instances()[edge.to].func];
        let Some(Op::Call { args, .. }) = operation(program, edge.at) else { return };
        let values: Vec<_> = args.iter().map(|&arg| self.operand(arg)).collect();
        let map = self.analysis.names_in(callee, args, &values);
        let replacement = |symbol: Symbol| map.iter().find(|m| m.0 == symbol).map(|m| m.1);
        let mut passed = Locks::default();
        for Named { names, effect, targets } in locks.named() {
            let pool = &mut self.analysis.pool;
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

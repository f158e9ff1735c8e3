//! The models' table of threads in an initial state: which slots threads have.

use std::sync::Arc;

use icsched_dataflow::ThreadContext;
use icsched_ir::FuncId;
use icsched_pointsto::{ObjectKind as AbstractKind, Offsets};
use icsched_smt::CmpOp;

use super::StateBuilder;
use super::root::Places;
use crate::symbolic::SymbolicDomain;
use icsched_machine::domain::MemoryByte;
use icsched_machine::memory::{address, global_object};
use icsched_machine::names::THREAD_MAIN;
use icsched_machine::thread::{Thread, ThreadStatus};
use icsched_machine::thread_table::{ENDED_SLOTS, Layout, STATE_DONE, STATE_FREE, STATE_RUNNING, ThreadTable, layout};

impl StateBuilder<'_, '_> {
    /// The thread's slot in the models' table.
    pub(super) fn slot(&self, index: usize) -> u32 {
        let runs_main = |t: &ThreadContext| t.stack.0.first().map(|p| p.func) == self.program.main;
        let threads = &self.start.context.threads;
        let main = threads.iter().position(runs_main);
        if main == Some(index) {
            return 0;
        }
        let others = (0..index).filter(|&i| main != Some(i)).count();
        u32::try_from(others + 1).expect("threads are few")
    }

    /// The entry of a slot in the models' table, if the function is the one that threads begin with: it is passed that.
    /// Without the thread of `main` in the context, one of those of which only inner frames are known may be it.
    pub(super) fn table_entry(&self, func: FuncId, slot: u32) -> Option<u64> {
        let has_main = (0..self.start.context.threads.len()).any(|index| self.slot(index) == 0);
        let is_first =
            self.program.functions[func].name == THREAD_MAIN && self.start.options.sync_invariants && has_main;
        let Layout { id, stride, .. } = layout(&self.program).filter(|_| is_first)?;
        Some(address(global_object(id), u64::from(slot) * stride))
    }

    /// The models' table of threads: those of the context run, and nobody has begun to join one unless a thread waits
    /// for it. Nobody can tell in which slots others are that have ended; they get the last ones.
    pub(super) fn thread_table(&mut self, threads: &[Thread<SymbolicDomain>]) {
        let program = Arc::clone(&self.program);
        let enabled = self.origins().invariants.enabled;
        let Some(Layout { id, stride, slots, state, joined, detached }) = layout(&program) else { return };
        let (Some(&root), true) = (self.globals.get(&id), enabled) else { return };
        let objects = self.start.points_to.objects().iter();
        let of_table = objects.filter(|(_, o)| o.kind == AbstractKind::Global(id));
        let places: Places = of_table.map(|(object, _)| (object, Offsets::ANY)).collect();
        let waiting = threads.iter().filter(|t| matches!(t.status, ThreadStatus::Waiting { .. }));
        let nobody_joins = waiting.into_iter().all(|thread| {
            let queue = self.machine.domain.term(&thread.queue, 64);
            !self.machine.domain.may_be_at(&self.path, queue, &places)
        });
        let live: Vec<u64> = (0..self.start.context.threads.len()).map(|index| u64::from(self.slot(index))).collect();
        for slot in 0..slots {
            let mut holds = |(offset, size): (u64, u64), byte: u8| {
                let bytes: Vec<_> = (0..size).map(|at| MemoryByte::Constant(if at == 0 { byte } else { 0 })).collect();
                self.origins().set_known(root, slot * stride + offset, &bytes);
            };
            if live.contains(&slot) {
                holds(state, STATE_RUNNING);
                if nobody_joins {
                    holds(joined, 0);
                }
            } else if slots - slot <= ENDED_SLOTS {
                holds(state, STATE_DONE);
                holds(joined, 0);
                holds(detached, 0);
            } else {
                holds(state, STATE_FREE);
            }
        }
        // Without the thread of `main`, one of the others may be it, and has another entry.
        let named = threads.iter().filter(|_| live.contains(&0));
        for thread in named.filter(|t| matches!(t.status, ThreadStatus::Waiting { .. })) {
            let entries = live.iter().filter(|&&slot| slot != u64::from(thread.slot));
            let entries: Vec<u64> = entries.map(|slot| address(global_object(id), slot * stride)).collect();
            self.waits_for_thread(thread, &places, &entries);
        }
        let start = address(global_object(id), 0);
        let table = ThreadTable { start, state: state.0, stride, slots, ended: ENDED_SLOTS };
        self.origins().invariants.table = Some(table);
    }
}

impl StateBuilder<'_, '_> {
    /// A thread that waits at an entry of the table waits for a thread that lives: it would have been woken else.
    fn waits_for_thread(&mut self, thread: &Thread<SymbolicDomain>, table: &Places, entries: &[u64]) {
        let queue = self.machine.domain.term(&thread.queue, 64);
        let (base, _) = self.machine.domain.pool.split_constant(queue);
        let Some(base) = base else { return };
        let found = self.origins().places(base);
        let is_table = |object| table.iter().any(|&(known, _)| known == object);
        if found.is_empty() || !found.iter().all(|&(object, _)| is_table(object)) {
            return;
        }
        let pool = &mut self.machine.domain.pool;
        let cases: Vec<_> = entries
            .iter()
            .map(|&entry| {
                let entry = pool.constant(64, entry);
                pool.cmp(CmpOp::Eq, queue, entry)
            })
            .collect();
        let one = pool.or_all(&cases);
        self.path.constrain(&self.machine.domain.pool, one);
    }
}

//! The models' table of threads in an initial state: which slots threads have.

use std::sync::Arc;

use icsched_dataflow::ThreadContext;
use icsched_ir::{FuncId, GlobalId, Program, SourceType};
use icsched_pointsto::{ObjectKind as AbstractKind, Offsets};
use icsched_smt::CmpOp;

use super::Builder;
use crate::domain::{Domain, MemoryByte, ThreadTable};
use crate::memory::{address, global_object};
use crate::names::{THREAD_MAIN, THREAD_TABLE};
use crate::state::State;
use crate::symbolic::SymbolicDomain;
use crate::symbolic::origin::Places;
use crate::thread::{Thread, ThreadStatus};

/// `enum ics_thread_state` of the models.
const STATE_FREE: u8 = 0;
const STATE_RUNNING: u8 = 1;
const STATE_DONE: u8 = 2;

/// Slots for threads that have ended before the initial state: the last ones of the models' table.
pub(crate) const ENDED_SLOTS: u64 = 64;

impl Builder<'_, '_> {
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

    /// The entry of a slot in the models' table, if the function is the one that threads begin with: it is passed that. Without the thread
    /// of `main` in the context, one of those of which only inner frames are known may be it.
    pub(super) fn table_entry(&self, func: FuncId, slot: u32) -> Option<u64> {
        let has_main = (0..self.start.context.threads.len()).any(|index| self.slot(index) == 0);
        let is_first =
            self.program.functions[func].name == THREAD_MAIN && self.start.options.sync_invariants && has_main;
        let Layout { id, stride, .. } = layout(&self.program).filter(|_| is_first)?;
        Some(address(global_object(id), u64::from(slot) * stride))
    }

    /// The models' table of threads: those of the context run, and nobody has begun to join one unless a thread waits for it. Nobody can
    /// tell in which slots others are that have ended; they get the last ones.
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

impl Builder<'_, '_> {
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

/// The models' table of threads, and the bytes of an entry. O(globals).
pub fn thread_entries(program: &Program) -> Option<(GlobalId, u64)> {
    layout(program).map(|table| (table.id, table.stride))
}

/// Where things are in the table.
pub(super) struct Layout {
    pub(super) id: GlobalId,
    pub(super) stride: u64,
    /// Entries for threads of the program; the last one is for timers.
    slots: u64,
    /// Fields of an entry: offsets and sizes.
    state: (u64, u64),
    joined: (u64, u64),
    detached: (u64, u64),
}

pub(super) fn layout(program: &Program) -> Option<Layout> {
    let (id, table) = program.globals.iter().find(|(_, g)| g.name == THREAD_TABLE)?;
    let (_, SourceType::Array { element, .. }) = program.types.resolve(table.source_type?)? else { return None };
    let (_, SourceType::Struct { fields, .. }) = program.types.resolve((*element)?)? else { return None };
    let stride = program.types.size((*element)?);
    let field = |name: &str| {
        let field = fields.iter().find(|f| f.name == name)?;
        Some((field.offset, program.types.size(field.ty?)))
    };
    let (state, joined, detached) = (field("state")?, field("joined")?, field("detached")?);
    Some(Layout { id, stride, slots: (table.size / stride).saturating_sub(1), state, joined, detached })
}

impl<D: Domain> State<D> {
    /// Whether all threads live that were created by activations that are still there, and all that can be joined
    /// ([`Context::none_ended`]).
    ///
    /// [`Context::none_ended`]: icsched_dataflow::Context::none_ended
    pub fn none_ended(&self) -> bool {
        let layout = layout(self.program());
        let is_there = |id| self.live_threads().any(|t| t.frames.iter().any(|f| f.id == id));
        let can_be_joined = |slot: u32| {
            let Some(Layout { id, stride, state, .. }) = &layout else { return false };
            let at = address(global_object(*id), u64::from(slot) * stride + state.0);
            self.heap.read_plain(at) == Some([STATE_DONE])
        };
        let mut ended = self.threads.iter().filter(|t| t.status == ThreadStatus::Finished);
        !ended.any(|t| can_be_joined(t.slot) || t.creator.is_some_and(is_there))
    }
}

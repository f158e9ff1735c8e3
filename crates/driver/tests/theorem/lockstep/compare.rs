//! Whether two states are the same, under the assignment of symbols.

use icsched_dataflow::Symbol;
use icsched_explore::Snapshot;
use icsched_ir::{EntityId as _, ProgramPoint};
use icsched_machine::memory::{ObjectId, ObjectKind};
use icsched_machine::{MemoryByte, State, ThreadStatus};
use icsched_smt::Term;
use icsched_symbolic::symbolic::InitialObjects as _;
use icsched_symbolic::symbolic::{SymValue, SymbolicDomain};

use super::Lockstep;
use crate::common::recorded::word;
use crate::common::relation::Ended;

/// Larger objects are not compared.
const MAX_COMPARED: u64 = 512;

impl Lockstep<'_, '_> {
    /// The threads must be at the same places, and what the current one holds must be the same.
    pub(super) fn compare(&mut self, state: &State<SymbolicDomain>) -> Result<(), Ended> {
        if state.names_ended_threads() {
            return Err(Ended::Cut("a thread that has ended is in another slot"));
        }
        self.more_threads();
        self.more_objects(state);
        for (index, &(concrete, oldest)) in self.threads.clone().iter().enumerate() {
            let Some(thread) = state.threads.get(index) else {
                return Err(Ended::Wrong("a thread that the path does not have".to_owned()));
            };
            let real = self.concrete.thread(concrete);
            if matches!(thread.status, ThreadStatus::Left) && matches!(real.status, ThreadStatus::Left) {
                continue;
            }
            let code = &self.machines.symbolic.code;
            let at: Vec<ProgramPoint> = thread.frames.iter().map(|f| code.point(f.func, f.pc)).collect();
            let here: Vec<ProgramPoint> =
                real.frames.iter().skip(oldest).map(|f| self.machines.concrete.code.point(f.func, f.pc)).collect();
            if at != here {
                return Err(Ended::Wrong(format!("thread {index} is at {here:?}, symbolically at {at:?}")));
            }
            if concrete == self.concrete.current || at.is_empty() {
                self.registers(state, index)?;
            }
        }
        Ok(())
    }

    fn registers(&mut self, state: &State<SymbolicDomain>, index: usize) -> Result<(), Ended> {
        let (concrete, oldest) = self.threads[index];
        let count = state.threads[index].frames.len();
        for depth in count.saturating_sub(2)..count {
            let frame = &state.threads[index].frames[depth];
            let point = self.machines.symbolic.code.point(frame.func, frame.pc);
            for value in self.machines.live(point) {
                let slot = frame.base as usize + value.index();
                let symbolic = state.threads[index].registers[slot];
                let real_frame = &self.concrete.thread(concrete).frames[oldest + depth];
                let bits = self.concrete.thread(concrete).registers[real_frame.base as usize + value.index()];
                self.looked.registers += 1;
                let what = || Symbol::new(u32::try_from(depth).expect("few frames"), value).to_string();
                self.same(state, symbolic, bits, what)?;
            }
        }
        Ok(())
    }

    fn same(
        &mut self,
        state: &State<SymbolicDomain>,
        symbolic: SymValue,
        bits: u64,
        what: impl FnOnce() -> String,
    ) -> Result<(), Ended> {
        let found = self.relation.value(&self.machines.symbolic.domain, &symbolic)?;
        let real = self.relation.translate(&self.concrete, bits);
        if found == real || found == bits {
            return Ok(());
        }
        let text = match symbolic {
            SymValue::Constant(bits) => format!("{bits:#x}"),
            SymValue::Term(t) => Snapshot::new(state, &self.machines.symbolic).in_c(|printer| printer.value(t)),
        };
        let program = state.program();
        let point = state.point(&self.machines.symbolic.code);
        let function = point.map(|p| program.functions[p.func].name.clone());
        Err(Ended::Wrong(format!(
            "{} holds {bits:#x} ({real:#x}), symbolically `{text}` = {found:#x} ({point:?} in {function:?})",
            what()
        )))
    }

    /// Objects that were made since, in order of creation.
    fn more_objects(&mut self, state: &State<SymbolicDomain>) {
        let (first_concrete, first_symbolic) = self.first_objects;
        let made = |kind| !matches!(kind, ObjectKind::Initial(_) | ObjectKind::ThreadLocal(..));
        let symbolic: Vec<ObjectId> = (first_symbolic..state.heap.object_count())
            .map(ObjectId)
            .filter(|&id| state.heap.object(id).is_some_and(|o| made(o.kind)))
            .collect();
        let concrete = (first_concrete..self.concrete.heap.object_count())
            .map(ObjectId)
            .filter(|&id| self.concrete.heap.object(id).is_some_and(|o| made(o.kind)));
        for (concrete, symbolic) in concrete.zip(symbolic) {
            self.relation.correspond(concrete, symbolic);
        }
        for (index, &(thread, _)) in self.threads.iter().enumerate() {
            let (Some(there), here) = (state.threads.get(index), self.concrete.thread(thread)) else { continue };
            for (symbolic, concrete) in there.thread_locals.iter().zip(here.thread_locals.iter()) {
                if let (Some(symbolic), Some(concrete)) = (symbolic, concrete) {
                    self.relation.correspond(*concrete, *symbolic);
                }
            }
        }
    }

    /// What small objects hold that were written must be the same.
    pub(super) fn compare_memory(&mut self, state: &State<SymbolicDomain>) -> Result<(), Ended> {
        self.more_objects(state);
        let objects: Vec<_> = self.relation.objects().collect();
        for (concrete, symbolic, shift) in objects {
            let Some(object) = state.heap.object(symbolic).filter(|o| o.is_alive() && !o.constant) else { continue };
            let real_size = match self.concrete.heap.object(concrete) {
                Some(real) if real.is_alive() => real.size,
                // Of a frame that was left.
                Some(real) if matches!(real.kind, ObjectKind::Stack { .. } | ObjectKind::VarArgs(_)) => continue,
                _ => {
                    return Err(Ended::Wrong(format!(
                        "{:?} is gone, symbolically alive",
                        self.concrete.heap.describe_object(concrete)
                    )));
                }
            };
            if state.heap.is_array(symbolic) {
                for (at, byte) in state.heap.written_bytes(symbolic).unwrap_or_default() {
                    self.byte(state, concrete, at.wrapping_sub(shift), &byte)?;
                }
            } else if matches!(object.kind, ObjectKind::Heap | ObjectKind::Stack { .. })
                && object.size <= MAX_COMPARED
                && object.size == real_size
            {
                let size = object.size;
                let bytes = state.heap.bytes(&mut self.machines.symbolic.domain, &state.path, symbolic, 0, size);
                for (byte, at) in bytes.iter().zip(0..) {
                    self.byte(state, concrete, at, byte)?;
                }
            }
        }
        Ok(())
    }

    fn byte(
        &mut self,
        state: &State<SymbolicDomain>,
        object: ObjectId,
        at: u64,
        byte: &MemoryByte<Term>,
    ) -> Result<(), Ended> {
        let address = icsched_machine::memory::address(object, at);
        let start = address & !7;
        let whole = word(&self.concrete, start, 8);
        let Some(real) = word(&self.concrete, address, 1) else {
            let name = self.concrete.heap.name_of(address);
            return Err(Ended::Wrong(format!("{name} was written, which is outside of its object")));
        };
        self.looked.bytes += 1;
        let found = match byte {
            MemoryByte::Constant(byte) => u64::from(*byte),
            MemoryByte::Symbolic(t) => self.relation.eval(&self.machines.symbolic.domain, *t)?,
        };
        let moved = whole.map(|w| self.relation.translate(&self.concrete, w) >> (8 * (address - start)) & 0xff);
        if found == real || Some(found) == moved {
            return Ok(());
        }
        let name = self.concrete.heap.name_of(address);
        let text = match byte {
            MemoryByte::Constant(byte) => byte.to_string(),
            MemoryByte::Symbolic(t) => Snapshot::new(state, &self.machines.symbolic).in_c(|printer| printer.value(*t)),
        };
        Err(Ended::Wrong(format!("{name} holds {real:#x}, symbolically `{text}` = {found:#x}")))
    }
}

//! Instructions that are executed outside the fast loop.

use icsched_ir::{FuncId, IntPredicate, MAX_OBJECT, Op, Origin, RmwOp, Terminator, Type, ValueId, too_large};

use super::context::{Cx, decide};
use super::{Machine, access, operations};
use crate::arith::rmw_operation;
use crate::budgets::BUDGETS;
use crate::code::{CalleeCode, Instr, Slot, SwitchAt};
use crate::domain::Domain;
use crate::memory::{ObjectKind, address};
use crate::observe::Observer;
use crate::scheduler::SchedulingPoint;
use crate::state::State;
use crate::stop::{DecisionKind, ErrorKind, PathEnd, Stop};
use crate::trace::{EventMode, EventObject};

impl<D: Domain> Machine<D> {
    /// Executes the current instruction of the current thread, with its effect on definedness.
    pub(super) fn special<O: Observer<D>>(&mut self, state: &mut State<D>, observer: &mut O) -> Result<(), Stop<D>> {
        let mut cx = self.cx(state, observer);
        let instr = cx.function().instrs[cx.frame().pc as usize];
        if !cx.thread.shadows.concern(cx.frame().base) && !reads_memory(instr) {
            return self.plain_special(state, observer, instr);
        }
        let (effect, depth) = (cx.effect()?, cx.thread.frames.len());
        let thread = state.current;
        self.plain_special(state, observer, instr)?;
        state.thread_mut(thread).shadows.done();
        if state.current == thread && state.current_frame().is_some() {
            self.cx(state, observer).apply(effect, depth);
        }
        Ok(())
    }

    fn plain_special<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        instr: Instr,
    ) -> Result<(), Stop<D>> {
        let mut cx = self.cx(state, observer);
        match instr {
            Instr::Call { call } => {
                let callee = cx.function().calls[call as usize].callee;
                match callee {
                    CalleeCode::Plain(func) | CalleeCode::Direct(func) => self.call(state, observer, func),
                    CalleeCode::Indirect(slot) => {
                        let func = cx.callee(slot)?;
                        self.call(state, observer, func)
                    }
                    CalleeCode::Intrinsic(intrinsic) => self.intrinsic(state, observer, intrinsic),
                }
            }
            Instr::ReturnNone | Instr::ReturnOne { .. } | Instr::ReturnMany { .. } => {
                if cx.frame().is_any {
                    return Err(Stop::End(Box::new(PathEnd::GoesRound)));
                }
                if cx.frame().is_folded {
                    return self.folded_return(state, observer, None);
                }
                let values = cx.returned(instr);
                self.bottom_return(state, observer, values)
            }
            Instr::Load { .. } | Instr::Store { .. } | Instr::AtomicRmw { .. } | Instr::CompareExchange { .. } => {
                self.atomic(state, observer, instr)
            }
            Instr::Alloca { ty, dst, count, size } => cx.alloca(dst, (count, ty), size),
            Instr::Fence => {
                cx.advance();
                Ok(())
            }
            Instr::MemCopy { may_overlap, to, from, bytes } => {
                let (to, from) = (cx.get(to), cx.get(from));
                cx.copy_some(&to, &from, bytes, may_overlap)?;
                cx.advance();
                Ok(())
            }
            Instr::MemSet { to, byte, bytes } => {
                let (to, byte) = (cx.get(to), cx.get(byte));
                cx.fill_some(&to, &byte, bytes)?;
                cx.advance();
                Ok(())
            }
            Instr::VaStart { list } => cx.va_start(list),
            Instr::VaCopy { to, from } => {
                let (to, from) = (cx.get(to), cx.get(from));
                cx.copy(&to, &from, 24, true)?;
                cx.advance();
                Ok(())
            }
            Instr::Trap => Err(Stop::Fault { kind: ErrorKind::Unreachable, message: "trap".to_owned() }),
            Instr::Unreachable => {
                let message = "code that the compiler assumes is never reached".to_owned();
                Err(Stop::Fault { kind: ErrorKind::Unreachable, message })
            }
            Instr::Marker => self.marker(state, observer),
            Instr::Forget => self.forget_loop(state, observer),
            // The state that follows is one of those that was forgotten.
            Instr::GoesRound => {
                let point = cx.point();
                match self.options.marks.abstractions.endless.contains(&(point.func, point.block)) {
                    true => self.goes_round_for_ever(state, observer),
                    false => Err(Stop::End(Box::new(PathEnd::GoesRound))),
                }
            }
            Instr::Unsupported => Err(Stop::Unsupported { what: cx.unsupported_text() }),
            Instr::Binary { .. }
            | Instr::Unary { .. }
            | Instr::Cast { .. }
            | Instr::IntCompare { .. }
            | Instr::FloatCompare { .. }
            | Instr::Overflow { .. }
            | Instr::Select { .. }
            | Instr::FunnelShift { .. }
            | Instr::Offset { .. }
            | Instr::Index { .. }
            | Instr::Jump { .. }
            | Instr::Branch { .. }
            | Instr::Undefined => unreachable!("the fast loop executes these"),
        }
    }

    /// Calls a function that may be undefined, or differ from what the caller declared.
    fn call<O: Observer<D>>(&mut self, state: &mut State<D>, observer: &mut O, func: FuncId) -> Result<(), Stop<D>> {
        if self.code.functions[func].is_declaration() {
            return self.undefined(state, observer, func);
        }
        let mut cx = self.cx(state, observer);
        if cx.options.marks.abstractions.replaces_call(cx.point(), func) {
            return self.forget_call(state, observer, func);
        }
        let call = cx.current_call();
        let args: Vec<_> = call.args.iter().zip(&call.arg_types).map(|(&slot, &ty)| (cx.get(slot), ty)).collect();
        if call.is_tail && cx.is_replaceable(func, &args) {
            cx.pop_frame();
        }
        let functions = &cx.heap.program().functions;
        let switches = cx.options.marks.switches_at(&functions[cx.frame().func], &functions[func]);
        cx.call_with(func, &args)?;
        cx.entered();
        match switches {
            Some(SwitchAt::Synchronisation) => self.reschedule(state, observer, SchedulingPoint::Yield),
            Some(SwitchAt::Exit) => self.reschedule(state, observer, SchedulingPoint::Exit),
            None => Ok(()),
        }
    }

    /// Atomic accesses: memory accesses that are nodes of the schedule when the program itself makes them.
    fn atomic<O: Observer<D>>(&mut self, state: &mut State<D>, observer: &mut O, instr: Instr) -> Result<(), Stop<D>> {
        let mut cx = self.cx(state, observer);
        let (slot, mode, operation) = match instr {
            Instr::Load { address, .. } => (address, EventMode::Shared, "atomic load"),
            Instr::Store { address, .. } => (address, EventMode::Exclusive, "atomic store"),
            Instr::AtomicRmw { address, .. } => (address, EventMode::Exclusive, "atomic update"),
            Instr::CompareExchange { address, .. } => (address, EventMode::Exclusive, "atomic compare-exchange"),
            _ => unreachable!("not an atomic access"),
        };
        let by_program = cx.function().origin == Origin::Program;
        let object = if by_program { cx.constant(slot, DecisionKind::SyncAddress)? } else { 0 };
        let (frame, inst) = (cx.frame().id, cx.point().inst);
        cx.atomic_access(instr)?;
        if O::ENABLED {
            cx.observer.atomic(frame, inst);
        }
        if by_program && state.record_events {
            let thread = state.current;
            let mut stack = state.stack(&self.code, thread);
            // The access is done, so the frame is already behind it.
            if let Some(last) = stack.0.last_mut() {
                last.inst = inst;
            }
            self.record(state, thread, (operation, stack), (EventObject::At(object), None), mode);
        }
        state.atomics_since_switch += 1;
        if state.atomics_since_switch >= BUDGETS.scheduling_points {
            self.reschedule(state, observer, SchedulingPoint::Fairness)?;
        }
        Ok(())
    }
}

/// Whether an atomic instruction reads memory, which may be undefined.
fn reads_memory(instr: Instr) -> bool {
    matches!(instr, Instr::Load { .. } | Instr::AtomicRmw { .. } | Instr::CompareExchange { .. })
}

impl<D: Domain, O: Observer<D>> Cx<'_, D, O> {
    fn unsupported_text(&self) -> String {
        let point = self.point();
        let block = &self.heap.program().functions[point.func].blocks[point.block];
        match block.insts.get(point.inst as usize).map(|i| &i.op) {
            Some(Op::Unsupported { text }) => text.clone(),
            Some(_) => "instruction".to_owned(),
            None => match &block.terminator {
                Terminator::Unsupported { text } => text.clone(),
                _ => "terminator".to_owned(),
            },
        }
    }

    fn alloca(&mut self, dst: Slot, (count, ty): (Slot, Type), size: u64) -> Result<(), Stop<D>> {
        let limit = self.options.max_stack_bytes;
        let message = || format!("the thread's stack exceeds {} MiB", limit >> 20);
        let fault = || Stop::Fault { kind: ErrorKind::StackOverflow, message: message() };
        let value = self.get(count);
        // One decision says that there is room: each size without is none of its own.
        if D::as_constant(&value).is_none() && size > 0 {
            let most = D::constant(limit.saturating_sub(self.thread.stack_bytes) / size);
            let fits = operations::int_compare(self.domain, IntPredicate::Ule, ty, &value, &most);
            match decide(self.domain, self.path, &fits, self.heap.decides(DecisionKind::InBounds)) {
                Ok(true) => {}
                Ok(false) => return Err(fault()),
                Err(stop) => return Err(operations::explain(stop, ErrorKind::StackOverflow, &message())),
            }
        }
        let count = self.constant(count, DecisionKind::Concretise)?;
        let bytes = size.checked_mul(count);
        if let Some(bytes) = bytes.filter(|&bytes| bytes > MAX_OBJECT) {
            return Err(Stop::Unsupported { what: too_large("a local", Some(bytes)) });
        }
        let bytes = bytes.filter(|&b| b.saturating_add(self.thread.stack_bytes) <= limit);
        let Some(bytes) = bytes else { return Err(fault()) };
        let (point, frame) = (self.point(), self.frame().id);
        let value = <ValueId as icsched_ir::EntityId>::from_index(dst as usize);
        let kind = ObjectKind::Stack { frame, func: point.func, value };
        let object = self.heap.allocate_undefined(kind, bytes, Some(point));
        if O::ENABLED {
            self.observer.allocate(object, kind, Some((frame, point.inst)));
        }
        self.thread.stack_objects.push(object);
        self.thread.stack_bytes += bytes;
        self.set(dst, D::constant(address(object, 0)));
        self.advance();
        Ok(())
    }

    fn atomic_access(&mut self, instr: Instr) -> Result<(), Stop<D>> {
        match instr {
            Instr::Load { ty, dst, address, .. } => {
                let old = self.load(address, ty)?;
                self.set(dst, old);
            }
            Instr::Store { ty, address, value, .. } => {
                let value = self.get(value);
                self.store(address, &value, ty)?;
            }
            Instr::AtomicRmw { op, ty, dst, address, value } => {
                self.require_writable(address, ty)?;
                let old = self.load(address, ty)?;
                let value = self.get(value);
                let new = self.updated(op, ty, &old, &value)?;
                self.store(address, &new, ty)?;
                self.set(dst, old);
            }
            Instr::CompareExchange { ty, dst, address, expected, new } => {
                self.require_writable(address, ty)?;
                let old = self.load(address, ty)?;
                let (expected, new) = (self.get(expected), self.get(new));
                let equal = operations::int_compare(self.domain, IntPredicate::Eq, ty, &old, &expected);
                match D::as_constant(&equal) {
                    Some(0) => {}
                    Some(_) => self.store(address, &new, ty)?,
                    None => {
                        let value = operations::select(self.domain, ty, &equal, &new, &old);
                        self.store(address, &value, ty)?;
                    }
                }
                self.set(dst, old);
            }
            _ => unreachable!("not an atomic access"),
        }
        self.advance();
        Ok(())
    }

    /// What an update asks of its address, before any part of it is done. The processor wants to write even if a
    /// comparison fails.
    fn require_writable(&mut self, address: Slot, ty: Type) -> Result<(), Stop<D>> {
        let address = self.get(address);
        access::targets(self.domain, self.heap, self.path, &address, u64::from(ty.bytes()), true).map(drop)
    }

    fn updated(&mut self, op: RmwOp, ty: Type, old: &D::Value, value: &D::Value) -> Result<D::Value, Stop<D>> {
        if op == RmwOp::Xchg {
            return Ok(value.clone());
        }
        if let Some(op) = rmw_operation(op) {
            return operations::binary(self.domain, self.path, op, ty, old, value);
        }
        let both = operations::binary(self.domain, self.path, icsched_ir::BinOp::And, ty, old, value)?;
        operations::binary(self.domain, self.path, icsched_ir::BinOp::Xor, ty, &both, &D::constant(ty.mask()))
    }

    fn load(&mut self, address: Slot, ty: Type) -> Result<D::Value, Stop<D>> {
        let address = self.get(address);
        let (value, regions) = access::load(self.domain, self.heap, self.path, &address, ty)?;
        self.loaded(regions);
        Ok(value)
    }

    fn store(&mut self, address: Slot, value: &D::Value, ty: Type) -> Result<(), Stop<D>> {
        let address = self.get(address);
        let regions = access::store(self.domain, self.heap, self.path, &address, value, ty)?;
        self.stored(regions);
        Ok(())
    }
}

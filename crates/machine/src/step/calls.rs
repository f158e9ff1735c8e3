//! Calls and returns: frames, arguments, variable arguments, undefined functions.

use icsched_ir::{EntityId as _, FuncId, ProgramPoint, Type};

use super::context::{Cx, resize};
use super::straight::thread_local;
use crate::code::{CallCode, Slot};
use crate::domain::Domain;
use crate::memory::{AddressClass, Death, ObjectKind, address, classify};
use crate::observe::Observer;
use crate::shadow::{Shadow, Source};
use crate::stop::{DecisionKind, ErrorKind, Stop};
use crate::thread::{Frame, FrameId};
use crate::trace::FrameInfo;

/// Bytes per variable argument in memory (System V ABI, overflow area).
const VARARG: u64 = 8;

/// What the ABI's `va_list` says when all register arguments are used up, so that the code that clang generates for
/// `va_arg` reads from the overflow area.
const GP_OFFSET_END: u32 = 48;
const FP_OFFSET_END: u32 = 176;

impl<'a, D: Domain, O: Observer<D>> Cx<'a, D, O> {
    /// Pushes an activation with its constants; parameters are still to be set.
    pub(super) fn push_frame(&mut self, func: FuncId) -> Result<(), Stop<D>> {
        if self.thread.frames.len() >= self.options.max_frames {
            return Err(self.too_deep());
        }
        let function = &self.code.functions[func];
        let base = self.thread.registers.len();
        self.thread.registers.resize(base + function.registers as usize, D::constant(0));
        self.thread.registers.extend(function.constants.iter().map(|&bits| D::constant(bits)));
        for &(slot, global, offset) in &function.thread_locals {
            let is_new = self.thread.thread_locals[global.index()].is_none();
            let object = thread_local(self.heap, self.thread, global);
            if O::ENABLED && is_new {
                self.observer.allocate(object, ObjectKind::ThreadLocal(global, self.thread.id), None);
            }
            self.thread.registers[base + slot as usize] = D::constant(address(object, offset as u64));
        }
        let id = FrameId(*self.next_frame);
        *self.next_frame += 1;
        self.thread.frames.push(Frame {
            id,
            func,
            base: u32::try_from(base).expect("registers are bounded by the call depth"),
            pc: 0,
            first_object: u32::try_from(self.thread.stack_objects.len()).expect("stack objects are bounded"),
            varargs: None,
            is_folded: false,
            is_any: false,
            is_unknown: false,
        });
        Ok(())
    }

    /// What it means that there are too many activations. Where they are kept, those whose calls were made in place of
    /// the rest of a function are among them, which take no stack in a run.
    fn too_deep(&self) -> Stop<D> {
        let is_tail = |frame: &Frame| {
            let function = &self.code.functions[frame.func];
            match function.instrs.get(frame.pc as usize) {
                Some(crate::code::Instr::Call { call }) => function.calls[*call as usize].is_tail,
                _ => false,
            }
        };
        let message = format!("more than {} nested calls", self.options.max_frames);
        match self.thread.frames.iter().any(is_tail) {
            true => Stop::Unsupported { what: format!("{message}, some of them `musttail`,") },
            false => Stop::Fault { kind: ErrorKind::StackOverflow, message },
        }
    }

    /// Whether the innermost activation can be gone while it calls a function in place of the rest of its own. Paths
    /// keep it: what follows is told by where calls return to.
    pub(super) fn is_replaceable(&self, func: FuncId, args: &[(D::Value, Type)]) -> bool {
        let function = &self.code.functions[func];
        let functions = &self.heap.program().functions;
        let fits = !function.varargs && function.param_types.iter().eq(args.iter().map(|(_, ty)| ty));
        let same_results = functions[func].results == functions[self.frame().func].results;
        let is_inner = self.thread.frames.len() > 1 && !self.thread.shadows.concern(self.frame().base);
        !D::SYMBOLIC && !O::ENABLED && fits && same_results && is_inner
    }

    /// Tells the observer that the innermost activation was entered from the one before it.
    pub(super) fn entered(&mut self) {
        if !O::ENABLED {
            return;
        }
        let frames = &self.thread.frames;
        let by = frames.len().checked_sub(2).map(|i| {
            let caller = &frames[i];
            (caller.id, self.code.point(caller.func, caller.pc))
        });
        self.announce(by, by.map(|(frame, point)| (frame, point.inst)));
    }

    /// Tells the observer that the innermost activation was entered.
    pub(super) fn announce(&mut self, caller: Option<(FrameId, ProgramPoint)>, by: Option<(FrameId, u32)>) {
        let (frame, func) = (self.frame().id, self.frame().func);
        self.observer.enter(frame, FrameInfo { thread: self.thread.id, func, caller }, by);
        let entry = self.code.functions[func].points[0].0;
        self.observer.block(frame, entry, None);
    }

    /// Pops the innermost activation; its locals die.
    pub(super) fn pop_frame(&mut self) {
        let frame = self.thread.frames.pop().expect("a thread that runs has a frame");
        self.cut_locals(frame.first_object as usize);
        self.thread.registers.truncate(frame.base as usize);
        self.thread.shadows.truncate(frame.base as usize);
        if O::ENABLED {
            self.observer.leave(frame.id);
        }
    }

    /// The innermost activation's locals behind the first `mark` of the thread die.
    pub(super) fn cut_stack(&mut self, mark: usize) {
        self.cut_locals(mark.max(self.frame().first_object as usize));
    }

    fn cut_locals(&mut self, first: usize) {
        while self.thread.stack_objects.len() > first {
            let Some(object) = self.thread.stack_objects.pop() else { break };
            self.thread.stack_bytes -= self.heap.object(object).map_or(0, |o| o.size);
            self.heap.kill(object, Death::Returned, None);
        }
    }

    /// The innermost activation is at a call that has returned these values: stores them and goes on behind the call.
    /// Missing ones (a function that was declared with another type) are undefined.
    pub(super) fn give_results(&mut self, values: Vec<(D::Value, Type)>) -> Result<(), Stop<D>> {
        let call = self.current_call();
        let mut values = values.into_iter();
        for (&slot, &ty) in call.results.iter().zip(&call.result_types) {
            let value = match values.next() {
                Some((value, from)) => resize(self.domain, &value, from, ty)?,
                None => {
                    let shadow = Shadow { mask: ty.mask(), source: Source::Unknown };
                    self.set_shadow(slot, shadow);
                    D::constant(0)
                }
            };
            self.set(slot, value);
        }
        self.advance();
        Ok(())
    }

    /// The call that the innermost activation is at.
    pub(super) fn current_call(&self) -> &'a CallCode {
        let frame = self.frame();
        let function = &self.code.functions[frame.func];
        match function.instrs[frame.pc as usize] {
            crate::code::Instr::Call { call } => &function.calls[call as usize],
            _ => unreachable!("results are given to calls only"),
        }
    }

    /// The function behind a function pointer.
    pub(super) fn callee(&mut self, slot: Slot) -> Result<FuncId, Stop<D>> {
        let bits = self.constant(slot, DecisionKind::CallTarget)?;
        self.function_at(bits)
    }

    /// The function with this address.
    pub(super) fn function_at(&self, bits: u64) -> Result<FuncId, Stop<D>> {
        let (kind, message) = match classify(bits) {
            AddressClass::Function(func) if self.code.functions.get(func).is_some() => return Ok(func),
            AddressClass::Null => (ErrorKind::NullPointer, "call through a null function pointer".to_owned()),
            AddressClass::Function(_) | AddressClass::Object(..) | AddressClass::Other => {
                (ErrorKind::BadCall, format!("call of {}, which is not a function", self.heap.name_of(bits)))
            }
        };
        Err(Stop::Fault { kind, message })
    }

    /// Calls a defined function with these arguments, whatever types the caller thinks it has. The frame is pushed
    /// and not yet announced to the observer.
    pub(super) fn call_with(&mut self, func: FuncId, args: &[(D::Value, Type)]) -> Result<(), Stop<D>> {
        let function = &self.code.functions[func];
        if args.len() < function.params.len() {
            let message = format!(
                "`{}` has {} parameters but is called with {} arguments",
                self.heap.program().functions[func].name,
                function.params.len(),
                args.len()
            );
            return Err(Stop::Fault { kind: ErrorKind::BadCall, message });
        }
        let mut values = Vec::with_capacity(function.params.len());
        for (&to, (value, from)) in function.param_types.iter().zip(args) {
            let float = |ty: Type| matches!(ty, Type::F32 | Type::F64);
            if float(to) != float(*from) || (float(to) && to != *from) {
                let name = &self.heap.program().functions[func].name;
                let message = format!("`{name}` expects an argument of type {to} and gets one of type {from}");
                return Err(Stop::Fault { kind: ErrorKind::BadCall, message });
            }
            values.push(resize(self.domain, value, *from, to)?);
        }
        self.push_frame(func)?;
        for (&slot, value) in function.params.iter().zip(values) {
            self.set(slot, value);
        }
        if function.varargs {
            self.variable_arguments(&args[function.params.len()..]);
        }
        Ok(())
    }

    /// Lays the variable arguments out in memory.
    fn variable_arguments(&mut self, args: &[(D::Value, Type)]) {
        let frame = self.frame().id;
        let size = args.len() as u64 * VARARG;
        let area = self.heap.allocate(ObjectKind::VarArgs(frame), size, None);
        for ((value, ty), offset) in args.iter().zip((0..).step_by(8)) {
            let bytes = super::bytes::split(self.domain, value, ty.bytes());
            self.heap.set_bytes(self.domain, area, offset, &bytes);
        }
        if O::ENABLED {
            self.observer.allocate(area, ObjectKind::VarArgs(frame), None);
        }
        self.thread.stack_objects.push(area);
        self.thread.stack_bytes += size;
        self.thread.frames.last_mut().expect("just pushed").varargs = Some(area);
    }

    /// [`icsched_ir::Op::VaStart`].
    pub(super) fn va_start(&mut self, list: Slot) -> Result<(), Stop<D>> {
        let to = self.get(list);
        let area = self.frame().varargs.map_or(0, |area| address(area, 0));
        let low = u64::from(FP_OFFSET_END) << 32 | u64::from(GP_OFFSET_END);
        let mut regions = crate::trace::Regions::new();
        for (word, offset) in [low, area, 0].into_iter().zip((0..).step_by(8)) {
            let at = super::operations::add(self.domain, &to, &D::constant(offset))?;
            let word = D::constant(word);
            let ty = Type::Int(64);
            regions.extend(super::access::store(self.domain, self.heap, self.path, &at, &word, ty)?);
        }
        self.stored(regions);
        self.advance();
        Ok(())
    }
}

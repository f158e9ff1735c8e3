//! The step function: what each instruction does (Bergan 2.3.1, 2.4.1).
//!
//! One loop executes the instructions of one thread for as long as they concern nobody else; the rest is in
//! [`special`](super::special). Constants are computed on here, the domain sees the others.

use std::rc::Rc;

use super::access::{self, read_word, write_word};
use super::bytes::exactly;
use super::context::{Cx, decide};
use super::indeterminate;
use super::operations::{self, int_compare, select};
use icsched_ir::{EntityId, GlobalId, Origin, Type};

use crate::arith;
use crate::code::{CalleeCode, FunctionCode, Instr, Slot};
use crate::domain::Domain;
use crate::memory::{Heap, ObjectId, ObjectKind, split};
use crate::observe::Observer;
use crate::stop::{DecisionKind, Stop};
use crate::thread::Thread;
use crate::trace::BranchSide;

/// Why the loop was left without an error.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Pause {
    /// The budget is used up.
    Budget,
    /// The next instruction needs more than its thread.
    Special,
    /// The next instruction is a sum that recording begins with.
    Unrecorded,
}

/// Whether an instruction other than a call or return is left to the machine.
pub(super) fn is_special(instr: Instr) -> bool {
    match instr {
        Instr::Load { atomic: true, .. }
        | Instr::Store { atomic: true, .. }
        | Instr::Alloca { .. }
        | Instr::AtomicRmw { .. }
        | Instr::CompareExchange { .. }
        | Instr::Fence
        | Instr::MemCopy { .. }
        | Instr::MemSet { .. }
        | Instr::VaStart { .. }
        | Instr::VaCopy { .. }
        | Instr::Trap
        | Instr::Unreachable
        | Instr::GoesRound
        | Instr::Forget
        | Instr::Marker
        | Instr::Unsupported => true,
        Instr::Load { atomic: false, .. }
        | Instr::Store { atomic: false, .. }
        | Instr::Binary { .. }
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
        | Instr::ReturnNone
        | Instr::ReturnOne { .. }
        | Instr::ReturnMany { .. }
        | Instr::Call { .. }
        | Instr::Undefined => false,
    }
}

/// Why the straight loop of one activation was left.
enum Next {
    Pause(Pause),
    /// A plain call; index into [`FunctionCode::calls`].
    Call(u32),
    /// A return.
    Return(Instr),
    /// The next instruction reads what is undefined.
    Undefined,
}

impl<D: Domain, O: Observer<D>> Cx<'_, D, O> {
    /// Executes at most `left` instructions of the current thread, and counts them down.
    pub(super) fn execute(&mut self, left: &mut u64) -> Result<Pause, Stop<D>> {
        loop {
            if self.thread.shadows.concern(self.frame().base) {
                if self.unconcerned(left) {
                    continue;
                }
                match self.careful(left)? {
                    Some(pause) => return Ok(pause),
                    None => continue,
                }
            }
            self.fast(left);
            if *left == 0 {
                return Ok(Pause::Budget);
            }
            let mut one = 1;
            let next = self.straight(&mut one);
            *left -= 1 - one;
            match next? {
                Next::Pause(Pause::Budget) => {}
                Next::Undefined => self.thread.shadows.expect(),
                Next::Pause(pause) => return Ok(pause),
                Next::Call(call) => self.plain_call(call)?,
                Next::Return(_) if self.thread.returns_elsewhere() => {
                    *left += 1;
                    return Ok(Pause::Special);
                }
                Next::Return(instr) => self.plain_return(instr)?,
            }
        }
    }

    /// Executes one instruction that concerns nobody else and whose effect on definedness is dealt with.
    pub(super) fn one(&mut self, left: &mut u64) -> Result<(), Stop<D>> {
        match self.straight(left)? {
            Next::Pause(Pause::Budget) => Ok(()),
            Next::Call(call) => self.plain_call(call),
            Next::Return(instr) => self.plain_return(instr),
            Next::Pause(Pause::Special | Pause::Unrecorded) | Next::Undefined => unreachable!("left to others before"),
        }
    }

    /// Executes instructions of the innermost activation until control leaves it.
    fn straight(&mut self, left: &mut u64) -> Result<Next, Stop<D>> {
        let code = self.code;
        let frame = self.thread.frames.last().expect("a thread that runs has a frame");
        let (function, base) = (&code.functions[frame.func], frame.base as usize);
        let mut pc = frame.pc;
        let result = self.instructions(function, base, &mut pc, left);
        self.thread.frames.last_mut().expect("a thread that runs has a frame").pc = pc;
        result
    }

    #[inline(always)]
    #[allow(clippy::too_many_lines, reason = "a flat table of instructions")]
    fn instructions(
        &mut self,
        function: &FunctionCode,
        base: usize,
        at: &mut u32,
        left: &mut u64,
    ) -> Result<Next, Stop<D>> {
        let (domain, heap, path): (&mut D, &mut Heap<D>, &D::Path) = (self.domain, self.heap, self.path);
        let (thread, observer): (&mut Thread<D>, &mut O) = (self.thread, self.observer);
        let frame = thread.frames.last().expect("a thread that runs has a frame").id;
        let careful = thread.shadows.concern(base as u32);
        // Models access more at constant offsets than they write.
        let by_program = function.origin == Origin::Program;
        let registers = &mut thread.registers[base..];
        let mut pc = *at;
        let mut fuel = *left;
        macro_rules! get {
            ($slot:expr) => {
                &registers[$slot as usize]
            };
        }
        macro_rules! set {
            ($slot:expr, $value:expr) => {{
                let value = $value;
                registers[$slot as usize] = value;
            }};
        }
        macro_rules! leave {
            ($result:expr) => {{
                *at = pc;
                *left = fuel;
                return $result;
            }};
        }
        macro_rules! ok {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(stop) => leave!(Err(stop)),
                }
            };
        }
        macro_rules! observed {
            () => {
                O::ENABLED && observer.is_active()
            };
        }
        macro_rules! go {
            ($edge:expr) => {{
                let edge = &function.edges[$edge as usize];
                for &(dst, src) in &function.moves[edge.moves.start as usize..edge.moves.end as usize] {
                    set!(dst, get!(src).clone());
                }
                if O::ENABLED {
                    if edge.is_choice {
                        let (func, from, to) = (function.id, edge.from, edge.target);
                        observer.branch(BranchSide { func, from, to, is_else: edge.is_else });
                    }
                    observer.block(frame, edge.target, Some((edge.from, edge.is_else)));
                }
                pc = edge.pc;
            }};
        }
        loop {
            if fuel == 0 {
                leave!(Ok(Next::Pause(Pause::Budget)));
            }
            match function.instrs[pc as usize] {
                Instr::Binary { op, no_wrap, ty, dst, a, b } => {
                    let (a, b) = (get!(a), get!(b));
                    let value = match (D::as_constant(a), D::as_constant(b)) {
                        (Some(x), Some(y)) => match arith::binary(op, ty, x, y) {
                            Ok(bits) => D::constant(bits),
                            Err(error) => ok!(failed_division(domain, heap, operations::fault(error), a, ty)),
                        },
                        _ => {
                            if no_wrap && observed!() {
                                observer.sum(frame, function.points[pc as usize].1, [a.clone(), b.clone()]);
                            }
                            if no_wrap && O::ENABLED && !careful && observer.waits() && !domain.knows_objects() {
                                leave!(Ok(Next::Pause(Pause::Unrecorded)));
                            }
                            match operations::any_binary(
                                domain,
                                path,
                                heap.decides(DecisionKind::Divisor),
                                (op, ty),
                                a,
                                b,
                            ) {
                                Ok(value) => value,
                                Err(stop) => ok!(failed_division(domain, heap, stop, a, ty)),
                            }
                        }
                    };
                    set!(dst, value);
                }
                Instr::Unary { op, ty, dst, a } => {
                    let a = get!(a);
                    let value = match D::as_constant(a) {
                        Some(x) => D::constant(arith::unary(op, ty, x)),
                        None => ok!(domain.unary(op, ty, a)),
                    };
                    set!(dst, value);
                }
                Instr::Cast { op, from, to, dst, a } => {
                    let a = get!(a);
                    let value = match D::as_constant(a) {
                        Some(x) => D::constant(arith::cast(op, from, to, x)),
                        None => ok!(domain.cast(op, from, to, a)),
                    };
                    set!(dst, value);
                }
                Instr::IntCompare { predicate, ty, dst, a, b } => {
                    set!(dst, int_compare(domain, predicate, ty, get!(a), get!(b)));
                }
                Instr::FloatCompare { predicate, ty, dst, a, b } => {
                    let (a, b) = (get!(a), get!(b));
                    let value = match (D::as_constant(a), D::as_constant(b)) {
                        (Some(x), Some(y)) => D::constant(u64::from(arith::float_compare(predicate, ty, x, y))),
                        _ => domain.float_compare(predicate, ty, a, b),
                    };
                    set!(dst, value);
                }
                Instr::Overflow { op, ty, dst, a, b } => {
                    let (a, b) = (get!(a), get!(b));
                    let value = match (D::as_constant(a), D::as_constant(b)) {
                        (Some(x), Some(y)) => D::constant(u64::from(arith::overflow(op, ty, x, y))),
                        _ => domain.overflow(op, ty, a, b),
                    };
                    set!(dst, value);
                }
                Instr::Select { ty, dst, condition, a, b } => {
                    set!(dst, select(domain, ty, get!(condition), get!(a), get!(b)));
                }
                Instr::FunnelShift { left, ty, dst, hi, lo, amount } => {
                    let values = [get!(hi), get!(lo), get!(amount)];
                    set!(dst, ok!(operations::funnel_shift(domain, path, left, ty, values)));
                }
                Instr::Offset { dst, base, offset } => {
                    let base = get!(base);
                    let value = match D::as_constant(base) {
                        Some(x) => D::constant(x.wrapping_add(offset as u64)),
                        None => ok!(operations::add(domain, base, &D::constant(offset as u64))),
                    };
                    set!(dst, value);
                }
                Instr::Index { dst, base, index, scale } => {
                    let (base, mut index) = (get!(base), get!(index));
                    let mut shown = None;
                    if D::as_constant(index).is_none()
                        && let Some(elements) = function.subscript(pc)
                    {
                        if domain.subscripts_are_in_range() {
                            ok!(operations::in_range(domain, path, index, elements));
                        }
                        shown = domain.as_subscript(index, elements);
                    }
                    index = shown.as_ref().unwrap_or(index);
                    let value = match (D::as_constant(base), D::as_constant(index)) {
                        (Some(x), Some(i)) => D::constant(x.wrapping_add(i.wrapping_mul(scale as u64))),
                        _ => ok!(operations::index(domain, base, index, scale)),
                    };
                    set!(dst, value);
                }
                Instr::Load { ty, atomic: false, dst, address } => {
                    let address = get!(address);
                    let plain = D::as_constant(address).and_then(|a| Some((a, read_word(heap, a, ty)?)));
                    let (value, regions) = match plain {
                        Some((_, bits)) if !observed!() => (D::constant(bits), None),
                        Some((a, bits)) => {
                            let (object, offset) = split(a);
                            (D::constant(bits), Some(exactly(object, offset as u64, u64::from(ty.bytes()))))
                        }
                        None if !careful && ok!(access::may_be_undefined(domain, heap, path, address, ty)) => {
                            leave!(Ok(Next::Undefined));
                        }
                        None => {
                            if heap.continues() && (by_program || D::as_constant(address).is_none()) {
                                let n = u64::from(ty.bytes());
                                ok!(access::suspect(domain, heap, path, address, (&D::constant(n), n), false));
                            }
                            let (value, regions) = ok!(access::load(domain, heap, path, address, ty));
                            (value, Some(regions))
                        }
                    };
                    if O::ENABLED
                        && let Some(regions) = regions
                    {
                        observer.load(frame, function.points[pc as usize].1, regions);
                    }
                    set!(dst, value);
                }
                Instr::Store { ty, atomic: false, address, value } => {
                    let (address, value) = (get!(address), get!(value));
                    let plain = match (D::as_constant(address), D::as_constant(value)) {
                        (Some(a), Some(bits)) if write_word(heap, a, ty, bits) => Some(a),
                        _ => None,
                    };
                    let regions = match plain {
                        Some(_) if !observed!() => None,
                        Some(a) => {
                            let (object, offset) = split(a);
                            Some(exactly(object, offset as u64, u64::from(ty.bytes())))
                        }
                        None => {
                            if heap.continues() && (by_program || D::as_constant(address).is_none()) {
                                let n = u64::from(ty.bytes());
                                ok!(access::suspect(domain, heap, path, address, (&D::constant(n), n), true));
                            }
                            Some(ok!(access::store(domain, heap, path, address, value, ty)))
                        }
                    };
                    if O::ENABLED
                        && let Some(regions) = regions
                    {
                        observer.store(frame, function.points[pc as usize].1, regions);
                    }
                }
                Instr::Jump { edge } => {
                    fuel -= 1;
                    go!(edge);
                    continue;
                }
                Instr::Branch { condition, then_edge, else_edge } => {
                    let taken = ok!(decide(domain, path, get!(condition), DecisionKind::Branch));
                    fuel -= 1;
                    go!(if taken { then_edge } else { else_edge });
                    continue;
                }
                Instr::Call { call } if matches!(function.calls[call as usize].callee, CalleeCode::Plain(_)) => {
                    fuel -= 1;
                    leave!(Ok(Next::Call(call)));
                }
                instr @ (Instr::ReturnNone | Instr::ReturnOne { .. } | Instr::ReturnMany { .. }) => {
                    fuel -= 1;
                    leave!(Ok(Next::Return(instr)));
                }
                Instr::Undefined => {
                    pc += 1;
                    leave!(Ok(Next::Undefined));
                }
                Instr::Load { atomic: true, .. }
                | Instr::Store { atomic: true, .. }
                | Instr::Call { .. }
                | Instr::Alloca { .. }
                | Instr::AtomicRmw { .. }
                | Instr::CompareExchange { .. }
                | Instr::Fence
                | Instr::MemCopy { .. }
                | Instr::MemSet { .. }
                | Instr::VaStart { .. }
                | Instr::VaCopy { .. }
                | Instr::Trap
                | Instr::Unreachable
                | Instr::GoesRound
                | Instr::Forget
                | Instr::Marker
                | Instr::Unsupported => leave!(Ok(Next::Pause(Pause::Special))),
            }
            fuel -= 1;
            pc += 1;
        }
    }

    /// A call of a function with exactly these parameters. Register-to-register copies only.
    pub(super) fn plain_call(&mut self, call: u32) -> Result<(), Stop<D>> {
        let code = self.code;
        let call = &self.function().calls[call as usize];
        let CalleeCode::Plain(func) = call.callee else { unreachable!("only plain calls come here") };
        let caller = self.frame().base as usize;
        self.push_frame(func)?;
        let base = self.frame().base as usize;
        let registers = &mut self.thread.registers;
        for (&param, &arg) in code.functions[func].params.iter().zip(&call.args) {
            registers[base + param as usize] = registers[caller + arg as usize].clone();
        }
        self.entered();
        Ok(())
    }

    /// A return to a caller within the thread.
    fn plain_return(&mut self, instr: Instr) -> Result<(), Stop<D>> {
        let code = self.code;
        if self.thread.has_open(self.frame().id) {
            return self.library_return(instr);
        }
        if let Instr::ReturnOne { value } = instr {
            let caller = &self.thread.frames[self.thread.frames.len() - 2];
            let Instr::Call { call } = code.functions[caller.func].instrs[caller.pc as usize] else {
                unreachable!("a frame that is not the innermost one is at a call")
            };
            let call = &code.functions[caller.func].calls[call as usize];
            if let (CalleeCode::Plain(_), [result]) = (call.callee, &*call.results) {
                let from = self.frame().base as usize + value as usize;
                let to = caller.base as usize + *result as usize;
                self.thread.registers[to] = self.thread.registers[from].clone();
                self.pop_frame();
                self.advance();
                return Ok(());
            }
        }
        let values = self.returned(instr);
        self.pop_frame();
        self.give_results(values)
    }

    /// The same out of a library call that has made nodes.
    fn library_return(&mut self, instr: Instr) -> Result<(), Stop<D>> {
        let values = self.returned(instr);
        let outcome = values.clone();
        self.pop_frame();
        self.give_results(values)?;
        self.thread.closes(&outcome);
        Ok(())
    }

    /// The values that a return instruction returns, with their types.
    pub(super) fn returned(&self, instr: Instr) -> Vec<(D::Value, Type)> {
        let slots: &[Slot] = match &instr {
            Instr::ReturnOne { value } => std::slice::from_ref(value),
            Instr::ReturnMany { list } => &self.function().lists[*list as usize],
            _ => &[],
        };
        let types = &self.heap.program().functions[self.frame().func].results;
        slots.iter().zip(types).map(|(&slot, &ty)| (self.get(slot), ty)).collect()
    }
}

/// The result of a division by zero, where the path goes on behind it.
fn failed_division<D: Domain>(
    domain: &mut D,
    heap: &mut Heap<D>,
    stop: Stop<D>,
    dividend: &D::Value,
    ty: Type,
) -> Result<D::Value, Stop<D>> {
    let name = format!("quotient of {}", domain.describe(dividend));
    indeterminate::result(domain, heap, stop, (&name, dividend), ty)
}

/// The thread-local instance's address of a global, made on first use.
pub(super) fn thread_local<D: Domain>(heap: &mut Heap<D>, thread: &mut Thread<D>, global: GlobalId) -> ObjectId {
    if let Some(object) = thread.thread_locals[global.index()] {
        return object;
    }
    let size = heap.program().globals[global].size;
    let object = heap.allocate(ObjectKind::ThreadLocal(global, thread.id), size, None);
    heap.initialise(object, global);
    Rc::make_mut(&mut thread.thread_locals)[global.index()] = Some(object);
    object
}

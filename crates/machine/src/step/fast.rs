//! The fast loop: instructions whose operands are constants, memory that is plain, calls and returns within the thread.
//!
//! Everything else it leaves to the loop of [`straight`](super::straight), which can do all that this one can and says
//! what is wrong; so nothing in here is an error. It leaves *before* the instruction, and the instruction has no effect
//! yet.
//!
//! Instructions are counted when a block is entered, and what was not executed is given back when the loop is left in
//! the middle of one.

use icsched_ir::{BinOp, BlockId, CastOp, IntPredicate, Type};

use super::access::{read_word, write_word};
use super::bytes::exactly;
use super::context::Cx;
use crate::arith;
use crate::code::FunctionCode;
use crate::code::fast::{Fast, Short};
use crate::domain::Domain;
use crate::memory::split;
use crate::observe::Observer;
use crate::thread::FrameId;
use crate::trace::BranchSide;

const I8: Type = Type::Int(8);
const I16: Type = Type::Int(16);
const I32: Type = Type::Int(32);
const I64: Type = Type::Int(64);

impl<D: Domain, O: Observer<D>> Cx<'_, D, O> {
    /// Executes instructions of the current thread until one needs more than this loop has, or the next block needs
    /// more than `left` instructions, and counts `left` down.
    #[allow(clippy::too_many_lines, reason = "a flat table of instructions")]
    pub(super) fn fast(&mut self, left: &mut u64) {
        let code = self.code;
        let mut fuel = *left;
        loop {
            let frame = self.thread.frames.last_mut().expect("a thread that runs has a frame");
            let function = &code.functions[frame.func];
            let (instrs, runs) = (&function.fast.instrs[..], &function.fast.runs[..]);
            let id = frame.id;
            let at = &mut frame.pc;
            let registers = &mut self.thread.registers[frame.base as usize..];
            let observed = O::ENABLED && self.observer.is_active();
            let mut pc = *at as usize;
            match runs.get(pc) {
                Some(&run) if u64::from(run) <= fuel => fuel -= u64::from(run),
                _ => {
                    *left = fuel;
                    return;
                }
            }
            // Where the loop is left: before the instruction at `pc`.
            macro_rules! slow {
                () => {{
                    *at = pc as u32;
                    *left = fuel + u64::from(runs[pc]);
                    return;
                }};
            }
            macro_rules! constant {
                ($slot:expr) => {
                    match D::as_constant(&registers[usize::from($slot)]) {
                        Some(bits) => bits,
                        None => slow!(),
                    }
                };
            }
            macro_rules! set {
                ($slot:expr, $bits:expr) => {{
                    let bits: u64 = $bits;
                    registers[usize::from($slot)] = D::constant(bits);
                    pc += 1;
                }};
            }
            macro_rules! copy {
                ($dst:expr, $src:expr) => {{
                    let value = registers[usize::from($src)].clone();
                    registers[usize::from($dst)] = value;
                }};
            }
            macro_rules! binary {
                ($op:expr, $ty:expr, $dst:expr, $a:expr, $b:expr) => {{
                    let (a, b) = (constant!($a), constant!($b));
                    match arith::binary($op, $ty, a, b) {
                        Ok(bits) => set!($dst, bits),
                        Err(_) => slow!(),
                    }
                }};
            }
            macro_rules! compare {
                ($predicate:expr, $ty:expr, $dst:expr, $a:expr, $b:expr) => {{
                    let (a, b) = (constant!($a), constant!($b));
                    set!($dst, u64::from(arith::int_compare($predicate, $ty, a, b)))
                }};
            }
            // To the start of a block, its parameters being set.
            macro_rules! enter {
                ($edge:expr, $target:expr) => {{
                    if O::ENABLED {
                        observe_block(self.observer, function, id, $edge);
                    }
                    pc = $target.pc as usize;
                    if fuel < u64::from($target.run) {
                        *at = $target.pc;
                        *left = fuel;
                        return;
                    }
                    fuel -= u64::from($target.run);
                }};
            }
            macro_rules! go {
                ($edge:expr) => {{
                    let edge = $edge;
                    let target = &function.fast.edges[edge as usize];
                    for &(dst, src) in &function.fast.moves[target.moves.0 as usize..target.moves.1 as usize] {
                        copy!(dst, src);
                    }
                    enter!(edge, target);
                }};
            }
            macro_rules! branch {
                ($predicate:expr, $ty:expr, $dst:expr, $a:expr, $b:expr, $then:expr, $else:expr) => {{
                    let (a, b) = (constant!($a), constant!($b));
                    let taken = arith::int_compare($predicate, $ty, a, b);
                    registers[usize::from($dst)] = D::constant(u64::from(taken));
                    go!(if taken { $then } else { $else });
                }};
            }
            macro_rules! load {
                ($ty:expr, $dst:expr, $address:expr) => {{
                    let address = constant!($address);
                    let Some(bits) = read_word(self.heap, address, $ty) else { slow!() };
                    if O::ENABLED && observed {
                        let (object, offset) = split(address);
                        let regions = exactly(object, offset as u64, u64::from($ty.bytes()));
                        self.observer.load(id, function.points[pc].1, regions);
                    }
                    set!($dst, bits);
                }};
            }
            macro_rules! store {
                ($ty:expr, $address:expr, $value:expr) => {{
                    let (address, bits) = (constant!($address), constant!($value));
                    if !write_word(self.heap, address, $ty, bits) {
                        slow!();
                    }
                    if O::ENABLED && observed {
                        let (object, offset) = split(address);
                        let regions = exactly(object, offset as u64, u64::from($ty.bytes()));
                        self.observer.store(id, function.points[pc].1, regions);
                    }
                    pc += 1;
                }};
            }
            let leave = loop {
                match instrs[pc] {
                    Fast::Slow => slow!(),
                    Fast::Add32(d, a, b) => binary!(BinOp::Add, I32, d, a, b),
                    Fast::Add64(d, a, b) => binary!(BinOp::Add, I64, d, a, b),
                    Fast::Sub32(d, a, b) => binary!(BinOp::Sub, I32, d, a, b),
                    Fast::Sub64(d, a, b) => binary!(BinOp::Sub, I64, d, a, b),
                    Fast::Mul32(d, a, b) => binary!(BinOp::Mul, I32, d, a, b),
                    Fast::Mul64(d, a, b) => binary!(BinOp::Mul, I64, d, a, b),
                    Fast::And(d, a, b) => binary!(BinOp::And, I64, d, a, b),
                    Fast::Or(d, a, b) => binary!(BinOp::Or, I64, d, a, b),
                    Fast::Xor(d, a, b) => binary!(BinOp::Xor, I64, d, a, b),
                    Fast::Shl32(d, a, b) => binary!(BinOp::Shl, I32, d, a, b),
                    Fast::Shl64(d, a, b) => binary!(BinOp::Shl, I64, d, a, b),
                    Fast::LShr32(d, a, b) => binary!(BinOp::LShr, I32, d, a, b),
                    Fast::LShr64(d, a, b) => binary!(BinOp::LShr, I64, d, a, b),
                    Fast::AShr32(d, a, b) => binary!(BinOp::AShr, I32, d, a, b),
                    Fast::AShr64(d, a, b) => binary!(BinOp::AShr, I64, d, a, b),
                    Fast::FAdd64(d, a, b) => binary!(BinOp::FAdd, Type::F64, d, a, b),
                    Fast::FSub64(d, a, b) => binary!(BinOp::FSub, Type::F64, d, a, b),
                    Fast::FMul64(d, a, b) => binary!(BinOp::FMul, Type::F64, d, a, b),
                    Fast::FDiv64(d, a, b) => binary!(BinOp::FDiv, Type::F64, d, a, b),
                    Fast::Binary { op, ty, dst, a, b } => {
                        let (a, b) = (constant!(a), constant!(b));
                        match any_binary(op, ty, a, b) {
                            Some(bits) => set!(dst, bits),
                            None => slow!(),
                        }
                    }
                    Fast::Unary { op, ty, dst, a } => {
                        let a = constant!(a);
                        set!(dst, arith::unary(op, ty, a));
                    }
                    Fast::Copy(d, a) => {
                        let a = constant!(a);
                        set!(d, a);
                    }
                    Fast::Trunc8(d, a) => {
                        let a = constant!(a);
                        set!(d, a & I8.mask());
                    }
                    Fast::Trunc32(d, a) => {
                        let a = constant!(a);
                        set!(d, a & I32.mask());
                    }
                    Fast::SExt32(d, a) => {
                        let a = constant!(a);
                        set!(d, arith::cast(CastOp::SExt, I32, I64, a));
                    }
                    Fast::Cast { op, from, to, dst, a } => {
                        let a = constant!(a);
                        set!(dst, arith::cast(op, from, to, a));
                    }
                    Fast::Eq(d, a, b) => compare!(IntPredicate::Eq, I64, d, a, b),
                    Fast::Ne(d, a, b) => compare!(IntPredicate::Ne, I64, d, a, b),
                    Fast::Ult(d, a, b) => compare!(IntPredicate::Ult, I64, d, a, b),
                    Fast::Ule(d, a, b) => compare!(IntPredicate::Ule, I64, d, a, b),
                    Fast::Slt32(d, a, b) => compare!(IntPredicate::Slt, I32, d, a, b),
                    Fast::Sle32(d, a, b) => compare!(IntPredicate::Sle, I32, d, a, b),
                    Fast::Slt64(d, a, b) => compare!(IntPredicate::Slt, I64, d, a, b),
                    Fast::Sle64(d, a, b) => compare!(IntPredicate::Sle, I64, d, a, b),
                    Fast::IntCompare { predicate, ty, dst, a, b } => compare!(predicate, ty, dst, a, b),
                    Fast::FloatCompare { predicate, ty, dst, a, b } => {
                        let (a, b) = (constant!(a), constant!(b));
                        set!(dst, u64::from(arith::float_compare(predicate, ty, a, b)));
                    }
                    Fast::Overflow { op, ty, dst, a, b } => {
                        let (a, b) = (constant!(a), constant!(b));
                        set!(dst, u64::from(arith::overflow(op, ty, a, b)));
                    }
                    Fast::Select { dst, condition, a, b } => {
                        let chosen = if constant!(condition) & 1 != 0 { a } else { b };
                        copy!(dst, chosen);
                        pc += 1;
                    }
                    Fast::Offset { dst, base, offset } => {
                        let base = constant!(base);
                        set!(dst, base.wrapping_add(offset as u64));
                    }
                    Fast::Index { dst, base, index, scale } => {
                        let (base, index) = (constant!(base), constant!(index));
                        set!(dst, base.wrapping_add(index.wrapping_mul(scale as u64)));
                    }
                    Fast::Load8(d, a) => load!(I8, d, a),
                    Fast::Load16(d, a) => load!(I16, d, a),
                    Fast::Load32(d, a) => load!(I32, d, a),
                    Fast::Load64(d, a) => load!(I64, d, a),
                    Fast::Store8(a, v) => store!(I8, a, v),
                    Fast::Store16(a, v) => store!(I16, a, v),
                    Fast::Store32(a, v) => store!(I32, a, v),
                    Fast::Store64(a, v) => store!(I64, a, v),
                    Fast::Jump0 { edge } => enter!(edge, &function.fast.edges[edge as usize]),
                    Fast::Jump1 { edge, dst, src } => {
                        copy!(dst, src);
                        enter!(edge, &function.fast.edges[edge as usize]);
                    }
                    Fast::Jump2 { edge, dst, src } => {
                        copy!(dst[0], src[0]);
                        copy!(dst[1], src[1]);
                        enter!(edge, &function.fast.edges[edge as usize]);
                    }
                    Fast::Jump { edge } => go!(edge),
                    Fast::Branch { condition, then_edge, else_edge } => {
                        go!(if constant!(condition) & 1 != 0 { then_edge } else { else_edge });
                    }
                    Fast::IfEq(d, a, b, t, e) => branch!(IntPredicate::Eq, I64, d, a, b, t, e),
                    Fast::IfNe(d, a, b, t, e) => branch!(IntPredicate::Ne, I64, d, a, b, t, e),
                    Fast::IfUlt(d, a, b, t, e) => branch!(IntPredicate::Ult, I64, d, a, b, t, e),
                    Fast::IfUle(d, a, b, t, e) => branch!(IntPredicate::Ule, I64, d, a, b, t, e),
                    Fast::IfSlt32(d, a, b, t, e) => branch!(IntPredicate::Slt, I32, d, a, b, t, e),
                    Fast::IfSle32(d, a, b, t, e) => branch!(IntPredicate::Sle, I32, d, a, b, t, e),
                    Fast::IfSlt64(d, a, b, t, e) => branch!(IntPredicate::Slt, I64, d, a, b, t, e),
                    Fast::IfSle64(d, a, b, t, e) => branch!(IntPredicate::Sle, I64, d, a, b, t, e),
                    Fast::Call { call } => break Leave::Call(call),
                    Fast::Return0 => break Leave::Return(None),
                    Fast::Return1 { value } => break Leave::Return(Some(value)),
                }
            };
            *at = pc as u32;
            let done = match leave {
                Leave::Call(call) => self.plain_call(call).is_ok(),
                Leave::Return(value) => self.fast_return(value),
            };
            if !done {
                *left = fuel + u64::from(runs[pc]);
                return;
            }
            fuel += u64::from(runs[pc]) - 1;
        }
    }
}

impl<D: Domain, O: Observer<D>> Cx<'_, D, O> {
    /// A return to a plain call in the same thread; false, and nothing done, if it is another one.
    fn fast_return(&mut self, value: Option<Short>) -> bool {
        let [.., caller, frame] = &self.thread.frames[..] else { return false };
        if frame.is_folded || self.thread.shadows.reach(caller.base) || self.thread.has_open(frame.id) {
            return false;
        }
        let function = &self.code.functions[caller.func];
        let Some(&Fast::Call { call }) = function.fast.instrs.get(caller.pc as usize) else { return false };
        match (value, &*function.calls[call as usize].results) {
            (None, []) => {}
            (Some(value), [result]) => {
                let (to, from) = (caller.base as usize + *result as usize, frame.base as usize + usize::from(value));
                let value = self.thread.registers[from].clone();
                self.thread.registers[to] = value;
            }
            (None, _) | (Some(_), _) => return false,
        }
        self.pop_frame();
        self.advance();
        true
    }
}

/// Why the loop over one activation was left.
enum Leave {
    /// Index into [`FunctionCode::calls`].
    Call(u32),
    Return(Option<Short>),
}

#[inline(never)]
fn any_binary(op: BinOp, ty: Type, a: u64, b: u64) -> Option<u64> {
    arith::binary(op, ty, a, b).ok()
}

#[inline(never)]
fn observe_block<D: Domain, O: Observer<D>>(observer: &mut O, function: &FunctionCode, frame: FrameId, edge: u32) {
    let edge = &function.edges[edge as usize];
    let (target, from): (BlockId, BlockId) = (edge.target, edge.from);
    if edge.is_choice {
        observer.branch(BranchSide { func: function.id, from, to: target, is_else: edge.is_else });
    }
    observer.block(frame, target, Some((from, edge.is_else)));
}

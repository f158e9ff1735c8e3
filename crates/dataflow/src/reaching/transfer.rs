//! The flow functions of figure 2.17, instruction by instruction.

use icsched_ir::{Access, BinOp, BlockId, Callee, Const, Inst, Op, Operand, Type, UnOp};

use super::facts::Facts;
use super::kill::touches_memory;
use super::solver::Solver;
use crate::budgets::BUDGETS;
use crate::code::{is_plain, never_returns};
use crate::expr::{Expr, ExprId};
use crate::place::Place;

/// The bytes of a type whose registers fill them.
fn whole_bytes(ty: Type) -> Option<u32> {
    (ty.bits() == 8 * ty.bytes()).then_some(ty.bytes())
}

impl Solver<'_, '_, '_> {
    /// Executes the instructions of a block in front of an index; whether control gets there.
    pub(crate) fn walk(&mut self, block: BlockId, end: usize, facts: &mut Facts) -> bool {
        let function = self.function;
        (0..end).all(|index| self.instruction(block, index, &function.blocks[block].insts[index], facts))
    }

    /// The facts in front of a point of the function that was solved; `None` if control does not get there.
    pub(crate) fn before(&mut self, block: BlockId, index: usize) -> Option<Facts> {
        let mut facts = self.inputs[block].clone()?;
        self.walk(block, index, &mut facts).then_some(facts)
    }

    /// Executes an instruction; whether control goes on behind it.
    pub(crate) fn instruction(&mut self, block: BlockId, index: usize, inst: &Inst, facts: &mut Facts) -> bool {
        match &inst.op {
            Op::Load { address, access } => {
                self.load(block, index, inst, (*address, *access), facts);
            }
            Op::Store { address, value, access } => {
                let bytes = whole_bytes(self.function.type_of(*value)).filter(|_| is_plain(*access));
                let value = self.operand(*value);
                self.kill(block, index, inst, facts);
                if let (Some(place), Some(value)) = (bytes.and_then(|n| self.place(*address, n)), value) {
                    facts.define(self.view, &self.frames, place, value);
                }
            }
            Op::MemCopy { to, from, bytes: Operand::Const(Const::Bits { bits, .. }), .. }
                if *bits <= BUDGETS.copied_bytes =>
            {
                let copied = self.copied(*to, *from, *bits, facts);
                self.kill(block, index, inst, facts);
                for (place, value) in copied {
                    facts.define(self.view, &self.frames, place, value);
                }
            }
            Op::Call { callee: callee @ (Callee::Direct(_) | Callee::Indirect(_)), args } => {
                return self.call(block, index, inst, (callee, args), facts);
            }
            Op::Trap => return false,
            op => {
                if touches_memory(self.function, op) {
                    self.kill(block, index, inst, facts);
                }
                let mut types = inst.results.iter().map(|&r| self.function.values[r].ty);
                let value = types.next_back().and_then(|ty| self.pure(op, ty));
                for &result in &inst.results {
                    self.set(result, value);
                }
                return !matches!(op, Op::Call { callee: Callee::Intrinsic(i), .. } if never_returns(*i));
            }
        }
        true
    }

    fn load(&mut self, block: BlockId, index: usize, inst: &Inst, from: (Operand, Access), facts: &mut Facts) {
        let [result] = inst.results[..] else { return };
        let ty = self.function.values[result].ty;
        let place = whole_bytes(ty).and_then(|bytes| self.place(from.0, bytes));
        if !is_plain(from.1) {
            self.kill(block, index, inst, facts);
            self.set(result, None);
            return;
        }
        let known = place.and_then(|place| facts.get(place).map(|f| f.value).or_else(|| self.view.initial(place)));
        self.set(result, known.filter(|&e| self.view.pool.width(e) == ty.bits()));
        if let (Some(place), None) = (place, known) {
            // The value is remembered, so that the next load gives the same.
            let value = self.symbol(result);
            facts.define(self.view, &self.frames, place, value);
        }
    }

    /// What a copy of memory makes known of its target.
    fn copied(&mut self, to: Operand, from: Operand, bytes: u64, facts: &Facts) -> Vec<(Place, ExprId)> {
        let length = u32::try_from(bytes).unwrap_or(0);
        let (Some(to), Some(from)) = (self.place(to, length), self.place(from, length)) else { return Vec::new() };
        let end = i128::from(from.offset) + i128::from(bytes);
        let inside = |p: &Place| {
            p.base == from.base && p.offset >= from.offset && i128::from(p.offset) + i128::from(p.bytes) <= end
        };
        let moved = |p: &Place| Place {
            base: to.base,
            offset: to.offset.wrapping_add(p.offset.wrapping_sub(from.offset)),
            bytes: p.bytes,
        };
        facts.iter().filter(|(p, _)| inside(p)).map(|(p, f)| (moved(p), f.value)).collect()
    }

    /// The value of an operation on registers alone whose result has type `ty`.
    fn pure(&mut self, op: &Op, ty: Type) -> Option<ExprId> {
        match *op {
            Op::Binary { op, a, b, .. } => {
                let (a, b) = (self.operand(a)?, self.operand(b)?);
                self.view.pool.binary(op, a, b)
            }
            Op::Unary { op, a } if is_integer(op) => {
                let a = self.operand(a)?;
                self.view.pool.checked(Expr::Unary { op, a })
            }
            Op::Cast { op, a } => {
                let a = self.operand(a)?;
                self.view.pool.cast(op, ty, a)
            }
            Op::IntCompare { predicate, a, b } => {
                let (a, b) = (self.operand(a)?, self.operand(b)?);
                self.view.pool.compare(predicate, a, b)
            }
            Op::Overflow { op, a, b } => {
                let (a, b) = (self.operand(a)?, self.operand(b)?);
                self.view.pool.checked(Expr::Overflow { op, a, b })
            }
            Op::Select { condition, a, b } => {
                let (condition, a, b) = (self.operand(condition)?, self.operand(a)?, self.operand(b)?);
                self.view.pool.select(condition, a, b)
            }
            Op::Address { base, offset, ref indices } => {
                let base = self.operand(base)?;
                let mut sum = self.view.pool.add(base, offset.cast_unsigned());
                for index in indices {
                    let e = self.operand(index.index)?;
                    let scale = self.view.pool.constant(64, index.scale.cast_unsigned());
                    let scaled = self.view.pool.binary(BinOp::Mul, e, scale)?;
                    sum = self.view.pool.binary(BinOp::Add, sum, scaled)?;
                }
                Some(sum)
            }
            _ => None,
        }
    }
}

fn is_integer(op: UnOp) -> bool {
    matches!(op, UnOp::CtPop | UnOp::CtLz | UnOp::CtTz | UnOp::BSwap | UnOp::BitReverse | UnOp::Abs)
}

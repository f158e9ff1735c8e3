//! What operands are and what instructions compute, as terms.

use icsched_ir::{
    BinOp, BlockId, CastOp, Const, Definition, Inst, IntPredicate, NoWrap, Op, Operand, ScaledIndex, Type, UnOp,
    ValueId,
};
use icsched_smt::{BinOp as TermOp, CmpOp, Term, TermPool};

use super::evaluator::Evaluator;
use super::value::{Val, Walk};
use crate::budgets::BUDGETS;

/// Width of addresses.
const ADDRESS: u32 = 64;

impl Evaluator<'_, '_> {
    /// An operand where it is used; one that nobody has specified may be another one each time.
    pub(super) fn operand(&mut self, operand: Operand) -> Val {
        match operand {
            Operand::Value(value) if self.scope.is_outside(value) => self.outside(value),
            Operand::Value(value) => match self.round.values[value] {
                Some(val) => val,
                None => self.unknown(value),
            },
            Operand::Const(constant) => self.constant(constant),
        }
    }

    /// A value that is computed outside: from what, as far as that is near.
    fn outside(&mut self, value: ValueId) -> Val {
        if let Some(&known) = self.round.outside.get(&value) {
            return known;
        }
        let symbol = self.pool.symbol(&value.to_string(), self.scope.function.values[value].ty.bits());
        let unknown = Val::fixed(self.pool, symbol);
        let Some(Definition::Inst(block, at)) = self.scope.structure.definitions.of(value) else {
            self.round.outside.insert(value, unknown);
            return unknown;
        };
        self.depth += 1;
        let inst = &self.scope.function.blocks[block].insts[at];
        let computed = if self.depth <= BUDGETS.outside_steps { self.computed(block, inst, value) } else { None };
        self.depth -= 1;
        let val = computed.map_or(unknown, |val| Val { walk: unknown.walk, fixed: true, ..val });
        self.round.outside.insert(value, val);
        val
    }

    /// An address that is accessed.
    pub(super) fn address_operand(&mut self, block: BlockId, address: Operand) -> Val {
        let val = self.operand(address);
        self.assume_sound(block, val);
        val
    }

    /// The result of an instruction that computes with numbers; `None` where it is not followed.
    pub(super) fn computed(&mut self, block: BlockId, inst: &Inst, result: ValueId) -> Option<Val> {
        let function = self.scope.function;
        let ty = function.values[result].ty;
        match &inst.op {
            &Op::Binary { op, no_wrap, a, b } if matches!(ty, Type::Int(_)) => {
                let (a, b) = (self.operand(a), self.operand(b));
                self.binary(block, (op, no_wrap), a, b)
            }
            Op::Unary { op, a } => {
                let a = self.operand(*a);
                self.unary(*op, a)
            }
            Op::Cast { op, a } => {
                let a = self.operand(*a);
                self.cast(*op, a, ty.bits())
            }
            &Op::IntCompare { predicate, a, b } => {
                let (a, b) = (self.operand(a), self.operand(b));
                let bits = self.compare(predicate, a.bits, b.bits);
                Some(self.of_both(bits, a, b))
            }
            &Op::Select { condition, a, b } => {
                let condition = self.operand(condition);
                let (a, b) = (self.operand(a), self.operand(b));
                let chosen = Val::choice(self.pool, condition.bits, a, b);
                let sound = self.pool.and_all(&[condition.sound, chosen.sound]);
                Some(Val { sound, fixed: condition.fixed && a.fixed && b.fixed, ..chosen })
            }
            Op::Address { base, offset, indices } => Some(self.address(*base, *offset, indices)),
            _ => None,
        }
    }

    /// What is computed from two values.
    fn of_both(&mut self, bits: Term, a: Val, b: Val) -> Val {
        let sound = self.pool.and_all(&[a.sound, b.sound]);
        Val { bits, sound, fixed: a.fixed && b.fixed, walk: Walk::Unknown }
    }

    fn binary(&mut self, block: BlockId, (op, no_wrap): (BinOp, NoWrap), a: Val, b: Val) -> Option<Val> {
        let is_least = |e: &mut Self, predicate| e.compare(predicate, a.bits, b.bits);
        let bits = match op {
            BinOp::UMin | BinOp::SMin | BinOp::UMax | BinOp::SMax => {
                let predicate = match op {
                    BinOp::UMin => IntPredicate::Ult,
                    BinOp::SMin => IntPredicate::Slt,
                    BinOp::UMax => IntPredicate::Ugt,
                    _ => IntPredicate::Sgt,
                };
                let takes_first = is_least(self, predicate);
                self.pool.ite(takes_first, a.bits, b.bits)
            }
            _ => self.pool.binary(term_op(op)?, a.bits, b.bits),
        };
        if matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem) {
            let zero = self.pool.constant(self.pool.width(b.bits), 0);
            let divides = self.pool.ne(b.bits, zero);
            self.assume_sound(block, b);
            self.assume(block, divides);
        }
        self.note_division(block, op, (a.bits, b.bits), bits);
        let mut val = self.of_both(bits, a, b);
        let fits = self.fits(op, no_wrap, (a.bits, b.bits), bits);
        val.sound = self.pool.and_all(&[val.sound, fits]);
        Some(val)
    }

    /// What follows from how quotients and remainders are computed, which solvers take long to find out.
    fn note_division(&mut self, block: BlockId, op: BinOp, (a, b): (Term, Term), result: Term) {
        let is_signed = matches!(op, BinOp::SDiv | BinOp::SRem);
        let mut size = |of| if is_signed { magnitude(self.pool, of) } else { of };
        let (a, b, result) = (size(a), size(b), size(result));
        match op {
            BinOp::URem | BinOp::SRem => {
                let is_less = self.pool.cmp(CmpOp::Ult, result, b);
                self.assume(block, is_less);
            }
            BinOp::UDiv | BinOp::SDiv => {
                let (zero, one) =
                    (self.pool.constant(self.pool.width(a), 0), self.pool.constant(self.pool.width(a), 1));
                let (is_zero, is_one) = (self.pool.cmp(CmpOp::Eq, a, zero), self.pool.cmp(CmpOp::Ule, b, one));
                let is_less = self.pool.cmp(CmpOp::Ult, result, a);
                let is_no_more = self.pool.cmp(CmpOp::Ule, result, a);
                let holds = self.pool.or_all(&[is_zero, is_one, is_less]);
                self.assume(block, holds);
                self.assume(block, is_no_more);
            }
            _ => {}
        }
    }

    /// Whether a result is what C says that it is: no sum overflows that must not, and no number is shifted by more
    /// than its width.
    fn fits(&mut self, op: BinOp, no_wrap: NoWrap, (a, b): (Term, Term), result: Term) -> Term {
        let pool = &mut *self.pool;
        let width = pool.width(result);
        if matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr) {
            let most = pool.constant(width, width.into());
            let is_short = pool.cmp(CmpOp::Ult, b, most);
            return if width > 1 { is_short } else { pool.bool(true) };
        }
        let wide = if op == BinOp::Mul { 2 * width } else { width + 1 };
        let mut holds = Vec::new();
        for (is_wanted, is_signed) in [(no_wrap.signed, true), (no_wrap.unsigned, false)] {
            let Some(term) = term_op(op).filter(|_| is_wanted) else { continue };
            if let Some(within) = fits_within(pool, op, (a, b), is_signed) {
                holds.push(within);
                continue;
            }
            let mut extend = |t| if is_signed { pool.sext(t, wide) } else { pool.zext(t, wide) };
            let (a, b, result) = (extend(a), extend(b), extend(result));
            let exact = pool.binary(term, a, b);
            holds.push(pool.cmp(CmpOp::Eq, exact, result));
        }
        pool.and_all(&holds)
    }

    fn unary(&mut self, op: UnOp, a: Val) -> Option<Val> {
        match op {
            // What may be anything becomes something.
            UnOp::Freeze if self.pool.is_true(a.sound) => Some(a),
            UnOp::Freeze => {
                let other = self.unspecified(self.pool.width(a.bits));
                let bits = self.pool.ite(a.sound, a.bits, other.bits);
                Some(Val::new(self.pool, bits))
            }
            UnOp::Abs => {
                let bits = magnitude(self.pool, a.bits);
                Some(Val { bits, walk: Walk::Unknown, ..a })
            }
            _ => None,
        }
    }

    fn cast(&mut self, op: CastOp, a: Val, width: u32) -> Option<Val> {
        let bits = match op {
            CastOp::Trunc => self.pool.trunc(a.bits, width),
            CastOp::ZExt => self.pool.zext(a.bits, width),
            CastOp::SExt => self.pool.sext(a.bits, width),
            CastOp::Bitcast if self.pool.width(a.bits) == width => return Some(a),
            _ => return None,
        };
        Some(Val { bits, walk: Walk::Unknown, ..a })
    }

    /// The truth value of a comparison.
    pub(super) fn compare(&mut self, predicate: IntPredicate, a: Term, b: Term) -> Term {
        let pool = &mut *self.pool;
        match predicate {
            IntPredicate::Eq => pool.cmp(CmpOp::Eq, a, b),
            IntPredicate::Ne => pool.ne(a, b),
            IntPredicate::Ult => pool.cmp(CmpOp::Ult, a, b),
            IntPredicate::Ule => pool.cmp(CmpOp::Ule, a, b),
            IntPredicate::Ugt => pool.cmp(CmpOp::Ult, b, a),
            IntPredicate::Uge => pool.cmp(CmpOp::Ule, b, a),
            IntPredicate::Slt => pool.cmp(CmpOp::Slt, a, b),
            IntPredicate::Sle => pool.cmp(CmpOp::Sle, a, b),
            IntPredicate::Sgt => pool.cmp(CmpOp::Slt, b, a),
            IntPredicate::Sge => pool.cmp(CmpOp::Sle, b, a),
        }
    }

    fn address(&mut self, base: Operand, offset: i64, indices: &[ScaledIndex]) -> Val {
        let base = self.operand(base);
        let mut sum = base;
        let offset = self.pool.constant(ADDRESS, offset.cast_unsigned());
        sum.bits = self.pool.binary(TermOp::Add, sum.bits, offset);
        for index in indices {
            let at = self.operand(index.index);
            let scale = self.pool.constant(ADDRESS, index.scale.cast_unsigned());
            let by = self.pool.binary(TermOp::Mul, at.bits, scale);
            let bits = self.pool.binary(TermOp::Add, sum.bits, by);
            sum = self.of_both(bits, sum, at);
        }
        // Arithmetic does not leave the object.
        let walk = if base.walk == Walk::Null { Walk::Unknown } else { base.walk };
        Val { walk, ..sum }
    }

    /// A constant; addresses are unknown numbers that do not change.
    pub(super) fn constant(&mut self, constant: Const) -> Val {
        let bits = match constant {
            Const::Bits { ty, bits } => self.pool.constant(ty.bits(), bits),
            Const::Global { global, offset } => {
                let start = self.pool.symbol(&global.to_string(), ADDRESS);
                let offset = self.pool.constant(ADDRESS, offset.cast_unsigned());
                self.pool.binary(TermOp::Add, start, offset)
            }
            Const::Func(func) => self.pool.symbol(&func.to_string(), ADDRESS),
            Const::Block { func, block } => self.pool.symbol(&format!("{func}.{block}"), ADDRESS),
            Const::Undef(ty) => return self.unspecified(ty.bits()),
        };
        Val::fixed(self.pool, bits)
    }
}

/// Whether a sum with a constant, or a multiple by a positive one, does not overflow: bounds of the number, for which
/// no solver has to compute.
fn fits_within(pool: &mut TermPool, op: BinOp, (a, b): (Term, Term), is_signed: bool) -> Option<Term> {
    let (number, by) = match (pool.as_const_wide(a), pool.as_const_wide(b)) {
        (_, Some(by)) => (a, by),
        (Some(by), _) if op != BinOp::Sub => (b, by),
        _ => return None,
    };
    let width = pool.width(number);
    let (ones, sign) = (u128::MAX >> (128 - width), 1u128 << (width - 1));
    let (is_above, at_least) = if is_signed { (CmpOp::Sle, sign) } else { (CmpOp::Ule, 0) };
    let at_most = if is_signed { sign - 1 } else { ones };
    let is_negative = is_signed && by >= sign;
    // Words, of which the greatest one is -1.
    let less = |word: u128, by: u128| word.wrapping_sub(by) & ones;
    let (least, most) = match op {
        BinOp::Add if is_negative => (less(at_least, by), at_most),
        BinOp::Add => (at_least, less(at_most, by)),
        BinOp::Sub if is_negative => (at_least, less(at_most, by.wrapping_neg())),
        BinOp::Sub => (less(at_least, by.wrapping_neg()), at_most),
        BinOp::Mul if by == 0 || is_negative => return None,
        // What is left of the least number, rounded towards zero.
        BinOp::Mul if is_signed => (less(0, sign / by), (sign - 1) / by),
        BinOp::Mul => (0, ones / by),
        _ => return None,
    };
    let (least, most) = (pool.constant_wide(width, least), pool.constant_wide(width, most));
    let (is_no_less, is_no_more) = (pool.cmp(is_above, least, number), pool.cmp(is_above, number, most));
    Some(pool.and_all(&[is_no_less, is_no_more]))
}

/// A number without its sign.
pub(super) fn magnitude(pool: &mut TermPool, a: Term) -> Term {
    let zero = pool.constant(pool.width(a), 0);
    let is_negative = pool.cmp(CmpOp::Slt, a, zero);
    let negated = pool.neg(a);
    pool.ite(is_negative, negated, a)
}

/// The operator of terms.
const fn term_op(op: BinOp) -> Option<TermOp> {
    Some(match op {
        BinOp::Add => TermOp::Add,
        BinOp::Sub => TermOp::Sub,
        BinOp::Mul => TermOp::Mul,
        BinOp::UDiv => TermOp::UDiv,
        BinOp::SDiv => TermOp::SDiv,
        BinOp::URem => TermOp::URem,
        BinOp::SRem => TermOp::SRem,
        BinOp::And => TermOp::And,
        BinOp::Or => TermOp::Or,
        BinOp::Xor => TermOp::Xor,
        BinOp::Shl => TermOp::Shl,
        BinOp::LShr => TermOp::LShr,
        BinOp::AShr => TermOp::AShr,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use icsched_smt::Model;

    use super::*;

    #[test]
    fn what_fits_is_what_wide_numbers_say() {
        let mut pool = TermPool::new();
        let number = pool.symbol("n", 4);
        for by in 0..16 {
            let constant = pool.constant(4, by);
            for (op, is_signed) in
                [BinOp::Add, BinOp::Sub, BinOp::Mul].into_iter().flat_map(|op| [(op, false), (op, true)])
            {
                let Some(within) = fits_within(&mut pool, op, (number, constant), is_signed) else { continue };
                for bits in 0..16 {
                    let as_number = |word: i32| if is_signed && word >= 8 { word - 16 } else { word };
                    let (a, b) = (as_number(bits), as_number(by.try_into().expect("it is small")));
                    let exact = match op {
                        BinOp::Add => a + b,
                        BinOp::Sub => a - b,
                        _ => a * b,
                    };
                    let range = if is_signed { -8..8 } else { 0..16 };
                    let mut model = Model::new();
                    model.set("n", 4, bits.cast_unsigned().into());
                    assert_eq!(pool.eval_bool(within, &model), range.contains(&exact), "{a} {op:?} {b}");
                }
            }
        }
    }
}

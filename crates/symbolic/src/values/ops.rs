//! Integer operations on symbolic values.

use icsched_ir as ir;
use icsched_ir::{CastOp, IntPredicate, OverflowOp, Type};
use icsched_smt::{BinOp, CmpOp, Term};

use super::integer::integers_of;
use super::value::SymValue;
use crate::domain::SymbolicDomain;
use icsched_machine::arith;

impl SymbolicDomain {
    /// `a == b` as a term.
    pub(crate) fn equal(&mut self, a: Term, b: Term) -> Term {
        self.compare(CmpOp::Eq, a, b)
    }

    /// `t == bits` as a term.
    pub(crate) fn equals(&mut self, t: Term, bits: u64) -> Term {
        let bits = self.pool.constant(self.pool.width(t), bits);
        self.equal(t, bits)
    }

    /// The operator of the solver for an integer operator that is one there.
    fn direct_operator(op: ir::BinOp) -> Option<BinOp> {
        Some(match op {
            ir::BinOp::Add => BinOp::Add,
            ir::BinOp::Sub => BinOp::Sub,
            ir::BinOp::Mul => BinOp::Mul,
            ir::BinOp::UDiv => BinOp::UDiv,
            ir::BinOp::SDiv => BinOp::SDiv,
            ir::BinOp::URem => BinOp::URem,
            ir::BinOp::SRem => BinOp::SRem,
            ir::BinOp::And => BinOp::And,
            ir::BinOp::Or => BinOp::Or,
            ir::BinOp::Xor => BinOp::Xor,
            ir::BinOp::Shl => BinOp::Shl,
            ir::BinOp::LShr => BinOp::LShr,
            ir::BinOp::AShr => BinOp::AShr,
            _ => return None,
        })
    }

    /// A division of which the result is plain: the divisor is not zero, which was asked before.
    fn simple_quotient(&mut self, op: ir::BinOp, a: Term, b: Term) -> Option<Term> {
        let divides = matches!(op, ir::BinOp::UDiv | ir::BinOp::SDiv);
        if !divides && !matches!(op, ir::BinOp::URem | ir::BinOp::SRem) {
            return None;
        }
        let width = self.pool.width(a);
        let is_zero = self.pool.as_const_wide(a) == Some(0);
        (is_zero || a == b).then(|| self.pool.constant(width, u64::from(divides && !is_zero)))
    }

    /// Integer arithmetic; `None` when `op` is a float operator.
    pub(crate) fn integer_binary(&mut self, op: ir::BinOp, a: Term, b: Term) -> Option<Term> {
        if let Some(result) = self.simple_quotient(op, a, b) {
            return Some(result);
        }
        if let Some(direct) = Self::direct_operator(op) {
            if let Some(result) = self.widened_connective(direct, a, b) {
                return Some(result);
            }
            if op == ir::BinOp::And
                && let Some(result) = self.masked(a, b)
            {
                return Some(result);
            }
            return Some(self.pool.binary(direct, a, b));
        }
        Some(match op {
            ir::BinOp::UMin => self.choose(CmpOp::Ult, a, b, a, b),
            ir::BinOp::UMax => self.choose(CmpOp::Ult, a, b, b, a),
            ir::BinOp::SMin => self.choose(CmpOp::Slt, a, b, a, b),
            ir::BinOp::SMax => self.choose(CmpOp::Slt, a, b, b, a),
            ir::BinOp::UAddSat => {
                let sum = self.pool.binary(BinOp::Add, a, b);
                let most = self.pool.constant(self.pool.width(a), u64::MAX);
                self.choose(CmpOp::Ult, sum, a, most, sum)
            }
            ir::BinOp::USubSat => {
                let difference = self.pool.binary(BinOp::Sub, a, b);
                let zero = self.pool.constant(self.pool.width(a), 0);
                self.choose(CmpOp::Ult, a, b, zero, difference)
            }
            ir::BinOp::SAddSat => self.signed_saturating(BinOp::Add, OverflowOp::SAdd, a, b),
            ir::BinOp::SSubSat => self.signed_saturating(BinOp::Sub, OverflowOp::SSub, a, b),
            _ => return None,
        })
    }

    /// `x op y ? a : b`.
    pub(crate) fn choose(&mut self, op: CmpOp, x: Term, y: Term, a: Term, b: Term) -> Term {
        let condition = self.compare(op, x, y);
        self.choice(condition, a, b)
    }

    fn signed_saturating(&mut self, op: BinOp, overflow: OverflowOp, a: Term, b: Term) -> Term {
        let width = self.pool.width(a);
        let result = self.pool.binary(op, a, b);
        let overflows = self.overflow_term(overflow, a, b);
        let zero = self.pool.constant(width, 0);
        let least = self.pool.constant(width, 1 << (width - 1));
        let most = self.pool.constant(width, (1 << (width - 1)) - 1);
        let limit = self.choose(CmpOp::Slt, a, zero, least, most);
        self.pool.ite(overflows, limit, result)
    }

    /// Whether the operation overflows: computed in twice the width, where it cannot.
    pub fn overflow_term(&mut self, op: OverflowOp, a: Term, b: Term) -> Term {
        let width = self.pool.width(a);
        if let Some(overflows) = self.overflow_by_constant(op, a, b) {
            return overflows;
        }
        if self.never_overflows(op, a, b) {
            return self.pool.bool(false);
        }
        let (operator, is_signed) = match op {
            OverflowOp::UAdd => (BinOp::Add, false),
            OverflowOp::SAdd => (BinOp::Add, true),
            OverflowOp::USub => return self.pool.cmp(CmpOp::Ult, a, b),
            OverflowOp::SSub => (BinOp::Sub, true),
            OverflowOp::UMul => (BinOp::Mul, false),
            OverflowOp::SMul => (BinOp::Mul, true),
        };
        let wide = if operator == BinOp::Mul { 2 * width } else { width + 1 };
        let extend =
            |pool: &mut icsched_smt::TermPool, t| if is_signed { pool.sext(t, wide) } else { pool.zext(t, wide) };
        let (wide_a, wide_b) = (extend(&mut self.pool, a), extend(&mut self.pool, b));
        let exact = self.pool.binary(operator, wide_a, wide_b);
        let low = self.pool.extract(exact, width - 1, 0);
        let back = extend(&mut self.pool, low);
        let fits = self.pool.cmp(CmpOp::Eq, exact, back);
        self.pool.not(fits)
    }

    /// Whether the terms of two signed numbers show that their sum or difference fits: numbers that were narrower.
    fn never_overflows(&self, op: OverflowOp, a: Term, b: Term) -> bool {
        let width = self.pool.width(a);
        if width > 64 || !matches!(op, OverflowOp::SAdd | OverflowOp::SSub) {
            return false;
        }
        let [(least_a, most_a), (least_b, most_b)] = [a, b].map(|t| integers_of(&self.pool, t).bounds());
        let (least, most) = if op == OverflowOp::SAdd {
            (least_a + least_b, most_a + most_b)
        } else {
            (least_a - most_b, most_a - least_b)
        };
        -1_i128 << (width - 1) <= least && most < 1_i128 << (width - 1)
    }

    /// The same of a sum with a constant: whether the other operand is beyond a limit.
    fn overflow_by_constant(&mut self, op: OverflowOp, a: Term, b: Term) -> Option<Term> {
        let width = Some(self.pool.width(a)).filter(|&width| width <= 64)?;
        let (a, c) = match (self.pool.as_const(a), self.pool.as_const(b)) {
            (None, Some(c)) => (a, c),
            (Some(c), None) if matches!(op, OverflowOp::SAdd | OverflowOp::UAdd) => (b, c),
            _ => return None,
        };
        let (least, greatest) = (-1_i128 << (width - 1), (1_i128 << (width - 1)) - 1);
        let c = match op {
            OverflowOp::UAdd => {
                let limit = self.pool.constant(width, !c);
                return Some(self.pool.cmp(CmpOp::Ult, limit, a));
            }
            OverflowOp::SAdd => i128::from(arith::signed(c, width)),
            OverflowOp::SSub => -i128::from(arith::signed(c, width)),
            OverflowOp::USub | OverflowOp::UMul | OverflowOp::SMul => return None,
        };
        let limit = if c < 0 { least - c } else { greatest - c };
        let limit = self.pool.constant(width, limit as u64);
        Some(if c < 0 { self.pool.cmp(CmpOp::Slt, a, limit) } else { self.pool.cmp(CmpOp::Slt, limit, a) })
    }

    /// Bit counting and reordering; `None` for an operator on floats.
    pub(crate) fn integer_unary(&mut self, op: ir::UnOp, a: Term) -> Option<Term> {
        let width = self.pool.width(a);
        Some(match op {
            ir::UnOp::CtPop => {
                let mut sum = self.pool.constant(width, 0);
                for i in 0..width {
                    let bit = self.pool.extract(a, i, i);
                    let bit = self.pool.zext(bit, width);
                    sum = self.pool.binary(BinOp::Add, sum, bit);
                }
                sum
            }
            // The last bit looked at decides first.
            ir::UnOp::CtLz => self.first_set_bit(a, (0..width).map(|i| (i, width - 1 - i))),
            ir::UnOp::CtTz => self.first_set_bit(a, (0..width).rev().map(|i| (i, i))),
            ir::UnOp::BSwap => self.concat_slices((0..width / 8).map(|i| (8 * i + 7, 8 * i)), a),
            ir::UnOp::BitReverse => self.concat_slices((0..width).map(|i| (i, i)), a),
            ir::UnOp::Abs => {
                let (zero, negated) = (self.pool.constant(width, 0), self.pool.neg(a));
                self.choose(CmpOp::Slt, a, zero, negated, a)
            }
            ir::UnOp::Freeze => a,
            _ => return None,
        })
    }

    fn first_set_bit(&mut self, a: Term, bits: impl Iterator<Item = (u32, u32)>) -> Term {
        let width = self.pool.width(a);
        let mut result = self.pool.constant(width, u64::from(width));
        for (bit, count) in bits {
            let (is_set, count) = (self.pool.extract(a, bit, bit), self.pool.constant(width, u64::from(count)));
            result = self.pool.ite(is_set, count, result);
        }
        result
    }

    /// The slices `(hi, lo)` of a term put together, the first one highest.
    fn concat_slices(&mut self, slices: impl Iterator<Item = (u32, u32)>, a: Term) -> Term {
        let mut result = None;
        for (hi, lo) in slices {
            let slice = self.pool.extract(a, hi, lo);
            result = Some(match result {
                None => slice,
                Some(high) => self.pool.concat(high, slice),
            });
        }
        result.unwrap_or(a)
    }

    /// Comparison of integers or addresses.
    pub(crate) fn integer_compare(&mut self, predicate: IntPredicate, a: Term, b: Term) -> Term {
        let (op, x, y, negate) = match predicate {
            IntPredicate::Eq => (CmpOp::Eq, a, b, false),
            IntPredicate::Ne => (CmpOp::Eq, a, b, true),
            IntPredicate::Ult => (CmpOp::Ult, a, b, false),
            IntPredicate::Ule => (CmpOp::Ule, a, b, false),
            IntPredicate::Ugt => (CmpOp::Ult, b, a, false),
            IntPredicate::Uge => (CmpOp::Ule, b, a, false),
            IntPredicate::Slt => (CmpOp::Slt, a, b, false),
            IntPredicate::Sle => (CmpOp::Sle, a, b, false),
            IntPredicate::Sgt => (CmpOp::Slt, b, a, false),
            IntPredicate::Sge => (CmpOp::Sle, b, a, false),
        };
        let truth = self.compare(op, x, y);
        if negate { self.pool.not(truth) } else { truth }
    }

    /// Conversions between integers; `None` when a float is involved.
    pub(crate) fn integer_cast(&mut self, op: CastOp, to: Type, a: Term) -> Option<Term> {
        let (from_bits, to_bits) = (self.pool.width(a), to.bits());
        Some(match op {
            CastOp::Trunc if to_bits < from_bits => self.truncate(a, to_bits),
            CastOp::ZExt if to_bits > from_bits => self.extended(a, to_bits, false),
            CastOp::SExt if to_bits > from_bits => self.extended(a, to_bits, true),
            CastOp::Trunc | CastOp::ZExt | CastOp::SExt | CastOp::Bitcast => a,
            _ => return None,
        })
    }

    /// The term of a value of `width` bits. Loaded bytes of an odd width (an `i1`) come wider and are cut.
    pub fn term(&mut self, value: &SymValue, width: u32) -> Term {
        match *value {
            SymValue::Constant(bits) => self.pool.constant(width, bits),
            SymValue::Term(t) if self.pool.width(t) > width => self.pool.trunc(t, width),
            SymValue::Term(t) => self.pool.zext(t, width),
        }
    }

    /// The value of a term: a constant term becomes a plain word.
    pub fn value(&self, t: Term) -> SymValue {
        self.pool.as_const(t).map_or(SymValue::Term(t), SymValue::Constant)
    }
}

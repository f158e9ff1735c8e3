//! Terms to Z3 expressions. `Bv(1)` terms become Z3 booleans where they are made by comparisons and connectives, which
//! is what Z3's preprocessing wants to see, and are turned into bit vectors only where they are used as such.

use rustc_hash::FxHashMap;
use z3::Sort as Z3Sort;
use z3::ast::{Array, BV, Bool};

use crate::budgets::BUDGETS;
use crate::terms::node::{BinOp, CmpOp, Node, Term};
use crate::terms::pool::TermPool;

/// A translated term: `Bool` exactly for terms of sort `Bv(1)`.
#[derive(Clone, Debug)]
enum Expr {
    Bool(Bool),
    Bv(BV),
    Array(Array),
}

/// Memoised translation of one pool's terms in the thread's Z3 context.
#[derive(Debug, Default)]
pub(crate) struct Translator {
    known: FxHashMap<Term, Expr>,
}

/// The name Z3 knows a symbol by. Names of the pool can hold anything, NUL included; handles are short and unique.
pub(crate) fn z3_name(symbol: Term) -> String {
    format!("s{}", symbol.index())
}

/// The Z3 constant of a bit-vector symbol (of one bit too).
pub(crate) fn z3_symbol(symbol: Term, width: u32) -> BV {
    BV::new_const(z3_name(symbol), width)
}

/// The Z3 constant of an array symbol.
pub(crate) fn z3_array(symbol: Term) -> Array {
    Array::new_const(z3_name(symbol), &Z3Sort::bitvector(64), &Z3Sort::bitvector(8))
}

/// A Z3 numeral of up to 128 bits.
pub(crate) fn z3_numeral(width: u32, bits: u128) -> BV {
    match u64::try_from(bits) {
        Ok(low) => BV::from_u64(low, width),
        Err(_) => BV::from_str(width, &bits.to_string()).expect("decimal digits are a numeral"),
    }
}

impl Translator {
    /// Number of terms translated so far.
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    /// The Z3 boolean for a `Bv(1)` term without float operators.
    pub(crate) fn formula(&mut self, pool: &TermPool, t: Term) -> Bool {
        for u in pool.postorder(&[t], |u| self.known.contains_key(&u)) {
            let expr = self.translate(pool, u);
            self.known.insert(u, expr);
        }
        self.truth(t)
    }

    fn truth(&self, t: Term) -> Bool {
        match &self.known[&t] {
            Expr::Bool(b) => b.clone(),
            other => unreachable!("a condition is translated to a boolean, not {other:?}"),
        }
    }

    /// A term as a bit vector.
    fn bits(&self, t: Term) -> BV {
        match &self.known[&t] {
            Expr::Bv(bv) => bv.clone(),
            Expr::Bool(b) => bit_of(b),
            Expr::Array(array) => unreachable!("an array is no operand of a bit-vector operator: {array:?}"),
        }
    }

    fn array(&self, t: Term) -> Array {
        match &self.known[&t] {
            Expr::Array(array) => array.clone(),
            other => unreachable!("not an array: {other:?}"),
        }
    }

    fn translate(&self, pool: &TermPool, t: Term) -> Expr {
        if pool.width(t) == 1 {
            return Expr::Bool(self.translate_truth(pool, t));
        }
        match *pool.node(t) {
            Node::Const { width, bits } => Expr::Bv(z3_numeral(width, bits)),
            Node::Symbol { width, .. } => Expr::Bv(z3_symbol(t, width)),
            Node::ArraySymbol { .. } => Expr::Array(z3_array(t)),
            Node::ConstArray { byte } => {
                Expr::Array(Array::const_array(&Z3Sort::bitvector(64), &BV::from_u64(u64::from(byte), 8)))
            }
            Node::Not(a) => Expr::Bv(self.bits(a).bvnot()),
            Node::Binary(op, a, b) => {
                let few = pool
                    .divisors_up_to(op, a, BUDGETS.z3.chosen_dividend)
                    .map(|divisors| self.divided(pool, op, (a, b), &divisors));
                let few = few.or_else(|| self.quick(pool, op, (a, b)));
                Expr::Bv(few.unwrap_or_else(|| binary(op, &self.bits(a), &self.bits(b))))
            }
            Node::Ite(c, a, b) => match &self.known[&a] {
                Expr::Array(then) => Expr::Array(self.truth(c).ite(then, &self.array(b))),
                _ => Expr::Bv(self.truth(c).ite(&self.bits(a), &self.bits(b))),
            },
            Node::ZExt { arg, width } => Expr::Bv(self.extended(pool, arg, width, false)),
            Node::SExt { arg, width } => Expr::Bv(self.extended(pool, arg, width, true)),
            Node::Extract { arg, hi, lo } => Expr::Bv(self.bits(arg).extract(hi, lo)),
            Node::Concat(a, b) => Expr::Bv(self.bits(a).concat(self.bits(b))),
            Node::Select(array, index) => {
                let element = self.array(array).select(&self.bits(index));
                Expr::Bv(element.as_bv().expect("elements are bit vectors"))
            }
            Node::Store(array, index, byte) => {
                Expr::Array(self.array(array).store(&self.bits(index), &self.bits(byte)))
            }
            Node::Cmp(..) => unreachable!("comparisons have one bit"),
            Node::FpUnary(..) | Node::FpBinary(..) => unreachable!("queries with floats go the other way"),
        }
    }

    fn translate_truth(&self, pool: &TermPool, t: Term) -> Bool {
        match *pool.node(t) {
            Node::Const { bits, .. } => Bool::from_bool(bits == 1),
            Node::Symbol { .. } => truth_of(&z3_symbol(t, 1)),
            Node::Not(a) => self.truth(a).not(),
            Node::Binary(BinOp::And, a, b) => Bool::and(&[self.truth(a), self.truth(b)]),
            Node::Binary(BinOp::Or, a, b) => Bool::or(&[self.truth(a), self.truth(b)]),
            Node::Binary(BinOp::Xor, a, b) => self.truth(a).xor(self.truth(b)),
            Node::Binary(op, a, b) => truth_of(&binary(op, &self.bits(a), &self.bits(b))),
            Node::Cmp(op, a, b) => self.comparison(op, a, b),
            Node::Ite(c, a, b) => self.truth(c).ite(&self.truth(a), &self.truth(b)),
            Node::Extract { arg, hi, lo } => truth_of(&self.bits(arg).extract(hi, lo)),
            _ => unreachable!("no other node has one bit: {:?}", pool.node(t)),
        }
    }

    /// What a constant is divided by something, or what remains of it: chosen by what that is, as far as it matters.
    fn divided(&self, pool: &TermPool, op: BinOp, (a, b): (Term, Term), divisors: &[u128]) -> BV {
        let (width, by) = (pool.width(a), self.bits(b));
        let dividend = pool.as_const_wide(a).unwrap_or_default();
        let beyond = z3_numeral(width, if op.is_remainder() { dividend } else { 0 });
        divisors.iter().fold(beyond, |others, &divisor| {
            let result = z3_numeral(width, crate::terms::bits::binary(op, width, dividend, divisor));
            by.eq(z3_numeral(width, divisor)).ite(&result, &others)
        })
    }

    /// What Z3 makes a circuit of that is far larger than it has to be: a signed number by a power of two, what remains
    /// of it, and a number with its sign turned.
    fn quick(&self, pool: &TermPool, op: BinOp, (a, b): (Term, Term)) -> Option<BV> {
        let (width, by) = (pool.width(a), pool.as_const_wide(b)?);
        if op == BinOp::Mul && by == crate::terms::bits::mask(width) {
            return Some(self.bits(a).bvneg());
        }
        let is_division = matches!(op, BinOp::SDiv | BinOp::SRem);
        let log = by.trailing_zeros();
        if !is_division || !by.is_power_of_two() || log == 0 || log + 1 >= width {
            return None;
        }
        let shift = |by: u32| z3_numeral(width, by.into());
        let number = self.bits(a);
        // Rounded towards zero: one less than the divisor is added to what is less than zero.
        let bias = number.bvashr(shift(width - 1)).bvlshr(shift(width - log));
        let biased = number.bvadd(&bias);
        Some(match op {
            BinOp::SDiv => biased.bvashr(shift(log)),
            _ => biased.bvand(z3_numeral(width, by - 1)).bvsub(&bias),
        })
    }

    fn comparison(&self, op: CmpOp, a: Term, b: Term) -> Bool {
        let (a, b) = (self.bits(a), self.bits(b));
        match op {
            CmpOp::Eq => a.eq(&b),
            CmpOp::Ult => a.bvult(&b),
            CmpOp::Ule => a.bvule(&b),
            CmpOp::Slt => a.bvslt(&b),
            CmpOp::Sle => a.bvsle(&b),
        }
    }

    fn extended(&self, pool: &TermPool, arg: Term, width: u32, is_signed: bool) -> BV {
        if let Expr::Bool(b) = &self.known[&arg] {
            let set = z3_numeral(width, if is_signed { crate::terms::bits::mask(width) } else { 1 });
            return b.ite(&set, &z3_numeral(width, 0));
        }
        let more = width - pool.width(arg);
        if is_signed { self.bits(arg).sign_ext(more) } else { self.bits(arg).zero_ext(more) }
    }
}

fn truth_of(bit: &BV) -> Bool {
    bit.eq(BV::from_u64(1, 1))
}

fn bit_of(b: &Bool) -> BV {
    b.ite(&BV::from_u64(1, 1), &BV::from_u64(0, 1))
}

fn binary(op: BinOp, a: &BV, b: &BV) -> BV {
    match op {
        BinOp::Add => a.bvadd(b),
        BinOp::Sub => a.bvsub(b),
        BinOp::Mul => a.bvmul(b),
        BinOp::UDiv => a.bvudiv(b),
        BinOp::SDiv => a.bvsdiv(b),
        BinOp::URem => a.bvurem(b),
        BinOp::SRem => a.bvsrem(b),
        BinOp::And => a.bvand(b),
        BinOp::Or => a.bvor(b),
        BinOp::Xor => a.bvxor(b),
        BinOp::Shl => a.bvshl(b),
        BinOp::LShr => a.bvlshr(b),
        BinOp::AShr => a.bvashr(b),
    }
}

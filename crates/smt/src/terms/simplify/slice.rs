//! Extraction, concatenation and extension.
//!
//! Values go to memory as bytes and come back as concatenations of bytes, so `concat` undoes what `extract` did, and
//! `extract` does nothing that `concat` could not undo. Rules that would lose that (cutting an operator's operands) are
//! kept for [`TermPool::trunc`], which stands for a conversion in the program.

use crate::budgets::BUDGETS;
use crate::terms::bits::{mask, signed};
use crate::terms::node::{BinOp, Node, Term};
use crate::terms::pool::{TermPool, check_width};

impl TermPool {
    /// Runs a rewrite that may recurse along a chain of operands; `None` when that is too deep already.
    pub(crate) fn guarded<R>(&mut self, rewrite: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.rewrite_depth >= BUDGETS.terms.rewrite_depth {
            return None;
        }
        self.rewrite_depth += 1;
        let result = rewrite(self);
        self.rewrite_depth -= 1;
        Some(result)
    }

    /// Zero extension to `width` bits (the term itself when it has them already).
    pub fn zext(&mut self, a: Term, width: u32) -> Term {
        if self.check_extension(a, width) {
            return a;
        }
        match *self.node(a) {
            Node::Const { bits, .. } => self.constant_wide(width, bits),
            Node::ZExt { arg, .. } => self.zext(arg, width),
            // Only zeros were cut off.
            Node::Extract { arg, lo: 0, .. } if self.width(arg) <= width && self.fits(arg, self.width(a)) => {
                self.zext(arg, width)
            }
            Node::Ite(c, x, y) if self.both_const(x, y).is_some() => {
                let (x, y) = (self.zext(x, width), self.zext(y, width));
                self.ite(c, x, y)
            }
            _ => self.intern(Node::ZExt { arg: a, width }),
        }
    }

    /// Whether all bits of a term from bit `width` on are known to be zero.
    fn fits(&self, t: Term, width: u32) -> bool {
        self.range(t).max <= mask(width)
    }

    /// Sign extension to `width` bits (the term itself when it has them already).
    pub fn sext(&mut self, a: Term, width: u32) -> Term {
        if self.check_extension(a, width) {
            return a;
        }
        let from = self.width(a);
        match *self.node(a) {
            Node::Const { bits, .. } => self.constant_wide(width, signed(from, bits) as u128),
            _ if self.range(a).non_negative(from) => self.zext(a, width),
            Node::SExt { arg, .. } => self.intern(Node::SExt { arg, width }),
            Node::Ite(c, x, y) if self.both_const(x, y).is_some() => {
                let (x, y) = (self.sext(x, width), self.sext(y, width));
                self.ite(c, x, y)
            }
            _ => self.intern(Node::SExt { arg: a, width }),
        }
    }

    /// Checks the widths of an extension; whether there is nothing to do.
    fn check_extension(&self, a: Term, width: u32) -> bool {
        check_width(width);
        let from = self.width(a);
        assert!(0 < from && from <= width, "extension from {from} (0: array) to {width} bits");
        from == width
    }

    /// The low `width` bits. Cuts the operands of sums, products and masks instead where these get simpler.
    pub fn trunc(&mut self, a: Term, width: u32) -> Term {
        check_width(width);
        self.extract_deep(a, width - 1, 0)
    }

    /// [`TermPool::extract`], moved into operands that can be cut.
    pub(crate) fn extract_deep(&mut self, a: Term, hi: u32, lo: u32) -> Term {
        if let Node::Binary(op, x, y) = *self.node(a) {
            // A remainder by a power of two, of either sign, has the same lowest bits.
            let is_below = |n: u128| n.is_power_of_two() && hi < n.trailing_zeros();
            if op == BinOp::SRem && self.as_const_wide(y).is_some_and(is_below) {
                return self.extract_deep(x, hi, lo);
            }
            let cut = match op {
                BinOp::And | BinOp::Or | BinOp::Xor => self.as_const_wide(y).is_some(),
                BinOp::Add | BinOp::Mul => lo == 0 && self.is_cut_freely(x, hi) && self.is_cut_freely(y, hi),
                _ => false,
            };
            if cut && hi - lo + 1 < self.width(a) {
                let done = self.guarded(|pool| {
                    let (x, y) = (pool.extract_deep(x, hi, lo), pool.extract_deep(y, hi, lo));
                    pool.binary(op, x, y)
                });
                if let Some(done) = done {
                    return done;
                }
            }
        }
        self.extract(a, hi, lo)
    }

    /// Whether the low `hi + 1` bits of a term are simpler than the term.
    fn is_cut_freely(&self, t: Term, hi: u32) -> bool {
        match *self.node(t) {
            Node::Const { .. } => true,
            Node::ZExt { .. } | Node::SExt { .. } => true,
            Node::Binary(BinOp::Add | BinOp::Mul, x, y) => {
                // Chains of sums are bounded, and a look at the last operand and one level is enough to find them.
                self.is_leaf_cut_freely(x, hi) && self.is_leaf_cut_freely(y, hi)
            }
            _ => false,
        }
    }

    fn is_leaf_cut_freely(&self, t: Term, hi: u32) -> bool {
        match *self.node(t) {
            Node::Const { .. } => true,
            Node::ZExt { arg, .. } | Node::SExt { arg, .. } => self.width(arg) <= hi + 1,
            _ => false,
        }
    }

    /// Bits `lo..=hi`.
    pub fn extract(&mut self, a: Term, hi: u32, lo: u32) -> Term {
        let from = self.width(a);
        assert!(lo <= hi && hi < from, "bits {lo} to {hi} of {from}");
        let width = hi - lo + 1;
        if width == from {
            return a;
        }
        match *self.node(a) {
            Node::Const { bits, .. } => self.constant_wide(width, bits >> lo),
            Node::Extract { arg, lo: skipped, .. } => self.extract(arg, hi + skipped, lo + skipped),
            Node::Concat(high, low) => self.extract_concat(high, low, hi, lo),
            Node::ZExt { arg, .. } => {
                let inner = self.width(arg);
                if lo >= inner {
                    return self.constant(width, 0);
                }
                let kept = self.extract(arg, hi.min(inner - 1), lo);
                self.zext(kept, width)
            }
            Node::SExt { arg, .. } => {
                let inner = self.width(arg);
                let kept = self.extract(arg, hi.min(inner - 1), lo.min(inner - 1));
                self.sext(kept, width)
            }
            Node::Ite(c, x, y) if self.both_const(x, y).is_some() => {
                let (x, y) = (self.extract(x, hi, lo), self.extract(y, hi, lo));
                self.ite(c, x, y)
            }
            _ if self.range(a).max >> lo == 0 => self.constant(width, 0),
            _ => self.intern(Node::Extract { arg: a, hi, lo }),
        }
    }

    fn extract_concat(&mut self, high: Term, low: Term, hi: u32, lo: u32) -> Term {
        let seam = self.width(low);
        if hi < seam {
            return self.extract(low, hi, lo);
        }
        if lo >= seam {
            return self.extract(high, hi - seam, lo - seam);
        }
        let high = self.extract(high, hi - seam, 0);
        let low = self.extract(low, seam - 1, lo);
        self.concat(high, low)
    }

    /// `hi` in the high bits, `lo` in the low bits. Adjacent pieces of one term are joined again.
    pub fn concat(&mut self, hi: Term, lo: Term) -> Term {
        let (high_width, low_width) = (self.width(hi), self.width(lo));
        assert!(high_width > 0 && low_width > 0, "concatenation of arrays");
        let width = high_width + low_width;
        check_width(width);
        if let Some(joined) = self.join(hi, lo) {
            return joined;
        }
        match (*self.node(hi), *self.node(lo)) {
            (Node::ZExt { arg, .. }, _) => {
                let rest = self.concat(arg, lo);
                self.zext(rest, width)
            }
            (Node::SExt { arg, .. }, _) => {
                let rest = self.concat(arg, lo);
                self.sext(rest, width)
            }
            (Node::Concat(first, second), _) => {
                let rest = self.concat(second, lo);
                self.concat_to(first, rest)
            }
            _ => self.concat_to(hi, lo),
        }
    }

    /// Concatenation with a first piece that isn't one itself.
    fn concat_to(&mut self, hi: Term, lo: Term) -> Term {
        if let Some(joined) = self.join(hi, lo) {
            return joined;
        }
        match *self.node(lo) {
            Node::Concat(next, rest) => {
                if let Some(joined) = self.join(hi, next) {
                    return self.concat(joined, rest);
                }
            }
            Node::ZExt { arg, width } => {
                let gap = width - self.width(arg);
                if let Some(bits) = self.as_const_wide(hi) {
                    let first = self.constant_wide(self.width(hi) + gap, bits << gap);
                    return self.concat(first, arg);
                }
            }
            _ => {}
        }
        self.intern(Node::Concat(hi, lo))
    }

    /// One term that is simpler than the concatenation, if there is one.
    fn join(&mut self, high: Term, low: Term) -> Option<Term> {
        let low_width = self.width(low);
        let width = self.width(high) + low_width;
        match (*self.node(high), *self.node(low)) {
            (Node::Const { bits: 0, .. }, _) => Some(self.zext(low, width)),
            (Node::Const { bits: upper, .. }, Node::Const { bits: lower, .. }) => {
                Some(self.constant_wide(width, upper << low_width | lower))
            }
            (Node::Extract { arg: x, hi, lo: seam }, Node::Extract { arg: y, hi: below, lo }) => {
                if x == y && seam == below + 1 {
                    return Some(self.extract(x, hi, lo));
                }
                self.is_sign_of(high, low).then(|| self.sext(low, width))
            }
            (Node::Ite(c, x, y), Node::Ite(d, u, v)) => {
                self.both_const(x, y)?;
                self.both_const(u, v)?;
                (c == d).then(|| {
                    let (x, y) = (self.concat(x, u), self.concat(y, v));
                    self.ite(c, x, y)
                })
            }
            (Node::Const { .. }, Node::Ite(c, x, y)) => {
                self.both_const(x, y)?;
                let (x, y) = (self.concat(high, x), self.concat(high, y));
                Some(self.ite(c, x, y))
            }
            (Node::Ite(c, x, y), Node::Const { .. }) => {
                self.both_const(x, y)?;
                let (x, y) = (self.concat(x, low), self.concat(y, low));
                Some(self.ite(c, x, y))
            }
            (Node::SExt { arg: x, .. }, Node::SExt { arg: y, .. }) if x == y && self.width(x) == 1 => {
                Some(self.sext(x, width))
            }
            (Node::SExt { arg, .. }, _) if self.is_sign_of(arg, low) => Some(self.sext(low, width)),
            (Node::Extract { .. }, _) if self.is_sign_of(high, low) => Some(self.sext(low, width)),
            _ => None,
        }
    }

    /// Whether `t` is the sign bit of `of`.
    fn is_sign_of(&mut self, t: Term, of: Term) -> bool {
        if self.width(t) != 1 {
            return false;
        }
        let sign = self.width(of) - 1;
        self.extract(of, sign, sign) == t
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All numbers of eight bits, by 4 and by the least number.
    #[test]
    fn low_bits_of_a_remainder_by_a_power_of_two_are_those_of_what_is_divided() {
        let mut pool = TermPool::new();
        let x = pool.symbol("x", 8);
        for (divisor, width) in [(4, 2), (0x80, 7)] {
            let by = pool.constant(8, divisor);
            let rest = pool.binary(BinOp::SRem, x, by);
            let (low, own) = (pool.trunc(rest, width), pool.trunc(x, width));
            assert_eq!(low, own);
            for bits in 0..=255_u128 {
                let mut model = crate::terms::model::Model::new();
                model.set("x", 8, bits);
                let rest = u128::from(pool.eval(rest, &model));
                assert_eq!(rest % (1 << width), bits % (1 << width), "{bits} by {divisor}");
            }
        }
        let four = pool.constant(8, 4);
        let rest = pool.binary(BinOp::SRem, x, four);
        assert_ne!(pool.trunc(rest, 3), pool.trunc(x, 3), "-1 leaves -1");
    }
}

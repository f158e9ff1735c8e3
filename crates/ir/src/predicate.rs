//! What holds between the integer comparisons.

use crate::inst::IntPredicate;

impl IntPredicate {
    /// The comparison that is true exactly where this one is false.
    #[must_use]
    pub const fn negated(self) -> Self {
        match self {
            IntPredicate::Eq => IntPredicate::Ne,
            IntPredicate::Ne => IntPredicate::Eq,
            IntPredicate::Ult => IntPredicate::Uge,
            IntPredicate::Ule => IntPredicate::Ugt,
            IntPredicate::Ugt => IntPredicate::Ule,
            IntPredicate::Uge => IntPredicate::Ult,
            IntPredicate::Slt => IntPredicate::Sge,
            IntPredicate::Sle => IntPredicate::Sgt,
            IntPredicate::Sgt => IntPredicate::Sle,
            IntPredicate::Sge => IntPredicate::Slt,
        }
    }

    /// The comparison that says of `b` and `a` what this one says of `a` and `b`.
    #[must_use]
    pub const fn swapped(self) -> Self {
        match self {
            IntPredicate::Eq | IntPredicate::Ne => self,
            IntPredicate::Ult => IntPredicate::Ugt,
            IntPredicate::Ule => IntPredicate::Uge,
            IntPredicate::Ugt => IntPredicate::Ult,
            IntPredicate::Uge => IntPredicate::Ule,
            IntPredicate::Slt => IntPredicate::Sgt,
            IntPredicate::Sle => IntPredicate::Sge,
            IntPredicate::Sgt => IntPredicate::Slt,
            IntPredicate::Sge => IntPredicate::Sle,
        }
    }

    /// Whether it takes its operands as signed.
    pub const fn is_signed(self) -> bool {
        matches!(self, IntPredicate::Slt | IntPredicate::Sle | IntPredicate::Sgt | IntPredicate::Sge)
    }

    /// Whether it holds of two numbers of so many bits, from 1 to 64, above which there are none.
    #[inline(always)]
    pub const fn holds(self, width: u32, a: u64, b: u64) -> bool {
        let unused = 64 - width;
        let (x, y) = ((a << unused).cast_signed(), (b << unused).cast_signed());
        match self {
            IntPredicate::Eq => a == b,
            IntPredicate::Ne => a != b,
            IntPredicate::Ult => a < b,
            IntPredicate::Ule => a <= b,
            IntPredicate::Ugt => a > b,
            IntPredicate::Uge => a >= b,
            IntPredicate::Slt => x < y,
            IntPredicate::Sle => x <= y,
            IntPredicate::Sgt => x > y,
            IntPredicate::Sge => x >= y,
        }
    }

    /// C's operator.
    pub const fn c_name(self) -> &'static str {
        match self {
            IntPredicate::Eq => "==",
            IntPredicate::Ne => "!=",
            IntPredicate::Ult | IntPredicate::Slt => "<",
            IntPredicate::Ule | IntPredicate::Sle => "<=",
            IntPredicate::Ugt | IntPredicate::Sgt => ">",
            IntPredicate::Uge | IntPredicate::Sge => ">=",
        }
    }
}

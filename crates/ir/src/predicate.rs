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

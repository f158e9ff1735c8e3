//! What a term is: handles, sorts, operators and the node behind a handle.

use std::fmt;

/// Handle of a hash-consed term; two handles of one [`TermPool`](crate::TermPool) are equal exactly when their terms
/// are structurally equal after simplification.
///
/// Valid only for the pool that made it. The order of handles is the order of creation: fit for sorted containers
/// inside one run, not for output that has to be the same in every run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub(crate) u32);

impl Term {
    /// Dense index of the term in its pool, for side tables.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

/// The sort of a term. Booleans are `Bv(1)`; floats are bit patterns in `Bv(32)` or `Bv(64)`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// Bit vector of 1 to [`MAX_WIDTH`] bits.
    Bv(u32),
    /// Array from 64-bit indices to 8-bit elements.
    Array,
}

/// The widest bit vector a pool can hold, in bits.
pub const MAX_WIDTH: u32 = 128;

/// Binary bit-vector operators, with the meaning SMT-LIB gives them (total: division by zero and shifts beyond the
/// width have results).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BinOp {
    /// Sum modulo 2^width. The only form in which sums are kept.
    Add,
    /// Difference. Never found in a node: kept as a sum with a factor of -1.
    Sub,
    /// Product modulo 2^width. A shift left by a constant is kept as one.
    Mul,
    /// Unsigned quotient; all ones when the divisor is zero.
    UDiv,
    /// Signed quotient rounded to zero; for a zero divisor 1 if the dividend is negative, else -1.
    SDiv,
    /// Unsigned remainder; the dividend when the divisor is zero.
    URem,
    /// Signed remainder with the sign of the dividend; the dividend when the divisor is zero.
    SRem,
    /// Bitwise (and, on `Bv(1)`, logical) conjunction.
    And,
    /// Bitwise disjunction.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Shift left; zero when the amount is the width or more.
    Shl,
    /// Logical shift right; zero when the amount is the width or more.
    LShr,
    /// Arithmetic shift right; all sign bits when the amount is the width or more.
    AShr,
}

impl BinOp {
    /// All of them.
    pub const ALL: [BinOp; 13] = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::UDiv,
        BinOp::SDiv,
        BinOp::URem,
        BinOp::SRem,
        BinOp::And,
        BinOp::Or,
        BinOp::Xor,
        BinOp::Shl,
        BinOp::LShr,
        BinOp::AShr,
    ];

    /// Whether it is a quotient or remainder of signed numbers.
    pub(crate) const fn divides_signed(self) -> bool {
        matches!(self, BinOp::SDiv | BinOp::SRem)
    }

    /// Whether it is what remains of a division.
    pub(crate) const fn is_remainder(self) -> bool {
        matches!(self, BinOp::URem | BinOp::SRem)
    }

    /// Whether it is a quotient or a remainder.
    pub(crate) const fn divides(self) -> bool {
        matches!(self, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem)
    }
}

/// Comparisons of bit vectors; the result is a `Bv(1)`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CmpOp {
    /// Equality.
    Eq,
    /// Unsigned less than.
    Ult,
    /// Unsigned less or equal.
    Ule,
    /// Signed less than.
    Slt,
    /// Signed less or equal.
    Sle,
}

/// IEEE 754 operators on bit patterns of 32 or 64 bits; the format follows from the widths of the operands.
///
/// Rounding is to nearest, ties to even. NaN results are those of x86 SSE: the first NaN operand made quiet, else the
/// negative quiet NaN without payload.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FpOp {
    /// Sum.
    FAdd,
    /// Difference.
    FSub,
    /// Product.
    FMul,
    /// Quotient.
    FDiv,
    /// C's `fmod` (quotient rounded to zero). Folded and evaluated; a query with it is [`Unsupported`].
    ///
    /// [`Unsupported`]: crate::UnknownReason::Unsupported
    FRem,
    /// Sign flipped, also of a NaN. Never found in a node: kept as an exclusive or.
    FNeg,
    /// Sign cleared, also of a NaN. Never found in a node: kept as a conjunction.
    FAbs,
    /// Square root.
    FSqrt,
    /// Rounded to an integer towards minus infinity.
    FFloor,
    /// Rounded to an integer towards plus infinity.
    FCeil,
    /// Rounded to an integer towards zero.
    FTrunc,
    /// Rounded to an integer, ties to even (`rint` in the default rounding mode).
    FRoundEven,
    /// Ordered and equal (`fcmp oeq`).
    FEq,
    /// Ordered and less than (`fcmp olt`).
    FLt,
    /// Ordered and less or equal (`fcmp ole`).
    FLe,
    /// Unordered: at least one NaN (`fcmp uno`).
    FUno,
    /// To the float format of this width.
    FpToFp(u32),
    /// To a signed integer of this width, rounded to zero; out of range or NaN gives the least integer (as x86 does).
    FpToSi(u32),
    /// To an unsigned integer of this width, rounded to zero; out of range or NaN gives all ones.
    FpToUi(u32),
    /// From a signed integer to the float format of this width.
    SiToFp(u32),
    /// From an unsigned integer to the float format of this width.
    UiToFp(u32),
}

impl FpOp {
    /// The number of operands: 1 or 2.
    pub fn arity(self) -> usize {
        match self {
            FpOp::FAdd | FpOp::FSub | FpOp::FMul | FpOp::FDiv | FpOp::FRem => 2,
            FpOp::FEq | FpOp::FLt | FpOp::FLe | FpOp::FUno => 2,
            FpOp::FNeg | FpOp::FAbs | FpOp::FSqrt => 1,
            FpOp::FFloor | FpOp::FCeil | FpOp::FTrunc | FpOp::FRoundEven => 1,
            FpOp::FpToFp(_) | FpOp::FpToSi(_) | FpOp::FpToUi(_) | FpOp::SiToFp(_) | FpOp::UiToFp(_) => 1,
        }
    }

    /// Width of the result for operands of width `operand`.
    pub fn result_width(self, operand: u32) -> u32 {
        match self {
            FpOp::FEq | FpOp::FLt | FpOp::FLe | FpOp::FUno => 1,
            FpOp::FpToFp(w) | FpOp::FpToSi(w) | FpOp::FpToUi(w) | FpOp::SiToFp(w) | FpOp::UiToFp(w) => w,
            FpOp::FAdd | FpOp::FSub | FpOp::FMul | FpOp::FDiv | FpOp::FRem => operand,
            FpOp::FNeg | FpOp::FAbs | FpOp::FSqrt => operand,
            FpOp::FFloor | FpOp::FCeil | FpOp::FTrunc | FpOp::FRoundEven => operand,
        }
    }

    /// Whether the operator can take operands of width `operand`.
    pub fn accepts(self, operand: u32) -> bool {
        let float = |w: u32| w == 32 || w == 64;
        match self {
            FpOp::SiToFp(w) | FpOp::UiToFp(w) => float(w) && operand <= MAX_WIDTH,
            FpOp::FpToFp(w) => float(w) && float(operand),
            FpOp::FpToSi(w) | FpOp::FpToUi(w) => float(operand) && (1..=64).contains(&w),
            _ => float(operand),
        }
    }
}

/// Index of a symbol's name in its pool.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SymbolId(pub(crate) u32);

/// One node of the term graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A bit-vector constant; `bits` is below 2^`width`.
    Const {
        /// Width in bits.
        width: u32,
        /// The value.
        bits: u128,
    },
    /// An unconstrained bit vector.
    Symbol {
        /// Its name.
        id: SymbolId,
        /// Width in bits.
        width: u32,
    },
    /// An unconstrained array.
    ArraySymbol {
        /// Its name.
        id: SymbolId,
    },
    /// The array whose elements all equal `byte`.
    ConstArray {
        /// The element.
        byte: u8,
    },
    /// Bitwise complement (logical, on `Bv(1)`).
    Not(Term),
    /// A binary operator on operands of one width.
    Binary(BinOp, Term, Term),
    /// A comparison of operands of one width.
    Cmp(CmpOp, Term, Term),
    /// If the `Bv(1)` condition holds the second operand, else the third; these two have one sort.
    Ite(Term, Term, Term),
    /// Zero extension to `width`.
    ZExt {
        /// The narrower operand.
        arg: Term,
        /// Width of the result.
        width: u32,
    },
    /// Sign extension to `width`.
    SExt {
        /// The narrower operand.
        arg: Term,
        /// Width of the result.
        width: u32,
    },
    /// Bits `lo..=hi` of the operand; bit 0 is the least significant.
    Extract {
        /// The wider operand.
        arg: Term,
        /// Highest bit taken.
        hi: u32,
        /// Lowest bit taken.
        lo: u32,
    },
    /// The first operand in the high bits, the second in the low bits.
    Concat(Term, Term),
    /// Element of an array at a 64-bit index.
    Select(Term, Term),
    /// The array with the element at a 64-bit index replaced.
    Store(Term, Term, Term),
    /// A unary float operator.
    FpUnary(FpOp, Term),
    /// A binary float operator.
    FpBinary(FpOp, Term, Term),
}

impl Node {
    /// The operands, in order.
    pub fn children(&self) -> Children {
        let (items, len) = match *self {
            Node::Const { .. } | Node::Symbol { .. } | Node::ArraySymbol { .. } | Node::ConstArray { .. } => {
                ([Term(0); 3], 0)
            }
            Node::Not(a)
            | Node::ZExt { arg: a, .. }
            | Node::SExt { arg: a, .. }
            | Node::Extract { arg: a, .. }
            | Node::FpUnary(_, a) => ([a, a, a], 1),
            Node::Binary(_, a, b)
            | Node::Cmp(_, a, b)
            | Node::Concat(a, b)
            | Node::Select(a, b)
            | Node::FpBinary(_, a, b) => ([a, b, b], 2),
            Node::Ite(a, b, c) | Node::Store(a, b, c) => ([a, b, c], 3),
        };
        Children { items, next: 0, len }
    }
}

/// Iterator over the operands of a node.
#[derive(Clone, Debug)]
pub struct Children {
    items: [Term; 3],
    next: usize,
    len: usize,
}

impl Iterator for Children {
    type Item = Term;

    fn next(&mut self) -> Option<Term> {
        (self.next < self.len).then(|| {
            self.next += 1;
            self.items[self.next - 1]
        })
    }
}

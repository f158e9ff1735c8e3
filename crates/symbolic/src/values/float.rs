//! Float operations on symbolic values. Floats are bit patterns in the term language.

use icsched_ir::{BinOp, CastOp, FloatPredicate, Type, UnOp};
use icsched_smt::{BinOp as TermOp, CmpOp, FpOp, Term};

use crate::domain::SymbolicDomain;
use crate::print::Printer;

impl SymbolicDomain {
    /// Float arithmetic; `None` when `op` is an integer operator.
    pub(crate) fn float_binary(&mut self, op: BinOp, a: Term, b: Term) -> Option<Term> {
        let direct = match op {
            BinOp::FAdd => FpOp::FAdd,
            BinOp::FSub => FpOp::FSub,
            BinOp::FMul => FpOp::FMul,
            BinOp::FDiv => FpOp::FDiv,
            BinOp::FRem => FpOp::FRem,
            BinOp::FMin => return Some(self.float_extreme(a, b, true)),
            BinOp::FMax => return Some(self.float_extreme(a, b, false)),
            BinOp::CopySign => return Some(self.copy_sign(a, b)),
            BinOp::FPow => return Some(self.opaque("pow", &[a, b])),
            _ => return None,
        };
        Some(self.pool.fp(direct, &[a, b]))
    }

    /// C's `fmin` and `fmax`: the other operand when one is NaN.
    fn float_extreme(&mut self, a: Term, b: Term, least: bool) -> Term {
        let (x, y) = if least { (b, a) } else { (a, b) };
        let take_b = self.pool.fp(FpOp::FLt, &[x, y]);
        let ordered = self.pool.ite(take_b, b, a);
        let b_is_nan = self.pool.fp(FpOp::FUno, &[b, b]);
        let without_b = self.pool.ite(b_is_nan, a, ordered);
        let a_is_nan = self.pool.fp(FpOp::FUno, &[a, a]);
        self.pool.ite(a_is_nan, b, without_b)
    }

    fn copy_sign(&mut self, magnitude: Term, sign: Term) -> Term {
        let width = self.pool.width(magnitude);
        let sign_mask = self.pool.constant(width, 1 << (width - 1));
        let rest = self.pool.fp(FpOp::FAbs, &[magnitude]);
        let sign = self.pool.binary(TermOp::And, sign, sign_mask);
        self.pool.binary(TermOp::Or, rest, sign)
    }

    /// Float operators with one operand; `None` for an integer operator.
    pub(crate) fn float_unary(&mut self, op: UnOp, a: Term) -> Option<Term> {
        let direct = match op {
            UnOp::FNeg => FpOp::FNeg,
            UnOp::FAbs => FpOp::FAbs,
            UnOp::FSqrt => FpOp::FSqrt,
            UnOp::FFloor => FpOp::FFloor,
            UnOp::FCeil => FpOp::FCeil,
            UnOp::FTrunc => FpOp::FTrunc,
            UnOp::FRint | UnOp::FNearbyInt | UnOp::FRoundEven => FpOp::FRoundEven,
            UnOp::FRound => return Some(self.round_half_away(a)),
            UnOp::FSin => return Some(self.opaque("sin", &[a])),
            UnOp::FCos => return Some(self.opaque("cos", &[a])),
            UnOp::FExp => return Some(self.opaque("exp", &[a])),
            UnOp::FExp2 => return Some(self.opaque("exp2", &[a])),
            UnOp::FLog => return Some(self.opaque("log", &[a])),
            UnOp::FLog2 => return Some(self.opaque("log2", &[a])),
            UnOp::FLog10 => return Some(self.opaque("log10", &[a])),
            _ => return None,
        };
        Some(self.pool.fp(direct, &[a]))
    }

    /// C's `round`. `x - trunc(x)` is exact, so the comparison with a half is too.
    fn round_half_away(&mut self, x: Term) -> Term {
        let (one, half) = match self.pool.width(x) {
            32 => (u64::from(1f32.to_bits()), u64::from(0.5f32.to_bits())),
            _ => (1f64.to_bits(), 0.5f64.to_bits()),
        };
        let width = self.pool.width(x);
        let (one, half) = (self.pool.constant(width, one), self.pool.constant(width, half));
        let whole = self.pool.fp(FpOp::FTrunc, &[x]);
        let rest = self.pool.fp(FpOp::FSub, &[x, whole]);
        let rest = self.pool.fp(FpOp::FAbs, &[rest]);
        let up = self.pool.fp(FpOp::FLe, &[half, rest]);
        let step = self.copy_sign(one, x);
        let next = self.pool.fp(FpOp::FAdd, &[whole, step]);
        self.pool.ite(up, next, whole)
    }

    /// A function the solver does not know: a symbol that is the same for the same operands (design decision D7).
    /// Relations between its values are lost, which can only add paths.
    fn opaque(&mut self, function: &str, operands: &[Term]) -> Term {
        let printer = Printer::new(&self.pool);
        let text: Vec<String> = operands.iter().map(|&t| printer.float_value(t)).collect();
        let width = self.pool.width(operands[0]);
        let name = format!("{function}({})", text.join(", "));
        let symbol = self.pool.symbol(&name, width);
        self.operands.insert(symbol, operands.to_vec());
        symbol
    }

    /// Float comparison.
    pub(crate) fn float_compare_term(&mut self, predicate: FloatPredicate, a: Term, b: Term) -> Term {
        use FloatPredicate as P;
        let (op, x, y, negate) = match predicate {
            P::False => return self.pool.bool(false),
            P::True => return self.pool.bool(true),
            P::Oeq => (FpOp::FEq, a, b, false),
            P::Ogt => (FpOp::FLt, b, a, false),
            P::Oge => (FpOp::FLe, b, a, false),
            P::Olt => (FpOp::FLt, a, b, false),
            P::Ole => (FpOp::FLe, a, b, false),
            P::Ord => (FpOp::FUno, a, b, true),
            P::Uno => (FpOp::FUno, a, b, false),
            P::Ugt => (FpOp::FLe, a, b, true),
            P::Uge => (FpOp::FLt, a, b, true),
            P::Ult => (FpOp::FLe, b, a, true),
            P::Ule => (FpOp::FLt, b, a, true),
            P::Une => (FpOp::FEq, a, b, true),
            P::One | P::Ueq => {
                let equal = self.pool.fp(FpOp::FEq, &[a, b]);
                let unordered = self.pool.fp(FpOp::FUno, &[a, b]);
                let either = self.pool.binary(TermOp::Or, equal, unordered);
                return if predicate == P::Ueq { either } else { self.pool.not(either) };
            }
        };
        let truth = self.pool.fp(op, &[x, y]);
        if negate { self.pool.not(truth) } else { truth }
    }

    /// Conversions from or to floats; `None` when both types are integers.
    pub(crate) fn float_cast(&mut self, op: CastOp, to: Type, a: Term) -> Option<Term> {
        let width = to.bits();
        let operator = match op {
            CastOp::FpTrunc | CastOp::FpExt => FpOp::FpToFp(width),
            CastOp::FpToUi | CastOp::FpToSi => return Some(self.float_to_integer(op == CastOp::FpToSi, width, a)),
            CastOp::UiToFp => FpOp::UiToFp(width),
            CastOp::SiToFp => FpOp::SiToFp(width),
            _ => return None,
        };
        Some(self.pool.fp(operator, &[a]))
    }

    /// What the processor's conversions to 32 or 64 signed bits give, also where the result does not fit: as
    /// [`arith::cast`](icsched_machine::arith::cast).
    fn float_to_integer(&mut self, is_signed: bool, width: u32, a: Term) -> Term {
        let register = if width < 32 || is_signed && width == 32 { 32 } else { 64 };
        let low = self.pool.fp(FpOp::FpToSi(register), &[a]);
        if is_signed || width < 64 {
            return self.pool.trunc(low, width);
        }
        let wide = if self.pool.width(a) == 32 { self.pool.fp(FpOp::FpToFp(64), &[a]) } else { a };
        let half = self.pool.constant(64, 9_223_372_036_854_775_808f64.to_bits());
        let above = self.pool.fp(FpOp::FSub, &[wide, half]);
        let high = self.pool.fp(FpOp::FpToSi(64), &[above]);
        let zero = self.pool.constant(64, 0);
        let is_large = self.pool.cmp(CmpOp::Slt, low, zero);
        let both = self.pool.binary(TermOp::Or, low, high);
        self.pool.ite(is_large, both, low)
    }
}

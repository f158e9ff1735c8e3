//! What can be broken: every operation that the machine asks a domain for.

use icsched_ir::{BinOp, CastOp, FloatPredicate, IntPredicate, OverflowOp, UnOp};

/// An operation of the symbolic domain.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Fault {
    Binary(BinOp),
    Unary(UnOp),
    Cast(CastOp),
    IntCompare(IntPredicate),
    FloatCompare(FloatPredicate),
    Overflow(OverflowOp),
    Method(Method),
}

/// The other methods of the domain. Not here: `constant` and `as_constant`, which only convert, and `array_ask`, which
/// has no part in what a path computes: it is there for those who drop instructions from a path.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Method {
    Select,
    Not,
    SplitBytes,
    JoinBytes,
    ArrayFromBytes,
    ArrayLoad,
    ArrayStore,
    /// A store under a guard ignores it.
    ArrayStoreGuard,
    Decide,
    /// An alternative of an address points elsewhere.
    ResolveOffset,
    /// The guards of two alternatives are swapped.
    ResolveGuard,
    Concretise,
    Input,
    InputOfString,
    InputByte,
}

impl Method {
    pub(crate) const ALL: &[Method] = &[
        Method::Select,
        Method::Not,
        Method::SplitBytes,
        Method::JoinBytes,
        Method::ArrayFromBytes,
        Method::ArrayLoad,
        Method::ArrayStore,
        Method::ArrayStoreGuard,
        Method::Decide,
        Method::ResolveOffset,
        Method::ResolveGuard,
        Method::Concretise,
        Method::Input,
        Method::InputOfString,
        Method::InputByte,
    ];
}

impl Fault {
    /// All of them, from the lists of operations of the IR.
    pub(crate) fn all() -> Vec<Fault> {
        let mut all: Vec<Fault> = BinOp::ALL.iter().copied().map(Fault::Binary).collect();
        all.extend(UnOp::ALL.iter().copied().map(Fault::Unary));
        all.extend(CastOp::ALL.iter().copied().map(Fault::Cast));
        all.extend(IntPredicate::ALL.iter().copied().map(Fault::IntCompare));
        all.extend(FloatPredicate::ALL.iter().copied().map(Fault::FloatCompare));
        all.extend(OverflowOp::ALL.iter().copied().map(Fault::Overflow));
        all.extend(Method::ALL.iter().copied().map(Fault::Method));
        all
    }
}

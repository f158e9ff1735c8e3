//! Operands, instructions and terminators.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::entity::{BlockId, FuncId, GlobalId, LocId, ValueId};
use crate::intrinsic::Intrinsic;
use crate::types::Type;

/// A constant operand.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Const {
    /// An integer, a float's bits, or a pointer with a literal address (0 is null).
    Bits {
        /// The constant's type.
        ty: Type,
        /// Its bits; zero above the type's width.
        bits: u64,
    },
    /// The address of a global plus a byte offset. For a thread-local global: the executing thread's instance.
    Global {
        /// The global.
        global: GlobalId,
        /// Bytes from its start; may point outside.
        offset: i64,
    },
    /// The address of a function.
    Func(FuncId),
    /// The address of a block, for computed `goto`.
    Block {
        /// The function that holds the block.
        func: FuncId,
        /// The block.
        block: BlockId,
    },
    /// An unspecified value (`undef`, `poison`).
    Undef(Type),
}

impl Const {
    /// An integer constant, cut to the type's width.
    pub const fn int(ty: Type, bits: u64) -> Self {
        Const::Bits { ty, bits: bits & ty.mask() }
    }

    /// The null pointer.
    pub const NULL: Const = Const::Bits { ty: Type::Ptr, bits: 0 };

    /// The constant's type.
    pub const fn ty(self) -> Type {
        match self {
            Const::Bits { ty, .. } | Const::Undef(ty) => ty,
            Const::Global { .. } | Const::Func(_) | Const::Block { .. } => Type::Ptr,
        }
    }
}

/// What an instruction reads.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Operand {
    /// An SSA value of the same function.
    Value(ValueId),
    /// A constant.
    Const(Const),
}

impl Operand {
    /// The value, if it is one.
    pub const fn value(self) -> Option<ValueId> {
        match self {
            Operand::Value(v) => Some(v),
            Operand::Const(_) => None,
        }
    }
}

impl From<ValueId> for Operand {
    fn from(v: ValueId) -> Self {
        Operand::Value(v)
    }
}

impl From<Const> for Operand {
    fn from(c: Const) -> Self {
        Operand::Const(c)
    }
}

/// Two-operand arithmetic; both operands and the result have one type.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are LLVM's")]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
    /// `UMin`.. `SMax`: integer minimum and maximum.
    UMin,
    UMax,
    SMin,
    SMax,
    /// Saturating addition and subtraction.
    UAddSat,
    USubSat,
    SAddSat,
    SSubSat,
    /// C's `fmin`, `fmax`, `copysign`, `pow`.
    FMin,
    FMax,
    CopySign,
    FPow,
}

impl BinOp {
    /// Whether [`NoWrap`] can say something about it.
    pub const fn may_wrap(self) -> bool {
        matches!(self, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl)
    }
}

/// What is said not to happen where an operation is executed (LLVM's `nsw` and `nuw`). If it does, the operation still
/// gives the bits that are left, and the program may not depend on them: C leaves undefined what it does then.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
pub struct NoWrap {
    /// The result as a signed number does not fit.
    pub signed: bool,
    /// The result as an unsigned number does not fit.
    pub unsigned: bool,
}

impl NoWrap {
    /// Whether it says anything.
    pub const fn any(self) -> bool {
        self.signed || self.unsigned
    }
}

/// One-operand arithmetic; operand and result have one type.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are LLVM's")]
pub enum UnOp {
    FNeg,
    FAbs,
    FSqrt,
    FFloor,
    FCeil,
    FTrunc,
    FRint,
    FNearbyInt,
    FRound,
    FRoundEven,
    FSin,
    FCos,
    FExp,
    FExp2,
    FLog,
    FLog2,
    FLog10,
    /// Population count, leading and trailing zeros (width for 0), byte and bit reversal, absolute value.
    CtPop,
    CtLz,
    CtTz,
    BSwap,
    BitReverse,
    Abs,
    /// Fixes an unspecified value.
    Freeze,
}

/// Conversions; the target type is the result's.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are LLVM's")]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    FpTrunc,
    FpExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    /// Same width, other type: also between pointers and integers of 64 bits.
    Bitcast,
}

/// Integer and pointer comparisons; the result is `i1`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are LLVM's")]
pub enum IntPredicate {
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

/// Floating-point comparisons; the result is `i1`. `O…` is false and `U…` true when an operand is NaN.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are LLVM's")]
pub enum FloatPredicate {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Uno,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    True,
}

/// Does the operation overflow? The result is `i1`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are LLVM's")]
pub enum OverflowOp {
    UAdd,
    SAdd,
    USub,
    SSub,
    UMul,
    SMul,
}

/// Atomic read-modify-write operations.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are LLVM's")]
pub enum RmwOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    FAdd,
    FSub,
}

/// Memory ordering of an atomic access.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are C11's")]
pub enum Ordering {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// How a memory access is made.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Access {
    /// `volatile`.
    pub volatile: bool,
    /// `Some` for an atomic access.
    pub atomic: Option<Ordering>,
}

/// One `index * scale` addend of an address computation.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct ScaledIndex {
    /// An `i64` operand.
    pub index: Operand,
    /// Bytes per unit of the index.
    pub scale: i64,
    /// How many elements the array has that it is a subscript of, if the array is a member of a structure and others
    /// are behind it: a subscript out of range is undefined (C11 6.5.6, 8). [`Self::NOT_NEGATIVE`] and
    /// [`Self::FORWARD`] if it is only known that it is not negative.
    pub elements: Option<u64>,
}

impl ScaledIndex {
    /// [`Self::elements`] of an array that is the last member of a structure, and may go on behind it.
    pub const NOT_NEGATIVE: u64 = 1 << 63;

    /// The same of any index of which the optimiser says so: where it is negative, the address is one that the program
    /// may not use.
    pub const FORWARD: u64 = Self::NOT_NEGATIVE + 1;

    /// How many values it may have as a subscript, as C has it; not what the optimiser says, which may compute
    /// addresses early that the program does not use.
    pub fn subscripts(&self) -> Option<u64> {
        self.elements.filter(|&elements| elements != Self::FORWARD)
    }

    /// An index of which nothing is known.
    pub const fn new(index: Operand, scale: i64) -> Self {
        Self { index, scale, elements: None }
    }
}

/// What a call calls.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Callee {
    /// A known function, defined or only declared.
    Direct(FuncId),
    /// A function pointer.
    Indirect(Operand),
    /// An operation of the engine.
    Intrinsic(Intrinsic),
}

/// What an instruction does. Results are listed in [`Inst::results`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the operand names say it")]
pub enum Op {
    Binary {
        op: BinOp,
        no_wrap: NoWrap,
        a: Operand,
        b: Operand,
    },
    Unary {
        op: UnOp,
        a: Operand,
    },
    Cast {
        op: CastOp,
        a: Operand,
    },
    IntCompare {
        predicate: IntPredicate,
        a: Operand,
        b: Operand,
    },
    FloatCompare {
        predicate: FloatPredicate,
        a: Operand,
        b: Operand,
    },
    Overflow {
        op: OverflowOp,
        a: Operand,
        b: Operand,
    },
    Select {
        condition: Operand,
        a: Operand,
        b: Operand,
    },
    /// Funnel shift of `hi:lo` by `amount` modulo the width; the upper half (left) or lower half (right).
    FunnelShift {
        left: bool,
        hi: Operand,
        lo: Operand,
        amount: Operand,
    },
    /// `base + offset + sum(index * scale)`; wraps.
    Address {
        base: Operand,
        offset: i64,
        indices: SmallVec<[ScaledIndex; 1]>,
    },
    /// Loads a value of the result's type, little-endian.
    Load {
        address: Operand,
        access: Access,
    },
    Store {
        address: Operand,
        value: Operand,
        access: Access,
    },
    /// A stack object of `size * count` bytes that lives until the function returns.
    Alloca {
        size: u64,
        count: Operand,
        align: u64,
    },
    /// Result: the old value.
    AtomicRmw {
        op: RmwOp,
        address: Operand,
        value: Operand,
        ordering: Ordering,
    },
    /// Result: the old value. Success is `old == expected`.
    CompareExchange {
        address: Operand,
        expected: Operand,
        new: Operand,
        success: Ordering,
        failure: Ordering,
    },
    Fence {
        ordering: Ordering,
    },
    /// `memcpy` (no overlap) or `memmove`.
    MemCopy {
        to: Operand,
        from: Operand,
        bytes: Operand,
        may_overlap: bool,
    },
    MemSet {
        to: Operand,
        byte: Operand,
        bytes: Operand,
    },
    /// Calls; results are the flattened return value.
    Call {
        callee: Callee,
        args: Vec<Operand>,
    },
    /// Fills the `va_list` at `list` with the frame's variable arguments.
    VaStart {
        list: Operand,
    },
    VaCopy {
        to: Operand,
        from: Operand,
    },
    /// Execution never gets here (`llvm.trap`, `ud2`).
    Trap,
    /// Something the frontend does not lower; an error only when executed.
    Unsupported {
        text: String,
    },
}

/// One instruction.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Inst {
    /// The values it defines: none or one, except that a call has one per scalar of its return value.
    pub results: SmallVec<[ValueId; 1]>,
    /// What it does.
    pub op: Op,
    /// Where it is in the source.
    pub loc: Option<LocId>,
}

/// A control-flow edge with the arguments for the target's block parameters.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Edge {
    /// The block it leads to.
    pub target: BlockId,
    /// One argument per parameter of the target.
    pub args: SmallVec<[Operand; 2]>,
}

/// How a block ends.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the operand names say it")]
pub enum Terminator {
    Jump(Edge),
    Branch {
        condition: Operand,
        then_edge: Edge,
        else_edge: Edge,
    },
    Return(SmallVec<[Operand; 1]>),
    /// Reaching it is undefined behaviour.
    Unreachable,
    /// A terminator the frontend does not lower; an error when executed.
    Unsupported {
        text: String,
    },
}

impl Terminator {
    /// The outgoing edges: then before else.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        let (a, b) = match self {
            Terminator::Jump(edge) => (Some(edge), None),
            Terminator::Branch { then_edge, else_edge, .. } => (Some(then_edge), Some(else_edge)),
            Terminator::Return(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => (None, None),
        };
        a.into_iter().chain(b)
    }

    /// The outgoing edges, to be changed.
    pub fn edges_mut(&mut self) -> impl Iterator<Item = &mut Edge> {
        let (a, b) = match self {
            Terminator::Jump(edge) => (Some(edge), None),
            Terminator::Branch { then_edge, else_edge, .. } => (Some(then_edge), Some(else_edge)),
            Terminator::Return(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => (None, None),
        };
        a.into_iter().chain(b)
    }

    /// Calls `change` with every operand: condition or returned values, then edge arguments.
    pub fn for_each_operand_mut(&mut self, mut change: impl FnMut(&mut Operand)) {
        match self {
            Terminator::Branch { condition, .. } => change(condition),
            Terminator::Return(values) => values.iter_mut().for_each(&mut change),
            Terminator::Jump(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => {}
        }
        self.edges_mut().flat_map(|edge| edge.args.iter_mut()).for_each(change);
    }

    /// Calls `visit` with every operand, edge arguments included, in the order the text form prints them.
    pub fn for_each_operand(&self, mut visit: impl FnMut(Operand)) {
        match self {
            Terminator::Branch { condition, .. } => visit(*condition),
            Terminator::Return(values) => values.iter().copied().for_each(&mut visit),
            Terminator::Jump(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => {}
        }
        self.edges().flat_map(|e| e.args.iter().copied()).for_each(visit);
    }
}

impl Op {
    /// Two-operand arithmetic that may wrap.
    pub const fn binary(op: BinOp, a: Operand, b: Operand) -> Self {
        Op::Binary { op, no_wrap: NoWrap { signed: false, unsigned: false }, a, b }
    }

    /// Whether its results are a function of its operands alone: no memory is read or written, and nothing else
    /// happens, but that a division may fail.
    pub const fn is_computation(&self) -> bool {
        match self {
            Op::Binary { .. }
            | Op::Unary { .. }
            | Op::Cast { .. }
            | Op::IntCompare { .. }
            | Op::FloatCompare { .. }
            | Op::Overflow { .. }
            | Op::Select { .. }
            | Op::FunnelShift { .. }
            | Op::Address { .. } => true,
            Op::Load { .. }
            | Op::Store { .. }
            | Op::Alloca { .. }
            | Op::AtomicRmw { .. }
            | Op::CompareExchange { .. }
            | Op::Fence { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::Call { .. }
            | Op::VaStart { .. }
            | Op::VaCopy { .. }
            | Op::Trap
            | Op::Unsupported { .. } => false,
        }
    }

    /// Calls `visit` with every operand, in the order the text form prints them.
    pub fn for_each_operand(&self, mut visit: impl FnMut(Operand)) {
        match self {
            Op::Binary { a, b, .. }
            | Op::IntCompare { a, b, .. }
            | Op::FloatCompare { a, b, .. }
            | Op::Overflow { a, b, .. } => [*a, *b].into_iter().for_each(visit),
            Op::Unary { a, .. } | Op::Cast { a, .. } => visit(*a),
            Op::Select { condition, a, b } => [*condition, *a, *b].into_iter().for_each(visit),
            Op::FunnelShift { hi, lo, amount, .. } => [*hi, *lo, *amount].into_iter().for_each(visit),
            Op::Address { base, indices, .. } => {
                visit(*base);
                indices.iter().for_each(|i| visit(i.index));
            }
            Op::Load { address, .. } => visit(*address),
            Op::Store { address, value, .. } | Op::AtomicRmw { address, value, .. } => {
                [*address, *value].into_iter().for_each(visit);
            }
            Op::Alloca { count, .. } => visit(*count),
            Op::CompareExchange { address, expected, new, .. } => {
                [*address, *expected, *new].into_iter().for_each(visit);
            }
            Op::MemCopy { to, from, bytes, .. } => [*to, *from, *bytes].into_iter().for_each(visit),
            Op::MemSet { to, byte, bytes } => [*to, *byte, *bytes].into_iter().for_each(visit),
            Op::Call { callee, args } => {
                if let Callee::Indirect(target) = callee {
                    visit(*target);
                }
                args.iter().copied().for_each(visit);
            }
            Op::VaStart { list } => visit(*list),
            Op::VaCopy { to, from } => [*to, *from].into_iter().for_each(visit),
            Op::Fence { .. } | Op::Trap | Op::Unsupported { .. } => {}
        }
    }

    /// Calls `change` with every operand, in the order of [`for_each_operand`](Self::for_each_operand).
    pub fn for_each_operand_mut(&mut self, mut change: impl FnMut(&mut Operand)) {
        match self {
            Op::Binary { a, b, .. }
            | Op::IntCompare { a, b, .. }
            | Op::FloatCompare { a, b, .. }
            | Op::Overflow { a, b, .. } => [a, b].into_iter().for_each(change),
            Op::Unary { a, .. } | Op::Cast { a, .. } => change(a),
            Op::Select { condition, a, b } => [condition, a, b].into_iter().for_each(change),
            Op::FunnelShift { hi, lo, amount, .. } => [hi, lo, amount].into_iter().for_each(change),
            Op::Address { base, indices, .. } => {
                change(base);
                indices.iter_mut().for_each(|i| change(&mut i.index));
            }
            Op::Load { address, .. } => change(address),
            Op::Store { address, value, .. } | Op::AtomicRmw { address, value, .. } => {
                [address, value].into_iter().for_each(change);
            }
            Op::Alloca { count, .. } => change(count),
            Op::CompareExchange { address, expected, new, .. } => {
                [address, expected, new].into_iter().for_each(change);
            }
            Op::MemCopy { to, from, bytes, .. } => [to, from, bytes].into_iter().for_each(change),
            Op::MemSet { to, byte, bytes } => [to, byte, bytes].into_iter().for_each(change),
            Op::Call { callee, args } => {
                if let Callee::Indirect(target) = callee {
                    change(target);
                }
                args.iter_mut().for_each(change);
            }
            Op::VaStart { list } => change(list),
            Op::VaCopy { to, from } => [to, from].into_iter().for_each(change),
            Op::Fence { .. } | Op::Trap | Op::Unsupported { .. } => {}
        }
    }
}

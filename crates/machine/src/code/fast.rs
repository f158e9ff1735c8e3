//! The decoded instructions once more, specialised by type and operator: what the fast loop executes.
//!
//! Position for position parallel to [`FunctionCode::instrs`](super::FunctionCode::instrs): execution can go from one
//! form to the other between any two instructions. A fused instruction does the work of its position and the next one;
//! the next position still holds the second one alone. [`Fast::Slow`] is what only the other form can express.

use icsched_ir::{BinOp, CastOp, FloatPredicate, IntPredicate, OverflowOp, Type, UnOp};

/// A register of a function that has few enough of them for the fast loop.
pub(crate) type Short = u16;

/// An instruction of the fast loop; 16 bytes. `D A B` are destination and operands.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Fast {
    /// To be executed in its other form.
    Slow,
    Add32(Short, Short, Short),
    Add64(Short, Short, Short),
    Sub32(Short, Short, Short),
    Sub64(Short, Short, Short),
    Mul32(Short, Short, Short),
    Mul64(Short, Short, Short),
    /// `And`..`Xor`: of any width.
    And(Short, Short, Short),
    Or(Short, Short, Short),
    Xor(Short, Short, Short),
    Shl32(Short, Short, Short),
    Shl64(Short, Short, Short),
    LShr32(Short, Short, Short),
    LShr64(Short, Short, Short),
    AShr32(Short, Short, Short),
    AShr64(Short, Short, Short),
    FAdd64(Short, Short, Short),
    FSub64(Short, Short, Short),
    FMul64(Short, Short, Short),
    FDiv64(Short, Short, Short),
    /// Any other operator or type.
    Binary {
        op: BinOp,
        ty: Type,
        dst: Short,
        a: Short,
        b: Short,
    },
    Unary {
        op: UnOp,
        ty: Type,
        dst: Short,
        a: Short,
    },
    /// A conversion that changes no bit.
    Copy(Short, Short),
    Trunc8(Short, Short),
    Trunc32(Short, Short),
    SExt32(Short, Short),
    Cast {
        op: CastOp,
        from: Type,
        to: Type,
        dst: Short,
        a: Short,
    },
    /// `Eq`..`Ule`: of any width.
    Eq(Short, Short, Short),
    Ne(Short, Short, Short),
    Ult(Short, Short, Short),
    Ule(Short, Short, Short),
    Slt32(Short, Short, Short),
    Sle32(Short, Short, Short),
    Slt64(Short, Short, Short),
    Sle64(Short, Short, Short),
    IntCompare {
        predicate: IntPredicate,
        ty: Type,
        dst: Short,
        a: Short,
        b: Short,
    },
    FloatCompare {
        predicate: FloatPredicate,
        ty: Type,
        dst: Short,
        a: Short,
        b: Short,
    },
    Overflow {
        op: OverflowOp,
        ty: Type,
        dst: Short,
        a: Short,
        b: Short,
    },
    Select {
        dst: Short,
        condition: Short,
        a: Short,
        b: Short,
    },
    Offset {
        dst: Short,
        base: Short,
        offset: i64,
    },
    Index {
        dst: Short,
        base: Short,
        index: Short,
        scale: i64,
    },
    /// Destination and address.
    Load8(Short, Short),
    Load16(Short, Short),
    Load32(Short, Short),
    Load64(Short, Short),
    /// Address and value.
    Store8(Short, Short),
    Store16(Short, Short),
    Store32(Short, Short),
    Store64(Short, Short),
    /// An edge with no moves, one, two (destination and source), or any number.
    Jump0 {
        edge: u32,
    },
    Jump1 {
        edge: u32,
        dst: Short,
        src: Short,
    },
    Jump2 {
        edge: u32,
        dst: [Short; 2],
        src: [Short; 2],
    },
    Jump {
        edge: u32,
    },
    Branch {
        condition: Short,
        then_edge: u32,
        else_edge: u32,
    },
    /// A comparison and the branch on it: `(D, A, B, then edge, else edge)`.
    IfEq(Short, Short, Short, u32, u32),
    IfNe(Short, Short, Short, u32, u32),
    IfUlt(Short, Short, Short, u32, u32),
    IfUle(Short, Short, Short, u32, u32),
    IfSlt32(Short, Short, Short, u32, u32),
    IfSle32(Short, Short, Short, u32, u32),
    IfSlt64(Short, Short, Short, u32, u32),
    IfSle64(Short, Short, Short, u32, u32),
    /// A call of a function with exactly these parameters.
    Call {
        call: u32,
    },
    Return0,
    Return1 {
        value: Short,
    },
}

const _: () = assert!(size_of::<Fast>() == 16, "four to a cache line");

/// An edge for the fast loop.
#[derive(Copy, Clone, Debug)]
pub(crate) struct FastEdge {
    /// First instruction of the target.
    pub(crate) pc: u32,
    /// Instructions of the target block.
    pub(crate) run: u32,
    /// Into [`FastCode::moves`].
    pub(crate) moves: (u32, u32),
}

/// A function for the fast loop; empty if the function has too many registers.
#[derive(Clone, Default, Debug)]
pub(crate) struct FastCode {
    pub(crate) instrs: Vec<Fast>,
    /// Instructions from each one, itself included, to the end of its block.
    pub(crate) runs: Vec<u32>,
    pub(crate) edges: Vec<FastEdge>,
    /// Destination and source.
    pub(crate) moves: Vec<(Short, Short)>,
}

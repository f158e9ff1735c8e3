//! The decoded instructions once more, specialised by type and operator: what the fast loop executes.
//!
//! Position for position parallel to [`FunctionCode::instrs`]: execution can go from one form to the other between any
//! two instructions. A fused instruction does the work of its position and the next one; the next position still holds
//! the second one alone. [`Fast::Slow`] is what only the other form can express.

use icsched_ir::{BinOp, CastOp, FloatPredicate, IntPredicate, OverflowOp, Type, UnOp};

use super::{CalleeCode, FunctionCode, Instr, Slot};

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

impl FastCode {
    /// Translates a decoded function.
    pub(super) fn new(function: &FunctionCode) -> Self {
        let slots = function.registers as usize + function.constants.len();
        if slots > usize::from(Short::MAX) {
            return FastCode::default();
        }
        let runs = runs(function);
        let edge = |edge: &super::EdgeCode| FastEdge {
            pc: edge.pc,
            run: runs[edge.pc as usize],
            moves: (edge.moves.start, edge.moves.end),
        };
        FastCode {
            edges: function.edges.iter().map(edge).collect(),
            moves: function.moves.iter().map(|&(dst, src)| (short(dst), short(src))).collect(),
            instrs: (0..function.instrs.len()).map(|pc| translate(function, pc)).collect(),
            runs,
        }
    }
}

/// Decoded instructions of a block end with one that never goes on to the next position.
fn runs(function: &FunctionCode) -> Vec<u32> {
    let mut runs = vec![0; function.instrs.len()];
    let mut run = 0;
    for (pc, (block, _)) in function.points.iter().enumerate().rev() {
        let last = function.points.get(pc + 1).is_none_or(|(next, _)| next != block);
        run = if last { 1 } else { run + 1 };
        runs[pc] = run;
    }
    runs
}

fn short(slot: Slot) -> Short {
    Short::try_from(slot).expect("the function has few registers")
}

fn translate(function: &FunctionCode, pc: usize) -> Fast {
    match function.instrs[pc] {
        Instr::Binary { op, ty, dst, a, b, .. } => binary(op, ty, short(dst), short(a), short(b)),
        Instr::Unary { op: UnOp::Freeze, dst, a, .. } => Fast::Copy(short(dst), short(a)),
        Instr::Unary { op, ty, dst, a } => Fast::Unary { op, ty, dst: short(dst), a: short(a) },
        Instr::Cast { op, from, to, dst, a } => cast(op, from, to, short(dst), short(a)),
        Instr::IntCompare { predicate, ty, dst, a, b } => {
            let alone = compare(predicate, ty, short(dst), short(a), short(b));
            match function.instrs.get(pc + 1) {
                Some(&Instr::Branch { condition, then_edge, else_edge }) if condition == dst => {
                    with_branch(alone, then_edge, else_edge)
                }
                _ => alone,
            }
        }
        Instr::FloatCompare { predicate, ty, dst, a, b } => {
            Fast::FloatCompare { predicate, ty, dst: short(dst), a: short(a), b: short(b) }
        }
        Instr::Overflow { op, ty, dst, a, b } => Fast::Overflow { op, ty, dst: short(dst), a: short(a), b: short(b) },
        Instr::Select { dst, condition, a, b, .. } => {
            Fast::Select { dst: short(dst), condition: short(condition), a: short(a), b: short(b) }
        }
        Instr::Offset { dst, base, offset } => Fast::Offset { dst: short(dst), base: short(base), offset },
        Instr::Index { dst, base, index, scale } => {
            Fast::Index { dst: short(dst), base: short(base), index: short(index), scale }
        }
        Instr::Load { ty, atomic: false, dst, address } => load(ty, short(dst), short(address)),
        Instr::Store { ty, atomic: false, address, value } => store(ty, short(address), short(value)),
        Instr::Jump { edge } => jump(function, edge),
        Instr::Branch { condition, then_edge, else_edge } => {
            Fast::Branch { condition: short(condition), then_edge, else_edge }
        }
        Instr::Call { call } if matches!(function.calls[call as usize].callee, CalleeCode::Plain(_)) => {
            Fast::Call { call }
        }
        Instr::ReturnNone => Fast::Return0,
        Instr::ReturnOne { value } => Fast::Return1 { value: short(value) },
        Instr::FunnelShift { .. }
        | Instr::Load { .. }
        | Instr::Store { .. }
        | Instr::ReturnMany { .. }
        | Instr::Call { .. }
        | Instr::Alloca { .. }
        | Instr::AtomicRmw { .. }
        | Instr::CompareExchange { .. }
        | Instr::Fence
        | Instr::MemCopy { .. }
        | Instr::MemSet { .. }
        | Instr::VaStart { .. }
        | Instr::VaCopy { .. }
        | Instr::Trap
        | Instr::Unreachable
        | Instr::Undefined
        | Instr::GoesRound
        | Instr::Forget
        | Instr::Marker
        | Instr::Unsupported => Fast::Slow,
    }
}

fn binary(op: BinOp, ty: Type, dst: Short, a: Short, b: Short) -> Fast {
    let make = match (op, ty) {
        (BinOp::Add, Type::Int(32)) => Fast::Add32,
        (BinOp::Add, Type::Int(64)) => Fast::Add64,
        (BinOp::Sub, Type::Int(32)) => Fast::Sub32,
        (BinOp::Sub, Type::Int(64)) => Fast::Sub64,
        (BinOp::Mul, Type::Int(32)) => Fast::Mul32,
        (BinOp::Mul, Type::Int(64)) => Fast::Mul64,
        (BinOp::And, _) => Fast::And,
        (BinOp::Or, _) => Fast::Or,
        (BinOp::Xor, _) => Fast::Xor,
        (BinOp::Shl, Type::Int(32)) => Fast::Shl32,
        (BinOp::Shl, Type::Int(64)) => Fast::Shl64,
        (BinOp::LShr, Type::Int(32)) => Fast::LShr32,
        (BinOp::LShr, Type::Int(64)) => Fast::LShr64,
        (BinOp::AShr, Type::Int(32)) => Fast::AShr32,
        (BinOp::AShr, Type::Int(64)) => Fast::AShr64,
        (BinOp::FAdd, Type::F64) => Fast::FAdd64,
        (BinOp::FSub, Type::F64) => Fast::FSub64,
        (BinOp::FMul, Type::F64) => Fast::FMul64,
        (BinOp::FDiv, Type::F64) => Fast::FDiv64,
        _ => return Fast::Binary { op, ty, dst, a, b },
    };
    make(dst, a, b)
}

fn cast(op: CastOp, from: Type, to: Type, dst: Short, a: Short) -> Fast {
    match (op, from, to) {
        (CastOp::ZExt | CastOp::Bitcast, _, _) => Fast::Copy(dst, a),
        (CastOp::Trunc, _, Type::Int(8)) => Fast::Trunc8(dst, a),
        (CastOp::Trunc, _, Type::Int(32)) => Fast::Trunc32(dst, a),
        (CastOp::SExt, Type::Int(32), Type::Int(64)) => Fast::SExt32(dst, a),
        _ => Fast::Cast { op, from, to, dst, a },
    }
}

fn compare(predicate: IntPredicate, ty: Type, dst: Short, a: Short, b: Short) -> Fast {
    match (predicate, ty.bits()) {
        (IntPredicate::Eq, _) => Fast::Eq(dst, a, b),
        (IntPredicate::Ne, _) => Fast::Ne(dst, a, b),
        (IntPredicate::Ult, _) => Fast::Ult(dst, a, b),
        (IntPredicate::Ugt, _) => Fast::Ult(dst, b, a),
        (IntPredicate::Ule, _) => Fast::Ule(dst, a, b),
        (IntPredicate::Uge, _) => Fast::Ule(dst, b, a),
        (IntPredicate::Slt, 32) => Fast::Slt32(dst, a, b),
        (IntPredicate::Sgt, 32) => Fast::Slt32(dst, b, a),
        (IntPredicate::Sle, 32) => Fast::Sle32(dst, a, b),
        (IntPredicate::Sge, 32) => Fast::Sle32(dst, b, a),
        (IntPredicate::Slt, 64) => Fast::Slt64(dst, a, b),
        (IntPredicate::Sgt, 64) => Fast::Slt64(dst, b, a),
        (IntPredicate::Sle, 64) => Fast::Sle64(dst, a, b),
        (IntPredicate::Sge, 64) => Fast::Sle64(dst, b, a),
        _ => Fast::IntCompare { predicate, ty, dst, a, b },
    }
}

/// A comparison fused with the branch behind it.
fn with_branch(compare: Fast, then_edge: u32, else_edge: u32) -> Fast {
    match compare {
        Fast::Eq(dst, a, b) => Fast::IfEq(dst, a, b, then_edge, else_edge),
        Fast::Ne(dst, a, b) => Fast::IfNe(dst, a, b, then_edge, else_edge),
        Fast::Ult(dst, a, b) => Fast::IfUlt(dst, a, b, then_edge, else_edge),
        Fast::Ule(dst, a, b) => Fast::IfUle(dst, a, b, then_edge, else_edge),
        Fast::Slt32(dst, a, b) => Fast::IfSlt32(dst, a, b, then_edge, else_edge),
        Fast::Sle32(dst, a, b) => Fast::IfSle32(dst, a, b, then_edge, else_edge),
        Fast::Slt64(dst, a, b) => Fast::IfSlt64(dst, a, b, then_edge, else_edge),
        Fast::Sle64(dst, a, b) => Fast::IfSle64(dst, a, b, then_edge, else_edge),
        other => other,
    }
}

fn load(ty: Type, dst: Short, address: Short) -> Fast {
    match ty {
        Type::Int(8) => Fast::Load8(dst, address),
        Type::Int(16) => Fast::Load16(dst, address),
        Type::Int(32) | Type::F32 => Fast::Load32(dst, address),
        Type::Int(64) | Type::Ptr | Type::F64 => Fast::Load64(dst, address),
        Type::Int(_) => Fast::Slow,
    }
}

fn store(ty: Type, address: Short, value: Short) -> Fast {
    match ty {
        Type::Int(8) => Fast::Store8(address, value),
        Type::Int(16) => Fast::Store16(address, value),
        Type::Int(32) | Type::F32 => Fast::Store32(address, value),
        Type::Int(64) | Type::Ptr | Type::F64 => Fast::Store64(address, value),
        Type::Int(_) => Fast::Slow,
    }
}

fn jump(function: &FunctionCode, edge: u32) -> Fast {
    let moves = &function.edges[edge as usize].moves;
    match function.moves[moves.start as usize..moves.end as usize] {
        [] => Fast::Jump0 { edge },
        [(dst, src)] => Fast::Jump1 { edge, dst: short(dst), src: short(src) },
        [(d1, s1), (d2, s2)] => Fast::Jump2 { edge, dst: [short(d1), short(d2)], src: [short(s1), short(s2)] },
        _ => Fast::Jump { edge },
    }
}

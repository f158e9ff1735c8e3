//! From decoded instructions to those of the fast loop.

use icsched_ir::{BinOp, CastOp, IntPredicate, Type, UnOp};

use super::fast::{Fast, FastCode, FastEdge, Short};
use super::instr::{CalleeCode, EdgeCode, FunctionCode, Instr, Slot};

/// Translates a decoded function.
pub(super) fn function(function: &FunctionCode) -> FastCode {
    let slots = function.registers as usize + function.constants.len();
    if slots > usize::from(Short::MAX) {
        return FastCode::default();
    }
    let runs = runs(function);
    let edge = |edge: &EdgeCode| FastEdge {
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

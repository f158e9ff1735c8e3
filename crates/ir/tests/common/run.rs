//! Runs a function of arithmetic and branches, with nothing but the definition of each operation.

use icsched_ir::{
    BinOp, BlockId, CastOp, Const, Edge, EntityId, Function, IntPredicate, Op, Operand, Terminator, Type,
};

/// How often each block was executed, and whether the function returned before `limit` blocks were.
pub(crate) struct Run {
    pub(crate) executed: Vec<u64>,
    pub(crate) returned: bool,
}

pub(crate) fn run(function: &Function, args: &[u64], limit: u64) -> Run {
    let mut values = vec![0; function.values.len()];
    for (param, arg) in function.params.iter().zip(args) {
        values[param.index()] = *arg & function.values[*param].ty.mask();
    }
    let mut executed = vec![0; function.blocks.len()];
    let mut block = BlockId::from_index(0);
    for _ in 0..limit {
        executed[block.index()] += 1;
        for inst in &function.blocks[block].insts {
            let result = inst.results[0];
            let ty = function.values[result].ty;
            values[result.index()] = step(function, &values, &inst.op, ty) & ty.mask();
        }
        let edge = match &function.blocks[block].terminator {
            Terminator::Jump(edge) => edge,
            Terminator::Branch { condition, then_edge, .. } if read(&values, *condition) == 1 => then_edge,
            Terminator::Branch { else_edge, .. } => else_edge,
            Terminator::Return(_) => return Run { executed, returned: true },
            Terminator::Unreachable | Terminator::Unsupported { .. } => panic!("not made for {function:?}"),
        };
        block = follow(function, &mut values, edge);
    }
    Run { executed, returned: false }
}

fn follow(function: &Function, values: &mut [u64], edge: &Edge) -> BlockId {
    let args: Vec<u64> = edge.args.iter().map(|&arg| read(values, arg)).collect();
    for (param, arg) in function.blocks[edge.target].params.iter().zip(args) {
        values[param.index()] = arg;
    }
    edge.target
}

fn read(values: &[u64], operand: Operand) -> u64 {
    match operand {
        Operand::Value(value) => values[value.index()],
        Operand::Const(Const::Bits { bits, .. }) => bits,
        Operand::Const(other) => panic!("not made for {other:?}"),
    }
}

fn signed(value: u64, ty: Type) -> i64 {
    let unused = 64 - ty.bits();
    (value << unused).cast_signed() >> unused
}

fn step(function: &Function, values: &[u64], op: &Op, result: Type) -> u64 {
    let ty = |operand: Operand| operand.value().map_or(result, |v| function.values[v].ty);
    let read = |operand| read(values, operand);
    match op {
        Op::Binary { op, a, b, .. } => {
            let (a, b) = (read(*a), read(*b));
            match op {
                BinOp::Add => a.wrapping_add(b),
                BinOp::Sub => a.wrapping_sub(b),
                BinOp::Mul => a.wrapping_mul(b),
                BinOp::And => a & b,
                BinOp::Or => a | b,
                BinOp::Xor => a ^ b,
                BinOp::Shl => a << b,
                BinOp::UDiv => a / b,
                other => panic!("not made for {other}"),
            }
        }
        Op::Unary { a, .. } => read(*a),
        Op::Cast { op: CastOp::SExt, a } => signed(read(*a), ty(*a)).cast_unsigned(),
        Op::Cast { a, .. } => read(*a),
        Op::Select { condition, a, b } => read(if read(*condition) == 1 { *a } else { *b }),
        Op::Address { base, offset, indices } => {
            indices.iter().fold(read(*base).wrapping_add(offset.cast_unsigned()), |sum, index| {
                sum.wrapping_add(read(index.index).wrapping_mul(index.scale.cast_unsigned()))
            })
        }
        Op::IntCompare { predicate, a, b } => {
            let ty = a.value().or(b.value()).map_or(result, |v| function.values[v].ty);
            u64::from(holds(*predicate, ty, read(*a), read(*b)))
        }
        other => panic!("not made for {other:?}"),
    }
}

fn holds(predicate: IntPredicate, ty: Type, a: u64, b: u64) -> bool {
    let (x, y) = (signed(a, ty), signed(b, ty));
    match predicate {
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

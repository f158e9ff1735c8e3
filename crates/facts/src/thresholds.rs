//! Numbers at which bounds are looked for: what the program compares with or divides by (widening with thresholds;
//! Blanchet et al., A static analyzer for large safety-critical software, 2003).

use icsched_ir::{BinOp, Const, Function, Inst, Op, Operand, Origin, Program, Type, ValueId};
use rustc_hash::FxHashMap;

use crate::bounds::Bounds;
use crate::budgets::BUDGETS;

/// The numbers at which bounds are looked for, ascending: those that the program compares with or divides by, and their
/// neighbours (widening with thresholds; Blanchet et al., A static analyzer for large safety-critical software, 2003).
pub fn thresholds(program: &Program) -> Vec<i64> {
    let mut found = vec![-1, 0, 1];
    for (_, function) in program.functions.iter().filter(|(_, f)| f.origin == Origin::Program) {
        let sums = sums_with_constants(function);
        for inst in function.blocks.iter().flat_map(|(_, block)| &block.insts) {
            found.extend(ends_of_range(&inst.op, &sums).into_iter().flat_map(beside));
            let (operands, farthest) = match &inst.op {
                Op::IntCompare { a, b, .. } => ([*a, *b], u64::MAX),
                Op::Binary { op: BinOp::Add | BinOp::Sub, a, b, .. } => ([*a, *b], BUDGETS.farthest_step),
                Op::Binary { op, a, b, .. } if limits(*op) => ([*a, *b], u64::MAX),
                _ => continue,
            };
            for operand in operands {
                if let Operand::Const(Const::Bits { ty: Type::Int(width @ (32 | 64)), bits }) = operand {
                    let number = Bounds::exactly(width, bits).least;
                    if number.unsigned_abs() <= farthest {
                        found.extend(beside(number));
                    }
                }
            }
        }
    }
    found.sort_unstable_by_key(|number| (number.unsigned_abs(), *number));
    found.dedup();
    found.truncate(BUDGETS.thresholds);
    found.sort_unstable();
    found
}

/// Where the results of masks and remainders by constants begin and end, ascending: a number that gets larger from
/// epoch to epoch, and is the index of a ring, gets no larger than that.
pub fn result_limits(program: &Program) -> Vec<i64> {
    let mut found = Vec::new();
    for (_, function) in program.functions.iter().filter(|(_, f)| f.origin == Origin::Program) {
        for inst in function.blocks.iter().flat_map(|(_, block)| &block.insts) {
            let Op::Binary { op, b: Operand::Const(Const::Bits { ty: Type::Int(width @ (32 | 64)), bits }), .. } =
                inst.op
            else {
                continue;
            };
            let by = Bounds::exactly(width, bits).least;
            match op {
                BinOp::And if by > 0 => found.push(by),
                BinOp::URem if by > 0 => found.push(by - 1),
                BinOp::SRem if by != 0 && by != i64::MIN => found.extend([by.abs() - 1, 1 - by.abs()]),
                _ => {}
            }
        }
    }
    found.sort_unstable_by_key(|number| (number.unsigned_abs(), *number));
    found.dedup();
    found.truncate(BUDGETS.thresholds);
    found.sort_unstable();
    found
}

/// A number, and its neighbours.
const fn beside(number: i64) -> [i64; 3] {
    [number.saturating_sub(1), number, number.saturating_add(1)]
}

/// The values of a function that are sums with a constant, and these.
fn sums_with_constants(function: &Function) -> FxHashMap<ValueId, u64> {
    let of_inst = |inst: &Inst| match inst.op {
        Op::Binary { op: BinOp::Add, a: _, b: Operand::Const(Const::Bits { bits, .. }), .. } => {
            Some((*inst.results.first()?, bits))
        }
        _ => None,
    };
    function.blocks.iter().flat_map(|(_, block)| &block.insts).filter_map(of_inst).collect()
}

/// Where a number begins and ends of which it is asked whether it is within a range, as compilers ask that: `1 <= n &&
/// n <= 64` is `n - 1 < 64` without signs.
fn ends_of_range(op: &Op, sums: &FxHashMap<ValueId, u64>) -> Vec<i64> {
    let Op::IntCompare {
        a: Operand::Value(sum),
        b: Operand::Const(Const::Bits { ty: Type::Int(width @ (32 | 64)), bits }),
        ..
    } = *op
    else {
        return Vec::new();
    };
    let Some(addend) = sums.get(&sum) else { return Vec::new() };
    let mask = u64::MAX >> (64 - width);
    [0_u64, bits].map(|end| Bounds::exactly(width, end.wrapping_sub(*addend) & mask).least).to_vec()
}

/// Whether an operand of an operation is where its result may begin or end.
const fn limits(op: BinOp) -> bool {
    matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem | BinOp::And)
}

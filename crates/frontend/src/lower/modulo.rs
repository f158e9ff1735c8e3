//! `(n & 1) ^ 1`, by which optimisers count modulo two, is `(n + 1) & 1`: the same as modulo other powers of two. So
//! what is known of the ends of rings is known of those with two elements, too.

use icsched_ir::{BinOp, Const, EntityId as _, Function, Op, Operand, ValueId};
use rustc_hash::FxHashSet;

/// Writes it so where nothing else uses `n & 1`. O(instructions of the function).
pub(super) fn count_on(function: &mut Function) {
    let one = |operand: &Operand| matches!(operand, Operand::Const(Const::Bits { bits: 1, .. }));
    let mut uses = vec![0_u32; function.values.len()];
    let mut lowest_bits: FxHashSet<ValueId> = FxHashSet::default();
    for block in function.blocks.values() {
        let mut count = |operand: Operand| {
            if let Operand::Value(value) = operand {
                uses[value.index()] += 1;
            }
        };
        for inst in &block.insts {
            inst.op.for_each_operand(&mut count);
            if let Op::Binary { op: BinOp::And, b, .. } = &inst.op
                && one(b)
            {
                lowest_bits.insert(inst.results[0]);
            }
        }
        block.terminator.for_each_operand(&mut count);
    }
    let mut counted: FxHashSet<ValueId> = FxHashSet::default();
    for inst in function.blocks.iter_mut().flat_map(|(_, block)| &mut block.insts) {
        if let Op::Binary { op: BinOp::Xor, a: Operand::Value(value), b, .. } = inst.op
            && one(&b)
            && uses[value.index()] == 1
            && lowest_bits.contains(&value)
        {
            inst.op = Op::binary(BinOp::And, Operand::Value(value), b);
            counted.insert(value);
        }
    }
    for inst in function.blocks.iter_mut().flat_map(|(_, block)| &mut block.insts) {
        let is_counted = inst.results.first().is_some_and(|result| counted.contains(result));
        if let (true, &Op::Binary { a, b, .. }) = (is_counted, &inst.op) {
            inst.op = Op::binary(BinOp::Add, a, b);
        }
    }
}

//! Numbers that the iterations of a loop leave as they are, or add to: what comes of counting under a condition is no
//! lower than what was there before.

use std::collections::BTreeSet;

use icsched_ir::{BinOp, BlockId, Const, Definition, Definitions, Function, Loop, Op, Operand, ValueId};

use crate::budgets::BUDGETS;

/// Bits of a number that no loop counts to the end of.
const ENDLESS: u32 = 64;

/// The parameters of a loop's header that are such numbers: of 64 bits, which nobody counts to the end of in small
/// steps, or where the program says that sums do not overflow. O(instructions of the loop) for each.
pub(super) fn of_loop(function: &Function, l: &Loop) -> Vec<ValueId> {
    let header = &function.blocks[l.header];
    if l.is_irreducible() || header.params.is_empty() {
        return Vec::new();
    }
    let definitions = Definitions::new(function);
    let grows = |position: usize, param: ValueId| {
        if !matches!(function.values[param].ty.bits(), 32 | 64) {
            return false;
        }
        let mut from = BTreeSet::new();
        let mut work: Vec<Operand> = arguments(function, l, l.header, position).collect();
        while let Some(next) = work.pop() {
            let Operand::Value(value) = next else { return false };
            if value == param || !from.insert(value) {
                continue;
            }
            match definitions.of(value) {
                Some(Definition::Inst(block, at)) if l.contains(block) => match &function.blocks[block].insts[at].op {
                    Op::Binary { op: BinOp::Add, no_wrap, a, b: Operand::Const(Const::Bits { ty, bits }) }
                        if *bits <= BUDGETS.counter_step && (no_wrap.signed || ty.bits() == ENDLESS) =>
                    {
                        work.push(*a);
                    }
                    Op::Select { a, b, .. } => work.extend([*a, *b]),
                    _ => return false,
                },
                Some(Definition::Parameter(block, position)) if l.contains(block) && block != l.header => {
                    work.extend(arguments(function, l, block, position));
                }
                _ => return false,
            }
        }
        true
    };
    header.params.iter().enumerate().filter(|&(position, &param)| grows(position, param)).map(|(_, &p)| p).collect()
}

/// What a parameter of a block is on the edges to it from inside of a loop.
fn arguments<'f>(
    function: &'f Function,
    l: &'f Loop,
    block: BlockId,
    position: usize,
) -> impl Iterator<Item = Operand> + 'f {
    let edges = l.block_ids().flat_map(move |from| function.blocks[from].terminator.edges());
    edges.filter(move |edge| edge.target == block).map(move |edge| edge.args[position])
}

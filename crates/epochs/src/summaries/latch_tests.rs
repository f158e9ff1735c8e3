//! What is true of a loop's header parameters in each iteration but the first: who goes round has asked for it.

use std::collections::BTreeSet;

use icsched_ir::{
    BlockId, Const, Definition, Definitions, Edge, Function, IntPredicate, Op, Operand, Terminator, ValueId,
};
use icsched_machine::abstraction::LatchTest;

/// The comparisons of header parameters with constants that hold on each way back to the header, which is taken
/// because they do: those of `do ... while (node = node->next)`. O(parameters, for each way back).
pub(super) fn of_loop(function: &Function, blocks: &BTreeSet<BlockId>, header: BlockId) -> Vec<LatchTest> {
    let definitions = Definitions::new(function);
    let mut common: Option<Vec<LatchTest>> = None;
    for &block in blocks {
        let is_back = |edge: &&Edge| edge.target == header;
        let terminator = &function.blocks[block].terminator;
        if !terminator.edges().any(|edge| is_back(&edge)) {
            continue;
        }
        let found = match terminator {
            Terminator::Branch { condition, then_edge, else_edge } => {
                match (is_back(&then_edge), is_back(&else_edge)) {
                    (true, false) => tests(function, &definitions, *condition, true, header, then_edge),
                    (false, true) => tests(function, &definitions, *condition, false, header, else_edge),
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        };
        common = Some(match common {
            None => found,
            Some(mut known) => {
                known.retain(|test| found.contains(test));
                known
            }
        });
    }
    common.unwrap_or_default()
}

/// What a branch that is taken, or not, says of what it hands to the header's parameters.
fn tests(
    function: &Function,
    definitions: &Definitions,
    condition: Operand,
    is_taken: bool,
    header: BlockId,
    edge: &Edge,
) -> Vec<LatchTest> {
    let compared = condition.value().and_then(|value| match definitions.of(value)? {
        Definition::Inst(block, at) => match function.blocks[block].insts[at].op {
            Op::IntCompare { predicate, a, b } => Some((predicate, a, b)),
            _ => None,
        },
        _ => None,
    });
    let (predicate, value, bits) = match compared {
        Some((predicate, Operand::Value(value), Operand::Const(Const::Bits { bits, .. }))) => (predicate, value, bits),
        Some((predicate, Operand::Const(Const::Bits { bits, .. }), Operand::Value(value))) => {
            (predicate.swapped(), value, bits)
        }
        _ => return Vec::new(),
    };
    let predicate: IntPredicate = if is_taken { predicate } else { predicate.negated() };
    let params = function.blocks[header].params.iter().zip(&edge.args);
    let of_value = |(&param, arg): (&ValueId, &Operand)| {
        (arg.value() == Some(value)).then_some(LatchTest { value: param, predicate, bits })
    };
    params.filter_map(of_value).collect()
}

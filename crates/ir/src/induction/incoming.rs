//! What the edges to a block pass for its parameters.

use crate::cfg::Cfg;
use crate::entity::BlockId;
use crate::inst::Operand;
use crate::program::Function;

/// What the reachable edges to `block` pass for its parameter `at`.
pub(crate) fn incoming<'a>(
    function: &'a Function,
    cfg: &'a Cfg,
    block: BlockId,
    at: usize,
) -> impl Iterator<Item = (BlockId, Operand)> + 'a {
    let from = cfg.predecessors(block).iter().copied().filter(|&from| cfg.is_reachable(from));
    from.flat_map(move |from| {
        let edges = function.blocks[from].terminator.edges().filter(move |edge| edge.target == block);
        edges.filter_map(move |edge| Some((from, *edge.args.get(at)?)))
    })
}

/// The one value that all of them have.
pub(super) fn same<T: PartialEq>(mut items: impl Iterator<Item = Option<T>>) -> Option<T> {
    let first = items.next()??;
    items.all(|item| item.as_ref() == Some(&first)).then_some(first)
}

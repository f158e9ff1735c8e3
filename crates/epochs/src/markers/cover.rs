//! Ways through a function that pass no marker.

use fixedbitset::FixedBitSet;
use icsched_ir::{BlockId, Cfg, EntityId, Function, Loop, Terminator};

/// The blocks of the ways from a loop's header back to it that enter no covering block. Each of them is on one way
/// with the header. O(edges of the loop).
pub(super) fn rounds(cfg: &Cfg, l: &Loop, covering: &FixedBitSet) -> FixedBitSet {
    let open = |b: BlockId| l.contains(b) && !covering.contains(b.index());
    let mut blocks = FixedBitSet::with_capacity(cfg.block_count());
    if !open(l.header) {
        return blocks;
    }
    let forwards = reach(cfg.block_count(), [l.header], |b| cfg.successors(b), open);
    let latches = l.latches.iter().copied().filter(|&b| open(b));
    let backwards = reach(cfg.block_count(), latches, |b| cfg.predecessors(b), open);
    blocks.union_with(&forwards);
    blocks.intersect_with(&backwards);
    blocks
}

/// Whether some way from the function's entry to a return enters no covering block. O(edges).
pub(super) fn may_pass(function: &Function, cfg: &Cfg, covering: &FixedBitSet) -> bool {
    let open = |b: BlockId| !covering.contains(b.index());
    let entry = BlockId::from_index(0);
    if !open(entry) {
        return false;
    }
    let reached = reach(cfg.block_count(), [entry], |b| cfg.successors(b), open);
    reached.ones().any(|b| returns(function, BlockId::from_index(b)))
}

/// The blocks of the ways from the entry to a point of `to` that enter no covering block before, `to` apart. It is
/// among them only if such a way goes through all of it first. `None` if every way is covered. O(edges).
pub(super) fn ways_down(cfg: &Cfg, to: BlockId, covering: &FixedBitSet) -> Option<FixedBitSet> {
    let open = |b: BlockId| !covering.contains(b.index());
    let entry = BlockId::from_index(0);
    let mut blocks = FixedBitSet::with_capacity(cfg.block_count());
    if open(entry) {
        blocks = reach(cfg.block_count(), [entry], |b| cfg.successors(b), open);
    }
    let before = cfg.predecessors(to).iter().copied().filter(|b| blocks.contains(b.index()));
    let backwards = reach(cfg.block_count(), before, |b| cfg.predecessors(b), open);
    blocks.intersect_with(&backwards);
    (to == entry || !blocks.is_clear()).then_some(blocks)
}

/// The same for ways from a point of `from` to a return.
pub(super) fn ways_up(function: &Function, cfg: &Cfg, from: BlockId, covering: &FixedBitSet) -> Option<FixedBitSet> {
    let open = |b: BlockId| !covering.contains(b.index());
    let after = cfg.successors(from).iter().copied().filter(|&b| open(b));
    let mut blocks = reach(cfg.block_count(), after, |b| cfg.successors(b), open);
    let ends = blocks.ones().map(BlockId::from_index).filter(|&b| returns(function, b));
    let backwards = reach(cfg.block_count(), ends, |b| cfg.predecessors(b), open);
    blocks.intersect_with(&backwards);
    (returns(function, from) || !blocks.is_clear()).then_some(blocks)
}

fn returns(function: &Function, block: BlockId) -> bool {
    matches!(function.blocks[block].terminator, Terminator::Return(_) | Terminator::Unsupported { .. })
}

/// What can be reached from some open blocks by way of open ones.
fn reach<'c>(
    count: usize,
    from: impl IntoIterator<Item = BlockId>,
    next: impl Fn(BlockId) -> &'c [BlockId],
    open: impl Fn(BlockId) -> bool,
) -> FixedBitSet {
    let mut seen = FixedBitSet::with_capacity(count);
    let mut work: Vec<BlockId> = from.into_iter().filter(|b| !seen.put(b.index())).collect();
    while let Some(block) = work.pop() {
        for &to in next(block) {
            if open(to) && !seen.put(to.index()) {
                work.push(to);
            }
        }
    }
    seen
}

//! The control structure of a function, and how control gets from point to point.

use icsched_ir::{
    BlockId, Cfg, Definition, Definitions, DomTree, Function, LoopForest, Operand, ProgramPoint, ValueId,
};
use rustc_hash::FxHashSet;

/// The control structure of a function.
pub(super) struct Structure {
    pub(super) cfg: Cfg,
    pub(super) loops: LoopForest,
    pub(super) dominators: DomTree,
    pub(super) definitions: Definitions,
}

impl Structure {
    /// O(blocks + edges), times the depth of loops.
    pub(super) fn new(function: &Function) -> Self {
        let cfg = Cfg::new(function);
        let (loops, dominators) = (LoopForest::new(&cfg), DomTree::dominators(&cfg));
        Self { cfg, loops, dominators, definitions: Definitions::new(function) }
    }
}

/// Where something stands in a function: a block, and 0 for its parameters, 1 for its first instruction, and so on up
/// to its terminator.
pub(super) type Point = (BlockId, usize);

/// Whether an operand is one of these values.
pub(super) fn is_among(of: &FxHashSet<ValueId>, operand: Operand) -> bool {
    operand.value().is_some_and(|value| of.contains(&value))
}

/// Where a value is defined; a function's parameter in front of everything.
pub(super) fn defined_at(structure: &Structure, value: ValueId) -> Option<Point> {
    match structure.definitions.of(value)? {
        Definition::Inst(block, at) => Some((block, at + 1)),
        Definition::Parameter(block, _) => Some((block, 0)),
        Definition::Argument(_) => None,
    }
}

/// Whether control that comes to a point has come past the definition of a value, its own instruction not counted.
pub(super) fn is_behind(structure: &Structure, value: ValueId, (block, at): Point) -> bool {
    match structure.definitions.of(value) {
        Some(Definition::Argument(_)) => true,
        Some(Definition::Inst(defined, index)) => match defined == block {
            true => index + 1 < at,
            false => structure.dominators.dominates(defined, block),
        },
        Some(Definition::Parameter(defined, _)) => structure.dominators.dominates(defined, block),
        None => false,
    }
}

/// Whether control may get from behind one point to another one without coming to a third one in between. O(blocks).
pub(super) fn leads_to(
    function: &Function,
    structure: &Structure,
    from: Point,
    to: Point,
    past: Option<Point>,
) -> bool {
    let stops = |block: BlockId, first: usize, last: usize| {
        past.is_some_and(|(at, index)| at == block && index >= first && index < last)
    };
    let end = |block: BlockId| function.blocks[block].insts.len() + 2;
    if from.0 == to.0 && from.1 < to.1 {
        return !stops(from.0, from.1 + 1, to.1);
    }
    if stops(from.0, from.1 + 1, end(from.0)) {
        return false;
    }
    let mut seen: FxHashSet<BlockId> = FxHashSet::default();
    let mut work: Vec<BlockId> = structure.cfg.successors(from.0).to_vec();
    while let Some(block) = work.pop() {
        if !seen.insert(block) {
            continue;
        }
        if block == to.0 && !stops(block, 0, to.1) {
            return true;
        }
        if !stops(block, 0, end(block)) {
            work.extend(structure.cfg.successors(block));
        }
    }
    false
}

/// The point of an instruction in its function.
pub(super) const fn point(at: ProgramPoint) -> Point {
    (at.block, at.inst as usize + 1)
}

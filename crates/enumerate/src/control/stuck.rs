//! Loops that go round for ever once they go round: `while (n > 5) puts("wait");`.
//!
//! Nothing in such a loop changes what its tests look at. Slicing is blind to whether loops end (a test whose loop changes nothing that matters
//! is left out of a slice), which is right only for loops that do. So the tests of these loops count as decisions of the schedule.

use fixedbitset::FixedBitSet;
use icsched_ir::loops::{Loop, LoopForest};
use icsched_ir::{
    BlockId, CountedLoops, Definition, Definitions, EntityId as _, Function, Op, Operand, Terminator, ValueId,
};

/// Most operations that a test is computed with inside of its loop.
const MAX_OPERATIONS: usize = 16;

/// The blocks with the tests of loops that have no way out but tests of what does not change in the loop.
/// O(blocks of loops, once for each loop around them).
pub(super) fn tests(function: &Function, loops: &LoopForest) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(function.blocks.len());
    if loops.iter().next().is_none() {
        return found;
    }
    let definitions = Definitions::new(function);
    let is_quiet_load = CountedLoops::quiet_loads(function, loops);
    for (id, l) in loops.iter() {
        let unchanged =
            Unchanged { function, definitions: &definitions, l, is_same: &|b, at| is_quiet_load(id, b, at) };
        let mut tests = l.exits.iter().map(|&(from, _)| from);
        if !l.exits.is_empty() && tests.all(|from| unchanged.tests(from)) {
            l.exits.iter().for_each(|(from, _)| found.insert(from.index()));
        }
    }
    found
}

/// What is the same in each round of a loop.
struct Unchanged<'a> {
    function: &'a Function,
    definitions: &'a Definitions,
    l: &'a Loop,
    /// Whether a load in the loop, by its block and place, is.
    is_same: &'a dyn Fn(BlockId, usize) -> bool,
}

impl Unchanged<'_> {
    /// Whether a block ends with a test of it.
    fn tests(&self, block: BlockId) -> bool {
        match &self.function.blocks[block].terminator {
            Terminator::Branch { condition, .. } => self.operand(*condition, &mut 0),
            Terminator::Jump(_) | Terminator::Return(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => {
                false
            }
        }
    }

    fn operand(&self, operand: Operand, seen: &mut usize) -> bool {
        match operand {
            Operand::Const(_) => true,
            Operand::Value(value) => self.value(value, seen),
        }
    }

    fn value(&self, value: ValueId, seen: &mut usize) -> bool {
        *seen += 1;
        let (block, at) = match self.definitions.of(value) {
            Some(Definition::Argument(_)) => return true,
            Some(Definition::Parameter(block, _)) => return !self.l.contains(block),
            Some(Definition::Inst(block, at)) => (block, at),
            None => return false,
        };
        if !self.l.contains(block) {
            return true;
        }
        let op = &self.function.blocks[block].insts[at].op;
        let is_computed = match op {
            Op::Binary { .. }
            | Op::Unary { .. }
            | Op::Cast { .. }
            | Op::IntCompare { .. }
            | Op::FloatCompare { .. }
            | Op::Select { .. }
            | Op::Address { .. } => true,
            Op::Load { .. } => (self.is_same)(block, at),
            _ => false,
        };
        let mut all = is_computed && *seen < MAX_OPERATIONS;
        op.for_each_operand(|operand| all = all && self.operand(operand, seen));
        all
    }
}

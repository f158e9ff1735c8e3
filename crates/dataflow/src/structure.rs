//! The control structure of one function, and where its registers are defined.

use icsched_ir::{BlockId, Cfg, Definition, Definitions, DomTree, Function, Inst, LoopForest, ProgramPoint, ValueId};

/// Control structure of one function.
pub(crate) struct Structure {
    pub(crate) cfg: Cfg,
    pub(crate) dominators: DomTree,
    pub(crate) loops: LoopForest,
    definitions: Definitions,
}

impl Structure {
    pub(crate) fn new(function: &Function) -> Self {
        let cfg = Cfg::new(function);
        let dominators = DomTree::dominators(&cfg);
        let loops = LoopForest::new(&cfg);
        Self { cfg, dominators, loops, definitions: Definitions::new(function) }
    }

    /// The instruction that gives a register its value, by block and number.
    pub(crate) fn computed_at(&self, value: ValueId) -> Option<(BlockId, usize)> {
        match self.definitions.of(value)? {
            Definition::Inst(block, index) => Some((block, index)),
            Definition::Argument(_) | Definition::Parameter(..) => None,
        }
    }

    /// Whether a register has its value whenever control is at the start of `block`, and has had it since before it
    /// last got there.
    pub(crate) fn is_defined_before(&self, value: ValueId, block: BlockId) -> bool {
        match self.definitions.of(value) {
            Some(Definition::Argument(_)) => true,
            Some(Definition::Parameter(at, _) | Definition::Inst(at, _)) => {
                self.dominators.strictly_dominates(at, block)
            }
            None => false,
        }
    }

    /// Whether a register has its value when control is in front of the instruction with this index of `block`.
    pub(crate) fn is_defined_at(&self, value: ValueId, block: BlockId, index: usize) -> bool {
        match self.definitions.of(value) {
            Some(Definition::Inst(at, position)) if at == block => position < index,
            Some(Definition::Parameter(at, _)) if at == block => true,
            _ => self.is_defined_before(value, block),
        }
    }

    /// Whether control has been at one point on all ways to another one, and not again since the other one's block was
    /// last entered.
    pub(crate) fn is_before(&self, at: ProgramPoint, other: ProgramPoint) -> bool {
        self.dominators.strictly_dominates(at.block, other.block) || at.block == other.block && at.inst < other.inst
    }

    /// What defines a value.
    pub(crate) fn definition(&self, value: ValueId) -> Option<Definition> {
        self.definitions.of(value)
    }

    /// The instruction of the function that defines a value.
    pub(crate) fn inst<'f>(&self, function: &'f Function, value: ValueId) -> Option<&'f Inst> {
        self.definitions.inst(function, value)
    }
}

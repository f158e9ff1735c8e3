//! Where the values of a function are defined.

use crate::entity::{BlockId, IdVec, ValueId};
use crate::inst::Inst;
use crate::program::Function;

/// What defines a value.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Definition {
    /// A parameter of the function, with its index.
    Argument(usize),
    /// A parameter of a block, with its index.
    Parameter(BlockId, usize),
    /// An instruction, by its index in a block.
    Inst(BlockId, usize),
}

/// The definition of each value. Built in O(values + instructions).
#[derive(Clone, Debug)]
pub struct Definitions(IdVec<ValueId, Option<Definition>>);

impl Definitions {
    /// The definitions of `function`.
    pub fn new(function: &Function) -> Self {
        let mut found = IdVec::filled(None, function.values.len());
        for (at, &param) in function.params.iter().enumerate() {
            found[param] = Some(Definition::Argument(at));
        }
        for (id, block) in function.blocks.iter() {
            for (at, &param) in block.params.iter().enumerate() {
                found[param] = Some(Definition::Parameter(id, at));
            }
            for (at, inst) in block.insts.iter().enumerate() {
                for &result in &inst.results {
                    found[result] = Some(Definition::Inst(id, at));
                }
            }
        }
        Self(found)
    }

    /// What defines `value`; `None` for one that nothing does.
    pub fn of(&self, value: ValueId) -> Option<Definition> {
        self.0[value]
    }

    /// The instruction that defines `value`, if one does.
    pub fn inst<'f>(&self, function: &'f Function, value: ValueId) -> Option<&'f Inst> {
        match self.of(value)? {
            Definition::Inst(block, at) => function.blocks[block].insts.get(at),
            Definition::Argument(_) | Definition::Parameter(..) => None,
        }
    }

    /// The block that `value` is defined in; arguments have none.
    pub fn block(&self, value: ValueId) -> Option<BlockId> {
        match self.of(value)? {
            Definition::Inst(block, _) | Definition::Parameter(block, _) => Some(block),
            Definition::Argument(_) => None,
        }
    }
}

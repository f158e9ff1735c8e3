//! What branches say of integers: comparisons with constants that hold wherever control is in a block.

use icsched_ir::{
    BlockId, Cfg, Const, Definitions, DomTree, Edge, EntityId, Function, IntPredicate, Op, Operand, Terminator, ValueId,
};
use smallvec::SmallVec;

use crate::budgets::BUDGETS;

/// A comparison of a value with a constant, which holds.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Condition {
    /// What is compared.
    pub(crate) value: ValueId,
    predicate: IntPredicate,
    constant: u64,
    /// Bits of both, at most 64.
    width: u32,
}

impl Condition {
    /// Whether it can hold if the value is this one.
    pub(crate) fn allows(self, value: u64) -> bool {
        let mask = u64::MAX >> (64 - self.width);
        self.predicate.holds(self.width, value & mask, self.constant & mask)
    }
}

/// The conditions of one block or edge, the nearest first.
pub(crate) type Conditions = SmallVec<[Condition; BUDGETS.conditions]>;

/// The conditions of a function's blocks and edges.
pub(crate) struct Branches<'f> {
    function: &'f Function,
    definitions: Definitions,
    /// By block.
    of_blocks: Vec<Conditions>,
}

impl<'f> Branches<'f> {
    /// A block has those of its immediate dominator, and of the only edge into it if there is one. A value is the same
    /// at the comparison and in a block that its edge dominates, in whatever round of a loop: a way from the value's
    /// definition to the block that avoids the edge would begin at the function's entry. O(blocks).
    pub(crate) fn new(function: &'f Function) -> Self {
        let cfg = Cfg::new(function);
        let dominators = DomTree::dominators(&cfg);
        let mut found = Self {
            function,
            definitions: Definitions::new(function),
            of_blocks: vec![Conditions::new(); function.blocks.len()],
        };
        for &block in cfg.reverse_postorder() {
            let mut all = match cfg.predecessors(block) {
                &[before] => found.of_terminator(before, block),
                _ => Conditions::new(),
            };
            let outer = dominators.immediate(block).map(|outer| &found.of_blocks[outer.index()]);
            all.extend(outer.into_iter().flatten().copied());
            all.truncate(BUDGETS.conditions);
            found.of_blocks[block.index()] = all;
        }
        found
    }

    /// What defines values.
    pub(crate) const fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// Those that hold in a block.
    pub(crate) fn of_block(&self, block: BlockId) -> &[Condition] {
        &self.of_blocks[block.index()]
    }

    /// Those that hold where control leaves a block by an edge.
    pub(crate) fn of_edge(&self, from: BlockId, edge: &Edge) -> Conditions {
        let mut all = self.of_terminator(from, edge.target);
        all.extend(self.of_block(from).iter().copied());
        all
    }

    /// What the branch at the end of a block says if control goes to another one, unless it goes there anyway.
    fn of_terminator(&self, from: BlockId, to: BlockId) -> Conditions {
        match &self.function.blocks[from].terminator {
            Terminator::Branch { condition, then_edge, else_edge } if then_edge.target != else_edge.target => {
                self.comparison(*condition, then_edge.target == to).into_iter().collect()
            }
            _ => Conditions::new(),
        }
    }

    /// The comparison that a condition is, if it is one with a constant and has turned out like this.
    fn comparison(&self, condition: Operand, holds: bool) -> Option<Condition> {
        let inst = self.definitions.inst(self.function, condition.value()?)?;
        let Op::IntCompare { predicate, a, b } = inst.op else { return None };
        let (value, predicate, constant) = match (a, b) {
            (Operand::Value(value), Operand::Const(Const::Bits { bits, .. })) => (value, predicate, bits),
            (Operand::Const(Const::Bits { bits, .. }), Operand::Value(value)) => (value, predicate.swapped(), bits),
            _ => return None,
        };
        let predicate = if holds { predicate } else { predicate.negated() };
        let width = Some(self.function.values[value].ty.bits()).filter(|width| (1..=64).contains(width))?;
        Some(Condition { value, predicate, constant, width })
    }
}

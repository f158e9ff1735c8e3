//! Loops that go round for ever once they go round: `while (n > 5) puts("wait");`.
//!
//! Nothing in such a loop changes what its tests look at. Slicing is blind to whether loops end (a test whose loop changes nothing that matters
//! is left out of a slice), which is right only for loops that do. So the tests of these loops count as decisions of the schedule.

use std::cell::OnceCell;

use fixedbitset::FixedBitSet;
use icsched_ir::loops::Loop;
use icsched_ir::{
    BlockId, Definition, Definitions, EntityId as _, FuncId, Function, Op, Operand, Program, ProgramPoint, Terminator,
    ValueId,
};

use super::Control;
use crate::modref::{ModRef, READS_INPUT, Write, Writes};
use crate::provenance::Base;

/// Most operations that a test is computed with inside of its loop.
const MAX_OPERATIONS: usize = 16;

/// The headers of loops that have no way out but tests of what does not change in the loop.
/// O(blocks of loops, once for each loop around them).
pub(super) fn headers(
    program: &Program,
    control: &Control,
    modref: &ModRef,
    (func, function): (FuncId, &Function),
) -> FixedBitSet {
    let facts = control.function(func);
    let mut found = FixedBitSet::with_capacity(function.blocks.len());
    if facts.loops.iter().next().is_none() {
        return found;
    }
    let definitions = Definitions::new(function);
    for (_, l) in facts.loops.iter() {
        if l.exits.is_empty() || !l.blocks.is_disjoint(&facts.may_synchronise) {
            continue;
        }
        let writes = OnceCell::new();
        let unchanged = Unchanged { program, control, modref, func, function, definitions: &definitions, l, writes };
        let mut tests = l.exits.iter().map(|&(from, _)| from);
        if tests.all(|from| unchanged.tests(from)) {
            found.insert(l.header.index());
        }
    }
    found
}

/// What is the same in each round of a loop.
struct Unchanged<'a> {
    program: &'a Program,
    control: &'a Control,
    modref: &'a ModRef,
    func: FuncId,
    function: &'a Function,
    definitions: &'a Definitions,
    l: &'a Loop,
    /// What the loop may write, once that is asked.
    writes: OnceCell<Writes>,
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
            Op::Load { address, .. } => self.is_same(*address),
            _ => false,
        };
        let mut all = is_computed && *seen < MAX_OPERATIONS;
        op.for_each_operand(|operand| all = all && self.operand(operand, seen));
        all
    }

    /// Whether the loop leaves alone what is at an address: some bytes of variables.
    fn is_same(&self, address: Operand) -> bool {
        let from = self.modref.provenance(self.func, address);
        let is_left = |base: &Base| match *base {
            Base::Global(global) => !self.writes(*base, self.modref.global_escapes(global)),
            Base::Alloca(local) => !self.writes(*base, self.modref.alloca_escapes(self.func, local)),
            Base::Param(_) | Base::Unknown => false,
        };
        !from.bases().is_empty() && from.bases().iter().all(is_left)
    }

    /// Whether the loop may write an object, which others may point to.
    fn writes(&self, base: Base, escapes: bool) -> bool {
        let writes = self.writes.get_or_init(|| {
            let mut writes = Writes::default();
            for block in self.l.block_ids() {
                for (inst, i) in (0..).zip(&self.function.blocks[block].insts) {
                    let at = ProgramPoint { func: self.func, block, inst };
                    self.modref.add_writes(self.program, self.control, at, i, &mut writes);
                }
            }
            writes
        });
        let is_write = |write: &Write| write.range != Some(READS_INPUT);
        let hits = |write: Write| write.base == base || escapes && matches!(write.base, Base::Unknown | Base::Param(_));
        writes.iter().filter(is_write).any(hits)
    }
}

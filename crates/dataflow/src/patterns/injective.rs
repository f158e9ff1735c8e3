//! Values that differ between any two iterations of a loop: counters, and addresses of elements.

use icsched_ir::{BinOp, BlockId, CastOp, Cfg, Const, Definition, Function, LoopForest, LoopId, Op, Operand, ValueId};

use crate::budgets::BUDGETS;
use crate::structure::Structure;

/// Values that differ between any two iterations of one run of a loop.
pub(crate) struct Injective<'a> {
    pub(crate) function: &'a Function,
    pub(crate) cfg: &'a Cfg,
    pub(crate) structure: &'a Structure,
    pub(crate) loops: &'a LoopForest,
    pub(crate) id: LoopId,
}

impl Injective<'_> {
    /// `Some(bits)` if the value is another one in each iteration, up to 2^bits of them.
    pub(crate) fn holds(&self, operand: Operand, depth: u32) -> Option<u32> {
        let value = operand.value().filter(|_| depth < BUDGETS.injective_steps)?;
        let next = |operand| self.holds(operand, depth + 1);
        match self.structure.definition(value)? {
            Definition::Argument(_) => None,
            Definition::Parameter(block, at) => self.steps(block, at, value),
            Definition::Inst(block, _) if !self.loops.get(self.id).contains(block) => None,
            Definition::Inst(..) => match &self.structure.inst(self.function, value)?.op {
                Op::Cast { op: CastOp::SExt | CastOp::ZExt | CastOp::Bitcast, a } => next(*a),
                Op::Binary { op: BinOp::Add, a, b, .. } => match (self.is_fixed(*a), self.is_fixed(*b)) {
                    (false, true) => next(*a),
                    (true, false) => next(*b),
                    _ => None,
                },
                Op::Binary { op: BinOp::Sub, a, b, .. } if self.is_fixed(*b) => next(*a),
                Op::Address { base, indices, .. } => match &indices[..] {
                    [] => next(*base),
                    [index] if self.is_fixed(*base) => fits(next(index.index)?, index.scale.unsigned_abs()),
                    _ => None,
                },
                _ => None,
            },
        }
    }

    /// A parameter of the loop's header that grows by a constant.
    fn steps(&self, block: BlockId, at: usize, value: ValueId) -> Option<u32> {
        let around = self.loops.get(self.id);
        if block != around.header {
            return None;
        }
        let mut by: Option<u64> = None;
        for &latch in self.cfg.predecessors(block).iter().filter(|b| around.contains(**b)) {
            for edge in self.function.blocks[latch].terminator.edges().filter(|e| e.target == block) {
                let inst = self.structure.inst(self.function, edge.args.get(at)?.value()?)?;
                let Op::Binary { op: BinOp::Add, a: Operand::Value(from), b, .. } = &inst.op else { return None };
                let Operand::Const(Const::Bits { bits, .. }) = b else { return None };
                if *from != value || by.is_some_and(|old| old != *bits) {
                    return None;
                }
                by = Some(*bits);
            }
        }
        fits(self.function.values[value].ty.bits().min(32), 1).filter(|_| by.is_some_and(|by| by % 2 == 1))
    }

    /// Whether an operand is the same in all iterations.
    fn is_fixed(&self, operand: Operand) -> bool {
        let Operand::Value(value) = operand else { return true };
        match self.structure.definition(value) {
            Some(Definition::Argument(_)) => true,
            Some(Definition::Parameter(block, _) | Definition::Inst(block, _)) => {
                !self.loops.get(self.id).contains(block)
            }
            None => false,
        }
    }
}

/// Whether multiples of numbers below 2^bits stay apart in 64 bits.
fn fits(bits: u32, scale: u64) -> Option<u32> {
    (scale != 0 && scale < 1 << 31 && bits >= 16).then_some(bits)
}

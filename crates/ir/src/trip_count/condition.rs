//! What must hold for a loop to go on, as a conjunction of tests.
//!
//! Beside comparisons: `&&` and `||` as bit operations, as selections, and as control flow that joins in front of the
//! branch (what clang does at `-O0`); negations; truth values kept in integers.

use super::context::Context;
use super::test::TripCount;
use crate::affine::Affine;
use crate::definitions::Definition;
use crate::entity::{BlockId, LoopId, ValueId};
use crate::induction::{self, BasicVariable, Forms, Recurrence};
use crate::inst::{BinOp, CastOp, Const, IntPredicate, Op, Operand, Terminator, UnOp};
use crate::types::Type;

/// Most steps from a branch to the comparisons it depends on.
const MAX_DEPTH: u32 = 16;

/// Most tests of one exit.
const MAX_TESTS: usize = 16;

/// Collects the tests of one exit.
pub(super) struct Conditions<'c, 'f> {
    pub(super) context: Context<'c>,
    pub(super) id: LoopId,
    pub(super) forms: &'c Forms<'f>,
    pub(super) basic: &'c [BasicVariable],
    pub(super) exit: (BlockId, BlockId),
    pub(super) tests: Vec<TripCount>,
}

impl Conditions<'_, '_> {
    /// Adds tests that hold whenever `condition` is `wanted`. Whether they are all there is to it: that it is `wanted`
    /// whenever they hold.
    pub(super) fn collect(&mut self, condition: Operand, wanted: bool, depth: u32) -> bool {
        let Operand::Value(value) = condition else { return constant(condition) == Some(wanted) };
        if depth >= MAX_DEPTH || self.tests.len() >= MAX_TESTS {
            return false;
        }
        let depth = depth + 1;
        if let Some(Definition::Parameter(block, index)) = self.context.definitions.of(value) {
            return self.join(block, index, wanted, depth);
        }
        let Some(inst) = self.context.definitions.inst(self.context.function, value) else { return false };
        match &inst.op {
            Op::IntCompare { predicate, a, b } => {
                if let Some((truth, negated)) = self.truth(*predicate, *a, *b) {
                    return self.collect(truth, wanted != negated, depth);
                }
                let test = self.test(if wanted { *predicate } else { predicate.negated() }, *a, *b);
                let is_test = test.is_some();
                self.tests.extend(test);
                is_test
            }
            Op::Binary { op: BinOp::And, a, b, .. } if wanted => self.both((*a, wanted), (*b, wanted), depth),
            Op::Binary { op: BinOp::Or, a, b, .. } if !wanted => self.both((*a, wanted), (*b, wanted), depth),
            Op::Binary { op: BinOp::Xor, a, b, .. } if constant(*b) == Some(true) => self.collect(*a, !wanted, depth),
            // Of a selection one of whose sides is not wanted, the other one must be chosen.
            Op::Select { condition, a, b, .. } if constant(*b) == Some(!wanted) => {
                self.both((*condition, true), (*a, wanted), depth)
            }
            Op::Select { condition, a, b, .. } if constant(*a) == Some(!wanted) => {
                self.both((*condition, false), (*b, wanted), depth)
            }
            Op::Unary { op: UnOp::Freeze, a } => self.collect(*a, wanted, depth),
            Op::Cast { op: CastOp::Trunc, a } => self.widened_bit(*a).is_some_and(|a| self.collect(a, wanted, depth)),
            _ => false,
        }
    }

    fn both(&mut self, first: (Operand, bool), second: (Operand, bool), depth: u32) -> bool {
        let is_all = self.collect(first.0, first.1, depth);
        self.collect(second.0, second.1, depth) && is_all
    }

    /// A condition that control flow computed: if all edges but one bring what is not wanted, control came along that
    /// one, and so along the only way to it.
    fn join(&mut self, block: BlockId, index: usize, wanted: bool, depth: u32) -> bool {
        let Context { function, cfg, dominators, loops, .. } = self.context;
        let is_here = |b: BlockId| loops.innermost(b) == Some(self.id);
        if !is_here(block) || loops.headed_by(block).is_some() {
            return false;
        }
        let mut ways = Vec::new();
        for (from, argument) in induction::incoming(function, cfg, block, index) {
            if constant(argument) != Some(!wanted) {
                ways.push((from, argument));
            }
        }
        let [(from, argument)] = ways[..] else { return false };
        let id = self.id;
        let first = self.tests.len();
        let mut is_all = self.collect(argument, wanted, depth);
        let own = self.tests.len() - first;
        let (mut here, mut next) = (from, block);
        for _ in 0..MAX_DEPTH {
            if loops.innermost(here) != Some(id) {
                return false;
            }
            if let Terminator::Branch { condition, then_edge, else_edge } = &function.blocks[here].terminator {
                // With both sides to one block the condition does not tell which edge was taken, but the unwanted
                // value came along one of them.
                is_all &= match (then_edge.target == next, else_edge.target == next) {
                    (true, true) => false,
                    (is_then, _) => self.collect(*condition, is_then, depth),
                };
            }
            if dominators.dominates(here, block) {
                // In the order in which they are made.
                self.tests[first..].rotate_left(own);
                return is_all;
            }
            let &[before] = cfg.predecessors(here) else { return false };
            (here, next) = (before, here);
        }
        false
    }

    /// `truth != 0` and the like for a truth value, widened or not; with whether that negates it.
    fn truth(&self, predicate: IntPredicate, a: Operand, b: Operand) -> Option<(Operand, bool)> {
        let negated = match predicate {
            IntPredicate::Ne => false,
            IntPredicate::Eq => true,
            _ => return None,
        };
        let is_zero = matches!(b, Operand::Const(Const::Bits { bits: 0, .. }));
        let truth = if self.is_bit(a.value()?) { a } else { self.widened_bit(a)? };
        is_zero.then_some((truth, negated))
    }

    /// The truth value that `a` is the widened form of.
    fn widened_bit(&self, a: Operand) -> Option<Operand> {
        match &self.context.definitions.inst(self.context.function, a.value()?)?.op {
            Op::Cast { op: CastOp::ZExt | CastOp::SExt, a } => a.value().filter(|&v| self.is_bit(v)).map(|_| *a),
            _ => None,
        }
    }

    fn is_bit(&self, value: ValueId) -> bool {
        self.context.function.values[value].ty == Type::Int(1)
    }

    /// The comparison as a test of something that moves against something that does not.
    fn test(&self, predicate: IntPredicate, a: Operand, b: Operand) -> Option<TripCount> {
        let ty = a.value().or(b.value()).map(|v| self.context.function.values[v].ty)?;
        let (left, right) = (self.forms.operand(a, ty)?, self.forms.operand(b, ty)?);
        match (self.forms.is_invariant(&left), self.forms.is_invariant(&right)) {
            (false, true) => self.moving(a.value()?, predicate, &left, right),
            (true, false) => self.moving(b.value()?, predicate.swapped(), &right, left),
            // Only for equality the sign of a difference does not matter.
            (false, false) if matches!(predicate, IntPredicate::Eq | IntPredicate::Ne) => {
                let difference = left.plus(&right, u64::MAX)?;
                self.moving(a.value()?, predicate, &difference, Affine::constant(ty.bits(), 0))
            }
            (true, true) | (false, false) => None,
        }
    }

    fn moving(&self, tested: ValueId, predicate: IntPredicate, x: &Affine, bound: Affine) -> Option<TripCount> {
        let (x, extension) = match self.forms.widening(x) {
            Some(widening) => (&widening.of, Some(widening.cast)),
            None => (x, None),
        };
        let Recurrence { start, step } = induction::recurrence(x, self.forms, self.basic)?;
        let exit = self.exit;
        (step.as_constant() != Some(0)).then_some(TripCount { exit, tested, predicate, start, step, extension, bound })
    }
}

/// The truth value of a constant of one bit.
fn constant(operand: Operand) -> Option<bool> {
    match operand {
        Operand::Const(Const::Bits { ty: Type::Int(1), bits }) => Some(bits == 1),
        Operand::Const(_) | Operand::Value(_) => None,
    }
}

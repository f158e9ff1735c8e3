//! What is known while one function is solved: its registers, and facts at the start of its blocks.

use std::rc::Rc;

use icsched_ir::{BlockId, Function, IdVec, Operand, ValueId};
use icsched_pointsto::InstanceId;

use super::facts::Facts;
use super::summary::Summaries;
use crate::budgets::BUDGETS;
use crate::expr::ExprId;
use crate::place::{Base, Frames, Place, address};
use crate::structure::Structure;
use crate::symbol::{FrameIndex, Symbol};
use crate::view::ProgramView;

/// What is known of a register.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Register {
    /// Not computed in any way that was looked at.
    Unseen,
    /// It is its own symbol.
    Opaque,
    Is(ExprId),
}

/// What holds in one function.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    pub(crate) frames: Frames,
    pub(super) registers: IdVec<ValueId, Register>,
    /// Facts at the start of each block that is reached.
    pub(super) inputs: IdVec<BlockId, Option<Facts>>,
}

impl Solution {
    /// The value of a register, where it is more than its own symbol.
    pub(crate) fn register(&self, value: ValueId) -> Option<ExprId> {
        match self.registers[value] {
            Register::Is(e) => Some(e),
            Register::Opaque | Register::Unseen => None,
        }
    }
}

/// What a solver goes back to.
pub(crate) struct Suspended {
    pub(super) registers: IdVec<ValueId, Register>,
    pub(super) changed: bool,
    pub(super) downwards: bool,
}

/// Solves one function.
pub(crate) struct Solver<'a, 'm, 'p> {
    pub(crate) view: &'a mut ProgramView<'m, 'p>,
    pub(crate) summaries: &'a Summaries,
    pub(crate) frames: Frames,
    pub(crate) frame: FrameIndex,
    pub(crate) instance: InstanceId,
    pub(crate) function: &'p Function,
    pub(crate) structure: Rc<Structure>,
    pub(super) registers: IdVec<ValueId, Register>,
    pub(super) inputs: IdVec<BlockId, Option<Facts>>,
    pub(super) outputs: IdVec<BlockId, Option<Facts>>,
    pub(super) changed: bool,
    /// Only losses are allowed.
    pub(super) downwards: bool,
}

impl<'a, 'm, 'p> Solver<'a, 'm, 'p> {
    pub(crate) fn new(view: &'a mut ProgramView<'m, 'p>, summaries: &'a Summaries, frames: Frames) -> Self {
        let (frame, instance) = frames.current();
        let func = view.points_to.instances()[instance].func;
        let function = &view.program.functions[func];
        let structure = view.structure(func);
        let blocks = function.blocks.len();
        Self {
            frame,
            instance,
            function,
            structure,
            registers: IdVec::filled(Register::Unseen, function.values.len()),
            inputs: IdVec::filled(None, blocks),
            outputs: IdVec::filled(None, blocks),
            changed: false,
            downwards: false,
            frames,
            view,
            summaries,
        }
    }

    /// A solver that goes on from a solution, to look at single points. Nothing is learnt any more.
    pub(crate) fn resume(view: &'a mut ProgramView<'m, 'p>, summaries: &'a Summaries, solution: &Solution) -> Self {
        let mut solver = Self::new(view, summaries, solution.frames.clone());
        solver.registers = solution.registers.clone();
        solver.inputs = solution.inputs.clone();
        solver.downwards = true;
        solver
    }

    /// Sets aside what is known of registers, to look at single iterations.
    pub(crate) fn suspend(&mut self) -> Suspended {
        let registers = self.registers.clone();
        Suspended { registers, changed: self.changed, downwards: std::mem::replace(&mut self.downwards, false) }
    }

    pub(crate) fn continue_with(&mut self, kept: Suspended) {
        Suspended { registers: self.registers, changed: self.changed, downwards: self.downwards } = kept;
    }

    /// Gives a register its value; `None`: its own symbol.
    pub(crate) fn set(&mut self, value: ValueId, e: Option<ExprId>) {
        let own = Symbol::new(self.frame, value);
        let e = e.filter(|&e| self.view.pool.as_symbol(e) != Some(own));
        let mut new = e.map_or(Register::Opaque, Register::Is);
        let old = self.registers[value];
        if self.downwards && old != Register::Unseen && old != new {
            new = Register::Opaque;
        }
        if old != new {
            self.registers[value] = new;
            self.changed = true;
        }
    }

    /// A register as its own symbol.
    pub(crate) fn symbol(&mut self, value: ValueId) -> ExprId {
        let width = self.function.values[value].ty.bits();
        self.view.pool.symbol(Symbol::new(self.frame, value), width)
    }

    /// The value of a register as far as it is known.
    pub(crate) fn register(&mut self, value: ValueId) -> ExprId {
        match self.registers[value] {
            Register::Is(e) => e,
            Register::Opaque | Register::Unseen => self.symbol(value),
        }
    }

    /// The first register of the block, a few instructions back, that has the same expression as this one.
    ///
    /// It has had its value since control came to the block.
    pub(crate) fn first_of_equal(&self, value: ValueId, e: ExprId) -> ValueId {
        let Some((block, end)) = self.structure.computed_at(value) else { return value };
        let before = &self.function.blocks[block].insts[end.saturating_sub(BUDGETS.equal_window)..end];
        let is_equal = |register: &&ValueId| matches!(self.registers[**register], Register::Is(other) if other == e);
        before.iter().flat_map(|inst| &inst.results).find(is_equal).copied().unwrap_or(value)
    }

    /// The value of an operand; `None` if it has no single one.
    pub(crate) fn operand(&mut self, operand: Operand) -> Option<ExprId> {
        match operand {
            Operand::Value(value) => Some(self.register(value)),
            Operand::Const(constant) => self.view.constant(constant),
        }
    }

    /// The place that an access of some bytes is at.
    pub(crate) fn place(&mut self, at: Operand, bytes: u32) -> Option<Place> {
        let e = self.operand(at)?;
        let (base, offset) = match (address(&self.view.pool, e), at) {
            (Some(found), _) => found,
            (None, Operand::Value(value)) => (Base::Symbol(Symbol::new(self.frame, self.first_of_equal(value, e))), 0),
            (None, Operand::Const(_)) => return None,
        };
        Some(Place { base, offset, bytes })
    }
}

//! The fixpoint of figure 2.17 over one function.
//!
//! Registers have one expression per function, not one per point, and nothing is forgotten when a register gets a new value. Both follow
//! from the program being in SSA form: what must hold in front of a register's definition cannot mention the register, since control
//! comes there a first time when it has never had a value, and no fact about it holds on that way. So a fact that mentions a register has
//! ended before the register changes; and what a register is computed from are registers whose definitions strictly dominate its own, none
//! of which changes before it does. A block's parameter is what all edges pass, if that is one expression, else its own symbol.
//!
//! The passes are optimistic: an edge that was not reached yet says nothing. After [`FREE_PASSES`] every change must lose
//! something, which ends them.

use std::rc::Rc;

use icsched_ir::{BlockId, EntityId, Function, IdVec, Operand, Terminator, Type, ValueId};
use icsched_pointsto::InstanceId;

use crate::analysis::{Analysis, Structure};
use crate::context::returned;
use crate::expr::ExprId;
use crate::facts::Facts;
use crate::place::Frames;
use crate::symbol::{FrameIndex, Symbol};

/// Passes in which facts may also change instead of only being lost.
const FREE_PASSES: u32 = 8;

/// What holds when a function starts.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Entry {
    /// The parameters' values, where they are more than a symbol.
    pub(crate) params: Vec<Option<ExprId>>,
    pub(crate) facts: Facts,
}

/// What is known of a register.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Register {
    /// Not computed in any way that was looked at.
    Unseen,
    /// It is its own symbol.
    Opaque,
    Is(ExprId),
}

/// Instructions that are looked through for the same address.
const MAX_BEFORE: usize = 64;

/// What holds in one function.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    pub(crate) frames: Frames,
    registers: IdVec<ValueId, Register>,
    /// Facts at the start of each block that is reached.
    inputs: IdVec<BlockId, Option<Facts>>,
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
    registers: IdVec<ValueId, Register>,
    changed: bool,
    downwards: bool,
}

/// Solves one function.
pub(crate) struct Solver<'a, 'm, 'p> {
    pub(crate) analysis: &'a mut Analysis<'m, 'p>,
    pub(crate) frames: Frames,
    pub(crate) frame: FrameIndex,
    pub(crate) instance: InstanceId,
    pub(crate) function: &'p Function,
    pub(crate) structure: Rc<Structure>,
    registers: IdVec<ValueId, Register>,
    inputs: IdVec<BlockId, Option<Facts>>,
    outputs: IdVec<BlockId, Option<Facts>>,
    changed: bool,
    /// Only losses are allowed.
    downwards: bool,
}

impl<'a, 'm, 'p> Solver<'a, 'm, 'p> {
    pub(crate) fn new(analysis: &'a mut Analysis<'m, 'p>, frames: Frames) -> Self {
        let (frame, instance) = frames.current();
        let func = analysis.points_to.instances()[instance].func;
        let function = &analysis.program.functions[func];
        let structure = analysis.structure(func);
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
            analysis,
        }
    }

    /// A solver that goes on from a solution, to look at single points. Nothing is learnt any more.
    pub(crate) fn resume(analysis: &'a mut Analysis<'m, 'p>, solution: &Solution) -> Self {
        let mut solver = Self::new(analysis, solution.frames.clone());
        solver.registers = solution.registers.clone();
        solver.inputs = solution.inputs.clone();
        solver.downwards = true;
        solver
    }

    pub(crate) fn solve(mut self, entry: &Entry) -> Solution {
        for (at, &param) in self.function.params.iter().enumerate() {
            let value = entry.params.get(at).copied().flatten();
            self.registers[param] = value.map_or(Register::Opaque, Register::Is);
        }
        let structure = Rc::clone(&self.structure);
        let mut passes = 0;
        loop {
            self.changed = false;
            self.downwards = passes >= FREE_PASSES;
            for &block in structure.cfg.reverse_postorder() {
                if self.analysis.is_to_end() {
                    break;
                }
                self.block(block, entry);
            }
            passes += 1;
            if !self.changed || self.analysis.is_interrupted() {
                return Solution { frames: self.frames, registers: self.registers, inputs: self.inputs };
            }
        }
    }

    fn block(&mut self, block: BlockId, entry: &Entry) {
        let input = if block.index() == 0 { Some(entry.facts.clone()) } else { self.merge(block) };
        let Some(mut facts) = input else { return };
        if let Some(old) = self.inputs[block].as_ref().filter(|_| self.downwards) {
            facts.meet(old);
        }
        if self.inputs[block].as_ref() != Some(&facts) {
            self.changed = true;
            self.inputs[block] = Some(facts.clone());
        }
        let end = self.function.blocks[block].insts.len();
        self.outputs[block] = self.walk(block, end, &mut facts).then_some(facts);
    }

    /// Executes the instructions of a block in front of an index; whether control gets there.
    pub(crate) fn walk(&mut self, block: BlockId, end: usize, facts: &mut Facts) -> bool {
        let function = self.function;
        (0..end).all(|index| self.instruction(block, index, &function.blocks[block].insts[index], facts))
    }

    /// The facts in front of a point of the function that was solved; `None` if control does not get there.
    pub(crate) fn before(&mut self, block: BlockId, index: usize) -> Option<Facts> {
        let mut facts = self.inputs[block].clone()?;
        self.walk(block, index, &mut facts).then_some(facts)
    }

    /// The merge of what comes along the edges, and the parameters of the block; `None` if none of them was reached yet.
    fn merge(&mut self, block: BlockId) -> Option<Facts> {
        let function = self.function;
        let params = &function.blocks[block].params;
        let (merged, mut values) = self.merged(block, |_| true)?;
        if values.iter().any(Option::is_none) {
            self.choose(block, &mut values);
        }
        for (&param, value) in params.iter().zip(values) {
            self.set(param, value);
        }
        Some(merged)
    }

    /// Numbers that one of two edges passes, by the branch that decides on the edge. Addresses keep their own names, which places go by.
    fn choose(&mut self, block: BlockId, values: &mut [Option<ExprId>]) {
        let function = self.function;
        let structure = Rc::clone(&self.structure);
        let Some((condition, edges)) = structure.choice(function, block) else { return };
        if edges.iter().any(|(from, _)| self.outputs[*from].is_none()) {
            return;
        }
        let Some(condition) = self.operand(condition) else { return };
        let params = function.blocks[block].params.iter().enumerate();
        for ((at, &param), value) in params.zip(values).filter(|(_, value)| value.is_none()) {
            let [a, b] = edges.map(|(_, edge)| self.operand(edge.args[at]));
            if let (Type::Int(_), Some(a), Some(b)) = (function.values[param].ty, a, b) {
                *value = self.analysis.pool.select(condition, a, b);
            }
        }
    }

    /// What comes along the edges from some blocks, and what they pass.
    fn merged(&mut self, block: BlockId, counts: impl Fn(BlockId) -> bool) -> Option<(Facts, Vec<Option<ExprId>>)> {
        let function = self.function;
        let structure = Rc::clone(&self.structure);
        let mut merged: Option<Facts> = None;
        let mut values: Vec<Option<ExprId>> = Vec::new();
        for &from in structure.cfg.predecessors(block).iter().filter(|&&from| counts(from)) {
            let Some(mut facts) = self.outputs[from].clone() else { continue };
            if let Some(known) = self.behind_loop(from, block) {
                facts = known;
            }
            let edges = function.blocks[from].terminator.edges().filter(|edge| edge.target == block);
            for edge in edges {
                let passed: Vec<Option<ExprId>> = edge.args.iter().map(|&arg| self.operand(arg)).collect();
                match &mut merged {
                    None => (merged, values) = (Some(facts.clone()), passed),
                    Some(merged) => {
                        merged.meet(&facts);
                        for (value, other) in values.iter_mut().zip(passed) {
                            *value = value.filter(|_| *value == other);
                        }
                    }
                }
            }
        }
        Some((merged?, values))
    }

    /// What holds when a loop with the header `from` is left for a block, if its iterations can be followed.
    fn behind_loop(&mut self, from: BlockId, block: BlockId) -> Option<Facts> {
        let structure = Rc::clone(&self.structure);
        let id = structure.loops.headed_by(from)?;
        let around = structure.loops.get(id);
        if around.contains(block) {
            return None;
        }
        let entry = self.merged(from, |b| !around.contains(b))?;
        self.unrolled(id, block, entry)
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
        let e = e.filter(|&e| self.analysis.pool.as_symbol(e) != Some(own));
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
        self.analysis.pool.symbol(Symbol::new(self.frame, value), width)
    }

    /// The value of a register as far as it is known.
    pub(crate) fn register(&mut self, value: ValueId) -> ExprId {
        match self.registers[value] {
            Register::Is(e) => e,
            Register::Opaque | Register::Unseen => self.symbol(value),
        }
    }

    /// The first register of a block that has the same expression as one of its later ones, up to a few instructions before: it has had its
    /// value since control came to the block.
    pub(crate) fn first_of_equal(&self, value: ValueId, e: ExprId) -> ValueId {
        let Some((block, end)) = self.structure.computed_at(value) else { return value };
        let before = &self.function.blocks[block].insts[end.saturating_sub(MAX_BEFORE)..end];
        let is_equal = |register: &&ValueId| matches!(self.registers[**register], Register::Is(other) if other == e);
        before.iter().flat_map(|inst| &inst.results).find(is_equal).copied().unwrap_or(value)
    }

    /// The value of an operand; `None` if it has no single one.
    pub(crate) fn operand(&mut self, operand: Operand) -> Option<ExprId> {
        match operand {
            Operand::Value(value) => Some(self.register(value)),
            Operand::Const(constant) => self.analysis.constant(constant),
        }
    }

    /// The facts and values at each return that control gets to. For a solver that was [resumed](Self::resume).
    pub(crate) fn exits(&mut self) -> Vec<(Facts, Vec<Option<ExprId>>)> {
        let function = self.function;
        let mut exits = Vec::new();
        for (block, body) in function.blocks.iter() {
            let Some(values) = returned(&body.terminator) else { continue };
            debug_assert!(matches!(body.terminator, Terminator::Return(_)));
            let Some(facts) = self.before(block, body.insts.len()) else { continue };
            let values = values.iter().map(|&v| self.operand(v)).collect();
            exits.push((facts, values));
        }
        exits
    }
}

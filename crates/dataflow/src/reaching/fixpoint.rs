//! The fixpoint of figure 2.17 over one function.
//!
//! Registers have one expression per function, not one per point. Nothing is forgotten when a register gets a new
//! value. Both follow from the program being in SSA form:
//!
//! 1. What must hold in front of a register's definition cannot mention the register. Control comes there a first time
//!    when the register has never had a value, and no fact about it holds on that way. So a fact that mentions a
//!    register has ended before the register changes.
//! 2. A register is computed from registers whose definitions strictly dominate its own. None of them changes before it
//!    does.
//!
//! A block's parameter is what all edges pass, if that is one expression, else its own symbol.
//!
//! The passes are optimistic: an edge that was not reached yet says nothing. After
//! [`Budgets::free_passes`](crate::budgets::Budgets::free_passes) every change must lose something, which ends them.

use std::rc::Rc;

use icsched_ir::{BlockId, EntityId, Terminator, Type};

use super::choice::choice;
use super::facts::{Entry, Facts};
use super::solver::{Register, Solution, Solver};
use crate::budgets::BUDGETS;
use crate::code::returned;
use crate::expr::ExprId;

impl Solver<'_, '_, '_> {
    /// Solves the function from what holds at its start.
    pub(crate) fn solve(mut self, entry: &Entry) -> Solution {
        for (at, &param) in self.function.params.iter().enumerate() {
            let value = entry.params.get(at).copied().flatten();
            self.registers[param] = value.map_or(Register::Opaque, Register::Is);
        }
        let structure = Rc::clone(&self.structure);
        let mut passes = 0;
        loop {
            self.changed = false;
            self.downwards = passes >= BUDGETS.free_passes;
            for &block in structure.cfg.reverse_postorder() {
                if self.view.is_to_end() {
                    break;
                }
                self.block(block, entry);
            }
            passes += 1;
            if !self.changed || self.view.is_interrupted() {
                return Solution { frames: self.frames, registers: self.registers, inputs: self.inputs };
            }
        }
    }

    fn block(&mut self, block: BlockId, entry: &Entry) {
        let input = if block.index() == 0 { Some(entry.facts.clone()) } else { self.merge(block) };
        let Some(mut facts) = input else { return };
        if let Some(old) = self.inputs[block].as_ref().filter(|_| self.downwards) {
            facts.join(old);
        }
        if self.inputs[block].as_ref() != Some(&facts) {
            self.changed = true;
            self.inputs[block] = Some(facts.clone());
        }
        let end = self.function.blocks[block].insts.len();
        self.outputs[block] = self.walk(block, end, &mut facts).then_some(facts);
    }

    /// The merge of what comes along the edges, and the parameters of the block; `None` if none of them was reached
    /// yet.
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

    /// Numbers that one of two edges passes, by the branch that decides on the edge. Addresses keep their own names,
    /// which places go by.
    fn choose(&mut self, block: BlockId, values: &mut [Option<ExprId>]) {
        let function = self.function;
        let structure = Rc::clone(&self.structure);
        let Some((condition, edges)) = choice(&structure, function, block) else { return };
        if edges.iter().any(|(from, _)| self.outputs[*from].is_none()) {
            return;
        }
        let Some(condition) = self.operand(condition) else { return };
        let params = function.blocks[block].params.iter().enumerate();
        for ((at, &param), value) in params.zip(values).filter(|(_, value)| value.is_none()) {
            let [a, b] = edges.map(|(_, edge)| self.operand(edge.args[at]));
            if let (Type::Int(_), Some(a), Some(b)) = (function.values[param].ty, a, b) {
                *value = self.view.pool.select(condition, a, b);
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
                        merged.join(&facts);
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

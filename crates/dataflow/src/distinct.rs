//! What differs between any two threads: what they were created with, and numbers that they took from a counter.
//!
//! A register is *own* if two threads never hold the same in it: the parameter of a start function whose creations all pass something
//! else, a number from a [counter](crate::counter), and the parameters that only such registers are passed for. (Bergan 2.9.1 names these two
//! idioms as what his analysis lacks.)

use std::collections::BTreeMap;

use icsched_ir::{BinOp, BlockId, CastOp, Cfg, Definition, EntityId, LoopForest, LoopId, Op, Operand, ValueId};
use icsched_pointsto::InstanceId;
use rustc_hash::FxHashSet;

use crate::analysis::Analysis;
use crate::context::operation;
use crate::counter::Cell;
use crate::creation::Creation;
use crate::definitions::Walk;
use crate::expr::{Expr, ExprId};
use crate::function::{Entry, Solver};
use crate::icfg::EdgeKind;
use crate::place::Frames;
use crate::state::{Relation, RelationKind};
use crate::symbol::{FrameIndex, Symbol};

/// Why no two threads hold the same: registers of one reason differ from each other.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Own {
    /// It is what a thread was created with that started with this.
    Argument(InstanceId),
    /// It was loaded from this counter.
    Number(Cell),
}

impl Analysis<'_, '_> {
    /// What differs between the threads of a context, each given by the ways down its stack.
    pub(crate) fn distinct(&mut self, threads: &[&[Walk]], points: &[&[icsched_ir::ProgramPoint]]) -> Vec<Relation> {
        let own: Vec<Vec<(Own, ExprId)>> =
            threads.iter().zip(points).map(|(walks, points)| self.own_registers(walks, points)).collect();
        let mut relations = Vec::new();
        for (a, registers) in own.iter().enumerate() {
            for (b, others) in own.iter().enumerate().skip(a + 1) {
                for &(why, register) in registers {
                    let same =
                        others.iter().filter(|o| o.0 == why && self.pool.width(o.1) == self.pool.width(register));
                    let distinct = |&(_, other): &(Own, ExprId)| Relation {
                        kind: RelationKind::Distinct,
                        a: (a, register),
                        b: (b, other),
                    };
                    relations.extend(same.map(distinct));
                }
            }
        }
        relations
    }

    /// The registers of a thread's frames that are own on all ways.
    fn own_registers(&mut self, walks: &[Walk], points: &[icsched_ir::ProgramPoint]) -> Vec<(Own, ExprId)> {
        let mut all: Option<BTreeMap<(FrameIndex, ValueId), Own>> = None;
        for walk in walks {
            let mut found = BTreeMap::new();
            for ((&instance, point), frame) in walk.chain.iter().zip(points).zip(0..) {
                let function = &self.program.functions[point.func];
                for (position, &param) in function.params.iter().enumerate() {
                    if let Some(own) = self.own_parameter(instance, position, &mut FxHashSet::default()) {
                        found.insert((frame, param), own);
                    }
                }
                let structure = self.structure(point.func);
                for (&(_, value), &cell) in
                    self.numbers().range((instance, ValueId::from_index(0))..).take_while(|n| n.0.0 == instance)
                {
                    if structure.is_defined_at(value, point.block, point.inst as usize) {
                        found.insert((frame, value), Own::Number(cell));
                    }
                }
            }
            all = Some(match all {
                None => found,
                Some(mut all) => {
                    all.retain(|register, own| found.get(register) == Some(own));
                    all
                }
            });
        }
        let registers = all.unwrap_or_default().into_iter();
        let name = |((frame, value), own): ((FrameIndex, ValueId), Own)| {
            let width = self.program.functions[points[frame as usize].func].values[value].ty.bits();
            (own, self.pool.symbol(Symbol::new(frame, value), width))
        };
        registers.map(name).collect()
    }

    /// Whether a parameter is own, whoever calls. On a way around a cycle of calls nothing new is passed.
    fn own_parameter(
        &mut self,
        instance: InstanceId,
        position: usize,
        seen: &mut FxHashSet<(InstanceId, usize)>,
    ) -> Option<Own> {
        let main = self.program.main.and_then(|f| self.points_to.shared_instance(f));
        let is_root = main == Some(instance) || self.points_to.called_from_outside().any(|i| i == instance);
        if is_root || !seen.insert((instance, position)) {
            return None;
        }
        let creations = std::rc::Rc::clone(&self.creations);
        let mut reasons: Vec<Own> = Vec::new();
        let of: Vec<&Creation> = creations.all.iter().filter(|c| c.starts.contains(&instance)).collect();
        if !of.is_empty() {
            (position == 0 && self.all_differ(&of)).then_some(())?;
            reasons.push(Own::Argument(instance));
        }
        let incoming: Vec<_> = self.icfg.incoming(instance).collect();
        for (caller, edge) in incoming.into_iter().filter(|(caller, e)| !creations.replaces(*caller, e.at)) {
            let Some(Op::Call { args, .. }) = operation(self.program, edge.at) else { return None };
            let value = args.get(position)?.value().filter(|_| edge.kind == EdgeKind::Call)?;
            let params = &self.program.functions[edge.at.func].params;
            reasons.push(match params.iter().position(|&p| p == value) {
                Some(position) if seen.contains(&(caller, position)) => continue,
                Some(position) => self.own_parameter(caller, position, seen)?,
                None => self.numbers().get(&(caller, value)).copied().map(Own::Number)?,
            });
        }
        let first = *reasons.first()?;
        reasons.iter().all(|&r| r == first).then_some(first)
    }

    fn numbers(&mut self) -> &crate::counter::Numbers {
        if self.numbers.is_none() {
            let found = self.find_numbers();
            self.numbers = Some(found);
        }
        self.numbers.get_or_insert_default()
    }

    /// Whether no two threads that some calls create are given the same.
    fn all_differ(&mut self, creations: &[&Creation]) -> bool {
        let mut passed: Vec<ExprId> = Vec::new();
        for creation in creations {
            let constant = self.constant_argument(creation);
            if let Some(e) = constant.filter(|e| !passed.contains(e)) {
                passed.push(e);
            }
            let is_alone = creations.len() == 1;
            let differs = constant.is_some() && self.is_executed_once(creation.from, creation.at.block)
                || is_alone && self.differs_by_iteration(creation);
            if !differs {
                return false;
            }
        }
        passed.len() == creations.len() || creations.len() == 1
    }

    /// The number or address that a creation passes.
    fn constant_argument(&mut self, creation: &Creation) -> Option<ExprId> {
        self.summarise_callees(&[creation.from]);
        let solution = Solver::new(self, Frames::Summary(creation.from)).solve(&Entry::default());
        let value = Solver::resume(self, &solution).operand(creation.argument)?;
        // Addresses of different globals differ, but not always one from behind another.
        let (base, offset) = self.pool.split_sum(value);
        let inside = match self.pool.get(base) {
            Expr::Global(global) => offset < self.program.globals[global].size,
            Expr::Constant { .. } => true,
            _ => false,
        };
        inside.then_some(value)
    }

    /// Whether a block of an instance is executed once at most in a run of the program.
    pub(crate) fn is_executed_once(&mut self, instance: InstanceId, block: BlockId) -> bool {
        let func = self.points_to.instances()[instance].func;
        let loops = LoopForest::new(&self.structure(func).cfg);
        loops.innermost(block).is_none() && self.is_called_once(instance, 0)
    }

    pub(crate) fn is_called_once(&mut self, instance: InstanceId, depth: u32) -> bool {
        if self.points_to.called_from_outside().any(|i| i == instance)
            || self.interference.may_return_twice(instance)
            || depth > 16
        {
            return false;
        }
        let incoming: Vec<_> = self.icfg.incoming(instance).collect();
        let is_main = self.program.main.and_then(|f| self.points_to.shared_instance(f)) == Some(instance);
        match incoming[..] {
            [] => is_main,
            [(caller, edge)] if !is_main && edge.kind == EdgeKind::Call => {
                let func = self.points_to.instances()[caller].func;
                let loops = LoopForest::new(&self.structure(func).cfg);
                loops.innermost(edge.at.block).is_none() && self.is_called_once(caller, depth + 1)
            }
            _ => false,
        }
    }

    /// Whether a creation in a loop that runs once passes something else in each iteration.
    fn differs_by_iteration(&mut self, creation: &Creation) -> bool {
        let func = self.points_to.instances()[creation.from].func;
        let structure = self.structure(func);
        let loops = LoopForest::new(&structure.cfg);
        let Some(id) = loops.innermost(creation.at.block) else { return false };
        let around = loops.get(id);
        if around.parent.is_some() || around.is_irreducible() {
            return false;
        }
        if !self.is_called_once(creation.from, 0) && !self.comes_in_generations(creation) {
            return false;
        }
        let function = &self.program.functions[func];
        let injective = Injective { function, cfg: &structure.cfg, structure: &structure, loops: &loops, id };
        injective.holds(creation.argument, 0).is_some()
    }
}

/// Values that differ between any two iterations of one run of a loop.
pub(crate) struct Injective<'a> {
    pub(crate) function: &'a icsched_ir::Function,
    pub(crate) cfg: &'a Cfg,
    pub(crate) structure: &'a crate::analysis::Structure,
    pub(crate) loops: &'a LoopForest,
    pub(crate) id: LoopId,
}

impl Injective<'_> {
    /// `Some(bits)` if the value is another one in each iteration, up to 2^bits of them.
    pub(crate) fn holds(&self, operand: Operand, depth: u32) -> Option<u32> {
        let value = operand.value().filter(|_| depth < 8)?;
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
                let Operand::Const(icsched_ir::Const::Bits { bits, .. }) = b else { return None };
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

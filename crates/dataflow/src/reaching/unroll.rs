//! Loops with small constant trip counts, iteration by iteration (Bergan 2.6.2, "Heuristics").
//!
//! What holds behind such a loop is found by executing its iterations one after the other. The header's parameters have
//! the values of each iteration. Only what leaves by the header is found in this way: a point inside of the loop stands
//! for all iterations, and has what the fixpoint over the loop has. Loops inside are executed in the same way. If one
//! of them takes too long, nothing is found for the loops around it.
//!
//! A register of the loop has another value in each iteration. So what mentions one is forgotten when the next
//! iteration starts, and when the loop is left.

use std::rc::Rc;

use icsched_ir::{BlockId, Definition, Edge, LoopId, Terminator, ValueId};

use super::facts::{Fact, Facts};
use super::solver::Solver;
use crate::budgets::BUDGETS;
use crate::expr::ExprId;
use crate::place::{Base, Place};
use crate::symbol::Symbol;

/// One way along an edge.
struct Passing {
    from: BlockId,
    target: BlockId,
    args: Vec<Option<ExprId>>,
    facts: Facts,
}

impl<'p> Solver<'_, '_, 'p> {
    /// What holds when a loop is left from its header to a block, if it ends after a few iterations. `entry`: what its
    /// first one starts with.
    pub(crate) fn unrolled(
        &mut self,
        id: LoopId,
        exit: BlockId,
        (facts, args): (Facts, Vec<Option<ExprId>>),
    ) -> Option<Facts> {
        let header = self.structure.loops.get(id).header;
        let kept = self.suspend();
        let mut left = BUDGETS.unrolled_instructions;
        let leaving = self.run(id, facts, args, &mut left);
        self.continue_with(kept);
        let mut ways = leaving?.into_iter().filter(|p| p.from == header && p.target == exit);
        let way = ways.next()?;
        ways.next().is_none().then_some(way.facts)
    }

    /// Executes a loop: the ways out of it. `None` if it does not end by its header after a few iterations, as far as
    /// is known.
    fn run(
        &mut self,
        id: LoopId,
        mut facts: Facts,
        mut args: Vec<Option<ExprId>>,
        left: &mut usize,
    ) -> Option<Vec<Passing>> {
        let structure = Rc::clone(&self.structure);
        let (function, around) = (self.function, structure.loops.get(id));
        if around.is_irreducible() {
            return None;
        }
        let mut leaving = Vec::new();
        for _ in 0..=BUDGETS.unrolled_iterations {
            self.set_params(around.header, &args);
            let mut passing = self.execute(around.header, facts, left)?;
            // Whether it goes on is known.
            let [only] = &mut passing[..] else { return None };
            if !around.contains(only.target) {
                self.forget(id, only);
                leaving.append(&mut passing);
                return Some(leaving);
            }
            for &block in structure.cfg.reverse_postorder() {
                let own = structure.loops.innermost(block) == Some(id) && block != around.header;
                let inner = structure.loops.headed_by(block).filter(|&i| structure.loops.get(i).parent == Some(id));
                if !around.contains(block) || !own && inner.is_none() {
                    continue;
                }
                let Some((facts, args)) = join(&mut passing, block) else { continue };
                if let Some(inner) = inner {
                    passing.append(&mut self.run(inner, facts, args, left)?);
                } else {
                    self.set_params(block, &args);
                    passing.append(&mut self.execute(block, facts, left)?);
                }
            }
            passing.iter_mut().for_each(|way| self.forget(id, way));
            let next = join(&mut passing, around.header);
            leaving.extend(passing.into_iter().filter(|way| !around.contains(way.target)));
            // Each way may have left it, or ended.
            let Some(next) = next else { return Some(leaving) };
            (facts, args) = next;
            debug_assert_eq!(args.len(), function.blocks[around.header].params.len(), "one argument per parameter");
        }
        None
    }

    fn set_params(&mut self, block: BlockId, args: &[Option<ExprId>]) {
        let function = self.function;
        for (&param, &value) in function.blocks[block].params.iter().zip(args) {
            self.set(param, value);
        }
    }

    /// Executes a block: the edges that control may go on along. `None`: that takes too long.
    fn execute(&mut self, block: BlockId, mut facts: Facts, left: &mut usize) -> Option<Vec<Passing>> {
        let body = &self.function.blocks[block];
        *left = left.checked_sub(body.insts.len() + 1)?;
        if !self.walk(block, body.insts.len(), &mut facts) {
            return Some(Vec::new());
        }
        let edges: Vec<&'p Edge> = match &body.terminator {
            Terminator::Branch { condition, then_edge, else_edge } => {
                let known = self.operand(*condition).and_then(|e| self.view.pool.as_constant(e));
                match known {
                    Some(0) => vec![else_edge],
                    Some(_) => vec![then_edge],
                    None => vec![then_edge, else_edge],
                }
            }
            other => other.edges().collect(),
        };
        let passing = |edge: &Edge| {
            let args = edge.args.iter().map(|&arg| self.operand(arg)).collect();
            Passing { from: block, target: edge.target, args, facts: facts.clone() }
        };
        Some(edges.into_iter().map(passing).collect())
    }

    /// Forgets what mentions a register of a loop.
    fn forget(&self, id: LoopId, way: &mut Passing) {
        let around = self.structure.loops.get(id);
        let is_inside = |value: ValueId| match self.structure.definition(value) {
            Some(Definition::Parameter(block, _) | Definition::Inst(block, _)) => around.contains(block),
            Some(Definition::Argument(_)) | None => false,
        };
        let pool = &self.view.pool;
        let frame = self.frame;
        let ends = |s: &Symbol| match pool.call_of(*s) {
            _ if s.frame != frame => false,
            Some(call) => around.contains(call.block),
            None => is_inside(s.value),
        };
        let lasts = |e: ExprId| !pool.symbols(e).iter().any(ends);
        way.facts.retain(|place: &Place, fact: &Fact| {
            let base = match place.base {
                Base::Global(_) => true,
                Base::Symbol(symbol) => !ends(&symbol),
            };
            base && lasts(fact.value)
        });
        for value in &mut way.args {
            *value = value.filter(|&e| lasts(e));
        }
    }
}

/// What all ways to a block agree on; these are taken out.
fn join(passing: &mut Vec<Passing>, block: BlockId) -> Option<(Facts, Vec<Option<ExprId>>)> {
    let mut all: Option<(Facts, Vec<Option<ExprId>>)> = None;
    for way in passing.extract_if(.., |way| way.target == block) {
        match &mut all {
            None => all = Some((way.facts, way.args)),
            Some((facts, args)) => {
                facts.join(&way.facts);
                for (value, other) in args.iter_mut().zip(way.args) {
                    *value = value.filter(|_| *value == other);
                }
            }
        }
    }
    all
}

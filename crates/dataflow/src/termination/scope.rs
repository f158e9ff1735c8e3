//! What is repeated: a loop, or the body of a function that calls itself.

use icsched_ir::{BlockId, Callee, FuncId, Function, Loop, LoopId, Op, Operand, Program, ProgramPoint, ValueId};

use super::flow::{Point, Structure, leads_to, point};
use crate::budgets::BUDGETS;

/// A call of a function by name from one that it may call.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct InnerCall {
    pub(super) at: ProgramPoint,
    pub(super) callee: FuncId,
}

/// What a scope is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A loop.
    Loop(LoopId),
    /// The body of a function, with its calls that may come back to it.
    Body(Vec<InnerCall>),
}

/// Code that is executed again and again.
pub(super) struct Scope<'a> {
    pub(super) program: &'a Program,
    pub(super) func: FuncId,
    pub(super) function: &'a Function,
    pub(super) structure: &'a Structure,
    pub(super) kind: Kind,
    /// Its blocks, each behind its predecessors except along back edges.
    pub(super) blocks: Vec<BlockId>,
}

impl<'a> Scope<'a> {
    /// A loop. `None` where one that control enters at several blocks is in it, or it is too large.
    pub(super) fn of_loop(program: &'a Program, func: FuncId, structure: &'a Structure, id: LoopId) -> Option<Self> {
        let blocks = structure.loops.get(id).block_ids().collect();
        Self::new(program, func, structure, Kind::Loop(id), blocks)
    }

    /// The body of a function that makes these calls. `None` where a loop that control enters at several blocks is in
    /// it, or it is too large.
    pub(super) fn of_body(
        program: &'a Program,
        func: FuncId,
        structure: &'a Structure,
        calls: Vec<InnerCall>,
    ) -> Option<Self> {
        let blocks = structure.cfg.reverse_postorder().to_vec();
        Self::new(program, func, structure, Kind::Body(calls), blocks)
    }

    fn new(
        program: &'a Program,
        func: FuncId,
        structure: &'a Structure,
        kind: Kind,
        mut blocks: Vec<BlockId>,
    ) -> Option<Self> {
        blocks.sort_by_key(|&block| structure.cfg.position(block));
        let function = &program.functions[func];
        let size: usize = blocks.iter().map(|&block| function.blocks[block].insts.len()).sum();
        let scope = Self { program, func, function, structure, kind, blocks };
        let is_entered_once = |block: &BlockId| {
            structure.loops.around(*block).all(|id| !scope.is_inside(id) || !structure.loops.get(id).is_irreducible())
        };
        (size <= BUDGETS.round_instructions && scope.blocks.iter().all(is_entered_once)).then_some(scope)
    }

    /// Where a round begins.
    pub(super) fn header(&self) -> BlockId {
        self.blocks[0]
    }

    /// What a round begins with.
    pub(super) fn parameters(&self) -> &'a [ValueId] {
        match self.kind {
            Kind::Loop(_) => &self.function.blocks[self.header()].params,
            Kind::Body(_) => &self.function.params,
        }
    }

    /// Whether a block is in it.
    pub(super) fn contains(&self, block: BlockId) -> bool {
        match self.kind {
            Kind::Loop(id) => self.structure.loops.get(id).contains(block),
            Kind::Body(_) => self.structure.cfg.is_reachable(block),
        }
    }

    /// Whether a loop is the scope, or in it.
    fn is_inside(&self, id: LoopId) -> bool {
        match self.kind {
            Kind::Loop(own) => {
                std::iter::successors(Some(id), |&l| self.structure.loops.get(l).parent).any(|l| l == own)
            }
            Kind::Body(_) => true,
        }
    }

    /// The loop that a block of the scope is the header of, if that is not the scope.
    pub(super) fn inner_loop(&self, header: BlockId) -> Option<&'a Loop> {
        let id = self.structure.loops.headed_by(header)?;
        let is_own = matches!(self.kind, Kind::Loop(own) if own == id);
        (!is_own).then(|| self.structure.loops.get(id))
    }

    /// Whether a block is executed at most once in each round.
    pub(super) fn is_once(&self, block: BlockId) -> bool {
        match self.kind {
            Kind::Loop(own) => self.structure.loops.innermost(block) == Some(own),
            Kind::Body(_) => self.structure.loops.innermost(block).is_none(),
        }
    }

    /// Whether each round that goes on, however it does, executes a block before.
    pub(super) fn is_in_each_round(&self, block: BlockId) -> bool {
        let dominates = |other: BlockId| self.structure.dominators.dominates(block, other);
        match &self.kind {
            Kind::Loop(id) => self.structure.loops.get(*id).latches.iter().all(|&latch| dominates(latch)),
            Kind::Body(calls) => calls.iter().all(|call| call.at.block != block && dominates(call.at.block)),
        }
    }

    /// Whether a value is defined outside, and so is the same in all rounds.
    pub(super) fn is_outside(&self, value: ValueId) -> bool {
        match self.kind {
            Kind::Loop(_) => !self.structure.definitions.block(value).is_some_and(|block| self.contains(block)),
            Kind::Body(_) => false,
        }
    }

    /// Whether each round hands a parameter of its beginning on as it is.
    pub(super) fn is_handed_on(&self, at: usize) -> bool {
        let value = self.parameters()[at];
        let is_it = |operand: Option<&Operand>| operand == Some(&Operand::Value(value));
        match &self.kind {
            Kind::Loop(id) => self.structure.loops.get(*id).latches.iter().all(|&latch| {
                let edges = self.function.blocks[latch].terminator.edges();
                edges.filter(|edge| edge.target == self.header()).all(|edge| is_it(edge.args.get(at)))
            }),
            Kind::Body(calls) => {
                calls.iter().all(|call| call.callee == self.func && is_it(self.arguments(call).get(at)))
            }
        }
    }

    /// Whether control that has passed a point may still go on with the next round from there, in the same one.
    pub(super) fn goes_on_behind(&self, at: Point) -> bool {
        match &self.kind {
            Kind::Loop(_) => true,
            Kind::Body(calls) => {
                calls.iter().any(|call| leads_to(self.function, self.structure, at, point(call.at), None))
            }
        }
    }

    /// The arguments of a call.
    pub(super) fn arguments(&self, call: &InnerCall) -> &'a [Operand] {
        let block = &self.program.functions[call.at.func].blocks[call.at.block];
        match &block.insts[call.at.inst as usize].op {
            Op::Call { callee: Callee::Direct(_), args } => args,
            _ => &[],
        }
    }
}

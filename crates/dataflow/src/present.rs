//! What is known where all threads that the frames of a context have created are alive ([`Context::none_ended`]).
//!
//! 1. A function creates threads in a loop `for (i = s; i < n; i++)` and is behind it: there are `n - s` of them, all in the context. If `n` is what
//!    the barrier expects and only they, and `main` if `s` is 1, may wait at it, it expects as many as threads of the context may wait.
//! 2. A function that joins them in a loop of the same form is in its first iteration.

use fixedbitset::FixedBitSet;
use icsched_ir::{BlockId, EntityId as _, IntPredicate, LoopForest, Op, Operand, ProgramPoint, Terminator};
use icsched_pointsto::InstanceId;

use crate::analysis::Analysis;
use crate::context::Context;
use crate::creation::Creation;
use crate::definitions::Walk;
use crate::state::{Relation, RelationKind};
use crate::symbol::{FrameIndex, Symbol};

/// What follows from all threads being there.
#[derive(Default)]
pub(crate) struct Present {
    /// What a barrier expects at most.
    pub(crate) most_expected: Option<u64>,
    /// What registers hold.
    pub(crate) relations: Vec<Relation>,
}

impl Analysis<'_, '_> {
    /// `waiting` threads of the context may wait at barriers, and never do more than these expect; 0 if that is not known.
    pub(crate) fn present(&mut self, context: &Context, walks: &[Vec<Walk>], waiting: u64) -> Present {
        let mut found = Present::default();
        let creations = std::rc::Rc::clone(&self.creations);
        for (thread, ways) in walks.iter().enumerate() {
            let [walk] = &ways[..] else { continue };
            let frames = walk.chain.iter().zip(&context.threads[thread].stack.0).zip(0..);
            for ((&instance, &point), frame) in frames {
                for creation in creations.all.iter().filter(|c| c.from == instance) {
                    if !self.has_created_all(creation, point) {
                        continue;
                    }
                    if self.is_alone_at_barriers(creation, context, walks, waiting) {
                        found.most_expected = Some(waiting);
                    }
                    found.relations.extend(self.first_join(creation, point, thread, frame));
                }
            }
        }
        found
    }

    /// Whether a function at this point has created all threads that a loop creates.
    fn has_created_all(&mut self, creation: &Creation, point: ProgramPoint) -> bool {
        let func = self.points_to.instances()[creation.from].func;
        let (structure, function) = (self.structure(func), &self.program.functions[func]);
        let loops = LoopForest::new(&structure.cfg);
        let Some(id) = loops.innermost(creation.at.block) else { return false };
        let around = loops.get(id);
        if self.counted(func, around).is_none() {
            return false;
        }
        let is_behind = !around.contains(point.block) && structure.dominators.dominates(around.header, point.block);
        // Whoever is at the point has left the loop by its header, and each creation has succeeded.
        let leads_here = leading_to(&structure.cfg, point.block);
        let is_elsewhere = |block: BlockId| !leads_here.contains(block.index());
        let mut others = around.block_ids().filter(|&b| b != around.header);
        let stays = others.all(|b| structure.cfg.successors(b).iter().all(|&s| around.contains(s) || is_elsewhere(s)));
        let each = around.latches.iter().all(|&latch| structure.dominators.dominates(creation.at.block, latch));
        is_behind && stays && each && is_elsewhere_if_it_fails(function, creation.at, &is_elsewhere)
    }

    /// Whether the threads of a loop, and `main` if the loop leaves one out, are all that wait at barriers, and in the context.
    fn is_alone_at_barriers(
        &mut self,
        creation: &Creation,
        context: &Context,
        walks: &[Vec<Walk>],
        waiting: u64,
    ) -> bool {
        let arrives = |this: &Self, i: InstanceId| this.interference.may_arrive(i);
        let creations = std::rc::Rc::clone(&self.creations);
        let mut of_waiting = creations.all.iter().filter(|c| c.starts.iter().any(|&i| arrives(self, i)));
        let is_only = of_waiting.all(|c| c.from == creation.from && c.at == creation.at);
        let main = self.program.main;
        let main_waits = main.and_then(|f| self.points_to.shared_instance(f)).is_some_and(|i| arrives(self, i));
        let is_main = |t: &crate::context::ThreadContext| t.complete && t.stack.0.first().map(|p| p.func) == main;
        let main_is_there = context.threads.iter().any(is_main);
        // What a thread of which only inner frames are known may do later is not.
        let all_counted = context.threads.iter().zip(walks).all(|(thread, ways)| {
            thread.complete || !ways.is_empty() && ways.iter().all(|walk| arrives(self, walk.chain[0]))
        });
        let func = self.points_to.instances()[creation.from].func;
        let structure = self.structure(func);
        let loops = LoopForest::new(&structure.cfg);
        let Some(id) = loops.innermost(creation.at.block) else { return false };
        let Some(counted) = self.counted(func, loops.get(id)) else { return false };
        waiting > 0
            && is_only
            && all_counted
            && counted.is_variable()
            && counted.start == u64::from(main_waits)
            && (!main_waits || main_is_there)
    }

    /// That the loop that joins a creation's threads is in its first iteration, if the point is a join of it.
    fn first_join(
        &mut self,
        creation: &Creation,
        point: ProgramPoint,
        thread: usize,
        frame: FrameIndex,
    ) -> Option<Relation> {
        let joined = self.joined(creation)?;
        if joined.at != point {
            return None;
        }
        let width = self.program.functions[point.func].values[joined.counter].ty.bits();
        let counter = self.pool.symbol(Symbol::new(frame, joined.counter), width);
        let start = self.pool.constant(width, joined.start);
        Some(Relation { kind: RelationKind::Equal, a: (thread, counter), b: (thread, start) })
    }
}

/// The blocks from which control may get to one.
fn leading_to(cfg: &icsched_ir::Cfg, block: BlockId) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(cfg.block_count());
    let mut work = vec![block];
    while let Some(next) = work.pop() {
        if !found.put(next.index()) {
            work.extend(cfg.predecessors(next));
        }
    }
    found
}

/// Whether control does not go on as usual where a creation fails: its block branches on the result.
fn is_elsewhere_if_it_fails(
    function: &icsched_ir::Function,
    at: ProgramPoint,
    is_elsewhere: &dyn Fn(BlockId) -> bool,
) -> bool {
    let body = &function.blocks[at.block];
    let result = body.insts[at.inst as usize].results.first().copied();
    let Terminator::Branch { condition, then_edge, else_edge } = &body.terminator else { return false };
    let compared = body.insts.iter().find(|i| i.results.first().copied() == condition.value());
    let (Some(result), Some(Op::IntCompare { predicate, a, b })) = (result, compared.map(|i| &i.op)) else {
        return false;
    };
    let is_zero = matches!(b, Operand::Const(icsched_ir::Const::Bits { bits: 0, .. }));
    let failed = match predicate {
        IntPredicate::Ne => then_edge.target,
        IntPredicate::Eq => else_edge.target,
        _ => return false,
    };
    *a == Operand::Value(result) && is_zero && is_elsewhere(failed)
}

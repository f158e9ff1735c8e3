//! What is known where all threads are alive that the frames of a context have created.
//!
//! The context says so: [`Context::none_ended`](crate::Context::none_ended).
//!
//! 1. A function creates threads in a loop `for (i = s; i < n; i++)` and is behind it. Then there are `n - s` of them,
//!    all in the context. Let `n` be what the barrier expects, and let only they wait at it, and `main` if `s` is 1.
//!    Then the barrier expects as many as threads of the context may wait.
//! 2. A function that joins them in a loop of the same form is in its first iteration.

use fixedbitset::FixedBitSet;
use icsched_ir::{BlockId, EntityId as _, IntPredicate, LoopForest, Op, Operand, ProgramPoint, Terminator};
use icsched_pointsto::InstanceId;

use super::idiom::{Idiom, Inputs, Invariants, Threads};
use crate::context::ThreadContext;
use crate::creations::Creation;
use crate::patterns::counted::counted;
use crate::patterns::generations::joined;
use crate::state::{Relation, RelationKind};
use crate::symbol::{FrameIndex, Symbol};
use crate::view::ProgramView;

/// Finds what follows from all threads being in the context.
#[derive(Default)]
pub(crate) struct AllPresent;

impl Idiom for AllPresent {
    fn recognise(&mut self, inputs: &mut Inputs<'_, '_, '_>, threads: &Threads<'_>, found: &mut Invariants) {
        if !threads.context.none_ended {
            return;
        }
        // So many threads may wait at barriers, and never do more than these expect; 0 if that is not known.
        let waiting = found.least_expected;
        let view = &mut inputs.reaching.view;
        let creations = std::rc::Rc::clone(&view.creations);
        for (thread, ways) in threads.walks.iter().enumerate() {
            let [walk] = &ways[..] else { continue };
            let frames = walk.chain.iter().zip(&threads.context.threads[thread].stack.0).zip(0..);
            for ((&instance, &point), frame) in frames {
                for creation in creations.all.iter().filter(|c| c.from == instance) {
                    if !has_created_all(view, creation, point) {
                        continue;
                    }
                    if is_alone_at_barriers(view, creation, threads, waiting) {
                        found.most_expected = Some(waiting);
                    }
                    found.relations.extend(first_join(view, creation, point, thread, frame));
                }
            }
        }
    }
}

/// Whether a function at this point has created all threads that a loop creates.
fn has_created_all(view: &mut ProgramView<'_, '_>, creation: &Creation, point: ProgramPoint) -> bool {
    let func = view.points_to.instances()[creation.from].func;
    let (structure, function) = (view.structure(func), &view.program.functions[func]);
    let loops = LoopForest::new(&structure.cfg);
    let Some(id) = loops.innermost(creation.at.block) else { return false };
    let around = loops.get(id);
    if counted(view, func, around).is_none() {
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

/// Whether the threads of a loop, and `main` if the loop leaves one out, are all that wait at barriers, and in the
/// context.
fn is_alone_at_barriers(
    view: &mut ProgramView<'_, '_>,
    creation: &Creation,
    threads: &Threads<'_>,
    waiting: u64,
) -> bool {
    let arrives = |view: &ProgramView<'_, '_>, i: InstanceId| view.interference.may_arrive(i);
    let creations = std::rc::Rc::clone(&view.creations);
    let mut of_waiting = creations.all.iter().filter(|c| c.starts.iter().any(|&i| arrives(view, i)));
    let is_only = of_waiting.all(|c| c.from == creation.from && c.at == creation.at);
    let main = view.program.main;
    let main_waits = main.and_then(|f| view.points_to.shared_instance(f)).is_some_and(|i| arrives(view, i));
    let is_main = |t: &ThreadContext| t.complete && t.stack.0.first().map(|p| p.func) == main;
    let main_is_there = threads.context.threads.iter().any(is_main);
    // What a thread of which only inner frames are known may do later is not.
    let all_counted = threads.context.threads.iter().zip(threads.walks).all(|(thread, ways)| {
        thread.complete || !ways.is_empty() && ways.iter().all(|walk| arrives(view, walk.chain[0]))
    });
    let func = view.points_to.instances()[creation.from].func;
    let structure = view.structure(func);
    let loops = LoopForest::new(&structure.cfg);
    let Some(id) = loops.innermost(creation.at.block) else { return false };
    let Some(counted) = counted(view, func, loops.get(id)) else { return false };
    waiting > 0
        && is_only
        && all_counted
        && counted.is_variable()
        && counted.start == u64::from(main_waits)
        && (!main_waits || main_is_there)
}

/// That the loop that joins a creation's threads is in its first iteration, if the point is a join of it.
fn first_join(
    view: &mut ProgramView<'_, '_>,
    creation: &Creation,
    point: ProgramPoint,
    thread: usize,
    frame: FrameIndex,
) -> Option<Relation> {
    let joined = joined(view, creation)?;
    if joined.at != point {
        return None;
    }
    let width = view.program.functions[point.func].values[joined.counter].ty.bits();
    let counter = view.pool.symbol(Symbol::new(frame, joined.counter), width);
    let start = view.pool.constant(width, joined.start);
    Some(Relation { kind: RelationKind::Equal, a: (thread, counter), b: (thread, start) })
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

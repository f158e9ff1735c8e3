//! Registers that are equal between threads because barriers keep them in step, in loops of any kind (Bergan 2.5.4).
//!
//! Two threads are in the same phase of a barrier. They are followed from where they were last known to be
//! [in step](self::agreement):
//!
//! - the start of a function, if each thread gets there once and has arrived equally often by then, or
//! - a wait that each was at last, if it has arrived equally often since.
//!
//! A register that is the same at each execution of its definition is equal now. The exception is a register whose
//! definition one thread may have executed once more without arriving. `docs/internals/dataflow.md` has the argument.

mod agreement;
mod free;
mod same;
mod way;

use icsched_ir::{BlockId, Definition, EntityId as _, Op, ProgramPoint, ValueId};
use icsched_pointsto::InstanceId;
use rustc_hash::{FxHashMap, FxHashSet};

use self::agreement::{Agreement, Agreements, Start};
use self::free::FreeWays;
use self::same::{same_inside, same_params};
use self::way::{Equal, Same, Way};
use super::idiom::{Idiom, Inputs, Invariants, Threads};
use crate::barriers::arrivals::waits_once;
use crate::code::operation;
use crate::context::{Status, ThreadContext};
use crate::icfg::EdgeKind;
use crate::reaching::walk::Walk;
use crate::state::{Relation, RelationKind};
use crate::symbol::{FrameIndex, Symbol};

/// Finds registers that are equal because two threads are in step.
#[derive(Default)]
pub(crate) struct InStep {
    /// What is the same for threads in step, where that was asked.
    agreements: Agreements,
    free: FreeWays,
}

impl Idiom for InStep {
    fn recognise(&mut self, inputs: &mut Inputs<'_, '_, '_>, threads: &Threads<'_>, found: &mut Invariants) {
        let is_one = threads.walks.len() < 2;
        if is_one || inputs.barriers.only(inputs.reaching).is_none() || !inputs.barriers.is_for_all(inputs.reaching) {
            return;
        }
        let mut relations = Vec::new();
        let stacks = &threads.context.threads;
        for (a, one) in threads.walks.iter().enumerate() {
            for (b, other) in threads.walks.iter().enumerate().skip(a + 1) {
                if let ([one], [other]) = (&one[..], &other[..]) {
                    let known = Equal::between(&found.relations, (a, b));
                    relations.extend(self.aligned(inputs, [(a, &stacks[a], one), (b, &stacks[b], other)], &known));
                }
            }
        }
        relations.into_iter().for_each(|relation| found.relate(relation));
    }
}

impl InStep {
    /// What is equal between two threads of a context, whose waits are all at one barrier that expects all of them.
    fn aligned(
        &mut self,
        inputs: &mut Inputs<'_, '_, '_>,
        threads: [(usize, &ThreadContext, &Walk); 2],
        known: &Equal,
    ) -> Vec<Relation> {
        let Some(ways) = Self::common(inputs, threads) else { return Vec::new() };
        let mut equal = self.equal_since_start(inputs, &ways, known);
        for register in self.equal_since_wait(inputs, &ways, known) {
            if !equal.contains(&register) {
                equal.push(register);
            }
        }
        let mut relations = Vec::new();
        for (depth, same) in equal {
            let [a, b] = [0, 1].map(|side: usize| {
                let frame = FrameIndex::try_from(ways[side].first + depth).expect("stacks are short");
                let e = match same {
                    Same::Register(value) => {
                        let func = ways[side].frames[depth].1.func;
                        let width = inputs.reaching.view.program.functions[func].values[value].ty.bits();
                        let known = ways[side].walk.solutions[ways[side].first + depth].register(value);
                        known.unwrap_or_else(|| inputs.reaching.view.pool.symbol(Symbol::new(frame, value), width))
                    }
                    Same::Inside(symbol, width) => inputs.reaching.view.pool.symbol(Symbol { frame, ..symbol }, width),
                };
                (threads[side].0, e)
            });
            relations.push(Relation { kind: RelationKind::Equal, a, b });
        }
        relations
    }

    /// The frames of both threads from the first instance that they have in common; `None` if it is not known in which
    /// phase they are.
    fn common<'w>(
        inputs: &mut Inputs<'_, '_, '_>,
        threads: [(usize, &ThreadContext, &'w Walk); 2],
    ) -> Option<[Way<'w>; 2]> {
        let mut stacks: Vec<Vec<(InstanceId, ProgramPoint)>> = Vec::new();
        for (_, thread, walk) in threads {
            let mut frames: Vec<_> = walk.chain.iter().copied().zip(thread.stack.0.iter().copied()).collect();
            let wait = (1..frames.len()).find(|&at| waits_once(&mut inputs.reaching.view, frames[at].0));
            if let Some(wait) = wait {
                // It stands at the call and has not passed, if it waits; else it may have.
                (thread.status == Status::Waiting).then_some(())?;
                frames.truncate(wait);
            }
            stacks.push(frames);
        }
        let pairs = (0..stacks[0].len()).flat_map(|a| (0..stacks[1].len()).map(move |b| (a, b)));
        let (a, b) = pairs.into_iter().find(|&(a, b)| stacks[0][a].0 == stacks[1][b].0)?;
        let second = stacks.pop()?.split_off(b);
        let first = stacks.pop()?.split_off(a);
        let [(.., one), (.., other)] = threads;
        Some([Way { first: a, frames: first, walk: one }, Way { first: b, frames: second, walk: other }])
    }

    /// How many frames both are in at the same instance, each called at the same point.
    fn shared_depth(ways: &[Way<'_>; 2], from: usize) -> usize {
        let mut depth = from;
        loop {
            let (a, b) = (ways[0].frames.get(depth), ways[1].frames.get(depth));
            match (a, b) {
                (Some(a), Some(b)) if a.0 == b.0 => depth += 1,
                _ => return depth,
            }
            if ways[0].frames[depth - 1].1 != ways[1].frames[depth - 1].1 {
                return depth;
            }
        }
    }

    /// What is equal if the threads have been in step since they came to the first frame.
    fn equal_since_start(
        &mut self,
        inputs: &mut Inputs<'_, '_, '_>,
        ways: &[Way<'_>; 2],
        known: &Equal,
    ) -> Vec<(usize, Same)> {
        let instance = ways[0].frames[0].0;
        if self.entered_once(inputs, instance, &mut FxHashSet::default()).is_none() {
            return Vec::new();
        }
        let params = same_params(&mut inputs.reaching.view, ways, 0, known);
        self.equal_registers(inputs, ways, 0, Start { instance, behind: None, params, quiet: false })
    }

    /// What is equal if the threads have been in step since a wait that both were at last.
    fn equal_since_wait(
        &mut self,
        inputs: &mut Inputs<'_, '_, '_>,
        ways: &[Way<'_>; 2],
        known: &Equal,
    ) -> Vec<(usize, Same)> {
        for depth in 0..Self::shared_depth(ways, 0) {
            let (instance, _) = ways[0].frames[depth];
            let mut waits = self.waits_before(inputs, instance, [ways[0].frames[depth].1, ways[1].frames[depth].1]);
            let structure = inputs.reaching.view.structure(ways[0].frames[depth].1.func);
            waits.sort_by_key(|at| (structure.dominators.chain(at.block).count(), at.inst));
            for wait in waits {
                let since = [0, 1].map(|side: usize| self.arrivals_since(inputs, &ways[side], depth, wait));
                if since[0].is_some() && since[0] == since[1] {
                    let params = same_params(&mut inputs.reaching.view, ways, depth, known);
                    let start = Start { instance, behind: Some(wait), params, quiet: true };
                    return self.equal_registers(inputs, ways, depth, start);
                }
            }
        }
        Vec::new()
    }

    /// The waits of an instance that control was at on all ways to both points.
    fn waits_before(
        &mut self,
        inputs: &mut Inputs<'_, '_, '_>,
        instance: InstanceId,
        points: [ProgramPoint; 2],
    ) -> Vec<ProgramPoint> {
        let structure = inputs.reaching.view.structure(points[0].func);
        let edges: Vec<_> = inputs.reaching.view.icfg.edges(instance).to_vec();
        let mut found = Vec::new();
        for edge in edges.into_iter().filter(|e| points.iter().all(|&p| structure.is_before(e.at, p))) {
            let alone = inputs.reaching.view.points_to.callees(instance, edge.at).len() == 1;
            if alone && edge.kind == EdgeKind::Call && waits_once(&mut inputs.reaching.view, edge.to) {
                found.push(edge.at);
            }
        }
        found
    }

    /// How often a thread has arrived since it was last behind a wait in one of its frames, if that is one number for
    /// all ways.
    fn arrivals_since(
        &mut self,
        inputs: &mut Inputs<'_, '_, '_>,
        way: &Way<'_>,
        depth: usize,
        wait: ProgramPoint,
    ) -> Option<u64> {
        let mut sum = 0;
        let mut from = (wait.block, wait.inst as usize + 1);
        for &(instance, at) in &way.frames[depth..] {
            if inputs.reaching.view.interference.may_return_twice(instance) {
                return None;
            }
            sum += self.arrivals_between(inputs, instance, from, at)?;
            from = (BlockId::from_index(0), 0);
        }
        Some(sum)
    }

    /// The arrivals from a point of an instance to another one that it dominates, if that is one number for all ways
    /// that do not come back to the first.
    fn arrivals_between(
        &mut self,
        inputs: &mut Inputs<'_, '_, '_>,
        instance: InstanceId,
        from: (BlockId, usize),
        to: ProgramPoint,
    ) -> Option<u64> {
        if !inputs.reaching.view.interference.may_arrive(instance) {
            return Some(0);
        }
        let func = to.func;
        let in_block =
            inputs.barriers.arrivals.block_count(&mut inputs.reaching.view, instance, to.block, to.inst as usize)?;
        if to.block == from.0 {
            return in_block.checked_sub(inputs.barriers.arrivals.block_count(
                &mut inputs.reaching.view,
                instance,
                from.0,
                from.1,
            )?);
        }
        let structure = inputs.reaching.view.structure(func);
        let mut before: FxHashMap<BlockId, u64> = FxHashMap::default();
        let mut work = vec![from.0];
        while let Some(block) = work.pop() {
            let is_first = block == from.0;
            let end = inputs.reaching.view.program.functions[func].blocks[block].insts.len();
            let skipped = if is_first {
                inputs.barriers.arrivals.block_count(&mut inputs.reaching.view, instance, block, from.1)?
            } else {
                0
            };
            let start = if is_first { 0 } else { before[&block] };
            let next: Vec<BlockId> = structure.cfg.successors(block).iter().copied().filter(|&b| b != from.0).collect();
            // What cannot get to the point does not matter.
            let next: Vec<BlockId> = next
                .into_iter()
                .filter(|&b| structure.dominators.dominates(from.0, b) && reaches(&structure.cfg, b, to.block, from.0))
                .collect();
            if next.is_empty() {
                continue;
            }
            let sum = start + inputs.barriers.arrivals.block_count(&mut inputs.reaching.view, instance, block, end)?
                - skipped;
            for block in next {
                match before.get(&block) {
                    Some(&known) if known != sum => return None,
                    Some(_) => {}
                    None => {
                        before.insert(block, sum);
                        work.push(block);
                    }
                }
            }
        }
        Some(before.get(&to.block)? + in_block)
    }

    /// What is equal at the threads' points if they are in step at `start` in the frame `depth`.
    fn equal_registers(
        &mut self,
        inputs: &mut Inputs<'_, '_, '_>,
        ways: &[Way<'_>; 2],
        depth: usize,
        start: Start,
    ) -> Vec<(usize, Same)> {
        let mut equal = Vec::new();
        let mut start = start;
        for at in depth..Self::shared_depth(ways, depth) {
            let points = [ways[0].frames[at].1, ways[1].frames[at].1];
            let Some(found) = self.agreements.find(inputs, &start, 0) else { break };
            if !points.iter().all(|&p| found.is_in_step(p)) {
                break;
            }
            for value in self.same_registers(inputs, ways, at, &found, start.behind) {
                equal.push((at, Same::Register(value)));
            }
            for (symbol, width) in same_inside(&mut inputs.reaching.view, &mut self.free, ways, at, &found) {
                equal.push((at, Same::Inside(symbol, width)));
            }
            let is_called_again = [(0, 1), (1, 0)]
                .iter()
                .any(|&(a, b)| self.free.comes_back(&mut inputs.reaching.view, ways, (a, b), at, None));
            let next = ways[0].frames.get(at + 1);
            let (Some(&(instance, _)), true) = (next, points[0] == points[1] && found.is_together(points[0])) else {
                break;
            };
            if is_called_again {
                break;
            }
            let Some(Op::Call { args, .. }) = operation(inputs.reaching.view.program, points[0]) else { break };
            let params = args.iter().map(|&arg| found.is_same_operand(inputs.reaching.view.program, arg)).collect();
            start = Start { instance, behind: None, params, quiet: found.is_quiet(points[0]) };
        }
        equal
    }

    /// The registers of a frame that are the same in both threads.
    fn same_registers(
        &mut self,
        inputs: &mut Inputs<'_, '_, '_>,
        ways: &[Way<'_>; 2],
        at: usize,
        found: &Agreement,
        behind: Option<ProgramPoint>,
    ) -> Vec<ValueId> {
        let points = [ways[0].frames[at].1, ways[1].frames[at].1];
        let function = &inputs.reaching.view.program.functions[points[0].func];
        let structure = inputs.reaching.view.structure(points[0].func);
        let mut same = Vec::new();
        for (value, data) in function.values.iter() {
            let is_number = matches!(data.ty, icsched_ir::Type::Int(_) | icsched_ir::Type::Ptr);
            let is_defined = points.iter().all(|p| structure.is_defined_at(value, p.block, p.inst as usize));
            // What is computed from others is as equal as these, if they are defined here.
            let is_own = ways.iter().all(|w| {
                let known = w.walk.solutions[w.first + at].register(value);
                known.is_none_or(|e| {
                    let is_inside = inputs.reaching.view.pool.as_symbol(e).is_some_and(|s| s.inside.is_some());
                    is_inside || !inputs.reaching.view.pool.symbols(e).iter().all(|s| w.is_seen(&structure, at, s))
                })
            });
            if !is_number || !is_defined || !is_own || !found.is_same(value) {
                continue;
            }
            let definition = match structure.definition(value) {
                Some(Definition::Argument(_)) if behind.is_none() => None,
                Some(Definition::Parameter(block, _)) => Some((block, 0)),
                Some(Definition::Inst(block, index)) => Some((block, index)),
                Some(Definition::Argument(_)) | None => continue,
            };
            let goes_on = definition.is_some_and(|definition| {
                [(0, 1), (1, 0)]
                    .iter()
                    .any(|&sides| self.free.comes_back(&mut inputs.reaching.view, ways, sides, at, Some(definition)))
            });
            if !goes_on {
                same.push(value);
            }
        }
        same
    }

    /// Whether each thread starts an instance at most once, and how often it has arrived then; with the first functions
    /// of the threads that do.
    fn entered_once(
        &mut self,
        inputs: &mut Inputs<'_, '_, '_>,
        instance: InstanceId,
        seen: &mut FxHashSet<InstanceId>,
    ) -> Option<(u64, FxHashSet<InstanceId>)> {
        let is_from_outside = inputs.reaching.view.points_to.called_from_outside().any(|i| i == instance);
        if is_from_outside || inputs.reaching.view.interference.may_return_twice(instance) || !seen.insert(instance) {
            return None;
        }
        let main = inputs.reaching.view.program.main.and_then(|f| inputs.reaching.view.points_to.shared_instance(f));
        let mut all: Option<u64> = None;
        let mut roots: FxHashSet<InstanceId> = FxHashSet::default();
        let mut add = |count: u64, from: FxHashSet<InstanceId>| {
            let is_new = from.iter().all(|&root| roots.insert(root));
            (is_new && *all.get_or_insert(count) == count).then_some(())
        };
        if main == Some(instance) {
            add(0, FxHashSet::from_iter([instance]))?;
        }
        let incoming: Vec<_> = inputs.reaching.view.icfg.incoming(instance).collect();
        let is_created = incoming.iter().any(|(_, e)| e.kind == EdgeKind::Create);
        if is_created {
            add(0, FxHashSet::from_iter([instance]))?;
        }
        for (caller, edge) in incoming {
            match edge.kind {
                EdgeKind::Create => {}
                EdgeKind::Interrupt => return None,
                EdgeKind::Call => {
                    let loops = icsched_ir::LoopForest::new(&inputs.reaching.view.structure(edge.at.func).cfg);
                    let alone = loops.innermost(edge.at.block).is_none();
                    // A thread of a model that starts threads calls one function.
                    let starts = inputs.reaching.view.creations.replaces(caller, edge.at);
                    let (count, None) =
                        inputs.barriers.arrivals.count_to(&mut inputs.reaching.view, caller, edge.at)?
                    else {
                        return None;
                    };
                    let (before, from) = self.entered_once(inputs, caller, seen)?;
                    (alone || starts).then_some(())?;
                    add(before + count, from)?;
                }
            }
        }
        seen.remove(&instance);
        Some((all?, roots))
    }
}

/// Whether control may get from one block to another one without `avoided`.
fn reaches(cfg: &icsched_ir::Cfg, from: BlockId, to: BlockId, avoided: BlockId) -> bool {
    let mut seen: FxHashSet<BlockId> = FxHashSet::default();
    let mut work = vec![from];
    while let Some(block) = work.pop() {
        if block == to {
            return true;
        }
        if block != avoided && seen.insert(block) {
            work.extend(cfg.successors(block));
        }
    }
    false
}

//! Registers that are equal between threads because barriers keep them in step, in loops of any kind (Bergan 2.5.4).
//!
//! Two threads that are in the same phase of a barrier are followed from where they were last known to be [in step](crate::agreement): from
//! the start of a function, if each thread gets there once and has arrived equally often by then; or from a wait that each was at last, if it
//! has arrived equally often since. A register that is the same at each execution of its definition is equal now, unless one thread
//! may have gone on to the next execution without arriving. `docs/dataflow.md` has the argument.

use icsched_ir::{BlockId, Definition, EntityId as _, Op, ProgramPoint, ValueId};
use icsched_pointsto::InstanceId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::agreement::{Agreement, Start};
use crate::analysis::{Analysis, Structure};
use crate::context::{Status, ThreadContext, operation};
use crate::definitions::Walk;
use crate::icfg::{EdgeKind, point};
use crate::same::{Equal, Same};
use crate::state::{Relation, RelationKind};
use crate::symbol::{FrameIndex, Symbol};

/// One thread's frames from the outermost that both have in common, down to where it waits or runs.
pub(crate) struct Way<'w> {
    /// The first frame's position in the thread's stack.
    pub(crate) first: usize,
    pub(crate) frames: Vec<(InstanceId, ProgramPoint)>,
    pub(crate) walk: &'w Walk,
}

impl Way<'_> {
    /// Whether a symbol is of another frame than this, or a register that is defined where the thread is.
    fn is_seen(&self, structure: &Structure, depth: usize, symbol: &Symbol) -> bool {
        let is_here = symbol.frame as usize == self.first + depth;
        let point = self.frames[depth].1;
        let is_defined = |value| structure.is_defined_at(value, point.block, point.inst as usize);
        !is_here || symbol.own_register().is_none_or(is_defined)
    }

    fn is_last(&self, depth: usize) -> bool {
        depth + 1 == self.frames.len()
    }
}

/// How far control gets without arriving: per block that it gets to the start of, the index of the instruction that arrives.
type Free = FxHashMap<BlockId, usize>;

impl Analysis<'_, '_> {
    /// What is equal between two threads of a context, whose waits are all at one barrier that expects all of them.
    pub(crate) fn aligned(&mut self, threads: [(usize, &ThreadContext, &Walk); 2], known: &Equal) -> Vec<Relation> {
        let Some(ways) = self.common(threads) else { return Vec::new() };
        let mut equal = self.equal_since_start(&ways, known);
        for register in self.equal_since_wait(&ways, known) {
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
                        let width = self.program.functions[func].values[value].ty.bits();
                        let known = ways[side].walk.solutions[ways[side].first + depth].register(value);
                        known.unwrap_or_else(|| self.pool.symbol(Symbol::new(frame, value), width))
                    }
                    Same::Inside(symbol, width) => self.pool.symbol(Symbol { frame, ..symbol }, width),
                };
                (threads[side].0, e)
            });
            relations.push(Relation { kind: RelationKind::Equal, a, b });
        }
        relations
    }

    /// The frames of both threads from the first instance that they have in common; `None` if it is not known in which phase they are.
    fn common<'w>(&mut self, threads: [(usize, &ThreadContext, &'w Walk); 2]) -> Option<[Way<'w>; 2]> {
        let mut stacks: Vec<Vec<(InstanceId, ProgramPoint)>> = Vec::new();
        for (_, thread, walk) in threads {
            let mut frames: Vec<_> = walk.chain.iter().copied().zip(thread.stack.0.iter().copied()).collect();
            let wait = (1..frames.len()).find(|&at| self.waits_once(frames[at].0));
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
    fn equal_since_start(&mut self, ways: &[Way<'_>; 2], known: &Equal) -> Vec<(usize, Same)> {
        let instance = ways[0].frames[0].0;
        if self.entered_once(instance, &mut FxHashSet::default()).is_none() {
            return Vec::new();
        }
        let params = self.same_params(ways, 0, known);
        self.equal_registers(ways, 0, Start { instance, behind: None, params, quiet: false })
    }

    /// What is equal if the threads have been in step since a wait that both were at last.
    fn equal_since_wait(&mut self, ways: &[Way<'_>; 2], known: &Equal) -> Vec<(usize, Same)> {
        for depth in 0..Self::shared_depth(ways, 0) {
            let (instance, _) = ways[0].frames[depth];
            let mut waits = self.waits_before(instance, [ways[0].frames[depth].1, ways[1].frames[depth].1]);
            let structure = self.structure(ways[0].frames[depth].1.func);
            waits.sort_by_key(|at| (structure.dominators.chain(at.block).count(), at.inst));
            for wait in waits {
                let since = [0, 1].map(|side: usize| self.arrivals_since(&ways[side], depth, wait));
                if since[0].is_some() && since[0] == since[1] {
                    let params = self.same_params(ways, depth, known);
                    let start = Start { instance, behind: Some(wait), params, quiet: true };
                    return self.equal_registers(ways, depth, start);
                }
            }
        }
        Vec::new()
    }

    /// The waits of an instance that control was at on all ways to both points.
    fn waits_before(&mut self, instance: InstanceId, points: [ProgramPoint; 2]) -> Vec<ProgramPoint> {
        let structure = self.structure(points[0].func);
        let edges: Vec<_> = self.icfg.edges(instance).to_vec();
        let mut found = Vec::new();
        for edge in edges.into_iter().filter(|e| points.iter().all(|&p| structure.is_before(e.at, p))) {
            let alone = self.points_to.callees(instance, edge.at).len() == 1;
            if alone && edge.kind == EdgeKind::Call && self.waits_once(edge.to) {
                found.push(edge.at);
            }
        }
        found
    }

    /// How often a thread has arrived since it was last behind a wait in one of its frames, if that is one number for all ways.
    fn arrivals_since(&mut self, way: &Way<'_>, depth: usize, wait: ProgramPoint) -> Option<u64> {
        let mut sum = 0;
        let mut from = (wait.block, wait.inst as usize + 1);
        for &(instance, at) in &way.frames[depth..] {
            if self.interference.may_return_twice(instance) {
                return None;
            }
            sum += self.arrivals_between(instance, from, at)?;
            from = (BlockId::from_index(0), 0);
        }
        Some(sum)
    }

    /// The arrivals from a point of an instance to another one that it dominates, if that is one number for all ways that do not come back to the
    /// first.
    fn arrivals_between(&mut self, instance: InstanceId, from: (BlockId, usize), to: ProgramPoint) -> Option<u64> {
        if !self.interference.may_arrive(instance) {
            return Some(0);
        }
        let func = to.func;
        let in_block = self.block_count(instance, to.block, to.inst as usize)?;
        if to.block == from.0 {
            return in_block.checked_sub(self.block_count(instance, from.0, from.1)?);
        }
        let structure = self.structure(func);
        let mut before: FxHashMap<BlockId, u64> = FxHashMap::default();
        let mut work = vec![from.0];
        while let Some(block) = work.pop() {
            let is_first = block == from.0;
            let end = self.program.functions[func].blocks[block].insts.len();
            let skipped = if is_first { self.block_count(instance, block, from.1)? } else { 0 };
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
            let sum = start + self.block_count(instance, block, end)? - skipped;
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
    fn equal_registers(&mut self, ways: &[Way<'_>; 2], depth: usize, start: Start) -> Vec<(usize, Same)> {
        let mut equal = Vec::new();
        let mut start = start;
        for at in depth..Self::shared_depth(ways, depth) {
            let points = [ways[0].frames[at].1, ways[1].frames[at].1];
            let Some(found) = self.agreement(&start, 0) else { break };
            if !points.iter().all(|&p| found.is_in_step(p)) {
                break;
            }
            for value in self.same_registers(ways, at, &found, start.behind) {
                equal.push((at, Same::Register(value)));
            }
            for (symbol, width) in self.same_inside(ways, at, &found) {
                equal.push((at, Same::Inside(symbol, width)));
            }
            let is_called_again = [(0, 1), (1, 0)].iter().any(|&(a, b)| self.comes_back(ways, (a, b), at, None));
            let next = ways[0].frames.get(at + 1);
            let (Some(&(instance, _)), true) = (next, points[0] == points[1] && found.is_together(points[0])) else {
                break;
            };
            if is_called_again {
                break;
            }
            let Some(Op::Call { args, .. }) = operation(self.program, points[0]) else { break };
            let params = args.iter().map(|&arg| found.is_same_operand(self.program, arg)).collect();
            start = Start { instance, behind: None, params, quiet: found.is_quiet(points[0]) };
        }
        equal
    }

    /// The registers of a frame that are the same in both threads.
    fn same_registers(
        &mut self,
        ways: &[Way<'_>; 2],
        at: usize,
        found: &Agreement,
        behind: Option<ProgramPoint>,
    ) -> Vec<ValueId> {
        let points = [ways[0].frames[at].1, ways[1].frames[at].1];
        let function = &self.program.functions[points[0].func];
        let structure = self.structure(points[0].func);
        let mut same = Vec::new();
        for (value, data) in function.values.iter() {
            let is_number = matches!(data.ty, icsched_ir::Type::Int(_) | icsched_ir::Type::Ptr);
            let is_defined = points.iter().all(|p| structure.is_defined_at(value, p.block, p.inst as usize));
            // What is computed from others is as equal as these, if they are defined here.
            let is_own = ways.iter().all(|w| {
                let known = w.walk.solutions[w.first + at].register(value);
                known.is_none_or(|e| {
                    let is_inside = self.pool.as_symbol(e).is_some_and(|s| s.inside.is_some());
                    is_inside || !self.pool.symbols(e).iter().all(|s| w.is_seen(&structure, at, s))
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
                [(0, 1), (1, 0)].iter().any(|&sides| self.comes_back(ways, sides, at, Some(definition)))
            });
            if !goes_on {
                same.push(value);
            }
        }
        same
    }

    /// Whether one thread may go on, without arriving, to where the other one is; by way of a definition in the frame `at`, or of its call there.
    pub(crate) fn comes_back(
        &mut self,
        ways: &[Way<'_>; 2],
        (from, to): (usize, usize),
        at: usize,
        through: Option<(BlockId, usize)>,
    ) -> bool {
        let (one, other) = (&ways[from], &ways[to]);
        for (depth, &(instance, point)) in one.frames.iter().enumerate().skip(at + 1).rev() {
            let start = point.inst as usize + usize::from(!one.is_last(depth));
            if !self.returns_free(instance, point.block, start) {
                return false;
            }
        }
        let (instance, point) = one.frames[at];
        let start = (point.block, point.inst as usize + usize::from(!one.is_last(at)));
        let target = other.frames[at].1;
        let target = (target.block, target.inst as usize);
        let free = match through {
            Some(through) => self.gets_to(instance, start, through) && self.gets_to(instance, through, target),
            None => self.gets_to(instance, start, target),
        };
        free && other.frames[at + 1..].iter().all(|&(instance, point)| {
            self.gets_to(instance, (BlockId::from_index(0), 0), (point.block, point.inst as usize))
        })
    }

    /// Whether control may get from in front of one instruction to in front of another one without arriving in between.
    fn gets_to(&mut self, instance: InstanceId, from: (BlockId, usize), to: (BlockId, usize)) -> bool {
        let (first, reached) = self.free_from(instance, from);
        from.0 == to.0 && from.1 <= to.1 && to.1 <= first || reached.get(&to.0).is_some_and(|&end| to.1 <= end)
    }

    /// Whether control may return without arriving.
    fn returns_free(&mut self, instance: InstanceId, block: BlockId, index: usize) -> bool {
        let func = self.points_to.instances()[instance].func;
        let function = &self.program.functions[func];
        let (first, reached) = self.free_from(instance, (block, index));
        let ends = |b: BlockId, end: usize| {
            let body = &function.blocks[b];
            crate::context::returned(&body.terminator).is_some() && end >= body.insts.len()
        };
        ends(block, first) || reached.iter().any(|(&b, &end)| ends(b, end))
    }

    /// How far control gets from a point without arriving: in its block, and in those behind.
    fn free_from(&mut self, instance: InstanceId, (block, index): (BlockId, usize)) -> (usize, Free) {
        let func = self.points_to.instances()[instance].func;
        let structure = self.structure(func);
        let mut reached = Free::default();
        let first = self.free_end(instance, block, index);
        let length = |b: BlockId| self.program.functions[func].blocks[b].insts.len();
        let mut work: Vec<BlockId> = Vec::new();
        if first >= length(block) {
            work.extend(structure.cfg.successors(block));
        }
        while let Some(block) = work.pop() {
            if reached.contains_key(&block) {
                continue;
            }
            let end = self.free_end(instance, block, 0);
            reached.insert(block, end);
            if end >= self.program.functions[func].blocks[block].insts.len() {
                work.extend(structure.cfg.successors(block));
            }
        }
        (first, reached)
    }

    /// The first instruction of a block from `index` on that always arrives, or the block's end.
    fn free_end(&mut self, instance: InstanceId, block: BlockId, index: usize) -> usize {
        let func = self.points_to.instances()[instance].func;
        let end = self.program.functions[func].blocks[block].insts.len();
        (index..end).find(|&i| self.always_arrives_at(instance, point(func, block, i))).unwrap_or(end)
    }

    fn always_arrives_at(&mut self, instance: InstanceId, at: ProgramPoint) -> bool {
        let points_to = self.points_to;
        let callees = points_to.callees(instance, at);
        let is_call = matches!(self.icfg.edge_kind(instance, at), Some(EdgeKind::Call));
        is_call && !callees.is_empty() && callees.iter().all(|&callee| self.always_arrives(callee))
    }

    /// Whether no call of an instance returns without having arrived.
    fn always_arrives(&mut self, instance: InstanceId) -> bool {
        if !self.interference.may_arrive(instance) || self.waits_once(instance) {
            return self.interference.may_arrive(instance);
        }
        if let Some(&known) = self.always_arrives.get(&instance) {
            return known;
        }
        self.always_arrives.insert(instance, false);
        let found = !self.returns_free(instance, BlockId::from_index(0), 0);
        self.always_arrives.insert(instance, found);
        found
    }

    /// Whether each thread starts an instance at most once, and how often it has arrived then; with the first functions of the threads that do.
    fn entered_once(
        &mut self,
        instance: InstanceId,
        seen: &mut FxHashSet<InstanceId>,
    ) -> Option<(u64, FxHashSet<InstanceId>)> {
        let is_from_outside = self.points_to.called_from_outside().any(|i| i == instance);
        if is_from_outside || self.interference.may_return_twice(instance) || !seen.insert(instance) {
            return None;
        }
        let main = self.program.main.and_then(|f| self.points_to.shared_instance(f));
        let mut all: Option<u64> = None;
        let mut roots: FxHashSet<InstanceId> = FxHashSet::default();
        let mut add = |count: u64, from: FxHashSet<InstanceId>| {
            let is_new = from.iter().all(|&root| roots.insert(root));
            (is_new && *all.get_or_insert(count) == count).then_some(())
        };
        if main == Some(instance) {
            add(0, FxHashSet::from_iter([instance]))?;
        }
        let incoming: Vec<_> = self.icfg.incoming(instance).collect();
        let is_created = incoming.iter().any(|(_, e)| e.kind == EdgeKind::Create);
        if is_created {
            add(0, FxHashSet::from_iter([instance]))?;
        }
        for (caller, edge) in incoming {
            match edge.kind {
                EdgeKind::Create => {}
                EdgeKind::Interrupt => return None,
                EdgeKind::Call => {
                    let loops = icsched_ir::LoopForest::new(&self.structure(edge.at.func).cfg);
                    let alone = loops.innermost(edge.at.block).is_none();
                    // A thread of a model that starts threads calls one function.
                    let starts = self.creations.replaces(caller, edge.at);
                    let (count, None) = self.count_to(caller, edge.at)? else { return None };
                    let (before, from) = self.entered_once(caller, seen)?;
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

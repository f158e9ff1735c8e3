//! Barrier matching: threads in one loop around barriers are in the same iteration (Bergan 2.5.4).
//!
//! Y. Zhang, E. Duesterwald, "Barrier matching for programs with textually unaligned barriers" (2007), compare expressions of the barriers that
//! two threads pass. Deviation: threads' arrivals at one barrier are counted instead of listed; `docs/dataflow.md` has the argument. Where all
//! ways through some code arrive equally often, that number is its *count*; a thread in the k-th iteration of a loop with the count `c`
//! has arrived `before + c * k + inside` times.
//!
//! 1. A barrier is one variable, or behind one pointer variable, as for [counters](crate::counter); the same one at all waits of the code.
//! 2. Loops that are passed must not wait. (Zhang and Duesterwald, and Bergan, compare their trip counts.)
//! 3. One loop around the point, on the whole stack, waits in it.

use std::collections::BTreeMap;

use icsched_ir::{BlockId, Callee, Intrinsic, LoopForest, LoopId, Op, Operand, Origin, ProgramPoint, ValueId};
use icsched_pointsto::InstanceId;
use rustc_hash::FxHashSet;

use crate::analysis::Analysis;
use crate::context::{Status, ThreadContext, returned};
use crate::counter::Cell;
use crate::definitions::Walk;
use crate::expr::{FrameIndex, Symbol};
use crate::function::{Entry, Solver};
use crate::icfg::{EdgeKind, point};
use crate::place::Frames;
use crate::state::{BarrierCount, Count, Relation, RelationKind};

/// Where a thread is, in arrivals at one barrier.
struct Standing {
    barrier: Cell,
    frame: FrameIndex,
    instance: InstanceId,
    header: BlockId,
    /// Arrivals before the loop, of one iteration, and since the iteration has started.
    before: u64,
    each: u64,
    inside: u64,
    /// Whether it may have arrived once more, or not.
    between: bool,
    /// The header's parameters that are the same in the same iteration.
    registers: Vec<ValueId>,
}

impl Analysis<'_, '_> {
    /// What is equal between the threads of a context because barriers keep them in step.
    pub(crate) fn matched(&mut self, threads: &[ThreadContext], walks: &[Vec<Walk>]) -> Vec<Relation> {
        let mut standing: Vec<Option<Standing>> = Vec::new();
        for (thread, walks) in threads.iter().zip(walks) {
            let found = match &walks[..] {
                [walk] => self.standing(thread, walk),
                _ => None,
            };
            standing.push(found);
        }
        let mut relations = Vec::new();
        for (a, one) in standing.iter().enumerate() {
            for (b, other) in standing.iter().enumerate().skip(a + 1) {
                let (Some(one), Some(other)) = (one, other) else { continue };
                if !in_step(one, other) || !self.is_for_all(one.barrier) {
                    continue;
                }
                for &value in &one.registers {
                    let func = self.points_to.instances()[one.instance].func;
                    let width = self.program.functions[func].values[value].ty.bits();
                    let a = (a, self.pool.symbol(Symbol { frame: one.frame, value }, width));
                    let b = (b, self.pool.symbol(Symbol { frame: other.frame, value }, width));
                    relations.push(Relation { kind: RelationKind::Equal, a, b });
                }
            }
        }
        relations
    }

    /// Whether a barrier expects all threads that wait anywhere, and always did.
    fn is_for_all(&mut self, barrier: Cell) -> bool {
        let counts: Vec<BarrierCount> = self.barrier_counts();
        // Another entry could be for the same barrier.
        let [BarrierCount { count, .. }] = &counts[..] else { return false };
        let (Cell::Global(_) | Cell::Behind { .. }, count) = (barrier, *count);
        count != Count::Any && self.are_all_expected(count)
    }

    fn standing(&mut self, thread: &ThreadContext, walk: &Walk) -> Option<Standing> {
        let points = &thread.stack.0;
        let barrier = self.only_barrier()?;
        let mut before = if thread.complete { 0 } else { self.before_entry(walk.chain[0], &mut FxHashSet::default())? };
        let mut found: Option<Standing> = None;
        for ((&instance, &point), frame) in walk.chain.iter().zip(points).zip(0..) {
            let func = self.program.functions[point.func].origin;
            if func == Origin::Model && frame > 0 && self.waits_once(instance) {
                let last = found.as_mut()?;
                last.between = thread.status == Status::Running;
                break;
            }
            let (in_function, loops) = self.count_to(instance, point)?;
            match (&mut found, loops) {
                (Some(found), None) => found.inside += in_function,
                (None, None) => before += in_function,
                (None, Some((id, each, inside))) => {
                    found = Some(Standing {
                        barrier,
                        frame,
                        instance,
                        header: LoopForest::new(&self.structure(point.func).cfg).get(id).header,
                        before: before + in_function,
                        each,
                        inside,
                        between: false,
                        registers: self.in_step_registers(instance, id),
                    });
                }
                (Some(_), Some(_)) => return None,
            }
        }
        found
    }

    /// The barrier that all waits of the program are at.
    fn only_barrier(&mut self) -> Option<Cell> {
        if let Some(known) = self.only_barrier {
            return known;
        }
        let found = self.find_only_barrier();
        self.only_barrier = Some(found);
        found
    }

    fn find_only_barrier(&mut self) -> Option<Cell> {
        let mut only: Option<Cell> = None;
        for instance in self.points_to.instances().ids() {
            if self.waits_once(instance) {
                continue;
            }
            if !self.arrivals(instance).is_empty() {
                return None;
            }
            let edges: Vec<_> = self.icfg.edges(instance).to_vec();
            let waits: Vec<_> = edges.into_iter().filter(|e| self.waits_once(e.to)).collect();
            if waits.is_empty() {
                continue;
            }
            self.summarise_callees(&[instance]);
            let solution = Solver::new(self, Frames::Summary(instance)).solve(&Entry::default());
            let mut solver = Solver::resume(self, &solution);
            for edge in waits {
                let inst = &solver.function.blocks[edge.at.block].insts[edge.at.inst as usize];
                let Op::Call { args, .. } = &inst.op else { return None };
                let place = solver.place(*args.first()?, 1)?;
                let cell = solver.cell(place)?;
                if only.is_some_and(|known| known != cell) {
                    return None;
                }
                only = Some(cell);
            }
        }
        only
    }

    /// Where an instance itself arrives at barriers.
    fn arrivals(&self, instance: InstanceId) -> Vec<(BlockId, Operand)> {
        let function = &self.program.functions[self.points_to.instances()[instance].func];
        let blocks = function.blocks.iter();
        let of_block = |(id, body): (BlockId, &icsched_ir::Block)| {
            let args = body.insts.iter().filter_map(|inst| match &inst.op {
                Op::Call { callee: Callee::Intrinsic(Intrinsic::BarrierArrive), args } => Some((id, args[0])),
                _ => None,
            });
            args.collect::<Vec<_>>()
        };
        blocks.flat_map(of_block).collect()
    }

    /// Whether a model arrives at the barrier that it is given exactly once.
    fn waits_once(&mut self, instance: InstanceId) -> bool {
        let func = self.points_to.instances()[instance].func;
        let function = &self.program.functions[func];
        if function.origin != Origin::Model || !self.interference.may_arrive(instance) {
            return false;
        }
        let [(block, barrier)] = self.arrivals(instance)[..] else { return false };
        let structure = self.structure(func);
        let mut ends = function.blocks.iter().filter(|(_, b)| returned(&b.terminator).is_some());
        let is_first = function.params.first().is_some_and(|&p| barrier.value() == Some(p));
        let deeper = self.icfg.edges(instance).iter().any(|e| self.interference.may_arrive(e.to));
        is_first
            && !deeper
            && ends.all(|(end, _)| end == block || structure.dominators.strictly_dominates(block, end))
            && LoopForest::new(&structure.cfg).innermost(block).is_none()
    }

    /// How often a thread has arrived when an instance starts, whoever calls it; `None` if that differs.
    fn before_entry(&mut self, instance: InstanceId, seen: &mut FxHashSet<InstanceId>) -> Option<u64> {
        if !seen.insert(instance) || self.points_to.called_from_outside().any(|i| i == instance) {
            return None;
        }
        let main = self.program.main.and_then(|f| self.points_to.shared_instance(f));
        let mut all: Option<u64> = (main == Some(instance)).then_some(0);
        let incoming: Vec<_> = self.icfg.incoming(instance).collect();
        for (caller, edge) in incoming {
            let before = match edge.kind {
                EdgeKind::Create => 0,
                EdgeKind::Interrupt => return None,
                EdgeKind::Call => match self.count_to(caller, edge.at)? {
                    (count, None) => self.before_entry(caller, seen)? + count,
                    (_, Some(_)) => return None,
                },
            };
            if all.is_some_and(|known| known != before) {
                return None;
            }
            all = Some(before);
        }
        seen.remove(&instance);
        all
    }

    /// The arrivals from the start of an instance to a point, and of the loop around it that waits, if one does: its count, and
    /// the arrivals since the iteration has started. These are then not in the first number.
    #[allow(clippy::type_complexity, reason = "two numbers and what of a loop")]
    fn count_to(&mut self, instance: InstanceId, at: ProgramPoint) -> Option<(u64, Option<(LoopId, u64, u64)>)> {
        if !self.interference.may_arrive(instance) {
            return Some((0, None));
        }
        let structure = self.structure(at.func);
        let loops = LoopForest::new(&structure.cfg);
        let mut around: Vec<LoopId> = loops.around(at.block).collect();
        around.reverse();
        let mut sum = 0;
        let mut waiting: Option<(LoopId, u64, u64)> = None;
        let mut region: Option<LoopId> = None;
        for next in around.into_iter().map(Some).chain([None]) {
            let counts = self.counts(instance, region, &loops)?;
            let block = next.map_or(at.block, |id| loops.get(id).header);
            let mut here = *counts.get(&block)?;
            if next.is_none() {
                here += self.block_count(instance, block, at.inst as usize)?;
            }
            match &mut waiting {
                Some((.., inside)) => *inside += here,
                None => sum += here,
            }
            if let Some(id) = next {
                let each = self.iteration(instance, id, &loops)?;
                match (each, &waiting) {
                    (0, _) => {}
                    (_, None) => waiting = Some((id, each, 0)),
                    (_, Some(_)) => return None,
                }
                region = next;
            }
        }
        Some((sum, waiting))
    }

    /// The arrivals of a whole run of an instance.
    fn total(&mut self, instance: InstanceId) -> Option<u64> {
        if !self.interference.may_arrive(instance) {
            return Some(0);
        }
        if self.waits_once(instance) {
            return Some(1);
        }
        if let Some(known) = self.totals.get(&instance) {
            return *known;
        }
        // A function that calls itself has no number.
        self.totals.insert(instance, None);
        let total = self.find_total(instance);
        self.totals.insert(instance, total);
        total
    }

    fn find_total(&mut self, instance: InstanceId) -> Option<u64> {
        let func = self.points_to.instances()[instance].func;
        let function = &self.program.functions[func];
        let loops = LoopForest::new(&self.structure(func).cfg);
        let mut all: Option<u64> = None;
        for (block, body) in function.blocks.iter().filter(|(_, b)| returned(&b.terminator).is_some()) {
            let (count, waiting) = self.count_to(instance, point(func, block, body.insts.len()))?;
            if waiting.is_some() || all.is_some_and(|known| known != count) || loops.innermost(block).is_some() {
                return None;
            }
            all = Some(count);
        }
        all
    }

    /// The arrivals of one iteration.
    fn iteration(&mut self, instance: InstanceId, id: LoopId, loops: &LoopForest) -> Option<u64> {
        let l = loops.get(id);
        if l.is_irreducible() {
            return None;
        }
        let counts = self.counts(instance, Some(id), loops)?;
        let mut each: Option<u64> = None;
        for &latch in &l.latches {
            let count = self.behind_block(instance, latch, Some(id), loops, &counts)?;
            if each.is_some_and(|known| known != count) {
                return None;
            }
            each = Some(count);
        }
        each
    }

    /// The arrivals from the start of a region, a loop's body or the function, to its blocks and the headers of its inner loops,
    /// where that is one number.
    fn counts(
        &mut self,
        instance: InstanceId,
        region: Option<LoopId>,
        loops: &LoopForest,
    ) -> Option<BTreeMap<BlockId, u64>> {
        let func = self.points_to.instances()[instance].func;
        let structure = self.structure(func);
        let order = structure.cfg.reverse_postorder();
        let first = region.map_or(*order.first()?, |id| loops.get(id).header);
        let inside = |block: BlockId| region.is_none_or(|id| loops.get(id).contains(block));
        let mut counts = BTreeMap::from([(first, 0)]);
        for &block in order {
            let own = loops.innermost(block) == region;
            let is_header = loops.headed_by(block).is_some_and(|id| loops.get(id).parent == region);
            if block == first || !inside(block) || !own && !is_header {
                continue;
            }
            let inner = loops.headed_by(block).filter(|_| is_header && !own);
            let mut ways: Vec<Option<u64>> = Vec::new();
            for &from in structure.cfg.predecessors(block) {
                let is_back = inner.is_some_and(|id| loops.get(id).contains(from));
                if !is_back && inside(from) && structure.cfg.is_reachable(from) {
                    ways.push(self.behind_block(instance, from, region, loops, &counts));
                }
            }
            if let Some(Some(count)) = ways.first().filter(|&first| ways.iter().all(|way| way == first)) {
                counts.insert(block, *count);
            }
        }
        Some(counts)
    }

    /// The arrivals from the start of a region to the end of a block; one in an inner loop must not be behind a wait there.
    fn behind_block(
        &mut self,
        instance: InstanceId,
        block: BlockId,
        region: Option<LoopId>,
        loops: &LoopForest,
        counts: &BTreeMap<BlockId, u64>,
    ) -> Option<u64> {
        let end = self.program.functions[self.points_to.instances()[instance].func].blocks[block].insts.len();
        if loops.innermost(block) == region {
            return Some(*counts.get(&block)? + self.block_count(instance, block, end)?);
        }
        let outermost = loops.around(block).find(|&id| loops.get(id).parent == region)?;
        let l = loops.get(outermost);
        for inner in l.block_ids() {
            let end = self.program.functions[self.points_to.instances()[instance].func].blocks[inner].insts.len();
            (self.block_count(instance, inner, end)? == 0).then_some(())?;
        }
        counts.get(&l.header).copied()
    }

    /// The arrivals of the first instructions of a block.
    fn block_count(&mut self, instance: InstanceId, block: BlockId, end: usize) -> Option<u64> {
        let func = self.points_to.instances()[instance].func;
        let mut sum = 0;
        for index in 0..end {
            let mut all: Option<u64> = None;
            for &callee in self.points_to.callees(instance, point(func, block, index)) {
                if !matches!(self.icfg.edge_kind(instance, point(func, block, index)), Some(EdgeKind::Call)) {
                    continue;
                }
                let count = self.total(callee)?;
                if all.is_some_and(|known| known != count) {
                    return None;
                }
                all = Some(count);
            }
            sum += all.unwrap_or(0);
        }
        Some(sum)
    }

    /// The parameters of a loop's header that are the same in the same iteration of any thread: they start with a constant, and what is
    /// added is one, or a variable that is written before there are threads only.
    fn in_step_registers(&mut self, instance: InstanceId, id: LoopId) -> Vec<ValueId> {
        let func = self.points_to.instances()[instance].func;
        let function = &self.program.functions[func];
        let structure = self.structure(func);
        let loops = LoopForest::new(&structure.cfg);
        let l = loops.get(id);
        if self.creates_in(instance, &|block| l.contains(block)) {
            return Vec::new();
        }
        let params = function.blocks[l.header].params.iter().enumerate();
        let candidates: Vec<(usize, ValueId)> = params.map(|(at, &value)| (at, value)).collect();
        let mut found = Vec::new();
        for (position, value) in candidates {
            let mut starts: Vec<Operand> = Vec::new();
            let mut steps: Vec<Operand> = Vec::new();
            for &from in structure.cfg.predecessors(l.header) {
                for edge in function.blocks[from].terminator.edges().filter(|e| e.target == l.header) {
                    let list = if l.contains(from) { &mut steps } else { &mut starts };
                    list.push(edge.args[position]);
                }
            }
            let is_constant = |o: &Operand| matches!(o, Operand::Const(icsched_ir::Const::Bits { .. }));
            let same_start = starts.iter().all(|s| is_constant(s) && *s == starts[0]);
            let [step] = steps[..] else { continue };
            let inst = step.value().and_then(|v| structure.inst(function, v)).map(|i| &i.op);
            let Some(Op::Binary { op: icsched_ir::BinOp::Add | icsched_ir::BinOp::Sub, a, b }) = inst else { continue };
            let grows = *a == Operand::Value(value) && (is_constant(b) || self.fixed_variable(func, *b).is_some());
            if same_start && grows {
                found.push(value);
            }
        }
        found
    }
}

/// Whether two threads in one loop must be in the same iteration.
fn in_step(a: &Standing, b: &Standing) -> bool {
    let same = a.barrier == b.barrier && a.instance == b.instance && a.header == b.header && a.before == b.before;
    // Whoever has passed more rounds than the other has arrived at: not possible.
    let apart = |x: &Standing, y: &Standing| x.inside + u64::from(x.between) < y.inside + x.each;
    same && apart(a, b) && apart(b, a)
}

//! How often code arrives at barriers, where that is one number for all ways through it.

use std::collections::BTreeMap;

use icsched_ir::{BlockId, Callee, Intrinsic, LoopForest, LoopId, Op, Operand, Origin, ProgramPoint};
use icsched_pointsto::InstanceId;
use rustc_hash::FxHashMap;

use crate::code::{point, returned};
use crate::icfg::EdgeKind;
use crate::view::ProgramView;

/// Where an instance itself arrives at barriers.
pub(crate) fn arrivals(view: &ProgramView<'_, '_>, instance: InstanceId) -> Vec<(BlockId, Operand)> {
    let function = &view.program.functions[view.points_to.instances()[instance].func];
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
pub(crate) fn waits_once(view: &mut ProgramView<'_, '_>, instance: InstanceId) -> bool {
    let func = view.points_to.instances()[instance].func;
    let function = &view.program.functions[func];
    if function.origin != Origin::Model || !view.interference.may_arrive(instance) {
        return false;
    }
    let [(block, barrier)] = arrivals(view, instance)[..] else { return false };
    let structure = view.structure(func);
    let mut ends = function.blocks.iter().filter(|(_, b)| returned(&b.terminator).is_some());
    let is_first = function.params.first().is_some_and(|&p| barrier.value() == Some(p));
    let deeper = view.icfg.edges(instance).iter().any(|e| view.interference.may_arrive(e.to));
    is_first
        && !deeper
        && ends.all(|(end, _)| end == block || structure.dominators.strictly_dominates(block, end))
        && LoopForest::new(&structure.cfg).innermost(block).is_none()
}

/// How often instances arrive at barriers, where that was asked.
#[derive(Default)]
pub(crate) struct Arrivals {
    totals: FxHashMap<InstanceId, Option<u64>>,
}

impl Arrivals {
    /// The arrivals from the start of an instance to a point.
    ///
    /// If a loop around the point waits, the first number ends in front of it. The others are the arrivals of one of
    /// its iterations, and those since the iteration has started.
    #[allow(clippy::type_complexity, reason = "two numbers and what of a loop")]
    pub(crate) fn count_to(
        &mut self,
        view: &mut ProgramView<'_, '_>,
        instance: InstanceId,
        at: ProgramPoint,
    ) -> Option<(u64, Option<(LoopId, u64, u64)>)> {
        if !view.interference.may_arrive(instance) {
            return Some((0, None));
        }
        // Control may come back to behind a point once more.
        if view.interference.may_return_twice(instance) {
            return None;
        }
        let structure = view.structure(at.func);
        let loops = LoopForest::new(&structure.cfg);
        let mut around: Vec<LoopId> = loops.around(at.block).collect();
        around.reverse();
        let mut sum = 0;
        let mut waiting: Option<(LoopId, u64, u64)> = None;
        let mut region: Option<LoopId> = None;
        for next in around.into_iter().map(Some).chain([None]) {
            let counts = self.counts(view, instance, region, &loops)?;
            let block = next.map_or(at.block, |id| loops.get(id).header);
            let mut here = *counts.get(&block)?;
            if next.is_none() {
                here += self.block_count(view, instance, block, at.inst as usize)?;
            }
            match &mut waiting {
                Some((.., inside)) => *inside += here,
                None => sum += here,
            }
            if let Some(id) = next {
                let each = self.iteration(view, instance, id, &loops)?;
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
    pub(crate) fn total(&mut self, view: &mut ProgramView<'_, '_>, instance: InstanceId) -> Option<u64> {
        if !view.interference.may_arrive(instance) {
            return Some(0);
        }
        if waits_once(view, instance) {
            return Some(1);
        }
        if let Some(known) = self.totals.get(&instance) {
            return *known;
        }
        // A function that calls itself has no number.
        self.totals.insert(instance, None);
        let total = self.find_total(view, instance);
        self.totals.insert(instance, total);
        total
    }

    fn find_total(&mut self, view: &mut ProgramView<'_, '_>, instance: InstanceId) -> Option<u64> {
        let func = view.points_to.instances()[instance].func;
        let function = &view.program.functions[func];
        let loops = LoopForest::new(&view.structure(func).cfg);
        let mut all: Option<u64> = None;
        for (block, body) in function.blocks.iter().filter(|(_, b)| returned(&b.terminator).is_some()) {
            let (count, waiting) = self.count_to(view, instance, point(func, block, body.insts.len()))?;
            if waiting.is_some() || all.is_some_and(|known| known != count) || loops.innermost(block).is_some() {
                return None;
            }
            all = Some(count);
        }
        all
    }

    /// The arrivals of one iteration.
    fn iteration(
        &mut self,
        view: &mut ProgramView<'_, '_>,
        instance: InstanceId,
        id: LoopId,
        loops: &LoopForest,
    ) -> Option<u64> {
        let l = loops.get(id);
        if l.is_irreducible() {
            return None;
        }
        let counts = self.counts(view, instance, Some(id), loops)?;
        let mut each: Option<u64> = None;
        for &latch in &l.latches {
            let count = self.behind_block(view, instance, latch, Some(id), loops, &counts)?;
            if each.is_some_and(|known| known != count) {
                return None;
            }
            each = Some(count);
        }
        each
    }

    /// The arrivals from the start of a region, a loop's body or the function, to its blocks and the headers of its
    /// inner loops, where that is one number.
    fn counts(
        &mut self,
        view: &mut ProgramView<'_, '_>,
        instance: InstanceId,
        region: Option<LoopId>,
        loops: &LoopForest,
    ) -> Option<BTreeMap<BlockId, u64>> {
        let func = view.points_to.instances()[instance].func;
        let structure = view.structure(func);
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
                    ways.push(self.behind_block(view, instance, from, region, loops, &counts));
                }
            }
            if let Some(Some(count)) = ways.first().filter(|&first| ways.iter().all(|way| way == first)) {
                counts.insert(block, *count);
            }
        }
        Some(counts)
    }

    /// The arrivals from the start of a region to the end of a block; one in an inner loop must not be behind a wait
    /// there.
    fn behind_block(
        &mut self,
        view: &mut ProgramView<'_, '_>,
        instance: InstanceId,
        block: BlockId,
        region: Option<LoopId>,
        loops: &LoopForest,
        counts: &BTreeMap<BlockId, u64>,
    ) -> Option<u64> {
        let end = view.program.functions[view.points_to.instances()[instance].func].blocks[block].insts.len();
        if loops.innermost(block) == region {
            return Some(*counts.get(&block)? + self.block_count(view, instance, block, end)?);
        }
        let outermost = loops.around(block).find(|&id| loops.get(id).parent == region)?;
        let l = loops.get(outermost);
        for inner in l.block_ids() {
            let end = view.program.functions[view.points_to.instances()[instance].func].blocks[inner].insts.len();
            (self.block_count(view, instance, inner, end)? == 0).then_some(())?;
        }
        counts.get(&l.header).copied()
    }

    /// The arrivals of the first instructions of a block.
    pub(crate) fn block_count(
        &mut self,
        view: &mut ProgramView<'_, '_>,
        instance: InstanceId,
        block: BlockId,
        end: usize,
    ) -> Option<u64> {
        let func = view.points_to.instances()[instance].func;
        let mut sum = 0;
        for index in 0..end {
            let mut all: Option<u64> = None;
            for &callee in view.points_to.callees(instance, point(func, block, index)) {
                if !matches!(view.icfg.edge_kind(instance, point(func, block, index)), Some(EdgeKind::Call)) {
                    continue;
                }
                let count = self.total(view, callee)?;
                if all.is_some_and(|known| known != count) {
                    return None;
                }
                all = Some(count);
            }
            sum += all.unwrap_or(0);
        }
        Some(sum)
    }
}

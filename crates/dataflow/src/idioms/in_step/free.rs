//! How far control gets without arriving at a barrier.

use icsched_ir::{BlockId, EntityId as _, ProgramPoint};
use icsched_pointsto::InstanceId;
use rustc_hash::FxHashMap;

use super::way::Way;
use crate::barriers::arrivals::waits_once;
use crate::code::{point, returned};
use crate::icfg::EdgeKind;
use crate::view::ProgramView;

/// How far control gets without arriving: per block that it gets to the start of, the index of the instruction that
/// arrives.
type Free = FxHashMap<BlockId, usize>;

/// Ways without arrivals.
#[derive(Default)]
pub(super) struct FreeWays {
    /// Whether each way through an instance arrives at barriers, where that was asked.
    known: FxHashMap<InstanceId, bool>,
}

impl FreeWays {
    /// Whether one thread may go on, without arriving, to where the other one is; by way of a definition in the frame
    /// `at`, or of its call there.
    pub(super) fn comes_back(
        &mut self,
        view: &mut ProgramView<'_, '_>,
        ways: &[Way<'_>; 2],
        (from, to): (usize, usize),
        at: usize,
        through: Option<(BlockId, usize)>,
    ) -> bool {
        let (one, other) = (&ways[from], &ways[to]);
        for (depth, &(instance, point)) in one.frames.iter().enumerate().skip(at + 1).rev() {
            let start = point.inst as usize + usize::from(!one.is_last(depth));
            if !self.returns_free(view, instance, point.block, start) {
                return false;
            }
        }
        let (instance, point) = one.frames[at];
        let start = (point.block, point.inst as usize + usize::from(!one.is_last(at)));
        let target = other.frames[at].1;
        let target = (target.block, target.inst as usize);
        let free = match through {
            Some(through) => {
                self.gets_to(view, instance, start, through) && self.gets_to(view, instance, through, target)
            }
            None => self.gets_to(view, instance, start, target),
        };
        free && other.frames[at + 1..].iter().all(|&(instance, point)| {
            self.gets_to(view, instance, (BlockId::from_index(0), 0), (point.block, point.inst as usize))
        })
    }

    /// Whether control may get from in front of one instruction to in front of another one without arriving in between.
    fn gets_to(
        &mut self,
        view: &mut ProgramView<'_, '_>,
        instance: InstanceId,
        from: (BlockId, usize),
        to: (BlockId, usize),
    ) -> bool {
        let (first, reached) = self.free_from(view, instance, from);
        from.0 == to.0 && from.1 <= to.1 && to.1 <= first || reached.get(&to.0).is_some_and(|&end| to.1 <= end)
    }

    /// Whether control may return without arriving.
    fn returns_free(
        &mut self,
        view: &mut ProgramView<'_, '_>,
        instance: InstanceId,
        block: BlockId,
        index: usize,
    ) -> bool {
        let func = view.points_to.instances()[instance].func;
        let function = &view.program.functions[func];
        let (first, reached) = self.free_from(view, instance, (block, index));
        let ends = |b: BlockId, end: usize| {
            let body = &function.blocks[b];
            returned(&body.terminator).is_some() && end >= body.insts.len()
        };
        ends(block, first) || reached.iter().any(|(&b, &end)| ends(b, end))
    }

    /// How far control gets from a point without arriving: in its block, and in those behind.
    fn free_from(
        &mut self,
        view: &mut ProgramView<'_, '_>,
        instance: InstanceId,
        (block, index): (BlockId, usize),
    ) -> (usize, Free) {
        let func = view.points_to.instances()[instance].func;
        let structure = view.structure(func);
        let mut reached = Free::default();
        let first = self.free_end(view, instance, block, index);
        let length = |b: BlockId| view.program.functions[func].blocks[b].insts.len();
        let mut work: Vec<BlockId> = Vec::new();
        if first >= length(block) {
            work.extend(structure.cfg.successors(block));
        }
        while let Some(block) = work.pop() {
            if reached.contains_key(&block) {
                continue;
            }
            let end = self.free_end(view, instance, block, 0);
            reached.insert(block, end);
            if end >= view.program.functions[func].blocks[block].insts.len() {
                work.extend(structure.cfg.successors(block));
            }
        }
        (first, reached)
    }

    /// The first instruction of a block from `index` on that always arrives, or the block's end.
    fn free_end(
        &mut self,
        view: &mut ProgramView<'_, '_>,
        instance: InstanceId,
        block: BlockId,
        index: usize,
    ) -> usize {
        let func = view.points_to.instances()[instance].func;
        let end = view.program.functions[func].blocks[block].insts.len();
        (index..end).find(|&i| self.always_arrives_at(view, instance, point(func, block, i))).unwrap_or(end)
    }

    fn always_arrives_at(&mut self, view: &mut ProgramView<'_, '_>, instance: InstanceId, at: ProgramPoint) -> bool {
        let points_to = view.points_to;
        let callees = points_to.callees(instance, at);
        let is_call = matches!(view.icfg.edge_kind(instance, at), Some(EdgeKind::Call));
        is_call && !callees.is_empty() && callees.iter().all(|&callee| self.always_arrives(view, callee))
    }

    /// Whether no call of an instance returns without having arrived.
    fn always_arrives(&mut self, view: &mut ProgramView<'_, '_>, instance: InstanceId) -> bool {
        if !view.interference.may_arrive(instance) || waits_once(view, instance) {
            return view.interference.may_arrive(instance);
        }
        if let Some(&known) = self.known.get(&instance) {
            return known;
        }
        self.known.insert(instance, false);
        let found = !self.returns_free(view, instance, BlockId::from_index(0), 0);
        self.known.insert(instance, found);
        found
    }
}

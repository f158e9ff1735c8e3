//! Markers as far as they are placed, and what they cover.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;
use icsched_ir::{BlockId, EntityId, FuncId, IdVec, Program, ProgramPoint};
use icsched_slicing::control::Control;

use super::code::{Code, Kinds, Site};
use super::cover::may_pass;
use super::marker::{LoopMark, MarkerKind, entry};
use super::trivial::Bounds;

/// Markers as far as they are placed.
pub(super) struct Placer<'a> {
    pub(super) program: &'a Program,
    pub(super) control: &'a Control,
    pub(super) code: Code,
    pub(super) prune: bool,
    pub(super) bounds: Bounds<'a>,
    pub(super) markers: BTreeMap<ProgramPoint, MarkerKind>,
    pub(super) loops: Vec<LoopMark>,
    /// For each finished function that executes a marker on every way through it: which ones.
    pub(super) covered: IdVec<FuncId, Option<Vec<ProgramPoint>>>,
    /// For each finished function with a barrier on every way through it: where to mark so that it is covered.
    pub(super) barriers: IdVec<FuncId, Option<Vec<ProgramPoint>>>,
    /// Functions that library models call in a loop.
    pub(super) repeated: FixedBitSet,
}

impl Placer<'_> {
    pub(super) fn mark(&mut self, point: ProgramPoint, kind: MarkerKind) {
        self.markers.entry(point).or_insert(kind);
    }

    /// Whether the function may synchronise in a way that nothing else bounds.
    pub(super) fn needs_bound(&self, func: FuncId) -> bool {
        !self.code.kinds(func).without(self.bounded()).is_empty()
    }

    /// What is bounded wherever it stands: waiting, by what is notified.
    pub(super) fn bounded(&self) -> Kinds {
        if self.prune { Kinds::WAIT } else { Kinds::default() }
    }

    /// The blocks of a function that execute a marker.
    pub(super) fn covering(&self, func: FuncId) -> FixedBitSet {
        let mut blocks = FixedBitSet::with_capacity(self.program.functions[func].blocks.len());
        blocks.extend(self.markers_of(func).map(|point| point.block.index()));
        let calls = self.code.sites(func).iter().filter(|site| self.executes_marker(site));
        blocks.extend(calls.map(|site| site.block.index()));
        blocks
    }

    /// The markers that stand in a function.
    pub(super) fn markers_of(&self, func: FuncId) -> impl Iterator<Item = ProgramPoint> {
        let from = self.markers.range(entry(func)..);
        from.map(|(&point, _)| point).take_while(move |point| point.func == func)
    }

    /// Whether every call that the site may be executes a marker.
    pub(super) fn executes_marker(&self, site: &Site) -> bool {
        !site.targets.is_empty() && site.targets.iter().all(|&f| self.covered[f].is_some())
    }

    /// Of the covering blocks in `order` the first that is enough by itself, or else all: the markers they execute.
    pub(super) fn chosen(
        &self,
        func: FuncId,
        covering: &FixedBitSet,
        order: impl Iterator<Item = BlockId>,
        enough: impl Fn(&FixedBitSet) -> bool,
    ) -> Vec<ProgramPoint> {
        let blocks: Vec<BlockId> = order.filter(|b| covering.contains(b.index())).collect();
        let alone = blocks.iter().copied().find(|block| {
            let mut one = FixedBitSet::with_capacity(covering.len());
            one.insert(block.index());
            enough(&one)
        });
        let mut found: Vec<ProgramPoint> =
            alone.map_or(blocks, |b| vec![b]).into_iter().flat_map(|b| self.executed_in(func, b)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The markers of which a block that executes some executes one.
    fn executed_in(&self, func: FuncId, block: BlockId) -> Vec<ProgramPoint> {
        if let Some(here) = self.markers_of(func).find(|point| point.block == block) {
            return vec![here];
        }
        let call = self.code.sites(func).iter().find(|s| s.block == block && self.executes_marker(s));
        let targets = call.into_iter().flat_map(|site| &site.targets);
        targets.flat_map(|&f| self.covered[f].iter().flatten().copied()).collect()
    }

    /// Which markers every way through a function executes.
    pub(super) fn update(&mut self, func: FuncId) {
        let facts = self.control.function(func);
        let function = &self.program.functions[func];
        let covering = self.covering(func);
        let order = facts.cfg.reverse_postorder().iter().copied();
        self.covered[func] =
            (self.prune && !self.code.never_returns(func) && !may_pass(function, &facts.cfg, &covering))
                .then(|| self.chosen(func, &covering, order, |set| !may_pass(function, &facts.cfg, set)));
    }
}

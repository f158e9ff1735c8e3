//! Slices of one path: what is asked, and how the walk is started for it.

use std::collections::BTreeSet;

use icsched_machine::stop::DecisionKind;
use icsched_symbolic::trace::{Trace, TraceEvent};
use rustc_hash::FxHashSet;

use crate::abnormal_end::{AbnormalEnd, EndKind};
use crate::alias_queries::{Facts, KnownRegions};
use crate::budgets::BUDGETS;
use crate::criterion::Criterion;
use crate::decisions::{alone_at_events, branches, count_repeats, every_decision, possible};
use crate::definitions::Defined;
use crate::frames::Frames;
use crate::input_names::InputNames;
use crate::live_memory::LiveMemory;
use crate::loop_runs::Runs;
use crate::objects::Objects;
use crate::prepared::Prepared;
use crate::region::Regions;
use crate::slice::{Slice, SliceDecision};
use crate::slicer::Slicer;
use crate::statics::Statics;

/// Answers that hold for every path, kept.
#[derive(Default)]
pub struct Caches {
    regions: Regions,
    known: KnownRegions,
    defined: Defined,
}

/// A trace of which slices are computed.
#[derive(Copy, Clone)]
pub struct Sliceable<'a> {
    /// What its objects are.
    pub objects: &'a Objects,
    /// The trace.
    pub trace: &'a Trace,
    /// What was computed of it before.
    pub prepared: &'a Prepared,
}

impl Sliceable<'_> {
    /// The decisions that slices without [`keep_exits`](Self::slice) may have; with as many different conditions as
    /// `most`, or `None`. Linear in the length of the trace.
    pub fn possible(&self, statics: &Statics<'_>, most: usize) -> Option<Vec<SliceDecision>> {
        possible(statics, self.trace, &self.prepared.blocks, most)
    }

    /// Computes a slice of the trace: the decisions in it, in execution order.
    ///
    /// Linear in the length of the trace, times the number of live objects at each branch whose other side writes
    /// memory.
    ///
    /// With `keep_exits`, branches that only avoid the end of the process are conditions like any other: what is
    /// claimed of the path's end is claimed of inputs that get there.
    ///
    /// When the time of the run is over, all decisions are in the slice, which always is right.
    ///
    /// `abnormal_ends` are the instructions that the path did not get past (a memory error, something unmodelled,
    /// loops without end): whether they are reached decides whether anything behind them is.
    pub fn slice(
        &self,
        statics: &Statics<'_>,
        caches: &mut Caches,
        abnormal_ends: &[AbnormalEnd],
        keep_exits: bool,
    ) -> Slice {
        // Why a loop is never left may be anything that the path has decided.
        let is_open = |end: &AbnormalEnd| !statics.control.always_stays(end.point.func, end.point.block);
        if abnormal_ends.iter().any(|end| end.what == EndKind::Endless && is_open(end)) {
            let branches = branches(self.trace);
            return Slice { decisions: every_decision(statics, self.trace), branches, ..Slice::default() };
        }
        let begin = |slicer: &mut Slicer<'_, '_>| {
            let known = abnormal_ends.iter().filter(|end| self.trace.frames.contains_key(&end.frame));
            for &AbnormalEnd { frame, point, what } in known {
                slicer.frees |= what == EndKind::OfFreed;
                slicer.keeps_status |= what == EndKind::Exit;
                slicer.never_left.extend((what == EndKind::Endless).then_some((frame, point.block)));
                slicer.meet(frame, point.block, point.inst);
                slicer.include(frame, point.inst);
            }
        };
        let is_of_freed = self.prepared.frees || abnormal_ends.iter().any(|end| end.what == EndKind::OfFreed);
        debug_assert!(is_of_freed || self.is_same_without_runs(statics, caches, keep_exits, begin));
        let mut slicer = self.slicer(statics, caches, keep_exits);
        begin(&mut slicer);
        // Loops that are passed over may free.
        let none = Runs::default();
        let runs = if slicer.frees { &none } else { &self.prepared.runs };
        if !slicer.walk(&self.prepared.blocks, runs, |_| false) {
            return Slice { decisions: every_decision(statics, self.trace), ..Slice::default() };
        }
        let mut slice = slicer.slice;
        slice.decisions.reverse();
        slice.early_exits.reverse();
        slice.exits = slice.early_exits.iter().map(|exit| exit.event).collect();
        if !slice.early_exits.is_empty() {
            let alone = alone_at_events(self.trace);
            slice.early_exits.retain(|exit| alone[exit.event]);
        }
        let decisions = slice.decisions.iter_mut().chain(&mut slice.early_exits);
        count_repeats(statics, self.trace, &self.prepared.blocks, decisions);
        slice
    }

    /// A decision of the slice that is also for what places hold at the end of the trace, if there is one that
    /// `is_other`; the last one. As much work as [`slice`](Self::slice), less what comes before it. `None` if the
    /// time of the run is over.
    pub fn depends(
        &self,
        statics: &Statics<'_>,
        caches: &mut Caches,
        criterion: &Criterion,
        mut is_other: impl FnMut(&SliceDecision) -> bool,
    ) -> Option<Option<SliceDecision>> {
        debug_assert!(
            self.prepared.frees || self.is_same_without_runs(statics, caches, false, |slicer| slicer.add(criterion))
        );
        let mut slicer = self.slicer(statics, caches, false);
        slicer.add(criterion);
        let mut found = None;
        let none = Runs::default();
        let runs = if slicer.frees { &none } else { &self.prepared.runs };
        let is_done = slicer.walk(&self.prepared.blocks, runs, |decision| {
            found = is_other(decision).then_some(*decision);
            found.is_some()
        });
        is_done.then_some(found)
    }

    /// The decisions by which summarised loops were left, as events, where there is one way out and nothing inside that
    /// is to be found: they hold in all executions that come to them. Linear in the number of summarised loops that
    /// were left.
    pub fn ways_out(&self, statics: &Statics<'_>, caches: &mut Caches) -> FxHashSet<usize> {
        let mut slicer = self.slicer(statics, caches, false);
        let decided = |&exit: &usize| {
            let decision = exit.checked_sub(1)?;
            match (&self.trace.events[decision], &self.trace.events[exit]) {
                (
                    TraceEvent::Decision { frame: decides, decision: taken, .. },
                    TraceEvent::Block { frame, via: Some((from, by_else)), .. },
                ) if decides == frame && taken.kind == DecisionKind::Branch => {
                    slicer.meet(*frame, *from, 0);
                    slicer.goes_round_in_vain(*frame, *from, *by_else).then_some(decision)
                }
                _ => None,
            }
        };
        self.prepared.exits.iter().collect::<BTreeSet<_>>().into_iter().filter_map(decided).collect()
    }

    /// Whether passing over loops makes no difference to a slice, as it should; of long traces nobody asks.
    fn is_same_without_runs(
        &self,
        statics: &Statics<'_>,
        caches: &mut Caches,
        keep_exits: bool,
        begin: impl Fn(&mut Slicer<'_, '_>),
    ) -> bool {
        if self.trace.events.len() > BUDGETS.compared_events {
            return true;
        }
        let none = Runs::default();
        let mut slice_with = |runs| {
            let mut slicer = self.slicer(statics, caches, keep_exits);
            begin(&mut slicer);
            slicer.walk(&self.prepared.blocks, runs, |_| false).then_some(slicer.slice)
        };
        let (passing, thorough) = (slice_with(&self.prepared.runs), slice_with(&none));
        passing.zip(thorough).is_none_or(|(passing, thorough)| passing == thorough)
    }

    fn slicer<'s, 'p>(&'s self, statics: &'s Statics<'p>, caches: &'s mut Caches, keep_exits: bool) -> Slicer<'s, 'p> {
        let Caches { regions, known, defined } = caches;
        Slicer {
            statics,
            regions,
            defined,
            facts: Facts::new(statics.aliases, known, &self.prepared.names, self.objects),
            objects: self.objects,
            trace: self.trace,
            exits: &self.prepared.exits,
            frames: Frames::of(self.trace),
            memory: LiveMemory::default(),
            inputs: InputNames::default(),
            slice: Slice::default(),
            keep_exits,
            passed: FxHashSet::default(),
            frees: self.prepared.frees,
            continues: self.prepared.continues,
            keeps_status: false,
            is_behind_all: true,
            never_left: Vec::new(),
            corrections: if statics.corrections { BUDGETS.corrections } else { 0 },
            repeated: FxHashSet::default(),
            unmet: BTreeSet::default(),
        }
    }
}

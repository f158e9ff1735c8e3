//! What has been found of reaching definitions so far.

use icsched_ir::IdVec;
use icsched_pointsto::InstanceId;

use super::facts::Entry;
use super::solver::{Solution, Solver};
use super::summary::{CallSummary, Summaries};
use crate::place::Frames;
use crate::view::ProgramView;

/// Reaching definitions of one program. Summaries and what holds when functions start are kept.
pub(crate) struct Reaching<'m, 'p> {
    pub(crate) view: ProgramView<'m, 'p>,
    pub(crate) summaries: Summaries,
    /// What holds when an instance starts, if it is [`entered`](Self::entered); `None` if no way leads to it.
    pub(crate) entries: IdVec<InstanceId, Option<Entry>>,
    pub(super) entered: IdVec<InstanceId, bool>,
}

impl<'m, 'p> Reaching<'m, 'p> {
    /// Nothing solved yet.
    pub(crate) fn new(view: ProgramView<'m, 'p>) -> Self {
        let instances = view.points_to.instances().len();
        Self {
            view,
            summaries: IdVec::filled(CallSummary::NotComputed, instances),
            entries: IdVec::new(),
            entered: IdVec::filled(false, instances),
        }
    }

    /// Solves the innermost function of `frames`, whose calls are [summarised](Self::summarise_callees).
    pub(crate) fn solve(&mut self, frames: Frames, entry: &Entry) -> Solution {
        Solver::new(&mut self.view, &self.summaries, frames).solve(entry)
    }

    /// A solver that looks at single points of what was solved.
    pub(crate) fn resume(&mut self, solution: &Solution) -> Solver<'_, 'm, 'p> {
        Solver::resume(&mut self.view, &self.summaries, solution)
    }
}

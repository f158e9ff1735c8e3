//! What is computed of a trace once, for all of its slices.

use icsched_ir::{BlockId, Intrinsic};
use icsched_symbolic::trace::{Trace, TraceEvent};
use rustc_hash::FxHashSet;

use crate::alias_queries::Names;
use crate::decisions::{blocks_of_events, only_exits};
use crate::loop_runs::Runs;
use crate::objects::Objects;
use crate::statics::Statics;

/// What all slices of one trace have in common.
#[derive(Default)]
pub struct Prepared {
    pub(crate) blocks: Vec<BlockId>,
    pub(crate) names: Names,
    pub(crate) runs: Runs,
    /// The events with which summarised loops are left by the only way out.
    pub(crate) exits: FxHashSet<usize>,
    /// Whether it matters what was freed: the path went on behind a use of something freed, or may do so elsewhere.
    pub frees: bool,
    /// Whether paths go on behind memory errors.
    pub continues: bool,
}

impl Prepared {
    /// Says that paths go on behind memory errors, and whether this one did behind a use of something freed.
    pub fn go_on_behind_errors(&mut self, trace: &Trace, has_used_freed: bool) {
        let frees = |event: &TraceEvent| matches!(event, TraceEvent::Intrinsic { intrinsic: Intrinsic::Free, .. });
        self.continues = true;
        self.frees = has_used_freed || trace.events.iter().any(frees);
    }

    /// Linear in the length of the trace.
    pub fn new(statics: &Statics<'_>, objects: &Objects, trace: &Trace) -> Self {
        let blocks = blocks_of_events(trace);
        if trace.events.len() == trace.granted.len() {
            // No walk has a step to go.
            return Self { blocks, ..Self::default() };
        }
        let names = Names::new(statics.aliases, objects, trace);
        let runs = Runs::of(statics, trace, &blocks);
        let exits = only_exits(statics, trace, &blocks);
        Self { blocks, names, runs, exits, frees: false, continues: false }
    }
}

//! What is computed of a trace once, for all of its slices.

use icsched_ir::BlockId;
use icsched_symex::trace::Trace;
use rustc_hash::FxHashSet;

use super::Statics;
use super::facts::{blocks_of_events, only_exits};
use super::known::Names;
use super::runs::Runs;
use crate::objects::Objects;

/// What all slices of one trace have in common.
#[derive(Default)]
pub struct Prepared {
    pub(super) blocks: Vec<BlockId>,
    pub(super) names: Names,
    pub(super) runs: Runs,
    /// The events with which replaced loops are left by the only way out.
    pub(super) exits: FxHashSet<usize>,
    /// Whether the path went on behind a use of something freed: then it matters what was freed.
    pub frees: bool,
}

impl Prepared {
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
        Self { blocks, names, runs, exits, frees: false }
    }
}

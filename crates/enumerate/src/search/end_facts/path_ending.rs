//! The end of a path, of which facts are sought.

use icsched_facts::EndState;
use icsched_ir::ProgramPoint;
use icsched_machine::FrameId;
use icsched_schedule::EpochId;
use icsched_slicing::objects::Objects;
use icsched_slicing::{Prepared, SliceDecision};
use icsched_smt::Term;
use icsched_symbolic::trace::Trace;
use rustc_hash::FxHashMap;

use crate::constraint::Conjunction;

/// The end of a path, with all that is needed to say what it leaves behind.
pub(in crate::search) struct PathEnding {
    /// The epoch that follows.
    pub(in crate::search) next: EpochId,
    /// Whether no thread had ended when it begins.
    pub(in crate::search) none_ended: bool,
    pub(in crate::search) left: EndState,
    /// See [`sums`](super::sums).
    pub(in crate::search) sums: FxHashMap<Term, Vec<Term>>,
    /// Where the activations of live threads are.
    pub(in crate::search) points: FxHashMap<FrameId, ProgramPoint>,
    pub(in crate::search) trace: Trace,
    pub(in crate::search) objects: Objects,
    pub(in crate::search) prepared: Prepared,
    pub(in crate::search) precondition: Conjunction,
    /// The events of decisions that have not ended the executions which come to the end.
    pub(in crate::search) exits: Vec<usize>,
    /// What is decided where exits count as conditions, too.
    pub(in crate::search) with_exits: Vec<SliceDecision>,
    /// What else is known because none of them has ended. See
    /// [`Search::not_elsewhere`](crate::search::Search::not_elsewhere).
    pub(in crate::search) not_elsewhere: Vec<Term>,
}

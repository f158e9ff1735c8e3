//! What a slice is computed for.

use icsched_ir::ProgramPoint;
use icsched_machine::state_place::StatePlace;
use icsched_machine::thread::FrameId;
use rustc_hash::FxHashMap;

/// What a slice is to be computed for beside what is synchronised: places at the end of a path.
#[derive(Clone, Default, Debug)]
pub struct Criterion {
    /// Bytes, and registers of activations that have not returned.
    pub places: Vec<StatePlace>,
    /// The instructions in front of which, or inside of which, they are.
    pub points: FxHashMap<FrameId, ProgramPoint>,
}

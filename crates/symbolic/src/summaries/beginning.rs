//! What a loop begins with: two loops with an equal [`LoopBeginning`] leave the same behind.

use icsched_ir::{BlockId, FuncId};
use icsched_smt::Term;

use crate::memory::contents::Version;
use crate::values::value::SymValue;
use icsched_machine::abstraction::Passage;
use icsched_machine::domain::MemoryByte;
use icsched_machine::memory::ObjectId;

/// All that a loop depends on when control comes to it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LoopBeginning {
    pub(crate) header: (FuncId, BlockId),
    pub(crate) values: Vec<SymValue>,
    pub(crate) memory: Vec<(ObjectId, u64, Contents)>,
    /// The latest replaced loop that may have written to objects that are as they were when the path met them, or that
    /// it has not met.
    pub(crate) forgot: Option<Passage>,
}

/// What bytes hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Contents {
    /// Those of an object with these contents.
    Of(Version, u64),
    Bytes(Vec<MemoryByte<Term>>),
}

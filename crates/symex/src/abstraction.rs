//! Loops that are replaced by what they may do (input abstraction, Bergan 3.4.2; design decision D7).
//!
//! A loop that is replaced is not executed from its first iteration on, but from *some* iteration: what its header's parameters are,
//! and what memory holds that the loop may write, is forgotten, and the iteration in which control leaves it is executed as it is.
//! Going round once more is no path of its own, for the state of the next iteration is one that was forgotten, too. So everything
//! that is true behind the loop because of how it is left stays known, and nothing has to be said about how often it goes round.

use std::collections::{BTreeMap, BTreeSet};

use icsched_ir::{BlockId, FuncId};
use icsched_pointsto::Piece;

use crate::thread::ThreadId;

/// What a piece of code may write.
#[derive(Clone, Default, Debug)]
pub struct Effect {
    /// Where, as points-to analysis names places.
    pub writes: Vec<Piece>,
    /// Anywhere.
    pub everything: bool,
}

/// A loop that is replaced.
#[derive(Clone, Debug)]
pub struct AbstractLoop {
    /// Its blocks, the header among them.
    pub blocks: BTreeSet<BlockId>,
    /// What it may write, calls included.
    pub effect: Effect,
}

/// Loops that are replaced, by function and header.
pub type Abstractions = BTreeMap<(FuncId, BlockId), AbstractLoop>;

/// One replaced execution of a loop: the same on all paths on which the thread gets there as often.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Passage {
    /// The thread.
    pub thread: ThreadId,
    /// The loop's function.
    pub func: FuncId,
    /// Its header.
    pub header: BlockId,
    /// How often the thread got there before.
    pub occurrence: u32,
}

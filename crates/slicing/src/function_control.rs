//! Control facts of the blocks of one function.

use fixedbitset::FixedBitSet;
use icsched_ir::cfg::Cfg;
use icsched_ir::distance::ExitDistances;
use icsched_ir::dominators::DomTree;
use icsched_ir::loops::{Loop, LoopForest};
use icsched_ir::{BlockId, EntityId as _};

/// Facts about one function's blocks.
#[derive(Debug)]
pub struct FunctionControl {
    /// The control-flow graph.
    pub cfg: Cfg,
    /// Postdominators on the graph without quiet exits: what must be reached unless the process ends.
    pub postdominators: DomTree,
    /// Dominators.
    pub dominators: DomTree,
    /// Natural loops.
    pub loops: LoopForest,
    /// Blocks from which the process can end, and neither a return nor synchronisation can be reached.
    pub quiet_exit: FixedBitSet,
    /// Blocks from which the process may end by `abort` or a failing assertion before a return.
    pub may_abort: FixedBitSet,
    /// Headers of loops without a way out.
    pub(crate) endless: FixedBitSet,
    /// Headers of loops that go round for ever if they go round at all ([`crate::stuck_loops`]).
    pub(crate) stuck: FixedBitSet,
    /// Blocks with the tests of these loops.
    pub stuck_tests: FixedBitSet,
    /// Blocks from which control may come to a loop that goes round for ever, or to a call that may.
    pub(crate) sticks_behind: FixedBitSet,
    /// Blocks that hold an instruction that may synchronise, or of which nobody knows whether it does: a path ends
    /// there.
    pub may_synchronise: FixedBitSet,
    /// Those of them behind which a path may go on: what loops around them do cannot be summarised. Where a path ends
    /// that came to what is not supported, that is found in one iteration of a loop as well as in any other.
    pub synchronises: FixedBitSet,
    /// Blocks that may make a new object of synchronisation whose state is known from nothing else.
    pub(crate) initialises: FixedBitSet,
    /// Blocks that may make a lock that is free.
    pub(crate) makes_locks: FixedBitSet,
    /// Blocks that may allocate memory.
    pub(crate) allocates: FixedBitSet,
    /// How far it is to a return or out of a loop, quiet exits left out.
    pub(crate) exits: ExitDistances,
}

impl FunctionControl {
    /// Static length of the shortest way from `to`, entered from `from`, to the end of the innermost loop around
    /// `from`, or of the function where there is no such loop.
    pub fn distance(&self, from: BlockId, to: BlockId) -> u32 {
        self.exits.of_edge(&self.loops, from, to)
    }

    /// Whether replacing a loop of these blocks forgets something of objects of synchronisation that it makes: their
    /// state, or which of several that have names is meant. Locks in memory that is allocated in the loop have no
    /// names of their own, and are free unless a thread holds them.
    pub fn forgets_objects(&self, blocks: &FixedBitSet) -> bool {
        let has = |of: &FixedBitSet| !blocks.is_disjoint(of);
        has(&self.initialises) || has(&self.makes_locks) && !has(&self.allocates)
    }

    /// Whether an edge goes on in a loop that goes round for ever, of which the block has a test.
    pub fn stays_stuck(&self, block: BlockId, to: BlockId) -> bool {
        let is_test_of = |l: &Loop| l.contains(to) && l.exits.iter().any(|&(from, _)| from == block);
        self.stuck_tests.contains(block.index())
            && self
                .loops
                .around(block)
                .map(|id| self.loops.get(id))
                .any(|l| self.stuck.contains(l.header.index()) && is_test_of(l))
    }

    /// Whether control may come to a loop that goes round for ever by one way out of a branch and not by the other.
    pub fn sticks_instead(&self, other: BlockId, taken: BlockId) -> bool {
        self.sticks_behind.contains(other.index()) && !self.sticks_behind.contains(taken.index())
    }
}

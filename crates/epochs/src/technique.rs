//! Techniques that can be turned off one by one.

/// A technique that can be turned off (design decision D10), to reprint ablations and to exclude a suspect.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Technique {
    /// Leaving out branches that only end the process (3.4.1.1).
    PrefixSchedules,
    /// The same for branches that abort or fail an assertion: without it each failure has a schedule of its own.
    PrefixFailures,
    /// Leaving alone what is behind branches that decide no synchronisation: without it each side of such a branch is
    /// executed once in the first epoch, for what goes wrong there.
    QuietBranches,
    /// Following the shorter side of a branch first (3.3.2).
    ShortestPath,
    /// Precondition slicing: without it every decision of a path is part of its constraint.
    Slicing,
    /// Points-to analysis: without it, stores through pointers from memory may write whatever has escaped, and calls
    /// through pointers reach every function whose address is taken.
    PointsTo,
    /// Reaching definitions and other facts of dataflow analysis about memory and registers at the beginning of an
    /// epoch.
    ReachingDefs,
    /// What must hold of objects of synchronisation at the beginning of an epoch.
    SyncInvariants,
    /// Bounded epochs (3.2.2): without them the whole run is one, as long as its loops go round, and sizes of objects
    /// are chosen.
    Epochs,
    /// Searching the whole run as one epoch first, where inputs decide in few ways how it goes on: without it epochs
    /// end at markers as soon as an input matters.
    WholeRuns,
    /// Summarising loops: one step stands for all rounds, and leaves what they may leave (3.4.2).
    InputAbstraction,
    /// Schedule trees (3.2.1): without them all conditions of an epoch count as known at its start.
    ScheduleTrees,
    /// Ordering synchronisation after that on all objects that its own may be, where inputs say which it is
    /// (3.4.1.5): without it each object is a schedule of its own.
    ConservativeOrder,
    /// Searching all epochs again where there are deadlocks, with what numbers hold together: without it what relates
    /// counters and states of threads is known of two at a time.
    Combinations,
    /// Epochs say how many threads start where, not which ones (3.4.1.3): without it a permutation of threads is
    /// another epoch.
    SymbolicThreads,
    /// Executing code as it is written: without it the one who loads the program has code duplicated (3.4.1.4).
    CodeDuplication,
    /// Ignoring the locks that the C library holds inside (3.4.1.2): without it the one who loads the program has it
    /// synchronise on those of streams.
    LibrarySync,
    /// Placing fewer epoch markers than one in each loop that synchronises (3.3.1).
    MarkerPruning,
}

//! Numeric limits of slicing, and why each is there.

/// Limits; each protects from work that grows with the program or its runs.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Budgets {
    /// Events of an execution of a loop from which on it is worth to pass over it as a whole. Changes no result.
    pub(crate) least_run_events: usize,
    /// Ranges of bytes written by an execution of a loop that are kept apart; beyond that, one for each object.
    /// Protects memory.
    pub(crate) run_ranges: usize,
    /// Ranges of one object that the summary of a function keeps apart; beyond that, any byte of it may be written.
    pub(crate) write_ranges: usize,
    /// Events of other threads, and of other loads, that are passed when looking for a load.
    pub(crate) reload_events: usize,
    /// Events of a trace of which slices are computed twice where assertions are checked. Changes no result.
    pub(crate) compared_events: usize,
    /// Operations that a test of a loop is computed with inside of it, for the loop to be seen as one that goes round
    /// for ever.
    pub(crate) test_operations: usize,
    /// Events of a trace between two looks whether there is time left.
    pub(crate) events_between_looks: usize,
    /// Branches of one path that only correct a number and count as decisions. Each may double the number of paths.
    pub(crate) corrections: u32,
    /// Instructions of a side of such a branch.
    pub(crate) correction_instructions: usize,
}

/// The limits that hold.
pub(crate) const BUDGETS: Budgets = Budgets {
    least_run_events: 48,
    run_ranges: 256,
    write_ranges: 32,
    reload_events: 256,
    compared_events: 1 << 14,
    test_operations: 16,
    events_between_looks: 1 << 12,
    corrections: 6,
    correction_instructions: 8,
};

//! The limits of this crate. What goes beyond one is explored no further, and said to be so.
//!
//! Each limit says what it protects, and names a test that fails where the limit is as low as can be: of this crate's
//! `tests/` folder, as `file::test`, or a C test. Where no such test is known, it says so.

/// All limits, each with what it protects and where it shows.
pub(crate) struct Budgets {
    /// Instructions between two looks at the clock.
    ///
    /// Protects time limits, and speed where it is short. Changes no result. No test shows it.
    pub(crate) clock_interval: u64,
    /// Instructions between two looks at the number of terms, where these are limited.
    ///
    /// Protects memory, and loops from being replaced late. No test shows it.
    pub(crate) term_interval: u64,
    /// Rounds of a loop that one question counts for which is hard to the solver.
    ///
    /// Protects time: some hard questions are enough to replace a loop. No test shows it.
    pub(crate) rounds_of_hard_question: u32,
    /// Times as often as about a branch that a path may ask whether an access is in bounds.
    ///
    /// Protects from replacing loops that ask about each access. No test shows it.
    pub(crate) access_questions: u32,
    /// Instructions of the iteration that is tried to see that a replaced loop is never left.
    ///
    /// Protects time: an iteration without a choice is about as long as its code. No test shows it.
    pub(crate) iteration_instructions: u64,
    /// Instructions between two looks at which path a run takes.
    ///
    /// Protects memory for the branches in between, and speed. Changes no result. No test shows it.
    pub(crate) follow_interval: u64,
    /// Instructions of a run without a branch of the program; then it is no longer followed.
    ///
    /// Protects from runs that never end. No test shows it.
    pub(crate) silent_instructions: u64,
    /// Ways in which threads of a run can stand for those of a context.
    ///
    /// Protects time: threads at the same place can stand for each other in any order. No test shows it.
    pub(crate) orders: usize,
}

/// The limits that count.
pub(crate) const BUDGETS: Budgets = Budgets {
    // Paths.
    clock_interval: 1 << 18,
    term_interval: 1 << 14,
    rounds_of_hard_question: 12,
    access_questions: 4,
    iteration_instructions: 1 << 14,
    // Runs that are compared with paths.
    follow_interval: 1 << 10,
    silent_instructions: 1 << 22,
    orders: 24,
};

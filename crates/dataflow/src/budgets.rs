//! The limits of this crate. What goes beyond one is not known, and never wrong.

use std::time::Duration;

/// All limits, each with what it protects and where it shows.
pub(crate) struct Budgets {
    /// Operations inside one another in an expression; what is deeper is a symbol of its own.
    pub(crate) expr_depth: u32,
    /// Operations of an expression, each counted as often as it is an operand.
    pub(crate) expr_size: u32,
    /// Registers that one expression mentions.
    pub(crate) expr_symbols: usize,
    /// Places of one set of facts; more are not remembered.
    pub(crate) places: usize,
    /// Passes over a function in which facts may also change; from then on they are only lost.
    pub(crate) free_passes: u32,
    /// Instructions that are looked back through for a register with the same address.
    pub(crate) equal_window: usize,
    /// Bytes of a copy of memory whose places are followed.
    pub(crate) copied_bytes: u64,
    /// Iterations of a loop that are executed one by one.
    pub(crate) unrolled_iterations: u32,
    /// Instructions that are executed for one outermost loop, all iterations together.
    pub(crate) unrolled_instructions: usize,
    /// Rounds over functions that call one another in which summaries may also change; from then on they only lose
    /// facts.
    pub(crate) summary_free_rounds: u32,
    /// Registers of a callee, besides parameters and what is returned, that a summary gives names.
    pub(crate) summary_names: usize,
    /// Calls inside one another that lead to a register with a name.
    pub(crate) summary_calls: usize,
    /// Loads one after the other that are recognised to load what a caller knows.
    pub(crate) recognised_loads: u32,
    /// Times that a lock is held which are counted; more never come down again.
    pub(crate) lock_holds: i8,
    /// Locks that are told apart in one set.
    pub(crate) locks: usize,
    /// Names of one lock.
    pub(crate) lock_names: usize,
    /// Places of one lock that are told apart; of more, only the objects are.
    pub(crate) lock_places: usize,
    /// Places of all locks without names together; of more, only the objects are known.
    pub(crate) unnamed_lock_places: usize,
    /// Rounds over functions that call one another in which locks keep their names.
    pub(crate) lock_named_rounds: u32,
    /// Bytes of a lock behind the start of its structure, to be named by where this is.
    pub(crate) lock_offset: u64,
    /// Calls inside one another through which the count of a barrier is followed.
    pub(crate) count_calls: u32,
    /// Calls inside one another that are followed to see that a function is called once.
    pub(crate) once_calls: u32,
    /// Operations that are followed to see that a value differs by iteration.
    pub(crate) injective_steps: u32,
    /// Fields of one structure that a thread is handed.
    pub(crate) handed_fields: usize,
    /// Registers of a thread that a field is looked for in.
    pub(crate) handed_registers: usize,
    /// Calls inside one another that are looked into for what threads in step have the same.
    pub(crate) agreement_calls: u32,
    /// Frames of a stack that is followed through models to where the thread waits.
    pub(crate) wait_calls: usize,
    /// Bytes of a variable whose bytes are told apart; of longer ones it is only known whether they are written.
    pub(crate) variable_bytes: u64,
    /// Operations that are followed to a constant that is stored.
    pub(crate) constant_steps: u32,
    /// Rounds of replacing parameters that all calls pass one constant for.
    pub(crate) constant_rounds: u32,
    /// Work that one question to the solver may take, in the time that the solver takes for it.
    pub(crate) question_work: Duration,
    /// Questions to the solver about one loop at a time.
    pub(crate) questions: usize,
    /// Questions about one loop at a time that the solver may leave open.
    pub(crate) open_questions: usize,
    /// Measures in one order.
    pub(crate) ordered_measures: usize,
    /// Instructions of one round.
    pub(crate) round_instructions: usize,
    /// Operations in front of a loop, one of the other, that are followed.
    pub(crate) outside_steps: usize,
    /// Comparisons of a round that suggest measures.
    pub(crate) comparisons: usize,
    /// Parameters of a loop's header that are measures.
    pub(crate) states: usize,
    /// Counters in memory that are followed in one loop.
    pub(crate) memory_cells: usize,
    /// Places of links that a loop follows.
    pub(crate) link_places: usize,
    /// Steps from a stored pointer to what it may be.
    pub(crate) pointer_steps: usize,
}

/// The limits that count.
pub(crate) const BUDGETS: Budgets = Budgets {
    expr_depth: 12,
    expr_size: 48,
    expr_symbols: 8,
    places: 2048,
    free_passes: 8,
    equal_window: 64,
    copied_bytes: 1024,
    unrolled_iterations: 8,
    unrolled_instructions: 1024,
    summary_free_rounds: 4,
    summary_names: 8,
    summary_calls: 3,
    recognised_loads: 4,
    lock_holds: 8,
    locks: 32,
    lock_names: 4,
    lock_places: 64,
    unnamed_lock_places: 256,
    lock_named_rounds: 4,
    lock_offset: 1 << 16,
    count_calls: 8,
    once_calls: 16,
    injective_steps: 8,
    handed_fields: 16,
    handed_registers: 8,
    agreement_calls: 16,
    wait_calls: 12,
    variable_bytes: 1 << 18,
    constant_steps: 6,
    constant_rounds: 3,
    question_work: Duration::from_millis(20),
    questions: 100,
    open_questions: 3,
    ordered_measures: 4,
    round_instructions: 4_000,
    outside_steps: 12,
    comparisons: 24,
    states: 8,
    memory_cells: 16,
    link_places: 256,
    pointer_steps: 16,
};

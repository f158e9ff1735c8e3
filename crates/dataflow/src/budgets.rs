//! The limits of this crate. What goes beyond one is not known, and never wrong.
//!
//! Each limit says what it protects, and names a test that fails where the limit is as low as can be: of this crate's
//! `tests/` folder, as `file::test`. Where no such test is known, it says so.

use std::time::Duration;

/// All limits, each with what it protects and where it shows.
pub(crate) struct Budgets {
    /// Operations inside one another in an expression; what is deeper is a symbol of its own.
    ///
    /// Protects the time of substitution, which every call does for what it takes over. Shows in
    /// `calls::names_go_through_calls_inside_one_another`.
    pub(crate) expr_depth: u32,
    /// Operations of an expression, each counted as often as it is an operand.
    ///
    /// Protects memory and time, since operands that are shared count each time that they are read. Shows in
    /// `calls::what_a_callee_computed_with_has_a_name`.
    pub(crate) expr_size: u32,
    /// Registers that one expression mentions.
    ///
    /// Protects the time in which facts are dropped when a register changes. Shows in
    /// `calls::names_go_through_calls_inside_one_another`.
    pub(crate) expr_symbols: usize,
    /// Places of one set of facts; more are not remembered.
    ///
    /// Protects memory and time of joins in functions that write thousands of places. Shows in
    /// `calls::a_getter_returns_what_the_caller_knows`.
    pub(crate) places: usize,
    /// Passes over a function in which facts may also change; from then on they are only lost.
    ///
    /// Protects termination: a fact that changes for ever would never be lost. Shows in
    /// `control::parameters_of_a_loop_that_swap_are_not_mixed_up`.
    pub(crate) free_passes: u32,
    /// Instructions that are looked back through for a register with the same address.
    ///
    /// Protects time in long blocks. Shows in `c-tests/epochs/heap/lamps_in_table.c`.
    pub(crate) equal_window: usize,
    /// Bytes of a copy of memory whose places are followed.
    ///
    /// Protects time, since each known place of the source is looked up. Shows in
    /// `memory::a_copy_takes_what_is_known_along`.
    pub(crate) copied_bytes: u64,
    /// Iterations of a loop that are executed one by one.
    ///
    /// Protects time of loops that do not end soon. Shows in
    /// `control::short_loops_are_followed_iteration_by_iteration`.
    pub(crate) unrolled_iterations: u32,
    /// Instructions that are executed for one outermost loop, all iterations together.
    ///
    /// Protects time of loops inside one another. Shows in `control::short_loops_are_followed_iteration_by_iteration`.
    pub(crate) unrolled_instructions: usize,
    /// Rounds over functions that call one another in which summaries may also change; from then on they only lose
    /// facts.
    ///
    /// Protects termination of recursions. No test shows it.
    pub(crate) summary_free_rounds: u32,
    /// Registers of a callee, besides parameters and what is returned, that a summary gives names.
    ///
    /// Protects the size of what each caller takes over. Shows in `calls::names_go_through_calls_inside_one_another`.
    pub(crate) summary_names: usize,
    /// Calls inside one another that lead to a register with a name.
    ///
    /// Protects the size of names along chains of calls. Shows in
    /// `calls::a_call_that_is_executed_again_makes_another_activation`.
    pub(crate) summary_calls: usize,
    /// Loads one after the other that are recognised to load what a caller knows.
    ///
    /// Protects time: each step looks at all facts of a summary. Shows in
    /// `calls::what_a_callee_loaded_is_what_the_caller_knows`.
    pub(crate) recognised_loads: u32,
    /// Times that a lock is held which are counted; more never come down again.
    ///
    /// Protects termination of loops that acquire in each iteration. No test shows it.
    pub(crate) lock_holds: i8,
    /// Locks that are told apart in one set.
    ///
    /// Protects time of joins of locksets. Shows in `locks::branches_may_hold_what_either_does`.
    pub(crate) locks: usize,
    /// Names of one lock.
    ///
    /// Protects the size of locksets in loops that hand addresses on. Shows in
    /// `locks::where_ways_meet_a_lock_has_the_name_that_both_hand_on`.
    pub(crate) lock_names: usize,
    /// Places of one lock that are told apart; of more, only the objects are.
    ///
    /// Protects time of unions of points-to sets. Shows in
    /// `locks::a_lock_whose_address_is_lost_is_one_of_those_it_may_be`.
    pub(crate) lock_places: usize,
    /// Places of all locks without names together; of more, only the objects are known.
    ///
    /// Protects time of joins where many locks have lost their names. No test shows it.
    pub(crate) unnamed_lock_places: usize,
    /// Rounds over functions that call one another in which locks keep their names.
    ///
    /// Protects termination of recursions. Shows in `locks::functions_do_it_to_their_parameters`.
    pub(crate) lock_named_rounds: u32,
    /// Bytes of a lock behind the start of its structure, to be named by where this is.
    ///
    /// Protects sense: what is farther away is another object. Shows in
    /// `locks::a_lock_that_is_handed_from_iteration_to_iteration_keeps_a_name`.
    pub(crate) lock_offset: u64,
    /// Calls inside one another through which the count of a barrier is followed.
    ///
    /// Protects termination of recursions. Shows in `barriers::a_variable_counts_while_it_is_not_written`.
    pub(crate) count_calls: u32,
    /// Calls inside one another that are followed to see that a function is called once.
    ///
    /// Protects termination of recursions. Shows in `between::a_loop_that_runs_twice_passes_everything_twice`.
    pub(crate) once_calls: u32,
    /// Operations that are followed to see that a value differs by iteration.
    ///
    /// Protects time of long chains of operations. Shows in `between::threads_of_a_loop_have_arguments_of_their_own`.
    pub(crate) injective_steps: u32,
    /// Fields of one structure that a thread is handed.
    ///
    /// Protects time: each field is looked for in all writes of the program. Shows in
    /// `handed::fields_are_equal_or_count`.
    pub(crate) handed_fields: usize,
    /// Registers of a thread that a field is looked for in.
    ///
    /// Protects the number of relations between threads. Shows in `handed::fields_are_equal_or_count`.
    pub(crate) handed_registers: usize,
    /// Calls inside one another that are looked into for what threads in step have the same.
    ///
    /// Protects the stack in long chains of calls. Shows in
    /// `between::loops_around_waits_with_conditions_that_are_the_same_for_all_are_in_step`.
    pub(crate) agreement_calls: u32,
    /// Frames of a stack that is followed through models to where the thread waits.
    ///
    /// Protects time, since all ways through the models are followed. No test shows it.
    pub(crate) wait_calls: usize,
    /// Bytes of a variable whose bytes are told apart; of longer ones it is only known whether they are written.
    ///
    /// Protects memory: one set of bits for each variable. No test shows it.
    pub(crate) variable_bytes: u64,
    /// Operations that are followed to a constant that is stored.
    ///
    /// Protects time of long chains of operations. No test shows it.
    pub(crate) constant_steps: u32,
    /// Rounds of replacing parameters that all calls pass one constant for.
    ///
    /// Protects time: each round solves points-to sets again. No test shows it.
    pub(crate) constant_rounds: u32,
    /// Work that one question to the solver may take, in the time that the solver takes for it.
    ///
    /// Protects time of nonlinear arithmetic. Shows in `termination::counters::a_counter_that_stays_on_one_path`.
    pub(crate) question_work: Duration,
    /// Bytes of the stack of a thread that proves that a loop ends.
    ///
    /// Protects from terms that are walked recursively in places. No test shows it.
    pub(crate) proof_stack: usize,
    /// Questions to the solver about one loop at a time.
    ///
    /// Protects time of loops with many measures. Shows in `termination::counters::a_bound_that_changes`.
    pub(crate) questions: usize,
    /// Questions about one loop at a time that the solver may leave open.
    ///
    /// Protects time of loops that the solver does not understand. Shows in
    /// `termination::counters::a_counter_that_stays_on_one_path`.
    pub(crate) open_questions: usize,
    /// Squares of the bytes of products of unknown numbers in one question; 64 for one of words of 64 bits.
    ///
    /// Protects time: the solver's limit of work does not count what it takes to make circuits of them. Shows in
    /// `termination::counters::a_bound_that_is_a_quotient`.
    pub(crate) circuits_of_products: u32,
    /// Measures in one order.
    ///
    /// Protects time, since each place in an order is searched among all measures. Shows in
    /// `termination::counters::two_counters_one_of_which_moves`.
    pub(crate) ordered_measures: usize,
    /// Instructions of one round.
    ///
    /// Protects time and memory of terms. Shows in `termination::counters::a_counter_that_stays_on_one_path`.
    pub(crate) round_instructions: usize,
    /// Operations in front of a loop, one of the other, that are followed.
    ///
    /// Protects the size of terms, and the stack. No test shows it.
    pub(crate) outside_steps: usize,
    /// Comparisons of a round that suggest measures.
    ///
    /// Protects the number of questions. Shows in
    /// `termination::counters::an_outer_loop_does_not_depend_on_what_an_inner_one_leaves`.
    pub(crate) comparisons: usize,
    /// Parameters of a loop's header that are measures.
    ///
    /// Protects the number of questions. Shows in
    /// `termination::numbers::sums_that_overflow_are_what_some_ends_rest_on`.
    pub(crate) states: usize,
    /// Counters in memory that are followed in one loop.
    ///
    /// Protects the size of rounds. Shows in `termination::memory::a_counter_in_memory`.
    pub(crate) memory_cells: usize,
    /// Places of links that a loop follows.
    ///
    /// Protects time of the search for stores of links. No test shows it.
    pub(crate) link_places: usize,
    /// Steps from a stored pointer to what it may be.
    ///
    /// Protects the stack, and time where ways join often. No test shows it.
    pub(crate) pointer_steps: usize,
}

/// The limits that count.
pub(crate) const BUDGETS: Budgets = Budgets {
    // Expressions.
    expr_depth: 12,
    expr_size: 48,
    expr_symbols: 8,
    // Reaching definitions.
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
    // Locks.
    lock_holds: 8,
    locks: 32,
    lock_names: 4,
    lock_places: 64,
    unnamed_lock_places: 256,
    lock_named_rounds: 4,
    lock_offset: 1 << 16,
    // Barriers, idioms and waits.
    count_calls: 8,
    once_calls: 16,
    injective_steps: 8,
    handed_fields: 16,
    handed_registers: 8,
    agreement_calls: 16,
    wait_calls: 12,
    // Variables.
    variable_bytes: 1 << 18,
    constant_steps: 6,
    constant_rounds: 3,
    // Termination.
    question_work: Duration::from_millis(20),
    proof_stack: 64 << 20,
    questions: 100,
    open_questions: 3,
    circuits_of_products: 1_000,
    ordered_measures: 4,
    round_instructions: 4_000,
    outside_steps: 12,
    comparisons: 24,
    states: 8,
    memory_cells: 16,
    link_places: 256,
    pointer_steps: 16,
};

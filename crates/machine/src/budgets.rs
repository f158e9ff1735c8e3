//! The limits of this crate. Where one is reached, the path ends and says so, less is known, or another thread goes on.
//!
//! Each limit says what it protects, and names a test that fails where the limit is as low, or as high, as can be: of
//! this crate's `tests/` folder, as `file::test`, a unit test as `module::test`, or a C test. Where no such test is
//! known, it says so.

/// All limits, each with what it protects and where it shows.
pub(crate) struct Budgets {
    /// Activations of one thread: as many as 8 MiB have room for, each of 32 bytes.
    ///
    /// Protects memory where a recursion does not end. Shows in
    /// `machine::calls_return_several_values_and_recursion_works`.
    pub(crate) frames: usize,
    /// Bytes of stack objects of one thread.
    ///
    /// Protects memory where a recursion does not end. Shows in `machine::variable_arguments_lie_in_the_overflow_area`.
    pub(crate) stack_bytes: u64,
    /// Scheduling points, or atomic accesses, that a thread passes in a row while others could run.
    ///
    /// Protects progress where a thread polls. Shows in `machine::a_thread_that_spins_does_not_starve_the_others`.
    pub(crate) scheduling_points: u32,
    /// Instructions without a scheduling point after which another thread goes on.
    ///
    /// Protects progress where a thread polls in a way that is not recognised. Shows in
    /// `machine::spinning_is_recognised_early_and_without_end`.
    pub(crate) fair_instructions: u64,
    /// Instructions between two looks at a deadline that has come.
    ///
    /// Protects speed. No test shows it.
    pub(crate) uninterrupted_instructions: u64,
    /// Instructions without a scheduling point after which a thread is first watched for spinning.
    ///
    /// Protects speed: most loops end before. Shows in `machine::limits_cut_endless_runs`.
    pub(crate) first_spin_look: u64,
    /// Instructions of the longest cycle that is recognised as spinning.
    ///
    /// Protects time of each look. Shows in `machine::spinning_is_recognised_early_and_without_end`.
    pub(crate) spin_cycle: u32,
    /// Times that a path looks whether a thread still goes round for ever.
    ///
    /// Protects termination: several threads could change what each other reads. No test shows it.
    pub(crate) endless_looks: u32,
    /// Polls in a row, of all threads, after which the clock jumps to the earliest deadline.
    ///
    /// Protects time where threads poll until a deadline. No test shows it.
    pub(crate) pauses: u32,
    /// Markers that a path passes before its first state is kept.
    ///
    /// Protects time: most paths that pass markers pass few. No test shows it.
    pub(crate) first_seen_look: u64,
    /// Instructions that a path has executed for each word that is compared.
    ///
    /// Protects speed of long runs. No test shows it.
    pub(crate) instructions_per_word: u64,
    /// Words that are compared in any case.
    ///
    /// Protects speed of long runs. No test shows it.
    pub(crate) free_words: u64,
    /// Bytes of a string that the engine reads for a name or a message.
    ///
    /// Protects time and memory where a string has no end. Shows in `sums::a_sum_with_the_flag_fits` of `explore`.
    pub(crate) string_bytes: u64,
    /// The same of a string in an object of unknown size.
    ///
    /// Protects time: each byte is a symbol. No test shows it.
    pub(crate) unknown_string_bytes: u64,
    /// Bytes that models follow a string for in an object of unknown size.
    ///
    /// Protects the number of questions to the solver. No test shows it.
    pub(crate) unknown_room: u64,
    /// Bytes that are copied or filled one by one because not all are constant.
    ///
    /// Protects time limits: nobody looks at the clock in between. Shows in `c-tests/schedules/grown_buffer.c`.
    pub(crate) symbolic_copy_bytes: u64,
    /// Pieces, of one to eight bytes, that a copy of unknown length writes by conditions.
    ///
    /// Protects the size of terms. No test shows it.
    pub(crate) conditional_pieces: u64,
    /// Bytes that one instruction makes indeterminate behind a memory error.
    ///
    /// Protects memory: each byte is a symbol. Shows in `c-tests/memory-errors/index_both_ways.c`.
    pub(crate) indeterminate_bytes: u64,
    /// Runs of undefined bytes that are told apart in an object that is read at an unknown offset.
    ///
    /// Protects the number of questions to the solver. No test shows it.
    pub(crate) undefined_runs: usize,
    /// Dead objects whose ids are not yet used again.
    ///
    /// Protects memory; where it is low, uses after free are missed. Shows in
    /// `machine::ids_of_dead_objects_come_back_late`.
    pub(crate) dead_objects: u32,
    /// Bytes of an object that is one piece in a domain whose states do not fork.
    ///
    /// Protects memory of programs that allocate more than they use. No test shows it.
    pub(crate) flat_object_bytes: usize,
    /// Registers of an activation that are known only for what was computed from them.
    ///
    /// Protects the size of states that begin an epoch. Shows in
    /// `liveness::what_a_live_value_was_computed_from_is_known`.
    pub(crate) live_sources: usize,
    /// Instructions between two looks at the limits of a plain run.
    ///
    /// Protects time limits, and speed where it is short. Changes no result. No test shows it.
    pub(crate) exec_interval: u64,
    /// Bytes that one read of what only looks empty may give; other files give what is left of them.
    ///
    /// Protects memory where a program asks for more. No test shows it.
    pub(crate) host_read_bytes: u64,
    /// Characters of a symbolic offset in a message.
    ///
    /// Protects who reads it. Shows in `machine::memory_errors_are_told_apart`.
    pub(crate) offset_text: usize,
    /// Characters of an offset and of a symbolic size where both are told.
    ///
    /// Protects who reads it. No test shows it.
    pub(crate) size_text: usize,
}

/// The limits that count.
pub(crate) const BUDGETS: Budgets = Budgets {
    // Threads.
    frames: 8 << 20 >> 5,
    stack_bytes: 64 << 20,
    scheduling_points: 128,
    fair_instructions: 10_000_000,
    uninterrupted_instructions: 1 << 10,
    first_spin_look: 1 << 16,
    spin_cycle: 512,
    endless_looks: 8,
    pauses: 1 << 10,
    // Coming back to a state.
    first_seen_look: 16,
    instructions_per_word: 4,
    free_words: 1 << 16,
    // Memory.
    string_bytes: 1 << 20,
    unknown_string_bytes: 1 << 12,
    unknown_room: 24,
    symbolic_copy_bytes: 1 << 22,
    conditional_pieces: 1024,
    indeterminate_bytes: 1 << 12,
    undefined_runs: 16,
    dead_objects: 1 << 18,
    flat_object_bytes: 64 << 20,
    live_sources: 16,
    // Outside.
    exec_interval: 1 << 22,
    host_read_bytes: 1 << 24,
    offset_text: 80,
    size_text: 40,
};

//! The limits of this crate. What goes beyond one is told apart less well, and never missed.
//!
//! Each limit says what it protects, and names a test that fails where the limit is as low as can be: of this crate's
//! `tests/` folder, as `file::test`. Where no such test is known, it says so.

/// All limits, each with what it protects and where it shows.
pub(crate) struct Budgets {
    /// Single offsets of one object that are told apart; with more, offsets count modulo the size of its elements.
    ///
    /// Protects time: an access at an unknown offset reaches all of them. Shows in
    /// `rules::arithmetic::constant_distances_are_added`.
    pub(crate) offsets: u32,
    /// Strides in one object that are told apart; more become their greatest common divisor.
    ///
    /// Protects time of finding which accesses overlap. Shows in
    /// `rules::bounds::too_many_strides_of_an_object_are_their_common_divisor`.
    pub(crate) strides: usize,
    /// Kinds of accesses with strides in one object; with more, its offsets are folded.
    ///
    /// Protects time, which is quadratic in the kinds. Shows in
    /// `rules::bounds::too_many_kinds_of_strided_accesses_fold_an_object`.
    pub(crate) strided_accesses: usize,
    /// Places, one behind the other, that a pointer moves on to and that are told apart.
    ///
    /// Protects the number of locations of large arrays. Shows in
    /// `rules::strides::an_index_that_is_not_negative_stays_in_front_of_the_end`.
    pub(crate) onward_steps: u64,
    /// Constants in one set that point nowhere; a set with more counts as having all.
    ///
    /// Protects the size of sets. Shows in `rules::bounds::many_constants_without_pointers_count_as_one`.
    pub(crate) plain_constants: u64,
    /// Sets that are kept beside twice those in use before unused ones are freed.
    ///
    /// Protects speed: freeing looks at all sets. Changes no result. No test shows it.
    pub(crate) unused_sets: usize,
    /// Calls, one inside of the other, that a function is analysed for each by itself.
    ///
    /// Protects time: instances multiply along chains of calls. Shows in
    /// `rules::clones::a_helper_has_few_instructions`.
    pub(crate) clone_depth: u32,
    /// Instructions that are analysed more than once, all instances together.
    ///
    /// Protects time and memory of large programs. Shows in `rules::clones::a_helper_has_few_instructions`.
    pub(crate) cloned_instructions: usize,
    /// Instructions of a function of the models that is analysed once per call.
    ///
    /// Protects time. Shows in `rules::clones::a_large_model_is_analysed_once`.
    pub(crate) cloned_model: usize,
    /// Instructions of a function of the program that returns new objects and is analysed once per call.
    ///
    /// Protects time. Shows in `rules::clones::calls_of_a_function_that_returns_new_objects_make_one_each`.
    pub(crate) cloned_wrapper: usize,
    /// Instructions of another helper that is analysed once per call.
    ///
    /// Protects time. Shows in `rules::clones::a_helper_has_few_instructions`.
    pub(crate) cloned_helper: usize,
    /// Constants that an integer may be and that are told apart.
    ///
    /// Protects the number of offsets an index leads to. Shows in
    /// `rules::indices::one_of_a_few_constants_is_that_many_offsets`.
    pub(crate) integer_values: usize,
    /// Instructions, one of the other, that are computed anew from what conditions say.
    ///
    /// Protects time of each use. Shows in `rules::indices::loops_with_few_rounds_give_few_offsets`.
    pub(crate) condition_operations: u32,
    /// Conditions of a block or edge that are kept, the nearest first.
    ///
    /// Protects time and memory of deeply nested code. Shows in
    /// `rules::indices::loops_with_few_rounds_give_few_offsets`.
    pub(crate) conditions: usize,
    /// Operators inside one another that are looked through in a condition.
    ///
    /// Protects time of shared operands. Shows in `failing::behind_a_test_for_null_nothing_fails`.
    pub(crate) failing_depth: u32,
    /// Widths of accesses that are told apart; with more, wide ones are rounded up to powers of two.
    ///
    /// Protects time of comparing what is accessed. Shows in `modref::stores_write_as_many_bytes_as_their_value_has`.
    pub(crate) widths: usize,
    /// Places that the base of an address may be at, to be asked in place of the address.
    ///
    /// Protects time of each access. Shows in `modref::an_index_that_was_a_byte_reaches_a_byte_far`.
    pub(crate) bases: u64,
    /// Nodes between two questions whether the solver is to stop.
    ///
    /// Protects speed where it is short. Changes no result. Shows in
    /// `rules::bounds::solving_can_be_stopped_within_a_wave`.
    pub(crate) interrupt_interval: u32,
}

/// The limits that count.
pub(crate) const BUDGETS: Budgets = Budgets {
    // Objects.
    offsets: 512,
    strides: 6,
    strided_accesses: 48,
    onward_steps: 16,
    plain_constants: 16,
    unused_sets: 4_096,
    // Functions that are analysed more than once.
    clone_depth: 4,
    cloned_instructions: 1_000_000,
    cloned_model: 250,
    cloned_wrapper: 100,
    cloned_helper: 24,
    // Integers and conditions.
    integer_values: 16,
    condition_operations: 3,
    conditions: 8,
    failing_depth: 4,
    // Effects.
    widths: 24,
    bases: 64,
    // Stopping.
    interrupt_interval: 256,
};

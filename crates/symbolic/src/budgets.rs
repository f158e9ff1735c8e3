//! The limits of this crate. What goes beyond one is known less well, asked of the solver, cut, or told in a note.
//!
//! Each limit says what it protects, and names a test that fails where the limit is as low, or as high, as can be: a
//! unit test as `module::test`, or a C test. Where no such test is known, it says so.

/// All limits, each with what it protects and where it shows.
pub(crate) struct Budgets {
    /// Objects of an epoch that are made again from a file.
    ///
    /// Protects from a file that asks for all memory in one line. Shows in the driver's
    /// `verify::stored::names_that_stand_for_nothing`.
    pub(crate) repeated_roots: usize,
    /// Alternatives of one address; with more, objects are decided one by one.
    ///
    /// Protects the size of what each access through the address becomes. Shows in
    /// `symbolic::a_choice_of_objects_is_guarded_and_null_is_excluded`.
    pub(crate) address_alternatives: usize,
    /// Terms that are visited while one address is walked.
    ///
    /// Protects time where choices between addresses are shared. Shows in
    /// `symbolic::an_index_must_be_inside_its_object`.
    pub(crate) address_terms: u32,
    /// Objects that one synchronisation may be on without a choice among them.
    ///
    /// Protects the number of pairs of events that are ordered. Shows in `c-tests/epochs/locks/own_lock_of_two.c`.
    pub(crate) sync_objects: usize,
    /// Known objects that an unknown pointer is compared with; with more it is taken to point to none, and a note says
    /// so.
    ///
    /// Protects the size of each access through the pointer. No test shows it.
    pub(crate) aliases: usize,
    /// Bytes that an element has at least whose place in an array is told apart by a pointer to it.
    ///
    /// Protects from one alternative for each number in an array. No test shows it.
    pub(crate) element_bytes: u64,
    /// Elements of an array that a pointer into it tells apart.
    ///
    /// Protects the number of alternatives of the pointer. No test shows it.
    pub(crate) elements_by_pointer: u64,
    /// Literals of a conjunction that is simplified; longer ones stay as they are.
    ///
    /// Protects time, since literals are compared in pairs. Shows in
    /// `symbolic::a_branch_free_string_comparison_is_a_condition_on_bytes`.
    pub(crate) literals: usize,
    /// Choices inside one another that an operation is moved into.
    ///
    /// Protects the stack. Shows in `symbolic::a_character_class_is_a_range`.
    pub(crate) nested_choices: u32,
    /// Multiples of a period that are looked at for whether an interval has a value.
    ///
    /// Protects time: intervals may be as long as addresses. Shows in
    /// `integer::a_field_of_an_element_is_no_other_field_of_any`.
    pub(crate) periods: i128,
    /// Sums and products inside one another that say what values a term has.
    ///
    /// Protects the stack, and time of shared terms. Shows in `integer::a_bounded_index_keeps_its_stride`.
    pub(crate) sum_depth: u32,
    /// Terms below one whose only value is looked for.
    ///
    /// Protects time, since ranges of all of them are computed. No test shows it.
    pub(crate) pinned_terms: usize,
    /// Slots that an access is split into.
    ///
    /// Protects the size of terms: each slot is an arm. No test shows it.
    pub(crate) slots: usize,
    /// Slots of a table that is read as a choice between runs of equal values.
    ///
    /// Protects time: each read goes through the whole table. Shows in `symbolic::a_character_class_is_a_range`.
    pub(crate) table_slots: usize,
    /// Runs of equal values that a table is read as.
    ///
    /// Protects the size of terms. Shows in `symbolic::a_character_class_is_a_range`.
    pub(crate) table_runs: usize,
    /// Earlier reads that a read at an unknown offset is compared with.
    ///
    /// Protects the number of conditions, which is quadratic in the reads. No test shows it.
    pub(crate) linked_reads: usize,
    /// Writes at unknown offsets behind which it is still said what a place holds.
    ///
    /// Protects the size of the choice between them. Shows in `c-tests/epochs/semaphores/docks_by_turn.c`.
    pub(crate) chosen_writes: usize,
    /// Writes that are looked at for those that may have changed a place.
    ///
    /// Protects time of each read. Shows in `c-tests/epochs/semaphores/docks_by_turn.c`.
    pub(crate) examined_writes: usize,
    /// Elements that are looked at for whether nearly all of an array hold the same.
    ///
    /// Protects time of reads of large arrays. Shows in `c-tests/epochs/locks/particles_over_borders.c`.
    pub(crate) known_elements: usize,
    /// Prefix, in bytes, of an array of unknown length that is scanned in the same way.
    ///
    /// Protects time of reads of arrays of unknown length. Shows in `c-tests/epochs/locks/locks_of_a_grid.c`.
    pub(crate) prefix_bytes: u64,
    /// Elements of an array whose subscripts are shown to be in range.
    ///
    /// Protects from terms that say nothing: a larger array is no narrower than its subscript. No test shows it.
    pub(crate) subscripts: u64,
    /// Distances at which two elements would overlap that are listed.
    ///
    /// Protects time where elements are large. No test shows it.
    pub(crate) overlaps: usize,
    /// Distances between a write and a read at which they may overlap that are told apart.
    ///
    /// Protects time where writes are long. No test shows it.
    pub(crate) distances: usize,
    /// Writes that may concern a read which is not deferred, and that are looked at to find the one it reads.
    ///
    /// Protects the size of terms that no decision may ever depend on. No test shows it.
    pub(crate) immediate_writes: usize,
    /// Writes of constants that are passed because they are elsewhere.
    ///
    /// Protects time of reads behind many writes. No test shows it.
    pub(crate) constant_writes: usize,
    /// Bytes that are compared one by one to find that a loop begins as it did before.
    ///
    /// Protects time and memory of each loop that is entered. No test shows it.
    pub(crate) compared_bytes: u64,
    /// Words at constant offsets by which the contents of an object are told apart.
    ///
    /// Protects time of comparing what loops began with. Shows in `c-tests/epochs/barriers/all_agree.c`.
    pub(crate) compared_cells: usize,
    /// Bytes that one loop goes through; with more, all of the object counts as reached.
    ///
    /// Protects from sums that no object is large enough for. No test shows it.
    pub(crate) loop_extent: u64,
    /// Operations, one of the other, that are followed to what a loop does not change.
    ///
    /// Protects the stack and time. No test shows it.
    pub(crate) loop_operations: u32,
    /// Elements that are read in search of the zero where a loop ends.
    ///
    /// Protects time of loops over long texts. No test shows it.
    pub(crate) scanned_elements: u64,
    /// Numbers from which on a counter of 64 bits might be counted to its end.
    ///
    /// Protects truth: only below is it said that a counter does not overflow. No test shows it.
    pub(crate) counter_start: i64,
    /// Bytes of an object in which what a loop does not write is written anew.
    ///
    /// Protects time and memory at each loop that is replaced. No test shows it.
    pub(crate) forgotten_bytes: u64,
    /// Bytes that the path has written into an object of which parts are forgotten.
    ///
    /// Protects memory, since all of them are copied. Shows in `c-tests/epochs/subscripts/door_behind_seats.c`.
    pub(crate) written_bytes: usize,
    /// Ranges of a large object that one loop forgets; with more, it forgets all.
    ///
    /// Protects time of reads behind the loop. Shows in `c-tests/epochs/subscripts/door_behind_seats.c`.
    pub(crate) forgotten_ranges: usize,
    /// Bytes of a part of the text before it is cut.
    ///
    /// Protects memory: guards repeat what they guard. Shows in `print::comparisons_with_zero_read_as_written`.
    pub(crate) text_bytes: usize,
    /// Nodes that are printed before the text is cut.
    ///
    /// Protects who reads it, since terms share what text repeats. Shows in
    /// `print::text_stays_bounded_for_shared_terms`.
    pub(crate) printed_nodes: u32,
    /// Operations inside one another that are printed.
    ///
    /// Protects the stack. Shows in `print::comparisons_with_zero_read_as_written`.
    pub(crate) printed_depth: u32,
    /// Terms that are looked at in search of a division by zero.
    ///
    /// Protects time of large conditions. No test shows it.
    pub(crate) divisor_terms: usize,
    /// Expressions of one text whose values are computed for all bytes.
    ///
    /// Protects time: each costs 256 evaluations. Shows in `c-tests/inputs/letters_of_any_case.c`.
    pub(crate) tabulated: u32,
    /// Terms of such an expression.
    ///
    /// Protects time of each evaluation. Shows in `c-tests/inputs/letters_of_any_case.c`.
    pub(crate) tabulated_terms: usize,
    /// Terms that such an expression has at least, unless it reads a table.
    ///
    /// Protects short conditions from being rewritten. No test shows it.
    pub(crate) plain_terms: usize,
    /// Characters up to which such an expression is printed as it is, unless it reads a table.
    ///
    /// Protects short conditions from being rewritten. No test shows it.
    pub(crate) plain_text: usize,
    /// Intervals that a set of characters is written as.
    ///
    /// Protects who reads it: more are longer than what they stand for. No test shows it.
    pub(crate) intervals: usize,
    /// Bytes of a table that is written as a string literal.
    ///
    /// Protects the length of the text. No test shows it.
    pub(crate) literal_bytes: usize,
}

/// The limits that count.
pub(crate) const BUDGETS: Budgets = Budgets {
    repeated_roots: 1 << 20,
    // Addresses.
    address_alternatives: 64,
    address_terms: 1024,
    sync_objects: 16,
    aliases: 64,
    element_bytes: 16,
    elements_by_pointer: 8,
    // Values.
    literals: 128,
    nested_choices: 64,
    periods: 4,
    sum_depth: 24,
    pinned_terms: 1 << 12,
    // Memory that is not known.
    slots: 64,
    table_slots: 4096,
    table_runs: 64,
    linked_reads: 24,
    chosen_writes: 16,
    examined_writes: 128,
    known_elements: 1 << 10,
    prefix_bytes: 1 << 10,
    subscripts: 1 << 16,
    overlaps: 64,
    distances: 16,
    immediate_writes: 6,
    constant_writes: 256,
    // Summaries of loops and calls.
    compared_bytes: 1 << 12,
    compared_cells: 1 << 10,
    loop_extent: 1 << 40,
    loop_operations: 4,
    scanned_elements: 1 << 12,
    counter_start: 1 << 62,
    forgotten_bytes: 1 << 12,
    written_bytes: 1 << 16,
    forgotten_ranges: 16,
    // Printing as C.
    text_bytes: 1 << 16,
    printed_nodes: 3000,
    printed_depth: 120,
    divisor_terms: 4096,
    tabulated: 16,
    tabulated_terms: 8192,
    plain_terms: 8,
    plain_text: 60,
    intervals: 8,
    literal_bytes: 4096,
};

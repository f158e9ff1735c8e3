//! All numeric limits of this crate: what each protects, and which test shows that it matters.
//!
//! Only what is known less well depends on them: a fact that is not looked for is not said. All are counts, so that
//! results do not depend on clocks. "No test" means that none is known to fail if the limit is half of what it is.

/// The limits of the crate.
#[derive(Copy, Clone, Debug)]
pub struct Budgets {
    /// Most addresses that one place may hold: each access through it tells them apart. Shown by: unit test
    /// `what_two_shapes_say_is_one_of_what_each_says`.
    pub choices: usize,
    /// Pairs of addresses that are looked at for whether they differ: each is a question to the solver. Shown by:
    /// `c-tests/epochs/threads/bells_of_two.c` needs two.
    pub distinct_pairs: usize,
    /// Most numbers in one column of a relation: more say that it counts. Shown by: unit test `tables_stay_small`.
    pub column_values: usize,
    /// Most columns that are numbers, at the end of one path: the solver gives one model for each row. Shown by: no
    /// test.
    pub number_columns: usize,
    /// Most columns that say which thread is which, at the end of one path. Shown by: no
    /// test.
    pub identity_columns: usize,
    /// Most rows of one relation: a state that begins with it has a condition for each. Shown by: unit test
    /// `tables_stay_small`.
    pub rows: usize,
    /// Columns that are looked at where two shapes are joined: time of a join. Shown by: no test.
    pub candidate_columns: usize,
    /// How many bytes before or behind a number constants may limit it: farther ones belong to something else. Shown
    /// by: unit test `a_number_beside_a_constant_is_limited_by_it`.
    pub neighbourhood: u64,
    /// Different terms that sums are made of: elimination is cubic in them. Shown by: no test.
    pub equation_atoms: usize,
    /// Operations in one sum that are looked at: time for each number. Shown by: no test.
    pub sum_operations: usize,
    /// How many elements before the index of a ring are looked at: more marks are seldom put in at once. Shown by:
    /// `c-tests/epochs/rings/pipeline_with_end.c` needs some.
    pub elements_before_index: u64,
    /// Rings that are looked at in one state: slices for each. Shown by: no test.
    pub rings: usize,
    /// Terms that are looked at for the constants that one may be. Shown by: no test.
    pub constant_terms: usize,
    /// Most elements that a ring may have: larger constants are seldom lengths. Shown by: no test.
    pub ring_length: u64,
    /// Operations between an element and its array that are looked through. Shown by: no test.
    pub address_steps: usize,
    /// Ring offsets that are looked at in one state: up to nine questions to the solver for each. Shown by: no test.
    pub ring_offsets: usize,
    /// Numbers that inputs choose, beside each constant one, until an object is taken for a table of them: time at
    /// each end. Shown by: no test.
    pub open_numbers: u32,
    /// Operations that a number which is compared is computed by. Shown by: no test.
    pub number_steps: usize,
    /// Locations that a number is read from: of more, few are meant. Shown by: no test.
    pub locations: usize,
    /// Elements of an array whose numbers are told apart. Shown by: `c-tests/epochs/rings/belts_in_one_allocation.c`
    /// needs some.
    pub elements_told_apart: usize,
    /// Objects from the heap that are looked at for one pair of threads: there are quadratically many pairs. Shown
    /// by: no test.
    pub aligned_objects: usize,
    /// Most numbers that bounds are looked for at: questions to the solver are logarithmic in them, steps of widening
    /// linear. Shown by: no test.
    pub thresholds: usize,
    /// No further apart is a number from a bound of another one that it is the sum or the difference of: generators
    /// of random numbers add larger ones. Shown by: no test.
    pub farthest_step: u64,
    /// The elements of an array of locks that are looked at. Shown by: no test.
    pub lock_elements: usize,
    /// Bytes at the start of an object that are looked at; behind them, those that are synchronised on. Time at each
    /// end. Shown by: no test.
    pub bytes: u64,
    /// How far outside of its object an address is taken for one: two numbers of 32 bits behind each other may look
    /// like one that is much farther outside, as no pointer of C is. Shown by: no test.
    pub bytes_outside: i64,
    /// Objects from the heap that are looked at. Time at each end, and objects in each state that begins. Shown by:
    /// no test.
    pub objects: usize,
    /// Numbers of one byte in four bytes that are looked at: in a text there are many, and they are facts that nobody
    /// needs. Shown by: no test.
    pub single_bytes: usize,
    /// Most fields of an object that are told apart. Shown by: unit tests of `fields.rs`.
    pub fields: usize,
    /// How often numbers in fields of an object are given up before all numbers in it are: each time an epoch is
    /// searched again. Shown by: no test.
    pub field_losses: u32,
    /// From how many bytes on numbers that are known, and that a loop may write anywhere among, are a table. Shown
    /// by: unit tests of `fields.rs`.
    pub table_bytes: usize,
    /// Terms that are looked at to find the addresses that one may be. Shown by: no test.
    pub address_terms: usize,
    /// Most constants that one of them may be: they are combined with each other. Shown by: no test.
    pub address_constants: usize,
    /// Semaphores in an array, and in all, that are looked at. Shown by: no test.
    pub semaphores: usize,
    /// Pairs of numbers that are looked at in one state: questions to the solver for each. Shown by:
    /// `c-tests/epochs/numbers/tallest_of_all.c`, and unit test `what_is_compared_comes_before_what_is_chosen_from`.
    pub compared_pairs: usize,
    /// And of those that the program divides for what remains. Shown by: no test.
    pub divided_pairs: usize,
    /// Largest number that is shown to be one by its term: arrays of that many elements are large. Shown by: no test.
    pub index: i64,
}

/// The limits in use.
pub const BUDGETS: Budgets = Budgets {
    choices: 8,
    distinct_pairs: 16,
    column_values: 8,
    number_columns: 32,
    identity_columns: 24,
    rows: 64,
    candidate_columns: 128,
    neighbourhood: 64,
    equation_atoms: 64,
    sum_operations: 256,
    elements_before_index: 4,
    rings: 8,
    constant_terms: 256,
    ring_length: 1 << 12,
    address_steps: 4,
    ring_offsets: 8,
    open_numbers: 16,
    number_steps: 8,
    locations: 16,
    elements_told_apart: 64,
    aligned_objects: 64,
    thresholds: 64,
    farthest_step: 1 << 16,
    lock_elements: 1 << 12,
    bytes: 1 << 14,
    bytes_outside: 1 << 12,
    objects: 256,
    single_bytes: 2,
    fields: 64,
    field_losses: 4,
    table_bytes: 1 << 10,
    address_terms: 128,
    address_constants: 64,
    semaphores: 16,
    compared_pairs: 96,
    divided_pairs: 8,
    index: 1 << 12,
};

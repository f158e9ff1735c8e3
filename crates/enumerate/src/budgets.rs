//! Numeric limits of the search that no option sets, and why each is there. Where no test is named, none shows it.

use std::time::Duration;

/// Limits; each protects from work that grows with the program or its runs.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Budgets {
    /// Time for one query about a path. Protects from paths that wait for the solver: what is harder is easier to
    /// reason about when loops are summarised.
    pub(crate) solver_on_path: Duration,
    /// Time for one query that only makes a constraint shorter, or finds a fact. Protects the time of an epoch after
    /// its paths.
    pub(crate) solver_on_constraint: Duration,
    /// How often a path asks about a branch that may have one answer only. Protects from loops whose every round asks
    /// the solver.
    pub(crate) questions_of_branch: u32,
    /// Places at which the solver gives up and paths go on nevertheless, before all do. Protects from beginning a path
    /// anew for each of them.
    pub(crate) hopeless_places: usize,
    /// Terms that a loop makes that does not synchronise, before it is summarised. Protects memory, and the solver from
    /// what is too large to reason about.
    pub(crate) loop_terms: usize,
    /// Instructions between two looks at the loops that a path is in; one that it is in at both is summarised. Protects
    /// from executing loops that compute for long.
    pub(crate) long_instructions: u64,
    /// The same in events of a trace: each slice goes through all of them.
    pub(crate) long_events: usize,
    /// Conditions of a conjunction that are tested one by one for being needed. Protects from one query per condition
    /// of a long path.
    pub(crate) conditions_tested: usize,
    /// Disjuncts of a constraint that the solver is asked about; more are merged as they are written. Protects from
    /// queries for each pair.
    pub(crate) disjuncts_tested: usize,
    /// Queries about one constraint that come to the back end. Protects from making shorter what is too large to be
    /// read anyway.
    pub(crate) queries_per_constraint: u64,
    /// An epoch with this many times the paths of [`SearchOptions::conservative_after`](crate::SearchOptions) counts as
    /// one with many schedules, too.
    pub(crate) paths_per_schedule: u64,
    /// Paths for each schedule from which on the loop is summarised that decides most of them.
    pub(crate) many_paths_per_schedule: u64,
    /// Paths of an epoch before it may have many for few schedules. Protects from summarising what a few more paths
    /// would have told.
    pub(crate) many_paths: u64,
    /// How often a path answers one question in a loop that does not synchronise before the loop is summarised.
    /// Protects from rounds that inputs decide one by one.
    pub(crate) loop_rounds: u32,
    /// Activations of a recursion, one inside of the other, from which on it goes round.
    pub(crate) nested_activations: usize,
    /// How often a path goes on that makes many terms which have decided nothing yet. Protects memory.
    pub(crate) undecided_terms: u32,
    /// Sides of branches that decide no synchronisation which are executed for errors there, in one epoch.
    ///
    /// Protects the time of a check. Shows as a reason why the result of a large program is not complete.
    pub(crate) sides_beside: usize,
    /// Paths on which it is asked whether inputs go to such a side.
    ///
    /// Protects from asking on each path for a side that no input goes to. No test shows it.
    pub(crate) tries_of_side: u32,
    /// Instructions of a path that is looked at only for what goes wrong before the process ends.
    pub(crate) exit_instructions: u64,
    /// Early exits of an epoch that are made shorter one by one. Protects from queries for each pair of them.
    pub(crate) simplified_exits: usize,
    /// Early exits of one path that are covered with it; inputs of later ones get paths of their own.
    pub(crate) early_exits: usize,
    /// Other sides of decisions that are executed in one epoch to see whether the process ends there.
    pub(crate) other_sides_in_epoch: usize,
    /// The same for the decisions of one path.
    pub(crate) other_sides_of_path: usize,
    /// Time of jobs that were needed, for each part of time that jobs may take which were begun early and are not.
    /// Changes no result.
    pub(crate) useful_per_wasted: u32,
    /// Time between two looks at limits and progress. Changes no result.
    pub(crate) between_looks: Duration,
    /// How often an epoch's facts get weaker before bounds that still get wider are widened. Protects the fixpoint from
    /// one search per number.
    pub(crate) patience_with_bounds: u32,
    /// How often bounds are widened before they are given up where they are as wide as they may be in the end.
    pub(crate) patience_with_ends: u32,
    /// How often bounds are widened to the next of the thresholds, before to the farthest one.
    pub(crate) patience_with_thresholds: u32,
    /// How often they are before they become as wide as results of masks and remainders get.
    pub(crate) patience_with_results: u32,
    /// How often an epoch's facts get weaker before all numbers in a field are given up that lose some bytes.
    pub(crate) patience_with_fields: u32,
    /// How often an epoch's facts get weaker before numbers are given up that lose some of their bytes.
    pub(crate) patience_with_numbers: u32,
    /// Paths of the second search of all epochs beside those that the first one allows it.
    pub(crate) second_search_more_paths: u64,
    /// Paths of the second search, which knows relations between numbers, for each path of the first one. Protects from
    /// a second search that takes much longer.
    pub(crate) second_search_paths: u64,
    /// Slices of one path for each object with a place whose value is no fact, to find that place. What is not told
    /// apart then is no fact.
    pub(crate) slices_in_object: u32,
    /// Slices of one path that find the objects with places whose values are no facts. Protects from one slice per
    /// object.
    pub(crate) slices_for_objects: u32,
    /// Fields of an object that are told apart then.
    pub(crate) fields_told_apart: usize,
    /// The same where inputs decide how it goes on: sizes without a bound soon make paths that are longer.
    pub(crate) passed_instructions_in_one_way: u64,
    /// Paths of an attempt to search the whole run as one epoch, where inputs decide. Protects from attempts that come
    /// to nothing.
    /// Results differ without it: `c-tests/epochs/whole-runs/few_sizes.c`.
    pub(crate) whole_run_paths: u64,
    /// Markers that threads pass on all paths of such an attempt.
    pub(crate) whole_run_markers: u64,
    /// Instructions on all paths of such an attempt.
    pub(crate) whole_run_instructions: u64,
    /// Questions that the solver has no short answer to, on all paths of such an attempt.
    pub(crate) whole_run_solved: u64,
    /// Paths of an attempt to pass the markers of recursions where inputs decide how they go on.
    pub(crate) recursion_paths: u64,
    /// Markers that threads pass on all of these paths.
    pub(crate) recursion_markers: u64,
    /// How often one branch of one activation may be decided on a path of such an attempt: more seems to have no end.
    pub(crate) whole_run_decisions_of_branch: u32,
    /// Branches that may be decided on a path of such an attempt.
    pub(crate) whole_run_branches: usize,
    /// [`questions_of_branch`](Self::questions_of_branch) of such an attempt.
    pub(crate) whole_run_questions_of_branch: u32,
    /// [`loop_terms`](Self::loop_terms) of such an attempt.
    pub(crate) whole_run_terms: usize,
    /// [`long_instructions`](Self::long_instructions) of such an attempt.
    pub(crate) whole_run_long_instructions: u64,
    /// [`long_events`](Self::long_events) of such an attempt.
    pub(crate) whole_run_long_events: usize,
    /// Questions without a short answer on a path that passes markers: then fewer are passed.
    pub(crate) passed_solved: u64,
    /// Questions without a short answer on one path of such an attempt.
    pub(crate) whole_run_solved_on_path: u64,
    /// Markers that threads pass on one path, at most. Protects from epochs that grow with the length of the run.
    pub(crate) passed_markers: u32,
    /// Instructions on a path that passes markers; where all are passed, from the first decision of an input on.
    pub(crate) passed_instructions: u64,
    /// Parts of the inputs that a node of a schedule tree is made of; with more, the schedules are told flat.
    pub(crate) tree_cells: usize,
    /// Constants that one path has compared numbers with, and their neighbours. Protects the number of bounds that
    /// are tried.
    pub(crate) compared_constants: usize,
    /// By how much the first index may be farther than a count says, or less far: as much as threads have put in or
    /// taken out that was not counted yet. Protects the number of questions for each pair of indices.
    pub(crate) ring_offset: i32,
    /// Semaphores that may count what is in a ring. Protects the number of pairs.
    pub(crate) semaphores_of_ring: usize,
    /// Terms at the end of one path that are found to be one of a few addresses. Protects the number of questions at
    /// the end of a path.
    pub(crate) chosen_addresses: usize,
    /// Those of them that are computed from a number, which may have many values. Protects from numbers with many
    /// values.
    pub(crate) computed_addresses: usize,
    /// How far numbers may be from each other that are tried. Most of those between may be left out. Protects the
    /// number of rows of a table.
    pub(crate) column_span: u64,
    /// How far two numbers are apart whose difference is tried. Protects the number of columns that are tried.
    pub(crate) column_distance: u64,
    /// Assignments that are looked for at the end of one path. Protects from tables that are found row by row.
    pub(crate) models_of_path: usize,
    /// Sums that are taken not to overflow, for one of them. Protects the size of one question.
    pub(crate) sums_without_overflow: usize,
    /// Terms at the end of one path of which bounds are looked for. Protects the number of questions at the end of a
    /// path.
    pub(crate) bounded_terms: usize,
    /// Most operations in what a semaphore counts: a choice, where inputs choose among several. Protects the time of
    /// one question.
    pub(crate) permit_operations: usize,
    /// Remainders of one term that are looked at. Protects the number of cases.
    pub(crate) remainders_of_term: usize,
    /// Products of one path that are looked at. Protects the number of questions at the end of a path.
    pub(crate) products_of_path: usize,
    /// Conditions by which one term is chosen that are asked about. Protects the number of questions for one term.
    pub(crate) choice_conditions: usize,
    /// Choices in one another that are settled. Protects from twice as many cases for each choice.
    pub(crate) nested_choices: usize,
    /// Larger terms are left as they are. Protects the time of one simplification.
    pub(crate) simplified_nodes: usize,
    /// Numbers that equations are looked for between, of one path. Protects from a number of pairs that is its
    /// square.
    pub(crate) equation_numbers: usize,
    /// Pairs of numbers that are on one side of each other and may be equal, of one path. Protects the number of
    /// questions at the end of a path.
    pub(crate) ordered_pairs: usize,
    /// Most operations in a term that is asked about. Protects the time of one question.
    pub(crate) term_operations: usize,
    /// Constants that an element of a ring may hold. Protects the number of questions for one ring.
    pub(crate) element_constants: usize,
    /// Ends of paths that wait for a thread. Each has a copy of the terms. An epoch that is searched again, because a
    /// loop is to be replaced, mostly is so before there are more, and then nobody has looked at them in vain.
    /// Protects memory.
    pub(crate) waiting_ends: usize,
    /// Conditions of one path that are asked about before slices are computed. Protects the time before slices are
    /// there.
    pub(crate) conditions_before_slices: usize,
}

/// The limits that hold.
pub(crate) const BUDGETS: Budgets = Budgets {
    solver_on_path: Duration::from_millis(200),
    solver_on_constraint: Duration::from_millis(200),
    questions_of_branch: 24,
    hopeless_places: 16,
    loop_terms: 20_000,
    long_instructions: 1 << 24,
    long_events: 1 << 19,
    conditions_tested: 48,
    disjuncts_tested: 24,
    queries_per_constraint: 64,
    paths_per_schedule: 4,
    many_paths_per_schedule: 16,
    many_paths: 128,
    loop_rounds: 12,
    nested_activations: 2,
    undecided_terms: 64,
    sides_beside: 4096,
    tries_of_side: 8,
    exit_instructions: 1 << 20,
    simplified_exits: 64,
    early_exits: 64,
    other_sides_in_epoch: 64,
    other_sides_of_path: 8,
    useful_per_wasted: 20,
    between_looks: Duration::from_millis(50),
    patience_with_bounds: 2,
    patience_with_ends: 4,
    patience_with_thresholds: 4,
    patience_with_results: 6,
    patience_with_fields: 6,
    patience_with_numbers: 3,
    second_search_more_paths: 256,
    second_search_paths: 3,
    slices_in_object: 32,
    slices_for_objects: 256,
    fields_told_apart: 64,
    passed_instructions_in_one_way: 1 << 21,
    whole_run_paths: 32,
    whole_run_markers: 1024,
    whole_run_instructions: 1 << 18,
    whole_run_solved: 16,
    recursion_paths: 64,
    recursion_markers: 2048,
    whole_run_decisions_of_branch: 32,
    whole_run_branches: 256,
    whole_run_questions_of_branch: 64,
    whole_run_terms: 10_000,
    whole_run_long_instructions: 1 << 17,
    whole_run_long_events: 1 << 15,
    passed_solved: 64,
    whole_run_solved_on_path: 3,
    passed_markers: 512,
    passed_instructions: 1 << 22,
    tree_cells: 1024,
    compared_constants: 48,
    ring_offset: 4,
    semaphores_of_ring: 4,
    chosen_addresses: 32,
    computed_addresses: 8,
    column_span: 255,
    column_distance: 8,
    models_of_path: 256,
    sums_without_overflow: 16,
    bounded_terms: 256,
    permit_operations: 256,
    remainders_of_term: 4,
    products_of_path: 8,
    choice_conditions: 16,
    nested_choices: 4,
    simplified_nodes: 64,
    equation_numbers: 24,
    ordered_pairs: 16,
    term_operations: 64,
    element_constants: 4,
    waiting_ends: 12,
    conditions_before_slices: 32,
};

//! All limits of the crate.
//!
//! A limit decides how much work something may be before it is left to others. No limit changes what is true: where one
//! is reached, an answer takes longer or stays open. Each field says what it protects. "Shown by" names a test or a
//! benchmark about what the limit bounds. A field without it has not been measured: it is the first to go.
//!
//! Widths, encodings and probabilities are no limits, and stand where they are used.

use std::time::Duration;

/// The limits in force.
pub(crate) const BUDGETS: Budgets = Budgets {
    terms: TermBudgets { addends: 24, rewrite_depth: 64, arm_nodes: 16, arm_literals: 4, nested_choices: 4 },
    bounds: BoundsBudgets { rounds: 2, depth: 64, ordered_terms: 256 },
    cache: CacheBudgets { entries: 1 << 16, recent_models: 16, remembered_values: 1 << 17, missing_conditions: 3 },
    slicing: SlicingBudgets { scanned_conditions: 48 },
    repair: RepairBudgets { conditions: 12, evaluations: 6_000, descent: 64 },
    propagation: PropagationBudgets { rounds: 4 },
    implied: ImpliedBudgets { rounds: 8, equations: 8 },
    few_values: FewValuesBudgets { nodes: 1024, values: 256, quick: 1 << 12, thorough: 1 << 16 },
    guess: GuessBudgets {
        bases: 3,
        light: GuessEffort { nodes: 2_000, evaluations: 10_000, invert: false },
        hash: GuessEffort { nodes: 2_000, evaluations: 200_000, invert: false },
        deep: GuessEffort { nodes: 50_000, evaluations: 8_000_000, invert: true },
        single: 6,
        parts: 16,
        constants: 24,
        common: 256,
        wanted: 4096,
        extra_rounds: 2,
    },
    local_search: LocalSearchBudgets {
        quick: SearchEffort { nodes: 20_000, evaluations: 5_000 },
        long: SearchEffort { nodes: 50_000, evaluations: 2_000_000 },
        candidates: 3,
        patience: 200,
        descent: 256,
    },
    large: LargeBudgets { least_nodes: 1_000, most_nodes: 50_000, evaluations_per_node: 32 },
    cubes: CubesBudgets { cubes: 16, choices: 256 },
    cases: CasesBudgets { nesting: 2, cases: 1024, shift_amount: 63, dividend: 4, divisors: 8, apart: 8, multiple: 64 },
    relaxation: RelaxationBudgets { compared: 12, apart: 16 },
    patience: PatienceBudgets {
        sets: 64,
        hash_operators: 8,
        own_limit: Duration::from_millis(2500),
        hash_part: 10,
        repeated_part: 2,
        least_limit: Duration::from_millis(60),
        short: Duration::from_millis(40),
        relaxed: Duration::from_millis(300),
        slow: Duration::from_millis(20),
    },
    z3: Z3Budgets {
        timeout: Duration::from_millis(2500),
        float_timeout: Duration::from_secs(5),
        first_attempt: Duration::from_millis(300),
        single_attempt: Duration::from_millis(20),
        clock_factor: 10,
        least_clock: Duration::from_secs(2),
        translated_terms: 2_000_000,
        stacks: 8,
        chosen_dividend: 16,
    },
    integers: IntegersBudgets { units: 50_000, terms: 2_000, factor: 1 << 40, divided_factor: 1 << 16 },
};

/// How much the crate may do, by part.
pub(crate) struct Budgets {
    pub(crate) terms: TermBudgets,
    pub(crate) bounds: BoundsBudgets,
    pub(crate) cache: CacheBudgets,
    pub(crate) slicing: SlicingBudgets,
    pub(crate) repair: RepairBudgets,
    pub(crate) propagation: PropagationBudgets,
    pub(crate) implied: ImpliedBudgets,
    pub(crate) few_values: FewValuesBudgets,
    pub(crate) guess: GuessBudgets,
    pub(crate) local_search: LocalSearchBudgets,
    pub(crate) large: LargeBudgets,
    pub(crate) cubes: CubesBudgets,
    pub(crate) cases: CasesBudgets,
    pub(crate) relaxation: RelaxationBudgets,
    pub(crate) patience: PatienceBudgets,
    pub(crate) z3: Z3Budgets,
    pub(crate) integers: IntegersBudgets,
}

/// Making terms (`terms`).
pub(crate) struct TermBudgets {
    /// Addends of a sum that are kept in canonical order. Protects construction: adding n terms costs n times this.
    /// Shown by `long_sums_keep_one_constant_and_cancel_where_they_can` (`tests/simplify.rs`).
    pub(crate) addends: usize,
    /// Rewrites inside one another. Protects the thread's stack from deep terms.
    /// Shown by `walks_do_not_recurse` (`tests/deep_terms.rs`).
    pub(crate) rewrite_depth: u32,
    /// Nodes of a choice's arm in which the choice's condition is looked for. Protects construction; a store through a
    /// chosen address that a later one undoes is two or three deep.
    /// Shown by `what_is_undone_at_a_chosen_place_leaves_nothing` (`tests/simplify.rs`).
    pub(crate) arm_nodes: u32,
    /// Conditions that the condition of a choice is taken apart into. Protects construction.
    pub(crate) arm_literals: usize,
    /// Choices inside one another whose bounds follow from what one number is compared with. Protects construction.
    /// Shown by `choices_by_their_own_arms_have_all_their_values` (`terms/range_rules.rs`).
    pub(crate) nested_choices: u32,
}

/// What conditions say without a solver (`bounds`).
pub(crate) struct BoundsBudgets {
    /// Times that intervals go over the conditions: what one says may be used by another.
    pub(crate) rounds: usize,
    /// Operators below a term that its interval is computed from. Protects the thread's stack.
    pub(crate) depth: usize,
    /// Terms of an order up to which single comparisons are decided; beyond, contradictions alone.
    pub(crate) ordered_terms: usize,
}

/// What is remembered of earlier queries (`stack/cache.rs`, `stack/recent_models.rs`).
pub(crate) struct CacheBudgets {
    /// Verdicts kept, in two generations of half as many. Protects memory.
    pub(crate) entries: usize,
    /// Models of earlier queries that are tried. Protects the time before anything else is tried.
    pub(crate) recent_models: usize,
    /// Values remembered of each of these models. Protects memory.
    pub(crate) remembered_values: usize,
    /// Newest conditions that may be missing in the query whose model is the path's own: they were implied, and not
    /// asked.
    pub(crate) missing_conditions: usize,
}

/// Independence slicing (`stack/independence.rs`).
pub(crate) struct SlicingBudgets {
    /// Conditions up to which looking at all of them again is cheaper than a table of which mention what.
    pub(crate) scanned_conditions: usize,
}

/// Repairing the path's own model (`search/repair.rs`).
pub(crate) struct RepairBudgets {
    /// Conditions that are repaired.
    /// Shown by `bits_of_one_number` (`tests/repairing.rs`).
    pub(crate) conditions: usize,
    /// Nodes evaluated.
    pub(crate) evaluations: u64,
    /// Terms on the way down from one condition.
    pub(crate) descent: usize,
}

/// Unit propagation (`stack/propagate.rs`).
pub(crate) struct PropagationBudgets {
    /// Times that comparisons decide others once clauses say no more.
    pub(crate) rounds: usize,
}

/// Values that conditions imply (`stack/implied_values.rs`).
pub(crate) struct ImpliedBudgets {
    /// Times that values are put in: each may show new ones.
    pub(crate) rounds: usize,
    /// Equations that are solved for a symbol.
    pub(crate) equations: usize,
}

/// Trying all values of terms that have few (`tactics/few_values.rs`).
pub(crate) struct FewValuesBudgets {
    /// Nodes of a query; a query with more is left alone.
    pub(crate) nodes: usize,
    /// Values of one unknown.
    /// Shown by `a_model_of_bounded_symbols` (`tactics/few_values.rs`).
    pub(crate) values: i128,
    /// Terms evaluated before anything else is tried.
    pub(crate) quick: usize,
    /// Terms evaluated where no model was found.
    pub(crate) thorough: usize,
}

/// Guessing (`search/guess.rs`, `search/invert.rs`).
pub(crate) struct GuessBudgets {
    /// Models that a guess or a local search starts from.
    pub(crate) bases: usize,
    /// Before the back end is asked: less work than asking.
    /// Shown by `branches_on_a_hash_need_no_back_end` (`tests/guessing.rs`).
    pub(crate) light: GuessEffort,
    /// Before the back end is asked about hashes, of which it hardly ever knows anything.
    pub(crate) hash: GuessEffort,
    /// When the back end did not know in a short time.
    /// Shown by `hashes_are_inverted` (`tests/guessing.rs`).
    pub(crate) deep: GuessEffort,
    /// Symbols, and numbers of several symbols, whose values are replaced one at a time.
    pub(crate) single: usize,
    /// Symbols of one number: bytes, mostly.
    pub(crate) parts: usize,
    /// Constants of a query that are tried as values.
    pub(crate) constants: usize,
    /// A condition is solved for if it holds for less than one value of so many.
    pub(crate) common: u128,
    /// Wanted values that are tried of one term.
    /// Shown by `hashes_are_inverted` (`tests/guessing.rs`).
    pub(crate) wanted: u128,
    /// Rounds until a piece of an inverted term must have settled, beyond one for each bit.
    pub(crate) extra_rounds: u32,
}

/// How much work a guess may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GuessEffort {
    /// Nodes of the query; a query with more is left alone.
    pub(crate) nodes: usize,
    /// Nodes evaluated, all assignments together.
    pub(crate) evaluations: u64,
    /// Whether to solve for the rarest condition.
    pub(crate) invert: bool,
}

/// Local search (`search/local_search.rs`).
pub(crate) struct LocalSearchBudgets {
    /// Before the back end is asked.
    /// Shown by `the_owner_of_a_block` (`tests/local_search.rs`).
    pub(crate) quick: SearchEffort,
    /// When the back end did not know in a short time.
    pub(crate) long: SearchEffort,
    /// Moves that are compared before one is made.
    pub(crate) candidates: usize,
    /// Moves after which the search starts again from the next model, if the conditions that fail did not become fewer.
    pub(crate) patience: u32,
    /// Terms on the way down from one condition.
    pub(crate) descent: usize,
}

/// How much work a local search may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchEffort {
    /// Nodes of the query; a query with more is left alone.
    pub(crate) nodes: usize,
    /// Nodes evaluated.
    pub(crate) evaluations: u64,
}

/// Guessing about what is left of a large query (`tactics/large_query.rs`).
#[derive(Clone, Copy)]
pub(crate) struct LargeBudgets {
    /// Nodes from which a query is large.
    pub(crate) least_nodes: usize,
    /// Nodes above which it is too large.
    pub(crate) most_nodes: usize,
    /// Times that each node may be evaluated.
    pub(crate) evaluations_per_node: u64,
}

/// Splitting disjunctions (`tactics/cubes.rs`).
pub(crate) struct CubesBudgets {
    /// Conjunctions without disjunctions that a query is split into.
    pub(crate) cubes: u32,
    /// Choices of a disjunct on the way.
    pub(crate) choices: u32,
}

/// Deciding case by case (`tactics/cases.rs`).
pub(crate) struct CasesBudgets {
    /// Cases of cases.
    pub(crate) nesting: u32,
    /// Cases decided for one query, those of cases among them.
    pub(crate) cases: u32,
    /// The greatest amount of a shift that is told apart.
    /// Shown by `each_amount_is_a_case_unless_it_contradicts_the_terms` (`tactics/cases.rs`).
    pub(crate) shift_amount: u128,
    /// The greatest constant, or its negative, that is divided case by case.
    /// Shown by `large_constants_are_divided_by_nobody_knows_what` (`tactics/cases.rs`).
    pub(crate) dividend: u128,
    /// Values of a divisor that are told apart.
    /// Shown by `what_is_divided_by_a_number_of_few_values` (`tactics/cases.rs`).
    pub(crate) divisors: i128,
    /// How far apart two multiples of one number are, at most, for its values to be told apart.
    /// Shown by `what_divides_neighbours_is_small` (`tactics/cases.rs`).
    pub(crate) apart: u128,
    /// The greatest number of which all divisors are tried.
    pub(crate) multiple: u128,
}

/// Conditions without products and quotients (`tactics/relax.rs`).
pub(crate) struct RelaxationBudgets {
    /// Earlier remainders that each one is compared with.
    pub(crate) compared: usize,
    /// The greatest constant between two dividends, where the divisor is no constant.
    pub(crate) apart: u128,
}

/// What a query deserves (`stack/patience.rs`).
pub(crate) struct PatienceBudgets {
    /// Sets of conditions remembered as given up.
    /// Shown by `what_was_given_up_on_is_not_waited_for_again` (`tests/guessing.rs`).
    pub(crate) sets: usize,
    /// Operators above each other from which a query counts as a hash.
    /// Shown by `quotients_of_quotients_are_not_waited_for` (`tests/guessing.rs`).
    pub(crate) hash_operators: u32,
    /// The solver's own limit where it names none.
    pub(crate) own_limit: Duration,
    /// The solver's own limit is divided by this for hashes: what isn't found then is rarely found in ten times as
    /// much.
    pub(crate) hash_part: u32,
    /// It is divided by this, and by 2 for each failure, for queries that contain what was given up on.
    pub(crate) repeated_part: u32,
    /// Shorter limits are not worth an attempt of their own.
    pub(crate) least_limit: Duration,
    /// The first limit for the back end.
    pub(crate) short: Duration,
    /// The limit for relaxed conditions.
    pub(crate) relaxed: Duration,
    /// Queries that take longer are told of in the log.
    pub(crate) slow: Duration,
}

/// Z3 (`z3_backend`).
pub(crate) struct Z3Budgets {
    /// The default limit of a query.
    pub(crate) timeout: Duration,
    /// The default limit of a query with floats.
    pub(crate) float_timeout: Duration,
    /// The most that the incremental solver gets before a fresh one takes over.
    pub(crate) first_attempt: Duration,
    /// Up to this limit the incremental solver gets all of the time.
    pub(crate) single_attempt: Duration,
    /// Not all of Z3's work is counted: a clock stops a query after so many times its limit.
    pub(crate) clock_factor: u32,
    /// The clock stops no query before this.
    pub(crate) least_clock: Duration,
    /// Translated terms kept before the memory is given back.
    pub(crate) translated_terms: usize,
    /// Incremental solvers at the same time.
    /// Shown by the benchmark rows in `docs/performance.md` about queries that alternate between sets of conditions.
    pub(crate) stacks: usize,
    /// Constants up to this, or its negative, are divided by choosing among results: Z3 needs long for a divider.
    pub(crate) chosen_dividend: u128,
}

/// Sums as integers (`z3_backend/integers.rs`).
pub(crate) struct IntegersBudgets {
    /// Z3's units of work for one query.
    pub(crate) units: u32,
    /// Terms of one query.
    pub(crate) terms: usize,
    /// The greatest factor.
    pub(crate) factor: i128,
    /// The greatest factor, powers of two apart, where something is divided: a generator of random numbers is no matter
    /// for the simplex, which would branch for long.
    pub(crate) divided_factor: u128,
}

//! Numeric limits of what comes before the search, and why each is there. Where no test is named, none shows it.

use icsched_machine::step::Undecided;

/// Limits; each protects from work that grows with the program or its runs.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Budgets {
    /// How long a path may be on which no input has decided anything; see [`UNDECIDED`](crate::UNDECIDED). Protects
    /// from runs without an end: some seconds, and a gigabyte for what is synchronised.
    pub(crate) undecided: Undecided,
    /// Rounds of a loop, by its code alone, with which it is part of an epoch and has no marker. Protects epochs from
    /// getting long.
    pub(crate) short_loop_rounds: u64,
    /// The same if rounds need not synchronise the same: n rounds may go 2 to the power of n ways. Protects from that
    /// many schedules.
    pub(crate) short_choosing_loop_rounds: u64,
    /// Calls, one inside of the other, that are looked into for inputs that a loop reads.
    pub(crate) call_depth: u32,
    /// Conditions of one loop that hold in each of its rounds.
    pub(crate) loop_guards: usize,
    /// Blocks on the way out of a loop that are looked at for where a cursor stands.
    /// Results differ without it: `c-tests/epochs/summaries/scanned_arguments.c`.
    pub(crate) exit_blocks: usize,
    /// Instructions of a loop, one behind the other, that are looked at for what computes an address.
    pub(crate) address_parts: usize,
    /// The largest step of a number of 64 bits that no loop counts to the end of. Protects from taking that for granted
    /// of numbers that may overflow.
    /// Results differ without it: `c-tests/epochs/subscripts/door_behind_seats.c`.
    pub(crate) counter_step: u64,
    /// Eighths of the address space that are used: what is allocated before anybody looks has room in the rest.
    pub(crate) address_space_eighths: u64,
    /// Stacks that would fill the address space: each takes at most that part.
    pub(crate) stacks_in_address_space: u64,
    /// Bytes of the stack of a thread where there is no limit: terms and types are walked recursively in places.
    pub(crate) largest_stack: u64,
    /// Bytes of the smallest stack that is tried.
    pub(crate) smallest_stack: u64,
}

/// The limits that hold.
pub(crate) const BUDGETS: Budgets = Budgets {
    undecided: Undecided { instructions: 1 << 29, events: 1 << 21 },
    short_loop_rounds: 16,
    short_choosing_loop_rounds: 4,
    call_depth: 4,
    loop_guards: 8,
    exit_blocks: 4,
    address_parts: 4,
    counter_step: 1 << 12,
    address_space_eighths: 7,
    stacks_in_address_space: 32,
    largest_stack: 1 << 30,
    smallest_stack: 2 << 20,
};

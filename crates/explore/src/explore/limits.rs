//! What cuts a path.

use std::collections::BTreeSet;
use std::time::Instant;

use icsched_ir::CallStack;

use icsched_machine::step::Undecided;

/// What cuts a path.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Instructions on the path, from where [limits count](icsched_machine::State::counts_from).
    pub instructions: u64,
    /// Decisions on the path with two feasible sides.
    pub decisions: usize,
    /// Conditional branches of the program itself on the path, whatever they depend on (Bergan 2.9.1). As many other
    /// decisions with two feasible sides are allowed beside them, so that what models decide takes nothing away from
    /// the program.
    pub branches: u64,
    /// Synchronisation events on the path, from there.
    pub events: usize,
    /// How long the path may be in front of that.
    pub undecided: Undecided,
    /// Bytes in live objects and in the trace.
    pub memory: u64,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Whether it is asked if errors are possible; if not, paths go on as if they were not.
    pub errors: bool,
    /// Whether a path ends where the solver gives up, but for the places in `hopeless`.
    pub decided: bool,
    /// Where the solver gives up whatever is done about it.
    pub hopeless: BTreeSet<CallStack>,
    /// How often a path asks the solver about one branch of the program, reached by the same calls, before it ends
    /// there; less often what is hard, and four times as often whether one access is in bounds.
    pub rounds: u32,
    /// Terms that a path makes before its strategy is asked whether it has to go on:
    /// [`Strategy::gives_up`](super::Strategy::gives_up).
    pub terms: usize,
    /// Instructions that it executes, or events of its trace, before the same is asked:
    /// [`Strategy::takes_long`](super::Strategy::takes_long).
    pub long: (u64, usize),
    /// Questions of a path that its solver has no short answer to.
    pub solved: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            instructions: u64::MAX,
            decisions: usize::MAX,
            branches: u64::MAX,
            events: usize::MAX,
            undecided: Undecided { instructions: u64::MAX, events: usize::MAX },
            memory: u64::MAX,
            deadline: None,
            errors: true,
            decided: false,
            hopeless: BTreeSet::new(),
            rounds: u32::MAX,
            terms: usize::MAX,
            long: (u64::MAX, usize::MAX),
            solved: u64::MAX,
        }
    }
}

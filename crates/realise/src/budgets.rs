//! The limits of this crate. All are counts, so that the answer is the same on every machine.

/// All limits, each with what it protects and where it shows.
pub(crate) struct Budgets {
    /// Chains that are tried for one schedule.
    ///
    /// Protects from as many chains as an epoch graph has ways. Shows in findings that stay `possible`.
    pub(crate) chains: usize,
    /// Epochs of one chain.
    ///
    /// Protects from chains that go round for ever. Shows in findings deep inside of long runs.
    pub(crate) links: usize,
    /// How often a chain comes to one epoch.
    ///
    /// Protects from the same. The design says 0 to 2 rounds of each loop of the epoch graph.
    pub(crate) rounds: usize,
    /// Runs for one schedule, over all chains.
    ///
    /// Protects the time of a check. Shows in findings that stay `possible`.
    pub(crate) runs: u64,
    /// Runs along one chain: at first, and when all chains were tried.
    ///
    /// Protects from a chain that cannot be followed and takes all runs. Shows in
    /// `c-tests/schedules/status_behind_a_handler.c`, with `check`.
    pub(crate) runs_of_chain: [u64; 2],
    /// Questions about other sides of the decisions of one path.
    ///
    /// Protects from paths that inputs decide at every byte. Shows in the same.
    pub(crate) questions: usize,
    /// Decisions on one path.
    ///
    /// Protects the time of a path: each is compared with all before it. Shows in
    /// `c-tests/epochs/subscripts/goal_behind_the_start.c`, with `check`.
    pub(crate) decisions: usize,
    /// Instructions of one run, or path.
    ///
    /// Protects from runs that do not end. Shows in findings behind long computations.
    pub(crate) instructions: u64,
    /// Instructions between two looks at the limits of the whole run.
    ///
    /// Protects from a slow answer to Ctrl-C. No test shows it.
    pub(crate) slice: u64,
    /// Paths of one search whose decisions are still to be taken the other way.
    ///
    /// Protects memory: each has its terms. Shows in findings that stay `possible`.
    pub(crate) open_paths: usize,
    /// Decisions of a run that are taken the other way to find a good input near it.
    ///
    /// Protects the time of a check. Shows in findings without a near input.
    pub(crate) near: usize,
    /// Other ends of runs that are told, for one search.
    ///
    /// Protects the time of a check: each is made smaller. Shows in findings beside the one that was looked for.
    pub(crate) met: usize,
    /// How often threads may poll while the process is about to end.
    ///
    /// Protects from threads that poll for ever and are not joined. Shows in findings of such threads.
    pub(crate) polls_before_exit: usize,
    /// Runs between two that are looked at byte by byte, while functions of text still have answers.
    ///
    /// Protects the time of a check: a file of bytes makes large terms. Shows in
    /// `c-tests/inputs/lines_as_inputs.c`.
    pub(crate) runs_beside_bytes: usize,
    /// Inputs that wait to be run.
    ///
    /// Protects memory. No test shows it.
    pub(crate) waiting: usize,
}

/// The limits that hold.
pub(crate) const BUDGETS: Budgets = Budgets {
    chains: 8,
    links: 64,
    rounds: 3,
    runs: 300,
    runs_of_chain: [12, 100],
    questions: 200,
    decisions: 20_000,
    instructions: 20_000_000,
    slice: 1 << 18,
    open_paths: 32,
    near: 24,
    met: 4,
    polls_before_exit: 64,
    runs_beside_bytes: 4,
    waiting: 2000,
};

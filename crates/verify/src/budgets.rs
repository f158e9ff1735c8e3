//! The limits of this crate. What goes beyond one is tried and not proved, or told as left open.

/// All limits, each with what it protects and where it shows.
pub(crate) struct Budgets {
    /// Orders of threads with equal stacks that are tried.
    ///
    /// Protects from as many orders as n threads have, n!. No test shows it.
    pub(crate) orders: usize,
    /// How often one question is answered in favour of the shorter side before a loop is left.
    ///
    /// Protects from paths without an end. Shows in `icsched-driver --test it verify::`, in loops that go on.
    pub(crate) shorter_sides: u32,
    /// Rounds of a proof that a constraint covers: each excludes states that there are none of.
    ///
    /// Protects the time of one epoch. No test shows it.
    pub(crate) cover_rounds: usize,
    /// Decisions on the paths of one schedule behind which no further path is begun, if one has followed it.
    ///
    /// Protects the time of schedules with long paths. No test shows it.
    pub(crate) decisions: usize,
    /// Schedules whose constraints are compared pair by pair.
    ///
    /// Protects from a number of questions that is its square. No test shows it.
    pub(crate) compared: usize,
}

/// The limits that hold.
pub(crate) const BUDGETS: Budgets =
    Budgets { orders: 24, shorter_sides: 32, cover_rounds: 400, decisions: 500, compared: 64 };

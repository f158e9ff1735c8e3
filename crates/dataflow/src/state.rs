//! Everything that is known of the concrete states at a context, for all its threads together (Bergan 2.5.1, 2.5.4).

use icsched_pointsto::{ObjectId, Offsets};

use crate::expr::ExprId;
use crate::place::Place;
use crate::reaching::definitions::Definitions;

/// What is said of the initial state. The two options are those that Bergan's evaluation switches off (2.9.1, table
/// 2.1).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Reaching definitions; `-RD` is without.
    pub reaching_defs: bool,
    /// What is known of locks, of barriers and between threads; `-SI` is without.
    pub sync_invariants: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { reaching_defs: true, sync_invariants: true }
    }
}

/// What holds in every concrete state at a context.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct InitialState {
    /// One entry per thread of the context, in its order.
    pub threads: Vec<ThreadFacts>,
    /// Whether the threads' `held` name every lock that is held. If not, any lock may be.
    pub locks_known: bool,
    /// Locks that threads that have ended may have left taken. Their addresses mention no register.
    pub abandoned: Vec<HeldLock>,
    /// `B^cnts`.
    pub barriers: Vec<BarrierCount>,
    /// Every barrier that was initialised expects at least this many. So many of the context's threads may wait at one,
    /// and never more threads do than it expects.
    pub least_expected: u64,
    /// What every barrier that was initialised expects at most, if that is known because [all
    /// threads](crate::Context::none_ended) are in the context.
    pub most_expected: Option<u64>,
    /// What holds between threads.
    pub relations: Vec<Relation>,
}

/// What holds for one thread.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct ThreadFacts {
    /// What its registers and memory hold.
    pub definitions: Definitions,
    /// `L+`: the locks that it may hold. Means nothing unless [`InitialState::locks_known`].
    pub held: Vec<HeldLock>,
    /// What numbers of its are between.
    pub ranges: Vec<Range>,
}

/// `start <= value < bound`, as signed numbers; `start` is not negative.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// An expression over the thread's registers.
    pub value: ExprId,
    /// The least that it may be.
    pub start: u64,
    /// What it is less than; a number, or what a place of a global holds, sign-extended to the width of the value.
    pub bound: Count,
}

/// A lock that a thread may hold.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum HeldLock {
    /// One, so often at most.
    At {
        /// Its address, an expression over the thread's registers.
        lock: ExprId,
        /// How often; `None`: not known.
        times: Option<u8>,
    },
    /// Any one, or several, of those that start at one of these places.
    Within(Vec<(ObjectId, Offsets)>),
}

/// What an initialisation of a barrier may have told it.
///
/// A barrier that has been initialised expects one of the counts of all entries that it is in; what it expects is not
/// known if one of them says [`Count::Any`] or it is in none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BarrierCount {
    /// Where the barriers start that the initialisation may be about.
    pub barriers: Vec<(ObjectId, Offsets)>,
    /// What they are to expect.
    pub count: Count,
}

/// How many threads a barrier may have been told to expect.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Count {
    /// This many.
    Constant(u64),
    /// What this place of a global holds; it has not been written since.
    Place(Place),
    /// Not known.
    Any,
}

/// How two values compare.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RelationKind {
    /// They are the same.
    Equal,
    /// They differ.
    Distinct,
}

/// What holds between two threads of the context, or within one.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Relation {
    /// How they compare.
    pub kind: RelationKind,
    /// The position of a thread in the context, and an expression over its registers.
    pub a: (usize, ExprId),
    /// The position of a thread, and an expression of the same width over its registers.
    pub b: (usize, ExprId),
}

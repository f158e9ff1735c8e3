//! What a value of one round is, as a term.

use icsched_smt::{Term, TermPool};

/// What a pointer is reached from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// A pointer that is the same in all rounds.
    Fixed(Term),
    /// What a parameter of the header holds where the round begins, or, behind these, a counter in memory; by its
    /// index.
    State(usize),
}

/// How a pointer was reached.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Walk {
    /// Nobody knows.
    Unknown,
    /// It is null.
    Null,
    /// It points into the object of its origin, or, where `moved` holds, into one that links lead to from there, one
    /// link at least.
    From {
        /// Where the walk begins.
        origin: Origin,
        /// A truth value.
        moved: Term,
    },
}

/// A value of one round.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Val {
    /// Its bits.
    pub(super) bits: Term,
    /// What holds if the program may depend on it: no sum that it was computed from has overflowed in these rounds
    /// though C says that it does not (LLVM's poison). A truth value.
    pub(super) sound: Term,
    /// Whether it is the same in all rounds.
    pub(super) fixed: bool,
    /// How it was reached, if it is a pointer.
    pub(super) walk: Walk,
}

impl Val {
    /// A value that is computed from nothing that may have overflowed.
    pub(super) fn new(pool: &mut TermPool, bits: Term) -> Self {
        Self { bits, sound: pool.bool(true), fixed: false, walk: Walk::Unknown }
    }

    /// A value that is the same in all rounds.
    pub(super) fn fixed(pool: &mut TermPool, bits: Term) -> Self {
        let moved = pool.bool(false);
        let walk = match pool.as_const(bits) {
            Some(0) => Walk::Null,
            Some(_) => Walk::Unknown,
            None => Walk::From { origin: Origin::Fixed(bits), moved },
        };
        Self { fixed: true, walk, ..Self::new(pool, bits) }
    }

    /// One of two values.
    pub(super) fn choice(pool: &mut TermPool, condition: Term, a: Self, b: Self) -> Self {
        if a == b {
            return a;
        }
        let bits = pool.ite(condition, a.bits, b.bits);
        let sound = pool.ite(condition, a.sound, b.sound);
        Self { bits, sound, fixed: false, walk: Walk::choice(pool, condition, a.walk, b.walk) }
    }
}

impl Walk {
    /// How one of two pointers was reached. Null is behind every list.
    fn choice(pool: &mut TermPool, condition: Term, a: Self, b: Self) -> Self {
        let yes = pool.bool(true);
        let both = |pool: &mut TermPool, origin, a, b| Self::From { origin, moved: pool.ite(condition, a, b) };
        match (a, b) {
            (Self::Null, Self::Null) => Self::Null,
            (Self::From { origin, moved }, Self::Null) => both(pool, origin, moved, yes),
            (Self::Null, Self::From { origin, moved }) => both(pool, origin, yes, moved),
            (Self::From { origin, moved }, Self::From { origin: other, moved: also }) if origin == other => {
                both(pool, origin, moved, also)
            }
            _ => Self::Unknown,
        }
    }
}

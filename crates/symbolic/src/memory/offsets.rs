//! Answers about offsets that are no constants.

use icsched_smt::Term;
use rustc_hash::FxHashMap;

use crate::values::integer::Integers;

/// Numbers that are asked about together.
pub(crate) const PIECE: u64 = u64::BITS as u64;

/// What was asked about offsets.
#[derive(Default, Debug)]
pub(crate) struct Apart {
    /// By offset and number / [`PIECE`]: of which numbers it was asked whether the offset is never equal to them, and
    /// of which that is so.
    pub(crate) never: FxHashMap<(Term, u64), (u64, u64)>,
    /// What numbers offsets may be.
    pub(crate) integers: FxHashMap<Term, Integers>,
    /// How far behind the first offset the second one is, and what numbers that may be.
    pub(crate) distances: FxHashMap<(Term, Term), (Term, Integers)>,
}

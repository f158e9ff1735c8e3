//! What is kept of a counted loop: a test of every iteration.

use crate::affine::Affine;
use crate::entity::{BlockId, ValueId};
use crate::inst::{CastOp, IntPredicate};
use crate::types::Type;

/// How often something happens.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Count {
    /// This often.
    Finite(u64),
    /// Without end.
    Endless,
}

/// A test that lets a loop go on while `x predicate bound`, where `x` is `start + k * step` in iteration `k`, counted
/// from 0, modulo the width of `start`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TripCount {
    /// The edge that is taken when the test fails: block inside, block outside.
    pub exit: (BlockId, BlockId),
    /// The value that is `x`, or that widens it.
    pub tested: ValueId,
    /// What must hold to go on.
    pub predicate: IntPredicate,
    /// `x` in the first iteration.
    pub start: Affine,
    /// What each iteration adds to `x`. It does not change during one run of the loop, but can be zero if symbolic.
    pub step: Affine,
    /// `ZExt` or `SExt` where `x` is narrower than the bound and extended for the test.
    pub extension: Option<CastOp>,
    /// What `x` is compared with; does not change during one run of the loop.
    pub bound: Affine,
}

/// The integer that the bits stand for.
pub(super) fn integer(value: u64, bits: u32, signed: bool) -> i128 {
    let value = i128::from(value & Type::Int(bits as u8).mask());
    if signed && value >> (bits - 1) == 1 { value - (1 << bits) } else { value }
}

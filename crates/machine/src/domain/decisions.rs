//! Questions about inputs: what is not known on a path must be decided before it goes on.

use smallvec::SmallVec;

use crate::memory::{Heap, ObjectId};
use crate::stop::{DecisionKind, Stop};
use crate::values::Values;

/// One object that an address may point into, under a guard.
#[derive(Clone, Debug)]
pub struct Target<V> {
    /// Condition (`i1`) under which the address points here; `None` when it always does.
    pub guard: Option<V>,
    /// The object.
    pub object: ObjectId,
    /// Byte offset in the object, an `i64`. Already known to be in bounds for the access under the guard.
    pub offset: V,
}

/// The targets of one access. Their guards are disjoint and cover all cases.
pub type Targets<V> = SmallVec<[Target<V>; 1]>;

/// Decides conditions, addresses and numbers on a path, or stops until whoever runs the machine has decided.
///
/// An instruction may be executed again after a [`Stop::Undecided`].
pub trait Decisions: Values {
    /// Asks for what reading a pointer with [`array_load`](Values::array_load) takes for granted about the offset.
    fn array_ask(
        &mut self,
        path: &Self::Path,
        array: &Self::Array,
        size: u64,
        offset: &Self::Value,
        n: u32,
    ) -> Result<(), Stop<Self>>;
    /// A value as decisions are made on it: what was left open of values read from memory is filled in.
    fn expand(&mut self, value: &Self::Value) -> Self::Value {
        value.clone()
    }
    /// Truth of an `i1` that is not constant: known on this path, or [`Stop::Undecided`].
    fn decide(&mut self, path: &Self::Path, condition: &Self::Value, kind: DecisionKind) -> Result<bool, Stop<Self>>;
    /// The objects a non-constant address may point to, for an access of `n` bytes. Asks for decisions
    /// ([`DecisionKind::InBounds`] and the like) where an error is possible.
    fn resolve(
        &mut self,
        path: &Self::Path,
        heap: &Heap<Self>,
        address: &Self::Value,
        n: u64,
    ) -> Result<Targets<Self::Value>, Stop<Self>>;
    /// One constant for a value that must be one (a size, a queue address, a function pointer): the only feasible one,
    /// or a decision `value == candidate` of this kind.
    fn concretise(&mut self, path: &Self::Path, value: &Self::Value, kind: DecisionKind) -> Result<u64, Stop<Self>>;
    /// The value that is left to a value by what a path has asked of the numbers that it is computed from, if there is
    /// just one, and the condition that they are what they must be then. Looks at comparisons only.
    fn pinned(&mut self, _path: &Self::Path, _value: &Self::Value) -> Option<(u64, Self::Value)> {
        None
    }
    /// The ranges of addresses, first and last of each, that an address may be in; `None` where these are not known, or
    /// too many.
    fn candidates(
        &mut self,
        _path: &Self::Path,
        _heap: &Heap<Self>,
        _address: &Self::Value,
    ) -> Option<Vec<(u64, u64)>> {
        None
    }
    /// Whether a condition is false that is an error which changes nothing: known, or [`Stop::Suspect`] without a
    /// message.
    fn suspects(&mut self, _condition: &Self::Value) -> Option<bool> {
        Some(false)
    }
}

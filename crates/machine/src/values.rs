//! Values, the bytes they are made of, and arrays of bytes: what memory, threads and states need of a value domain.

use std::fmt::Debug;

use smallvec::SmallVec;

/// One byte of memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MemoryByte<B> {
    /// A known byte.
    Constant(u8),
    /// A byte that depends on inputs.
    Symbolic(B),
}

/// The values of a domain: constants are plain words, whatever else there is.
///
/// Operations take `&mut self` because the symbolic domain interns terms. None of them has an effect on the state.
pub trait Values: Sized {
    /// A register: constants are plain words.
    type Value: Clone + PartialEq + Debug;
    /// A byte that is not constant. Uninhabited in the concrete domain.
    type Byte: Clone + Debug;
    /// Contents of an object that was accessed at a non-constant offset. Uninhabited in the concrete domain.
    type Array: Clone + Debug;
    /// What is assumed of the inputs on a path; cheap to clone.
    type Path: Clone + Default + Debug;
    /// Whether inputs are symbolic here.
    const SYMBOLIC: bool;
    /// A constant.
    fn constant(bits: u64) -> Self::Value;
    /// The bits of a constant value. A value is a constant whenever the domain can tell without a solver.
    fn as_constant(value: &Self::Value) -> Option<u64>;
    /// Splits the low `n` bytes of a value, little-endian.
    fn split_bytes(&mut self, value: &Self::Value, n: u32) -> SmallVec<[MemoryByte<Self::Byte>; 8]>;
    /// Joins up to eight bytes, little-endian.
    fn join_bytes(&mut self, bytes: &[MemoryByte<Self::Byte>]) -> Self::Value;
    /// Array form of an object's contents.
    fn array_from_bytes(&mut self, bytes: &[MemoryByte<Self::Byte>]) -> Self::Array;
    /// Reads `n` bytes at `offset`. `pointer` is a hint that the value read is a pointer: the domain may enumerate the
    /// feasible slots and return a guarded expression of concrete addresses (Bergan 2.4.1).
    fn array_load(
        &mut self,
        path: &Self::Path,
        array: &Self::Array,
        size: u64,
        offset: &Self::Value,
        n: u32,
        pointer: bool,
    ) -> Self::Value;
    /// How many bytes, at most `most`, are read at once from a constant offset on where a range of bytes is read: a
    /// power of two, at most eight.
    fn array_unit(&mut self, _array: &Self::Array, _at: u64, _most: u64) -> u32 {
        1
    }
    /// Writes the low `n` bytes of `value` at `offset`, under `guard`.
    fn array_store(
        &mut self,
        array: &mut Self::Array,
        offset: &Self::Value,
        value: &Self::Value,
        n: u32,
        guard: Option<&Self::Value>,
    );
    /// Writes a byte `n` times from `offset` on, under `guard`; false (and nothing done) if `n` must be a constant for
    /// that.
    fn array_fill(
        &mut self,
        _array: &mut Self::Array,
        _offset: &Self::Value,
        _byte: &MemoryByte<Self::Byte>,
        _n: &Self::Value,
        _guard: Option<&Self::Value>,
    ) -> bool {
        false
    }
    /// Copies `n` bytes of another array, which may be an earlier version of this one, in the same way.
    fn array_copy(
        &mut self,
        _array: &mut Self::Array,
        _offset: &Self::Value,
        _from: (&Self::Array, &Self::Value),
        _n: &Self::Value,
        _guard: Option<&Self::Value>,
    ) -> bool {
        false
    }
    /// Whether an object holds what it held in the initial state.
    fn is_initial(&self, _array: &Self::Array) -> bool {
        false
    }
    /// A value as people write it.
    fn describe(&self, value: &Self::Value) -> String {
        format!("{value:?}")
    }
}

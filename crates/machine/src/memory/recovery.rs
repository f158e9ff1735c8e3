//! What memory does behind an error, where paths go on ([`MemoryErrors::Continue`]).
//!
//! An instruction that fails is executed once more, and its faults are collected in place of ending the path. What it
//! reads where there is nothing is an *indeterminate value*, as C calls it: one of which nobody knows what it is, the
//! same one each time it is read there. What it writes there is lost. Objects of the heap have the bytes behind them
//! that glibc's `malloc` gives; an access of these is an error, too, but they are memory.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::fault::MemoryFault;
use super::layout::ObjectId;
use crate::stop::MemoryErrors;
use crate::values::Values;

/// Bytes that glibc keeps in front of what `malloc` returns, as far as they are not the chunk's before.
const HEADER: u64 = 8;
/// Chunks are multiples of so many bytes.
const ALIGNMENT: u64 = 16;
/// Bytes of the smallest chunk.
const MIN_CHUNK: u64 = 32;

/// The bytes behind `size` that `malloc(size)` gives on x86-64: what `malloc_usable_size` says, less `size`.
pub(super) fn malloc_slack(size: u64) -> u8 {
    let chunk = (size.saturating_add(HEADER)).div_ceil(ALIGNMENT).saturating_mul(ALIGNMENT).max(MIN_CHUNK);
    u8::try_from((chunk - HEADER).saturating_sub(size)).unwrap_or(0)
}

/// A value that was read somewhere, and how many bytes there.
pub(super) type Reading<D> = (<D as Values>::Value, u64);

/// What a heap needs to go on behind errors.
pub(super) struct Recovery<D: Values> {
    pub(super) errors: MemoryErrors,
    /// What went wrong in the instruction that is being executed once more.
    pub(super) faults: Option<RefCell<Vec<MemoryFault>>>,
    /// The indeterminate values that it has read.
    pub(super) read: Vec<D::Value>,
    /// Names of indeterminate values, with the addresses that have them.
    pub(super) names: Rc<BTreeMap<String, Vec<Reading<D>>>>,
}

impl<D: Values> Default for Recovery<D> {
    fn default() -> Self {
        Self { errors: MemoryErrors::default(), faults: None, read: Vec::new(), names: Rc::default() }
    }
}

impl<D: Values> Clone for Recovery<D> {
    fn clone(&self) -> Self {
        Self { errors: self.errors, faults: None, read: Vec::new(), names: Rc::clone(&self.names) }
    }
}

/// The part of an access that is inside of an object.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Inside {
    pub(crate) object: ObjectId,
    /// Where it begins in the object.
    pub(crate) offset: u64,
    /// Bytes of the access in front of it.
    pub(crate) skipped: u64,
    /// How many bytes it has; at least one.
    pub(crate) len: u64,
}

#[cfg(test)]
mod tests {
    use super::malloc_slack;

    /// What `malloc_usable_size` says of glibc 2.36 to 2.41 on x86-64.
    #[test]
    fn the_slack_is_that_of_glibc() {
        let usable = |size: u64| size + u64::from(malloc_slack(size));
        for (size, expected) in [(0, 24), (1, 24), (24, 24), (25, 40), (40, 40), (41, 56), (100, 104), (1000, 1000)] {
            assert_eq!(usable(size), expected, "malloc({size})");
        }
    }
}

//! What memory does behind an error, where paths go on ([`MemoryErrors::Continue`]).
//!
//! An instruction that fails is executed once more, and its faults are collected in place of ending the path. What it
//! reads where there is nothing is an *indeterminate value*, as C calls it: one of which nobody knows what it is, the
//! same one each time it is read there. What it writes there is lost. Objects of the heap have the bytes behind them
//! that glibc's `malloc` gives; an access of these is an error, too, but they are memory.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::{AddressClass, Heap, MemoryFault, ObjectId, UNKNOWN_SIZE, classify};
use crate::domain::Domain;
use crate::stop::{DecisionKind, MemoryErrors};

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
type Reading<D> = (<D as Domain>::Value, u64);

/// What a heap needs to go on behind errors.
pub(super) struct Recovery<D: Domain> {
    errors: MemoryErrors,
    /// What went wrong in the instruction that is being executed once more.
    faults: Option<RefCell<Vec<MemoryFault>>>,
    /// The indeterminate values that it has read.
    read: Vec<D::Value>,
    /// Names of indeterminate values, with the addresses that have them.
    names: Rc<BTreeMap<String, Vec<Reading<D>>>>,
}

impl<D: Domain> Default for Recovery<D> {
    fn default() -> Self {
        Self { errors: MemoryErrors::default(), faults: None, read: Vec::new(), names: Rc::default() }
    }
}

impl<D: Domain> Clone for Recovery<D> {
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

impl<D: Domain> Heap<D> {
    /// Says what happens behind errors. Objects that are allocated from now on have the room that it wants.
    pub(crate) fn set_memory_errors(&mut self, errors: MemoryErrors) {
        self.recovery.errors = errors;
    }

    /// Whether paths go on behind errors.
    pub(crate) fn continues(&self) -> bool {
        self.recovery.errors == MemoryErrors::Continue
    }

    /// The kind of a decision whose false side is an error that paths may go on behind.
    pub(crate) fn decides(&self, kind: DecisionKind) -> DecisionKind {
        if self.continues() { DecisionKind::Valid } else { kind }
    }

    /// The instruction that comes next has failed and is executed once more: its faults are collected.
    pub(crate) fn begin_recovery(&mut self) {
        self.recovery.faults = Some(RefCell::default());
    }

    /// That instruction is done, or has stopped again: what was wrong with it, and the indeterminate values that it has
    /// read.
    pub(crate) fn end_recovery(&mut self) -> (Vec<MemoryFault>, Vec<D::Value>) {
        let faults = self.recovery.faults.take().map(RefCell::into_inner);
        (faults.unwrap_or_default(), std::mem::take(&mut self.recovery.read))
    }

    /// The instruction that is executed once more has read an indeterminate value.
    pub(crate) fn note_read(&mut self, value: &D::Value) {
        if self.recovers() {
            self.recovery.read.push(value.clone());
        }
    }

    /// Whether faults are collected.
    pub(crate) fn recovers(&self) -> bool {
        self.recovery.faults.is_some()
    }

    /// Collects a fault; gives it back where the path ends with it.
    pub(crate) fn forgive(&self, fault: MemoryFault) -> Result<(), MemoryFault> {
        let Some(faults) = &self.recovery.faults else { return Err(fault) };
        let mut faults = faults.borrow_mut();
        if !faults.contains(&fault) {
            faults.push(fault);
        }
        Ok(())
    }

    /// The part of an access of `n` bytes that is inside of a live object, the slack behind it included.
    pub(crate) fn inside(&self, address: u64, n: u64, write: bool) -> Option<Inside> {
        let AddressClass::Object(id, offset) = classify(address) else { return None };
        let object = self.object(id).filter(|o| o.is_alive() && !o.external && !(write && o.constant))?;
        let end = if object.size == UNKNOWN_SIZE { object.size } else { object.size + u64::from(object.slack) };
        let (first, last) = (i128::from(offset), i128::from(offset) + i128::from(n));
        let (start, end) = (first.max(0), last.min(i128::from(end)));
        let len = u64::try_from(end - start).ok().filter(|&len| len > 0)?;
        let [offset, skipped] = [start, start - first].map(|at| u64::try_from(at).ok());
        Some(Inside { object: id, offset: offset?, skipped: skipped?, len })
    }

    /// The name of what is read at an address where there is nothing, or nothing was written: the same for the same
    /// address.
    pub(crate) fn indeterminate_name(&mut self, place: &str, address: &D::Value, n: u64) -> String {
        let names = Rc::make_mut(&mut self.recovery.names);
        let readings = names.entry(place.to_owned()).or_default();
        let is_this = |(at, bytes): &Reading<D>| at == address && *bytes == n;
        let number = readings.iter().position(is_this).unwrap_or_else(|| {
            readings.push((address.clone(), n));
            readings.len() - 1
        });
        match number {
            0 => format!("indeterminate({place})"),
            _ => format!("indeterminate({place})#{}", number + 1),
        }
    }
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

//! Goes on behind errors: collects faults and names indeterminate values (see [`recovery`](super::recovery)).

use std::cell::RefCell;
use std::rc::Rc;

use super::recovery::{Inside, Reading};
use super::{AddressClass, Heap, MemoryFault, UNKNOWN_SIZE, classify};
use crate::stop::{DecisionKind, MemoryErrors};
use crate::values::Values;

impl<D: Values> Heap<D> {
    /// Says what happens behind errors. Objects that are allocated from now on have the room that it wants.
    pub fn set_memory_errors(&mut self, errors: MemoryErrors) {
        self.recovery.errors = errors;
    }

    /// Whether paths go on behind errors.
    pub fn continues(&self) -> bool {
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
    pub fn recovers(&self) -> bool {
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

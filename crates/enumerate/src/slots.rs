//! How many threads search at the same time (`--jobs`).

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Threads that may still begin to work; below 0 while more do than should.
#[derive(Debug)]
pub(crate) struct Slots(AtomicI64);

impl Slots {
    /// Slots for so many threads.
    pub(crate) fn new(threads: usize) -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(i64::try_from(threads).unwrap_or(i64::MAX))))
    }

    /// A slot, if one is free.
    pub(crate) fn try_take(self: &Arc<Self>) -> Option<Slot> {
        let one_less = |free| (free > 0).then_some(free - 1);
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
        taken.is_ok().then(|| Slot(Arc::clone(self)))
    }

    /// A slot, free or not: somebody is about to leave his.
    pub(crate) fn take(self: &Arc<Self>) -> Slot {
        self.0.fetch_sub(1, Ordering::Relaxed);
        Slot(Arc::clone(self))
    }
}

/// The right to work, until it is dropped.
#[derive(Debug)]
pub(crate) struct Slot(Arc<Slots>);

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_is_taken_too_much_is_missing_later() {
        let slots = Slots::new(1);
        let first = slots.try_take().expect("nobody works yet");
        assert!(slots.try_take().is_none());
        let more = slots.take();
        drop(first);
        assert!(slots.try_take().is_none());
        drop(more);
        assert!(slots.try_take().is_some());
    }
}

//! When to look whether the running thread spins: ever more seldom.

use crate::budgets::BUDGETS;

/// What is remembered between looks at the running thread.
#[derive(Copy, Clone, Debug)]
pub(crate) struct SpinWatch {
    /// Instructions since the last scheduling point at which to look next.
    pub(crate) next_look: u64,
    /// Threads found spinning one after the other since memory may last have changed.
    pub(crate) in_a_row: usize,
}

impl Default for SpinWatch {
    fn default() -> Self {
        Self { next_look: BUDGETS.first_spin_look, in_a_row: 0 }
    }
}

impl SpinWatch {
    /// Whether to look now.
    pub(crate) fn is_due(&self, since_switch: u64) -> bool {
        since_switch >= self.next_look
    }

    /// Instructions until the next look.
    pub(crate) fn until_next(&self, since_switch: u64) -> u64 {
        self.next_look.saturating_sub(since_switch)
    }
}

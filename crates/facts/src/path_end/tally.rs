//! How much of an object was written at offsets that inputs choose.

use crate::budgets::BUDGETS;

/// How many numbers in an object, but for those in locks, are choices that are constant, and that are
/// not.
#[derive(Copy, Clone, Default)]
pub(crate) struct Tally {
    constant: u32,
    open: u32,
}

impl Tally {
    pub(crate) fn count(&mut self, is_constant: bool) {
        *(if is_constant { &mut self.constant } else { &mut self.open }) += 1;
    }

    /// Whether nearly all of them are not, so that nobody need look at others.
    pub(crate) fn is_table(self) -> bool {
        self.open > BUDGETS.open_numbers + BUDGETS.open_numbers * self.constant
    }
}

//! Intervals of unsigned values.

use crate::terms::bits::{mask, sign_bit};

/// Closed interval of unsigned values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    pub(crate) min: u128,
    pub(crate) max: u128,
}

impl Range {
    /// All values of so many bits.
    pub(crate) fn full(width: u32) -> Range {
        Range { min: 0, max: mask(width) }
    }

    /// Whether the sign bit of a vector of `width` bits is known to be clear.
    pub(crate) fn non_negative(self, width: u32) -> bool {
        self.max < sign_bit(width)
    }

    /// Whether the sign bit of a vector of `width` bits is known to be set.
    pub(crate) fn negative(self, width: u32) -> bool {
        self.min >= sign_bit(width)
    }
}

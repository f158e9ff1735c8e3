//! Static facts of a program as the search uses them: those of slices, and the limits of the run.

use std::ops::Deref;

use crate::limits::RunLimits;

/// Static facts of a program, computed once, and when to stop. All that slicing knows is reached through it.
#[derive(Copy, Clone)]
pub struct Statics<'p> {
    /// What slices are computed with.
    pub slicing: icsched_slicing::Statics<'p>,
    /// Limits of the run.
    pub limits: &'p RunLimits,
}

impl<'p> Deref for Statics<'p> {
    type Target = icsched_slicing::Statics<'p>;

    fn deref(&self) -> &Self::Target {
        &self.slicing
    }
}

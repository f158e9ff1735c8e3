//! When an epoch is searched again from the start.

use super::Search;
use crate::quiet::{Helps, Replaceable};

/// Why an epoch is searched again from the start.
#[derive(Clone, Debug)]
pub(crate) enum Restart {
    /// Loops or recursions are replaced by what they may do.
    Replacing(Vec<Replaceable>),
    /// It is left open which objects synchronisation is on.
    Conservatively,
    /// Fewer markers are passed.
    FollowingLess,
}

impl Search<'_, '_> {
    /// At the end of a run there is no time to begin anew, and what was found is the result. That something had better
    /// be replaced may be because the solver was interrupted.
    pub(super) fn keep_at_the_end(&mut self, restart: Restart) -> Result<(), Restart> {
        let reason = self.engine.stop_reason().ok_or(restart)?;
        self.reasons.add(reason);
        Ok(())
    }

    /// Searches again if something is lost for loops that may not write it, or that threads have the same of something:
    /// as far as it `helps` to replace them.
    pub(crate) fn keeps_facts(&self, helps: impl Fn(Replaceable, Helps) -> bool) -> Result<(), Restart> {
        let wanted: Vec<Replaceable> =
            self.lost.iter().filter(|&(&code, &when)| helps(code, when)).map(|(&code, _)| code).collect();
        // There has to be time for it.
        match self.options.abstraction && !wanted.is_empty() && !self.is_cut() {
            true => Err(self.engine.instead_of(Restart::Replacing(wanted))),
            false => Ok(()),
        }
    }
}

//! Why an epoch is searched again from the start.

use icsched_epochs::summarisable::Summarisable;

/// Why an epoch is searched again from the start.
#[derive(Clone, Debug)]
pub(crate) enum Restart {
    /// Loops or recursions are summarised: replaced by what they may do.
    Summarise(Vec<Summarisable>),
    /// It is left open which objects synchronisation is on.
    LeaveObjectsOpen,
    /// Fewer markers are passed.
    PassFewerMarkers,
}

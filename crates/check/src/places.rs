//! Places in the source, for readers.

use icsched_schedule::Site;

pub(crate) use icsched_epochs::graph::{site, sites as frames};

/// The innermost place, as text; empty where there is none.
pub(crate) fn innermost(frames: &[Site]) -> String {
    frames.last().map(Site::place).unwrap_or_default()
}

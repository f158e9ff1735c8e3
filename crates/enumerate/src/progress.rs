//! How far a search is, for whoever wants to show it.

/// Receives the state of a search after each path. Nothing depends on what it does.
pub trait Progress {
    /// `paths` were executed, `waiting` input constraints are to be explored, `schedules` were found.
    fn path(&mut self, paths: u64, waiting: usize, schedules: usize);
}

/// Nobody is interested.
impl Progress for () {
    fn path(&mut self, _: u64, _: usize, _: usize) {}
}

//! What this executable is started again for.

/// Serves as a child of [`load_contained`](crate::load_contained) or of [`gather`](crate::gather) and ends the process,
/// if that is what it was started for.
pub fn child_main_if_requested() {
    crate::contain::child_main_if_requested();
    crate::sources::child_main_if_requested();
}

//! What is left of the time before a rule: how many places may still break it, by crate or by file.
//!
//! A number may only be lowered; what is not listed has none. `cargo xtask tidy --all` shows every place.

/// A folder or file, and how many places in it may break a rule.
pub(super) type Allowances = &'static [(&'static str, usize)];

/// How many files of a crate may stand in circles.
pub(super) const FILES_IN_CIRCLES: Allowances = &[];

/// How many comment lines of a crate may be too long.
pub(super) const LONG_COMMENTS: Allowances = &[];

/// How many sentences of a page may be too long.
pub(super) const LONG_SENTENCES: Allowances = &[];

/// The number for a folder or file; 0 if it is not listed.
pub(super) fn of(allowances: Allowances, place: &str) -> usize {
    allowances.iter().find(|(listed, _)| *listed == place).map_or(0, |(_, number)| *number)
}

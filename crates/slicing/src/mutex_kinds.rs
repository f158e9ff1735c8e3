//! Whether library models take it for granted that all mutexes are plain.

use icsched_ir::{Global, Origin, Program};

/// The models' variable that says that all mutexes are plain: neither recursive nor robust, and unlocked by their
/// owners.
pub const ALL_ARE_PLAIN: &str = "__ics_plain_mutexes";

/// Whether models are told that all mutexes are plain.
pub fn are_told_of_plain_mutexes(program: &Program) -> bool {
    let is_flag = |g: &Global| g.name == ALL_ARE_PLAIN && g.origin == Origin::Model;
    program.globals.iter().any(|(_, g)| is_flag(g) && g.data.first() == Some(&1))
}

//! What a run leaves in a file for one that goes on.

use crate::enumeration::{Enumeration, EpochResult};

/// A finished search of one epoch, for a run that goes on.
#[derive(Clone, PartialEq, Debug)]
pub struct KeptSearch {
    /// What whoever searched wants to know of it again.
    pub record: String,
    /// What was found, if a later search of the epoch has not replaced it.
    pub result: Option<EpochResult>,
}

/// What an earlier run has written.
#[derive(Clone, PartialEq, Debug)]
pub struct Kept {
    /// The result, as far as it goes.
    pub result: Enumeration,
    /// Finished searches, in the order in which they were committed; none if the result is final.
    pub searches: Vec<KeptSearch>,
    /// Whether the same run would find the same again.
    pub is_final: bool,
}

//! What is asked of the search of one epoch: which epoch, what is known of it, and how it is searched.

use std::sync::Arc;

use icsched_epochs::EpochFacts;
use icsched_epochs::summarisable::Summarisable;
use icsched_machine::SyncObjects;
use icsched_machine::code::Marks;
use icsched_schedule::EpochId;
use serde::{Deserialize, Serialize};

use crate::passed_markers::{Followed, Following};

/// What is to be searched: an epoch, with what holds whenever it begins.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Job {
    pub(crate) epoch: EpochId,
    pub(crate) facts: Arc<EpochFacts>,
    /// What the epoch's last search has found out.
    pub(crate) learned: Arc<Learned>,
}

/// How an epoch is searched: what a search finds out in vain, and begins anew, the next one need not find out again.
/// There what is known is weaker, so it would.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Learned {
    /// What is summarised, in the order in which it was found out.
    pub(crate) replaced: Vec<Summarisable>,
    /// Whether it is left open which objects synchronisation is on.
    pub(crate) is_conservative: bool,
    /// Which markers are passed.
    pub(crate) following: Following,
}

/// How an epoch is searched; what is found on the way changes it.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Where epochs end, and which loops are summarised.
    pub(crate) marks: Marks,
    /// Whether it is decided which objects synchronisation is on.
    pub(crate) objects: SyncObjects,
    /// What threads pass markers of.
    pub(crate) followed: Followed,
}

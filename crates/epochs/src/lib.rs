//! What an epoch is searched with, before anybody searches: the prepared program and the state where an epoch begins.
//!
//! - [`prepare`]: from a request to a [`Setting`]: the specialised program, analyses, epoch markers.
//! - [`specialise`]: folds code that this program cannot reach.
//! - [`markers`]: where epochs end.
//! - [`summarisable`]: loops and recursions that can be summarised; what each may do is in `summaries`.
//! - [`Beginning`], [`EpochFacts`]: what is known where an epoch begins, and the state that is made of it.
//! - [`Setting::restore`]: an epoch of a database, ready for paths to be executed.
//! - [`threads`]: threads with a large stack.
//! - [`graph`]: from a finished path to its happens-before graph.
//!
//! API boundary: whoever executes paths of an epoch begins here, be it the search or the verifier. Nothing in here
//! executes a path or looks for facts.

mod analyses;
mod beginnings;
mod budgets;
mod epoch_facts;
mod error;
mod folding;
pub mod graph;
mod limit_reasons;
mod limits;
pub mod markers;
pub mod memory;
mod mutex_kinds;
mod request;
mod search_options;
mod setting;
pub mod specialise;
mod start;
mod statics;
mod stored;
mod summaries;
pub mod summarisable;
mod technique;
pub mod threads;

pub use icsched_machine::step::Undecided;

pub use crate::analyses::Analyses;
pub use crate::beginnings::{Beginning, Beginnings};
pub use crate::epoch_facts::EpochFacts;
pub use crate::error::StartError;
pub use crate::limit_reasons::{is_limit_of_run, of_run as limit_reached, words as limit_words};
pub use crate::limits::{RunLimits, UNDECIDED};
pub use crate::request::Request;
pub use crate::search_options::SearchOptions;
pub use crate::setting::{Setting, prepare};
pub use crate::statics::Statics;
pub use crate::stored::{RestoreError, Restored};
pub use crate::summarisable::Summarisable;
pub use crate::technique::Technique;

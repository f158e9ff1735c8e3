//! Findings: what goes wrong in a set of schedules, each with a run that shows it (`docs/concepts/findings.md`).
//!
//! - `suspects`: the ends of schedules that are wrong, one for each bug as far as schedules tell.
//! - [`icsched_realise`] looks for a run of each.
//! - [`knot`](icsched_schedule::knot()): which threads of a deadlock are the reason, and why.
//! - `describe`: from a run to what a reader wants to know of it.
//! - `smaller`: the smallest input.
//! - [`suppress`]: what users have said about findings before.
//! - [`replay`]: shows a finding again.
//!
//! API boundary: takes a prepared program and a result of `enumerate`, gives plain data. Nothing here searches epochs.

mod budgets;
mod check;
mod describe;
mod fingerprint;
mod places;
pub mod replay;
mod smaller;
pub mod suppress;
mod suspects;

pub use crate::check::{Checked, Options, Progress, check};
pub use crate::suspects::needs_runs;

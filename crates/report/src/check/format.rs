//! What all forms of a result have in common.

use icsched_schedule::CheckResult;

use super::options::Options;

/// A form in which findings are given.
pub trait Format: Sync {
    /// One stable word; for options.
    fn word(&self) -> &'static str;

    /// The whole result in this form, with a newline at the end.
    fn render(&self, result: &CheckResult, options: &Options<'_>) -> String;
}

//! Shows a finding again: the same input, the same order.

use std::sync::Arc;

use icsched_epochs::Request;
use icsched_machine::ThreadId;
use icsched_realise::{Goal, Ordered, Runner, test_input_of};
use icsched_schedule::{Finding, TraceStep};

use crate::describe;
use crate::suspects::kind_of;

/// What a replay came to.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// Whether the finding shows: the run ends as it says.
    pub shows: bool,
    /// How the run ends, in a sentence.
    pub message: String,
    /// The finding as this run shows it, if it shows any.
    pub finding: Option<Finding>,
    /// Its synchronisation.
    pub steps: Vec<TraceStep>,
}

/// Runs a program with the input of a finding, in its order. `None` if the finding has no input, or the program cannot
/// be started with it.
pub fn replay(request: &Request, finding: &Finding) -> Option<Replayed> {
    let input = test_input_of(finding.input.as_ref()?);
    let turns = finding.order.iter();
    let order: Arc<[ThreadId]> =
        turns.flat_map(|turn| std::iter::repeat_n(ThreadId(turn.thread), turn.times as usize)).collect();
    let ended = Runner::new(request).run(&input, Box::new(Ordered::new(Arc::clone(&order))))?;
    let end = ended.schedule_end();
    let goal = Goal::of(&end);
    let all = describe::steps(&ended);
    let shown = icsched_realise::Shown { input, order, ended, chain: None };
    let again = goal.as_ref().and_then(|goal| describe::finding(&shown, kind_of(goal)));
    let shows = again.as_ref().is_some_and(|again| again.fingerprint == finding.fingerprint);
    let message = again.as_ref().map_or_else(|| format!("the run ends: {end}"), |again| again.message.clone());
    // A finding's steps tell where it ends, too.
    let steps = again.as_ref().map_or(all, |again| again.trace.clone());
    Some(Replayed { shows, message, steps, finding: again })
}

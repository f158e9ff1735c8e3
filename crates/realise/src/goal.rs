//! What a run is to show.

use icsched_schedule::{Knot, ScheduleEnd, knot};

/// The end that a run is to have, as far as it is compared: what happens, and where. Numbers of threads and names of
/// objects are left out: a state in the middle of the program may know them by other names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Goal {
    /// The threads of the [knot](Knot) are blocked in these calls, sorted, each once: function and place.
    Deadlock(Vec<(String, String)>),
    /// Loops go round for ever at these places, sorted.
    Endless(Vec<String>),
    /// The process aborts: message and place.
    Abort(String, String),
    /// Something undefined happens: the class of error, and the place.
    Error(String, String),
}

impl Goal {
    /// What a schedule's end asks for; `None` if there is nothing wrong with it.
    pub fn of(end: &ScheduleEnd) -> Option<Self> {
        match end {
            ScheduleEnd::Deadlock { blocked } => {
                let Knot { threads, .. } = knot(blocked, |_| false);
                let reason = blocked.iter().filter(|b| threads.contains(&b.thread));
                let mut calls: Vec<_> = reason.map(|b| (b.op.clone(), b.at.clone())).collect();
                calls.sort();
                calls.dedup();
                Some(Self::Deadlock(calls))
            }
            ScheduleEnd::Endless { loops, .. } => {
                let mut places: Vec<_> = loops.iter().map(|l| l.at.clone()).collect();
                places.sort();
                Some(Self::Endless(places))
            }
            ScheduleEnd::Abort { message, at } => Some(Self::Abort(message.clone(), at.clone())),
            ScheduleEnd::MemoryError { message, at } => Some(Self::error(message, at)),
            ScheduleEnd::Exit { .. } | ScheduleEnd::Epoch(_) | ScheduleEnd::Input { .. } | ScheduleEnd::Limit => None,
        }
    }

    /// An error by its message, `out-of-bounds: write of 4 bytes ...`, and its place. Sizes and names may differ.
    pub fn error(message: &str, at: &str) -> Self {
        let class = message.split_once(':').map_or(message, |(class, _)| class);
        Self::Error(class.to_owned(), at.to_owned())
    }

    /// Whether an end is this one.
    pub fn is_shown_by(&self, end: &ScheduleEnd) -> bool {
        Self::of(end).as_ref() == Some(self)
    }
}

//! How schedules end.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::epoch::EpochKey;
use crate::finding::Site;

/// A thread of a deadlock that cannot go on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Blocked {
    /// The thread.
    pub thread: u32,
    /// The library function it is in, e.g. `pthread_mutex_lock`.
    pub op: String,
    /// The object it waits at, as the source names it; empty when it has no name.
    pub object: String,
    /// Where the program calls the function: `file.c:88`.
    pub at: String,
    /// The thread that holds the object, if it is something that is held and somebody does.
    pub holder: Option<u32>,
    /// Where the holder acquired it.
    pub holder_at: Option<String>,
    /// What would have to happen for the thread to go on, as half a sentence: `the mutex a to be unlocked`.
    pub waits_for: String,
    /// The calls of the program that it is in, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<Site>,
    /// The calls that the holder was in when it acquired the object, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holder_stack: Vec<Site>,
}

/// A thread that goes round for ever in a loop that does not synchronise.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EndlessLoop {
    /// The thread.
    pub thread: u32,
    /// Where the loop is: `file.c:88`.
    pub at: String,
}

/// What is behind the last node of a schedule.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScheduleEnd {
    /// The process ends.
    Exit {
        /// Its exit status; `None` if it depends on the input.
        status: Option<i32>,
    },
    /// Some threads cannot go on and nobody can wake them.
    Deadlock {
        /// All of them, by number.
        blocked: Vec<Blocked>,
    },
    /// Some threads go round for ever in loops that do not synchronise, and no other thread can go on without them.
    Endless {
        /// All of these threads, by number; at least one.
        loops: Vec<EndlessLoop>,
        /// The threads that wait, by number.
        blocked: Vec<Blocked>,
    },
    /// Every thread is at an epoch marker, blocked or has ended; this epoch is next (Bergan 3.2.2).
    Epoch(EpochKey),
    /// A thread reads input that decides how it goes on: see the branches below (Bergan 3.2.1).
    Input {
        /// The thread.
        thread: u32,
        /// Where it reads.
        at: String,
    },
    /// The process is ended by `abort` or a failing assertion.
    Abort {
        /// What it says.
        message: String,
        /// Where.
        at: String,
    },
    /// A memory access that C does not allow; what happens then is undefined.
    MemoryError {
        /// Which access, to what.
        message: String,
        /// Where.
        at: String,
    },
    /// Cut off by a limit, which is among the reasons for incompleteness.
    Limit,
}

impl ScheduleEnd {
    /// Says no more than is so of executions that end so and of those that end as another one does: an exit status is
    /// known if it is the same.
    pub fn is_also(&mut self, other: &Self) {
        if let Self::Exit { status } = self {
            *status = status.filter(|own| matches!(other, Self::Exit { status: Some(also) } if also == own));
        }
    }

    /// The kind of end as one stable word; for files.
    pub const fn keyword(&self) -> &'static str {
        match self {
            Self::Exit { .. } => "exit",
            Self::Deadlock { .. } => "deadlock",
            Self::Endless { .. } => "endless",
            Self::Epoch(_) => "epoch",
            Self::Input { .. } => "input",
            Self::Abort { .. } => "abort",
            Self::MemoryError { .. } => "memory-error",
            Self::Limit => "limit",
        }
    }
}

/// The keyword, for an epoch followed by its id: what `ends` is in the JSON results.
impl fmt::Display for ScheduleEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.keyword())?;
        match self {
            Self::Epoch(key) => write!(f, " {key}"),
            Self::Exit { .. }
            | Self::Deadlock { .. }
            | Self::Endless { .. }
            | Self::Input { .. }
            | Self::Abort { .. }
            | Self::MemoryError { .. }
            | Self::Limit => Ok(()),
        }
    }
}

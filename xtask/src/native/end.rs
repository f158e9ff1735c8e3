//! How a run ends, in the program's words.

use std::fmt;

use serde::Serialize;

/// Where a thread is and what it is on, in the program's words.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub(super) struct Place {
    /// Number of the thread, in the order of creation.
    pub(super) thread: u64,
    /// What it does or is blocked in.
    pub(super) op: String,
    /// What it is on; empty if it is on nothing.
    pub(super) object: String,
    /// `file.c:12`; empty where there is no line.
    pub(super) at: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "T{} {}", self.thread, self.op)?;
        if !self.object.is_empty() {
            write!(f, "({})", self.object)?;
        }
        if self.at.is_empty() { Ok(()) } else { write!(f, " at {}", self.at) }
    }
}

/// How an execution ends.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(super) enum End {
    /// The process exits.
    Exit {
        /// Its status, of eight bits.
        status: i32,
    },
    /// The process aborts.
    Abort {
        /// Where.
        at: String,
    },
    /// A signal ends the process: an access of memory that is not there, a division by zero.
    Crash {
        /// Its number.
        signal: i32,
        /// Where; empty if nobody knows.
        at: String,
    },
    /// These threads wait for ever, and no other lives.
    Deadlock {
        /// By thread.
        blocked: Vec<Place>,
    },
    /// These threads loop for ever.
    Endless {
        /// Those that loop: without a call, or through the same calls in the same state.
        looping: Vec<Place>,
        /// Those that wait.
        blocked: Vec<Place>,
    },
}

impl End {
    /// Whether it is one that no program wants.
    pub(super) fn is_bad(&self) -> bool {
        !matches!(self, End::Exit { .. })
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |places: &[Place]| {
            let names: Vec<_> = places.iter().map(|place| format!("T{}", place.thread)).collect();
            match names.split_last() {
                Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
                _ => names.concat(),
            }
        };
        match self {
            End::Exit { status } => write!(f, "exits with status {status}"),
            End::Abort { at } => write!(f, "aborts at {at}"),
            End::Crash { signal, at } if at.is_empty() => write!(f, "is ended by signal {signal}"),
            End::Crash { signal, at } => write!(f, "is ended by signal {signal} at {at}"),
            End::Deadlock { blocked } => write!(f, "ends in a deadlock of {}", names(blocked)),
            End::Endless { looping, .. } => write!(f, "goes on for ever in {}", names(looping)),
        }
    }
}

//! Numbers of threads and activations.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A thread, in order of creation; 0 is the main thread. Never reused.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ThreadId(pub u32);

impl ThreadId {
    /// The thread that runs `main`.
    pub const MAIN: ThreadId = ThreadId(0);

    /// Position in [`State::threads`](crate::State::threads).
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// One activation of a function; unique on a path and in order of creation.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FrameId(pub u64);

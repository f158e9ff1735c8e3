//! What a run finds around it, with known contents: files, and standard input.

use serde::{Deserialize, Serialize};

/// Files that are there, or not, and what is in them. Of all others the run asks.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Surroundings {
    /// By name: the content, or `None` for a file that there is not.
    pub files: Vec<(String, Option<Vec<u8>>)>,
    /// Standard input.
    pub stdin: Option<Vec<u8>>,
}

impl Surroundings {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.stdin.is_none()
    }
}

/// A file that a run may open by name.
#[derive(Copy, Clone, Debug)]
pub(super) enum KnownFile<'o> {
    /// So many bytes that are inputs, under this name.
    Input(&'o str, u64),
    /// These bytes.
    Given(&'o [u8]),
    /// There is none.
    Missing,
}

impl KnownFile<'_> {
    /// Its size in bytes.
    pub(super) fn size(self) -> Option<u64> {
        match self {
            Self::Input(_, size) => Some(size),
            Self::Given(bytes) => Some(bytes.len() as u64),
            Self::Missing => None,
        }
    }
}

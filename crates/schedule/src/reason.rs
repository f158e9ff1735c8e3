//! Why a result does not cover every input (D8).

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $variant:ident = $word:literal, $title:literal;)*) => {
        /// What stood in the way of completeness.
        #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum IncompleteKind { $($(#[doc = $doc])* $variant,)* }

        impl IncompleteKind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The kind as one stable word; for files.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The kind for readers, as a short heading.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)* }
            }
        }
    };
}

kinds! {
    /// A loop or recursion synchronises a number of times that depends on the input; needs epoch markers.
    UnboundedSyncLoop = "unbounded-sync-loop", "a loop synchronises an input-dependent number of times";
    /// The solver did not decide a query in its limits.
    SolverGaveUp = "solver-gave-up", "the solver gave up";
    /// A symbolic value was fixed to one of its values; the others are not covered.
    Concretised = "concretised", "a symbolic value was fixed";
    /// A call of a function that is neither defined nor modelled.
    Unmodelled = "unmodelled", "a function has no model";
    /// An instruction or intrinsic that is not supported was reached.
    Unsupported = "unsupported", "an instruction is not supported";
    /// A symbolic pointer whose targets are unknown or too many.
    UnresolvedPointer = "unresolved-pointer", "a pointer could not be resolved";
    /// A loop goes round for ever or fails, and nobody knows which.
    UndecidedEnd = "undecided-end", "it is not known whether a loop ends";
    /// A time, memory, path or length limit cut something off.
    Limit = "limit", "a limit was reached";
    /// icsched itself failed.
    InternalError = "internal-error", "icsched has a bug";
    /// The user stopped the search.
    Interrupted = "interrupted", "the search was stopped";
}

impl IncompleteKind {
    /// The kind with this [`word`](Self::word).
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.word() == word)
    }
}

impl fmt::Display for IncompleteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// One reason why a result is incomplete.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// What stood in the way.
    pub kind: IncompleteKind,
    /// In particular: names the function, loop, limit or instruction, and the option that helps if there is one.
    pub message: String,
    /// `file.c:88`, where it is about a place.
    pub at: Option<String>,
}

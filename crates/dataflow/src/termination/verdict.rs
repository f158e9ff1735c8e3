//! Whether something ends, and why.

/// Whether something that is repeated ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It does, if each round does.
    Ends(Reason),
    /// No run of it is left: each goes on for ever, unless it does something undefined.
    Endless,
    /// Nobody knows.
    Unknown,
}

/// The words of [`Reason::Once`].
pub(super) const ONCE: &str = "it never goes round twice";

/// Why something ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It never goes round twice.
    Once,
    /// This gets smaller, and cannot for ever.
    Measured {
        /// What, for people: `i counts up to n`.
        what: String,
        /// Whether that is so only if no sum overflows that must not in C, and no number is shifted by more than its
        /// width.
        needs_sums: bool,
    },
    /// It is part of the C library, whose functions return.
    Library,
}

impl Reason {
    /// The reason as half a sentence.
    pub fn describe(&self) -> String {
        match self {
            Self::Once => ONCE.to_owned(),
            Self::Measured { what, needs_sums: false } => what.clone(),
            Self::Measured { what, needs_sums: true } => format!("{what}, if no sum overflows"),
            Self::Library => "a function of the C library returns".to_owned(),
        }
    }

    /// Whether it holds only if no sum overflows that must not in C.
    pub fn needs_sums(&self) -> bool {
        matches!(self, Self::Measured { needs_sums: true, .. })
    }
}

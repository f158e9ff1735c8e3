//! The serialised form of terms.

/// A term without its pool.
pub type TermDag = serde_json::Value;

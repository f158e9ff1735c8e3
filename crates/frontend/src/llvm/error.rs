//! What LLVM says when it refuses something.

use thiserror::Error;

/// Why LLVM does not parse, verify, link or change a module. LLVM has only words for it.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub(crate) struct LlvmError(pub(super) String);

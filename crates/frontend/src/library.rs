//! Names of the functions of the C library that models stand for.
//!
//! ```text
//! fstat         ->  fstat
//! fstat.model   ->  fstat    the program has a function `fstat` of its own
//! ```

use icsched_ir::MODEL_SUFFIX;

/// The function that ends the process; always kept.
pub(crate) const EXIT: &str = "exit";

/// The name of a model without what tells it from the program's namesake.
pub(crate) fn library_name(name: &str) -> &str {
    name.strip_suffix(MODEL_SUFFIX).unwrap_or(name)
}

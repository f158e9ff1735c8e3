//! What `main` gets.

use crate::values::{MemoryByte, Values};

/// One string of `argv` or the environment.
pub struct Argument<D: Values> {
    /// Its bytes, terminating NUL included.
    pub bytes: Vec<MemoryByte<D::Byte>>,
    /// Condition (`i1`) under which it is there; where it is not, the array has a null pointer.
    pub present: Option<D::Value>,
}

/// What `main` gets.
pub struct Arguments<D: Values> {
    /// `argc`, an `i32`.
    pub argc: D::Value,
    /// `argv`, the program's name first.
    pub argv: Vec<Argument<D>>,
    /// The environment.
    pub environment: Vec<Argument<D>>,
}

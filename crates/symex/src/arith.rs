//! Arithmetic on constants.

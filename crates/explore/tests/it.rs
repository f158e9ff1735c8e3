//! Integration tests, one module for each topic. They are one binary, since linking takes longer than most of them.

mod common;
mod deboer;
mod differential;
mod follow;
mod printed;
mod sums;
mod symbolic;

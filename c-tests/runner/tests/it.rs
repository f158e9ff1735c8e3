//! Integration tests, one module for each topic. They are one binary, since linking takes longer than most of them.

mod csmith;
mod native;
mod printed;
mod watch;

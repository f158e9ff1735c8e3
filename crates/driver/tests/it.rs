//! Integration tests, one module for each topic. They are one binary, since linking takes longer than most of them.

mod common;
mod coverage;
mod experiment;
mod theorem;
mod verify;

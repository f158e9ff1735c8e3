//! Integration tests, one module for each topic. They are one binary, since linking takes longer than most of them.

mod common;
mod executed;
mod failing;
mod generated;
mod invariant;
mod modref;
mod rules;
mod threads;

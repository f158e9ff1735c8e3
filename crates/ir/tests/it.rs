//! Integration tests, one module for each topic. They are one binary, since linking takes longer than most of them.

mod common;
mod control;
mod control_dependence;
mod expressions;
mod random_loops;
mod reach;
mod text;
mod trip_counts;
mod verify;

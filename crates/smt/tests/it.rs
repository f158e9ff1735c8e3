//! Integration tests, one module for each topic. They are one binary, since linking takes longer than most of them.

mod deep_terms;
mod guessing;
mod interrupted;
mod local_search;
mod mixed_terms;
mod operators;
mod random_terms;
mod repairing;
mod serial_form;
mod simplify;
mod small_widths;
mod solvers;

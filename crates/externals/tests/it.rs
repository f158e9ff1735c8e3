//! Integration tests, one module for each topic. They are one binary, since linking takes longer than most of them.

mod build;
mod models;
mod native;

//! Integration tests, one module for each topic. They are one binary, since linking takes longer than most of them.

mod check;
mod damaged;
mod errors;
mod experiment;
mod inspect;
mod inspect_defs;
mod inspect_known;
mod inspect_markers;
mod inspect_memory;
mod limits;
mod resume;
mod sources;
mod symex;
mod symex_witness;
mod verify;
mod visible;

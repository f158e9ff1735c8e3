//! Integration tests, one module for each topic. They are one binary, since linking takes longer than most of them.

mod barriers;
mod between;
mod calls;
mod common;
mod control;
mod handed;
mod locks;
mod memory;
mod places_by_name;
mod runs;
mod stacks;
mod termination;
mod threads;

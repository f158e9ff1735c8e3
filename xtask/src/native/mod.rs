//! `cargo xtask explore-native`: runs programs under a scheduler of their own, through every interleaving. Nothing of
//! icsched is linked, so what it says can be held against icsched's results (`docs/testing.md`).

mod build;
mod clock;
mod command;
mod compare;
mod constraint;
mod draft;
mod end;
mod ends;
mod explore;
mod fuzz;
mod generate;
mod hold;
mod inputs;
mod minimise;
mod names;
mod objects;
mod race;
mod random;
mod report;
mod scenes;
mod schedule;
mod server;
mod subject;
mod trace;

pub use command::{Arguments, run, run_words};

//! What slicing knows of a program before it sees a path of it.

use icsched_ir::Program;

use crate::aliases::Aliases;
use crate::control::Control;
use crate::modref::ModRef;

/// Says when there is no time left: a slice that is not ready by then has all decisions of its path, which is right.
pub trait TimeLimit: Sync {
    /// Whether the time is over. Asked often, so it answers at once.
    fn is_over(&self) -> bool;
}

/// Static facts that slicing uses; computed once per program.
#[derive(Copy, Clone)]
pub struct Statics<'p> {
    /// The program.
    pub program: &'p Program,
    /// Its control structure.
    pub control: &'p Control,
    /// Its mod summaries.
    pub modref: &'p ModRef,
    /// What points-to analysis knows, unless that is turned off.
    pub aliases: Option<&'p Aliases<'p>>,
    /// When to stop.
    pub time: &'p dyn TimeLimit,
    /// Whether the ways of branches that only correct a number, as `if (n < 1) n = 1;` does, are paths of their own.
    pub corrections: bool,
}

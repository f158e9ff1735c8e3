//! Loops and recursions that can be summarised (input abstraction, Bergan 3.4.2).
//!
//! `for (i = 0; i < n; i++) sum += a[i];` does not synchronise. So one step of the machine may stand for all of its
//! rounds: it leaves whatever the loop may leave.

use icsched_machine::abstraction::Abstractions;
pub use icsched_schedule::Summarisable;
use icsched_slicing::recursions::UnsynchronisedRecursion;

use crate::statics::Statics;

/// Whether calls of a recursion can be summarised: what takes any number of arguments is not looked into.
pub fn can_be_replaced(recursion: &UnsynchronisedRecursion, statics: &Statics<'_>) -> bool {
    let functions = &statics.program.functions;
    !recursion.functions.iter().any(|&f| functions[f].varargs) || !recursion.fails(statics.program, statics.aliases)
}

/// Whether code can be summarised: it is there, and does not synchronise. A loop has one way in.
pub fn can_be_summarised(statics: &Statics<'_>, of: Summarisable) -> bool {
    let (Summarisable::Loop(func, _) | Summarisable::Recursion(func)) = of;
    let is_there = statics.program.functions.get(func).is_some_and(|function| !function.is_declaration());
    is_there
        && match of {
            Summarisable::Loop(func, header) => {
                let facts = statics.control.function(func);
                let mut loops = facts.loops.iter().filter(|(_, l)| l.header == header);
                loops.any(|(_, l)| l.entries.len() == 1 && l.blocks.is_disjoint(&facts.synchronises))
            }
            Summarisable::Recursion(func) => {
                let found = statics.control.unsynchronised_recursion(func);
                found.is_some_and(|recursion| can_be_replaced(recursion, statics))
            }
        }
}

/// Whether it is replaced.
pub fn is_summarised(replaced: &Abstractions, of: Summarisable) -> bool {
    match of {
        Summarisable::Loop(func, header) => replaced.loops.contains_key(&(func, header)),
        Summarisable::Recursion(func) => replaced.recursions.contains_key(&func),
    }
}

/// When it helps to summarise a loop.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Helps {
    /// If it is known then what the loop writes.
    IfWritesAreKnown,
    /// If there is anything that it does not write.
    Always,
}

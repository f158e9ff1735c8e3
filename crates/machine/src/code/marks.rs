//! What is marked in a program's code.

use std::collections::BTreeSet;
use std::sync::Arc;

use icsched_ir::{Function, Origin, ProgramPoint, modelled_function};

use crate::abstraction::Abstractions;
use crate::folding::Folding;

/// What is marked in a program's code.
#[derive(Clone, Default, Debug)]
pub struct Marks {
    /// Where epochs end: in front of these instructions (Bergan 3.3.1).
    pub markers: Arc<BTreeSet<ProgramPoint>>,
    /// What is replaced by what it may do (Bergan 3.4.2).
    pub abstractions: Arc<Abstractions>,
    /// Which activations are told apart where epochs end; without it all are.
    pub folding: Option<Arc<Folding>>,
    /// Whether it belongs to an epoch which thread starts where, not only how many do (without Bergan 3.4.1.3).
    pub concrete_threads: bool,
    /// Whether another thread may be chosen in front of each call that the program makes of a library function which
    /// synchronises, and where the process is about to end. Else one goes on until it waits, ends or polls.
    pub switches_at_calls: bool,
}

/// Why another thread may be chosen in front of a call.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum SwitchAt {
    /// The call synchronises.
    Synchronisation,
    /// The call ends the process.
    Exit,
}

/// Library functions that end the process.
const EXITS: [&str; 4] = ["exit", "_exit", "_Exit", "quick_exit"];

impl Marks {
    /// Why another thread may be chosen in front of a call, if one may.
    pub(crate) fn switches_at(&self, caller: &Function, callee: &Function) -> Option<SwitchAt> {
        let is_call = caller.origin == Origin::Program && callee.origin == Origin::Model;
        if !self.switches_at_calls || !is_call {
            return None;
        }
        let name = modelled_function(callee.library_name());
        if EXITS.contains(&name) {
            return Some(SwitchAt::Exit);
        }
        icsched_externals::lookup(name).filter(|row| row.synchronises).map(|_| SwitchAt::Synchronisation)
    }
}

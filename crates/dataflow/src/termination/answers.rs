//! Answers whether loops and recursions of one program end.

use std::panic::resume_unwind;
use std::sync::Mutex;
use std::thread;

use icsched_ir::{BlockId, FuncId, LoopId, Origin};
use icsched_pointsto::{ModRef, Startup};
use rustc_hash::FxHashMap;

use super::code::{Code, lock};
use super::ranking::Ranking;
use super::rings::Rings;
use super::verdict::{Reason, Verdict};
use crate::budgets::BUDGETS;

/// Answers for one program. What was asked is kept; any number of threads may ask.
pub struct Termination<'m, 'p> {
    pub(super) code: Code<'m, 'p>,
    rings: Rings,
    loops: Mutex<FxHashMap<(FuncId, LoopId), Verdict>>,
    recursions: Mutex<FxHashMap<usize, Verdict>>,
}

impl<'m, 'p> Termination<'m, 'p> {
    /// Asks nothing yet. O(instructions of the program).
    pub fn new(modref: &'m ModRef<'p>, startup: &'m Startup) -> Self {
        Self {
            code: Code::new(modref, startup),
            rings: Rings::default(),
            loops: Mutex::default(),
            recursions: Mutex::default(),
        }
    }

    fn ranking(&self) -> Ranking<'_, 'm, 'p> {
        Ranking { code: &self.code, rings: &self.rings }
    }

    /// Whether the loop with this header ends, if each of its rounds does. `Unknown` where there is no such loop.
    ///
    /// At most some hundred questions to a solver, each with a limit of work; nothing where it was asked before.
    pub fn of_loop(&self, func: FuncId, header: BlockId) -> Verdict {
        let structure = self.code.structure(func);
        let Some(id) = structure.loops.headed_by(header) else { return Verdict::Unknown };
        if let Some(known) = lock(&self.loops).get(&(func, id)) {
            return known.clone();
        }
        let found = match alone(|| self.ranking().ranked_loop(func, &structure, id)) {
            Verdict::Unknown if self.code.program.functions[func].origin == Origin::Model => {
                Verdict::Ends(Reason::Library)
            }
            found => found,
        };
        lock(&self.loops).insert((func, id), found.clone());
        found
    }

    /// The loops of the program that are seen to be endless without a solver.
    ///
    /// Each way out of them tests something that never holds. That is seen by the numbers that a test begins and goes
    /// on with, or by the widths of what it compares. O(instructions of functions with loops).
    pub fn plainly_endless(&self) -> Vec<(FuncId, BlockId)> {
        let mut found = Vec::new();
        let own =
            self.code.program.functions.iter().filter(|(_, f)| !f.is_declaration() && f.origin == Origin::Program);
        for (func, _) in own {
            let structure = self.code.structure(func);
            let loops = structure.loops.iter().filter(|(_, l)| !l.exits.is_empty() && !l.is_irreducible());
            found.extend(
                loops
                    .filter(|&(id, _)| self.ranking().is_plainly_endless(func, &structure, id))
                    .map(|(_, l)| (func, l.header)),
            );
        }
        found
    }

    /// Whether no chain of calls between a function and those that call each other with it is endless, if each
    /// activation ends otherwise. Functions that do not call themselves end.
    pub fn of_recursion(&self, func: FuncId) -> Verdict {
        if !self.code.calls.is_recursive(func) {
            return Verdict::Ends(Reason::Once);
        }
        let component = self.code.calls.component_of(func);
        if let Some(known) = lock(&self.recursions).get(&component) {
            return known.clone();
        }
        let functions = &self.code.calls.components()[component];
        let is_model = functions.iter().all(|&f| self.code.program.functions[f].origin == Origin::Model);
        let found = match alone(|| self.ranking().ranked_recursion(functions)) {
            Verdict::Unknown if is_model => Verdict::Ends(Reason::Library),
            found => found,
        };
        lock(&self.recursions).insert(component, found.clone());
        found
    }
}

/// Asks in a thread that has asked nothing before. What a solver finds within its limits depends on what its thread has
/// asked, and whoever wants to know this first may have asked anything (design decision D9). Where there is no room for
/// a thread it is asked in this one.
fn alone(ask: impl Fn() -> Verdict + Sync) -> Verdict {
    thread::scope(|scope| match thread::Builder::new().stack_size(BUDGETS.proof_stack).spawn_scoped(scope, &ask) {
        Ok(asked) => asked.join().unwrap_or_else(|panic| resume_unwind(panic)),
        Err(_) => ask(),
    })
}

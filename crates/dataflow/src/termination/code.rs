//! A program as the proofs look at it: its code, its calls and its effects. Any number of threads may ask.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use icsched_ir::callgraph::CallGraph;
use icsched_ir::{Callee, FuncId, Op, Program, ProgramPoint};
use icsched_pointsto::{ModRef, Startup};
use rustc_hash::FxHashMap;

use super::flow::Structure;

/// A program, with what the proofs look up. Structures of functions are kept.
pub(super) struct Code<'m, 'p> {
    pub(super) program: &'p Program,
    pub(super) modref: &'m ModRef<'p>,
    pub(super) startup: &'m Startup,
    pub(super) calls: CallGraph,
    structures: Mutex<FxHashMap<FuncId, Arc<Structure>>>,
}

impl<'m, 'p> Code<'m, 'p> {
    /// O(instructions of the program).
    pub(super) fn new(modref: &'m ModRef<'p>, startup: &'m Startup) -> Self {
        let (program, points_to) = (modref.program(), modref.points_to());
        let calls = CallGraph::with_targets(program, |at| points_to.call_targets(program, at));
        Self { program, modref, startup, calls, structures: Mutex::default() }
    }

    /// The control structure of a function.
    pub(super) fn structure(&self, func: FuncId) -> Arc<Structure> {
        let mut structures = lock(&self.structures);
        Arc::clone(structures.entry(func).or_insert_with(|| Arc::new(Structure::new(&self.program.functions[func]))))
    }

    /// Whether an instruction may synchronise, in any instance.
    pub(super) fn synchronises(&self, at: ProgramPoint) -> bool {
        let instances = self.modref.points_to().instances_of(at.func);
        instances.iter().any(|&instance| self.modref.of_instruction(instance, at).synchronises)
    }

    /// Whether a call of a function may come to one of these points.
    pub(super) fn may_run(&self, func: FuncId, points: &BTreeSet<ProgramPoint>) -> bool {
        let wanted: BTreeSet<FuncId> = points.iter().map(|at| at.func).collect();
        let mut seen = BTreeSet::from([func]);
        let mut work = vec![func];
        while let Some(func) = work.pop() {
            if wanted.contains(&func) {
                return true;
            }
            work.extend(self.calls.callees(func).iter().copied().filter(|&callee| seen.insert(callee)));
        }
        false
    }
}

/// The calls of functions that a function makes: where, which functions, and the one that is called by name.
pub(super) fn calls(
    program: &Program,
    modref: &ModRef<'_>,
    func: FuncId,
) -> Vec<(ProgramPoint, Vec<FuncId>, Option<FuncId>)> {
    let mut found = Vec::new();
    for (block, body) in program.functions[func].blocks.iter() {
        for (inst, i) in (0..).zip(&body.insts) {
            let at = ProgramPoint { func, block, inst };
            match &i.op {
                Op::Call { callee: Callee::Direct(callee), .. } => found.push((at, vec![*callee], Some(*callee))),
                Op::Call { callee: Callee::Indirect(_), .. } => {
                    found.push((at, modref.points_to().call_targets(program, at), None));
                }
                _ => {}
            }
        }
    }
    found
}

/// A lock that is not lost with a thread that panicked: what it guards is put there as a whole.
pub(super) fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Recursion in the names of epochs: activations that are not told apart.
//!
//! Between the ends of epochs a stack is what it is. Where an epoch ends, a stack that is inside of a recursion -
//! functions that call each other - keeps the innermost activations of it, so many as [`Folding::depth`] says. Those
//! below them are *folded*: forgotten, and from then on one or more activations of the recursion are there, nobody
//! knows how many ([`Frame::is_folded`]). So there are finitely many epochs.
//!
//! An activation that returns to where others are folded returns to any call of the recursion that may have called it,
//! and that one is the last of those that are folded, or not. Which call it was, and whether it is the last, are
//! inputs. The epoch ends there, as if there was a marker behind the call: of the activation that the thread is in
//! then, nothing is known but what is true of it whoever has called it, which is what an initial state in the middle of
//! the program is made of.

use icsched_ir::{FuncId, Program, ProgramPoint, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::thread::{Frame, Thread, ThreadId};
use crate::values::Values;

/// Which activations are told apart.
#[derive(Clone, Default, Debug)]
pub struct Folding {
    /// How many innermost activations of a recursion are; at least 1.
    pub depth: usize,
    /// The recursion that a function is in.
    pub recursions: FxHashMap<FuncId, u32>,
    /// The calls of a function by those of its recursion, ascending.
    pub calls: FxHashMap<FuncId, Vec<ProgramPoint>>,
    /// The parameters, by position, that all calls within a recursion hand on as they are: they are the same in all of
    /// its activations.
    pub handed_on: FxHashMap<u32, Vec<usize>>,
    /// The recursions that [count](icsched_ir::activations) their activations, all functions in one number.
    pub counted: FxHashSet<u32>,
}

/// One question about folded activations: the same on all paths.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct FoldChoice {
    /// The thread.
    pub thread: ThreadId,
    /// The position of the activation that returns.
    pub depth: u32,
    /// A call, and whether it is asked if the activation that made it is the last of those that are folded, or if the
    /// one that returns was called there.
    pub question: (ProgramPoint, bool),
}

impl Folding {
    /// The parameters of a function that are the same in all activations of its recursion, in the order of their
    /// positions.
    pub fn shared<'a>(&'a self, program: &'a Program, func: FuncId) -> impl Iterator<Item = ValueId> + 'a {
        let positions = self.recursions.get(&func).and_then(|recursion| self.handed_on.get(recursion));
        positions.into_iter().flatten().map(move |&at| program.functions[func].params[at])
    }

    /// Folds a stack. The outermost activation stays.
    pub(crate) fn fold<D: Values>(&self, thread: &mut Thread<D>) {
        let frames = std::mem::take(&mut thread.frames);
        let recursion = |depth: usize| self.recursions.get(&frames[depth].func).filter(|_| depth > 0);
        let mut next = 0;
        while next < frames.len() {
            let of = recursion(next);
            let same = (next..frames.len()).take_while(|&depth| recursion(depth) == of).count();
            let count = if of.is_some() { same } else { 1 };
            let first = next + if of.is_some() { count.saturating_sub(self.depth) } else { 0 };
            let is_folded = first > next || frames[next].is_folded;
            thread.frames.push(Frame { is_folded, ..frames[first].clone() });
            thread.frames.extend_from_slice(&frames[first + 1..next + count]);
            next += count;
        }
    }
}

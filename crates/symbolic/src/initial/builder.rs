//! What an initial state is made of: the facts it starts from, what is known beside them, and what is made so far.
//!
//! Whoever knows more than dataflow analysis implements [`KnownState`]: for example, that the words at two places are
//! equal in all states at a context. A [`Start`] refers to it, and it is asked while the state is made. What is asked,
//! and in which order, is [`AddKnown`]; what the state offers in return is the API of [`StateBuilder`].

use std::sync::Arc;

use icsched_dataflow::{Context, ExprPool, InitialState, Statics, Symbol};
use icsched_ir::{GlobalId, Program, ValueId};
use icsched_pointsto::{ObjectId as Abstract, ObjectKind as AbstractKind, PointsTo};
use icsched_smt::Term;
use rustc_hash::FxHashMap;

use super::root::RootId;
use crate::path::SymPath;
use crate::symbolic::SymbolicDomain;
use icsched_machine::Machine;
use icsched_machine::memory::{Heap, ObjectId};

/// A program context and what is known of it.
pub struct Start<'a> {
    /// Where the threads are.
    pub context: &'a Context,
    /// What holds there.
    pub facts: &'a InitialState,
    /// The expressions of the facts.
    pub pool: &'a ExprPool,
    /// The program's points-to analysis.
    pub points_to: Arc<PointsTo>,
    /// What variables hold at all times.
    pub statics: &'a Statics,
    /// What is known by other means; `&()` if nothing is.
    pub known: &'a dyn KnownState,
    /// What to leave out.
    pub options: StartOptions,
}

/// Switches of the initial state.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct StartOptions {
    /// Whether the program's variables that never change are known; the models' own always are.
    pub statics: bool,
    /// Whether pointers are only compared with what points-to analysis says they may be.
    pub points_to: bool,
    /// Whether accesses of objects of unknown size are checked.
    pub memory_checks: bool,
    /// Whether what always holds of objects of synchronisation is assumed.
    pub sync_invariants: bool,
}

impl Default for StartOptions {
    fn default() -> Self {
        Self { statics: true, points_to: true, memory_checks: true, sync_invariants: true }
    }
}

/// Values of the frames of one thread.
pub(super) type Registers = FxHashMap<Symbol, Term>;

/// An initial state that is being made.
pub struct StateBuilder<'m, 'a> {
    pub(super) machine: &'m mut Machine<SymbolicDomain>,
    pub(super) start: &'a Start<'a>,
    pub(super) program: Arc<Program>,
    pub(super) heap: Heap<SymbolicDomain>,
    pub(super) path: SymPath,
    pub(super) globals: FxHashMap<GlobalId, RootId>,
    /// What points-to analysis calls objects of each kind, ascending.
    pub(super) objects: FxHashMap<AbstractKind, Vec<Abstract>>,
    /// Per thread of the context.
    pub(super) registers: Vec<Registers>,
    /// Results of divisions by what is not known.
    pub(super) quotients: FxHashMap<(icsched_ir::BinOp, Term, Term), Term>,
    pub(super) next_frame: u64,
    pub(super) is_complete: bool,
    /// What is known by other means than dataflow analysis.
    pub(super) known: Box<dyn AddKnown + 'a>,
    /// Locals of frames, by thread, frame counted from the outermost, and `alloca`.
    pub(super) locals: FxHashMap<Register, ObjectId>,
    pub(super) thread_locals: FxHashMap<(GlobalId, u32), ObjectId>,
    /// What registers hold that were made.
    pub(super) made: FxHashMap<Register, Term>,
}

/// What is known of all states at a context, beside the facts of dataflow analysis.
pub trait KnownState {
    /// Begins to add it to one initial state.
    fn begin(&self) -> Box<dyn AddKnown + '_>;
}

/// Nothing is known.
impl KnownState for () {
    fn begin(&self) -> Box<dyn AddKnown + '_> {
        Box::new(())
    }
}

/// A register: thread, frame counted from the outermost, value.
pub type Register = (u32, u32, ValueId);

/// The moments at which something is added to an initial state, in their order. Each does nothing unless it is
/// implemented.
pub trait AddKnown {
    /// Variables are there; threads, frames, and locals are not. Adds objects of its own, and what objects hold that
    /// are there.
    fn objects(&mut self, state: &mut StateBuilder<'_, '_>) {
        let _ = state;
    }

    /// What a register of a frame holds that is about to be made, as a term of `width` bits; `None` if that is not
    /// known.
    fn register(&mut self, state: &mut StateBuilder<'_, '_>, register: Register, width: u32) -> Option<Term> {
        let _ = (state, register, width);
        None
    }

    /// A register holds `term` from now on.
    fn made(&mut self, state: &mut StateBuilder<'_, '_>, register: Register, term: Term) {
        let _ = (state, register, term);
    }

    /// All objects and registers are there. Adds what locals hold, and conditions.
    fn constrain(&mut self, state: &mut StateBuilder<'_, '_>) {
        let _ = state;
    }

    /// The threads that wait, in the order in which they began to; empty if it is not known.
    fn wait_order(&self) -> &[u32] {
        &[]
    }
}

impl AddKnown for () {}

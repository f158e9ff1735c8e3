//! What replaced loops and recursions have left on the paths of a domain.

use std::rc::Rc;
use std::sync::Arc;

use icsched_ir::{GlobalId, ProgramPoint, ValueId};
use icsched_pointsto::{InstanceId, ObjectId as Abstract, ObjectKind as AbstractKind};
use icsched_smt::Term;
use rustc_hash::FxHashMap;

use crate::initial::root::{Fresh, RootId};
use icsched_machine::abstraction::{Abstractions, Passage};
use icsched_machine::domain::AllocationSite;
use icsched_machine::memory::ObjectId;

/// What is forgotten on the paths of a domain.
#[derive(Default)]
pub(crate) struct Forgotten {
    /// What is replaced.
    pub(crate) replaced: Arc<Abstractions>,
    pub(crate) values: FxHashMap<(Passage, ValueId), Term>,
    /// How many iterations of loops have passed.
    pub(crate) rounds: FxHashMap<Passage, Term>,
    /// The replaced loops that symbols and roots are from.
    pub(crate) symbols: FxHashMap<Term, Passage>,
    pub(crate) passages: FxHashMap<RootId, Passage>,
    pub(crate) roots: FxHashMap<(Passage, ObjectId, AllocationSite), RootId>,
    pub(crate) unwritten: FxHashMap<(ObjectId, AllocationSite, Fresh), RootId>,
    pub(crate) index: Option<Rc<Index>>,
}

impl Forgotten {
    /// The replaced loop that a root's bytes are from.
    pub(crate) fn passage_of(&self, root: RootId) -> Option<Passage> {
        self.passages.get(&root).copied()
    }

    /// The replaced loop whose header a symbol is a parameter of.
    pub(crate) fn passage_of_symbol(&self, symbol: Term) -> Option<Passage> {
        self.symbols.get(&symbol).copied()
    }
}

/// Abstract objects by what makes them.
pub(crate) struct Index {
    pub(crate) globals: FxHashMap<GlobalId, Abstract>,
    pub(crate) stack: FxHashMap<(InstanceId, ValueId), Abstract>,
    /// By the program's call.
    pub(crate) heap: FxHashMap<ProgramPoint, Vec<Abstract>>,
    pub(crate) heap_anywhere: Vec<Abstract>,
    pub(crate) allocated: FxHashMap<(InstanceId, ProgramPoint), Abstract>,
    /// What the system gives: the arguments and the environment.
    pub(crate) given: FxHashMap<AbstractKind, Abstract>,
    pub(crate) var_args: Vec<Abstract>,
}

impl Index {
    /// What stands for objects that the system gives; nothing if no pointer of the program points there.
    pub(crate) fn of(&self, kind: AbstractKind) -> Vec<Abstract> {
        self.given.get(&kind).copied().into_iter().collect()
    }
}

//! What the objects of a finished path are, statically.

use icsched_ir::{FuncId, GlobalId, ProgramPoint, ValueId};
use icsched_machine::memory::{Heap, ObjectId, ObjectKind};
use icsched_machine::{FrameId, Values};
use icsched_pointsto::{ObjectId as Abstract, Offsets};
use rustc_hash::FxHashMap;

/// The static description of an object.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ObjectClass {
    /// A global variable, or a thread's instance of one.
    Global(GlobalId),
    /// A local variable in memory.
    Local {
        /// The function.
        func: FuncId,
        /// Its alloca.
        value: ValueId,
    },
    /// Heap objects, program arguments and whatever else has no name.
    Other,
}

/// What every object that a path made is; ids are dense.
#[derive(Clone, Default, Debug)]
pub struct Objects {
    known: Vec<Option<(ObjectKind, Option<ProgramPoint>)>>,
    sites: Vec<Option<Abstract>>,
    variable_arguments: FxHashMap<FrameId, ObjectId>,
    /// Those of an initial state, with what points-to analysis calls them and where their first byte is there.
    initial: FxHashMap<ObjectId, Vec<(Abstract, Offsets)>>,
}

impl Objects {
    /// Reads it off a path's final heap. Dead objects keep their ids.
    pub fn of<D: Values>(heap: &Heap<D>) -> Self {
        let mut this = Self::default();
        for id in (0..ObjectId(heap.object_count()).index()).map(ObjectId::from_index) {
            let object = heap.object(id);
            this.known.push(object.map(|o| (o.kind, o.allocated_at)));
            this.sites.push(object.and_then(|o| o.site));
            if let Some(ObjectKind::VarArgs(frame)) = object.map(|o| o.kind) {
                this.variable_arguments.insert(frame, id);
            }
        }
        this
    }

    /// What points-to analysis calls an object from the heap, if the path knows.
    pub fn site(&self, object: ObjectId) -> Option<Abstract> {
        self.sites.get(object.index()).copied().flatten()
    }

    /// The same with what objects of the initial state may be.
    pub fn with_initial(mut self, initial: Vec<(ObjectId, Vec<(Abstract, Offsets)>)>) -> Self {
        self.initial = initial.into_iter().collect();
        self
    }

    /// What points-to analysis calls an object of the initial state; `None` for other objects, and if nothing is known.
    pub fn initial(&self, object: ObjectId) -> Option<&[(Abstract, Offsets)]> {
        self.initial.get(&object).map(Vec::as_slice)
    }

    /// The object that holds the variable arguments of a frame: eight bytes for each, in order.
    pub fn variable_arguments(&self, frame: FrameId) -> Option<ObjectId> {
        self.variable_arguments.get(&frame).copied()
    }

    /// Number of objects, those that there are not any more included.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether the path made no object.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// What the object is, and the program's instruction that made it; `None` if the path has none with this id.
    pub fn origin(&self, object: ObjectId) -> Option<(ObjectKind, Option<ProgramPoint>)> {
        self.known.get(object.index()).copied().flatten()
    }

    /// The class of an object; [`ObjectClass::Other`] if the path has none with this id.
    pub fn class(&self, object: ObjectId) -> ObjectClass {
        match self.origin(object).map(|(kind, _)| kind) {
            Some(ObjectKind::Global(global) | ObjectKind::ThreadLocal(global, _)) => ObjectClass::Global(global),
            Some(ObjectKind::Stack { func, value, .. }) => ObjectClass::Local { func, value },
            Some(
                ObjectKind::Heap
                | ObjectKind::Argument(_)
                | ObjectKind::ArgumentVector
                | ObjectKind::Environment(_)
                | ObjectKind::EnvironmentVector
                | ObjectKind::VarArgs(_)
                | ObjectKind::Initial(_),
            )
            | None => ObjectClass::Other,
        }
    }
}

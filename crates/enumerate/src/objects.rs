//! What the objects of a finished path are, statically.

use icsched_ir::{FuncId, GlobalId, ValueId};
use icsched_symex::memory::{Heap, ObjectId, ObjectKind};
use icsched_symex::Domain;

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

/// The class of every object that a path made; ids are dense.
#[derive(Clone, Default, Debug)]
pub struct Objects {
    classes: Vec<ObjectClass>,
}

impl Objects {
    /// Reads the classes off a path's final heap. Dead objects keep their ids.
    pub fn of<D: Domain>(heap: &Heap<D>) -> Self {
        let class = |kind: ObjectKind| match kind {
            ObjectKind::Global(global) | ObjectKind::ThreadLocal(global, _) => ObjectClass::Global(global),
            ObjectKind::Stack { func, value, .. } => ObjectClass::Local { func, value },
            ObjectKind::Heap
            | ObjectKind::Argument(_)
            | ObjectKind::ArgumentVector
            | ObjectKind::Environment(_)
            | ObjectKind::EnvironmentVector
            | ObjectKind::VarArgs(_) => ObjectClass::Other,
        };
        let kind_of = |id: u32| heap.object(ObjectId(id)).map_or(ObjectClass::Other, |o| class(o.kind));
        Self { classes: (0..heap.object_count()).map(kind_of).collect() }
    }

    /// The class of an object; [`ObjectClass::Other`] if the path has none with this id.
    pub fn class(&self, object: ObjectId) -> ObjectClass {
        self.classes.get(object.0 as usize).copied().unwrap_or(ObjectClass::Other)
    }
}

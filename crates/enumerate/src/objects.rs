//! What the objects of a finished path are, statically.

use icsched_ir::{FuncId, GlobalId, ValueId};
use icsched_symex::memory::{Heap, ObjectId, ObjectKind};
use icsched_symex::{Domain, FrameId};
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

/// The class of every object that a path made; ids are dense.
#[derive(Clone, Default, Debug)]
pub struct Objects {
    classes: Vec<ObjectClass>,
    variable_arguments: FxHashMap<FrameId, ObjectId>,
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
        let mut this = Self::default();
        for id in (0..heap.object_count()).map(ObjectId) {
            let kind = heap.object(id).map(|o| o.kind);
            this.classes.push(kind.map_or(ObjectClass::Other, class));
            if let Some(ObjectKind::VarArgs(frame)) = kind {
                this.variable_arguments.insert(frame, id);
            }
        }
        this
    }

    /// The object that holds the variable arguments of a frame: eight bytes for each, in order.
    pub fn variable_arguments(&self, frame: FrameId) -> Option<ObjectId> {
        self.variable_arguments.get(&frame).copied()
    }

    /// The class of an object; [`ObjectClass::Other`] if the path has none with this id.
    pub fn class(&self, object: ObjectId) -> ObjectClass {
        self.classes.get(object.0 as usize).copied().unwrap_or(ObjectClass::Other)
    }
}

//! Objects: how they are named, how large they are, and which accesses of them are errors.

use icsched_ir::CallStack;

use crate::memory::{Heap, ObjectId, ObjectKind};
use crate::values::Values;

/// The program's instruction that allocates an object, and what points-to analysis calls the object, as far as they are
/// known.
pub type AllocationSite = (Option<icsched_ir::ProgramPoint>, Option<icsched_pointsto::ObjectId>);

/// What a domain knows of objects and of accesses to them. The default knows all objects, and looks for errors.
pub trait Objects: Values {
    /// What points-to analysis calls the object that the innermost instruction of a stack allocates, if that is one
    /// object.
    fn allocation_site(&mut self, _stack: &CallStack) -> Option<icsched_pointsto::ObjectId> {
        None
    }
    /// What points-to analysis calls an object that the system gives, whatever inputs are.
    fn given_site(&mut self, _kind: ObjectKind) -> Option<icsched_pointsto::ObjectId> {
        None
    }
    /// A new object of unknown size, zeroed or not, allocated by an instruction of the program; none where sizes must
    /// be known.
    fn allocate_unsized(&mut self, _heap: &mut Heap<Self>, _by: AllocationSite, _zeroed: bool) -> Option<ObjectId> {
        None
    }
    /// Whether subscripts of arrays in structures are taken to be in range.
    fn subscripts_are_in_range(&self) -> bool {
        false
    }
    /// Whether the run began at the program's entry: then it knows of each object how large it is, but for those whose
    /// size depends on inputs.
    fn knows_objects(&self) -> bool {
        true
    }
    /// Whether it is asked if accesses are errors.
    fn checks_memory(&self) -> bool {
        true
    }
    /// Whether nobody knows how large an object of an initial state is; notes that it was asked.
    fn is_of_unknown_size(&mut self, _object: ObjectId) -> bool {
        false
    }
    /// A value is what memory held at an address in the initial state: it has that name.
    fn loaded(&mut self, _address: &Self::Value, _value: &Self::Value) {}
    /// What an address that is no constant leads to, as people write it.
    fn describe_place(&mut self, _path: &Self::Path, _heap: &Heap<Self>, address: &Self::Value) -> String {
        self.describe(address)
    }
}

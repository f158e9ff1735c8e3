//! One memory object.

use std::ops::Deref;
use std::rc::Rc;

use icsched_ir::{FuncId, GlobalId, ProgramPoint, ValueId};
use icsched_pointsto::ObjectId as Abstract;

use super::page::Pages;
use crate::ids::{FrameId, ThreadId};
use crate::values::Values;

/// What an object is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    /// A global variable; for a thread-local one the template of its instances.
    Global(GlobalId),
    /// A thread's instance of a thread-local global.
    ThreadLocal(GlobalId, ThreadId),
    /// A local variable (`alloca`).
    Stack {
        /// The activation.
        frame: FrameId,
        /// Its function.
        func: FuncId,
        /// The `alloca`'s result.
        value: ValueId,
    },
    /// From `malloc` and the like.
    Heap,
    /// The string `argv[i]`.
    Argument(u32),
    /// The array `argv`.
    ArgumentVector,
    /// The string `environ[i]`.
    Environment(u32),
    /// The array `environ`.
    EnvironmentVector,
    /// The variable arguments of an activation.
    VarArgs(FrameId),
    /// An object of an initial state in the middle of the program, by the number of its root: nobody knows what it is.
    Initial(u32),
}

impl ObjectKind {
    /// Whether an object of this kind has no name of its own: pointers alone say which one it is.
    pub const fn is_nameless(self) -> bool {
        matches!(self, Self::Heap | Self::Argument(_) | Self::ArgumentVector | Self::Initial(_))
    }
}

/// Who may free a heap object.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub enum Family {
    /// `free`, `realloc`.
    #[default]
    Free,
    /// C++'s `delete`.
    Delete,
    /// C++'s `delete[]`.
    DeleteArray,
}

impl Family {
    /// The family of a number that `__ics_set_family` is given.
    pub(crate) const fn of(number: u64) -> Self {
        match number {
            1 => Family::Delete,
            2 => Family::DeleteArray,
            _ => Family::Free,
        }
    }

    /// How objects of the family are made, and what frees them.
    pub(crate) const fn names(self) -> (&'static str, &'static str) {
        match self {
            Family::Free => ("malloc", "free"),
            Family::Delete => ("new", "delete"),
            Family::DeleteArray => ("new[]", "delete[]"),
        }
    }
}

/// How an object died.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Death {
    /// `free` and the like.
    Freed,
    /// The function whose local it was returned.
    Returned,
    /// The thread whose instance it was ended.
    ThreadEnded,
}

/// The end of an object.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Dead {
    pub(super) cause: Death,
    /// The program's instruction that killed it.
    pub(super) at: Option<ProgramPoint>,
    /// Links the dead objects, oldest first; 0 ends the list.
    pub(super) next: u32,
}

/// What an object holds.
pub(super) enum Content<D: Values> {
    Bytes(Pages<D>),
    /// After a write at a symbolic offset.
    Array(D::Array),
    /// Bytes, and the same as an array, since it was read at a symbolic offset. Dropped at the next write.
    Both(Box<(Pages<D>, D::Array)>),
    /// Nothing any more.
    Dead(Dead),
}

impl<D: Values> Clone for Content<D> {
    fn clone(&self) -> Self {
        match self {
            Content::Bytes(pages) => Content::Bytes(pages.clone()),
            Content::Array(array) => Content::Array(array.clone()),
            Content::Both(both) => Content::Both(both.clone()),
            Content::Dead(dead) => Content::Dead(*dead),
        }
    }
}

impl<D: Values> Content<D> {
    pub(super) fn pages(&self) -> Option<&Pages<D>> {
        match self {
            Content::Bytes(pages) => Some(pages),
            Content::Both(both) => Some(&both.0),
            Content::Array(_) | Content::Dead(_) => None,
        }
    }
}

/// What an object is, and where it came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Details {
    /// What it is.
    pub kind: ObjectKind,
    /// What may free it, if it is from the heap.
    pub family: Family,
    /// The program's instruction that made it (the call of `malloc`), if one did.
    pub allocated_at: Option<ProgramPoint>,
    /// What points-to analysis calls it, if that is known of an object from the heap.
    pub site: Option<Abstract>,
}

/// A memory object.
///
/// Lists and trees are objects that are read once and then not for long, so that each one is a wait for main memory.
/// What an access needs lies together, in this order, with the bytes of small objects: 128 bytes (`objects_are_small`
/// checks it). What only messages and analyses ask for is elsewhere, and shared by forks and by objects of one origin.
#[repr(C)]
pub struct Object<D: Values> {
    /// Size in bytes.
    pub size: u64,
    /// May not be written.
    pub constant: bool,
    /// A variable that is declared but defined nowhere: has no known contents.
    pub external: bool,
    /// Bytes behind it that are memory, too, although an access of them is an error: what `malloc` gives where paths go
    /// on behind errors.
    pub(crate) slack: u8,
    pub(super) content: Content<D>,
    pub(super) details: Rc<Details>,
    /// The size that was asked for, of an object whose size is not known because it depends on inputs.
    pub(crate) asked: Option<Box<D::Value>>,
}

impl<D: Values> Clone for Object<D> {
    fn clone(&self) -> Self {
        Self { content: self.content.clone(), details: Rc::clone(&self.details), asked: self.asked.clone(), ..*self }
    }
}

/// What an object is reads as a part of it.
impl<D: Values> Deref for Object<D> {
    type Target = Details;

    fn deref(&self) -> &Details {
        &self.details
    }
}

impl<D: Values> Object<D> {
    /// Whether it may be accessed.
    pub fn is_alive(&self) -> bool {
        !matches!(self.content, Content::Dead(_))
    }

    /// Its number, if it is an object of an initial state of which nobody knows what it is.
    pub fn initial_number(&self) -> Option<u32> {
        match self.kind {
            ObjectKind::Initial(number) => Some(number),
            _ => None,
        }
    }

    /// How it died and the program's instruction that killed it.
    pub fn death(&self) -> Option<(Death, Option<ProgramPoint>)> {
        match self.content {
            Content::Dead(Dead { cause, at, .. }) => Some((cause, at)),
            Content::Bytes(_) | Content::Array(_) | Content::Both(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::concrete::ConcreteDomain;

    /// Two cache lines, neighbours in the concrete domain.
    #[test]
    fn objects_are_small() {
        assert!(size_of::<Option<Object<ConcreteDomain>>>() <= 128);
    }
}

//! One memory object.

use std::fmt;
use std::rc::Rc;

use icsched_ir::{FuncId, GlobalId, ProgramPoint, ValueId};
use smallvec::{SmallVec, smallvec};

use super::page::{PAGE, Page};
use crate::domain::Domain;
use crate::thread::{FrameId, ThreadId};

/// A memory object; its id is the high half of its addresses. 0 is none.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u32);

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "o{}", self.0)
    }
}

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

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Life {
    Alive,
    /// `next` links the dead objects, oldest first; 0 ends the list.
    Dead {
        cause: Death,
        at: Option<ProgramPoint>,
        next: u32,
    },
}

/// Pages of an object; the last one may reach beyond its end.
pub(super) type Pages<D> = SmallVec<[Rc<Page<D>>; 1]>;

/// What an object holds.
pub(super) enum Content<D: Domain> {
    Bytes(Pages<D>),
    /// After a write at a symbolic offset.
    Array(D::Array),
    /// Bytes, and the same as an array, since it was read at a symbolic offset. Dropped at the next write.
    Both(Pages<D>, D::Array),
}

impl<D: Domain> Clone for Content<D> {
    fn clone(&self) -> Self {
        match self {
            Content::Bytes(pages) => Content::Bytes(pages.clone()),
            Content::Array(array) => Content::Array(array.clone()),
            Content::Both(pages, array) => Content::Both(pages.clone(), array.clone()),
        }
    }
}

impl<D: Domain> Content<D> {
    pub(super) fn zero(size: u64, page: &Rc<Page<D>>) -> Self {
        let count = usize::try_from(size.div_ceil(PAGE as u64)).expect("objects fit into memory");
        Content::Bytes(smallvec![page.clone(); count])
    }

    pub(super) fn pages(&self) -> Option<&Pages<D>> {
        match self {
            Content::Bytes(pages) | Content::Both(pages, _) => Some(pages),
            Content::Array(_) => None,
        }
    }
}

/// A memory object.
pub struct Object<D: Domain> {
    /// What it is.
    pub kind: ObjectKind,
    /// Size in bytes.
    pub size: u64,
    /// May not be written.
    pub constant: bool,
    /// A variable that is declared but defined nowhere: has no known contents.
    pub external: bool,
    /// The program's instruction that made it (the call of `malloc`), if one did.
    pub allocated_at: Option<ProgramPoint>,
    pub(super) life: Life,
    pub(super) content: Content<D>,
}

impl<D: Domain> Clone for Object<D> {
    fn clone(&self) -> Self {
        Self { content: self.content.clone(), ..*self }
    }
}

impl<D: Domain> Object<D> {
    /// Whether it may be accessed.
    pub fn is_alive(&self) -> bool {
        self.life == Life::Alive
    }

    /// How it died and the program's instruction that killed it.
    pub fn death(&self) -> Option<(Death, Option<ProgramPoint>)> {
        match self.life {
            Life::Alive => None,
            Life::Dead { cause, at, .. } => Some((cause, at)),
        }
    }
}

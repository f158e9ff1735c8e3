//! Roots: the objects of an initial state, known by how one gets to them.

use std::collections::BTreeMap;
use std::rc::Rc;

use icsched_ir::{EntityId, GlobalId, TypeId, entity_id};
use icsched_machine::{Domain, Object};
use icsched_pointsto::{ObjectId as Abstract, Offsets};
use icsched_smt::Term;
use serde::{Deserialize, Serialize};

use crate::memory::known_bytes::KnownBytes;

entity_id!(
    /// An object of the initial state.
    RootId, "r"
);

impl RootId {
    /// The root of an object of an initial state of which nobody knows what it is.
    pub fn of_object<D: Domain>(object: &Object<D>) -> Option<Self> {
        object.initial_number().map(|number| Self::from_index(number as usize))
    }
}

/// The number that roots have outside.
pub(crate) fn number(root: RootId) -> u32 {
    u32::try_from(root.index()).expect("roots are few")
}

/// Where something may be, as points-to analysis names places.
pub(crate) type Places = Rc<[(Abstract, Offsets)]>;

/// The name of a root, for the names of its bytes.
#[derive(Clone, Debug)]
pub(crate) enum RootName {
    /// A global variable.
    Global(GlobalId),
    /// A variable with a name of its own.
    Variable(String, Option<TypeId>),
    /// What a pointer points to: its name, the type behind it, and the offset in the object.
    Pointee(String, Option<TypeId>, u64),
}

/// What an object holds that was allocated on a path, before anything is written.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) enum Fresh {
    /// Zeros.
    Zero,
    /// Anything.
    Any,
}

/// An object of the initial state.
pub(crate) struct Root {
    pub(crate) name: RootName,
    /// Where its first byte may be.
    pub(crate) places: Places,
    /// The first offset that counts as its first byte in `places`.
    pub(crate) origin: u64,
    /// Bytes of it, if that is known.
    pub(crate) size: Option<u64>,
    /// What bytes hold, where that is known.
    pub(crate) known: KnownBytes,
    /// Symbols by the offset of their first byte, with the number of their bytes.
    pub(crate) symbols: BTreeMap<u64, (u32, Term)>,
    /// What was read at offsets that are no constants: offset, bytes, value.
    pub(crate) indexed: Vec<(Term, u32, Term)>,
    /// Least offset, and the end, where they are not known.
    pub(crate) extent: Option<(Term, Term)>,
    /// What it holds, if it is no object of the initial state but was allocated on a path.
    pub(crate) fresh: Option<Fresh>,
}

impl Root {
    /// Whether bytes are known. O(`n` log bytes).
    pub(crate) fn is_known(&self, at: u64, n: u32) -> bool {
        (0..u64::from(n)).all(|i| self.known.get(at.wrapping_add(i)).is_some())
    }

    /// Whether bytes are known, or have symbols. O(`n` log bytes).
    pub(crate) fn is_determined(&self, at: u64, n: u32) -> bool {
        let has_symbol = |at: u64| {
            let before = self.symbols.range(..=at).next_back();
            before.is_some_and(|(first, (len, _))| at - first < u64::from(*len))
        };
        (0..u64::from(n)).map(|i| at.wrapping_add(i)).all(|at| self.known.get(at).is_some() || has_symbol(at))
    }

    /// How many bytes it has, if that is known.
    pub(crate) fn size(&self) -> Option<u64> {
        self.size
    }

    /// The first offset that counts as its first byte where points-to analysis says what it may be.
    pub(crate) fn origin(&self) -> u64 {
        self.origin
    }
}

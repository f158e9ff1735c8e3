//! What a path may come to in the initial state that no path has come to before.

use icsched_ir::{TypeId, ValueId};
use icsched_machine::abstraction::Passage;
use icsched_machine::domain::AllocationSite;
use icsched_machine::folding::FoldChoice;
use icsched_machine::memory::ObjectId;
use icsched_pointsto::{ObjectId as Abstract, Offsets};
use serde::{Deserialize, Serialize};

use super::root::{Fresh, RootId};

/// One discovery; `T` is how terms are told. Names are those that were given, which are of nothing else.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) enum Discovery<T> {
    /// So many bytes of a root at an offset have a symbol.
    Bytes { root: RootId, at: u64, len: u32, name: String },
    /// The same at an offset that is no constant; perhaps without a symbol of their own.
    Indexed { root: RootId, offset: T, len: u32, name: Option<String> },
    /// There is an object behind a pointer.
    Pointee { root: RootId, pointer: T },
    /// A register of a summarised loop, or a result of a summarised call, has a symbol.
    Value { passage: Passage, value: ValueId, name: String },
    /// The number of rounds of a summarised loop has one.
    Rounds { passage: Passage, name: String },
    /// An object holds something else behind summarised code.
    Later { root: RootId, key: LaterKey, held: Held<StoredPlaces> },
    /// What an object that a path has made held before it was written.
    Unwritten { root: RootId, object: ObjectId, site: AllocationSite, fresh: Fresh, name: String },
    /// An instruction has allocated one more object of unknown size; what it holds where nothing was written.
    Allocated { root: RootId, site: AllocationSite, fresh: Option<Fresh>, name: String },
    /// A question about folded activations has a symbol.
    Choice { choice: FoldChoice, name: String },
    /// So many roots that no symbol is of.
    Unread { root: RootId, count: u32 },
}

/// What an object holds behind summarised code.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Held<P> {
    /// Its name.
    pub(crate) name: String,
    /// Its type, if that is known.
    pub(crate) ty: Option<TypeId>,
    /// Where its first byte may be.
    pub(crate) places: P,
    /// The offset that counts as its first byte there.
    pub(crate) origin: u64,
    /// How many bytes it has, if that is known.
    pub(crate) size: Option<u64>,
}

/// Places as they are stored; `None`: anywhere.
pub(crate) type StoredPlaces = Option<Vec<(Abstract, Offsets)>>;

/// Which object holds something else behind which summarised code.
pub(crate) type LaterKey = (Passage, ObjectId, AllocationSite);

impl<T> Discovery<T> {
    /// The same with terms told otherwise.
    pub(crate) fn try_map<U>(self, mut f: impl FnMut(T) -> Option<U>) -> Option<Discovery<U>> {
        Some(match self {
            Self::Bytes { root, at, len, name } => Discovery::Bytes { root, at, len, name },
            Self::Indexed { root, offset, len, name } => Discovery::Indexed { root, offset: f(offset)?, len, name },
            Self::Pointee { root, pointer } => Discovery::Pointee { root, pointer: f(pointer)? },
            Self::Value { passage, value, name } => Discovery::Value { passage, value, name },
            Self::Rounds { passage, name } => Discovery::Rounds { passage, name },
            Self::Later { root, key, held } => Discovery::Later { root, key, held },
            Self::Unwritten { root, object, site, fresh, name } => {
                Discovery::Unwritten { root, object, site, fresh, name }
            }
            Self::Allocated { root, site, fresh, name } => Discovery::Allocated { root, site, fresh, name },
            Self::Choice { choice, name } => Discovery::Choice { choice, name },
            Self::Unread { root, count } => Discovery::Unread { root, count },
        })
    }

    /// The root whose bytes it gives a symbol.
    pub(crate) fn reads(&self) -> Option<RootId> {
        match self {
            Self::Bytes { root, .. } | Self::Indexed { root, .. } => Some(*root),
            _ => None,
        }
    }

    /// A root that is of no use if nobody [reads](Self::reads) it.
    pub(crate) fn makes_for_reading(&self) -> Option<RootId> {
        match self {
            Self::Later { root, .. } | Self::Unwritten { root, .. } => Some(*root),
            _ => None,
        }
    }
}

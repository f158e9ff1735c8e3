//! Places, and what they may hold: the words in which facts are said.

use icsched_ir::{GlobalId, ValueId};
use icsched_machine::memory::{AddressClass, classify};
use serde::{Deserialize, Serialize};

/// An object.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Node {
    /// A global variable.
    Global(GlobalId),
    /// A thread's instance of a thread-local one.
    ThreadLocal(GlobalId, u32),
    /// A thread's control block: its entry in the models' table.
    Thread(u32),
    /// A local variable: thread, frame counted from the outermost, `alloca`.
    Local(u32, u32, ValueId),
    /// An object from the heap.
    Heap(u32),
}

/// What a place holds.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Held {
    /// A number.
    Bits(u64),
    /// An address so many bytes behind the start of an object.
    Address(Node, i64),
    /// The same as all places with this number.
    Same(u32),
}

impl Held {
    /// Whether it is an address of an object or of a function, which is the same number everywhere.
    pub fn points(&self) -> bool {
        match *self {
            Self::Address(..) => true,
            Self::Bits(bits) => matches!(classify(bits), AddressClass::Function(_)),
            Self::Same(_) => false,
        }
    }
}

/// A place that holds something.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Place {
    /// Bytes of an object: offset, how many.
    Memory(Node, u64, u8),
    /// A register: thread, frame counted from the outermost, value.
    Register(u32, u32, ValueId),
}

impl Place {
    /// Its width in bits, if a register's is `of_register`.
    pub const fn width(self, of_register: u8) -> u8 {
        match self {
            Self::Memory(_, _, size) => 8 * size,
            Self::Register(..) => of_register,
        }
    }
}

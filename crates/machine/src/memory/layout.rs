//! What a 64-bit address means.

use std::fmt;

use icsched_ir::{BlockId, Const, EntityId, FuncId, GlobalId};
use serde::{Deserialize, Serialize};

/// The low half of an object's first address: leaves room for addresses before the object.
pub const BASE_OFFSET: u64 = 0x1_0000;

/// Ids of objects begin here. So an address that is null plus or minus less than 64 TiB is no object's: such a distance
/// has too small an id.
pub const FIRST_OBJECT_ID: u32 = 0x4000;

/// Ids from here on are as far below null as [`FIRST_OBJECT_ID`] is above.
const FIRST_BELOW_NULL: u32 = 0u32.wrapping_sub(FIRST_OBJECT_ID);

/// Ids from here on are the addresses of functions.
pub const FIRST_FUNCTION_ID: u32 = 0xF000_0000;

/// Ids from here to [`FIRST_FUNCTION_ID`] are the addresses of blocks; the id names the function.
pub const FIRST_BLOCK_ID: u32 = 0xE000_0000;

/// Ids from here on are objects of an initial state of which nobody knows what they are.
pub(super) const FIRST_INITIAL_ID: u32 = 0x8000_0000;

/// A memory object; its id is the high half of its addresses. Those below [`FIRST_OBJECT_ID`]
/// are nobody's.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// Its place in a table of all objects, from 0. Large for what is no object.
    pub const fn index(self) -> usize {
        self.0.wrapping_sub(FIRST_OBJECT_ID) as usize
    }

    /// The object at a place in a table of all objects.
    ///
    /// # Panics
    /// If ids are no numbers of 32 bits there.
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).expect("ids are 32 bits") + FIRST_OBJECT_ID)
    }

    /// The number of an object of an initial state of which nobody knows what it is.
    pub fn initial_number(self) -> Option<u32> {
        let number = self.0.checked_sub(FIRST_INITIAL_ID)?;
        (self.0 < FIRST_BLOCK_ID).then_some(number)
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "o{}", self.0)
    }
}

/// What an address points to, as far as its bits tell.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum AddressClass {
    /// Null, or null plus or minus less than 64 TiB.
    Null,
    /// An object, if it exists, and the byte offset; negative before its start.
    Object(ObjectId, i64),
    /// A function.
    Function(FuncId),
    /// Anything else.
    Other,
}

/// The address of a byte of an object; the offset may be outside and wraps.
pub const fn address(object: ObjectId, offset: u64) -> u64 {
    (((object.0 as u64) << 32) + BASE_OFFSET).wrapping_add(offset)
}

/// Object id and byte offset of an address, whatever it is.
pub const fn split(address: u64) -> (ObjectId, i64) {
    (ObjectId((address >> 32) as u32), (address & 0xFFFF_FFFF) as i64 - BASE_OFFSET as i64)
}

/// The object of a global (the template of a thread-local one).
pub fn global_object(global: GlobalId) -> ObjectId {
    ObjectId(u32::try_from(global.index()).expect("ids are 32 bits") + FIRST_OBJECT_ID)
}

/// The address of a function.
pub fn function_address(func: FuncId) -> u64 {
    address(ObjectId(FIRST_FUNCTION_ID + u32::try_from(func.index()).expect("ids are 32 bits")), 0)
}

/// The address of a block, comparable but not callable.
pub fn block_address(func: FuncId, block: BlockId) -> u64 {
    let func = u32::try_from(func.index()).expect("ids are 32 bits");
    address(ObjectId(FIRST_BLOCK_ID + func), block.index() as u64)
}

/// What an address is.
pub fn classify(address: u64) -> AddressClass {
    let (id, offset) = split(address);
    match id.0 {
        ..FIRST_OBJECT_ID | FIRST_BELOW_NULL.. => AddressClass::Null,
        FIRST_FUNCTION_ID.. if offset == 0 => {
            AddressClass::Function(FuncId::from_index((id.0 - FIRST_FUNCTION_ID) as usize))
        }
        FIRST_BLOCK_ID.. => AddressClass::Other,
        _ => AddressClass::Object(id, offset),
    }
}

/// The bits of a constant in every thread. A thread-local global gives the address of its template.
pub(crate) fn constant_bits(constant: Const) -> u64 {
    match constant {
        Const::Bits { bits, .. } => bits,
        Const::Global { global, offset } => address(global_object(global), offset as u64),
        Const::Func(func) => function_address(func),
        Const::Block { func, block } => block_address(func, block),
        Const::Undef(_) => 0,
    }
}

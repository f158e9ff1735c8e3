//! Bytes of values and of memory.

use smallvec::{SmallVec, smallvec};

use crate::memory::ObjectId;
use crate::trace::{Region, Regions};
use crate::values::{MemoryByte, Values};

/// A range of bytes of memory.
pub(super) type Bytes<D> = Vec<MemoryByte<<D as Values>::Byte>>;

/// The low bytes of a value.
pub(super) fn split<D: Values>(domain: &mut D, value: &D::Value, n: u32) -> SmallVec<[MemoryByte<D::Byte>; 8]> {
    match D::as_constant(value) {
        Some(bits) => bits.to_le_bytes().into_iter().take(n as usize).map(MemoryByte::Constant).collect(),
        None => domain.split_bytes(value, n),
    }
}

/// Bytes as a value.
pub(super) fn join<D: Values>(domain: &mut D, bytes: &[MemoryByte<D::Byte>]) -> D::Value {
    let mut bits = 0;
    for byte in bytes.iter().rev() {
        match byte {
            MemoryByte::Constant(b) => bits = bits << 8 | u64::from(*b),
            MemoryByte::Symbolic(_) => return domain.join_bytes(bytes),
        }
    }
    D::constant(bits)
}

/// One exact region.
pub(super) fn exactly(object: ObjectId, start: u64, len: u64) -> Regions {
    smallvec![Region { object, start, len, exact: true }]
}

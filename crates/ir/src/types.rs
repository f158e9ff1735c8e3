//! Value types of the IR, and source-level types kept for printing.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::entity::{IdVec, TypeId};

/// The type of an SSA value. Aggregates and vectors do not exist here: the frontend splits them into scalars.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Type {
    /// An integer of 1 to 64 bits. Bits above the width are zero in a register.
    Int(u8),
    /// A 64-bit address.
    Ptr,
    /// IEEE single precision; a register holds its bits.
    F32,
    /// IEEE double precision; a register holds its bits.
    F64,
}

impl Type {
    /// Width in bits.
    #[inline]
    pub const fn bits(self) -> u32 {
        match self {
            Type::Int(bits) => bits as u32,
            Type::F32 => 32,
            Type::Ptr | Type::F64 => 64,
        }
    }

    /// Bytes that a load or store of this type touches.
    #[inline]
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// Mask of the bits a register of this type may hold.
    #[inline]
    pub const fn mask(self) -> u64 {
        let bits = self.bits();
        if bits == 64 { u64::MAX } else { (1 << bits) - 1 }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Int(bits) => write!(f, "i{bits}"),
            Type::Ptr => f.write_str("ptr"),
            Type::F32 => f.write_str("f32"),
            Type::F64 => f.write_str("f64"),
        }
    }
}

/// One member of a struct or union.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Field {
    /// Source name; empty for an anonymous member.
    pub name: String,
    /// Byte offset from the start of the struct.
    pub offset: u64,
    /// The member's type.
    pub ty: Option<TypeId>,
}

/// A source-level type from debug information. Used only to print access paths such as `q->items[3].key`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum SourceType {
    /// A base type or enumeration.
    Base {
        /// Source name, e.g. `unsigned int`.
        name: String,
        /// Size in bytes.
        size: u64,
        /// Whether values are read as signed.
        signed: bool,
    },
    /// A pointer.
    Pointer {
        /// The pointee, or `None` for `void *` and function pointers.
        to: Option<TypeId>,
    },
    /// A struct (or a class).
    Struct {
        /// Source name; empty when anonymous.
        name: String,
        /// Size in bytes.
        size: u64,
        /// Members in declaration order.
        fields: Vec<Field>,
    },
    /// A union.
    Union {
        /// Source name; empty when anonymous.
        name: String,
        /// Size in bytes.
        size: u64,
        /// Members, all at offset 0 or thereabouts.
        fields: Vec<Field>,
    },
    /// An array.
    Array {
        /// Element type.
        element: Option<TypeId>,
        /// Number of elements; 0 when unknown.
        count: u64,
    },
    /// A typedef.
    Named {
        /// The typedef's name.
        name: String,
        /// The type it stands for.
        to: Option<TypeId>,
    },
    /// A function or anything that has no printable inside.
    Opaque,
}

/// All source types of a program.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct TypeTable {
    types: IdVec<TypeId, SourceType>,
}

impl TypeTable {
    /// Adds a type.
    pub fn push(&mut self, ty: SourceType) -> TypeId {
        self.types.push(ty)
    }

    /// Overwrites a type: recursive types are first reserved, then filled in.
    pub fn set(&mut self, id: TypeId, ty: SourceType) {
        self.types[id] = ty;
    }

    /// The type with typedefs as they are.
    pub fn get(&self, id: TypeId) -> &SourceType {
        &self.types[id]
    }

    /// Number of types.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether there are no types.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// All types in id order.
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &SourceType)> {
        self.types.iter()
    }

    /// The type behind any chain of typedefs. Ends on cyclic input.
    pub fn resolve(&self, mut id: TypeId) -> Option<(TypeId, &SourceType)> {
        for _ in 0..self.types.len() {
            match self.types.get(id)? {
                SourceType::Named { to, .. } => id = (*to)?,
                other => return Some((id, other)),
            }
        }
        None
    }

    /// Size in bytes, 0 when unknown.
    pub fn size(&self, id: TypeId) -> u64 {
        match self.resolve(id) {
            None | Some((_, SourceType::Named { .. } | SourceType::Opaque)) => 0,
            Some((
                _,
                SourceType::Base { size, .. } | SourceType::Struct { size, .. } | SourceType::Union { size, .. },
            )) => *size,
            Some((_, SourceType::Pointer { .. })) => 8,
            Some((_, SourceType::Array { element, count })) => {
                element.map_or(0, |e| self.size(e)).saturating_mul(*count)
            }
        }
    }
}

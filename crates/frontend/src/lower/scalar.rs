//! The scalars of C, and how the IR holds each of them.
//!
//! Most are one IR value. Integers of more than 64 bits, and the floating-point types that the IR does not compute
//! with, are one IR integer per 64 bits, the lowest first; the last one has the rest of the width. So loading, storing,
//! passing and choosing them is the same as for structs, and only [`arithmetic`](super::arithmetic) takes them apart.

use icsched_ir::Type;
use smallvec::{SmallVec, smallvec};

/// A scalar type of LLVM.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Scalar {
    /// One value of the IR.
    Plain(Type),
    /// An integer of this many bits, more than 64.
    Wide(u32),
    /// IEEE half precision.
    Half,
    /// The upper half of a `float`.
    BFloat,
    /// The 80-bit format of the x87: significand, then exponent and sign.
    X87,
    /// IEEE quadruple precision.
    Quad,
}

impl Scalar {
    /// The integer of this many bits.
    pub(crate) fn of_bits(bits: u32) -> Self {
        match u8::try_from(bits) {
            Ok(bits @ 1..=64) => Scalar::Plain(Type::Int(bits)),
            _ => Scalar::Wide(bits),
        }
    }

    /// Width in bits.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Scalar::Plain(ty) => ty.bits(),
            Scalar::Wide(bits) => bits,
            Scalar::Half | Scalar::BFloat => 16,
            Scalar::X87 => 80,
            Scalar::Quad => 128,
        }
    }

    /// The IR types that hold it, lowest bits first.
    pub(crate) fn types(self) -> SmallVec<[Type; 2]> {
        match self {
            Scalar::Plain(ty) => smallvec![ty],
            _ => (0..self.bits().div_ceil(64)).map(|limb| limb_type(self.bits(), limb)).collect(),
        }
    }

    /// How many IR values hold it.
    pub(crate) fn count(self) -> usize {
        match self {
            Scalar::Plain(_) => 1,
            _ => self.bits().div_ceil(64) as usize,
        }
    }

    /// The type as error messages name it.
    pub(crate) fn name(self) -> String {
        match self {
            Scalar::Plain(ty) => ty.to_string(),
            Scalar::Wide(bits) => format!("{bits}-bit integer"),
            Scalar::Half => "half".to_owned(),
            Scalar::BFloat => "bfloat".to_owned(),
            Scalar::X87 => "long double (x86_fp80)".to_owned(),
            Scalar::Quad => "__float128 (fp128)".to_owned(),
        }
    }

    /// Whether it is an integer or a pointer.
    pub(crate) fn is_integer(self) -> bool {
        matches!(self, Scalar::Plain(Type::Int(_) | Type::Ptr) | Scalar::Wide(_))
    }
}

/// The type of one of the pieces of a value of this width.
fn limb_type(bits: u32, limb: u32) -> Type {
    let rest = (bits - limb * 64).min(64);
    Type::Int(u8::try_from(rest).expect("at most 64"))
}

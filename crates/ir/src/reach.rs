//! How far the address that an instruction computes may be from where it starts, whatever the program does: an index that was a byte
//! is at most 255.
//!
//! What C says of arrays would tell more - an index outside of an array in a structure is undefined - but instructions do not say what
//! array it is.

use crate::definitions::Definitions;
use crate::entity::ValueId;
use crate::inst::{BinOp, CastOp, Const, Op, Operand};
use crate::program::Function;

/// Instructions, one computed of the other, that are followed.
const MAX_DEPTH: u32 = 8;

/// Bytes between the first and the last address that is told.
const MAX_SPAN: u64 = 1 << 20;

/// Where an address may be: at least `first` bytes behind `base`, and at most `span` bytes further on.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct AddressReach {
    /// What the address is computed of.
    pub base: Operand,
    /// Distance of the first address from there.
    pub first: i64,
    /// Bytes from the first to the last address.
    pub span: u64,
}

impl AddressReach {
    /// Of an address that one instruction computes; `None` if that is not one, or indices are not known to be small. O(indices).
    pub fn of(function: &Function, definitions: &Definitions, address: ValueId) -> Option<Self> {
        let Op::Address { base, offset, indices } = &definitions.inst(function, address)?.op else { return None };
        let mut span = 0_u64;
        for index in indices {
            let scale = u64::try_from(index.scale).ok()?;
            let furthest = largest(function, definitions, index.index, MAX_DEPTH).checked_mul(scale)?;
            span = span.checked_add(furthest).filter(|&span| span <= MAX_SPAN)?;
        }
        Some(Self { base: *base, first: *offset, span })
    }

    /// The same, of what `base` is computed of.
    pub fn behind(self, base: AddressReach) -> Option<Self> {
        let span = self.span.checked_add(base.span).filter(|&span| span <= MAX_SPAN)?;
        Some(Self { base: base.base, first: self.first.checked_add(base.first)?, span })
    }
}

/// The largest number, taken as unsigned, that an operand can be.
fn largest(function: &Function, definitions: &Definitions, operand: Operand, depth: u32) -> u64 {
    let value = match operand {
        Operand::Const(Const::Bits { bits, .. }) => return bits,
        Operand::Const(_) => return u64::MAX,
        Operand::Value(value) => value,
    };
    let any = function.values[value].ty.mask();
    let Some(depth) = depth.checked_sub(1) else { return any };
    let Some(inst) = definitions.inst(function, value) else { return any };
    let of = |operand| largest(function, definitions, operand, depth);
    let known = match &inst.op {
        // What does not fit loses its upper bits: it gets smaller.
        Op::Cast { op: CastOp::ZExt | CastOp::Trunc, a } => of(*a),
        Op::Binary { op, a, b, .. } => match (op, b) {
            (BinOp::And | BinOp::UMin, _) => of(*a).min(of(*b)),
            (BinOp::LShr, Operand::Const(Const::Bits { bits, .. })) if *bits < 64 => of(*a) >> bits,
            (BinOp::URem, Operand::Const(Const::Bits { bits, .. })) if *bits > 0 => of(*a).min(bits - 1),
            _ => any,
        },
        Op::Select { a, b, .. } => of(*a).max(of(*b)),
        _ => any,
    };
    known.min(any)
}

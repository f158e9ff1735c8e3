//! How far the address that an instruction computes may be from where it starts, whatever the program does: an index that was a byte
//! is at most 255, one that counts a loop at most what the loop's test lets it be, a subscript of an array in a structure at most what the
//! array has elements: others are undefined.

mod counters;

use std::cell::OnceCell;

use crate::definitions::Definitions;
use crate::entity::{BlockId, ValueId};
use crate::inst::{BinOp, CastOp, Const, Op, Operand};
use crate::program::Function;
use counters::Counters;

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
    /// The same, of what `base` is computed of.
    pub fn behind(self, base: AddressReach) -> Option<Self> {
        let span = self.span.checked_add(base.span).filter(|&span| span <= MAX_SPAN)?;
        Some(Self { base: base.base, first: self.first.checked_add(base.first)?, span })
    }
}

/// The indices of one function. Its loops are looked at when an index that may count one is first asked for.
#[derive(Debug)]
pub struct Indices<'f> {
    function: &'f Function,
    definitions: Definitions,
    counters: OnceCell<Counters>,
}

impl<'f> Indices<'f> {
    /// O(instructions).
    pub fn new(function: &'f Function) -> Self {
        Self { function, definitions: Definitions::new(function), counters: OnceCell::new() }
    }

    /// What defines the function's values.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// How far an address is from its base that one instruction computes; `None` if that is not one, or indices are not known to be
    /// small. O(indices).
    pub fn reach(&self, address: ValueId) -> Option<AddressReach> {
        let Op::Address { base, offset, indices } = &self.definitions.inst(self.function, address)?.op else {
            return None;
        };
        let at = self.definitions.block(address)?;
        let mut span = 0_u64;
        for index in indices {
            let scale = u64::try_from(index.scale).ok()?;
            let largest = self.largest(index.index, at, MAX_DEPTH);
            let furthest = index.elements.map_or(largest, |n| largest.min(n.saturating_sub(1))).checked_mul(scale)?;
            span = span.checked_add(furthest).filter(|&span| span <= MAX_SPAN)?;
        }
        Some(AddressReach { base: *base, first: *offset, span })
    }

    /// The largest number, taken as unsigned, that an operand can be where it is used in a block.
    fn largest(&self, operand: Operand, at: BlockId, depth: u32) -> u64 {
        let value = match operand {
            Operand::Const(Const::Bits { bits, .. }) => return bits,
            Operand::Const(_) => return u64::MAX,
            Operand::Value(value) => value,
        };
        let any = self.function.values[value].ty.mask();
        let Some(depth) = depth.checked_sub(1) else { return any };
        let Some(inst) = self.definitions.inst(self.function, value) else {
            let counters = self.counters.get_or_init(|| Counters::new(self.function));
            return counters.largest(value, at).unwrap_or(any);
        };
        let of = |operand| self.largest(operand, at, depth);
        let known = match &inst.op {
            // What does not fit loses its upper bits: it gets smaller.
            Op::Cast { op: CastOp::ZExt | CastOp::Trunc, a } => of(*a),
            Op::Cast { op: CastOp::SExt, a } => positive(of(*a), self.mask(*a)).unwrap_or(any),
            Op::Binary { op, a, b, .. } => match (op, b) {
                (BinOp::And | BinOp::UMin, _) => of(*a).min(of(*b)),
                (BinOp::Add, _) => of(*a).checked_add(of(*b)).filter(|&sum| sum <= any).unwrap_or(any),
                (BinOp::LShr, Operand::Const(Const::Bits { bits, .. })) if *bits < 64 => of(*a) >> bits,
                (BinOp::URem, Operand::Const(Const::Bits { bits, .. })) if *bits > 0 => of(*a).min(bits - 1),
                _ => any,
            },
            Op::Select { a, b, .. } => of(*a).max(of(*b)),
            _ => any,
        };
        known.min(any)
    }

    fn mask(&self, operand: Operand) -> u64 {
        match operand {
            Operand::Value(value) => self.function.values[value].ty.mask(),
            Operand::Const(value) => value.ty().mask(),
        }
    }
}

/// A largest number of some width that is not negative if the number is taken as signed, nor are smaller ones.
fn positive(largest: u64, mask: u64) -> Option<u64> {
    (largest <= mask >> 1).then_some(largest)
}

//! How far the address that an instruction computes may be from where it starts, whatever the program does: an index
//! that was a byte is at most 255, one that counts a loop at most what the loop's test lets it be, a subscript of an
//! array in a structure at most what the array has elements: others are undefined.

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

/// What a value is, if that is known.
pub type Known<'a> = dyn FnMut(ValueId) -> Option<u64> + 'a;

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

    /// How far an address is from its base that one instruction computes; `None` if that is not one, or indices are not
    /// known to be small. O(indices).
    pub fn reach(&self, address: ValueId) -> Option<AddressReach> {
        self.reach_where(address, &mut |_| None)
    }

    /// The same where somebody knows what some values are, the same ones whenever the address is computed.
    pub fn reach_where(&self, address: ValueId, known: &mut Known<'_>) -> Option<AddressReach> {
        let Op::Address { base, offset, indices } = &self.definitions.inst(self.function, address)?.op else {
            return None;
        };
        let at = self.definitions.block(address)?;
        let mut span = 0_u64;
        for index in indices {
            let scale = u64::try_from(index.scale).ok()?;
            let largest = self.largest(index.index, at, (MAX_DEPTH, known));
            let furthest = index.elements.map_or(largest, |n| largest.min(n.saturating_sub(1))).checked_mul(scale)?;
            span = span.checked_add(furthest).filter(|&span| span <= MAX_SPAN)?;
        }
        Some(AddressReach { base: *base, first: *offset, span })
    }

    /// The largest number, taken as unsigned, that an operand can be where it is used in a block.
    fn largest(&self, operand: Operand, at: BlockId, (depth, known): (u32, &mut Known<'_>)) -> u64 {
        let value = match operand {
            Operand::Const(Const::Bits { bits, .. }) => return bits,
            Operand::Const(_) => return u64::MAX,
            Operand::Value(value) => value,
        };
        let any = self.function.values[value].ty.mask();
        if let Some(bits) = known(value) {
            return bits & any;
        }
        let Some(depth) = depth.checked_sub(1) else { return any };
        let Some(inst) = self.definitions.inst(self.function, value) else {
            let counters = self.counters.get_or_init(|| Counters::new(self.function));
            return counters.largest(value, at).unwrap_or(any);
        };
        let mut of = |operand| self.largest(operand, at, (depth, &mut *known));
        let largest = match &inst.op {
            // What does not fit loses its upper bits: it gets smaller.
            Op::Cast { op: CastOp::ZExt | CastOp::Trunc, a } => of(*a),
            Op::Cast { op: CastOp::SExt, a } => positive(of(*a), self.mask(*a)).unwrap_or(any),
            Op::Binary { op: BinOp::And | BinOp::UMin, a, b, .. } => of(*a).min(of(*b)),
            Op::Binary { op: BinOp::Add, a, b, .. } => {
                of(*a).checked_add(of(*b)).filter(|&sum| sum <= any).unwrap_or(any)
            }
            Op::Binary { op, a, b, .. } => match (op, Self::exactly(*b, known)) {
                (BinOp::LShr, Some(by)) if by < 64 => self.largest(*a, at, (depth, known)) >> by,
                (BinOp::AShr, Some(by)) if by < 64 => {
                    positive(self.largest(*a, at, (depth, known)), any).map_or(any, |largest| largest >> by)
                }
                (BinOp::URem, Some(by)) if by > 0 => self.largest(*a, at, (depth, known)).min(by - 1),
                (BinOp::SRem, Some(by)) if positive(by, any).is_some_and(|by| by > 0) => {
                    positive(self.largest(*a, at, (depth, known)), any).map_or(any, |largest| largest.min(by - 1))
                }
                _ => any,
            },
            Op::Select { a, b, .. } => of(*a).max(of(*b)),
            _ => any,
        };
        largest.min(any)
    }

    /// What an operand is.
    fn exactly(operand: Operand, known: &mut Known<'_>) -> Option<u64> {
        match operand {
            Operand::Const(Const::Bits { bits, .. }) => Some(bits),
            Operand::Const(_) => None,
            Operand::Value(value) => known(value),
        }
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

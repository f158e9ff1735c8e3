//! Sums of multiples of values, modulo a power of two.

use smallvec::SmallVec;

use crate::entity::ValueId;
use crate::inst::{Const, Operand};
use crate::types::Type;

/// Most terms of an [`Affine`]: what is longer is of no use to anyone, and sums of sums could grow without bound.
const MAX_TERMS: usize = 8;

/// What an [`Affine`] is a sum of.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Leaf {
    /// A value of the function.
    Value(ValueId),
    /// What the parameter of a loop's header is each time control enters the loop, where the entering edges disagree.
    Initial(ValueId),
    /// The address of a global (without offset), function or block.
    Address(Const),
}

/// `constant + sum(coefficient * leaf)` modulo `2^bits`.
///
/// A leaf that is wider than `bits` counts by its low bits; none is narrower. Leaves are ascending and their
/// coefficients not zero, so that equal sums are equal as values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Affine {
    bits: u32,
    terms: SmallVec<[(Leaf, u64); 2]>,
    constant: u64,
}

impl Affine {
    /// A number.
    pub fn constant(bits: u32, value: u64) -> Self {
        Self { bits, terms: SmallVec::new(), constant: value & mask(bits) }
    }

    /// One leaf.
    pub fn leaf(bits: u32, leaf: Leaf) -> Self {
        Self { bits, terms: SmallVec::from_slice(&[(leaf, 1)]), constant: 0 }
    }

    /// An operand of `bits` bits; `None` for an unspecified value, of which no two uses need agree.
    pub fn operand(operand: Operand, bits: u32) -> Option<Self> {
        Some(match operand {
            Operand::Value(value) => Self::leaf(bits, Leaf::Value(value)),
            Operand::Const(Const::Bits { bits: value, .. }) => Self::constant(bits, value),
            Operand::Const(Const::Undef(_)) => return None,
            Operand::Const(Const::Global { global, offset }) => {
                let start = Leaf::Address(Const::Global { global, offset: 0 });
                Self { constant: offset.cast_unsigned() & mask(bits), ..Self::leaf(bits, start) }
            }
            Operand::Const(address @ (Const::Func(_) | Const::Block { .. })) => {
                Self::leaf(bits, Leaf::Address(address))
            }
        })
    }

    /// Width of the sum.
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// The terms, ascending by leaf.
    pub fn terms(&self) -> &[(Leaf, u64)] {
        &self.terms
    }

    /// The addend without a leaf.
    pub const fn addend(&self) -> u64 {
        self.constant
    }

    /// The number it is, if it has no terms.
    pub fn as_constant(&self) -> Option<u64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The factor of a leaf; 0 where the sum does not have it.
    pub fn coefficient(&self, leaf: Leaf) -> u64 {
        self.terms.binary_search_by_key(&leaf, |t| t.0).map_or(0, |at| self.terms[at].1)
    }

    /// `self + other * factor`; `None` where that has too many terms. Both have the same width.
    pub fn plus(&self, other: &Self, factor: u64) -> Option<Self> {
        debug_assert_eq!(self.bits, other.bits, "sums of one width");
        let mask = mask(self.bits);
        let mut terms = self.terms.clone();
        for &(leaf, by) in &other.terms {
            let by = by.wrapping_mul(factor) & mask;
            match terms.binary_search_by_key(&leaf, |t| t.0) {
                Ok(at) => terms[at].1 = terms[at].1.wrapping_add(by) & mask,
                Err(at) => terms.insert(at, (leaf, by)),
            }
        }
        terms.retain(|t| t.1 != 0);
        let constant = self.constant.wrapping_add(other.constant.wrapping_mul(factor)) & mask;
        (terms.len() <= MAX_TERMS).then_some(Self { bits: self.bits, terms, constant })
    }

    /// `self * factor`.
    #[must_use]
    pub fn times(&self, factor: u64) -> Self {
        let zero = Self::constant(self.bits, 0);
        zero.plus(self, factor).expect("a multiple has no more terms")
    }

    /// The low `bits` bits, of which there must be as many.
    #[must_use]
    pub fn truncated(&self, bits: u32) -> Self {
        debug_assert!(bits <= self.bits, "truncation does not extend");
        Self { bits, constant: self.constant, terms: self.terms.clone() }.times(1)
    }

    /// The sum without its term of `leaf`.
    #[must_use]
    pub fn without(&self, leaf: Leaf) -> Self {
        let terms = self.terms.iter().copied().filter(|t| t.0 != leaf).collect();
        Self { bits: self.bits, terms, constant: self.constant }
    }

    /// Its value, zero above its width, where `value` tells each leaf's; `None` where it does not.
    pub fn evaluate(&self, value: impl Fn(Leaf) -> Option<u64>) -> Option<u64> {
        let mut sum = self.constant;
        for &(leaf, factor) in &self.terms {
            sum = sum.wrapping_add(value(leaf)?.wrapping_mul(factor));
        }
        Some(sum & mask(self.bits))
    }
}

const fn mask(bits: u32) -> u64 {
    Type::Int(bits as u8).mask()
}

//! Undoing an operator: the operand, and a value for it, that gives a term a wanted value while the other operands keep
//! theirs. Where there are several, any of them; where there is none, one that may come near, or nothing.

use crate::search::random::Random;
use crate::terms::bits::{binary, inverse_of_odd, mask, signed};
use crate::terms::node::{BinOp, Node, Term};
use crate::terms::pool::TermPool;

/// See the module. Comparisons, choices and what is read from arrays are the caller's.
pub(crate) fn undo(
    pool: &TermPool,
    at: Term,
    wanted: u128,
    value: impl Fn(Term) -> u128,
    random: &mut Random,
) -> Option<(Term, u128)> {
    match *pool.node(at) {
        Node::Not(a) => Some((a, !wanted & mask(pool.width(a)))),
        Node::Binary(op, a, b) => {
            let is_constant = |t: Term| pool.as_const_wide(t).is_some();
            let first = is_constant(b) || !is_constant(a) && random.one_in(2);
            let width = pool.width(a);
            let sides = if first { [(a, b, true), (b, a, false)] } else { [(b, a, false), (a, b, true)] };
            sides.into_iter().filter(|&(t, ..)| !is_constant(t)).find_map(|(t, other, left)| {
                let values = Operands { old: value(t), other: value(other), wanted, width };
                let bits = if left { values.left(op, random) } else { values.right(op, random) }? & mask(width);
                Some((t, bits))
            })
        }
        Node::ZExt { arg, .. } => Some((arg, wanted & mask(pool.width(arg)))),
        Node::SExt { arg, .. } => Some((arg, wanted & mask(pool.width(arg)))),
        Node::Extract { arg, hi, lo } => {
            let window = mask(hi - lo + 1) << lo;
            Some((arg, value(arg) & !window | wanted << lo))
        }
        Node::Concat(a, b) => {
            let low = pool.width(b);
            let (high_part, low_part) = (wanted >> low, wanted & mask(low));
            let change_low = match (value(a) == high_part, value(b) == low_part) {
                (true, _) => true,
                (_, true) => false,
                _ => random.one_in(2),
            };
            Some(if change_low { (b, low_part) } else { (a, high_part) })
        }
        _ => None,
    }
}

/// The values at a binary operator: of the operand to change, of the other one, and the wanted result.
struct Operands {
    old: u128,
    other: u128,
    wanted: u128,
    width: u32,
}

impl Operands {
    fn signed(&self, bits: u128) -> i128 {
        signed(self.width, bits)
    }

    /// `x` with `x op other == wanted`.
    fn left(&self, op: BinOp, random: &mut Random) -> Option<u128> {
        let Operands { old, other, wanted, width } = *self;
        let ones = mask(width);
        match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor => self.either(op, random),
            BinOp::UDiv if other == 0 => None,
            BinOp::UDiv => {
                let exact = wanted.checked_mul(other)?;
                let kept = exact.saturating_add(old % other);
                Some(if kept <= ones { kept } else { exact }).filter(|&x| x <= ones)
            }
            BinOp::SDiv if other == 0 => None,
            BinOp::SDiv => {
                let exact = self.signed(wanted).checked_mul(self.signed(other))? as u128 & ones;
                let remainder = binary(BinOp::SRem, width, old, other);
                let kept = exact.wrapping_add(remainder) & ones;
                [kept, exact].into_iter().find(|&x| binary(op, width, x, other) == wanted)
            }
            BinOp::URem | BinOp::SRem => {
                let remainder = binary(op, width, old, other);
                let kept = old.wrapping_sub(remainder).wrapping_add(wanted);
                let multiple = other.wrapping_mul(u128::from(random.next() & 7)).wrapping_add(wanted);
                let negative = wanted.wrapping_sub(other.wrapping_mul(u128::from(random.next() & 7)));
                let candidates = if random.one_in(4) { [multiple, negative, wanted] } else { [kept, wanted, multiple] };
                candidates.into_iter().map(|x| x & ones).find(|&x| binary(op, width, x, other) == wanted)
            }
            BinOp::Shl | BinOp::LShr | BinOp::AShr => {
                let amount = u32::try_from(other).ok().filter(|&s| s < width)?;
                let kept = match op {
                    BinOp::Shl => wanted >> amount | old & !(ones >> amount),
                    _ => wanted << amount & ones | old & mask(amount) & ones,
                };
                (binary(op, width, kept, other) == wanted).then_some(kept)
            }
        }
    }

    /// `x` with `other op x == wanted`.
    fn right(&self, op: BinOp, random: &mut Random) -> Option<u128> {
        let Operands { old, other, wanted, width } = *self;
        let ones = mask(width);
        let fits = |x: &u128| binary(op, width, other, *x) == wanted;
        match op {
            BinOp::Sub => Some(other.wrapping_sub(wanted)),
            BinOp::Add | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor => self.either(op, random),
            BinOp::UDiv | BinOp::SDiv => {
                let signed = op == BinOp::SDiv;
                let quotient = if wanted == 0 { None } else { Some(binary(op, width, other, wanted)) };
                let larger = other.wrapping_add(1 + u128::from(random.next() & 0xf));
                let smaller = if signed { larger.wrapping_neg() } else { ones };
                let candidates = [quotient.unwrap_or(larger), larger, smaller];
                candidates.into_iter().map(|x| x & ones).find(|x| *x != 0 && fits(x))
            }
            BinOp::URem | BinOp::SRem => {
                let difference = other.wrapping_sub(wanted);
                let larger = other.wrapping_add(1 + u128::from(random.next() & 0xf));
                let candidates = [difference, difference.wrapping_neg(), larger, larger.wrapping_neg()];
                let start = random.below(2) * 2;
                (0..4).map(|i| candidates[(start + i) % 4] & ones).find(|x| *x != 0 && fits(x))
            }
            BinOp::Shl | BinOp::LShr | BinOp::AShr => {
                let start = random.below(width as usize + 1) as u128;
                let amounts = (0..=u128::from(width)).map(|i| (start + i) % (u128::from(width) + 1));
                amounts.filter(|amount| *amount != old).find(fits)
            }
        }
    }

    /// The same for operators whose operands can be swapped, and the left operand of a difference.
    fn either(&self, op: BinOp, random: &mut Random) -> Option<u128> {
        let Operands { old, other, wanted, width } = *self;
        let ones = mask(width);
        match op {
            BinOp::Add => Some(wanted.wrapping_sub(other)),
            BinOp::Sub => Some(wanted.wrapping_add(other)),
            BinOp::Xor => Some(wanted ^ other),
            BinOp::And => (wanted & !other == 0).then_some(wanted | old & !other),
            BinOp::Or => (other & !wanted == 0).then_some(wanted & !other | old & other & wanted),
            BinOp::Mul if other == 0 => None,
            BinOp::Mul => {
                let (product, factor) = (self.signed(wanted), self.signed(other));
                if let (Some(0), Some(quotient)) = (product.checked_rem(factor), product.checked_div(factor)) {
                    return Some(quotient as u128);
                }
                let zeros = other.trailing_zeros();
                if wanted & mask(zeros) != 0 {
                    // No factor fits. With this one the other operand can be the whole product.
                    return random.one_in(4).then_some(1);
                }
                let odd = wanted >> zeros;
                let low = odd.wrapping_mul(inverse_of_odd(width, other >> zeros)) & ones >> zeros;
                Some(low | old & !(ones >> zeros))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// What is found gives the wanted value, except for the factor 1; and where there surely is something, it is
        /// found.
        #[test]
        fn operands_give_the_wanted_value(x in any::<u8>(), other in any::<u8>(), old in any::<u8>(), seed in any::<u64>()) {
            let (x, other, old, width) = (u128::from(x), u128::from(other), u128::from(old), 8);
            let mut random = Random(seed);
            for op in BinOp::ALL {
                let wanted = binary(op, width, x, other);
                let values = Operands { old, other, wanted, width };
                if let Some(found) = values.left(op, &mut random) {
                    let found = found & mask(width);
                    prop_assert!(binary(op, width, found, other) == wanted || op == BinOp::Mul && found == 1);
                } else {
                    prop_assert!(matches!(op, BinOp::Mul | BinOp::UDiv | BinOp::SDiv | BinOp::Shl | BinOp::LShr | BinOp::AShr));
                }
                let wanted = binary(op, width, other, x);
                let values = Operands { old, other, wanted, width };
                if let Some(found) = values.right(op, &mut random) {
                    let found = found & mask(width);
                    prop_assert!(binary(op, width, other, found) == wanted || op == BinOp::Mul && found == 1);
                }
            }
        }
    }
}

//! The first iteration in which a test fails, wrap-around included.
//!
//! The values for which it fails are one or two ranges of integers. How soon an arithmetic progression modulo `m` gets
//! into a range is found as by Euclid's algorithm, in O(log m) steps.

use super::test::{Count, TripCount, integer};
use crate::affine::Leaf;
use crate::inst::{CastOp, IntPredicate};

impl TripCount {
    /// How often the test holds before it fails first: the repetitions of the loop if nothing else ends it. `value`
    /// tells the leaves of start, step and bound; `None` where it does not. O(width).
    pub fn evaluate(&self, value: impl Fn(Leaf) -> Option<u64>) -> Option<Count> {
        let [start, step, bound] = [&self.start, &self.step, &self.bound].map(|sum| sum.evaluate(&value));
        Some(first_failure(self, start?, step?, bound?))
    }

    /// [`Self::evaluate`] of a test whose start, step and bound are numbers.
    pub fn constant(&self) -> Option<Count> {
        self.evaluate(|_| None)
    }
}

/// Iterations, counted from 0, until `test` first fails, for these values of its start, step and bound.
fn first_failure(test: &TripCount, start: u64, step: u64, bound: u64) -> Count {
    let modulus = 1i128 << test.start.bits();
    let bound = integer(bound, test.bound.bits(), test.predicate.is_signed());
    let first = images(test)
        .into_iter()
        .flat_map(|image| failures(test.predicate, image, bound))
        .filter_map(|(low, high)| {
            // As residues, a range of integers starts at `low` and may wrap around.
            let from = (low - i128::from(start)).rem_euclid(modulus);
            first_in(u128::from(step), modulus.cast_unsigned(), from.cast_unsigned(), (high - low).cast_unsigned())
        })
        .min();
    first.map_or(Count::Endless, |k| Count::Finite(u64::try_from(k).expect("less than the modulus")))
}

/// The integers that the predicate sees for what is tested: one range per contiguous part.
fn images(test: &TripCount) -> Vec<(i128, i128)> {
    let (narrow, wide) = (test.start.bits(), test.bound.bits());
    let (half, full, whole) = (1i128 << (narrow - 1), 1i128 << narrow, 1i128 << wide);
    match (test.extension, test.predicate.is_signed()) {
        (Some(CastOp::SExt) | None, true) => vec![(-half, half - 1)],
        (Some(CastOp::SExt), false) => vec![(0, half - 1), (whole - half, whole - 1)],
        (_, _) => vec![(0, full - 1)],
    }
}

/// The parts of a range where `x predicate bound` is false.
fn failures(predicate: IntPredicate, (low, high): (i128, i128), bound: i128) -> impl Iterator<Item = (i128, i128)> {
    let below = (low, high.min(bound - 1));
    let above = (low.max(bound + 1), high);
    let parts = match predicate {
        IntPredicate::Eq => [Some(below), Some(above)],
        IntPredicate::Ne => [Some((low.max(bound), high.min(bound))), None],
        IntPredicate::Ult | IntPredicate::Slt => [Some((low.max(bound), high)), None],
        IntPredicate::Ule | IntPredicate::Sle => [Some(above), None],
        IntPredicate::Ugt | IntPredicate::Sgt => [Some((low, high.min(bound))), None],
        IntPredicate::Uge | IntPredicate::Sge => [Some(below), None],
    };
    parts.into_iter().flatten().filter(|(low, high)| low <= high)
}

/// The least `k` for which `k * step` modulo `modulus` is in the range of residues that starts at `from` and has
/// `length` more; the range may wrap around. All are less than `modulus`, which is at most `2^64`.
fn first_in(step: u128, modulus: u128, from: u128, length: u128) -> Option<u128> {
    if from == 0 || from + length >= modulus {
        return Some(0);
    }
    search(step, modulus, from, from + length)
}

/// The same for a range that does not contain 0.
fn search(step: u128, modulus: u128, low: u128, high: u128) -> Option<u128> {
    if step == 0 {
        return None;
    }
    if 2 * step > modulus {
        return search(modulus - step, modulus, modulus - high, modulus - low);
    }
    let k = low.div_ceil(step);
    if k * step <= high {
        return Some(k);
    }
    // No multiple of the step is in the range, so how often the progression wraps around before it gets there is a
    // smaller problem of the same kind: `wraps * modulus + x` is a multiple of the step for some `x` in the range.
    let wraps = search((step - modulus % step) % step, step, low % step, high % step)?;
    Some((low + wraps * modulus).div_ceil(step))
}

#[cfg(test)]
mod tests {
    use super::first_in;

    #[test]
    fn progressions_get_into_ranges() {
        for modulus in 1..24u128 {
            for (step, from) in (0..modulus).flat_map(|step| (0..modulus).map(move |from| (step, from))) {
                for length in 0..modulus {
                    let is_in = |k: &u128| (k * step + modulus - from) % modulus <= length;
                    let expected = (0..modulus).find(is_in);
                    assert_eq!(first_in(step, modulus, from, length), expected, "{step} {modulus} {from} {length}");
                }
            }
        }
    }

    #[test]
    fn the_largest_modulus() {
        let modulus = 1u128 << 64;
        assert_eq!(first_in(1, modulus, modulus - 1, 0), Some(modulus - 1));
        assert_eq!(first_in(modulus - 1, modulus, 1, 0), Some(modulus - 1));
        assert_eq!(first_in(2, modulus, 1, 0), None);
        // The inverse of 3 is 0xaaaa_aaaa_aaaa_aaab.
        assert_eq!(first_in(3, modulus, 1, 0), Some(0xaaaa_aaaa_aaaa_aaab));
    }
}

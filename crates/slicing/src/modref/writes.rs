//! Sets of writes.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use smallvec::SmallVec;

use crate::budgets::BUDGETS;
use crate::provenance::Base;

/// Bytes that may be written: `base + [start, start + len)`, or all of the object.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Write {
    /// The object.
    pub base: Base,
    /// The bytes, as start and length; `None` for any.
    pub range: Option<(i64, u64)>,
}

/// The range of a "write" that reads an input: it changes how many inputs of that name were read, and `base` is the
/// name.
pub const READS_INPUT: (i64, u64) = (i64::MIN, 1);

/// A set of writes. Adding one takes time in the logarithm of the number of bases, and adding a set that many times its
/// own number of bases.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Writes {
    bases: BTreeMap<Base, Written>,
}

/// What is written of one base.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Written {
    /// Its number of inputs.
    reads_input: bool,
    /// Any byte; there are no ranges then.
    any: bool,
    /// Sorted, at most [`BUDGETS`].
    ranges: SmallVec<[(i64, u64); 1]>,
}

impl Written {
    /// Adds bytes; returns whether there were others than these.
    fn add(&mut self, range: Option<(i64, u64)>) -> bool {
        match range {
            Some(READS_INPUT) => !std::mem::replace(&mut self.reads_input, true),
            _ if self.any => false,
            Some(range) => match self.ranges.binary_search(&range) {
                Ok(_) => false,
                Err(at) if self.ranges.len() < BUDGETS.write_ranges => {
                    self.ranges.insert(at, range);
                    true
                }
                Err(_) => self.add(None),
            },
            None => {
                self.any = true;
                self.ranges.clear();
                true
            }
        }
    }

    fn add_all(&mut self, other: &Self) -> bool {
        other.iter().fold(false, |grew, range| self.add(range) | grew)
    }

    /// Sorted.
    fn iter(&self) -> impl Iterator<Item = Option<(i64, u64)>> {
        let any = self.any.then_some(None);
        let reads_input = self.reads_input.then_some(Some(READS_INPUT));
        any.into_iter().chain(reads_input).chain(self.ranges.iter().copied().map(Some))
    }
}

impl Writes {
    /// The writes, sorted.
    pub fn iter(&self) -> impl Iterator<Item = Write> {
        self.bases.iter().flat_map(|(&base, written)| written.iter().map(move |range| Write { base, range }))
    }

    /// What is written through parameters, by their numbers.
    pub(super) fn of_params(&self) -> impl Iterator<Item = (u32, Option<(i64, u64)>)> {
        let params = self.bases.range(Base::Param(0)..=Base::Param(u32::MAX));
        params.flat_map(|(base, written)| {
            let number = if let Base::Param(n) = *base { Some(n) } else { None };
            number.into_iter().flat_map(|n| written.iter().map(move |range| (n, range)))
        })
    }

    /// Adds a write; returns whether the set grew.
    pub fn add(&mut self, write: Write) -> bool {
        self.bases.entry(write.base).or_default().add(write.range)
    }

    /// Adds what a set has of these bases; returns whether this one grew.
    pub(super) fn add_bases_of(&mut self, other: &Self, is_wanted: impl Fn(Base) -> bool) -> bool {
        let mut grew = false;
        for (&base, written) in other.bases.iter().filter(|(base, _)| is_wanted(**base)) {
            grew |= match self.bases.entry(base) {
                Entry::Occupied(mut known) => known.get_mut().add_all(written),
                Entry::Vacant(none) => {
                    none.insert(written.clone());
                    true
                }
            };
        }
        grew
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use icsched_ir::{EntityId, GlobalId};

    fn write(global: usize, range: Option<(i64, u64)>) -> Write {
        Write { base: Base::Global(GlobalId::from_index(global)), range }
    }

    #[test]
    fn ranges_are_told_apart_until_there_are_many() {
        let mut writes = Writes::default();
        for i in 0..32 {
            assert!(writes.add(write(3, Some((8 * i, 4)))));
            assert!(!writes.add(write(3, Some((8 * i, 4)))), "a second time");
        }
        assert_eq!(writes.iter().count(), 32);
        // How many inputs were read is no byte of it.
        assert!(writes.add(write(3, Some(READS_INPUT))));
        assert_eq!(writes.iter().count(), 33);
        assert!(!writes.add(write(3, Some((8, 4)))));
        assert!(writes.add(write(3, Some((1000, 4)))));
        assert_eq!(writes.iter().collect::<Vec<_>>(), [write(3, None), write(3, Some(READS_INPUT))]);
        assert!(!writes.add(write(3, Some((2000, 4)))), "any byte is written already");
    }

    #[test]
    fn sets_are_united_base_by_base_and_come_out_sorted() {
        let (mut one, mut other) = (Writes::default(), Writes::default());
        for i in (0..2000).rev() {
            one.add(write(2 * i, Some((0, 4))));
            other.add(write(i, Some((4, 4))));
        }
        other.add(Write { base: Base::Param(0), range: None });
        assert!(one.add_bases_of(&other, |base| !matches!(base, Base::Param(_))));
        assert!(!one.add_bases_of(&other, |base| !matches!(base, Base::Param(_))), "they were there");
        let all: Vec<Write> = one.iter().collect();
        assert_eq!(all.len(), 4000);
        assert!(all.is_sorted());
        assert!(one.add_bases_of(&other, |_| true));
        assert_eq!(one.iter().last(), Some(Write { base: Base::Param(0), range: None }));
    }
}

//! Live memory during the backward walk of slicing: byte intervals per object.

use std::collections::BTreeMap;

use icsched_machine::memory::ObjectId;
use icsched_symbolic::trace::Region;

/// Bytes of one object: disjoint half-open intervals that do not touch, by where they start.
#[derive(Clone, Default, Debug)]
pub(crate) struct Intervals(BTreeMap<u64, u64>);

impl Intervals {
    /// Start and end of each, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.0.iter().map(|(&start, &end)| (start, end))
    }

    /// Whether any byte of `[start, end)` is among them. O(log intervals).
    pub(crate) fn overlap(&self, start: u64, end: u64) -> bool {
        start < end && self.0.range(..end).next_back().is_some_and(|(_, &before)| start < before)
    }

    /// O(log intervals) for each that is joined.
    fn add(&mut self, mut start: u64, mut end: u64) {
        while let Some((&s, &e)) = self.0.range(..=end).next_back().filter(|&(_, &e)| start <= e) {
            if s <= start && end <= e {
                return;
            }
            self.0.remove(&s);
            (start, end) = (start.min(s), end.max(e));
        }
        self.0.insert(start, end);
    }

    /// O(log intervals) for each that is cut.
    fn remove(&mut self, start: u64, end: u64) {
        while let Some((&s, &e)) = self.0.range(..end).next_back().filter(|&(_, &e)| start < e) {
            self.0.remove(&s);
            if end < e {
                self.0.insert(end, e);
            }
            if s < start {
                self.0.insert(s, start);
                return;
            }
        }
    }
}

/// A set of bytes of objects.
#[derive(Default, Debug)]
pub(crate) struct LiveMemory {
    objects: BTreeMap<ObjectId, Intervals>,
}

impl LiveMemory {
    /// Adds the bytes of a region.
    pub(crate) fn add(&mut self, region: &Region) {
        let end = region.start.saturating_add(region.len);
        if region.start < end {
            self.objects.entry(region.object).or_default().add(region.start, end);
        }
    }

    /// Whether any byte of the region is live.
    pub(crate) fn overlaps(&self, region: &Region) -> bool {
        self.overlaps_range(region.object, region.start, region.start.saturating_add(region.len))
    }

    /// Whether any byte of `[start, end)` of an object is live.
    pub(crate) fn overlaps_range(&self, object: ObjectId, start: u64, end: u64) -> bool {
        self.objects.get(&object).is_some_and(|live| live.overlap(start, end))
    }

    /// Removes bytes that were certainly overwritten.
    pub(crate) fn remove(&mut self, region: &Region) {
        let Some(live) = self.objects.get_mut(&region.object) else { return };
        live.remove(region.start, region.start.saturating_add(region.len));
        if live.0.is_empty() {
            self.objects.remove(&region.object);
        }
    }

    /// Whether any object with live bytes satisfies a condition on these.
    pub(crate) fn any_object(&self, mut condition: impl FnMut(ObjectId, &Intervals) -> bool) -> bool {
        self.objects.iter().any(|(&id, live)| condition(id, live))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(start: u64, len: u64) -> Region {
        Region { object: ObjectId(7), start, len, exact: true }
    }

    #[test]
    fn a_write_in_the_middle_leaves_both_ends_live() {
        let mut live = LiveMemory::default();
        live.add(&region(0, 16));
        live.remove(&region(4, 8));
        assert!(live.overlaps(&region(3, 1)));
        assert!(!live.overlaps(&region(4, 8)));
        assert!(live.overlaps(&region(12, 1)));
    }

    #[test]
    fn adjacent_and_overlapping_additions_join() {
        let mut live = LiveMemory::default();
        live.add(&region(0, 4));
        live.add(&region(8, 4));
        live.add(&region(2, 8));
        live.remove(&region(0, 12));
        assert!(!live.any_object(|_, _| true));
    }

    #[test]
    fn what_is_removed_may_be_all_of_some_and_ends_of_others() {
        let mut live = LiveMemory::default();
        for start in [0, 8, 16, 24, 32] {
            live.add(&region(start, 6));
        }
        live.remove(&region(4, 23));
        let mut left = Vec::new();
        live.any_object(|_, live| {
            left.extend(live.iter());
            false
        });
        assert_eq!(left, [(0, 4), (27, 30), (32, 38)]);
        live.add(&region(4, 23));
        assert!(live.overlaps(&region(10, 1)) && !live.overlaps(&region(30, 2)));
        live.add(&region(0, 64));
        live.remove(&region(0, 64));
        assert!(!live.any_object(|_, _| true));
    }
}

//! Live memory during the backward walk of slicing: byte intervals per object.

use std::collections::BTreeMap;

use icsched_symex::memory::ObjectId;
use icsched_symex::trace::Region;
use smallvec::SmallVec;

type Intervals = SmallVec<[(u64, u64); 2]>;

/// A set of bytes, as disjoint half-open intervals per object.
#[derive(Default, Debug)]
pub(crate) struct LiveMemory {
    objects: BTreeMap<ObjectId, Intervals>,
}

impl LiveMemory {
    /// Adds the bytes of a region.
    pub(crate) fn add(&mut self, region: &Region) {
        let (mut start, mut end) = (region.start, region.start.saturating_add(region.len));
        let intervals = self.objects.entry(region.object).or_default();
        intervals.retain(|&mut (s, e)| {
            let apart = e < start || end < s;
            if !apart {
                start = start.min(s);
                end = end.max(e);
            }
            apart
        });
        intervals.push((start, end));
    }

    /// Whether any byte of the region is live.
    pub(crate) fn overlaps(&self, region: &Region) -> bool {
        self.overlaps_range(region.object, region.start, region.start.saturating_add(region.len))
    }

    /// Whether any byte of `[start, end)` of an object is live.
    pub(crate) fn overlaps_range(&self, object: ObjectId, start: u64, end: u64) -> bool {
        self.objects.get(&object).is_some_and(|i| i.iter().any(|&(s, e)| s < end && start < e))
    }

    /// Removes bytes that were certainly overwritten.
    pub(crate) fn remove(&mut self, region: &Region) {
        let (start, end) = (region.start, region.start.saturating_add(region.len));
        let Some(intervals) = self.objects.get_mut(&region.object) else { return };
        let mut kept = Intervals::new();
        for &(s, e) in intervals.iter() {
            if s < start {
                kept.push((s, e.min(start)));
            }
            if end < e {
                kept.push((s.max(end), e));
            }
        }
        if kept.is_empty() {
            self.objects.remove(&region.object);
        } else {
            *intervals = kept;
        }
    }

    /// Whether any object with live bytes satisfies a condition on its disjoint live intervals.
    pub(crate) fn any_object(&self, mut condition: impl FnMut(ObjectId, &[(u64, u64)]) -> bool) -> bool {
        self.objects.iter().any(|(&id, intervals)| condition(id, intervals))
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
}

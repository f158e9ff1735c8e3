//! Which bytes of objects were never written.

use super::object::Content;
use super::{Heap, ObjectId};
use crate::values::Values;

impl<D: Values> Heap<D> {
    /// The undefined bits of up to eight bytes at a constant offset of a live object, little-endian as in a load.
    /// Objects that were written at an offset that depends on inputs count as defined.
    pub(crate) fn undefined_bits(&self, id: ObjectId, offset: u64, n: u64) -> u64 {
        let Some(pages) = self.object(id).and_then(|o| o.content.pages()) else { return 0 };
        (0..n).rev().fold(0, |bits, i| bits << 8 | u64::from(pages.undefined(offset + i)))
    }

    /// Makes bits of up to eight bytes undefined, and the others defined.
    pub(crate) fn set_undefined_bits(&mut self, id: ObjectId, offset: u64, n: u64, mask: u64) {
        let masks = mask.to_le_bytes();
        self.set_undefined_bytes(id, offset, &masks[..usize::try_from(n.min(8)).expect("at most eight")]);
    }

    /// The undefined bits of each byte of a range; `None` if all are defined.
    pub fn undefined_bytes(&self, id: ObjectId, start: u64, n: u64) -> Option<Vec<u8>> {
        let pages = self.object(id)?.content.pages()?;
        pages.any_undefined(start, n).then(|| (start..start + n).map(|i| pages.undefined(i)).collect())
    }

    /// Sets the undefined bits of each byte of a range.
    pub(crate) fn set_undefined_bytes(&mut self, id: ObjectId, start: u64, masks: &[u8]) {
        let Some(object) = self.object_mut(id) else { return };
        let pages = match &mut object.content {
            Content::Bytes(pages) => pages,
            Content::Both(both) => &mut both.0,
            Content::Array(_) | Content::Dead(_) => return,
        };
        for (&mask, i) in masks.iter().zip(start..) {
            pages.set_undefined(i, mask);
        }
    }

    /// The runs of undefined bytes of an object: start and end of each, at most `limit`; `None` if there are more.
    pub(crate) fn undefined_runs(&self, id: ObjectId, limit: usize) -> Option<Vec<(u64, u64)>> {
        let Some(object) = self.object(id) else { return Some(Vec::new()) };
        let Some(masks) = self.undefined_bytes(id, 0, object.size) else { return Some(Vec::new()) };
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for (_, i) in masks.iter().zip(0..).filter(|(mask, _)| **mask != 0) {
            let full = runs.len() == limit;
            match runs.last_mut() {
                Some((_, end)) if *end == i => *end += 1,
                _ if full => return None,
                _ => runs.push((i, i + 1)),
            }
        }
        Some(runs)
    }
}

//! Whether the memory of two states is the same but for the ids of objects.
//!
//! A loop that allocates and frees comes back to the same state, but its objects have new ids: ids are never used again
//! on a path. So live objects are paired, in the order in which they were made, and an address is the same as that of
//! the other object of its pair. Symbolic bytes are all alike: nothing has been decided by them.

use rustc_hash::FxHashMap;

use super::object::Object;
use super::page::Pages;
use super::{AddressClass, Heap, ObjectId, classify};
use crate::values::Values;

/// Two states of memory, an earlier one and a later one of the same path.
pub(crate) struct Pair<'h, D: Values> {
    old: &'h Heap<D>,
    new: &'h Heap<D>,
    /// The ids of objects in both, of those that have another one.
    renamed: FxHashMap<u32, u32>,
    /// From here on ids may be others.
    first: u32,
    /// Objects that may hold something else.
    changed: Vec<(u32, u32)>,
    /// Words that were looked at.
    pub(crate) cost: u64,
}

/// A word that is not the same.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Differing {
    object: u32,
    offset: u64,
}

impl<'h, D: Values> Pair<'h, D> {
    /// Pairs the live objects of two states; `None` if one has more.
    pub(crate) fn of(old: &'h Heap<D>, new: &'h Heap<D>, cost: &mut u64) -> Option<Self> {
        let (mut gone, mut come, mut changed) = (Vec::new(), Vec::new(), Vec::new());
        let is_live = |object: Option<&Object<D>>| object.is_some_and(Object::is_alive);
        old.objects.compare(&new.objects, true, &mut |index, before, now| {
            *cost += 1;
            let id = u32::try_from(index).expect("ids are 32 bits");
            match (is_live(before), is_live(now)) {
                (true, true) => changed.push((id, id)),
                (true, false) => gone.push(id),
                (false, true) => come.push(id),
                (false, false) => {}
            }
            true
        });
        let first = gone.iter().chain(&come).copied().min().unwrap_or(u32::MAX);
        let mut this = Self { old, new, renamed: FxHashMap::default(), first, changed, cost: 0 };
        (gone.len() == come.len() && (gone.is_empty() || this.rename())).then_some(this)
    }

    /// Pairs all live objects from the first that is not in both on, and has all that is live compared; whether each
    /// has one.
    fn rename(&mut self) -> bool {
        let live = |heap: &'h Heap<D>| heap.live_objects().map(|(id, _)| id.0).collect::<Vec<u32>>();
        let (old, new) = (live(self.old), live(self.new));
        self.cost += old.len() as u64;
        self.changed = old.iter().copied().zip(new.iter().copied()).collect();
        let others = self.changed.iter().copied().filter(|&(old, new)| old >= self.first || new >= self.first);
        self.renamed = others.collect();
        old.len() == new.len()
    }

    /// Whether two addresses, or numbers, are the same.
    pub(crate) fn is_same(&self, old: u64, new: u64) -> bool {
        let (AddressClass::Object(a, at), AddressClass::Object(b, other)) = (classify(old), classify(new)) else {
            return old == new;
        };
        if old == new && a.0 < self.first {
            return true;
        }
        match (allocated(self.old, a), allocated(self.new, b)) {
            (Some(true), Some(true)) => at == other && self.other(a.0) == b.0,
            // Where nothing is any more, one address is as good as another.
            (Some(false), Some(false)) => at == other,
            (None, None) => old == new,
            _ => false,
        }
    }

    /// The same of values of registers.
    pub(crate) fn is_same_value(&self, old: &D::Value, new: &D::Value) -> bool {
        match (D::as_constant(old), D::as_constant(new)) {
            (Some(old), Some(new)) => self.is_same(old, new),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    /// The same of objects.
    pub(crate) fn is_same_object(&self, old: ObjectId, new: ObjectId) -> bool {
        self.other(old.0) == new.0
    }

    fn other(&self, id: u32) -> u32 {
        if id < self.first { id } else { self.renamed.get(&id).copied().unwrap_or(id) }
    }

    /// Whether all memory is the same.
    ///
    /// # Errors
    /// The first word that is not, if there is one that an object of both states has.
    pub(crate) fn memory_is_same(&mut self) -> Result<bool, Differing> {
        for (old, new) in std::mem::take(&mut self.changed) {
            let (Some(a), Some(b)) = (self.old.object(ObjectId(old)), self.new.object(ObjectId(new))) else {
                return Ok(false);
            };
            let is_alike = std::mem::discriminant(&a.kind) == std::mem::discriminant(&b.kind)
                && (a.size, a.family, a.allocated_at) == (b.size, b.family, b.allocated_at);
            if !is_alike {
                return Ok(false);
            }
            match (a.content.pages(), b.content.pages()) {
                (Some(a), Some(b)) => {
                    if let Some(offset) = self.differing(a, b) {
                        return if old == new { Err(Differing { object: old, offset }) } else { Ok(false) };
                    }
                }
                (None, None) if !a.is_alive() && !b.is_alive() => {}
                // After a write at a symbolic offset, or dead in one state alone.
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// The offset of the first word that is not the same.
    fn differing(&mut self, old: &Pages<D>, new: &Pages<D>) -> Option<u64> {
        let skips_shared = self.first == u32::MAX;
        let mut cost = 0;
        let found = old.differing(new, skips_shared, &mut |a, b| {
            cost += 1;
            self.is_same(a, b)
        });
        self.cost += cost;
        found
    }
}

/// Whether an object with this id is alive; `None` if there never was one.
fn allocated<D: Values>(heap: &Heap<D>, id: ObjectId) -> Option<bool> {
    heap.object(id).map(Object::is_alive)
}

impl Differing {
    /// Whether the word still differs, and is no address: then nothing else needs to be compared. O(log objects).
    pub(crate) fn is_certain<D: Values>(self, old: &Heap<D>, new: &Heap<D>) -> bool {
        let word = |heap: &Heap<D>| {
            let object = heap.object(ObjectId(self.object)).filter(|object| object.is_alive())?;
            let word = object.content.pages()?.word(self.offset)?;
            let is_address = matches!(classify(word), AddressClass::Object(id, _) if allocated(heap, id).is_some());
            (!is_address).then_some(word)
        };
        matches!((word(old), word(new)), (Some(old), Some(new)) if old != new)
    }
}

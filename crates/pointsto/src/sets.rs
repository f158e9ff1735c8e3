//! Points-to sets, each stored once.
//!
//! Programs have far fewer different sets than pointers (M. Barbar and Y. Sui, "Hash Consed Points-To Sets", 2021): a
//! set is known by its number, operations are looked up before they are carried out, and equality is that of numbers.
//! Elements are [`LocationId`](crate::LocationId)s.

use std::hash::{Hash, Hasher};

use fixedbitset::FixedBitSet;
use icsched_ir::{EntityId, entity_id};
use roaring::RoaringBitmap;
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use crate::budgets::BUDGETS;
use crate::object::Shift;

entity_id!(
    /// A set of locations.
    SetNumber, "s"
);

const NO_ELEMENT: u32 = u32::MAX;

/// All sets, and what has been computed of them.
///
/// A set that has all of an object does not have parts of it, and one that has [`plain`](Self::plain) no constant
/// below it.
pub(crate) struct Sets {
    sets: Vec<RoaringBitmap>,
    /// Per set how many of its elements stand for all of an object.
    whole_objects: Vec<u32>,
    /// Numbers that [`keep`](Self::keep) took back.
    free: Vec<SetNumber>,
    /// How many sets there may be before unused ones are looked for.
    crowded: usize,
    /// By the hash of their elements.
    numbers: FxHashMap<u64, SmallVec<[SetNumber; 1]>>,
    unions: FxHashMap<(SetNumber, SetNumber), SetNumber>,
    differences: FxHashMap<(SetNumber, SetNumber), SetNumber>,
    moved: FxHashMap<(SetNumber, Shift), SetNumber>,
    /// Per element the number of its object, and per object the element that stands for all of it; [`NO_ELEMENT`] if
    /// there is none.
    object_of: Vec<u32>,
    whole: Vec<u32>,
    /// The elements that stand for all of an object.
    wholes: RoaringBitmap,
    /// The objects that a set has all of, while it is simplified.
    is_covered: FixedBitSet,
    /// The element that stands for all constants without pointers; they are the elements below it.
    pub(crate) plain: u32,
}

impl SetNumber {
    /// The set without elements.
    pub(crate) const EMPTY: SetNumber = SetNumber(0);
}

impl Default for SetNumber {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Default for Sets {
    fn default() -> Self {
        let mut sets = Self {
            sets: Vec::new(),
            whole_objects: Vec::new(),
            free: Vec::new(),
            crowded: BUDGETS.unused_sets,
            numbers: FxHashMap::default(),
            unions: FxHashMap::default(),
            differences: FxHashMap::default(),
            moved: FxHashMap::default(),
            object_of: Vec::new(),
            whole: Vec::new(),
            wholes: RoaringBitmap::new(),
            is_covered: FixedBitSet::new(),
            plain: 0,
        };
        sets.number(RoaringBitmap::new());
        sets
    }
}

impl Sets {
    /// The elements.
    pub(crate) fn get(&self, set: SetNumber) -> &RoaringBitmap {
        &self.sets[set.index()]
    }

    /// The number of a set. Linear in its size.
    pub(crate) fn number(&mut self, set: RoaringBitmap) -> SetNumber {
        let alike = self.numbers.entry(hash(&set)).or_default();
        if let Some(&known) = alike.iter().find(|s| self.sets[s.index()] == set) {
            return known;
        }
        let whole_objects = u32::try_from(set.intersection_len(&self.wholes)).unwrap_or(u32::MAX);
        let number = match self.free.pop() {
            Some(number) => {
                self.sets[number.index()] = set;
                self.whole_objects[number.index()] = whole_objects;
                number
            }
            None => {
                self.sets.push(set);
                self.whole_objects.push(whole_objects);
                SetNumber(u32::try_from(self.sets.len() - 1).expect("fewer than 2^32 sets"))
            }
        };
        alike.push(number);
        number
    }

    /// Whether there have come to be so many sets that looking for unused ones pays.
    pub(crate) fn is_crowded(&self) -> bool {
        self.sets.len() - self.free.len() > self.crowded
    }

    /// Frees every set that is not one of `used`, and what was computed. Numbers of others must not be in use.
    pub(crate) fn keep(&mut self, used: &FixedBitSet) {
        self.free.clear();
        self.numbers.clear();
        for at in 0..self.sets.len() {
            let number = SetNumber::from_index(at);
            if number == SetNumber::EMPTY || used.contains(at) {
                self.numbers.entry(hash(&self.sets[at])).or_default().push(number);
            } else {
                self.sets[at] = RoaringBitmap::new();
                self.free.push(number);
            }
        }
        self.crowded = 2 * (self.sets.len() - self.free.len()) + BUDGETS.unused_sets;
        self.unions = FxHashMap::default();
        self.differences = FxHashMap::default();
        self.moved = FxHashMap::default();
    }

    /// The set of one element.
    pub(crate) fn single(&mut self, element: u32) -> SetNumber {
        self.number(RoaringBitmap::from_iter([element]))
    }

    /// Everything that is in one of them.
    pub(crate) fn union(&mut self, a: SetNumber, b: SetNumber) -> SetNumber {
        if a == b || b == SetNumber::EMPTY {
            return a;
        }
        if a == SetNumber::EMPTY {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let (x, y) = (self.get(a), self.get(b));
        let together = x | y;
        let number = if together.len() == x.len() {
            a
        } else if together.len() == y.len() {
            b
        } else {
            let settled = self.whole_objects[a.index()].min(self.whole_objects[b.index()]);
            let together = self.simplified(together, Some(settled));
            self.number(together)
        };
        self.unions.insert(key, number);
        number
    }

    /// What is in `a` and not in `b`.
    pub(crate) fn difference(&mut self, a: SetNumber, b: SetNumber) -> SetNumber {
        if a == b || a == SetNumber::EMPTY {
            return SetNumber::EMPTY;
        }
        if b == SetNumber::EMPTY {
            return a;
        }
        if let Some(&known) = self.differences.get(&(a, b)) {
            return known;
        }
        let rest = self.get(a) - self.get(b);
        let number = self.number(rest);
        self.differences.insert((a, b), number);
        number
    }

    /// What is in both.
    pub(crate) fn intersection(&mut self, a: SetNumber, b: SetNumber) -> SetNumber {
        if a == b {
            return a;
        }
        let both = self.get(a) & self.get(b);
        self.number(both)
    }

    /// The set after a shift, if it has been computed.
    pub(crate) fn moved(&self, set: SetNumber, shift: Shift) -> Option<SetNumber> {
        self.moved.get(&(set, shift)).copied()
    }

    /// Records the elements after a shift.
    pub(crate) fn set_moved(&mut self, set: SetNumber, shift: Shift, elements: RoaringBitmap) -> SetNumber {
        let elements = self.simplified(elements, None);
        let number = self.number(elements);
        self.moved.insert((set, shift), number);
        number
    }

    /// Tells the next element, which is part of an object or all of it.
    pub(crate) fn new_element(&mut self, object: usize, all_of_it: bool) {
        let element = u32::try_from(self.object_of.len()).expect("ids are 32 bits wide");
        self.object_of.push(u32::try_from(object).expect("ids are 32 bits wide"));
        if self.whole.len() <= object {
            self.whole.resize(object + 1, NO_ELEMENT);
            self.is_covered.grow(object + 1);
        }
        if all_of_it {
            self.whole[object] = element;
            self.wholes.insert(element);
        }
    }

    /// Drops what other elements of the set stand for; nothing is if just `settled` of them stand for all of an object.
    fn simplified(&mut self, mut set: RoaringBitmap, settled: Option<u32>) -> RoaringBitmap {
        if set.min().is_some_and(|least| least < self.plain)
            && (set.contains(self.plain) || set.range_cardinality(..self.plain) > BUDGETS.plain_constants)
        {
            set.insert(self.plain);
            set.remove_range(..self.plain);
        }
        let wholes = &set & &self.wholes;
        if wholes.is_empty() || settled.is_some_and(|count| wholes.len() == u64::from(count)) {
            return set;
        }
        for whole in &wholes {
            self.is_covered.insert(self.object_of[whole as usize] as usize);
        }
        let is_part = |&e: &u32| {
            let object = self.object_of[e as usize] as usize;
            self.is_covered.contains(object) && self.whole[object] != e
        };
        let parts = RoaringBitmap::from_sorted_iter(set.iter().filter(is_part)).expect("the elements are sorted");
        for whole in &wholes {
            self.is_covered.remove(self.object_of[whole as usize] as usize);
        }
        if !parts.is_empty() {
            set -= parts;
        }
        set
    }

    /// How many sets there are.
    pub(crate) fn len(&self) -> usize {
        self.sets.len()
    }

    /// The sets by number.
    pub(crate) fn into_sets(self) -> Vec<RoaringBitmap> {
        self.sets
    }
}

fn hash(set: &RoaringBitmap) -> u64 {
    let mut hasher = FxHasher::default();
    set.len().hash(&mut hasher);
    set.iter().for_each(|element| hasher.write_u32(element));
    hasher.finish()
}

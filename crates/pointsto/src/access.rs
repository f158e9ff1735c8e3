//! Sets of pieces of memory, as mod/ref analysis collects them.
//!
//! Points-to sets are sets of [`LocationId`]s already; what an access adds is how many bytes it touches. So a set of
//! pieces is one bitmap of locations per width, and uniting sets is uniting bitmaps.

use icsched_ir::{EntityId, IdVec};
use roaring::RoaringBitmap;
use rustc_hash::FxHashSet;

use crate::budgets::BUDGETS;
use crate::object::{Location, LocationId, Object, ObjectId, ObjectKind, Offsets};

/// A set of pieces of memory.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct AccessSet {
    /// Ascending by width; [`u64::MAX`] reaches to the end of the object.
    by_width: Vec<(u64, RoaringBitmap)>,
    /// Objects any byte of which may be touched.
    whole: RoaringBitmap,
    everything: bool,
}

impl AccessSet {
    /// Whether nothing is touched.
    pub fn is_empty(&self) -> bool {
        !self.everything && self.whole.is_empty() && self.by_width.is_empty()
    }

    /// Whether anything may be touched: code that is not known runs.
    pub fn is_everything(&self) -> bool {
        self.everything
    }

    /// Number of pieces, an object as a whole being one.
    pub fn len(&self) -> u64 {
        self.whole.len() + self.by_width.iter().map(|(_, set)| set.len()).sum::<u64>()
    }

    pub(crate) fn add_everything(&mut self) {
        self.everything = true;
    }

    pub(crate) fn add(&mut self, width: u64, locations: &RoaringBitmap) {
        if locations.is_empty() || width == 0 {
            return;
        }
        match self.by_width.binary_search_by_key(&width, |w| w.0) {
            Ok(at) => self.by_width[at].1 |= locations,
            Err(at) => self.by_width.insert(at, (width, locations.clone())),
        }
    }

    pub(crate) fn add_objects(&mut self, objects: &RoaringBitmap) {
        self.whole |= objects;
    }

    pub(crate) fn unite(&mut self, other: &AccessSet) {
        self.everything |= other.everything;
        self.whole |= &other.whole;
        for (width, locations) in &other.by_width {
            self.add(*width, locations);
        }
    }

    /// Removes every piece of some objects, given with all of their locations.
    pub(crate) fn remove(&mut self, objects: &RoaringBitmap, locations: &RoaringBitmap) {
        self.whole -= objects;
        for (_, set) in &mut self.by_width {
            *set -= locations;
        }
        self.by_width.retain(|(_, set)| !set.is_empty());
    }
}

/// What sets of pieces are about: the objects and locations of a solution.
pub(crate) struct Places<'p> {
    objects: &'p IdVec<ObjectId, Object>,
    locations: &'p IdVec<LocationId, Location>,
    of_object: IdVec<ObjectId, Vec<LocationId>>,
}

impl<'p> Places<'p> {
    pub(crate) fn new(objects: &'p IdVec<ObjectId, Object>, locations: &'p IdVec<LocationId, Location>) -> Self {
        let mut of_object = IdVec::filled(Vec::new(), objects.len());
        for (id, location) in locations.iter() {
            let list: &mut Vec<LocationId> = &mut of_object[location.object];
            list.push(id);
        }
        Self { objects, locations, of_object }
    }

    pub(crate) fn locations_of(&self, object: ObjectId) -> &[LocationId] {
        &self.of_object[object]
    }

    /// Whether the set may have one of `len` bytes from one of the offsets in the object. O(its locations * widths).
    pub(crate) fn touches_at(&self, set: &AccessSet, object: ObjectId, offsets: Offsets, len: u64) -> bool {
        let index = u32::try_from(object.index()).expect("ids are 32 bits wide");
        if set.everything || set.whole.contains(index) {
            return true;
        }
        set.by_width.iter().any(|(width, locations)| {
            self.of_object[object].iter().any(|&id| {
                locations.contains(crate::solver::index(id))
                    && self.locations[id].offsets.overlaps(*width, offsets, len)
            })
        })
    }

    /// The pieces of a set, by object and offset, what others cover left out; and functions, which are no memory.
    pub(crate) fn pieces(&self, set: &AccessSet) -> Vec<Piece> {
        let objects = set.whole.iter().map(|o| Piece {
            object: ObjectId::from_index(o as usize),
            offsets: Offsets::ANY,
            bytes: None,
        });
        let mut pieces: Vec<Piece> = objects.collect();
        for (width, locations) in &set.by_width {
            pieces.extend(locations.iter().map(|l| {
                let Location { object, offsets, .. } = self.locations[crate::solver::location(l)];
                Piece { object, offsets, bytes: Some(*width).filter(|&w| w != u64::MAX) }
            }));
        }
        let is_code = |o| matches!(self.objects[o].kind, ObjectKind::Function(_) | ObjectKind::MovedFunctions);
        pieces.retain(|p| !is_code(p.object) && !self.is_outside(*p));
        for piece in pieces.iter_mut().filter(|p| p.offsets == Offsets::ANY) {
            piece.bytes = None;
        }
        // The widest of each place is all there is to say, and of an object as a whole nothing more.
        let order = |p: &Piece| {
            (p.object, p.offsets != Offsets::ANY, p.offsets, std::cmp::Reverse(p.bytes.unwrap_or(u64::MAX)))
        };
        pieces.sort_unstable_by_key(order);
        pieces.dedup_by(|next, kept| {
            next.object == kept.object && (next.offsets == kept.offsets || kept.offsets == Offsets::ANY)
        });
        pieces
    }

    /// Whether the piece lies outside of its object, where nothing can be accessed.
    fn is_outside(&self, piece: Piece) -> bool {
        let (Some(x), Some(size)) = (piece.offsets.exact(), self.objects[piece.object].size) else { return false };
        let before = piece.bytes.is_some_and(|n| x.saturating_add(i64::try_from(n).unwrap_or(i64::MAX)) <= 0);
        before || u64::try_from(x).is_ok_and(|x| x >= size)
    }
}

/// A piece of memory: bytes at some offsets of an object.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Piece {
    /// The object.
    pub object: ObjectId,
    /// Where in it; [`Offsets::ANY`] for all of it.
    pub offsets: Offsets,
    /// How many bytes from there; `None` up to the object's end.
    pub bytes: Option<u64>,
}

/// The widths of a program's accesses that are told apart.
pub(crate) struct Widths(Vec<u64>);

impl Widths {
    /// Every width that occurs, if there are at most `BUDGETS.widths`; else those up to 16 and powers of two.
    pub(crate) fn new(occurring: &FxHashSet<u64>) -> Self {
        let mut widths: Vec<u64> = occurring.iter().copied().collect();
        widths.sort_unstable();
        if widths.len() > BUDGETS.widths {
            for width in &mut widths {
                *width = if *width <= 16 { *width } else { width.checked_next_power_of_two().unwrap_or(u64::MAX) };
            }
            widths.dedup();
            // Copies of more than this have no constant length in practice.
            widths.truncate(BUDGETS.widths);
        }
        Self(widths)
    }

    /// The smallest width told apart that is no smaller.
    pub(crate) fn round_up(&self, width: u64) -> u64 {
        let at = self.0.partition_point(|&w| w < width);
        self.0.get(at).copied().unwrap_or(u64::MAX)
    }
}

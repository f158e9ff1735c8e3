//! The places that a shape mentions: whatever else a path leaves need not be looked at.

use icsched_ir::{GlobalId, ValueId};
use icsched_pointsto::ObjectId as Abstract;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bytes::PAGE;
use crate::path_end::EndState;
use crate::place::{Node, Place};
use crate::shape::Shape;

/// The places of which a shape says anything, by what they are whoever's they are: threads may be taken in another
/// order where two shapes are met, and objects of one allocation are paired by who points to them.
#[derive(Default, Debug)]
pub struct Mentioned {
    /// By the number of a page: a bit for each byte, the same ones for all of a word of four.
    pages: FxHashMap<(Kind, u64), u64>,
    /// By the frame counted from the outermost.
    registers: FxHashSet<(u32, ValueId)>,
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
enum Kind {
    Global(GlobalId),
    ThreadLocal(GlobalId),
    Thread,
    Local(u32, ValueId),
    Heap(Abstract),
}

impl Kind {
    fn of(node: Node, heap: &[Abstract]) -> Option<Self> {
        Some(match node {
            Node::Global(global) => Self::Global(global),
            Node::ThreadLocal(global, _) => Self::ThreadLocal(global),
            Node::Thread(_) => Self::Thread,
            Node::Local(_, depth, value) => Self::Local(depth, value),
            Node::Heap(number) => Self::Heap(*heap.get(number as usize)?),
        })
    }
}

impl Mentioned {
    /// O(what the shape says).
    pub fn new(shape: &Shape) -> Self {
        let mut said = Self::default();
        for (node, start, len) in shape.bytes.runs() {
            said.add_bytes(node, start, len, &shape.heap);
        }
        for place in shape.places() {
            match place {
                Place::Memory(node, at, size) => said.add_bytes(node, at, size.into(), &shape.heap),
                Place::Register(_, depth, value) => _ = said.registers.insert((depth, value)),
            }
        }
        said
    }

    fn add_bytes(&mut self, node: Node, at: u64, len: u64, heap: &[Abstract]) {
        if let Some(kind) = Kind::of(node, heap) {
            for (page, bits) in pages(at, len) {
                *self.pages.entry((kind, page)).or_default() |= bits;
            }
        }
    }

    fn page(&self, kind: Kind, page: u64) -> u64 {
        self.pages.get(&(kind, page)).copied().unwrap_or_default()
    }

    /// Whether anything is said of a place, or of bytes beside it, in a shape with such objects from the heap.
    fn contains(&self, place: Place, heap: &[Abstract]) -> bool {
        match place {
            Place::Memory(node, at, size) => Kind::of(node, heap)
                .is_some_and(|kind| pages(at, size.into()).any(|(page, bits)| self.page(kind, page) & bits != 0)),
            Place::Register(_, depth, value) => self.registers.contains(&(depth, value)),
        }
    }
}

/// The pages that bytes are in, by number, each with a bit for each byte of the words of four bytes that they are in.
fn pages(at: u64, len: u64) -> impl Iterator<Item = (u64, u64)> {
    let (start, end) = (at / 4 * 4, (at + len).next_multiple_of(4));
    (start / PAGE..end.div_ceil(PAGE)).map(move |page| {
        let first = start.saturating_sub(page * PAGE);
        let len = (end - page * PAGE).min(PAGE) - first;
        (page, u64::MAX >> (PAGE - len) << first)
    })
}

impl EndState {
    /// Forgets the places of which another shape says nothing: nor does what both say.
    pub fn keep(&mut self, said: &Mentioned) {
        let heap = self.shape.heap.clone();
        let keep = |place: Place| said.contains(place, &heap);
        let bytes = |node, page| Kind::of(node, &heap).map_or(0, |kind| said.page(kind, page));
        self.shape.retain(keep, bytes);
        self.numbers.retain(|&(place, _)| keep(place));
        self.narrow.retain(|&(place, _)| keep(place));
        self.addresses.places.retain(|&(place, _)| keep(place));
    }
}

#[cfg(test)]
mod tests {
    use icsched_ir::EntityId as _;

    use super::*;
    use crate::bounds::Bounds;
    use crate::place::Held;

    #[test]
    fn what_one_shape_says_nothing_of_need_not_be_known_of_another() {
        let global = |n| Node::Global(GlobalId::from_index(n));
        let local = |thread| Node::Local(thread, 1, ValueId::from_index(3));
        let bounds = Bounds { width: 32, least: 0, greatest: 7 };
        let shape = Shape {
            bytes: [((global(0), 9), 1)].into_iter().collect(),
            words: [((local(1), 8), (8, Held::Same(0)))].into(),
            bounds: [(Place::Memory(Node::Heap(0), 4, 4), bounds)].into(),
            registers: [((0, 2, ValueId::from_index(5)), (32, Held::Bits(1)))].into(),
            heap: vec![Abstract::from_index(7)],
            ..Shape::default()
        };
        assert_eq!(pages(61, 2).collect::<Vec<_>>(), [(0, 0xf << 60)]);
        assert_eq!(pages(62, 68).collect::<Vec<_>>(), [(0, 0xf << 60), (1, u64::MAX), (2, 0xf)]);
        let said = Mentioned::new(&shape);
        let heap = [Abstract::from_index(6), Abstract::from_index(7)];
        let is_said = |place| said.contains(place, &heap);
        assert!(is_said(Place::Memory(global(0), 8, 4)) && !is_said(Place::Memory(global(0), 4, 4)));
        assert!(!is_said(Place::Memory(global(1), 8, 4)));
        assert!(is_said(Place::Memory(local(0), 12, 4)), "of whatever thread");
        assert!(is_said(Place::Memory(Node::Heap(1), 0, 8)) && !is_said(Place::Memory(Node::Heap(0), 0, 8)));
        assert!(is_said(Place::Register(1, 2, ValueId::from_index(5))));
        assert!(!is_said(Place::Register(0, 1, ValueId::from_index(5))));
    }
}

//! What a shape says, and what follows from that at once.

use std::collections::{BTreeMap, BTreeSet};

use icsched_ir::ValueId;
use icsched_pointsto::ObjectId as Abstract;
use serde::{Deserialize, Serialize};

use crate::bounds::Bounds;
use crate::bytes::Bytes;
use crate::element::Element;
use crate::equation::Equation;
use crate::fact_map::FactMap;
use crate::pairs;
use crate::place::{Held, Node, Place};
use crate::relation::Relation;
use crate::ring_offset::RingOffset;
use crate::table::kinds_of_facts;

/// Makes [`Shape`].
macro_rules! shape {
    ($($(#[$doc:meta])* $name:ident: $facts:ty as $kind:ty,)*) => {
        /// What all states have in common.
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
        pub struct Shape {
            /// Bytes that are numbers.
            pub bytes: Bytes,
            /// Words that are not: their sizes and what they hold.
            #[serde(with = "pairs")]
            pub words: BTreeMap<(Node, u64), (u8, Held)>,
            /// Registers: their widths in bits and what they hold.
            #[serde(with = "pairs")]
            pub registers: BTreeMap<(u32, u32, ValueId), (u8, Held)>,
            $($(#[$doc])* pub $name: $facts,)*
            /// What points-to analysis calls the objects from the heap.
            pub heap: Vec<Abstract>,
            /// The threads that wait, in the order in which they began to.
            pub waits: Vec<u32>,
        }
    };
}

kinds_of_facts!(shape);

impl Shape {
    /// Whether this shape says all of what the other one says, as [`Self::join`] numbers objects. What only follows
    /// from several facts of it is not looked for. Linear in their sizes, up to logarithms.
    #[must_use]
    pub fn holds_all_of(&self, other: &Self) -> bool {
        other.heap == self.heap
            && (other.waits.is_empty() || other.waits == self.waits)
            && other.words.iter().all(|(key, value)| self.words.get(key) == Some(value))
            && other.registers.iter().all(|(key, value)| self.registers.get(key) == Some(value))
            && self.holds_kinds(other)
            && other.bytes.changes(&self.bytes).all(|(at, _)| other.bytes.get(&at).is_none())
    }

    /// Keeps some places, and of numbers in memory those bytes of [`Bytes::retain_pages`](crate::Bytes::retain_pages).
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(Place) -> bool, bytes: impl FnMut(Node, u64) -> u64) {
        self.bytes.retain_pages(bytes);
        self.words.retain(|&(node, at), &mut (size, _)| keep(Place::Memory(node, at, size)));
        self.registers.retain(|&(thread, depth, value), _| keep(Place::Register(thread, depth, value)));
        self.retain_kinds(&mut keep);
    }

    /// The places of words and registers, and those that facts of any kind are about.
    pub(crate) fn places(&self) -> Vec<Place> {
        let words = self.words.iter().map(|(&(node, at), &(size, _))| Place::Memory(node, at, size));
        let registers = self.registers.keys().map(|&(thread, depth, value)| Place::Register(thread, depth, value));
        words.chain(registers).chain(self.places_of_kinds()).collect()
    }

    /// Forgets what a place holds: a byte, a word or a register.
    pub fn forget(&mut self, place: Place) {
        match place {
            Place::Memory(node, at, 1) => self.bytes.remove(&(node, at)),
            Place::Memory(node, at, _) => drop(self.words.remove(&(node, at))),
            Place::Register(thread, depth, value) => drop(self.registers.remove(&(thread, depth, value))),
        }
    }

    /// A place holds the only number between some bounds.
    pub(crate) fn set(&mut self, place: Place, number: Bounds) {
        match place {
            Place::Memory(node, at, size) => {
                self.words.remove(&(node, at));
                let bytes = number.least.to_le_bytes();
                self.bytes.extend((at..at + u64::from(size)).zip(bytes).map(|(at, byte)| ((node, at), byte)));
            }
            Place::Register(thread, depth, value) => {
                let bits = number.least.cast_unsigned() & (u64::MAX >> (64 - number.width));
                self.registers.insert((thread, depth, value), (number.width, Held::Bits(bits)));
            }
        }
    }

    /// What bytes of an object hold, if that is known of all of them.
    pub(crate) fn memory(&self, node: Node, at: u64, size: u8) -> Option<Held> {
        if let Some(&(known, held)) = self.words.get(&(node, at)) {
            return (known == size).then_some(held);
        }
        let byte = |i: u64| self.bytes.get(&(node, at + i)).map(|byte| u64::from(byte) << (8 * i));
        (0..u64::from(size)).map(byte).sum::<Option<u64>>().map(Held::Bits)
    }

    /// The objects that are there by themselves, ascending.
    pub(crate) fn named(&self) -> Vec<Node> {
        let all = self.bytes.nodes().chain(self.words.keys().map(|&(node, _)| node));
        let mut named: Vec<Node> = all.filter(|node| !matches!(node, Node::Heap(_))).collect();
        named.sort_unstable();
        named.dedup();
        named
    }

    /// A place of 64 bits holds this constant.
    pub fn hold(&mut self, place: Place, held: Held) {
        match (place, held) {
            (Place::Memory(node, at, _), Held::Bits(bits)) => {
                self.words.remove(&(node, at));
                (at..).zip(bits.to_le_bytes()).for_each(|(at, byte)| self.bytes.insert((node, at), byte));
            }
            (Place::Memory(node, at, _), _) => drop(self.words.insert((node, at), (8, held))),
            (Place::Register(thread, depth, value), _) => {
                self.registers.insert((thread, depth, value), (64, held));
            }
        }
    }

    /// What a place holds, and its bits.
    pub(crate) fn held(&self, place: Place) -> Option<(u8, Held)> {
        match place {
            Place::Memory(node, at, size) => self.memory(node, at, size).map(|held| (8 * size, held)),
            Place::Register(thread, depth, value) => self.registers.get(&(thread, depth, value)).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use icsched_ir::{EntityId as _, GlobalId};

    use super::*;
    use crate::fields::{Parts, Widening};

    fn global(n: usize) -> Node {
        Node::Global(GlobalId::from_index(n))
    }

    fn site(n: usize) -> Abstract {
        Abstract::from_index(n)
    }

    fn register(thread: u32) -> (u32, u32, ValueId) {
        (thread, 0, ValueId::from_index(3))
    }

    fn counters(values: [Held; 3]) -> Shape {
        let registers = (0..).map(register).zip(values.map(|held| (32, held))).collect();
        Shape { registers, ..Shape::default() }
    }

    /// What a variable of eight bytes holds that is known byte by byte.
    fn variable(bits: u64) -> Shape {
        let mut shape = Shape::default();
        shape.bytes.insert_word((global(0), 0), &bits.to_le_bytes().map(Some));
        shape
    }

    #[test]
    fn nothing_is_known_of_halves_of_a_functions_address() {
        let function = icsched_machine::memory::function_address(icsched_ir::FuncId::from_index(3));
        let met = variable(0).join(&variable(function));
        assert_eq!(met.bytes.len(), 0);
        assert!(met.bounds.keys().all(|place| matches!(place, Place::Memory(_, 0, 8))));
        assert_eq!(variable(function).join(&variable(function)).memory(global(0), 0, 8), Some(Held::Bits(function)));
        // Numbers keep the bytes that they have in common.
        assert!(variable(0).join(&variable(1)).bytes.len() >= 4);
    }

    #[test]
    fn counters_that_go_in_step_stay_equal() {
        let first = counters([Held::Bits(0), Held::Bits(0), Held::Bits(0)]);
        let later = counters([Held::Bits(1), Held::Bits(1), Held::Bits(2)]);
        let met = first.join(&later);
        let expected = [(register(0), (32, Held::Same(0))), (register(1), (32, Held::Same(0)))];
        assert_eq!(met.registers, expected.into());
        assert_eq!(met.bounds.len(), 3);
        let equal = Shape { bounds: FactMap::new(), ..met.clone() };
        let unknown = counters([Held::Same(5), Held::Same(5), Held::Same(6)]);
        assert_eq!(met.join(&unknown), equal);
        assert_eq!(first.join(&unknown), equal);
        let apart = counters([Held::Same(0), Held::Same(1), Held::Same(1)]);
        assert_eq!(met.join(&apart), Shape::default());
    }

    /// `heap[0]` is at `p`, `heap[1]` at `q`, and each holds a number.
    fn two_objects(p: u32, q: u32, numbers: [u8; 2]) -> Shape {
        let words = [
            ((global(0), 0), (8, Held::Address(Node::Heap(p), 0))),
            ((global(1), 0), (8, Held::Address(Node::Heap(q), 4))),
        ];
        let bytes = (0..).map(|n| (Node::Heap(n), 0)).zip(numbers).collect();
        Shape { words: words.into(), bytes, heap: vec![site(7), site(7)], ..Shape::default() }
    }

    #[test]
    fn heap_objects_are_named_by_how_they_are_reached() {
        let one = two_objects(0, 1, [10, 20]);
        assert_eq!(one.canonical(), one);
        assert_eq!(two_objects(1, 0, [20, 10]).canonical(), one);
        assert_eq!(one.join(&two_objects(1, 0, [20, 10])), one);
        let met = one.join(&two_objects(1, 0, [20, 11]));
        assert_eq!((met.bytes.len(), met.words.len()), (1, 2));
    }

    #[test]
    fn a_weaker_shape_may_say_less_than_follows_from_it() {
        let (first, second) = (Place::Memory(global(0), 0, 4), Place::Memory(global(0), 4, 4));
        let bounds = |greatest| {
            let of = |place| (place, Bounds { width: 32, least: 0, greatest });
            [of(first), of(second)].into()
        };
        let apart = Bounds { width: 32, least: -2, greatest: 0 };
        let known = Shape { bounds: bounds(2), differences: [((first, second), apart)].into(), ..Shape::default() };
        let weaker = Shape { bounds: bounds(3), ..Shape::default() };
        let met = known.join(&weaker);
        // How far apart they are at most follows from the bounds of the weaker one.
        assert_ne!(met, weaker);
        assert!(met.holds_all_of(&weaker));
        assert!(!weaker.join(&known).holds_all_of(&known));
        let constant = Shape { bytes: [((global(0), 8), 7)].into_iter().collect(), ..weaker.clone() };
        assert!(constant.holds_all_of(&weaker) && !weaker.holds_all_of(&constant));
    }

    #[test]
    fn a_heap_object_is_one_node_only() {
        let together = two_objects(0, 0, [10, 20]);
        let met = two_objects(0, 1, [10, 20]).join(&together);
        assert_eq!(met.words.keys().copied().collect::<Vec<_>>(), [(global(0), 0)]);
        assert_eq!(met.heap.len(), 1);
        let other = Shape { heap: vec![site(8), site(7)], ..two_objects(0, 1, [10, 20]) };
        assert_eq!(two_objects(0, 1, [10, 20]).join(&other).heap.len(), 1);
    }

    #[test]
    fn a_number_between_equal_bounds_is_that_number() {
        let place = Place::Register(1, 0, ValueId::from_index(3));
        let bounds = |least, greatest| [(place, Bounds { width: 32, least, greatest })].into();
        let unknown = counters([Held::Bits(7), Held::Same(0), Held::Same(1)]);
        let zero = Shape { bounds: bounds(0, 0), ..unknown.clone() }.canonical();
        assert_eq!(zero.registers[&register(1)], (32, Held::Bits(0)));
        assert!(zero.bounds.is_empty());
        let known = counters([Held::Bits(7), Held::Bits(0), Held::Same(0)]);
        assert_eq!(known.join(&Shape { bounds: bounds(0, 0), ..unknown.clone() }), zero);
        assert_eq!(known.join(&Shape { bounds: bounds(-1, 0), ..unknown }).bounds, bounds(-1, 0));
        let word = Place::Memory(global(0), 8, 4);
        let in_memory = Shape {
            words: [((global(0), 8), (4, Held::Same(0)))].into(),
            bounds: [(word, Bounds { width: 32, least: -2, greatest: -2 })].into(),
            ..Shape::default()
        };
        assert_eq!(in_memory.canonical().memory(global(0), 8, 4), Some(Held::Bits(0xffff_fffe)));
    }

    #[test]
    fn widening_knows_objects_that_have_other_numbers_now() {
        let string = ((global(0), 0), (8, Held::Address(Node::Heap(0), 0)));
        let pointers =
            |map| [((global(1), 0), (8, Held::Address(Node::Heap(map), 0))), ((global(2), 0), (4, Held::Same(0)))];
        let length = |map| ((Node::Heap(map), 16), (4, Held::Same(0)));
        let before = Shape {
            words: pointers(1).into_iter().chain([string, length(1)]).collect(),
            bytes: (0..64).map(|at| ((Node::Heap(0), at), 7)).collect(),
            heap: vec![site(7), site(8)],
            ..Shape::default()
        };
        let now = Shape {
            words: pointers(0).into_iter().chain([length(0)]).collect(),
            heap: vec![site(8)],
            ..Shape::default()
        };
        assert_eq!(
            now.clone().widened(&before, Some(Widening { parts: Parts::default(), losses: &mut BTreeMap::new() })),
            now
        );
    }

    #[test]
    fn words_of_different_numbers_are_equal_where_they_were() {
        let of = |x: u8, y: u8| Shape {
            bytes: (0..8).map(|at| ((global(0), at), if at < 4 { x } else { y })).collect(),
            ..Shape::default()
        };
        let met = of(1, 1).join(&of(2, 2));
        assert_eq!(met.words, [((global(0), 0), (4, Held::Same(0))), ((global(0), 4), (4, Held::Same(0)))].into());
        assert!(met.bytes.is_empty());
        let apart = of(1, 1).join(&of(2, 3));
        assert_eq!((apart.words, apart.bounds.len()), (BTreeMap::new(), 2));
    }
}

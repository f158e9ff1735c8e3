//! What two shapes both say: the join of two walks through heap graphs.
//!
//! Objects from the heap that are reached first in the same way become one. Places that hold the same pair of values
//! stay equal. Then all kinds of facts are joined, in the order of their [table](crate::kinds).

use std::collections::{BTreeMap, VecDeque};

use icsched_machine::memory::{AddressClass, classify};
use rustc_hash::FxHashMap;

use crate::bounds::Bounds;
use crate::place::{Held, Node, Place};
use crate::renaming::Renaming;
use crate::shape::Shape;

/// One of two shapes that are joined.
pub struct Side<'a> {
    /// The shape.
    pub shape: &'a Shape,
    /// What each of its heap objects is in the join.
    joined: FxHashMap<u32, u32>,
    /// Which of its heap objects each one of the join is.
    own: Vec<u32>,
}

impl<'a> Side<'a> {
    fn new(shape: &'a Shape) -> Self {
        Self { shape, joined: FxHashMap::default(), own: Vec::new() }
    }

    /// Asks for names in the join.
    pub fn in_join<R>(&self, ask: impl FnOnce(&Renaming<'_>) -> R) -> R {
        ask(&Renaming::of_heap(&|number| self.joined.get(&number).copied()))
    }

    /// Asks which names of its own names of the join are.
    pub fn own<R>(&self, ask: impl FnOnce(&Renaming<'_>) -> R) -> R {
        ask(&Renaming::of_heap(&|number| self.own.get(number as usize).copied()))
    }
}

/// The walk of two shapes at the same time.
pub struct Join<'a> {
    /// One.
    pub a: Side<'a>,
    /// The other one.
    pub b: Side<'a>,
    /// Pairs of heap objects whose contents are still to be compared, and what they are in the join.
    queue: VecDeque<(u32, u32, u32)>,
    /// Places that hold the same pair of values.
    groups: Vec<Vec<Place>>,
    /// By width in bits and the values.
    group_of: FxHashMap<(u8, Held, Held), usize>,
    /// Places that hold different constants, one of them an address.
    pub differ: Vec<Place>,
    /// Places that hold different numbers, with their widths in bits, if anybody wants to know.
    pub apart: Vec<(Place, u8)>,
    /// What both say.
    pub found: Shape,
}

impl<'a> Join<'a> {
    /// Joins two shapes. Linear in their sizes, up to logarithms.
    pub(crate) fn of(a: &'a Shape, b: &'a Shape) -> Self {
        let mut join = Self {
            a: Side::new(a),
            b: Side::new(b),
            queue: VecDeque::new(),
            groups: Vec::new(),
            group_of: FxHashMap::default(),
            differ: Vec::new(),
            apart: Vec::new(),
            found: Shape::default(),
        };
        join.heap_graph();
        Shape::join_kinds(&mut join);
        if a.waits == b.waits {
            join.found.waits.clone_from(&a.waits);
        }
        join
    }

    /// What memory and registers hold in both.
    fn heap_graph(&mut self) {
        let (a, b) = (self.a.shape, self.b.shape);
        for (&key, &(width, x)) in &a.registers {
            if let Some(&(_, y)) = b.registers.get(&key).filter(|(other, _)| *other == width) {
                let (thread, depth, value) = key;
                if let Some(held) = self.both(width, x, y, Place::Register(thread, depth, value)) {
                    self.found.registers.insert(key, (width, held));
                }
            }
        }
        for node in a.named() {
            self.contents(node, node, node);
        }
        while let Some((a, b, pair)) = self.queue.pop_front() {
            self.contents(Node::Heap(a), Node::Heap(b), Node::Heap(pair));
        }
        self.equal_places();
    }

    /// Places that hold the same pair of values hold the same unknown one.
    fn equal_places(&mut self) {
        let several = std::mem::take(&mut self.groups).into_iter().filter(|places| places.len() > 1);
        for (number, places) in (0..).zip(several) {
            for place in places {
                match place {
                    Place::Memory(node, at, size) => {
                        // Bytes of it that are numbers go with it.
                        (at..at + u64::from(size)).for_each(|at| {
                            self.found.bytes.remove(&(node, at));
                        });
                        self.found.words.insert((node, at), (size, Held::Same(number)));
                    }
                    Place::Register(thread, depth, value) => {
                        let width = self.a.shape.registers[&(thread, depth, value)].0;
                        self.found.registers.insert((thread, depth, value), (width, Held::Same(number)));
                    }
                }
            }
        }
    }

    /// What both hold, if it is the same number or address; else the place is where this pair of values is.
    fn both(&mut self, width: u8, a: Held, b: Held, place: Place) -> Option<Held> {
        match (a, b) {
            (Held::Bits(x), Held::Bits(y)) if x == y => return Some(a),
            // What is an address in neither is a number in both.
            (Held::Bits(x), Held::Bits(y)) => {
                self.found.add_bounds(place, Bounds::exactly(width, x).hull(Bounds::exactly(width, y)));
                if self.a.shape.relations.is_some() {
                    self.apart.push((place, width));
                }
            }
            (Held::Address(x, i), Held::Address(y, j)) if i == j => {
                if let Some(node) = self.node(x, y) {
                    return Some(Held::Address(node, i));
                }
            }
            _ => {}
        }
        if [a, b].iter().any(Held::points) {
            self.differ.push(place);
        }
        let next = self.groups.len();
        let group = *self.group_of.entry((width, a, b)).or_insert(next);
        if group == next {
            self.groups.push(Vec::new());
        }
        self.groups[group].push(place);
        None
    }

    /// The node that stands for one of each; none if one of them is another node already.
    fn node(&mut self, a: Node, b: Node) -> Option<Node> {
        let (Node::Heap(x), Node::Heap(y)) = (a, b) else { return (a == b).then_some(a) };
        match (self.a.joined.get(&x), self.b.joined.get(&y)) {
            (Some(pair), Some(other)) => (pair == other).then_some(Node::Heap(*pair)),
            (None, None) if self.a.shape.heap[x as usize] == self.b.shape.heap[y as usize] => {
                let pair = u32::try_from(self.found.heap.len()).expect("objects are few");
                self.found.heap.push(self.a.shape.heap[x as usize]);
                for (side, object) in [(&mut self.a, x), (&mut self.b, y)] {
                    side.joined.insert(object, pair);
                    side.own.push(object);
                }
                self.queue.push_back((x, y, pair));
                Some(Node::Heap(pair))
            }
            _ => None,
        }
    }

    fn contents(&mut self, a: Node, b: Node, node: Node) {
        let (left, right) = (self.a.shape, self.b.shape);
        let all = |n: Node| (n, 0)..=(n, u64::MAX);
        let mut words: BTreeMap<u64, u8> = left.words.range(all(a)).map(|(&(_, at), &(size, _))| (at, size)).collect();
        for (&(_, at), &(size, _)) in right.words.range(all(b)) {
            words.entry(at).or_insert(size);
        }
        let is_function = |at: u64| is_function(left.memory(a, at, 8)) || is_function(right.memory(b, at, 8));
        let mut pointers: Vec<u64> = Vec::new();
        left.bytes.join(&right.bytes, (a, b, node), &mut self.found.bytes, |at| {
            let word = at - at % 8;
            if pointers.last() == Some(&word) || is_function(word) {
                pointers.push(word);
                words.entry(word).or_insert(8);
            } else {
                words.entry(at - at % 4).or_insert(4);
            }
        });
        // Half a function's address is no number.
        for byte in pointers.into_iter().flat_map(|at| at..at + 8) {
            self.found.bytes.remove(&(node, byte));
        }
        for (at, size) in words {
            let (Some(x), Some(y)) = (left.memory(a, at, size), right.memory(b, at, size)) else { continue };
            if matches!((x, y), (Held::Bits(x), Held::Bits(y)) if x == y) {
                continue;
            }
            if let Some(held) = self.both(8 * size, x, y, Place::Memory(node, at, size)) {
                self.found.words.insert((node, at), (size, held));
            }
        }
    }
}

impl Shape {
    /// What both say. Linear in their sizes, up to logarithms.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        Join::of(self, other).found
    }

    /// The same shape with nodes and values numbered in the order in which they are met, without what says nothing.
    #[must_use]
    pub fn canonical(&self) -> Self {
        self.join(self)
    }
}

/// Whether it is the address of a function.
fn is_function(held: Option<Held>) -> bool {
    matches!(held, Some(Held::Bits(bits)) if matches!(classify(bits), AddressClass::Function(_)))
}

/// The same facts with objects from the heap numbered as in another shape, all of which holds here, too. Those that are
/// not in it are left out, and what addresses are is not said.
pub(crate) fn numbered_as(shape: &Shape, other: &Shape) -> Shape {
    let join = Join::of(shape, other);
    let number = |object: u32| join.a.joined.get(&object).and_then(|&pair| join.b.own.get(pair as usize)).copied();
    let names = Renaming::of_heap(&number);
    let of_word = |(&(at, offset), &held): (&(Node, u64), &_)| Some(((names.node(at)?, offset), held));
    Shape {
        bytes: shape.bytes.renamed(|node| names.node(node)),
        words: shape.words.iter().filter_map(of_word).collect(),
        registers: shape.registers.clone(),
        heap: other.heap.clone(),
        waits: shape.waits.clone(),
        ..Shape::default()
    }
    .with_kinds_of(shape, &names)
}

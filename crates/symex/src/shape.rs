//! What all states have in common in which threads are at the same places: the invariants that epochs hand on to each other.
//!
//! A [`Shape`] is a graph. Its nodes are objects that the places themselves name - variables, locals of frames, the control blocks of
//! threads - and objects from the heap that are reached from them, each another one. Memory and registers hold numbers, addresses of
//! nodes, or the same unknown value as others. The [meet](Shape::meet) of two shapes says what both say: a heap object of one and one of
//! the other are one node when they are reached in the same way first (a bisimulation; canonical abstraction of Sagiv, Reps and Wilhelm
//! with access paths for predicates), and what was a number in both, but not the same one, is still equal where it was in both. So
//! counters of threads that go in step stay equal although nobody knows them.
//!
//! Threads are named by their position in the epoch: sorted by stack, those with equal stacks by their slots in the models' table.
//! Which of them is which does not matter (Bergan 3.4.1.3), but all that is known is known of one order of them.

mod align;
mod bounds;
mod bytes;
mod choices;
mod chosen;
mod combinations;
mod deciding;
mod differences;
mod elements;
mod equations;
mod fields;
mod handles;
mod indices;
mod left;
mod locks;
mod said;
mod turns;
mod variables;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::memory::{AddressClass, classify};
use differences::moved_pair;
use fields::Part;
use icsched_ir::{GlobalId, ValueId};
use icsched_pointsto::ObjectId as Abstract;
use locks::Places;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

pub use bounds::{Bounds, ends_of_results, thresholds};
pub use bytes::Bytes;
pub(crate) use choices::Chosen;
pub use choices::{Addresses, Choices, MAX_CHOICES};
pub use combinations::{Column, Combinations, MAX_IDENTITIES, MAX_NUMBERS, among};
pub use deciding::Deciding;
pub use differences::Compared;
pub use elements::{Element, Elements, Length, Rings, constants};
pub use equations::{Equation, between, equalities, ordered};
pub use fields::{Activations, Fields, Parts, Widening};
pub use handles::Handles;
pub use indices::Indices;
pub use left::{Left, Pointers, Where};
pub use locks::Locks;
pub use said::Said;
pub use turns::{Turn, Turns};

/// An object.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Node {
    /// A global variable.
    Global(GlobalId),
    /// A thread's instance of a thread-local one.
    ThreadLocal(GlobalId, u32),
    /// A thread's control block: its entry in the models' table.
    Thread(u32),
    /// A local variable: thread, frame counted from the outermost, `alloca`.
    Local(u32, u32, ValueId),
    /// An object from the heap.
    Heap(u32),
}

/// What a place holds.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Held {
    /// A number.
    Bits(u64),
    /// An address so many bytes behind the start of an object.
    Address(Node, i64),
    /// The same as all places with this number.
    Same(u32),
}

impl Held {
    /// Whether it is an address of an object or of a function, which is the same number everywhere.
    pub fn points(&self) -> bool {
        match *self {
            Self::Address(..) => true,
            Self::Bits(bits) => matches!(classify(bits), AddressClass::Function(_)),
            Self::Same(_) => false,
        }
    }
}

/// A place that holds something.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Place {
    /// Bytes of an object: offset, how many.
    Memory(Node, u64, u8),
    /// A register: thread, frame counted from the outermost, value.
    Register(u32, u32, ValueId),
}

impl Place {
    /// Its width in bits, if a register's is `of_register`.
    pub const fn width(self, of_register: u8) -> u8 {
        match self {
            Self::Memory(_, _, size) => 8 * size,
            Self::Register(..) => of_register,
        }
    }
}

/// What all states have in common.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
#[serde(into = "Flat")]
#[serde(from = "Flat")]
pub struct Shape {
    /// Bytes that are numbers.
    pub bytes: Bytes,
    /// Words that are not: their sizes and what they hold.
    pub words: BTreeMap<(Node, u64), (u8, Held)>,
    /// Registers: their widths in bits and what they hold.
    pub registers: BTreeMap<(u32, u32, ValueId), (u8, Held)>,
    /// Between which numbers places hold one that is not the same in all states.
    pub bounds: BTreeMap<Place, Bounds>,
    /// Between which numbers places may be in the end, if bounds get wider from epoch to epoch: guesses, which say nothing of any state.
    pub ends: BTreeMap<Place, Bounds>,
    /// Between which numbers the first of two places, less the second, is: as words, which wrap. The second may be narrower: it is extended with its sign.
    pub differences: BTreeMap<(Place, Place), Bounds>,
    /// Sums of numbers that are constant.
    pub equations: Vec<Equation>,
    /// What elements of rings hold.
    pub elements: Elements,
    /// How far apart the ends of rings are.
    pub turns: Turns,
    /// Which addresses places hold one of.
    pub choices: Choices,
    /// Which threads' handles places may hold.
    pub handles: Handles,
    /// Which numbers places hold together; `None` where nobody looks for that.
    pub combinations: Option<Combinations>,
    /// What points-to analysis calls the objects from the heap.
    pub heap: Vec<Abstract>,
    /// The threads that wait, in the order in which they began to.
    pub waits: Vec<u32>,
}

/// A register: thread, frame counted from the outermost, value.
type Register = (u32, u32, ValueId);

/// A shape without keys that are no strings.
#[derive(Serialize, Deserialize)]
struct Flat {
    bytes: Vec<((Node, u64), u8)>,
    words: Vec<((Node, u64), (u8, Held))>,
    registers: Vec<(Register, (u8, Held))>,
    bounds: Vec<(Place, Bounds)>,
    ends: Vec<(Place, Bounds)>,
    differences: Vec<((Place, Place), Bounds)>,
    equations: Vec<Equation>,
    elements: Vec<(Element, u64)>,
    turns: Vec<(Turn, i32)>,
    choices: Vec<(Place, Vec<Held>)>,
    handles: Vec<(Place, BTreeSet<u32>)>,
    combinations: Option<Combinations>,
    heap: Vec<Abstract>,
    waits: Vec<u32>,
}

impl From<Shape> for Flat {
    fn from(shape: Shape) -> Self {
        Self {
            bytes: shape.bytes.iter().collect(),
            words: shape.words.into_iter().collect(),
            registers: shape.registers.into_iter().collect(),
            bounds: shape.bounds.into_iter().collect(),
            ends: shape.ends.into_iter().collect(),
            differences: shape.differences.into_iter().collect(),
            equations: shape.equations,
            elements: shape.elements.into_iter().collect(),
            turns: shape.turns.into_iter().collect(),
            choices: shape.choices.into_iter().collect(),
            handles: shape.handles.into_iter().collect(),
            combinations: shape.combinations,
            heap: shape.heap,
            waits: shape.waits,
        }
    }
}

impl From<Flat> for Shape {
    fn from(flat: Flat) -> Self {
        Self {
            bytes: flat.bytes.into_iter().collect(),
            words: flat.words.into_iter().collect(),
            registers: flat.registers.into_iter().collect(),
            bounds: flat.bounds.into_iter().collect(),
            ends: flat.ends.into_iter().collect(),
            differences: flat.differences.into_iter().collect(),
            equations: flat.equations,
            elements: flat.elements.into_iter().collect(),
            turns: flat.turns.into_iter().collect(),
            choices: flat.choices.into_iter().collect(),
            handles: flat.handles.into_iter().collect(),
            combinations: flat.combinations,
            heap: flat.heap,
            waits: flat.waits,
        }
    }
}

impl Shape {
    /// What both say. Linear in their sizes, up to logarithms.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        let mut meet = Meet::new(self, other);
        meet.run();
        meet.found
    }

    /// Whether this shape says all of what the other one says, as [`Self::meet`] numbers objects. What only follows from several facts of
    /// it is not looked for. Linear in their sizes, up to logarithms.
    #[must_use]
    pub fn says_all_of(&self, other: &Self) -> bool {
        fn holds_all<K: Ord, V: PartialEq>(all: &BTreeMap<K, V>, of: &BTreeMap<K, V>) -> bool {
            of.iter().all(|(key, value)| all.get(key) == Some(value))
        }
        other.heap == self.heap
            && (other.waits.is_empty() || other.waits == self.waits)
            && holds_all(&self.words, &other.words)
            && holds_all(&self.registers, &other.registers)
            && holds_all(&self.bounds, &other.bounds)
            && holds_all(&self.ends, &other.ends)
            && holds_all(&self.differences, &other.differences)
            && other.equations.iter().all(|equation| self.equations.contains(equation))
            && holds_all(&self.elements, &other.elements)
            && holds_all(&self.turns, &other.turns)
            && holds_all(&self.choices, &other.choices)
            && holds_all(&self.handles, &other.handles)
            && self.says_combinations_of(other)
            && other.bytes.changes(&self.bytes).all(|(at, _)| other.bytes.get(&at).is_none())
    }

    /// The same shape with nodes and values numbered in the order in which they are met, without what says nothing.
    #[must_use]
    pub fn canonical(&self) -> Self {
        self.meet(self)
    }

    /// What is kept of a shape that has got weaker several times, last from `before`: numbers that still lose some of their bytes are not
    /// waited for (widening, Cousot and Cousot 1977). A counter would lose one byte after the other; with `further`, neither are numbers in
    /// fields that lose any, and then in objects, but for those in locks: an array that a program fills would lose one after the other. Nor
    /// are equations of remainders.
    #[must_use]
    pub fn widened(mut self, before: &Self, further: Option<Widening<'_>>) -> Self {
        let before = &before.numbered_as(&self);
        let mut places: BTreeMap<Node, Places> = BTreeMap::new();
        if let Some(Widening { parts, .. }) = further {
            let nodes = before.bytes.nodes().chain(before.words.keys().map(|&(node, _)| node));
            for node in nodes {
                places.entry(node).or_insert_with(|| parts.locks(&self, node));
            }
        }
        let heap = Self { heap: self.heap.clone(), ..Self::default() };
        let is_apart = |node: Node, at: u64| places.get(&node).is_none_or(|locks| locks.contain(at));
        let of_field = |node: Node, at: u64| further.as_ref().map_or(Part::Word(at / 4), |f| f.part(&heap, node, at));
        let part =
            |node: Node, at: u64| (node, if is_apart(node, at) { Part::Word(at / 4) } else { of_field(node, at) });
        let mut gains: BTreeMap<(Node, Part), i64> = BTreeMap::new();
        let mut count = |(node, at): (Node, u64), by: i64| *gains.entry(part(node, at)).or_default() += by;
        for (at, byte) in before.bytes.changes(&self.bytes) {
            count(at, i64::from(byte.is_some()) - i64::from(before.bytes.get(&at).is_some()));
        }
        // A number that was a constant, and is still known to be equal to another one, has lost nothing.
        let mut count_word = |(&(node, first), &(size, _)): (&(Node, u64), &(u8, Held)), by: i64| {
            (first..first + u64::from(size)).for_each(|at| count((node, at), by));
        };
        before.words.iter().filter(|(at, _)| !self.words.contains_key(at)).for_each(|word| count_word(word, -1));
        self.words.iter().filter(|(at, _)| !before.words.contains_key(at)).for_each(|word| count_word(word, 1));
        gains.retain(|_, by| *by < 0);
        if !gains.is_empty() {
            let loses = |node: Node, at: u64| gains.contains_key(&part(node, at));
            self.bytes.retain(|(node, at), _| !loses(node, at));
            self.words.retain(|&(node, at), (_, held)| matches!(held, Held::Address(..)) || !loses(node, at));
        }
        if let Some(Widening { losses, .. }) = further {
            self.widen_equations(before);
            let mut lost: Vec<Node> =
                gains.keys().filter(|(_, part)| matches!(part, Part::Field(_))).map(|at| at.0).collect();
            lost.dedup();
            lost.into_iter().for_each(|node| *losses.entry(node).or_default() += 1);
        }
        self.canonical()
    }

    /// The same with objects from the heap numbered as in another shape, all of which holds here, too. Those that are not in it are left
    /// out, and what addresses are is not said.
    fn numbered_as(&self, other: &Self) -> Self {
        let mut meet = Meet::new(self, other);
        meet.run();
        let of_pair: FxHashMap<u32, u32> = meet.of_b.iter().map(|(&object, &pair)| (pair, object)).collect();
        let number = |object: u32| meet.of_a.get(&object).and_then(|pair| of_pair.get(pair)).copied();
        let node = |node: Node| match node {
            Node::Heap(object) => number(object).map(Node::Heap),
            named => Some(named),
        };
        let of_word = |(&(at, offset), &held): (&(Node, u64), &_)| Some(((node(at)?, offset), held));
        Self {
            bytes: self.bytes.renamed(node),
            words: self.words.iter().filter_map(of_word).collect(),
            registers: self.registers.clone(),
            bounds: self.bounds.iter().filter_map(|(&place, &b)| Some((moved(place, number)?, b))).collect(),
            ends: BTreeMap::new(),
            differences: self
                .differences
                .iter()
                .filter_map(|(&pair, &b)| Some((moved_pair(pair, number)?, b)))
                .collect(),
            equations: self.equations_renamed(|place| moved(place, number)),
            elements: self.elements_renamed(|place| moved(place, number)),
            turns: self.turns_renamed(|place| moved(place, number)),
            choices: Choices::new(),
            handles: Handles::new(),
            combinations: self.combinations.as_ref().map(|all| all.moved(|place| moved(place, number))),
            heap: other.heap.clone(),
            waits: self.waits.clone(),
        }
    }

    /// Keeps some places, and of numbers in memory those bytes of [`Bytes::retain_pages`].
    fn retain(&mut self, mut keep: impl FnMut(Place) -> bool, bytes: impl FnMut(Node, u64) -> u64) {
        self.bytes.retain_pages(bytes);
        self.words.retain(|&(node, at), &mut (size, _)| keep(Place::Memory(node, at, size)));
        self.registers.retain(|&(thread, depth, value), _| keep(Place::Register(thread, depth, value)));
        self.bounds.retain(|&place, _| keep(place));
        self.ends.retain(|&place, _| keep(place));
        self.differences.retain(|&(first, second), _| keep(first) && keep(second));
        self.equations = self.equations_renamed(|place| keep(place).then_some(place));
        self.elements.retain(|element, _| element.places().all(&mut keep));
        self.turns.retain(|turn, _| turn.places().all(&mut keep));
        self.choices.retain(|&place, _| keep(place));
        self.handles.retain(|&place, _| keep(place));
        self.combinations.iter_mut().for_each(|all| all.retain(|column| column.places().all(&mut keep)));
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
    fn set(&mut self, place: Place, number: Bounds) {
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
    fn memory(&self, node: Node, at: u64, size: u8) -> Option<Held> {
        if let Some(&(known, held)) = self.words.get(&(node, at)) {
            return (known == size).then_some(held);
        }
        let byte = |i: u64| self.bytes.get(&(node, at + i)).map(|byte| u64::from(byte) << (8 * i));
        (0..u64::from(size)).map(byte).sum::<Option<u64>>().map(Held::Bits)
    }

    /// The objects that are there by themselves, ascending.
    fn named(&self) -> Vec<Node> {
        let all = self.bytes.nodes().chain(self.words.keys().map(|&(node, _)| node));
        let mut named: Vec<Node> = all.filter(|node| !matches!(node, Node::Heap(_))).collect();
        named.sort_unstable();
        named.dedup();
        named
    }
}

/// Whether it is the address of a function.
fn is_function(held: Option<Held>) -> bool {
    matches!(held, Some(Held::Bits(bits)) if matches!(classify(bits), AddressClass::Function(_)))
}

/// The same place where nodes of the heap have other numbers.
fn moved(place: Place, number: impl Fn(u32) -> Option<u32>) -> Option<Place> {
    match place {
        Place::Memory(Node::Heap(node), at, size) => Some(Place::Memory(Node::Heap(number(node)?), at, size)),
        other => Some(other),
    }
}

/// The walk of two shapes at the same time.
struct Meet<'a> {
    a: &'a Shape,
    b: &'a Shape,
    /// The number of the pair that a heap object is in.
    of_a: FxHashMap<u32, u32>,
    of_b: FxHashMap<u32, u32>,
    /// The objects of each pair.
    pairs: Vec<(u32, u32)>,
    /// Pairs of heap objects whose contents are still to be compared.
    queue: VecDeque<(u32, u32, u32)>,
    /// Places that hold the same pair of values.
    groups: Vec<Vec<Place>>,
    /// By width in bits and the values.
    group_of: FxHashMap<(u8, Held, Held), usize>,
    /// Places that hold different constants, one of them an address.
    differ: Vec<Place>,
    /// Places that hold different numbers, with their widths in bits, if anybody wants to know.
    apart: Vec<(Place, u8)>,
    found: Shape,
}

impl<'a> Meet<'a> {
    fn new(a: &'a Shape, b: &'a Shape) -> Self {
        Self {
            a,
            b,
            of_a: FxHashMap::default(),
            of_b: FxHashMap::default(),
            queue: VecDeque::new(),
            groups: Vec::new(),
            group_of: FxHashMap::default(),
            pairs: Vec::new(),
            differ: Vec::new(),
            apart: Vec::new(),
            found: Shape::default(),
        }
    }

    fn run(&mut self) {
        for (&key, &(width, a)) in &self.a.registers {
            if let Some(&(_, b)) = self.b.registers.get(&key).filter(|(other, _)| *other == width) {
                let (thread, depth, value) = key;
                if let Some(held) = self.both(width, a, b, Place::Register(thread, depth, value)) {
                    self.found.registers.insert(key, (width, held));
                }
            }
        }
        for node in self.a.named() {
            self.contents(node, node, node);
        }
        while let Some((a, b, pair)) = self.queue.pop_front() {
            self.contents(Node::Heap(a), Node::Heap(b), Node::Heap(pair));
        }
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
                        let width = self.a.registers[&(thread, depth, value)].0;
                        self.found.registers.insert((thread, depth, value), (width, Held::Same(number)));
                    }
                }
            }
        }
        self.bounds();
        self.differences();
        self.equations();
        self.elements();
        self.turns();
        self.choices();
        self.distinct();
        self.handles();
        self.combinations();
        if self.a.waits == self.b.waits {
            self.found.waits.clone_from(&self.a.waits);
        }
    }

    /// Between which numbers places are in one or the other.
    fn bounds(&mut self) {
        let of_a = self.a.bounds.keys().filter_map(|&place| moved(place, |n| self.of_a.get(&n).copied()));
        let of_b = self.b.bounds.keys().filter_map(|&place| moved(place, |n| self.of_b.get(&n).copied()));
        let places: Vec<Place> = of_a.chain(of_b).collect();
        for place in places {
            let in_a = moved(place, |n| self.pairs.get(n as usize).map(|pair| pair.0));
            let in_b = moved(place, |n| self.pairs.get(n as usize).map(|pair| pair.1));
            let a = in_a.and_then(|place| self.a.bounds_of(place));
            let b = in_b.and_then(|place| self.b.bounds_of(place));
            if let (Some(a), Some(b)) = (a, b)
                && a.width == b.width
            {
                let hull = a.hull(b);
                if hull.least == hull.greatest {
                    self.found.set(place, hull);
                } else {
                    self.add_bounds(place, hull);
                    self.add_ends(place, (in_a, a), (in_b, b));
                }
            }
        }
    }

    /// Which addresses places hold one of in one or the other.
    fn choices(&mut self) {
        let of_a = |n| self.of_a.get(&n).copied();
        let of_b = |n| self.of_b.get(&n).copied();
        let in_a = |place| moved(place, |n| self.pairs.get(n as usize).map(|pair| pair.0));
        let in_b = |place| moved(place, |n| self.pairs.get(n as usize).map(|pair| pair.1));
        let places = self.a.choices.keys().filter_map(|&place| moved(place, of_a));
        let places = places.chain(self.b.choices.keys().filter_map(|&place| moved(place, of_b)));
        let places = places.chain(self.differ.iter().copied());
        self.found.choices = choices::meet((self.a, self.b), places, in_a, in_b, of_a, of_b);
    }

    /// Where the bounds of a place that has some in both may end, if one of them says so.
    fn add_ends(&mut self, place: Place, (in_a, a): (Option<Place>, Bounds), (in_b, b): (Option<Place>, Bounds)) {
        let a_ends = in_a.and_then(|place| self.a.ends.get(&place));
        let b_ends = in_b.and_then(|place| self.b.ends.get(&place));
        if a_ends.is_some() || b_ends.is_some() {
            self.found.ends.insert(place, a_ends.copied().unwrap_or(a).hull(b_ends.copied().unwrap_or(b)));
        }
    }

    fn add_bounds(&mut self, place: Place, bounds: Bounds) {
        if bounds.say_something() {
            self.found.bounds.insert(place, bounds);
        }
    }

    /// What both hold, if it is the same number or address; else the place is where this pair of values is.
    fn both(&mut self, width: u8, a: Held, b: Held, place: Place) -> Option<Held> {
        match (a, b) {
            (Held::Bits(x), Held::Bits(y)) if x == y => return Some(a),
            // What is an address in neither is a number in both.
            (Held::Bits(x), Held::Bits(y)) => {
                self.add_bounds(place, Bounds::exactly(width, x).hull(Bounds::exactly(width, y)));
                if self.a.combinations.is_some() {
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
        match (self.of_a.get(&x), self.of_b.get(&y)) {
            (Some(pair), Some(other)) => (pair == other).then_some(Node::Heap(*pair)),
            (None, None) if self.a.heap[x as usize] == self.b.heap[y as usize] => {
                let pair = u32::try_from(self.found.heap.len()).expect("objects are few");
                self.found.heap.push(self.a.heap[x as usize]);
                self.of_a.insert(x, pair);
                self.of_b.insert(y, pair);
                self.pairs.push((x, y));
                self.queue.push_back((x, y, pair));
                Some(Node::Heap(pair))
            }
            _ => None,
        }
    }

    fn contents(&mut self, a: Node, b: Node, node: Node) {
        let (left, right) = (self.a, self.b);
        let all = |n: Node| (n, 0)..=(n, u64::MAX);
        let mut words: BTreeMap<u64, u8> = left.words.range(all(a)).map(|(&(_, at), &(size, _))| (at, size)).collect();
        for (&(_, at), &(size, _)) in right.words.range(all(b)) {
            words.entry(at).or_insert(size);
        }
        let is_function = |at: u64| is_function(left.memory(a, at, 8)) || is_function(right.memory(b, at, 8));
        let mut pointers: Vec<u64> = Vec::new();
        left.bytes.meet(&right.bytes, (a, b, node), &mut self.found.bytes, |at| {
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

#[cfg(test)]
mod tests {
    use super::*;
    use icsched_ir::EntityId as _;

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
        let function = crate::memory::function_address(icsched_ir::FuncId::from_index(3));
        let met = variable(0).meet(&variable(function));
        assert_eq!(met.bytes.len(), 0);
        assert!(met.bounds.keys().all(|place| matches!(place, Place::Memory(_, 0, 8))));
        assert_eq!(variable(function).meet(&variable(function)).memory(global(0), 0, 8), Some(Held::Bits(function)));
        // Numbers keep the bytes that they have in common.
        assert!(variable(0).meet(&variable(1)).bytes.len() >= 4);
    }

    #[test]
    fn counters_that_go_in_step_stay_equal() {
        let first = counters([Held::Bits(0), Held::Bits(0), Held::Bits(0)]);
        let later = counters([Held::Bits(1), Held::Bits(1), Held::Bits(2)]);
        let met = first.meet(&later);
        let expected = [(register(0), (32, Held::Same(0))), (register(1), (32, Held::Same(0)))];
        assert_eq!(met.registers, expected.into());
        assert_eq!(met.bounds.len(), 3);
        let equal = Shape { bounds: BTreeMap::new(), ..met.clone() };
        let unknown = counters([Held::Same(5), Held::Same(5), Held::Same(6)]);
        assert_eq!(met.meet(&unknown), equal);
        assert_eq!(first.meet(&unknown), equal);
        let apart = counters([Held::Same(0), Held::Same(1), Held::Same(1)]);
        assert_eq!(met.meet(&apart), Shape::default());
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
        assert_eq!(one.meet(&two_objects(1, 0, [20, 10])), one);
        let met = one.meet(&two_objects(1, 0, [20, 11]));
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
        let met = known.meet(&weaker);
        // How far apart they are at most follows from the bounds of the weaker one.
        assert_ne!(met, weaker);
        assert!(met.says_all_of(&weaker));
        assert!(!weaker.meet(&known).says_all_of(&known));
        let constant = Shape { bytes: [((global(0), 8), 7)].into_iter().collect(), ..weaker.clone() };
        assert!(constant.says_all_of(&weaker) && !weaker.says_all_of(&constant));
    }

    #[test]
    fn a_heap_object_is_one_node_only() {
        let together = two_objects(0, 0, [10, 20]);
        let met = two_objects(0, 1, [10, 20]).meet(&together);
        assert_eq!(met.words.keys().copied().collect::<Vec<_>>(), [(global(0), 0)]);
        assert_eq!(met.heap.len(), 1);
        let other = Shape { heap: vec![site(8), site(7)], ..two_objects(0, 1, [10, 20]) };
        assert_eq!(two_objects(0, 1, [10, 20]).meet(&other).heap.len(), 1);
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
        assert_eq!(known.meet(&Shape { bounds: bounds(0, 0), ..unknown.clone() }), zero);
        assert_eq!(known.meet(&Shape { bounds: bounds(-1, 0), ..unknown }).bounds, bounds(-1, 0));
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
        let met = of(1, 1).meet(&of(2, 2));
        assert_eq!(met.words, [((global(0), 0), (4, Held::Same(0))), ((global(0), 4), (4, Held::Same(0)))].into());
        assert!(met.bytes.is_empty());
        let apart = of(1, 1).meet(&of(2, 3));
        assert_eq!((apart.words, apart.bounds.len()), (BTreeMap::new(), 2));
    }
}

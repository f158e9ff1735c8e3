//! Places that hold one of a few addresses, which of them nobody knows: an element of an array of pointers that an input has chosen, the
//! node of a list where a thread is. Sets of constants, as facts that epochs hand on.

use std::collections::BTreeMap;
use std::sync::Arc;

use icsched_smt::{BinOp, Node as TermNode, Term, TermPool};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Held, Node, Place, Shape};
use crate::memory::{AddressClass, ObjectId, address, classify};

/// Most addresses that one place may hold.
pub const MAX_CHOICES: usize = 8;

/// Terms that are looked at to find those of one.
const MAX_TERMS: usize = 128;

/// Most constants that one of them may be.
const MAX_CONSTANTS: usize = 64;

/// Places with what each may hold: at least two different constants, ascending.
pub type Choices = BTreeMap<Place, Vec<Held>>;

/// Symbols of an initial state that are one of a few constants.
pub(crate) type Chosen = Arc<FxHashMap<Term, Vec<u64>>>;

/// Places that hold an address that depends on inputs, and what is needed to say which ones it may be.
#[derive(Default)]
pub struct Addresses {
    /// The places, and what they hold.
    pub places: Vec<(Place, Term)>,
    pub(super) nodes: FxHashMap<ObjectId, Node>,
    pub(super) threads: Threads,
    pub(super) chosen: Chosen,
}

/// Where the control blocks of threads are.
#[derive(Clone, Default, Debug)]
pub(super) struct Threads {
    /// The models' table, and how far its entries are apart.
    pub(super) table: Option<(ObjectId, u64)>,
    /// The position of the thread of each entry in use.
    pub(super) slots: BTreeMap<u32, u32>,
}

impl Threads {
    /// Whether an object is the table.
    pub(super) fn are_in(&self, object: ObjectId) -> bool {
        self.table.is_some_and(|(table, _)| table == object)
    }

    /// What a place in the table is for a thread that lives.
    pub(super) fn held(&self, offset: i64) -> Option<Held> {
        let (_, stride) = self.table?;
        let at = u64::try_from(offset).ok()?;
        let thread = self.slots.get(&u32::try_from(at / stride).ok()?)?;
        Some(Held::Address(Node::Thread(*thread), (at % stride).cast_signed()))
    }
}

impl Addresses {
    /// The constant that a place holds; `None` if there is no such object. O(objects).
    pub fn constant(&self, held: Held) -> Option<u64> {
        let (object, start, offset) = match held {
            Held::Bits(bits) => return Some(bits),
            Held::Same(_) => return None,
            Held::Address(Node::Thread(thread), offset) => {
                let (table, stride) = self.threads.table?;
                let (&slot, _) = self.threads.slots.iter().find(|&(_, &of)| of == thread)?;
                (table, u64::from(slot) * stride, offset)
            }
            Held::Address(node, offset) => {
                (self.nodes.iter().find(|&(_, &of)| of == node).map(|(&o, _)| o)?, 0, offset)
            }
        };
        Some(address(object, start.wrapping_add_signed(offset)))
    }

    /// Constants that a term may be, with what each means: addresses of objects that have no node are left out, and so is what it may be
    /// where a part of it is no choice between constants.
    pub fn candidates(&self, pool: &TermPool, term: Term) -> Vec<(u64, Held)> {
        let mut all = Vec::new();
        for bits in self.constants(pool, term) {
            all.extend(self.held(bits).map(|held| (bits, held)));
        }
        all
    }

    /// Constants that a term of at most 64 bits may be, ascending; none if they are many.
    pub(super) fn constants(&self, pool: &TermPool, term: Term) -> Vec<u64> {
        if parts(pool, term).is_empty() {
            return self.combined(pool, term, &[]);
        }
        // Few enough to look through.
        let mut known: SmallVec<[(Term, Vec<u64>); 32]> = SmallVec::new();
        // What addresses are computed from is small; conditions need not be looked at.
        let mut work = vec![(term, false)];
        while let Some((next, is_ready)) = work.pop() {
            if position(&known, next).is_some() {
                continue;
            }
            if known.len() > MAX_TERMS {
                return Vec::new();
            }
            let parts = parts(pool, next);
            if is_ready {
                let of = |&part: &Term| position(&known, part).map(|at| known[at].1.as_slice());
                let of: SmallVec<[&[u64]; 2]> = parts.iter().filter_map(of).collect();
                let found = self.combined(pool, next, &of);
                drop(of);
                known.push((next, found));
            } else if self.is_none(pool, next) {
                known.push((next, Vec::new()));
            } else {
                work.push((next, true));
                work.extend(parts.into_iter().map(|part| (part, false)));
            }
        }
        known.pop().filter(|(last, _)| *last == term).map(|(_, found)| found).unwrap_or_default()
    }

    /// Whether a term is certainly no choice between constants, for a part of it is none at first sight: an element of a long array is the sum of
    /// all before it.
    fn is_none(&self, pool: &TermPool, term: Term) -> bool {
        let is_unknown = |&part: &Term| {
            parts(pool, part).is_empty() && pool.as_const(part).is_none() && !self.chosen.contains_key(&part)
        };
        let needs_all = !matches!(pool.node(term), TermNode::Ite(..));
        needs_all && parts(pool, term).iter().any(is_unknown)
    }

    /// The constants that a term may be if its parts are one of these, ascending; none if they are many.
    fn combined(&self, pool: &TermPool, term: Term, parts: &[&[u64]]) -> Vec<u64> {
        let mut found = self.all_combined(pool, term, parts);
        found.sort_unstable();
        found.dedup();
        if found.len() > MAX_CONSTANTS {
            found.clear();
        }
        found
    }

    fn all_combined(&self, pool: &TermPool, term: Term, parts: &[&[u64]]) -> Vec<u64> {
        let width = pool.width(term);
        if width > 64 {
            return Vec::new();
        }
        let mask = u64::MAX >> (64 - width);
        let pairs = |a: &[u64], b: &[u64], of: &dyn Fn(u64, u64) -> u64| -> Vec<u64> {
            a.iter().flat_map(|&x| b.iter().map(move |&y| of(x, y))).collect()
        };
        match (pool.node(term), parts) {
            (TermNode::Const { .. }, _) => pool.as_const(term).into_iter().collect(),
            (TermNode::Ite(..), &[a, b]) => [a, b].concat(),
            (&TermNode::Concat(_, low), &[a, b]) => {
                let shift = pool.width(low);
                pairs(a, b, &|x, y| x << shift | y)
            }
            (TermNode::Binary(..), &[a, b]) => pairs(a, b, &|x, y| x.wrapping_add(y) & mask),
            (&TermNode::Extract { lo, .. }, &[a]) => a.iter().map(|x| x >> lo & mask).collect(),
            _ => self.chosen.get(&term).cloned().unwrap_or_default(),
        }
    }

    /// What a constant means that a place holds; nothing if it is the address of an object that has no node.
    pub fn held(&self, bits: u64) -> Option<Held> {
        match classify(bits) {
            AddressClass::Object(object, offset) if self.threads.are_in(object) => self.threads.held(offset),
            AddressClass::Object(object, offset) => Some(Held::Address(*self.nodes.get(&object)?, offset)),
            _ => Some(Held::Bits(bits)),
        }
    }
}

fn position(known: &[(Term, Vec<u64>)], term: Term) -> Option<usize> {
    known.iter().position(|(of, _)| *of == term)
}

/// What a term is computed from, if that says which constants it may be.
fn parts(pool: &TermPool, term: Term) -> SmallVec<[Term; 2]> {
    match *pool.node(term) {
        TermNode::Ite(_, a, b) | TermNode::Concat(a, b) | TermNode::Binary(BinOp::Add, a, b) => {
            SmallVec::from_slice(&[a, b])
        }
        TermNode::Extract { arg, .. } => SmallVec::from_slice(&[arg]),
        _ => SmallVec::new(),
    }
}

impl Shape {
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

    /// What a place may hold, if that is one of a few constants.
    pub(super) fn choices_of(&self, place: Place) -> Option<Vec<Held>> {
        if let Some(choices) = self.choices.get(&place) {
            return Some(choices.clone());
        }
        self.held(place).filter(|(_, held)| !matches!(held, Held::Same(_))).map(|(_, held)| vec![held])
    }
}

/// What places may hold in either of two shapes, in terms of the nodes of their meet: `in_a` and `in_b` say where a place of it is in
/// each, `of_a` and `of_b` which node of it a heap object of each is.
pub(super) fn meet(
    (a, b): (&Shape, &Shape),
    places: impl Iterator<Item = Place>,
    in_a: impl Fn(Place) -> Option<Place>,
    in_b: impl Fn(Place) -> Option<Place>,
    of_a: impl Fn(u32) -> Option<u32>,
    of_b: impl Fn(u32) -> Option<u32>,
) -> Choices {
    let of = |place: Place| {
        let (left, right) = (a.choices_of(in_a(place)?)?, b.choices_of(in_b(place)?)?);
        let left = left.into_iter().map(|held| renamed(held, &of_a));
        let right = right.into_iter().map(|held| renamed(held, &of_b));
        let mut all: Vec<Held> = left.chain(right).collect::<Option<_>>()?;
        all.sort_unstable();
        all.dedup();
        let is_choice = (2..=MAX_CHOICES).contains(&all.len()) && all.iter().any(Held::points);
        is_choice.then_some((place, all))
    };
    places.filter_map(of).collect()
}

/// The same where nodes of the heap have other numbers.
fn renamed(held: Held, number: impl Fn(u32) -> Option<u32>) -> Option<Held> {
    match held {
        Held::Address(Node::Heap(object), offset) => Some(Held::Address(Node::Heap(number(object)?), offset)),
        other => Some(other),
    }
}

#[cfg(test)]
mod tests {
    use icsched_ir::{EntityId as _, GlobalId, ValueId};
    use icsched_pointsto::ObjectId as Abstract;

    use super::*;

    fn global(n: usize) -> Node {
        Node::Global(GlobalId::from_index(n))
    }

    fn cursor() -> (u32, u32, ValueId) {
        (0, 0, ValueId::from_index(3))
    }

    /// An array with the addresses of objects from the heap, and a register with one of something.
    fn with_cursor(objects: u32, held: Held) -> Shape {
        let address = |n: u32| ((global(0), 8 * u64::from(n)), (8, Held::Address(Node::Heap(n), 0)));
        Shape {
            words: (0..objects).map(address).collect(),
            registers: [(cursor(), (64, held))].into(),
            heap: vec![Abstract::from_index(7); objects as usize],
            ..Shape::default()
        }
    }

    fn choices(shape: &Shape) -> Option<&[Held]> {
        let (thread, depth, value) = cursor();
        shape.choices.get(&Place::Register(thread, depth, value)).map(Vec::as_slice)
    }

    #[test]
    fn handles_of_threads_that_live_are_choices() {
        let (table, stride) = (crate::memory::global_object(GlobalId::from_index(3)), 144);
        let slots = [(1, 2), (2, 1)].into_iter().collect();
        let addresses = Addresses { threads: Threads { table: Some((table, stride)), slots }, ..Addresses::default() };
        let mut pool = TermPool::new();
        let handle = |slot: u64| crate::memory::address(table, slot * stride);
        let condition = pool.symbol("c", 1);
        let (first, second, ended) =
            (pool.constant(64, handle(1)), pool.constant(64, handle(2)), pool.constant(64, handle(5)));
        let either = pool.ite(condition, first, second);
        let held = |thread| Held::Address(Node::Thread(thread), 0);
        assert_eq!(addresses.candidates(&pool, either), [(handle(1), held(2)), (handle(2), held(1))]);
        let or_ended = pool.ite(condition, first, ended);
        assert_eq!(addresses.candidates(&pool, or_ended), [(handle(1), held(2))], "no thread has that one");
    }

    #[test]
    fn what_two_shapes_say_is_one_of_what_each_says() {
        let variable = |n: usize| Held::Address(global(n), 4);
        let (first, second, third) = (variable(1), variable(2), Held::Bits(0));
        let two = with_cursor(0, first).meet(&with_cursor(0, second));
        assert_eq!(choices(&two), Some(&[first, second][..]));
        let three = two.meet(&with_cursor(0, third));
        assert_eq!(choices(&three), Some(&[third, first, second][..]));
        assert_eq!(three.meet(&two), three);
        assert_eq!(choices(&three.meet(&with_cursor(0, Held::Same(0)))), None);
        assert_eq!(choices(&with_cursor(0, third).meet(&with_cursor(0, Held::Bits(9)))), None);
        let many = (1..=MAX_CHOICES + 1).map(|n| with_cursor(0, variable(n)));
        assert_eq!(choices(&many.reduce(|a, b| a.meet(&b)).expect("there are some")), None);
    }

    #[test]
    fn functions_are_choices_and_numbers_are_not() {
        let function = |n: usize| Held::Bits(crate::memory::function_address(icsched_ir::FuncId::from_index(n)));
        let two = with_cursor(0, function(1)).meet(&with_cursor(0, function(2)));
        assert_eq!(choices(&two), Some(&[function(1), function(2)][..]));
        let numbers = with_cursor(0, Held::Bits(3)).meet(&with_cursor(0, Held::Bits(4)));
        assert_eq!(choices(&numbers), None);
    }

    #[test]
    fn objects_from_the_heap_are_those_of_the_meet() {
        let object = |n| Held::Address(Node::Heap(n), 0);
        let (thread, depth, value) = cursor();
        let mut chosen = with_cursor(3, Held::Same(0));
        chosen.choices.insert(Place::Register(thread, depth, value), vec![object(1), object(2)]);
        let mut reversed = chosen.clone();
        for (n, (_, held)) in (0..).zip(reversed.words.values_mut()) {
            *held = object(2 - n);
        }
        let met = chosen.meet(&reversed);
        assert_eq!(choices(&met), Some(&[object(0), object(1), object(2)][..]));
        // An object that is not in both is no choice.
        chosen.words.remove(&(global(0), 16));
        assert_eq!(choices(&chosen.canonical()), None);
    }
}

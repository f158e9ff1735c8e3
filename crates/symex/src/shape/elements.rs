//! What elements of a ring hold that were written last: an end mark in a queue. Facts that epochs hand on.
//!
//! A ring is an array that the program writes at an index which it then increases, modulo a constant, or a number in memory. Which
//! elements those before the index are nobody knows, but what they hold may be known: `slots[(last - 1) % 8] = -1` behind `put(-1)`. With
//! how far apart the two ends of the ring are ([equations](super::equations), [turns](super::turns)) it follows that who takes elements
//! out comes to the mark.

use std::collections::{BTreeMap, BTreeSet};

use icsched_ir::{BinOp, Const, Definition, Function, Op, Operand, Origin, Program};
use icsched_pointsto::PointsTo;
use icsched_smt::{BinOp as TermOp, CmpOp, Node as TermNode, Term, TermPool};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::differences::{Source, Sources};
use super::{Meet, Node, Place, Shape, moved};
use crate::memory::{AddressClass, UNKNOWN_SIZE, classify};

/// Most elements that a ring may have.
const MAX_LENGTH: u64 = 1 << 12;

/// How many elements before the index are looked at.
pub(super) const MAX_BACK: u64 = 4;

/// Rings that are looked at in one state.
pub(super) const MAX_RINGS: usize = 8;

/// Operations between an element and the array that it is in, and between numbers.
const MAX_STEPS: usize = 4;

/// Terms that are looked at for the constants that one may be.
const MAX_TERMS: usize = 256;

/// How many elements a ring has.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Length {
    /// A constant.
    Known(u64),
    /// What a place holds.
    At(Place),
}

impl Length {
    /// The place that holds it.
    pub const fn place(self) -> Option<Place> {
        match self {
            Self::Known(_) => None,
            Self::At(place) => Some(place),
        }
    }

    /// What it is as a number of so many bits, if a place that it is at holds a term.
    pub fn term(self, pool: &mut TermPool, width: u32, held: Option<Term>) -> Option<Term> {
        match self {
            Self::Known(length) => Some(pool.constant(width, length)),
            Self::At(_) => held.map(|held| match pool.width(held) {
                wider if wider > width => pool.extract(held, width - 1, 0),
                _ => pool.zext(held, width),
            }),
        }
    }

    pub(super) fn renamed(self, place: impl Fn(Place) -> Option<Place>) -> Option<Self> {
        match self {
            Self::Known(_) => Some(self),
            Self::At(at) => place(at).map(Self::At),
        }
    }
}

/// An element of a ring.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Element {
    /// The object that the ring is in.
    pub array: Node,
    /// Where its first element is.
    pub start: u64,
    /// Bytes from one element to the next.
    pub stride: u64,
    /// Bytes of it that are read and written: 4 or 8.
    pub size: u8,
    /// How many elements the ring has.
    pub length: Length,
    /// The number that is the index of the next element.
    pub index: Place,
    /// How many elements before that one it is.
    pub back: u64,
}

/// Constants that elements hold.
pub type Elements = BTreeMap<Element, u64>;

impl Element {
    /// The numbers that say which one it is.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<> {
        [Some(self.index), self.length.place()].into_iter().flatten()
    }

    /// Its offset in the object where the index is a term of 32 or 64 bits, and so is the length, if it is no constant.
    pub(crate) fn offset(&self, pool: &mut TermPool, index: Term, length: Option<Term>) -> Option<Term> {
        let width = pool.width(index);
        let at = match self.length {
            Length::Known(length) => {
                let (ahead, length) =
                    (pool.constant(width, length.checked_sub(self.back)?), pool.constant(width, length));
                let sum = pool.binary(TermOp::Add, index, ahead);
                pool.binary(TermOp::URem, sum, length)
            }
            Length::At(_) => {
                let (back, length) = (pool.constant(width, self.back), self.length.term(pool, width, length)?);
                let before = pool.binary(TermOp::Sub, index, back);
                let around = pool.binary(TermOp::Add, before, length);
                let is_around = pool.cmp(CmpOp::Ult, index, back);
                pool.ite(is_around, around, before)
            }
        };
        let at = pool.zext(at, 64);
        let (stride, start) = (pool.constant(64, self.stride), pool.constant(64, self.start));
        let offset = pool.binary(TermOp::Mul, at, stride);
        Some(pool.binary(TermOp::Add, offset, start))
    }

    /// Where the ring ends in its object, if that is known.
    fn end(&self) -> Option<u64> {
        let Length::Known(length) = self.length else { return None };
        let last = self.stride.checked_mul(length.checked_sub(1)?)?;
        self.start.checked_add(last)?.checked_add(self.size.into())
    }

    /// How many bytes it has in an object of so many, where there are at most so many elements if their number is no constant. Nothing if
    /// they may be outside of the object.
    pub fn bytes_of(&self, object: u64, most: Option<u64>) -> Option<u64> {
        let length = match self.length {
            Length::Known(length) => Some(length),
            Length::At(_) => most,
        };
        let end = length.and_then(|length| Self { length: Length::Known(length), ..*self }.end());
        let end = end.filter(|&end| end <= object);
        // Of an object of unknown size all bytes are its own.
        let is_open = object >= UNKNOWN_SIZE && self.length.place().is_some();
        end.or(is_open.then_some(object))?.checked_sub(self.start)
    }

    fn renamed(self, place: impl Fn(Place) -> Option<Place>) -> Option<Self> {
        let Some(Place::Memory(array, ..)) = place(Place::Memory(self.array, 0, 1)) else { return None };
        Some(Self { array, index: place(self.index)?, length: self.length.renamed(&place)?, ..self })
    }
}

/// How many elements a ring has, in any state: a constant, or what is at one of the program's places.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Count {
    Known(u64),
    At(Source, u8),
}

/// An array that the program writes at an index.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Ring {
    pub(super) index: (Source, u8),
    pub(super) array: Source,
    pub(super) stride: u64,
    size: u8,
    pub(super) length: Count,
}

/// The rings of a program.
#[derive(Clone, Default, Debug)]
pub struct Rings {
    pub(super) written: BTreeSet<Ring>,
    /// What else is known of those that are read.
    pub(super) taken: super::turns::Taken,
}

impl Rings {
    /// O(instructions of the program's functions).
    pub fn new(program: &Program, points_to: &PointsTo) -> Self {
        let mut lengths: BTreeMap<Source, BTreeSet<Count>> = BTreeMap::new();
        let mut stores: Vec<(Index, Option<Count>, Source, u64, u8)> = Vec::new();
        let mut taken = super::turns::Taken::default();
        for (id, function) in program.functions.iter().filter(|(_, f)| f.origin == Origin::Program) {
            let sources = Sources::new(points_to, id, function);
            for inst in function.blocks.iter().flat_map(|(_, block)| &block.insts) {
                match &inst.op {
                    Op::IntCompare { a, b, .. } => {
                        for (number, with) in [(*a, *b), (*b, *a)] {
                            let counts = counts(&sources, with);
                            for source in in_memory(&sources, number).into_iter().filter(|_| !counts.is_empty()) {
                                lengths.entry(source.0).or_default().extend(&counts);
                                taken.compared(source, &counts);
                            }
                        }
                    }
                    Op::Store { address, value, .. } => {
                        for source in sources.read_at(*address) {
                            let found = remainder(&sources, *value).into_iter().flat_map(|(_, lengths)| lengths);
                            lengths.entry(source).or_default().extend(found);
                        }
                        let bits = match value {
                            Operand::Value(value) => function.values[*value].ty.bits(),
                            Operand::Const(Const::Bits { ty, .. }) => ty.bits(),
                            Operand::Const(_) => 64,
                        };
                        stores.extend(indexed(&sources, *address, bits));
                    }
                    Op::Load { address, .. } => {
                        let bits = inst.results.first().map_or(0, |&result| function.values[result].ty.bits());
                        taken.reads.extend(
                            indexed(&sources, *address, bits)
                                .into_iter()
                                .map(|(index, _, array, stride, _)| (index, array, stride)),
                        );
                    }
                    _ => {}
                }
            }
        }
        let mut found = BTreeSet::new();
        for (index, length, array, stride, size) in stores {
            let known = lengths.get(&index.0).into_iter().flatten().copied();
            for length in length.map_or_else(|| known.collect(), |length| vec![length]) {
                found.insert(Ring { index, array, stride, size, length });
            }
        }
        // What is an index of the array itself is not how long it is.
        let mut indices: BTreeSet<(Source, Source)> = found.iter().map(|ring| (ring.array, ring.index.0)).collect();
        indices.extend(taken.reads.iter().map(|&((index, _), array, _)| (array, index)));
        found.retain(|ring| !matches!(ring.length, Count::At(at, _) if indices.contains(&(ring.array, at))));
        Self { written: found, taken }
    }

    /// The elements before the index of each ring in a shape, the last one first. Rings and indices are variables, or on the heap.
    pub(super) fn elements(&self, heap: &[icsched_pointsto::ObjectId]) -> Vec<Element> {
        let mut found = Vec::new();
        for ring in &self.written {
            let (index, width) = ring.index;
            for (of, at) in nodes(index, heap) {
                let arrays = nodes(ring.array, heap).into_iter();
                for (array, start) in arrays.filter(|&(array, _)| belong((ring.array, array), (index, of))) {
                    let index = Place::Memory(of, at, width / 8);
                    let Ring { stride, size, .. } = *ring;
                    for length in ring.length.places((ring.index.0, of), heap) {
                        found.push(Element { array, start, stride, size, length, index, back: 1 });
                    }
                }
            }
        }
        // There is a limit to how many are looked at.
        found.sort_by_key(|element| element.length.place().is_some());
        found
    }
}

impl Count {
    /// What it is in a shape, for an index in an object of it.
    pub(super) fn places(self, index: (Source, Node), heap: &[icsched_pointsto::ObjectId]) -> Vec<Length> {
        match self {
            Self::Known(length) => vec![Length::Known(length)],
            Self::At(source, width) => {
                let of_index = nodes(source, heap).into_iter().filter(|&(of, _)| belong((source, of), index));
                of_index.map(|(of, at)| Length::At(Place::Memory(of, at, width / 8))).collect()
            }
        }
    }
}

/// The objects in a shape that a source is in, and where. Of local variables none.
pub(super) fn nodes(source: Source, heap: &[icsched_pointsto::ObjectId]) -> Vec<(Node, u64)> {
    match source {
        Source::Global(global, at) => vec![(Node::Global(global), at)],
        Source::Heap(site, at) => {
            let objects = (0..).zip(heap).filter(|(_, of)| **of == site);
            objects.map(|(number, _)| (Node::Heap(number), at)).collect()
        }
        Source::Register(..) | Source::ThreadLocal(..) | Source::Local(..) => Vec::new(),
    }
}

/// Whether places in two objects may be meant by one operation: in the same one, if they were allocated at the same place.
pub(super) fn belong((a, of_a): (Source, Node), (b, of_b): (Source, Node)) -> bool {
    !matches!((a, b), (Source::Heap(x, _), Source::Heap(y, _)) if x == y) || of_a == of_b
}

/// A number that is an index, and its width.
type Index = (Source, u8);

fn constant(operand: Operand) -> Option<u64> {
    match operand {
        Operand::Const(Const::Bits { bits, .. }) => Some(bits),
        _ => None,
    }
}

/// What defines an operand.
fn definition<'f>(sources: &Sources<'f>, operand: Operand) -> Option<&'f Op> {
    let function: &'f Function = sources.function;
    match operand {
        Operand::Value(value) => match sources.definitions.of(value)? {
            Definition::Inst(block, at) => Some(&function.blocks[block].insts[at].op),
            _ => None,
        },
        _ => None,
    }
}

/// What an operand is, or is the sum of with constants, where that is read from variables, or from objects on the heap.
fn in_memory(sources: &Sources<'_>, operand: Operand) -> Vec<(Source, u8)> {
    let of_all = sources.of(operand).into_iter();
    of_all.filter(|(source, _)| matches!(source, Source::Global(..) | Source::Heap(..))).collect()
}

/// How many elements a ring has if an operand says so.
fn counts(sources: &Sources<'_>, operand: Operand) -> Vec<Count> {
    match operand {
        Operand::Const(Const::Bits { bits, .. }) if (2..=MAX_LENGTH).contains(&bits) => vec![Count::Known(bits)],
        Operand::Const(_) => Vec::new(),
        Operand::Value(_) => {
            in_memory(sources, operand).into_iter().map(|(source, width)| Count::At(source, width)).collect()
        }
    }
}

/// What an operand is the remainder of, and by what.
fn remainder(sources: &Sources<'_>, operand: Operand) -> Option<(Operand, Vec<Count>)> {
    let mut next = operand;
    for _ in 0..MAX_STEPS {
        match definition(sources, next)? {
            Op::Cast { a, .. } => next = *a,
            Op::Binary { op: BinOp::URem | BinOp::SRem, a, b, .. } => {
                return Some((*a, counts(sources, *b))).filter(|(_, lengths)| !lengths.is_empty());
            }
            Op::Binary { op: BinOp::And, a, b, .. } => {
                let mask = constant(*b).filter(|mask| mask.count_ones() == mask.trailing_ones())?;
                let length = mask.checked_add(1).filter(|length| (2..=MAX_LENGTH).contains(length))?;
                return Some((*a, vec![Count::Known(length)]));
            }
            _ => return None,
        }
    }
    None
}

/// The elements that are at an address, of so many bits, if they are of a ring: index, its length if the index shows it, array, stride, and
/// bytes.
fn indexed(sources: &Sources<'_>, address: Operand, bits: u32) -> Vec<(Index, Option<Count>, Source, u64, u8)> {
    let Some(size) = u8::try_from(bits / 8).ok().filter(|size| matches!(size, 4 | 8)) else { return Vec::new() };
    let (mut next, mut offset) = (address, 0_u64);
    for _ in 0..MAX_STEPS {
        let Some(Op::Address { base, offset: by, indices }) = definition(sources, next) else { break };
        let Some(behind) = offset.checked_add_signed(*by) else { return Vec::new() };
        offset = behind;
        next = *base;
        let [index] = indices.as_slice() else { continue };
        let Ok(stride) = u64::try_from(index.scale) else { break };
        let (number, lengths) = match remainder(sources, index.index) {
            Some((of, lengths)) => (of, lengths.into_iter().map(Some).collect()),
            None => (index.index, vec![None]),
        };
        let mut found = Vec::new();
        for array in sources.read_at(next) {
            let array = match array {
                Source::Global(global, at) => at.checked_add(offset).map(|at| Source::Global(global, at)),
                Source::Heap(site, at) => at.checked_add(offset).map(|at| Source::Heap(site, at)),
                Source::Register(..) | Source::ThreadLocal(..) | Source::Local(..) => None,
            };
            let Some(array) = array else { continue };
            for index in sources.of(number) {
                found.extend(lengths.iter().map(|&length| (index, length, array, stride, size)));
            }
        }
        return found;
    }
    Vec::new()
}

/// Numbers that a term may be: those that it chooses between, and those that it, or a term that it chooses, is known to be equal to.
/// Addresses are none: objects have others in the next epoch.
pub fn constants(pool: &TermPool, term: Term, equal: &[(Term, Term)]) -> Vec<u64> {
    let (mut found, mut seen, mut work) = (BTreeSet::new(), FxHashSet::default(), vec![term]);
    while let Some(next) = work.pop() {
        if !seen.insert(next) || seen.len() > MAX_TERMS {
            continue;
        }
        match *pool.node(next) {
            TermNode::Ite(_, a, b) => work.extend([a, b]),
            // A choice between constants, as simplified: -1 or 0, 1 or 0.
            TermNode::SExt { arg, .. } if pool.width(arg) == 1 => {
                found.extend([0, u64::MAX.checked_shr(64_u32.saturating_sub(pool.width(next))).unwrap_or_default()]);
            }
            TermNode::ZExt { arg, .. } if pool.width(arg) == 1 => found.extend([0, 1]),
            _ => {}
        }
        let same = equal.iter().filter_map(|&(a, b)| match next {
            _ if a == next => Some(b),
            _ if b == next => Some(a),
            _ => None,
        });
        found.extend(same.chain([next]).filter_map(|term| pool.as_const(term)));
    }
    found.into_iter().filter(|&bits| !is_address(bits)).collect()
}

pub(super) fn is_address(bits: u64) -> bool {
    matches!(classify(bits), AddressClass::Object(..))
}

impl Shape {
    /// What its elements hold where places have other names.
    pub(super) fn elements_renamed(&self, name: impl Fn(Place) -> Option<Place>) -> Elements {
        self.elements.iter().filter_map(|(element, &held)| Some((element.renamed(&name)?, held))).collect()
    }
}

impl Meet<'_> {
    /// Which elements hold the same in both.
    pub(super) fn elements(&mut self) {
        let mut in_a = self.a.elements_renamed(|place| moved(place, |n| self.of_a.get(&n).copied()));
        let in_b = self.b.elements_renamed(|place| moved(place, |n| self.of_b.get(&n).copied()));
        in_a.retain(|element, held| in_b.get(element) == Some(held));
        self.found.elements = in_a;
    }
}

#[cfg(test)]
mod tests {
    use icsched_ir::{EntityId as _, GlobalId};
    use icsched_smt::BinOp;

    use super::*;

    #[test]
    fn elements_before_an_index_are_found_around_the_ring() {
        let mut pool = TermPool::new();
        let array = Node::Global(GlobalId::from_index(0));
        let index = Place::Memory(array, 0, 4);
        let of = |length, back| Element { array, start: 16, stride: 4, size: 4, length, index, back };
        let at = |n: u64| 16 + 4 * n;
        for length in [Length::Known(10), Length::At(index)] {
            for (index, back, expected) in [(3, 1, 2), (0, 1, 9), (1, 3, 8), (9, 4, 5)] {
                let (index, ten) = (pool.constant(32, index), pool.constant(32, 10));
                let offset = of(length, back).offset(&mut pool, index, Some(ten)).expect("there is a length");
                assert_eq!(pool.as_const(offset), Some(at(expected)));
            }
        }
        let ten = pool.constant(32, 10);
        assert!(of(Length::At(index), 1).offset(&mut pool, ten, None).is_none());
        assert_eq!(of(Length::Known(10), 1).bytes_of(56, None), Some(40));
        assert_eq!(of(Length::Known(10), 1).bytes_of(55, None), None);
        assert_eq!(of(Length::At(index), 1).bytes_of(60, Some(10)), Some(40));
        assert_eq!(of(Length::At(index), 1).bytes_of(60, Some(1000)), None, "it may end outside of its object");
        assert_eq!(of(Length::At(index), 1).bytes_of(60, None), None);
        assert_eq!(of(Length::At(index), 1).bytes_of(UNKNOWN_SIZE, None), Some(UNKNOWN_SIZE - 16));
    }

    #[test]
    fn a_choice_between_two_numbers_may_be_either() {
        let mut pool = TermPool::new();
        let (x, y) = (pool.symbol("x", 32), pool.symbol("y", 32));
        let same = pool.cmp(CmpOp::Eq, x, y);
        let (wide, narrow) = (pool.sext(same, 32), pool.zext(same, 32));
        assert_eq!(constants(&pool, wide, &[]), [0, u32::MAX.into()]);
        assert_eq!(constants(&pool, narrow, &[]), [0, 1]);
        let sum = pool.binary(BinOp::Add, x, y);
        assert!(constants(&pool, sum, &[]).is_empty());
    }
}

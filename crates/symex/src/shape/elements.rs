//! What elements of a ring hold that were written last: an end mark in a queue. Facts that epochs hand on.
//!
//! A ring is an array that the program writes at an index which it then increases, modulo a constant. Which elements those before the
//! index are nobody knows, but what they hold may be known: `slots[(last - 1) % 8] = -1` behind `put(-1)`. With how far apart the two
//! ends of the ring are ([equations](super::equations)) it follows that who takes elements out comes to the mark.

use std::collections::{BTreeMap, BTreeSet};

use icsched_ir::{BinOp, Const, Definition, Function, Op, Operand, Origin, Program};
use icsched_pointsto::PointsTo;
use icsched_smt::{BinOp as TermOp, Node as TermNode, Term, TermPool};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::differences::{Source, Sources};
use super::{Meet, Node, Place, Shape, moved};
use crate::memory::{AddressClass, classify};

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
    pub length: u64,
    /// The number that is the index of the next element.
    pub index: Place,
    /// How many elements before that one it is.
    pub back: u64,
}

/// Constants that elements hold.
pub type Elements = BTreeMap<Element, u64>;

impl Element {
    /// Its offset in the object where the index is a term of 32 or 64 bits.
    pub(crate) fn offset(&self, pool: &mut TermPool, index: Term) -> Term {
        let width = pool.width(index);
        let (ahead, length) = (pool.constant(width, self.length - self.back), pool.constant(width, self.length));
        let sum = pool.binary(TermOp::Add, index, ahead);
        let at = pool.binary(TermOp::URem, sum, length);
        let at = pool.zext(at, 64);
        let (stride, start) = (pool.constant(64, self.stride), pool.constant(64, self.start));
        let offset = pool.binary(TermOp::Mul, at, stride);
        pool.binary(TermOp::Add, offset, start)
    }

    /// Where the ring ends in its object.
    pub(super) fn end(&self) -> Option<u64> {
        let last = self.stride.checked_mul(self.length.checked_sub(1)?)?;
        self.start.checked_add(last)?.checked_add(self.size.into())
    }

    fn renamed(self, place: impl Fn(Place) -> Option<Place>) -> Option<Self> {
        let Some(Place::Memory(array, ..)) = place(Place::Memory(self.array, 0, 1)) else { return None };
        Some(Self { array, index: place(self.index)?, ..self })
    }
}

/// An array that the program writes at an index.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Ring {
    index: (Source, u8),
    array: Source,
    stride: u64,
    size: u8,
    length: u64,
}

/// The rings of a program.
#[derive(Clone, Default, Debug)]
pub struct Rings(BTreeSet<Ring>);

impl Rings {
    /// O(instructions of the program's functions).
    pub fn new(program: &Program, points_to: &PointsTo) -> Self {
        let mut lengths: BTreeMap<Source, BTreeSet<u64>> = BTreeMap::new();
        let mut stores: Vec<(Index, Option<u64>, Source, u64, u8)> = Vec::new();
        for (id, function) in program.functions.iter().filter(|(_, f)| f.origin == Origin::Program) {
            let sources = Sources::new(points_to, id, function);
            for inst in function.blocks.iter().flat_map(|(_, block)| &block.insts) {
                match &inst.op {
                    Op::IntCompare { a, b, .. } => {
                        for (number, with) in [(*a, constant(*b)), (*b, constant(*a))] {
                            let Some(with) = with.filter(|n| (2..=MAX_LENGTH).contains(n)) else { continue };
                            for (source, _) in sources.of(number) {
                                lengths.entry(source).or_default().insert(with);
                            }
                        }
                    }
                    Op::Store { address, value, .. } => {
                        if let Some((_, length)) = remainder(&sources, *value) {
                            for source in sources.read_at(*address) {
                                lengths.entry(source).or_default().insert(length);
                            }
                        }
                        stores.extend(written(&sources, *address, *value));
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
        Self(found)
    }

    /// The elements before the index of each ring in a shape, the last one first. Rings and indices are variables, or on the heap.
    pub(super) fn elements(&self, heap: &[icsched_pointsto::ObjectId]) -> Vec<Element> {
        let nodes = |source: Source| -> Vec<(Node, u64)> {
            match source {
                Source::Global(global, at) => vec![(Node::Global(global), at)],
                Source::Heap(site, at) => {
                    let objects = (0..).zip(heap).filter(|(_, of)| **of == site);
                    objects.map(|(number, _)| (Node::Heap(number), at)).collect()
                }
                Source::Register(..) | Source::Local(..) => Vec::new(),
            }
        };
        let mut found = Vec::new();
        for ring in &self.0 {
            let (index, width) = ring.index;
            let is_same = matches!((index, ring.array), (Source::Heap(x, _), Source::Heap(y, _)) if x == y);
            for (of, at) in nodes(index) {
                for (array, start) in nodes(ring.array).into_iter().filter(|&(array, _)| !is_same || array == of) {
                    let index = Place::Memory(of, at, width / 8);
                    let Ring { stride, size, length, .. } = *ring;
                    found.push(Element { array, start, stride, size, length, index, back: 1 });
                }
            }
        }
        found
    }
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

/// What an operand is the remainder of, and by which constant.
fn remainder(sources: &Sources<'_>, operand: Operand) -> Option<(Operand, u64)> {
    let mut next = operand;
    for _ in 0..MAX_STEPS {
        match definition(sources, next)? {
            Op::Cast { a, .. } => next = *a,
            Op::Binary { op: BinOp::URem | BinOp::SRem, a, b, .. } => {
                return constant(*b).filter(|n| (2..=MAX_LENGTH).contains(n)).map(|length| (*a, length));
            }
            Op::Binary { op: BinOp::And, a, b, .. } => {
                let mask = constant(*b).filter(|mask| mask.count_ones() == mask.trailing_ones())?;
                return Some((*a, mask + 1)).filter(|(_, length)| (2..=MAX_LENGTH).contains(length));
            }
            _ => return None,
        }
    }
    None
}

/// The elements that a store writes, if they are of a ring: index, its length if the index shows it, array, stride, and bytes written.
fn written(sources: &Sources<'_>, address: Operand, value: Operand) -> Vec<(Index, Option<u64>, Source, u64, u8)> {
    let bits = match value {
        Operand::Value(value) => sources.function.values[value].ty.bits(),
        Operand::Const(Const::Bits { ty, .. }) => ty.bits(),
        Operand::Const(_) => 64,
    };
    let Some(size) = u8::try_from(bits / 8).ok().filter(|size| matches!(size, 4 | 8)) else { return Vec::new() };
    let (mut next, mut offset) = (address, 0_u64);
    for _ in 0..MAX_STEPS {
        let Some(Op::Address { base, offset: by, indices }) = definition(sources, next) else { break };
        let Some(behind) = offset.checked_add_signed(*by) else { return Vec::new() };
        offset = behind;
        next = *base;
        let [index] = indices.as_slice() else { continue };
        let Ok(stride) = u64::try_from(index.scale) else { break };
        let (number, length) = match remainder(sources, index.index) {
            Some((of, length)) => (of, Some(length)),
            None => (index.index, None),
        };
        let mut found = Vec::new();
        for array in sources.read_at(next) {
            let array = match array {
                Source::Global(global, at) => at.checked_add(offset).map(|at| Source::Global(global, at)),
                Source::Heap(site, at) => at.checked_add(offset).map(|at| Source::Heap(site, at)),
                Source::Register(..) | Source::Local(..) => None,
            };
            let Some(array) = array else { continue };
            found.extend(sources.of(number).into_iter().map(|index| (index, length, array, stride, size)));
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
        if let TermNode::Ite(_, a, b) = *pool.node(next) {
            work.extend([a, b]);
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

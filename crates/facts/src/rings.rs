//! The rings of a program: arrays that it writes at an index which it then increases, modulo their length.

use std::collections::{BTreeMap, BTreeSet};

use icsched_ir::{BinOp, Const, Definition, Function, Op, Operand, Origin, Program};
use icsched_pointsto::{ObjectId as Abstract, PointsTo};

use crate::budgets::BUDGETS;
use crate::element::{Element, Length};
use crate::place::{Node, Place};
use crate::ring_offset::RingOffset;
use crate::sources::{Source, Sources};

/// How many elements a ring has, in any state: a constant, or what is at one of the program's places.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Count {
    Known(u64),
    At(Source, u8),
}

/// An array that the program writes at an index.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Ring {
    index: (Source, u8),
    array: Source,
    stride: u64,
    size: u8,
    length: Count,
}

/// The rings of a program.
#[derive(Clone, Default, Debug)]
pub struct Rings {
    written: BTreeSet<Ring>,
    /// What else is known of those that are read.
    taken: Taken,
}

impl Rings {
    /// O(instructions of the program's functions).
    pub fn new(program: &Program, points_to: &PointsTo) -> Self {
        let mut lengths: BTreeMap<Source, BTreeSet<Count>> = BTreeMap::new();
        let mut stores: Vec<(Index, Option<Count>, Source, u64, u8)> = Vec::new();
        let mut taken = Taken::default();
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

    /// The elements before the index of each ring in a shape, the last one first. Rings and indices are variables, or
    /// on the heap.
    pub(crate) fn elements(&self, heap: &[Abstract]) -> Vec<Element> {
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
    fn places(self, index: (Source, Node), heap: &[Abstract]) -> Vec<Length> {
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
fn nodes(source: Source, heap: &[Abstract]) -> Vec<(Node, u64)> {
    match source {
        Source::Global(global, at) => vec![(Node::Global(global), at)],
        Source::Heap(site, at) => {
            let objects = (0..).zip(heap).filter(|(_, of)| **of == site);
            objects.map(|(number, _)| (Node::Heap(number), at)).collect()
        }
        Source::Register(..) | Source::ThreadLocal(..) | Source::Local(..) => Vec::new(),
    }
}

/// Whether places in two objects may be meant by one operation: in the same one, if they were allocated at the same
/// place.
fn belong((a, of_a): (Source, Node), (b, of_b): (Source, Node)) -> bool {
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
        Operand::Const(Const::Bits { bits, .. }) if (2..=BUDGETS.ring_length).contains(&bits) => {
            vec![Count::Known(bits)]
        }
        Operand::Const(_) => Vec::new(),
        Operand::Value(_) => {
            in_memory(sources, operand).into_iter().map(|(source, width)| Count::At(source, width)).collect()
        }
    }
}

/// What an operand is the remainder of, and by what.
fn remainder(sources: &Sources<'_>, operand: Operand) -> Option<(Operand, Vec<Count>)> {
    let mut next = operand;
    for _ in 0..BUDGETS.address_steps {
        match definition(sources, next)? {
            Op::Cast { a, .. } => next = *a,
            Op::Binary { op: BinOp::URem | BinOp::SRem, a, b, .. } => {
                return Some((*a, counts(sources, *b))).filter(|(_, lengths)| !lengths.is_empty());
            }
            Op::Binary { op: BinOp::And, a, b, .. } => {
                let mask = constant(*b).filter(|mask| mask.count_ones() == mask.trailing_ones())?;
                let length = mask.checked_add(1).filter(|length| (2..=BUDGETS.ring_length).contains(length))?;
                return Some((*a, vec![Count::Known(length)]));
            }
            _ => return None,
        }
    }
    None
}

/// The elements that are at an address, of so many bits, if they are of a ring: index, its length if the index shows
/// it, array, stride, and bytes.
fn indexed(sources: &Sources<'_>, address: Operand, bits: u32) -> Vec<(Index, Option<Count>, Source, u64, u8)> {
    let Some(size) = u8::try_from(bits / 8).ok().filter(|size| matches!(size, 4 | 8)) else { return Vec::new() };
    let (mut next, mut offset) = (address, 0_u64);
    for _ in 0..BUDGETS.address_steps {
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

/// Where elements of arrays are read, and what is compared with lengths.
#[derive(Clone, Default, Debug)]
struct Taken {
    /// Index, array, and bytes from one element to the next.
    reads: BTreeSet<((Source, u8), Source, u64)>,
    counts: BTreeSet<((Source, u8), Count)>,
}

impl Taken {
    /// Notes that a number is compared with some that may be lengths.
    fn compared(&mut self, number: (Source, u8), with: &[Count]) {
        self.counts.extend(with.iter().map(|&count| (number, count)));
    }
}

impl Rings {
    /// The offsets of rings in a shape of which something may be known. Rings and indices are variables, or on the
    /// heap.
    pub(crate) fn offsets(&self, heap: &[Abstract]) -> Vec<RingOffset> {
        let mut found = BTreeSet::new();
        for ring in &self.written {
            // Else there is an equation.
            if matches!(ring.length, Count::Known(length) if length.is_power_of_two()) {
                continue;
            }
            let (first, _) = ring.index;
            let of_ring = |array: Source, stride: u64| array == ring.array && stride == ring.stride;
            let seconds = self.taken.reads.iter().filter(|&&(_, array, stride)| of_ring(array, stride));
            let seconds: BTreeSet<(Source, u8)> =
                seconds.map(|&(index, ..)| index).filter(|&(index, _)| index != first).collect();
            let is_index = |at: Source| at == first || seconds.iter().any(|&(second, _)| second == at);
            let counts = self.taken.counts.iter().filter(|&&((at, _), with)| with == ring.length && !is_index(at));
            let counts: BTreeSet<(Source, u8)> = counts.map(|&(number, _)| number).collect();
            for (of, at) in nodes(first, heap) {
                let index = (first, of);
                let near = |&number: &(Source, u8)| places(number, index, heap);
                let first = Place::Memory(of, at, ring.index.1 / 8);
                let counts: Vec<Option<Place>> = counts.iter().flat_map(near).map(Some).chain([None]).collect();
                for second in seconds.iter().flat_map(near) {
                    for length in ring.length.places(index, heap) {
                        found.extend(counts.iter().map(|&count| RingOffset { first, second, count, length }));
                    }
                }
            }
        }
        found.into_iter().take(BUDGETS.ring_offsets).collect()
    }
}

/// The places of a number that may go with an index in an object.
fn places((source, width): (Source, u8), index: (Source, Node), heap: &[Abstract]) -> Vec<Place> {
    let all = nodes(source, heap).into_iter().filter(|&(of, _)| belong((source, of), index));
    all.map(|(of, at)| Place::Memory(of, at, width / 8)).collect()
}

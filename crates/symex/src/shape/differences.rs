//! How far apart numbers are that the program compares: difference constraints, as facts that epochs hand on (zones; Miné, A new
//! numerical abstract domain based on difference-bound matrices, 2001). Here only of places that the program compares with each other, or
//! subtracts from each other, and not closed: what follows from several of them, the solver finds where the next epoch begins.
//!
//! A difference wraps as machine words do, and its bounds are those of a signed number of their width. So `next - total <= -1` says
//! that the two are not equal, whatever they are, and stays true when `next` is increased while it is not one less than `total`. Of numbers
//! that the program compares it may be known only that they are not the same: their difference is [any but 0](Bounds::nonzero).

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use icsched_ir::{
    BinOp, Callee, CastOp, Const, Definition, Definitions, FuncId, Function, GlobalId, Inst, Intrinsic, Op, Operand,
    Origin, Program, ValueId, activations,
};
use icsched_pointsto::{Location, ObjectId as Abstract, ObjectKind as AbstractKind, Offsets, PointsTo};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::bounds::Bounds;
use super::combinations::MAX_VALUES;
use super::{Activations, Held, Meet, Node, Place, Shape, moved};

/// Operations that a number which is compared is computed by.
const MAX_STEPS: usize = 8;

/// Locations that a number is read from.
const MAX_LOCATIONS: usize = 16;

/// Semaphores in an array, and in all, that are looked at.
const MAX_SEMAPHORES: usize = 16;

/// Elements of an array whose numbers are told apart.
const MAX_ELEMENTS: usize = 64;

/// `ICS_COUNTS_PERMITS` of `ics.h`.
const COUNTS_PERMITS: u64 = 3;

/// `ICS_COUNTS_HOLDS` of `ics.h`.
const COUNTS_HOLDS: u64 = 9;

/// Pairs of places that are looked at in one state.
const MAX_PAIRS: usize = 96;

/// Pairs of addresses that are looked at for whether they differ.
const MAX_DISTINCT: usize = 16;

/// And of those that it divides.
const MAX_DIVIDED: usize = 8;

/// Where a number is that the program compares with another one.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Source {
    Register(FuncId, ValueId),
    Global(GlobalId, u64),
    /// Each thread's.
    ThreadLocal(GlobalId, u64),
    Local(FuncId, ValueId, u64),
    Heap(Abstract, u64),
}

impl Source {
    /// The function that it is a number of the activations of.
    const fn func(self) -> Option<FuncId> {
        match self {
            Self::Register(func, _) | Self::Local(func, ..) => Some(func),
            Self::Global(..) | Self::ThreadLocal(..) | Self::Heap(..) => None,
        }
    }
}

/// What is done with two numbers, the more telling the greater.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Use {
    /// The greater of them is taken, or the smaller.
    Chosen,
    Subtracted,
    Compared,
}

/// Two numbers and their widths. If these differ, the second one has 32 bits and is extended with its sign.
type Pair = (Source, Source, (u8, u8));

/// The numbers that the program compares, or subtracts from each other.
#[derive(Clone, Default, Debug)]
pub struct Compared {
    /// Those that it compares with each other, or subtracts.
    pairs: BTreeMap<Pair, Use>,
    /// Those that it divides by each other for what remains.
    divided: BTreeSet<(Source, Source, u8)>,
    /// All, those that they are multiples of, and those of which it takes remainders.
    numbers: BTreeSet<(Source, u8)>,
    /// Those that it divides by small constants, for what remains.
    remainders: BTreeSet<(Source, u8, u8)>,
    /// What semaphores count.
    permits: BTreeSet<Source>,
}

impl Compared {
    /// O(instructions of the program's functions + calls of each that compares numbers that it is handed * pairs of these).
    pub fn new(program: &Program, points_to: &PointsTo) -> Self {
        let (mut this, mut work) = (Self::default(), Vec::new());
        let functions = program.functions.iter().filter(|(_, f)| f.origin == Origin::Program);
        let all: BTreeMap<FuncId, Sources<'_>> =
            functions.map(|(id, function)| (id, Sources::new(points_to, id, function))).collect();
        let mut calls: BTreeMap<FuncId, Vec<(FuncId, &[Operand])>> = BTreeMap::new();
        for (&id, of_function) in &all {
            for inst in of_function.function.blocks.iter().flat_map(|(_, block)| &block.insts) {
                this.remainders.extend(of_function.remainders(inst));
                match &inst.op {
                    Op::Binary { op: BinOp::URem | BinOp::SRem | BinOp::And, a, b: Operand::Const(_), .. } => {
                        this.numbers.extend(of_function.of(*a));
                    }
                    // What it is the remainder of stays below that.
                    Op::Binary { op: BinOp::URem | BinOp::SRem, a, b, .. } => {
                        this.add_remainder(of_function, *a, *b);
                    }
                    Op::IntCompare { a, b, .. }
                    | Op::Binary {
                        op: BinOp::Sub | BinOp::UMin | BinOp::UMax | BinOp::SMin | BinOp::SMax, a, b, ..
                    } => {
                        let used = match inst.op {
                            Op::Binary { op: BinOp::Sub, .. } => Use::Subtracted,
                            Op::Binary { .. } => Use::Chosen,
                            _ => Use::Compared,
                        };
                        this.numbers.extend([*a, *b].into_iter().flat_map(|of| of_function.multiplied(of)));
                        work.extend(this.add(of_function, (*a, *b), used));
                    }
                    Op::Call { callee: Callee::Direct(callee), args } => {
                        calls.entry(*callee).or_default().push((id, args));
                    }
                    _ => {}
                }
            }
        }
        // What is compared in a function that two numbers are handed to.
        while let Some((first, second, widths)) = work.pop() {
            let (Source::Register(func, a), Source::Register(same, b)) = (first, second) else { continue };
            let params = &program.functions[func].params;
            let position = |value: ValueId| params.iter().position(|&param| param == value);
            let (Some(a), Some(b)) = (position(a), position(b)) else { continue };
            debug_assert_eq!(func, same, "they are compared in one function");
            let used = this.pairs[&(first, second, widths)];
            for (caller, args) in calls.get(&func).into_iter().flatten() {
                if let (Some(&a), Some(&b)) = (args.get(a), args.get(b)) {
                    work.extend(this.add(&all[caller], (a, b), used));
                }
            }
        }
        this.permits = counted(program, points_to, COUNTS_PERMITS);
        let holds = counted(program, points_to, COUNTS_HOLDS);
        this.numbers.extend(this.permits.iter().chain(&holds).map(|&source| (source, 32)));
        let counters = activations::counters(program).into_values();
        this.numbers.extend(counters.map(|counter| (Source::ThreadLocal(counter, 0), 32)));
        this
    }

    /// Notes numbers in memory of which remainders are taken, and the divisors.
    fn add_remainder(&mut self, of: &Sources<'_>, number: Operand, divisor: Operand) {
        let is_in_memory = |(source, _): &(Source, u8)| !matches!(source, Source::Register(..));
        for (first, width) in of.of(number).into_iter().filter(is_in_memory) {
            for (second, _) in of.of(divisor).into_iter().filter(is_in_memory).filter(|&(_, other)| other == width) {
                self.divided.insert((first, second, width));
            }
        }
    }

    /// Notes the pairs that two operands make; returns those of which that says something new. Optimisers make counters of loops as wide as addresses, and
    /// extend what is in memory each time that it is read.
    fn add(&mut self, of: &Sources<'_>, (a, b): (Operand, Operand), used: Use) -> Vec<Pair> {
        let mut new = Vec::new();
        let is_in_memory = |source: Source| !matches!(source, Source::Register(..));
        for (first, width) in of.of(a) {
            for (second, other) in of.of(b) {
                let mut pair = match width.cmp(&other) {
                    _ if first == second => continue,
                    Ordering::Equal => (first, second, (width, width)),
                    Ordering::Greater if used == Use::Compared && is_in_memory(second) => {
                        (first, second, (width, other))
                    }
                    Ordering::Less if used == Use::Compared && is_in_memory(first) => (second, first, (other, width)),
                    Ordering::Greater | Ordering::Less => continue,
                };
                let turned = (pair.1, pair.0, pair.2);
                if width == other && self.pairs.contains_key(&turned) {
                    pair = turned;
                }
                let known = self.pairs.get(&pair).copied();
                if known.is_none_or(|known| known < used) {
                    self.pairs.insert(pair, used);
                    new.push(pair);
                }
            }
        }
        new
    }

    pub(super) const fn numbers(&self) -> &BTreeSet<(Source, u8)> {
        &self.numbers
    }

    /// The places in a shape where semaphores count. `activations` as for [`Self::pairs`].
    pub fn permits(&self, shape: &Shape, activations: &Activations) -> BTreeSet<Place> {
        self.permits.iter().flat_map(|&source| places(source, 32, shape, activations)).collect()
    }

    /// The places in a shape of whose numbers the program takes remainders, with their widths and the divisors. `activations` as for
    /// [`Self::pairs`].
    pub fn remainders(&self, shape: &Shape, activations: &Activations) -> BTreeSet<(Place, u8, u8)> {
        let of = |&(source, width, divisor): &(Source, u8, u8)| {
            places(source, width, shape, activations).map(move |place| (place, width, divisor))
        };
        self.remainders.iter().flat_map(of).collect()
    }

    /// The pairs of places in a shape that the program divides by each other for what remains, which may be what the first one holds then.
    /// `activations` as for [`Self::pairs`].
    pub fn divided(&self, shape: &Shape, activations: &Activations) -> Vec<(Place, Place)> {
        let mut found = BTreeSet::new();
        for &(first, second, width) in &self.divided {
            for a in places(first, width, shape, activations) {
                let all = places(second, width, shape, activations);
                found.extend(all.filter(|&b| a != b && belong(first, a, second, b)).map(|b| (a, b)));
            }
        }
        found.into_iter().take(MAX_DIVIDED).collect()
    }

    /// The pairs of places in a shape of which `function` says what runs as each thread's activation at a depth; with whether they are
    /// compared. If there are many, those are left out first of which the greater or the smaller is taken: lanes of vectors, in which the maximum of a table is found.
    pub fn pairs(&self, shape: &Shape, activations: &Activations) -> Vec<((Place, Place), bool)> {
        let mut all = Vec::new();
        for is_chosen in [false, true] {
            let mut found = BTreeMap::new();
            let pairs = self.pairs.iter().filter(|(_, used)| (**used == Use::Chosen) == is_chosen);
            for (&(first, second, widths), &used) in pairs {
                for a in places(first, widths.0, shape, activations) {
                    let others = places(second, widths.1, shape, activations);
                    for b in others.filter(|&b| a != b && belong(first, a, second, b)) {
                        let pair = if found.contains_key(&(b, a)) { (b, a) } else { (a, b) };
                        *found.entry(pair).or_insert(false) |= used != Use::Subtracted;
                    }
                }
                if found.len() >= MAX_PAIRS {
                    break;
                }
            }
            let is_known = |&(a, b): &(Place, Place)| all.iter().any(|&(pair, _)| pair == (a, b) || pair == (b, a));
            let new: Vec<((Place, Place), bool)> = found.into_iter().filter(|(pair, _)| !is_known(pair)).collect();
            all.extend(new);
        }
        all.truncate(MAX_PAIRS);
        all
    }
}

/// What semaphores or recursive mutexes count, in arrays the first of them. O(instructions of the models).
fn counted(program: &Program, points_to: &PointsTo, what: u64) -> BTreeSet<Source> {
    let mut found = BTreeSet::new();
    for (id, function) in program.functions.iter().filter(|(_, f)| f.origin != Origin::Program) {
        for inst in function.blocks.iter().flat_map(|(_, block)| &block.insts) {
            let Op::Call { callee: Callee::Intrinsic(Intrinsic::Known), args } = &inst.op else { continue };
            if let [Operand::Const(Const::Bits { bits, .. }), word, _] = args[..]
                && bits == what
            {
                let info = points_to.pointer_info(id, word);
                let of = |l: &Location| sources_at(points_to, l, MAX_SEMAPHORES);
                found.extend(info.locations.iter().flat_map(of).take(MAX_SEMAPHORES));
            }
        }
    }
    found
}

/// The places that a source is in a shape.
pub(super) fn places<'a>(
    source: Source,
    width: u8,
    shape: &'a Shape,
    activations: &'a Activations,
) -> impl Iterator<Item = Place> + 'a {
    let of = move |func: FuncId| activations.iter().filter(move |(_, runs)| **runs == func).map(|(&at, _)| at);
    let size = width / 8;
    let found: Vec<Place> = match source {
        Source::Register(func, value) => {
            of(func).map(|(thread, depth)| Place::Register(thread, depth, value)).collect()
        }
        Source::Global(global, at) => vec![Place::Memory(Node::Global(global), at, size)],
        Source::ThreadLocal(global, at) => {
            let threads: BTreeSet<u32> = activations.keys().map(|&(thread, _)| thread).collect();
            threads.into_iter().map(|thread| Place::Memory(Node::ThreadLocal(global, thread), at, size)).collect()
        }
        Source::Local(func, value, at) => {
            of(func).map(|(thread, depth)| Place::Memory(Node::Local(thread, depth, value), at, size)).collect()
        }
        Source::Heap(site, at) => {
            let objects = (0..).zip(&shape.heap).filter(|(_, of)| **of == site);
            objects.map(|(number, _)| Place::Memory(Node::Heap(number), at, size)).collect()
        }
    };
    found.into_iter()
}

/// Whether two places may be meant by one comparison: of the same activation where both are of one function - a local of another one is
/// read through a pointer - or of the same object where both are in such ones.
fn belong(first: Source, a: Place, second: Source, b: Place) -> bool {
    match (first, second) {
        (Source::Heap(x, _), Source::Heap(y, _)) if x == y => node(a) == node(b),
        _ => first.func() != second.func() || activation(a) == activation(b),
    }
}

const fn node(place: Place) -> Option<Node> {
    match place {
        Place::Memory(node, ..) => Some(node),
        Place::Register(..) => None,
    }
}

const fn activation(place: Place) -> Option<(u32, u32)> {
    match place {
        Place::Memory(Node::Local(thread, depth, _), ..) | Place::Register(thread, depth, _) => Some((thread, depth)),
        Place::Memory(..) => None,
    }
}

/// Where the numbers of a function come from.
pub(super) struct Sources<'a> {
    points_to: &'a PointsTo,
    id: FuncId,
    pub(super) function: &'a Function,
    pub(super) definitions: Definitions,
    /// What parameters of blocks may be.
    incoming: FxHashMap<ValueId, SmallVec<[Operand; 2]>>,
}

impl<'a> Sources<'a> {
    /// O(instructions of the function).
    pub(super) fn new(points_to: &'a PointsTo, id: FuncId, function: &'a Function) -> Self {
        let mut incoming: FxHashMap<ValueId, SmallVec<[Operand; 2]>> = FxHashMap::default();
        for edge in function.blocks.iter().flat_map(|(_, block)| block.terminator.edges()) {
            for (&param, &arg) in function.blocks[edge.target].params.iter().zip(&edge.args) {
                incoming.entry(param).or_default().push(arg);
            }
        }
        Self { points_to, id, function, definitions: Definitions::new(function), incoming }
    }
}

impl Sources<'_> {
    /// What a block's parameter may be.
    pub(super) fn may_be(&self, parameter: ValueId) -> impl Iterator<Item = Operand> + '_ {
        self.incoming.get(&parameter).into_iter().flatten().copied()
    }

    /// What a number is, or is the sum of with constants, with its width.
    pub(super) fn of(&self, operand: Operand) -> Vec<(Source, u8)> {
        self.through(operand, |op| matches!(op, BinOp::Add | BinOp::Sub), 1)
    }

    /// The same, and of a number in an array's elements the first of them: `table[t->row]` for each of some tasks.
    pub(super) fn of_elements(&self, operand: Operand) -> Vec<(Source, u8)> {
        self.through(operand, |op| matches!(op, BinOp::Add | BinOp::Sub), MAX_ELEMENTS)
    }

    /// The same for multiples, too.
    fn multiplied(&self, operand: Operand) -> Vec<(Source, u8)> {
        self.through(operand, |op| matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl), 1)
    }

    /// What a number is, or is computed from by such operations with constants; so many numbers where it is read from an array.
    fn through(&self, operand: Operand, is_one: impl Fn(BinOp) -> bool, most: usize) -> Vec<(Source, u8)> {
        let (mut found, mut work) = (Vec::new(), vec![operand]);
        for _ in 0..MAX_STEPS {
            let Some(next) = work.pop() else { break };
            let Operand::Value(value) = next else { continue };
            let Ok(width @ (32 | 64)) = u8::try_from(self.function.values[value].ty.bits()) else { continue };
            found.push((Source::Register(self.id, value), width));
            let Some(Definition::Inst(block, at)) = self.definitions.of(value) else {
                work.extend(self.incoming.get(&value).into_iter().flatten());
                continue;
            };
            match &self.function.blocks[block].insts[at].op {
                Op::Cast { op: CastOp::SExt | CastOp::ZExt, a } => work.push(*a),
                Op::Binary { op, a, b: Operand::Const(_), .. } if is_one(*op) => work.push(*a),
                Op::Load { address, .. } => {
                    found.extend(self.elements_at(*address, most).into_iter().map(|source| (source, width)));
                }
                _ => {}
            }
        }
        found
    }

    /// The numbers of which an operation takes what remains of a division by a small constant, or a few lower bits; with their widths and
    /// the divisors.
    fn remainders(&self, inst: &Inst) -> Vec<(Source, u8, u8)> {
        let (of, divisor) = match inst.op {
            Op::Binary { op: BinOp::URem | BinOp::SRem, a, b: Operand::Const(Const::Bits { bits, .. }), .. } => {
                (a, Some(bits))
            }
            Op::Binary { op: BinOp::And, a, b: Operand::Const(Const::Bits { bits, .. }), .. } => {
                (a, bits.checked_add(1).filter(|divisor| divisor.is_power_of_two()))
            }
            Op::Cast { op: CastOp::Trunc, a } => {
                (a, inst.results.first().and_then(|&result| 1u64.checked_shl(self.function.values[result].ty.bits())))
            }
            _ => return Vec::new(),
        };
        let few = |divisor: &u8| (2..=MAX_VALUES).contains(&usize::from(*divisor));
        let Some(divisor) = divisor.and_then(|divisor| u8::try_from(divisor).ok()).filter(few) else {
            return Vec::new();
        };
        self.of(of).into_iter().map(|(source, width)| (source, width, divisor)).collect()
    }

    /// The numbers at an address.
    pub(super) fn read_at(&self, address: Operand) -> Vec<Source> {
        self.elements_at(address, 1)
    }

    fn elements_at(&self, address: Operand, most: usize) -> Vec<Source> {
        let info = self.points_to.pointer_info(self.id, address);
        if info.locations.len() > MAX_LOCATIONS {
            return Vec::new();
        }
        info.locations.iter().flat_map(|location| sources_at(self.points_to, location, most)).collect()
    }
}

/// The numbers at a location; of those in an array, the first ones, if that is more than one.
fn sources_at(points_to: &PointsTo, location: &Location, most: usize) -> Vec<Source> {
    let object = &points_to.objects()[location.object];
    let offsets: Vec<u64> = match location.offsets {
        Offsets::Exact(at) => u64::try_from(at).into_iter().collect(),
        Offsets::Strided { start, stride } if most > 1 && stride > 0 => {
            let step = usize::try_from(stride).unwrap_or(usize::MAX);
            // Of how many elements an object from the heap is, is mostly an input.
            (start..object.size.unwrap_or(u64::MAX)).step_by(step).take(most).collect()
        }
        Offsets::Strided { .. } => Vec::new(),
    };
    let source = |at: u64| match object.kind {
        AbstractKind::Global(global) => Some(Source::Global(global, at)),
        AbstractKind::Stack { instance, value } => Some(Source::Local(points_to.instances()[instance].func, value, at)),
        AbstractKind::Heap { .. } => Some(Source::Heap(location.object, at)),
        _ => None,
    };
    offsets.into_iter().filter_map(source).collect()
}

impl Bounds {
    /// Those of the difference of two numbers within bounds, if it cannot wrap; the narrower one is extended.
    fn less(self, other: Self) -> Option<Self> {
        let width = self.width.max(other.width);
        let all = Self::of_width(width);
        let least = self.least.checked_sub(other.greatest).filter(|&n| n >= all.least);
        let greatest = self.greatest.checked_sub(other.least).filter(|&n| n <= all.greatest);
        Some(Self { width, least: least?, greatest: greatest? })
    }

    /// Those of the difference of two numbers that is within one or the other.
    fn either(self, other: Self) -> Self {
        let hull = self.hull(other);
        match self.exclude_zero() && other.exclude_zero() {
            // On which side of 0 it is, and how far away, says less than that it is not 0.
            true if self.are_nonzero() || other.are_nonzero() || !hull.exclude_zero() => Self::nonzero(self.width),
            false if self.are_nonzero() || other.are_nonzero() => Self::of_width(self.width),
            _ => hull,
        }
    }
}

impl Shape {
    /// Between which numbers the difference of two places is, as far as something is known.
    pub fn difference_of(&self, (first, second): (Place, Place)) -> Option<Bounds> {
        if let Some(&known) = self.differences.get(&(first, second)) {
            return Some(known);
        }
        if let (Some(a), Some(b)) = (self.held(first), self.held(second))
            && a == b
            && matches!(a.1, Held::Same(_))
        {
            return Some(Bounds::exactly(a.0, 0));
        }
        self.difference_of_bounds((first, second)).or_else(|| self.are_apart(first, second))
    }

    /// That two places hold different addresses, if they hold constant ones.
    fn are_apart(&self, first: Place, second: Place) -> Option<Bounds> {
        let (a, b) = (self.held(first)?, self.held(second)?);
        let are_addresses = matches!((a, b), ((64, Held::Address(..)), (64, Held::Address(..))));
        (are_addresses && a.1 != b.1).then_some(Bounds::nonzero(64))
    }

    /// Pairs of places that may hold the same address by what is known of each.
    pub fn overlapping(&self) -> impl Iterator<Item = (Place, Place)> + '_ {
        let later = |first: Place| self.choices.range((Bound::Excluded(first), Bound::Unbounded));
        let pairs = self
            .choices
            .iter()
            .flat_map(move |(&first, a)| later(first).map(move |(&second, b)| (first, a, second, b)));
        let shared =
            pairs.filter(|(_, a, _, b)| a.iter().any(|held| matches!(held, Held::Address(..)) && b.contains(held)));
        shared.map(|(first, _, second, _)| (first, second)).take(MAX_DISTINCT)
    }

    /// Between which numbers the difference of two places is by the bounds of both.
    pub fn difference_of_bounds(&self, (first, second): (Place, Place)) -> Option<Bounds> {
        self.bounds_of(first)?.less(self.bounds_of(second)?)
    }

    /// Whether it is known which number one of two places holds: then bounds of the other one say how far apart they are.
    pub fn is_settled(&self, (first, second): (Place, Place)) -> bool {
        let is_constant = |place| self.bounds_of(place).is_some_and(|bounds| bounds.least == bounds.greatest);
        is_constant(first) || is_constant(second)
    }

    /// Has differences [that bounds say](Self::is_settled) follow them: else they would get wider later than these.
    fn settle_differences(&mut self) {
        let settled: Vec<(Place, Place)> = self.differences.keys().copied().filter(|&p| self.is_settled(p)).collect();
        for pair in settled {
            match self.difference_of_bounds(pair) {
                Some(bounds) if bounds.say_something() => self.differences.insert(pair, bounds),
                _ => self.differences.remove(&pair),
            };
        }
    }

    /// What a place holds, and its bits.
    pub(super) fn held(&self, place: Place) -> Option<(u8, Held)> {
        match place {
            Place::Memory(node, at, size) => self.memory(node, at, size).map(|held| (8 * size, held)),
            Place::Register(thread, depth, value) => self.registers.get(&(thread, depth, value)).copied(),
        }
    }

    /// Differences of some places become what the bounds of both numbers say, if they say anything, on the sides on which they have got wider
    /// than in `before`.
    pub(super) fn widen_differences_of(&mut self, places: &[Place], before: &Self) {
        let mut wider = Vec::new();
        for (&pair, &now) in &self.differences {
            if now.are_nonzero() || !(places.contains(&pair.0) || places.contains(&pair.1)) {
                continue;
            }
            let known = before.difference_of(pair).filter(|known| !known.are_nonzero());
            if let Some(end) = self.difference_of_bounds(pair).map(|end| end.hull(now)) {
                let is_lower = known.is_none_or(|known| now.least < known.least);
                let is_higher = known.is_none_or(|known| now.greatest > known.greatest);
                let least = if is_lower { end.least } else { now.least };
                let greatest = if is_higher { end.greatest } else { now.greatest };
                wider.push((pair, Bounds { least, greatest, ..now }));
            }
        }
        self.differences.extend(wider);
    }

    /// The same as [`Self::widen_bounds`] for differences, where objects from the heap have the same numbers.
    pub(super) fn widen_differences<'t>(
        &mut self,
        before: &Self,
        mut limits: impl FnMut(Place, Option<Place>) -> Option<&'t [i64]>,
    ) {
        for (&pair, bounds) in self.differences.iter_mut().filter(|(_, bounds)| !bounds.are_nonzero()) {
            if let Some(before) = before.difference_of(pair).filter(|&before| bounds.are_wider_than(before))
                && let Some(limits) = limits(pair.0, Some(pair.1))
            {
                *bounds = bounds.widened(before, limits);
            }
        }
        self.differences.retain(|_, bounds| bounds.say_something());
        self.settle_differences();
    }
}

/// The same pair where nodes of the heap have other numbers.
pub(super) fn moved_pair(
    (first, second): (Place, Place),
    number: impl Fn(u32) -> Option<u32>,
) -> Option<(Place, Place)> {
    Some((moved(first, &number)?, moved(second, number)?))
}

impl Meet<'_> {
    /// How far apart places are in one or the other.
    pub(super) fn differences(&mut self) {
        let of_a = self.a.differences.keys().filter_map(|&pair| moved_pair(pair, |n| self.of_a.get(&n).copied()));
        let of_b = self.b.differences.keys().filter_map(|&pair| moved_pair(pair, |n| self.of_b.get(&n).copied()));
        let pairs: BTreeSet<(Place, Place)> = of_a.chain(of_b).collect();
        for pair in pairs {
            if let Some((a, b)) = self.difference_in_each(pair)
                && a.width == b.width
                && a.either(b).say_something()
            {
                self.found.differences.insert(pair, a.either(b));
            }
        }
        self.found.settle_differences();
    }

    /// Which addresses that nobody knows are not the same in one and the other: two threads that wait in the same places each have something
    /// of their own, whichever is whose.
    pub(super) fn distinct(&mut self) {
        let pairs: Vec<(Place, Place)> = self.found.overlapping().collect();
        for pair in pairs {
            if let Some((a, b)) = self.difference_in_each(pair)
                && a.exclude_zero()
                && b.exclude_zero()
            {
                self.found.differences.entry(pair).or_insert(Bounds::nonzero(64));
            }
        }
    }

    /// Between which numbers the difference of two places is in one and in the other, if something is known in both.
    fn difference_in_each(&self, pair: (Place, Place)) -> Option<(Bounds, Bounds)> {
        let in_a = moved_pair(pair, |n| self.pairs.get(n as usize).map(|pair| pair.0))?;
        let in_b = moved_pair(pair, |n| self.pairs.get(n as usize).map(|pair| pair.1))?;
        Some((self.a.difference_of(in_a)?, self.b.difference_of(in_b)?))
    }
}

#[cfg(test)]
mod tests {
    use icsched_ir::EntityId as _;

    use super::*;

    fn place(node: Node, at: u64) -> Place {
        Place::Memory(node, at, 4)
    }

    fn global() -> Node {
        Node::Global(GlobalId::from_index(0))
    }

    /// A variable with two numbers.
    fn numbers(first: u8, second: u8) -> Shape {
        let bytes = (0..8).map(|at| ((global(), at), [first, 0, 0, 0, second, 0, 0, 0][at as usize]));
        Shape { bytes: bytes.collect(), ..Shape::default() }
    }

    fn apart(pair: (Place, Place), least: i64, greatest: i64) -> BTreeMap<(Place, Place), Bounds> {
        [(pair, Bounds { width: 32, least, greatest })].into()
    }

    #[test]
    fn what_is_known_of_one_side_comes_from_its_numbers() {
        let pair = (place(global(), 0), place(global(), 4));
        let known = Shape { differences: apart(pair, -9, -1), ..Shape::default() };
        assert_eq!(known.meet(&numbers(3, 5)).differences, apart(pair, -9, -1));
        assert_eq!(known.meet(&numbers(5, 5)).differences, apart(pair, -9, 0));
        assert_eq!(numbers(7, 5).meet(&known).differences, [(pair, Bounds::nonzero(32))].into(), "it is not 0");
        let equal = |at| ((global(), at), (4, Held::Same(0)));
        let same = Shape { words: [equal(0), equal(4)].into(), ..Shape::default() };
        assert_eq!(known.meet(&same).differences, apart(pair, -9, 0));
        assert!(known.meet(&Shape::default()).differences.is_empty());
        assert!(numbers(3, 5).meet(&numbers(4, 5)).differences.is_empty(), "nobody has asked for it");
    }

    #[test]
    fn numbers_that_are_not_the_same_stay_so() {
        let pair = (place(global(), 0), place(global(), 4));
        let nonzero: BTreeMap<_, _> = [(pair, Bounds::nonzero(32))].into();
        let known = Shape { differences: nonzero.clone(), ..Shape::default() };
        assert_eq!(known.meet(&numbers(3, 5)).differences, nonzero);
        assert_eq!(numbers(5, 3).meet(&known).differences, nonzero);
        assert_eq!(known.meet(&known).differences, nonzero);
        let below = Shape { differences: apart(pair, -9, -1), ..Shape::default() };
        assert_eq!(known.meet(&below).differences, nonzero);
        assert_eq!(below.meet(&numbers(5, 3)).differences, nonzero, "one is smaller, or the other");
        assert!(known.meet(&numbers(5, 5)).differences.is_empty());
        let near = Shape { differences: apart(pair, -1, 1), ..Shape::default() };
        assert!(known.meet(&near).differences.is_empty());
        let mut wider = known.clone();
        wider.widen_differences(&below, |_, _| Some(&[]));
        assert_eq!(wider.differences, nonzero);
    }

    #[test]
    fn a_difference_that_may_wrap_is_none() {
        let (x, y) = (place(global(), 0), place(global(), 4));
        let bounds = |least, greatest| Bounds { width: 32, least, greatest };
        let mut shape =
            Shape { bounds: [(x, bounds(0, i32::MAX.into())), (y, bounds(1, 7))].into(), ..Shape::default() };
        assert_eq!(shape.difference_of((x, y)), Some(bounds(-7, i64::from(i32::MAX) - 1)));
        shape.bounds.insert(y, bounds(-1, 7));
        assert_eq!(shape.difference_of((x, y)), None);
        assert_eq!(shape.difference_of((y, x)), Some(bounds(-1 - i64::from(i32::MAX), 7)));
    }

    #[test]
    fn objects_from_the_heap_have_other_numbers() {
        let object = |at: u32| (place(Node::Heap(at), 0), place(Node::Heap(at), 4));
        let shape = |number: u32, heap: usize| Shape {
            words: [((global(), 0), (8, Held::Address(Node::Heap(number), 0)))].into(),
            differences: apart(object(number), -5, number.into()),
            heap: vec![Abstract::from_index(7); heap],
            ..Shape::default()
        };
        let met = shape(0, 1).meet(&shape(1, 2));
        assert_eq!(met.differences, apart(object(0), -5, 1));
        let mut wider = met;
        wider.widen_bounds(&shape(0, 1), |_, _| Some(&[-8, 3]));
        assert_eq!(wider.differences, apart(object(0), -5, 3));
    }

    #[test]
    fn differences_from_constants_follow_bounds() {
        let pair = (place(Node::Global(GlobalId::from_index(0)), 0), place(Node::Global(GlobalId::from_index(0)), 4));
        let (first, second) = pair;
        let between = |least, greatest| Bounds { width: 32, least, greatest };
        // `count` is at most `limit`, which is 10.
        let of = |greatest: i64| {
            let mut shape = Shape { differences: apart(pair, -10, -1), ..Shape::default() };
            shape.bounds.insert(first, between(0, greatest));
            shape.set(second, between(10, 10));
            shape
        };
        assert!(of(5).is_settled(pair));
        assert_eq!(of(5).canonical().differences, apart(pair, -10, -5));
        // As soon as bounds are wider, so is the difference, and nothing is left to get wider.
        let mut wider = of(7).canonical();
        wider.bounds.insert(first, between(0, 9));
        wider.widen_bounds(&of(7).canonical(), |_, _| None);
        assert_eq!(wider.differences, apart(pair, -10, -1));
        // Only the side that got wider follows bounds.
        let both = |least| Shape {
            bounds: [(first, between(0, 9)), (second, between(5, 20))].into(),
            differences: apart(pair, least, -1),
            ..Shape::default()
        };
        let mut lower = both(-8);
        lower.widen_differences_of(&[first], &both(-7));
        assert_eq!(lower.differences, apart(pair, -20, -1));
    }

    #[test]
    fn places_of_one_comparison_are_of_one_object_or_activation() {
        let (site, func) = (Abstract::from_index(7), FuncId::from_index(2));
        let value = ValueId::from_index;
        let pairs = [
            (Source::Heap(site, 0), Source::Heap(site, 4), (32, 32)),
            (Source::Register(func, value(1)), Source::Local(func, value(2), 8), (32, 32)),
        ];
        let compared = Compared {
            pairs: pairs.into_iter().zip([Use::Compared, Use::Subtracted]).collect(),
            ..Compared::default()
        };
        let shape = Shape { heap: vec![site; 2], ..Shape::default() };
        let activations = [((0, 0), FuncId::from_index(1)), ((1, 0), func), ((2, 3), func)].into();
        let of = |n: u32| (place(Node::Heap(n), 0), place(Node::Heap(n), 4));
        let in_frame = |t, d| (Place::Register(t, d, value(1)), place(Node::Local(t, d, value(2)), 8));
        let expected: BTreeSet<_> = [of(0), of(1), in_frame(1, 0), in_frame(2, 3)].into();
        let found = compared.pairs(&shape, &activations);
        assert_eq!(found.iter().map(|(pair, _)| *pair).collect::<BTreeSet<_>>(), expected);
        assert!(found.iter().all(|&(pair, is_tested)| is_tested == (pair == of(0) || pair == of(1))));
    }

    #[test]
    fn a_local_of_another_function_may_be_compared_in_each_activation() {
        let (main, func) = (FuncId::from_index(1), FuncId::from_index(2));
        let value = ValueId::from_index;
        let pair = (Source::Register(func, value(1)), Source::Local(main, value(2), 8), (32, 32));
        let compared = Compared { pairs: [(pair, Use::Compared)].into(), ..Compared::default() };
        let activations = [((0, 0), main), ((1, 0), func), ((2, 3), func)].into();
        let local = place(Node::Local(0, 0, value(2)), 8);
        let found = compared.pairs(&Shape::default(), &activations);
        let expected =
            [(1, 0), (2, 3)].map(|(thread, depth)| ((Place::Register(thread, depth, value(1)), local), true));
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_compared_comes_before_what_is_chosen_from() {
        let func = FuncId::from_index(1);
        let value = ValueId::from_index;
        let lanes = (0..MAX_PAIRS + 8).map(|n| {
            ((Source::Register(func, value(n)), Source::Register(func, value(n + 100)), (32, 32)), Use::Chosen)
        });
        let counts = (Source::Global(GlobalId::from_index(1), 0), Source::Global(GlobalId::from_index(2), 0), (32, 32));
        let pairs = lanes.chain([(counts, Use::Compared)]).collect();
        let compared = Compared { pairs, ..Compared::default() };
        let found = compared.pairs(&Shape::default(), &[((0, 0), func)].into());
        let of = |n: usize| place(Node::Global(GlobalId::from_index(n)), 0);
        assert_eq!(found.len(), MAX_PAIRS);
        assert!(found.contains(&((of(1), of(2)), true)));
    }
}

//! Which numbers the program compares, subtracts, or divides: those of which it may be of interest how far they are
//! apart.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use icsched_ir::{BinOp, Callee, Const, FuncId, Intrinsic, Op, Operand, Origin, Program, ValueId, activations};
use icsched_machine::step::Word;
use icsched_pointsto::{Location, PointsTo};

use crate::budgets::BUDGETS;
use crate::fields::Activations;
use crate::place::{Node, Place};
use crate::shape::Shape;
use crate::sources::{Source, Sources, places, sources_at};

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
    /// O(instructions of the program's functions + calls of each that compares numbers that it is handed * pairs of
    /// these).
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
        this.permits = counted(program, points_to, Word::CountsPermits);
        let holds = counted(program, points_to, Word::CountsHolds);
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

    /// Notes the pairs that two operands make; returns those of which that says something new. Optimisers make counters
    /// of loops as wide as addresses, and extend what is in memory each time that it is read.
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

    /// The places in a shape of all numbers that are compared, ascending.
    pub fn counted(&self, shape: &Shape, activations: &Activations) -> Vec<Place> {
        let of = |&(source, width): &_| places(source, width, shape, activations);
        let found: BTreeSet<Place> = self.numbers.iter().flat_map(of).collect();
        found.into_iter().collect()
    }

    /// The places in a shape where semaphores count. `activations` as for [`Self::pairs`].
    pub fn permits(&self, shape: &Shape, activations: &Activations) -> BTreeSet<Place> {
        self.permits.iter().flat_map(|&source| places(source, 32, shape, activations)).collect()
    }

    /// The places in a shape of whose numbers the program takes remainders, with their widths and the divisors.
    /// `activations` as for [`Self::pairs`].
    pub fn remainders(&self, shape: &Shape, activations: &Activations) -> BTreeSet<(Place, u8, u8)> {
        let of = |&(source, width, divisor): &(Source, u8, u8)| {
            places(source, width, shape, activations).map(move |place| (place, width, divisor))
        };
        self.remainders.iter().flat_map(of).collect()
    }

    /// The pairs of places in a shape that the program divides by each other for what remains, which may be what the
    /// first one holds then. `activations` as for [`Self::pairs`].
    pub fn divided(&self, shape: &Shape, activations: &Activations) -> Vec<(Place, Place)> {
        let mut found = BTreeSet::new();
        for &(first, second, width) in &self.divided {
            for a in places(first, width, shape, activations) {
                let all = places(second, width, shape, activations);
                found.extend(all.filter(|&b| a != b && belong(first, a, second, b)).map(|b| (a, b)));
            }
        }
        found.into_iter().take(BUDGETS.divided_pairs).collect()
    }

    /// The pairs of places in a shape of which `function` says what runs as each thread's activation at a depth; with
    /// whether they are compared. If there are many, those are left out first of which the greater or the smaller is
    /// taken: lanes of vectors, in which the maximum of a table is found.
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
                if found.len() >= BUDGETS.compared_pairs {
                    break;
                }
            }
            let is_known = |&(a, b): &(Place, Place)| all.iter().any(|&(pair, _)| pair == (a, b) || pair == (b, a));
            let new: Vec<((Place, Place), bool)> = found.into_iter().filter(|(pair, _)| !is_known(pair)).collect();
            all.extend(new);
        }
        all.truncate(BUDGETS.compared_pairs);
        all
    }
}

/// What semaphores or recursive mutexes count, in arrays the first of them. O(instructions of the models).
fn counted(program: &Program, points_to: &PointsTo, what: Word) -> BTreeSet<Source> {
    let mut found = BTreeSet::new();
    for (id, function) in program.functions.iter().filter(|(_, f)| f.origin != Origin::Program) {
        for inst in function.blocks.iter().flat_map(|(_, block)| &block.insts) {
            let Op::Call { callee: Callee::Intrinsic(Intrinsic::Known), args } = &inst.op else { continue };
            if let [Operand::Const(Const::Bits { bits, .. }), word, _] = args[..]
                && Word::of(bits) == Some(what)
            {
                let info = points_to.pointer_info(id, word);
                let of = |l: &Location| sources_at(points_to, l, BUDGETS.semaphores);
                found.extend(info.locations.iter().flat_map(of).take(BUDGETS.semaphores));
            }
        }
    }
    found
}

/// Whether two places may be meant by one comparison: of the same activation where both are of one function - a local
/// of another one is read through a pointer - or of the same object where both are in such ones.
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

#[cfg(test)]
mod tests {
    use icsched_ir::{EntityId as _, GlobalId};
    use icsched_pointsto::ObjectId as Abstract;

    use super::*;

    fn place(node: Node, at: u64) -> Place {
        Place::Memory(node, at, 4)
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
        let lanes = (0..BUDGETS.compared_pairs + 8).map(|n| {
            ((Source::Register(func, value(n)), Source::Register(func, value(n + 100)), (32, 32)), Use::Chosen)
        });
        let counts = (Source::Global(GlobalId::from_index(1), 0), Source::Global(GlobalId::from_index(2), 0), (32, 32));
        let pairs = lanes.chain([(counts, Use::Compared)]).collect();
        let compared = Compared { pairs, ..Compared::default() };
        let found = compared.pairs(&Shape::default(), &[((0, 0), func)].into());
        let of = |n: usize| place(Node::Global(GlobalId::from_index(n)), 0);
        assert_eq!(found.len(), BUDGETS.compared_pairs);
        assert!(found.contains(&((of(1), of(2)), true)));
    }
}

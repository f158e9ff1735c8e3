//! Facts for the next epoch: of what one path leaves, that which all executions leave that its schedule covers.
//!
//! A path ends with `n == 3`. That is a fact for the next epoch only if no branch that the path's slice leaves out
//! decides about `n`: the executions that the schedule covers may take its other side.
//!
//! So the places of a [`Shape`] are the criterion of another slice. Where that has decisions which do not follow from
//! the precondition, some of the places depend on them and are left out. Bisection finds these: first the objects, then
//! what single instructions have written in each and its fields, and then the places.

mod last_writers;

use std::collections::{BTreeMap, BTreeSet};

use icsched_facts::{Bounds, EndState, Node, Place, Shape};
use icsched_ir::{BlockId, CallStack, EntityId as _, FuncId, ProgramPoint, ValueId};
use icsched_machine::memory::ObjectId;
use icsched_machine::state::State;
use icsched_machine::state_place::StatePlace;
use icsched_machine::thread::{FrameId, ThreadId};
use icsched_slicing::Criterion;
use icsched_smt::Term;
use icsched_symbolic::symbolic::SymbolicDomain;
use icsched_symbolic::trace::Trace;
use last_writers::{Writer, Writers};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::budgets::BUDGETS;

/// Where the activations of live threads are.
pub(crate) fn points(
    state: &State<SymbolicDomain>,
    code: &icsched_machine::code::Code,
) -> FxHashMap<FrameId, ProgramPoint> {
    let of_thread = |id: ThreadId| {
        let CallStack(points) = state.stack(code, id);
        state.thread(id).frames.iter().map(|f| f.id).zip(points).collect::<Vec<_>>()
    };
    state.live_threads().flat_map(|t| of_thread(t.id)).collect()
}

/// The facts that are valid for the next epoch.
pub(crate) struct Valid {
    /// What remains of a shape; not [canonical](Shape::canonical).
    pub(crate) shape: Shape,
    /// The places that were left out.
    pub(crate) left_out: FxHashSet<Place>,
    /// Why, where that was found out.
    pub(crate) lost: Vec<Lost>,
}

/// Where something was decided, and by which activation.
pub(crate) type Decided = (ProgramPoint, FrameId);

/// A place of which the next epoch knows nothing.
pub(crate) struct Lost {
    pub(crate) place: Place,
    /// A decision that it depends on, or, where there was no time to find one, what is beside it.
    pub(crate) decision: Decided,
    /// Which block has written it last on the path.
    pub(crate) writer: Option<(FuncId, BlockId)>,
}

/// What remains of a shape when places are left out that depend on other decisions than they should: `depends`
/// computes the slice of a criterion, and says whether there is one, and where, if there is time for that.
pub(crate) fn valid(
    left: &EndState,
    (trace, fields): (&Trace, &dyn Fn(ObjectId) -> Vec<u64>),
    points: FxHashMap<FrameId, ProgramPoint>,
    depends: impl FnMut(&Criterion) -> Option<Option<Decided>>,
) -> Valid {
    let groups = groups(left);
    let mut search = Bisection { criterion: Criterion { places: Vec::new(), points }, depends };
    let all = |groups: &[Group]| groups.iter().flat_map(|group| &group.ranges).copied().collect();
    let (mut left_out, mut lost) = (FxHashSet::default(), Vec::new());
    let groups: Vec<(Vec<(Place, StatePlace)>, _)> = search
        .narrow(groups, all, BUDGETS.slices_for_objects)
        .into_iter()
        .map(|(group, why)| (group.places(left), why))
        .collect();
    let bytes = groups.iter().flat_map(|(places, _)| places).filter_map(|&(_, place)| byte(place));
    let writers = Writers::of(trace, bytes);
    for (places, of_group) in groups {
        let mut written: Vec<_> =
            by_writer(&writers, fields, places).into_iter().map(|part| (part, of_group)).collect();
        if written.len() > 1 {
            let parts = written.into_iter().map(|(part, _)| part).collect();
            let all = |parts: &[Vec<(Place, StatePlace)>]| parts.iter().flat_map(|p| joined(p)).collect();
            written = search.narrow(parts, all, BUDGETS.slices_in_object);
        }
        let slices = BUDGETS.slices_in_object / u32::try_from(written.len().max(1)).unwrap_or(u32::MAX);
        for (places, of_part) in written {
            // Bytes of one word mostly depend on the same.
            let words = search.narrow(words(places), |words| joined(&words.concat()), slices);
            let in_word = slices / u32::try_from(words.len().max(1)).unwrap_or(u32::MAX);
            for (places, of_word) in words {
                for ((place, at), of_place) in search.narrow(places, joined, in_word) {
                    left_out.insert(place);
                    let writer = byte(at).and_then(|(object, byte)| writers.last(object, byte));
                    let decision = of_place.or(of_word).or(of_part).or(of_group);
                    lost.extend(decision.map(|decision| Lost { place, decision, writer }));
                }
            }
        }
    }
    let mut shape = left.shape.clone();
    left_out.iter().for_each(|&place| shape.forget(place));
    Valid { shape, left_out, lost }
}

/// Places of one object, or of one activation.
#[derive(Default)]
struct Group {
    nodes: Vec<Node>,
    /// Thread and depth.
    activation: Option<(u32, u32)>,
    /// Where the places are; bytes that are one behind the other are one range.
    ranges: Vec<StatePlace>,
}

impl Group {
    fn add_node(&mut self, node: Node) {
        if !self.nodes.contains(&node) {
            self.nodes.push(node);
        }
    }

    /// One by one.
    fn places(self, left: &EndState) -> Vec<(Place, StatePlace)> {
        let shape = &left.shape;
        let bytes = self.nodes.iter().flat_map(|&n| shape.bytes.of(n).map(move |(at, _)| Place::Memory(n, at, 1)));
        let of = |n: Node| shape.words.range((n, 0)..=(n, u64::MAX));
        let words =
            self.nodes.iter().flat_map(|&n| of(n).map(move |(&(_, at), &(size, _))| Place::Memory(n, at, size)));
        let all = |n: Node| Place::Memory(n, 0, 0)..=Place::Memory(n, u64::MAX, u8::MAX);
        let numbers = self.nodes.iter().flat_map(|&n| shape.bounds.range(all(n)).map(|(&place, _)| place));
        let mut memory: Vec<Place> = bytes.chain(words).chain(numbers).collect();
        memory.sort_unstable();
        let registers = self.activation.into_iter().flat_map(|(thread, depth)| {
            let all = (thread, depth, ValueId::from_index(0))..;
            let own = shape.registers.range(all).take_while(move |((t, d, _), _)| (*t, *d) == (thread, depth));
            own.map(|(&(thread, depth, value), _)| Place::Register(thread, depth, value))
        });
        memory.into_iter().chain(registers).filter_map(|place| Some((place, left.find(place)?))).collect()
    }
}

/// The places of a shape that holds nothing yet but numbers and addresses, and bounds where bytes of a number are
/// known.
fn groups(left: &EndState) -> Vec<Group> {
    let mut groups: BTreeMap<(bool, u64, u64), Group> = BTreeMap::new();
    let runs = left.shape.bytes.runs();
    let words = left.shape.words.iter().map(|(&(node, at), &(size, _))| (node, at, u64::from(size)));
    let numbers = left.shape.bounds.keys().filter_map(|&place| match place {
        Place::Memory(node, at, size) => Some((node, at, u64::from(size))),
        Place::Register(..) => None,
    });
    for (node, at, len) in runs.chain(words).chain(numbers) {
        if let Some(found) = left.find_bytes(node, at, len) {
            let group = groups.entry((false, u64::from(rank(node)), object(found))).or_default();
            group.add_node(node);
            join(&mut group.ranges, found);
        }
    }
    for &(thread, depth, value) in left.shape.registers.keys() {
        if let Some(found) = left.find(Place::Register(thread, depth, value)) {
            let group = groups.entry((true, u64::from(thread), u64::from(depth))).or_default();
            group.activation = Some((thread, depth));
            join(&mut group.ranges, found);
        }
    }
    groups.into_values().collect()
}

/// What wrote a place last, and the field that it is in.
type Part = (Writer, Option<u64>);

/// The places of an object by what wrote them, and by the object's fields if they are few.
fn by_writer(
    writers: &Writers,
    fields: &dyn Fn(ObjectId) -> Vec<u64>,
    places: Vec<(Place, StatePlace)>,
) -> Vec<Vec<(Place, StatePlace)>> {
    let object = places.first().and_then(|&(_, place)| byte(place)).map(|(object, _)| object);
    let fields: BTreeSet<u64> = object.map(fields).unwrap_or_default().into_iter().collect();
    let is_told = fields.len() <= BUDGETS.fields_told_apart;
    let mut found: BTreeMap<Part, Vec<(Place, StatePlace)>> = BTreeMap::new();
    for (place, at) in places {
        let part = byte(at).map(|(object, byte)| {
            let field = fields.range(..=byte).next_back().filter(|_| is_told);
            (writers.get(object, byte), field.copied())
        });
        found.entry(part.unwrap_or_default()).or_default().push((place, at));
    }
    found.into_values().collect()
}

/// The first byte of a place in memory.
fn byte(place: StatePlace) -> Option<(ObjectId, u64)> {
    match place {
        StatePlace::Memory(object, start, _) => Some((object, start)),
        StatePlace::Register(..) => None,
    }
}

/// Places that are in one word of eight bytes each, in their order.
fn words(places: Vec<(Place, StatePlace)>) -> Vec<Vec<(Place, StatePlace)>> {
    let word = |place: StatePlace| byte(place).map(|(object, at)| (object, at / 8));
    let same = |a: &(Place, StatePlace), b: &(Place, StatePlace)| word(a.1).is_some() && word(a.1) == word(b.1);
    places.chunk_by(same).map(<[_]>::to_vec).collect()
}

/// Where places are; bytes that are one behind the other are one range.
fn joined(places: &[(Place, StatePlace)]) -> Vec<StatePlace> {
    let mut ranges: Vec<StatePlace> = Vec::new();
    places.iter().for_each(|&(_, place)| join(&mut ranges, place));
    ranges
}

/// Adds bytes to ranges: to the last one, if they are behind it.
fn join(ranges: &mut Vec<StatePlace>, next: StatePlace) {
    match (ranges.last_mut(), next) {
        (Some(StatePlace::Memory(object, start, len)), StatePlace::Memory(other, at, more))
            if *object == other && *start + *len == at =>
        {
            *len += more;
        }
        _ => ranges.push(next),
    }
}

/// Finds the places that depend on other decisions than they should.
struct Bisection<D> {
    criterion: Criterion,
    depends: D,
}

impl<D: FnMut(&Criterion) -> Option<Option<Decided>>> Bisection<D> {
    /// The parts that have such places, with a decision that each depends on; when so many slices were computed, or
    /// there is no time for more, all that were not found to have none.
    fn narrow<T>(
        &mut self,
        parts: Vec<T>,
        places: impl Fn(&[T]) -> Vec<StatePlace>,
        slices: u32,
    ) -> Vec<(T, Option<Decided>)> {
        let (mut found, mut work, mut budget) = (Vec::new(), vec![parts], slices);
        while let Some(mut parts) = work.pop() {
            if budget == 0 {
                found.extend(parts.into_iter().map(|part| (part, None)));
                continue;
            }
            self.criterion.places = places(&parts);
            if self.criterion.places.is_empty() {
                continue;
            }
            budget -= 1;
            match (self.depends)(&self.criterion) {
                Some(None) => {}
                Some(Some(_)) if parts.len() > 1 => {
                    let second = parts.split_off(parts.len() / 2);
                    work.extend([second, parts]);
                }
                Some(decision) => found.extend(parts.into_iter().map(|part| (part, decision))),
                None => {
                    budget = 0;
                    found.extend(parts.into_iter().map(|part| (part, None)));
                }
            }
        }
        found
    }
}

/// The tightest bounds of a number among some, ascending: `within` says whether the number is within bounds for
/// certain, `sure` what is known without asking. There is a number that is. Asks two questions where nothing more can
/// be said, as of most numbers, else O(log n).
pub(crate) fn bounds(width: u8, among: &[i64], sure: (i128, i128), mut within: impl FnMut(Bounds) -> bool) -> Bounds {
    let all = Bounds::of_width(width);
    let inside: Vec<i64> = among.iter().copied().filter(|n| (all.least..=all.greatest).contains(n)).collect();
    let mut bounds = all;
    // How many of them are certainly not greater than the number.
    let mut above = inside.partition_point(|&n| i128::from(n) <= sure.0);
    let mut least = |&n: &i64| i128::from(n) <= sure.1 && within(Bounds { least: n, ..all });
    if inside.get(above).is_some_and(&mut least) {
        above += 1;
        above += inside[above..].partition_point(&mut least);
    }
    bounds.least = above.checked_sub(1).map_or(all.least, |at| inside[at]);
    // From which of them on they are certainly not smaller.
    let mut below = inside.partition_point(|&n| i128::from(n) < sure.1);
    let mut greatest = |&n: &i64| i128::from(n) >= sure.0 && within(Bounds { greatest: n, ..all });
    if below.checked_sub(1).is_some_and(|next| greatest(&inside[next])) {
        below = inside[..below - 1].partition_point(|n| !greatest(n));
    }
    bounds.greatest = inside.get(below).copied().unwrap_or(all.greatest);
    bounds
}

/// Bounds that are at least as wide as some numbers, and end among others, ascending.
pub(crate) fn rounded(width: u8, among: &[i64], (least, greatest): (i128, i128)) -> Bounds {
    let all = Bounds::of_width(width);
    let below = among.iter().rev().find(|&&n| i128::from(n) <= least && n >= all.least);
    let above = among.iter().find(|&&n| i128::from(n) >= greatest && n <= all.greatest);
    Bounds { width, least: below.copied().unwrap_or(all.least), greatest: above.copied().unwrap_or(all.greatest) }
}

const fn rank(node: Node) -> u8 {
    match node {
        Node::Global(_) => 0,
        Node::ThreadLocal(..) => 1,
        Node::Thread(_) => 2,
        Node::Local(..) => 3,
        Node::Heap(_) => 4,
    }
}

fn object(place: StatePlace) -> u64 {
    match place {
        StatePlace::Memory(object, ..) => u64::from(object.0),
        StatePlace::Register(frame, _) => frame.0,
    }
}

/// Conditions that follow from a precondition, asked once each.
#[derive(Default)]
pub(crate) struct Implied {
    known: FxHashMap<Term, bool>,
}

impl Implied {
    /// Whether a condition does, where `ask` asks the solver.
    pub(crate) fn holds(&mut self, condition: Term, ask: impl FnOnce() -> bool) -> bool {
        *self.known.entry(condition).or_insert_with(ask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AMONG: [i64; 7] = [-1, 0, 1, 7, 8, 9, 255];

    /// The bounds of a number between two others, of which `sure` is known, and how many questions that took.
    fn asked((least, greatest): (i64, i64), sure: (i128, i128)) -> ((i64, i64), u32) {
        let mut questions = 0;
        let found = bounds(32, &AMONG, sure, |bounds| {
            questions += 1;
            bounds.least <= least && greatest <= bounds.greatest
        });
        ((found.least, found.greatest), questions)
    }

    #[test]
    fn bounds_are_the_tightest_of_the_numbers() {
        let all = (i32::MIN.into(), i32::MAX.into());
        assert_eq!(asked((0, 8), all).0, (0, 8));
        assert_eq!(asked((2, 6), all).0, (1, 7));
        assert_eq!(asked((-5, 300), all).0, (i32::MIN.into(), i32::MAX.into()));
        assert_eq!(asked((300, 400), all).0, (255, i32::MAX.into()));
        assert_eq!(asked((-9, -3), all).0, (i32::MIN.into(), -1));
    }

    #[test]
    fn what_is_known_is_not_asked_about() {
        assert_eq!(asked((0, 8), (0, 8)), ((0, 8), 2));
        assert_eq!(asked((0, 7), (0, 8)).0, (0, 7));
        assert_eq!(asked((-5, 300), (i32::MIN.into(), i32::MAX.into())).1, 2);
        // Between what is known and the next numbers there may be none to ask about.
        assert_eq!(asked((3, 3), (3, 3)), ((1, 7), 0));
    }

    #[test]
    fn wider_bounds_end_at_numbers() {
        assert_eq!(rounded(32, &AMONG, (0, 8)), Bounds { width: 32, least: 0, greatest: 8 });
        assert_eq!(rounded(32, &AMONG, (3, 12)), Bounds { width: 32, least: 1, greatest: 255 });
        assert_eq!(rounded(32, &AMONG, (-7, 300)), Bounds::of_width(32));
    }
}

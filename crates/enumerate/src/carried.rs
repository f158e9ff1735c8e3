//! What a path leaves behind for the next epoch: only what all executions leave that its schedule covers.
//!
//! A path is one of those that its precondition admits: the others may go other ways where that does not matter for what is synchronised.
//! What such a way may change is no fact. So the places of the [`Shape`] are the criterion of another slice: where it has decisions
//! that do not follow from the precondition, some of the places depend on them, and are left out. Which ones, bisection finds.

use std::collections::BTreeMap;

use icsched_ir::{CallStack, ProgramPoint};
use icsched_smt::Term;
use icsched_symex::shape::{Bounds, Left, Node, Place, Shape, Where};
use icsched_symex::state::State;
use icsched_symex::symbolic::SymbolicDomain;
use icsched_symex::thread::{FrameId, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Slices that are computed for one path; what is not told apart then is left out.
const MAX_SLICES: u32 = 256;

/// What a slice is to be computed for beside what is synchronised: places at the end of a path.
#[derive(Clone, Default, Debug)]
pub struct Criterion {
    /// Bytes, and registers of activations that have not returned.
    pub places: Vec<Where>,
    /// The instructions in front of which, or inside of which, they are.
    pub points: FxHashMap<FrameId, ProgramPoint>,
}

/// Where the activations of live threads are.
pub(crate) fn points(
    state: &State<SymbolicDomain>,
    code: &icsched_symex::code::Code,
) -> FxHashMap<FrameId, ProgramPoint> {
    let of_thread = |id: ThreadId| {
        let CallStack(points) = state.stack(code, id);
        state.thread(id).frames.iter().map(|f| f.id).zip(points).collect::<Vec<_>>()
    };
    state.live_threads().flat_map(|t| of_thread(t.id)).collect()
}

/// What remains of a shape when places are left out that depend on other decisions than they should: `depends` computes the slice of
/// a criterion, and says whether there are some, if there is time for that. With the places that were left out; not
/// [canonical](Shape::canonical).
pub(crate) fn valid(
    left: &Left,
    points: FxHashMap<FrameId, ProgramPoint>,
    mut depends: impl FnMut(&Criterion) -> Option<bool>,
) -> (Shape, FxHashSet<Place>) {
    let mut groups: BTreeMap<(bool, u64, u64), Vec<Place>> = BTreeMap::new();
    let mut shape = left.shape.clone();
    shape.retain(|place| {
        let group = match place {
            Place::Memory(node, ..) => (false, u64::from(rank(node)), left.find(place).map_or(0, object)),
            Place::Register(thread, depth, _) => (true, u64::from(thread), u64::from(depth)),
        };
        groups.entry(group).or_default().push(place);
        true
    });
    let groups: Vec<Vec<Place>> = groups.into_values().collect();
    let mut bad: FxHashSet<Place> = FxHashSet::default();
    let mut budget = MAX_SLICES;
    let mut criterion = Criterion { places: Vec::new(), points };
    let mut work: Vec<Vec<Vec<Place>>> = vec![groups];
    while let Some(groups) = work.pop() {
        let all = || groups.iter().flatten();
        if all().next().is_none() {
            continue;
        }
        if budget == 0 {
            bad.extend(all());
            continue;
        }
        budget -= 1;
        criterion.places = all().filter_map(|&place| left.find(place)).collect();
        match depends(&criterion) {
            Some(false) => continue,
            Some(true) => {}
            None => {
                budget = 0;
                bad.extend(all());
                continue;
            }
        }
        match &groups[..] {
            [one] if one.len() == 1 => bad.extend(one),
            [one] => {
                let (first, second) = one.split_at(one.len() / 2);
                work.extend([vec![second.to_vec()], vec![first.to_vec()]]);
            }
            several => {
                let (first, second) = several.split_at(several.len() / 2);
                work.extend([second.to_vec(), first.to_vec()]);
            }
        }
    }
    if !bad.is_empty() {
        shape.retain(|place| !bad.contains(&place));
    }
    (shape, bad)
}

/// The tightest bounds of a number among some, ascending: `within` says whether the number is within bounds for certain. Asks
/// O(log n) questions.
pub(crate) fn bounds(width: u8, among: &[i64], mut within: impl FnMut(Bounds) -> bool) -> Bounds {
    let all = Bounds::of_width(width);
    let inside: Vec<i64> = among.iter().copied().filter(|n| (all.least..=all.greatest).contains(n)).collect();
    let mut bounds = all;
    // Most numbers have none, which two questions show.
    if inside.first().is_some_and(|&least| within(Bounds { least, ..all })) {
        let above = inside.partition_point(|&least| within(Bounds { least, ..all }));
        bounds.least = above.checked_sub(1).map_or(all.least, |at| inside[at]);
    }
    if inside.last().is_some_and(|&greatest| within(Bounds { greatest, ..all })) {
        let below = inside.partition_point(|&greatest| !within(Bounds { greatest, ..all }));
        bounds.greatest = inside.get(below).copied().unwrap_or(all.greatest);
    }
    bounds
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

fn object(place: Where) -> u64 {
    match place {
        Where::Memory(object, ..) => u64::from(object.0),
        Where::Register(frame, _) => frame.0,
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

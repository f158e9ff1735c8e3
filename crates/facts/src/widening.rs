//! Giving up what gets weaker from epoch to epoch, so that a fixpoint is reached (widening, Cousot and Cousot 1977).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::fields::{Part, Parts, Widening};
use crate::join::numbered_as;
use crate::locks::Places;
use crate::place::{Held, Node, Place};
use crate::shape::Shape;

/// A step of widening, in which the kinds take part that get weaker in that way.
pub enum WideningStep<'s> {
    /// Numbers become as large as they may be in the end, if that is known.
    ToLimits {
        /// The places whose bounds have become wider.
        moved: Vec<Place>,
        /// The places whose bounds are as wide as they may be.
        reached: BTreeSet<Place>,
    },
    /// Bounds become as wide as the next threshold, for a place or the difference of two. None for what is left as it
    /// is; bounds are given up where no threshold is left.
    ToThresholds(&'s mut Thresholds<'s>),
    /// What counts up is given up where each number is a fact of its own.
    Counters,
    /// So are facts that may get weaker many times.
    Remainders,
}

/// The thresholds for a place, or for the difference of two, ascending.
pub type Thresholds<'s> = dyn FnMut(Place, Option<Place>) -> Option<Arc<[i64]>> + 's;

/// Numbers that decide nothing.
pub struct Idle<'i> {
    /// What objects consist of.
    pub parts: Parts<'i>,
    /// Whether no part of a place decides anything.
    pub is_idle: &'i dyn Fn(&Shape, Place) -> bool,
}

impl Idle<'_> {
    /// Whether nothing is decided by any part of a place.
    pub(crate) fn contains(&self, shape: &Shape, place: Place) -> bool {
        match place {
            Place::Memory(node, at, size) => {
                (at..at + u64::from(size)).all(|at| (self.is_idle)(shape, Place::Memory(node, at, 1)))
            }
            Place::Register(..) => (self.is_idle)(shape, place),
        }
    }
}

impl Shape {
    /// Takes a step of widening: gives up what has got weaker since `before`, all of which was known where this shape
    /// is from.
    pub fn widen(&mut self, before: &Self, step: &mut WideningStep<'_>) {
        if self.takes_part(step) {
            let before = numbered_as(before, self);
            self.widen_kinds(&before, step);
        }
    }

    /// See [`WideningStep::ToThresholds`].
    pub fn widen_to_thresholds(
        &mut self,
        before: &Self,
        mut thresholds: impl FnMut(Place, Option<Place>) -> Option<Arc<[i64]>>,
    ) {
        self.widen(before, &mut WideningStep::ToThresholds(&mut thresholds));
    }

    /// See [`WideningStep::ToLimits`]. The places whose bounds are as wide as they may be.
    pub fn widen_to_limits(&mut self, before: &Self) -> BTreeSet<Place> {
        let mut step = WideningStep::ToLimits { moved: Vec::new(), reached: BTreeSet::new() };
        self.widen(before, &mut step);
        match step {
            WideningStep::ToLimits { reached, .. } => reached,
            WideningStep::ToThresholds(_) | WideningStep::Counters | WideningStep::Remainders => BTreeSet::new(),
        }
    }

    /// Keeps nothing but the signs of numbers that are not constant, where nothing is decided by any part of them. If
    /// the upper half of a number of eight bytes, in a field of its own, is constant, it is one number all the same: it
    /// would lose that half in the end.
    pub fn forget_idle(&mut self, parts: Parts<'_>, is_idle: impl Fn(&Self, Place) -> bool) {
        self.forget_idle_kinds(&Idle { parts, is_idle: &is_idle });
    }

    /// What is kept of a shape that has got weaker several times, last from `before`: numbers that still lose some of
    /// their bytes are not waited for (widening, Cousot and Cousot 1977). A counter would lose one byte after the
    /// other; with `further`, neither are numbers in fields that lose any, and then in objects, but for those in locks:
    /// an array that a program fills would lose one after the other. Nor are equations of remainders.
    #[must_use]
    pub fn widened(mut self, before: &Self, further: Option<Widening<'_>>) -> Self {
        let before = &numbered_as(before, &self);
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
            self.widen_kinds(before, &mut WideningStep::Remainders);
            let mut lost: Vec<Node> =
                gains.keys().filter(|(_, part)| matches!(part, Part::Field(_))).map(|at| at.0).collect();
            lost.dedup();
            lost.into_iter().for_each(|node| *losses.entry(node).or_default() += 1);
        }
        self.canonical()
    }
}

//! How often a thread may hold which locks: the lattice of relative locksets.
//!
//! J. Voung, R. Jhala, S. Lerner, "RELAY" (2007), with may for must as in Bergan 2.5.4: `L+` is what may be acquired without being released,
//! `L-` what is always released without being acquired. Deviation: both are one pair of numbers per lock. A piece of code that acquires
//! and releases a lock makes of `c`, how often it was held, at most `max(c + net, floor)`: acquiring is `(1, 1)`, releasing `(-1, 0)`, and
//! what is not named `(0, 0)`. So recursive mutexes and several readers are counted, and what releases a lock and retakes it, like
//! a condition wait, is `(0, 1)`: afterwards the lock is held, before or not.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use icsched_pointsto::{ObjectId, Offsets};

use crate::expr::ExprId;

/// What is counted no further, and never comes down again.
const MANY: i8 = 8;

/// The lock was not held, whatever was thought.
const NEVER: i8 = i8::MIN;

/// Most locks that are told apart in one set.
const MAX_LOCKS: usize = 32;

/// Most places of one lock that are told apart; of more, only the objects are.
const MAX_TARGETS: usize = 64;

/// Most places of all locks without names together; of more, only the objects that any of them may be in are known.
const MAX_PLACES: usize = 256;

/// Where locks may start; empty if nothing is known. Sorted; made by [`targets`].
pub(crate) type Targets = Rc<[(ObjectId, Offsets)]>;

/// What code does to how often a lock is held.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Effect {
    net: i8,
    /// Not negative.
    floor: i8,
}

impl Effect {
    const NONE: Effect = Effect { net: 0, floor: 0 };
    pub(crate) const ACQUIRE: Effect = Effect { net: 1, floor: 1 };
    pub(crate) const RELEASE: Effect = Effect { net: -1, floor: 0 };
    /// The thread is known not to hold the lock.
    pub(crate) const ABSENT: Effect = Effect { net: NEVER, floor: 0 };

    fn then(self, next: Effect) -> Effect {
        Effect { net: sum(self.net, next.net), floor: sum(self.floor, next.net).max(next.floor) }
    }

    fn join(self, other: Effect) -> Effect {
        Effect { net: self.net.max(other.net), floor: self.floor.max(other.floor) }
    }

    /// Both, interleaved in any way.
    fn beside(self, other: Effect) -> Effect {
        if self.net == NEVER || other.net == NEVER {
            return Effect { net: self.net.max(other.net).max(0), floor: sum(self.floor, other.floor) };
        }
        Effect { net: sum(self.net, other.net), floor: sum(self.floor, other.floor) }
    }

    /// How often the lock is held at most if it was not before, as far as that is counted.
    fn times(self) -> Option<u8> {
        u8::try_from(self.net.max(self.floor)).ok().filter(|_| self.net != MANY && self.floor != MANY)
    }

    fn may_acquire(self) -> bool {
        self.net > 0 || self.floor > 0
    }
}

fn sum(a: i8, b: i8) -> i8 {
    match (a, b) {
        (NEVER, _) | (_, NEVER) => NEVER,
        (MANY, _) | (_, MANY) => MANY,
        _ => (a + b).clamp(-MANY, MANY),
    }
}

/// What code does to the locks of the thread that executes it.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Locks {
    /// Locks by their addresses, each with where it may be.
    named: BTreeMap<ExprId, (Effect, Targets)>,
    /// Locks that may be held and have no name any more.
    within: BTreeSet<Targets>,
    /// Any lock may be held.
    unknown: bool,
}

impl Locks {
    /// Any lock may be held.
    pub(crate) fn unknown() -> Self {
        Self { unknown: true, ..Self::default() }
    }

    pub(crate) fn is_unknown(&self) -> bool {
        self.unknown
    }

    /// Nothing is done.
    pub(crate) fn is_empty(&self) -> bool {
        self.named.is_empty() && self.within.is_empty() && !self.unknown
    }

    pub(crate) fn may_acquire(&self) -> bool {
        self.unknown || !self.within.is_empty() || self.named.values().any(|(effect, _)| effect.may_acquire())
    }

    /// Each lock by its address, with what is done to it and where it may be.
    pub(crate) fn named(&self) -> impl Iterator<Item = (ExprId, Effect, &Targets)> {
        self.named.iter().map(|(&e, (effect, targets))| (e, *effect, targets))
    }

    /// The addresses of what may be held if nothing was before, and how often each may be at most, if that is known.
    pub(crate) fn held(&self) -> impl Iterator<Item = (ExprId, Option<u8>)> {
        self.named().filter(|(_, effect, _)| effect.may_acquire()).map(|(e, effect, _)| (e, effect.times()))
    }

    /// What may be held and has no name.
    pub(crate) fn within(&self) -> impl Iterator<Item = &Targets> {
        self.within.iter()
    }

    /// Does something to one lock; to one without a name only what adds to it.
    pub(crate) fn apply(&mut self, lock: Option<ExprId>, effect: Effect, targets: &Targets) {
        let Some(lock) = lock else {
            if effect.may_acquire() {
                self.add_within(targets);
            }
            return;
        };
        let (known, places) = self.named.remove(&lock).unwrap_or_else(|| (Effect::NONE, Rc::clone(targets)));
        self.put(lock, known.then(effect), union(&places, targets));
        self.limit();
    }

    /// The same as [`Self::apply`] for a set that is being put together of what happens in no known order.
    pub(crate) fn apply_beside(&mut self, lock: Option<ExprId>, effect: Effect, targets: &Targets) {
        match lock.and_then(|e| Some((e, self.named.remove(&e)?))) {
            Some((lock, (known, places))) => self.put(lock, known.beside(effect), union(&places, targets)),
            None => self.apply(lock, effect, targets),
        }
    }

    /// Whether that was not known.
    pub(crate) fn add_within(&mut self, targets: &Targets) -> bool {
        if self.unknown {
            return false;
        }
        if targets.is_empty() {
            self.add_unknown();
            return true;
        }
        let is_known = self.within.iter().any(|known| Rc::ptr_eq(known, targets))
            || self.within.iter().any(|known| covers(known, targets));
        if !is_known {
            self.within.retain(|known| !covers(targets, known));
            self.within.insert(Rc::clone(targets));
            self.limit();
        }
        !is_known
    }

    pub(crate) fn add_unknown(&mut self) {
        self.unknown = true;
        self.limit();
    }

    /// Does what `next` does, in the same terms.
    pub(crate) fn then(&mut self, next: &Locks) {
        for (&lock, (effect, targets)) in &next.named {
            self.apply(Some(lock), *effect, targets);
        }
        for targets in &next.within {
            self.add_within(targets);
        }
        if next.unknown {
            self.add_unknown();
        }
    }

    /// What one or the other does; whether that is more.
    pub(crate) fn join(&mut self, other: &Locks) -> bool {
        if self.unknown {
            return false;
        }
        if other.unknown {
            self.add_unknown();
            return true;
        }
        let mut more = false;
        let locks: BTreeSet<ExprId> = self.named.keys().chain(other.named.keys()).copied().collect();
        for lock in locks {
            let known = self.named.remove(&lock);
            let (effect, targets) = match (&known, other.named.get(&lock)) {
                (Some((a, at)), Some((b, also_at))) => (a.join(*b), union(at, also_at)),
                (Some((a, at)), None) => (a.join(Effect::NONE), Rc::clone(at)),
                (None, Some((b, at))) => (b.join(Effect::NONE), Rc::clone(at)),
                (None, None) => continue,
            };
            more |= match &known {
                Some((old, at)) => *old != effect || !Rc::ptr_eq(at, &targets),
                None => effect != Effect::NONE,
            };
            self.put(lock, effect, targets);
        }
        self.limit();
        for targets in &other.within {
            more |= self.add_within(targets);
        }
        more
    }

    /// Locks whose address is no longer what its name says lose the name.
    pub(crate) fn rename(&mut self, ends: impl Fn(ExprId) -> bool) {
        let ending: Vec<ExprId> = self.named.keys().copied().filter(|&e| ends(e)).collect();
        for lock in ending {
            let Some((effect, targets)) = self.named.remove(&lock) else { continue };
            self.apply(None, effect, &targets);
        }
    }

    fn put(&mut self, lock: ExprId, effect: Effect, targets: Targets) {
        if effect != Effect::NONE {
            self.named.insert(lock, (effect, targets));
        }
    }

    fn limit(&mut self) {
        if self.unknown {
            // Says all that the others could.
            self.named.clear();
            self.within.clear();
            return;
        }
        if self.named.len() > MAX_LOCKS {
            self.rename(|_| true);
        }
        let places: usize = self.within.iter().map(|targets| targets.len()).sum();
        if self.within.len() > MAX_LOCKS || self.within.len() > 1 && places > MAX_PLACES {
            let all = self.within.iter().flat_map(|targets| targets.iter());
            self.within = BTreeSet::from([targets(all.map(|&(object, _)| (object, Offsets::ANY)))]);
        }
    }
}

/// The places of both; one of the two if it says that already.
fn union(a: &Targets, b: &Targets) -> Targets {
    if a.is_empty() || !b.is_empty() && covers(a, b) {
        Rc::clone(a)
    } else if b.is_empty() || covers(b, a) {
        Rc::clone(b)
    } else {
        targets(a.iter().chain(b.iter()).copied())
    }
}

/// Some places, as [`Targets`].
pub(crate) fn targets(places: impl Iterator<Item = (ObjectId, Offsets)>) -> Targets {
    let mut all: Vec<(ObjectId, Offsets)> = places.collect();
    all.sort_unstable();
    all.dedup();
    if all.len() > MAX_TARGETS {
        all.iter_mut().for_each(|place| place.1 = Offsets::ANY);
        all.dedup();
    }
    all.into()
}

/// Whether all places of `b` are seen to be among those of `a`.
fn covers(a: &Targets, b: &Targets) -> bool {
    let is_in = |place: &(ObjectId, Offsets)| a.binary_search(place).is_ok();
    Rc::ptr_eq(a, b)
        || a.len().max(MAX_TARGETS) >= b.len() && b.iter().all(|place| is_in(place) || is_in(&(place.0, Offsets::ANY)))
}

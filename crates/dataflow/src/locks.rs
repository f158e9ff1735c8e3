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

/// Where locks may start; empty if nothing is known.
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

    /// The addresses of what may be held if nothing was before.
    pub(crate) fn held(&self) -> impl Iterator<Item = ExprId> {
        self.named().filter(|(_, effect, _)| effect.may_acquire()).map(|(e, ..)| e)
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

    pub(crate) fn add_within(&mut self, targets: &Targets) {
        if targets.is_empty() {
            self.add_unknown();
        } else {
            self.within.insert(Rc::clone(targets));
            self.limit();
        }
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
        let before = self.clone();
        let locks: BTreeSet<ExprId> = self.named.keys().chain(other.named.keys()).copied().collect();
        for lock in locks {
            let (effect, targets) = match (self.named.remove(&lock), other.named.get(&lock)) {
                (Some((a, at)), Some((b, also_at))) => (a.join(*b), union(&at, also_at)),
                (Some((a, at)), None) => (a.join(Effect::NONE), at),
                (None, Some((b, at))) => (b.join(Effect::NONE), Rc::clone(at)),
                (None, None) => continue,
            };
            self.put(lock, effect, targets);
        }
        self.within.extend(other.within.iter().cloned());
        self.unknown |= other.unknown;
        self.limit();
        *self != before
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
        if self.within.len() > MAX_LOCKS {
            let all = self.within.iter().flat_map(|targets| targets.iter());
            let anywhere: BTreeSet<(ObjectId, Offsets)> = all.map(|&(object, _)| (object, Offsets::ANY)).collect();
            self.within = BTreeSet::from([anywhere.into_iter().collect()]);
        }
    }
}

fn union(a: &Targets, b: &Targets) -> Targets {
    if a == b || a.is_empty() {
        return Rc::clone(a);
    }
    if b.is_empty() {
        return Rc::clone(b);
    }
    let all: BTreeSet<(ObjectId, Offsets)> = a.iter().chain(b.iter()).copied().collect();
    all.into_iter().collect()
}

//! How often a thread may hold which locks: the lattice of relative locksets.
//!
//! J. Voung, R. Jhala, S. Lerner, "RELAY" (2007), with may for must as in Bergan 2.5.4. `L+` is what may be acquired
//! without being released, `L-` what is always released without being acquired. Deviation: both are one pair of
//! numbers per lock, an [effect](crate::lock_effect).

use std::collections::BTreeSet;
use std::rc::Rc;

use icsched_pointsto::{ObjectId, Offsets};

use crate::budgets::BUDGETS;
use crate::expr::ExprId;
use crate::lock_effect::Effect;

/// Where locks may start; empty if nothing is known. Sorted; made by [`targets`].
pub(crate) type Targets = Rc<[(ObjectId, Offsets)]>;

/// The names of one lock: expressions that all are its address. Never empty.
pub(crate) type Names = BTreeSet<ExprId>;

/// A lock, and what may have been done to it: nothing, or what `effect` says; in the latter case all of its names are
/// its address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Named {
    pub(crate) names: Names,
    pub(crate) effect: Effect,
    /// Where it may be.
    pub(crate) targets: Targets,
}

/// What code does to the locks of the thread that executes it.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Locks {
    /// Sorted by names. Two of them may be the same lock; then both was done to it.
    named: Vec<Named>,
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
        self.unknown || !self.within.is_empty() || self.named.iter().any(|lock| lock.effect.may_acquire())
    }

    /// Each lock that has names, with what is done to it and where it may be.
    pub(crate) fn named(&self) -> &[Named] {
        &self.named
    }

    /// One name of each lock that may be held if none was before, and how often it may be at most, if that is known.
    pub(crate) fn held(&self) -> impl Iterator<Item = (ExprId, Option<u8>)> {
        let held = self.named.iter().filter(|lock| lock.effect.may_acquire());
        held.filter_map(|lock| Some((*lock.names.first()?, lock.effect.times())))
    }

    /// What may be held and has no name.
    pub(crate) fn within(&self) -> impl Iterator<Item = &Targets> {
        self.within.iter()
    }

    /// Does something to the lock with one of these names; to one without a name only what adds to it. Names that were
    /// not used are names of the lock only if something was done to it before, so they end.
    pub(crate) fn apply(&mut self, names: &Names, effect: Effect, targets: &Targets) {
        self.combine(names, targets, |known| known.then(effect));
    }

    /// The same as [`Self::apply`] for a set that is being put together of what happens in no known order.
    pub(crate) fn apply_beside(&mut self, names: &Names, effect: Effect, targets: &Targets) {
        let is_known = self.named.iter().any(|lock| !lock.names.is_disjoint(names));
        self.combine(names, targets, |known| if is_known { known.beside(effect) } else { effect });
    }

    fn combine(&mut self, names: &Names, targets: &Targets, effect: impl Fn(Effect) -> Effect) {
        if names.is_empty() {
            if effect(Effect::NONE).may_acquire() {
                self.add_within(targets);
            }
            return;
        }
        let lock = match self.named.iter().position(|lock| !lock.names.is_disjoint(names)) {
            Some(at) => {
                let Named { names: known, effect: before, targets: places } = self.named.remove(at);
                let names = known.intersection(names).copied().collect();
                Named { names, effect: effect(before), targets: union(&places, targets) }
            }
            None => Named { names: names.clone(), effect: effect(Effect::NONE), targets: Rc::clone(targets) },
        };
        self.put(lock);
        self.limit();
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
        for Named { names, effect, targets } in &next.named {
            self.apply(names, *effect, targets);
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
        let before = self.named.clone();
        let mut theirs = other.named.clone();
        for lock in std::mem::take(&mut self.named) {
            let same = theirs.iter().position(|other| !other.names.is_disjoint(&lock.names));
            let Named { names, effect, targets } = match same.map(|at| theirs.remove(at)) {
                Some(other) => Named {
                    names: lock.names.intersection(&other.names).copied().collect(),
                    effect: lock.effect.join(other.effect),
                    targets: union(&lock.targets, &other.targets),
                },
                None => Named { effect: lock.effect.join(Effect::NONE), ..lock },
            };
            self.put(Named { names, effect, targets });
        }
        for lock in theirs {
            self.put(Named { effect: lock.effect.join(Effect::NONE), ..lock });
        }
        let mut more = self.named != before;
        self.limit();
        for targets in &other.within {
            more |= self.add_within(targets);
        }
        more
    }

    /// Ends names that are no longer the address of their lock.
    pub(crate) fn rename(&mut self, ends: impl Fn(ExprId) -> bool) {
        self.hand_on(|name, names| {
            if !ends(name) {
                names.insert(name);
            }
        });
    }

    /// Gives locks other names: for each one that they have, those that `next` adds.
    pub(crate) fn hand_on(&mut self, mut next: impl FnMut(ExprId, &mut Names)) {
        for lock in std::mem::take(&mut self.named) {
            let mut names = Names::new();
            lock.names.iter().for_each(|&name| next(name, &mut names));
            if !names.is_empty() {
                self.put(Named { names, ..lock });
            } else if lock.effect.may_acquire() {
                self.add_within(&lock.targets);
            }
        }
        self.limit();
    }

    fn put(&mut self, mut lock: Named) {
        if lock.effect == Effect::NONE {
            return;
        }
        // What takes from a lock is said of one name only: nothing else was done to a lock with another one, if it is
        // another lock.
        let most = if lock.effect.net < 0 { 1 } else { BUDGETS.lock_names };
        while lock.names.len() > most {
            lock.names.pop_last();
        }
        let at = self.named.partition_point(|known| known.names < lock.names);
        self.named.insert(at, lock);
    }

    fn limit(&mut self) {
        if self.unknown {
            // Says all that the others could.
            self.named.clear();
            self.within.clear();
            return;
        }
        if self.named.len() > BUDGETS.locks {
            self.rename(|_| true);
        }
        let places: usize = self.within.iter().map(|targets| targets.len()).sum();
        if self.within.len() > BUDGETS.locks || self.within.len() > 1 && places > BUDGETS.unnamed_lock_places {
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
    if all.len() > BUDGETS.lock_places {
        all.iter_mut().for_each(|place| place.1 = Offsets::ANY);
        all.dedup();
    }
    all.into()
}

/// Whether all places of `b` are seen to be among those of `a`.
fn covers(a: &Targets, b: &Targets) -> bool {
    let is_in = |place: &(ObjectId, Offsets)| a.binary_search(place).is_ok();
    Rc::ptr_eq(a, b)
        || a.len().max(BUDGETS.lock_places) >= b.len()
            && b.iter().all(|place| is_in(place) || is_in(&(place.0, Offsets::ANY)))
}

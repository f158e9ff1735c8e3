//! What paths have come to in the initial state, in order: names of inputs, and objects that nobody knew before.
//!
//! For example, the first path reads `*p`, so there is an object behind `p` from then on, and a name for its first
//! bytes. Which names there are, and which objects pointers are compared with, depends on what earlier paths have come
//! to ([`Origins`](super::origin::Origins)). A constraint means the same elsewhere only if all that was come to in
//! the same order. So a domain keeps a log, and another one can [repeat](SymbolicDomain::repeat_discoveries) it before
//! it executes any path.

use icsched_ir::EntityId as _;
use icsched_machine::abstraction::{Passage, Replaced};
use icsched_machine::folding::FoldChoice;
use icsched_pointsto::{ObjectId as Abstract, Offsets};
use icsched_smt::Term;
use icsched_smt::serial::{self, ImportError, TermDag};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::discovery::{Discovery, Held, LaterKey};
use super::origin::is_like;
use super::root::{Places, Root, RootId, RootName};
use crate::budgets::BUDGETS;
use crate::domain::SymbolicDomain;
use crate::values::value::SymValue;

/// A log of discoveries as text.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StoredDiscoveries {
    terms: TermDag,
    log: Vec<Discovery<usize>>,
}

/// Why a log cannot be repeated: it is of another epoch, or damaged.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RepeatError {
    /// Its terms cannot be read.
    #[error("the terms of its names cannot be read: {0}")]
    Terms(#[from] ImportError),
    /// An entry is about what the epoch does not have.
    #[error("entry {0} of its names is about what the epoch does not have")]
    Entry(usize),
}

impl SymbolicDomain {
    /// From now on discoveries are kept: what the initial state itself has is the same in every domain.
    pub fn keep_discoveries(&mut self) {
        if let Some(origins) = self.origins.as_deref_mut() {
            origins.discoveries = Some(Vec::new());
        }
    }

    /// What paths have come to since, without what nobody has read. O(discoveries and their terms).
    pub fn discoveries(&self) -> StoredDiscoveries {
        let Some(origins) = self.origins.as_deref() else { return self.stored(&[]) };
        let kept = origins.discoveries.as_deref().unwrap_or_default();
        let read: FxHashSet<RootId> = kept.iter().filter_map(Discovery::reads).collect();
        let mut all: Vec<Discovery<Term>> = Vec::new();
        for discovery in kept {
            let unread = discovery.makes_for_reading().filter(|root| !read.contains(root));
            match (unread, all.last_mut(), discovery) {
                (Some(_), Some(Discovery::Unread { count, .. }), _) => *count += 1,
                (Some(root), ..) => all.push(Discovery::Unread { root, count: 1 }),
                (None, _, Discovery::Allocated { root, site, name, .. }) => {
                    let (root, site, fresh) = (*root, *site, origins.get(*root).fresh);
                    all.push(Discovery::Allocated { root, site, fresh, name: name.clone() });
                }
                (None, ..) => all.push(discovery.clone()),
            }
        }
        self.stored(&all)
    }

    fn stored(&self, all: &[Discovery<Term>]) -> StoredDiscoveries {
        let mut terms: Vec<Term> = Vec::new();
        let mut position = |term| {
            terms.push(term);
            Some(terms.len() - 1)
        };
        let log = all.iter().filter_map(|discovery| discovery.clone().try_map(&mut position)).collect();
        StoredDiscoveries { terms: serial::export(&self.pool, &terms), log }
    }

    /// Comes to the same, in the same order, in an initial state of the same epoch of which no path was executed.
    ///
    /// # Errors
    /// If the log is of another epoch, or damaged.
    pub fn repeat_discoveries(&mut self, stored: &StoredDiscoveries) -> Result<(), RepeatError> {
        if self.origins.is_none() {
            return if stored.log.is_empty() { Ok(()) } else { Err(RepeatError::Entry(0)) };
        }
        let terms = serial::import(&mut self.pool, &stored.terms)?;
        for (entry, discovery) in stored.log.iter().enumerate() {
            let known = discovery.clone().try_map(|position| terms.get(position).copied());
            known.and_then(|discovery| self.repeat(discovery)).ok_or(RepeatError::Entry(entry))?;
        }
        Ok(())
    }

    /// Comes to the same; `None` if that cannot be.
    fn repeat(&mut self, discovery: Discovery<Term>) -> Option<()> {
        match discovery {
            Discovery::Bytes { root, at, len, name } => {
                let last = at.checked_add(u64::from(len).checked_sub(1)?)?;
                let known = self.known_root(root)?;
                let before = known.symbols.range(..=last).next_back();
                let is_read = before.is_some_and(|(&s, &(n, _))| s >= at || at - s < u64::from(n));
                if is_read || known.known.range(at..=last).next().is_some() || len > 8 {
                    return None;
                }
                self.named(name, |domain| domain.initial_symbol(root, at, len))?;
            }
            Discovery::Indexed { root, offset, len, name } => {
                self.known_root(root)?;
                if !(1..=8).contains(&len) || self.pool.width(offset) != 64 || self.pool.as_const(offset).is_some() {
                    return None;
                }
                match name {
                    Some(name) => self.named(name, |domain| domain.initial_at(root, offset, len))?,
                    None => self.initial_at(root, offset, len),
                };
            }
            Discovery::Pointee { root, pointer } => {
                let is_pointer = self.pool.width(pointer) == 64 && self.origins().is_initial(pointer);
                if !is_pointer || self.origins().root_of.contains_key(&pointer) {
                    return None;
                }
                let places = self.origins().places(pointer);
                let new = self.new_places(&places);
                let (origin, size) = self.layout(&new);
                self.is_next(root)?;
                self.root_behind(pointer, &new, origin, size);
            }
            Discovery::Value { passage, value, name } => {
                self.is_passage(&passage)?;
                let function = &self.origins().program.functions[passage.func];
                let ty = function.values.get(value)?.ty;
                let symbol = self.named(name, |domain| domain.forget_value(passage, value, ty, ""))?;
                let SymValue::Term(symbol) = symbol else { return None };
                self.origins().given_symbols.insert(symbol);
            }
            Discovery::Rounds { passage, name } => {
                self.is_passage(&passage)?;
                let symbol = self.named(name, |domain| domain.rounds_named(passage, String::new()))?;
                self.origins().given_symbols.insert(symbol);
            }
            Discovery::Later { root, key, held } => {
                self.is_passage(&key.0)?;
                let Held { name, ty, places, origin, size } = held;
                let objects = self.origins().points_to.objects().len();
                let is_there = |(object, _): &(Abstract, Offsets)| object.index() < objects;
                let is_type = ty.is_none_or(|ty| ty.index() < self.origins().program.types.len());
                if !is_type
                    || !places.iter().flatten().all(is_there)
                    || self.origins().forgotten.roots.contains_key(&key)
                {
                    return None;
                }
                let places = self.places_of(places.as_deref());
                self.is_next(root)?;
                let held = Held { name: String::new(), ty, places, origin, size };
                self.root_named(name, |domain| domain.later_root(key, held))?;
                self.origins().repeated.insert(root);
            }
            Discovery::Unwritten { root, object, site, fresh, name } => {
                self.is_next(root)?;
                self.root_named(name, |domain| domain.unwritten(object, site, fresh))?;
            }
            Discovery::Allocated { root, site, fresh, name } => {
                self.is_next(root)?;
                self.root_named(name, |domain| domain.allocated_root(site))?;
                self.origins().get_mut(root).fresh = fresh;
            }
            Discovery::Choice { choice, name } => {
                let symbol = self.named(name, |domain| domain.choice_symbol(choice, ""))?;
                self.origins().given_symbols.insert(symbol);
            }
            Discovery::Unread { root, count } => {
                self.is_next(root)?;
                if root.index() + count as usize > BUDGETS.repeated_roots {
                    return None;
                }
                for _ in 0..count {
                    self.origins().root(RootName::Variable(String::new(), None), [].into(), 0);
                }
            }
        }
        Some(())
    }

    /// Makes a symbol that gets this name, if no other one has it.
    fn named<R>(&mut self, name: String, make: impl FnOnce(&mut Self) -> R) -> Option<R> {
        let is_given = self.origins().give(name);
        let made = is_given.then(|| make(self))?;
        // What was there already was given no name.
        self.origins().given.take().is_none().then_some(made)
    }

    /// Makes a root that gets this name, whatever is called so: its symbols get names of their own.
    fn root_named<R>(&mut self, name: String, make: impl FnOnce(&mut Self) -> R) -> Option<R> {
        self.origins().given = Some(name);
        let made = make(self);
        self.origins().given.take().is_none().then_some(made)
    }

    fn known_root(&mut self, root: RootId) -> Option<&Root> {
        self.origins().roots.get(root.index())
    }

    /// Whether the next root that is made is this one.
    fn is_next(&mut self, root: RootId) -> Option<()> {
        (root.index() == self.origins().roots.len()).then_some(())
    }

    /// Whether code is summarised there.
    fn is_passage(&mut self, passage: &Passage) -> Option<()> {
        let origins = self.origins();
        let function = origins.program.functions.get(passage.func)?;
        let is_there = match passage.what {
            Replaced::Loop | Replaced::Call(_) => origins.forgotten.replaced.effect(passage).is_some(),
            Replaced::Question(_) | Replaced::Activation => function.blocks.get(passage.block).is_some(),
        };
        is_there.then_some(())
    }

    /// Places as they are stored, as places.
    fn places_of(&mut self, places: Option<&[(Abstract, Offsets)]>) -> Places {
        match places {
            Some(places) => places.into(),
            // What nobody knows may hold any pointer.
            None => self.origins().points_to.objects().iter().map(|(o, _)| (o, Offsets::ANY)).collect(),
        }
    }

    /// A root for what an object holds behind summarised code.
    pub(crate) fn later_root(&mut self, key: LaterKey, held: Held<Places>) -> RootId {
        let Held { name, ty, places, origin, size } = held;
        let origins = self.origins();
        let objects = origins.points_to.objects().len();
        let name = origins.unique(name);
        let root = origins.root(RootName::Variable(name.clone(), ty), Places::clone(&places), origin);
        origins.set_size(root, size);
        origins.discover(|| {
            let is_anywhere = places.len() == objects && places.iter().all(|&(_, offsets)| offsets == Offsets::ANY);
            let places = (!is_anywhere).then(|| places.to_vec());
            Discovery::Later { root, key, held: Held { name, ty, places, origin, size } }
        });
        origins.forgotten.roots.insert(key, root);
        origins.forgotten.passages.insert(root, key.0);
        root
    }

    /// The symbol of a question about folded activations.
    pub(crate) fn choice_symbol(&mut self, choice: FoldChoice, name: &str) -> Term {
        if let Some(&known) = self.origins().choices.get(&choice) {
            self.confirm_name(known, name);
            return known;
        }
        let name = self.origins().unique(name.to_owned());
        let symbol = self.pool.symbol(&name, 1);
        self.origins().discover(|| Discovery::Choice { choice, name });
        self.origins().choices.insert(choice, symbol);
        symbol
    }

    /// Looks whether a root that was [repeated](Self::repeat_discoveries) is what the first path that comes to it
    /// finds.
    pub(crate) fn confirm_later(&mut self, root: RootId, found: impl FnOnce(&mut Self) -> Held<Places>) {
        if self.origins().repeated.remove(&root) {
            let Held { name, ty, places, origin, size } = found(self);
            let known = self.origins().get(root);
            let is_named = matches!(&known.name, RootName::Variable(given, of) if *of == ty && is_like(given, &name));
            if !is_named || known.places != places || known.origin != origin || known.size != size {
                self.origins().contradicts = true;
            }
        }
    }

    /// Looks whether a symbol that was [repeated](Self::repeat_discoveries) has the name that a path would give it.
    pub(crate) fn confirm_name(&mut self, symbol: Term, name: &str) {
        let is_given = self.origins().given_symbols.remove(&symbol);
        if is_given && !self.pool.symbol_name(symbol).is_some_and(|given| is_like(given, name)) {
            self.origins().contradicts = true;
        }
    }

    /// Whether a path has found something else than a log that was repeated says.
    pub fn contradicts_discoveries(&self) -> bool {
        self.origins.as_deref().is_some_and(|origins| origins.contradicts)
    }
}

//! Which objects a symbolic address may point into (Bergan 2.4.1, "compound symbolic pointer expressions").
//!
//! An address is a sum. Its constant part, or the constants in the arms of its choices, hold object ids in their high
//! halves; walking the choices gives one guarded alternative per constant, never a fork. Errors (null, freed, out of
//! bounds) are conditions to decide, one per kind of error and alternative, and most fold to a constant.
//!
//! An address in which no object id is visible (read from an object in array form, or computed from input) is decided
//! object by object: `address >> 32 == id` for an id the solver proposes.

use icsched_smt::{BinOp, CmpOp, Node, Term};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::alternative::{Alternative, Alternatives};
use crate::budgets::BUDGETS;
use crate::domain::{SymbolicDomain, unsupported};
use crate::path::SymPath;
use crate::places::StatePlaces;
use crate::print::Printer;
use crate::values::value::SymValue;
use icsched_machine::domain::{Domain, Target, Targets};
use icsched_machine::memory::{ADDRESS_SPACE, AddressClass, Heap, ObjectId, UNKNOWN_SIZE, address, classify};
use icsched_machine::stop::{DecisionKind, ErrorKind, PathEnd, Stop};

fn holds_object(constant: u64) -> bool {
    matches!(classify(constant), AddressClass::Object(..))
}

/// Whether an address is one of code, or a number of bytes behind one.
fn is_code(constant: u64) -> bool {
    let start = address(ObjectId((constant >> 32) as u32), 0);
    matches!(classify(start), AddressClass::Function(_))
}

impl SymbolicDomain {
    /// The targets of an access of `n` bytes at an address that is no constant. The heap may be the one of a domain
    /// that wraps this one.
    pub fn targets<D: Domain>(
        &mut self,
        path: &SymPath,
        heap: &Heap<D>,
        at: Term,
        n: u64,
    ) -> Result<Targets<SymValue>, Stop<Self>> {
        self.continues = heap.continues();
        let mut alternatives = self.alternatives(path, at);
        if let Some(pointer) = self.hidden.take() {
            return Err(Stop::Hidden { pointer: SymValue::Term(pointer) });
        }
        self.unite_code(&mut alternatives);
        if alternatives.len() > BUDGETS.address_alternatives {
            alternatives = SmallVec::from_elem(Alternative::opaque(at), 1);
        }
        let mut targets = Targets::new();
        for guard in self.dangling(&mut alternatives) {
            self.take_for_granted(guard)?;
        }
        for alternative in alternatives {
            let located = match alternative {
                Alternative { rest: Some(_), constant, exposed: true, .. } if !holds_object(constant) => {
                    Alternative { rest: None, ..alternative }
                }
                Alternative { rest: Some(_), constant, .. } if !holds_object(constant) => {
                    match self.decide_object(path, alternative)? {
                        Some(located) => located,
                        None => continue,
                    }
                }
                visible => visible,
            };
            if let Some((object, offset)) = self.check_alternative(path, heap, located, n)? {
                targets.push(Target { guard: located.guard.map(SymValue::Term), object, offset: self.value(offset) });
            }
        }
        // What is not an error is the only case left.
        if let [only] = targets.as_mut_slice() {
            only.guard = None;
        }
        if targets.is_empty() && !heap.recovers() {
            return Err(unsupported("an address without a possible object".to_owned()));
        }
        Ok(targets)
    }

    /// All alternatives of a pointer of the initial state that are no objects are one error: a program with many
    /// functions has pointers that may be any of them.
    fn unite_code(&mut self, alternatives: &mut Alternatives) {
        let is_code = |a: &Alternative| {
            let class = classify(a.constant);
            a.exposed && !a.dangling && matches!(class, AddressClass::Function(_) | AddressClass::Other)
        };
        let Some(first) = alternatives.iter().position(is_code) else { return };
        let guards: Vec<Term> = alternatives.iter().filter(|a| is_code(a)).filter_map(|a| a.guard).collect();
        if guards.len() > 1 {
            let kept = alternatives[first];
            alternatives.retain(|a| !is_code(a) || a.constant == kept.constant);
            alternatives[first].guard = Some(self.pool.or_all(&guards));
        }
    }

    /// Assumes what is taken for granted of the initial state; a path on which it was decided otherwise is none.
    pub(crate) fn take_for_granted(&mut self, condition: Term) -> Result<(), Stop<Self>> {
        if self.ask(condition, DecisionKind::Assume)? {
            return Ok(());
        }
        Err(Stop::End(Box::new(PathEnd::Infeasible)))
    }

    /// Takes out the alternatives that are taken not to happen: the conditions for that.
    pub(crate) fn dangling(&mut self, alternatives: &mut Alternatives) -> SmallVec<[Term; 2]> {
        let mut excluded = SmallVec::new();
        alternatives.retain(|alternative| {
            if alternative.dangling {
                excluded.extend(alternative.guard.map(|guard| self.pool.not(guard)));
            }
            !alternative.dangling
        });
        excluded
    }

    /// The object and offset of an alternative that is no error; `None` when it is one and decided not to happen.
    fn check_alternative<D: Domain>(
        &mut self,
        path: &SymPath,
        heap: &Heap<D>,
        alternative: Alternative,
        n: u64,
    ) -> Result<Option<(ObjectId, Term)>, Stop<Self>> {
        let Alternative { guard, constant, rest, .. } = alternative;
        let id = match classify(constant) {
            AddressClass::Object(id, _) => id,
            AddressClass::Null if rest.is_none() => {
                self.exclude(guard, ErrorKind::NullPointer, |_| "access through a null pointer".to_owned())?;
                return Ok(None);
            }
            AddressClass::Function(_) | AddressClass::Other if is_code(constant) => {
                let message = |_: &Self| "access through a pointer to code".to_owned();
                self.exclude(guard, ErrorKind::WildPointer, message)?;
                return Ok(None);
            }
            AddressClass::Null | AddressClass::Function(_) | AddressClass::Other => {
                let plural = if n == 1 { "" } else { "s" };
                let message = |_: &Self| format!("access of {n} byte{plural} at an address that is no object's");
                self.exclude(guard, ErrorKind::WildPointer, message)?;
                return Ok(None);
            }
        };
        let Some(object) = heap.object(id) else {
            self.exclude(guard, ErrorKind::WildPointer, |_| "access through a pointer to nothing".to_owned())?;
            return Ok(None);
        };
        if let Err(fault) = heap.check_alive(id, false) {
            self.exclude_kind(guard, DecisionKind::Alive, fault.kind, |_| fault.message)?;
            return Ok(None);
        }
        let from_start = self.pool.constant(64, constant.wrapping_sub(address(id, 0)));
        let offset = match rest {
            Some(rest) => self.pool.binary(BinOp::Add, rest, from_start),
            None => from_start,
        };
        if let Some(root) = crate::initial::root::RootId::of_object(object)
            && let Some((low, end)) = self.origins.as_deref().and_then(|o| o.get(root).extent)
        {
            return self.check_extent((path, heap), (id, guard), offset, n, (low, end));
        }
        let Some(last) = object.size.checked_sub(n) else {
            self.exclude(guard, ErrorKind::OutOfBounds, |domain| domain.outside(path, heap, id, offset, n))?;
            return Ok(None);
        };
        let last = self.pool.constant(64, last);
        let inside = self.pool.cmp(CmpOp::Ule, offset, last);
        let required = self.under(guard, inside);
        if object.size == UNKNOWN_SIZE && self.origins.as_deref().is_some_and(|o| !o.memory_checks) {
            // Nobody knows where it ends: no error is looked for there, so that there is no message to tell.
            if !self.ask(required, DecisionKind::InBounds)? {
                let message = self.outside(path, heap, id, offset, n);
                return Err(Stop::Fault { kind: ErrorKind::OutOfBounds, message });
            }
        } else {
            self.require(required, DecisionKind::InBounds, ErrorKind::OutOfBounds, |domain| {
                domain.outside(path, heap, id, offset, n)
            })?;
        }
        Ok((!self.pool.is_false(inside)).then_some((id, offset)))
    }

    /// The same for an object of the initial state of which nobody knows how large it is. Offsets that are constants
    /// are taken to be inside: the program's types say so.
    fn check_extent<D: Domain>(
        &mut self,
        (path, heap): (&SymPath, &Heap<D>),
        (id, guard): (ObjectId, Option<Term>),
        offset: Term,
        n: u64,
        (low, end): (Term, Term),
    ) -> Result<Option<(ObjectId, Term)>, Stop<Self>> {
        if self.pool.as_const(offset).is_none() {
            let last = self.pool.constant(64, n.wrapping_neg());
            let last = self.pool.binary(BinOp::Add, end, last);
            let (above, below) = (self.pool.cmp(CmpOp::Sle, low, offset), self.pool.cmp(CmpOp::Sle, offset, last));
            let inside = self.pool.binary(BinOp::And, above, below);
            let required = self.under(guard, inside);
            self.require(required, DecisionKind::InBounds, ErrorKind::OutOfBounds, |domain| {
                domain.outside(path, heap, id, offset, n)
            })?;
        }
        Ok(Some((id, offset)))
    }

    /// What is wrong with an access of `n` bytes at an offset of an object.
    fn outside<D: Domain>(&self, path: &SymPath, heap: &Heap<D>, id: ObjectId, offset: Term, n: u64) -> String {
        let names = |_| None;
        let places = StatePlaces { heap, path, domain: self, names: &names };
        let printer = Printer::with_places(&self.pool, &places);
        match printer.place_in(id, offset) {
            Some((place, object)) => heap.outside_message(id, &place, object.as_deref(), n),
            None => heap.bounds_message(id, &printer.value(offset), n, false),
        }
    }

    /// `guard => condition`.
    fn under(&mut self, guard: Option<Term>, condition: Term) -> Term {
        match guard {
            Some(guard) => {
                let otherwise = self.pool.not(guard);
                self.pool.binary(BinOp::Or, otherwise, condition)
            }
            None => condition,
        }
    }

    /// An alternative that is an error: it must not be taken.
    fn exclude(
        &mut self,
        guard: Option<Term>,
        error: ErrorKind,
        message: impl FnOnce(&Self) -> String,
    ) -> Result<(), Stop<Self>> {
        self.exclude_kind(guard, DecisionKind::InBounds, error, message)
    }

    fn exclude_kind(
        &mut self,
        guard: Option<Term>,
        kind: DecisionKind,
        error: ErrorKind,
        message: impl FnOnce(&Self) -> String,
    ) -> Result<(), Stop<Self>> {
        let never = self.pool.bool(false);
        let excluded = self.under(guard, never);
        self.require(excluded, kind, error, message)
    }

    /// A condition that must hold, else the access is an error of the program.
    fn require(
        &mut self,
        condition: Term,
        kind: DecisionKind,
        error: ErrorKind,
        message: impl FnOnce(&Self) -> String,
    ) -> Result<(), Stop<Self>> {
        let kind = if self.continues { DecisionKind::Valid } else { kind };
        match self.ask(condition, kind) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Stop::Fault { kind: error, message: message(self) }),
            Err(Stop::Undecided { condition, kind, .. }) => {
                Err(Stop::Undecided { condition, kind, error: Some(Box::new((error, message(self)))) })
            }
            Err(other) => Err(other),
        }
    }

    /// An address without a visible object: asks which object it is in. The result is relative to that object's
    /// start; `None` if the alternative cannot happen on this path.
    fn decide_object(&mut self, path: &SymPath, alternative: Alternative) -> Result<Option<Alternative>, Stop<Self>> {
        let Alternative { guard, constant, rest, .. } = alternative;
        if rest.is_some_and(|rest| self.is_indeterminate(rest)) {
            let message = |_: &Self| "access through a pointer that was read by an error".to_owned();
            self.exclude(guard, ErrorKind::WildPointer, message)?;
            return Ok(None);
        }
        let constant = self.pool.constant(64, constant);
        let at = rest.map_or(constant, |rest| self.pool.binary(BinOp::Add, rest, constant));
        let id = self.pool.extract(at, 63, 32);
        let not_null = self.is_far_from_null(at);
        let required = self.under(guard, not_null);
        self.require(required, DecisionKind::InBounds, ErrorKind::NullPointer, |_| {
            "access through a null pointer (or a small integer)".to_owned()
        })?;
        if self.pool.is_false(not_null) {
            return Ok(None);
        }
        let found = |id: u64, domain: &mut Self| {
            let start = address(ObjectId(id as u32), 0);
            let minus_start = domain.pool.constant(64, start.wrapping_neg());
            let offset = domain.pool.binary(BinOp::Add, at, minus_start);
            Alternative { guard, constant: start, rest: Some(offset), exposed: false, dangling: false }
        };
        for known in self.candidates.get(&id).cloned().unwrap_or_default() {
            let here = self.equals(id, known);
            let here = self.under(guard, here);
            if path.decided(here) == Some(true) && self.ask(here, DecisionKind::Concretise)? {
                return Ok(Some(found(known, self)));
            }
        }
        let condition = guard.unwrap_or_else(|| self.pool.bool(true));
        if let (Some(guard), Ok(None)) = (guard, self.model(path, condition)) {
            // Decisions on the path exclude it; that is one more decision to rely on.
            let excluded = self.pool.not(guard);
            self.ask(excluded, DecisionKind::Other)?;
            return Ok(None);
        }
        let candidate = self.candidate(path, id, condition)?;
        self.candidates.entry(id).or_default().push(candidate);
        let here = self.equals(id, candidate);
        let here = self.under(guard, here);
        self.ask(here, DecisionKind::Concretise)?;
        Ok(Some(found(candidate, self)))
    }

    /// Whether an address is none of [`AddressClass::Null`].
    fn is_far_from_null(&mut self, at: Term) -> Term {
        let half = self.pool.constant(64, ADDRESS_SPACE / 2);
        let moved = self.pool.binary(BinOp::Add, at, half);
        let null = self.pool.extract(moved, 63, ADDRESS_SPACE.ilog2());
        let null = self.equals(null, 0);
        self.pool.not(null)
    }

    /// The ranges of addresses that an address may be in that is used for an access on the path, ascending: one
    /// address, or all of an object. `None` where no object is visible, or there are more than `BUDGETS.sync_objects`.
    pub(crate) fn address_ranges<D: Domain>(
        &mut self,
        path: &SymPath,
        heap: &Heap<D>,
        at: Term,
    ) -> Option<Vec<(u64, u64)>> {
        let mut ranges = Vec::new();
        // What the path has decided excludes none: other executions of the schedule may decide it otherwise, if nobody
        // asks here.
        for Alternative { constant, rest, dangling, .. } in self.alternatives(path, at) {
            match classify(constant) {
                _ if dangling => {}
                // Whoever uses it has excluded that it is null.
                AddressClass::Null if rest.is_none() => {}
                AddressClass::Object(id, _) if rest.is_none() => {
                    if heap.object(id).is_some_and(|object| object.is_alive()) {
                        ranges.push((constant, constant));
                    }
                }
                AddressClass::Object(id, _) => {
                    let object = heap.object(id).filter(|object| object.is_alive())?;
                    let last = object.size.saturating_sub(1).min(u64::from(u32::MAX));
                    ranges.push((address(id, 0), address(id, last)));
                }
                AddressClass::Null | AddressClass::Function(_) | AddressClass::Other => return None,
            }
        }
        ranges.sort_unstable();
        ranges.dedup();
        (1..=BUDGETS.sync_objects).contains(&ranges.len()).then_some(ranges)
    }

    /// The constants that a term can be, where they are visible in the arms of a choice.
    pub(crate) fn constant_arms(&mut self, t: Term) -> Vec<u64> {
        let mut found = Vec::new();
        let mut work = vec![t];
        let mut seen = FxHashSet::default();
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            match *self.pool.node(term) {
                Node::Ite(_, a, b) => work.extend([b, a]),
                Node::Const { bits, .. } if !found.contains(&(bits as u64)) => found.push(bits as u64),
                _ => {}
            }
            if found.len() > BUDGETS.address_alternatives {
                return Vec::new();
            }
        }
        found
    }

    /// An address as guarded sums of a constant and a rest; equal ones are merged.
    pub(crate) fn alternatives(&mut self, path: &SymPath, at: Term) -> Alternatives {
        let (mut merged, mut visits) = (Alternatives::new(), BUDGETS.address_terms);
        for alternative in self.walk(path, at, &mut visits) {
            self.add_alternative(&mut merged, alternative);
        }
        merged
    }

    fn add_alternative(&mut self, all: &mut Alternatives, alternative: Alternative) {
        let same = |a: &&mut Alternative| (a.constant, a.rest) == (alternative.constant, alternative.rest);
        match (all.iter_mut().find(same), alternative.guard) {
            (Some(Alternative { guard: Some(first), .. }), Some(second)) => {
                *first = self.pool.binary(BinOp::Or, *first, second);
            }
            (Some(twin), _) => twin.guard = None,
            (None, _) => all.push(alternative),
        }
    }

    /// `visits` bounds the work: arms that choices share are walked once for each of them.
    fn walk(&mut self, path: &SymPath, t: Term, visits: &mut u32) -> Alternatives {
        let opaque = SmallVec::from_elem(Alternative::opaque(t), 1);
        let Some(left) = visits.checked_sub(1) else { return opaque };
        *visits = left;
        let node = *self.pool.node(t);
        match node {
            Node::Const { bits, .. } => {
                let constant = bits as u64;
                SmallVec::from_elem(
                    Alternative { guard: None, constant, rest: None, exposed: false, dangling: false },
                    1,
                )
            }
            Node::Ite(condition, a, b) if self.is_pointer(path, t) => {
                let otherwise = self.pool.not(condition);
                let mut both = Alternatives::new();
                for (arm, guard) in [(a, condition), (b, otherwise)] {
                    for inner in self.walk(path, arm, visits) {
                        let guard = match inner.guard {
                            Some(inner) => self.pool.binary(BinOp::And, guard, inner),
                            None => guard,
                        };
                        if !self.pool.is_false(guard) {
                            self.add_alternative(&mut both, Alternative { guard: Some(guard), ..inner });
                        }
                        if both.len() > BUDGETS.address_alternatives {
                            return opaque;
                        }
                    }
                }
                both
            }
            Node::Binary(BinOp::Add, ..) => self.walk_sum(path, t, visits).unwrap_or(opaque),
            _ => self.walk_initial(path, t).unwrap_or(opaque),
        }
    }

    /// A sum: the addend that holds the object is walked, the others are added to the rest.
    fn walk_sum(&mut self, path: &SymPath, t: Term, visits: &mut u32) -> Option<Alternatives> {
        let (mut addends, mut constant) = (Vec::new(), 0u64);
        let mut work = vec![t];
        while let Some(term) = work.pop() {
            match *self.pool.node(term) {
                Node::Binary(BinOp::Add, a, b) => work.extend([b, a]),
                Node::Const { bits, .. } => constant = constant.wrapping_add(bits as u64),
                _ => addends.push(term),
            }
        }
        let alternatives = if holds_object(constant) {
            Alternatives::from_elem(
                Alternative { guard: None, constant, rest: None, exposed: false, dangling: false },
                1,
            )
        } else {
            let pointer = addends.iter().position(|&t| self.is_pointer(path, t));
            let pointer = pointer.or_else(|| self.only_initial(path, &addends))?;
            let pointer = addends.remove(pointer);
            let mut walked = self.walk(path, pointer, visits);
            walked.iter_mut().for_each(|a| a.constant = a.constant.wrapping_add(constant));
            walked
        };
        let add = |domain: &mut Self, sum: Option<Term>, t: Term| {
            Some(sum.map_or(t, |sum| domain.pool.binary(BinOp::Add, sum, t)))
        };
        let rest = addends.into_iter().fold(None, |sum, t| add(self, sum, t));
        Some(
            alternatives
                .into_iter()
                .map(|a| match rest {
                    Some(rest) => Alternative { rest: add(self, a.rest, rest), ..a },
                    None => a,
                })
                .collect(),
        )
    }

    /// Whether an object id is visible in a term.
    fn is_pointer(&mut self, path: &SymPath, t: Term) -> bool {
        let mut work = vec![t];
        let mut seen = FxHashSet::default();
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            let node = *self.pool.node(term);
            match node {
                Node::Const { bits, .. } if holds_object(bits as u64) => return true,
                Node::Ite(_, a, b) | Node::Binary(BinOp::Add, a, b) => work.extend([a, b]),
                _ if path.exposed(term).is_some() || self.is_hidden(path, term) => return true,
                _ => {}
            }
        }
        false
    }

    /// A pointer of the initial state, as the path knows it. One that the path does not know yet is remembered as
    /// hidden.
    fn walk_initial(&mut self, path: &SymPath, t: Term) -> Option<Alternatives> {
        if let Some(exposed) = path.exposed(t) {
            return Some(exposed.iter().copied().collect());
        }
        if self.is_unexposed(path, t) {
            self.hidden.get_or_insert(t);
        }
        None
    }

    /// The addend of a sum with a constant, if memory or a register held it in the initial state: it is a pointer, one
    /// that points nowhere. Of several addends any may be the pointer.
    fn only_initial(&self, path: &SymPath, addends: &[Term]) -> Option<usize> {
        let &[only] = addends else { return None };
        (path.exposed(only).is_some() || self.is_unexposed(path, only)).then_some(0)
    }
}

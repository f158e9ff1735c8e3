//! Synchronisation invariants of an initial state (Bergan 2.5.3).
//!
//! Deviation: Bergan says `taken = 0` exactly when no thread may hold the lock. Locksets are what *may* be held, so
//! only one half is true: a lock that no thread may hold is free. What was taken on the path is memory that was
//! written.

use icsched_pointsto::{ObjectId as Abstract, ObjectKind as AbstractKind, Offsets};
use icsched_smt::{BinOp, CmpOp, Node, Term};
use rustc_hash::FxHashSet;

use super::root::Places;
use super::sync_facts::Invariants;
use crate::domain::SymbolicDomain;
use crate::path::SymPath;
use crate::values::value::SymValue;
use icsched_machine::domain::Known;
use icsched_machine::memory::{AddressClass, classify, global_object};

/// `SEM_VALUE_MAX`: no semaphore holds more.
const MAX_PERMITS: u64 = (1 << 31) - 1;

impl SymbolicDomain {
    pub(crate) fn word_invariant(
        &mut self,
        path: &SymPath,
        known: Known<SymValue>,
        word: &SymValue,
        object: &SymValue,
    ) -> Option<SymValue> {
        let invariants = self.origins.as_deref().filter(|o| o.invariants.enabled)?.invariants.clone();
        let bits = if matches!(known, Known::Holder(_)) { 64 } else { 32 };
        let (word, object) = (self.term(word, bits), self.term(object, 64));
        let (word, object) = (self.expanded(word), self.expanded(object));
        // What the path itself says of locks is among the threads' locks, and barriers are not told anew what to
        // expect.
        let may_be_written = matches!(known, Known::ZeroUnlessHeld(_) | Known::Expected);
        if !self.is_of_initial_state(word, may_be_written) {
            return None;
        }
        let holds = match known {
            Known::ZeroUnlessHeld(held) => {
                if !invariants.locks_known || invariants.anywhere.iter().any(|p| self.may_be_at(path, object, p)) {
                    return None;
                }
                let zero = self.equals(word, 0);
                let mut cases = vec![zero];
                for lock in held.iter().chain(&invariants.abandoned) {
                    cases.push(self.is_same(lock, object));
                }
                self.pool.or_all(&cases)
            }
            Known::Expected => {
                let mut cases = Vec::new();
                for (places, count) in &invariants.expected {
                    if self.may_be_at(path, object, places) {
                        let count = self.term(&(*count)?, 32);
                        cases.push(self.equal(word, count));
                    }
                }
                if cases.is_empty() {
                    return None;
                }
                let any = self.pool.or_all(&cases);
                let least = self.pool.constant(32, invariants.least_expected);
                let enough = self.pool.cmp(CmpOp::Ule, least, word);
                let known = self.pool.binary(BinOp::And, any, enough);
                match invariants.most_expected {
                    Some(most) => {
                        let most = self.pool.constant(32, most);
                        let few = self.pool.cmp(CmpOp::Ule, word, most);
                        self.pool.binary(BinOp::And, known, few)
                    }
                    None => known,
                }
            }
            Known::Holder(holders) => {
                if !invariants.locks_known || invariants.anywhere.iter().any(|p| self.may_be_at(path, object, p)) {
                    return None;
                }
                let table = invariants.table?;
                let mut cases = Vec::new();
                for (lock, slot) in &holders {
                    let here = self.is_same(lock, object);
                    let is_it = self.equals(word, table.start + u64::from(*slot) * table.stride);
                    cases.push(self.pool.binary(BinOp::And, here, is_it));
                }
                for lock in &invariants.abandoned {
                    cases.push(self.is_same(lock, object));
                }
                self.pool.or_all(&cases)
            }
            Known::CountsHolds => {
                if !invariants.locks_known || invariants.anywhere.iter().any(|p| self.may_be_at(path, object, p)) {
                    return None;
                }
                let holds = self.may_count(&invariants, word, object);
                return Some(self.value(holds));
            }
            Known::CountsWaiters(waiting) => {
                let mut sum = self.pool.constant(32, 0);
                for queue in &waiting {
                    let here = self.is_same(queue, object);
                    let one = self.pool.zext(here, 32);
                    sum = self.pool.binary(BinOp::Add, sum, one);
                }
                self.equal(word, sum)
            }
            Known::CountsPermits(waiting) => {
                let zero = self.equals(word, 0);
                let while_waited_for = self.while_waited_for(&waiting, object, zero);
                let most = self.pool.constant(32, MAX_PERMITS);
                let few = self.pool.cmp(CmpOp::Ule, word, most);
                self.pool.binary(BinOp::And, few, while_waited_for)
            }
            Known::SetWhileWaitedFor(waiting) => {
                let zero = self.equals(word, 0);
                let set = self.pool.not(zero);
                self.while_waited_for(&waiting, object, set)
            }
            Known::Number(number) => self.equals(word, number),
            Known::AtLeast(number) => {
                let number = self.pool.constant(32, number);
                self.pool.cmp(CmpOp::Ule, number, word)
            }
            Known::ZeroIfValid if self.origins().memory_checks => return None,
            Known::ZeroIfValid => self.equals(word, 0),
        };
        Some(self.value(holds))
    }

    /// That a word is less than how often some thread may hold a lock, or zero.
    fn may_count(&mut self, invariants: &Invariants, word: Term, lock: Term) -> Term {
        let mut cases = vec![self.equals(word, 0)];
        for address in &invariants.abandoned {
            cases.push(self.is_same(address, lock));
        }
        for of_thread in invariants.times.chunk_by(|a, b| a.0 == b.0) {
            let mut sum = self.pool.constant(32, 0);
            for (_, address, times) in of_thread {
                let here = self.is_same(address, lock);
                match times {
                    Some(times) => {
                        let (times, zero) = (self.pool.constant(32, u64::from(*times)), self.pool.constant(32, 0));
                        let times = self.pool.ite(here, times, zero);
                        sum = self.pool.binary(BinOp::Add, sum, times);
                    }
                    None => cases.push(here),
                }
            }
            cases.push(self.pool.cmp(CmpOp::Ult, word, sum));
        }
        self.pool.or_all(&cases)
    }

    /// Whether a word is what the initial state held, whichever object it was read of; with `or_constant`, or a
    /// constant. What was computed on the path is between two invariants: a semaphore that was posted is no longer
    /// zero, and the thread that waited for it has not taken it yet.
    fn is_of_initial_state(&self, word: Term, or_constant: bool) -> bool {
        let Some(origins) = self.origins.as_deref() else { return false };
        let mut work = vec![word];
        let mut seen = FxHashSet::default();
        while let Some(t) = work.pop() {
            if !seen.insert(t) {
                continue;
            }
            match *self.pool.node(t) {
                Node::Ite(_, a, b) => work.extend([a, b]),
                // A choice between one and zero.
                Node::ZExt { arg, .. } if or_constant && self.pool.width(arg) == 1 => {}
                // Of some of its bytes it is known that they are zero.
                Node::ZExt { arg, .. } => work.push(arg),
                Node::Extract { arg, .. } if origins.sources.contains_key(&arg) => {}
                Node::Const { .. } if or_constant => {}
                _ if origins.sources.contains_key(&t) => {}
                _ => return false,
            }
        }
        true
    }

    fn is_same(&mut self, address: &SymValue, object: Term) -> Term {
        let address = self.term(address, 64);
        self.equal(address, object)
    }

    fn while_waited_for(&mut self, waiting: &[SymValue], object: Term, holds: Term) -> Term {
        let mut all = Vec::new();
        for queue in waiting {
            let here = self.is_same(queue, object);
            let elsewhere = self.pool.not(here);
            all.push(self.pool.binary(BinOp::Or, elsewhere, holds));
        }
        self.pool.and_all(&all)
    }

    /// Whether an address may be one of these places, as far as points-to analysis knows where it points.
    pub(crate) fn may_be_at(&mut self, path: &SymPath, address: Term, places: &Places) -> bool {
        let (base, offset) = self.pool.split_constant(address);
        let known: Vec<(Abstract, Offsets)> = match base {
            None => match classify(offset) {
                AddressClass::Object(id, at) => {
                    let primary = path.primaries().iter().find(|p| p.object == id);
                    match primary {
                        Some(primary) => {
                            let by = at.wrapping_sub(primary.origin.cast_signed());
                            primary.places.iter().map(|&(o, start)| (o, start.moved(by))).collect()
                        }
                        None => self.global_at(id).map(|o| (o, Offsets::Exact(at))).into_iter().collect(),
                    }
                }
                AddressClass::Null | AddressClass::Function(_) | AddressClass::Other => return false,
            },
            Some(base) => {
                let found = self.origins().places(base);
                found.iter().map(|&(o, start)| (o, start.moved(offset.cast_signed()))).collect()
            }
        };
        if known.is_empty() {
            return true;
        }
        known.iter().any(|&(object, at)| places.iter().any(|&(o, start)| o == object && at.overlaps(1, start, 1)))
    }

    fn global_at(&mut self, id: icsched_machine::memory::ObjectId) -> Option<Abstract> {
        let objects = self.origins().points_to.objects().iter();
        let is_it = |kind| matches!(kind, AbstractKind::Global(global) if global_object(global) == id);
        objects.filter(|(_, o)| is_it(o.kind)).map(|(abstract_id, _)| abstract_id).next()
    }
}

//! What addresses mean at the end of a path, and which ones a term may be there.

use std::collections::BTreeMap;

use icsched_machine::memory::{AddressClass, ObjectId, address, classify};
use icsched_smt::{BinOp, Node as TermNode, Term, TermPool};
use icsched_symbolic::initial::KnownAlternatives;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::budgets::BUDGETS;
use crate::place::{Held, Node, Place};

/// Places that hold an address that depends on inputs, and what is needed to say which ones it may be.
#[derive(Default)]
pub struct Addresses {
    /// The places, and what they hold.
    pub places: Vec<(Place, Term)>,
    pub(crate) nodes: FxHashMap<ObjectId, Node>,
    pub(crate) threads: Threads,
    pub(crate) chosen: KnownAlternatives,
}

/// Where the control blocks of threads are.
#[derive(Clone, Default, Debug)]
pub(crate) struct Threads {
    /// The models' table, and how far its entries are apart.
    pub(crate) table: Option<(ObjectId, u64)>,
    /// The position of the thread of each entry in use.
    pub(crate) slots: BTreeMap<u32, u32>,
}

impl Threads {
    /// Whether an object is the table.
    pub(crate) fn are_in(&self, object: ObjectId) -> bool {
        self.table.is_some_and(|(table, _)| table == object)
    }

    /// What a place in the table is for a thread that lives.
    pub(crate) fn held(&self, offset: i64) -> Option<Held> {
        let (_, stride) = self.table?;
        let at = u64::try_from(offset).ok()?;
        let thread = self.slots.get(&u32::try_from(at / stride).ok()?)?;
        Some(Held::Address(Node::Thread(*thread), (at % stride).cast_signed()))
    }
}

impl Addresses {
    /// The constant that a place holds; `None` if there is no such object. O(objects).
    pub fn constant(&self, held: Held) -> Option<u64> {
        let (object, start, offset) = match held {
            Held::Bits(bits) => return Some(bits),
            Held::Same(_) => return None,
            Held::Address(Node::Thread(thread), offset) => {
                let (table, stride) = self.threads.table?;
                let (&slot, _) = self.threads.slots.iter().find(|&(_, &of)| of == thread)?;
                (table, u64::from(slot) * stride, offset)
            }
            Held::Address(node, offset) => {
                (self.nodes.iter().find(|&(_, &of)| of == node).map(|(&o, _)| o)?, 0, offset)
            }
        };
        Some(address(object, start.wrapping_add_signed(offset)))
    }

    /// Constants that a term may be, with what each means: addresses of objects that have no node are left out, and so
    /// is what it may be where a part of it is no choice between constants.
    pub fn candidates(&self, pool: &TermPool, term: Term) -> Vec<(u64, Held)> {
        let mut all = Vec::new();
        for bits in self.constants(pool, term) {
            all.extend(self.held(bits).map(|held| (bits, held)));
        }
        all
    }

    /// Constants that a term of at most 64 bits may be, ascending; none if they are many.
    pub(crate) fn constants(&self, pool: &TermPool, term: Term) -> Vec<u64> {
        if parts(pool, term).is_empty() {
            return self.combined(pool, term, &[]);
        }
        // Few enough to look through.
        let mut known: SmallVec<[(Term, Vec<u64>); 32]> = SmallVec::new();
        // What addresses are computed from is small; conditions need not be looked at.
        let mut work = vec![(term, false)];
        while let Some((next, is_ready)) = work.pop() {
            if position(&known, next).is_some() {
                continue;
            }
            if known.len() > BUDGETS.address_terms {
                return Vec::new();
            }
            let parts = parts(pool, next);
            if is_ready {
                let of = |&part: &Term| position(&known, part).map(|at| known[at].1.as_slice());
                let of: SmallVec<[&[u64]; 2]> = parts.iter().filter_map(of).collect();
                let found = self.combined(pool, next, &of);
                drop(of);
                known.push((next, found));
            } else if self.is_none(pool, next) {
                known.push((next, Vec::new()));
            } else {
                work.push((next, true));
                work.extend(parts.into_iter().map(|part| (part, false)));
            }
        }
        known.pop().filter(|(last, _)| *last == term).map(|(_, found)| found).unwrap_or_default()
    }

    /// Whether a term is certainly no choice between constants, for a part of it is none at first sight: an element of
    /// a long array is the sum of all before it.
    fn is_none(&self, pool: &TermPool, term: Term) -> bool {
        let is_unknown = |&part: &Term| {
            parts(pool, part).is_empty() && pool.as_const(part).is_none() && !self.chosen.contains_key(&part)
        };
        let needs_all = !matches!(pool.node(term), TermNode::Ite(..));
        needs_all && parts(pool, term).iter().any(is_unknown)
    }

    /// The constants that a term may be if its parts are one of these, ascending; none if they are many.
    fn combined(&self, pool: &TermPool, term: Term, parts: &[&[u64]]) -> Vec<u64> {
        let mut found = self.all_combined(pool, term, parts);
        found.sort_unstable();
        found.dedup();
        if found.len() > BUDGETS.address_constants {
            found.clear();
        }
        found
    }

    fn all_combined(&self, pool: &TermPool, term: Term, parts: &[&[u64]]) -> Vec<u64> {
        let width = pool.width(term);
        if width > 64 {
            return Vec::new();
        }
        let mask = u64::MAX >> (64 - width);
        let pairs = |a: &[u64], b: &[u64], of: &dyn Fn(u64, u64) -> u64| -> Vec<u64> {
            a.iter().flat_map(|&x| b.iter().map(move |&y| of(x, y))).collect()
        };
        match (pool.node(term), parts) {
            (TermNode::Const { .. }, _) => pool.as_const(term).into_iter().collect(),
            (TermNode::Ite(..), &[a, b]) => [a, b].concat(),
            (&TermNode::Concat(_, low), &[a, b]) => {
                let shift = pool.width(low);
                pairs(a, b, &|x, y| x << shift | y)
            }
            (TermNode::Binary(..), &[a, b]) => pairs(a, b, &|x, y| x.wrapping_add(y) & mask),
            (&TermNode::Extract { lo, .. }, &[a]) => a.iter().map(|x| x >> lo & mask).collect(),
            _ => self.chosen.get(&term).cloned().unwrap_or_default(),
        }
    }

    /// What a constant means that a place holds; nothing if it is the address of an object that has no node.
    pub fn held(&self, bits: u64) -> Option<Held> {
        match classify(bits) {
            AddressClass::Object(object, offset) if self.threads.are_in(object) => self.threads.held(offset),
            AddressClass::Object(object, offset) => Some(Held::Address(*self.nodes.get(&object)?, offset)),
            _ => Some(Held::Bits(bits)),
        }
    }
}

fn position(known: &[(Term, Vec<u64>)], term: Term) -> Option<usize> {
    known.iter().position(|(of, _)| *of == term)
}

/// What a term is computed from, if that says which constants it may be.
fn parts(pool: &TermPool, term: Term) -> SmallVec<[Term; 2]> {
    match *pool.node(term) {
        TermNode::Ite(_, a, b) | TermNode::Concat(a, b) | TermNode::Binary(BinOp::Add, a, b) => {
            SmallVec::from_slice(&[a, b])
        }
        TermNode::Extract { arg, .. } => SmallVec::from_slice(&[arg]),
        _ => SmallVec::new(),
    }
}

impl Threads {
    /// The handles of threads that live, with which thread it is.
    fn handles(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        let table = self.table;
        let of_slot = move |(&slot, &thread): (&u32, &u32)| {
            table.map(|(table, stride)| (thread, address(table, u64::from(slot) * stride)))
        };
        self.slots.iter().filter_map(of_slot)
    }
}

impl Addresses {
    /// For each thread that lives the condition that a handle is not its own, and whether that is likely: the handle is
    /// a choice between constants, as far as it is one, and its own is none of them. Nothing is said of a handle that
    /// is no such choice unless `is_known` says that something may be known of it.
    pub fn strange(
        &self,
        pool: &mut TermPool,
        handle: Term,
        is_known: impl FnOnce(&mut TermPool) -> bool,
    ) -> Vec<(u32, Term, bool)> {
        let possible = self.constants(pool, handle);
        if possible.is_empty() && !is_known(pool) {
            return Vec::new();
        }
        let differs = |(thread, own): (u32, u64)| {
            let is_likely = !possible.is_empty() && !possible.contains(&own);
            let own = pool.constant(64, own);
            (thread, pool.ne(handle, own), is_likely)
        };
        self.threads.handles().map(differs).collect()
    }
}

#[cfg(test)]
mod tests {
    use icsched_ir::{EntityId as _, GlobalId};

    use super::*;

    #[test]
    fn handles_of_threads_that_live_are_choices() {
        let (table, stride) = (icsched_machine::memory::global_object(GlobalId::from_index(3)), 144);
        let slots = [(1, 2), (2, 1)].into_iter().collect();
        let addresses = Addresses { threads: Threads { table: Some((table, stride)), slots }, ..Addresses::default() };
        let mut pool = TermPool::new();
        let handle = |slot: u64| icsched_machine::memory::address(table, slot * stride);
        let condition = pool.symbol("c", 1);
        let (first, second, ended) =
            (pool.constant(64, handle(1)), pool.constant(64, handle(2)), pool.constant(64, handle(5)));
        let either = pool.ite(condition, first, second);
        let held = |thread| Held::Address(Node::Thread(thread), 0);
        assert_eq!(addresses.candidates(&pool, either), [(handle(1), held(2)), (handle(2), held(1))]);
        let or_ended = pool.ite(condition, first, ended);
        assert_eq!(addresses.candidates(&pool, or_ended), [(handle(1), held(2))], "no thread has that one");
    }
}

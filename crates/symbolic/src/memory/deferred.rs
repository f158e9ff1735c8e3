//! Values read from memory that are not looked at before a decision depends on them.
//!
//! What an object holds at an offset that is no constant is a choice between all that was written to it. Most of what
//! programs compute is never decided about, and building those choices for all of it would be most of the work. So a
//! read that many writes may concern gives a *deferred* symbol, which is defined by the contents of the object and the
//! offset. The same read of the same contents gives the same symbol on all paths. Before anything is decided, the
//! symbols in the condition are replaced by what they are defined as ([`SymbolicDomain::expanded`]): no decision,
//! address or constraint of a path has one.

use icsched_smt::{Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::contents::Unknown;
use super::deferred_reads::Read;
use crate::budgets::BUDGETS;
use crate::domain::SymbolicDomain;
use crate::values::value::SymValue;

impl SymbolicDomain {
    /// `n` bytes at an offset that is inside of the object.
    pub(crate) fn load_unknown(&mut self, unknown: &Unknown, offset: Term, n: u32) -> SymValue {
        if !self.concern_many(unknown, offset, n) {
            return self.load_now(unknown, offset, n);
        }
        if let (found, Some(value)) = self.reaching(unknown, offset, n, BUDGETS.immediate_writes)
            && found.is_empty()
        {
            return value;
        }
        let key = (self.version_of(unknown), offset, n);
        if let Some(&symbol) = self.deferred.symbols.get(&key) {
            return SymValue::Term(symbol);
        }
        let name = self.origins().unique("deferred".to_owned());
        let symbol = self.pool.symbol(&name, 8 * n);
        self.deferred.symbols.insert(key, symbol);
        self.deferred.reads.insert(symbol, Read { of: unknown.clone(), offset, bytes: n });
        SymValue::Term(symbol)
    }

    /// Whether more writes may concern a read than are looked at at once.
    fn concern_many(&self, unknown: &Unknown, offset: Term, n: u32) -> bool {
        if unknown.writes.len() <= BUDGETS.immediate_writes {
            return false;
        }
        let mut others = unknown
            .writes
            .iter()
            .take(BUDGETS.constant_writes)
            .filter(|write| !self.is_plainly_apart(write, offset, n));
        unknown.writes.len() > BUDGETS.constant_writes || others.nth(BUDGETS.immediate_writes).is_some()
    }

    /// The term with all deferred symbols replaced by what they stand for.
    pub fn expanded(&mut self, t: Term) -> Term {
        if self.deferred.reads.is_empty() {
            return t;
        }
        let symbols = self.deferred_in(t);
        if symbols.is_empty() {
            return t;
        }
        self.define(symbols);
        self.filled_in(t)
    }

    fn deferred_in(&self, t: Term) -> Vec<Term> {
        let all = self.pool.symbols_of(t);
        all.iter().filter(|s| self.deferred.reads.contains_key(s)).copied().collect()
    }

    /// Finds the values of these symbols, and of those that they rest on first.
    fn define(&mut self, mut work: Vec<Term>) {
        let mut built: FxHashMap<Term, Term> = FxHashMap::default();
        let mut under_way = FxHashSet::default();
        while let Some(&symbol) = work.last() {
            if self.deferred.values.contains_key(&symbol) {
                work.pop();
                continue;
            }
            let read = self.deferred.reads[&symbol].clone();
            if under_way.insert(symbol) {
                work.extend(self.unknown_in(read.offset));
                continue;
            }
            let value = match built.get(&symbol) {
                Some(&value) => value,
                None => {
                    let offset = self.filled_in(read.offset);
                    let value = self.load_now(&read.of, offset, read.bytes);
                    let value = self.term(&value, 8 * read.bytes);
                    built.insert(symbol, value);
                    value
                }
            };
            let open = self.unknown_in(value);
            if !open.is_empty() {
                work.extend(open);
                continue;
            }
            let value = self.filled_in(value);
            self.deferred.values.insert(symbol, value);
            work.pop();
        }
    }

    /// The deferred symbols in a term whose values were not found yet.
    fn unknown_in(&self, t: Term) -> Vec<Term> {
        let mut found = self.deferred_in(t);
        found.retain(|symbol| !self.deferred.values.contains_key(symbol));
        found
    }

    fn filled_in(&mut self, t: Term) -> Term {
        let symbols = self.deferred_in(t);
        if symbols.is_empty() {
            return t;
        }
        let values: Substitution = symbols.iter().map(|&s| (s, self.deferred.values[&s])).collect();
        self.pool.substitute(t, &values)
    }
}

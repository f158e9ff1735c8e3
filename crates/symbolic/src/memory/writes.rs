//! What was written to an object of an initial state at offsets that are no constants, and what memory holds after
//! that.

use std::rc::Rc;

use icsched_smt::{BinOp, Term};

use super::cells::Bytes;
use super::contents::{Latest, Unknown, Version, What, WhatKey, Write, WriteKey, Writes};
use crate::budgets::BUDGETS;
use crate::domain::SymbolicDomain;
use crate::values::integer::{Integers, integers_of};
use crate::values::value::SymValue;

/// What a write means for a read.
enum Reach {
    /// They do not overlap.
    Never,
    /// All that is read was written there.
    Whole(SymValue),
    /// They may overlap.
    Maybe,
}

impl SymbolicDomain {
    /// The number of some contents.
    pub(crate) fn version_of(&mut self, unknown: &Unknown) -> Version {
        if let Some(version) = unknown.version {
            return version;
        }
        if let Some(latest) = &unknown.writes.0 {
            return latest.version;
        }
        let cells = unknown.cells.iter().map(|(at, byte)| (at, byte.clone())).collect();
        let fresh = self.origins().get(unknown.root).fresh;
        let versions = &mut self.deferred.versions;
        let next = Version(versions.first.len() + versions.later.len());
        *versions.first.entry((unknown.root, fresh, cells)).or_insert(next)
    }

    /// Writes at an offset that is no constant, or after such a write.
    pub(crate) fn push_write(&mut self, unknown: &mut Unknown, write: Write) {
        let before = self.version_of(unknown);
        let what = match &write.what {
            What::Bytes(bytes) => WhatKey::Bytes(bytes.clone()),
            What::Fill { byte, len } => WhatKey::Fill(byte.clone(), *len),
            What::Copy { from, start, len } => WhatKey::Copy(self.version_of(from), *start, *len),
        };
        let version = self.version_behind(before, WriteKey { offset: write.offset, guard: write.guard, what });
        unknown.version = None;
        let count = unknown.writes.len() + 1;
        let before = std::mem::take(&mut unknown.writes);
        unknown.writes = Writes(Some(Rc::new(Latest { write, before, count, version })));
    }

    fn version_behind(&mut self, before: Version, key: WriteKey) -> Version {
        let versions = &mut self.deferred.versions;
        let next = Version(versions.first.len() + versions.later.len());
        *versions.later.entry((before, key)).or_insert(next)
    }

    /// Bytes are about to be written among the cells: contents with later writes get another number.
    pub(crate) fn note_cells(&mut self, unknown: &mut Unknown, offset: Term, bytes: &Bytes) {
        if !unknown.writes.is_empty() {
            let before = self.version_of(unknown);
            let key = WriteKey { offset, guard: None, what: WhatKey::Bytes(bytes.clone()) };
            unknown.version = Some(self.version_behind(before, key));
        }
    }

    /// `n` bytes at an offset that is inside of the object, with all choices between what may have been written there.
    pub(crate) fn load_now(&mut self, unknown: &Unknown, offset: Term, n: u32) -> SymValue {
        let offset = self.expanded(offset);
        let (reaching, whole) = self.reaching(unknown, offset, n, usize::MAX);
        let mut value = match whole {
            Some(value) => self.term(&value, 8 * n),
            None => self.load_below(unknown, offset, n),
        };
        for write in reaching.iter().rev() {
            value = self.after(write, offset, n, value);
        }
        self.value(value)
    }

    /// The writes that a read may see, the latest first, but for those of which later ones have left nothing, and the
    /// value that is below them if another write gives it. At most `limit` writes are looked at that are not [plainly
    /// apart](Self::is_plainly_apart) from the read; the value is `None` if there are more.
    pub(crate) fn reaching(
        &mut self,
        unknown: &Unknown,
        offset: Term,
        n: u32,
        limit: usize,
    ) -> (Vec<Write>, Option<SymValue>) {
        let mut found = Vec::new();
        let mut looked_at = 0;
        for write in unknown.writes.iter() {
            if self.is_plainly_apart(write, offset, n) {
                continue;
            }
            looked_at += 1;
            if looked_at > limit {
                break;
            }
            match self.reach(write, offset, n) {
                Reach::Never => {}
                Reach::Whole(value) => return (found, Some(value)),
                Reach::Maybe if found.iter().any(|later: &Write| later.covers(write)) => {}
                Reach::Maybe => found.push(write.clone()),
            }
        }
        (found, None)
    }

    /// Whether a read and a write of constant ranges do not overlap. O(1).
    pub(crate) fn is_plainly_apart(&self, write: &Write, offset: Term, n: u32) -> bool {
        let (Some(at), Some(start)) = (self.pool.as_const(offset), self.pool.as_const(write.offset)) else {
            return false;
        };
        let len = match &write.what {
            What::Bytes(bytes) => bytes.len() as u64,
            What::Fill { len, .. } | What::Copy { len, .. } => match self.pool.as_const(*len) {
                Some(len) => len,
                None => return false,
            },
        };
        at.saturating_add(u64::from(n)) <= start || start.saturating_add(len) <= at
    }

    fn reach(&mut self, write: &Write, offset: Term, n: u32) -> Reach {
        let (distance, integers) = self.distance(write.offset, offset);
        let bytes = match &write.what {
            What::Bytes(bytes) => bytes,
            What::Fill { len, .. } | What::Copy { len, .. } => {
                let Some(len) = self.pool.as_const(*len) else { return Reach::Maybe };
                let is_apart = match self.pool.as_const(distance) {
                    Some(at) => at >= len && at.wrapping_add(u64::from(n)) >= u64::from(n),
                    None => integers.have_none_within(1 - i128::from(n), i128::from(len) - 1),
                };
                return if is_apart { Reach::Never } else { Reach::Maybe };
            }
        };
        let len = bytes.len() as i128;
        let overlaps = integers.values_within(1 - i128::from(n), len - 1, BUDGETS.distances);
        match overlaps.as_deref() {
            Some([]) => Reach::Never,
            Some(&[at]) if write.guard.is_none() && at >= 0 && at + i128::from(n) <= len => {
                if self.pool.as_const(distance).is_none() {
                    return Reach::Maybe;
                }
                let first = usize::try_from(at).expect("at most eight bytes");
                Reach::Whole(self.value_of_bytes(&bytes[first..first + n as usize]))
            }
            _ => Reach::Maybe,
        }
    }

    /// Whether bytes at an offset are the same after a write as before it, wherever it writes.
    pub(crate) fn writes_the_same(&mut self, write: &Write, offset: Term, held: &Bytes) -> bool {
        let What::Bytes(bytes) = &write.what else { return false };
        let (n, len) = (held.len() as i128, bytes.len() as i128);
        let (_, integers) = self.distance(write.offset, offset);
        let Some(distances) = integers.values_within(1 - n, len - 1, BUDGETS.distances) else { return false };
        let is_same = |at: i128| {
            let both = (at.max(0)..len.min(n + at)).map(|j| (&bytes[j as usize], &held[(j - at) as usize]));
            both.into_iter().all(|(written, held)| written == held)
        };
        distances.into_iter().all(is_same)
    }

    /// `n` bytes at an offset after a write; before it they were `old`.
    pub(crate) fn after(&mut self, write: &Write, offset: Term, n: u32, old: Term) -> Term {
        let (distance, integers) = self.distance(write.offset, offset);
        match &write.what {
            What::Bytes(bytes) => self.after_bytes((bytes, write.guard), (distance, integers), n, old),
            What::Fill { byte, len } => {
                let byte = byte.clone();
                self.after_range((*len, write.guard), distance, n, old, &mut |domain, _, n| {
                    let bytes = vec![byte.clone(); n as usize];
                    let value = domain.value_of_bytes(&bytes);
                    domain.term(&value, 8 * n)
                })
            }
            What::Copy { from, start, len } => {
                self.after_range((*len, write.guard), distance, n, old, &mut |domain, distance, n| {
                    let at = domain.pool.binary(BinOp::Add, *start, distance);
                    let value = domain.load_unknown(from, at, n);
                    domain.term(&value, 8 * n)
                })
            }
        }
    }

    fn after_bytes(
        &mut self,
        (bytes, guard): (&Bytes, Option<Term>),
        (distance, integers): (Term, Integers),
        n: u32,
        old: Term,
    ) -> Term {
        let len = u32::try_from(bytes.len()).expect("at most eight");
        if len == n && integers.is_multiple_of(u128::from(n)) {
            let here = self.equals(distance, 0);
            let here = self.guarded(guard, here);
            let written = self.value_of_bytes(bytes);
            let written = self.term(&written, 8 * n);
            return self.pool.ite(here, written, old);
        }
        let mut found = self.bytes_of(&SymValue::Term(old), n);
        for i in 0..n {
            for j in 0..len {
                // offset + i == write.offset + j
                let here = self.equals(distance, u64::from(j).wrapping_sub(u64::from(i)));
                let here = self.guarded(guard, here);
                let (new, before) = (self.byte_term(&bytes[j as usize]), self.byte_term(&found[i as usize]));
                let byte = self.pool.ite(here, new, before);
                found[i as usize] = self.memory_byte(byte);
            }
        }
        let value = self.value_of_bytes(&found);
        self.term(&value, 8 * n)
    }

    /// After a write of `len` bytes; what was written at a distance from its start, so many bytes of it, is said by
    /// `written`.
    fn after_range(
        &mut self,
        (len, guard): (Term, Option<Term>),
        distance: Term,
        n: u32,
        old: Term,
        written: &mut dyn FnMut(&mut Self, Term, u32) -> Term,
    ) -> Term {
        let is_aligned = |domain: &Self, t: Term| integers_of(&domain.pool, t).is_multiple_of(u128::from(n));
        if is_aligned(self, distance) && is_aligned(self, len) {
            let inside = self.pool.cmp(icsched_smt::CmpOp::Ult, distance, len);
            let inside = self.guarded(guard, inside);
            if self.pool.is_false(inside) {
                return old;
            }
            let new = written(self, distance, n);
            return self.pool.ite(inside, new, old);
        }
        let mut bytes = self.bytes_of(&SymValue::Term(old), n);
        for (byte, i) in bytes.iter_mut().zip(0..) {
            let i = self.pool.constant(64, i);
            let at = self.pool.binary(BinOp::Add, distance, i);
            let inside = self.pool.cmp(icsched_smt::CmpOp::Ult, at, len);
            let inside = self.guarded(guard, inside);
            if self.pool.is_false(inside) {
                continue;
            }
            let new = written(self, at, 1);
            let before = self.byte_term(byte);
            let merged = self.pool.ite(inside, new, before);
            *byte = self.memory_byte(merged);
        }
        let value = self.value_of_bytes(&bytes);
        self.term(&value, 8 * n)
    }

    fn guarded(&mut self, guard: Option<Term>, condition: Term) -> Term {
        guard.map_or(condition, |guard| self.pool.binary(BinOp::And, guard, condition))
    }
}

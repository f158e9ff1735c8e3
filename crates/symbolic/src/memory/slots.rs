//! Bytes and arrays of symbolic memory.
//!
//! An object that is accessed at a symbolic offset takes an array form. While the offsets that an access may have can
//! be listed (at most `BUDGETS.slots`, from bounds and stride of the offset), the array form stays a list of bytes and
//! the access becomes a choice between slots: solvers are at their best without arrays, and pointers in such a table
//! stay choices between addresses that [`resolve`](crate::pointers::resolve) can walk (Bergan 2.4.1, "compound symbolic
//! pointer expressions"). Larger tables with few different values are read as a choice between ranges. Beyond that the
//! contents become one term of the theory of arrays.

use std::collections::BTreeMap;
use std::rc::Rc;

use icsched_smt::{BinOp, CmpOp, Node, Term};
use smallvec::SmallVec;

use super::array::{Form, SymArray};
use super::contents::{What, Write};
use crate::budgets::BUDGETS;
use crate::domain::SymbolicDomain;
use crate::path::SymPath;
use crate::values::integer::{index_of, integers_of};
use crate::values::value::SymValue;
use icsched_machine::domain::MemoryByte;
use icsched_machine::stop::{DecisionKind, Stop};

/// What a list of bytes is made of when it is built from slots: one term per byte.
type ByteTerms = SmallVec<[Term; 8]>;

impl SymbolicDomain {
    /// The low `n` bytes of a value, little-endian.
    pub(crate) fn bytes_of(&mut self, value: &SymValue, n: u32) -> SmallVec<[MemoryByte<Term>; 8]> {
        match *value {
            SymValue::Constant(bits) => (0..n).map(|i| MemoryByte::Constant((bits >> (8 * i)) as u8)).collect(),
            SymValue::Term(t) => {
                // An `i1` or other odd width is stored zero-extended.
                let wide = if self.pool.width(t) < 8 * n { self.pool.zext(t, 8 * n) } else { t };
                (0..n)
                    .map(|i| {
                        let byte = self.pool.extract(wide, 8 * i + 7, 8 * i);
                        self.memory_byte(byte)
                    })
                    .collect()
            }
        }
    }

    /// Joins bytes to a value of as many bits, little-endian. Bytes that are choices by one condition (what guarded
    /// stores leave) become one choice between whole values.
    pub(crate) fn value_of_bytes(&mut self, bytes: &[MemoryByte<Term>]) -> SymValue {
        if bytes.iter().all(|b| matches!(b, MemoryByte::Constant(_))) {
            let word = bytes.iter().rev().fold(0, |word, b| match b {
                MemoryByte::Constant(c) => (word << 8) | u64::from(*c),
                MemoryByte::Symbolic(_) => word,
            });
            return SymValue::Constant(word);
        }
        let terms: ByteTerms = bytes.iter().map(|b| self.byte_term(b)).collect();
        let split = self.split_as(&terms);
        if let Some(whole) = split.filter(|&whole| matches!(self.pool.node(whole), Node::Symbol { .. })) {
            return SymValue::Term(whole);
        }
        if let Some(&joined) = split.and_then(|split| self.rejoined.get(&split)) {
            return self.value(joined);
        }
        let joined = match self.common_condition(&terms) {
            Some(_) => self.join_terms(&terms, &mut BTreeMap::new()),
            None => self.concat_all(&terms),
        };
        if let Some(split) = split {
            self.rejoined.insert(split, joined);
        }
        self.value(joined)
    }

    /// The term whose bytes these are, all of them and in their order.
    fn split_as(&self, bytes: &[Term]) -> Option<Term> {
        let Node::Extract { arg, .. } = *self.pool.node(*bytes.first()?) else { return None };
        let is_all = self.pool.width(arg) == 8 * u32::try_from(bytes.len()).ok()?;
        let is_byte = |(&byte, at): (&Term, u32)| match *self.pool.node(byte) {
            Node::Extract { arg: of, lo, hi } => of == arg && (lo, hi) == (8 * at, 8 * at + 7),
            _ => false,
        };
        (is_all && bytes.iter().zip(0..).all(is_byte)).then_some(arg)
    }

    /// Choices share their arms, so what was joined is remembered: there are exponentially many ways to reach them.
    fn join_terms(&mut self, bytes: &[Term], known: &mut BTreeMap<ByteTerms, Term>) -> Term {
        if let Some(&word) = known.get(bytes) {
            return word;
        }
        let word = self.join_unknown_terms(bytes, known);
        known.insert(bytes.into(), word);
        word
    }

    fn join_unknown_terms(&mut self, bytes: &[Term], known: &mut BTreeMap<ByteTerms, Term>) -> Term {
        if let Some(condition) = self.common_condition(bytes) {
            let arms: Vec<(Term, Term)> =
                bytes.iter().map(|&b| self.choice_of_byte(b).map_or((b, b), |(_, x, y)| (x, y))).collect();
            let (yes, no): (ByteTerms, ByteTerms) = arms.into_iter().unzip();
            let (yes, no) = (self.join_terms(&yes, known), self.join_terms(&no, known));
            return self.pool.ite(condition, yes, no);
        }
        self.concat_all(bytes)
    }

    /// Bytes behind each other, the lowest first.
    fn concat_all(&mut self, bytes: &[Term]) -> Term {
        let mut rest = bytes.iter().copied();
        let mut word = rest.next().expect("a value has at least one byte");
        for byte in rest {
            word = self.pool.concat(byte, word);
        }
        word
    }

    /// The condition that every choice among the bytes is by, if at least two bytes are choices and the others
    /// constant.
    fn common_condition(&mut self, bytes: &[Term]) -> Option<Term> {
        let mut found: Option<Term> = None;
        let mut choices = 0;
        for &byte in bytes {
            match self.choice_of_byte(byte) {
                Some((condition, ..)) if found.is_none_or(|c| c == condition) => {
                    found = Some(condition);
                    choices += 1;
                }
                None if self.pool.as_const(byte).is_some() => {}
                _ => return None,
            }
        }
        found.filter(|_| choices > 1)
    }

    /// A byte as a choice: 1 or 0, and -1 or 0, are extensions of the condition.
    fn choice_of_byte(&mut self, byte: Term) -> Option<(Term, Term, Term)> {
        let (condition, bits) = match *self.pool.node(byte) {
            Node::Ite(condition, x, y) => return Some((condition, x, y)),
            Node::ZExt { arg, .. } => (arg, 1),
            Node::SExt { arg, .. } => (arg, u64::from(u8::MAX)),
            _ => return None,
        };
        let (set, clear) = (self.pool.constant(8, bits), self.pool.constant(8, 0));
        match *self.pool.node(condition) {
            _ if self.pool.width(condition) > 1 => None,
            Node::Not(condition) => Some((condition, clear, set)),
            _ => Some((condition, set, clear)),
        }
    }

    /// The term of a byte.
    pub(crate) fn byte_term(&mut self, byte: &MemoryByte<Term>) -> Term {
        match *byte {
            MemoryByte::Constant(c) => self.pool.constant(8, u64::from(c)),
            MemoryByte::Symbolic(t) => t,
        }
    }

    /// The byte of a term of eight bits.
    pub(crate) fn memory_byte(&self, t: Term) -> MemoryByte<Term> {
        match self.pool.as_const(t) {
            Some(c) => MemoryByte::Constant(c as u8),
            None => MemoryByte::Symbolic(t),
        }
    }

    /// The offsets at which an access of `n` bytes within an object of `size` bytes may be; `None` when too many.
    fn slots(&self, offset: Term, size: u64, n: u32, limit: usize) -> Option<Vec<u64>> {
        let last = i128::from(size) - i128::from(n);
        let slots = integers_of(&self.pool, offset).values_within(0, last, limit)?;
        Some(slots.into_iter().map(|v| v as u64).collect())
    }

    /// The offsets inside an object of `size` bytes that are possible on this path, if they are few.
    fn feasible_slots(&mut self, path: &SymPath, size: u64, offset: Term, n: u32) -> Option<Vec<u64>> {
        let slots = self.feasible_values(path, offset, BUDGETS.slots)?;
        Some(slots.into_iter().filter(|&at| at.checked_add(u64::from(n)).is_some_and(|end| end <= size)).collect())
    }

    /// Asks for the decision that reading a pointer relies on: where [`load_from_array`](Self::load_from_array) only
    /// considers the offsets that are possible on this path, that they are all there are.
    pub(crate) fn ask_for_slots(
        &mut self,
        path: &SymPath,
        array: &SymArray,
        size: u64,
        offset: Term,
        n: u32,
    ) -> Result<(), Stop<Self>> {
        if self.pool.as_const(offset).is_some() || array.root().is_some() {
            return Ok(());
        }
        if let Form::Bytes { bytes, .. } = &array.form
            && self.slots(offset, bytes.len() as u64, n, BUDGETS.slots).is_some()
        {
            return Ok(());
        }
        let Some(slots) = self.feasible_slots(path, size, offset, n) else { return Ok(()) };
        let tests: Vec<Term> = slots.iter().map(|&at| self.is_at(offset, at)).collect();
        let one_of_them = self.pool.or_all(&tests);
        self.ask(one_of_them, DecisionKind::Other).map(drop)
    }

    /// Reads `n` bytes at an offset that is known to be in bounds.
    pub(crate) fn load_from_array(
        &mut self,
        path: &SymPath,
        array: &SymArray,
        size: u64,
        offset: Term,
        n: u32,
        pointer: bool,
    ) -> SymValue {
        if let Form::Unknown(unknown) = &array.form {
            // What a pointer may point to is read off its choices.
            return if pointer { self.load_now(unknown, offset, n) } else { self.load_unknown(unknown, offset, n) };
        }
        if let Form::Bytes { bytes, .. } = &array.form {
            let bytes = Rc::clone(bytes);
            let read = |domain: &mut Self, at: u64| domain.value_of_bytes(&bytes[at as usize..][..n as usize]);
            if let Some(slots) = self.slots(offset, bytes.len() as u64, n, BUDGETS.slots) {
                return self.choice_of_slots(offset, &slots, n, read);
            }
            if let Some(slots) = self.slots(offset, bytes.len() as u64, n, BUDGETS.table_slots)
                && let Some(value) = self.choice_of_runs(offset, &slots, n, read)
            {
                return value;
            }
        }
        let term = self.array_term(array);
        if pointer && let Some(slots) = self.feasible_slots(path, size, offset, n) {
            return self.choice_of_slots(offset, &slots, n, |domain, at| {
                let at = domain.pool.constant(64, at);
                domain.select_bytes(term, at, n)
            });
        }
        self.select_bytes(term, offset, n)
    }

    /// `offset == s1 ? v1 : offset == s2 ? v2 : ...`; slots with one value are tested together.
    fn choice_of_slots(
        &mut self,
        offset: Term,
        slots: &[u64],
        n: u32,
        mut read: impl FnMut(&mut Self, u64) -> SymValue,
    ) -> SymValue {
        let mut groups: Vec<(SymValue, Vec<u64>)> = Vec::new();
        for &slot in slots {
            let value = read(self, slot);
            match groups.iter_mut().find(|(v, _)| *v == value) {
                Some((_, members)) => members.push(slot),
                None => groups.push((value, vec![slot])),
            }
        }
        // The largest group needs no test: it is what remains.
        let Some(largest) = (0..groups.len()).rev().max_by_key(|&i| groups[i].1.len()) else {
            return SymValue::Constant(0);
        };
        let (rest, _) = groups.remove(largest);
        let mut result = self.term(&rest, 8 * n);
        for (value, members) in groups.into_iter().rev() {
            let tests: Vec<Term> = members.iter().map(|&at| self.is_at(offset, at)).collect();
            let here = self.pool.or_all(&tests);
            let value = self.term(&value, 8 * n);
            result = self.pool.ite(here, value, result);
        }
        self.value(result)
    }

    /// `index < k1 ? v1 : index < k2 ? v2 : ...` for a table with long runs of equal values, such as the character
    /// classes of the C library; `None` when the runs are too many.
    pub(crate) fn choice_of_runs(
        &mut self,
        offset: Term,
        slots: &[u64],
        n: u32,
        mut read: impl FnMut(&mut Self, u64) -> SymValue,
    ) -> Option<SymValue> {
        let mut runs: Vec<(SymValue, u64)> = Vec::new();
        for &slot in slots {
            let value = read(self, slot);
            if runs.last().is_none_or(|(last, _)| *last != value) {
                if runs.len() == BUDGETS.table_runs {
                    return None;
                }
                runs.push((value, slot));
            }
        }
        let (index, scale, start) = index_of(&self.pool, offset);
        let (last, mut end) = runs.pop()?;
        let mut result = self.term(&last, 8 * n);
        while let Some((value, first)) = runs.pop() {
            let bound = self.pool.constant(self.pool.width(index), ((i128::from(end) - start) / scale) as u64);
            let below = self.compare(CmpOp::Slt, index, bound);
            let value = self.term(&value, 8 * n);
            result = self.nested_choice(below, value, result);
            end = first;
        }
        Some(self.value(result))
    }

    fn is_at(&mut self, offset: Term, slot: u64) -> Term {
        self.equals(offset, slot)
    }

    fn select_bytes(&mut self, array: Term, offset: Term, n: u32) -> SymValue {
        let bytes: ByteTerms = (0..n)
            .map(|i| {
                let at = self.offset_by(offset, i);
                self.pool.select(array, at)
            })
            .collect();
        let joined = self.join_terms(&bytes, &mut BTreeMap::new());
        self.value(joined)
    }

    fn offset_by(&mut self, offset: Term, bytes: u32) -> Term {
        let bytes = self.pool.constant(64, u64::from(bytes));
        self.pool.binary(BinOp::Add, offset, bytes)
    }

    /// The contents as an array term; computed once per array.
    fn array_term(&mut self, array: &SymArray) -> Term {
        match &array.form {
            Form::Term(t) => *t,
            Form::Unknown(_) => unreachable!("read and written without an array term"),
            Form::Bytes { bytes, term } => {
                if let Some(&made) = term.get() {
                    return made;
                }
                let mut made = self.pool.const_array(0);
                for (at, byte) in bytes.iter().enumerate() {
                    if *byte != MemoryByte::Constant(0) {
                        let (at, byte) = (self.pool.constant(64, at as u64), self.byte_term(byte));
                        made = self.pool.store(made, at, byte);
                    }
                }
                *term.get_or_init(|| made)
            }
        }
    }

    /// Writes the low `n` bytes of a value at an offset that is in bounds where `guard` holds.
    pub(crate) fn store_to_array(
        &mut self,
        array: &mut SymArray,
        offset: Term,
        value: &SymValue,
        n: u32,
        guard: Option<Term>,
    ) {
        let written = self.bytes_of(value, n);
        if let Form::Unknown(unknown) = &mut array.form {
            self.store_unknown(unknown, offset, written, guard);
            return;
        }
        if let Form::Bytes { bytes, .. } = &array.form
            && let Some(slots) = self.slots(offset, bytes.len() as u64, n, BUDGETS.slots)
        {
            let mut bytes = bytes.to_vec();
            for slot in slots {
                let here = self.is_at(offset, slot);
                let here = guard.map_or(here, |g| self.pool.binary(BinOp::And, g, here));
                self.write_under(&mut bytes[slot as usize..][..n as usize], &written, here);
            }
            *array = SymArray::from_bytes(&bytes);
            return;
        }
        let mut term = self.array_term(array);
        for (i, byte) in (0..).zip(&written) {
            let at = self.offset_by(offset, i);
            let mut byte = self.byte_term(byte);
            if let Some(guard) = guard {
                let old = self.pool.select(term, at);
                byte = self.pool.ite(guard, byte, old);
            }
            term = self.pool.store(term, at, byte);
        }
        array.form = Form::Term(term);
    }

    /// Writes a byte `n` times; false if the contents are kept in a form that needs to know how often.
    pub(crate) fn fill_array(
        &mut self,
        array: &mut SymArray,
        offset: Term,
        byte: &MemoryByte<Term>,
        n: Term,
        guard: Option<Term>,
    ) -> bool {
        let Form::Unknown(unknown) = &mut array.form else { return false };
        let what = What::Fill { byte: byte.clone(), len: n };
        self.push_write(unknown, Write { offset, what, guard });
        true
    }

    /// Copies `n` bytes in the same way.
    pub(crate) fn copy_to_array(
        &mut self,
        array: &mut SymArray,
        offset: Term,
        (from, start): (&SymArray, Term),
        n: Term,
        guard: Option<Term>,
    ) -> bool {
        let (Form::Unknown(unknown), Form::Unknown(from)) = (&mut array.form, &from.form) else { return false };
        let what = What::Copy { from: from.clone(), start, len: n };
        self.push_write(unknown, Write { offset, what, guard });
        true
    }

    fn write_under(&mut self, bytes: &mut [MemoryByte<Term>], written: &[MemoryByte<Term>], guard: Term) {
        for (old, new) in bytes.iter_mut().zip(written) {
            let (before, after) = (self.byte_term(old), self.byte_term(new));
            let merged = self.pool.ite(guard, after, before);
            *old = self.memory_byte(merged);
        }
    }
}

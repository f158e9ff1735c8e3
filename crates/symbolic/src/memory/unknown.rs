//! Contents of objects of an initial state (Bergan 2.4.1, "constructing a new primary object"; equation 2.1).
//!
//! An object holds what its root holds, except where it was written since. Bytes of the root get symbols when they are
//! read first. A read at an offset that is no constant gets a symbol of its own, which equals what was read before
//! wherever the offsets are equal; or none, if all is known that it may be of. So no arrays go to the solver. Deviation
//! from Bergan, who reads from a fresh array: bytes that are read one time at a constant and later at another offset
//! are not known to be the same, nor are accesses of different widths at offsets that are no constants. Every value is
//! still what memory holds; less is known of it.

use std::sync::Arc;

use icsched_smt::{BinOp, Node, Term};
use smallvec::SmallVec;

use super::array::SymArray;
use super::cells::Bytes;
use super::contents::{Unknown, What, Write, Writes};
use crate::budgets::BUDGETS;
use crate::domain::SymbolicDomain;
use crate::initial::discovery::Discovery;
use crate::initial::origin::{KnownAlternatives, Origins};
use crate::initial::root::{Fresh, RootId, number};
use crate::initial::symbol::SymbolSource;
use crate::places::{InitialNames, InitialPlaces};
use crate::print::{InputName, Printer};
use crate::values::integer::{Integers, index_of, offsets_of};
use crate::values::value::SymValue;
use icsched_machine::domain::MemoryByte;

/// The offsets up to one, which is included, that are among these numbers, if they are no more than so many.
fn offsets(integers: Integers, to: u64, most: usize) -> Option<Vec<u64>> {
    let all = integers.values_within(0, to.into(), most)?;
    all.into_iter().map(|at| u64::try_from(at).ok()).collect()
}

/// How often neighbours hold something else.
fn changes(held: &[(u64, Term)]) -> usize {
    held.windows(2).filter(|pair| pair[0].1 != pair[1].1).count()
}

impl Unknown {
    /// What a byte holds, as far as it was read or written; nothing if it may have been written at an offset that is no
    /// constant.
    fn peek(&self, domain: &mut SymbolicDomain, at: u64) -> Option<MemoryByte<Term>> {
        self.is_apart(domain, at, 1).then(|| self.peek_below(domain, at)).flatten()
    }

    /// The same where only what was written at constant offsets counts.
    fn peek_below(&self, domain: &mut SymbolicDomain, at: u64) -> Option<MemoryByte<Term>> {
        if let Some(byte) = self.cells.get(at) {
            return Some(byte.clone());
        }
        let root = domain.origins().get(self.root);
        if root.fresh == Some(Fresh::Zero) {
            return Some(MemoryByte::Constant(0));
        }
        if let Some(byte) = root.known.get(at) {
            return Some(byte.clone());
        }
        let (&first, &(len, symbol)) = root.symbols.range(..=at).next_back()?;
        let bit = u32::try_from(8 * (at - first)).ok().filter(|bit| *bit < 8 * len)?;
        let byte = domain.pool.extract(symbol, bit + 7, bit);
        Some(domain.memory_byte(byte))
    }

    /// [`peek`](Self::peek) for several bytes.
    fn peek_all(&self, domain: &mut SymbolicDomain, at: u64, n: u64) -> Vec<Option<MemoryByte<Term>>> {
        if !self.is_apart(domain, at, n) {
            return (0..n).map(|i| self.peek(domain, at.wrapping_add(i))).collect();
        }
        let mut bytes: Vec<_> = self.cells.read(at, n).collect();
        if bytes.iter().all(Option::is_some) {
            return bytes;
        }
        let root = domain.origins().get(self.root);
        if root.fresh != Some(Fresh::Zero) {
            for (i, byte) in (0..n).zip(&mut bytes).filter(|(_, byte)| byte.is_none()) {
                *byte = root.known.get(at.wrapping_add(i)).cloned();
            }
        }
        for (i, byte) in (0..n).zip(&mut bytes).filter(|(_, byte)| byte.is_none()) {
            *byte = self.peek_below(domain, at.wrapping_add(i));
        }
        bytes
    }

    /// [`peek`](Self::peek) for eight bytes at a multiple of eight, where nothing was written that is not known to be
    /// constant.
    fn peek_word(&self, domain: &mut SymbolicDomain, at: u64) -> Option<u64> {
        if !self.is_apart(domain, at, 8) {
            return None;
        }
        let Some(written) = self.cells.word(at) else {
            let root = domain.origins().get(self.root);
            return if root.fresh == Some(Fresh::Zero) { Some(0) } else { root.known.word(at) };
        };
        written.iter().rev().try_fold(0, |word, byte| match byte {
            Some(MemoryByte::Constant(byte)) => Some(word << 8 | u64::from(*byte)),
            Some(MemoryByte::Symbolic(_)) | None => None,
        })
    }

    /// [`peek`](Self::peek) for a number that may have been written at few offsets that are no constants: the choice
    /// between what was written there and what was there before.
    fn peek_choice(&self, domain: &mut SymbolicDomain, at: u64, n: u32) -> Option<SymValue> {
        if self.writes.len() > BUDGETS.examined_writes {
            return None;
        }
        let offset = domain.pool.constant(64, at);
        let (mut reaching, whole) = domain.reaching(self, offset, n, usize::MAX);
        if reaching.iter().any(|write| !matches!(write.what, What::Bytes(_))) {
            return None;
        }
        let before = match whole {
            Some(value) => value,
            None => {
                let below = Self { writes: Writes::default(), ..self.clone() };
                let bytes = below.peek_all(domain, at, n.into());
                domain.value_of_bytes(&bytes.into_iter().collect::<Option<Bytes>>()?)
            }
        };
        // Locks are free behind all that were taken and left, whichever they were.
        let held = domain.bytes_of(&before, n);
        while reaching.last().is_some_and(|write| domain.writes_the_same(write, offset, &held)) {
            reaching.pop();
        }
        if reaching.len() > BUDGETS.chosen_writes {
            return None;
        }
        let mut value = domain.term(&before, 8 * n);
        for write in reaching.iter().rev() {
            value = domain.after(write, offset, n, value);
        }
        Some(domain.value(value))
    }

    /// Whether no write at an offset that is no constant can have written any of `n` bytes, as far as terms show that.
    fn is_apart(&self, domain: &mut SymbolicDomain, at: u64, n: u64) -> bool {
        self.writes.iter().all(|write| {
            let bytes = match &write.what {
                What::Bytes(bytes) => bytes,
                What::Fill { len, .. } | What::Copy { len, .. } => {
                    let range = domain.pool.as_const(write.offset).zip(domain.pool.as_const(*len));
                    return range.is_some_and(|(start, len)| is_apart((at, n), (start, len)));
                }
            };
            let len = bytes.len() as u64;
            domain.is_never_within(write.offset, at.wrapping_sub(len - 1), n + len - 1)
        })
    }

    /// The words of bytes that were read, or written at constant offsets: offsets behind `start`, rounded down to
    /// multiples of eight.
    fn touched(&self, domain: &SymbolicDomain, start: u64) -> Vec<u64> {
        let Some(origins) = domain.origins.as_deref() else { return Vec::new() };
        let root = origins.get(self.root);
        let mut found: Vec<u64> = Vec::new();
        let mut add = |at: u64| {
            let word = at.wrapping_sub(start) & !7;
            if at >= start && found.last() != Some(&word) {
                found.push(word);
            }
        };
        if start.is_multiple_of(8) {
            self.cells.words().for_each(&mut add);
            root.known.words().for_each(&mut add);
        } else {
            self.cells.iter().for_each(|(at, _)| add(at));
            root.known.iter().for_each(|(at, _)| add(at));
        }
        root.symbols.iter().for_each(|(&at, &(len, _))| (0..u64::from(len)).for_each(|i| add(at.wrapping_add(i))));
        // Of runs that are in order: they are merged.
        found.sort();
        found.dedup();
        found
    }
}

/// Whether no byte is in both of two ranges, as start and length.
fn is_apart((at, n): (u64, u64), (start, len): (u64, u64)) -> bool {
    let ends_before = |at: u64, n: u64, start: u64| at <= start && start - at >= n;
    ends_before(at, n, start) || ends_before(start, len, at)
}

impl SymbolicDomain {
    /// What `n` bytes of an object of the initial state hold, as far as that can be said without a symbol for it.
    pub fn peek(&mut self, array: &SymArray, at: u64, n: u64) -> Vec<Option<MemoryByte<Term>>> {
        let nothing = || vec![None; n as usize];
        array.unknown().map_or_else(nothing, |unknown| unknown.peek_all(self, at, n))
    }

    /// [`peek`](Self::peek) of eight bytes at a multiple of eight, where it is simple to tell that they are constant.
    pub fn peek_word(&mut self, array: &SymArray, at: u64) -> Option<u64> {
        array.unknown()?.peek_word(self, at)
    }

    /// [`peek`](Self::peek) of eight bytes that were read together and never written: the symbol that they are.
    pub fn peek_symbol(&mut self, array: &SymArray, at: u64) -> Option<Term> {
        let unknown = array.unknown()?;
        let root = self.origins().get(unknown.root);
        let &(_, symbol) = root.symbols.get(&at).filter(|(len, _)| *len == 8)?;
        let is_known = root.fresh.is_some() || root.known.range(at..=at.checked_add(7)?).next().is_some();
        let is_written = unknown.cells.next(at).is_some_and(|next| next - at < 8);
        (!is_known && !is_written && unknown.is_apart(self, at, 8)).then_some(symbol)
    }

    /// [`peek`](Self::peek) of four bytes, or eight, that may have been written at few offsets that are no constants: a
    /// choice.
    pub fn peek_choice(&mut self, array: &SymArray, at: u64, n: u64) -> Option<Vec<MemoryByte<Term>>> {
        let n = u32::try_from(n).ok()?;
        let value = array.unknown()?.peek_choice(self, at, n)?;
        Some(self.bytes_of(&value, n).into_vec())
    }

    /// The words of such an object of which [`peek`](Self::peek) may know something: offsets behind `start`, multiples
    /// of eight, ascending.
    pub fn touched(&self, array: &SymArray, start: u64) -> Vec<u64> {
        array.unknown().map(|unknown| unknown.touched(self, start)).unwrap_or_default()
    }

    /// Whether all bytes are zero that were not written.
    pub fn is_zero_elsewhere(&self, array: &SymArray) -> bool {
        let root = self.origins.as_deref().zip(array.unknown()).map(|(origins, unknown)| origins.get(unknown.root));
        root.is_some_and(|root| root.fresh == Some(Fresh::Zero))
    }

    /// Whether an object of the initial state was written, or elements of rings in it are known.
    pub fn is_of_interest(&self, root: RootId, array: &SymArray) -> bool {
        let is_untouched = array.unknown().is_none_or(Unknown::is_untouched);
        !is_untouched || self.origins.as_deref().is_some_and(|origins| origins.rings.contains(&root))
    }

    /// The symbols of the initial state that are one of a few constants.
    pub fn known_alternatives(&self) -> KnownAlternatives {
        self.origins.as_deref().map(|origins| Arc::clone(&origins.known_alternatives)).unwrap_or_default()
    }

    /// What is known of the symbols of an initial state.
    pub(crate) fn origins(&mut self) -> &mut Origins {
        self.origins.as_deref_mut().expect("objects of an initial state belong to a domain that has one")
    }

    /// `n` bytes at an offset that is inside of the object, before it was written at an offset that is no constant.
    pub(crate) fn load_below(&mut self, unknown: &Unknown, offset: Term, n: u32) -> Term {
        match self.pool.as_const(offset) {
            Some(at) => {
                if let Some(symbol) = self.initial_word(unknown, at, n) {
                    return symbol;
                }
                let bytes = self.written_or_initial(unknown, at, n);
                let value = self.value_of_bytes(&bytes);
                self.term(&value, 8 * n)
            }
            None => self.load_indexed(unknown, offset, n),
        }
    }

    /// The symbol that `n` bytes are at a constant offset, if they are one, or nothing was known or read of any of
    /// them. Most reads are such.
    fn initial_word(&mut self, unknown: &Unknown, at: u64, n: u32) -> Option<Term> {
        let last = at.checked_add(u64::from(n) - 1)?;
        let is_written = unknown.cells.next(at).is_some_and(|next| next <= last);
        if n > 8 || self.fresh_value(unknown.root, 1).is_some() || is_written {
            return None;
        }
        let root = self.origins().get(unknown.root);
        if root.known.range(at..=last).next().is_some() {
            return None;
        }
        let last = root.symbols.range(..=last).next_back();
        let last = last.filter(|(first, (len, _))| **first >= at || at - **first < u64::from(*len));
        match last {
            Some((&first, &(len, symbol))) => (first == at && len == n).then_some(symbol),
            None => Some(self.initial_symbol(unknown.root, at, n)),
        }
    }

    /// Bytes at a constant offset: what was not written is the root's, and is read with its neighbours.
    fn written_or_initial(&mut self, unknown: &Unknown, at: u64, n: u32) -> Bytes {
        let written: SmallVec<[Option<MemoryByte<Term>>; 8]> = unknown.cells.read(at, n.into()).collect();
        let mut bytes = Bytes::new();
        while let Some(next) = written.get(bytes.len()) {
            if let Some(byte) = next {
                bytes.push(byte.clone());
                continue;
            }
            let run = written[bytes.len()..].iter().take_while(|byte| byte.is_none()).count();
            bytes.extend(self.initial_bytes(unknown.root, at.wrapping_add(bytes.len() as u64), run));
        }
        bytes
    }

    /// Bytes of a root at a constant offset.
    pub(crate) fn initial_bytes(&mut self, root: RootId, at: u64, n: usize) -> Bytes {
        let mut bytes = Bytes::new();
        if self.fresh_value(root, 1).is_some() {
            bytes.resize(n, MemoryByte::Constant(0));
            return bytes;
        }
        while bytes.len() < n {
            let here = at.wrapping_add(bytes.len() as u64);
            let left = (n - bytes.len()) as u64;
            // Behind the byte in front of an object comes its first one.
            let last = here.saturating_add(left - 1);
            let found = self.origins().get(root);
            let next_known = found.known.range(here..=last).next().map(|known| known.0 - here);
            if next_known == Some(0) {
                bytes.extend(found.known.get(here).cloned());
                continue;
            }
            let before = found.symbols.range(..=here).next_back();
            if let Some((&first, &(len, symbol))) = before.filter(|(first, (len, _))| here - **first < u64::from(*len))
            {
                let some = next_known.unwrap_or(left).min(u64::from(len) - (here - first));
                for at in (here - first..).take(some as usize) {
                    let bit = u32::try_from(8 * at).expect("symbols are short");
                    let byte = self.pool.extract(symbol, bit + 7, bit);
                    debug_assert!(bit + 8 <= 8 * len);
                    bytes.push(self.memory_byte(byte));
                }
                continue;
            }
            let next_symbol = found.symbols.range(here..=last).next().map_or(left, |symbol| symbol.0 - here);
            let len = next_symbol.min(next_known.unwrap_or(left)).min(8).min((last - here) + 1);
            self.initial_symbol(root, here, u32::try_from(len).expect("at most eight"));
        }
        bytes
    }

    pub(crate) fn initial_symbol(&mut self, root: RootId, at: u64, len: u32) -> Term {
        let origins = self.origins();
        let name = origins.name_at(root, at);
        let name = origins.unique(name);
        origins.discover(|| Discovery::Bytes { root, at, len, name: name.clone() });
        let symbol = self.pool.symbol(&name, 8 * len);
        let source = SymbolSource::Memory { root: number(root), offset: SymValue::Constant(at) };
        let origins = self.origins();
        origins.get_mut(root).symbols.insert(at, (len, symbol));
        if origins.get(root).fresh.is_some() && !origins.from_entry {
            origins.fresh_symbols.insert(symbol, (number(root), SymValue::Constant(at)));
            return symbol;
        }
        origins.sources.insert(symbol, source);
        if len == 8 {
            origins.memory(symbol, root, Some(at));
        }
        symbol
    }

    /// What the object held before the first write at an offset that is no constant.
    fn load_indexed(&mut self, unknown: &Unknown, offset: Term, n: u32) -> Term {
        let mut value = self.initial_at(unknown.root, offset, n);
        // Writes may overlap what is read in part: byte by byte unless each lies at a multiple of its length.
        let cells = unknown.cells.clone();
        let mut at = 0;
        while let Some(start) = cells.next(at) {
            let aligned = start - start % u64::from(n);
            let whole = cells.read(aligned, n.into()).all(|byte| byte.is_some());
            let (first, len) = if whole { (aligned, u64::from(n)) } else { (start, 1) };
            let bytes = cells.read(first, len).flatten().collect();
            let write = Write { offset: self.pool.constant(64, first), what: What::Bytes(bytes), guard: None };
            value = self.after(&write, offset, n, value);
            let Some(next) = first.checked_add(len) else { break };
            at = next;
        }
        value
    }

    /// `n` bytes of a root at an offset that is no constant.
    pub(crate) fn initial_at(&mut self, root: RootId, offset: Term, n: u32) -> Term {
        if let Some(&(.., value)) = self.origins().get(root).indexed.iter().find(|i| (i.0, i.1) == (offset, n)) {
            return value;
        }
        if let Some(value) = self.fresh_value(root, n) {
            return value;
        }
        let integers = offsets_of(&self.pool, offset);
        let size = self.origins().get(root).size().unwrap_or(i64::MAX.cast_unsigned());
        if let Some(possible) = offsets(integers, size.saturating_sub(n.into()), BUDGETS.known_elements)
            && let Some(value) = self.known_at(root, offset, &possible, n)
        {
            self.origins().discover(|| Discovery::Indexed { root, offset, len: n, name: None });
            self.origins().get_mut(root).indexed.push((offset, n, value));
            return value;
        }
        let found = self.origins().get(root);
        let last_read = found.symbols.keys().next_back().copied();
        let possible = offsets(integers, found.known.last().max(last_read).unwrap_or(0), BUDGETS.slots);
        let name = self.index_name(root, offset);
        let name = self.origins().unique(name);
        let symbol = self.pool.symbol(&name, 8 * n);
        self.origins().discover(|| Discovery::Indexed { root, offset, len: n, name: Some(name) });
        let source = SymbolSource::Memory { root: number(root), offset: SymValue::Term(offset) };
        if self.origins().get(root).fresh.is_none() || self.origins().from_entry {
            self.origins().sources.insert(symbol, source);
            if n == 8 {
                self.origins().memory(symbol, root, None);
            }
        } else {
            self.origins().fresh_symbols.insert(symbol, (number(root), SymValue::Term(offset)));
        }
        let known = self.known_beginning(root, integers, n);
        let end = known.last().map_or(0, |(last, _)| last + 1);
        let mut value = symbol;
        for (at, before) in self.links(root, possible.as_deref(), end, n) {
            let here = self.equal(offset, at);
            value = self.pool.ite(here, before, value);
        }
        if let Some(&(last, _)) = known.last() {
            // Runs end where the next element would begin.
            let scale = index_of(&self.pool, offset).1;
            let next = last + u64::try_from(scale).expect("offsets go up with their index");
            let held: Vec<(u64, Term)> = known.into_iter().chain([(next, value)]).collect();
            value = self.choice_of_held(offset, &held, n).expect("there are not too many runs");
        }
        self.origins().get_mut(root).indexed.push((offset, n, value));
        value
    }

    /// `n` bytes of a root at an offset that is one of these, if all that it holds there is known, or was read, and it
    /// begins at 0: of many only if few hold something else than the others, or than their neighbours.
    fn known_at(&mut self, root: RootId, offset: Term, possible: &[u64], n: u32) -> Option<Term> {
        let found = self.origins().get(root);
        // What was read at offsets that are no constants, before that was known, is to be the same.
        let are_few = possible.len() <= BUDGETS.slots;
        let are_determined =
            || are_few && found.indexed.is_empty() && possible.iter().all(|&at| found.is_determined(at, n));
        if found.extent.is_some() || !possible.iter().all(|&at| found.is_known(at, n)) && !are_determined() {
            return None;
        }
        let held: Vec<(u64, Term)> = possible.iter().map(|&at| (at, self.initial_value(root, at, n))).collect();
        let mut value = held.last()?.1;
        let others: Vec<(u64, Term)> = held.iter().copied().filter(|&(_, held)| held != value).collect();
        let changes = changes(&held);
        if changes.min(others.len()) >= BUDGETS.slots {
            return None;
        }
        if changes < others.len() {
            return self.choice_of_held(offset, &held, n);
        }
        for (at, held) in others {
            let here = self.equals(offset, at);
            value = self.pool.ite(here, held, value);
        }
        Some(value)
    }

    /// What a root holds from its beginning on as far as all of it is known that an offset may be of, if that is more
    /// than one place, and few hold something else than their neighbours.
    fn known_beginning(&mut self, root: RootId, integers: Integers, n: u32) -> Vec<(u64, Term)> {
        let found = self.origins().get(root);
        let end = found.known.last().map_or(0, |last| last + 1);
        let Some(last) = end.checked_sub(n.into()).filter(|_| found.origin() == 0 && found.extent.is_none()) else {
            return Vec::new();
        };
        let nearby = || offsets(integers, last.min(BUDGETS.prefix_bytes), BUDGETS.known_elements);
        let possible = offsets(integers, last, BUDGETS.known_elements).or_else(nearby).unwrap_or_default();
        let known: Vec<u64> = possible.into_iter().take_while(|&at| found.is_known(at, n)).collect();
        let held: Vec<(u64, Term)> = known.into_iter().map(|at| (at, self.initial_value(root, at, n))).collect();
        if held.len() > 1 && changes(&held) + 2 < BUDGETS.table_runs { held } else { Vec::new() }
    }

    /// The [choice](Self::choice_of_runs) between runs of what is held at these offsets, ascending.
    fn choice_of_held(&mut self, offset: Term, held: &[(u64, Term)], n: u32) -> Option<Term> {
        let slots: Vec<u64> = held.iter().map(|(at, _)| *at).collect();
        let mut values = held.iter().map(|(_, held)| *held);
        let read = |domain: &mut Self, _| values.next().map_or(SymValue::Constant(0), |held| domain.value(held));
        let choice = self.choice_of_runs(offset, &slots, n, read)?;
        Some(self.term(&choice, 8 * n))
    }

    fn initial_value(&mut self, root: RootId, at: u64, n: u32) -> Term {
        let bytes = self.initial_bytes(root, at, n as usize);
        let value = self.value_of_bytes(&bytes);
        self.term(&value, 8 * n)
    }

    /// Offsets at which as many bytes are known or were read, with their values; constant ones only of those that are
    /// possible, from `first` on.
    fn links(&mut self, root: RootId, possible: Option<&[u64]>, first: u64, n: u32) -> Vec<(Term, Term)> {
        let found = self.origins().get(root);
        let indexed = found.indexed.iter().rev().filter(|i| i.1 == n).map(|i| (i.0, i.2));
        let mut links: Vec<(Term, Term)> = indexed.take(BUDGETS.linked_reads).collect();
        let starts: Box<dyn Iterator<Item = u64>> = match possible {
            Some(possible) => Box::new(possible.iter().copied()),
            None => {
                let read = found.symbols.iter().filter(|s| s.1.0 == n).map(|s| *s.0);
                let known = found.known.iter().map(|(at, _)| at).filter(|at| at.is_multiple_of(n.into()));
                Box::new(read.chain(known))
            }
        };
        let starts = starts.filter(|&at| at >= first && found.is_determined(at, n));
        let mut starts: Vec<u64> = starts.take(BUDGETS.linked_reads).collect();
        starts.truncate(BUDGETS.linked_reads.saturating_sub(links.len()));
        for at in starts {
            let value = self.initial_value(root, at, n);
            links.push((self.pool.constant(64, at), value));
        }
        links
    }

    /// `p[i].key` for bytes at `24 * i + 8`, else `*(p + ...)`.
    fn index_name(&mut self, root: RootId, offset: Term) -> String {
        let (name, element, origin) = self.origins().name_of(root);
        let start = self.pool.constant(64, origin.wrapping_neg());
        let offset = self.pool.binary(BinOp::Add, offset, start);
        let (index, scale, start) = index_of(&self.pool, offset);
        let places = self.origins.as_deref().map(|origins| InitialPlaces { origins });
        let printer = match &places {
            Some(places) => Printer::with_places(&self.pool, places),
            None => Printer::new(&self.pool),
        };
        match (element, u64::try_from(start)) {
            (Some(size), Ok(start)) if i128::from(size) == scale && start < size => {
                let (index, origins) = (printer.value(index), self.origins.as_deref());
                let whole = origins.map(|o| o.name_at(root, origin + start)).unwrap_or_default();
                // The path behind the first element's name.
                let path = whole.strip_prefix(&format!("{name}->")).map(|path| format!(".{path}"));
                let path = path.or_else(|| whole.strip_prefix(&format!("{name}[0]")).map(str::to_owned));
                format!("{name}[{index}]{}", path.unwrap_or_default())
            }
            _ => format!("*({name} + {})", printer.value(offset)),
        }
    }

    /// A condition on initial states as C, in which addresses of their objects have names; and the names in it that are
    /// no C. `known` are such names of other texts: one that is an integer there is no float here.
    pub fn condition_in_c(&self, condition: Term, known: &[InputName]) -> (String, Vec<InputName>) {
        let print = |printer: Printer<'_>| {
            let printer = printer.with_names(known);
            (printer.condition(condition), printer.names())
        };
        match self.origins.as_deref() {
            Some(origins) => {
                let names = InitialNames(InitialPlaces { origins });
                print(Printer::with_places(&self.pool, &names))
            }
            None => print(Printer::new(&self.pool)),
        }
    }

    /// A place in an object of the initial state, as an expression for its address.
    pub fn root_place(&self, root: RootId, offset: i64) -> String {
        let Some(origins) = self.origins.as_deref() else { return String::new() };
        match origins.pointer_to(root, offset.cast_unsigned()) {
            Some(pointer) => pointer,
            None => format!("&{}", origins.name_at(root, offset.cast_unsigned())),
        }
    }

    /// The bytes of an object of the initial state that were written at constant offsets: names and values.
    pub fn written_cells(&self, array: &SymArray) -> Vec<(String, String)> {
        let (Some(unknown), Some(origins)) = (array.unknown(), self.origins.as_deref()) else { return Vec::new() };
        let mut found = Vec::new();
        let mut cells = unknown.cells.iter().peekable();
        while let Some((at, first)) = cells.next() {
            let mut bytes = vec![first];
            while let Some((_, next)) = cells.next_if(|(next, _)| next - at == bytes.len() as u64 && bytes.len() < 8) {
                bytes.push(next);
            }
            found.push((origins.name_at(unknown.root, at), self.bytes_text(&bytes)));
        }
        for write in unknown.writes.iter() {
            let (name, _, origin) = origins.name_of(unknown.root);
            let offset = Printer::with_places(&self.pool, &InitialPlaces { origins }).value(write.offset);
            let start = if origin == 0 { String::new() } else { format!(" - {origin}") };
            let what = match &write.what {
                What::Bytes(bytes) => self.bytes_text(&bytes.iter().collect::<Vec<_>>()),
                What::Fill { .. } | What::Copy { .. } => "...".to_owned(),
            };
            found.push((format!("*({name} + {offset}{start})"), what));
        }
        found
    }

    fn bytes_text(&self, bytes: &[&MemoryByte<Term>]) -> String {
        let constant = bytes.iter().rev().try_fold(0u64, |word, byte| match byte {
            MemoryByte::Constant(c) => Some(word << 8 | u64::from(*c)),
            MemoryByte::Symbolic(_) => None,
        });
        match (constant, bytes.first()) {
            (Some(word), _) => word.to_string(),
            (None, Some(MemoryByte::Symbolic(t))) => {
                // The bytes of one value are slices of it.
                let whole = match *self.pool.node(*t) {
                    Node::Extract { arg, lo: 0, .. } => arg,
                    _ => *t,
                };
                Printer::new(&self.pool).value(whole)
            }
            (None, _) => "...".to_owned(),
        }
    }

    /// Writes bytes at an offset that is inside of the object where `guard` holds.
    pub(crate) fn store_unknown(&mut self, unknown: &mut Unknown, offset: Term, bytes: Bytes, guard: Option<Term>) {
        if let (Some(at), None) = (self.pool.as_const(offset), guard)
            && unknown.is_apart(self, at, bytes.len() as u64)
        {
            self.note_cells(unknown, offset, &bytes);
            unknown.cells.write(at, bytes);
            return;
        }
        if let (Some(at), Some(guard), true) = (self.pool.as_const(offset), guard, unknown.writes.is_empty()) {
            let n = u32::try_from(bytes.len()).expect("at most eight");
            let old = self.load_unknown(unknown, offset, n);
            let (old, new) = (self.term(&old, 8 * n), self.value_of_bytes(&bytes));
            let new = self.term(&new, 8 * n);
            let merged = self.pool.ite(guard, new, old);
            let merged = self.bytes_of(&SymValue::Term(merged), n);
            unknown.cells.write(at, merged);
            return;
        }
        self.push_write(unknown, Write { offset, what: What::Bytes(bytes), guard });
    }
}

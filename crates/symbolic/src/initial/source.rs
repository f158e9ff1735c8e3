//! Where the values of a state's symbols can be looked up, for who has a concrete state at the same context: the
//! assignment of Bergan's Definition 1 (2.7).

use icsched_dataflow::{CallPath, PathId};
use icsched_ir::EntityId as _;
use icsched_smt::Term;
use rustc_hash::FxHashSet;

use super::root::{RootId, number};
use super::symbol::{RestsOn, SymbolSource};
use crate::domain::SymbolicDomain;
use crate::values::value::SymValue;
use icsched_machine::domain::MemoryByte;
use icsched_machine::memory::{Heap, ObjectId};

impl SymbolicDomain {
    /// What a symbol of the initial state stands for; `None` for any other term.
    pub fn source_of(&self, symbol: Term) -> Option<SymbolSource> {
        self.origins.as_deref()?.sources.get(&symbol).copied()
    }

    /// What has to be known before a symbol is; symbols of the initial state at fixed places, and inputs, rest on
    /// nothing. Whether inputs are known from the beginning is up to the path.
    pub fn rests_on(&self, symbol: Term) -> Vec<RestsOn> {
        let term = |value: &SymValue| match value {
            SymValue::Constant(_) => None,
            SymValue::Term(term) => Some(RestsOn::Term(*term)),
        };
        if let Some(operands) = self.operands.get(&symbol) {
            return operands.iter().map(|&operand| RestsOn::Term(operand)).collect();
        }
        let Some(origins) = self.origins.as_deref() else { return Vec::new() };
        match origins.sources.get(&symbol) {
            Some(SymbolSource::Register { .. } | SymbolSource::WaitStart { .. }) => Vec::new(),
            Some(SymbolSource::Memory { root, offset }) => {
                self.root_rests_on(*root).into_iter().chain(term(offset)).collect()
            }
            Some(SymbolSource::Quotient { a, b, .. }) => vec![RestsOn::Term(*a), RestsOn::Term(*b)],
            Some(SymbolSource::ExtentStart { root } | SymbolSource::ExtentEnd { root }) => self.root_rests_on(*root),
            Some(SymbolSource::NoThread { handle }) => term(handle).into_iter().collect(),
            None => match origins.fresh_symbols.get(&symbol) {
                Some((root, offset)) => self.root_rests_on(*root).into_iter().chain(term(offset)).collect(),
                None => origins.forgotten.passage_of_symbol(symbol).map(RestsOn::Loop).into_iter().collect(),
            },
        }
    }

    /// Whether a condition is about something that a replaced loop has left, whatever that is.
    pub fn is_left_by_loop(&self, condition: Term) -> bool {
        let (mut work, mut seen) = (vec![condition], FxHashSet::default());
        while let Some(term) = work.pop() {
            for &symbol in self.pool.symbols_of(term).iter() {
                if !seen.insert(symbol) {
                    continue;
                }
                for on in self.rests_on(symbol) {
                    match on {
                        RestsOn::Loop(_) => return true,
                        RestsOn::Term(term) => work.push(term),
                        RestsOn::Object(_) => {}
                    }
                }
            }
        }
        false
    }

    fn root_rests_on(&self, root: u32) -> Vec<RestsOn> {
        let Some(origins) = self.origins.as_deref() else { return Vec::new() };
        let id = RootId::from_index(root as usize);
        let pointer = self.pointer_of_root(root).map(|(pointer, _)| RestsOn::Term(pointer));
        let passage = origins.forgotten.passage_of(id).map(RestsOn::Loop);
        let object = origins.get(id).fresh.map(|_| RestsOn::Object(root));
        pointer.into_iter().chain(passage).chain(object).collect()
    }

    /// The activation that a [register](SymbolSource::Register) is of, if that is no frame.
    pub fn call_path(&self, id: PathId) -> Option<&CallPath> {
        self.origins.as_deref()?.call_paths.get(&id)
    }

    /// The pointer that a root was made for, and the offset in the root that it points to; `None` for a variable's
    /// root.
    pub fn pointer_of_root(&self, root: u32) -> Option<(Term, u64)> {
        let origins = self.origins.as_deref()?;
        let (&pointer, &id) = origins.root_of.iter().find(|(_, id)| number(**id) == root)?;
        Some((pointer, origins.get(id).origin()))
    }

    /// The bytes of a root that are known to hold these values, by offset.
    pub fn known_of_root(&self, root: u32) -> Vec<(u64, MemoryByte<Term>)> {
        let Some(origins) = self.origins.as_deref() else { return Vec::new() };
        let known = &origins.get(RootId::from_index(root as usize)).known;
        known.iter().map(|(at, byte)| (at, byte.clone())).collect()
    }
}

/// What objects of an initial state hold.
pub trait InitialObjects {
    /// The root whose bytes an object holds.
    fn root_of(&self, id: ObjectId) -> Option<RootId>;
    /// The number of that root.
    fn root_number(&self, id: ObjectId) -> Option<u32>;
    /// What was written into an object of the initial state, by offset; `None` if some of it was written at an offset
    /// that is no constant, and for any other object.
    fn written_bytes(&self, id: ObjectId) -> Option<Vec<(u64, MemoryByte<Term>)>>;
}

impl InitialObjects for Heap<SymbolicDomain> {
    fn root_of(&self, id: ObjectId) -> Option<RootId> {
        self.contents_of(id)?.root()
    }

    fn root_number(&self, id: ObjectId) -> Option<u32> {
        self.root_of(id).map(number)
    }

    fn written_bytes(&self, id: ObjectId) -> Option<Vec<(u64, MemoryByte<Term>)>> {
        self.contents_of(id)?.unknown()?.constant_cells()
    }
}

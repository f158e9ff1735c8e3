//! Indeterminate values: what a path reads by an error behind which it goes on ([`MemoryErrors::Continue`]). Each is an
//! input of its own, named after the place where it was read.
//!
//! [`MemoryErrors::Continue`]: icsched_machine::stop::MemoryErrors::Continue

use icsched_smt::{Node, Term};

use crate::domain::SymbolicDomain;
use crate::path::SymPath;
use crate::print::Printer;
use crate::values::value::SymValue;
use icsched_machine::memory::{AddressClass, Heap, address, classify};
use icsched_machine::stop::{DecisionKind, ErrorKind, Stop};

impl SymbolicDomain {
    pub(crate) fn indeterminate_symbol(&mut self, name: &str, bits: u32) -> SymValue {
        let symbol = self.pool.symbol(name, bits);
        self.indeterminate.insert(symbol);
        SymValue::Term(symbol)
    }

    /// Whether a value was computed from one that is indeterminate.
    pub(crate) fn is_indeterminate(&self, t: Term) -> bool {
        !self.indeterminate.is_empty() && self.pool.symbols_of(t).iter().any(|s| self.indeterminate.contains(s))
    }

    /// An indeterminate value that must be one constant could be any of 2^64: that is an error of its own. Not so where
    /// an object is visible in it, which has been found to be accessible, and where a choice shows that it is another
    /// value.
    pub(crate) fn determinate(&mut self, path: &SymPath, mut t: Term, kind: DecisionKind) -> Result<Term, Stop<Self>> {
        while self.is_indeterminate(t) {
            if self.alternatives(path, t).iter().all(|a| matches!(classify(a.constant), AddressClass::Object(..))) {
                return Ok(t);
            }
            let Node::Ite(condition, yes, no) = *self.pool.node(t) else {
                let (kind, message) = misuse(kind);
                return Err(Stop::Fault { kind, message: message.to_owned() });
            };
            t = if self.ask(condition, DecisionKind::Other)? { yes } else { no };
        }
        Ok(t)
    }

    /// `table + 4 * atoi(argv[1])`, or the address as a number where it does not show the object.
    pub(crate) fn name_of_place(&mut self, path: &SymPath, heap: &Heap<Self>, at: Term) -> String {
        let found = self.alternatives(path, at);
        let [only] = found.as_slice() else { return Printer::new(&self.pool).value(at) };
        let (constant, rest) = (only.constant, only.rest);
        let name = match classify(constant) {
            AddressClass::Object(id, offset) => heap.name_of(address(id, offset.cast_unsigned())),
            AddressClass::Null | AddressClass::Function(_) | AddressClass::Other => {
                return Printer::new(&self.pool).value(at);
            }
        };
        match rest {
            Some(rest) => format!("{name} + {}", Printer::new(&self.pool).value(rest)),
            None => name,
        }
    }
}

/// The error of using a value that was read by one, by what it is used as.
const fn misuse(kind: DecisionKind) -> (ErrorKind, &'static str) {
    match kind {
        DecisionKind::CallTarget => (ErrorKind::BadCall, "call through a pointer that was read by an error"),
        DecisionKind::SyncAddress => {
            (ErrorKind::WildPointer, "synchronisation on an object whose address was read by an error")
        }
        kind if kind.holds_address() => (ErrorKind::WildPointer, "a size or an address was read by an error"),
        _ => (ErrorKind::Uninitialised, "a size or an address was read by an error"),
    }
}

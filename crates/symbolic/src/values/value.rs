//! Values of registers: constants or terms.

use icsched_smt::Term;

/// A register. Constants never become terms until they are combined with one.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum SymValue {
    /// Known bits.
    Constant(u64),
    /// Depends on inputs. Never a constant term.
    Term(Term),
}

//! What symbols of an initial state stand for, and what they rest on.

use icsched_dataflow::Symbol;
use icsched_ir::BinOp;
use icsched_smt::Term;

use crate::values::value::SymValue;
use icsched_machine::abstraction::Passage;

/// What a symbol of an initial state stands for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SymbolSource {
    /// What a register holds.
    Register {
        /// Index of the thread in the context.
        thread: usize,
        /// The register.
        symbol: Symbol,
    },
    /// As many bytes as the symbol is wide.
    Memory {
        /// Number of the root that they are read from.
        root: u32,
        /// Offset in it.
        offset: SymValue,
    },
    /// The result of a division.
    Quotient {
        /// Which one.
        op: BinOp,
        /// What is divided.
        a: Term,
        /// By what.
        b: Term,
    },
    /// Least offset of a root's object.
    ExtentStart {
        /// Number of the root.
        root: u32,
    },
    /// The offset behind the last byte of a root's object.
    ExtentEnd {
        /// Number of the root.
        root: u32,
    },
    /// When a thread began to wait, before the initial state.
    WaitStart {
        /// Index of the thread in the context.
        thread: usize,
    },
    /// Whether a handle is that of no thread that lives or can be joined.
    NoThread {
        /// The handle.
        handle: SymValue,
    },
}

/// What has to be known before a symbol is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum RestsOn {
    /// The value of a term.
    Term(Term),
    /// What a replaced loop leaves behind.
    Loop(Passage),
    /// What an object holds that was allocated on the path: the number of its root.
    Object(u32),
}

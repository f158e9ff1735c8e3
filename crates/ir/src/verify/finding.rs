//! What the verifier answers: violated invariants, each with its place.

use std::fmt;

use crate::entity::{BlockId, FuncId, ValueId};
use crate::inst::BinOp;
use crate::types::Type;

/// Where in the program something is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// The program as a whole, its types or source locations.
    Program,
    /// A global variable, by its linker name.
    Global(String),
    /// A function.
    Function {
        /// Which one.
        id: FuncId,
        /// Its linker name.
        name: String,
        /// The block, unless it is about the function as a whole.
        block: Option<BlockId>,
        /// Index of the instruction in the block, or the number of instructions for the terminator.
        inst: Option<usize>,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Program => f.write_str("program"),
            Place::Global(name) => write!(f, "global @{name}"),
            Place::Function { id, name, block, inst } => {
                write!(f, "{id} @{name}")?;
                if let Some(block) = block {
                    write!(f, " {block}")?;
                }
                if let Some(inst) = inst {
                    write!(f, " #{inst}")?;
                }
                Ok(())
            }
        }
    }
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error("{what} does not exist")]
    OutOfRange { what: String },
    #[error("the name @{name} is used twice")]
    SharedName { name: String },
    #[error("{what} contains itself")]
    Endless { what: String },
    #[error("{what} is not a type of 1 to 64 bits")]
    BadType { what: Type },
    #[error("the constant {bits:#x} has bits beyond its type {ty}")]
    WideConstant { bits: u64, ty: Type },
    #[error("alignment {align} is not a power of two")]
    BadAlignment { align: u64 },
    #[error("the initialiser does not fit: {what}")]
    BadInitialiser { what: String },
    #[error("{value} is defined {times} times")]
    Definitions { value: ValueId, times: u32 },
    #[error("the definition of {value} does not dominate this use")]
    NotDominated { value: ValueId },
    #[error("the entry block has {what}")]
    Entry { what: &'static str },
    #[error("expected {expected} {what}, found {found}")]
    Count { what: &'static str, expected: usize, found: usize },
    #[error("{what} is {found}, expected {expected}")]
    TypeMismatch { what: String, found: Type, expected: String },
    #[error("{op} does not wrap")]
    NeverWraps { op: BinOp },
    #[error("ordering {ordering} is not allowed here")]
    BadOrdering { ordering: &'static str },
    #[error("{what}")]
    Signature { what: String },
}

/// One violated invariant, or one note.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct VerifyError {
    /// Where.
    pub place: Place,
    /// What.
    pub problem: Problem,
}

/// Everything the verifier found, in program order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Findings {
    /// Violated invariants.
    pub errors: Vec<VerifyError>,
    /// Direct calls that disagree with their callee's signature; an error only when executed.
    pub notes: Vec<VerifyError>,
}

impl Findings {
    pub(super) fn error(&mut self, place: Place, problem: Problem) {
        self.errors.push(VerifyError { place, problem });
    }
}

pub(super) fn out_of_range(id: impl fmt::Display) -> Problem {
    Problem::OutOfRange { what: id.to_string() }
}

pub(super) fn mismatch(what: impl Into<String>, found: Type, expected: impl fmt::Display) -> Problem {
    Problem::TypeMismatch { what: what.into(), found, expected: expected.to_string() }
}

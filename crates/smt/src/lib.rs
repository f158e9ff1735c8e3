//! Terms over bit vectors, byte arrays and floats, and the solvers that decide them.
//!
//! - [`TermPool`] makes terms: hash-consed, simplified on construction, evaluated, substituted, and written out
//!   ([`serial`], [`smtlib`]) without recursion on their depth.
//! - [`Solver`] is the interface of Bergan's figure 2.4, with three-valued answers. [`Z3Solver`] decides queries;
//!   [`CachingSolver`] stands in front of it and keeps most queries away.
//!
//! Architecture invariant: nothing outside this crate sees Z3, and nothing here knows about programs, paths or threads.
//! What a constructor, an export or a statistic returns never depends on the iteration order of a hash map.
//!
//! `docs/smt.md` describes the rules, the solver stack and their limits.

mod bits;
mod cache;
mod cases;
mod dense;
mod eval;
mod finite;
mod float;
mod given_up;
mod guess;
mod hardness;
mod implied;
mod independence;
mod interned;
mod interrupt;
mod interval;
mod invert;
mod local_search;
mod model;
mod node;
mod order;
mod pool;
mod propagate;
mod random;
mod range;
mod ranges;
mod relax;
mod repair;
pub mod serial;
mod simplify;
pub mod smtlib;
mod solver;
mod substitute;
mod symbols;
mod undo;
mod walk;
mod z3_backend;

pub use bits::gcd;
pub use cache::CachingSolver;
pub use eval::Evaluation;
pub use interrupt::{Clock, Interrupt};
pub use model::{ArrayValue, Model, ModelValue};
pub use node::{BinOp, Children, CmpOp, FpOp, MAX_WIDTH, Node, Sort, SymbolId, Term};
pub use pool::TermPool;
pub use ranges::Ranges;
pub use solver::{Answer, Solver, SolverStatistics, UnknownReason, Validity};
pub use substitute::Substitution;
pub use z3_backend::{SolverOptions, Z3Solver, in_fresh_context};

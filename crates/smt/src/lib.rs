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
//! `docs/internals/smt.md` describes the rules, the solver stack and their limits.

mod bounds;
mod budgets;
mod interrupt;
mod search;
mod solver;
mod stack;
mod tactics;
mod terms;
mod z3_backend;

pub use bounds::ranges::Ranges;
pub use interrupt::{Clock, Interrupt};
pub use solver::{Answer, Solver, SolverStatistics, UnknownReason, Validity};
pub use stack::caching_solver::CachingSolver;
pub use tactics::tactics;
pub use terms::bits::gcd;
pub use terms::eval::Evaluation;
pub use terms::model::{ArrayValue, Model, ModelValue};
pub use terms::node::{BinOp, Children, CmpOp, FpOp, MAX_WIDTH, Node, Sort, SymbolId, Term};
pub use terms::pool::TermPool;
pub use terms::substitute::Substitution;
pub use terms::{serial, smtlib};
pub use z3_backend::{SolverOptions, Z3Solver, in_fresh_context};

//! From a linked LLVM module to the analysis IR.
//!
//! 1. [`reach`] finds what is needed, with the model functions that operations need ([`families`]); [`plan`] gives
//!    blocks their ids. [`lowering`] keeps these and what is lowered so far.
//! 2. [`program`] lowers globals ([`constant`]) and signatures.
//! 3. [`function`] lowers bodies, block by block: [`inst`], [`memory`], [`vector`], [`call`], [`intrinsic`],
//!    [`assembly`] and [`terminator`] each take a family of instructions; [`scalar`] says what a scalar type is held
//!    by, [`arithmetic`] computes with one: integers of more than 64 bits in [`wide`], and what no instruction does by
//!    calls of models ([`support`]).
//! 4. [`handlers`] makes functions of the code that a thread runs when it ends inside `pthread_cleanup_push`.
//! 5. [`nondet`] and [`atomic_functions`] rewrite what the harnesses of verification suites mean by names.
//! 6. [`cleanup`] joins straight-line blocks and drops empty ones; it never duplicates an instruction. At last it makes
//!    one way of branches ([`arms`]) that only choose what is synchronised on ([`locating`]).
//!
//! An instruction that is not lowered becomes `Op::Unsupported` with the reason and its text, and fresh results.

mod arithmetic;
mod arms;
mod asm_inst;
mod assembly;
mod assumptions;
mod atomic_functions;
mod bits;
mod call;
mod cleanup;
mod constant;
mod debug;
mod error;
mod families;
mod function;
mod handlers;
mod inst;
mod intrinsic;
mod late;
mod locating;
mod lowering;
mod masked;
mod memory;
mod modulo;
mod naming;
mod nondet;
mod plan;
mod program;
mod reach;
mod relative;
mod repeated;
mod scalar;
mod shape;
mod support;
mod tail;
mod terminator;
mod vector;
mod wide;
mod wide_atomic;
mod x86;
mod x87;

pub(crate) use families::family_of;
pub(crate) use lowering::Failure;
pub(crate) use program::lower;

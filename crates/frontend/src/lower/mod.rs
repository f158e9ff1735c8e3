//! From a linked LLVM module to the analysis IR.
//!
//! 1. [`reach`] finds what is needed; [`plan`] gives blocks their ids.
//! 2. [`program`] lowers globals ([`constant`]) and signatures.
//! 3. [`function`] lowers bodies, block by block: [`inst`], [`memory`], [`vector`], [`call`], [`intrinsic`],
//!    [`assembly`] and [`terminator`] each take a family of instructions.
//! 4. [`cleanup`] joins straight-line blocks and drops empty ones; it never duplicates an instruction.
//!
//! An instruction that is not lowered becomes `Op::Unsupported` with the reason and its text, and fresh results.

mod assembly;
mod call;
mod cleanup;
mod constant;
mod debug;
mod function;
mod inst;
mod intrinsic;
mod memory;
mod plan;
mod program;
mod reach;
mod relative;
mod shape;
mod terminator;
mod vector;

pub(crate) use program::{Failure, lower};

//! The text form of the IR: [`Program::to_text`](crate::Program::to_text) prints it, [`parse`] reads it back.
//!
//! For a program that passes [`verify`](crate::verify()), `parse(&program.to_text()) == Ok(program)`, with all ids,
//! names, source locations and initialisers. `docs/internals/ir.md` describes the form; in short:
//!
//! ```text
//! global @counter size 4 align 4 = i32 7
//!
//! function @worker(v0: ptr "arg") -> ptr at queue.c:14:1 {
//! b0:
//!     v1: i32 = load [@counter] at queue.c:15:3
//!     v2 = icmp.slt v1, 10
//!     branch v2, b1(v1), b2
//! b1(v3: i32):
//!     store [@counter], 5:i32
//!     jump b2
//! b2:                                ; a comment
//!     return null
//! }
//! ```
//!
//! A constant needs a type (`5:i32`) only where the operation and its other operands do not tell. Written by hand, the
//! ids may be left to the parser: `%name` instead of `v1`, any label instead of `b1`, no result type where the
//! operands tell it.

mod body;
mod constant;
mod cursor;
mod inst;
mod lexer;
mod name;
mod parse;
mod print;
mod print_inst;
mod reader;
mod scope;
mod table;

pub use parse::parse;

/// Why a text is not a program, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// What was expected or found.
    pub message: String,
}

//! Runs the C programs of `c-tests/` and checks what their leading comments expect.
//!
//! A program says what is expected of it in `// key: value` lines at its top; `c-tests/README.md` lists the keys. Each
//! program makes one trial per variant and optimisation level. A trial compiles the program to bitcode, runs every
//! `icsched` command it names, and compares runs in the interpreter with native runs of the same program.

pub mod check;
pub mod condition;
pub mod csmith;
pub mod enumerate;
pub mod exec;
pub mod expect;
pub mod locate;
pub mod printed;
pub mod process;
pub mod soundness;
pub mod trial;

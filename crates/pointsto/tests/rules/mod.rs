//! The rules of the constraint generator, one by one, on text IR: what a value points to, exactly. A set that is too
//! small is a rule that is missing, one that is too large a loss of precision.

mod check;

mod arithmetic;
mod bounds;
mod calls;
mod clones;
mod copies;
mod externals;
mod indices;
mod initialisers;
mod integers;
mod memory;
mod merging;
mod pieces;
mod queries;
mod start;
mod strides;
mod threads;
mod unknown;
mod values;
mod varargs;

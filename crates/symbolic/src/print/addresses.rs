//! What addresses mean, for who prints them.

use icsched_smt::{CmpOp, Term};

/// What addresses mean in a state.
pub trait Places {
    /// An address as a C expression.
    fn name(&self, address: u64) -> Option<String>;
    /// The object that an address is in, or near.
    fn object(&self, address: u64) -> Option<Object>;
    /// Where a pointer of the initial state may point, other than into its own object, if `address` is that of its own
    /// object.
    fn others(&self, pointer: Term, address: u64) -> Option<Others>;
    /// What is `start` bytes behind an anchor, or that many behind the element with an index: its text, and the bytes
    /// per index. `None` if the anchor is a term that is no pointer of the initial state.
    fn lvalue(&self, anchor: Anchor, index: Option<(&str, i128)>, start: i64) -> Option<String>;
    /// The address at which memory held a value in the initial state.
    fn loaded(&self, value: Term) -> Option<Loaded>;
    /// The comparison of such a value that a condition is, if it does not look like one.
    fn comparison(&self, truth: Term) -> Option<(CmpOp, Term, Term)>;
    /// Whether a symbol of 64 bits may hold an address.
    fn may_point(&self, symbol: Term) -> bool;
    /// An end of an object of which nobody knows the size.
    fn extent(&self, symbol: Term) -> Option<Extent>;
}

/// What places are counted from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Anchor {
    /// Where a pointer points.
    Pointer(Term),
    /// An address.
    Address(u64),
    /// Null.
    Nothing,
    /// The start of an object of the initial state, by its number.
    Root(u32),
}

/// Where a value was in memory.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Loaded {
    /// At an address.
    At(u64),
    /// At an address that depends on the initial state.
    Behind(Term),
}

/// An object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// As C: `table`, `*list`.
    pub name: String,
    /// A C expression for an address in it.
    pub address: String,
    /// The offset of that address.
    pub offset: i64,
    /// The offset that was asked for.
    pub asked: i64,
    /// In bytes.
    pub size: u64,
}

/// Where else a pointer may point, null apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Others {
    /// Nowhere.
    Nowhere,
    /// To one address.
    One(String),
    /// Into one object.
    Within(String),
    /// To several.
    Several,
}

/// An end of an object of unknown size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The object.
    pub name: String,
    /// Its number.
    pub root: u32,
    /// The end behind its last byte, not the first byte.
    pub is_end: bool,
}

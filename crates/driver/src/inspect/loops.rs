//! The loops of the functions, with how often they run.

mod document;
mod render;

pub(super) use document::document;
pub(super) use render::{dot, text};

use serde::Serialize;

/// Name and version of the document.
pub(super) const SCHEMA: &str = "icsched/inspect-loops/1";

#[derive(Serialize)]
pub(super) struct Document {
    schema: &'static str,
    program: String,
    /// Those that have loops.
    functions: Vec<FunctionEntry>,
}

#[derive(Serialize)]
struct FunctionEntry {
    name: String,
    at: Option<String>,
    /// Outer loops before inner ones.
    loops: Vec<LoopEntry>,
}

#[derive(Serialize)]
struct LoopEntry {
    /// Place in the list, from 0, of the loop right around it.
    parent: Option<usize>,
    depth: u32,
    header: Block,
    irreducible: bool,
    /// Where control can enter: just the header if not irreducible.
    entries: Vec<Block>,
    latches: Vec<Block>,
    exits: Vec<Exit>,
    iterations: Option<Iterations>,
    ends: Ends,
    tests: Vec<Test>,
    variables: Vec<Variable>,
    derived: Vec<Derived>,
}

#[derive(Serialize)]
struct Block {
    block: String,
    at: Option<String>,
}

#[derive(Serialize)]
struct Exit {
    from: Block,
    to: Block,
}

/// Whether the loop ends.
#[derive(Serialize)]
struct Ends {
    /// `proved`, `endless`, `assumed`: proved for this loop and what is inside, or not.
    verdict: &'static str,
    /// Why it does, if each of its rounds ends: `i counts up to n`.
    because: Option<String>,
    /// Loops and recursions that have to end for that and of which it is not proved, itself among them.
    rests_on: Vec<String>,
}

/// How often the loop's code runs each time control enters the loop.
#[derive(Serialize)]
struct Iterations {
    /// As C text, or a number.
    text: String,
    /// Not just a bound.
    exact: bool,
    /// The number, where it is one.
    constant: Option<u64>,
    /// Nothing in its tests ever ends it.
    endless: bool,
    /// What must hold for the text to be right.
    #[serde(rename = "if")]
    proviso: Vec<&'static str>,
}

/// A comparison that lets the loop go on.
#[derive(Serialize)]
struct Test {
    at: Option<String>,
    /// C text.
    condition: String,
    /// What is compared is this in the first iteration, and grows by this.
    start: String,
    step: String,
}

/// A variable that grows by the same amount in each iteration.
#[derive(Serialize)]
struct Variable {
    name: String,
    value: String,
    start: String,
    step: String,
}

/// A value that is `variable * scale + offset`.
#[derive(Serialize)]
struct Derived {
    name: Option<String>,
    value: String,
    variable: String,
    scale: i64,
    offset: String,
}

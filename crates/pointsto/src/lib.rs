//! Which objects a pointer may point to, for whole programs.
//!
//! Inclusion-based (L. Andersen, "Program Analysis and Specialization for the C Programming Language", 1994),
//! flow-insensitive, field-sensitive by byte offset, with the call graph built on the way. Small functions that return,
//! store or call what they are given are analysed once per chain of calls, so that allocation wrappers and helpers of
//! the C library keep their callers apart. `docs/concepts/points-to.md` describes the algorithm.
//!
//! Derived from it: what code may write, read and synchronise ([`ModRef`], [`Regions`]), which objects threads share
//! ([`Escape`]), and what is written only before there are threads ([`Startup`]).
//!
//! API boundary: [`PointsTo::new`] solves, everything else only looks up.

mod access;
mod budgets;
mod call;
mod conditions;
mod describe;
mod escape;
mod failing;
mod generate;
mod graph;
mod integers;
mod invariant;
mod memory;
mod modref;
mod object;
mod pieces;
mod query;
mod region;
mod sets;
mod shape;
mod solver;
mod startup;
mod touched;

use std::fmt;

use icsched_ir::{FuncId, GlobalId, Program, ProgramPoint};

use crate::budgets::BUDGETS;

pub use access::{AccessSet, Piece};
pub use describe::describe_value;
pub use escape::Escape;
pub use invariant::InvariantLoads;
pub use modref::{Effects, ModRef, Region};
pub use object::{InstanceId, Location, LocationId, Object, ObjectId, ObjectKind, Offsets};
pub use query::{PointerInfo, PointsTo};
pub use region::Regions;
pub use startup::Startup;
pub use touched::SetId;

/// How precise to be, and when to stop.
pub struct Options<'a> {
    /// Single offsets of one object that are told apart; more, and its offsets count modulo its elements' size.
    pub max_offsets: u32,
    /// Longest chain of calls that a function is analysed for; 0 analyses every function once.
    pub clone_depth: u32,
    /// Most instructions to analyse more than once.
    pub clone_budget: usize,
    /// In a program without `main`, take nothing to come in from outside: its functions run, but what nobody in the
    /// program passes or stores points nowhere. Unsound for a library in use.
    pub closed: bool,
    /// Take no integer to carry a pointer, as analyses that go by types do. Unsound, a yardstick: optimised code copies
    /// structures in integers.
    pub pointer_types_only: bool,
    /// Asked between waves; when true, solving ends with [`Interrupted`].
    pub interrupted: &'a dyn Fn() -> bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            max_offsets: BUDGETS.offsets,
            clone_depth: BUDGETS.clone_depth,
            clone_budget: BUDGETS.cloned_instructions,
            closed: false,
            pointer_types_only: false,
            interrupted: &|| false,
        }
    }
}

/// Solving was stopped by [`Options::interrupted`]: there is no result.
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the points-to analysis was interrupted")]
pub struct Interrupted;

/// A function as it is analysed: for all of its callers, or for one chain of calls.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The function.
    pub func: FuncId,
    /// The one call it is analysed for; `None` for every call that has no instance of its own.
    pub caller: Option<(InstanceId, ProgramPoint)>,
    /// How many such calls are on the way to a shared instance.
    pub depth: u32,
}

/// What the analysis did not know and took the worst of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Note {
    /// There is no `main`: what other translation units can name was taken to be used from outside, with everything
    /// known there. Functions of the program that nothing is seen to call were too.
    NoMain,
    /// There is no `main`, and as [`Options::closed`] says, nothing was taken to come in from outside.
    Closed,
    /// A function with neither a body nor a row in the table of externals: it may store anything in anything it can
    /// reach, and call it.
    UnknownFunction(FuncId),
    /// A variable that is only declared: it may hold what functions that are not known may hold, and what it points to
    /// is theirs.
    ExternalVariable(GlobalId),
    /// Bytes of memory that may hold pointers are handed on one by one, or as text: pointers that are put together from
    /// them again are not followed.
    Pieces {
        /// Where, first.
        first: ProgramPoint,
        /// At how many places.
        places: usize,
    },
    /// Code that the frontend did not lower; what it stores is not seen.
    Unsupported {
        /// Where.
        at: ProgramPoint,
        /// What.
        text: String,
    },
}

impl Note {
    /// The note as a sentence without a full stop.
    pub fn describe(&self, program: &Program) -> String {
        match self {
            Note::NoMain => {
                "there is no `main`: what other translation units can name counts as used from outside, with \
                             everything that is known there"
                    .to_owned()
            }
            Note::Closed => {
                "there is no `main`, and nothing was taken to come in from outside: what callers pass or store is missing".to_owned()
            }
            Note::UnknownFunction(f) => format!(
                "`{}` has no definition and is not known: it may store and call everything it can reach",
                program.functions[*f].name
            ),
            Note::Pieces { first, places } => {
                let place = first.loc(program).map_or_else(|| program.functions[first.func].name.clone(), |l| program.describe_loc(l));
                let others = match places - 1 {
                    0 => String::new(),
                    1 => " and another place".to_owned(),
                    others => format!(" and {others} other places"),
                };
                format!(
                    "bytes of memory that may hold pointers are handed on at {place}{others}: a pointer that is put together \
                     from single bytes again is not followed"
                )
            }
            Note::ExternalVariable(g) => format!("the variable `{}` has no definition: it may hold everything that is known outside", program.globals[*g].name),
            Note::Unsupported { at, text } => {
                let place = at.loc(program).map_or_else(String::new, |l| format!("{}: ", program.describe_loc(l)));
                format!("{place}not analysed: {text}")
            }
        }
    }
}

/// Sizes and efforts.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct Statistics {
    /// Functions as analysed, [`Instance`]s.
    pub instances: usize,
    /// Abstract objects.
    pub objects: usize,
    /// Locations within them.
    pub locations: usize,
    /// Pieces of memory that are told apart.
    pub cells: usize,
    /// Nodes of the constraint graph, merged ones included.
    pub nodes: usize,
    /// Nodes merged into others.
    pub merged: usize,
    /// Edges added.
    pub edges: usize,
    /// Waves of propagation.
    pub waves: usize,
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { instances, objects, locations, cells, nodes, merged, edges, waves } = self;
        write!(
            f,
            "{instances} instances, {objects} objects, {locations} locations, {cells} cells, {nodes} nodes ({merged} \
             merged), {edges} edges, {waves} waves"
        )
    }
}

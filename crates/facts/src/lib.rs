//! What all states have in common in which threads are at the same places: the facts that epochs hand on to each other.
//!
//! A [`Shape`] is a graph. Its nodes are objects that the places themselves name - variables, locals of frames, the
//! control blocks of threads - and objects from the heap that are reached from them, each another one. Memory and
//! registers hold numbers, addresses of nodes, or the same unknown value as others. The [join](Shape::join) of two
//! shapes says what both say: a heap object of one and one of the other are one node when they are reached in the same
//! way first (a bisimulation; canonical abstraction of Sagiv, Reps and Wilhelm with access paths for predicates), and
//! what was a number in both, but not the same one, is still equal where it was in both. So counters of threads that go
//! in step stay equal although nobody knows them.
//!
//! Beside the graph there are [kinds](Kind) of facts, one file each, listed in one table (`table.rs`).
//!
//! Threads are named by their position in the epoch: sorted by stack, those with equal stacks by their slots in the
//! models' table. Which of them is which does not matter (Bergan 3.4.1.3), but all that is known is known of one order
//! of them.
//!
//! - [`place`]: places, and what they hold; [`Shape`]: the facts; `join`, `widening`, `align`: what happens to them
//!   from epoch to epoch.
//! - `bounds`, `element`, `equation`, `relation`, `ring_offset`: what facts are made of. `table`: which facts a shape
//!   has. `kind`, `kinds`: the trait of a kind, and the kinds: how facts are joined and widened.
//! - [`KnownShape`]: facts where a state begins; [`EndState`]: what a path leaves at its end, of which facts are
//!   sought.
//! - [`Compared`], [`Deciding`], [`Fields`], [`Indices`], [`Locks`], [`Rings`], [`thresholds`]: what the program's code
//!   says is worth knowing.

mod addresses;
mod align;
mod bounds;
mod budgets;
mod bytes;
mod change;
mod compared;
mod deciding;
mod element;
mod equation;
mod fact_map;
mod fact_state;
mod fields;
mod fits;
mod indices;
mod initial;
mod join;
mod kind;
mod kinds;
mod locks;
mod mentioned;
mod pairs;
mod path_end;
pub mod place;
mod relation;
mod renaming;
mod ring_offset;
mod rings;
mod shape;
mod sources;
mod table;
mod thresholds;
mod variables;
mod widening;

pub use addresses::Addresses;
pub use bounds::Bounds;
pub use budgets::{BUDGETS, Budgets};
pub use bytes::Bytes;
pub use change::ShapeChange;
pub use compared::Compared;
pub use deciding::Deciding;
pub use element::{Element, Length};
pub use equation::{Equation, between, equalities, ordered};
pub use fact_map::FactMap;
pub use fact_state::{FactState, Statement, Words};
pub use fields::{Activations, Fields, Parts, Widening};
pub use indices::Indices;
pub use initial::KnownShape;
pub use join::{Join, Side};
pub use kind::{Kind, MapKind};
pub use kinds::bounds::Intervals;
pub use kinds::choices::Choices;
pub use kinds::differences::Differences;
pub use kinds::elements::{Elements, constants};
pub use kinds::equations::Equations;
pub use kinds::handles::Handles;
pub use kinds::limits::WideningLimits;
pub use kinds::relations::Relations;
pub use kinds::ring_offsets::RingOffsets;
pub use locks::Locks;
pub use mentioned::Mentioned;
pub use path_end::{EndState, Pointers, element};
pub use place::{Held, Node, Place};
pub use relation::{Column, Relation, among};
pub use renaming::Renaming;
pub use ring_offset::RingOffset;
pub use rings::Rings;
pub use shape::Shape;
pub use thresholds::{result_limits, thresholds};
pub use widening::{Idle, Thresholds, WideningStep};

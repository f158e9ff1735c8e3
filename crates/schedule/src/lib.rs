//! Input-covering schedules as values, and the database that keeps them.
//!
//! A schedule is a happens-before graph over the synchronisation of one execution (Bergan 3.2): build one with
//! [`HbBuilder`]. Paired with the [`InputConstraint`] under which it can be followed it becomes a [`Schedule`]; a
//! [`ScheduleTree`] holds those of one epoch (3.2.1), an [`Enumeration`] the whole result, and [`Database`] its file.
//!
//! Architecture invariants: nothing here searches, solves or renders. Every type is plain data that compares by value,
//! serialises, and prints the same on every machine (D9).

pub mod behind;
mod builder;
pub mod constraint;
pub mod db;
pub mod diagnostic;
pub mod end;
pub mod enumeration;
pub mod epoch;
pub mod finding;
pub mod graph;
pub mod hash;
pub mod input;
mod knot;
mod published;
pub mod reason;
mod searched_with;
pub mod tree;

pub use icsched_ir::{is_visible, visible};

pub use behind::{Behind, ErrorPlace};
pub use builder::{AccessMode, CyclicOrder, HbBuilder, NodeLabel};
pub use constraint::{InputConstraint, NamedInput};
pub use db::{CUT_OFF, Database, DatabaseWriter, DbError, Kept, KeptSearch};
pub use diagnostic::{Diagnostic, Severity};
pub use end::{Blocked, EndlessLoop, ScheduleEnd};
pub use enumeration::{
    AssumedOfLoops, Assumption, Enumeration, EpochResult, PossibleError, SchedulesPerEpoch, Statistics, Totals,
};
pub use epoch::{EpochId, EpochKey, ThreadContext};
pub use finding::{
    ChainLink, CheckResult, CheckStatistics, DeadlockClass, Finding, FindingFile, FindingKind, FindingThread, Held,
    Near, Site, StepRole, Suppressed, ThreadEnd, TraceStep, Turn, Verdict,
};
pub use graph::{GraphError, HappensBefore, HbEdge, HbNode, NodeId, NodeOutcome, Place};
pub use hash::ShortHash;
pub use input::{Answer, Bytes, Contents, Input};
pub use knot::{Knot, knot};
pub use published::published_schema;
pub use reason::{IncompleteKind, Reason};
pub use searched_with::{Json, SearchedWith, Summarisable, Summarised};
pub use tree::{Branch, Schedule, ScheduleId, ScheduleTree, TreeNode};

//! Markers, and why loops have none.

use std::collections::BTreeMap;

use icsched_ir::{BlockId, EntityId, FuncId, LoopId, Program, ProgramPoint};
use icsched_slicing::control::Control;

/// How markers are placed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct MarkerOptions {
    /// Leave markers out where they are not needed ([`Technique::MarkerPruning`](crate::Technique::MarkerPruning)).
    /// Without it every loop and every recursion that synchronises has one of its own, and barriers have none.
    pub prune: bool,
}

impl Default for MarkerOptions {
    fn default() -> Self {
        Self { prune: true }
    }
}

/// What a marker stands at.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MarkerKind {
    /// The first instruction of a loop's header.
    Loop,
    /// A call of `pthread_barrier_wait` in the program.
    Barrier,
    /// The entry of a recursive function, or of one that threads run which create such threads; or what follows a
    /// recursive call.
    Recursion,
    /// The entry of a function that a library model calls in a loop.
    Callback,
}

impl MarkerKind {
    /// The word for it in documents.
    pub const fn name(self) -> &'static str {
        match self {
            MarkerKind::Loop => "loop",
            MarkerKind::Barrier => "barrier",
            MarkerKind::Recursion => "recursion",
            MarkerKind::Callback => "callback",
        }
    }
}

/// Why a loop has no marker of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unmarked {
    /// Nothing in it may synchronise.
    DoesNotSynchronise,
    /// No code that is executed calls its function.
    NeverExecuted,
    /// Every iteration executes one of these markers, unless it only waits, or the loop is counted and it only
    /// creates or joins threads.
    Covered(Vec<ProgramPoint>),
    /// It goes round at most so often, which its code alone tells.
    GoesRound(u64),
    /// It only waits for condition variables: it goes round as often as they are notified.
    OnlyWaits,
    /// It only creates threads, beside such waits, and is counted.
    OnlyCreates,
    /// It only joins threads, beside such waits, and is counted.
    OnlyJoins,
}

impl Unmarked {
    /// The reason in plain words, behind "no marker: ".
    pub fn describe(&self, program: &Program) -> String {
        match self {
            Unmarked::DoesNotSynchronise => "does not synchronise".to_owned(),
            Unmarked::NeverExecuted => "is never executed".to_owned(),
            Unmarked::GoesRound(count) => format!("goes round at most {count} times"),
            Unmarked::Covered(by) => {
                let mut places: Vec<String> = by.iter().map(|&point| place(program, point)).collect();
                places.dedup();
                match &places[..] {
                    [one] => {
                        format!("covered by the marker at {one}, which every iteration executes unless it only waits")
                    }
                    several => format!(
                        "covered by the markers at {}, of which every iteration executes one unless it only waits",
                        several.join(", ")
                    ),
                }
            }
            Unmarked::OnlyWaits => "only waits for a condition variable".to_owned(),
            Unmarked::OnlyCreates => "only creates threads, counted".to_owned(),
            Unmarked::OnlyJoins => "only joins threads, counted".to_owned(),
        }
    }
}

/// A loop of the program's own code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopMark {
    /// The function.
    pub func: FuncId,
    /// Its number in the function's [`LoopForest`](icsched_ir::LoopForest).
    pub id: LoopId,
    /// Its header.
    pub header: BlockId,
    /// Why it has no marker; `None` if there is one at its header.
    pub unmarked: Option<Unmarked>,
}

impl LoopMark {
    /// The first instruction of its header.
    pub fn point(&self) -> ProgramPoint {
        ProgramPoint { func: self.func, block: self.header, inst: 0 }
    }

    /// Whether it may synchronise, as far as it is executed at all.
    pub fn synchronises(&self) -> bool {
        !matches!(self.unmarked, Some(Unmarked::DoesNotSynchronise | Unmarked::NeverExecuted))
    }
}

/// The epoch markers of a program.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Markers {
    pub(super) markers: BTreeMap<ProgramPoint, MarkerKind>,
    pub(super) loops: Vec<LoopMark>,
}

impl Markers {
    /// No markers, as if the whole run were one epoch.
    pub fn none() -> Self {
        Self::default()
    }

    /// Whether an epoch ends in front of the instruction at a point. O(log markers).
    pub fn contains(&self, point: ProgramPoint) -> bool {
        self.markers.contains_key(&point)
    }

    /// What the marker at a point stands at. O(log markers).
    pub fn kind(&self, point: ProgramPoint) -> Option<MarkerKind> {
        self.markers.get(&point).copied()
    }

    /// All markers by function, block and instruction.
    pub fn iter(&self) -> impl Iterator<Item = (ProgramPoint, MarkerKind)> {
        self.markers.iter().map(|(&point, &kind)| (point, kind))
    }

    /// Number of markers.
    pub fn len(&self) -> usize {
        self.markers.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.markers.is_empty()
    }

    /// Every loop of the program's own code, by function, outer ones before inner ones.
    pub fn loops(&self) -> &[LoopMark] {
        &self.loops
    }

    /// The loop around a block that is innermost, if there is one.
    pub fn loop_at(&self, control: &Control, point: ProgramPoint) -> Option<&LoopMark> {
        let id = control.function(point.func).loops.innermost(point.block)?;
        let at = self.loops.binary_search_by_key(&(point.func, id), |l| (l.func, l.id)).ok()?;
        Some(&self.loops[at])
    }
}

/// `file.c:12`, or `main b3:1` where there is no source line.
fn place(program: &Program, point: ProgramPoint) -> String {
    crate::graph::place(program, &icsched_ir::CallStack(vec![point]))
}

/// The entry of a function.
pub(super) fn entry(func: FuncId) -> ProgramPoint {
    ProgramPoint { func, block: BlockId::from_index(0), inst: 0 }
}

//! Epoch markers: where an epoch ends (Bergan 3.3.1, figure 3.2).
//!
//! A thread that comes to a marker ends its epoch *before* it executes the instruction there, each time it comes by. What
//! placement promises: between two markers a thread synchronises only so often, as far as the number of threads and what they are
//! notified of is bounded. And a loop or recursion that synchronises does not repeat without a marker because some of its iterations
//! do nothing. So markers go where synchronisation repeats, bottom-up over the call graph and over the loops of each function, and
//! nowhere else. `docs/epoch-markers.md` has the argument.
//!
//! Deviations:
//!
//! 1. A barrier is a marker only if it is needed to cover a loop. Bergan ends an epoch at every barrier; outside of loops that
//!    makes more epochs and bounds nothing.
//! 2. Several markers may cover a loop together, on different ways through it, and iterations that are trivial need none.
//! 3. Loops that create or join threads are trivial only if they are counted, and do one of the two: a loop without a bound
//!    can create threads that end, however few of them live. A wait with a timeout is not trivial either, since nobody has to notify for it to
//!    return.
//! 4. Recursion gets markers (Bergan has none): at entries, and behind calls where the way back synchronises. So do threads that create
//!    threads that do, and functions of the program that a library model calls in a loop.
//! 5. Atomic operations are synchronisation.

mod code;
mod cover;
mod place;
mod recursion;
mod trivial;

use std::collections::BTreeMap;

use icsched_ir::{BlockId, EntityId, FuncId, LoopId, Program, ProgramPoint};
use icsched_pointsto::ModRef;

use crate::control::Control;
use crate::markers::place::Placer;

/// How markers are placed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct MarkerOptions {
    /// Leave markers out where they are not needed ([`Technique::MarkerPruning`](crate::Technique::MarkerPruning)). Without
    /// it every loop and every recursion that synchronises has one of its own, and barriers have none.
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
    /// Every iteration executes one of these markers, unless it only waits, or the loop is counted and it only creates or joins
    /// threads.
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
    markers: BTreeMap<ProgramPoint, MarkerKind>,
    loops: Vec<LoopMark>,
}

impl Markers {
    /// Places the markers of a program, whose control facts these are. `modref` tells which loads are the same throughout a
    /// loop; without it fewer loops are known to be counted.
    ///
    /// Takes O((blocks + edges + instructions) * depth of loops) for loops, and that times the number of their recursive
    /// calls for recursive functions; each marker adds one pass over its function.
    pub fn place(program: &Program, control: &Control, modref: Option<&ModRef<'_>>, options: &MarkerOptions) -> Self {
        Placer::new(program, control, modref, options).run()
    }

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
fn entry(func: FuncId) -> ProgramPoint {
    ProgramPoint { func, block: BlockId::from_index(0), inst: 0 }
}

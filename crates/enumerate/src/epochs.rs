//! `Search` (Bergan 3.3.3, figure 3.5): all bounded epochs that may be reached, from the one at program entry on.
//!
//! - [`beginnings`]: where epochs begin, and what dataflow analysis knows of that.
//! - [`job`]: the search of one epoch, which depends on nothing but its [`Job`](job::Job).
//! - [`fixpoint`]: which jobs there are, and in which order their results count.
//! - [`workers`]: jobs in threads of their own.
//! - [`record`]: finished jobs as text, for a run that goes on with them.

pub(crate) mod beginnings;
mod cursors;
mod effect;
pub(crate) mod fixpoint;
mod growing;
mod guards;
mod inputs;
pub(crate) mod job;
mod latches;
pub(crate) mod record;
pub(crate) mod workers;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use icsched_dataflow::Statics as Variables;
use icsched_dataflow::termination::Termination;
use icsched_ir::{BlockId, FuncId, Program, ProgramPoint};
use icsched_pointsto::{ModRef, PointsTo, Startup};
use icsched_schedule::{EpochId, EpochResult, Reason};
use icsched_symex::folding::Folding;
use icsched_symex::shape::{Compared, Deciding, Fields, Indices, Locks, Pointers, Rings, Shape, Widening};

use crate::epochs::beginnings::Beginnings;
use crate::epochs::fixpoint::Fixpoint;
use crate::epochs::job::{Finished, Job, Work};
use crate::followed::{Followed, Following};
use crate::progress::Progress;
use crate::slice::Statics;
use crate::slots::Slots;
use crate::{Request, Technique};

/// What all epochs of a program share.
#[derive(Clone)]
pub(crate) struct Shared<'p> {
    pub(crate) request: &'p Request,
    /// The program as it is executed.
    pub(crate) program: &'p Arc<Program>,
    pub(crate) statics: Statics<'p>,
    pub(crate) markers: Arc<BTreeSet<ProgramPoint>>,
    /// Which activations of recursions the names of epochs tell apart.
    pub(crate) folding: Option<Arc<Folding>>,
    /// The program's markers, and recursions, that threads pass until inputs decide how they go on.
    pub(crate) everything: Followed,
    pub(crate) recursions: Followed,
    /// Loops without a way out, which are replaced from the start.
    pub(crate) endless: Vec<(FuncId, BlockId)>,
    /// For threads that help with an epoch.
    pub(crate) slots: Arc<Slots>,
    /// What initial states in the middle of the program need; without it there is only the first epoch.
    pub(crate) analyses: Option<&'p Analyses<'p>>,
}

impl Shared<'_> {
    /// The epoch that the program begins with.
    pub(crate) fn entry(&self) -> Option<EpochId> {
        self.program.main.map(EpochId::entry)
    }

    /// What is followed in an epoch, at most what `following` says.
    fn followed(&self, epoch: &EpochId, following: Following) -> Followed {
        match following {
            Following::Recursions => self.recursions.clone(),
            Following::Ways => self.recursions.in_all_ways(),
            Following::Nothing => Followed::default(),
            _ if !self.is_entry(epoch) => self.recursions.clone(),
            Following::Everything if self.follows_whole_runs() => self.everything.without_replacing(),
            Following::Everything | Following::EverythingBehindLoops => self.everything.clone(),
            Following::EverythingInAllWays => self.everything.in_all_ways(),
        }
    }

    /// Whether the whole run is searched as one epoch first, where inputs decide in few ways.
    fn follows_whole_runs(&self) -> bool {
        !self.request.without.contains(&Technique::WholeRuns)
    }

    fn is_entry(&self, epoch: &EpochId) -> bool {
        self.entry().as_ref() == Some(epoch)
    }
}

/// Analyses of the whole program.
pub(crate) struct Analyses<'p> {
    pub(crate) points_to: &'p Arc<PointsTo>,
    pub(crate) modref: &'p ModRef<'p>,
    pub(crate) startup: &'p Startup,
    /// Which loops end.
    pub(crate) termination: &'p Termination<'p, 'p>,
    pub(crate) variables: &'p Variables,
    pub(crate) pointers: Pointers<'p>,
    /// The numbers at which bounds are looked for.
    pub(crate) thresholds: Arc<[i64]>,
    /// Those of them that masks and remainders are no greater than.
    pub(crate) ends_of_results: Arc<[i64]>,
    /// Of which numbers differences are.
    pub(crate) compared: Compared,
    /// Which numbers something is decided by.
    pub(crate) deciding: Arc<Deciding>,
    /// Where the fields of objects begin.
    pub(crate) fields: Arc<Fields>,
    pub(crate) indices: Indices,
    pub(crate) beginnings: Beginnings,
}

impl<'p> Analyses<'p> {
    /// From those that others are made of.
    pub(crate) fn new(
        points_to: &'p Arc<PointsTo>,
        modref: &'p ModRef<'p>,
        startup: &'p Startup,
        (termination, variables): (&'p Termination<'p, 'p>, &'p Variables),
        beginnings: Beginnings,
    ) -> Self {
        let program = modref.program();
        Self {
            points_to,
            modref,
            startup,
            termination,
            variables,
            pointers: Pointers::new(
                points_to,
                Arc::new(Locks::new(program, points_to)),
                Rings::new(program, points_to),
            ),
            thresholds: icsched_symex::shape::thresholds(program).into(),
            ends_of_results: icsched_symex::shape::ends_of_results(program).into(),
            compared: Compared::new(program, points_to),
            deciding: Arc::new(Deciding::new(program, points_to)),
            fields: Arc::new(Fields::new(program, points_to)),
            indices: Indices::new(program, points_to),
            beginnings,
        }
    }
}

/// What holds whenever an epoch begins, beside what [dataflow analysis](icsched_dataflow) knows of its context. Ordered: a fact that
/// does not hold is less.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub(crate) struct EpochFacts {
    /// No thread has ended ([`Context::none_ended`](icsched_dataflow::Context::none_ended)).
    pub(crate) none_ended: bool,
    /// What memory and registers hold.
    pub(crate) shape: Shape,
}

impl EpochFacts {
    /// What holds at program entry.
    pub(crate) fn at_entry() -> Self {
        Self { none_ended: true, ..Self::default() }
    }

    /// What is kept after having got weaker several times, last from `before` ([`Shape::widened`]).
    fn widened(self, before: &Self, further: Option<Widening<'_>>) -> Self {
        Self { shape: self.shape.widened(&before.shape, further), ..self }
    }

    /// What both say.
    fn meet(&self, other: &Self) -> Self {
        Self { none_ended: self.none_ended && other.none_ended, shape: self.shape.meet(&other.shape) }
    }

    /// Whether these may be what others become. What follows from these only when they are met with the others is theirs.
    fn are_weaker_than(&self, other: &Self) -> bool {
        let met = other.meet(self);
        met.none_ended == self.none_ended && met.shape.says_all_of(&self.shape)
    }

    /// The same, where the other's threads of each range may be taken in any order: in that in which they have most in common with these.
    fn meet_alike(&self, other: &Self, alike: &[Range<u32>]) -> Self {
        match other.shape.aligned(&self.shape, alike) {
            Some(shape) => self.meet(&Self { shape, ..*other }),
            None => self.meet(other),
        }
    }
}

/// What was found.
pub(crate) struct Found {
    pub(crate) epochs: Vec<EpochResult>,
    pub(crate) reasons: Vec<Reason>,
    pub(crate) work: Work,
    /// Whether a limit of the whole run, or the user, ended the search.
    pub(crate) is_cut: bool,
}

impl Found {
    /// How many schedules end in a deadlock.
    fn deadlocks(&self) -> usize {
        self.epochs.iter().map(EpochResult::deadlocks).sum()
    }

    /// This result, or that of another search which knows more, and whether it is the other one: if that is whole, and has fewer deadlocks.
    fn or(mut self, mut other: Self) -> (Self, bool) {
        let reasons = |found: &Self| found.reasons.len() + found.epochs.iter().map(|e| e.reasons.len()).sum::<usize>();
        let is_better = !other.is_cut && reasons(&other) <= reasons(&self) && other.deadlocks() < self.deadlocks();
        let (used, unused) = if is_better { (&mut other, &self) } else { (&mut self, &other) };
        used.work.add(&unused.work);
        (if is_better { other } else { self }, is_better)
    }
}

/// Searches all epochs in this thread, one after the other.
///
/// # Errors
/// If the program cannot be started with these inputs.
pub(crate) fn search(shared: &Shared<'_>, progress: &mut dyn Progress) -> Result<Found, String> {
    let _slot = shared.slots.take();
    let (fixpoint, results) = search_by(Fixpoint::new(shared)?, shared, progress)?;
    let again = fixpoint.again_with_combinations(shared, &results)?;
    let found = fixpoint.into_found(results);
    let Some(again) = again else { return Ok(found) };
    progress.begin_again();
    let (fixpoint, results) = search_by(again, shared, progress)?;
    let (found, is_better) = found.or(fixpoint.into_found(results));
    progress.end_again(is_better);
    Ok(found)
}

fn search_by(
    mut fixpoint: Fixpoint,
    shared: &Shared<'_>,
    progress: &mut dyn Progress,
) -> Result<(Fixpoint, BTreeMap<Job, Finished>), String> {
    let mut results = BTreeMap::new();
    while let Some(job) = fixpoint.next() {
        if let Some(reason) = shared.request.limits.stop_reason(shared.program) {
            fixpoint.stop(reason);
            break;
        }
        let finished = job::run(shared, &job, progress, |searched| fixpoint.take(shared, &job, Arc::new(searched)))?;
        results.insert(job, finished);
    }
    Ok((fixpoint, results))
}

/// The successors of an epoch that were found, with what holds there.
pub(crate) type Successors = BTreeMap<EpochId, EpochFacts>;

/// Adds a way to an epoch. With `symbolic_threads` those of its threads that have the same stack may be in any order.
pub(crate) fn add_successor(successors: &mut Successors, epoch: EpochId, holds: EpochFacts, symbolic_threads: bool) {
    let alike = if symbolic_threads { epoch.alike() } else { Vec::new() };
    successors.entry(epoch).and_modify(|known| *known = known.meet_alike(&holds, &alike)).or_insert(holds);
}

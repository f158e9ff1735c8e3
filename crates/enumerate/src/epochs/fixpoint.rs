//! Which searches there are, and in which order their results count.
//!
//! Facts from epoch to epoch are the join over all ways that are known. When an epoch's facts become weaker it is
//! searched again; they only get weaker, so that this ends. The results count in one fixed order, whoever has found
//! them and when: what is said does not depend on the number of workers, even where a search that knows less finds
//! something else than it should (a solver that gives up).
//!
//! Workers need work before it is known what counts next: [`Fixpoint::ahead`] goes on without the results that are
//! missing.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use icsched_epochs::summarisable::Summarisable;
use icsched_epochs::{EpochFacts, StartError, Technique};
use icsched_facts::{Activations, Deciding, Fields, Locks, Node, Parts, Place, Relation, Widening, WideningStep};
use icsched_ir::CallStack;
use icsched_pointsto::Piece;
use icsched_schedule::{EpochId, IncompleteKind, Reason};

use crate::answer::{Finished, Found, Searched, Work};
use crate::budgets::BUDGETS;
use crate::plan::{Job, Learned};
use crate::shared::Shared;

/// A job whose result may count soon.
pub(crate) struct Guess {
    pub(crate) job: Job,
    /// Whether it is likely that a missing result changes what is known of its epoch.
    pub(crate) is_bold: bool,
}

/// The state of a search of all epochs.
#[derive(Clone)]
pub(crate) struct Fixpoint {
    entry: EpochId,
    max_epochs: usize,
    /// Whether threads with the same stack are told apart by nothing else.
    symbolic_threads: bool,
    locks: Arc<Locks>,
    fields: Arc<Fields>,
    deciding: Arc<Deciding>,
    thresholds: Arc<[i64]>,
    /// The numbers where bounds end that have got wider often: signs, and the smallest and the largest of all.
    farthest: Arc<[i64]>,
    /// These, and the numbers that masks and remainders are no greater than.
    results: Arc<[i64]>,
    facts: BTreeMap<EpochId, Arc<EpochFacts>>,
    /// How each epoch was searched last.
    learned: BTreeMap<EpochId, Arc<Learned>>,
    /// How often they were found, or got weaker.
    changes: BTreeMap<EpochId, u32>,
    /// How often bounds of places, and of the differences of two, got wider once there was no patience with bounds.
    widened: BTreeMap<EpochId, BTreeMap<(Place, Option<Place>), u32>>,
    /// How often numbers in objects were given up that had lost some.
    losses: BTreeMap<EpochId, BTreeMap<Node, u32>>,
    /// Where the loops that are summarised may write anywhere.
    scattered: BTreeMap<Summarisable, Arc<[Piece]>>,
    /// What is to be searched, with whether it was searched before and when it was found: first what never was, then
    /// what was found first, so that an epoch's facts are as weak as they get before those behind it are searched
    /// again.
    frontier: BTreeSet<(bool, usize, EpochId)>,
    /// When each epoch was found.
    seen: BTreeMap<EpochId, usize>,
    /// Epochs that were begun.
    begun: BTreeSet<EpochId>,
    done: BTreeMap<EpochId, (Job, Arc<Searched>)>,
    reasons: Vec<Reason>,
    work: Work,
    /// Whether there are epochs that are not begun because there are too many.
    is_full: bool,
    is_stopped: bool,
    /// Most paths.
    most_paths: u64,
}

/// See [`Fixpoint::farthest`].
fn farthest(thresholds: &[i64]) -> Arc<[i64]> {
    let (first, last) = (thresholds.first().copied(), thresholds.last().copied());
    [first.unwrap_or(0).min(0), 0, 1, last.unwrap_or(1).max(1)].into()
}

/// Numbers of both, ascending.
fn both(some: &[i64], others: &[i64]) -> Arc<[i64]> {
    let all: BTreeSet<i64> = some.iter().chain(others).copied().collect();
    all.into_iter().collect()
}

impl Fixpoint {
    /// Nothing is searched yet.
    ///
    /// # Errors
    /// If the program has no main function.
    pub(crate) fn new(shared: &Shared<'_>) -> Result<Self, StartError> {
        let entry = shared.entry().ok_or(StartError::NoMain)?;
        let thresholds: Arc<[i64]> = shared.analyses.map_or_else(|| [].into(), |a| Arc::clone(&a.thresholds));
        let farthest = farthest(&thresholds);
        let mut new = Self {
            max_epochs: shared.request.search.max_epochs,
            symbolic_threads: !shared.request.without.contains(&Technique::SymbolicThreads),
            locks: shared.analyses.map(|a| Arc::clone(a.pointers.locks())).unwrap_or_default(),
            deciding: shared.analyses.map(|a| Arc::clone(&a.deciding)).unwrap_or_default(),
            fields: shared.analyses.map(|a| Arc::clone(&a.fields)).unwrap_or_default(),
            results: shared.analyses.map_or_else(|| farthest.clone(), |a| both(&farthest, &a.result_limits)),
            farthest,
            thresholds,
            facts: BTreeMap::from([(entry.clone(), Arc::new(EpochFacts::at_entry()))]),
            learned: BTreeMap::new(),
            changes: BTreeMap::new(),
            widened: BTreeMap::new(),
            losses: BTreeMap::new(),
            scattered: BTreeMap::new(),
            frontier: BTreeSet::new(),
            seen: BTreeMap::new(),
            begun: BTreeSet::new(),
            done: BTreeMap::new(),
            reasons: Vec::new(),
            work: Work::default(),
            is_full: false,
            is_stopped: false,
            most_paths: u64::MAX,
            entry: entry.clone(),
        };
        new.again(entry);
        Ok(new)
    }

    /// The same search from the beginning, with which numbers places hold together: there are deadlocks behind the
    /// first epoch that may be impossible. `None` if there are none, or nobody is to look.
    pub(crate) fn again_with_combinations(
        &self,
        shared: &Shared<'_>,
        results: &BTreeMap<Job, Finished>,
    ) -> Result<Option<Self>, StartError> {
        let off = |technique| shared.request.without.contains(&technique);
        let has_deadlocks =
            |(job, finished): (&Job, &Finished)| job.epoch != self.entry && finished.result.deadlocks() > 0;
        let is_wanted = !off(Technique::Combinations) && !off(Technique::Slicing) && shared.analyses.is_some();
        if self.is_stopped || !is_wanted || !results.iter().any(has_deadlocks) {
            return Ok(None);
        }
        tracing::info!("all epochs are searched again, with what numbers hold together");
        let mut again = Self::new(shared)?;
        let mut facts = EpochFacts::at_entry();
        facts.shape.relations = Some(Relation::default());
        again.facts.insert(self.entry.clone(), Arc::new(facts));
        again.most_paths = self
            .work
            .paths
            .saturating_mul(BUDGETS.second_search_paths)
            .saturating_add(BUDGETS.second_search_more_paths);
        Ok(Some(again))
    }

    /// Whether it has executed as many paths as it may.
    pub(crate) const fn has_ended(&self) -> bool {
        self.work.paths > self.most_paths
    }

    /// The job whose result counts next; `None` when all is done. It is not asked for again.
    pub(crate) fn next(&mut self) -> Option<Job> {
        if self.has_ended() {
            self.is_stopped = true;
            return None;
        }
        if self.begun.len() >= self.max_epochs {
            self.leave_out_others();
        }
        let (.., epoch) = self.frontier.pop_first()?;
        self.begun.insert(epoch.clone());
        let facts = Arc::clone(&self.facts[&epoch]);
        let learned = self.learned.get(&epoch).cloned().unwrap_or_default();
        Some(Job { epoch, facts, learned })
    }

    /// No epoch is begun any more. Those that were are searched with what holds there.
    fn leave_out_others(&mut self) {
        let all = self.frontier.len();
        self.frontier.retain(|(.., epoch)| self.begun.contains(epoch));
        if self.frontier.len() < all && !self.is_full {
            self.is_full = true;
            let begun = self.begun.len();
            let message = format!("{begun} epochs were searched, and there are more; more with --max-epochs");
            self.reasons.push(Reason { kind: IncompleteKind::Limit, message, at: None });
        }
    }

    /// Takes up the result of a job.
    pub(crate) fn take(&mut self, shared: &Shared<'_>, job: &Job, found: Arc<Searched>) {
        self.work.add(&found.work);
        for &replaced in &found.learned.replaced {
            self.scattered.entry(replaced).or_insert_with(|| shared.scattered(replaced).into());
        }
        self.learned.insert(job.epoch.clone(), Arc::clone(&found.learned));
        for (next, holds) in &found.successors {
            let known = self.facts.get(next).cloned();
            let known = known.as_ref();
            let alike = if self.symbolic_threads { next.alike() } else { Vec::new() };
            let mut joined = known.map_or_else(|| holds.clone(), |known| known.join_alike(holds, &alike));
            let limits = std::mem::take(&mut joined.shape.limits);
            let runs = activations(next);
            let parts = Parts { fields: &self.fields, locks: &self.locks, activations: &runs };
            joined.shape.forget_idle(parts, |shape, place| !self.deciding.contains(place, shape, &runs));
            joined.shape.forget_parts(parts);
            let Some(known) = known else {
                self.weaken(next.clone(), joined);
                continue;
            };
            if **known == joined {
                continue;
            }
            let changes = self.changes.entry(next.clone()).or_insert(1);
            *changes += 1;
            joined.shape.forget_tables(parts, self.scattered.values().flat_map(|pieces| &**pieces));
            joined.shape.limits = limits;
            let reached = joined.shape.widen_to_limits(&known.shape);
            joined.shape.limits.clear();
            if *changes > BUDGETS.patience_with_bounds {
                let times = self.widened.entry(next.clone()).or_default();
                joined.shape.widen_to_thresholds(&known.shape, |first, second| {
                    let is_ended = reached.contains(&first) || second.is_some_and(|second| reached.contains(&second));
                    let times = times.entry((first, second)).or_insert(0);
                    *times += 1;
                    // Where they may end they mostly do.
                    if is_ended && *times <= BUDGETS.patience_with_ends {
                        return None;
                    }
                    Some(Arc::clone(if *times <= BUDGETS.patience_with_thresholds {
                        &self.thresholds
                    } else if *times <= BUDGETS.patience_with_results {
                        &self.results
                    } else {
                        &self.farthest
                    }))
                });
            }
            joined.shape.widen(&known.shape, &mut WideningStep::Counters);
            if *changes > BUDGETS.patience_with_numbers {
                let losses = self.losses.entry(next.clone()).or_default();
                let further = Some(Widening { parts, losses }).filter(|_| *changes > BUDGETS.patience_with_fields);
                joined = joined.widened(known, further);
            }
            // What follows from bounds may have been found, and given up again.
            if **known != joined {
                self.weaken(next.clone(), joined);
            }
        }
        self.done.insert(job.epoch.clone(), (job.clone(), found));
    }

    /// From now on no more is known of an epoch than this: it is searched, or searched again.
    fn weaken(&mut self, epoch: EpochId, facts: EpochFacts) {
        self.facts.insert(epoch.clone(), Arc::new(facts));
        self.again(epoch);
    }

    /// The schedules of a job were not kept: it is searched again, with what was known when it was searched.
    pub(crate) fn search_again(&mut self, job: Job) {
        self.learned.insert(job.epoch.clone(), job.learned);
        self.again(job.epoch);
    }

    /// An epoch is to be searched, or to be searched again.
    fn again(&mut self, epoch: EpochId) {
        let new = self.seen.len();
        let found = *self.seen.entry(epoch.clone()).or_insert(new);
        self.frontier.insert((self.begun.contains(&epoch), found, epoch));
    }

    /// At most so many jobs without a result that may come next; the first is `next`, which does. The others are
    /// guesses: a result that is missing may change what is known. `bold`: also those of which it is likely.
    pub(crate) fn ahead(
        &self,
        shared: &Shared<'_>,
        next: &Job,
        most: usize,
        bold: bool,
        mut known: impl FnMut(&Job) -> Option<Arc<Searched>>,
    ) -> Vec<Guess> {
        let mut wanted = vec![Guess { job: next.clone(), is_bold: false }];
        if most == 1 {
            return wanted;
        }
        let mut missing = vec![next.epoch.clone()];
        let mut ahead = self.clone();
        while wanted.len() < most
            && let Some(job) = ahead.next()
        {
            if let Some(found) = known(&job) {
                ahead.take(shared, &job, found);
                continue;
            }
            // What is missing twice will be weaker still.
            let is_bold = ahead.may_change(&missing, &job.epoch);
            if !missing.contains(&job.epoch) {
                missing.push(job.epoch.clone());
                if (bold || !is_bold) && self.may_come(&job) {
                    wanted.push(Guess { job, is_bold });
                }
            }
        }
        wanted
    }

    /// Whether searches of some epochs may change the facts of another one before its turn: directly, or by way of
    /// epochs that come before it, as far as earlier searches have shown. What was never searched may do anything.
    /// O(edges between epochs).
    fn may_change(&self, searched: &[EpochId], of: &EpochId) -> bool {
        let mut reached: BTreeSet<&EpochId> = searched.iter().collect();
        let mut work: Vec<&EpochId> = searched.iter().collect();
        while let Some(epoch) = work.pop() {
            let Some((_, found)) = self.done.get(epoch) else { return true };
            for next in found.successors.keys() {
                if next == of {
                    return true;
                }
                if self.seen.get(next) < self.seen.get(of) && reached.insert(next) {
                    work.push(next);
                }
            }
        }
        false
    }

    /// Whether a job may still be asked for: facts get weaker and never stronger.
    pub(crate) fn may_come(&self, job: &Job) -> bool {
        let facts = self.facts.get(&job.epoch);
        facts.is_none_or(|known| Arc::ptr_eq(known, &job.facts) || job.facts.are_weaker_than(known))
    }

    /// The searches that count.
    pub(crate) fn done(&self) -> impl Iterator<Item = &Job> {
        self.done.values().map(|(job, _)| job)
    }

    /// Nothing more is searched.
    pub(crate) fn stop(&mut self, reason: Reason) {
        self.reasons.push(reason);
        self.is_stopped = true;
    }

    /// How many epochs there are so far, and how many of them are to be searched.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.seen.len(), self.frontier.len())
    }

    /// The result, as far as it goes.
    pub(crate) fn into_found(self, mut results: BTreeMap<Job, Finished>) -> Found {
        let Self { entry, done, reasons, mut work, .. } = self;
        let mut is_cut = self.is_stopped || done.values().any(|(_, found)| found.is_cut);
        let mut epochs = Vec::new();
        for job in in_order(entry, &done) {
            if let Some(finished) = results.remove(job) {
                is_cut |= finished.is_cut;
                work.add(&finished.work);
                epochs.push(finished.result);
            }
        }
        Found { epochs, reasons, work, is_cut }
    }
}

/// What runs as each thread's activation at a depth where an epoch begins.
fn activations(epoch: &EpochId) -> Activations {
    let of_thread = |(thread, stack): (u32, &CallStack)| {
        (0..).zip(&stack.0).map(|(depth, point)| ((thread, depth), point.func)).collect::<Vec<_>>()
    };
    (0..).zip(epoch.stacks()).flat_map(of_thread).collect()
}

/// Breadth first from the entry, successors by their ids: an order that has nothing to do with that of the search.
fn in_order(entry: EpochId, done: &BTreeMap<EpochId, (Job, Arc<Searched>)>) -> Vec<&Job> {
    let mut seen = BTreeSet::from([entry.clone()]);
    let mut order = VecDeque::from([entry]);
    let mut jobs = Vec::new();
    while let Some(next) = order.pop_front() {
        if let Some((job, found)) = done.get(&next) {
            order.extend(found.successors.keys().filter(|e| seen.insert((*e).clone())).cloned());
            jobs.push(job);
        }
    }
    jobs
}

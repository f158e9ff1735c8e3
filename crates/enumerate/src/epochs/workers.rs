//! Jobs in threads of their own.
//!
//! One thread (the caller's) puts results together in the order of [`Fixpoint`]. The job whose result counts next
//! always runs, at once; the others are guesses, made as if the results that are missing changed nothing. A guess is
//! given up as soon as it cannot be right any more, or when its place is needed. Guesses that are likely to be wrong
//! are made only as long as few were: see [`Balance`].
//!
//! A job tells what comes behind its epoch before it works its schedules out: the next one begins meanwhile.
//!
//! Each job has a thread, and with it a Z3 context: Z3's answers depend on what a context has seen before.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use icsched_epochs::graph::place;
use icsched_epochs::{Request, RunLimits, StartError, limit_reached};
use icsched_ir::CallStack;
use icsched_machine::stop::Limit;
use icsched_schedule::{Enumeration, KeptSearch, Reason};
use icsched_symbolic::request::{Doing, StopRequest};

use super::fixpoint::{Fixpoint, Guess};
use super::job;
use super::record::{self, Records};
use crate::answer::{Finished, Found, Searched, Work};
use crate::budgets::BUDGETS;
use crate::plan::Job;
use crate::progress::{Counts, Journal, Progress, Working};
use crate::shared::Shared;
use crate::slots::Slot;
use icsched_epochs::threads;

/// Searches all epochs, by at most `jobs` threads at a time.
///
/// # Errors
/// If the program cannot be started with these inputs.
pub(crate) fn search(
    shared: &Shared<'_>,
    jobs: usize,
    header: &Enumeration,
    kept: Vec<KeptSearch>,
    (journal, progress): (&mut dyn Journal, &mut dyn Progress),
) -> Result<Found, StartError> {
    let paths = AtomicU64::new(0);
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        let mut crew = Crew {
            scope,
            shared,
            jobs,
            paths: &paths,
            sender,
            fixpoint: Fixpoint::new(shared)?,
            next: None,
            found: BTreeMap::new(),
            finished: BTreeMap::new(),
            records: Records::read(kept),
            running: VecDeque::new(),
            started: 0,
            balance: Balance::default(),
            doubted: 0,
        };
        journal.begin(header);
        crew.search_all(&receiver, journal, progress)?;
        let Some(again) = crew.fixpoint.again_with_combinations(shared, &crew.finished)? else {
            return Ok(crew.fixpoint.into_found(crew.finished));
        };
        let found = std::mem::replace(&mut crew.fixpoint, again).into_found(std::mem::take(&mut crew.finished));
        crew.doubted = found.deadlocks();
        crew.search_all(&receiver, journal, progress)?;
        Ok(found.or(crew.fixpoint.into_found(crew.finished)).0)
    })
}

/// A job that a thread is at.
struct Running {
    number: u64,
    job: Job,
    stop: Arc<StopRequest>,
    began: Instant,
    is_bold: bool,
    /// What comes behind the epoch: only the schedules are missing.
    found: Option<Arc<Searched>>,
    /// Nobody wants its result.
    is_given_up: bool,
}

impl Running {
    fn give_up(&mut self) {
        self.is_given_up = true;
        self.stop.ask(Limit::Interrupted);
    }
}

/// How long jobs have taken whose results count, or may, and those that were in vain.
#[derive(Default)]
struct Balance {
    used: Duration,
    wasted: Duration,
    jobs: u32,
    /// Bold guesses, and those of them in vain.
    bold: (u32, u32),
}

impl Balance {
    fn add(&mut self, took: Duration, in_vain: bool, is_bold: bool) {
        if in_vain {
            self.wasted += took;
        } else {
            self.used += took;
            self.jobs += 1;
        }
        self.bold.0 += u32::from(is_bold);
        self.bold.1 += u32::from(is_bold && in_vain);
    }

    /// Whether the time that one more bold guess takes in vain, as far as can be expected, is little beside the others.
    fn may_be_bold(&self) -> bool {
        let (guesses, in_vain) = self.bold;
        let expected = self.used / self.jobs.max(1) * (in_vain + 1) / (guesses + 2);
        self.jobs > 0 && (self.wasted + expected) * BUDGETS.useful_per_wasted <= self.used
    }
}

/// What a thread says.
enum News {
    /// What comes behind the epoch.
    Found(Searched),
    /// It is done. A panic is one of whoever waits.
    Done(thread::Result<Result<Box<Finished>, StartError>>),
}

type Answer = (u64, News);

/// A job that was done, for the journal.
struct ToKeep {
    job: Job,
    found: Arc<Searched>,
    finished: Option<Finished>,
}

struct Crew<'scope, 'env, 's, 'p> {
    scope: &'scope Scope<'scope, 'env>,
    shared: &'s Shared<'p>,
    jobs: usize,
    paths: &'s AtomicU64,
    sender: Sender<Answer>,
    fixpoint: Fixpoint,
    /// The job whose result counts next and is missing.
    next: Option<Job>,
    /// Results that do not count yet.
    found: BTreeMap<Job, Arc<Searched>>,
    /// Schedules of jobs that count, or may.
    finished: BTreeMap<Job, Finished>,
    records: Records,
    running: VecDeque<Running>,
    started: u64,
    balance: Balance,
    /// Deadlocks that were found when all epochs were searched before.
    doubted: usize,
}

impl<'scope, 's, 'p> Crew<'scope, '_, 's, 'p>
where
    's: 'scope,
    'p: 'scope,
{
    fn search_all(
        &mut self,
        receiver: &Receiver<Answer>,
        journal: &mut dyn Journal,
        progress: &mut dyn Progress,
    ) -> Result<(), StartError> {
        let searched = self.search_to_the_end(receiver, journal, progress);
        self.running.iter().for_each(|running| running.stop.ask(Limit::Interrupted));
        searched
    }

    fn search_to_the_end(
        &mut self,
        receiver: &Receiver<Answer>,
        journal: &mut dyn Journal,
        progress: &mut dyn Progress,
    ) -> Result<(), StartError> {
        let mut to_keep: Option<ToKeep> = None;
        loop {
            self.advance();
            let stop = self.shared.request.limits.reached().map(|limit| self.stopped_by(limit));
            self.give_up_guesses();
            if let Some(next) = self.next.clone().filter(|_| stop.is_none()) {
                self.start(&next);
            }
            // Disks are slow: the next jobs have begun.
            if let Some(done) = to_keep.take() {
                keep(journal, progress, &done);
            }
            if self.next.is_none() && self.running.iter().all(|running| running.is_given_up) {
                return Ok(());
            }
            if let Some(reason) = stop {
                self.end(receiver, journal, progress)?;
                if self.next.is_some() {
                    self.fixpoint.stop(reason);
                }
                return Ok(());
            }
            loop {
                self.tell(progress);
                match receiver.recv_timeout(BUDGETS.between_looks) {
                    Ok(answer) => {
                        to_keep = self.answered(answer)?;
                        break;
                    }
                    Err(RecvTimeoutError::Timeout) if self.shared.request.limits.reached().is_none() => {}
                    Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
                }
            }
        }
    }

    /// Takes up results as far as they are there.
    fn advance(&mut self) {
        loop {
            let Some(job) = self.next.take().or_else(|| self.fixpoint.next()) else {
                let open = self.without_schedules();
                if open.is_empty() || self.fixpoint.has_ended() {
                    return;
                }
                for job in open {
                    // Records are given once: now it is searched.
                    self.found.remove(&job);
                    self.fixpoint.search_again(job);
                }
                continue;
            };
            match self.known(&job) {
                Some(found) => {
                    self.found.remove(&job);
                    self.fixpoint.take(self.shared, &job, found);
                }
                None => {
                    self.next = Some(job);
                    return;
                }
            }
        }
    }

    /// Epochs with a search whose schedules nobody has kept, and nobody works out.
    fn without_schedules(&self) -> Vec<Job> {
        let is_coming = |job: &Job| self.running.iter().any(|running| running.job == *job && !running.is_given_up);
        let open = self.fixpoint.done().filter(|job| !self.finished.contains_key(job) && !is_coming(job));
        open.cloned().collect()
    }

    /// What comes behind the epoch of a job, by this run or an earlier one.
    fn known(&mut self, job: &Job) -> Option<Arc<Searched>> {
        known(&mut self.found, &mut self.finished, &mut self.records, job)
    }

    /// Stops what cannot count any more.
    fn give_up_guesses(&mut self) {
        for running in &mut self.running {
            if !running.is_given_up && !self.fixpoint.may_come(&running.job) {
                running.give_up();
            }
        }
        self.finished.retain(|job, _| self.fixpoint.may_come(job));
    }

    /// Starts what is to be searched now: first what counts next.
    fn start(&mut self, next: &Job) {
        let Self { fixpoint, found, finished, records, balance, .. } = self;
        let bold = balance.may_be_bold();
        let wanted = fixpoint.ahead(self.shared, next, self.jobs, bold, |job| known(found, finished, records, job));
        for Guess { job, is_bold } in &wanted {
            let is_running = |running: &Running| running.job == *job && !running.is_given_up;
            if self.running.iter().any(is_running) {
                continue;
            }
            let slot = match job == next {
                // It does not wait until a guess has stopped.
                true => (self.is_free() || self.give_up_one(&wanted)).then(|| self.shared.slots.take()),
                false => self.shared.slots.try_take(),
            };
            if let Some(slot) = slot {
                self.spawn(job.clone(), *is_bold, slot);
            }
        }
    }

    fn is_free(&self) -> bool {
        self.running.iter().filter(|running| !running.is_given_up).count() < self.jobs
    }

    /// Stops the guess that is the least likely to be needed, if there is one that is still searched.
    fn give_up_one(&mut self, wanted: &[Guess]) -> bool {
        let is_idle = |running: &Running| !wanted.iter().any(|guess| guess.job == running.job);
        let is_guess = |running: &Running| !running.is_given_up && running.found.is_none();
        let guesses = || (0..self.running.len()).filter(|&n| is_guess(&self.running[n]));
        let least = guesses().find(|&n| is_idle(&self.running[n])).or_else(|| guesses().next_back());
        least.map(|least| self.running[least].give_up()).is_some()
    }

    fn spawn(&mut self, job: Job, is_bold: bool, slot: Slot) {
        let stop = Arc::new(StopRequest::part_of(&self.shared.request.limits.stop));
        self.started += 1;
        let (number, sender) = (self.started, self.sender.clone());
        let (shared, paths) = (self.shared, self.paths);
        let (task, own) = (job.clone(), Arc::clone(&stop));
        tracing::info!(epoch = %job.epoch.key(), number, "epoch");
        let work = move || {
            let limits = RunLimits { stop: own, ..shared.request.limits.clone() };
            let request = Request { limits, ..shared.request.clone() };
            let shared = Shared { setting: shared.setting.with_request(&request), ..shared.clone() };
            // Whoever waits may have stopped to.
            let tell = |found| drop(sender.send((number, News::Found(found))));
            let run = || job::run(&shared, &task, &mut CountPaths(paths), tell);
            let done = catch_unwind(AssertUnwindSafe(run)).map(|done| done.map(Box::new));
            drop(slot);
            let _ = sender.send((number, News::Done(done)));
        };
        let (began, found, is_given_up) = (Instant::now(), None, false);
        self.running.push_back(Running { number, job, stop, began, is_bold, found, is_given_up });
        threads::spawn_or_do(self.scope, "icsched-epoch", work);
    }

    /// Takes a result in; gives what is to be kept of a job that is done.
    fn answered(&mut self, (number, news): Answer) -> Result<Option<ToKeep>, StartError> {
        let Some(place) = self.running.iter().position(|running| running.number == number) else { return Ok(None) };
        match news {
            News::Found(found) => {
                self.found(place, found);
                Ok(None)
            }
            News::Done(Ok(finished)) => {
                let done = self.running.remove(place);
                Ok(self.finished(done.expect("it was found"), *finished?))
            }
            News::Done(Err(panic)) => resume_unwind(panic),
        }
    }

    /// What comes behind an epoch is known now.
    fn found(&mut self, place: usize, found: Searched) {
        let running = &mut self.running[place];
        let in_vain = running.is_given_up || !self.fixpoint.may_come(&running.job);
        let (number, is_bold, took) = (running.number, running.is_bold, running.began.elapsed());
        tracing::debug!(number, in_vain, is_bold, ?took, "an epoch is searched");
        self.balance.add(took, in_vain, is_bold);
        if !(found.is_cut && running.is_given_up) {
            let found = Arc::new(found);
            running.found = Some(Arc::clone(&found));
            self.found.insert(running.job.clone(), found);
        }
    }

    fn finished(&mut self, done: Running, finished: Finished) -> Option<ToKeep> {
        let Running { number, job, began, found, is_given_up, .. } = done;
        tracing::debug!(number, is_given_up, took = ?began.elapsed(), "a worker is done");
        let found = found?;
        let is_whole = !finished.is_cut;
        if is_whole || !is_given_up {
            self.finished.insert(job.clone(), finished.clone());
        }
        (!found.is_cut).then(|| ToKeep { job, found, finished: is_whole.then_some(finished) })
    }

    /// A limit of the run is reached: takes up what there is, also in part.
    fn end(
        &mut self,
        receiver: &Receiver<Answer>,
        journal: &mut dyn Journal,
        progress: &mut dyn Progress,
    ) -> Result<(), StartError> {
        let cause = self.shared.request.limits.reached().unwrap_or(Limit::Time);
        self.running.iter().for_each(|running| running.stop.ask(cause));
        while !self.running.is_empty() {
            let Ok(answer) = receiver.recv() else { break };
            if let Some(done) = self.answered(answer)? {
                keep(journal, progress, &done);
            }
        }
        let mut missing = None;
        while let Some(job) = self.next.take().or_else(|| self.fixpoint.next()) {
            match self.known(&job) {
                Some(found) => self.fixpoint.take(self.shared, &job, found),
                None => missing = Some(job),
            }
        }
        self.next = missing;
        Ok(())
    }

    fn tell(&self, progress: &mut dyn Progress) {
        let (epochs, waiting) = self.fixpoint.size();
        let paths = self.paths.load(Ordering::Relaxed);
        let waiting = waiting + usize::from(self.next.is_some());
        let working = self.working();
        progress.epochs(&Counts { epochs, waiting, paths, doubted: self.doubted, working });
    }

    /// The job whose result counts next, or else the oldest one.
    fn foremost(&self) -> Option<&Running> {
        let is_wanted = |running: &&Running| !running.is_given_up;
        let next = self.running.iter().filter(is_wanted).find(|running| self.next.as_ref() == Some(&running.job));
        next.or_else(|| self.running.iter().find(is_wanted))
    }

    /// What is being done about it.
    fn working(&self) -> Option<Working> {
        let running = self.foremost()?;
        let Doing { activity, at } = running.stop.doing();
        let program = self.shared.program;
        let function = at.map(|point| program.functions[point.func].name.clone()).unwrap_or_default();
        let at = at.map(|point| place(program, &CallStack(vec![point]))).unwrap_or_default();
        Some(Working { search: running.number, activity, function, at })
    }

    /// A limit of the whole run as a reason.
    fn stopped_by(&self, limit: Limit) -> Reason {
        let doing = self.foremost().map(|running| running.stop.doing());
        let doing = doing.unwrap_or_else(|| self.shared.request.limits.stop.doing());
        limit_reached(limit, doing, self.shared.program)
    }
}

/// Has a job kept, and says so if it is.
fn keep(journal: &mut dyn Journal, progress: &mut dyn Progress, ToKeep { job, found, finished }: &ToKeep) {
    let work = finished.as_ref().map_or_else(Work::default, |finished| finished.work);
    if journal.keep(&record::write(job, found, &work), finished.as_ref().map(|finished| &finished.result)) {
        progress.stored();
    }
}

/// See [`Crew::known`].
fn known(
    found: &mut BTreeMap<Job, Arc<Searched>>,
    finished: &mut BTreeMap<Job, Finished>,
    records: &mut Records,
    job: &Job,
) -> Option<Arc<Searched>> {
    if let Some(found) = found.get(job) {
        return Some(Arc::clone(found));
    }
    let (kept, schedules) = records.take(job)?;
    found.insert(job.clone(), Arc::clone(&kept));
    if let Some(schedules) = schedules {
        finished.insert(job.clone(), schedules);
    }
    Some(kept)
}

/// Counts paths for whoever shows them.
struct CountPaths<'a>(&'a AtomicU64);

impl Progress for CountPaths<'_> {
    fn path(&mut self, _: u64, _: usize, _: usize) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

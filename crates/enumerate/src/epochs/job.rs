//! The search of one epoch as a job (design decision D3): an epoch and what holds there in, schedules and successors
//! out.
//!
//! It has two parts: first the paths, which say what comes next, then the schedules as they are told ([`Finished`]),
//! which nobody waits for but whoever wants the result.
//!
//! A job depends on nothing else. It has an engine and a solver of its own: what an earlier job has left in caches
//! must not reach a result, not even as the order in which terms are numbered. What dataflow analysis says of the
//! epoch depends on nothing but the epoch ([`beginnings`](crate::beginnings)).

use std::sync::Arc;

use icsched_epochs::graph::{is_own, place};
use icsched_epochs::summarisable::Summarisable;
use icsched_epochs::{Request, SearchOptions, StartError, Statics, Technique, is_limit_of_run};
use icsched_ir::{CallStack, EntityId as _, Origin, Program, ProgramPoint};
use icsched_machine::SyncObjects;
use icsched_schedule::{EpochId, EpochResult, Json, Reason, ScheduleTree, SearchedWith, ThreadContext as Described};

use crate::answer::{Finished, Searched, Work};
use crate::engine::Engine;
use crate::kept_answers::KeptAnswers;
use crate::passed_markers::Following;
use crate::plan::{Job, Learned, Plan};
use crate::progress::Progress;
use crate::restart::Restart;
use crate::search::Search;
use crate::shared::Shared;
use crate::successors::Successors;

/// Searches an epoch; tells what comes behind it as soon as that is known.
///
/// # Errors
/// If it is the first one, and the program cannot be started with these inputs.
pub(crate) fn run(
    shared: &Shared<'_>,
    job: &Job,
    progress: &mut dyn Progress,
    tell: impl FnOnce(Searched),
) -> Result<Finished, StartError> {
    let mut attempt = Attempt::new(shared, job);
    let mut kept = KeptAnswers::new(&shared.request.limits);
    loop {
        let mut engine = match attempt.engine(kept)? {
            Ok(engine) => engine,
            Err(reason) => return Ok(not_searched(shared, job, reason, attempt.work, tell)),
        };
        progress.begin_epoch(&job.epoch);
        let options = attempt.options();
        let statics = attempt.statics();
        let slots = Arc::clone(&shared.slots);
        let mut search = Search::new(&statics, shared.analyses, &mut engine, &options, progress, slots);
        let explored = search.explore(job.facts.none_ended);
        let searched = search.work();
        let explored = explored.and_then(|()| search.keeps_facts(|code, when| shared.helps(code, when)));
        let Err(restart) = explored else {
            attempt.work.add(&searched);
            let Attempt { work, learned, .. } = attempt;
            let summarised = learned.replaced.clone();
            tell(Searched { successors: search.successors(), work, learned, is_cut: search.is_cut() });
            let mut result = search.finish(job.epoch.clone(), contexts(shared.program, &job.epoch));
            let work = search.work().since(&searched);
            result.searched_with = engine.searched_with(shared, &job.facts, &summarised);
            progress.end_epoch(engine.into_searched(&job.epoch, &job.facts));
            let is_cut = is_cut(shared, &result);
            return Ok(Finished { result, work, is_cut });
        };
        attempt.work.solver.add(&searched.solver);
        attempt.begin_anew(restart, &engine);
        kept = engine.into_kept_answers();
    }
}

/// How an epoch is searched; each search that comes to nothing changes it for the next one.
struct Attempt<'a, 'p> {
    shared: &'a Shared<'p>,
    job: &'a Job,
    plan: Plan,
    learned: Arc<Learned>,
    work: Work,
    /// Whether inputs decide nothing that is known of but a loop in front of all markers.
    is_behind_loops: bool,
}

impl<'a, 'p> Attempt<'a, 'p> {
    /// The first one, with all that the last job of the epoch has found out.
    fn new(shared: &'a Shared<'p>, job: &'a Job) -> Self {
        let learned = Arc::clone(&job.learned);
        let plan = Plan {
            marks: shared.marks(shared.summaries(&learned.replaced)),
            objects: objects_from_start(shared, job),
            followed: shared.followed(&job.epoch, learned.following),
        };
        Self { shared, job, plan, learned, work: Work::default(), is_behind_loops: false }
    }

    /// An engine where the epoch begins; the reason if there is no state for it.
    fn engine(&self, kept: KeptAnswers) -> Result<Result<Engine, Reason>, StartError> {
        let Self { shared, job, plan, .. } = self;
        if shared.is_entry(&job.epoch) {
            return Engine::at_entry(shared, plan, kept).map(Ok);
        }
        let beginning = shared.beginning(&job.epoch, job.facts.none_ended);
        Ok(beginning.map(|(analyses, known)| Engine::at_context(shared, plan, (analyses, &known), &job.facts, kept)))
    }

    fn options(&self) -> SearchOptions {
        let mut options = SearchOptions { combines: self.combines(), ..search_options(self.shared.request) };
        // What all runs go through to the end is executed as it is.
        options.abstraction &= self.learned.following != Following::EverythingInAllWays;
        options
    }

    fn statics(&self) -> Statics<'p> {
        let shared = &self.shared.statics;
        let slicing = icsched_slicing::Statics { corrections: self.combines(), ..shared.slicing };
        Statics { slicing, ..*shared }
    }

    /// Whether it is looked for which numbers places hold together.
    fn combines(&self) -> bool {
        self.job.facts.shape.relations.is_some()
    }

    /// Changes what a search has asked for before it came to nothing.
    fn begin_anew(&mut self, restart: Restart, engine: &Engine) {
        match restart {
            Restart::Summarise(wanted) => self.summarise(wanted),
            Restart::LeaveObjectsOpen => {
                tracing::info!("it is left open which objects synchronisation is on");
                self.plan.objects = SyncObjects::Candidates;
                Arc::make_mut(&mut self.learned).is_conservative = true;
            }
            Restart::PassFewerMarkers => self.pass_fewer_markers(engine),
        }
    }

    fn summarise(&mut self, wanted: Vec<Summarisable>) {
        for wanted in wanted {
            self.shared.summarise(Arc::make_mut(&mut self.plan.marks.abstractions), wanted);
            Arc::make_mut(&mut self.learned).replaced.push(wanted);
        }
        // That there were so many schedules may have been because of what is summarised now.
        self.decide_objects_as_at_first();
        if self.learned.following == Following::Ways {
            self.follow(Following::Nothing);
        }
    }

    fn pass_fewer_markers(&mut self, engine: &Engine) {
        let following = self.learned.following;
        if following == Following::Everything {
            self.is_behind_loops = !engine.has_passed();
        }
        let less = match following {
            _ if !self.shared.is_entry(&self.job.epoch) => Following::Nothing,
            // There is one way only.
            Following::Everything if engine.has_no_end() && self.is_behind_loops => Following::EverythingBehindLoops,
            Following::Everything if engine.has_no_end() => Following::Recursions,
            Following::Everything if self.shared.follows_whole_runs() => Following::EverythingInAllWays,
            Following::EverythingInAllWays if self.is_behind_loops => Following::EverythingBehindLoops,
            Following::Everything | Following::EverythingInAllWays | Following::EverythingBehindLoops => {
                Following::Recursions
            }
            // Of what is not known there would be no end.
            Following::Recursions if self.learned.replaced.is_empty() => Following::Ways,
            _ => Following::Nothing,
        };
        if matches!(following, Following::Everything | Following::EverythingInAllWays) {
            self.decide_objects_as_at_first();
        }
        tracing::info!(?less, "fewer markers are passed");
        self.follow(less);
    }

    fn follow(&mut self, following: Following) {
        self.plan.followed = self.shared.followed(&self.job.epoch, following);
        Arc::make_mut(&mut self.learned).following = following;
    }

    fn decide_objects_as_at_first(&mut self) {
        Arc::make_mut(&mut self.learned).is_conservative = self.job.learned.is_conservative;
        self.plan.objects = objects_from_start(self.shared, self.job);
    }
}

/// Whether it is decided which objects synchronisation is on, before a search has shown that these are too many.
fn objects_from_start(shared: &Shared<'_>, job: &Job) -> SyncObjects {
    let always = shared.request.search.conservative_after == 0;
    let is_conservative = !shared.request.is_off(Technique::ConservativeOrder);
    match job.learned.is_conservative || always && is_conservative {
        true => SyncObjects::Candidates,
        false => SyncObjects::Decided,
    }
}

/// Whether a limit of the whole run may have had a part in a result.
fn is_cut(shared: &Shared<'_>, result: &EpochResult) -> bool {
    result.reasons.iter().any(is_limit_of_run) || shared.request.limits.reached().is_some()
}

/// An epoch of which nothing is known, and why.
fn not_searched(shared: &Shared<'_>, job: &Job, reason: Reason, work: Work, tell: impl FnOnce(Searched)) -> Finished {
    let mut result = EpochResult {
        id: job.epoch.clone(),
        contexts: contexts(shared.program, &job.epoch),
        tree: ScheduleTree::default(),
        early_exits: None,
        reasons: vec![reason],
        errors: Vec::new(),
        inputs: Vec::new(),
        infeasible_removed: 0,
        max_live_threads: 0,
        assumed: Default::default(),
        searched_with: SearchedWith { facts: Json::of(&*job.facts), ..SearchedWith::default() },
    };
    result.max_live_threads = u32::try_from(job.epoch.stacks().len()).expect("threads are few");
    let is_cut = is_cut(shared, &result);
    tell(Searched { successors: Successors::new(), work, learned: Arc::clone(&job.learned), is_cut });
    Finished { result, work: Work::default(), is_cut }
}

fn search_options(request: &Request) -> SearchOptions {
    let off = |technique| request.without.contains(&technique);
    SearchOptions {
        slicing: !off(Technique::Slicing),
        quiet_ends: request.quiet_ends(),
        looks_beside: off(Technique::QuietBranches),
        trees: !off(Technique::ScheduleTrees),
        abstraction: !off(Technique::InputAbstraction) && !off(Technique::Epochs),
        conservative: !off(Technique::ConservativeOrder),
        symbolic_threads: !off(Technique::SymbolicThreads),
        ..request.search.clone()
    }
}

/// Where an epoch's threads are, for people: calls of models and in system headers are left out where there are others.
fn contexts(program: &Program, epoch: &EpochId) -> Vec<Described> {
    let describe = |(thread, (stack, folds)): (u32, (&CallStack, &Vec<u32>))| {
        let placed = || (0..).zip(stack.0.iter().copied());
        let own = |p: &(u32, ProgramPoint)| program.functions[p.1.func].origin == Origin::Program;
        let mut points: Vec<(u32, ProgramPoint)> = placed().filter(|&(_, point)| is_own(program, point)).collect();
        if points.is_empty() {
            points = placed().filter(own).collect();
        }
        if points.is_empty() {
            points = placed().collect();
        }
        let text = |(depth, p): &(u32, ProgramPoint)| {
            let function = &program.functions[p.func];
            let is_entry = p.block.index() == 0 && p.inst == 0;
            let at = match function.loc.filter(|_| is_entry) {
                Some(loc) => program.describe_loc(loc),
                None => place(program, &CallStack(vec![*p])),
            };
            let others = if folds.contains(depth) { "... " } else { "" };
            format!("{others}{at} in {}", function.name)
        };
        Described { thread, stack: points.iter().map(text).collect() }
    };
    (0..).zip(epoch.stacks().iter().zip(epoch.folds())).map(describe).collect()
}

//! The search of one epoch as a job (design decision D3): an epoch and what holds there in, schedules and successors out.
//!
//! It has two parts: first the paths, which say what comes next, then the schedules as they are told ([`Finished`]), which nobody waits for
//! but whoever wants the result.
//!
//! A job depends on nothing else. It has an engine and a solver of its own: what an earlier job has left in caches must not reach a result,
//! not even as the order in which terms are numbered. What dataflow analysis says of the epoch depends on nothing but the epoch
//! ([`beginnings`](super::beginnings)).

use std::sync::Arc;

use icsched_ir::{CallStack, EntityId as _, Origin, Program, ProgramPoint};
use icsched_schedule::{EpochId, EpochResult, IncompleteKind, Reason, ScheduleTree, ThreadContext as Described};
use icsched_smt::SolverStatistics;
use icsched_symex::SyncObjects;
use icsched_symex::abstraction::Abstractions;
use icsched_symex::code::Marks;
use icsched_symex::initial::{Start, StartOptions};
use serde::{Deserialize, Serialize};

use super::beginnings::Beginning;
use super::effect::{helps, replace};
use super::{Analyses, EpochFacts, Shared, Successors};
use crate::engine::{Asked, Engine, Plan};
use crate::followed::Following;
use crate::graph::place;
use crate::progress::Progress;
use crate::quiet::Replaceable;
use crate::reasons::is_limit_of_run;
use crate::search::{Restart, Search, SearchOptions};
use crate::slice::Statics;
use crate::{Request, Technique};

/// What is to be searched: an epoch, with what holds whenever it begins.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Job {
    pub(crate) epoch: EpochId,
    pub(crate) facts: Arc<EpochFacts>,
    /// What the epoch's last search has found out.
    pub(crate) learned: Arc<Learned>,
}

/// How an epoch is searched: what a search finds out in vain, and begins anew, the next one need not find out again. There what is known is
/// weaker, so it would.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Learned {
    /// What is replaced, in the order in which it was found out.
    pub(super) replaced: Vec<Replaceable>,
    /// Whether it is left open which objects synchronisation is on.
    pub(super) is_conservative: bool,
    /// Which markers are passed.
    pub(super) following: Following,
}

/// What comes behind the epoch.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Searched {
    pub(crate) successors: Successors,
    pub(crate) work: Work,
    pub(crate) learned: Arc<Learned>,
    /// Whether a limit of the whole run, or the user, may have ended the search: then another run may find more.
    pub(crate) is_cut: bool,
}

/// The schedules.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Finished {
    pub(crate) result: EpochResult,
    /// Beside that of the search.
    pub(crate) work: Work,
    /// Whether a limit of the whole run, or the user, may have ended the job.
    pub(crate) is_cut: bool,
}

/// How much work something was.
#[derive(Copy, Clone, PartialEq, Default, Debug)]
pub(crate) struct Work {
    pub(crate) paths: u64,
    pub(crate) instructions: u64,
    pub(crate) solver: SolverStatistics,
}

impl Work {
    pub(crate) fn add(&mut self, other: &Self) {
        self.paths += other.paths;
        self.instructions += other.instructions;
        self.solver.add(&other.solver);
    }

    /// What has been done since `before`.
    fn since(&self, before: &Self) -> Self {
        Self {
            paths: self.paths - before.paths,
            instructions: self.instructions - before.instructions,
            solver: self.solver.since(&before.solver),
        }
    }
}

/// Searches an epoch; tells what comes behind it as soon as that is known.
///
/// # Errors
/// If it is the first one, and the program cannot be started with these inputs.
pub(crate) fn run(
    shared: &Shared<'_>,
    job: &Job,
    progress: &mut dyn Progress,
    tell: impl FnOnce(Searched),
) -> Result<Finished, String> {
    let always = shared.request.search.conservative_after == 0;
    let is_conservative = !shared.request.without.contains(&Technique::ConservativeOrder);
    let mut learned = Arc::clone(&job.learned);
    let abstractions = abstractions(shared, &learned);
    let is_open = learned.is_conservative || always && is_conservative;
    let mut plan = Plan {
        marks: Marks {
            markers: Arc::clone(&shared.markers),
            abstractions,
            folding: shared.folding.clone(),
            concrete_threads: shared.request.without.contains(&Technique::SymbolicThreads),
        },
        objects: if is_open { SyncObjects::Candidates } else { SyncObjects::Decided },
        followed: shared.followed(&job.epoch, learned.following),
    };
    let mut work = Work::default();
    let mut asked = Asked::new(&shared.request.limits);
    // Whether inputs decide nothing that is known of but a loop in front of all markers.
    let mut is_behind_loops = false;
    loop {
        let mut engine = match shared.analyses {
            _ if shared.is_entry(&job.epoch) => entry_engine(shared, &plan, asked)?,
            Some(analyses) => match analyses.beginnings.of(&shared.statics, analyses, &job.epoch, job.facts.none_ended)
            {
                Ok(beginning) => context_engine(shared, &plan, &beginning, analyses, job, asked),
                Err(reason) => return Ok(not_searched(shared, job, reason, work, tell)),
            },
            None => return Ok(not_searched(shared, job, no_analyses(), work, tell)),
        };
        let combines = job.facts.shape.combinations.is_some();
        let mut options = SearchOptions { combines, ..search_options(shared.request) };
        // What all runs go through to the end is executed as it is.
        options.abstraction &= learned.following != Following::EverythingInAllWays;
        let contexts = contexts(shared.program, &job.epoch);
        progress.begin_epoch(&job.epoch);
        let slots = Arc::clone(&shared.slots);
        let statics = Statics { corrections: combines, ..shared.statics };
        let mut search = Search::new(&statics, shared.analyses, &mut engine, &options, progress, slots);
        let explored = search.explore(job.facts.none_ended);
        let searched = search.work();
        let explored = explored.and_then(|()| search.keeps_facts(|code, when| helps(shared, code, when)));
        match explored {
            Ok(()) => {
                work.add(&searched);
                tell(Searched { successors: search.successors(), work, learned, is_cut: search.is_cut() });
                let result = search.finish(job.epoch.clone(), contexts);
                let work = search.work().since(&searched);
                progress.end_epoch(engine.into_searched(job));
                let is_cut = is_cut(shared, &result);
                return Ok(Finished { result, work, is_cut });
            }
            Err(Restart::Replacing(wanted)) => {
                work.solver.add(&searched.solver);
                let learned = Arc::make_mut(&mut learned);
                for wanted in wanted {
                    replace(shared, Arc::make_mut(&mut plan.marks.abstractions), wanted);
                    learned.replaced.push(wanted);
                }
                // That there were so many schedules may have been because of what is replaced now.
                learned.is_conservative = job.learned.is_conservative;
                plan.objects = if is_open { SyncObjects::Candidates } else { SyncObjects::Decided };
                if learned.following == Following::Ways {
                    learned.following = Following::Nothing;
                    plan.followed = shared.followed(&job.epoch, learned.following);
                }
            }
            Err(Restart::Conservatively) => {
                work.solver.add(&searched.solver);
                tracing::info!("it is left open which objects synchronisation is on");
                plan.objects = SyncObjects::Candidates;
                Arc::make_mut(&mut learned).is_conservative = true;
            }
            Err(Restart::FollowingLess) => {
                work.solver.add(&searched.solver);
                if learned.following == Following::Everything {
                    is_behind_loops = !engine.has_passed();
                }
                let less = match learned.following {
                    _ if !shared.is_entry(&job.epoch) => Following::Nothing,
                    // There is one way only.
                    Following::Everything if engine.has_no_end() && is_behind_loops => Following::EverythingBehindLoops,
                    Following::Everything if engine.has_no_end() => Following::Recursions,
                    Following::Everything if shared.follows_whole_runs() => Following::EverythingInAllWays,
                    Following::EverythingInAllWays if is_behind_loops => Following::EverythingBehindLoops,
                    Following::Everything | Following::EverythingInAllWays | Following::EverythingBehindLoops => {
                        Following::Recursions
                    }
                    // Of what is not known there would be no end.
                    Following::Recursions if learned.replaced.is_empty() => Following::Ways,
                    _ => Following::Nothing,
                };
                if matches!(learned.following, Following::Everything | Following::EverythingInAllWays) {
                    Arc::make_mut(&mut learned).is_conservative = job.learned.is_conservative;
                    plan.objects = if is_open { SyncObjects::Candidates } else { SyncObjects::Decided };
                }
                tracing::info!(?less, "fewer markers are passed");
                plan.followed = shared.followed(&job.epoch, less);
                Arc::make_mut(&mut learned).following = less;
            }
        }
        asked = engine.into_asked();
    }
}

/// What is replaced from the start.
fn abstractions(shared: &Shared<'_>, learned: &Learned) -> Arc<Abstractions> {
    let mut found = Arc::default();
    // Who goes round for ever need not be executed to see that.
    let endless = shared.endless.iter().map(|&(func, header)| Replaceable::Loop(func, header));
    for replaced in endless.chain(learned.replaced.iter().copied()) {
        replace(shared, Arc::make_mut(&mut found), replaced);
    }
    found
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
    };
    result.max_live_threads = u32::try_from(job.epoch.stacks().len()).expect("threads are few");
    let is_cut = is_cut(shared, &result);
    tell(Searched { successors: Successors::new(), work, learned: Arc::clone(&job.learned), is_cut });
    Finished { result, work: Work::default(), is_cut }
}

fn no_analyses() -> Reason {
    let message = "an epoch begins where no state can be made for: the program was not analysed".to_owned();
    Reason { kind: IncompleteKind::Unsupported, message, at: None }
}

fn search_options(request: &Request) -> SearchOptions {
    let off = |technique| request.without.contains(&technique);
    SearchOptions {
        slicing: !off(Technique::Slicing),
        prefixes: !off(Technique::PrefixSchedules),
        trees: !off(Technique::ScheduleTrees),
        abstraction: !off(Technique::InputAbstraction) && !off(Technique::Epochs),
        conservative: !off(Technique::ConservativeOrder),
        symbolic_threads: !off(Technique::SymbolicThreads),
        ..request.search.clone()
    }
}

fn entry_engine(shared: &Shared<'_>, plan: &Plan, asked: Asked) -> Result<Engine, String> {
    let has_epochs = !shared.request.without.contains(&Technique::Epochs);
    let points_to = shared.analyses.filter(|_| has_epochs).map(|a| a.points_to);
    Engine::at_entry(shared.program, shared.request, plan, points_to, asked)
}

/// `MakeStateForEpoch`: everything that may hold where the epoch's threads are (chapter 2).
fn context_engine(
    shared: &Shared<'_>,
    plan: &Plan,
    beginning: &Beginning,
    analyses: &Analyses<'_>,
    Job { facts, .. }: &Job,
    solvers: Asked,
) -> Engine {
    let off = |technique| shared.request.without.contains(&technique);
    tracing::debug!(facts = ?facts.none_ended, bytes = facts.shape.bytes.len(), words = facts.shape.words.len(), registers = facts.shape.registers.len(), objects = facts.shape.heap.len(), "known of the epoch");
    for (place, bounds) in &facts.shape.bounds {
        tracing::trace!(?place, bounds.least, bounds.greatest, "a number is between bounds");
    }
    for (place, (_, held)) in &facts.shape.words {
        tracing::trace!(?place, ?held, "a word holds an address, or the same as other places");
    }
    for (place, (_, held)) in &facts.shape.registers {
        tracing::trace!(?place, ?held, "a register holds a number, an address, or the same as other places");
    }
    for (place, held) in &facts.shape.choices {
        tracing::trace!(?place, ?held, "a place holds one of a few constants");
    }
    for (place, threads) in &facts.shape.handles {
        tracing::trace!(?place, ?threads, "a place holds the handle of no thread that lives but one of these");
    }
    for (pair, bounds) in &facts.shape.differences {
        tracing::trace!(?pair, bounds.least, bounds.greatest, "a difference is between bounds");
    }
    for equation in &facts.shape.equations {
        tracing::trace!(?equation.terms, equation.constant, equation.width, "a sum is constant");
    }
    for (turn, by) in &facts.shape.turns {
        tracing::trace!(?turn, by, "the ends of a ring are as far apart as counted");
    }
    for (element, held) in &facts.shape.elements {
        tracing::trace!(?element, held, "an element of a ring is constant");
    }
    if let Some(all) = &facts.shape.combinations {
        tracing::debug!(columns = ?all.columns(), rows = ?all.rows(), "numbers are one of these combinations");
    }
    let start = Start {
        context: &beginning.context,
        facts: &beginning.known,
        pool: &beginning.pool,
        points_to: Arc::clone(analyses.points_to),
        statics: analyses.variables,
        shape: &facts.shape,
        indices: Some(&analyses.indices),
        options: StartOptions {
            statics: !off(Technique::ReachingDefs),
            points_to: !off(Technique::PointsTo),
            memory_checks: false,
            sync_invariants: !off(Technique::SyncInvariants),
        },
    };
    Engine::at_context(shared.program, shared.request, plan, &start, solvers)
}

/// Where an epoch's threads are, for people: calls of models are left out where there are others.
fn contexts(program: &Program, epoch: &EpochId) -> Vec<Described> {
    let describe = |(thread, (stack, folds)): (u32, (&CallStack, &Vec<u32>))| {
        let placed = || (0..).zip(stack.0.iter().copied());
        let own = |p: &(u32, ProgramPoint)| program.functions[p.1.func].origin == Origin::Program;
        let mut points: Vec<(u32, ProgramPoint)> = placed().filter(own).collect();
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

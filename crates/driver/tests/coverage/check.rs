//! One program: it is enumerated, and runs are held against what that gave.

use std::collections::{BTreeMap, BTreeSet};

use icsched_explore::Snapshot;
use icsched_machine::ThreadId;
use icsched_schedule::{EpochId, Schedule, ScheduleId};

use crate::common::programs::{Input, Source};
use crate::common::random::Random;
use crate::common::recorded::Recorded;
use crate::coverage::conditions::{Conditions, Truth};
use crate::coverage::follow::{Followed, Follower, ends_process};
use crate::coverage::inputs::Given;
use crate::coverage::run::Run;
use crate::coverage::subject::{Epoch, Path, Subject};

/// Epochs of one run.
const MAX_EPOCHS: usize = 40;

/// What was looked at.
#[derive(Clone, Default, Debug)]
pub(crate) struct Looked {
    pub(crate) programs: u64,
    pub(crate) runs: u64,
    /// Epochs that runs entered, and how many of them are different.
    pub(crate) epochs: u64,
    pub(crate) different_epochs: u64,
    /// Schedules that runs followed, and how many of them are different.
    pub(crate) schedules: u64,
    pub(crate) different_schedules: u64,
    /// Those that were decided by what is known alone, and those that were found by trying.
    pub(crate) known: u64,
    pub(crate) tried: u64,
    pub(crate) early: u64,
    /// Epochs of runs of which it is known which leaf of the tree is theirs.
    pub(crate) leaves: u64,
    /// Why programs and runs were left.
    pub(crate) cuts: BTreeMap<String, u64>,
}

impl Looked {
    fn cut(&mut self, why: &str) {
        *self.cuts.entry(why.to_owned()).or_insert(0) += 1;
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.programs += other.programs;
        self.runs += other.runs;
        self.epochs += other.epochs;
        self.different_epochs += other.different_epochs;
        self.schedules += other.schedules;
        self.different_schedules += other.different_schedules;
        self.known += other.known;
        self.tried += other.tried;
        self.early += other.early;
        self.leaves += other.leaves;
        for (why, count) in &other.cuts {
            *self.cuts.entry(why.clone()).or_insert(0) += count;
        }
    }
}

/// Holds runs against the schedules of a program.
///
/// # Errors
/// What the first run does that it should not.
pub(crate) fn program(source: &Source, runs: u32, random: &mut Random, looked: &mut Looked) -> Result<(), String> {
    let (name, program) = source.load(random);
    let given = Given::new(source, &program, random);
    let subject = match Subject::new(&given.request) {
        Ok(subject) => subject,
        Err(why) => {
            looked.cut(&format!("incomplete: {why}"));
            return Ok(());
        }
    };
    // The stacks of runs are not folded, so their epochs have other names.
    let mut epochs = subject.epochs.values();
    if epochs.any(|epoch| epoch.searched.id.folds().iter().any(|folds| !folds.is_empty())) {
        looked.cut("stacks are folded in the names of epochs");
        return Ok(());
    }
    looked.programs += 1;
    let mut used = (BTreeSet::new(), BTreeSet::new());
    for number in 0..runs {
        let input = given.input(random);
        let answers = random.below(1 << 30);
        let entry = subject.epochs.values().find(|e| e.searched.is_entry).ok_or("there is no first epoch")?;
        let Some(run) = Run::new(&program, &entry.searched.machine.options.marks, &input, answers) else { continue };
        looked.runs += 1;
        let mut check = Check { subject: &subject, run, input: &input, used: &mut used, looked };
        check
            .follow(&entry.searched.id, random)
            .map_err(|how| format!("{name}, run {number} with {input:?}: {how}"))?;
    }
    looked.different_epochs += used.0.len() as u64;
    looked.different_schedules += used.1.len() as u64;
    Ok(())
}

/// Epochs and schedules that runs have used.
type Used = (BTreeSet<EpochId>, BTreeSet<(EpochId, ScheduleId)>);

struct Check<'a> {
    subject: &'a Subject,
    run: Run,
    input: &'a Input,
    used: &'a mut Used,
    looked: &'a mut Looked,
}

impl Check<'_> {
    fn follow(&mut self, entry: &EpochId, random: &mut Random) -> Result<(), String> {
        let mut id = entry.clone();
        for number in 0..MAX_EPOCHS {
            let Some(epoch) = self.subject.epochs.get(&id) else {
                return Err(format!("epoch {number} is {} ({id}), which was not searched", id.key()));
            };
            self.looked.epochs += 1;
            self.used.0.insert(id.clone());
            let input = (number == 0).then_some(self.input);
            let go_on =
                self.epoch(epoch, input, random).map_err(|how| format!("epoch {number}, {}: {how}", id.key()))?;
            if !go_on {
                break;
            }
            id = self.run.epoch();
        }
        Ok(())
    }

    /// Follows a schedule of an epoch; whether another epoch is next.
    fn epoch(&mut self, epoch: &Epoch, input: Option<&Input>, random: &mut Random) -> Result<bool, String> {
        let recorded = self.run.recorded(&epoch.searched);
        let slot = |thread: ThreadId| recorded.state.thread(thread).slot;
        let mut both = recorded.views.iter().zip(&epoch.searched.initial.threads);
        if !both.all(|(view, thread)| slot(view.thread) == thread.slot) {
            // Handles would have to be renamed.
            self.looked.cut("threads have other handles than in the epoch");
            return Ok(false);
        }
        let threads: Vec<ThreadId> = recorded.views.iter().map(|v| v.thread).collect();
        let saved = self.run.save();
        let (mut held, mut maybe, mut exits) = (Vec::new(), Vec::new(), false);
        for path in &epoch.paths {
            let mut conditions = Conditions::new(epoch, path, &recorded, input);
            match conditions.all(&path.precondition) {
                Truth::True => held.push(path),
                Truth::Unknown => maybe.push(path),
                Truth::False => {}
            }
            exits |= path.early_exits.iter().any(|exit| conditions.all(exit) != Truth::False);
        }
        let mut followed: Vec<(&Path, Followed)> = Vec::new();
        let mut left = String::new();
        for (path, must) in held.iter().map(|&p| (p, true)).chain(maybe.iter().map(|&p| (p, false))) {
            if !must && !followed.is_empty() {
                break;
            }
            self.run.restore(&saved);
            let mut follower = Follower::new(&mut self.run, &threads, &path.graph, &path.ends);
            match follower.follow(random) {
                Ok(Followed::Cut(why)) => {
                    self.looked.cut(&why);
                    return Ok(false);
                }
                Ok(how) => followed.push((path, how)),
                Err(how) => {
                    left += &format!("\n  {}: {how}\n{}", path.id, describe(epoch, path, &recorded, input));
                    if must {
                        return Err(format!("the run leaves a schedule whose precondition holds:{left}"));
                    }
                }
            }
        }
        let Some((path, how)) = followed.last().cloned() else {
            if exits {
                return self.exits(epoch, &saved, &threads, random);
            }
            let all: String = epoch.paths.iter().map(|p| describe(epoch, p, &recorded, input)).collect();
            return Err(format!("no schedule is for this state; tried:{left}\nall:\n{all}"));
        };
        let whole = followed.iter().filter(|f| f.1 != Followed::Early);
        let ids: BTreeSet<ScheduleId> = whole.filter(|f| !ends_process(&f.0.ends)).map(|f| f.0.id).collect();
        if maybe.is_empty() && ids.len() > 1 {
            return Err(format!("{} schedules are for this state: {ids:?}", ids.len()));
        }
        self.leaf(epoch, path, &recorded, input, &saved, &threads, random)?;
        self.looked.schedules += 1;
        self.used.1.insert((epoch.searched.id.clone(), path.id));
        self.looked.known += u64::from(!held.is_empty());
        self.looked.tried += u64::from(held.is_empty());
        self.looked.early += u64::from(how == Followed::Early);
        Ok(how == Followed::Epoch)
    }

    /// At most one leaf of the epoch's tree is certainly for the state, which then follows it; some leaf may be for it.
    /// The values that a path's symbols have are those on the path that was followed, whose run goes on where it was.
    #[allow(clippy::too_many_arguments, reason = "what is looked at, and how to look at it again")]
    fn leaf(
        &mut self,
        epoch: &Epoch,
        path: &Path,
        recorded: &Recorded,
        input: Option<&Input>,
        saved: &crate::coverage::run::Saved,
        threads: &[ThreadId],
        random: &mut Random,
    ) -> Result<(), String> {
        let mut conditions = Conditions::new(epoch, path, recorded, input);
        let truths: Vec<Truth> = epoch.leaves.iter().map(|(way, _)| conditions.all(way)).collect();
        let certain: Vec<&Schedule> =
            epoch.leaves.iter().zip(&truths).filter(|(_, t)| **t == Truth::True).map(|((_, s), _)| s).collect();
        if certain.len() > 1 {
            let ids: Vec<ScheduleId> = certain.iter().map(|s| s.id).collect();
            return Err(format!("several leaves of the tree are for this state: {ids:?}"));
        }
        let may_exit = epoch.paths.iter().any(|p| !p.early_exits.is_empty() || ends_process(&p.ends));
        if truths.iter().all(|t| *t == Truth::False) && !may_exit {
            return Err("no leaf of the tree is for this state".to_owned());
        }
        let [leaf] = certain[..] else { return Ok(()) };
        self.looked.leaves += 1;
        if leaf.id == path.id {
            return Ok(());
        }
        let behind = self.run.save();
        self.run.restore(saved);
        let followed = Follower::new(&mut self.run, threads, &leaf.graph, &leaf.ends).follow(random);
        self.run.restore(&behind);
        followed.map(|_| ()).map_err(|how| format!("the run leaves the leaf that is for it, {}: {how}", leaf.id))
    }

    /// An input that leaves some schedule early by ending the process.
    fn exits(
        &mut self,
        epoch: &Epoch,
        saved: &crate::coverage::run::Saved,
        threads: &[ThreadId],
        random: &mut Random,
    ) -> Result<bool, String> {
        let mut left = String::new();
        for path in epoch.paths.iter().filter(|p| !p.early_exits.is_empty()) {
            self.run.restore(saved);
            match Follower::new(&mut self.run, threads, &path.graph, &path.ends).follow(random) {
                Ok(Followed::Early) => {
                    self.looked.early += 1;
                    return Ok(false);
                }
                Ok(Followed::Cut(_)) => return Ok(false),
                Ok(how) => left += &format!("\n  {}: {how:?}", path.id),
                Err(how) => left += &format!("\n  {}: {how}", path.id),
            }
        }
        Err(format!("the state is said to end the process early, but it does not:{left}"))
    }
}

/// A path with its precondition, and what that is in a state.
fn describe(epoch: &Epoch, path: &Path, recorded: &Recorded, input: Option<&Input>) -> String {
    let mut conditions = Conditions::new(epoch, path, recorded, input);
    let mut text = format!("  {} ({} nodes, ends {})\n", path.id, path.graph.nodes().len(), path.ends);
    for &condition in &path.precondition {
        let c = Snapshot::new(&path.state, &epoch.searched.machine).in_c(|printer| printer.condition(condition));
        let truth = conditions.one(condition);
        let values = if truth == Truth::True { String::new() } else { conditions.values(condition) };
        text += &format!("    {truth:?}: {c}{values}\n");
    }
    for node in path.graph.nodes() {
        text += &format!("      {} {} {} {}\n", node.id(), node.op, node.object, node.at);
    }
    text += &format!("      {:?}\n", path.graph.edges());
    text
}

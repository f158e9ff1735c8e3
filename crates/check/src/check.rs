//! The check: suspects, a run of each, and what is told of them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use icsched_epochs::Setting;
use icsched_epochs::threads::spawn_or_do;
use icsched_realise::{Chains, Counts, Goal, Realised, Realiser, Shown};
use icsched_schedule::{
    Blocked, ChainLink, Enumeration, Finding, FindingKind, FindingThread, Held, Near, ScheduleEnd, Site, Verdict, knot,
};
use icsched_smt::in_fresh_context;
use icsched_symbolic::inputs::TestInput;

use crate::budgets::BUDGETS;
use crate::describe::{finding, sentence, short};
use crate::fingerprint::fingerprint;
use crate::smaller::{neighbours, smaller};
use crate::suspects::{Suspect, cut_off, kind_of};

/// What is looked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Kinds of findings.
    pub kinds: Vec<FindingKind>,
    /// Whether only runs that are held to the schedules are looked at.
    pub held: bool,
    /// Most suspects that are looked at at the same time.
    pub jobs: usize,
}

/// Receives how far a check is. Nothing depends on what it does.
pub trait Progress {
    /// Suspects that were decided, all of them, and runs so far.
    fn suspects(&mut self, done: usize, all: usize, runs: u64);
}

/// What was found.
#[derive(Clone, Default, Debug)]
pub struct Checked {
    /// The most certain first.
    pub findings: Vec<Finding>,
    /// What it cost.
    pub counts: Counts,
}

/// Looks for a run of everything that is wrong in a result.
pub fn check(setting: &Setting<'_>, result: &Enumeration, options: &Options, progress: &mut dyn Progress) -> Checked {
    let chains = Chains::of(result);
    let suspects = Suspect::all(result, &chains, &options.kinds);
    let mut found: BTreeMap<String, Finding> = BTreeMap::new();
    let mut counts = Counts::default();
    let mut met = Vec::new();
    for (own, others, spent) in look_at_all(setting, &suspects, &chains, options, progress) {
        counts.add(spent);
        met.extend(others);
        // One bug is one finding; a run that shows it is worth more than a schedule.
        match found.get_mut(&own.fingerprint) {
            Some(known) if known.confirmed || !own.confirmed => known.also_in += own.also_in + 1,
            Some(known) => *known = Finding { also_in: known.also_in + 1 + own.also_in, ..own },
            None => _ = found.insert(own.fingerprint.clone(), own),
        }
    }
    let (beyond, spent) = beyond_exits(setting, result, &chains, options);
    counts.add(spent);
    met.extend(beyond);
    // What runs came to on the way counts where nobody has found it otherwise.
    for other in met {
        match found.get_mut(&other.fingerprint) {
            Some(known) if known.confirmed => {}
            Some(known) => *known = Finding { also_in: known.also_in, ..other },
            None => _ = found.insert(other.fingerprint.clone(), other),
        }
    }
    progress.suspects(suspects.len(), suspects.len(), counts.runs);
    let mut findings: Vec<Finding> = found.into_values().collect();
    findings.sort_by(|a, b| {
        let key = |f: &Finding| (!f.confirmed, f.kind, f.at.first().cloned(), f.fingerprint.clone());
        key(a).cmp(&key(b))
    });
    Checked { findings, counts }
}

/// What came of a suspect: its finding, those that runs came to on the way, and what was done.
type Looked = (Finding, Vec<Finding>, Counts);

/// Looks for a run of each suspect, several at a time. In the order of the suspects, whoever is done first: each begins
/// anew, so what is found of one does not depend on the others.
fn look_at_all(
    setting: &Setting<'_>,
    suspects: &[Suspect<'_>],
    chains: &Chains<'_>,
    options: &Options,
    progress: &mut dyn Progress,
) -> Vec<Looked> {
    progress.suspects(0, suspects.len(), 0);
    let next = AtomicUsize::new(0);
    let (done, all_done) = channel();
    let mut found: Vec<Option<Looked>> = vec![None; suspects.len()];
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.clamp(1, suspects.len().max(1)) {
            let (done, next) = (done.clone(), &next);
            spawn_or_do(scope, "icsched-check", move || {
                let take = || {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    suspects.get(at).map(|suspect| (at, suspect))
                };
                while let Some((at, suspect)) = take() {
                    in_fresh_context(|| {
                        let mut realiser = Realiser::new(setting);
                        let own = look(&mut realiser, setting, suspect, chains);
                        let others = others(&mut realiser, setting, &options.kinds);
                        // Who does not wait any more needs no answer.
                        let _ = done.send((at, (own, others, realiser.counts())));
                    });
                }
            });
        }
        drop(done);
        let (mut decided, mut runs) = (0, 0);
        while let Ok((at, looked)) = all_done.recv() {
            (decided, runs) = (decided + 1, runs + looked.2.runs);
            progress.suspects(decided, suspects.len(), runs);
            found[at] = Some(looked);
        }
    });
    found.into_iter().flatten().collect()
}

/// What threads come to that still run when the process ends. In the schedules they are cut off; here they run on
/// first.
fn beyond_exits(
    setting: &Setting<'_>,
    result: &Enumeration,
    chains: &Chains<'_>,
    options: &Options,
) -> (Vec<Finding>, Counts) {
    let ends = if options.held { Vec::new() } else { cut_off(result, chains) };
    if ends.is_empty() {
        return (Vec::new(), Counts::default());
    }
    let mut beyond = (Vec::new(), Counts::default());
    in_fresh_context(|| {
        let mut realiser = Realiser::new(setting);
        for (epoch, way) in ends.into_iter().take(BUDGETS.exits) {
            if let Some(chain) = chains.to(epoch, way).first() {
                realiser.run_beyond_exit(chain, BUDGETS.runs_beyond_exit);
            }
        }
        let found = others(&mut realiser, setting, &options.kinds);
        let found = found.into_iter().map(|finding| Finding { verdict: Verdict::Predicted, ..finding });
        beyond = (found.collect(), realiser.counts());
    });
    beyond
}

/// What runs came to while another end was looked for.
fn others(realiser: &mut Realiser<'_, '_>, setting: &Setting<'_>, kinds: &[FindingKind]) -> Vec<Finding> {
    let met = realiser.met().into_iter().filter(|(goal, _)| kinds.contains(&kind_of(goal)));
    let told = met.collect::<Vec<_>>().into_iter().filter_map(|(goal, shown)| tell(realiser, setting, shown, &goal).1);
    told.collect()
}

/// The finding that a run shows, with its smallest input, and that input.
fn tell(
    realiser: &mut Realiser<'_, '_>,
    setting: &Setting<'_>,
    shown: Shown,
    goal: &Goal,
) -> (TestInput, Option<Finding>) {
    let inputs = &setting.request.inputs;
    let shown = smaller(realiser, inputs, shown, goal);
    let told = finding(&shown, kind_of(goal)).map(|mut told| {
        let near = realiser.near(&shown, goal, &neighbours(inputs, &shown.input));
        told.near = near.map(|(input, condition)| Near { input, condition });
        told
    });
    (shown.input, told)
}

/// Looks for a run of a suspect, and tells of it.
fn look<'e>(
    realiser: &mut Realiser<'_, '_>,
    setting: &Setting<'_>,
    suspect: &Suspect<'e>,
    chains: &Chains<'e>,
) -> Finding {
    let kind = kind_of(&suspect.goal);
    let (all, leads) = suspect.chains(chains);
    let ways = all.len();
    let realised = realiser.realise(&all, &suspect.goal);
    let mut shown_by = None;
    let mut along = 0;
    let mut own = match realised {
        Realised::Shown(shown) => {
            along = shown.chain.unwrap_or(0);
            let (input, told) = tell(realiser, setting, *shown, &suspect.goal);
            shown_by = Some(input);
            told.unwrap_or_else(|| possible(suspect, kind, "the run that shows it could not be told".to_owned()))
        }
        Realised::Infeasible { core } => {
            let chains = if ways == 1 { "the chain".to_owned() } else { format!("the {ways} chains") };
            possible(
                suspect,
                kind,
                format!("no input was found along {chains} of schedules that lead there; `{core}` stands in the way"),
            )
        }
        Realised::Unknown { why } => possible(suspect, kind, why),
    };
    own.constraint = match shown_by {
        // Of the schedules that show it, one that is for the input.
        Some(input) => suspect.constraint_of(&mut |constraint| realiser.satisfies(&input, constraint)).to_owned(),
        None => suspect.constraint().to_owned(),
    };
    own.also_in = suspect.found.len().saturating_sub(1);
    let found = leads.get(along).copied().unwrap_or(0);
    if let Some((epoch, _)) = suspect.found.get(found) {
        own.epoch = epoch.to_string();
    }
    own.schedule = suspect.schedule_of(found).map(|schedule| schedule.id.to_string()).unwrap_or_default();
    if let Some((chain, _)) = all.get(along) {
        let link = |link: &icsched_realise::Link<'_>| ChainLink {
            epoch: link.epoch.key().to_string(),
            schedule: link.schedule.id.to_string(),
        };
        own.chain = chain.links.iter().map(link).collect();
    }
    own
}

/// A finding that no run has shown, as its schedule tells it.
fn possible(suspect: &Suspect<'_>, kind: FindingKind, why: String) -> Finding {
    let (mut class, mut threads, mut message) = (None, Vec::new(), suspect.message());
    if let Some(schedule) = suspect.schedule()
        && let ScheduleEnd::Deadlock { blocked } = &schedule.ends
    {
        let signalled = |object: &str| {
            let nodes = schedule.graph.nodes().iter();
            nodes
                .filter(|node| node.op.contains("signal") || node.op.contains("broadcast"))
                .any(|n| *n.object == *object)
        };
        let knot = knot(blocked, signalled);
        let own = blocked.iter().filter(|b| knot.threads.contains(&b.thread));
        threads = own.map(thread).collect();
        for b in blocked.iter().filter(|b| knot.threads.contains(&b.thread)) {
            hold(&mut threads, b);
        }
        message = sentence(knot.class, &threads);
        class = knot.class;
    }
    let at: Vec<String> = match &suspect.goal {
        Goal::Abort(_, at) | Goal::Error(_, at) => vec![at.clone()],
        Goal::Endless(places) => places.clone(),
        Goal::Deadlock(_) => threads.iter().filter_map(|thread| thread.frames.last().map(Site::place)).collect(),
    };
    if kind != FindingKind::Deadlock
        && let Some(first) = at.first()
    {
        message = format!("{message} at {}", short(first));
    }
    let reason: Vec<&FindingThread> = threads.iter().collect();
    let fingerprint = fingerprint(kind, class, &crate::fingerprint::without_numbers(&message), &reason);
    Finding {
        kind,
        class,
        verdict: Verdict::Possible,
        confirmed: false,
        message,
        at,
        threads,
        input: None,
        near: None,
        constraint: String::new(),
        why: Some(why),
        epoch: String::new(),
        schedule: String::new(),
        chain: Vec::new(),
        trace: Vec::new(),
        order: Vec::new(),
        fingerprint,
        also_in: 0,
    }
}

/// A blocked thread of a schedule.
fn thread(blocked: &Blocked) -> FindingThread {
    let frames = if blocked.stack.is_empty() { vec![place(&blocked.at)] } else { blocked.stack.clone() };
    FindingThread {
        thread: blocked.thread,
        stack: frames.iter().map(Site::to_string).collect(),
        frames,
        operation: blocked.op.clone(),
        waits_for: blocked.waits_for.clone(),
        object: blocked.object.clone(),
        holder: blocked.holder,
        holds: Vec::new(),
        ended: None,
    }
}

/// Says of the thread that another waits for what it holds.
fn hold(threads: &mut Vec<FindingThread>, blocked: &Blocked) {
    let (Some(holder), Some(at)) = (blocked.holder, &blocked.holder_at) else { return };
    let frames = if blocked.holder_stack.is_empty() { vec![place(at)] } else { blocked.holder_stack.clone() };
    let since = frames.last().map_or_else(|| at.clone(), Site::place);
    let held = Held { object: blocked.object.clone(), since, frames };
    match threads.iter_mut().find(|thread| thread.thread == holder) {
        Some(thread) if thread.holds.contains(&held) => {}
        Some(thread) => thread.holds.push(held),
        None => threads.push(FindingThread {
            thread: holder,
            stack: Vec::new(),
            frames: Vec::new(),
            operation: String::new(),
            waits_for: String::new(),
            object: String::new(),
            holder: None,
            holds: vec![held],
            ended: None,
        }),
    }
}

/// `file.c:12` as a place.
fn place(at: &str) -> Site {
    let (file, line) = at.rsplit_once(':').unwrap_or((at, "0"));
    Site { function: String::new(), file: file.to_owned(), line: line.parse().unwrap_or(0), column: 0 }
}

//! `icsched check`: findings.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use icsched_check::{Checked, Options, needs_runs, suppress};
use icsched_enumerate::Progress;
use icsched_epochs::Technique;
use icsched_ir::{CallGraph, Callee, FuncId, Intrinsic, Op, Origin, Program};
use icsched_schedule::{Database, Enumeration, IncompleteKind, Reason};
use icsched_symbolic::request::Activity;

use crate::config::EnumerateConfig;
use crate::enumerate::{Enumerated, Source, enumerate_loaded, load_options, load_with, request};
use crate::error::DriverError;

pub use icsched_check::suppress::Baseline;
pub use icsched_schedule::finding::{CHECK_SCHEMA, FINDING_SCHEMA};
pub use icsched_schedule::{
    CheckResult, CheckStatistics, Finding, FindingFile, FindingKind, Input, StepRole, Suppressed, TraceStep, Verdict,
};

/// What to check.
#[derive(Clone, Debug)]
pub struct CheckConfig {
    /// The program, and how its schedules are found.
    pub enumerate: EnumerateConfig,
    /// The kinds of findings that are looked for.
    pub kinds: Vec<FindingKind>,
    /// Whether only runs that are held to the schedules are looked at.
    pub held: bool,
    /// Findings that are known.
    pub baseline: Baseline,
}

/// A check with the schedules that it is about.
#[derive(Debug)]
pub struct CheckOutcome {
    /// What was found.
    pub result: CheckResult,
    /// The schedules.
    pub schedules: Enumeration,
    /// Where they come from.
    pub source: Source,
    /// Why they are not in the database, or not all of them, if so.
    pub unwritten: Option<icsched_schedule::DbError>,
}

/// Of the time that there is, what the schedules may take, in tenths: the rest is for runs.
const TENTHS_FOR_SCHEDULES: u32 = 7;

/// Finds what goes wrong in the schedules of a program, and a run of each.
///
/// # Errors
/// As [`enumerate`](crate::enumerate::enumerate()).
pub fn check(config: &CheckConfig, progress: &mut dyn Progress) -> Result<CheckOutcome, DriverError> {
    let start = Instant::now();
    let deadline = config.enumerate.limits.deadline();
    let mut searched = config.enumerate.clone();
    searched.limits.timeout = searched.limits.timeout.map(|all| all / 10 * TENTHS_FOR_SCHEDULES);
    let loaded = load_with(&searched.program, &load_options(&searched.without), &searched.limits)?;
    let looks_for_failures = config.kinds.iter().any(|kind| matches!(kind, FindingKind::Assert | FindingKind::Abort));
    if looks_for_failures && may_fail(&loaded) {
        tell_failures(&mut searched);
    }
    if config.kinds.contains(&FindingKind::MemoryError) {
        turn_off(&mut searched, Technique::QuietBranches, "quiet-branches");
    }
    let Enumerated { result: schedules, source, unwritten } =
        enumerate_loaded(&searched, Some(Arc::clone(&loaded)), progress)?;
    let enumerate_seconds = start.elapsed().as_secs_f64();
    let mut reasons: Vec<Reason> = schedules.all_reasons().into_iter().cloned().collect();
    let mut checked = Checked::default();
    let options = Options { kinds: config.kinds.clone(), held: config.held, jobs: config.enumerate.jobs };
    if needs_runs(&schedules, &config.kinds, config.held) {
        let request = request(&searched, Some(loaded), deadline)?;
        let begin = |progress: &mut dyn Progress, activity: Activity| progress.doing(activity);
        let mut shown = progress;
        let found = icsched_epochs::prepare(
            &request,
            &mut shown,
            |p, a| begin(*p, a),
            |setting, progress| icsched_check::check(setting, &schedules, &options, &mut Shown(*progress)),
        );
        match found {
            Ok(found) => checked = found,
            Err(reason) => reasons.push(reason),
        }
    }
    let sources = |file: &str| std::fs::read_to_string(file).ok();
    let (findings, suppressed) = suppress::suppress(checked.findings, &config.baseline, &sources);
    for finding in findings.iter().filter(|finding| !finding.confirmed) {
        let why = finding.why.as_deref().unwrap_or("no run shows it");
        let message = format!("whether {} can happen is not decided: {why}", finding.message);
        reasons.push(Reason { kind: IncompleteKind::Limit, message, at: finding.at.first().cloned() });
    }
    let is_over = config.enumerate.limits.stop.asked().is_some();
    let complete = reasons.is_empty() && schedules.is_complete() && !is_over;
    let result = CheckResult {
        schema: CHECK_SCHEMA.to_owned(),
        program: schedules.program.clone(),
        digest: schedules.digest.clone(),
        options: schedules.options.clone(),
        complete,
        reasons,
        assumptions: std::iter::once("threads run in the orders of these schedules, not in others")
            .chain(schedules.assumptions.iter().map(|assumption| assumption.describe()))
            .map(str::to_owned)
            .collect(),
        findings,
        suppressed,
        epochs: schedules.epochs.len(),
        schedules: schedules.totals().schedules,
        statistics: CheckStatistics {
            seconds: rounded(start.elapsed()),
            enumerate_seconds: (enumerate_seconds * 1e3).round() / 1e3,
            runs: checked.counts.runs,
            paths: checked.counts.paths,
            instructions: checked.counts.instructions,
        },
    };
    let kept = match (&unwritten, &config.enumerate.database) {
        (None, Some(database)) => Database::open(&database.path).and_then(|kept| kept.keep_check(&result)),
        _ => Ok(()),
    };
    Ok(CheckOutcome { result, schedules, source, unwritten: unwritten.or(kept.err()) })
}

/// Whether the program itself may abort or fail an assertion: by a call of a library function that does, or that calls
/// one which does (`raise`), by name or through a pointer.
fn may_fail(program: &Program) -> bool {
    let graph = CallGraph::new(program);
    let fails = |func: FuncId| {
        graph.intrinsics(func).iter().any(|intrinsic| matches!(intrinsic, Intrinsic::Abort | Intrinsic::AssertFail))
    };
    let calls = |func: FuncId, of: &BTreeSet<FuncId>| {
        let mut insts = program.functions[func].blocks.values().flat_map(|block| &block.insts);
        insts.any(|inst| matches!(inst.op, Op::Call { callee: Callee::Direct(callee), .. } if of.contains(&callee)))
    };
    let of = |origin: Origin| program.functions.ids().filter(move |&func| program.functions[func].origin == origin);
    let mut failing: BTreeSet<FuncId> = of(Origin::Model).filter(|&func| fails(func)).collect();
    let callers: Vec<FuncId> = of(Origin::Model).filter(|&func| calls(func, &failing)).collect();
    failing.extend(callers);
    failing.iter().any(|&func| graph.is_address_taken(func))
        || of(Origin::Program).any(|func| fails(func) || calls(func, &failing))
}

/// Has a schedule made for each failure: who aborts on the way along another schedule is none of it.
fn tell_failures(config: &mut EnumerateConfig) {
    if !config.without.contains(&Technique::PrefixSchedules) {
        turn_off(config, Technique::PrefixFailures, "prefix-failures");
    }
}

/// Turns a technique off, as if the user had said so.
fn turn_off(config: &mut EnumerateConfig, technique: Technique, word: &str) {
    if config.without.contains(&technique) {
        return;
    }
    config.without.push(technique);
    let at = config.typed.iter().position(|word| word == "--" || word.starts_with("--sym-args"));
    config.typed.insert(at.unwrap_or(config.typed.len()), format!("--without={word}"));
}

fn rounded(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}

/// Shows how far a check is as a search does.
struct Shown<'p>(&'p mut dyn Progress);

impl icsched_check::Progress for Shown<'_> {
    fn suspects(&mut self, done: usize, all: usize, runs: u64) {
        self.0.suspects(done, all, runs);
    }
}

//! Runs one command in one configuration.
//!
//! Each run is a process of its own, the `icsched` that runs the batch: its time and memory are its own, and a run that
//! cannot be stopped, or crashes, takes nothing else with it.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;
use wait_timeout::ChildExt;

use super::figure::Figure;
use super::job::Job;
use super::manifest::{Command, Run};
use super::outcome::{Failure, FailureKind, Outcome};
use crate::config::StopRequest;

/// Something that can run jobs.
pub trait Runner {
    /// Runs one.
    ///
    /// # Errors
    /// If it has no result.
    fn run(&self, job: &Job<'_>) -> Result<Outcome, Failure>;
}

/// Runs jobs as commands of an `icsched`.
#[derive(Clone, Debug)]
pub struct Commands {
    icsched: PathBuf,
    stop: Arc<StopRequest>,
    grace: Duration,
}

/// Time to stop that a command has beyond its limit before it is killed: more than it takes for itself.
const GRACE: Duration = Duration::from_secs(30);
/// Time between two looks at whether the batch is to be stopped.
const LOOK: Duration = Duration::from_millis(100);

impl Runner for Commands {
    fn run(&self, job: &Job<'_>) -> Result<Outcome, Failure> {
        let failed = |error: std::io::Error| Failure::not_runnable(format!("cannot run icsched: {error}"));
        let arguments = arguments(job);
        if job.has_witness() {
            let inputs = serde_json::to_vec(&job.run.witness).expect("plain data has a JSON form");
            fs::write(job.file("witness"), inputs).map_err(failed)?;
        }
        let (json, log) = (job.file("json"), job.file("log"));
        // What an earlier run left must not be taken for this one's.
        let _ = fs::remove_file(&json);
        let said = File::create(&log).map_err(failed)?;
        let mut command = std::process::Command::new(&self.icsched);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(said);
        let mut child = command.spawn().map_err(failed)?;
        let status = self.wait(&mut child, job.run.timeout.saturating_add(self.grace)).map_err(failed)?;
        let said = fs::read_to_string(&log).unwrap_or_default();
        if self.stop.asked().is_some() {
            return Err(Failure { kind: FailureKind::Stopped, message: "the batch was stopped".to_owned() });
        }
        let Some(status) = status else {
            return Err(Failure { kind: FailureKind::Limit, message: "it did not stop at its time limit".to_owned() });
        };
        // Of a command that ended so, the file says what was known by then. That is no result.
        let is_broken = status.code().is_none_or(|code| code == BUG);
        match fs::read(&json).ok().and_then(|text| serde_json::from_slice::<Summary>(&text).ok()) {
            Some(result) if !is_broken => Ok(outcome(&result.into_value(), job.run)),
            Some(_) | None => Err(without_result(status, &said)),
        }
    }
}

/// What is read of a command's result: all but its paths, of which there may be hundreds of megabytes.
#[derive(Deserialize)]
struct Summary {
    complete: bool,
    #[serde(default)]
    reasons: Value,
    #[serde(default)]
    totals: Value,
    #[serde(default)]
    statistics: Value,
}

impl Summary {
    fn into_value(self) -> Value {
        let Summary { complete, reasons, totals, statistics } = self;
        serde_json::json!({"complete": complete, "reasons": reasons, "totals": totals, "statistics": statistics})
    }
}

impl Commands {
    /// Runs jobs with the binary `icsched`, until somebody asks to stop.
    pub fn new(icsched: PathBuf, stop: Arc<StopRequest>) -> Self {
        Self { icsched, stop, grace: GRACE }
    }

    /// Waits for the end of a process; none if it had to be killed.
    fn wait(&self, child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
        let started = Instant::now();
        loop {
            if let Some(status) = child.wait_timeout(LOOK)? {
                return Ok(Some(status));
            }
            if started.elapsed() >= limit || self.stop.asked().is_some() {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
        }
    }
}

/// What `icsched` is called with. A new command is an arm here; its JSON result must have the figures where
/// [`Figure`] looks for them.
fn arguments(job: &Job<'_>) -> Vec<String> {
    match job.run.command {
        Command::Enumerate => enumerate(job),
        Command::Symex => symex(job),
    }
}

fn enumerate(job: &Job<'_>) -> Vec<String> {
    let mut all = common_arguments(job);
    // The directory is the batch's own.
    all.extend(["--output".to_owned(), job.file("icsdb").display().to_string(), "--force".to_owned()]);
    all.extend(inputs(job));
    all
}

/// What a run from the program's entry is given.
fn inputs(job: &Job<'_>) -> Vec<String> {
    let Run { inputs, args, .. } = job.run;
    inputs.iter().cloned().chain(["--".to_owned()]).chain(args.iter().cloned()).collect()
}

fn symex(job: &Job<'_>) -> Vec<String> {
    let mut all = common_arguments(job);
    for thread in job.threads {
        match thread.strip_suffix(" waiting") {
            Some(place) => all.extend(["--thread", place, "--waiting"].map(str::to_owned)),
            None => all.extend(["--thread".to_owned(), thread.clone()]),
        }
    }
    if job.run.none_ended {
        all.push("--none-ended".to_owned());
    }
    if let Some(branches) = job.run.branches {
        all.extend(["--branches".to_owned(), branches.to_string()]);
    }
    if job.has_witness() {
        all.extend(["--witness".to_owned(), job.file("witness").display().to_string()]);
    }
    if job.configuration.whole_program {
        all.push("--from-start".to_owned());
        all.extend(inputs(job));
    }
    all
}

/// What all commands take.
fn common_arguments(job: &Job<'_>) -> Vec<String> {
    let Run { command, timeout, max_memory, options, .. } = job.run;
    let mut all = vec![command.word().to_owned(), job.bitcode.display().to_string()];
    all.extend(["--json".to_owned(), job.file("json").display().to_string()]);
    all.extend(["--timeout".to_owned(), humantime::format_duration(*timeout).to_string()]);
    if let Some(size) = max_memory {
        all.extend(["--max-memory".to_owned(), size.clone()]);
    }
    if !job.configuration.without.is_empty() {
        all.extend(["--without".to_owned(), job.configuration.without.join(",")]);
    }
    all.extend(options.iter().cloned());
    all
}

/// Exit status of an `icsched` that has found a bug in itself.
const BUG: i32 = 4;

/// How a reason names the bound on branches.
const BRANCHES: &str = "(--branches)";

/// A result. That paths were cut at the bound that the manifest asks for makes it no less complete.
fn outcome(result: &Value, run: &Run) -> Outcome {
    let mut reasons = Vec::new();
    let mut is_bounded = false;
    for reason in result["reasons"].as_array().into_iter().flatten() {
        let message = reason["message"].as_str().unwrap_or("unknown");
        if run.branches.is_some() && message.contains(BRANCHES) {
            is_bounded = true;
            continue;
        }
        reasons.push(match reason["at"].as_str() {
            Some(at) => format!("{at}: {message}"),
            None => message.to_owned(),
        });
    }
    let is_complete = result["complete"].as_bool().unwrap_or(false);
    let figures = Figure::ALL.iter().filter_map(|&figure| Some((figure, figure.read(result)?)));
    Outcome { complete: is_complete || is_bounded && reasons.is_empty(), reasons, figures: figures.collect() }
}

/// Why a process left no result, in what it said.
fn without_result(status: ExitStatus, said: &str) -> Failure {
    const WRONG: i32 = 2;
    const INCOMPLETE: i32 = 3;
    let is_message = |line: &&str| line.starts_with("error") || line.starts_with("warning");
    let line = said.lines().find(is_message).or(said.lines().next_back());
    let (kind, how) = match status.code() {
        Some(WRONG) => (FailureKind::NotRunnable, "icsched refused it".to_owned()),
        Some(INCOMPLETE) => (FailureKind::Limit, "it ended without a result".to_owned()),
        Some(BUG) => (FailureKind::Bug, "it has a bug".to_owned()),
        // Says which signal it was, if it was one.
        _ => (FailureKind::Crash, format!("it ended with {status}")),
    };
    let message = line.map(|line| format!("{how}: {}", line.trim())).unwrap_or(how);
    Failure { kind, message }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;
    use std::sync::{Mutex, PoisonError};

    use tempfile::TempDir;

    use super::super::manifest::Configuration;
    use super::*;
    use crate::symex::WitnessInput;

    /// A script cannot be started while another test's new process still has it open for writing.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

    /// What becomes of a job that a shell script runs in place of `icsched`.
    fn run(script: &str, run: &Run, configuration: &Configuration, threads: &[String]) -> Result<Outcome, Failure> {
        let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let place = TempDir::new().expect("a temporary directory can be made");
        let icsched = place.path().join("icsched");
        fs::write(&icsched, format!("#!/bin/sh\n{script}\n")).expect("the directory is ours");
        fs::set_permissions(&icsched, fs::Permissions::from_mode(0o755)).expect("the file is ours");
        let bitcode = Path::new("p.bc");
        let (configuration_name, directory) = ("full", place.path());
        let job = Job { run, configuration_name, configuration, bitcode, threads, directory };
        Commands { icsched, stop: Arc::default(), grace: Duration::ZERO }.run(&job)
    }

    fn sample(command: Command, timeout: Duration) -> Run {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect();
        Run {
            name: "run".to_owned(),
            command,
            program: "p.bc".into(),
            flags: Vec::new(),
            threads: Vec::new(),
            branches: (command == Command::Symex).then_some(12),
            none_ended: false,
            options: words("--max-paths 9"),
            inputs: words("--sym-stdin 4"),
            args: words("@"),
            witness: Vec::new(),
            configurations: Vec::new(),
            timeout,
            max_memory: Some("1GiB".to_owned()),
        }
    }

    const LONG: Duration = Duration::from_secs(600);

    /// Writes a result whose reasons are the arguments; `--json` is followed by where it is to be written.
    const TELLS_ITS_ARGUMENTS: &str = r#"
        for word; do
            [ "$last" = --json ] && file=$word
            last=$word
            case $word in */*) word=${word##*/} ;; esac
            reasons="$reasons$comma{\"message\": \"$word\"}"
            comma=,
        done
        echo "{\"complete\": false, \"reasons\": [$reasons], \"statistics\": {\"paths\": 7}}" > "$file""#;

    #[test]
    fn the_command_line_has_what_the_manifest_says() {
        let without = ["slicing", "pointsto"].map(str::to_owned).to_vec();
        let configuration = Configuration { without, whole_program: false };
        let enumerate = run(TELLS_ITS_ARGUMENTS, &sample(Command::Enumerate, LONG), &configuration, &[]);
        let outcome = enumerate.expect("the script writes a result");
        let expected = "enumerate p.bc --json run.full.json --timeout 10m --max-memory 1GiB --without slicing,pointsto \
                        --max-paths 9 --output run.full.icsdb --force --sym-stdin 4 -- @";
        assert_eq!(outcome.reasons.join(" "), expected);
        assert_eq!(outcome.figures, [(Figure::Paths, 7.0)].into());
        assert!(!outcome.complete);
    }

    #[test]
    fn a_context_has_no_program_arguments() {
        let threads = ["main>f@a.c:1", "g@a.c:2 waiting"].map(str::to_owned);
        let symex = sample(Command::Symex, LONG);
        let outcome = run(TELLS_ITS_ARGUMENTS, &symex, &Configuration::default(), &threads);
        let expected = "symex p.bc --json run.full.json --timeout 10m --max-memory 1GiB --max-paths 9 \
                        --thread main>f@a.c:1 --thread g@a.c:2 --waiting --branches 12";
        assert_eq!(outcome.expect("the script writes a result").reasons.join(" "), expected);
    }

    #[test]
    fn whole_programs_have_arguments_and_inputs_that_lead_to_the_context() {
        let threads = ["main>f@a.c:1".to_owned()];
        let symex = sample(Command::Symex, LONG);
        let input = WitnessInput { args: vec!["7".to_owned()], ..WitnessInput::default() };
        let symex = Run { witness: vec![input], ..symex };
        let whole = Configuration { whole_program: true, ..Configuration::default() };
        let outcome = run(TELLS_ITS_ARGUMENTS, &symex, &whole, &threads);
        let expected = "symex p.bc --json run.full.json --timeout 10m --max-memory 1GiB --max-paths 9 \
                        --thread main>f@a.c:1 --branches 12 --witness run.full.witness --from-start --sym-stdin 4 -- @";
        assert_eq!(outcome.expect("the script writes a result").reasons.join(" "), expected);
        let naive = Configuration { without: vec!["pointsto".to_owned()], whole_program: false };
        let outcome = run(TELLS_ITS_ARGUMENTS, &symex, &naive, &threads).expect("the script writes a result");
        assert!(!outcome.reasons.contains(&"--witness".to_owned()), "{:?}", outcome.reasons);
    }

    #[test]
    fn a_bound_that_was_asked_for_is_no_reason() {
        let cut = serde_json::json!({"message": "a path was cut at the limit of branches (--branches)", "at": null});
        let late = serde_json::json!({"message": "the time limit was reached (--timeout)", "at": "a.c:7"});
        let ended = |reasons: &[&Value], command: Command| {
            let result = serde_json::json!({"complete": reasons.is_empty(), "reasons": reasons});
            let Outcome { complete, reasons, .. } = outcome(&result, &sample(command, LONG));
            (complete, reasons)
        };
        assert_eq!(ended(&[&cut], Command::Symex), (true, vec![]));
        let with_place = vec!["a.c:7: the time limit was reached (--timeout)".to_owned()];
        assert_eq!(ended(&[&cut, &late], Command::Symex), (false, with_place));
        assert!(!ended(&[&cut], Command::Enumerate).0);
        assert!(ended(&[], Command::Enumerate).0);
    }

    /// A command that has a bug, or is killed, leaves a document that says what was known by then.
    #[test]
    fn a_bug_is_one_whatever_document_there_is() {
        for (end, kind, message) in [
            ("echo 'error[bug]: an index' >&2; exit 4", FailureKind::Bug, "it has a bug: error[bug]: an index"),
            ("kill -SEGV $$", FailureKind::Crash, "signal: 11"),
        ] {
            let script = format!("{TELLS_ITS_ARGUMENTS}\n{end}");
            let ended = run(&script, &sample(Command::Enumerate, LONG), &Configuration::default(), &[]);
            let failure = ended.expect_err("it is no result");
            assert_eq!(failure.kind, kind);
            assert!(failure.message.contains(message), "{}", failure.message);
        }
        let found = format!("{TELLS_ITS_ARGUMENTS}\nexit 1");
        assert!(run(&found, &sample(Command::Enumerate, LONG), &Configuration::default(), &[]).is_ok());
    }

    #[test]
    fn how_a_command_ended_without_a_result() {
        let failure = |script: &str, timeout: Duration| {
            let ended = run(script, &sample(Command::Enumerate, timeout), &Configuration::default(), &[]);
            let failure = ended.expect_err("there is no result");
            (failure.kind, failure.message)
        };
        let refused = failure("echo 'error: what?' >&2; echo more >&2; exit 2", LONG);
        assert_eq!(refused, (FailureKind::NotRunnable, "icsched refused it: error: what?".to_owned()));
        let limited = failure("echo 1 s: 3 paths >&2; echo 'warning[limit]: memory' >&2; exit 3", LONG);
        assert_eq!(limited, (FailureKind::Limit, "it ended without a result: warning[limit]: memory".to_owned()));
        let wrong = failure("echo 'error[bug]: icsched has a bug: an index' >&2; exit 4", LONG);
        assert_eq!(wrong, (FailureKind::Bug, "it has a bug: error[bug]: icsched has a bug: an index".to_owned()));
        let (kind, message) = failure("kill -SEGV $$", LONG);
        assert_eq!(kind, FailureKind::Crash);
        assert!(message.contains("signal: 11"), "{message}");
        let endless = failure("exec tail -f /dev/null", Duration::ZERO);
        assert_eq!(endless, (FailureKind::Limit, "it did not stop at its time limit".to_owned()));
    }
}

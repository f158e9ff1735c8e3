//! Sentences about findings that several renderers use.

use icsched_schedule::{
    Bytes, CheckResult, Finding, FindingKind, FindingThread, Input, Site, StepRole, TraceStep, Verdict,
};

use super::options::Options;
use super::place::relative;
use crate::words::{self, count, list};

/// How sure a finding is in the end: a prediction that a run has shown is confirmed.
pub(crate) fn standing(finding: &Finding) -> Verdict {
    if finding.confirmed { Verdict::Confirmed } else { finding.verdict }
}

/// What is to be known of how sure a finding is: why no run shows it, or that only free runs do.
pub(crate) fn doubt(finding: &Finding) -> Option<String> {
    let is_free = finding.verdict == Verdict::Predicted;
    let free = || "in no schedule: only a run that is not held to them comes to it".to_owned();
    finding.why.as_ref().map(|why| format!("not confirmed: {why}")).or_else(|| is_free.then(free))
}

/// The same as the beginning of a sentence.
pub(crate) fn doubt_as_sentence(finding: &Finding) -> Option<String> {
    let doubt = doubt(finding)?;
    let mut letters = doubt.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect())
}

/// `deadlock/leaked-lock`, `assert`: the rule that a finding breaks.
pub(crate) fn rule(finding: &Finding) -> String {
    match finding.class {
        Some(class) => format!("{}/{class}", finding.kind),
        None => finding.kind.to_string(),
    }
}

/// `2 findings: 1 confirmed, 1 possible`, or `nothing found`.
pub(crate) fn counts(result: &CheckResult) -> String {
    if result.findings.is_empty() {
        return "nothing found".to_owned();
    }
    let of = |verdict: Verdict| match result.findings.iter().filter(|f| standing(f) == verdict).count() {
        0 => None,
        n => Some(format!("{n} {verdict}")),
    };
    let parts: Vec<_> =
        [Verdict::Confirmed, Verdict::Possible, Verdict::Predicted].into_iter().filter_map(of).collect();
    format!("{}: {}", count(result.findings.len(), "finding"), parts.join(", "))
}

/// `for all inputs`, or `not complete: stopped after 10 s`; with what was looked for, if that is not everything.
pub(crate) fn coverage(result: &CheckResult, options: &Options<'_>) -> String {
    let inputs = inputs(result);
    if options.kinds.len() == FindingKind::ALL.len() {
        return inputs;
    }
    let kinds: Vec<_> = options.kinds.iter().map(FindingKind::to_string).collect();
    format!("{inputs}; nothing but {} was looked for", list(&kinds))
}

fn inputs(result: &CheckResult) -> String {
    let undecided = result.findings.iter().filter(|finding| standing(finding) == Verdict::Possible).count();
    match (&result.reasons[..], result.complete) {
        (_, true) if result.findings.is_empty() => "for all inputs".to_owned(),
        (_, true) => "all inputs were looked at".to_owned(),
        ([], false) if undecided > 0 => format!("not complete: {} not decided", count(undecided, "finding")),
        ([], false) => "not complete".to_owned(),
        ([reason], false) => format!("not complete: {}", reason.message),
        ([reason, others @ ..], false) => {
            format!("not complete: {}, and {}", reason.message, count(others.len(), "other reason"))
        }
    }
}

/// The first line of all: `nothing found, for all inputs`.
pub(crate) fn headline(result: &CheckResult, options: &Options<'_>) -> String {
    format!("{}{}{}", counts(result), separator(result), coverage(result, options))
}

/// Between counts and coverage.
pub(crate) fn separator(result: &CheckResult) -> &'static str {
    if result.complete && result.findings.is_empty() { ", " } else { "; " }
}

/// What a thread of a finding does, as a sentence without a full stop.
pub(crate) fn thread(finding: &Finding, thread: &FindingThread, options: &Options<'_>) -> String {
    let name = format!("T{}", thread.thread);
    let near = |place: &str| relative(options.directory, place).to_owned();
    if let Some(end) = &thread.ended {
        return match end.at.is_empty() {
            true => format!("{name} has ended"),
            false => format!("{name} has ended at {}", near(&end.at)),
        };
    }
    if thread.waits_for.is_empty() {
        return match thread.frames.last() {
            Some(site) if !site.file.is_empty() => format!("{name} is at {}", near(&site.place())),
            Some(site) => format!("{name} is in {}", site.function),
            None => format!("{name} takes part"),
        };
    }
    let mut text = format!("{name} waits for {}", thread.waits_for);
    let Some(holder) = thread.holder else { return text };
    let other = finding.threads.iter().find(|other| other.thread == holder);
    let held = other.and_then(|other| other.holds.iter().find(|held| held.object == thread.object));
    let who = if holder == thread.thread { format!("{name} itself") } else { format!("T{holder}") };
    let ended = if other.is_some_and(|other| other.ended.is_some()) { ", and has ended" } else { "" };
    match held {
        Some(held) if !held.since.is_empty() => {
            text += &format!("; {who} has held it since {}{ended}", near(&held.since))
        }
        Some(_) => text += &format!("; {who} holds it{ended}"),
        // A thread that is joined is waited for and holds nothing.
        None if holder == thread.thread => text += ", which is itself",
        None => {}
    }
    text
}

/// Where a call is, relative to where the command runs; empty if nobody knows.
pub(crate) fn site_place(site: &Site, options: &Options<'_>) -> String {
    if site.file.is_empty() { String::new() } else { relative(options.directory, &site.place()).to_owned() }
}

/// Each call of a stack with its place, the outermost first: `worker (demo.c:40:7)`.
pub(crate) fn stack(frames: &[Site], options: &Options<'_>) -> Vec<String> {
    let one = |site: &Site| match site_place(site, options) {
        place if place.is_empty() => site.function.clone(),
        place => format!("{} ({place})", site.function),
    };
    frames.iter().map(one).collect()
}

/// `worker > rotate > log_line`.
pub(crate) fn functions(frames: &[Site]) -> String {
    let names: Vec<&str> = frames.iter().map(|site| &*site.function).collect();
    names.join(" > ")
}

/// What a step is: `pthread_mutex_lock(boxes.lock)`.
pub(crate) fn step(step: &TraceStep) -> String {
    if matches!(step.role, StepRole::End | StepRole::Fails) {
        return step.operation.clone();
    }
    words::call(&step.operation, &step.object)
}

/// `holds boxes.lock and seats.lock`; empty if a step leaves nothing held.
fn holds(step: &TraceStep) -> String {
    if step.holds.is_empty() { String::new() } else { format!("holds {}", list(&step.holds)) }
}

/// What is said of a step beside what it is; may be empty.
pub(crate) fn note(step: &TraceStep) -> String {
    if step.role == StepRole::Blocked { "never goes on".to_owned() } else { holds(step) }
}

/// How the program is run with an input: a line for a shell.
pub(crate) fn shell_line(result: &CheckResult, input: &Input) -> String {
    input.shell_line(&program_word(result, input))
}

/// The native program, as it is likely to be called: what an input says, else the name without its `.bc`.
fn program_word(result: &CheckResult, input: &Input) -> String {
    let name = match input.argv.first() {
        Some(name) if !name.0.is_empty() => name.clone(),
        _ => {
            let name = result.program.rsplit('/').next().unwrap_or_default();
            let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
            Bytes(if stem.is_empty() { b"program".to_vec() } else { stem.as_bytes().to_vec() })
        }
    };
    let has_folder = name.0.contains(&b'/');
    let word = Bytes(if has_folder { name.0 } else { [b"./", &*name.0].concat() });
    word.shell_word()
}

/// Lines for a shell that make the files of an input.
pub(crate) fn file_lines(input: &Input) -> Vec<String> {
    let line = |(name, content): (&String, &Bytes)| {
        let name = Bytes(name.clone().into_bytes()).shell_word();
        format!("{} > {name}", content.shell_print())
    };
    input.files.iter().map(line).collect()
}

/// What calls give: `open#2 gives 4294967295 (-1)`.
pub(crate) fn answers(input: &Input) -> Vec<String> {
    let signed = |value: u64| match (i32::try_from(value), u32::try_from(value)) {
        (Err(_), Ok(bits)) => format!(" ({})", bits.cast_signed()),
        (Err(_), Err(_)) if value.cast_signed() < 0 => format!(" ({})", value.cast_signed()),
        _ => String::new(),
    };
    let line =
        |answer: &icsched_schedule::Answer| format!("{} gives {}{}", answer.name, answer.value, signed(answer.value));
    input.answers.iter().map(line).collect()
}

/// How to see a finding again, by its place from 0.
pub(crate) fn replay_line(number: usize, options: &Options<'_>) -> Option<String> {
    let file = options.finding_files.get(number)?;
    Some(format!("icsched replay {}", Bytes(file.clone().into_bytes()).shell_word()))
}

/// `2 epochs, 31 schedules, 12 runs; 1.25 s`.
pub(crate) fn cost(result: &CheckResult) -> String {
    let CheckResult { epochs, schedules, statistics, .. } = result;
    let runs = usize::try_from(statistics.runs).unwrap_or(usize::MAX);
    let parts = [count(*epochs, "epoch"), count(*schedules, "schedule"), count(runs, "run")];
    format!("{}; {:.2} s", parts.join(", "), statistics.seconds)
}

/// `This holds if there are no data races.`; `None` if nothing is assumed.
pub(crate) fn assumptions(result: &CheckResult) -> Option<String> {
    (!result.assumptions.is_empty()).then(|| format!("This holds if {}.", list(&result.assumptions)))
}

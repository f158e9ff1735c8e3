//! Findings for people, on a terminal.

use std::fmt::Write as _;

use icsched_schedule::{CheckResult, Finding, FindingThread, Input, StepRole, TraceStep, Verdict, visible};

use super::format::Format;
use super::options::Options;
use super::phrases;
use super::place::{SourcePlace, relative};
use super::source::SourceLines;
use super::steps::{StepRow, Steps};
use crate::paint::{Painter, Tone};
use crate::words::count;

/// Rows of a drawing before its middle is left out.
const ROWS: usize = 60;

/// Columns that a stack may fill before it is broken.
const WIDTH: usize = 100;

/// Columns that a call in a drawing may take before what is behind it loses its alignment.
const MAX_CALL: usize = 44;

/// Places of one finding that are shown with their source.
const PLACES: usize = 3;

/// Longest text of a condition or a line for a shell, in characters.
const LONGEST: usize = 2000;

/// The [`Format`].
pub struct Text;

impl Format for Text {
    fn word(&self) -> &'static str {
        "text"
    }

    fn render(&self, result: &CheckResult, options: &Options<'_>) -> String {
        render(result, options)
    }
}

/// Writing to a string does not fail; this says so in one place.
macro_rules! put {
    ($out:expr) => { $out.push('\n') };
    ($out:expr, $($arg:tt)*) => { writeln!($out, $($arg)*).expect("writing to a string does not fail") };
}

/// Renders a result.
pub fn render(result: &CheckResult, options: &Options<'_>) -> String {
    let sources = SourceLines::new(options.sources);
    let mut text = Renderer { result, options, sources: &sources, paint: options.painter, out: String::new() };
    text.headline();
    for (number, finding) in result.findings.iter().enumerate() {
        text.finding(number, finding);
    }
    text.suppressed();
    text.reasons();
    text.footer();
    text.out
}

/// One finding without colours, by its place from 0; for formats that take text.
pub(super) fn finding(result: &CheckResult, number: usize, options: &Options<'_>) -> String {
    let sources = SourceLines::new(options.sources);
    let paint = Painter::default();
    let mut text = Renderer { result, options, sources: &sources, paint, out: String::new() };
    text.finding(number, &result.findings[number]);
    text.out.trim_start().to_owned()
}

struct Renderer<'a> {
    result: &'a CheckResult,
    options: &'a Options<'a>,
    sources: &'a SourceLines<'a>,
    paint: Painter,
    out: String,
}

/// A text of the program: nothing in it is more than a character of one line, and it is not endless.
fn foreign(text: &str) -> String {
    let mut shown: String = visible(text).chars().take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push_str(" ...");
    }
    shown
}

/// A line for a shell: one that is cut would do something else.
fn command(line: &str) -> String {
    match line.chars().count() {
        long if long > LONGEST => format!("(a line of {long} characters, which the file of the finding has)"),
        _ => visible(line).into_owned(),
    }
}

fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Confirmed => Tone::Bad,
        Verdict::Possible => Tone::Warning,
        Verdict::Predicted => Tone::Code,
    }
}

impl Renderer<'_> {
    fn headline(&mut self) {
        let found = self.result.findings.iter().map(phrases::standing).min();
        let counts = match found {
            Some(worst) => self.paint.paint(tone(worst), phrases::counts(self.result)),
            None => self.paint.paint(Tone::Good, phrases::counts(self.result)),
        };
        let coverage = foreign(&phrases::coverage(self.result, self.options));
        let coverage = if self.result.complete { coverage } else { self.paint.paint(Tone::Warning, coverage) };
        put!(self.out, "{counts}{}{coverage}", phrases::separator(self.result));
    }

    fn finding(&mut self, number: usize, finding: &Finding) {
        let verdict = phrases::standing(finding);
        let title = self.paint.paint(tone(verdict), format_args!("{verdict}[{}]", phrases::rule(finding)));
        let message = self.paint.paint(Tone::Heading, foreign(&finding.message));
        put!(self.out, "\n{title}: {message}");
        self.places(finding);
        if let Some(class) = finding.class {
            put!(self.out, "  {}", class.explain());
        }
        for thread in &finding.threads {
            self.thread(finding, thread);
        }
        put!(self.out);
        self.input(finding);
        if let Some(doubt) = phrases::doubt(finding) {
            self.entry("why", Tone::Warning, &foreign(&doubt));
        }
        if verdict == Verdict::Possible {
            self.entry("state", Tone::Code, &all(&finding.constraint, "any"));
            self.more("the state that would have to be where its epoch begins");
        } else if !finding.constraint.is_empty() {
            self.entry("inputs", Tone::Code, &all(&finding.constraint, "all"));
        }
        self.steps(finding);
        if finding.also_in > 0 {
            self.entry("also", Tone::Aside, &format!("in {}", count(finding.also_in, "other schedule")));
        }
        if let Some(replay) = phrases::replay_line(number, self.options) {
            self.entry("again", Tone::Code, &command(&replay));
        }
    }

    /// `  name    text`.
    fn entry(&mut self, name: &str, tone: Tone, text: &str) {
        put!(self.out, "  {name:<7} {}", self.paint.paint(tone, text));
    }

    /// A further line of an entry.
    fn more(&mut self, text: &str) {
        put!(self.out, "          {}", self.paint.paint(Tone::Aside, text));
    }

    /// Where it is, with the source there.
    fn places(&mut self, finding: &Finding) {
        for at in finding.at.iter().take(PLACES) {
            let arrow = self.paint.paint(Tone::Aside, "-->");
            put!(self.out, "  {arrow} {}", foreign(relative(self.options.directory, at)));
            let place = SourcePlace::parse(at);
            if let Some(source) = self.sources.line(&place) {
                let number = self.paint.paint(Tone::Aside, format_args!("{:>5} |", place.line));
                put!(self.out, "{number} {}", self.paint.paint(Tone::Code, foreign(&source)));
            }
        }
    }

    fn thread(&mut self, finding: &Finding, thread: &FindingThread) {
        let sentence = foreign(&phrases::thread(finding, thread, self.options));
        put!(self.out, "\n  {}", self.paint.paint(Tone::Heading, sentence));
        let stack = match &thread.frames[..] {
            [] => thread.stack.clone(),
            frames => phrases::stack(frames, self.options),
        };
        for (i, part) in broken(&stack).iter().enumerate() {
            put!(self.out, "    {:<7} {part}", if i == 0 { "stack" } else { "" });
        }
        for held in &thread.holds {
            let since = match relative(self.options.directory, &held.since) {
                "" => String::new(),
                since => format!(" since {}", foreign(since)),
            };
            let calls = match &held.frames[..] {
                [] => String::new(),
                frames => format!(", in {}", foreign(&phrases::functions(frames))),
            };
            put!(self.out, "    {:<7} {}{since}{calls}", "holds", foreign(&held.object));
        }
    }

    fn input(&mut self, finding: &Finding) {
        let Some(input) = &finding.input else { return };
        for file in phrases::file_lines(input) {
            self.entry("file", Tone::Code, &command(&file));
        }
        self.entry("run", Tone::Code, &command(&phrases::shell_line(self.result, input)));
        for (i, answer) in phrases::answers(input).iter().enumerate() {
            self.entry(if i == 0 { "where" } else { "" }, Tone::Code, &foreign(answer));
        }
        if !input.answers.is_empty() {
            self.more("a shell cannot give that; icsched replay does");
        }
        if let Some(near) = &finding.near {
            self.entry("good", Tone::Good, &command(&self.near_line(&near.input)));
            self.more(&format!("where this is false: {}", foreign(&near.condition)));
        }
    }

    fn near_line(&self, input: &Input) -> String {
        let files = phrases::file_lines(input);
        let files = files.iter().map(|line| format!("{line}; ")).collect::<String>();
        format!("{files}{}", phrases::shell_line(self.result, input))
    }

    /// One column per thread, one row per step.
    fn steps(&mut self, finding: &Finding) {
        let steps = Steps::new(finding, ROWS);
        if steps.rows.is_empty() {
            return;
        }
        self.entry("steps", Tone::Aside, &format!("{} in the order of the run:", count(finding.trace.len(), "step")));
        put!(self.out);
        let rows = || {
            steps.rows.iter().filter_map(|row| match row {
                StepRow::Step { step, .. } => Some(*step),
                StepRow::LeftOut(_) => None,
            })
        };
        let width = |text: fn(&TraceStep) -> String| rows().map(|step| text(step).chars().count()).max().unwrap_or(0);
        let call_width = width(call).min(MAX_CALL);
        let place_width = rows().map(|step| self.place(step).chars().count()).max().unwrap_or(0);
        let lane_width = steps.threads.iter().map(|thread| thread.to_string().len() + 2).max().unwrap_or(0).max(4);
        let names = steps.threads.iter().map(|thread| format!("{:<lane_width$}", format!("T{thread}")));
        put!(self.out, "    {}", self.paint.paint(Tone::Heading, names.collect::<String>().trim_end()));
        for (number, row) in steps.rows.iter().enumerate() {
            let lanes = (0..steps.threads.len()).map(|lane| format!("{:<lane_width$}", glyph(&steps, number, lane)));
            let lanes = lanes.collect::<String>();
            let text = match row {
                StepRow::LeftOut(n) => {
                    format!(
                        "    {lanes}  {}",
                        self.paint.paint(Tone::Aside, format_args!("... {} more", count(*n, "step")))
                    )
                }
                StepRow::Step { step, .. } => {
                    let note = note(step);
                    let place_width = if note.is_empty() { 0 } else { place_width };
                    let place = self.paint.paint(Tone::Aside, format_args!("{:<place_width$}", self.place(step)));
                    let tone = if step.role == StepRole::Blocked { Tone::Bad } else { Tone::Aside };
                    let note = if note.is_empty() { note } else { self.paint.paint(tone, note) };
                    format!("    {lanes}  {:<call_width$}  {place}  {note}", call(step))
                }
            };
            put!(self.out, "{}", text.trim_end());
        }
        put!(self.out);
    }

    fn place(&self, step: &TraceStep) -> String {
        step.frames.last().map(|site| foreign(&phrases::site_place(site, self.options))).unwrap_or_default()
    }

    fn suppressed(&mut self) {
        if self.result.suppressed.is_empty() {
            return;
        }
        let heading = format!("{} not reported", count(self.result.suppressed.len(), "finding"));
        put!(self.out, "\n{}", self.paint.paint(Tone::Heading, heading));
        for suppressed in &self.result.suppressed {
            let finding = &suppressed.finding;
            let at = finding.at.first().map(|at| format!("{}: ", relative(self.options.directory, at)));
            let text = format!("{}{}", at.unwrap_or_default(), finding.message);
            let reason = self.paint.paint(Tone::Aside, format_args!("({})", foreign(&suppressed.reason)));
            put!(self.out, "  {} {reason}", foreign(&text));
        }
    }

    fn reasons(&mut self) {
        if !self.result.reasons.is_empty() {
            put!(self.out, "\n{}", self.paint.paint(Tone::Warning, "Why it is not complete"));
        }
        for reason in &self.result.reasons {
            let at = reason.at.as_ref().map(|at| format!("{}: ", relative(self.options.directory, at)));
            let kind = self.paint.paint(Tone::Aside, format_args!("[{}]", reason.kind));
            put!(self.out, "  {}{} {kind}", foreign(&at.unwrap_or_default()), foreign(&reason.message));
        }
    }

    fn footer(&mut self) {
        put!(self.out);
        if let Some(assumptions) = phrases::assumptions(self.result) {
            put!(self.out, "{}", self.paint.paint(Tone::Aside, foreign(&assumptions)));
        }
        put!(self.out, "{}", self.paint.paint(Tone::Aside, phrases::cost(self.result)));
    }
}

/// A condition, or a word for one that is always true.
fn all(condition: &str, word: &str) -> String {
    if condition == "true" { word.to_owned() } else { foreign(condition) }
}

fn call(step: &TraceStep) -> String {
    foreign(&phrases::step(step))
}

fn note(step: &TraceStep) -> String {
    foreign(&phrases::note(step))
}

fn glyph(steps: &Steps<'_>, row: usize, lane: usize) -> char {
    match &steps.rows[row] {
        StepRow::Step { lane: own, step, .. } if *own == lane => match step.role {
            StepRole::Blocked | StepRole::Fails => '✗',
            StepRole::End => '■',
            _ => '●',
        },
        StepRow::LeftOut(_) if steps.is_alive(lane, row) => '┆',
        _ if steps.is_alive(lane, row) => '│',
        _ => ' ',
    }
}

/// A stack on as many lines as it needs.
fn broken(stack: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (i, call) in stack.iter().enumerate() {
        let call = format!("{}{}", foreign(call), if i + 1 < stack.len() { " >" } else { "" });
        match lines.last_mut() {
            Some(line) if line.chars().count() + call.chars().count() < WIDTH => *line += &format!(" {call}"),
            _ => lines.push(call),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::check::sample;
    use crate::terminal::{Form, harmless};

    #[test]
    fn everything_that_a_result_can_have() {
        let files = sample::finding_files(3);
        expect![[r#"
            3 findings: 2 confirmed, 1 possible; not complete: `tgamma` has no model; called by `main`, and 1 other reason

            confirmed[deadlock/leaked-lock]: T2 waits for seats.lock, which T1 locked and never unlocked
              --> demo.c:4:5
                4 | pthread_mutex_lock(&o->lock);
              --> demo.c:14:1
               14 | }
              A thread ended without unlocking what it had locked, so nobody ever can.

              T0 waits for thread 2 to end
                stack   main (demo.c:21:5)

              T1 has ended at demo.c:14:1
                holds   seats.lock since demo.c:4:5, in clerk > reserve

              T2 waits for the mutex seats.lock to be unlocked; T1 has held it since demo.c:4:5, and has ended
                stack   clerk (demo.c:13:26) > reserve (demo.c:4:5)

              file    printf %s $'2 seats\n' > seats.txt
              run     printf %s $'go\n' | MODE='it'\''s' ./demo 101
              where   open#2 gives 4294967295 (-1)
                      a shell cannot give that; icsched replay does
              good    ./demo 100
                      where this is false: atoi(argv[1]) > 100
              inputs  atoi(argv[1]) > 100
              steps   9 steps in the order of the run:

                T0  T1  T2
                ●             pthread_create(thread 1)        demo.c:19:9
                ●             pthread_create(thread 2)        demo.c:19:9
                ┆             ... 2 steps more
                │   ●         pthread_mutex_lock(seats.lock)  demo.c:4:5   holds seats.lock
                │   ■         exit of thread                               holds seats.lock
                ●             pthread_join(thread 1)          demo.c:20:5
                ✗             pthread_join(thread 2)          demo.c:21:5  never goes on
                        ✗     pthread_mutex_lock(seats.lock)  demo.c:4:5   never goes on

              also    in 3 other schedules
              again   icsched replay findings/1.json

            confirmed[assert]: assertion `n < 3 && "100%"' fails
              --> loop.c:13:7

              T0 is at loop.c:13:7
                stack   main (loop.c:30) > count (loop.c:13:7)

              run     ./demo
              inputs  all
              again   icsched replay findings/2.json

            possible[deadlock/lock-cycle]: T1 waits for B, which T2 holds, and T2 for A, which T1 holds
              --> abba.c:10:3
              --> abba.c:19:3
              Each thread waits for the next one, for a lock that it holds or for its end, and the last one for the first.

              T1 waits for the mutex B to be unlocked; T2 has held it since abba.c:17:3
                stack   left (abba.c:10:3)
                holds   A since abba.c:8:3, in left

              T2 waits for the mutex A to be unlocked; T1 has held it since abba.c:8:3
                stack   right (abba.c:19:3)
                holds   B since abba.c:17:3, in right

              why     not confirmed: no chain of epochs from main was realised in 200 runs
              state   used == 2 && atoi(argv[1]) < 0
                      the state that would have to be where its epoch begins
              also    in 1 other schedule
              again   icsched replay findings/3.json

            1 finding not reported
              old.c:7:3: assertion `!stop' fails (known since the first release)

            Why it is not complete
              demo.c:20:3: `tgamma` has no model; called by `main` [unmodelled]
              stopped after 10 s (--timeout) [limit]

            This holds if there are no data races and the number of live threads is bounded.
            2 epochs, 31 schedules, 12 runs; 1.25 s
        "#]].assert_eq(&render(&sample::result(), &sample::options(&files)));
    }

    #[test]
    fn nothing_found() {
        expect![[r#"
            nothing found, for all inputs

            This holds if there are no data races and the number of live threads is bounded.
            2 epochs, 31 schedules, 12 runs; 1.25 s
        "#]]
        .assert_eq(&render(&sample::nothing(), &Options::default()));
        let undecided = CheckResult { complete: false, ..sample::result() };
        let undecided = CheckResult { reasons: Vec::new(), findings: vec![sample::lock_cycle()], ..undecided };
        let headline = render(&undecided, &Options::default());
        expect!["1 finding: 1 possible; not complete: 1 finding not decided"]
            .assert_eq(headline.lines().next().expect("a headline"));
    }

    /// Without sources and a directory there are full paths, and nothing else is missing.
    #[test]
    fn nothing_is_needed_beside_the_result() {
        let text = render(&sample::result(), &Options::default());
        assert!(text.contains("--> /src/app/demo.c:4:5"), "{text}");
        assert!(!text.contains("icsched replay findings"), "{text}");
    }

    #[test]
    fn colours_are_only_colours() {
        let painter = Painter { color: true };
        let files = sample::finding_files(3);
        let coloured = render(&sample::result(), &Options { painter, ..sample::options(&files) });
        let plain = render(&sample::result(), &sample::options(&files));
        let shown = harmless(&coloured, Form::Coloured).into_owned();
        assert!(shown.contains('\u{1b}'));
        let mut rest = &*shown;
        let mut without = String::new();
        while let Some((before, sequence)) = rest.split_once('\u{1b}') {
            without += before;
            rest = sequence.split_once('m').expect("a colour").1;
        }
        let strip = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
        assert_eq!(strip(&(without + rest)), strip(&plain));
    }

    #[test]
    fn lines_that_are_pasted_are_never_cut() {
        let mut result = sample::result();
        let input = result.findings[0].input.as_mut().expect("an input");
        input.argv.push(icsched_schedule::Bytes(vec![b'x'; LONGEST]));
        let text = render(&result, &Options::default());
        assert!(text.contains("(a line of 20") && !text.contains("xxx"), "{text}");
    }

    #[test]
    fn long_stacks_are_broken() {
        let stack: Vec<_> = (0..9).map(|i| format!("a_long_name_of_a_function_{i} (file.c:{i})")).collect();
        let lines = broken(&stack);
        assert!(lines.len() > 1 && lines.iter().all(|line| line.chars().count() <= WIDTH), "{lines:?}");
    }
}

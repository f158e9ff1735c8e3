//! Findings as the template of the page wants them.

use icsched_schedule::{CheckResult, Finding, FindingThread, Site, StepRole, Suppressed, TraceStep, Verdict, visible};

use super::{tone, waits};
use crate::check::Options;
use crate::check::phrases;
use crate::check::place::{SourcePlace, relative};
use crate::check::source::SourceLines;
use crate::check::steps::{StepRow, Steps};
use crate::view::View;
use crate::words::count;

/// Rows of steps before the middle is left out.
const MOST_ROWS: usize = 500;

/// Rows of steps that are shown without a click.
const UNFOLDED: usize = 60;

/// Threads that have a column each: more of them are wider than a screen.
const MOST_LANES: usize = 6;

/// Lines of source around the place of a finding.
const AROUND: u32 = 2;

/// All that the page says of findings.
pub(super) struct Findings {
    /// The class of the headline.
    pub(super) tone: &'static str,
    pub(super) headline: String,
    pub(super) list: Vec<Shown>,
    pub(super) suppressed: Vec<(String, String)>,
    pub(super) reasons: Vec<(String, String, &'static str)>,
    pub(super) footer: String,
}

/// A finding.
pub(super) struct Shown {
    pub(super) number: usize,
    pub(super) verdict: Verdict,
    pub(super) tone: &'static str,
    pub(super) rule: String,
    pub(super) message: String,
    pub(super) explanation: &'static str,
    pub(super) places: Vec<Place>,
    pub(super) picture: String,
    pub(super) threads: Vec<Thread>,
    pub(super) input: Option<Given>,
    pub(super) constraint: String,
    pub(super) why: String,
    /// Headings of the columns that have steps: a thread each, or one for the thread and one for its steps.
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Row>,
    /// A sentence about the rows.
    pub(super) extent: String,
    pub(super) folded: bool,
    /// The schedules that lead there, each with the id of its part of the page, or without one.
    pub(super) chain: Vec<(String, String)>,
    pub(super) also: String,
    pub(super) replay: String,
    pub(super) fingerprint: String,
}

/// A place with its source.
pub(super) struct Place {
    pub(super) at: String,
    /// Number, text, and whether it is the one.
    pub(super) lines: Vec<(u32, String, bool)>,
}

pub(super) struct Thread {
    pub(super) sentence: String,
    pub(super) frames: Vec<Frame>,
    /// What is held, and since when.
    pub(super) holds: Vec<(String, String)>,
}

/// A call of a stack.
pub(super) struct Frame {
    pub(super) function: String,
    pub(super) at: String,
    pub(super) source: String,
}

/// An input.
pub(super) struct Given {
    pub(super) files: Vec<String>,
    pub(super) line: String,
    pub(super) answers: Vec<String>,
    /// A good input that is nearly the same, and the condition between them.
    pub(super) near: Option<(String, String)>,
}

/// A row of steps; without a cell it stands for steps that are left out.
pub(super) struct Row {
    pub(super) number: String,
    pub(super) thread: String,
    /// Per column: what the thread does, and the class of its cell.
    pub(super) cells: Vec<(String, &'static str)>,
    pub(super) at: String,
    pub(super) source: String,
    pub(super) note: String,
    pub(super) left_out: String,
}

/// What a result says beside schedules.
pub(super) fn findings(view: &View<'_>, result: &CheckResult, options: &Options<'_>) -> Findings {
    let sources = SourceLines::new(options.sources);
    let page = Page { view, result, options, sources: &sources };
    let worst = result.findings.iter().map(phrases::standing).min();
    let tone = match worst {
        Some(verdict) => tone::of_verdict(verdict),
        None if result.complete => "good",
        None => "warn",
    };
    Findings {
        tone,
        headline: shown(&phrases::headline(result, options)),
        list: result.findings.iter().enumerate().map(|(number, finding)| page.finding(number, finding)).collect(),
        suppressed: result.suppressed.iter().map(|suppressed| page.suppressed(suppressed)).collect(),
        reasons: page.reasons(),
        footer: shown(&format!("{} {}", phrases::assumptions(result).unwrap_or_default(), phrases::cost(result))),
    }
}

/// Text of the program, with what cannot be seen made visible.
fn shown(text: &str) -> String {
    visible(text).into_owned()
}

/// A line of source: tabs are spaces.
fn code(line: &str) -> String {
    shown(&line.replace('\t', "    "))
}

struct Page<'a> {
    view: &'a View<'a>,
    result: &'a CheckResult,
    options: &'a Options<'a>,
    sources: &'a SourceLines<'a>,
}

impl Page<'_> {
    fn finding(&self, number: usize, finding: &Finding) -> Shown {
        let verdict = phrases::standing(finding);
        let steps = Steps::new(finding, MOST_ROWS);
        let rows: Vec<_> = steps.rows.iter().map(|row| self.row(&steps, row)).collect();
        Shown {
            number: number + 1,
            verdict,
            tone: tone::of_verdict(verdict),
            rule: phrases::rule(finding),
            message: shown(&finding.message),
            explanation: finding.class.map_or(finding.kind.describe(), |class| class.explain()),
            places: finding.at.iter().take(3).map(|at| self.place(at)).collect(),
            picture: waits::picture(finding).unwrap_or_default(),
            threads: finding.threads.iter().map(|thread| self.thread(finding, thread)).collect(),
            input: self.input(finding),
            constraint: if finding.constraint == "true" { String::new() } else { shown(&finding.constraint) },
            why: shown(&phrases::doubt_as_sentence(finding).unwrap_or_default()),
            columns: match steps.threads.len() > MOST_LANES {
                true => vec!["thread".to_owned(), "step".to_owned()],
                false => steps.threads.iter().map(|thread| format!("T{thread}")).collect(),
            },
            folded: rows.len() > UNFOLDED,
            rows,
            extent: count(finding.trace.len(), "synchronisation step"),
            chain: self.chain(finding),
            also: if finding.also_in > 0 { count(finding.also_in, "other schedule") } else { String::new() },
            replay: shown(&phrases::replay_line(number, self.options).unwrap_or_default()),
            fingerprint: shown(&finding.fingerprint),
        }
    }

    fn near(&self, place: &str) -> String {
        shown(relative(self.options.directory, place))
    }

    fn place(&self, at: &str) -> Place {
        let place = SourcePlace::parse(at);
        let lines = self.sources.lines(&place, AROUND).into_iter();
        let lines = lines.map(|(number, line)| (number, code(&line), number == place.line));
        Place { at: self.near(at), lines: lines.collect() }
    }

    fn source(&self, site: &Site) -> String {
        self.sources.line(&SourcePlace::of(site)).map(|line| code(&line)).unwrap_or_default()
    }

    fn thread(&self, finding: &Finding, thread: &FindingThread) -> Thread {
        let frame = |site: &Site| Frame {
            function: shown(&site.function),
            at: shown(&phrases::site_place(site, self.options)),
            source: self.source(site),
        };
        let holds = thread.holds.iter().map(|held| {
            let calls = match &held.frames[..] {
                [] => String::new(),
                frames => format!(", in {}", shown(&phrases::functions(frames))),
            };
            let since = if held.since.is_empty() { calls } else { format!("since {}{calls}", self.near(&held.since)) };
            (shown(&held.object), since)
        });
        Thread {
            sentence: shown(&phrases::thread(finding, thread, self.options)),
            frames: thread.frames.iter().map(frame).collect(),
            holds: holds.collect(),
        }
    }

    fn input(&self, finding: &Finding) -> Option<Given> {
        let input = finding.input.as_ref()?;
        let lines = |input| phrases::file_lines(input).iter().map(|line| shown(line)).collect::<Vec<_>>();
        let near = finding.near.as_ref().map(|near| {
            let mut all = lines(&near.input);
            all.push(shown(&phrases::shell_line(self.result, &near.input)));
            (all.join("\n"), shown(&near.condition))
        });
        Some(Given {
            files: lines(input),
            line: shown(&phrases::shell_line(self.result, input)),
            answers: phrases::answers(input).iter().map(|answer| shown(answer)).collect(),
            near,
        })
    }

    fn row(&self, steps: &Steps<'_>, row: &StepRow<'_>) -> Row {
        let empty = Row {
            number: String::new(),
            thread: String::new(),
            cells: Vec::new(),
            at: String::new(),
            source: String::new(),
            note: String::new(),
            left_out: String::new(),
        };
        match row {
            StepRow::LeftOut(n) => Row { left_out: format!("{} left out", count(*n, "step")), ..empty },
            StepRow::Step { number, lane, step } => {
                let own = (shown(&phrases::step(step)), role(step));
                let thread = format!("T{}", step.thread);
                let cells = match steps.threads.len() > MOST_LANES {
                    true => vec![(thread.clone(), "lane"), own],
                    false => {
                        let mut cells = vec![(String::new(), ""); steps.threads.len()];
                        cells[*lane] = own;
                        cells
                    }
                };
                let site = step.frames.last();
                Row {
                    number: number.to_string(),
                    thread,
                    cells,
                    at: site.map(|site| shown(&phrases::site_place(site, self.options))).unwrap_or_default(),
                    source: site.map(|site| self.source(site)).unwrap_or_default(),
                    note: shown(&phrases::note(step)),
                    ..empty
                }
            }
        }
    }

    /// Links to the schedules that lead to a finding, as far as they are on the page.
    fn chain(&self, finding: &Finding) -> Vec<(String, String)> {
        let link = |(epoch, schedule): (&str, &str)| {
            let found = self
                .view
                .schedules()
                .find(|(of, view)| of.result.key().to_string() == epoch && view.schedule.id.to_string() == schedule);
            match found {
                Some((of, view)) => {
                    let name = format!("epoch {}, schedule {}", of.number, view.number);
                    (name, format!("schedule-{}-{}", of.number, view.number))
                }
                None => (shown(&format!("epoch {epoch}, schedule {schedule}")), String::new()),
            }
        };
        let chain = finding.chain.iter().map(|link| (&*link.epoch, &*link.schedule));
        match finding.chain.is_empty() {
            true if finding.epoch.is_empty() => Vec::new(),
            true => vec![link((&finding.epoch, &finding.schedule))],
            false => chain.map(link).collect(),
        }
    }

    fn suppressed(&self, suppressed: &Suppressed) -> (String, String) {
        let finding = &suppressed.finding;
        let at = finding.at.first().map(|at| format!("{}: ", self.near(at))).unwrap_or_default();
        (format!("{at}{}: {}", phrases::rule(finding), shown(&finding.message)), shown(&suppressed.reason))
    }

    fn reasons(&self) -> Vec<(String, String, &'static str)> {
        let reason = |reason: &icsched_schedule::Reason| {
            let at = reason.at.as_ref().map(|at| self.near(at)).unwrap_or_default();
            (at, shown(&reason.message), reason.kind.title())
        };
        self.result.reasons.iter().map(reason).collect()
    }
}

/// The class of a step's cell.
fn role(step: &TraceStep) -> &'static str {
    match step.role {
        StepRole::Blocked | StepRole::Fails => "step blocked",
        StepRole::Acquire => "step acquire",
        StepRole::Release => "step release",
        StepRole::End => "step ended",
        StepRole::Create | StepRole::Join | StepRole::Other => "step",
    }
}

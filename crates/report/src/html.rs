//! A page that needs nothing but itself: what a check found, then the schedules that it looked at.

mod epochs;
mod findings;
#[cfg(test)]
mod sample;
mod tone;
mod waits;

use std::collections::BTreeMap;

use askama::Template;
use icsched_schedule::{
    Blocked, CheckResult, Enumeration, EpochKey, PossibleError, Reason, ScheduleEnd, Totals, visible,
};

use crate::check::Options;
use crate::svg;
use crate::view::{EpochView, ScheduleView, View};
use crate::words;

/// How many schedules in which something goes wrong are unfolded when the page opens.
const OPEN: usize = 6;

/// Synchronisations of a schedule before its picture is folded.
const LONG: usize = 80;

/// Rows of a picture that is folded.
const FOLDED: usize = 40;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    title: String,
    findings: Option<findings::Findings>,
    enumeration: &'a Enumeration,
    complete: bool,
    verdict: &'static str,
    totals: Totals,
    reasons: Vec<&'a Reason>,
    /// Which epoch leads to which, or empty.
    graph: String,
    epochs: Vec<Epoch<'a>>,
    style: &'static str,
    page_style: &'static str,
    script: &'static str,
    assumptions: String,
    statistics: String,
}

struct Epoch<'a> {
    view: &'a EpochView<'a>,
    key: String,
    /// Threads, and where they start.
    contexts: Vec<(u32, String)>,
    schedules: Vec<Entry<'a>>,
    /// A sentence, or empty.
    early_exits: String,
    errors: &'a [PossibleError],
}

/// A schedule as the template wants it.
struct Entry<'a> {
    view: &'a ScheduleView<'a>,
    id: String,
    open: bool,
    /// Empty: every input.
    constraint: String,
    end: String,
    /// A class of the style sheet.
    tone: &'static str,
    /// Number and id of the epoch that follows, if it is on the page.
    next: Option<(usize, String)>,
    blocked: Vec<String>,
    cycle: String,
    svg: String,
    /// The whole picture of a long schedule; empty if it is not long.
    whole: String,
    events: String,
}

/// Renders the page; with the result of a check it leads with what was found.
pub fn render(view: &View<'_>, check: Option<&CheckResult>, options: &Options<'_>) -> String {
    let enumeration = view.enumeration;
    let (complete, totals) = (enumeration.is_complete(), enumeration.totals());
    let is_told = |reason: &Reason| check.is_some_and(|check| check.reasons.contains(reason));
    let reasons = enumeration.all_reasons().into_iter().filter(|reason| !is_told(reason));
    let what = if check.is_some() { "Findings in" } else { "Schedules of" };
    let page = Page {
        title: format!("{what} {}", visible(&enumeration.program)),
        findings: check.map(|check| findings::findings(view, check, options)),
        enumeration,
        complete,
        verdict: words::verdict(complete, totals.schedules, enumeration.excludes_errors()),
        totals,
        reasons: reasons.collect(),
        graph: epochs::picture(view).unwrap_or_default(),
        epochs: Entries::of(view).epochs(),
        style: svg::style(),
        page_style: include_str!("../templates/page.css"),
        script: include_str!("../templates/page.js"),
        assumptions: words::assumptions(enumeration).unwrap_or_default(),
        statistics: words::statistics(&enumeration.statistics),
    };
    page.render().expect("the template only formats strings and numbers")
}

/// Makes the parts of the page that are about schedules.
struct Entries<'a> {
    view: &'a View<'a>,
    numbers: BTreeMap<EpochKey, usize>,
    is_alone: bool,
    /// How many may still be unfolded.
    left: usize,
}

impl<'a> Entries<'a> {
    fn of(view: &'a View<'a>) -> Self {
        let numbers = view.epochs.iter().map(|epoch| (epoch.result.key(), epoch.number)).collect();
        Self { view, numbers, is_alone: view.schedules().take(2).count() == 1, left: OPEN }
    }

    fn epochs(mut self) -> Vec<Epoch<'a>> {
        self.view.epochs.iter().map(|epoch| self.epoch(epoch)).collect()
    }

    fn epoch(&mut self, view: &'a EpochView<'a>) -> Epoch<'a> {
        let early_exits = view.early_exits().map(|constraint| words::early_exits(constraint, true));
        let start = |stack: &[String]| visible(&stack.join(" > ")).into_owned();
        Epoch {
            view,
            key: view.result.key().to_string(),
            contexts: view.result.contexts.iter().map(|context| (context.thread, start(&context.stack))).collect(),
            schedules: view.schedules.iter().map(|schedule| self.entry(schedule)).collect(),
            early_exits: early_exits.unwrap_or_default(),
            errors: &view.result.errors,
        }
    }

    fn entry(&mut self, view: &'a ScheduleView<'a>) -> Entry<'a> {
        let schedule = view.schedule;
        let blocked: &[Blocked] = match &schedule.ends {
            ScheduleEnd::Deadlock { blocked } | ScheduleEnd::Endless { blocked, .. } => blocked,
            ScheduleEnd::Exit { .. }
            | ScheduleEnd::Epoch(_)
            | ScheduleEnd::Input { .. }
            | ScheduleEnd::Abort { .. }
            | ScheduleEnd::MemoryError { .. }
            | ScheduleEnd::Limit => &[],
        };
        let next = match schedule.ends {
            ScheduleEnd::Epoch(key) => self.numbers.get(&key).map(|number| (*number, key.to_string())),
            _ => None,
        };
        let is_bad = tone::is_bad(&schedule.ends) && self.left > 0;
        self.left -= usize::from(is_bad);
        let events = schedule.graph.nodes().len();
        let is_long = events > LONG;
        let constraint = &schedule.constraint;
        Entry {
            view,
            id: schedule.id.to_string(),
            open: is_bad || self.is_alone,
            constraint: if constraint.is_always() { String::new() } else { visible(&constraint.c).into_owned() },
            end: match &next {
                Some((number, _)) => format!("epoch {number} follows"),
                None => visible(&words::end(&schedule.ends)).into_owned(),
            },
            tone: tone::of_end(&schedule.ends),
            next,
            blocked: blocked.iter().map(|blocked| visible(&words::blocked(blocked)).into_owned()).collect(),
            cycle: words::cycle(blocked).unwrap_or_default(),
            svg: if is_long { svg::render_folded(schedule, FOLDED) } else { svg::render_one(schedule) },
            whole: if is_long { svg::render_one(schedule) } else { String::new() },
            events: words::count(events, "synchronisation event"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::sample as checked;

    fn page(check: Option<&CheckResult>) -> String {
        let enumeration = sample::enumeration();
        let files = checked::finding_files(3);
        render(&View::whole(&enumeration), check, &checked::options(&files))
    }

    #[test]
    fn findings_come_first() {
        let page = page(Some(&checked::result()));
        let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}: {page}"));
        let order = [
            "<h1>Findings in demo.bc</h1>",
            "3 findings: 2 confirmed, 1 possible",
            "<article class=\"finding bad\" id=\"finding-1\"",
            "Who waits for whom",
            "pthread_mutex_lock(&#38;o-&#62;lock);",
            "icsched replay findings/1.json",
            "id=\"finding-3\"",
            "The state that would have to be",
            "Why it is not complete",
            "<h2>Schedules</h2>",
            "Which epoch leads to which",
            "<h2 id=\"epoch-",
        ];
        let places: Vec<_> = order.into_iter().map(place).collect();
        assert!(places.is_sorted(), "{places:?}");
    }

    #[test]
    fn without_a_check_there_are_schedules_only() {
        let page = page(None);
        assert!(page.contains("<h1>Schedules of demo.bc</h1>") && !page.contains("id=\"findings\""));
    }

    #[test]
    fn what_goes_wrong_is_open_and_what_is_long_is_folded() {
        let page = page(None);
        let open = |id: &str, tone: &str| format!("<details class=\"schedule\" id=\"{id}\" data-item=\"{tone}\" open>");
        assert!(page.contains(&open("schedule-1-2", "bad")));
        assert!(!page.contains(&open("schedule-1-1", "good")));
        assert!(page.contains("<details class=\"long\"><summary>all 121 synchronisation events</summary>"), "{page}");
    }

    /// Every link leads to a part of the page.
    #[test]
    fn links_lead_somewhere() {
        let page = page(Some(&checked::result()));
        let links: Vec<_> = page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(links.len() > 8, "{links:?}");
        for link in links {
            assert!(page.contains(&format!("id=\"{link}\"")), "nothing is called {link}");
        }
    }

    #[test]
    fn hostile_names_are_text() {
        let page = page(Some(&checked::hostile()));
        assert!(!page.contains("<script>alert") && !page.contains('\u{1b}') && !page.contains('\u{202e}'), "{page}");
        assert_eq!(page.matches("<script>").count(), 1);
    }
}

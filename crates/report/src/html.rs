//! A page that needs nothing but itself.

use askama::Template;
use icsched_schedule::{Blocked, Enumeration, Reason, ScheduleEnd, Totals};

use crate::svg;
use crate::view::{EpochView, ScheduleView, View};
use crate::words;

/// How many schedules are unfolded when the page opens.
const OPEN: usize = 6;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    enumeration: &'a Enumeration,
    complete: bool,
    verdict: &'static str,
    totals: Totals,
    reasons: Vec<&'a Reason>,
    epochs: Vec<Epoch<'a>>,
    style: &'static str,
    assumptions: String,
    statistics: String,
}

struct Epoch<'a> {
    view: &'a EpochView<'a>,
    key: String,
    schedules: Vec<Entry<'a>>,
    /// A sentence, or empty.
    early_exits: String,
}

/// A schedule as the template wants it.
struct Entry<'a> {
    view: &'a ScheduleView<'a>,
    id: String,
    open: bool,
    end: String,
    /// A class of the style sheet.
    tone: &'static str,
    blocked: Vec<String>,
    cycle: String,
    svg: String,
}

/// Renders the page.
pub fn render(view: &View<'_>) -> String {
    let enumeration = view.enumeration;
    let (complete, totals) = (enumeration.is_complete(), enumeration.totals());
    let mut shown = 0;
    let page = Page {
        enumeration,
        complete,
        verdict: words::verdict(complete, totals.schedules, enumeration.excludes_errors()),
        totals,
        reasons: enumeration.all_reasons(),
        epochs: view.epochs.iter().map(|e| epoch(e, &mut shown)).collect(),
        style: svg::style(),
        assumptions: words::assumptions(enumeration).unwrap_or_default(),
        statistics: words::statistics(&enumeration.statistics),
    };
    page.render().expect("the template only formats strings and numbers")
}

fn epoch<'a>(view: &'a EpochView<'a>, shown: &mut usize) -> Epoch<'a> {
    let mut entries = Vec::new();
    for schedule in &view.schedules {
        *shown += 1;
        entries.push(entry(schedule, *shown <= OPEN));
    }
    let early_exits = view.early_exits().map(|constraint| words::early_exits(constraint, true)).unwrap_or_default();
    Epoch { view, key: view.result.key().to_string(), schedules: entries, early_exits }
}

fn entry<'a>(view: &'a ScheduleView<'a>, open: bool) -> Entry<'a> {
    let schedule = view.schedule;
    let (tone, blocked): (_, &[Blocked]) = match &schedule.ends {
        ScheduleEnd::Exit { .. } | ScheduleEnd::Epoch(_) | ScheduleEnd::Input { .. } => ("good", &[]),
        ScheduleEnd::Deadlock { blocked } | ScheduleEnd::Endless { blocked, .. } => ("bad", blocked),
        ScheduleEnd::Abort { .. } | ScheduleEnd::MemoryError { .. } => ("bad", &[]),
        ScheduleEnd::Limit => ("warn", &[]),
    };
    Entry {
        view,
        id: schedule.id.to_string(),
        open,
        end: words::end(&schedule.ends),
        tone,
        blocked: blocked.iter().map(words::blocked).collect(),
        cycle: words::cycle(blocked).unwrap_or_default(),
        svg: svg::render_one(schedule),
    }
}

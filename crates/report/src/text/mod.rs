//! Text for a terminal.

mod lanes;
mod options;
mod schedule;

use std::fmt::Write as _;

use icsched_schedule::{PossibleError, ScheduleEnd, visible};

use crate::paint::Tone;
use crate::view::{EpochView, View};
use crate::words;

pub use options::TextOptions;
use options::line;

/// How many schedules are drawn and not only listed, unless all are asked for or named.
const DRAWN: usize = 6;

/// How many schedules of an epoch are listed, unless all are asked for.
const LISTED: usize = 100;

/// Renders a result for reading.
pub fn render(view: &View<'_>, options: TextOptions) -> String {
    let mut out = String::new();
    summary(&mut out, view, options);
    reasons(&mut out, view, options);
    deadlocks(&mut out, view, options);
    let mut drawn = 0;
    for epoch in &view.epochs {
        render_epoch(&mut out, view, epoch, options, &mut drawn);
    }
    errors(&mut out, view, options);
    footer(&mut out, view, options);
    out
}

fn summary(out: &mut String, view: &View<'_>, options: TextOptions) {
    let paint = options.painter;
    let totals = view.enumeration.totals();
    let mut parts = vec![words::count(totals.epochs, "epoch"), words::count(totals.schedules, "schedule")];
    let mut bad = |count: usize, what: String| {
        if count > 0 {
            parts.push(paint.paint(Tone::Bad, what));
        }
    };
    bad(totals.deadlocked, format!("{} deadlocked", totals.deadlocked));
    bad(totals.endless, format!("{} endless", totals.endless));
    bad(totals.aborted, format!("{} aborted", totals.aborted));
    bad(totals.memory_errors, words::count(totals.memory_errors, "memory error"));
    let (complete, has_errors) = (view.enumeration.is_complete(), view.enumeration.excludes_errors());
    let them = if totals.schedules == 1 { "it" } else { "them" };
    let word = match (complete, has_errors) {
        (true, false) => paint.paint(Tone::Good, format_args!("complete for runs held to {them}")),
        (true, true) => {
            paint.paint(Tone::Warning, format_args!("complete for runs held to {them} without memory errors"))
        }
        (false, _) => paint.paint(Tone::Warning, "incomplete"),
    };
    let program = paint.paint(Tone::Heading, visible(&view.enumeration.program));
    let verdict = words::verdict(complete, totals.schedules, has_errors);
    line!(out, "{program}: {}; {word}: {verdict}", parts.join(", "));
}

fn reasons(out: &mut String, view: &View<'_>, options: TextOptions) {
    let reasons = view.enumeration.all_reasons();
    if !reasons.is_empty() {
        line!(out, "\n{}", options.painter.paint(Tone::Warning, "Why it is incomplete"));
    }
    for reason in reasons {
        let at = reason.at.as_ref().map(|at| format!("{at}: ")).unwrap_or_default();
        let kind = options.painter.paint(Tone::Aside, format_args!("[{}]", reason.kind));
        line!(out, "  {at}{} {kind}", reason.message);
    }
}

fn deadlocks(out: &mut String, view: &View<'_>, options: TextOptions) {
    let mut heading = Some(options.painter.paint(Tone::Bad, "Deadlocks"));
    for (epoch, schedule) in view.schedules() {
        if let ScheduleEnd::Deadlock { blocked } = &schedule.schedule.ends {
            if let Some(heading) = heading.take() {
                line!(out, "\n{heading}");
            }
            let place = match view.enumeration.epochs.len() {
                1 => format!("Schedule {}", schedule.number),
                _ => format!("Epoch {}, schedule {}", epoch.number, schedule.number),
            };
            let inputs = words::inputs(&epoch.inputs(schedule));
            let behind = view.error_before(epoch, schedule.schedule).map(|e| format!(", behind the error at {}", e.at));
            let behind = behind.unwrap_or_default();
            // Behind the first epoch a schedule is about states, and nobody has seen one of them.
            let doubt = match epoch.number {
                1 => "",
                _ => " (in the schedules, not confirmed: run icsched check)",
            };
            line!(out, "  {place}, {}{behind}{doubt}:", options.painter.paint(Tone::Code, inputs));
            schedule::blocked_threads(out, blocked, "    ");
        }
    }
}

fn render_epoch(out: &mut String, view: &View<'_>, epoch: &EpochView<'_>, options: TextOptions, drawn: &mut usize) {
    if view.enumeration.epochs.len() > 1 {
        let heading = format!("Epoch {} of {}", epoch.number, view.enumeration.epochs.len());
        let id = options.painter.paint(Tone::Aside, epoch.result.key());
        line!(out, "\n{}  {id}", options.painter.paint(Tone::Heading, heading));
        for context in &epoch.result.contexts {
            line!(out, "  T{} starts at {}", context.thread, context.stack.join(" > "));
        }
    }
    let all = epoch.result.tree.parts().len();
    let listed = if options.full { all } else { LISTED };
    for schedule in epoch.schedules.iter().take(listed) {
        let few = view.schedules().take(DRAWN + 1).count() <= DRAWN;
        let deadlocked = matches!(schedule.schedule.ends, ScheduleEnd::Deadlock { .. });
        let draw = options.full || few || (*drawn < DRAWN && (deadlocked || *drawn < DRAWN / 2));
        *drawn += usize::from(draw);
        let mut text = String::new();
        let error = view.error_before(epoch, schedule.schedule);
        schedule::render(&mut text, schedule, (all, error), options, draw);
        let indent = "    ".repeat(schedule.depth);
        for shown in text.lines() {
            line!(out, "{}{shown}", if shown.is_empty() { "" } else { &indent });
        }
    }
    if epoch.schedules.len() > listed {
        let more = words::count(epoch.schedules.len() - listed, "more schedule");
        line!(out, "\n  ... and {more}; --full lists them all");
    }
    if let Some(constraint) = epoch.early_exits() {
        line!(out, "\n{}", words::early_exits(constraint, options.full));
    }
}

fn errors(out: &mut String, view: &View<'_>, options: TextOptions) {
    let all = || view.epochs.iter().flat_map(|epoch| &epoch.result.errors);
    let (open, possible): (Vec<_>, Vec<_>) = all().partition(|error| error.is_open);
    for (errors, tone, title) in
        [(possible, Tone::Bad, "Possible memory errors"), (open, Tone::Aside, "Memory errors that are left open")]
    {
        if !errors.is_empty() {
            line!(out, "\n{}", options.painter.paint(tone, title));
        }
        for PossibleError { message, at, constraint, is_open: _ } in errors {
            let inputs = options.painter.paint(Tone::Code, words::inputs(constraint));
            line!(out, "  {at}: {message}, {inputs}");
        }
    }
}

fn footer(out: &mut String, view: &View<'_>, options: TextOptions) {
    line!(out);
    if let Some(assumptions) = words::assumptions(view.enumeration) {
        line!(out, "{}", options.painter.paint(Tone::Aside, assumptions));
    }
    let statistics = words::statistics(&view.enumeration.statistics);
    line!(out, "{}", options.painter.paint(Tone::Aside, statistics));
}

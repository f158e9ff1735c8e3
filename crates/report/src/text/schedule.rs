//! One schedule as text.

use std::fmt::Write as _;

use icsched_schedule::{Blocked, PossibleError, Schedule, ScheduleEnd};

use super::lanes::draw;
use super::options::{TextOptions, line};
use crate::layout::Layout;
use crate::paint::Tone;
use crate::view::ScheduleView;
use crate::words;

/// How many rows a drawing may have, unless all are asked for.
const ROWS: usize = 48;

/// Columns that a constraint may fill before it is broken.
const CONSTRAINT_WIDTH: usize = 96;

/// A constraint of more lines than this is cut short unless everything is asked for.
const CONSTRAINT_LINES: usize = 8;

/// One part of an epoch's schedules, of `of` parts; `error` is one behind which it is.
pub(super) fn render(
    out: &mut String,
    view: &ScheduleView<'_>,
    (of, error): (usize, Option<&PossibleError>),
    options: TextOptions,
    drawing: bool,
) {
    let paint = options.painter;
    let Schedule { id, constraint, ends, graph, after_error: _ } = view.schedule;
    let heading = paint.paint(Tone::Heading, format_args!("Schedule {} of {of}", view.number));
    line!(out, "\n{heading}  {}", paint.paint(Tone::Aside, id));
    if let Some(after) = view.after {
        line!(out, "  after   schedule {after}");
    }
    let mut inputs = if constraint.is_always() { vec!["every input".into()] } else { break_constraint(&constraint.c) };
    if !options.full && inputs.iter().map(String::len).sum::<usize>() > CONSTRAINT_WIDTH * CONSTRAINT_LINES {
        inputs.truncate(CONSTRAINT_LINES - 1);
        inputs.iter_mut().for_each(|line| *line = shortened(line));
        inputs.push(format!("... ({} characters; all of them with --full)", constraint.c.chars().count()));
    }
    for (i, inputs) in inputs.iter().enumerate() {
        let name = if i == 0 { "inputs" } else { "" };
        line!(out, "  {name:<7} {}", paint.paint(Tone::Code, inputs));
    }
    let end = paint.paint(tone(ends), words::end(ends));
    line!(out, "  ends    {end}");
    if let Some(PossibleError { at, message, .. }) = error {
        line!(out, "  behind  {}", paint.paint(Tone::Bad, format_args!("{at}: {message}")));
    }
    let size = format!(
        "{} of {}",
        words::count(graph.nodes().len(), "synchronisation event"),
        words::count(graph.threads().len(), "thread")
    );
    if drawing && !graph.nodes().is_empty() {
        line!(out, "  order   {size}:\n");
        let rows = if options.full { usize::MAX } else { ROWS };
        draw(out, view.schedule, &Layout::new(view.schedule, rows), paint);
    } else {
        line!(out, "  order   {size}");
    }
}

fn shortened(line: &str) -> String {
    if line.chars().count() <= 2 * CONSTRAINT_WIDTH {
        return line.to_owned();
    }
    line.chars().take(2 * CONSTRAINT_WIDTH).collect::<String>() + " ..."
}

fn tone(ends: &ScheduleEnd) -> Tone {
    match ends {
        ScheduleEnd::Exit { .. } | ScheduleEnd::Epoch(_) | ScheduleEnd::Input { .. } => Tone::Good,
        ScheduleEnd::Deadlock { .. }
        | ScheduleEnd::Endless { .. }
        | ScheduleEnd::Abort { .. }
        | ScheduleEnd::MemoryError { .. } => Tone::Bad,
        ScheduleEnd::Limit => Tone::Warning,
    }
}

/// What each thread of a deadlock waits for, and how they wait for each other.
pub(super) fn blocked_threads(out: &mut String, blocked: &[Blocked], indent: &str) {
    for thread in blocked {
        line!(out, "{indent}{}", words::blocked(thread));
    }
    if let Some(cycle) = words::cycle(blocked) {
        line!(out, "{indent}a cycle: {cycle}");
    }
}

/// Breaks a long constraint behind those `&&` that are in no parentheses and no literal.
fn break_constraint(c: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for part in conjuncts(c) {
        let line = lines.last_mut().expect("there is a line");
        if !line.is_empty() && line.chars().count() + part.chars().count() > CONSTRAINT_WIDTH {
            line.truncate(line.trim_end().len());
            lines.push(part.trim_start().to_owned());
        } else {
            line.push_str(part);
        }
    }
    lines
}

/// The conjunction cut behind its top-level `&&`.
fn conjuncts(c: &str) -> Vec<&str> {
    let (mut depth, mut quote, mut escaped, mut start) = (0, None, false, 0);
    let mut parts = Vec::new();
    for (i, byte) in c.bytes().enumerate() {
        match (quote, byte) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(' | b'[') => depth += 1,
            (None, b')' | b']') => depth -= 1,
            (None, b'&') if depth == 0 && i > start && c.as_bytes()[i - 1] == b'&' => {
                parts.push(&c[start..=i]);
                start = i + 1;
            }
            (None, _) => {}
        }
    }
    parts.push(&c[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conjunctions_are_cut_at_the_top_only() {
        assert_eq!(
            conjuncts("a && (b && c) && s[x && y] == '\\'' && \"&&(\""),
            ["a &&", " (b && c) &&", " s[x && y] == '\\'' &&", " \"&&(\"",]
        );
        assert_eq!(conjuncts("a"), ["a"]);
    }

    #[test]
    fn long_constraints_are_broken() {
        let c = ["some_global_counter < limit"; 8].join(" && ");
        let lines = break_constraint(&c);
        assert_eq!(lines.len(), 3);
        assert_eq!(lines.join(" "), c);
        assert!(lines.iter().all(|line| line.chars().count() <= CONSTRAINT_WIDTH));
    }
}

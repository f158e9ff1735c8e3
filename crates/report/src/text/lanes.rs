//! A happens-before graph drawn in characters: a lane per thread, and beside each row what it is and what it waits for.
//!
//! A horizontal line on a row leads from the lanes of the nodes that the row's node waits for; which nodes those are
//! is said at the end of the row.

use std::fmt::Write as _;

use icsched_schedule::{Blocked, Schedule};

use super::options::line;
use crate::layout::{Layout, Predecessor, Row};
use crate::paint::{Painter, Tone};
use crate::words;

/// Columns a call may take before the ones behind it lose their alignment.
const MAX_CALL: usize = 44;

pub(super) fn draw(out: &mut String, schedule: &Schedule, layout: &Layout<'_>, paint: Painter) {
    let lanes = Lanes { layout, width: lane_width(layout.threads.len()) };
    let calls: Vec<_> = layout.rows.iter().map(|row| call(schedule, row)).collect();
    let call_width = calls.iter().map(|call| call.chars().count().min(MAX_CALL)).max().unwrap_or(0);
    let at_width = schedule.graph.nodes().iter().map(|node| words::place(node).chars().count()).max().unwrap_or(0);
    let id_width = (0..layout.rows.len()).map(|row| id(schedule, layout, row).len()).max().unwrap_or(0);
    for header in lanes.headers() {
        line!(out, "    {}", paint.paint(Tone::Heading, header.trim_end()));
    }
    for (row, call) in calls.iter().enumerate() {
        let picture = lanes.row(row);
        let (at, notes) = match &layout.rows[row] {
            Row::Elided { count } => {
                let text = format!("... {} not shown", words::count(*count, "event"));
                line!(out, "    {picture}  {}", paint.paint(Tone::Aside, text));
                continue;
            }
            Row::Blocked { blocked, .. } => (blocked.at.clone(), paint.paint(Tone::Bad, blocked_by(blocked))),
            Row::Nodes { first, after, .. } => (words::place(&schedule.graph.nodes()[*first]), names(after)),
        };
        let at_width = if notes.is_empty() { 0 } else { at_width };
        let at = paint.paint(Tone::Aside, format_args!("{at:<at_width$}"));
        let id = paint.paint(Tone::Aside, format_args!("{:<id_width$}", id(schedule, layout, row)));
        let text = format!("    {picture}  {id}  {call:<call_width$}  {at}  {notes}");
        line!(out, "{}", text.trim_end());
    }
}

fn call(schedule: &Schedule, row: &Row<'_>) -> String {
    match row {
        Row::Nodes { first, count, .. } => words::nodes(&schedule.graph.nodes()[*first..*first + *count]),
        Row::Blocked { blocked, .. } => words::call(&blocked.op, &blocked.object),
        Row::Elided { .. } => String::new(),
    }
}

/// The name of a row: its node, or the first of several.
fn id(schedule: &Schedule, layout: &Layout<'_>, row: usize) -> String {
    match &layout.rows[row] {
        Row::Nodes { first, .. } => schedule.graph.nodes()[*first].id().to_string(),
        Row::Blocked { lane, .. } => format!("T{}", layout.threads[*lane]),
        Row::Elided { .. } => String::new(),
    }
}

fn blocked_by(blocked: &Blocked) -> String {
    match blocked.holder {
        Some(holder) if holder == blocked.thread => "blocked by itself".into(),
        Some(holder) => format!("blocked by T{holder}"),
        None => "blocked".into(),
    }
}

/// What a row waits for, in words; many of them by number only.
fn names(after: &[Predecessor]) -> String {
    const NAMED: usize = 4;
    let mut names: Vec<_> = after.iter().take(NAMED).map(|before| before.id.to_string()).collect();
    if after.len() > NAMED {
        names.push(format!("{} more", after.len() - NAMED));
    }
    if names.is_empty() { String::new() } else { format!("after {}", words::list(&names)) }
}

/// Columns per lane: less when there are many.
fn lane_width(lanes: usize) -> usize {
    match lanes {
        0..=8 => 4,
        9..=16 => 3,
        _ => 2,
    }
}

struct Lanes<'a> {
    layout: &'a Layout<'a>,
    width: usize,
}

impl Lanes<'_> {
    /// The threads' names over their lanes; in narrow lanes their digits below each other.
    fn headers(&self) -> Vec<String> {
        let names: Vec<_> = self.layout.threads.iter().map(|thread| format!("T{thread}")).collect();
        let longest = names.iter().map(String::len).max().unwrap_or(0);
        let width = self.width;
        if longest < width {
            return vec![names.iter().map(|name| format!("{name:<width$}")).collect()];
        }
        let digit = |name: &String, place| format!("{:<width$}", format!("{name:>longest$}").as_bytes()[place] as char);
        let numbers: Vec<_> = names.iter().map(|name| name[1..].to_owned()).collect();
        (1..longest).map(|place| numbers.iter().map(|name| digit(name, place)).collect()).collect()
    }

    /// The lanes of one row, padded to the width of all lanes.
    fn row(&self, row: usize) -> String {
        let (own, after) = match &self.layout.rows[row] {
            Row::Nodes { lane, after, .. } => (Some((*lane, '●')), after.as_slice()),
            Row::Blocked { lane, .. } => (Some((*lane, '✗')), &[][..]),
            Row::Elided { .. } => (None, &[][..]),
        };
        let joined = || after.iter().map(|before| before.lane).chain(own.map(|(lane, _)| lane));
        let (left, right) = (joined().min().unwrap_or(0), joined().max().unwrap_or(0));
        let mut text = String::new();
        for lane in 0..self.layout.threads.len() {
            text.push(match own {
                Some((own, glyph)) if own == lane => glyph,
                None if self.layout.is_alive(lane, row) => '┆',
                _ => self.glyph(lane, row, after.iter().any(|before| before.lane == lane), left, right),
            });
            let fill = if left <= lane && lane < right { '─' } else { ' ' };
            text.extend(std::iter::repeat_n(fill, self.width - 1));
        }
        text
    }

    /// A lane on a row whose node is in another lane. `joins`: the node waits for one of this lane.
    fn glyph(&self, lane: usize, row: usize, joins: bool, left: usize, right: usize) -> char {
        let below = self.layout.continues_below(lane, row);
        match (joins, below) {
            (true, true) if lane == left => '├',
            (true, true) if lane == right => '┤',
            (true, true) => '┼',
            (true, false) if lane == left => '└',
            (true, false) if lane == right => '┘',
            (true, false) => '┴',
            (false, _) if self.layout.is_alive(lane, row) => '│',
            (false, _) if left < lane && lane < right => '─',
            (false, _) => ' ',
        }
    }
}

//! Pictures of schedules: a lane per thread from top to bottom, a row per node, an arrow for each edge.

use std::fmt::{self, Write as _};

use icsched_schedule::Schedule;

use crate::layout::{Layout, Predecessor, Row};
use crate::view::View;
use crate::words;

/// Pixels between rows, between lanes, around the picture, and per character of text.
const ROW: usize = 24;
const LANE: usize = 36;
const MARGIN: usize = 20;
const CHARACTER: f64 = 7.3;

/// Rows of a picture before its middle is left out; a browser is slow with more.
const ROWS: usize = 1500;

/// Colours follow the reader's light or dark setting, alone and inside a page.
const STYLE: &str = "\
.ics{font:12px ui-monospace,Menlo,Consolas,monospace;--ink:#1c2430;--soft:#66707d;--line:#c3cad3;--bad:#c62828;\
--paper:#fff}\
@media(prefers-color-scheme:dark){.ics{--ink:#e4e8ee;--soft:#98a2af;--line:#4a535f;--bad:#ff7b72;--paper:#14181d}}\
.ics text{fill:var(--ink)}.ics .soft{fill:var(--soft)}.ics .bad{fill:var(--bad)}.ics .head{font-weight:bold}\
.ics .lane{stroke:var(--line);stroke-width:2}.ics .edge{fill:none;stroke-width:1.5;opacity:.85}\
.ics .paper{fill:var(--paper)}.ics .cross{stroke:var(--bad);stroke-width:2.5}";

/// Renders every schedule that is shown, one below the other, as an SVG document.
pub fn render(view: &View<'_>) -> String {
    let mut body = String::new();
    let (mut width, mut y) = (0, MARGIN);
    for (_, shown) in view.schedules() {
        let schedule = shown.schedule;
        let layout = Layout::new(schedule, ROWS);
        let picture = Picture { schedule, layout: &layout, top: y + 2 * ROW };
        let title = format!("Schedule {} ({}), {}", shown.number, schedule.id, words::inputs(&schedule.constraint));
        text(&mut body, MARGIN, y, "head", &title).expect("writing to a string does not fail");
        text(&mut body, MARGIN, y + ROW - 4, "soft", &words::end(&schedule.ends)).expect("as above");
        picture.draw(&mut body).expect("writing to a string does not fail");
        width = width.max(picture.width()).max(MARGIN + text_width(title.chars().count()));
        y += picture.height() + 4 * ROW;
    }
    document(width + MARGIN, y, &body, true)
}

/// Renders one schedule as an SVG element to stand in a page.
pub fn render_one(schedule: &Schedule) -> String {
    render_folded(schedule, ROWS)
}

/// The same with at most so many rows: what is too much in the middle is left out.
pub(crate) fn render_folded(schedule: &Schedule, rows: usize) -> String {
    let layout = Layout::new(schedule, rows);
    let picture = Picture { schedule, layout: &layout, top: ROW };
    let mut body = String::new();
    picture.draw(&mut body).expect("writing to a string does not fail");
    document(picture.width() + MARGIN, picture.height() + 2 * ROW, &body, false)
}

/// The style sheet that [`render_one`]'s elements need once in their page.
pub(crate) fn style() -> &'static str {
    STYLE
}

fn document(width: usize, height: usize, body: &str, standalone: bool) -> String {
    let style = if standalone {
        format!("<style>{STYLE}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n")
    } else {
        String::new()
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ics\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n{style}{body}</svg>\n"
    )
}

/// Text with the characters escaped that mean something in XML.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

fn text(out: &mut String, x: usize, y: usize, class: &str, content: &str) -> fmt::Result {
    writeln!(out, "<text x=\"{x}\" y=\"{}\" class=\"{class}\">{}</text>", y + 4, escape(content))
}

fn text_width(characters: usize) -> usize {
    (characters as f64 * CHARACTER).ceil() as usize
}

/// A colour per lane: hues a golden angle apart, so that neighbours differ.
pub(crate) fn color(lane: usize) -> String {
    format!("hsl({} 62% 52%)", (210 + lane * 137) % 360)
}

struct Picture<'a> {
    schedule: &'a Schedule,
    layout: &'a Layout<'a>,
    /// Where the threads' names are.
    top: usize,
}

impl Picture<'_> {
    fn x(lane: usize) -> usize {
        MARGIN + LANE / 2 + lane * LANE
    }

    fn y(&self, row: usize) -> usize {
        self.top + (row + 1) * ROW
    }

    fn label_x(&self) -> usize {
        Self::x(self.layout.threads.len()) + 4
    }

    fn call(&self, row: &Row<'_>) -> String {
        match row {
            Row::Nodes { first, count, .. } => words::nodes(&self.schedule.graph.nodes()[*first..*first + *count]),
            Row::Blocked { blocked, .. } => words::call(&blocked.op, &blocked.object),
            Row::Elided { count } => format!("... {} not shown", words::count(*count, "event")),
        }
    }

    fn place_x(&self) -> usize {
        let longest = self.layout.rows.iter().map(|row| self.call(row).chars().count()).max().unwrap_or(0);
        self.label_x() + text_width(longest + 2)
    }

    fn width(&self) -> usize {
        let places = self.schedule.graph.nodes().iter().map(|node| words::place(node).chars().count());
        self.place_x() + text_width(places.max().unwrap_or(0).max(20))
    }

    fn height(&self) -> usize {
        self.layout.rows.len() * ROW
    }

    fn draw(&self, out: &mut String) -> fmt::Result {
        for (lane, thread) in self.layout.threads.iter().enumerate() {
            let x = Self::x(lane);
            let anchor = "text-anchor=\"middle\" class=\"head\"";
            writeln!(out, "<text x=\"{x}\" y=\"{}\" {anchor}>T{thread}</text>", self.top + 4)?;
            if let Some((first, last)) = self.layout.spans[lane] {
                let (y1, y2) = (self.y(first), self.y(last));
                writeln!(out, "<line class=\"lane\" x1=\"{x}\" y1=\"{y1}\" x2=\"{x}\" y2=\"{y2}\"/>")?;
            }
        }
        for (number, row) in self.layout.rows.iter().enumerate() {
            if let Row::Nodes { lane, after, .. } = row {
                after.iter().try_for_each(|before| self.edge(out, before, *lane, number))?;
            }
        }
        self.layout.rows.iter().enumerate().try_for_each(|(number, row)| self.row(out, number, row))
    }

    fn edge(&self, out: &mut String, before: &Predecessor, lane: usize, row: usize) -> fmt::Result {
        let (x1, y1) = (Self::x(before.lane), self.y(before.row));
        let (x2, y2) = (Self::x(lane), self.y(row));
        let side = if x2 > x1 { x2 - 7 } else { x2 + 7 };
        let color = color(before.lane);
        writeln!(out, "<path class=\"edge\" stroke=\"{color}\" d=\"M{x1} {y1}C{x1} {y2} {x1} {y2} {side} {y2}\"/>")?;
        let back = if x2 > x1 { side - 6 } else { side + 6 };
        let (above, below) = (y2 - 4, y2 + 4);
        writeln!(out, "<path fill=\"{color}\" d=\"M{side} {y2}L{back} {above}L{back} {below}Z\"/>")
    }

    fn row(&self, out: &mut String, number: usize, row: &Row<'_>) -> fmt::Result {
        let y = self.y(number);
        match row {
            Row::Nodes { first, lane, after, .. } => {
                let node = &self.schedule.graph.nodes()[*first];
                let names: Vec<_> = after.iter().map(|before| before.id.to_string()).collect();
                let waits = if names.is_empty() { String::new() } else { format!(" after {}", words::list(&names)) };
                let tip = escape(&format!("{}: {} at {}{waits}", node.id(), self.call(row), words::place(node)));
                let (x, color) = (Self::x(*lane), color(*lane));
                writeln!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"6\" fill=\"{color}\"><title>{tip}</title></circle>")?;
                text(out, self.label_x(), y, "call", &self.call(row))?;
                text(out, self.place_x(), y, "soft", &words::place(node))
            }
            Row::Blocked { lane, blocked } => {
                let (left, right) = (Self::x(*lane) - 6, Self::x(*lane) + 6);
                let (top, bottom) = (y - 6, y + 6);
                let path = format!("M{left} {top}L{right} {bottom}M{left} {bottom}L{right} {top}");
                let tip = escape(&words::blocked(blocked));
                writeln!(out, "<path class=\"cross\" d=\"{path}\"><title>{tip}</title></path>")?;
                text(out, self.label_x(), y, "bad", &self.call(row))?;
                text(out, self.place_x(), y, "bad", &format!("{} blocked", blocked.at))
            }
            Row::Elided { .. } => text(out, self.label_x(), y, "soft", &self.call(row)),
        }
    }
}

//! Who waits for whom, as a picture: a box per thread, an arrow to the thread that would have to let it go on.

use std::collections::BTreeSet;
use std::f64::consts::{PI, TAU};
use std::fmt::{self, Write as _};

use icsched_schedule::{Finding, FindingThread, visible};

use crate::svg::{color, escape};

/// Threads in a picture; more are not drawn.
const MOST: usize = 16;

/// Half the width and half the height of a box.
const BOX: Point = Point { x: 62.0, y: 24.0 };

/// How far an arrow bends to its side, as a part of its length.
const BEND: f64 = 0.16;

/// Characters of a name before it is cut.
const NAME: usize = 15;

#[derive(Copy, Clone)]
struct Point {
    x: f64,
    y: f64,
}

/// What an arrow leads to.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Target<'a> {
    Thread(u32),
    /// An object that nobody holds: a condition, a semaphore.
    Object(&'a str),
}

struct Arrow<'a> {
    from: Target<'a>,
    to: Target<'a>,
    label: &'a str,
}

/// The picture; `None` if no thread waits.
pub(super) fn picture(finding: &Finding) -> Option<String> {
    let arrows = arrows(finding);
    let boxes: BTreeSet<Target<'_>> = arrows.iter().flat_map(|arrow| [arrow.from, arrow.to]).collect();
    let boxes: Vec<_> = boxes.into_iter().collect();
    if boxes.is_empty() || boxes.len() > MOST {
        return None;
    }
    let picture = Picture { finding, places: places(boxes.len()), boxes };
    Some(picture.draw(&arrows).expect("writing to a string does not fail"))
}

fn arrows(finding: &Finding) -> Vec<Arrow<'_>> {
    finding.threads.iter().filter(|thread| !thread.waits_for.is_empty()).map(arrow).collect()
}

fn arrow(thread: &FindingThread) -> Arrow<'_> {
    let (to, label) = match thread.holder {
        Some(holder) if thread.operation.contains("join") => (Target::Thread(holder), "join"),
        Some(holder) => (Target::Thread(holder), &*thread.object),
        None => (Target::Object(&thread.object), ""),
    };
    Arrow { from: Target::Thread(thread.thread), to, label }
}

/// Middles of boxes: in a row if there are two, else on an ellipse, clockwise from the left.
fn places(count: usize) -> Vec<Point> {
    let radius = match count {
        1 => Point { x: 0.0, y: 0.0 },
        2 => Point { x: 130.0, y: 0.0 },
        _ => Point { x: 100.0 + 30.0 * count as f64, y: 34.0 + 20.0 * count as f64 },
    };
    let start = if count == 2 { PI } else { -PI / 2.0 };
    let angle = |i: usize| start + TAU * i as f64 / count as f64;
    (0..count).map(|i| Point { x: radius.x * angle(i).cos(), y: radius.y * angle(i).sin() }).collect()
}

struct Picture<'a> {
    finding: &'a Finding,
    boxes: Vec<Target<'a>>,
    places: Vec<Point>,
}

impl Picture<'_> {
    fn draw(&self, arrows: &[Arrow<'_>]) -> Result<String, fmt::Error> {
        let far = |of: fn(&Point) -> f64, sign: f64| {
            self.places.iter().map(|place| sign * of(place)).fold(f64::NEG_INFINITY, f64::max)
        };
        let (side, above) = (BOX.x + 30.0, BOX.y + 46.0);
        let (left, top) = (-far(|place| place.x, -1.0) - side, -far(|place| place.y, -1.0) - above);
        let width = far(|place| place.x, 1.0) + side - left;
        let height = far(|place| place.y, 1.0) + above - top;
        let mut out = String::new();
        writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ics waits\" role=\"img\" viewBox=\"{left:.0} {top:.0} \
             {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\"><title>Who waits for whom</title>"
        )?;
        arrows.iter().try_for_each(|arrow| self.arrow(&mut out, arrow))?;
        self.boxes.iter().zip(&self.places).try_for_each(|(target, place)| self.a_box(&mut out, *target, *place))?;
        out.push_str("</svg>");
        Ok(out)
    }

    fn place(&self, target: Target<'_>) -> Point {
        let place = self.boxes.binary_search(&target).expect("every end of an arrow has a box");
        self.places[place]
    }

    fn a_box(&self, out: &mut String, target: Target<'_>, at: Point) -> fmt::Result {
        let (x, y) = (at.x - BOX.x, at.y - BOX.y);
        let (name, below, class) = match target {
            Target::Thread(number) => {
                let thread = self.finding.threads.iter().find(|thread| thread.thread == number);
                let ended = thread.is_some_and(|thread| thread.ended.is_some());
                let outermost = thread.and_then(|thread| thread.frames.first()).map(|site| cut(&site.function));
                let below = if ended { "has ended".to_owned() } else { outermost.unwrap_or_default() };
                (format!("T{number}"), below, if ended { "box gone" } else { "box" })
            }
            Target::Object(object) => (cut(object), "nobody comes".to_owned(), "box gone"),
        };
        let stroke = match target {
            Target::Thread(number) => format!(" style=\"stroke:{}\"", color(number as usize)),
            Target::Object(_) => String::new(),
        };
        let size = format!("width=\"{:.0}\" height=\"{:.0}\" rx=\"8\"", 2.0 * BOX.x, 2.0 * BOX.y);
        writeln!(out, "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" {size}{stroke}/>")?;
        label(out, Point { x: at.x, y: at.y - if below.is_empty() { -4.0 } else { 4.0 } }, "head", &name)?;
        label(out, Point { x: at.x, y: at.y + 13.0 }, "soft", &below)
    }

    fn arrow(&self, out: &mut String, arrow: &Arrow<'_>) -> fmt::Result {
        let (from, to) = (self.place(arrow.from), self.place(arrow.to));
        if arrow.from == arrow.to {
            let (x, y) = (from.x, from.y - BOX.y);
            writeln!(
                out,
                "<path class=\"wait\" d=\"M{:.1} {y:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}\"/>",
                x - 30.0,
                x - 40.0,
                y - 44.0,
                x + 40.0,
                y - 44.0,
                x + 30.0,
                y - 8.0
            )?;
            head(out, Point { x: x + 31.0, y: y - 1.0 }, PI / 2.0 - 0.25)?;
            return label(out, Point { x, y: y - 37.0 }, "object", &cut(arrow.label));
        }
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let bend = Point { x: (from.x + to.x) / 2.0 + BEND * dy, y: (from.y + to.y) / 2.0 - BEND * dx };
        let (start, end) = (edge(from, bend, 2.0), edge(to, bend, 4.0));
        let angle = (end.y - bend.y).atan2(end.x - bend.x);
        let back = Point { x: end.x - 8.0 * angle.cos(), y: end.y - 8.0 * angle.sin() };
        let (sx, sy, bx, by) = (start.x, start.y, bend.x, bend.y);
        let path = format!("M{sx:.1} {sy:.1}Q{bx:.1} {by:.1} {:.1} {:.1}", back.x, back.y);
        writeln!(out, "<path class=\"wait\" d=\"{path}\"/>")?;
        head(out, end, angle)?;
        let middle = Point { x: (start.x + end.x) / 4.0 + bx / 2.0, y: (start.y + end.y) / 4.0 + by / 2.0 + 4.0 };
        label(out, middle, "object", &cut(arrow.label))
    }
}

/// Where a line from the middle of a box towards a point leaves it, and a gap.
fn edge(middle: Point, towards: Point, gap: f64) -> Point {
    let (dx, dy) = (towards.x - middle.x, towards.y - middle.y);
    let (x, y) = (BOX.x + gap, BOX.y + gap);
    let part = (x / dx.abs().max(1e-9)).min(y / dy.abs().max(1e-9));
    Point { x: middle.x + dx * part, y: middle.y + dy * part }
}

/// The head of an arrow.
fn head(out: &mut String, tip: Point, angle: f64) -> fmt::Result {
    let corner = |by: f64| {
        let angle = angle + PI + by;
        format!("L{:.1} {:.1}", tip.x + 11.0 * angle.cos(), tip.y + 11.0 * angle.sin())
    };
    writeln!(out, "<path class=\"tip\" d=\"M{:.1} {:.1}{}{}Z\"/>", tip.x, tip.y, corner(0.42), corner(-0.42))
}

fn label(out: &mut String, at: Point, class: &str, text: &str) -> fmt::Result {
    if text.is_empty() {
        return Ok(());
    }
    let text = escape(text);
    writeln!(out, "<text class=\"{class}\" text-anchor=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{text}</text>", at.x, at.y)
}

fn cut(name: &str) -> String {
    let name = visible(name);
    match name.char_indices().nth(NAME) {
        None => name.into_owned(),
        Some((at, _)) => format!("{}…", &name[..at]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::sample;

    /// Threads of which each waits for the next, the last for the first.
    fn cycle(length: u32) -> Finding {
        let mut finding = sample::lock_cycle();
        let thread = finding.threads.remove(0);
        let one = |number| FindingThread { thread: number, holder: Some((number + 1) % length), ..thread.clone() };
        finding.threads = (0..length).map(one).collect();
        finding
    }

    #[test]
    fn each_thread_has_a_box_and_each_wait_an_arrow() {
        for length in [1, 2, 5, 16] {
            let picture = picture(&cycle(length)).expect("a picture");
            let count = |class: &str| picture.matches(&format!("class=\"{class}\"")).count();
            assert_eq!(
                (count("box"), count("wait"), count("tip")),
                (length as usize, length as usize, length as usize)
            );
        }
        assert_eq!(picture(&cycle(17)), None);
    }

    #[test]
    fn nobody_who_does_not_wait_is_drawn() {
        assert_eq!(picture(&sample::assertion()), None);
    }

    #[test]
    fn an_object_stands_for_those_who_would_have_to_come() {
        let mut finding = cycle(1);
        finding.threads[0].holder = None;
        finding.threads[0].object = "slots<0>".into();
        let picture = picture(&finding).expect("a picture");
        assert!(picture.contains("slots&lt;0&gt;") && picture.contains("nobody comes"), "{picture}");
    }
}

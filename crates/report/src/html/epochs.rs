//! Which epoch leads to which, as a picture with links: the epoch at program entry first, those that it leads to to its
//! right.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::{self, Write as _};

use icsched_schedule::{EpochKey, EpochResult};

use super::tone::is_bad;
use crate::svg::escape;
use crate::view::View;
use crate::words::count;

/// Epochs in a picture; more are not drawn.
const MOST: usize = 150;

/// Size of a box, and of the gaps between boxes.
const BOX: (usize, usize) = (112, 40);
const GAP: (usize, usize) = (64, 22);
const MARGIN: usize = 12;

/// The picture of the epochs that are shown; `None` if there is one, or too many.
pub(super) fn picture(view: &View<'_>) -> Option<String> {
    let boxes = layers(view);
    let is_drawn = view.epochs.len() > 1 && view.epochs.len() <= MOST;
    is_drawn.then(|| draw(view, &boxes).expect("writing to a string does not fail"))
}

/// Column and row of each epoch: the column is how many epochs are at least before it.
type Places = BTreeMap<EpochKey, (usize, usize)>;

fn layers(view: &View<'_>) -> Places {
    let shown: BTreeMap<EpochKey, &EpochResult> = view.epochs.iter().map(|e| (e.result.key(), e.result)).collect();
    let mut places = Places::new();
    let mut filled: Vec<usize> = Vec::new();
    let mut waiting = VecDeque::new();
    for epoch in &view.epochs {
        waiting.push_back((epoch.result.key(), 0));
        while let Some((key, column)) = waiting.pop_front() {
            if places.contains_key(&key) {
                continue;
            }
            let Some(result) = shown.get(&key) else { continue };
            if filled.len() <= column {
                filled.resize(column + 1, 0);
            }
            places.insert(key, (column, filled[column]));
            filled[column] += 1;
            waiting.extend(result.successors().into_iter().map(|next| (next, column + 1)));
        }
    }
    places
}

fn corner((column, row): (usize, usize)) -> (usize, usize) {
    (MARGIN + column * (BOX.0 + GAP.0), MARGIN + GAP.1 + row * (BOX.1 + GAP.1))
}

fn draw(view: &View<'_>, places: &Places) -> Result<String, fmt::Error> {
    let far = |of: fn(&(usize, usize)) -> usize| places.values().map(of).max().unwrap_or(0) + 1;
    let (width, height) = corner((far(|place| place.0), far(|place| place.1)));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ics epochs\" role=\"img\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\"><title>Which epoch leads to which</title>\n"
    );
    for epoch in &view.epochs {
        let from = places[&epoch.result.key()];
        for next in epoch.result.successors() {
            if let Some(to) = places.get(&next) {
                arrow(&mut out, from, *to)?;
            }
        }
    }
    for epoch in &view.epochs {
        let (x, y) = corner(places[&epoch.result.key()]);
        let key = epoch.result.key();
        let is_bad = epoch.schedules.iter().any(|shown| is_bad(&shown.schedule.ends));
        let class = if is_bad { "box wrong" } else { "box" };
        let (middle, first, second) = (x + BOX.0 / 2, y + 17, y + 32);
        let schedules = escape(&count(epoch.schedules.len(), "schedule"));
        writeln!(
            out,
            "<a href=\"#epoch-{key}\"><title>epoch {key}</title><rect class=\"{class}\" x=\"{x}\" y=\"{y}\" \
             width=\"{}\" height=\"{}\" rx=\"6\"/><text class=\"head\" text-anchor=\"middle\" x=\"{middle}\" \
             y=\"{first}\">Epoch {}</text><text class=\"soft\" text-anchor=\"middle\" x=\"{middle}\" \
             y=\"{second}\">{schedules}</text></a>",
            BOX.0, BOX.1, epoch.number
        )?;
    }
    out.push_str("</svg>");
    Ok(out)
}

fn arrow(out: &mut String, from: (usize, usize), to: (usize, usize)) -> fmt::Result {
    let ((x1, y1), (x2, y2)) = (corner(from), corner(to));
    let middle = BOX.1 / 2;
    let d = if to.0 > from.0 {
        let (x1, y1, y2, tip) = (x1 + BOX.0, y1 + middle, y2 + middle, x2 - 7);
        format!("M{x1} {y1}C{} {y1} {} {y2} {tip} {y2}", x1 + GAP.0 / 2, x2 - GAP.0 / 2)
    } else {
        // Back, or down a column: from the top of one to the top of the other.
        let (x1, x2, top) = (x1 + BOX.0 * 2 / 3, x2 + BOX.0 / 3, y1.min(y2).saturating_sub(GAP.1));
        format!("M{x1} {y1}C{x1} {top} {x2} {top} {x2} {}", y2.saturating_sub(6))
    };
    writeln!(out, "<path class=\"next\" d=\"{d}\"/>")?;
    let tip = if to.0 > from.0 {
        let (x, y) = (x2, y2 + middle);
        format!("M{x} {y}L{} {}L{} {}Z", x - 8, y - 4, x - 8, y + 4)
    } else {
        let (x, y) = (x2 + BOX.0 / 3, y2);
        format!("M{x} {y}L{} {}L{} {}Z", x - 4, y.saturating_sub(8), x + 4, y.saturating_sub(8))
    };
    writeln!(out, "<path class=\"next tip\" d=\"{tip}\"/>")
}

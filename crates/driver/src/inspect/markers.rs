//! Where epochs end, and why not elsewhere.

use std::fmt::Write as _;

use icsched_epochs::Technique;
use icsched_epochs::markers::{LoopMark, MarkerOptions, Markers};
use icsched_epochs::specialise::from_main;
use icsched_ir::{Function, Program, ProgramPoint};
use icsched_pointsto::{Interrupted, ModRef, PointsTo};
use icsched_slicing::QuietEnds;
use icsched_slicing::control::Control;
use serde::Serialize;

use super::asked::MarkerSelection;
use super::place::place;

/// Name and version of the document.
pub(super) const SCHEMA: &str = "icsched/inspect-markers/1";

#[derive(Serialize)]
pub(super) struct Document {
    schema: &'static str,
    program: String,
    /// What only code does that this program never executes is left out.
    specialised: bool,
    markers: Vec<MarkerEntry>,
    /// All loops of the program's own code, outer ones before inner ones.
    loops: Vec<LoopEntry>,
    totals: Totals,
}

#[derive(Serialize)]
struct MarkerEntry {
    kind: &'static str,
    function: String,
    at: String,
    /// Block and instruction, as `inspect ir` prints them.
    point: String,
    /// Where the innermost loop around it begins.
    #[serde(rename = "loop")]
    within: Option<String>,
}

#[derive(Serialize)]
struct LoopEntry {
    function: String,
    at: String,
    header: String,
    synchronises: bool,
    marked: bool,
    /// Why it has no marker.
    reason: Option<String>,
}

#[derive(Serialize)]
struct Totals {
    markers: usize,
    /// Loops that synchronise, and how many of them have no marker of their own.
    synchronising: usize,
    unmarked: usize,
}

/// # Errors
/// [`Interrupted`] if `interrupted` says so, which is asked now and then.
pub(super) fn document(
    loaded: &Program,
    selection: &MarkerSelection,
    interrupted: &dyn Fn() -> bool,
) -> Result<Document, Interrupted> {
    let specialised = loaded.main.is_some();
    let folded = specialised.then(|| from_main(loaded, interrupted)).transpose()?;
    let program = folded.as_ref().map_or(loaded, |(program, _)| program);
    let off = |technique| selection.without.contains(&technique);
    let harmless = |f: &Function| icsched_externals::known_not_to_synchronise(&f.name, f.params.len());
    let options = icsched_pointsto::Options { interrupted, ..Default::default() };
    let points_to = (!off(Technique::PointsTo)).then(|| PointsTo::new(program, &options)).transpose()?;
    let modref = points_to.as_ref().map(|p| ModRef::new(program, p, &harmless));
    let control = Control::new(program, &harmless, QuietEnds::All, points_to.as_ref());
    let options = MarkerOptions { prune: !off(Technique::MarkerPruning) };
    let placed = Markers::place(program, &control, modref.as_ref(), &options);

    let shows = |point: ProgramPoint| {
        let name = &program.functions[point.func].name;
        selection.function.as_ref().is_none_or(|wanted| wanted == name)
    };
    let markers = placed.iter().filter(|(point, _)| shows(*point)).map(|(point, kind)| MarkerEntry {
        kind: kind.name(),
        function: program.functions[point.func].name.clone(),
        at: place(program, point),
        point: format!("{}:{}", point.block, point.inst),
        within: placed.loop_at(&control, point).map(|l| place(program, l.point())),
    });
    let markers: Vec<MarkerEntry> = markers.collect();
    let loops: Vec<LoopEntry> =
        placed.loops().iter().filter(|l| shows(l.point())).map(|l| loop_entry(program, l)).collect();
    let synchronising = || loops.iter().filter(|l| l.synchronises);
    let totals = Totals {
        markers: markers.len(),
        synchronising: synchronising().count(),
        unmarked: synchronising().filter(|l| !l.marked).count(),
    };
    Ok(Document { schema: SCHEMA, program: program.name.clone(), specialised, markers, loops, totals })
}

fn loop_entry(program: &Program, l: &LoopMark) -> LoopEntry {
    LoopEntry {
        function: program.functions[l.func].name.clone(),
        at: place(program, l.point()),
        header: l.header.to_string(),
        synchronises: l.synchronises(),
        marked: l.unmarked.is_none(),
        reason: l.unmarked.as_ref().map(|why| why.describe(program)),
    }
}

pub(super) fn text(document: &Document) -> String {
    let mut out = String::new();
    for marker in &document.markers {
        let within = match &marker.within {
            Some(at) if *at != marker.at => format!(", in the loop at {at}"),
            Some(_) | None => String::new(),
        };
        writeln!(out, "{} in {}: {} marker{within}", marker.at, marker.function, marker.kind)
            .expect("writing to a string does not fail");
    }
    let unmarked: Vec<&LoopEntry> = document.loops.iter().filter(|l| l.synchronises && !l.marked).collect();
    if !unmarked.is_empty() {
        out.push_str("loops that synchronise, without a marker of their own:\n");
    }
    for l in unmarked {
        let reason = l.reason.as_deref().unwrap_or_default();
        writeln!(out, "  {} in {}: {reason}", l.at, l.function).expect("writing to a string does not fail");
    }
    let Totals { markers, synchronising, unmarked } = document.totals;
    let (markers, loops) = (counted(markers, "marker"), counted(synchronising, "loop"));
    let verb = if synchronising == 1 { "synchronises" } else { "synchronise" };
    writeln!(out, "{markers}; {loops} {verb}; {unmarked} unmarked").expect("writing to a string does not fail");
    out
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

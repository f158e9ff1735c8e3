//! The machine-readable result of `icsched enumerate` and `icsched show`.
//!
//! The keys are stable: programs read them. Keys may be added; nothing may be renamed or removed without a new
//! [`SCHEMA`]. The types below exist only to pin the keys, apart from how the result is kept in memory.

use icsched_schedule::{
    Assumption, Blocked, EndlessLoop, HbNode, NamedInput, Reason, Schedule, ScheduleEnd, Statistics, ThreadContext,
    Totals, published_schema,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::view::{EpochView, ScheduleView, View};

/// Name and version of the document.
pub const SCHEMA: &str = "icsched/enumerate/1";

/// The schedules of a program.
#[derive(Serialize, JsonSchema)]
struct Document<'a> {
    /// Name and version of the document.
    schema: &'static str,
    /// The program's file, as the user gave it.
    program: &'a str,
    /// Whether every input is covered.
    complete: bool,
    /// Why not, if so.
    reasons: Vec<&'a Reason>,
    /// Sums over all epochs.
    totals: Totals,
    /// The epochs, the one at program entry first.
    epochs: Vec<Epoch<'a>>,
    /// Memory errors that some input causes.
    errors: Vec<Error<'a>>,
    /// Names in constraints that are no C.
    inputs: Vec<Input<'a>>,
    /// What is taken for granted.
    assumptions: &'a [Assumption],
    /// Where loops are that are taken to end, and of which that is not proved.
    loops_assumed_to_end: Vec<&'a str>,
    /// BLAKE3 of the bitcode, in hexadecimal.
    digest: &'a str,
    /// The options and arguments that the result depends on, as they would be typed.
    options: &'a [String],
    /// What the search cost. The only part that differs from run to run.
    statistics: Statistics,
}

/// A bounded part of an execution.
#[derive(Serialize, JsonSchema)]
struct Epoch<'a> {
    id: String,
    /// Where its threads start.
    #[schemars(with = "Vec<ThreadContext>")]
    contexts: Vec<OneLine>,
    /// The schedules, and the parts of which they consist.
    schedules: Vec<ScheduleEntry<'a>>,
    /// A condition of inputs that end the process on a prefix of a schedule, as C.
    early_exits: Option<&'a str>,
}

/// A schedule, or the part of one up to an input that decides how it goes on.
#[derive(Serialize, JsonSchema)]
struct ScheduleEntry<'a> {
    id: String,
    /// For which inputs it is, as C.
    constraint: &'a str,
    /// `exit`, `deadlock`, `endless`, `epoch ID`, `input`, `abort`, `memory-error` or `limit`.
    ends: String,
    #[serde(flatten)]
    detail: Detail<'a>,
    /// Place in this list, from 0, of the part that this one continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<usize>,
    /// Place in `errors`, from 0, of one behind which it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    after_error: Option<usize>,
    /// Its synchronisation.
    #[schemars(with = "Vec<Node<'_>>")]
    nodes: Vec<OneLine>,
    /// Pairs of nodes, each as thread and number: the first happens before the second.
    #[schemars(with = "Vec<[[u32; 2]; 2]>")]
    edges: Vec<OneLine>,
}

/// A value that is not broken over lines.
type OneLine = Box<RawValue>;

fn one_line(value: &impl Serialize) -> OneLine {
    serde_json::value::to_raw_value(value).expect("plain data has a JSON form")
}

/// What belongs to an end besides its name.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(description = "A schedule, or the part of one up to an input that decides how it goes on.")]
enum Detail<'a> {
    Exit { status: Option<i32> },
    Deadlock { blocked: &'a [Blocked] },
    Endless { at: &'a str, loops: &'a [EndlessLoop], blocked: &'a [Blocked] },
    Input { thread: u32, at: &'a str },
    Message { message: &'a str, at: &'a str },
    None {},
}

/// A synchronisation.
#[derive(Serialize, JsonSchema)]
struct Node<'a> {
    /// Its thread: 0 is the main thread, the others are in order of creation.
    thread: u32,
    /// Its place among the nodes of the thread, from 1.
    n: u32,
    /// The library function.
    op: &'a str,
    /// The object it is about, as the source names it; may be empty.
    object: &'a str,
    /// Where the program calls the function: `file.c:88`.
    at: &'a str,
    /// Other places from which it may be called in its stead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also_at: Vec<&'a str>,
}

/// A memory error that some input causes.
#[derive(Serialize, JsonSchema)]
struct Error<'a> {
    message: &'a str,
    at: &'a str,
    constraint: &'a str,
    epoch: String,
    /// True if it depends on what a replaced loop has left whether there is one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    open: bool,
}

/// A name in constraints of an epoch that C cannot compute.
#[derive(Serialize, JsonSchema)]
struct Input<'a> {
    #[serde(flatten)]
    input: &'a NamedInput,
    epoch: String,
}

/// The JSON Schema of what [`render`] gives.
pub fn schema() -> String {
    published_schema::<Document<'_>>(SCHEMA)
}

/// Renders the result as one JSON object over several lines, with a newline at the end.
pub fn render(view: &View<'_>) -> String {
    let text = serde_json::to_string_pretty(&document(view)).expect("plain data has a JSON form");
    text + "\n"
}

/// The same document as a value.
pub fn value(view: &View<'_>) -> serde_json::Value {
    serde_json::from_str(&render(view)).expect("what was just written is JSON")
}

fn document<'a>(view: &'a View<'a>) -> Document<'a> {
    let enumeration = view.enumeration;
    let mut statistics = enumeration.statistics;
    statistics.seconds = microseconds(statistics.seconds);
    statistics.solver_seconds = microseconds(statistics.solver_seconds);
    Document {
        schema: SCHEMA,
        program: &enumeration.program,
        complete: enumeration.is_complete(),
        reasons: enumeration.all_reasons(),
        totals: enumeration.totals(),
        epochs: view.epochs.iter().map(|shown| epoch(view, shown)).collect(),
        errors: view.epochs.iter().flat_map(errors).collect(),
        inputs: view.epochs.iter().flat_map(inputs).collect(),
        assumptions: &enumeration.assumptions,
        loops_assumed_to_end: enumeration.loops_assumed_to_end(),
        digest: &enumeration.digest,
        options: &enumeration.options,
        statistics,
    }
}

/// More digits than a clock has are noise.
fn microseconds(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

fn epoch<'a>(whole: &View<'_>, epoch: &'a EpochView<'a>) -> Epoch<'a> {
    let schedules = epoch.schedules.iter().map(|view| schedule(whole, epoch, view)).collect();
    Epoch {
        id: epoch.result.key().to_string(),
        contexts: epoch.result.contexts.iter().map(one_line).collect(),
        schedules,
        early_exits: epoch.result.early_exits.as_ref().map(|constraint| constraint.c.as_str()),
    }
}

fn errors<'a>(epoch: &'a EpochView<'a>) -> impl Iterator<Item = Error<'a>> {
    epoch.result.errors.iter().map(|error| Error {
        message: &error.message,
        at: &error.at,
        constraint: &error.constraint.c,
        epoch: epoch.result.key().to_string(),
        open: error.is_open,
    })
}

fn inputs<'a>(epoch: &'a EpochView<'a>) -> impl Iterator<Item = Input<'a>> {
    epoch.result.inputs.iter().map(|input| Input { input, epoch: epoch.result.key().to_string() })
}

fn schedule<'a>(whole: &View<'_>, epoch: &EpochView<'_>, view: &'a ScheduleView<'a>) -> ScheduleEntry<'a> {
    let Schedule { id, constraint, ends, graph, after_error: _ } = view.schedule;
    let node = |node: &HbNode| {
        let HbNode { thread, n, op, object, at, point: _, elsewhere, outcome: _ } = node;
        let also_at = elsewhere.iter().map(|place| &*place.at).collect();
        one_line(&Node { thread: *thread, n: *n, op, object, at, also_at })
    };
    ScheduleEntry {
        id: id.to_string(),
        constraint: &constraint.c,
        ends: ends.to_string(),
        detail: detail(ends),
        after: view.after.and_then(|after| epoch.schedules.iter().position(|s| s.number == after)),
        after_error: whole.shown_error(epoch, view.schedule),
        nodes: graph.nodes().iter().map(node).collect(),
        edges: graph.edges().iter().map(one_line).collect(),
    }
}

fn detail(ends: &ScheduleEnd) -> Detail<'_> {
    match ends {
        ScheduleEnd::Exit { status } => Detail::Exit { status: *status },
        ScheduleEnd::Deadlock { blocked } => Detail::Deadlock { blocked },
        ScheduleEnd::Endless { loops, blocked } => {
            Detail::Endless { at: loops.first().map_or("", |l| l.at.as_str()), loops, blocked }
        }
        ScheduleEnd::Input { thread, at } => Detail::Input { thread: *thread, at },
        ScheduleEnd::Abort { message, at } | ScheduleEnd::MemoryError { message, at } => {
            Detail::Message { message, at }
        }
        ScheduleEnd::Epoch(_) | ScheduleEnd::Limit => Detail::None {},
    }
}

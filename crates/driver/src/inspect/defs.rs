//! What must hold when threads are at given places.

use std::fmt::{self, Write as _};

use icsched_dataflow::{
    Analysis, BarrierCount, Context, Count, HeldLock, Options, Range, Relation, RelationKind, Symbol, ThreadContext,
    ThreadFacts,
};
use icsched_ir::{Function, Origin, Program, ProgramPoint};
use icsched_pointsto::{Location, ModRef, ObjectId, Offsets, PointsTo, Startup};
use serde::Serialize;

use super::place::place;

/// Name and version of the document.
pub(super) const SCHEMA: &str = "icsched/inspect-defs/2";

#[derive(Serialize)]
pub(super) struct Document {
    schema: &'static str,
    program: String,
    threads: Vec<Thread>,
    /// Whether `held` and `abandoned` name every lock that may be held.
    locks_known: bool,
    /// Locks that threads that have ended may have left taken.
    abandoned: Vec<String>,
    barriers: Vec<Barrier>,
    /// `thread 0: v3#0 != thread 1: v3#0`.
    relations: Vec<String>,
    /// What points-to analysis did not know and took the worst of.
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Thread {
    /// As asked for.
    thread: String,
    /// Oldest frame first.
    stack: Vec<Frame>,
    /// Whether the oldest frame is the thread's first; else anybody may have called it.
    complete: bool,
    /// Whether some way leads there. If not, nothing is said.
    reached: bool,
    registers: Vec<Register>,
    memory: Vec<Cell>,
    /// Locks that it may hold.
    held: Vec<String>,
    /// `0 <= v7#0 < threads+0:4`, as signed numbers.
    ranges: Vec<String>,
}

/// What one initialisation may have told some barriers.
#[derive(Serialize)]
struct Barrier {
    barriers: Vec<String>,
    /// `4`, `processors+0:4` or `any`.
    expects: String,
}

#[derive(Serialize)]
struct Frame {
    function: String,
    at: String,
}

#[derive(Serialize)]
struct Register {
    /// `v3#1`: v3 of frame 1.
    register: String,
    /// In the source.
    name: Option<String>,
    holds: String,
}

#[derive(Serialize)]
struct Cell {
    /// `queue+8:4`: four bytes.
    place: String,
    holds: String,
    /// No other thread may write there meanwhile.
    conflict_free: bool,
}

/// `threads` with the texts they were asked for by.
pub(super) fn document(
    program: &Program,
    points_to: &PointsTo,
    threads: &[(String, ThreadContext)],
    none_ended: bool,
) -> Result<Document, icsched_dataflow::ContextError> {
    let harmless = |f: &Function| icsched_externals::known_not_to_synchronise(&f.name, f.params.len());
    let modref = ModRef::new(program, points_to, &harmless);
    let startup = Startup::new(&modref);
    let mut analysis = Analysis::new(&modref, &startup);
    let threads_of = threads.iter().map(|(_, thread)| thread.clone());
    let context = Context { threads: threads_of.collect(), none_ended };
    let found = analysis.initial_state(&context, &Options::default())?;
    let shown = threads
        .iter()
        .zip(&found.threads)
        .map(|((text, thread), known)| shown(program, &analysis, text, thread, known));
    Ok(Document {
        schema: SCHEMA,
        program: program.name.clone(),
        threads: shown.collect(),
        locks_known: found.locks_known,
        abandoned: locks(program, &analysis, &found.abandoned),
        barriers: found.barriers.iter().map(|known| barrier(program, &analysis, known)).collect(),
        relations: found.relations.iter().map(|r| relation(program, &analysis, r)).collect(),
        notes: points_to.notes().iter().map(|note| note.describe(program)).collect(),
    })
}

fn shown(
    program: &Program,
    analysis: &Analysis<'_, '_>,
    text: &str,
    thread: &ThreadContext,
    facts: &ThreadFacts,
) -> Thread {
    let known = &facts.definitions;
    let points = &thread.stack.0;
    let holds = |e| analysis.pool().describe(program, e);
    let mut registers = Vec::new();
    for ((values, point), frame) in known.registers.iter().zip(points).zip(0..) {
        for (&value, &e) in values {
            let name = program.functions[point.func].values[value].name.clone();
            registers.push(Register { register: Symbol::new(frame, value).to_string(), name, holds: holds(e) });
        }
    }
    let of_program = |place: &icsched_dataflow::Place| match place.base {
        icsched_dataflow::Base::Global(global) => program.globals[global].origin == Origin::Program,
        icsched_dataflow::Base::Symbol(_) => true,
    };
    let memory = known.places.iter().filter(|p| of_program(&p.place)).map(|p| Cell {
        place: p.place.describe(program, analysis.pool()),
        holds: holds(p.value),
        conflict_free: p.conflict_free,
    });
    Thread {
        thread: text.to_owned(),
        stack: points.iter().map(|&point| frame(program, point)).collect(),
        complete: thread.complete,
        reached: known.is_reached,
        registers,
        memory: memory.collect(),
        held: locks(program, analysis, &facts.held),
        ranges: facts.ranges.iter().map(|known| range(program, analysis, known)).collect(),
    }
}

fn locks(program: &Program, analysis: &Analysis<'_, '_>, held: &[HeldLock]) -> Vec<String> {
    let shown = held.iter().map(|lock| match lock {
        HeldLock::At { lock, .. } => analysis.pool().describe(program, *lock),
        HeldLock::Within(places) => format!("in {}", locations(program, analysis, places).join(", ")),
    });
    shown.collect()
}

fn locations(program: &Program, analysis: &Analysis<'_, '_>, places: &[(ObjectId, Offsets)]) -> Vec<String> {
    let location = |&(object, offsets): &(ObjectId, Offsets)| {
        analysis.points_to().describe_location(program, &Location { object, offsets, bytes_only: false })
    };
    places.iter().map(location).collect()
}

fn barrier(program: &Program, analysis: &Analysis<'_, '_>, known: &BarrierCount) -> Barrier {
    Barrier { barriers: locations(program, analysis, &known.barriers), expects: count(program, analysis, known.count) }
}

fn count(program: &Program, analysis: &Analysis<'_, '_>, count: Count) -> String {
    match count {
        Count::Constant(number) => number.to_string(),
        Count::Place(place) => place.describe(program, analysis.pool()),
        Count::Any => "any".to_owned(),
    }
}

fn range(program: &Program, analysis: &Analysis<'_, '_>, known: &Range) -> String {
    let bound = count(program, analysis, known.bound);
    format!("{} <= {} < {bound}", known.start, analysis.pool().describe(program, known.value))
}

fn relation(program: &Program, analysis: &Analysis<'_, '_>, relation: &Relation) -> String {
    let side = |(thread, e)| format!("thread {thread}: {}", analysis.pool().describe(program, e));
    let sign = match relation.kind {
        RelationKind::Equal => "==",
        RelationKind::Distinct => "!=",
    };
    format!("{} {sign} {}", side(relation.a), side(relation.b))
}

fn frame(program: &Program, point: ProgramPoint) -> Frame {
    Frame { function: program.functions[point.func].name.clone(), at: place(program, point) }
}

pub(super) fn text(document: &Document) -> String {
    let mut out = String::new();
    write_text(&mut out, document).expect("writing to a string does not fail");
    out
}

fn write_text(out: &mut String, document: &Document) -> fmt::Result {
    for thread in &document.threads {
        writeln!(out, "{}", thread.thread)?;
        for (number, frame) in thread.stack.iter().enumerate() {
            let caller = if number == 0 && !thread.complete { ", called by anybody" } else { "" };
            // Without a line it begins with the function's name.
            let function = if frame.at.contains(' ') { "" } else { &format!("{} at ", frame.function) };
            writeln!(out, "  frame {number}: {function}{}{caller}", frame.at)?;
        }
        if !thread.reached {
            writeln!(out, "  no way leads there")?;
            continue;
        }
        for Register { register, name, holds } in &thread.registers {
            let name = name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
            writeln!(out, "  {register}{name} = {holds}")?;
        }
        for Cell { place, holds, conflict_free } in &thread.memory {
            let shared = if *conflict_free { "" } else { "  (if there are no data races)" };
            writeln!(out, "  [{place}] = {holds}{shared}")?;
        }
        for lock in &thread.held {
            writeln!(out, "  may hold {lock}")?;
        }
        for range in &thread.ranges {
            writeln!(out, "  {range}")?;
        }
    }
    if !document.locks_known {
        writeln!(out, "any lock may be held")?;
    }
    for lock in &document.abandoned {
        writeln!(out, "a thread that has ended may have left {lock} locked")?;
    }
    for Barrier { barriers, expects } in &document.barriers {
        writeln!(out, "barrier {}: expects {expects}", barriers.join(" or "))?;
    }
    for relation in &document.relations {
        writeln!(out, "{relation}")?;
    }
    for note in &document.notes {
        writeln!(out, "note: {note}")?;
    }
    Ok(())
}

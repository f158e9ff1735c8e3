//! What pointers point to.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::{fmt, io};

use icsched_ir::{Definition, Definitions, FuncId, Op, ProgramPoint, Type, ValueId};
use icsched_pointsto::{Location, ObjectKind, PointerInfo, Statistics};
use serde::Serialize;

use super::answer::{Complete, Cut, Listed, Out, Reasons};
use super::memory::{Memory, Names, kind, some, sorted};
use super::place::{quoted, source};

/// Name and version of the document.
pub(super) const SCHEMA: &str = "icsched/inspect-pointsto/1";

/// What is written of a program; its lists are made while they are.
#[derive(Serialize)]
#[serde(bound = "")]
pub(super) struct Document<'c, F: Iterator<Item = Entry>, O: Iterator<Item = Object>> {
    schema: &'static str,
    program: String,
    functions: Listed<F>,
    /// Empty when one function is asked for.
    objects: Listed<O>,
    /// What the analysis did not know and took the worst of.
    notes: Vec<String>,
    statistics: Counts,
    /// False if a limit has ended the lists.
    complete: Complete<'c>,
    /// That limit.
    reasons: Reasons<'c>,
}

#[derive(Serialize)]
pub(super) struct Entry {
    name: String,
    at: Option<String>,
    pointers: Vec<Pointer>,
}

#[derive(Serialize)]
struct Pointer {
    /// The variable's name, or the value as in the IR.
    name: String,
    kind: &'static str,
    /// Where it is computed; null for parameters.
    at: Option<String>,
    targets: Targets,
}

/// One place that a pointer may point to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Target {
    object: Rc<str>,
    /// `+8`, `+4+8k` for every eighth byte from the fourth, `+*` for any; null for functions.
    offset: Option<Rc<str>>,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.object, self.offset.as_deref().unwrap_or_default())
    }
}

#[derive(Serialize)]
pub(super) struct Object {
    name: String,
    kind: &'static str,
    /// Bytes, where all objects of the name have the same.
    size: Option<u64>,
    /// What the pointers in it point to.
    contents: Targets,
}

#[derive(Serialize)]
struct Counts {
    instances: usize,
    objects: usize,
    locations: usize,
    cells: usize,
    nodes: usize,
    edges: usize,
    waves: usize,
}

pub(super) fn document<'k>(
    known: &'k Known<'k>,
    cut: &'k Cut<'k>,
) -> Document<'k, impl Iterator<Item = Entry> + 'k, impl Iterator<Item = Object> + 'k> {
    let memory = known.memory;
    let program = memory.program;
    let functions = memory.functions().take_while(|_| cut.goes_on()).map(move |(id, function)| Entry {
        name: function.name.clone(),
        at: source(program, function.loc),
        pointers: pointers(known, id),
    });
    let is_all = memory.selection.function.is_none();
    let objects = move || if is_all { all_objects(known, cut) } else { Vec::new() };
    let objects = std::iter::once_with(objects).flatten().take_while(|_| cut.goes_on());
    let &Statistics { instances, objects: number, locations, cells, nodes, edges, waves, .. } =
        memory.points_to.statistics();
    Document {
        schema: SCHEMA,
        program: program.name.clone(),
        functions: Listed::new(functions),
        objects: Listed::new(objects),
        notes: memory.notes(),
        statistics: Counts { instances, objects: number, locations, cells, nodes, edges, waves },
        complete: Complete(cut),
        reasons: Reasons(cut),
    }
}

/// Where a pointer may point to; shared by those that point to the same.
type Targets = Rc<[Target]>;

/// Targets that were asked for before: large programs have few different sets.
pub(super) struct Known<'m> {
    memory: &'m Memory<'m>,
    names: RefCell<Names<'m>>,
    targets: RefCell<HashMap<Vec<Location>, Targets>>,
}

impl<'m> Known<'m> {
    pub(super) fn new(memory: &'m Memory<'m>) -> Self {
        Self { memory, names: RefCell::new(Names::new(memory)), targets: RefCell::default() }
    }

    fn targets(&self, info: PointerInfo) -> Targets {
        if let Some(known) = self.targets.borrow().get(&info.locations) {
            return Rc::clone(known);
        }
        let found: Targets = sorted(info.locations.iter().map(|l| self.target(l)).collect::<Vec<_>>()).into();
        self.targets.borrow_mut().insert(info.locations, Rc::clone(&found));
        found
    }

    fn target(&self, location: &Location) -> Target {
        let kind = self.memory.points_to.objects()[location.object].kind;
        let has_offset = !matches!(kind, ObjectKind::Function(_));
        let mut names = self.names.borrow_mut();
        let offset = has_offset.then(|| names.offsets(location.offsets));
        Target { object: names.object(location.object), offset }
    }
}

/// What is in one of them.
fn union(mut sets: Vec<Targets>) -> Targets {
    sets.dedup();
    match sets.pop() {
        Some(only) if sets.is_empty() => only,
        last => sorted(sets.iter().chain(&last).flat_map(|set| set.iter().cloned())).into(),
    }
}

/// Parameters, then locals in memory, then computed pointers: those of one variable at one line together.
fn pointers(known: &Known<'_>, func: FuncId) -> Vec<Pointer> {
    let memory = known.memory;
    let function = &memory.program.functions[func];
    let definitions = Definitions::new(function);
    let name = |v: ValueId| function.values[v].name.clone().unwrap_or_else(|| v.to_string());
    let mut found: Vec<Pointer> = Vec::new();
    let mut local: BTreeMap<ValueId, Vec<Targets>> = BTreeMap::new();
    for (id, object) in memory.points_to.objects().iter() {
        if let ObjectKind::Stack { instance, value } = object.kind
            && memory.points_to.instances()[instance].func == func
        {
            local.entry(value).or_default().push(known.targets(memory.points_to.contents(id)));
        }
    }
    let mut computed: BTreeMap<(ValueId, String, Option<String>), Vec<Targets>> = BTreeMap::new();
    let mut first: BTreeMap<(String, Option<String>), ValueId> = BTreeMap::new();
    for (value, what) in function.values.iter() {
        if what.ty != Type::Ptr {
            continue;
        }
        let info = || known.targets(memory.points_to.pointer_info(func, value.into()));
        let at = match definitions.of(value) {
            Some(Definition::Argument(_)) => {
                found.push(Pointer { name: name(value), kind: "parameter", at: None, targets: info() });
                continue;
            }
            Some(Definition::Parameter(block, _)) => Some(ProgramPoint { func, block, inst: 0 }),
            Some(Definition::Inst(block, at)) => {
                let op = &function.blocks[block].insts[at].op;
                // A local's own address, and what is derived from a pointer that is shown, say nothing new.
                let says_nothing =
                    matches!(op, Op::Alloca { .. }) || what.name.is_none() && matches!(op, Op::Address { .. });
                if says_nothing {
                    continue;
                }
                Some(ProgramPoint { func, block, inst: u32::try_from(at).unwrap_or(u32::MAX) })
            }
            None => None,
        };
        let at = at.and_then(|at| source(memory.program, at.loc(memory.program)));
        let first = *first.entry((name(value), at.clone())).or_insert(value);
        computed.entry((first, name(value), at)).or_default().push(info());
    }
    for (value, contents) in local {
        let targets = union(contents);
        if !targets.is_empty() {
            found.push(Pointer { name: name(value), kind: "local", at: None, targets });
        }
    }
    let computed = computed.into_iter().map(|((_, name, at), targets)| Pointer {
        name,
        kind: "value",
        at,
        targets: union(targets),
    });
    found.extend(computed);
    found
}

/// Objects of one name are shown as one; none if there is no time to look at all.
fn all_objects(known: &Known<'_>, cut: &Cut<'_>) -> Vec<Object> {
    let memory = known.memory;
    let mut found: BTreeMap<String, Object> = BTreeMap::new();
    for (id, object) in memory.points_to.objects().iter().filter(|(id, _)| memory.shows(*id)) {
        if !cut.goes_on() {
            return Vec::new();
        }
        if matches!(object.kind, ObjectKind::Function(_) | ObjectKind::Outside | ObjectKind::PlainConstants) {
            continue;
        }
        let name = memory.name(id);
        let contents = known.targets(memory.points_to.contents(id));
        let entry = found.entry(name.clone()).or_insert_with(|| Object {
            name,
            kind: kind(memory.program, object.kind),
            size: object.size,
            contents: Rc::new([]),
        });
        entry.size = entry.size.filter(|_| entry.size == object.size);
        entry.contents = union(vec![Rc::clone(&entry.contents), contents]);
    }
    found.into_values().collect()
}

pub(super) fn text(
    document: &Document<'_, impl Iterator<Item = Entry>, impl Iterator<Item = Object>>,
    out: Out<'_>,
) -> io::Result<()> {
    for entry in document.functions.take() {
        let at = entry.at.as_ref().map(|at| format!(" ({at})")).unwrap_or_default();
        writeln!(out, "{}{at}", entry.name)?;
        for pointer in &entry.pointers {
            let at = match &pointer.at {
                Some(at) => format!("@{at}"),
                None => format!(" ({})", pointer.kind),
            };
            writeln!(out, "  {}{at} -> {}", pointer.name, some(&pointer.targets))?;
        }
    }
    let mut with_contents = document.objects.take().filter(|o| !o.contents.is_empty()).peekable();
    if with_contents.peek().is_some() {
        writeln!(out, "\nobjects with pointers in them:")?;
    }
    for object in with_contents {
        writeln!(out, "  {} ({}) -> {}", object.name, object.kind, some(&object.contents))?;
    }
    for note in &document.notes {
        writeln!(out, "\nnote: {note}")?;
    }
    let Counts { instances, objects, locations, cells, nodes, edges, waves } = document.statistics;
    writeln!(
        out,
        "\n{instances} instances of functions, {objects} objects, {locations} locations, {cells} cells; {nodes} nodes, \
         {edges} edges, {waves} waves"
    )
}

pub(super) fn dot(
    document: &Document<'_, impl Iterator<Item = Entry>, impl Iterator<Item = Object>>,
    out: Out<'_>,
) -> io::Result<()> {
    writeln!(out, "digraph pointsto {{\n  rankdir=LR;")?;
    writeln!(out, "  node [shape=box, fontname=\"monospace\", fontsize=10];")?;
    let mut edges: BTreeSet<(String, Rc<str>)> = BTreeSet::new();
    for entry in document.functions.take() {
        for pointer in &entry.pointers {
            let from = format!("{}@{}", pointer.name, entry.name);
            writeln!(out, "  {} [style=rounded];", quoted(&from))?;
            edges.extend(pointer.targets.iter().map(|t| (from.clone(), Rc::clone(&t.object))));
        }
    }
    for object in document.objects.take() {
        edges.extend(object.contents.iter().map(|t| (object.name.clone(), Rc::clone(&t.object))));
    }
    for (from, to) in edges {
        writeln!(out, "  {} -> {};", quoted(&from), quoted(&to))?;
    }
    for reason in document.reasons.0.reasons() {
        writeln!(out, "  // incomplete: {}", reason.message)?;
    }
    writeln!(out, "}}")
}

#[cfg(test)]
mod tests {
    use icsched_ir::Program;
    use icsched_pointsto::{Options, PointsTo};
    use serde_json::Value;

    use super::*;
    use crate::config::{Limit, Limits, ProgramConfig, Sources};
    use crate::inspect::{Format, Inspected, Selection};

    /// Asks to stop as soon as a function has been written.
    struct Impatient<'i> {
        inspected: &'i Inspected,
        until: &'static str,
        written: Vec<u8>,
    }

    impl io::Write for Impatient<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.written.extend_from_slice(bytes);
            if String::from_utf8_lossy(&self.written).contains(self.until) {
                self.inspected.limits.stop.ask(Limit::Time);
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn two_functions() -> Program {
        let text = "global @list size 8 align 8
            function @main(%v0: i32, %v1: ptr) -> i32 {
            at0:
                store [@list], %v1
                call @second(%v1)
                return 0
            }
            function @second(%v0: ptr) {
            at0:
                return
            }";
        icsched_ir::parse(text).unwrap_or_else(|error| panic!("{error}"))
    }

    /// What is written by somebody who wants to stop at these words.
    fn written(format: Format, until: &'static str) -> String {
        let program = two_functions();
        let points_to = PointsTo::new(&program, &Options::default()).expect("nothing interrupts it");
        let selection = Selection { format, models: false, function: None, closed: false };
        let memory = Memory { program: &program, points_to: &points_to, selection: &selection };
        let sources = Sources { files: vec!["p.ll".into()], ..Sources::default() };
        let inspected = Inspected::new(ProgramConfig::new(sources), Limits::default());
        let (known, cut) = (Known::new(&memory), Cut::new(&inspected));
        let document = document(&known, &cut);
        let mut out = Impatient { inspected: &inspected, until, written: Vec::new() };
        match format {
            Format::Text => text(&document, &mut out),
            Format::Json => crate::inspect::answer::write_json(&document, &mut out),
            Format::Dot => dot(&document, &mut out),
        }
        .expect("a vector takes everything");
        String::from_utf8(out.written).expect("it is text")
    }

    fn json(until: &'static str) -> Value {
        serde_json::from_str(&written(Format::Json, until)).expect("it is whole JSON")
    }

    #[test]
    fn a_listing_that_is_cut_says_so() {
        let lengths = |document: &Value| {
            ["functions", "objects", "reasons"].map(|key| document[key].as_array().map_or(0, Vec::len))
        };
        let whole = json("there are no such words");
        let [functions, objects, reasons] = lengths(&whole);
        assert!(functions == 2 && objects > 0 && reasons == 0 && whole["complete"] == true, "{whole}");
        let cut = json("\"main\"");
        assert_eq!((lengths(&cut), &cut["complete"]), ([1, 0, 1], &false.into()), "{cut}");
        assert_eq!(cut["reasons"][0]["message"], "the time limit was reached (--timeout)");
        let early = json("objects");
        assert_eq!((lengths(&early), &early["complete"]), ([2, 0, 1], &false.into()), "{early}");
    }

    #[test]
    fn pictures_and_text_end_early_too() {
        let picture = written(Format::Dot, "main");
        assert!(picture.ends_with("  // incomplete: the time limit was reached (--timeout)\n}\n"), "{picture}");
        let text = written(Format::Text, "main");
        assert!(text.contains("main") && !text.contains("second"), "{text}");
    }
}

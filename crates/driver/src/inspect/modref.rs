//! What code may write, read and synchronise, and what threads share.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write as _};
use std::rc::Rc;

use icsched_ir::{BlockId, FuncId, Function, ProgramPoint, Terminator};
use icsched_pointsto::{AccessSet, InstanceId, ModRef, ObjectKind, Region, Regions, SetId, Startup};
use serde::Serialize;

use super::memory::{Memory, Names, kind, some, sorted};
use super::place::{place, quoted, source};

/// Name and version of the document.
pub(super) const SCHEMA: &str = "icsched/inspect-modref/1";

#[derive(Serialize)]
pub(super) struct Document {
    schema: &'static str,
    program: String,
    functions: Vec<Entry>,
    /// Empty when one function is asked for.
    objects: Vec<Object>,
    /// What the analysis did not know and took the worst of.
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Entry {
    name: String,
    at: Option<String>,
    /// As callers see it: without the function's own locals.
    #[serde(flatten)]
    effects: Effects,
    loops: Vec<Part>,
    branches: Vec<Part>,
}

/// A loop, named by its header, or what may happen between a branch and its postdominator.
#[derive(Serialize)]
struct Part {
    at: String,
    block: String,
    #[serde(flatten)]
    effects: Effects,
}

#[derive(PartialEq, Serialize)]
struct Effects {
    synchronises: bool,
    /// Code that is not known may write anything.
    writes_everything: bool,
    writes: Rc<[Piece]>,
    reads: Rc<[Piece]>,
}

/// Some bytes of an object.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Piece {
    object: Rc<str>,
    /// `+8`, `+4+8k` for every eighth byte from the fourth, `+*` for any.
    offset: Rc<str>,
    /// Null for all up to the object's end.
    bytes: Option<u64>,
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bytes {
            _ if &*self.offset == "+*" => f.write_str(&self.object),
            Some(bytes) => write!(f, "{}{}:{bytes}", self.object, self.offset),
            None => write!(f, "{}{}:*", self.object, self.offset),
        }
    }
}

#[derive(Serialize)]
struct Object {
    name: String,
    kind: &'static str,
    /// Whether threads other than the one that made it may access it.
    shared: bool,
    /// Whether every write happens before the first thread is created.
    written_before_threads: bool,
}

pub(super) fn document(memory: &Memory<'_>) -> Document {
    let program = memory.program;
    let harmless = |f: &Function| icsched_externals::known_not_to_synchronise(&f.name, f.params.len());
    let modref = ModRef::new(program, memory.points_to, &harmless);
    let branches: usize = memory.functions().map(|(_, function)| branching(function).count()).sum();
    let in_parts = memory.selection.function.is_some() || branches <= MAX_BRANCHES;
    let mut view = View {
        modref: &modref,
        regions: Regions::new(&modref),
        names: Names::new(memory),
        of_functions: HashMap::new(),
        in_parts,
    };
    let functions = memory.functions().map(|(id, function)| view.entry(id, function)).collect();
    let mut notes = memory.notes();
    if !in_parts {
        notes
            .push(format!("loops and {branches} branches are left out; `--function NAME` shows those of one function"));
    }
    let objects = if memory.selection.function.is_none() { objects(memory, &modref) } else { Vec::new() };
    Document { schema: SCHEMA, program: program.name.clone(), functions, objects, notes }
}

/// In programs with more branches, loops and branches are shown of one function at a time only.
const MAX_BRANCHES: usize = 2_000;

fn branching(function: &Function) -> impl Iterator<Item = (BlockId, usize)> {
    let branching = function.blocks.iter().filter(|(_, b)| matches!(b.terminator, Terminator::Branch { .. }));
    branching.map(|(block, body)| (block, body.insts.len()))
}

struct View<'m, 'p> {
    modref: &'m ModRef<'p>,
    regions: Regions<'m, 'p>,
    names: Names<'m>,
    /// What sets of functions were shown as: many have the same.
    of_functions: HashMap<SetId, Rc<[Piece]>>,
    /// Whether loops and branches are shown.
    in_parts: bool,
}

impl View<'_, '_> {
    fn entry(&mut self, func: FuncId, function: &Function) -> Entry {
        let program = self.names.memory.program;
        let of = self.modref.of_function(func);
        let effects = Effects {
            synchronises: of.synchronises,
            writes_everything: self.modref.set(of.mods).is_everything(),
            writes: self.of_function(of.mods),
            reads: self.of_function(of.refs),
        };
        let (name, at) = (function.name.clone(), source(program, function.loc));
        if !self.in_parts {
            return Entry { name, at, effects, loops: Vec::new(), branches: Vec::new() };
        }
        let headers = self.regions.loops(func);
        let loops = headers.into_iter().map(|(id, header)| {
            let effects = self.united(func, |regions, instance| regions.of_loop(instance, id));
            self.part(func, header, 0, effects)
        });
        let loops = loops.collect();
        let branches = branching(function).map(|(block, end)| {
            let effects = self.united(func, |regions, instance| regions.of_branch(instance, block));
            self.part(func, block, end, effects)
        });
        let branches = branches.collect();
        Entry { name, at, effects, loops, branches }
    }

    fn part(&self, func: FuncId, block: BlockId, inst: usize, effects: Effects) -> Part {
        let at = ProgramPoint { func, block, inst: u32::try_from(inst).unwrap_or(u32::MAX) };
        Part { at: place(self.names.memory.program, at), block: block.to_string(), effects }
    }

    /// Over all instances of a function.
    fn united<R: AsRef<Region>>(
        &mut self,
        func: FuncId,
        mut of: impl FnMut(&mut Regions<'_, '_>, InstanceId) -> R,
    ) -> Effects {
        let mut all = Region::default();
        for &instance in self.names.memory.points_to.instances_of(func) {
            all.unite(of(&mut self.regions, instance).as_ref());
        }
        self.effects(all.synchronises, &all.mods, &all.refs)
    }

    fn effects(&mut self, synchronises: bool, mods: &AccessSet, refs: &AccessSet) -> Effects {
        let (writes, reads) = (self.pieces(mods), self.pieces(refs));
        Effects { synchronises, writes_everything: mods.is_everything(), writes, reads }
    }

    fn of_function(&mut self, set: SetId) -> Rc<[Piece]> {
        if let Some(known) = self.of_functions.get(&set) {
            return Rc::clone(known);
        }
        let pieces = self.pieces(self.modref.set(set));
        self.of_functions.insert(set, Rc::clone(&pieces));
        pieces
    }

    fn pieces(&mut self, set: &AccessSet) -> Rc<[Piece]> {
        let names = &mut self.names;
        let pieces = self.modref.pieces(set).into_iter().filter(|p| names.memory.shows(p.object)).collect::<Vec<_>>();
        let pieces = pieces.into_iter().map(|p| Piece {
            object: names.object(p.object),
            offset: names.offsets(p.offsets),
            bytes: p.bytes,
        });
        sorted(pieces).into()
    }
}

/// Objects of one name are shown as one.
fn objects(memory: &Memory<'_>, modref: &ModRef<'_>) -> Vec<Object> {
    let startup = Startup::new(modref);
    let mut found: BTreeMap<String, Object> = BTreeMap::new();
    for (id, object) in memory.points_to.objects().iter().filter(|(id, _)| memory.shows(*id)) {
        if matches!(
            object.kind,
            ObjectKind::Function(_) | ObjectKind::MovedFunctions | ObjectKind::Outside | ObjectKind::PlainConstants
        ) {
            continue;
        }
        let early = startup.written_early_only(modref, id, 0, object.size.unwrap_or(u64::MAX));
        let name = memory.name(id);
        let entry = found.entry(name.clone()).or_insert_with(|| Object {
            name,
            kind: kind(memory.program, object.kind),
            shared: false,
            written_before_threads: true,
        });
        entry.shared |= modref.escape().is_shared(id);
        entry.written_before_threads &= early;
    }
    found.into_values().collect()
}

pub(super) fn text(document: &Document) -> String {
    let mut out = String::new();
    write_text(&mut out, document).expect("writing to a string does not fail");
    out
}

fn write_text(out: &mut String, document: &Document) -> fmt::Result {
    for entry in &document.functions {
        let at = entry.at.as_ref().map(|at| format!(" ({at})")).unwrap_or_default();
        writeln!(out, "{}{at}: {}", entry.name, entry.effects)?;
        for part in &entry.loops {
            writeln!(out, "  loop {} ({}): {}", part.block, part.at, part.effects)?;
        }
        for part in &entry.branches {
            writeln!(out, "  branch {} ({}): {}", part.block, part.at, part.effects)?;
        }
    }
    let mut list = |title: &str, wanted: &dyn Fn(&Object) -> bool| -> fmt::Result {
        let names: Vec<&str> = document.objects.iter().filter(|o| wanted(o)).map(|o| o.name.as_str()).collect();
        if names.is_empty() { Ok(()) } else { writeln!(out, "\n{title}: {}", names.join(", ")) }
    };
    list("shared between threads", &|o| o.shared && !o.written_before_threads)?;
    list("shared between threads, and written only before there are any", &|o| o.shared && o.written_before_threads)?;
    list("of one thread", &|o| !o.shared)?;
    for note in &document.notes {
        writeln!(out, "\nnote: {note}")?;
    }
    Ok(())
}

impl fmt::Display for Effects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        if self.synchronises {
            parts.push("synchronises".to_owned());
        }
        if self.writes_everything {
            parts.push("writes anything".to_owned());
        } else if !self.writes.is_empty() {
            parts.push(format!("writes {}", some(&self.writes)));
        }
        if !self.reads.is_empty() {
            parts.push(format!("reads {}", some(&self.reads)));
        }
        f.write_str(if parts.is_empty() { "nothing" } else { "" })?;
        f.write_str(&parts.join("; "))
    }
}

pub(super) fn dot(document: &Document) -> String {
    let mut out = String::from("digraph modref {\n  rankdir=LR;\n");
    out += "  node [shape=box, fontname=\"monospace\", fontsize=10];\n";
    let mut edges: Vec<String> = Vec::new();
    for entry in &document.functions {
        let border = if entry.effects.synchronises { ", peripheries=2" } else { "" };
        out += &format!("  {} [style=rounded{border}];\n", quoted(&entry.name));
        for (pieces, style) in [(&entry.effects.writes, ""), (&entry.effects.reads, " [style=dashed]")] {
            let from = quoted(&entry.name);
            edges.extend(pieces.iter().map(|p| format!("  {from} -> {}{style};\n", quoted(&p.object))));
        }
    }
    edges.sort_unstable();
    edges.dedup();
    out + &edges.concat() + "}\n"
}

//! Who calls whom, from where.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use icsched_ir::{Callee, Const, Definitions, Expressions, FuncId, Op, Operand, Origin, Program, ProgramPoint};
use icsched_pointsto::PointsTo;
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use serde::Serialize;

use super::asked::Selection;
use super::place::{place, quoted, source};
use super::targets::Targets;

/// Name and version of the document.
pub(super) const SCHEMA: &str = "icsched/inspect-callgraph/1";

#[derive(Serialize)]
pub(super) struct Document {
    schema: &'static str,
    program: String,
    functions: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: String,
    at: Option<String>,
    origin: &'static str,
    /// Whether a run from `main` can get to it, by calls, threads or pointers that it was given.
    reachable: bool,
    /// Whether it may call itself, directly or through others that are shown.
    recursive: bool,
    /// The other functions of its cycle.
    cycle: Vec<String>,
    address_taken: bool,
    calls: Vec<Call>,
}

#[derive(Serialize)]
struct Call {
    at: String,
    #[serde(flatten)]
    how: How,
    targets: Vec<String>,
}

#[derive(Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum How {
    Direct,
    /// Through a pointer, as C text.
    Indirect {
        through: String,
    },
    /// A library function starts a thread with the targets.
    Thread {
        by: String,
    },
    /// A library function is given the targets to call.
    Callback {
        by: String,
    },
    /// An engine operation of a model.
    Intrinsic,
}

pub(super) fn document(program: &Program, points_to: &PointsTo, selection: &Selection) -> Document {
    let targets = Targets::new(program, points_to);
    let shown = |f: FuncId| selection.models || program.functions[f].origin == Origin::Program;
    // The one function that is asked for may be on a cycle with others.
    let all = program.functions.iter().filter(|(id, f)| !f.is_declaration() && (shown(*id) || selection.shows(f)));
    let defined: Vec<FuncId> = all.map(|(id, _)| id).collect();
    let calls = |id: &FuncId| calls(program, &targets, *id, &shown);
    let mut functions: Vec<Entry> = defined
        .iter()
        .map(|&id| {
            let function = &program.functions[id];
            Entry {
                name: function.name.clone(),
                at: source(program, function.loc),
                origin: if function.origin == Origin::Model { "model" } else { "program" },
                reachable: targets.is_reached(id),
                recursive: false,
                cycle: Vec::new(),
                address_taken: targets.is_address_taken(id),
                calls: calls(&id),
            }
        })
        .collect();
    mark_cycles(&mut functions);
    functions.retain(|entry| selection.function.as_ref().is_none_or(|name| *name == entry.name));
    Document { schema: SCHEMA, program: program.name.clone(), functions }
}

/// Finds the cycles of the calls that are shown. Through the library everything may call everything that the library is
/// given, which says nothing of the program.
fn mark_cycles(functions: &mut [Entry]) {
    let mut graph = DiGraph::<(), ()>::new();
    let nodes: BTreeMap<String, NodeIndex> = functions.iter().map(|f| (f.name.clone(), graph.add_node(()))).collect();
    for (entry, &from) in functions.iter().map(|f| (f, &nodes[&f.name])) {
        let during = entry.calls.iter().filter(|call| !matches!(call.how, How::Thread { .. } | How::Intrinsic));
        for to in during.flat_map(|call| &call.targets).filter_map(|name| nodes.get(name)) {
            graph.update_edge(from, *to, ());
        }
    }
    for component in tarjan_scc(&graph) {
        let names: BTreeSet<String> = component.iter().map(|node| functions[node.index()].name.clone()).collect();
        for &node in &component {
            let entry = &mut functions[node.index()];
            entry.recursive = component.len() > 1 || graph.contains_edge(node, node);
            entry.cycle = names.iter().filter(|name| **name != entry.name).cloned().collect();
        }
    }
}

/// The calls of a function, in the order of its code. Calls of the library are left out unless they are `shown`.
fn calls(program: &Program, targets: &Targets<'_>, func: FuncId, shown: &dyn Fn(FuncId) -> bool) -> Vec<Call> {
    let function = &program.functions[func];
    let definitions = Definitions::new(function);
    let text = Expressions::new(program, function, &definitions);
    let name = |f: FuncId| program.functions[f].name.clone();
    let mut found = Vec::new();
    for (block, body) in function.blocks.iter() {
        for (inst, at) in body.insts.iter().zip(0..) {
            let Op::Call { callee, args } = &inst.op else { continue };
            let point = ProgramPoint { func, block, inst: at };
            let mut add = |how: How, targets: Vec<String>| found.push(Call { at: place(program, point), how, targets });
            let names =
                |found: Vec<FuncId>| -> Vec<String> { found.into_iter().filter(|&f| shown(f)).map(name).collect() };
            match callee {
                Callee::Direct(f) | Callee::Indirect(Operand::Const(Const::Func(f))) if shown(*f) => {
                    add(How::Direct, vec![name(*f)]);
                }
                Callee::Direct(_) | Callee::Indirect(Operand::Const(Const::Func(_))) => {}
                Callee::Indirect(pointer) => {
                    let reached = targets.of_call(point, *pointer, args.len());
                    add(How::Indirect { through: text.operand(*pointer) }, names(reached));
                }
                Callee::Intrinsic(intrinsic) => {
                    if shown(func) && function.origin == Origin::Model {
                        add(How::Intrinsic, vec![intrinsic.name().to_owned()]);
                    }
                }
            }
            for callback in targets.callbacks(&inst.op) {
                let Callee::Direct(f) = callee else { continue };
                let by = name(*f);
                let how = if callback.is_thread { How::Thread { by } } else { How::Callback { by } };
                add(how, names(targets.of_pointer(func, callback.pointer)));
            }
        }
    }
    found
}

/// Most targets of a call that are written out in text.
const SHOWN_TARGETS: usize = 8;

pub(super) fn text(document: &Document) -> String {
    let mut out = String::new();
    let (reachable, unreachable): (Vec<_>, Vec<_>) = document.functions.iter().partition(|f| f.reachable);
    for entry in reachable {
        function_text(&mut out, entry).expect("writing to a string does not fail");
    }
    if !unreachable.is_empty() {
        out += "\nnot reachable from main:\n";
    }
    for entry in unreachable {
        let at = entry.at.as_ref().map(|at| format!(" ({at})")).unwrap_or_default();
        writeln!(out, "  {}{at}", entry.name).expect("writing to a string does not fail");
    }
    out
}

fn function_text(out: &mut String, entry: &Entry) -> std::fmt::Result {
    write!(out, "{}", entry.name)?;
    if let Some(at) = &entry.at {
        write!(out, " ({at})")?;
    }
    if entry.origin == "model" {
        write!(out, ", model")?;
    }
    match &entry.cycle[..] {
        [] if entry.recursive => write!(out, ", recursive")?,
        [] => {}
        others => write!(out, ", recursive with {}", some(others))?,
    }
    writeln!(out)?;
    for call in &entry.calls {
        let targets = if call.targets.is_empty() { "nothing that is known".to_owned() } else { some(&call.targets) };
        let line = match &call.how {
            How::Direct | How::Intrinsic => format!("calls {targets}"),
            How::Indirect { through } => format!("calls {through}: {targets}"),
            How::Thread { by } => format!("starts a thread in {targets} ({by})"),
            How::Callback { by } => format!("gives {targets} to {by}"),
        };
        writeln!(out, "  {}: {line}", call.at)?;
    }
    Ok(())
}

fn some(names: &[String]) -> String {
    match names.len() {
        0..=SHOWN_TARGETS => names.join(", "),
        many => format!("{} and {} more", names[..SHOWN_TARGETS].join(", "), many - SHOWN_TARGETS),
    }
}

pub(super) fn dot(document: &Document) -> String {
    let mut out = String::from("digraph callgraph {\n  rankdir=LR;\n");
    out += "  node [shape=box, style=rounded, fontname=\"monospace\", fontsize=10];\n";
    for entry in &document.functions {
        let label = format!("{}\n{}", entry.name, entry.at.as_deref().unwrap_or(entry.origin));
        let colour = if entry.reachable { "" } else { ", color=gray, fontcolor=gray" };
        let border = if entry.recursive { ", peripheries=2" } else { "" };
        out += &format!("  {} [label={}{border}{colour}];\n", quoted(&entry.name), quoted(&label));
    }
    // One edge per pair and kind, however many calls there are.
    let mut edges: Vec<String> = Vec::new();
    for entry in &document.functions {
        for call in &entry.calls {
            let style = match call.how {
                How::Direct => "",
                How::Indirect { .. } => " [style=dashed]",
                How::Thread { .. } => " [color=blue, label=\"thread\"]",
                How::Callback { .. } => " [style=dashed, color=gray]",
                How::Intrinsic => continue,
            };
            let from = quoted(&entry.name);
            edges.extend(call.targets.iter().map(|to| format!("  {from} -> {}{style};\n", quoted(to))));
        }
    }
    edges.sort_unstable();
    edges.dedup();
    out + &edges.concat() + "}\n"
}

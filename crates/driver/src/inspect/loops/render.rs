//! Loops for people.

use std::fmt::Write as _;

use super::super::place::quoted;
use super::{Block, Document, FunctionEntry, Iterations, LoopEntry};

pub(in super::super) fn text(document: &Document) -> String {
    if document.functions.is_empty() {
        return "no loops\n".to_owned();
    }
    let mut out = String::new();
    for function in &document.functions {
        write!(out, "{}", function.name).expect("writing to a string does not fail");
        if let Some(at) = &function.at {
            write!(out, " ({at})").expect("writing to a string does not fail");
        }
        out.push('\n');
        // The list has outer loops first, not each with its own.
        for root in 0..function.loops.len() {
            if function.loops[root].parent.is_none() {
                nest(&mut out, function, root).expect("writing to a string does not fail");
            }
        }
    }
    out
}

/// Writes a loop and those inside it. Their number on the way in is bounded by nothing, so this has its own stack.
fn nest(out: &mut String, function: &FunctionEntry, root: usize) -> std::fmt::Result {
    let mut work = vec![root];
    while let Some(at) = work.pop() {
        loop_text(out, &function.loops[at])?;
        // Inner loops stand behind outer ones.
        let inner = (at..function.loops.len()).rev().filter(|&l| function.loops[l].parent == Some(at));
        work.extend(inner);
    }
    Ok(())
}

fn loop_text(out: &mut String, l: &LoopEntry) -> std::fmt::Result {
    // Deeper than that nobody reads.
    let indent = "  ".repeat(l.depth.min(20) as usize);
    write!(out, "{indent}loop {}", spot(&l.header))?;
    match &l.iterations {
        Some(iterations) => writeln!(out, ": {}", times(iterations))?,
        None => writeln!(out)?,
    }
    writeln!(out, "{indent}  ends: {}", ends(l))?;
    if l.irreducible {
        let entries: Vec<String> = l.entries.iter().map(spot).collect();
        writeln!(out, "{indent}  irreducible, entered at {}", entries.join(", "))?;
    }
    for variable in &l.variables {
        let step = match variable.step.strip_prefix('-') {
            Some(number) if number.bytes().all(|b| b.is_ascii_digit()) => format!("-= {number}"),
            _ => format!("+= {}", variable.step),
        };
        let from = if variable.start == variable.name { String::new() } else { format!(", from {}", variable.start) };
        writeln!(out, "{indent}  {} {step}{from}", variable.name)?;
    }
    for derived in &l.derived {
        if let Some(name) = derived.name.as_ref().filter(|name| **name != derived.variable) {
            writeln!(out, "{indent}  {name} = {} * {} + {}", derived.variable, derived.scale, derived.offset)?;
        }
    }
    for test in &l.tests {
        let at = test.at.as_ref().map(|at| format!(" at {at}")).unwrap_or_default();
        writeln!(out, "{indent}  goes on while {}{at}", test.condition)?;
    }
    for exit in &l.exits {
        writeln!(out, "{indent}  left from {} to {}", spot(&exit.from), spot(&exit.to))?;
    }
    Ok(())
}

/// Whether a loop ends: `proved (i counts up to n)`.
fn ends(l: &LoopEntry) -> String {
    let why = l.ends.because.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
    let rests_on = if l.ends.verdict == "proved" || l.ends.rests_on.is_empty() {
        String::new()
    } else {
        format!(", of {}", l.ends.rests_on.join(" and "))
    };
    format!("{}{why}{rests_on}", l.ends.verdict)
}

fn spot(block: &Block) -> String {
    match &block.at {
        Some(at) => format!("{} ({at})", block.block),
        None => block.block.clone(),
    }
}

fn times(iterations: &Iterations) -> String {
    let Iterations { text, exact, endless, proviso, .. } = iterations;
    if *endless {
        return "endless".to_owned();
    }
    let bound = if *exact { "" } else { "at most " };
    let condition = if proviso.is_empty() { String::new() } else { format!(", if {}", proviso.join(" and ")) };
    format!("{bound}{text} times{condition}")
}

pub(in super::super) fn dot(document: &Document) -> String {
    let mut out =
        String::from("digraph loops {\n  node [shape=box, style=rounded, fontname=\"monospace\", fontsize=10];\n");
    for function in &document.functions {
        let name = |at: usize| quoted(&format!("{} {}", function.name, function.loops[at].header.block));
        writeln!(out, "  {} [shape=plain];", quoted(&function.name)).expect("writing to a string does not fail");
        for (at, l) in function.loops.iter().enumerate() {
            let count = l.iterations.as_ref().map(|count| format!("\n{}", times(count))).unwrap_or_default();
            let irreducible = if l.irreducible { "\nirreducible" } else { "" };
            let label = quoted(&format!("{}{count}{irreducible}", spot(&l.header)));
            let around = l.parent.map_or_else(|| quoted(&function.name), name);
            writeln!(out, "  {} [label={label}];\n  {around} -> {};", name(at), name(at))
                .expect("writing to a string does not fail");
        }
    }
    out + "}\n"
}

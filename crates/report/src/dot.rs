//! Graphviz: one digraph per schedule, one cluster per thread.

use std::fmt::Write as _;

use icsched_schedule::{HbNode, NodeId, ScheduleEnd};

use crate::view::{ScheduleView, View};
use crate::words;

/// Renders every schedule that is shown.
pub fn render(view: &View<'_>) -> String {
    let mut out = String::new();
    for (_, schedule) in view.schedules() {
        digraph(&mut out, schedule).expect("writing to a string does not fail");
    }
    out
}

fn digraph(out: &mut String, view: &ScheduleView<'_>) -> std::fmt::Result {
    let schedule = view.schedule;
    let after = view.after.map(|after| format!("after schedule {after}: ")).unwrap_or_default();
    let title = format!("{after}{}\n{}", words::inputs(&schedule.constraint), words::end(&schedule.ends));
    writeln!(out, "digraph \"{}\" {{", schedule.id)?;
    writeln!(out, "  label={}; labelloc=t; rankdir=TB; newrank=true;", quoted(&title))?;
    writeln!(out, "  node [shape=box, style=rounded, fontname=\"monospace\", fontsize=10];")?;
    for (thread, nodes) in schedule.graph.threads() {
        writeln!(out, "  subgraph cluster_{thread} {{")?;
        writeln!(out, "    label=\"T{thread}\"; color=gray;")?;
        for node in nodes {
            writeln!(out, "    {} [label={}];", name(node.id()), quoted(&label(node)))?;
        }
        for pair in nodes.windows(2) {
            writeln!(out, "    {} -> {} [color=gray, weight=8];", name(pair[0].id()), name(pair[1].id()))?;
        }
        writeln!(out, "  }}")?;
    }
    for edge in schedule.graph.edges() {
        writeln!(out, "  {} -> {} [color=blue];", name(edge.from), name(edge.to))?;
    }
    if let ScheduleEnd::Deadlock { blocked } = &schedule.ends {
        for thread in blocked {
            let label =
                quoted(&format!("T{}: {}\n{}", thread.thread, words::call(&thread.op, &thread.object), thread.at));
            writeln!(out, "  blocked_{} [label={label}, color=red, fontcolor=red];", thread.thread)?;
        }
        for thread in blocked {
            if let Some(last) = schedule.graph.nodes().iter().rfind(|node| node.thread == thread.thread) {
                writeln!(out, "  {} -> blocked_{} [color=gray, weight=8];", name(last.id()), thread.thread)?;
            }
            if let Some(holder) = thread.holder.filter(|holder| blocked.iter().any(|b| b.thread == *holder)) {
                let (from, to) = (thread.thread, holder);
                writeln!(out, "  blocked_{from} -> blocked_{to} [color=red, label=\"waits for\", constraint=false];")?;
            }
        }
    }
    writeln!(out, "}}")
}

fn name(id: NodeId) -> String {
    format!("t{}_{}", id.thread, id.n)
}

fn label(node: &HbNode) -> String {
    format!("{}\n{}", words::node(node), words::place(node))
}

/// A quoted DOT string; each newline becomes a line break of the label.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

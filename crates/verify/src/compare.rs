//! Whether what was executed is what a schedule says.

use std::collections::BTreeSet;

use icsched_epochs::graph;
use icsched_ir::Program;
use icsched_machine::code::Code;
use icsched_machine::{Domain, PathEnd, State};
use icsched_schedule::{HappensBefore, HbNode, IncompleteKind, NodeId, NodeOutcome, Schedule, ScheduleEnd, ScheduleId};

/// What became of a path under a schedule's constraint.
pub(crate) enum Outcome {
    /// It follows the schedule to its end.
    Followed,
    /// The process ends on the way.
    Early,
    /// No state of the epoch takes it.
    Nobody,
    /// Something else happens.
    Wrong(String),
    /// It was cut.
    Cut(IncompleteKind, String),
}

/// Whether what was executed is a schedule.
pub(crate) fn compare<D: Domain>(
    schedule: &Schedule,
    program: &Program,
    code: &Code,
    state: &State<D>,
    end: &PathEnd,
) -> Outcome {
    let cut = |kind, how: String| Outcome::Cut(kind, how);
    let ends_process = match end {
        PathEnd::Infeasible | PathEnd::GoesRound => return Outcome::Nobody,
        PathEnd::Limit(limit) => return cut(IncompleteKind::Limit, format!("a path was cut: {}", words(*limit))),
        PathEnd::Unsupported { what, .. } => {
            return cut(IncompleteKind::Unsupported, format!("{what} is not supported"));
        }
        PathEnd::Unmodelled { function, .. } => {
            return cut(IncompleteKind::Unmodelled, format!("{function} has no model"));
        }
        PathEnd::LeftContext => {
            return cut(IncompleteKind::Unsupported, "threads have left the context of the epoch".to_owned());
        }
        PathEnd::Exit { .. } | PathEnd::Abort { .. } | PathEnd::AssertFailed { .. } | PathEnd::Error(_) => true,
        PathEnd::Deadlock { .. } | PathEnd::Endless { .. } | PathEnd::Epoch => false,
    };
    let own = match graph::happens_before(program, state) {
        Ok(own) => own,
        Err(error) => return cut(IncompleteKind::Unsupported, error.to_string()),
    };
    let own = as_schedule(&schedule.graph, &own).unwrap_or(own);
    let ends = graph::schedule_end(program, code, state, end);
    let follows = ScheduleId::of(&own, &ends) == ScheduleId::of(&schedule.graph, &schedule.ends);
    if let (ScheduleEnd::Exit { status: told @ Some(_) }, ScheduleEnd::Exit { status }) = (&schedule.ends, &ends)
        && told != status
    {
        return Outcome::Wrong(format!("inputs of it end with {}, the schedule with {}", exit(*status), exit(*told)));
    }
    // Who fails where nothing is synchronised any more is told apart from who exits.
    let is_end = |ends: &ScheduleEnd| matches!(ends, ScheduleEnd::Exit { .. } | ScheduleEnd::Abort { .. });
    let differs = is_end(&ends) && is_end(&schedule.ends) && own.is_same(&schedule.graph);
    if follows || (ends_process && !differs && own.is_prefix_of(&schedule.graph)) {
        if let Some(node) = own.nodes().iter().find(|node| !is_placed(&schedule.graph, node)) {
            return Outcome::Wrong(format!(
                "inputs of it execute {}{}, which it does not name",
                node.id(),
                place(node)
            ));
        }
        if let Some(how) = other_outcome(&schedule.graph, &own) {
            return Outcome::Wrong(how);
        }
        return if follows { Outcome::Followed } else { Outcome::Early };
    }
    Outcome::Wrong(difference(schedule, &own, &ends))
}

/// A call that returns something else than a schedule says.
fn other_outcome(graph: &HappensBefore, own: &HappensBefore) -> Option<String> {
    own.nodes().iter().find_map(|node| {
        let told = graph.node(node.id())?.outcome;
        let NodeOutcome::Returns(told) = told else { return None };
        let own = match node.outcome {
            NodeOutcome::Returns(own) if own != told => own.to_string(),
            NodeOutcome::Varies => "what inputs decide".to_owned(),
            NodeOutcome::Returns(_) | NodeOutcome::Unknown => return None,
        };
        let call = format!("{} ({}{})", node.id(), node.op, place(node));
        Some(format!("{call} returns {own} for inputs of it, where the schedule has {told}"))
    })
}

fn exit(status: Option<i32>) -> String {
    status.map_or_else(|| "an exit status that inputs decide".to_owned(), |status| format!("exit status {status}"))
}

/// Whether a graph says that a node may be called where this one is.
fn is_placed(graph: &HappensBefore, node: &HbNode) -> bool {
    graph.node(node.id()).is_some_and(|named| named.places().any(|at| *at == *node.at))
}

/// The alternatives of an object of which a schedule leaves open which one it is (Bergan 3.4.1.5): `a or b`,
/// `locks[*]`, `table[*].lock`.
fn alternatives(object: &str) -> Option<Vec<&str>> {
    let all: Vec<&str> = object.split(" or ").collect();
    (all.len() > 1 || object.contains("[*]")).then_some(all)
}

/// Whether an object is one of those that a schedule may mean.
fn is_meant(schedule: &HbNode, own: &HbNode) -> bool {
    let is_it = |meant: &str| is_any_of(meant, &own.object);
    schedule.object == own.object || alternatives(&schedule.object).is_some_and(|all| all.into_iter().any(is_it))
}

/// Whether a name is one of those that are meant by another one, with `[*]` for any index, offset or member.
fn is_any_of(meant: &str, name: &str) -> bool {
    let Some((start, end)) = meant.split_once("[*]") else { return meant == name };
    let between = name.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
    between.is_some_and(|between| between.is_empty() || between.starts_with(['[', '.', '+']))
}

/// A graph with the objects and the order of a schedule that leaves open which objects nodes are on, if it is one of
/// those that the schedule stands for: as far as it goes, its nodes are on objects that are meant, and nothing in it is
/// ordered that the schedule does not order.
fn as_schedule(schedule: &HappensBefore, own: &HappensBefore) -> Option<HappensBefore> {
    schedule.nodes().iter().find(|node| alternatives(&node.object).is_some())?;
    let predecessors = schedule.predecessors();
    let is_before = |from: NodeId, to: NodeId| {
        let (mut work, mut seen) = (vec![to], BTreeSet::from([to]));
        while let Some(node) = work.pop() {
            let previous = (node.n > 1).then(|| NodeId { n: node.n - 1, ..node });
            let others = predecessors.get(&node).into_iter().flatten().copied();
            work.extend(others.chain(previous).filter(|&node| seen.insert(node)));
        }
        seen.contains(&from)
    };
    let meant = |node: &HbNode| {
        let of_schedule = schedule.node(node.id()).filter(|of_schedule| is_meant(of_schedule, node))?;
        Some(HbNode { object: of_schedule.object.clone(), ..node.clone() })
    };
    let nodes: Vec<HbNode> = own.nodes().iter().map(meant).collect::<Option<_>>()?;
    if !own.edges().iter().all(|edge| is_before(edge.from, edge.to)) {
        return None;
    }
    let done = |id: NodeId| own.node(id).is_some();
    let edges = schedule.edges().iter().filter(|edge| done(edge.from) && done(edge.to)).copied();
    HappensBefore::from_parts(nodes, edges.collect()).ok()
}

/// Where an event is in the source, if it is anywhere: a thread that ends is not.
fn place(node: &HbNode) -> String {
    if node.at.is_empty() { String::new() } else { format!(" at {}", node.at) }
}

/// How a path differs from a schedule.
fn difference(schedule: &Schedule, own: &HappensBefore, ends: &ScheduleEnd) -> String {
    let graph = &schedule.graph;
    let strange = own.nodes().iter().find(|node| graph.node(node.id()).is_none_or(|other| !other.same_label(node)));
    if let Some(node) = strange {
        let id = node.id();
        let there =
            graph.node(id).map_or_else(|| "nothing".to_owned(), |n| format!("{} of {}{}", n.op, n.object, place(n)));
        return format!(
            "inputs of it do {} of {}{} as {id}, where the schedule has {there}",
            node.op,
            node.object,
            place(node)
        );
    }
    if let Some(node) = graph.nodes().iter().find(|node| own.node(node.id()).is_none()) {
        return format!("inputs of it never come to {} ({}{})", node.id(), node.op, place(node));
    }
    if let Some(edge) = own.edges().iter().find(|edge| !graph.edges().contains(edge)) {
        return format!("{} waits for {}, which the schedule does not say", edge.to, edge.from);
    }
    if let Some(edge) = graph.edges().iter().find(|edge| !own.edges().contains(edge)) {
        return format!("{} does not wait for {}, as the schedule says", edge.to, edge.from);
    }
    format!("inputs of it end in {ends}, the schedule in {}", schedule.ends)
}

fn words(limit: icsched_machine::Limit) -> String {
    icsched_epochs::limit_words(limit).1.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_an_open_index_means_all_of_them() {
        assert!(is_any_of("table[*].lock", "table[3].lock") && !is_any_of("table[*].lock", "table[3].other"));
        assert!(is_any_of("locks[*]", "locks[2]") && !is_any_of("locks[*]", "lockstep"));
        assert!(is_any_of("locks[*] in main", "locks+48 in main") && !is_any_of("locks[*] in main", "locks[1] in f"));
        assert!(is_any_of("heap (q.c:12)[*]", "heap (q.c:12)+48") && is_any_of("heap (q.c:12)[*]", "heap (q.c:12)"));
        assert!(is_any_of("table[*]", "table[0].lock") && is_any_of("lock", "lock"));
    }
}

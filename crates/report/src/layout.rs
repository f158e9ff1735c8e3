//! Places the nodes of a happens-before graph: one lane per thread, one row per node, in an order that could be
//! executed. Shared by the drawings in text and SVG.

use std::collections::BTreeMap;

use icsched_schedule::{Blocked, HappensBefore, NodeId, Schedule, ScheduleEnd};

/// How many rows of a long graph are kept at its end when the middle is left out; the others are at its start.
const ROWS_AT_END: usize = 12;

/// A graph placed on rows and lanes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout<'a> {
    /// The threads, by number; a lane is an index into this.
    pub threads: Vec<u32>,
    /// The rows, top down.
    pub rows: Vec<Row<'a>>,
    /// Per lane the first and last row its line spans; `None` for a thread that is only blocked.
    pub spans: Vec<Option<(usize, usize)>>,
}

/// One row of a drawing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Row<'a> {
    /// One or more nodes in a row that execute the same statement.
    Nodes {
        /// The first, as an index into the graph's nodes; the others follow there.
        first: usize,
        /// How many.
        count: usize,
        /// Their thread's lane.
        lane: usize,
        /// What they wait for.
        after: Vec<Predecessor>,
    },
    /// Nodes that are not shown.
    Elided {
        /// How many.
        count: usize,
    },
    /// A thread that cannot go on, at the end of a deadlock.
    Blocked {
        /// The thread's lane.
        lane: usize,
        /// What it waits for.
        blocked: &'a Blocked,
    },
}

/// A node of another thread that a row waits for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Predecessor {
    /// The node.
    pub id: NodeId,
    /// Its lane.
    pub lane: usize,
    /// Its row, or the one that stands for it.
    pub row: usize,
}

impl<'a> Layout<'a> {
    /// Places a schedule. With more than `max_rows` nodes, repetitions of one statement by one thread share a row, and
    /// what is still too much is left out in the middle.
    pub fn new(schedule: &'a Schedule, max_rows: usize) -> Self {
        let graph = &schedule.graph;
        let blocked = match &schedule.ends {
            ScheduleEnd::Deadlock { blocked } | ScheduleEnd::Endless { blocked, .. } => blocked.as_slice(),
            ScheduleEnd::Exit { .. }
            | ScheduleEnd::Epoch(_)
            | ScheduleEnd::Input { .. }
            | ScheduleEnd::Abort { .. }
            | ScheduleEnd::MemoryError { .. }
            | ScheduleEnd::Limit => &[],
        };
        let mut threads: Vec<_> = graph.threads().into_iter().map(|(thread, _)| thread).collect();
        threads.extend(blocked.iter().map(|b| b.thread));
        threads.sort_unstable();
        threads.dedup();
        let mut layout = Self { spans: vec![None; threads.len()], threads, rows: Vec::new() };
        layout.place_nodes(graph, max_rows);
        for blocked in blocked {
            let lane = layout.lane(blocked.thread);
            let row = layout.rows.len();
            layout.extend_span(lane, row);
            layout.rows.push(Row::Blocked { lane, blocked });
        }
        layout
    }

    /// Whether a lane's line crosses or touches a row.
    pub fn is_alive(&self, lane: usize, row: usize) -> bool {
        self.spans[lane].is_some_and(|(first, last)| first <= row && row <= last)
    }

    /// Whether a lane's line goes on below a row.
    pub fn continues_below(&self, lane: usize, row: usize) -> bool {
        self.spans[lane].is_some_and(|(first, last)| first <= row && row < last)
    }

    fn lane(&self, thread: u32) -> usize {
        self.threads.binary_search(&thread).expect("every thread that is drawn has a lane")
    }

    fn extend_span(&mut self, lane: usize, row: usize) {
        let span = self.spans[lane].get_or_insert((row, row));
        *span = (span.0.min(row), span.1.max(row));
    }

    fn place_nodes(&mut self, graph: &HappensBefore, max_rows: usize) {
        let order = graph.linearization();
        let predecessors = graph.predecessors();
        let groups = if order.len() > max_rows { repetitions(graph, &order) } else { order.chunks(1).collect() };
        let elided = if groups.len() > max_rows { elided_range(groups.len(), max_rows) } else { 0..0 };
        let mut row_of = BTreeMap::<NodeId, usize>::new();
        for (place, group) in groups.iter().enumerate() {
            let lane = self.lane(graph.nodes()[group[0]].thread);
            let ids = group.iter().map(|&node| graph.nodes()[node].id());
            if place == elided.start && !elided.is_empty() {
                let count = groups[elided.clone()].iter().map(|group| group.len()).sum();
                self.rows.push(Row::Elided { count });
            }
            if elided.contains(&place) {
                let row = self.rows.len() - 1;
                row_of.extend(ids.map(|id| (id, row)));
                self.extend_span(lane, row);
                continue;
            }
            let row = self.rows.len();
            let before = ids.clone().flat_map(|id| predecessors.get(&id).map_or(&[][..], Vec::as_slice));
            let before = before.map(|&id| Predecessor { id, lane: self.lane(id.thread), row: row_of[&id] });
            let after: Vec<_> = before.collect();
            row_of.extend(ids.map(|id| (id, row)));
            self.extend_span(lane, row);
            after.iter().for_each(|before| self.extend_span(before.lane, row));
            self.rows.push(Row::Nodes { first: group[0], count: group.len(), lane, after });
        }
    }
}

/// Cuts an order into runs of one statement in one thread.
fn repetitions<'a>(graph: &HappensBefore, order: &'a [usize]) -> Vec<&'a [usize]> {
    let same = |&a: &usize, &b: &usize| {
        let (a, b) = (&graph.nodes()[a], &graph.nodes()[b]);
        a.thread == b.thread && a.op == b.op && a.at == b.at && a.elsewhere == b.elsewhere
    };
    order.chunk_by(same).collect()
}

fn elided_range(len: usize, max_rows: usize) -> std::ops::Range<usize> {
    let at_end = ROWS_AT_END.min(max_rows / 3);
    max_rows - at_end..len - at_end
}

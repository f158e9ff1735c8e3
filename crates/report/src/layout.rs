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
    /// A node.
    Node {
        /// Index into the graph's nodes.
        node: usize,
        /// Its thread's lane.
        lane: usize,
        /// What it waits for: lane and row of each node that is drawn above, and its name.
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
    /// Places a schedule. With more than `max_rows` nodes, the middle ones are left out.
    pub fn new(schedule: &'a Schedule, max_rows: usize) -> Self {
        let graph = &schedule.graph;
        let blocked = match &schedule.ends {
            ScheduleEnd::Deadlock { blocked } => blocked.as_slice(),
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
        let elided = if order.len() > max_rows { elided_range(order.len(), max_rows) } else { 0..0 };
        let mut row_of = BTreeMap::<NodeId, usize>::new();
        for (place, &node) in order.iter().enumerate() {
            let id = graph.nodes()[node].id();
            let lane = self.lane(id.thread);
            if elided.contains(&place) {
                if place == elided.start {
                    self.rows.push(Row::Elided { count: elided.len() });
                }
                row_of.insert(id, self.rows.len() - 1);
                self.extend_span(lane, self.rows.len() - 1);
                continue;
            }
            let row = self.rows.len();
            let after = predecessors.get(&id).map_or(&[][..], Vec::as_slice);
            let after = after.iter().map(|&id| Predecessor { id, lane: self.lane(id.thread), row: row_of[&id] });
            let after: Vec<_> = after.collect();
            row_of.insert(id, row);
            self.extend_span(lane, row);
            after.iter().for_each(|before| self.extend_span(before.lane, row));
            self.rows.push(Row::Node { node, lane, after });
        }
    }
}

fn elided_range(len: usize, max_rows: usize) -> std::ops::Range<usize> {
    let at_end = ROWS_AT_END.min(max_rows / 3);
    max_rows - at_end..len - at_end
}

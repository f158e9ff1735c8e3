//! Solving the constraints: waves of difference propagation over a graph without cycles.
//!
//! F. Pereira and D. Berlin, "Wave Propagation and Deep Propagation for Pointer Analysis" (2009): merge the cycles of
//! the graph, pass on what is new in topological order, then look at the loads, stores, copies and calls whose pointers
//! have grown, and add the edges that they stand for. Deviations: only what is reachable from nodes with something new
//! is visited in a wave; a cycle through pointer arithmetic makes that arithmetic a stride, since every trip adds to
//! the offset once more.

use std::collections::hash_map::Entry;

use icsched_ir::{FuncId, IdVec, Program, ProgramPoint};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::budgets::BUDGETS;
use crate::graph::{Copy, Graph, NodeId};
use crate::memory::{Direction, Memory};
use crate::object::{InstanceId, Location, LocationId, ObjectId, ObjectKind, Shift};
use crate::sets::SetNumber;
use crate::shape::Shape;
use crate::{Instance, Interrupted, Note, Options, Statistics};

/// A call whose targets are known only by what a node points to.
pub(crate) struct Site {
    pub(crate) instance: InstanceId,
    pub(crate) at: ProgramPoint,
    pub(crate) args: Vec<Option<NodeId>>,
    /// How many arguments are passed: a function that needs more cannot be meant.
    pub(crate) results: SmallVec<[Option<NodeId>; 1]>,
}

pub(crate) struct Solver<'p> {
    pub(crate) program: &'p Program,
    pub(crate) options: &'p Options<'p>,
    pub(crate) shapes: IdVec<FuncId, Shape>,
    pub(crate) graph: Graph,
    pub(crate) memory: Memory,
    pub(crate) instances: IdVec<InstanceId, Instance>,
    /// First node of the instance's values; its results follow them.
    pub(crate) nodes: IdVec<InstanceId, NodeId>,
    pub(crate) shared: IdVec<FuncId, Option<InstanceId>>,
    pub(crate) clones: FxHashMap<(InstanceId, ProgramPoint, FuncId), InstanceId>,
    pub(crate) cloned_instructions: usize,
    pub(crate) sites: Vec<Site>,
    pub(crate) site_targets: Vec<Vec<InstanceId>>,
    pub(crate) constants: FxHashMap<icsched_ir::Const, NodeId>,
    pub(crate) object_ids: FxHashMap<ObjectKind, ObjectId>,
    /// Instances whose constraints are to be generated.
    pub(crate) new_instances: Vec<InstanceId>,
    /// Globals whose initialisers are to be looked at.
    pub(crate) new_globals: Vec<ObjectId>,
    /// Calls through pointers that have got a target.
    resolved: Vec<(u32, FuncId)>,
    linked: FxHashSet<(u32, FuncId)>,
    /// What points to the functions of [`ObjectKind::MovedFunctions`], and the calls through such pointers.
    moved: Option<NodeId>,
    calls_moved: FxHashSet<u32>,
    /// Everything that functions outside of the program may hold.
    pub(crate) outside: Option<NodeId>,
    /// Values that are one of several others, with these.
    pub(crate) unions: Vec<(NodeId, SmallVec<[NodeId; 4]>)>,
    /// How many nodes had been merged when all `unions` were last compared; `None` if some never were.
    compared: Option<usize>,
    /// Nodes looked at.
    steps: u32,
    /// What the parts point to that pointers were taken apart into.
    pub(crate) parts: Option<NodeId>,
    /// What the bytes point to that the program writes to files.
    pub(crate) files: Option<NodeId>,
    pub(crate) notes: FxHashSet<Note>,
    pub(crate) statistics: Statistics,
}

impl<'p> Solver<'p> {
    pub(crate) fn new(program: &'p Program, options: &'p Options<'p>) -> Self {
        Self {
            program,
            options,
            shapes: crate::shape::shapes(program, options),
            graph: Graph::default(),
            memory: Memory::new(options.max_offsets),
            instances: IdVec::new(),
            nodes: IdVec::new(),
            shared: IdVec::filled(None, program.functions.len()),
            clones: FxHashMap::default(),
            cloned_instructions: 0,
            sites: Vec::new(),
            site_targets: Vec::new(),
            constants: FxHashMap::default(),
            object_ids: FxHashMap::default(),
            new_instances: Vec::new(),
            new_globals: Vec::new(),
            resolved: Vec::new(),
            linked: FxHashSet::default(),
            moved: None,
            calls_moved: FxHashSet::default(),
            outside: None,
            unions: Vec::new(),
            compared: None,
            steps: 0,
            parts: None,
            files: None,
            notes: FxHashSet::default(),
            statistics: Statistics::default(),
        }
    }

    /// Generates and solves until nothing changes.
    pub(crate) fn solve(&mut self) -> Result<(), Interrupted> {
        self.generate_roots();
        loop {
            if (self.options.interrupted)() {
                return Err(Interrupted);
            }
            self.graph.free_sets();
            self.generate_pending();
            self.compare_unions();
            self.memory.follow_links(&mut self.graph);
            let dirty = self.graph.take_dirty();
            if !dirty.is_empty() {
                self.statistics.waves += 1;
                self.propagate(dirty)?;
            }
            for node in self.graph.take_waiting() {
                self.ask()?;
                self.look_into(node);
            }
            let resolved = std::mem::take(&mut self.resolved);
            if resolved.is_empty() && self.graph.is_settled() && self.memory.is_settled() {
                if self.call_unreached() {
                    continue;
                }
                self.note_pieces();
                return Ok(());
            }
            for (site, func) in resolved {
                self.link_call(site, func, false);
            }
        }
    }

    /// One wave: no cycles, then everything new in topological order.
    fn propagate(&mut self, dirty: Vec<NodeId>) -> Result<(), Interrupted> {
        let cycles = components(&mut self.graph, &dirty, true);
        for component in &cycles.cyclic {
            self.make_strides(component);
        }
        let found = components(&mut self.graph, &dirty, false);
        for component in &found.cyclic {
            for &node in &component[1..] {
                self.graph.merge(component[0], node);
            }
        }
        for &node in found.order.iter().rev() {
            let node = self.graph.find(node);
            let delta = self.graph.take_delta(node);
            if delta == SetNumber::EMPTY {
                continue;
            }
            self.ask()?;
            self.graph.pass_on(node, delta);
            self.pass_on_shifted(node, delta);
        }
        Ok(())
    }

    /// Every now and then asks whether to go on.
    fn ask(&mut self) -> Result<(), Interrupted> {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(BUDGETS.interrupt_interval) && (self.options.interrupted)() {
            Err(Interrupted)
        } else {
            Ok(())
        }
    }

    fn pass_on_shifted(&mut self, node: NodeId, delta: SetNumber) {
        for (shift, to) in self.graph.shifts(node).to_vec() {
            self.add_shifted(to, delta, shift);
        }
    }

    fn add_shifted(&mut self, to: NodeId, elements: SetNumber, shift: Shift) {
        let moved = match self.graph.sets.moved(elements, shift) {
            Some(known) => known,
            None => {
                let mut moved: Vec<u32> = Vec::new();
                for element in &self.graph.sets.get(elements).clone() {
                    match shift {
                        Shift::Onward { offset, stride } => {
                            let found = self.memory.shift_onward(&mut self.graph, location(element), offset, stride);
                            moved.extend(found.into_iter().map(index));
                        }
                        _ => moved.push(index(self.memory.shift(&mut self.graph, location(element), shift))),
                    }
                }
                moved.sort_unstable();
                moved.dedup();
                self.graph.sets.set_moved(elements, shift, moved.into_iter().collect())
            }
        };
        self.graph.add(to, moved);
        while let Some(function) = self.memory.newly_moved.pop() {
            let node = self.moved_functions();
            self.graph.add_one(node, index(function));
        }
    }

    /// What points to every function whose address was moved.
    fn moved_functions(&mut self) -> NodeId {
        let graph = &mut self.graph;
        *self.moved.get_or_insert_with(|| graph.node())
    }

    /// Arithmetic within a cycle happens any number of times.
    fn make_strides(&mut self, component: &[NodeId]) {
        let inside: FxHashSet<NodeId> = component.iter().copied().collect();
        for &node in component {
            let repeated: Vec<(Shift, NodeId)> = self
                .graph
                .shifts(node)
                .to_vec()
                .into_iter()
                .filter(|&(shift, to)| shift.repeated() != shift && inside.contains(&self.graph.find(to)))
                .collect();
            for &(shift, _) in &repeated {
                self.graph.change_shift(node, shift, shift.repeated());
            }
            let known = self.graph.set(node);
            for (shift, to) in repeated {
                self.add_shifted(to, known, shift.repeated());
            }
        }
    }

    /// The constraints on what the node points to, for what it points to since they were last looked at.
    fn look_into(&mut self, node: NodeId) {
        let node = self.graph.find(node);
        let pending = self.graph.take_pending(node);
        if pending == SetNumber::EMPTY {
            return;
        }
        let pending = self.graph.sets.get(pending).clone();
        let complex = self.graph.complex(node);
        let (loads, stores) = (complex.loads.clone(), complex.stores.clone());
        let (calls, copies) = (complex.calls.clone(), complex.copies.clone());
        for element in &pending {
            let at = location(element);
            for &(width, to) in &loads {
                self.load(at, to, width);
            }
            for &(width, from) in &stores {
                self.store(at, from, width);
            }
            for &site in &calls {
                self.resolve(at, site);
            }
            for &copy in &copies {
                self.copy(at, copy);
            }
        }
    }

    fn load(&mut self, at: LocationId, to: NodeId, width: u32) {
        for cell in self.memory.access(&mut self.graph, at, width, Direction::Read) {
            self.graph.add_copy(cell, to);
        }
    }

    fn store(&mut self, at: LocationId, from: NodeId, width: u32) {
        for cell in self.memory.access(&mut self.graph, at, width, Direction::Write) {
            self.graph.add_copy(from, cell);
        }
    }

    fn resolve(&mut self, at: LocationId, site: u32) {
        let Location { object, offsets, .. } = self.memory.locations[at];
        if !offsets.contains(0) {
            return;
        }
        match self.memory.objects[object].kind {
            ObjectKind::Function(func) if self.linked.insert((site, func)) => self.resolved.push((site, func)),
            // What is outside of the program moves no addresses back.
            ObjectKind::MovedFunctions if self.sites[site as usize].at.inst != u32::MAX => {
                let functions = self.moved_functions();
                if self.calls_moved.insert(site) {
                    self.add_site(functions, site);
                }
            }
            _ => {}
        }
    }

    fn copy(&mut self, at: LocationId, copy: Copy) {
        let transfer = Location { object: copy.transfer, offsets: crate::Offsets::Exact(0), bytes_only: false };
        let place = self.memory.locations[at];
        if copy.into {
            self.memory.link(&mut self.graph, place, transfer, copy.len);
        } else {
            self.memory.link(&mut self.graph, transfer, place, copy.len);
        }
    }

    /// `to` receives what is loaded.
    pub(crate) fn add_load(&mut self, address: NodeId, to: NodeId, width: u32) {
        let from = self.loaded(address, width, None);
        self.graph.add_copy(from, to);
    }

    /// `to` is what is loaded and nothing else.
    pub(crate) fn define_load(&mut self, address: NodeId, to: NodeId, width: u32) {
        self.loaded(address, width, Some(to));
    }

    fn loaded(&mut self, address: NodeId, width: u32, to: Option<NodeId>) -> NodeId {
        let (to, new) = self.graph.loaded(address, width, to);
        if new {
            for element in &self.graph.points_to(address).clone() {
                self.load(location(element), to, width);
            }
        }
        to
    }

    pub(crate) fn add_store(&mut self, address: NodeId, from: NodeId, width: u32) {
        let (port, new) = self.graph.stored(address, width);
        self.graph.add_copy(from, port);
        if new {
            for element in &self.graph.points_to(address).clone() {
                self.store(location(element), port, width);
            }
        }
    }

    pub(crate) fn add_site(&mut self, target: NodeId, site: u32) {
        self.graph.complex(target).calls.push(site);
        for element in &self.graph.points_to(target).clone() {
            self.resolve(location(element), site);
        }
    }

    pub(crate) fn add_memory_copy(&mut self, address: NodeId, copy: Copy) {
        self.graph.complex(address).copies.push(copy);
        for element in &self.graph.points_to(address).clone() {
            self.copy(location(element), copy);
        }
    }

    /// `to` receives what `from` holds, moved.
    pub(crate) fn add_shift(&mut self, from: NodeId, to: NodeId, shift: Shift) {
        if shift == Shift::NONE {
            self.graph.add_copy(from, to);
        } else {
            let moved = self.moved(from, shift, None);
            self.graph.add_copy(moved, to);
        }
    }

    /// `to` is what `from` holds, moved, and nothing else.
    pub(crate) fn define_shift(&mut self, from: NodeId, to: NodeId, shift: Shift) {
        if shift == Shift::NONE {
            self.graph.merge(from, to);
        } else {
            self.moved(from, shift, Some(to));
        }
    }

    fn moved(&mut self, from: NodeId, shift: Shift, to: Option<NodeId>) -> NodeId {
        let (to, new) = self.graph.moved(from, shift, to);
        if new {
            let known = self.graph.set(from);
            self.add_shifted(to, known, shift);
        }
        to
    }

    /// `to` is one of `sources`.
    pub(crate) fn define_union(&mut self, to: NodeId, sources: SmallVec<[NodeId; 4]>) {
        for &from in &sources {
            self.graph.add_copy(from, to);
        }
        self.unions.push((to, sources));
        self.compared = None;
    }

    /// Merges values that are one of the same others.
    fn compare_unions(&mut self) {
        while self.compared != Some(self.graph.merged) {
            self.compared = Some(self.graph.merged);
            let graph = &mut self.graph;
            let mut known: FxHashMap<SmallVec<[NodeId; 4]>, NodeId> = FxHashMap::default();
            self.unions.retain_mut(|(to, sources)| {
                *to = graph.find(*to);
                for from in sources.iter_mut() {
                    *from = graph.find(*from);
                }
                sources.sort_unstable();
                sources.dedup();
                sources.retain(|from| from != to);
                match sources[..] {
                    [] => return false,
                    [from] => {
                        graph.merge(from, *to);
                        return false;
                    }
                    _ => {}
                }
                match known.entry(sources.clone()) {
                    Entry::Occupied(other) => {
                        graph.merge(*other.get(), *to);
                        false
                    }
                    Entry::Vacant(free) => {
                        free.insert(*to);
                        true
                    }
                }
            });
        }
    }
}

/// The location an element of a points-to set stands for.
pub(crate) fn location(element: u32) -> LocationId {
    icsched_ir::EntityId::from_index(element as usize)
}

/// The element that stands for a location.
pub(crate) fn index(location: LocationId) -> u32 {
    u32::try_from(icsched_ir::EntityId::index(location)).expect("ids are 32 bits wide")
}

/// The part of the graph that some nodes reach.
struct Components {
    /// The nodes, each behind those that it has edges to.
    order: Vec<NodeId>,
    /// Components of several nodes, or of one with an edge to itself over moving edges.
    cyclic: Vec<Vec<NodeId>>,
}

/// Tarjan's algorithm (1972) from the given nodes, without recursion; over moving edges too if `all`.
fn components(graph: &mut Graph, roots: &[NodeId], all: bool) -> Components {
    let count = graph.len();
    let mut number = vec![0_u32; count];
    let mut low = vec![0_u32; count];
    let mut is_open = vec![false; count];
    let mut found = Components { order: Vec::new(), cyclic: Vec::new() };
    let (mut open, mut path, mut next) = (Vec::new(), Vec::<(NodeId, usize)>::new(), 1);
    for &root in roots {
        let root = graph.find(root);
        if number[root.at()] != 0 {
            continue;
        }
        let mut enter = Some(root);
        while enter.is_some() || !path.is_empty() {
            if let Some(node) = enter.take() {
                number[node.at()] = next;
                low[node.at()] = next;
                next += 1;
                is_open[node.at()] = true;
                open.push(node);
                path.push((node, 0));
            }
            let Some((node, edge)) = path.last_mut() else { break };
            let node = *node;
            let Some(to) = graph.successor(node, *edge, all) else {
                path.pop();
                if let Some((parent, _)) = path.last() {
                    low[parent.at()] = low[parent.at()].min(low[node.at()]);
                }
                if low[node.at()] == number[node.at()] {
                    let start = open.iter().rposition(|&n| n == node).unwrap_or(0);
                    for n in &open[start..] {
                        is_open[n.at()] = false;
                    }
                    if open.len() - start > 1 || (all && graph.moves_to_itself(node)) {
                        found.cyclic.push(open[start..].to_vec());
                    }
                    found.order.extend(open.drain(start..));
                }
                continue;
            };
            *edge += 1;
            let to = graph.find(to);
            if number[to.at()] == 0 {
                enter = Some(to);
            } else if is_open[to.at()] {
                low[node.at()] = low[node.at()].min(number[to.at()]);
            }
        }
    }
    found
}

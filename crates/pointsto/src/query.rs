//! Answers (Bergan, figure 2.9).

use std::collections::BTreeMap;

use icsched_ir::{Callee, Const, EntityId, FuncId, IdVec, Op, Operand, Program, ProgramPoint};
use roaring::RoaringBitmap;
use rustc_hash::FxHashMap;

use crate::graph::NodeId;
use crate::memory::Memory;
use crate::object::{InstanceId, Location, LocationId, Object, ObjectId, ObjectKind, Offsets};
use crate::shape::Shape;
use crate::solver::{Solver, location};
use crate::{Instance, Interrupted, Note, Options, Statistics};

/// What a pointer may point to.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PointerInfo {
    /// The locations, ascending; none when the pointer is null, undefined or never computed.
    pub locations: Vec<Location>,
}

impl PointerInfo {
    /// The objects, ascending, each once.
    pub fn objects(&self) -> impl Iterator<Item = ObjectId> {
        let mut last = None;
        self.locations.iter().map(|l| l.object).filter(move |&o| last.replace(o) != Some(o))
    }

    /// The one object with the one offset, if there is no other: then the pointer points nowhere else.
    pub fn exact(&self) -> Option<(ObjectId, i64)> {
        match self.locations[..] {
            [Location { object, offsets, .. }] => Some((object, offsets.exact()?)),
            _ => None,
        }
    }
}

/// The solution. Looking up takes time in the size of the answer only, unless said.
pub struct PointsTo {
    instances: IdVec<InstanceId, Instance>,
    first: IdVec<InstanceId, NodeId>,
    shapes: IdVec<FuncId, Shape>,
    /// Per node its set in `sets`.
    set_of: Vec<u32>,
    sets: Vec<RoaringBitmap>,
    constants: FxHashMap<Const, NodeId>,
    objects: IdVec<ObjectId, Object>,
    locations: IdVec<LocationId, Location>,
    /// Per object the nodes of its contents, and where in it those bytes are.
    contents: Vec<Vec<(Offsets, u64, NodeId)>>,
    of_function: IdVec<FuncId, Vec<InstanceId>>,
    calls: BTreeMap<(InstanceId, ProgramPoint), Vec<InstanceId>>,
    shared: IdVec<FuncId, Option<InstanceId>>,
    /// What functions that are not known may hold, as a number of a set; `None` if there are none.
    outside: Option<u32>,
    /// What [`ObjectKind::MovedFunctions`] stands for, ascending.
    moved_functions: Vec<FuncId>,
    notes: Vec<Note>,
    statistics: Statistics,
}

impl PointsTo {
    /// Solves for the program.
    ///
    /// # Errors
    /// [`Interrupted`] if [`Options::interrupted`] said so.
    pub fn new(program: &Program, options: &Options<'_>) -> Result<Self, Interrupted> {
        let mut solver = Solver::new(program, options);
        solver.solve()?;
        Ok(Self::freeze(solver))
    }

    fn freeze(solver: Solver<'_>) -> Self {
        let mut statistics = solver.statistics;
        let Solver { graph, memory, instances, nodes, shapes, constants, sites, site_targets, .. } = solver;
        statistics.instances = instances.len();
        statistics.objects = memory.objects.len();
        statistics.locations = memory.locations.len();
        statistics.cells = memory.cells();
        statistics.nodes = graph.len();
        statistics.merged = graph.merged;
        statistics.edges = graph.edges;
        let contents = memory.objects.ids().map(|o| memory.contents(o).collect()).collect();
        let Memory { objects, locations, moved_functions, .. } = memory;
        let mut moved_functions: Vec<FuncId> = moved_functions.into_iter().collect();
        moved_functions.sort_unstable();
        let (set_of, sets) = graph.into_sets();
        let outside = solver.outside.map(|node| set_of[node.at()]);
        let mut of_function = IdVec::filled(Vec::new(), shapes.len());
        for (id, instance) in instances.iter() {
            let list: &mut Vec<InstanceId> = &mut of_function[instance.func];
            list.push(id);
        }
        let mut calls: BTreeMap<(InstanceId, ProgramPoint), Vec<InstanceId>> = BTreeMap::new();
        for (site, targets) in sites.iter().zip(site_targets) {
            calls.entry((site.instance, site.at)).or_default().extend(targets);
        }
        for targets in calls.values_mut() {
            targets.sort_unstable();
            targets.dedup();
        }
        let mut notes: Vec<Note> = solver.notes.into_iter().collect();
        notes.sort_unstable();
        Self {
            instances,
            first: nodes,
            shapes,
            set_of,
            sets,
            constants,
            objects,
            locations,
            contents,
            of_function,
            calls,
            shared: solver.shared,
            outside,
            moved_functions,
            notes,
            statistics,
        }
    }

    /// The places that pointers may point to, by location.
    pub fn places(&self) -> impl Iterator<Item = (ObjectId, Offsets)> {
        self.locations.values().map(|location| (location.object, location.offsets))
    }

    /// All locations.
    pub(crate) fn locations(&self) -> &IdVec<LocationId, Location> {
        &self.locations
    }

    /// The set with a number that [`representative`](Self::representative) gave.
    pub(crate) fn set_numbered(&self, number: u32) -> &RoaringBitmap {
        &self.sets[number as usize]
    }

    /// Whether a set tells nothing but that its pointers were made outside of the program, or of numbers.
    pub(crate) fn is_made_of_numbers(&self, number: u32) -> bool {
        let mut places =
            self.set_numbered(number).iter().map(|e| self.objects[self.locations[location(e)].object].kind);
        places.next() == Some(ObjectKind::Outside) && places.all(|kind| kind == ObjectKind::Outside)
    }

    /// The set of what functions that are not known may hold, by its number, if there are such functions.
    pub(crate) fn outside(&self) -> Option<u32> {
        self.outside
    }

    /// The instances that functions which are not known may call, in no order and some several times.
    pub fn called_from_outside(&self) -> impl Iterator<Item = InstanceId> {
        let calls = self.calls.iter().filter(|((_, at), _)| at.inst == u32::MAX);
        calls.flat_map(|(_, targets)| targets.iter().copied())
    }

    /// The locations that the contents of an object may point to.
    pub(crate) fn contents_set(&self, object: ObjectId) -> RoaringBitmap {
        let mut all = RoaringBitmap::new();
        for (_, _, node) in &self.contents[object.index()] {
            all |= &self.sets[self.set_of[node.at()] as usize];
        }
        all
    }

    /// What was not known, sorted.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Sizes and efforts of the solver.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// All objects.
    pub fn objects(&self) -> &IdVec<ObjectId, Object> {
        &self.objects
    }

    /// All instances.
    pub fn instances(&self) -> &IdVec<InstanceId, Instance> {
        &self.instances
    }

    /// The instances of a function; none if it is never called.
    pub fn instances_of(&self, func: FuncId) -> &[InstanceId] {
        &self.of_function[func]
    }

    /// The instance that stands for the calls of a function that have none of their own.
    pub fn shared_instance(&self, func: FuncId) -> Option<InstanceId> {
        self.shared[func]
    }

    /// The instance that runs when `caller` calls `func` at `at`; `None` if the analysis sees no such call.
    pub fn callee_instance(&self, caller: InstanceId, at: ProgramPoint, func: FuncId) -> Option<InstanceId> {
        let targets = self.calls.get(&(caller, at))?;
        targets.iter().copied().find(|&i| self.instances[i].func == func)
    }

    /// The instances that a call at `at` of `caller` may run, ascending: also started threads and signal handlers.
    pub fn callees(&self, caller: InstanceId, at: ProgramPoint) -> &[InstanceId] {
        self.calls.get(&(caller, at)).map_or(&[], Vec::as_slice)
    }

    /// The set of a value in one instance.
    fn set(&self, instance: InstanceId, operand: Operand) -> Option<&RoaringBitmap> {
        let node = match operand {
            Operand::Value(value) => {
                let slot = self.shapes[self.instances[instance].func].slot(value)?;
                NodeId::from_index(self.first[instance].index() + slot as usize)
            }
            Operand::Const(value) => *self.constants.get(&value)?,
        };
        Some(&self.sets[self.set_of[node.at()] as usize])
    }

    fn info(&self, set: &RoaringBitmap) -> PointerInfo {
        let mut locations: Vec<Location> = set.iter().map(|e| self.locations[location(e)]).collect();
        locations.sort_unstable();
        PointerInfo { locations }
    }

    /// What a value points to in the activations that an instance stands for.
    pub fn pointer_info_in(&self, instance: InstanceId, operand: Operand) -> PointerInfo {
        self.set(instance, operand).map_or_else(PointerInfo::default, |set| self.info(set))
    }

    /// What a value of a function points to, over all of its instances (`getPtrInfo`).
    pub fn pointer_info(&self, func: FuncId, operand: Operand) -> PointerInfo {
        let mut all = RoaringBitmap::new();
        for &instance in &self.of_function[func] {
            if let Some(set) = self.set(instance, operand) {
                all |= set;
            }
        }
        self.info(&all)
    }

    /// The locations that an access can touch: neither code nor outside of their objects, where an access is an error.
    pub fn accessible(&self, info: &PointerInfo) -> PointerInfo {
        let is_accessible = |location: &Location| {
            let object = self.objects[location.object];
            let is_code = matches!(object.kind, ObjectKind::Function(_) | ObjectKind::MovedFunctions);
            let start = location.offsets.exact();
            !is_code && start.is_none_or(|x| u64::try_from(x).is_ok_and(|x| object.size.is_none_or(|size| x < size)))
        };
        PointerInfo { locations: info.locations.iter().copied().filter(is_accessible).collect() }
    }

    /// A number that two values of instances share when their sets were found to be the same; `None` for a value that
    /// carries no pointer.
    pub fn representative(&self, instance: InstanceId, operand: Operand) -> Option<u32> {
        match operand {
            Operand::Value(value) => {
                let slot = self.shapes[self.instances[instance].func].slot(value)?;
                Some(self.set_of[self.first[instance].at() + slot as usize])
            }
            Operand::Const(value) => self.constants.get(&value).map(|n| self.set_of[n.at()]),
        }
    }

    /// Whether `width` bytes at `a` and `other_width` bytes at `b` may have one in common. Takes time in the size of
    /// both sets.
    pub fn may_alias(&self, a: (InstanceId, Operand, u64), b: (InstanceId, Operand, u64)) -> bool {
        let (Some(x), Some(y)) = (self.set(a.0, a.1), self.set(b.0, b.1)) else { return false };
        if !x.is_disjoint(y) && a.2 > 0 && b.2 > 0 {
            return true;
        }
        let (x, y) = (self.info(x), self.info(y));
        x.locations.iter().any(|l| {
            let start = y.locations.partition_point(|m| m.object < l.object);
            y.locations[start..]
                .iter()
                .take_while(|m| m.object == l.object)
                .any(|m| l.offsets.overlaps(a.2, m.offsets, b.2))
        })
    }

    /// The functions that the call at `at` may run, ascending, over all instances (`staticCallTargets`); declared ones
    /// only where they are called by name.
    pub fn call_targets(&self, program: &Program, at: ProgramPoint) -> Vec<FuncId> {
        let block = &program.functions[at.func].blocks[at.block];
        let mut found: Vec<FuncId> = self.of_function[at.func]
            .iter()
            .flat_map(|&instance| self.callees(instance, at))
            .map(|&callee| self.instances[callee].func)
            .collect();
        if let Some(Op::Call { callee, .. }) = block.insts.get(at.inst as usize).map(|i| &i.op) {
            match callee {
                Callee::Direct(func) | Callee::Indirect(Operand::Const(Const::Func(func))) => found.push(*func),
                Callee::Indirect(target) => {
                    let info = self.pointer_info(at.func, *target);
                    found.extend(self.functions(&info).filter(|&f| program.functions[f].is_declaration()));
                }
                Callee::Intrinsic(_) => {}
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// What the contents of an object may point to.
    pub fn contents(&self, object: ObjectId) -> PointerInfo {
        self.info(&self.contents_set(object))
    }

    /// What `width` bytes at these offsets of an object may point to.
    pub fn contents_at(&self, object: ObjectId, offsets: Offsets, width: u64) -> PointerInfo {
        let mut all = RoaringBitmap::new();
        for &(at, len, node) in &self.contents[object.index()] {
            if at.overlaps(len, offsets, width) {
                all |= &self.sets[self.set_of[node.at()] as usize];
            }
        }
        self.info(&all)
    }

    /// The functions that a call through such a pointer may run, those without a body among them.
    pub fn functions(&self, info: &PointerInfo) -> impl Iterator<Item = FuncId> {
        let called = info.locations.iter().filter(|l| l.offsets.contains(0));
        called.flat_map(|l| match self.objects[l.object].kind {
            ObjectKind::Function(func) => vec![func],
            ObjectKind::MovedFunctions => self.moved_functions.clone(),
            _ => Vec::new(),
        })
    }

    /// Sizes of the sets of the pointers that loads, stores and copies of the program's own code go through, as
    /// numbers of locations and of objects, one per access.
    pub fn dereferenced(&self, program: &Program) -> Vec<(u64, u64)> {
        let mut sizes = Vec::new();
        for (func, function) in program.functions.iter() {
            if function.origin == icsched_ir::Origin::Model || self.of_function[func].is_empty() {
                continue;
            }
            for inst in function.blocks.values().flat_map(|b| &b.insts) {
                let mut count = |operand: Operand| {
                    let info = self.pointer_info(func, operand);
                    sizes.push((info.locations.len() as u64, info.objects().count() as u64));
                };
                match &inst.op {
                    Op::Load { address, .. } | Op::Store { address, .. } => count(*address),
                    Op::MemCopy { to, from, .. } => {
                        count(*to);
                        count(*from);
                    }
                    Op::MemSet { to, .. } => count(*to),
                    _ => {}
                }
            }
        }
        sizes
    }
}

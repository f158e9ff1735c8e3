//! What points-to analysis knows of the frames and objects of a path (Bergan 3.3.2 with an inclusion-based analysis).
//!
//! A frame is an activation of one instance of its function, found by following the calls that lead to it from
//! `main`; where that fails, it is one of any. An object is what the analysis calls by its place: a local by the
//! instance of its frame, a heap object by the program's call that made it.

use icsched_ir::{BlockId, FuncId, ProgramPoint};
use icsched_machine::FrameId;
use icsched_machine::memory::{ObjectId as ConcreteId, ObjectKind as Concrete};
use icsched_pointsto::{InstanceId, ModRef, ObjectId, ObjectKind, Region};
use icsched_symbolic::trace::Trace;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::objects::Objects;

/// Abstract objects that one of a path may be.
pub type Abstract = SmallVec<[ObjectId; 2]>;

/// Mod/ref by points-to sets, and where to find objects in it.
pub struct Aliases<'p> {
    modref: &'p ModRef<'p>,
    objects: FxHashMap<ObjectKind, ObjectId>,
    /// Heap objects by the program's call that makes them.
    heap: FxHashMap<ProgramPoint, Abstract>,
    /// Those of which the analysis does not tell the program's call.
    heap_anywhere: Abstract,
}

impl<'p> Aliases<'p> {
    /// Indexes the objects.
    pub fn new(modref: &'p ModRef<'p>) -> Self {
        let points_to = modref.points_to();
        let mut this =
            Self { modref, objects: FxHashMap::default(), heap: FxHashMap::default(), heap_anywhere: Abstract::new() };
        for (id, object) in points_to.objects().iter() {
            this.objects.insert(object.kind, id);
            if let ObjectKind::Heap { instance, at } = object.kind {
                match points_to.program_site(modref.program(), instance, at) {
                    Some(site) => this.heap.entry(site).or_default().push(id),
                    None => this.heap_anywhere.push(id),
                }
            }
        }
        this
    }

    /// The analysis.
    pub fn modref(&self) -> &'p ModRef<'p> {
        self.modref
    }

    /// Where an object's fields begin, as far as the program has pointers to them; in no order.
    pub fn fields(&self, objects: &Objects, object: ConcreteId) -> Vec<u64> {
        let initial = objects.initial(object).filter(|places| !places.is_empty());
        let places = match initial {
            Some(places) => places.iter().filter_map(|&(place, first)| Some((place, first.exact()?))).collect(),
            None => {
                let names = self.object(objects.origin(object), &FxHashMap::default()).unwrap_or_default();
                names.into_iter().map(|place| (place, 0)).collect::<Vec<_>>()
            }
        };
        let of_place = |(place, first): (ObjectId, i64)| {
            self.modref.offsets(place).into_iter().filter_map(move |at| u64::try_from(at.wrapping_sub(first)).ok())
        };
        places.into_iter().flat_map(of_place).collect()
    }

    /// The instance of each frame of a trace, where it is known.
    pub fn instances(&self, trace: &Trace) -> FxHashMap<FrameId, InstanceId> {
        let mut known: FxHashMap<FrameId, Option<InstanceId>> = FxHashMap::default();
        let frames: Vec<FrameId> = trace.frames.keys().copied().collect();
        for frame in frames {
            // Upwards to a frame that is known, then down again.
            let mut way: Vec<FrameId> = Vec::new();
            let mut at = frame;
            while !known.contains_key(&at) {
                way.push(at);
                match trace.frames.get(&at).and_then(|f| f.caller) {
                    Some((caller, _)) => at = caller,
                    None => break,
                }
            }
            while let Some(frame) = way.pop() {
                let instance = self.instance(trace, frame, &known);
                known.insert(frame, instance);
            }
        }
        known.into_iter().filter_map(|(frame, instance)| Some((frame, instance?))).collect()
    }

    fn instance(
        &self,
        trace: &Trace,
        frame: FrameId,
        known: &FxHashMap<FrameId, Option<InstanceId>>,
    ) -> Option<InstanceId> {
        let points_to = self.modref.points_to();
        let info = trace.frames.get(&frame)?;
        match info.caller {
            Some((caller, at)) => points_to.callee_instance(known.get(&caller).copied().flatten()?, at, info.func),
            // What is run without being called has one instance, unless it is also called or started in several ways.
            None => match points_to.instances_of(info.func) {
                [only] => Some(*only),
                _ => None,
            },
        }
    }

    /// The instances a frame may be an activation of; none if the analysis has not seen the function run.
    pub fn candidates(&self, func: FuncId, instance: Option<InstanceId>) -> SmallVec<[InstanceId; 4]> {
        match instance {
            Some(instance) => SmallVec::from_iter([instance]),
            None => SmallVec::from_slice(self.modref.points_to().instances_of(func)),
        }
    }

    /// What some blocks may do in any of the instances; `None` if there is none.
    pub fn blocks(&self, instances: &[InstanceId], blocks: &[BlockId]) -> Option<Region> {
        self.united(instances, |i| self.modref.of_blocks(i, blocks.iter().copied()))
    }

    /// What one instruction may do in any of the instances.
    pub fn instruction(&self, instances: &[InstanceId], at: ProgramPoint) -> Option<Region> {
        self.united(instances, |i| self.modref.of_instruction(i, at))
    }

    fn united(&self, instances: &[InstanceId], of: impl Fn(InstanceId) -> Region) -> Option<Region> {
        let mut regions = instances.iter().map(|&i| of(i));
        let mut all = regions.next()?;
        regions.for_each(|r| all.unite(&r));
        Some(all)
    }

    /// The abstract objects that stand for one of a path; none for an object that no pointer can point to. `None` if
    /// nothing is known.
    pub fn object(
        &self,
        origin: Option<(Concrete, Option<ProgramPoint>)>,
        instances: &FxHashMap<FrameId, InstanceId>,
    ) -> Option<Abstract> {
        let one = |kind: ObjectKind| Some(self.objects.get(&kind).copied().into_iter().collect());
        let (kind, at) = origin?;
        match kind {
            Concrete::Global(global) | Concrete::ThreadLocal(global, _) => one(ObjectKind::Global(global)),
            Concrete::Stack { frame, func, value } => {
                let of = self.candidates(func, instances.get(&frame).copied());
                let kinds = of.iter().map(|&instance| ObjectKind::Stack { instance, value });
                (!of.is_empty()).then(|| kinds.filter_map(|k| self.objects.get(&k).copied()).collect())
            }
            Concrete::Heap => {
                let mut found = self.heap.get(&at?).cloned().unwrap_or_default();
                found.extend_from_slice(&self.heap_anywhere);
                // Somebody made it.
                (!found.is_empty()).then_some(found)
            }
            Concrete::ArgumentVector => one(ObjectKind::ArgumentVector),
            Concrete::Argument(_) => one(ObjectKind::Arguments),
            Concrete::EnvironmentVector => one(ObjectKind::EnvironmentVector),
            Concrete::Environment(_) => one(ObjectKind::Environment),
            Concrete::Initial(_) => None,
            Concrete::VarArgs(frame) => one(ObjectKind::VarArgs(instances.get(&frame).copied()?)),
        }
    }
}

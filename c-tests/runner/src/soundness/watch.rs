//! The observer that compares.

use std::collections::BTreeMap;

use icsched_ir::{BlockId, Callee, EntityId as _, FuncId, Intrinsic, Op, Program, ProgramPoint};
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::observe::Observer;
use icsched_machine::step::exit_function;
use icsched_machine::{FrameId, ObjectId, ObjectKind, PathEnd};
use icsched_pointsto::{InstanceId, ModRef, ObjectId as AbstractId, ObjectKind as AbstractKind, PointsTo, SetId};
use icsched_symbolic::trace::{FrameInfo, Regions};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::places::addresses;
use super::report::{Count, Miss, Report};
use super::sets::{Set, Sets, has};

/// Places of memory that an activation remembers as checked.
const REMEMBERED: usize = 1 << 12;

/// What was missed; orders the misses of one instruction.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    Call,
    Read,
    Write,
    Mod,
}

/// An activation that has not returned.
struct Activation {
    func: FuncId,
    /// `None`: the analysis has none, which was reported.
    instance: Option<InstanceId>,
    block: BlockId,
    /// What called it, where.
    caller: Option<(FrameId, ProgramPoint)>,
    /// Writes that are known to be in the mod sets of this activation and of all above it.
    modified: FxHashSet<(AbstractId, u64, u64)>,
}

/// An object of memory.
#[derive(Copy, Clone)]
enum Memory {
    /// Nothing is known about it, since a call before had been missed.
    Skipped,
    /// The analysis has an object for it.
    Known(AbstractId),
    /// The analysis has no such object.
    Absent(AbstractKind),
}

/// An instruction of an instance that accesses memory: the sets of its addresses, and what was last found in them.
struct Place {
    sets: SmallVec<[Set; 1]>,
    last: Option<(ObjectId, u64)>,
}

pub(super) struct Watch<'a> {
    pub(super) program: &'a Program,
    pub(super) points_to: &'a PointsTo,
    modref: &'a ModRef<'a>,
    abstract_ids: FxHashMap<AbstractKind, AbstractId>,
    /// What stands for any constant without pointers.
    plain: Option<AbstractId>,
    sets: Sets<'a>,
    places: FxHashMap<(InstanceId, BlockId, u32, bool), Place>,
    frames: FxHashMap<FrameId, Activation>,
    /// By object id.
    memory: Vec<Memory>,
    /// Variable arguments of the activation that is entered next.
    varargs: Option<(FrameId, ObjectId)>,
    /// The activations whose locals and variable arguments the objects are.
    owners: FxHashMap<ObjectId, FrameId>,
    /// Where another thread was interrupted.
    interrupts: Vec<(InstanceId, ProgramPoint)>,
    misses: BTreeMap<(ProgramPoint, Kind), Miss>,
    count: Count,
}

/// Whether it is one of the constants that [`AbstractKind::PlainConstants`] stands for.
fn is_plain(program: &Program, kind: AbstractKind) -> bool {
    let AbstractKind::Global(global) = kind else { return false };
    let global = &program.globals[global];
    global.constant && !global.external && !global.thread_local && global.relocations.is_empty()
}

impl<'a> Watch<'a> {
    pub(super) fn new(modref: &'a ModRef<'a>) -> Self {
        let (program, points_to) = (modref.program(), modref.points_to());
        let abstract_ids: FxHashMap<_, _> = points_to.objects().iter().map(|(id, object)| (object.kind, id)).collect();
        Self {
            program,
            points_to,
            modref,
            plain: abstract_ids.get(&AbstractKind::PlainConstants).copied(),
            abstract_ids,
            sets: Sets::new(points_to),
            places: FxHashMap::default(),
            frames: FxHashMap::default(),
            memory: Vec::new(),
            varargs: None,
            owners: FxHashMap::default(),
            interrupts: Vec::new(),
            misses: BTreeMap::new(),
            count: Count::default(),
        }
    }

    pub(super) fn into_report(self, end: Option<PathEnd>, instructions: u64) -> Report {
        let count = Count { places: self.places.len(), ..self.count };
        Report { misses: self.misses.into_values().collect(), count, end, instructions }
    }

    fn miss(&mut self, at: ProgramPoint, kind: Kind, text: impl FnOnce(&Self) -> String) {
        if let Some(known) = self.misses.get_mut(&(at, kind)) {
            known.times += 1;
            return;
        }
        let text = format!("{}: {}", self.place(at), text(self));
        self.misses.insert((at, kind), Miss { text, times: 1 });
    }

    fn point(&self, frame: FrameId, inst: u32) -> Option<ProgramPoint> {
        self.frames.get(&frame).map(|a| ProgramPoint { func: a.func, block: a.block, inst })
    }

    fn remember(&mut self, object: ObjectId, kind: Option<AbstractKind>) {
        let at = object.0 as usize;
        if at >= self.memory.len() {
            self.memory.resize(at + 1, Memory::Skipped);
        }
        self.memory[at] = match kind {
            None => Memory::Skipped,
            Some(kind) => self.abstract_ids.get(&kind).map_or(Memory::Absent(kind), |&id| Memory::Known(id)),
        };
    }

    /// The instance that an activation without a caller runs.
    fn root(&self, func: FuncId) -> Option<InstanceId> {
        let program = self.program;
        let starts = program.main == Some(func) || exit_function(program) == Some(func);
        if starts || program.constructors.contains(&func) {
            return self.points_to.shared_instance(func);
        }
        // The engine has it called in a thread that another one interrupted.
        let mut found = self.interrupts.iter().rev();
        found.find_map(|&(caller, at)| self.points_to.callee_instance(caller, at, func))
    }

    fn access(&mut self, frame: FrameId, inst: u32, regions: &Regions, write: bool) {
        let (Some(activation), Some(region)) = (self.frames.get(&frame), regions.first()) else { return };
        let (Some(instance), Some(&memory)) = (activation.instance, self.memory.get(region.object.0 as usize)) else {
            self.count.skipped += 1;
            return;
        };
        if matches!(memory, Memory::Skipped) {
            self.count.skipped += 1;
            return;
        }
        self.count.accesses += 1;
        let Activation { func, block, .. } = *activation;
        if write && let Memory::Known(object) = memory {
            let len = regions.iter().map(|r| r.len).sum();
            self.modifies(frame, ProgramPoint { func, block, inst }, region.object, object, (region.start, len));
        }
        let place = self.places.entry((instance, block, inst, write)).or_insert_with(|| {
            let op = self.program.functions[func].blocks[block].insts.get(inst as usize).map(|i| &i.op);
            let operands = op.map(|op| addresses(op, write)).unwrap_or_default();
            Place { sets: operands.into_iter().map(|o| self.sets.of(instance, o)).collect(), last: None }
        });
        if place.last == Some((region.object, region.start)) {
            return;
        }
        let offset = i64::try_from(region.start).unwrap_or(i64::MAX);
        let found = match memory {
            Memory::Known(object) => {
                let plain = self.plain.filter(|_| is_plain(self.program, self.points_to.objects()[object].kind));
                place.sets.iter().any(|set| has(set, object, offset) || plain.is_some_and(|p| has(set, p, 0)))
            }
            Memory::Absent(_) | Memory::Skipped => false,
        };
        if found {
            place.last = Some((region.object, region.start));
            return;
        }
        let sets = place.sets.clone();
        let at = ProgramPoint { func, block, inst };
        self.miss(at, if write { Kind::Write } else { Kind::Read }, |watch| {
            let what = match memory {
                Memory::Known(object) => watch.object(watch.points_to.objects()[object].kind),
                Memory::Absent(kind) => format!("{}, which the analysis does not have", watch.object(kind)),
                Memory::Skipped => String::new(),
            };
            let verb = if write { "writes" } else { "reads" };
            let sets: Vec<String> = sets.iter().map(|set| watch.list(set)).collect();
            format!(
                "{} {verb} {} bytes at {offset:+} of {what}; the address is one of {}",
                watch.instance(instance),
                region.len,
                sets.join(" or ")
            )
        });
    }

    /// Compares a write with the mod sets of the activations that it happens in.
    fn modifies(
        &mut self,
        writer: FrameId,
        at: ProgramPoint,
        written: ObjectId,
        object: AbstractId,
        (start, len): (u64, u64),
    ) {
        let place = (object, start, len);
        let mut next = Some((writer, None));
        while let Some((frame, call)) = next {
            let Some(activation) = self.frames.get_mut(&frame) else { return };
            if activation.modified.len() >= REMEMBERED {
                activation.modified.clear();
            }
            let is_new = activation.modified.insert(place);
            next = activation.caller.map(|(caller, point)| (caller, Some(point)));
            let instance = activation.instance;
            if let (Some(instance), Some(call)) = (instance, call) {
                let mods = self.modref.of_call(instance, call).mods;
                self.must_have(at, mods, place, |watch| format!("the call at {}", watch.place(call)));
            }
            if !is_new {
                return;
            }
            if let Some(instance) = instance {
                let mods = self.modref.inside_instance(instance).mods;
                self.must_have(at, mods, place, |watch| watch.instance(instance));
            }
            // Whoever calls the owner of a local cannot tell that it was written.
            if self.owners.get(&written) == Some(&frame) {
                return;
            }
        }
    }

    /// A write must be in the mod set of something that it is a part of.
    fn must_have(
        &mut self,
        at: ProgramPoint,
        mods: SetId,
        (object, start, len): (AbstractId, u64, u64),
        whose: impl FnOnce(&Self) -> String,
    ) {
        let set = self.modref.set(mods);
        if !self.modref.touches(set, object, i64::try_from(start).unwrap_or(i64::MAX), len) {
            self.miss(at, Kind::Mod, |watch| {
                let what = watch.object(watch.points_to.objects()[object].kind);
                format!("{len} bytes at {start:+} of {what} are not in the mod set of {}", whose(watch))
            });
        }
    }

    /// Compares a call through a pointer with the set of the pointer; the instance that a call leads to was looked up.
    fn call_through_pointer(&mut self, caller: InstanceId, at: ProgramPoint, func: FuncId) {
        let block = &self.program.functions[at.func].blocks[at.block];
        let target = match block.insts.get(at.inst as usize).map(|i| &i.op) {
            Some(Op::Call { callee: Callee::Indirect(target), .. }) => *target,
            Some(Op::Call { callee: Callee::Intrinsic(Intrinsic::ThreadCreate), args }) => args[0],
            _ => return,
        };
        let set = self.sets.of(caller, target);
        let known = self.abstract_ids.get(&AbstractKind::Function(func));
        if !known.is_some_and(|&object| has(&set, object, 0)) {
            self.miss(at, Kind::Call, |watch| {
                let name = &watch.program.functions[func].name;
                format!("{} calls `{name}`; the pointer is one of {}", watch.instance(caller), watch.list(&set))
            });
        }
    }
}

impl Observer<ConcreteDomain> for Watch<'_> {
    fn enter(&mut self, frame: FrameId, info: FrameInfo, by: Option<(FrameId, u32)>) {
        self.count.calls += 1;
        let instance = match by {
            None => {
                let root = self.root(info.func);
                if root.is_none() {
                    let at = ProgramPoint { func: info.func, block: BlockId::from_index(0), inst: 0 };
                    self.miss(at, Kind::Call, |_| "the function is started, which the analysis excludes".to_owned());
                }
                root
            }
            Some((caller, inst)) => {
                let at = self.point(caller, inst);
                let caller = self.frames.get(&caller).and_then(|a| a.instance);
                caller.zip(at).and_then(|(caller, at)| {
                    let callee = self.points_to.callee_instance(caller, at, info.func);
                    match callee {
                        Some(_) => self.call_through_pointer(caller, at, info.func),
                        None => self.miss(at, Kind::Call, |watch| {
                            let name = &watch.program.functions[info.func].name;
                            let others = watch.points_to.callees(caller, at).iter().map(|&i| watch.instance(i));
                            let others = Vec::from_iter(others).join(", ");
                            format!("{} calls `{name}`; the analysis has [{others}]", watch.instance(caller))
                        }),
                    }
                    callee
                })
            }
        };
        if let Some((owner, object)) = self.varargs.take()
            && owner == frame
        {
            self.remember(object, instance.map(AbstractKind::VarArgs));
        }
        let activation = Activation {
            func: info.func,
            instance,
            block: BlockId::from_index(0),
            caller: info.caller,
            modified: FxHashSet::default(),
        };
        self.frames.insert(frame, activation);
    }

    fn leave(&mut self, frame: FrameId) {
        self.frames.remove(&frame);
    }

    fn block(&mut self, frame: FrameId, block: BlockId, _via: Option<(BlockId, bool)>) {
        if let Some(activation) = self.frames.get_mut(&frame) {
            activation.block = block;
        }
    }

    fn load(&mut self, frame: FrameId, inst: u32, regions: Regions) {
        self.access(frame, inst, &regions, false);
    }

    fn store(&mut self, frame: FrameId, inst: u32, regions: Regions) {
        self.access(frame, inst, &regions, true);
    }

    fn allocate(&mut self, object: ObjectId, kind: ObjectKind, by: Option<(FrameId, u32)>) {
        let at = by.and_then(|(frame, inst)| self.point(frame, inst));
        let maker = by.and_then(|(frame, _)| self.frames.get(&frame)).and_then(|a| a.instance);
        self.owners.remove(&object);
        let kind = match kind {
            ObjectKind::Global(g) | ObjectKind::ThreadLocal(g, _) => Some(AbstractKind::Global(g)),
            ObjectKind::Stack { frame, value, .. } => {
                self.owners.insert(object, frame);
                maker.map(|instance| AbstractKind::Stack { instance, value })
            }
            ObjectKind::Heap => maker.zip(at).map(|(instance, at)| AbstractKind::Heap { instance, at }),
            ObjectKind::Argument(_) => Some(AbstractKind::Arguments),
            ObjectKind::ArgumentVector => Some(AbstractKind::ArgumentVector),
            ObjectKind::Environment(_) => Some(AbstractKind::Environment),
            ObjectKind::EnvironmentVector => Some(AbstractKind::EnvironmentVector),
            ObjectKind::VarArgs(frame) => {
                self.owners.insert(object, frame);
                self.varargs = Some((frame, object));
                None
            }
            ObjectKind::Initial(_) => None,
        };
        self.remember(object, kind);
    }

    fn intrinsic(&mut self, frame: FrameId, inst: u32, intrinsic: Intrinsic) {
        if intrinsic != Intrinsic::Interrupt {
            return;
        }
        let at = self.point(frame, inst);
        let instance = self.frames.get(&frame).and_then(|a| a.instance);
        if let Some(site) = instance.zip(at)
            && !self.interrupts.contains(&site)
        {
            self.interrupts.push(site);
        }
    }
}

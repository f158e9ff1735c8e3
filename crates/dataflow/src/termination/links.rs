//! Whether links between objects form no ring: lists and trees.
//!
//! A loop that follows links, `p = p->next`, comes to an end if no way along them leads back, since there are finitely
//! many objects. That is so at all times if it is so of what variables begin with, and each store of the program that
//! may write such a link leaves it so ([`super::preserve`]). What a program stores otherwise, and where the links of
//! other structures lead, does not matter.
//!
//! Taken for granted, as everywhere: no pointer is written in parts, and threads do not race.

use std::collections::BTreeSet;

use icsched_ir::{Callee, Const, GlobalId, Intrinsic, Op, Operand, Program, ProgramPoint};
use icsched_pointsto::{InstanceId, Location, ModRef, ObjectId, ObjectKind, Offsets};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Termination;
use super::preserve::Preservation;
use super::round::Round;
use super::scope::Scope;

/// Bytes of a pointer.
const POINTER: u64 = 8;

/// Most places of links that are looked at.
const MAX_PLACES: usize = 256;

/// Something that may write a pointer.
#[derive(Clone, Debug)]
pub(super) struct PointerStore {
    instance: InstanceId,
    at: ProgramPoint,
    /// The objects to which what is written may point; `None`: any.
    to: Option<Vec<ObjectId>>,
}

/// The links that a loop follows.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Links {
    /// Where they are, ascending.
    pub(super) places: Vec<(ObjectId, Offsets)>,
    /// The objects that they are in, ascending.
    pub(super) objects: Vec<ObjectId>,
}

impl Links {
    /// What walks of these rounds read, in all instances of their functions. `None` where that is not known, or not
    /// memory of the program.
    pub(super) fn read_by(modref: &ModRef<'_>, rounds: &[(&Scope<'_>, &Round)]) -> Option<Self> {
        let points_to = modref.points_to();
        let mut places: BTreeSet<(ObjectId, Offsets)> = BTreeSet::new();
        let loads = rounds.iter().flat_map(|(scope, round)| round.links.iter().map(move |&at| (scope, at)));
        for (scope, (block, at)) in loads {
            let Op::Load { address, .. } = scope.function.blocks[block].insts[at].op else { return None };
            for &instance in points_to.instances_of(scope.func) {
                let info = points_to.accessible(&points_to.pointer_info_in(instance, address));
                places.extend(info.locations.iter().map(|l| (l.object, l.offsets)));
            }
        }
        let mut objects: Vec<ObjectId> = places.iter().map(|place| place.0).collect();
        objects.dedup();
        let is_own = |&object: &ObjectId| {
            let kind = points_to.objects()[object].kind;
            matches!(kind, ObjectKind::Heap { .. } | ObjectKind::Global(_) | ObjectKind::Stack { .. })
        };
        let is_known = !places.is_empty() && places.len() <= MAX_PLACES && objects.iter().all(is_own);
        is_known.then(|| Self { places: places.into_iter().collect(), objects })
    }

    /// Whether a pointer that is written at these places may be such a link.
    pub(super) fn may_be_at(&self, places: &[Location]) -> bool {
        let overlaps = |place: &Location| {
            let start = self.places.partition_point(|link| link.0 < place.object);
            let of_object = self.places[start..].iter().take_while(|link| link.0 == place.object);
            of_object.into_iter().any(|link| link.1.overlaps(POINTER, place.offsets, POINTER))
        };
        places.iter().any(overlaps)
    }

    /// Whether all of these places are of such links.
    pub(super) fn are_at(&self, places: &[Location]) -> bool {
        !places.is_empty() && places.iter().all(|p| self.places.binary_search(&(p.object, p.offsets)).is_ok())
    }
}

impl Termination<'_, '_> {
    /// Whether links form no ring, at any time. O(stores of pointers, and the functions with those among them that may
    /// write these links).
    pub(super) fn form_no_ring(&self, links: &Links) -> bool {
        let Some(stores) = self.stores_of(links) else { return false };
        if !initial_links_form_no_ring(self.program, self.modref, links) {
            return false;
        }
        Preservation::new(self, links, &stores).holds()
    }

    /// The instructions that may write a link that leads to an object with such links. `None` where one of them is
    /// nothing that is understood.
    pub(super) fn stores_of(&self, links: &Links) -> Option<BTreeSet<ProgramPoint>> {
        let points_to = self.modref.points_to();
        let mut found = BTreeSet::new();
        for PointerStore { instance, at, to } in self.pointer_stores() {
            let is_outside = |o: ObjectId| points_to.objects()[o].kind == ObjectKind::Outside;
            let is_linked = |o: &ObjectId| is_outside(*o) || links.objects.binary_search(o).is_ok();
            let leads = to.as_ref().is_none_or(|to| to.iter().any(is_linked));
            if !leads {
                continue;
            }
            let block = &self.program.functions[at.func].blocks[at.block];
            match block.insts[at.inst as usize].op {
                Op::Store { address, .. } | Op::MemCopy { to: address, .. } => {
                    let info = points_to.pointer_info_in(*instance, address);
                    let places = match block.insts[at.inst as usize].op {
                        Op::Store { .. } => info.locations,
                        _ => whole_objects(info.locations),
                    };
                    if links.may_be_at(&places) {
                        found.insert(*at);
                    }
                }
                _ => {
                    let mods = self.modref.of_instruction(*instance, *at).mods;
                    let touches = |&(object, offsets): &(ObjectId, Offsets)| {
                        self.modref.touches_at(&mods, object, offsets, POINTER)
                    };
                    if links.places.iter().any(touches) {
                        return None;
                    }
                }
            }
        }
        Some(found)
    }

    /// Everything that may write pointers. Found once.
    fn pointer_stores(&self) -> &[PointerStore] {
        self.pointer_stores.get_or_init(|| {
            let mut found = Vec::new();
            for (instance, of) in self.modref.points_to().instances().iter() {
                for (block, body) in self.program.functions[of.func].blocks.iter() {
                    for (inst, i) in (0..).zip(&body.insts) {
                        let at = ProgramPoint { func: of.func, block, inst };
                        if let Some(to) = self.written_pointers(instance, at, &i.op) {
                            found.push(PointerStore { instance, at, to });
                        }
                    }
                }
            }
            found
        })
    }

    /// Where the pointers lead that an instruction writes by itself, `Some(None)` for anywhere; `None` if it writes
    /// none.
    fn written_pointers(&self, instance: InstanceId, at: ProgramPoint, op: &Op) -> Option<Option<Vec<ObjectId>>> {
        let points_to = self.modref.points_to();
        let function = &self.program.functions[at.func];
        let objects =
            |operand: Operand| -> Vec<ObjectId> { points_to.pointer_info_in(instance, operand).objects().collect() };
        match *op {
            Op::Store { value, .. } => {
                let is_whole = u64::from(function.type_of(value).bytes()) >= POINTER;
                let to = if is_whole { objects(value) } else { Vec::new() };
                (!to.is_empty()).then_some(Some(to))
            }
            Op::MemCopy { from, .. } => {
                let copied = objects(from).into_iter().flat_map(|object| points_to.contents(object).locations);
                let to: BTreeSet<ObjectId> = copied.map(|location| location.object).collect();
                (!to.is_empty()).then(|| Some(to.into_iter().collect()))
            }
            Op::AtomicRmw { .. } | Op::CompareExchange { .. } | Op::VaStart { .. } | Op::VaCopy { .. } => Some(None),
            Op::Unsupported { .. } => Some(None),
            // `memcpy` where it is called as a function, or through a pointer.
            Op::Call { callee: Callee::Intrinsic(Intrinsic::MemCopy | Intrinsic::MemMove), .. } => Some(None),
            Op::Call { callee: Callee::Direct(callee), .. } if self.program.functions[callee].is_declaration() => {
                Some(None)
            }
            Op::Call { callee: Callee::Indirect(_), .. } => {
                let targets = points_to.call_targets(self.program, at);
                targets.iter().any(|&f| self.program.functions[f].is_declaration()).then_some(None)
            }
            _ => None,
        }
    }
}

/// Anywhere in the objects of some places.
fn whole_objects(mut places: Vec<Location>) -> Vec<Location> {
    for place in &mut places {
        place.offsets = Offsets::ANY;
    }
    places
}

/// Whether what variables begin with forms no ring: a graph with an edge from a variable to each that its links lead
/// to, or where that has a ring, from address to address.
fn initial_links_form_no_ring(program: &Program, modref: &ModRef<'_>, links: &Links) -> bool {
    let objects = modref.points_to().objects();
    let mut edges: FxHashMap<GlobalId, Vec<GlobalId>> = FxHashMap::default();
    for &(object, offsets) in &links.places {
        let ObjectKind::Global(from) = objects[object].kind else { continue };
        for relocation in &program.globals[from].relocations {
            let at = Offsets::Exact(i64::try_from(relocation.offset).unwrap_or(i64::MAX));
            let Const::Global { global: to, .. } = relocation.value else { continue };
            if at.overlaps(POINTER, offsets, POINTER) {
                edges.entry(from).or_default().push(to);
            }
        }
    }
    let mut starts: Vec<GlobalId> = edges.keys().copied().collect();
    starts.sort_unstable();
    let mut done: FxHashSet<GlobalId> = FxHashSet::default();
    starts.into_iter().all(|start| no_ring_from(&edges, start, &mut done))
}

/// Whether no way from a variable leads to one that it comes from. Has its own stack: lists may be long.
fn no_ring_from(edges: &FxHashMap<GlobalId, Vec<GlobalId>>, start: GlobalId, done: &mut FxHashSet<GlobalId>) -> bool {
    let mut open: FxHashSet<GlobalId> = FxHashSet::default();
    let mut work = vec![(start, false)];
    while let Some((at, is_left)) = work.pop() {
        if is_left {
            open.remove(&at);
            done.insert(at);
            continue;
        }
        if done.contains(&at) {
            continue;
        }
        if !open.insert(at) {
            return false;
        }
        work.push((at, true));
        for &next in edges.get(&at).into_iter().flatten() {
            if open.contains(&next) {
                return false;
            }
            work.push((next, false));
        }
    }
    true
}

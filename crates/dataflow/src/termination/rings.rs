//! Whether links between objects form no ring: lists and trees.
//!
//! A loop that follows links, `p = p->next`, comes to an end if no way along them leads back, since there are finitely
//! many objects. Links form no ring at any time if those that variables begin with do not, and no store of the program
//! closes one ([`super::preserve`]). What a program stores otherwise, and where the links of other structures lead,
//! does not matter.
//!
//! Taken for granted, as everywhere: no pointer is written in parts, and threads do not race.

use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock};

use icsched_ir::{Callee, Const, GlobalId, Intrinsic, Op, Operand, Program, ProgramPoint};
use icsched_pointsto::{InstanceId, Location, ModRef, ObjectId, ObjectKind, Offsets};
use rustc_hash::{FxHashMap, FxHashSet};

use super::code::{Code, lock};
use super::links::{Links, POINTER};
use super::preserve::Preservation;

/// Something that may write a pointer.
#[derive(Clone, Debug)]
pub(super) struct PointerStore {
    instance: InstanceId,
    at: ProgramPoint,
    /// The objects to which what is written may point; `None`: any.
    to: Option<Vec<ObjectId>>,
}

/// Which links of a program form no ring, where that was asked.
#[derive(Default)]
pub(super) struct Rings {
    known: Mutex<FxHashMap<Links, bool>>,
    pointer_stores: OnceLock<Vec<PointerStore>>,
}

impl Rings {
    /// Whether links form no ring, at any time. O(stores of pointers, and the functions with those among them that may
    /// write these links); nothing where it was asked before.
    pub(super) fn are_none(&self, code: &Code<'_, '_>, links: &Links) -> bool {
        if let Some(&known) = lock(&self.known).get(links) {
            return known;
        }
        let found = self.form_no_ring(code, links);
        lock(&self.known).insert(links.clone(), found);
        found
    }

    fn form_no_ring(&self, code: &Code<'_, '_>, links: &Links) -> bool {
        let Some(stores) = self.stores_of(code, links) else { return false };
        if !initial_links_form_no_ring(code.program, code.modref, links) {
            return false;
        }
        Preservation::new(code, links, &stores).holds()
    }

    /// The instructions that may write a link that leads to an object with such links. `None` where one of them is
    /// nothing that is understood.
    pub(super) fn stores_of(&self, code: &Code<'_, '_>, links: &Links) -> Option<BTreeSet<ProgramPoint>> {
        let points_to = code.modref.points_to();
        let mut found = BTreeSet::new();
        for PointerStore { instance, at, to } in self.pointer_stores(code) {
            let is_outside = |o: ObjectId| points_to.objects()[o].kind == ObjectKind::Outside;
            let is_linked = |o: &ObjectId| is_outside(*o) || links.objects.binary_search(o).is_ok();
            let leads = to.as_ref().is_none_or(|to| to.iter().any(is_linked));
            if !leads {
                continue;
            }
            let block = &code.program.functions[at.func].blocks[at.block];
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
                    let mods = code.modref.of_instruction(*instance, *at).mods;
                    let touches = |&(object, offsets): &(ObjectId, Offsets)| {
                        code.modref.touches_at(&mods, object, offsets, POINTER)
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
    fn pointer_stores(&self, code: &Code<'_, '_>) -> &[PointerStore] {
        self.pointer_stores.get_or_init(|| {
            let mut found = Vec::new();
            for (instance, of) in code.modref.points_to().instances().iter() {
                for (block, body) in code.program.functions[of.func].blocks.iter() {
                    for (inst, i) in (0..).zip(&body.insts) {
                        let at = ProgramPoint { func: of.func, block, inst };
                        if let Some(to) = written_pointers(code, instance, at, &i.op) {
                            found.push(PointerStore { instance, at, to });
                        }
                    }
                }
            }
            found
        })
    }
}

/// Where the pointers lead that an instruction writes by itself, `Some(None)` for anywhere; `None` if it writes
/// none.
fn written_pointers(
    code: &Code<'_, '_>,
    instance: InstanceId,
    at: ProgramPoint,
    op: &Op,
) -> Option<Option<Vec<ObjectId>>> {
    let points_to = code.modref.points_to();
    let function = &code.program.functions[at.func];
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
        Op::Call { callee: Callee::Direct(callee), .. } if code.program.functions[callee].is_declaration() => {
            Some(None)
        }
        Op::Call { callee: Callee::Indirect(_), .. } => {
            let targets = points_to.call_targets(code.program, at);
            targets.iter().any(|&f| code.program.functions[f].is_declaration()).then_some(None)
        }
        _ => None,
    }
}

/// Anywhere in the objects of some places.
fn whole_objects(mut places: Vec<Location>) -> Vec<Location> {
    for place in &mut places {
        place.offsets = Offsets::ANY;
    }
    places
}

/// Whether the links that variables begin with form no ring, as a graph with an edge from a variable to each one that
/// its links lead to.
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

//! What code may write, read and synchronise (`WritesLiveVarBetween` and `SyncOpBetween` of Bergan's figure 3.3).
//!
//! One summary per instance: the union of what its instructions touch and of the summaries of what it calls, computed
//! over the strongly connected components of the calls between instances, callees first. Members of a component share
//! one summary. Sets are numbered, and equal unions are made once.
//!
//! A callee's own stack objects are gone when it returns, so callers do not see what is done to them; except that
//! another thread's activation may still have its own, which matters where such an object is
//! [shared](crate::Escape::is_shared).
//!
//! A new thread's code is not part of the call that creates it: it synchronises, which is what there is to know of it.
//! Neither is a signal handler part of what it interrupts.

use icsched_ir::{BlockId, EntityId, FuncId, Function, IdVec, Op, Program, ProgramPoint, scc};
use roaring::RoaringBitmap;
use rustc_hash::FxHashMap;

use crate::access::{AccessSet, Piece, Places};
use crate::escape::{Escape, Reach, locations_of, number};
use crate::failing::Failing;
use crate::object::{InstanceId, ObjectId, ObjectKind, Offsets};
use crate::query::PointsTo;
use crate::touched::{Parts, Reader, SetId, Touched, point};

/// What some code may do.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Effects {
    /// What it may write, or end the life of.
    pub mods: SetId,
    /// What it may read.
    pub refs: SetId,
    /// Whether it may synchronise.
    pub synchronises: bool,
}

/// Mod/ref summaries of a whole program.
pub struct ModRef<'p> {
    pub(crate) reader: Reader<'p>,
    pub(crate) sets: Sets<'p>,
    escape: Escape,
    failing: Failing,
    /// As callers see it.
    visible: IdVec<InstanceId, Effects>,
    /// With its own stack objects.
    inside: IdVec<InstanceId, Effects>,
    functions: IdVec<FuncId, Effects>,
    outside: Effects,
    outside_inside: Effects,
    /// Per instance, and last for the outside, which strongly connected component of the calls it is in.
    component_of: Vec<usize>,
    /// Calls that are not of exactly one instance and nothing else.
    calls: FxHashMap<(InstanceId, ProgramPoint), Effects>,
}

impl<'p> ModRef<'p> {
    /// Summarises the program. Linear in the instances' instructions and calls, times the size of the sets.
    ///
    /// A declared function may synchronise unless it does not return or `harmless` vouches for it.
    pub fn new(program: &'p Program, points_to: &'p PointsTo, harmless: &dyn Fn(&Function) -> bool) -> Self {
        let reader = Reader::new(program, points_to, harmless);
        let mut this = Self {
            failing: Failing::new(&reader),
            reader,
            sets: Sets::new(points_to),
            escape: Escape::new(program, points_to),
            visible: IdVec::filled(NOTHING, points_to.instances().len()),
            inside: IdVec::filled(NOTHING, points_to.instances().len()),
            functions: IdVec::filled(NOTHING, program.functions.len()),
            outside: NOTHING,
            outside_inside: NOTHING,
            component_of: Vec::new(),
            calls: FxHashMap::default(),
        };
        let mut mixed: Vec<(InstanceId, ProgramPoint, Touched)> = Vec::new();
        let mut touched: Vec<Touched> = points_to.instances().ids().map(|id| this.instance(id, &mut mixed)).collect();
        touched.push(this.outside_itself());
        this.summarise(&touched);
        for (instance, at, touched) in mixed {
            let effects = this.realise(instance.index(), touched);
            this.calls.insert((instance, at), effects);
        }
        for func in program.functions.ids() {
            let instances = points_to.instances_of(func).iter().map(|&i| this.visible[i]);
            let effects = this.sets.unite(instances);
            this.functions[func] = effects;
        }
        this
    }

    /// What the instructions of an instance do, calls that take more than one summary noted in `mixed`.
    fn instance(&self, id: InstanceId, mixed: &mut Vec<(InstanceId, ProgramPoint, Touched)>) -> Touched {
        let func = self.reader.points_to.instances()[id].func;
        let mut all = Touched::default();
        for (block_id, block) in self.reader.program.functions[func].blocks.iter() {
            for (at, inst) in block.insts.iter().enumerate() {
                let at = point(func, block_id, at);
                if !matches!(inst.op, Op::Call { .. }) {
                    self.reader.instruction(id, at, inst, &mut all);
                    continue;
                }
                let mut call = Touched::default();
                self.reader.instruction(id, at, inst, &mut call);
                all.append(&call);
                if !single(&call) {
                    mixed.push((id, at, call));
                }
            }
        }
        all.settle();
        all
    }

    /// What functions that are not known do: anything to what they may hold, and calls of what they may hold.
    fn outside_itself(&self) -> Touched {
        let mut touched = Touched::default();
        let points_to = self.reader.points_to;
        if let Some(set) = points_to.outside() {
            touched.mods.objects.push(set);
            touched.refs.objects.push(set);
            touched.calls = points_to.called_from_outside().collect();
            touched.settle();
        }
        touched
    }

    /// `touched` of each instance, and last of the outside.
    fn summarise(&mut self, touched: &[Touched]) {
        let outside = touched.len() - 1;
        let successors = |node: usize| {
            let unknown = touched[node].outside.then_some(outside);
            touched[node].calls.iter().map(|c| c.index()).chain(unknown)
        };
        self.component_of = vec![usize::MAX; touched.len()];
        for (number, component) in scc::components(touched.len(), |_| true, successors).into_iter().enumerate() {
            let mut all = Touched::default();
            for &node in &component {
                all.append(&touched[node]);
                self.component_of[node] = number;
            }
            // What members call of each other is in their union already.
            let member = |i: &InstanceId| component.binary_search(&i.index()).is_ok();
            all.calls.retain(|i| !member(i));
            all.outside &= component.binary_search(&outside).is_err();
            let inside = self.realise(component[0], all);
            let visible = self.without_locals(inside, &component);
            for &node in &component {
                if node == outside {
                    (self.outside, self.outside_inside) = (visible, inside);
                } else {
                    self.inside[InstanceId::from_index(node)] = inside;
                    self.visible[InstanceId::from_index(node)] = visible;
                }
            }
        }
    }

    /// Makes the sets of what was touched by `caller`; every callee is summarised.
    fn realise(&mut self, caller: usize, mut touched: Touched) -> Effects {
        self.add_callees(caller, &mut touched);
        let (mods, refs) = (self.sets.make(touched.mods), self.sets.make(touched.refs));
        Effects { mods, refs, synchronises: touched.synchronises }
    }

    /// Adds the summaries of what is called.
    fn add_callees(&self, caller: usize, touched: &mut Touched) {
        let callees = touched.calls.iter().map(|&callee| self.seen_from(caller, callee));
        let unknown = if self.component_of[caller] == self.component_of[self.visible.len()] {
            self.outside_inside
        } else {
            self.outside
        };
        for callee in callees.chain(touched.outside.then_some(unknown)) {
            touched.mods.sets.push(callee.mods);
            touched.refs.sets.push(callee.refs);
            touched.synchronises |= callee.synchronises;
        }
    }

    /// What calls of `callee` do to what is left when they return; in recursion, activations of the same instance are.
    fn seen_from(&self, caller: usize, callee: InstanceId) -> Effects {
        if self.component_of[caller] == self.component_of[callee.index()] {
            self.inside[callee]
        } else {
            self.visible[callee]
        }
    }

    /// What remains when the activations of a component's instances are over.
    fn without_locals(&mut self, effects: Effects, component: &[usize]) -> Effects {
        let mut gone = RoaringBitmap::new();
        for &node in component {
            let own = self.sets.locals.get(node).into_iter().flatten();
            gone.extend(own.filter(|&&o| !self.escape.is_shared(o)).map(|&o| number(o)));
        }
        if gone.is_empty() {
            return effects;
        }
        let locations = locations_of(&self.sets.places, &gone);
        let [mods, refs] = [effects.mods, effects.refs].map(|set| self.sets.without(set, &gone, &locations));
        Effects { mods, refs, ..effects }
    }

    /// What calls of the instance may do, as a caller sees it that the instance does not call back: O(1). Where it
    /// does, in recursion, calls may also write locals of the instances on the cycle, which outer activations still
    /// have: only [`Self::of_call`] says so.
    pub fn of_instance(&self, instance: InstanceId) -> Effects {
        self.visible[instance]
    }

    /// What activations of the instance may do, also to their own locals. O(1).
    pub fn inside_instance(&self, instance: InstanceId) -> Effects {
        self.inside[instance]
    }

    /// What calls of the function may do, over all of its instances; in recursion as [`Self::of_instance`]. O(1).
    pub fn of_function(&self, func: FuncId) -> Effects {
        self.functions[func]
    }

    /// What the call of a function at a point of an instance may do; nothing if there is no such call. O(log calls).
    pub fn of_call(&self, instance: InstanceId, at: ProgramPoint) -> Effects {
        if let Some(&known) = self.calls.get(&(instance, at)) {
            return known;
        }
        match self.reader.points_to.callees(instance, at) {
            [callee] if self.is_function_call(at) => self.seen_from(instance.index(), *callee),
            _ => NOTHING,
        }
    }

    fn is_function_call(&self, at: ProgramPoint) -> bool {
        let block = &self.reader.program.functions[at.func].blocks[at.block];
        let op = block.insts.get(at.inst as usize).map(|i| &i.op);
        matches!(op, Some(Op::Call { callee, .. }) if !matches!(callee, icsched_ir::Callee::Intrinsic(_)))
    }

    /// How many different sets there are.
    pub fn set_count(&self) -> usize {
        self.sets.made.len()
    }

    /// What a numbered set holds. O(1).
    pub fn set(&self, id: SetId) -> &AccessSet {
        &self.sets.made[id]
    }

    /// The pieces of a set, by object and offset. Takes time in their number.
    pub fn pieces(&self, set: &AccessSet) -> Vec<Piece> {
        self.sets.places.pieces(set)
    }

    /// Whether a set may have one of the `len` bytes from `start` of an object. Takes time in the number of different
    /// offsets known in the object, which [`Options::max_offsets`](crate::Options) bounds.
    pub fn touches(&self, set: &AccessSet, object: ObjectId, start: i64, len: u64) -> bool {
        self.touches_at(set, object, Offsets::Exact(start), len)
    }

    /// [`Self::touches`] for `len` bytes from any of several offsets.
    pub fn touches_at(&self, set: &AccessSet, object: ObjectId, offsets: Offsets, len: u64) -> bool {
        self.sets.places.touches_at(set, object, offsets, len)
    }

    /// The single offsets of an object that pointers of the program may have, ascending: its fields, as far as they are
    /// accessed.
    pub fn offsets(&self, object: ObjectId) -> Vec<i64> {
        let places = self.sets.places.locations_of(object);
        let exact = |&id| self.reader.points_to.locations()[id].offsets.exact();
        let mut offsets: Vec<i64> = places.iter().filter_map(exact).collect();
        offsets.sort_unstable();
        offsets.dedup();
        offsets
    }

    /// What functions that are not known may do.
    pub(crate) fn outside(&self) -> Effects {
        self.outside
    }

    /// Which objects are shared.
    pub fn escape(&self) -> &Escape {
        &self.escape
    }

    /// The solution that this is about.
    pub fn points_to(&self) -> &'p PointsTo {
        self.reader.points_to
    }

    /// The program that this is about.
    pub fn program(&self) -> &'p Program {
        self.reader.program
    }

    /// What some blocks of an instance's function may do together, calls included. Takes time in their instructions and
    /// the size of the sets.
    pub fn of_blocks(&self, instance: InstanceId, blocks: impl IntoIterator<Item = BlockId>) -> Region {
        let func = self.reader.points_to.instances()[instance].func;
        let mut touched = Touched::default();
        let mut fails = false;
        for block in blocks {
            for (at, inst) in self.reader.program.functions[func].blocks[block].insts.iter().enumerate() {
                let at = point(func, block, at);
                self.reader.instruction(instance, at, inst, &mut touched);
                fails |= !fails && self.failing.instruction(&self.reader, instance, at, inst);
            }
        }
        Region { fails, ..self.region(instance, touched) }
    }

    /// What one instruction of an instance may do, calls included.
    pub fn of_instruction(&self, instance: InstanceId, at: ProgramPoint) -> Region {
        let mut touched = Touched::default();
        let mut fails = false;
        let block = &self.reader.program.functions[at.func].blocks[at.block];
        if let Some(inst) = block.insts.get(at.inst as usize) {
            self.reader.instruction(instance, at, inst, &mut touched);
            fails = self.failing.instruction(&self.reader, instance, at, inst);
        }
        Region { fails, ..self.region(instance, touched) }
    }

    fn region(&self, instance: InstanceId, mut touched: Touched) -> Region {
        self.add_callees(instance.index(), &mut touched);
        touched.settle();
        let mut region = Region { synchronises: touched.synchronises, ..Region::default() };
        self.sets.add_parts(&touched.mods, &mut region.mods);
        self.sets.add_parts(&touched.refs, &mut region.refs);
        region
    }
}

/// What a part of a function may do.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Region {
    /// What it may write, or end the life of.
    pub mods: AccessSet,
    /// What it may read.
    pub refs: AccessSet,
    /// Whether it may synchronise.
    pub synchronises: bool,
    /// Whether it may get to an access or call through a pointer that is null or was never an address: an error, or
    /// something the analysis did not follow.
    pub fails: bool,
}

impl Region {
    /// Adds what another part may do.
    pub fn unite(&mut self, other: &Region) {
        self.mods.unite(&other.mods);
        self.refs.unite(&other.refs);
        self.synchronises |= other.synchronises;
        self.fails |= other.fails;
    }
}

const EMPTY: SetId = SetId::EMPTY;
const NOTHING: Effects = Effects { mods: EMPTY, refs: EMPTY, synchronises: false };

/// Whether a call is of one instance and does nothing else.
fn single(call: &Touched) -> bool {
    call.calls.len() <= 1 && !call.outside && !call.synchronises && call.mods.is_empty() && call.refs.is_empty()
}

/// Numbered sets of pieces.
pub(crate) struct Sets<'p> {
    points_to: &'p PointsTo,
    pub(crate) places: Places<'p>,
    pub(crate) made: IdVec<SetId, AccessSet>,
    known: FxHashMap<Parts, SetId>,
    /// What can be reached from numbered points-to sets, as objects.
    reachable: FxHashMap<u32, RoaringBitmap>,
    /// Per instance its stack objects.
    locals: Vec<Vec<ObjectId>>,
}

impl<'p> Sets<'p> {
    fn new(points_to: &'p PointsTo) -> Self {
        let mut locals = vec![Vec::new(); points_to.instances().len()];
        for (id, object) in points_to.objects().iter() {
            match object.kind {
                ObjectKind::Stack { instance, .. } | ObjectKind::VarArgs(instance) => locals[instance.index()].push(id),
                _ => {}
            }
        }
        let mut made = IdVec::new();
        made.push(AccessSet::default());
        Self {
            points_to,
            places: Places::new(points_to.objects(), points_to.locations()),
            made,
            known: FxHashMap::default(),
            reachable: FxHashMap::default(),
            locals,
        }
    }

    /// The set that is the union of some parts.
    fn make(&mut self, mut parts: Parts) -> SetId {
        parts.settle();
        parts.sets.retain(|&s| s != EMPTY);
        if parts.is_empty() {
            return EMPTY;
        }
        if let Some(&only) = parts.sets.first()
            && parts == (Parts { sets: vec![only], ..Parts::default() })
        {
            return only;
        }
        if let Some(&known) = self.known.get(&parts) {
            return known;
        }
        for &set in &parts.reachable {
            if !self.reachable.contains_key(&set) {
                let mut reach = Reach { points_to: self.points_to, objects: RoaringBitmap::new(), work: Vec::new() };
                reach.add(self.points_to.set_numbered(set));
                reach.follow();
                self.reachable.insert(set, reach.objects);
            }
        }
        let mut made = AccessSet::default();
        self.add_parts(&parts, &mut made);
        let largest = parts.sets.iter().copied().max_by_key(|&s| self.made[s].len());
        // Most callers add nothing to what some callee does.
        let id = largest.filter(|&s| self.made[s] == made).unwrap_or_else(|| self.made.push(made));
        self.known.insert(parts, id);
        id
    }

    fn unite(&mut self, all: impl Iterator<Item = Effects>) -> Effects {
        let (mut mods, mut refs, mut synchronises) = (Parts::default(), Parts::default(), false);
        for effects in all {
            mods.sets.push(effects.mods);
            refs.sets.push(effects.refs);
            synchronises |= effects.synchronises;
        }
        Effects { mods: self.make(mods), refs: self.make(refs), synchronises }
    }

    fn without(&mut self, set: SetId, objects: &RoaringBitmap, locations: &RoaringBitmap) -> SetId {
        let mut rest = self.made[set].clone();
        rest.remove(objects, locations);
        if rest.is_empty() {
            EMPTY
        } else if rest == self.made[set] {
            set
        } else {
            self.made.push(rest)
        }
    }

    /// Adds what parts stand for; what their `reachable` sets lead to is known since a set was made of them.
    pub(crate) fn add_parts(&self, parts: &Parts, to: &mut AccessSet) {
        if parts.everything {
            to.add_everything();
        }
        for &(set, width) in &parts.accesses {
            to.add(width, self.points_to.set_numbered(set));
        }
        for &set in &parts.objects {
            let locations = self.points_to.set_numbered(set).iter();
            let object = |l| number(self.points_to.locations()[crate::solver::location(l)].object);
            to.add_objects(&locations.map(object).collect());
        }
        for set in &parts.reachable {
            if let Some(objects) = self.reachable.get(set) {
                to.add_objects(objects);
            }
        }
        for &set in &parts.sets {
            to.unite(&self.made[set]);
        }
    }
}

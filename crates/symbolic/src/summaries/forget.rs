//! What a replaced loop or recursion leaves behind ([`icsched_machine::abstraction`]): values that nobody knows.
//!
//! They are kept as those of an initial state are: memory that it may write is read from a root of its own from then
//! on, and what pointers in it may point to is what points-to analysis says, among the objects that the path has made
//! by then or others.

use std::rc::Rc;
use std::sync::Arc;

use icsched_ir::{CallStack, Type, ValueId};
use icsched_pointsto::{InstanceId, ObjectId as Abstract, ObjectKind as AbstractKind, Offsets};
use icsched_smt::{CmpOp, Term};
use rustc_hash::FxHashMap;

use super::forgotten::Index;
use super::reached::Arrival;
use crate::budgets::BUDGETS;
use crate::domain::SymbolicDomain;
use crate::initial::discovery::{Discovery, Held};
use crate::initial::root::{Fresh, Places, RootId, RootName};
use crate::memory::array::SymArray;
use crate::path::{Primary, SymPath};
use crate::trace::Region;
use crate::values::value::SymValue;
use icsched_machine::abstraction::{Effect, LatchTest, LoopLimits, Passage, Replaced, Span};
use icsched_machine::domain::{AllocationSite, Arithmetic as _, Forgot, MemoryByte};
use icsched_machine::memory::{Heap, ObjectId, ObjectKind};

/// The abstract objects that one of a path may be, each with the offset that counts as the object's first byte; `None`:
/// any.
pub(crate) type Candidates = Option<(Vec<(Abstract, Offsets)>, u64)>;

impl SymbolicDomain {
    /// The values of a header's parameters in some iteration, or the results of a call.
    pub(crate) fn forget_values(&mut self, passage: Passage, params: &[(ValueId, Type, String)]) -> Vec<SymValue> {
        params.iter().map(|(value, ty, name)| self.forget_value(passage, *value, *ty, name)).collect()
    }

    pub(crate) fn forget_value(&mut self, passage: Passage, value: ValueId, ty: Type, name: &str) -> SymValue {
        let origins = self.origins();
        if let Some(&known) = origins.forgotten.values.get(&(passage, value)) {
            self.confirm_name(known, name);
            return self.value(known);
        }
        let name = origins.unique(name.to_owned());
        origins.discover(|| Discovery::Value { passage, value, name: name.clone() });
        let symbol = self.pool.symbol(&name, ty.bits());
        let origins = self.origins();
        origins.forgotten.values.insert((passage, value), symbol);
        origins.forgotten.symbols.insert(symbol, passage);
        if ty.bits() == 64 {
            let instances: Rc<[InstanceId]> = origins.points_to.instances_of(passage.func).into();
            origins.register(symbol, instances, value, None);
        }
        self.value(symbol)
    }

    /// A number of 64 bits, but at most `most`.
    pub(crate) fn at_most(&mut self, number: Term, most: u64) -> Term {
        let greatest = self.pool.constant(64, most);
        let is_less = self.pool.cmp(CmpOp::Ult, number, greatest);
        self.pool.ite(is_less, number, greatest)
    }

    /// What a parameter of which nothing is known is if it is no lower, as a signed number, than before.
    pub(crate) fn grown(&mut self, passage: Passage, value: ValueId, start: u64) -> Option<SymValue> {
        let any = *self.origins().forgotten.values.get(&(passage, value))?;
        if self.pool.width(any) == 64 && start.cast_signed() >= BUDGETS.counter_start {
            return None;
        }
        let start = self.pool.constant(self.pool.width(any), start);
        let is_higher = self.pool.cmp(CmpOp::Slt, start, any);
        let grown = self.pool.ite(is_higher, any, start);
        Some(self.value(grown))
    }

    /// What a parameter of which nothing is known is if it is between the ends of a span, or the lower end.
    pub(crate) fn between(&mut self, passage: Passage, span: &Span) -> Option<SymValue> {
        let any = *self.origins().forgotten.values.get(&(passage, span.counter))?;
        let width = self.pool.width(any);
        let [least, greatest] = [span.least, span.greatest].map(|end| self.pool.constant(width, end.cast_unsigned()));
        let (low, high) = (self.pool.cmp(CmpOp::Sle, least, any), self.pool.cmp(CmpOp::Sle, any, greatest));
        let is_between = self.pool.and_all(&[low, high]);
        let number = self.pool.ite(is_between, any, least);
        Some(self.value(number))
    }

    /// What a parameter of which nothing is known is if it passes a test, or is what it was before.
    pub(crate) fn tested(&mut self, passage: Passage, test: &LatchTest, start: &SymValue) -> Option<SymValue> {
        let any = *self.origins().forgotten.values.get(&(passage, test.value))?;
        let width = self.pool.width(any);
        let start = self.term(start, width);
        if self.pool.width(start) != width {
            return None;
        }
        let ty = Type::Int(u8::try_from(width).ok()?);
        let passes = self.int_compare(test.predicate, ty, &SymValue::Term(any), &SymValue::Constant(test.bits));
        let passes = self.term(&passes, 1);
        let held = self.pool.ite(passes, any, start);
        Some(self.value(held))
    }

    /// How many iterations of a replaced loop have passed.
    pub(crate) fn rounds(&mut self, passage: Passage, place: &str) -> Term {
        self.rounds_named(passage, format!("rounds of {place}"))
    }

    /// The same with a name for it.
    pub(crate) fn rounds_named(&mut self, passage: Passage, name: String) -> Term {
        let origins = self.origins();
        if let Some(&known) = origins.forgotten.rounds.get(&passage) {
            self.confirm_name(known, &name);
            return known;
        }
        let name = origins.unique(name);
        origins.discover(|| Discovery::Rounds { passage, name: name.clone() });
        let symbol = self.pool.symbol(&name, 64);
        let forgotten = &mut self.origins().forgotten;
        forgotten.rounds.insert(passage, symbol);
        forgotten.symbols.insert(symbol, passage);
        symbol
    }

    /// Forgets what a loop or a call may write, as the registers of its activation are; the bytes that these are.
    pub(crate) fn forget_memory(
        &mut self,
        heap: &mut Heap<Self>,
        path: &mut SymPath,
        (passage, first): (Passage, Passage),
        place: &str,
        (registers, limits): (&[SymValue], &LoopLimits),
    ) -> Forgot<SymValue> {
        let replaced = Arc::clone(&self.origins().forgotten.replaced);
        let Some(effect) = replaced.effect(&passage) else { return Forgot::default() };
        self.know_objects(path, heap);
        let program = Arc::clone(&self.origins().program);
        let arrival = Arrival { heap, path, function: &program.functions[passage.func], registers };
        let of_loop = replaced.loops.get(&(passage.func, passage.block)).filter(|_| passage.what == Replaced::Loop);
        let (extents, mut uses) = of_loop.map(|l| self.extents(&arrival, l, limits)).unwrap_or_default();
        let (course, of_course) = of_loop.map(|l| self.course(&arrival, l, limits)).unwrap_or_default();
        uses.values.extend(of_course.values);
        uses.regions.extend(of_course.regions);
        tracing::debug!(place, ?extents, "what is replaced writes there");
        let effect = &effect.with_stores(|at| extents.get(at).is_none_or(Option::is_none));
        let mut regions = Vec::new();
        for (id, kind, at, size) in objects(heap) {
            let candidates = self.candidates(path, id, kind, at);
            let mut runs = written(effect, &candidates, size);
            runs.extend(extents.iter().flatten().filter(|e| e.0 == id).map(|&(_, start, end)| (start, end)));
            runs = merged(runs);
            if runs.is_empty() {
                continue;
            }
            let root = self.forgotten_root(heap, passage, (id, at), &candidates, place);
            if !self.forget_runs(heap, (id, at), root, size, &runs) {
                if size > BUDGETS.forgotten_bytes {
                    runs = vec![(0, size)];
                }
                let kept = self.kept(heap, path, id, size, &runs);
                heap.set_contents(id, SymArray::of_root(root));
                for (start, bytes) in kept {
                    heap.set_bytes(self, id, start, &bytes);
                }
            }
            regions.extend(runs.iter().map(|&(start, end)| Region {
                object: id,
                start,
                len: end - start,
                exact: true,
            }));
        }
        let (counters, ends) = self.positions((heap, path), (first, place), &course);
        uses.regions.extend(ends);
        path.forget(passage);
        Forgot { regions, counters, uses }
    }

    /// Lets pointers that nobody knows point to what the path itself has made.
    pub(crate) fn know_objects(&mut self, path: &mut SymPath, heap: &Heap<Self>) {
        for (id, kind, at, _) in objects(heap) {
            if matches!(kind, ObjectKind::Global(_)) || path.primaries().iter().any(|p| p.object == id) {
                continue;
            }
            if let Some((places, origin)) = self.candidates(path, id, kind, at) {
                path.add_primary(Primary { object: id, places: places.as_slice().into(), origin });
            }
        }
    }

    /// What an object holds that is met for the first time: a replaced loop may have written to it before.
    pub(crate) fn contents_when_met(
        &mut self,
        path: &SymPath,
        id: ObjectId,
        root: RootId,
        places: &Places,
    ) -> SymArray {
        let replaced = Arc::clone(&self.origins().forgotten.replaced);
        let origin = self.origins().get(root).origin();
        let candidates: Candidates = Some((places.to_vec(), origin));
        let is_written = |passage: &&Passage| {
            let found = replaced.effect(passage);
            found.is_some_and(|e| !written(&e.with_stores(|_| true), &candidates, u64::MAX >> 2).is_empty())
        };
        let Some(&passage) = path.forgotten().iter().rev().find(is_written) else { return SymArray::of_root(root) };
        let key = (passage, id, AllocationSite::default());
        if let Some(&known) = self.origins().forgotten.roots.get(&key) {
            self.confirm_later(known, |domain| domain.held_later(root, places));
            return SymArray::of_root(known);
        }
        let held = self.held_later(root, places);
        SymArray::of_root(self.later_root(key, held))
    }

    fn forgotten_root(
        &mut self,
        heap: &Heap<Self>,
        passage: Passage,
        (id, at): (ObjectId, AllocationSite),
        candidates: &Candidates,
        place: &str,
    ) -> RootId {
        let key = (passage, id, at);
        if let Some(&known) = self.origins().forgotten.roots.get(&key) {
            self.confirm_later(known, |domain| domain.held_past(heap, id, candidates, place));
            return known;
        }
        let held = self.held_past(heap, id, candidates, place);
        self.later_root(key, held)
    }

    /// What an object that is met for the first time holds that was written before.
    fn held_later(&mut self, root: RootId, places: &Places) -> Held<Places> {
        let known = self.origins().get(root);
        let (origin, size) = (known.origin(), known.size());
        let name = format!("{} later", self.origins().name_at(root, origin));
        Held { name, ty: None, places: Rc::clone(places), origin, size }
    }

    /// What an object holds behind summarised code.
    fn held_past(&mut self, heap: &Heap<Self>, id: ObjectId, candidates: &Candidates, place: &str) -> Held<Places> {
        let name = heap.name_of(icsched_machine::memory::address(id, 0));
        let ty = match heap.object(id).map(|o| o.kind) {
            Some(ObjectKind::Global(global) | ObjectKind::ThreadLocal(global, _)) => {
                self.origins().program.globals[global].source_type
            }
            _ => None,
        };
        let (places, origin) = self.places_of_candidates(candidates);
        Held { name: format!("{name} past {place}"), ty, places, origin, size: None }
    }

    fn places_of_candidates(&mut self, candidates: &Candidates) -> (Places, u64) {
        match candidates {
            Some((places, origin)) => (places.as_slice().into(), *origin),
            // What nobody knows may hold any pointer.
            None => (self.origins().points_to.objects().iter().map(|(o, _)| (o, Offsets::ANY)).collect(), 0),
        }
    }

    /// Forgets parts of an object that is too large for the others to be kept one by one; false if its contents are not
    /// in the form for that.
    fn forget_runs(
        &mut self,
        heap: &mut Heap<Self>,
        (id, at): (ObjectId, AllocationSite),
        root: RootId,
        size: u64,
        runs: &[(u64, u64)],
    ) -> bool {
        if size <= BUDGETS.forgotten_bytes
            || runs.len() > BUDGETS.forgotten_ranges
            || matches!(runs, [(0, end)] if *end >= size)
        {
            return false;
        }
        let unknown = heap.contents_of(id).filter(|array| array.unknown().is_some()).cloned();
        let Some(mut array) = unknown.or_else(|| {
            let written = heap.written_since_made(id, BUDGETS.written_bytes)?;
            let before = if written.is_else_undefined { Fresh::Any } else { Fresh::Zero };
            Some(SymArray::with_bytes(self.unwritten(id, at, before), written.bytes))
        }) else {
            return false;
        };
        let later = SymArray::of_root(root);
        for &(start, end) in runs {
            let (at, len) = (self.pool.constant(64, start), self.pool.constant(64, end - start));
            self.copy_to_array(&mut array, at, (&later, at), len, None);
        }
        heap.set_contents(id, array);
        true
    }

    /// A root for what an object that the path has made held before it was written.
    pub(crate) fn unwritten(&mut self, id: ObjectId, at: AllocationSite, fresh: Fresh) -> RootId {
        let key = (id, at, fresh);
        let origins = self.origins();
        if let Some(&known) = origins.forgotten.unwritten.get(&key) {
            return known;
        }
        let name = origins.unique("allocated".to_owned());
        let root = origins.root(RootName::Variable(name.clone(), None), Rc::from([]), 0);
        origins.discover(|| Discovery::Unwritten { root, object: id, site: at, fresh, name });
        origins.get_mut(root).fresh = Some(fresh);
        origins.forgotten.unwritten.insert(key, root);
        root
    }

    /// The bytes that are not written, as far as they are few enough to be kept.
    fn kept(
        &mut self,
        heap: &Heap<Self>,
        path: &SymPath,
        id: ObjectId,
        size: u64,
        runs: &[(u64, u64)],
    ) -> Vec<(u64, Vec<MemoryByte<Term>>)> {
        let mut kept = Vec::new();
        if size > BUDGETS.forgotten_bytes {
            return kept;
        }
        let mut at = 0;
        for &(start, end) in runs.iter().chain(&[(size, size)]) {
            if at < start {
                kept.push((at, heap.bytes(self, path, id, at, start - at).into_vec()));
            }
            at = at.max(end);
        }
        kept
    }

    pub(crate) fn candidates(
        &mut self,
        path: &SymPath,
        id: ObjectId,
        kind: ObjectKind,
        at: AllocationSite,
    ) -> Candidates {
        if let Some(primary) = path.primaries().iter().find(|p| p.object == id) {
            return Some((primary.places.to_vec(), primary.origin));
        }
        let index = self.index();
        let first = |objects: Vec<Abstract>| Some((objects.into_iter().map(|o| (o, Offsets::Exact(0))).collect(), 0));
        match kind {
            ObjectKind::Global(global) | ObjectKind::ThreadLocal(global, _) => {
                first(index.globals.get(&global).copied().into_iter().collect())
            }
            ObjectKind::Stack { func, value, .. } => {
                let instances = self.origins().points_to.instances_of(func).to_vec();
                first(instances.iter().filter_map(|&i| index.stack.get(&(i, value)).copied()).collect())
            }
            ObjectKind::Heap => Some((self.heap_places(at).to_vec(), 0)),
            ObjectKind::Initial(number) => {
                let site = self.origins().site_of(number)?;
                Some((self.heap_places(site).to_vec(), 0))
            }
            ObjectKind::ArgumentVector => first(index.of(AbstractKind::ArgumentVector)),
            ObjectKind::Argument(_) => first(index.of(AbstractKind::Arguments)),
            ObjectKind::EnvironmentVector => first(index.of(AbstractKind::EnvironmentVector)),
            ObjectKind::Environment(_) => first(index.of(AbstractKind::Environment)),
            // Which instance of its function an activation is, is not known.
            ObjectKind::VarArgs(_) => Some((index.var_args.iter().map(|&object| (object, Offsets::ANY)).collect(), 0)),
        }
    }

    /// The objects of a state that have no id of their own kind, those of the initial state among them and those that
    /// the path has freed, with what points-to analysis calls each and the offset that its first byte has there; none
    /// if nothing is known. O(objects).
    pub fn initial_objects(&mut self, path: &SymPath, heap: &Heap<Self>) -> Vec<(ObjectId, Vec<(Abstract, Offsets)>)> {
        if self.origins.is_none() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (id, object) in heap.objects() {
            if !matches!(object.kind, ObjectKind::Initial(_)) {
                continue;
            }
            let at = (object.allocated_at, object.site);
            let Some((places, origin)) = self.candidates(path, id, object.kind, at) else { continue };
            let first =
                |&(object, start): &(Abstract, Offsets)| (object, start.moved(origin.cast_signed().wrapping_neg()));
            found.push((id, places.iter().map(first).collect()));
        }
        found
    }

    /// What points-to analysis calls the objects that an instruction of the program allocates.
    pub(crate) fn heap_places(&mut self, (at, site): AllocationSite) -> Places {
        if let Some(site) = site {
            return [(site, Offsets::Exact(0))].into();
        }
        let index = self.index();
        let known = at.and_then(|at| index.heap.get(&at)).map_or(&[][..], Vec::as_slice);
        known.iter().chain(&index.heap_anywhere).map(|&object| (object, Offsets::Exact(0))).collect()
    }

    /// What points-to analysis calls the object that the innermost instruction of a stack allocates: the instances that
    /// the calls lead to tell apart what an allocation wrapper makes. O(depth × instances of the outermost function).
    pub(crate) fn allocation_site(&mut self, stack: &CallStack) -> Option<Abstract> {
        let index = self.origins.is_some().then(|| self.index())?;
        let points_to = Arc::clone(&self.origins().points_to);
        let (first, &at) = (stack.0.first()?, stack.0.last()?);
        let mut found: Option<Abstract> = None;
        for &instance in points_to.instances_of(first.func) {
            let calls = stack.0.windows(2);
            let innermost = calls
                .into_iter()
                .try_fold(instance, |caller, pair| points_to.callee_instance(caller, pair[0], pair[1].func));
            let Some(innermost) = innermost else { continue };
            let object = *index.allocated.get(&(innermost, at))?;
            if found.is_some_and(|known| known != object) {
                return None;
            }
            found = Some(object);
        }
        found
    }

    /// What points-to analysis calls an object that the system gives; none if no pointer of the program points there.
    pub(crate) fn given_site(&mut self, kind: ObjectKind) -> Option<Abstract> {
        let index = self.origins.is_some().then(|| self.index())?;
        let kind = match kind {
            ObjectKind::ArgumentVector => AbstractKind::ArgumentVector,
            ObjectKind::Argument(_) => AbstractKind::Arguments,
            _ => return None,
        };
        index.given.get(&kind).copied()
    }

    fn index(&mut self) -> Rc<Index> {
        let origins = self.origins();
        if let Some(index) = &origins.forgotten.index {
            return Rc::clone(index);
        }
        let mut index = Index {
            globals: FxHashMap::default(),
            stack: FxHashMap::default(),
            heap: FxHashMap::default(),
            heap_anywhere: Vec::new(),
            allocated: FxHashMap::default(),
            given: FxHashMap::default(),
            var_args: Vec::new(),
        };
        for (id, object) in origins.points_to.objects().iter() {
            match object.kind {
                AbstractKind::Global(global) => _ = index.globals.insert(global, id),
                AbstractKind::Stack { instance, value } => _ = index.stack.insert((instance, value), id),
                AbstractKind::Heap { instance, at } => {
                    index.allocated.insert((instance, at), id);
                    match origins.points_to.program_site(&origins.program, instance, at) {
                        Some(site) => index.heap.entry(site).or_default().push(id),
                        None => index.heap_anywhere.push(id),
                    }
                }
                AbstractKind::ArgumentVector
                | AbstractKind::Arguments
                | AbstractKind::EnvironmentVector
                | AbstractKind::Environment => _ = index.given.insert(object.kind, id),
                AbstractKind::VarArgs(_) => index.var_args.push(id),
                _ => {}
            }
        }
        let index = Rc::new(index);
        origins.forgotten.index = Some(Rc::clone(&index));
        index
    }
}

/// The objects that can be written: what they are, where they were allocated, and how large they are.
pub(crate) fn objects(heap: &Heap<SymbolicDomain>) -> Vec<(ObjectId, ObjectKind, AllocationSite, u64)> {
    let live = heap.live_objects().filter(|(_, o)| !o.constant && o.size > 0);
    live.map(|(id, o)| (id, o.kind, (o.allocated_at, o.site), o.size)).collect()
}

/// The bytes of an object of this size that may be written: start and end, ascending and apart.
pub(crate) fn written(effect: &Effect, candidates: &Candidates, size: u64) -> Vec<(u64, u64)> {
    let all = vec![(0, size)];
    let Some((places, origin)) = candidates else {
        let any = effect.everything || !effect.writes.is_empty();
        return if any { all } else { Vec::new() };
    };
    if effect.everything {
        return all;
    }
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for piece in &effect.writes {
        for &(object, start) in places.iter().filter(|p| p.0 == piece.object) {
            debug_assert_eq!(object, piece.object);
            match (piece.offsets, start) {
                (Offsets::Exact(at), Offsets::Exact(start)) => {
                    let first = at.wrapping_sub(start).wrapping_add_unsigned(*origin);
                    runs.extend(run(first, piece.bytes, size));
                }
                (Offsets::Strided { start: at, stride }, Offsets::Exact(start))
                    if size <= BUDGETS.forgotten_bytes && stride > 0 =>
                {
                    let stride = i64::try_from(stride).unwrap_or(i64::MAX);
                    let first = i64::try_from(at).unwrap_or(0).wrapping_sub(start).wrapping_add_unsigned(*origin);
                    let mut first = first.rem_euclid(stride) - stride;
                    while first < i64::try_from(size).unwrap_or(i64::MAX) {
                        runs.extend(run(first, piece.bytes, size));
                        first = first.saturating_add(stride);
                    }
                }
                _ => return all,
            }
        }
    }
    if size > BUDGETS.forgotten_bytes && runs.len() > BUDGETS.forgotten_ranges { all } else { merged(runs) }
}

/// The same bytes, as ranges that are ascending and apart.
fn merged(mut runs: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    runs.retain(|(start, end)| start < end);
    runs.sort_unstable();
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for (start, end) in runs {
        match merged.last_mut().filter(|last| start <= last.1) {
            Some(last) => last.1 = last.1.max(end),
            None => merged.push((start, end)),
        }
    }
    merged
}

fn run(first: i64, bytes: Option<u64>, size: u64) -> Option<(u64, u64)> {
    let end = bytes.map_or(size, |n| u64::try_from(first.saturating_add_unsigned(n)).unwrap_or(0).min(size));
    let start = u64::try_from(first).unwrap_or(0);
    (start < end).then_some((start, end))
}

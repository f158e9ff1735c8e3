//! Pointers of an initial state (Bergan 2.4.1: primary objects and the list of aliasable objects).
//!
//! Nobody knows where such a pointer points. When it is used first, it is *exposed*: it may be null, one of the objects
//! that the path knows of and points-to analysis allows, or an object that was not met yet, its *primary object*, which
//! is made then. An access is one access to each of these, guarded by the pointer's value; addresses are numbers, so
//! aliasing constraints are comparisons with constants.
//!
//! Deviation from equation 2.1: Bergan gives every pointer an object of its own and keeps those that may be the same
//! equal by conditional stores; here the condition is on the pointer and an object exists once. Both admit the same
//! concrete heaps: the object that a pointer really points to was met before, and then is one of the candidates, or
//! not, and then is the new one.

use std::rc::Rc;
use std::sync::Arc;

use icsched_ir::EntityId;
use icsched_pointsto::{ObjectId as Abstract, ObjectKind as AbstractKind, Offsets};
use icsched_smt::{BinOp, CmpOp, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::alternative::{Alternative, Alternatives};
use crate::budgets::BUDGETS;
use crate::domain::SymbolicDomain;
use crate::initial::discovery::Discovery;
use crate::initial::root::{Places, RootId, RootName, number};
use crate::initial::symbol::SymbolSource;
use crate::path::{Primary, SymPath};
use icsched_machine::memory::{
    AddressClass, Heap, ObjectId, UNKNOWN_SIZE, address, classify, function_address, global_object,
};

/// Bytes before a pointer that points somewhere into its primary object.
const MIDDLE: u64 = 1 << 24;

/// Where in an object that is known a pointer may point.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Spot {
    At(u64),
    /// Anywhere at `start + k * stride`.
    Somewhere {
        start: u64,
        stride: u64,
    },
}

impl SymbolicDomain {
    /// Whether a term is a pointer of the initial state that was not exposed on this path.
    pub(crate) fn is_hidden(&mut self, path: &SymPath, t: Term) -> bool {
        self.is_unexposed(path, t) && !self.origins().places(t).is_empty()
    }

    /// The same for what is used as a pointer; points-to analysis may know of nothing that it points to.
    pub(crate) fn is_unexposed(&self, path: &SymPath, t: Term) -> bool {
        let is_initial = || self.origins.as_deref().is_some_and(|origins| origins.is_initial(t));
        self.pool.width(t) == 64 && path.exposed(t).is_none() && is_initial()
    }

    /// Exposes a pointer of the initial state: from now on the path says where it may point. `valid`: it is known not
    /// to be null.
    pub(crate) fn expose(&mut self, path: &mut SymPath, heap: &mut Heap<Self>, pointer: Term, valid: bool) {
        if let Some(chosen) = self.origins().known_alternatives.get(&pointer).cloned() {
            self.expose_chosen(path, heap, pointer, (&chosen, valid));
            return;
        }
        let places = self.origins().places(pointer);
        if self.origins().from_entry {
            self.know_objects(path, heap);
        }
        let mut alternatives = Alternatives::new();
        if !valid {
            alternatives.push(self.exactly(pointer, 0));
        }
        let earlier = self.meet_earlier(path, heap, pointer, &places);
        let mut spots = self.known_spots(path, heap, &places, &earlier);
        if spots.len() > BUDGETS.aliases && self.origins().restrict_aliases {
            let name = self.pool.symbol_name(pointer).unwrap_or("a pointer").to_owned();
            let count = spots.len();
            self.origins()
                .notes
                .push(format!("`{name}` may point to {count} known objects; it is taken to point to none of them"));
            spots.clear();
        }
        let mut misnamed = Vec::new();
        for (object, spot) in spots {
            let alternative = match spot {
                Spot::At(at) => self.exactly(pointer, address(object, at)),
                Spot::Somewhere { start, stride } => self.within(heap, pointer, object, start, stride),
            };
            alternatives.push(alternative);
            if let (Some(&other), Some(guard)) = (earlier.get(&object), alternative.guard) {
                let is_named = self.points_to_primary(path, other, object);
                let otherwise = self.pool.not(is_named);
                misnamed.push(self.pool.binary(BinOp::And, guard, otherwise));
            }
        }
        let functions: Vec<u64> = places.iter().filter_map(|p| self.function(*p)).collect();
        for at in functions {
            alternatives.push(self.exactly(pointer, at));
        }
        let new = self.new_places(&places);
        if !new.is_empty() || alternatives.is_empty() {
            let own = self.primary(path, heap, pointer, &new);
            alternatives.push(self.exactly(pointer, address(own.object, own.origin)));
        }
        self.expose_as(path, pointer, (alternatives, valid), &misnamed);
    }

    /// A pointer points to where it does in its primary object.
    fn points_to_primary(&mut self, path: &SymPath, pointer: Term, object: ObjectId) -> Term {
        let known = path.primaries().iter().find(|primary| primary.object == object);
        let origin = known.map_or(0, |primary| primary.origin);
        self.equals(pointer, address(object, origin))
    }

    /// Makes the primary objects that a pointer may point to of pointers that were exposed before this one on whatever
    /// path; those of all that were. An object that several pointers point to is the primary object of the one among
    /// them that was exposed first on any path. So which objects a pointer may point to, and what they are called, is
    /// the same on all paths, whether a path has come to where the others are used or not: slices say nothing of that.
    /// The pointers, by their objects. O(primary objects).
    fn meet_earlier(
        &mut self,
        path: &mut SymPath,
        heap: &mut Heap<Self>,
        pointer: Term,
        places: &Places,
    ) -> FxHashMap<ObjectId, Term> {
        let all = Rc::clone(&self.origins().primaries);
        let mut found = FxHashMap::default();
        for (other, new) in all.iter().take_while(|(other, _)| *other != pointer) {
            let id = Heap::<Self>::initial_id(number(self.origins().root_of[other]));
            found.insert(id, *other);
            let is_shared = places.iter().any(|(object, _)| new.iter().any(|(other, _)| object == other));
            if is_shared {
                self.primary(path, heap, *other, new);
            }
        }
        found
    }

    /// Exposes a pointer that is known to be one of a few constants.
    fn expose_chosen(&mut self, path: &mut SymPath, heap: &Heap<Self>, pointer: Term, (chosen, valid): (&[u64], bool)) {
        let is_there = |&at: &u64| match classify(at) {
            AddressClass::Object(object, _) => heap.object(object).is_some(),
            _ => at != 0 || !valid,
        };
        let chosen: Vec<u64> = chosen.iter().copied().filter(is_there).collect();
        let alternatives = chosen.into_iter().map(|at| self.exactly(pointer, at)).collect();
        self.expose_as(path, pointer, (alternatives, valid), &[]);
    }

    /// `misnamed`: the pointer points to the primary object of another one that does not.
    fn expose_as(
        &mut self,
        path: &mut SymPath,
        pointer: Term,
        (mut alternatives, valid): (Alternatives, bool),
        misnamed: &[Term],
    ) {
        let guards: Vec<Term> = alternatives.iter().filter_map(|a| a.guard).collect();
        let any = self.pool.or_all(&guards);
        let misnamed = self.pool.or_all(misnamed);
        let named = self.pool.not(misnamed);
        let any = self.pool.binary(BinOp::And, any, named);
        let nowhere = self.pool.not(any);
        // No address of anything, so that it is merged with nothing.
        let constant = u64::MAX;
        alternatives.push(Alternative { guard: Some(nowhere), constant, rest: None, exposed: true, dangling: true });
        path.expose(pointer, alternatives.into_iter().collect(), any);
        if valid {
            path.constrain(&self.pool, any);
        }
    }

    /// Of places, those in objects that the path may not know of.
    pub(crate) fn new_places(&mut self, places: &Places) -> Places {
        places.iter().copied().filter(|&(object, _)| self.may_be_new(object)).collect()
    }

    /// Whether an abstract object stands for objects that the path may not know of.
    fn may_be_new(&mut self, object: Abstract) -> bool {
        let origins = self.origins();
        match origins.points_to.objects()[object].kind {
            AbstractKind::Heap { .. }
            | AbstractKind::Library { .. }
            | AbstractKind::Outside
            | AbstractKind::VarArgs(_)
            | AbstractKind::ArgumentVector
            | AbstractKind::Arguments
            | AbstractKind::EnvironmentVector
            | AbstractKind::Environment
            | AbstractKind::PlainConstants => true,
            AbstractKind::Stack { .. } => origins.unknown_frames,
            AbstractKind::Global(global) => origins.program.globals[global].thread_local,
            AbstractKind::Function(_) | AbstractKind::MovedFunctions | AbstractKind::Transfer => false,
        }
    }

    fn function(&mut self, (object, offsets): (Abstract, Offsets)) -> Option<u64> {
        match self.origins().points_to.objects()[object].kind {
            AbstractKind::Function(func) if offsets.contains(0) => Some(function_address(func)),
            _ => None,
        }
    }

    /// The places in objects that the path knows of, sorted.
    fn known_spots(
        &mut self,
        path: &SymPath,
        heap: &Heap<Self>,
        places: &Places,
        earlier: &FxHashMap<ObjectId, Term>,
    ) -> Vec<(ObjectId, Spot)> {
        let mut spots = Vec::new();
        let root_of = &self.origins().root_of;
        let later: FxHashSet<ObjectId> = root_of.values().map(|&root| Heap::<Self>::initial_id(number(root))).collect();
        let is_earlier = |p: &&Primary| earlier.contains_key(&p.object) || !later.contains(&p.object);
        if !self.origins().restrict_aliases {
            let anywhere = Spot::Somewhere { start: 0, stride: 1 };
            let program = Arc::clone(&self.origins().program);
            let variables = program.globals.iter().filter(|(_, g)| !g.constant && !g.external && !g.thread_local);
            spots.extend(variables.map(|(global, _)| (global_object(global), anywhere)));
            spots.extend(path.primaries().iter().filter(is_earlier).map(|primary| (primary.object, anywhere)));
        }
        for &(object, offsets) in places.iter() {
            let kind = self.origins().points_to.objects()[object].kind;
            if let AbstractKind::Global(global) = kind
                && !self.origins().program.globals[global].thread_local
            {
                spots.push((global_object(global), spot(offsets, Offsets::Exact(0), 0)));
            }
            for primary in path.primaries().iter().filter(is_earlier) {
                for &(_, start) in primary.places.iter().filter(|p| p.0 == object) {
                    spots.push((primary.object, spot(offsets, start, primary.origin)));
                }
            }
        }
        let is_inside = |&(object, spot): &(ObjectId, Spot)| match spot {
            Spot::At(at) => heap.object(object).is_some_and(|o| at <= o.size),
            Spot::Somewhere { .. } => heap.object(object).is_some(),
        };
        spots.retain(is_inside);
        spots = spots.into_iter().flat_map(|(object, spot)| few(heap, object, spot)).collect();
        spots.sort_unstable();
        spots.dedup();
        let mut merged = Vec::new();
        for spots in spots.chunk_by(|a, b| a.0 == b.0) {
            let object = spots[0].0;
            match spots {
                [one] => merged.push(*one),
                _ if spots.iter().all(|s| matches!(s.1, Spot::At(_))) => merged.extend_from_slice(spots),
                _ => merged.push((object, Spot::Somewhere { start: 0, stride: 1 })),
            }
        }
        merged
    }

    /// The pointer has this value.
    fn exactly(&mut self, pointer: Term, at: u64) -> Alternative {
        let here = self.equals(pointer, at);
        Alternative { guard: Some(here), constant: at, rest: None, exposed: true, dangling: false }
    }

    /// The pointer is somewhere in this object.
    fn within(&mut self, heap: &Heap<Self>, pointer: Term, object: ObjectId, start: u64, stride: u64) -> Alternative {
        let size = heap.object(object).map_or(0, |o| o.size);
        let first = address(object, 0);
        let minus_first = self.pool.constant(64, first.wrapping_neg());
        let offset = self.pool.binary(BinOp::Add, pointer, minus_first);
        let end = self.pool.constant(64, size);
        let mut here = self.pool.cmp(CmpOp::Ule, offset, end);
        let bits = stride.trailing_zeros();
        if stride > 0 && bits > 0 {
            let low = self.pool.extract(offset, bits - 1, 0);
            let fits = self.equals(low, start % (1 << bits));
            here = self.pool.binary(BinOp::And, here, fits);
        }
        Alternative { guard: Some(here), constant: first, rest: Some(offset), exposed: true, dangling: false }
    }

    /// The object that a pointer points to if it points to none that the path knows of. It may be there already, and
    /// written: another pointer that was exposed [may point to it](Self::meet_earlier).
    fn primary(&mut self, path: &mut SymPath, heap: &mut Heap<Self>, pointer: Term, places: &Places) -> Primary {
        let (origin, size) = self.layout(places);
        let root = self.root_behind(pointer, places, origin, size);
        let number = number(root);
        let object = Heap::<Self>::initial_id(number);
        if let Some(known) = path.primaries().iter().find(|known| known.object == object) {
            return known.clone();
        }
        let contents = self.contents_when_met(path, object, root, places);
        heap.add_initial(number, size.unwrap_or(UNKNOWN_SIZE), contents);
        let primary = Primary { object, places: places.clone(), origin };
        path.add_primary(primary.clone());
        primary
    }

    /// The offset in its object that a pointer to these places points to, and the object's size if that is known.
    pub(crate) fn layout(&mut self, places: &Places) -> (u64, Option<u64>) {
        let mut starts = places.iter().map(|p| p.1.exact().and_then(|x| u64::try_from(x).ok()));
        let first = starts.next().flatten();
        let Some(origin) = first.filter(|_| starts.all(|s| s == first)) else { return (MIDDLE, None) };
        let objects = Rc::clone(places);
        let points_to = &self.origins().points_to;
        let mut sizes = objects.iter().map(|p| points_to.objects()[p.0].size);
        let size = sizes.next().flatten();
        (origin, size.filter(|_| sizes.all(|s| s == size)))
    }

    /// Whether nobody knows how large an object is. Strings in it are followed for some bytes only, which is noted.
    pub(crate) fn is_unsized(&mut self, object: ObjectId) -> bool {
        let Some(origins) = self.origins.as_deref_mut() else { return false };
        let Some(number) = object.initial_number() else { return false };
        if !origins.unsized_roots.contains(&number) {
            return false;
        }
        let note = "strings in objects of unknown size are followed for some bytes only".to_owned();
        if !origins.notes.contains(&note) {
            origins.notes.push(note);
        }
        true
    }

    /// The root that was made for a pointer, made if there is none.
    pub(crate) fn root_behind(&mut self, pointer: Term, places: &Places, origin: u64, size: Option<u64>) -> RootId {
        if let Some(&root) = self.origins().root_of.get(&pointer) {
            return root;
        }
        let name = self.pool.symbol_name(pointer).unwrap_or("?").to_owned();
        let origins = self.origins();
        let pointee = origins.pointee(pointer);
        let root = origins.root(RootName::Pointee(name.clone(), pointee, origin), places.clone(), origin);
        origins.discover(|| Discovery::Pointee { root, pointer });
        origins.root_of.insert(pointer, root);
        Rc::make_mut(&mut origins.primaries).push((pointer, Rc::clone(places)));
        origins.set_size(root, size);
        if size.is_none() {
            origins.unsized_roots.insert(u32::try_from(root.index()).expect("roots are few"));
        }
        if size.is_none() && origins.memory_checks {
            let (low, end) =
                (origins.unique(format!("first byte of *{name}")), origins.unique(format!("size of *{name}")));
            let (low, end) = (self.pool.symbol(&low, 64), self.pool.symbol(&end, 64));
            let origins = self.origins();
            origins.sources.insert(low, SymbolSource::ExtentStart { root: number(root) });
            origins.sources.insert(end, SymbolSource::ExtentEnd { root: number(root) });
            origins.get_mut(root).extent = Some((low, end));
        }
        root
    }
}

/// The single offsets of a place that is an element of a small array of structures.
fn few(heap: &Heap<SymbolicDomain>, object: ObjectId, spot: Spot) -> Vec<(ObjectId, Spot)> {
    if let Spot::Somewhere { start, stride } = spot
        && stride >= BUDGETS.element_bytes
        && let Some(size) = heap.object(object).map(|o| o.size)
        && size / stride <= BUDGETS.elements_by_pointer
    {
        let first = start % stride;
        return (0..)
            .map(|n| first + n * stride)
            .take_while(|&at| at <= size)
            .map(|at| (object, Spot::At(at)))
            .collect();
    }
    vec![(object, spot)]
}

/// Where a place is in an object of which another place is known to be at `origin`.
fn spot(place: Offsets, known: Offsets, origin: u64) -> Spot {
    match (place, known) {
        (Offsets::Exact(x), Offsets::Exact(y)) => Spot::At(origin.wrapping_add_signed(x.wrapping_sub(y))),
        (Offsets::Strided { start, stride }, Offsets::Exact(y)) => {
            let at = Offsets::Strided { start, stride }.moved(origin.cast_signed().wrapping_sub(y));
            match at {
                Offsets::Strided { start, stride } => Spot::Somewhere { start, stride },
                Offsets::Exact(_) => Spot::Somewhere { start: 0, stride: 1 },
            }
        }
        (place, Offsets::Strided { stride, .. }) => {
            let common = gcd(stride, place.stride());
            let start = match (place, known) {
                (Offsets::Exact(x), Offsets::Strided { start, .. }) => x.wrapping_sub(start.cast_signed()),
                (Offsets::Strided { start: a, .. }, Offsets::Strided { start, .. }) => {
                    a.cast_signed().wrapping_sub(start.cast_signed())
                }
                _ => 0,
            };
            match Offsets::strided(start.wrapping_add_unsigned(origin), common) {
                Offsets::Strided { start, stride } => Spot::Somewhere { start, stride },
                Offsets::Exact(_) => Spot::Somewhere { start: 0, stride: 1 },
            }
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

//! Which objects more than one thread may access.
//!
//! A thread gets at an object only through what it can reach: globals, what it was started with, and its own locals.
//! So an object is *shared* if it is a global that is not thread-local, or a pointer to it can be in a shared object,
//! be the argument of a new thread, or be known to functions outside of the program. Every other object is accessed by
//! the thread that made it alone; a thread-local global by the thread whose it is. In a program that creates no thread,
//! nothing is shared; a library is taken to be called by several.

use icsched_ir::{Callee, EntityId, Intrinsic, Op, Program};
use roaring::RoaringBitmap;

use crate::object::{ObjectId, ObjectKind};
use crate::query::PointsTo;
use crate::solver::{index, location};

/// The answer for all objects.
#[derive(Clone, Debug)]
pub struct Escape {
    shared: RoaringBitmap,
    /// Objects whose address is in a shared place, given to a thread or known outside.
    reached: RoaringBitmap,
    threads: bool,
}

impl Escape {
    /// Takes one pass over the calls, and time in the size of what is shared.
    pub fn new(program: &Program, points_to: &PointsTo) -> Self {
        let mut threads = program.main.is_none();
        let mut found = Reach { points_to, objects: RoaringBitmap::new(), work: Vec::new() };
        for (id, instance) in points_to.instances().iter() {
            for inst in program.functions[instance.func].blocks.values().flat_map(|b| &b.insts) {
                if let Op::Call { callee: Callee::Intrinsic(Intrinsic::ThreadCreate), args } = &inst.op {
                    threads = true;
                    if let Some(set) = points_to.representative(id, args[1]) {
                        found.add(points_to.set_numbered(set));
                    }
                }
            }
        }
        if !threads {
            return Self { shared: RoaringBitmap::new(), reached: RoaringBitmap::new(), threads };
        }
        if let Some(outside) = points_to.outside() {
            found.add(points_to.set_numbered(outside));
        }
        let is_root = |kind: ObjectKind| match kind {
            ObjectKind::Global(global) => !program.globals[global].thread_local,
            ObjectKind::Outside => true,
            _ => false,
        };
        let roots: Vec<ObjectId> =
            points_to.objects().iter().filter(|(_, o)| is_root(o.kind)).map(|(id, _)| id).collect();
        for &root in &roots {
            found.add(&points_to.contents_set(root));
        }
        found.follow();
        let reached = found.objects;
        let mut shared = reached.clone();
        shared.extend(roots.iter().map(|&o| number(o)));
        Self { shared, reached, threads }
    }

    /// Whether threads other than the one that made the object may access it.
    pub fn is_shared(&self, object: ObjectId) -> bool {
        self.shared.contains(number(object))
    }

    /// Whether a pointer to the object may be in a shared place: a global need not escape to be shared.
    pub fn escapes(&self, object: ObjectId) -> bool {
        self.reached.contains(number(object))
    }

    /// Whether the program may create a thread.
    pub fn has_threads(&self) -> bool {
        self.threads
    }
}

pub(crate) fn number(object: ObjectId) -> u32 {
    u32::try_from(object.index()).expect("ids are 32 bits wide")
}

/// Everything that can be reached from what was added.
pub(crate) struct Reach<'p> {
    pub(crate) points_to: &'p PointsTo,
    pub(crate) objects: RoaringBitmap,
    pub(crate) work: Vec<ObjectId>,
}

impl Reach<'_> {
    /// Adds the objects of a set of locations.
    pub(crate) fn add(&mut self, locations: &RoaringBitmap) {
        for element in locations {
            let object = self.points_to.locations()[location(element)].object;
            if self.objects.insert(number(object)) {
                self.work.push(object);
            }
        }
    }

    /// Adds what the contents of the objects lead to.
    pub(crate) fn follow(&mut self) {
        while let Some(object) = self.work.pop() {
            let contents = self.points_to.contents_set(object);
            self.add(&contents);
        }
    }
}

/// The locations of some objects.
pub(crate) fn locations_of(places: &crate::access::Places<'_>, objects: &RoaringBitmap) -> RoaringBitmap {
    let locations = objects.iter().flat_map(|o| places.locations_of(ObjectId::from_index(o as usize)));
    locations.map(|&l| index(l)).collect()
}

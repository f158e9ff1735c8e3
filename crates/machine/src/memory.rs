//! Memory: objects with byte contents, cheap to fork (Bergan 2.4, figure 2.6).
//!
//! An address is a 64-bit integer: the object's id in the high 32 bits, [`BASE_OFFSET`] plus the byte offset in the low
//! ones. So pointer arithmetic is integer arithmetic, and leaving an object is noticed at the access. The smallest ids
//! are nobody's: null plus an index is no address of an object.
//!
//! Representation where states fork: a persistent tree of objects, objects of pages of 256 bytes (one of 64 for the
//! smallest) in persistent trees, each node shared until written. Cloning a heap costs a reference count; the first
//! write after it copies the way to the page: less than 2 KiB for a page of a ten megabyte object. In the concrete
//! domain: a flat table of objects, each in one piece. Ids of dead objects are reused only after
//! `BUDGETS.dead_objects` more deaths, so that use after free is noticed.

mod access;
mod behind_errors;
mod fault;
mod layout;
mod object;
mod page;
mod recovery;
mod same;
mod table;
mod tree;
mod undefined;
mod undefined_bytes;

use std::rc::Rc;
use std::sync::Arc;

use icsched_ir::{GlobalId, Program, ProgramPoint};

use crate::budgets::BUDGETS;
use crate::values::Values;

pub use fault::MemoryFault;
use layout::FIRST_INITIAL_ID;
pub(crate) use layout::constant_bits;
pub use layout::{
    AddressClass, BASE_OFFSET, FIRST_BLOCK_ID, FIRST_FUNCTION_ID, FIRST_OBJECT_ID, ObjectId, address, block_address,
    classify, function_address, global_object, split,
};
use object::{Content, Dead};
pub use object::{Death, Details, Family, Object, ObjectKind};
use page::Pages;
pub(crate) use recovery::Inside;
use recovery::Recovery;
pub(crate) use same::{Differing, Pair};
use table::Table;

/// The size of an object of which nobody knows it. Offsets stay within half an address.
pub const UNKNOWN_SIZE: u64 = 1 << 31;

/// No process has as much memory: its addresses have 47 bits. In bytes.
pub const ADDRESS_SPACE: u64 = 1 << 47;

const _: () = assert!(
    (FIRST_OBJECT_ID as u64) << 32 == ADDRESS_SPACE / 2,
    "null is in the middle of addresses that no object has"
);

/// All objects of a path.
pub struct Heap<D: Values> {
    program: Arc<Program>,
    objects: Table<D>,
    next_id: u32,
    /// First and last of the dead objects, linked through [`Dead`], and their number.
    dead: (u32, u32, u32),
    /// What the last objects from the heap are: the next ones are often the same.
    recent: [Option<Rc<Details>>; 2],
    live_bytes: u64,
    recovery: Recovery<D>,
}

impl<D: Values> Clone for Heap<D> {
    fn clone(&self) -> Self {
        Self {
            program: self.program.clone(),
            objects: self.objects.clone(),
            next_id: self.next_id,
            dead: self.dead,
            recent: self.recent.clone(),
            live_bytes: self.live_bytes,
            recovery: self.recovery.clone(),
        }
    }
}

impl<D: Values> Heap<D> {
    /// The globals of the program: the first object ids, in order of [`GlobalId`], with their initial contents. A
    /// thread-local global's object is only the template of its instances.
    pub fn new(program: Arc<Program>) -> Self {
        let mut heap = Self {
            program: program.clone(),
            objects: Table::default(),
            next_id: FIRST_OBJECT_ID,
            dead: (0, 0, 0),
            recent: [None, None],
            live_bytes: 0,
            recovery: Recovery::default(),
        };
        for (id, global) in program.globals.iter() {
            let object = heap.allocate(ObjectKind::Global(id), global.size, None);
            debug_assert_eq!(object, global_object(id), "globals have the first ids");
            heap.initialise(object, id);
        }
        heap
    }

    /// The program whose globals these are.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Bytes in live objects.
    pub fn live_bytes(&self) -> u64 {
        self.live_bytes
    }

    /// The object with this id, alive or dead; `None` if there never was one (or its id was reused).
    pub fn object(&self, id: ObjectId) -> Option<&Object<D>> {
        self.objects.get(id.index())
    }

    /// One more than the largest id in use.
    pub fn object_count(&self) -> u32 {
        self.next_id
    }

    /// Ids of all objects, alive and dead, ascending.
    pub fn objects(&self) -> impl Iterator<Item = (ObjectId, &Object<D>)> {
        self.objects.iter().map(move |(index, o)| (ObjectId::from_index(index), o))
    }

    /// Ids of all live objects, ascending.
    pub fn live_objects(&self) -> impl Iterator<Item = (ObjectId, &Object<D>)> {
        self.objects().filter(|(_, o)| o.is_alive())
    }

    fn object_mut(&mut self, id: ObjectId) -> Option<&mut Object<D>> {
        self.objects.get_mut(id.index())
    }

    /// A new object of zero bytes.
    pub fn allocate(&mut self, kind: ObjectKind, size: u64, at: Option<ProgramPoint>) -> ObjectId {
        self.add(kind, size, at, false)
    }

    /// A new object of undefined bytes; where that does not matter they read as zero.
    pub fn allocate_undefined(&mut self, kind: ObjectKind, size: u64, at: Option<ProgramPoint>) -> ObjectId {
        self.add(kind, size, at, true)
    }

    fn add(&mut self, kind: ObjectKind, size: u64, at: Option<ProgramPoint>, fresh: bool) -> ObjectId {
        let (constant, external) = match kind {
            ObjectKind::Global(g) => (self.program.globals[g].constant, self.program.globals[g].external),
            _ => (false, false),
        };
        let slack = match kind {
            ObjectKind::Heap if self.continues() => recovery::malloc_slack(size),
            _ => 0,
        };
        let content = Content::Bytes(Pages::new(size + u64::from(slack), fresh));
        let details = self.shared(Details { kind, family: Family::default(), allocated_at: at, site: None });
        let object = Object { size, constant, external, slack, content, details, asked: None };
        let id = self.fresh_id();
        self.objects.set(id.index(), object);
        self.live_bytes += size;
        id
    }

    /// Objects from the heap of one origin have one description.
    fn shared(&mut self, details: Details) -> Rc<Details> {
        if details.kind != ObjectKind::Heap {
            return Rc::new(details);
        }
        if let Some(known) = self.recent.iter().flatten().find(|known| ***known == details) {
            return Rc::clone(known);
        }
        let details = Rc::new(details);
        self.recent.rotate_right(1);
        self.recent[0] = Some(Rc::clone(&details));
        details
    }

    fn describe(&mut self, id: ObjectId, change: impl FnOnce(&mut Details)) {
        let Some(mut details) = self.object(id).map(|object| Details::clone(object)) else { return };
        change(&mut details);
        let details = self.shared(details);
        if let Some(object) = self.object_mut(id) {
            object.details = details;
        }
    }

    /// A new object that holds this. Its bytes do not count as used memory: there may be any number of them.
    pub fn allocate_holding(&mut self, kind: ObjectKind, size: u64, content: D::Array) -> ObjectId {
        let id = self.add(kind, 0, None, false);
        if let Some(object) = self.object_mut(id) {
            object.size = size;
            object.content = Content::Array(content);
        }
        id
    }

    /// The object of the initial state with this number, the same id on every path.
    pub fn add_initial(&mut self, number: u32, size: u64, content: D::Array) -> ObjectId {
        let id = ObjectId(FIRST_INITIAL_ID + number);
        let kind = ObjectKind::Initial(number);
        let details = self.shared(Details { kind, family: Family::default(), allocated_at: None, site: None });
        let content = Content::Array(content);
        let object = Object { size, constant: false, external: false, slack: 0, content, details, asked: None };
        self.objects.set(id.index(), object);
        id
    }

    /// The id of the object with a number of its own.
    pub fn initial_id(number: u32) -> ObjectId {
        ObjectId(FIRST_INITIAL_ID + number)
    }

    /// The object with a number of its own, if it is there.
    pub fn initial(&self, number: u32) -> Option<&Object<D>> {
        self.object(ObjectId(FIRST_INITIAL_ID + number))
    }

    /// What an object holds that is kept as an array.
    pub fn contents_of(&self, id: ObjectId) -> Option<&D::Array> {
        match &self.object(id)?.content {
            Content::Array(array) => Some(array),
            Content::Bytes(_) | Content::Both(_) | Content::Dead(_) => None,
        }
    }

    /// Says what points-to analysis calls an object.
    pub fn set_site(&mut self, id: ObjectId, site: Option<icsched_pointsto::ObjectId>) {
        self.describe(id, |details| details.site = site);
    }

    /// Says which instruction has made an object whose size nobody knows.
    pub fn set_allocated_at(&mut self, id: ObjectId, at: Option<ProgramPoint>) {
        self.describe(id, |details| details.allocated_at = at);
    }

    /// Says how many bytes were asked for, of an object whose size nobody knows.
    pub(crate) fn set_asked(&mut self, id: ObjectId, bytes: &D::Value) {
        if let Some(object) = self.object_mut(id) {
            object.asked = Some(Box::new(bytes.clone()));
        }
    }

    /// Replaces what an object holds.
    pub fn set_contents(&mut self, id: ObjectId, content: D::Array) {
        self.set_array(id, content);
    }

    /// Makes an object dead. Its contents are dropped; who it was is kept for messages.
    pub fn kill(&mut self, id: ObjectId, cause: Death, at: Option<ProgramPoint>) {
        let Some(object) = self.object_mut(id) else { return };
        object.content = Content::Dead(Dead { cause, at, next: 0 });
        let size = object.size;
        self.live_bytes = self.live_bytes.saturating_sub(size);
        let (first, last, count) = self.dead;
        if count == 0 {
            self.dead = (id.0, id.0, 1);
            return;
        }
        if let Some(Content::Dead(dead)) = self.object_mut(ObjectId(last)).map(|o| &mut o.content) {
            dead.next = id.0;
        }
        self.dead = (first, id.0, count + 1);
    }

    fn fresh_id(&mut self) -> ObjectId {
        let (first, last, count) = self.dead;
        // A recorded trace names objects by id, so that an id must not mean two of them on a symbolic path.
        if !D::SYMBOLIC && count > BUDGETS.dead_objects {
            let next = match self.object(ObjectId(first)).map(|o| &o.content) {
                Some(Content::Dead(dead)) => dead.next,
                Some(Content::Bytes(_) | Content::Array(_) | Content::Both(_)) | None => 0,
            };
            self.dead = (next, last, count - 1);
            return ObjectId(first);
        }
        let id = ObjectId(self.next_id);
        self.next_id += 1;
        id
    }

    /// Says what may free a heap object.
    pub(crate) fn set_family(&mut self, id: ObjectId, family: Family) {
        self.describe(id, |details| details.family = family);
    }

    /// Gives an external variable contents after all: the engine knows what it is.
    pub(crate) fn define(&mut self, id: ObjectId) {
        if let Some(object) = self.object_mut(id) {
            object.external = false;
        }
    }

    /// Copies a global's initial contents into an object.
    pub(crate) fn initialise(&mut self, object: ObjectId, global: GlobalId) {
        let program = self.program.clone();
        let global = &program.globals[global];
        let Some(target) = self.object_mut(object) else { return };
        let Content::Bytes(pages) = &mut target.content else { return };
        pages.write_run(0, &global.data);
        for relocation in &global.relocations {
            pages.write_run(relocation.offset, &layout::constant_bits(relocation.value).to_le_bytes());
        }
    }
}

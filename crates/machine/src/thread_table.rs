//! The models' table of threads: which slots threads have.

use icsched_ir::{GlobalId, Program, SourceType};

/// The models' table of threads: its entries are named as the threads they stand for.
/// The models' table of threads, a global variable.
pub const THREAD_TABLE: &str = "__ics_threads";

/// An entry that no thread has: `enum ics_thread_state` of the models.
pub const STATE_FREE: u8 = 0;
/// The entry of a thread that runs.
pub const STATE_RUNNING: u8 = 1;
/// The entry of a thread that has ended and was not joined.
pub const STATE_DONE: u8 = 2;

/// Slots for threads that have ended before the initial state: the last ones of the models' table.
pub const ENDED_SLOTS: u64 = 64;

/// The models' table of threads.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ThreadTable {
    /// Address of the first entry.
    pub start: u64,
    /// Offset of a thread's state in its entry, a byte that is zero if the entry is free.
    pub state: u64,
    /// Bytes of an entry.
    pub stride: u64,
    /// Entries for threads of the program.
    pub slots: u64,
    /// How many of them, the last ones, are for threads that have ended before the initial state.
    pub ended: u64,
}

impl ThreadTable {
    /// The handle of the thread with a slot: the address of its entry.
    pub fn handle(&self, slot: u64) -> u64 {
        self.start + slot * self.stride
    }

    /// The handle of the thread that is the first, second, ... of those that have ended.
    pub fn handle_of_ended(&self, index: u64) -> u64 {
        self.handle(self.slots - 1 - index)
    }

    /// The address of the state of the thread with this handle.
    pub fn state_of(&self, handle: u64) -> u64 {
        handle + self.state
    }
}

/// The models' table of threads, and the bytes of an entry. O(globals).
pub fn thread_entries(program: &Program) -> Option<(GlobalId, u64)> {
    layout(program).map(|table| (table.id, table.stride))
}

/// Where things are in the table.
pub struct Layout {
    /// The global variable.
    pub id: GlobalId,
    /// Bytes of an entry.
    pub stride: u64,
    /// Entries for threads of the program; the last one is for timers.
    pub slots: u64,
    /// Fields of an entry: offsets and sizes.
    pub state: (u64, u64),
    /// Whether somebody waits for its end.
    pub joined: (u64, u64),
    /// Whether nobody will wait for it.
    pub detached: (u64, u64),
}

/// Where the table is, and its fields; `None` if the models are not linked. O(globals).
pub fn layout(program: &Program) -> Option<Layout> {
    let (id, table) = program.globals.iter().find(|(_, g)| g.name == THREAD_TABLE)?;
    let (_, SourceType::Array { element, .. }) = program.types.resolve(table.source_type?)? else { return None };
    let (_, SourceType::Struct { fields, .. }) = program.types.resolve((*element)?)? else { return None };
    let stride = program.types.size((*element)?);
    let field = |name: &str| {
        let field = fields.iter().find(|f| f.name == name)?;
        Some((field.offset, program.types.size(field.ty?)))
    };
    let (state, joined, detached) = (field("state")?, field("joined")?, field("detached")?);
    Some(Layout { id, stride, slots: (table.size / stride).saturating_sub(1), state, joined, detached })
}

//! What models of synchronisation know of words and handles of an initial state (Bergan 2.5.3).

use crate::thread_table::ThreadTable;
use crate::values::Values;

/// What a model knows of a word of an object of synchronisation.
#[derive(Clone, Debug)]
pub enum Known<V> {
    /// Zero, unless the object is one of these locks.
    ZeroUnlessHeld(Vec<V>),
    /// What the barrier was told to expect.
    Expected,
    /// How many of these queues are the object's.
    CountsWaiters(Vec<V>),
    /// At most `SEM_VALUE_MAX`, and zero if one of these queues is the object's.
    CountsPermits(Vec<V>),
    /// Not zero if one of these queues is the object's.
    SetWhileWaitedFor(Vec<V>),
    /// This number.
    Number(u64),
    /// This number, or more.
    AtLeast(u64),
    /// The control block of a thread that holds the lock, which is held: of one of these locks and threads' slots.
    Holder(Vec<(V, u32)>),
    /// How often the thread that holds the lock has locked it once more.
    CountsHolds,
    /// Zero, unless the program makes an error: then what it does is undefined.
    ZeroIfValid,
}

/// What a handle that nobody knows may be beside those of threads that live.
#[derive(Clone, Debug)]
pub struct StrangeHandle<V> {
    /// That of a thread that has ended before the initial state.
    pub may_have_ended: bool,
    /// None at all, under this condition (`i1`); `None`: programs are taken to use no such handles.
    pub invalid: Option<V>,
}

/// Invariants of synchronisation objects, and handles of threads. The default has no initial state in the middle of
/// the program, so it needs neither.
pub trait Synchronisation: Values {
    /// Whether addresses of queues and locks stay as they are; else one constant is chosen for each.
    fn keeps_addresses(&self) -> bool {
        false
    }
    /// Whether there are words that nobody knows, of which [`invariant`](Self::invariant) may know something.
    fn has_invariants(&self) -> bool {
        false
    }
    /// What holds of a word (an `i32`) of an object, if more is known than that it is a word.
    fn invariant(
        &mut self,
        _path: &Self::Path,
        _known: Known<Self::Value>,
        _word: &Self::Value,
        _object: &Self::Value,
    ) -> Option<Self::Value> {
        None
    }
    /// Whether no thread can have the handle of the one that runs `main`: only `pthread_self` gives it.
    fn is_main_anonymous(&self) -> bool {
        false
    }
    /// The models' table of threads, if handles of an initial state are to be told by it.
    fn thread_table(&self) -> Option<ThreadTable> {
        None
    }
    /// What a handle may be that is none of the threads' that live.
    fn strange_handle(&mut self, _handle: &Self::Value) -> StrangeHandle<Self::Value> {
        StrangeHandle { may_have_ended: true, invalid: None }
    }
}

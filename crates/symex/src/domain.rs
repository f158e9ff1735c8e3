//! What the step function needs of a value domain (design decision D1; Near).
//!
//! The step function handles constants itself, at machine speed, and asks the domain only when an operand is not a
//! constant. In the concrete domain that never happens: [`Domain::as_constant`] is always `Some`, the symbolic arms
//! are dead code, and the associated types for symbolic memory are uninhabited.

use std::fmt::Debug;

use icsched_ir::{BinOp, CallStack, CastOp, FloatPredicate, IntPredicate, OverflowOp, Type, UnOp, ValueId};
use smallvec::SmallVec;

use crate::abstraction::{LoopLimits, Passage};
use crate::folding::FoldChoice;
use crate::memory::{Heap, ObjectId, ObjectKind};
use crate::stop::{DecisionKind, Stop};
use crate::symbolic::SymValue;
use crate::trace::{Region, Repeatable, Uses};

/// One byte of memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MemoryByte<B> {
    /// A known byte.
    Constant(u8),
    /// A byte that depends on inputs.
    Symbolic(B),
}

/// One object that an address may point into, under a guard.
#[derive(Clone, Debug)]
pub struct Target<V> {
    /// Condition (`i1`) under which the address points here; `None` when it always does.
    pub guard: Option<V>,
    /// The object.
    pub object: ObjectId,
    /// Byte offset in the object, an `i64`. Already known to be in bounds for the access under the guard.
    pub offset: V,
}

/// The targets of one access. Their guards are disjoint and cover all cases.
pub type Targets<V> = SmallVec<[Target<V>; 1]>;

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

/// What is forgotten where something is replaced.
#[derive(Clone, Debug)]
pub struct Forgot<V> {
    /// Bytes that may have been written.
    pub regions: Vec<Region>,
    /// Parameters of a loop's header of which something stays known: they are what they were before, moved on.
    pub counters: Vec<(ValueId, V)>,
    /// What the bytes and the counters were computed from.
    pub uses: Uses,
}

impl<V> Default for Forgot<V> {
    fn default() -> Self {
        Self { regions: Vec::new(), counters: Vec::new(), uses: Uses::default() }
    }
}

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

/// What a handle that nobody knows may be beside those of threads that live.
#[derive(Clone, Debug)]
pub struct StrangeHandle<V> {
    /// That of a thread that has ended before the initial state.
    pub may_have_ended: bool,
    /// None at all, under this condition (`i1`); `None`: programs are taken to use no such handles.
    pub invalid: Option<V>,
}

/// The program's instruction that allocates an object, and what points-to analysis calls the object, as far as they are known.
pub type AllocationSite = (Option<icsched_ir::ProgramPoint>, Option<icsched_pointsto::ObjectId>);

/// An input that the machine reads.
#[derive(Copy, Clone, Debug)]
pub enum Read<'a, V> {
    /// By its name.
    Name(&'a str),
    /// By its value.
    Value(&'a V),
}

/// A value domain.
///
/// Operations take `&mut self` because the symbolic domain interns terms and asks the solver. None of them has an
/// effect on the state: an instruction may be executed again after a [`Stop::Undecided`].
pub trait Domain: Sized {
    /// A register: constants are plain words.
    type Value: Clone + PartialEq + Debug;
    /// A byte that is not constant. Uninhabited in the concrete domain.
    type Byte: Clone + Debug;
    /// Contents of an object that was accessed at a non-constant offset. Uninhabited in the concrete domain.
    type Array: Clone + Debug;
    /// What is assumed of the inputs on a path; cheap to clone.
    type Path: Clone + Default + Debug;
    /// Whether inputs are symbolic here.
    const SYMBOLIC: bool;

    /// A constant.
    fn constant(bits: u64) -> Self::Value;
    /// The bits of a constant value. A value is a constant whenever the domain can tell without a solver.
    fn as_constant(value: &Self::Value) -> Option<u64>;
    /// The value in the symbolic domain; `None` if it is none of it.
    fn as_symbolic(value: &Self::Value) -> Option<SymValue> {
        Self::as_constant(value).map(SymValue::Constant)
    }

    /// [`icsched_ir::Op::Binary`] where at least one operand is not constant. `ty` is the operand type. Division by
    /// zero has been excluded by a decision before.
    fn binary(&mut self, op: BinOp, ty: Type, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Stop<Self>>;
    /// [`icsched_ir::Op::Unary`].
    fn unary(&mut self, op: UnOp, ty: Type, a: &Self::Value) -> Result<Self::Value, Stop<Self>>;
    /// [`icsched_ir::Op::Cast`].
    fn cast(&mut self, op: CastOp, from: Type, to: Type, a: &Self::Value) -> Result<Self::Value, Stop<Self>>;
    /// Integer comparison; `ty` is the operand type.
    fn int_compare(&mut self, predicate: IntPredicate, ty: Type, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// Float comparison; `ty` is the operand type.
    fn float_compare(&mut self, predicate: FloatPredicate, ty: Type, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// Overflow test.
    fn overflow(&mut self, op: OverflowOp, ty: Type, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// `condition ? a : b`.
    fn select(&mut self, ty: Type, condition: &Self::Value, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// Negation of an `i1`.
    fn not(&mut self, condition: &Self::Value) -> Self::Value;

    /// Splits the low `n` bytes of a value, little-endian.
    fn split_bytes(&mut self, value: &Self::Value, n: u32) -> SmallVec<[MemoryByte<Self::Byte>; 8]>;
    /// Joins up to eight bytes, little-endian.
    fn join_bytes(&mut self, bytes: &[MemoryByte<Self::Byte>]) -> Self::Value;

    /// Array form of an object's contents.
    fn array_from_bytes(&mut self, bytes: &[MemoryByte<Self::Byte>]) -> Self::Array;
    /// Reads `n` bytes at `offset`. `pointer` is a hint that the value read is a pointer: the domain may enumerate the
    /// feasible slots and return a guarded expression of concrete addresses (Bergan 2.4.1).
    fn array_load(
        &mut self,
        path: &Self::Path,
        array: &Self::Array,
        size: u64,
        offset: &Self::Value,
        n: u32,
        pointer: bool,
    ) -> Self::Value;
    /// How many bytes, at most `most`, are read at once from a constant offset on where a range of bytes is read: a power of two, at most eight.
    fn array_unit(&mut self, _array: &Self::Array, _at: u64, _most: u64) -> u32 {
        1
    }
    /// Asks for what reading a pointer with [`array_load`](Self::array_load) takes for granted about the offset.
    fn array_ask(
        &mut self,
        path: &Self::Path,
        array: &Self::Array,
        size: u64,
        offset: &Self::Value,
        n: u32,
    ) -> Result<(), Stop<Self>>;
    /// Writes the low `n` bytes of `value` at `offset`, under `guard`.
    fn array_store(
        &mut self,
        array: &mut Self::Array,
        offset: &Self::Value,
        value: &Self::Value,
        n: u32,
        guard: Option<&Self::Value>,
    );

    /// Writes a byte `n` times from `offset` on, under `guard`; false (and nothing done) if `n` must be a constant for that.
    fn array_fill(
        &mut self,
        _array: &mut Self::Array,
        _offset: &Self::Value,
        _byte: &MemoryByte<Self::Byte>,
        _n: &Self::Value,
        _guard: Option<&Self::Value>,
    ) -> bool {
        false
    }
    /// Copies `n` bytes of another array, which may be an earlier version of this one, in the same way.
    fn array_copy(
        &mut self,
        _array: &mut Self::Array,
        _offset: &Self::Value,
        _from: (&Self::Array, &Self::Value),
        _n: &Self::Value,
        _guard: Option<&Self::Value>,
    ) -> bool {
        false
    }
    /// A value as decisions are made on it: what was left open of values read from memory is filled in.
    fn expand(&mut self, value: &Self::Value) -> Self::Value {
        value.clone()
    }

    /// Truth of an `i1` that is not constant: known on this path, or [`Stop::Undecided`].
    fn decide(&mut self, path: &Self::Path, condition: &Self::Value, kind: DecisionKind) -> Result<bool, Stop<Self>>;
    /// The objects a non-constant address may point to, for an access of `n` bytes. Asks for decisions
    /// ([`DecisionKind::InBounds`] and the like) where an error is possible.
    fn resolve(
        &mut self,
        path: &Self::Path,
        heap: &Heap<Self>,
        address: &Self::Value,
        n: u64,
    ) -> Result<Targets<Self::Value>, Stop<Self>>;
    /// One constant for a value that must be one (a size, a queue address, a function pointer): the only feasible one,
    /// or a decision `value == candidate` of this kind.
    fn concretise(&mut self, path: &Self::Path, value: &Self::Value, kind: DecisionKind) -> Result<u64, Stop<Self>>;

    /// What points-to analysis calls the object that the innermost instruction of a stack allocates, if that is one object.
    fn allocation_site(&mut self, _stack: &CallStack) -> Option<icsched_pointsto::ObjectId> {
        None
    }

    /// Whether it shows that as many bytes at one offset as at another one are the same bytes, or none of them are.
    fn are_same_or_apart(&mut self, _a: &Self::Value, _b: &Self::Value, _bytes: u64) -> bool {
        false
    }
    /// An index that is a subscript of an array of so many elements, as a number that shows it is none in front of them, and none far behind;
    /// `None` if it stays as it is.
    fn as_subscript(&mut self, _index: &Self::Value, _elements: u64) -> Option<Self::Value> {
        None
    }
    /// What points-to analysis calls an object that the system gives, whatever inputs are.
    fn given_site(&mut self, _kind: ObjectKind) -> Option<icsched_pointsto::ObjectId> {
        None
    }
    /// A new object of unknown size, zeroed or not, allocated by an instruction of the program; none where sizes must be known.
    fn allocate_unsized(&mut self, _heap: &mut Heap<Self>, _by: AllocationSite, _zeroed: bool) -> Option<ObjectId> {
        None
    }
    /// The first time on the path that a loop, which is about to be replaced, began with the same as now, as the registers of its activation
    /// are, and what it begins with; none if it depends on more, or nobody knows.
    fn first_time(
        &mut self,
        _heap: &Heap<Self>,
        _path: &mut Self::Path,
        _passage: Passage,
        _registers: &[Self::Value],
    ) -> Option<Repeatable> {
        None
    }
    /// How a replaced loop goes on at most by what inputs are, if it writes to less then: a condition that counts on the path, and the limits.
    fn loop_limits(
        &mut self,
        _heap: &Heap<Self>,
        _path: &Self::Path,
        _passage: Passage,
        _registers: &[Self::Value],
    ) -> Option<(Self::Value, LoopLimits)> {
        None
    }
    /// What a replaced loop leaves in its header's parameters, of these names, in some iteration.
    fn forget_values(&mut self, _passage: Passage, _params: &[(ValueId, Type, String)]) -> Vec<Self::Value> {
        Vec::new()
    }
    /// Forgets what a replaced loop at a place may write, as the registers of its activation are; which bytes those are, and where its counters
    /// are in some iteration: that of the [first time](Self::first_time), which is the second passage. It goes on [within
    /// limits](Self::loop_limits).
    fn forget_memory(
        &mut self,
        _heap: &mut Heap<Self>,
        _path: &mut Self::Path,
        _passage: (Passage, Passage),
        _place: &str,
        _at: (&[Self::Value], &LoopLimits),
    ) -> Forgot<Self::Value> {
        Forgot::default()
    }
    /// Whether something is so that nobody knows, of this name: the same on all paths.
    fn choice(&mut self, _choice: FoldChoice, _name: &str) -> Option<Self::Value> {
        None
    }
    /// Says that such an object holds anything; whether it is one, and nothing was written there.
    fn forget_contents(&mut self, _heap: &Heap<Self>, _object: ObjectId) -> bool {
        false
    }
    /// The least and the greatest number that a value that is no constant can be, taken as signed, by how it is computed.
    fn least_and_greatest(&self, _value: &Self::Value) -> Option<(i128, i128)> {
        None
    }
    /// Whether a value is known to be a multiple of a number. False if nothing is known.
    fn is_multiple_of(&self, _: &Self::Value, _: u64) -> bool {
        false
    }
    /// Whether nobody knows a value that is no constant; else it is made of inputs.
    fn is_unknown(&self, _value: &Self::Value) -> bool {
        true
    }
    /// Whether subscripts of arrays in structures are taken to be in range.
    fn subscripts_are_in_range(&self) -> bool {
        false
    }
    /// Whether the run began at the program's entry: then it knows of each object how large it is, but for those whose size depends on
    /// inputs.
    fn knows_objects(&self) -> bool {
        true
    }
    /// Whether it is asked if accesses are errors.
    fn checks_memory(&self) -> bool {
        true
    }

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
    /// The value that is left to a value by what a path has asked of the numbers that it is computed from, if there is just one, and the condition
    /// that they are what they must be then. Looks at comparisons only.
    fn pinned(&mut self, _path: &Self::Path, _value: &Self::Value) -> Option<(u64, Self::Value)> {
        None
    }
    /// The models' table of threads, if handles of an initial state are to be told by it.
    fn thread_table(&self) -> Option<ThreadTable> {
        None
    }
    /// What a handle may be that is none of the threads' that live.
    fn strange_handle(&mut self, _handle: &Self::Value) -> StrangeHandle<Self::Value> {
        StrangeHandle { may_have_ended: true, invalid: None }
    }
    /// Whether nobody knows how large an object of an initial state is; notes that it was asked.
    fn is_of_unknown_size(&mut self, _object: ObjectId) -> bool {
        false
    }
    /// Whether an object holds what it held in the initial state.
    fn is_initial(&self, _array: &Self::Array) -> bool {
        false
    }
    /// A value is what memory held at an address in the initial state: it has that name.
    fn loaded(&mut self, _address: &Self::Value, _value: &Self::Value) {}
    /// The ranges of addresses, first and last of each, that an address may be in; `None` where these are not known, or too many.
    fn candidates(
        &mut self,
        _path: &Self::Path,
        _heap: &Heap<Self>,
        _address: &Self::Value,
    ) -> Option<Vec<(u64, u64)>> {
        None
    }
    /// A value as people write it.
    fn describe(&self, value: &Self::Value) -> String {
        format!("{value:?}")
    }

    /// A value of which nobody knows what it is because of an error ([`MemoryErrors::Continue`]); of one name, the same
    /// one.
    ///
    /// [`MemoryErrors::Continue`]: crate::stop::MemoryErrors::Continue
    fn indeterminate(&mut self, _name: &str, _bits: u32) -> Self::Value {
        Self::constant(0)
    }
    /// Whether a value is computed from an [indeterminate](Domain::indeterminate) one.
    fn is_of_indeterminate(&self, _value: &Self::Value) -> bool {
        false
    }
    /// What an address that is no constant leads to, as people write it.
    fn describe_place(&mut self, _path: &Self::Path, _heap: &Heap<Self>, address: &Self::Value) -> String {
        self.describe(address)
    }
    /// Whether a condition is false that is an error which changes nothing: known, or [`Stop::Suspect`] without a
    /// message.
    fn suspects(&mut self, _condition: &Self::Value) -> Option<bool> {
        Some(false)
    }

    /// A new input value of `bits` bits (`__ics_input`, D5). The name is made unique per path by the caller.
    fn input(&mut self, name: &str, bits: u32) -> Self::Value;
    /// The value of a pure function of a string (`__ics_input_of_string`): the same one for the same function and bytes.
    /// `bytes` goes up to and includes the first constant NUL.
    fn input_of_string(&mut self, function: &str, bytes: &[MemoryByte<Self::Byte>], bits: u32) -> Self::Value;
    /// An input was read by a call of the program; `stack` is where the thread is.
    fn was_read(&mut self, _read: Read<'_, Self::Value>, _stack: impl FnOnce() -> CallStack) {}
    /// Byte `index` of a named input array (an argument, a file): `name[index]`.
    fn input_byte(&mut self, name: &str, index: u64) -> MemoryByte<Self::Byte>;
}

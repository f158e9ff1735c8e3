//! Loops and recursions that are replaced by what they may do (input abstraction, Bergan 3.4.2; design decision D7).
//!
//! A loop that is replaced is not executed from its first iteration on, but from *some* iteration: what its header's
//! parameters are, and what memory holds that the loop may write, is forgotten (but for counters, of which it is known
//! how far they may have got: objects [end](Cursor)), and the iteration in which control leaves it is executed as it
//! is. Going round once more is no path of its own, for the state of the next iteration is one that was forgotten, too.
//! So everything that is true behind the loop because of how it is left stays known, and nothing has to be said about
//! how often it goes round.
//!
//! A loop that writes nothing leaves the same behind each time it begins with the same registers and reads the same
//! memory: threads that each look whether all are done agree (Bergan's loop summaries are functions of live-ins). So
//! what it leaves is known by the first time.
//!
//! Of a recursion that is replaced - functions that call each other, a strongly connected component of the call graph -
//! the outermost activation is executed as it is. Where it, or what it calls, calls the recursion again, that call is
//! not executed: what it may write is forgotten, its results may be anything, and control goes on behind it. Whatever
//! the call does, if it returns, is one of those.
//!
//! Of a recursion that may come to what is not supported, such a call is also *looked into*, on a path of its own:
//! *some* activation of the function is executed, with any arguments, where what the recursion may have written by then
//! is forgotten. Where it returns, the path ends.

use std::collections::{BTreeMap, BTreeSet};

use std::sync::Arc;

use icsched_ir::{Affine, BlockId, CastOp, CountedLoop, FuncId, IntPredicate, Leaf, Operand, ProgramPoint, ValueId};
use icsched_pointsto::Piece;

use serde::{Deserialize, Serialize};

use crate::thread::ThreadId;

/// What a piece of code may write.
#[derive(Clone, Default, Debug)]
pub struct Effect {
    /// Where, as points-to analysis names places.
    pub writes: Vec<Piece>,
    /// Stores beside these of which more can be known when control comes to the code.
    pub stores: Vec<LoopStore>,
    /// Anywhere.
    pub everything: bool,
}

impl Effect {
    /// The same with those stores among what points-to analysis says of which nobody knows more, by their numbers.
    pub fn with_stores(&self, is_unknown: impl Fn(usize) -> bool) -> Self {
        let unknown = self.stores.iter().enumerate().filter(|(at, _)| is_unknown(*at));
        let writes = self.writes.iter().chain(unknown.flat_map(|(_, store)| &store.writes)).copied().collect();
        Self { writes, stores: Vec::new(), everything: self.everything }
    }
}

/// A store of a loop whose address is computed from what does not change in the loop.
#[derive(Clone, Debug)]
pub struct LoopStore {
    /// An address in the object that it writes: the first iteration's, if `step` is known.
    pub start: Affine,
    /// What each iteration adds to the address; `None`: anything that stays in the object.
    pub step: Option<Affine>,
    /// The first address that it may be at and the bytes from there to the last one, if what is added is small.
    pub reach: Option<(Affine, u64)>,
    /// The address, if what is added may be found to be small when control comes to the loop.
    pub address: Option<ValueId>,
    /// The element that it writes, if a counter is its index.
    pub element: Option<StoredElement>,
    /// Whether it is executed only in iterations that do not leave the loop: it stands behind all tests that count
    /// them.
    pub is_behind_tests: bool,
    /// How many bytes are written.
    pub bytes: u64,
    /// Where that may be, as points-to analysis names places.
    pub writes: Vec<Piece>,
}

/// What a store writes: `base + at + scale * (counter + addend)`, and other indices beside, which do not change in the
/// loop.
#[derive(Clone, Debug)]
pub struct StoredElement {
    /// A parameter of the loop's header that each iteration adds the same to.
    pub counter: ValueId,
    /// Width of the counter.
    pub bits: u32,
    /// What is added to it, at its width.
    pub addend: u64,
    /// `ZExt` or `SExt` where the sum is narrower than an address.
    pub extension: Option<CastOp>,
    /// The factor.
    pub scale: i64,
    /// A pointer that does not change in the loop, though it may be computed there.
    pub base: Operand,
    /// So many bytes behind it.
    pub at: i64,
    /// The other indices, each with its factor.
    pub others: Vec<(Operand, i64)>,
}

/// What all executions that come to a loop have in common of how it goes on there.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct LoopLimits {
    /// How often it goes round at most.
    pub rounds: Option<u64>,
    /// Where counters are.
    pub spans: Vec<Span>,
}

/// Between which signed numbers of its width a counter is, a parameter of the loop's header that goes up.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// The counter.
    pub counter: ValueId,
    /// What it is at least.
    pub least: i64,
    /// What it is at most in iterations that pass the loop's tests.
    pub passes: i64,
    /// What it is at most.
    pub greatest: i64,
}

/// An access that every iteration of a loop makes that does not leave it, at `base + at + scale * (value + addend)`,
/// where each iteration adds the same to the value. Objects end, so it says how often the loop goes round at most.
#[derive(Clone, Debug)]
pub struct Cursor {
    /// A parameter of the loop's header: a pointer, or an index.
    pub value: ValueId,
    /// What each iteration adds to it.
    pub step: u64,
    /// What is added to it for the access, at its width.
    pub addend: u64,
    /// `ZExt` or `SExt` where the sum is narrower than an address.
    pub extension: Option<CastOp>,
    /// The factor.
    pub scale: u64,
    /// The pointer to which that is added, which does not change in the loop; `None` where the value is the pointer.
    pub base: Option<Leaf>,
    /// So many bytes behind it the access begins.
    pub at: i64,
    /// How many bytes are accessed.
    pub bytes: u64,
    /// Whether an iteration that reads zero there leaves the loop.
    pub ends_at_zero: bool,
}

/// A loop that is replaced.
#[derive(Clone, Debug)]
pub struct AbstractLoop {
    /// Its blocks, the header among them.
    pub blocks: BTreeSet<BlockId>,
    /// What it may write, calls included.
    pub effect: Effect,
    /// Loads in it that give the same in all rounds, where [addresses of stores](LoopStore::address) may be computed of
    /// them.
    pub invariant: BTreeSet<ValueId>,
    /// How often it goes round, by what is known when control comes to it.
    pub counted: Option<CountedLoop>,
    /// These say how often it goes round, by where objects and strings end.
    pub cursors: Vec<Cursor>,
    /// Parameters of its header to which iterations only add.
    pub growing: Vec<ValueId>,
    /// What is true of parameters of its header in all iterations but the first.
    pub latches: Vec<LatchTest>,
    /// Conditions that hold, or do not, where control comes to it from outside.
    pub guards: Vec<(ValueId, bool)>,
    /// What it does depends on, if that is all: then it does the same whenever that is the same.
    pub inputs: Option<LoopInputs>,
}

impl AbstractLoop {
    /// Whether it stores elements of which a counter is the index.
    pub fn has_elements(&self) -> bool {
        self.effect.stores.iter().any(|store| store.element.is_some())
    }
}

/// A comparison of a header's parameter with a constant that holds whenever the loop has gone round.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct LatchTest {
    /// The parameter.
    pub value: ValueId,
    /// How it compares.
    pub predicate: IntPredicate,
    /// With what.
    pub bits: u64,
}

/// What a loop depends on that writes nothing.
#[derive(Clone, Default, Debug)]
pub struct LoopInputs {
    /// Registers of its activation, the parameters of its header among them.
    pub values: Vec<ValueId>,
    /// What it may read, as points-to analysis names places.
    pub reads: Vec<Piece>,
    /// Those of them in others than variables: of these there may be some that a path has not met.
    pub others: Vec<Piece>,
}

/// A recursion that is replaced.
#[derive(Clone, Default, Debug)]
pub struct AbstractRecursion {
    /// Functions that call each other.
    pub functions: BTreeSet<FuncId>,
    /// What each call in one of them may write that may reach one of them.
    pub calls: BTreeMap<ProgramPoint, Effect>,
    /// Whether these calls are looked into.
    pub is_looked_into: bool,
}

/// What is replaced.
#[derive(Clone, Default, Debug)]
pub struct Abstractions {
    /// Loops, by function and header.
    pub loops: BTreeMap<(FuncId, BlockId), AbstractLoop>,
    /// Recursions, by each of their functions.
    pub recursions: BTreeMap<FuncId, Arc<AbstractRecursion>>,
    /// Replaced loops that have no way out, or none but ends of the process: who goes round in them does so for ever.
    pub endless: BTreeSet<(FuncId, BlockId)>,
    /// Blocks of the program behind which it only ends: executions that go there come to no loop.
    pub exits: Arc<BTreeSet<(FuncId, BlockId)>>,
}

impl Abstractions {
    /// Whether a call of this function at this point is not executed.
    pub(crate) fn replaces_call(&self, at: ProgramPoint, callee: FuncId) -> bool {
        let recursion = self.recursions.get(&at.func).filter(|r| r.functions.contains(&callee));
        recursion.is_some_and(|r| r.calls.contains_key(&at))
    }

    /// Whether a call in a function that is replaced is looked into.
    pub(crate) fn looks_into(&self, caller: FuncId) -> bool {
        self.recursions.get(&caller).is_some_and(|recursion| recursion.is_looked_into)
    }

    /// What may be written where something was replaced.
    pub fn effect(&self, passage: &Passage) -> Option<&Effect> {
        let Passage { func, block, what, .. } = *passage;
        match what {
            Replaced::Loop => Some(&self.loops.get(&(func, block))?.effect),
            Replaced::Call(inst) => self.recursions.get(&func)?.calls.get(&ProgramPoint { func, block, inst }),
            Replaced::Question(_) | Replaced::Activation => None,
        }
    }
}

/// What a path comes to where something is replaced.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Replaced {
    /// A loop.
    Loop,
    /// A call of a recursion in itself, by its instruction.
    Call(u32),
    /// Whether such a call is passed over, or looked into.
    Question(u32),
    /// The entry of some activation.
    Activation,
}

/// One replaced execution of a loop, or of a call of a recursion: the same on all paths on which the thread gets there
/// as often.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Passage {
    /// The thread.
    pub thread: ThreadId,
    /// The function that the loop or the call is in.
    pub func: FuncId,
    /// The loop's header, the block of the call, or the entry.
    pub block: BlockId,
    /// Which of these it is.
    pub what: Replaced,
    /// How often the thread got there before.
    pub occurrence: u32,
}

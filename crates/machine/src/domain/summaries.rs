//! Loops and recursions that are replaced by what they may do ([`crate::abstraction`]; Bergan 3.4.2).

use icsched_ir::{Type, ValueId};

use crate::abstraction::{LoopLimits, Passage};
use crate::memory::{Heap, ObjectId};
use crate::trace::{Region, Repeatable, Uses};
use crate::values::Values;

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

/// Forgets what a replaced loop or call may change. The default forgets nothing: nothing is replaced.
pub trait Summaries: Values {
    /// The first time on the path that a loop, which is about to be replaced, began with the same as now, as the
    /// registers of its activation are, and what it begins with; none if it depends on more, or nobody knows.
    fn first_time(
        &mut self,
        _heap: &Heap<Self>,
        _path: &mut Self::Path,
        _passage: Passage,
        _registers: &[Self::Value],
    ) -> Option<Repeatable> {
        None
    }
    /// How a replaced loop goes on at most by what inputs are, if it writes to less then: a condition that counts on
    /// the path, and the limits.
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
    /// Forgets what a replaced loop at a place may write, as the registers of its activation are; which bytes those
    /// are, and where its counters are in some iteration: that of the [first time](Self::first_time), which is the
    /// second passage. It goes on [within limits](Self::loop_limits).
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
    /// Says that such an object holds anything; whether it is one, and nothing was written there.
    fn forget_contents(&mut self, _heap: &Heap<Self>, _object: ObjectId) -> bool {
        false
    }
}

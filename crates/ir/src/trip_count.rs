//! Trip counts of counted loops (Bergan 2.5.4: barrier matching compares them).
//!
//! A loop is counted by a test that every iteration makes once, between something that grows by the same amount in each
//! iteration (an [induction variable](crate::induction) or a sum of them) and something that does not change. What is
//! kept of it, [`TripCount`], says exactly when the test fails, wrap-around included: two tests with equal start, step,
//! predicate and bound fail in the same iteration, whatever these are. [`TripCount::evaluate`] gives the number where
//! the values are known, and [`TripCount::closed_form`] a formula, with what must hold for it to be right.
//!
//! *Repetitions* of one run of a loop are how often control goes from its end back to its header. The header is
//! executed once more than that, and so is everything in front of the test that ends the loop; what stands behind
//! the test is executed as often as the loop is repeated.

mod closed_form;
mod condition;
mod context;
mod first;
mod test;

use fixedbitset::FixedBitSet;

use crate::affine::Leaf;
use crate::cfg::Cfg;
use crate::definitions::Definitions;
use crate::dominators::DomTree;
use crate::entity::{BlockId, EntityId, IdVec, LoopId};
use crate::induction::{self, BasicVariable, DerivedVariable, Forms, InvariantLoads};
use crate::inst::Terminator;
use crate::loops::{Loop, LoopForest};
use crate::program::Function;

pub use closed_form::{ClosedForm, Proviso, Sum};
use condition::Conditions;
use context::Context;
pub use test::{Count, TripCount};

/// The counts of one loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CountedLoop {
    /// Its basic induction variables.
    pub basic: Vec<BasicVariable>,
    /// The values derived from one of them.
    pub derived: Vec<DerivedVariable>,
    /// The tests that every iteration makes, in block order. The loop is repeated at most as often as each of them
    /// allows.
    pub tests: Vec<TripCount>,
    /// Whether these tests decide every way out of the loop, so that the smallest of their counts is the number of
    /// repetitions. (Of runs that end the process or the thread in the loop, it is a bound.)
    pub is_exact: bool,
    /// Whether the loop's code stands in front of its tests, as in `do ... while`: it is executed once more than the
    /// loop is repeated.
    pub is_bottom_tested: bool,
}

impl CountedLoop {
    /// The number of repetitions, or, where the loop is not [exact](Self::is_exact), a bound of it. `None` if some
    /// needed value is not known, or nothing counts the loop. Where it is not exact, one known test is enough.
    pub fn repetitions(&self, value: impl Fn(Leaf) -> Option<u64>) -> Option<Count> {
        let counts: Vec<Option<Count>> = self.tests.iter().map(|test| test.evaluate(&value)).collect();
        let is_unknown = self.is_exact && counts.contains(&None);
        counts.into_iter().flatten().min().filter(|_| !is_unknown)
    }
}

/// The counts of all loops of a function.
#[derive(Clone, Debug)]
pub struct CountedLoops(IdVec<LoopId, CountedLoop>);

impl CountedLoops {
    /// Analyses the loops of `function`, whose graph, dominators and loops these are. Loads count as the same
    /// throughout a loop that writes nothing, calls nothing and has no atomic operation.
    ///
    /// Takes O((blocks + instructions) * depth of loops), and O(loops' sizes) for the list of derived variables.
    pub fn new(function: &Function, cfg: &Cfg, dominators: &DomTree, loops: &LoopForest) -> Self {
        let loads = Self::quiet_loads(function, loops);
        Self::with_loads(function, cfg, dominators, loops, &FixedBitSet::new(), &loads)
    }

    /// The loads that count as invariant if the function's code is all that is known, for [`Self::with_loads`].
    pub fn quiet_loads(function: &Function, loops: &LoopForest) -> impl Fn(LoopId, BlockId, usize) -> bool + use<> {
        induction::quiet_loads(function, loops)
    }

    /// The same with better knowledge of which loads are invariant. Exits into the blocks in `ignore` do not count:
    /// they are known not to matter, for instance because the process ends there.
    pub fn with_loads(
        function: &Function,
        cfg: &Cfg,
        dominators: &DomTree,
        loops: &LoopForest,
        ignore: &FixedBitSet,
        loads: &InvariantLoads<'_>,
    ) -> Self {
        let definitions = Definitions::new(function);
        let mut forms = Forms::new(function);
        let context = Context { function, cfg, dominators, loops, definitions: &definitions, ignore };
        Self(loops.iter().map(|(id, l)| context.count(id, l, &mut forms, loads)).collect())
    }

    /// What is known of a loop.
    pub fn get(&self, id: LoopId) -> &CountedLoop {
        &self.0[id]
    }

    /// All loops, outer before inner ones.
    pub fn iter(&self) -> impl Iterator<Item = (LoopId, &CountedLoop)> {
        self.0.iter()
    }
}

impl<'a> Context<'a> {
    fn count(self, id: LoopId, l: &Loop, forms: &mut Forms<'a>, loads: &InvariantLoads<'_>) -> CountedLoop {
        let enters_inner = |block| {
            self.loops.around(block).take_while(|&a| a != id).any(|a| self.loops.get(a).entries.contains(&block))
        };
        forms.enter(self.cfg, id, l, enters_inner, loads);
        let basic = induction::basic_variables(self.function, self.cfg, l, forms);
        let derived = induction::derived_variables(self.function, l, forms, &basic);
        let mut tests = Vec::new();
        let mut is_exact = true;
        let mut is_bottom_tested = true;
        for &(from, to) in l.exits.iter().filter(|(_, to)| !self.ignore.contains(to.index())) {
            let counted = self.exit_tests(id, l, forms, &basic, (from, to), &mut tests);
            is_exact &= counted.is_exact;
            is_bottom_tested &= counted.is_bottom;
        }
        is_exact &= !tests.is_empty();
        is_bottom_tested &= !tests.is_empty();
        CountedLoop { basic, derived, tests, is_exact, is_bottom_tested }
    }

    /// The tests that decide whether an exit is taken.
    fn exit_tests(
        self,
        id: LoopId,
        l: &Loop,
        forms: &Forms<'_>,
        basic: &[BasicVariable],
        (from, to): (BlockId, BlockId),
        tests: &mut Vec<TripCount>,
    ) -> Counted {
        // Once per iteration: not in an inner loop, and on every way back to the header.
        let is_once = !l.is_irreducible()
            && self.loops.innermost(from) == Some(id)
            && l.latches.iter().all(|&latch| self.dominators.dominates(from, latch));
        let terminator = &self.function.blocks[from].terminator;
        let Terminator::Branch { condition, then_edge, else_edge } = terminator else { return Counted::NOT };
        if !is_once || then_edge.target == else_edge.target {
            return Counted::NOT;
        }
        let stays_on_then = else_edge.target == to;
        let stay = if stays_on_then { then_edge.target } else { else_edge.target };
        let context = self;
        let mut conditions = Conditions { context, id, forms, basic, exit: (from, to), tests: Vec::new() };
        let is_exact = conditions.collect(*condition, stays_on_then, 0);
        tests.append(&mut conditions.tests);
        Counted { is_exact, is_bottom: self.leads_straight_to(stay, l) }
    }

    /// Whether control gets from `block` to the loop's header without doing anything.
    fn leads_straight_to(self, mut block: BlockId, l: &Loop) -> bool {
        for _ in 0..self.cfg.block_count() {
            if block == l.header {
                return true;
            }
            let here = &self.function.blocks[block];
            match (&here.terminator, &here.insts[..]) {
                (Terminator::Jump(edge), []) if l.contains(block) => block = edge.target,
                _ => return false,
            }
        }
        false
    }
}

/// What is known of one exit.
struct Counted {
    is_exact: bool,
    is_bottom: bool,
}

impl Counted {
    const NOT: Self = Self { is_exact: false, is_bottom: true };
}

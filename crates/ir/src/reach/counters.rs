//! How large numbers get that count loops.
//!
//! A loop that a test with known numbers counts ([`CountedLoops`]) is in one of so many iterations, so what grows by
//! the same number in each of them is one of so many numbers; and behind the test, where it has held, the loop is not
//! in its last one.

use std::collections::BTreeMap;

use crate::cfg::Cfg;
use crate::dominators::DomTree;
use crate::entity::{BlockId, ValueId};
use crate::inst::Terminator;
use crate::loops::LoopForest;
use crate::program::Function;
use crate::trip_count::{Count, CountedLoops, TripCount};

/// The numbers of one function that count loops.
#[derive(Debug)]
pub(super) struct Counters {
    dominators: DomTree,
    found: BTreeMap<ValueId, Counter>,
}

/// A parameter of a loop's header that is `start + k * step` in iteration `k`.
#[derive(Debug)]
struct Counter {
    start: i128,
    step: i128,
    /// The largest number that it may be without wrapping around.
    limit: i128,
    /// The last iteration.
    last: u64,
    /// Blocks that are entered only if a test has held, with the last iteration in which it does.
    behind: Vec<(BlockId, u64)>,
}

impl Counters {
    /// Takes as long as [`CountedLoops::new`].
    pub(super) fn new(function: &Function) -> Self {
        let cfg = Cfg::new(function);
        let (dominators, loops) = (DomTree::dominators(&cfg), LoopForest::new(&cfg));
        let counted = CountedLoops::new(function, &cfg, &dominators, &loops);
        let mut found = BTreeMap::new();
        for (_, counts) in counted.iter() {
            let tests: Vec<(&TripCount, u64)> = counts.tests.iter().filter_map(|t| Some((t, finite(t)?))).collect();
            let Some(last) = tests.iter().map(|&(_, count)| count).min() else { continue };
            let behind =
                |&(test, count): &(&TripCount, u64)| Some((passed(function, &cfg, test)?, count.checked_sub(1)?));
            let behind: Vec<_> = tests.iter().filter_map(behind).collect();
            for basic in &counts.basic {
                let (Some(start), Some(step)) = (basic.start.as_constant(), basic.step.as_constant()) else { continue };
                let ty = function.values[basic.value].ty;
                let limit = i128::from(ty.mask());
                let signed =
                    |n: u64| if i128::from(n) > limit >> 1 { i128::from(n) - limit - 1 } else { i128::from(n) };
                let counter =
                    Counter { start: i128::from(start), step: signed(step), limit, last, behind: behind.clone() };
                found.insert(basic.value, counter);
            }
        }
        Self { dominators, found }
    }

    /// The largest number, taken as unsigned, that a value can be where it is used in a block; `None` if it is not
    /// known.
    ///
    /// A block that a test lets control into, and that dominates the other, was entered behind the header, in the
    /// iteration that the value is of: else a way from the header would get around it.
    pub(super) fn largest(&self, value: ValueId, at: BlockId) -> Option<u64> {
        let counter = self.found.get(&value)?;
        let passed = counter.behind.iter().filter(|&&(block, _)| self.dominators.dominates(block, at));
        let last = passed.map(|&(_, last)| last).fold(counter.last, u64::min);
        let end = counter.step.checked_mul(i128::from(last))?.checked_add(counter.start)?;
        let is_whole = (0..=counter.limit).contains(&end);
        is_whole.then(|| u64::try_from(end.max(counter.start)).ok()).flatten()
    }
}

/// How often a test holds.
fn finite(test: &TripCount) -> Option<u64> {
    match test.constant()? {
        Count::Finite(count) => Some(count),
        Count::Endless => None,
    }
}

/// The block that is entered only where a test has held.
fn passed(function: &Function, cfg: &Cfg, test: &TripCount) -> Option<BlockId> {
    let (from, out) = test.exit;
    let Terminator::Branch { then_edge, else_edge, .. } = &function.blocks[from].terminator else { return None };
    let (yes, no) = (then_edge.target, else_edge.target);
    let inside = if yes == out { no } else { yes };
    (yes != no && cfg.predecessors(inside) == [from]).then_some(inside)
}

//! Loops that what they do bounds.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use fixedbitset::FixedBitSet;
use icsched_ir::trip_count::Proviso;
use icsched_ir::{BlockId, Count, CountedLoop, CountedLoops, EntityId as _, FuncId, LoopId, Program, TripCount};
use icsched_pointsto::{InvariantLoads, ModRef, Startup};
use icsched_slicing::control::Control;
use rustc_hash::FxHashMap;

use super::code::Kinds;
use super::marker::Unmarked;
use crate::budgets::BUDGETS;

/// Which loops are counted.
pub(super) struct Bounds<'a> {
    program: &'a Program,
    control: &'a Control,
    modref: Option<&'a ModRef<'a>>,
    /// Made when somebody asks.
    startup: OnceCell<Startup>,
    /// What is known of functions that somebody asked for, but for [`InvariantLoads::is_invariant_one_way`].
    counted: RefCell<FxHashMap<FuncId, Rc<CountedLoops>>>,
}

impl<'a> Bounds<'a> {
    pub(super) fn new(program: &'a Program, control: &'a Control, modref: Option<&'a ModRef<'a>>) -> Self {
        Self { program, control, modref, startup: OnceCell::new(), counted: RefCell::default() }
    }

    /// Why a loop that synchronises like this, and not otherwise, goes round a bounded number of times.
    pub(super) fn trivial(&self, func: FuncId, id: LoopId, kinds: Kinds) -> Option<Unmarked> {
        if let Some(count) = self.few(func, id) {
            return Some(Unmarked::GoesRound(count));
        }
        let threads = kinds.without(Kinds::WAIT);
        let why = match threads {
            none if none.is_empty() => return Some(Unmarked::OnlyWaits),
            Kinds::CREATE => Unmarked::OnlyCreates,
            Kinds::JOIN => Unmarked::OnlyJoins,
            _ => return None,
        };
        // Only these order what threads do in one direction.
        let is_one_way = kinds == threads;
        self.is_counted(func, id, is_one_way).then_some(why)
    }

    /// A number of iterations that is known from the code, and small.
    fn few(&self, func: FuncId, id: LoopId) -> Option<u64> {
        let tests = self.with_counted(func, id, false, |counted| {
            counted.tests.iter().filter_map(TripCount::constant).collect::<Vec<Count>>()
        });
        let counts = tests.into_iter().filter_map(|count| match count {
            Count::Endless => None,
            Count::Finite(n) => Some(n),
        });
        let most =
            if self.is_uniform(func, id) { BUDGETS.short_loop_rounds } else { BUDGETS.short_choosing_loop_rounds };
        counts.filter(|&n| n <= most).min()
    }

    /// Whether each iteration that does not leave the loop comes to all of its blocks that may synchronise.
    fn is_uniform(&self, func: FuncId, id: LoopId) -> bool {
        let facts = self.control.function(func);
        let l = facts.loops.get(id);
        let goes_back = |block: &BlockId| facts.cfg.successors(*block).contains(&l.header);
        let back: Vec<BlockId> = l.block_ids().filter(goes_back).collect();
        let synchronises = |block: &BlockId| facts.may_synchronise.contains(block.index());
        let is_passed = |block: BlockId| back.iter().all(|&end| facts.dominators.dominates(block, end));
        l.block_ids().filter(synchronises).all(is_passed)
    }

    /// Whether each run of the loop goes back to its header, as the code says, before it is left, which it is there
    /// only.
    pub(super) fn goes_round(&self, func: FuncId, id: LoopId) -> bool {
        let l = self.control.function(func).loops.get(id);
        let is_left_at_header = l.exits.iter().all(|&(from, _)| from == l.header);
        let goes_round = |counted: &CountedLoop| {
            counted.is_exact && matches!(counted.repetitions(|_| None), Some(Count::Finite(n)) if n > 0)
        };
        is_left_at_header && self.with_counted(func, id, false, goes_round)
    }

    /// Whether the number of iterations is fixed when control enters the loop.
    fn is_counted(&self, func: FuncId, id: LoopId, is_one_way: bool) -> bool {
        self.with_counted(func, id, is_one_way, is_bounded)
    }

    /// What is known of how often a loop goes round; see [`InvariantLoads::is_invariant_one_way`].
    fn with_counted<R>(&self, func: FuncId, id: LoopId, is_one_way: bool, ask: impl FnOnce(&CountedLoop) -> R) -> R {
        if is_one_way {
            return ask(self.count(func, Some(id)).get(id));
        }
        let known = self.counted.borrow().get(&func).cloned();
        let counted = known.unwrap_or_else(|| {
            let counted = Rc::new(self.count(func, None));
            self.counted.borrow_mut().insert(func, Rc::clone(&counted));
            counted
        });
        ask(counted.get(id))
    }

    /// The loops of a function, of which one may order threads in one direction only. O(blocks and instructions, by
    /// depth of loops).
    fn count(&self, func: FuncId, one_way: Option<LoopId>) -> CountedLoops {
        let function = &self.program.functions[func];
        let facts = self.control.function(func);
        let quiet = CountedLoops::quiet_loads(function, &facts.loops);
        let known = self.modref.map(|modref| {
            let startup = self.startup.get_or_init(|| Startup::new(modref));
            InvariantLoads::new(modref, startup)
        });
        let loads = |l, block, at| {
            let is_invariant = |known: &InvariantLoads<'_, '_>| match one_way == Some(l) {
                true => known.is_invariant_one_way(func, l, block, at),
                false => known.is_invariant(func, l, block, at),
            };
            quiet(l, block, at) || known.as_ref().is_some_and(is_invariant)
        };
        let none = FixedBitSet::new();
        CountedLoops::with_loads(function, &facts.cfg, &facts.dominators, &facts.loops, &none, &loads)
    }
}

/// Whether a test ends the loop after a number of iterations. Where a formula gives the number if nothing wraps around,
/// nothing does: else the number would be larger than that of threads can be.
fn is_bounded(counted: &CountedLoop) -> bool {
    counted.tests.iter().any(|test: &TripCount| match test.constant() {
        Some(count) => count != Count::Endless,
        None => {
            let holds = |proviso| matches!(proviso, None | Some(Proviso::NoWrap));
            test.step.as_constant().is_some_and(|step| step != 0)
                && test.closed_form(0).is_some_and(|form| holds(form.proviso))
        }
    })
}

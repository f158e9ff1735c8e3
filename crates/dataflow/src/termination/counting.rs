//! Loops that are counted by a test of which enough is known without a solver.

use fixedbitset::FixedBitSet;
use icsched_ir::{
    Count, CountedLoop, CountedLoops, Definitions, Expressions, FuncId, Function, IntPredicate, LoopId, TripCount,
};
use icsched_pointsto::{InvariantLoads, ModRef, Startup};

use super::flow::Structure;
use super::verdict::{Reason, Verdict};

/// What tests say of a loop whose start, step and bound are numbers, or of which it is known that the test meets its
/// bound; `None` where that is not enough. O(instructions of the function).
pub(super) fn of_loop(
    function: &Function,
    structure: &Structure,
    (func, id): (FuncId, LoopId),
    modref: &ModRef<'_>,
    startup: &Startup,
) -> Option<Verdict> {
    let loads = InvariantLoads::new(modref, startup);
    let Structure { cfg, loops, dominators, .. } = structure;
    let is_same = |id, block, at| loads.is_invariant(func, id, block, at);
    let counted = CountedLoops::with_loads(function, cfg, dominators, loops, &FixedBitSet::new(), &is_same);
    let counted: &CountedLoop = counted.get(id);
    let ends = counted.tests.iter().find(|test| is_finite(test) || meets_bound(test));
    if let Some(test) = ends {
        return Some(Verdict::Ends(Reason::Measured {
            what: describe(modref, function, &structure.definitions, test),
            needs_sums: false,
        }));
    }
    let goes_on = |test: &TripCount| test.constant() == Some(Count::Endless);
    (counted.is_exact && counted.tests.iter().all(goes_on)).then_some(Verdict::Endless)
}

fn is_finite(test: &TripCount) -> bool {
    matches!(test.constant(), Some(Count::Finite(_)))
}

/// Whether a number that goes on while it is not the bound becomes the bound, wherever it starts.
///
/// Its distance is a multiple of the step's power of two, so one of the 2^width multiples of the step is the distance.
fn meets_bound(test: &TripCount) -> bool {
    let (Some(step), None) = (test.step.as_constant(), test.extension) else { return false };
    if test.predicate != IntPredicate::Ne || step == 0 || test.start.bits() != test.bound.bits() {
        return false;
    }
    let Some(distance) = test.bound.plus(&test.start, u64::MAX) else { return false };
    let power = step.trailing_zeros();
    let divides = |factor: u64| factor.trailing_zeros() >= power;
    divides(distance.addend()) && distance.terms().iter().all(|&(_, factor)| divides(factor))
}

fn describe(modref: &ModRef<'_>, function: &Function, definitions: &Definitions, test: &TripCount) -> String {
    let text = Expressions::new(modref.program(), function, definitions);
    let (tested, bound) = (text.operand(test.tested.into()), text.affine(&test.bound));
    let is_down = test.step.as_constant().is_some_and(|step| step >> (test.step.bits() - 1) == 1);
    format!("{tested} counts {} to {bound}", if is_down { "down" } else { "up" })
}

//! Which loop or recursion around a place is summarised next (input abstraction, Bergan 3.4.2).

use icsched_epochs::Statics;
use icsched_epochs::summarisable::{Summarisable, can_be_replaced};
use icsched_ir::{FuncId, ProgramPoint};
use icsched_slicing::recursions::UnsynchronisedRecursion;

/// When something may be replaced.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Wanted {
    /// Nothing else helps, or inputs behind it would be cut off.
    pub(crate) last_resort: bool,
    /// Activations of a recursion that there have to be.
    pub(crate) activations: usize,
}

/// The innermost loop or recursion around these points, innermost first, that does not synchronise and was not
/// replaced.
///
/// What a semaphore is like behind a summarised loop that initialises it is not known, and deadlocks come of that; nor,
/// of an array of locks, which of them is meant. So such a loop counts only at its `last_resort`: where it would be
/// cut, or nothing else helps. A recursion counts if the points are in enough activations of it: otherwise what goes
/// round is around it.
pub(crate) fn innermost_summarisable(
    statics: &Statics<'_>,
    is_replaced: impl Fn(&Summarisable) -> bool,
    wanted: Wanted,
    points: &[ProgramPoint],
) -> Option<Summarisable> {
    points.iter().find_map(|p| {
        let around = || summarisable_loop(statics, &is_replaced, wanted, *p);
        around().or_else(|| recursion_to_summarise(statics, &is_replaced, wanted, (p.func, points)))
    })
}

fn summarisable_loop(
    statics: &Statics<'_>,
    is_replaced: &impl Fn(&Summarisable) -> bool,
    wanted: Wanted,
    p: ProgramPoint,
) -> Option<Summarisable> {
    let facts = statics.control.function(p.func);
    let loops = facts.loops.around(p.block).map(|l| facts.loops.get(l));
    let quiet = loops
        .filter(|l| l.entries.len() == 1 && l.blocks.is_disjoint(&facts.synchronises))
        .filter(|l| wanted.last_resort || !facts.forgets_objects(&l.blocks));
    quiet.map(|l| Summarisable::Loop(p.func, l.header)).find(|l| !is_replaced(l))
}

/// The loop around a point that no other loop is around, if it does not synchronise, and makes nothing of which
/// something is to be known.
pub(crate) fn outermost_summarisable_loop(statics: &Statics<'_>, p: ProgramPoint) -> Option<Summarisable> {
    let facts = statics.control.function(p.func);
    let l = facts.loops.get(facts.loops.around(p.block).last()?);
    let is_quiet =
        l.entries.len() == 1 && l.blocks.is_disjoint(&facts.synchronises) && !facts.forgets_objects(&l.blocks);
    is_quiet.then_some(Summarisable::Loop(p.func, l.header))
}

fn recursion_to_summarise(
    statics: &Statics<'_>,
    is_replaced: &impl Fn(&Summarisable) -> bool,
    wanted: Wanted,
    (func, points): (FuncId, &[ProgramPoint]),
) -> Option<Summarisable> {
    let recursion = statics.control.unsynchronised_recursion(func)?;
    let found = Summarisable::Recursion(*recursion.functions.first()?);
    let is_inside = |p: &&ProgramPoint| recursion.functions.binary_search(&p.func).is_ok();
    let is_wanted = !is_replaced(&found)
        && points.iter().filter(is_inside).count() >= wanted.activations
        && (wanted.last_resort || !recursion.initialises)
        && can_be_replaced(recursion, statics);
    is_wanted.then_some(found)
}

/// Whether a recursion that can be summarised, and was not, is entered more often than this.
pub(crate) fn deep_recursion(
    statics: &Statics<'_>,
    is_replaced: impl Fn(&Summarisable) -> bool,
    wanted: Wanted,
    points: &[ProgramPoint],
) -> Option<Summarisable> {
    if points.len() < wanted.activations {
        return None;
    }
    let mut seen: Option<&UnsynchronisedRecursion> = None;
    points.iter().find_map(|p| {
        let recursion = statics.control.unsynchronised_recursion(p.func)?;
        let is_seen = seen.replace(recursion).is_some_and(|before| before.functions == recursion.functions);
        if is_seen { None } else { recursion_to_summarise(statics, &is_replaced, wanted, (p.func, points)) }
    })
}

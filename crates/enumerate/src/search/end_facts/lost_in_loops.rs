//! Loops for which something is lost that they would not write.
//!
//! Whether a loop goes round once more is decided, and is no condition of the schedule, so that what the other side may
//! write is not carried on: for an element of an array, points-to analysis says, all of its object. What is known of a
//! loop that is replaced is better, so then that helps
//! ([`Effect::stores`](icsched_machine::abstraction::Effect::stores)).
//!
//! Nor is carried on what depends on how often a loop goes round, or on what is decided inside. But what one thread has
//! added up there, and others have read from it, is the same for all of them: of a loop that is replaced nobody knows
//! what it adds up to, and so the number is one of its own, and equal.

use std::collections::BTreeMap;

use icsched_epochs::Statics;
use icsched_epochs::summarisable::{Helps, Summarisable, is_summarised as replaces};
use icsched_facts::{EndState, Node, Place};
use icsched_ir::Loop;
use icsched_machine::abstraction::Abstractions;
use icsched_smt::Term;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::next_summary::{Wanted, innermost_summarisable as quiet_code};
use crate::valid_facts::{Decided, Lost};

/// The loops that do not synchronise, and were not replaced, for whose number of rounds something is lost that others
/// have written, or for what is decided inside of which it is lost that threads have the same of something.
pub(super) fn loops(
    statics: &Statics<'_>,
    replaced: &Abstractions,
    left: &EndState,
    lost: &[Lost],
) -> BTreeMap<Summarisable, Helps> {
    let wanted = Wanted { last_resort: false, activations: usize::MAX };
    let shared = shared(left, lost);
    let mut found = BTreeMap::new();
    for Lost { place, decision: (decision, _), writer } in lost {
        let helps = match place {
            _ if shared.contains(place) => Helps::Always,
            Place::Memory(..) => Helps::IfWritesAreKnown,
            Place::Register(..) => continue,
        };
        let Some(around) = quiet_code(statics, |of| replaces(replaced, *of), wanted, &[*decision]) else { continue };
        let Summarisable::Loop(func, header) = around else { continue };
        let is_written = |l: &Loop| writer.is_some_and(|(by, block)| by == func && l.contains(block));
        let counts = |l: &Loop| l.exits.iter().any(|&(inside, _)| inside == decision.block);
        let all = &statics.control.function(func).loops;
        let is_for_others = |l: &Loop| helps == Helps::Always || counts(l) && !is_written(l);
        if all.headed_by(header).is_some_and(|l| is_for_others(all.get(l))) {
            add(&mut found, around, helps);
        }
    }
    found
}

/// Adds a loop that helps, perhaps more often than known so far.
pub(super) fn add(found: &mut BTreeMap<Summarisable, Helps>, code: Summarisable, helps: Helps) {
    found.entry(code).and_modify(|known| *known = helps.max(*known)).or_insert(helps);
}

/// The lost places in which several threads have the same number for what one of them has decided. What each has
/// decided for itself is the same on this path only.
fn shared(left: &EndState, lost: &[Lost]) -> FxHashSet<Place> {
    let decided: FxHashMap<Place, Decided> = lost.iter().map(|lost| (lost.place, lost.decision)).collect();
    let mut holders: FxHashMap<(Term, Decided), Vec<(u32, Place)>> = FxHashMap::default();
    for &(place, term) in &left.numbers {
        let thread = match place {
            Place::Register(thread, ..) | Place::Memory(Node::Local(thread, ..), ..) => thread,
            Place::Memory(..) => continue,
        };
        if let Some(&by) = decided.get(&place) {
            holders.entry((term, by)).or_default().push((thread, place));
        }
    }
    let are_several = |held: &Vec<(u32, Place)>| held.iter().any(|(thread, _)| *thread != held[0].0);
    holders.into_values().filter(are_several).flatten().map(|(_, place)| place).collect()
}

//! Loops for which something is lost that they would not write.
//!
//! Whether a loop goes round once more is decided, and is no condition of the schedule, so that what the other side may write is not carried
//! on: for an element of an array, points-to analysis says, all of its object. What is known of a loop that is replaced is better, so then
//! that helps ([`Effect::stores`](icsched_symex::abstraction::Effect::stores)).

use std::collections::BTreeSet;

use icsched_ir::Loop;
use icsched_symex::abstraction::Abstractions;
use icsched_symex::shape::Where;

use crate::carried::Lost;
use crate::engine::replaces;
use crate::quiet::{Replaceable, Wanted, quiet_code};
use crate::slice::Statics;

/// The loops that do not synchronise, and were not replaced, for whose number of rounds something is lost that others have written.
pub(super) fn loops(statics: &Statics<'_>, replaced: &Abstractions, lost: &[Lost]) -> BTreeSet<Replaceable> {
    let wanted = Wanted { last_resort: false, activations: usize::MAX };
    let mut found = BTreeSet::new();
    for Lost { decision, writer, .. } in lost.iter().filter(|lost| matches!(lost.place, Where::Memory(..))) {
        let Some(around) = quiet_code(statics, |of| replaces(replaced, *of), wanted, &[*decision]) else { continue };
        let Replaceable::Loop(func, header) = around else { continue };
        let is_written = |l: &Loop| writer.is_some_and(|(by, block)| by == func && l.contains(block));
        let counts = |l: &Loop| l.exits.iter().any(|&(inside, _)| inside == decision.block);
        let all = &statics.control.function(func).loops;
        if all.headed_by(header).is_some_and(|l| counts(all.get(l)) && !is_written(all.get(l))) {
            found.insert(around);
        }
    }
    found
}

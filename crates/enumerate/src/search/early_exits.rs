//! Inputs that leave a path early by ending the process (prefix schedules, Bergan 3.4.1.1).

use icsched_slicing::{Slice, every_decision};
use rustc_hash::FxHashSet;

use super::state::Search;
use crate::budgets::BUDGETS;
use crate::constraint::Conjunction;
use crate::engine::Path;

impl Search<'_, '_> {
    /// The inputs that leave the path early by ending the process; they count as covered.
    ///
    /// The exit's own condition is in terms of what every decision before it led to. So all of them are conditions, and
    /// an exit behind one that is neither in the slice nor an exit itself is left to be found by a path of its own.
    pub(super) fn early_exits(&mut self, path: &Path, slice: &Slice) -> Vec<Conjunction> {
        if slice.early_exits.is_empty() {
            return Vec::new();
        }
        let known: FxHashSet<usize> = slice.decisions.iter().chain(&slice.early_exits).map(|d| d.event).collect();
        let decisions = every_decision(self.statics, &path.trace);
        let exits: FxHashSet<usize> = slice.early_exits.iter().map(|d| d.event).collect();
        let (mut all, mut before, mut asked) = (Vec::new(), Vec::new(), FxHashSet::default());
        for decision in decisions.iter().take_while(|d| known.contains(&d.event)) {
            if !asked.insert(decision.condition) {
                // Asked before and answered the same: no input leaves here.
                continue;
            }
            if exits.contains(&decision.event) {
                let other_side = self.engine.pool().not(decision.condition);
                let conjunction = Conjunction::new(before.iter().copied().chain([other_side]).collect());
                let term = self.engine.pool().and_all(conjunction.conditions());
                self.cover(term);
                self.look_at_exit(decision.point, &conjunction);
                all.push(conjunction);
                if all.len() == BUDGETS.early_exits {
                    break;
                }
            }
            before.push(decision.condition);
        }
        all
    }
}

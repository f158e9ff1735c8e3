//! What goes wrong behind branches that decide no synchronisation.
//!
//! ```c
//! *(c ? &key : NULL) = 7;      /* every schedule is the same for both */
//! ```
//!
//! No slice has such a branch, so that no path of the search needs the other side. Who looks for memory errors has each
//! side of it executed once, in the first epoch.

use icsched_ir::{Origin, ProgramPoint};
use icsched_machine::DecisionKind;
use icsched_schedule::{IncompleteKind, Reason};
use icsched_slicing::{Slice, SliceDecision, every_decision};
use icsched_symbolic::trace::TraceEvent;
use rustc_hash::FxHashSet;

use super::state::Search;
use crate::budgets::BUDGETS;
use crate::constraint::Conjunction;
use crate::engine::Path;

impl Search<'_, '_> {
    /// Executes the other sides of the path's branches that no slice has, if these were not executed before. As much
    /// work as a path for each side of a branch of the program, at most.
    pub(super) fn look_beside(&mut self, path: &Path, slice: &Slice) {
        if !self.options.looks_beside || !self.engine.is_entry() {
            return;
        }
        let mut waiting = self.other_sides(path, slice);
        // Behind a side there are branches that no path of the search comes to.
        while let Some(path) = waiting.pop() {
            waiting.extend(self.other_sides(&path, &Slice::default()));
        }
    }

    /// Paths of the sides beside one path that are new.
    fn other_sides(&mut self, path: &Path, slice: &Slice) -> Vec<Path> {
        let mut found = Vec::new();
        let decisions = every_decision(self.statics, &path.trace);
        let side = |decision: &SliceDecision| match &path.trace.events[decision.event] {
            TraceEvent::Decision { decision: own, .. } if own.kind == DecisionKind::Branch => {
                Some((decision.point, own.taken))
            }
            _ => None,
        };
        self.sides_seen.extend(decisions.iter().filter_map(side));
        let known: FxHashSet<usize> = slice.decisions.iter().chain(&slice.early_exits).map(|d| d.event).collect();
        let mut before = Vec::new();
        for decision in &decisions {
            let other = side(decision).map(|(point, taken)| (point, !taken));
            let is_own = |func| self.statics.program.functions[func].origin == Origin::Program;
            if let Some(other) = other.filter(|(point, _)| !known.contains(&decision.event) && is_own(point.func))
                && self.is_to_be_looked_at(other)
            {
                let other_side = self.engine.pool().not(decision.condition);
                let inputs = Conjunction::new(before.iter().copied().chain([other_side]).collect());
                // Where no input of this path goes there, one of another path may.
                if let Some(path) = self.look_behind(&inputs) {
                    self.sides_seen.insert(other);
                    found.push(path);
                }
            }
            before.push(decision.condition);
        }
        found
    }

    /// Whether a side is new, and was not asked for in vain too often. If there are more sides than are looked at, the
    /// result says so as a reason.
    fn is_to_be_looked_at(&mut self, side: (ProgramPoint, bool)) -> bool {
        if self.sides_seen.contains(&side) {
            return false;
        }
        if self.sides_tried.len() >= BUDGETS.sides_beside && !self.sides_tried.contains_key(&side) {
            let message =
                "memory errors behind some branches that decide no synchronisation were not looked for: there \
                           are too many of them"
                    .to_owned();
            self.reasons.add(Reason { kind: IncompleteKind::Limit, message, at: None });
            return false;
        }
        let tries = self.sides_tried.entry(side).or_insert(0);
        *tries += 1;
        *tries <= BUDGETS.tries_of_side
    }
}

//! From what the search of an epoch has found to its result.

use icsched_schedule::{
    EpochId, EpochResult, NamedInput, PossibleError, ScheduleEnd, ScheduleId, SearchedWith, ThreadContext,
};
use icsched_slicing::QuietEnds;
use icsched_smt::Answer;
use rustc_hash::{FxHashMap, FxHashSet};

use super::state::{Found, Search};
use crate::constraint::Disjunction;
use crate::tree::Flat;

impl Search<'_, '_> {
    /// Loops that were cut while inputs behind the cut remain uncovered.
    fn report_cut(&mut self) {
        let mut reported = FxHashSet::default();
        for (constraint, point) in std::mem::take(&mut self.cut) {
            // Without time to ask, the inputs behind the cut count as uncovered.
            let covered = |search: &mut Self| !search.engine.is_stopped() && search.is_covered(&constraint);
            if reported.contains(&point) || covered(self) {
                continue;
            }
            reported.insert(point);
            self.reasons.add_loop(self.statics, point, self.options.loop_bound);
        }
    }

    /// What was found, for others.
    pub(crate) fn finish(&mut self, id: EpochId, contexts: Vec<ThreadContext>) -> EpochResult {
        self.report_cut();
        self.check_cover();
        if self.options.quiet_ends != QuietEnds::None {
            self.drop_prefixes();
        }
        let (mut early, none) = (Disjunction::default(), Disjunction::default());
        for found in self.found.values_mut() {
            early.add_all(&found.early_exits);
            early.add_all(&found.failures);
            // Who ends the process on the way may do so with another status.
            if let ScheduleEnd::Exit { status } = &mut found.schedule.1 {
                *status = status.filter(|_| found.early_exits.disjuncts().is_empty());
            }
        }
        let behind: FxHashMap<ScheduleId, Option<usize>> =
            self.found.iter().map(|(&id, found)| (id, found.after_error)).collect();
        let (mut tree, conditions) = match if self.options.trees { self.tree() } else { Err(Flat::Known) } {
            Ok(found) => found,
            Err(why) => {
                if why != Flat::Known {
                    tracing::info!(epoch = %id.key(), ?why, "what becomes known later counts as known at the start");
                }
                self.flat()
            }
        };
        tree.set_after_errors(|schedule| behind.get(&schedule.id).copied().flatten());
        let early_exits = self.early_exits_beside(&early, &conditions);
        if conditions.is_empty() && early_exits.is_none() {
            self.reasons.add_nothing_found();
        }
        let mut errors = Vec::new();
        for ((message, at, is_open), when) in std::mem::take(&mut self.errors) {
            let condition = self.condition(when, &none);
            errors.push(PossibleError { message, at, constraint: self.engine.describe(condition), is_open });
        }
        let parts = tree.parts().into_iter().map(|(_, schedule)| &schedule.constraint);
        let told: Vec<&str> =
            parts.chain(&early_exits).chain(errors.iter().map(|e| &e.constraint)).map(|told| &*told.c).collect();
        let inputs = self.engine.inputs(&contexts, |name| told.iter().any(|text| NamedInput::is_in(name, text)));
        EpochResult {
            id,
            contexts,
            tree,
            early_exits,
            reasons: std::mem::take(&mut self.reasons).into_sorted(),
            errors,
            inputs,
            infeasible_removed: 0,
            max_live_threads: self.max_live_threads,
            assumed: self.relied.assumed(self.statics, self.analyses.map(|a| a.termination)),
            searched_with: SearchedWith::default(),
        }
    }

    /// A schedule that ends with the process is not needed if a longer one begins with it (prefix schedules,
    /// 3.4.1.1): when its inputs can follow the longer one, or when no other thread is alive at its end that could
    /// tell the two apart, or when it ends with an error of which nobody knows whether an input causes it. Its inputs
    /// then end the longer one early.
    fn drop_prefixes(&mut self) {
        let ids: Vec<ScheduleId> = self.found.keys().copied().collect();
        for short in ids {
            let Found { schedule: (graph, ends), covers, early_exits, failures, alone, is_open, .. } =
                &self.found[&short];
            if !self.may_be_prefix(ends) {
                continue;
            }
            let fails = matches!(ends, ScheduleEnd::Abort { .. });
            let (graph, ends, covers, exits) = (graph.clone(), ends.clone(), covers.clone(), early_exits.clone());
            let (alone, is_open, failures) = (*alone, *is_open, failures.clone());
            let longer: Vec<ScheduleId> = self
                .found
                .iter()
                .filter(|(_, f)| !f.schedule.0.is_same(&graph) && graph.is_prefix_of(&f.schedule.0))
                .map(|(id, _)| *id)
                .collect();
            for long in longer {
                if alone || is_open || self.implies(&covers, long) {
                    if let ScheduleEnd::MemoryError { message, at } = self.found[&short].schedule.1.clone() {
                        self.errors.entry((message, at, is_open)).or_default().add_all(&covers);
                    }
                    let found = self.found.get_mut(&long).expect("just listed");
                    found.schedule.0.add_places(&graph);
                    if !matches!(ends, ScheduleEnd::MemoryError { .. }) {
                        found.schedule.1.is_also(&ends);
                    }
                    found.early_exits.add_all(&exits);
                    found.failures.add_all(&failures);
                    if alone || is_open {
                        let ways_out = if fails { &mut found.failures } else { &mut found.early_exits };
                        ways_out.add_all(&covers);
                    }
                    self.found.shift_remove(&short);
                    break;
                }
            }
        }
    }

    fn implies(&mut self, covers: &Disjunction, schedule: ScheduleId) -> bool {
        if self.engine.is_late() {
            return false;
        }
        let inputs = covers.term(self.engine.pool());
        let other = self.found[&schedule].covers.term(self.engine.pool());
        let outside = self.engine.pool().not(other);
        self.engine.check(&[inputs], outside) == Answer::Unsat
    }
}

//! `SearchInEpoch` (Bergan 3.3.2, figure 3.4): the input-covering schedules of one epoch.
//!
//! A worklist of input constraints, starting with `true`. Each is executed along one path; the path's precondition
//! slice gives the constraint under which its schedule can be followed, and for each condition in it the inputs on the
//! other side become a new constraint, unless some schedule covers them already.
//!
//! Deviations from the paper:
//!
//! - Paths with the same happens-before graph and end are one schedule, whose constraint is the disjunction.
//! - "Not yet covered" is a solver query against everything found so far, asked again when a constraint is taken up.
//! - The worklist is a queue: with a limit, the schedules with the fewest decisions are found.
//! - A loop whose condition was taken both ways [`SearchOptions::loop_bound`] times on one path is not followed
//!   further; if inputs remain behind it, that is a reason for incompleteness.

mod assumptions;
mod early_ends;
mod early_exits;
mod end_facts;
mod end_kinds;
mod expand;
mod finish;
mod loops_relied_on;
mod path_ends;
mod path_to_schedule;
mod quiet_branches;
mod schedule_set;
mod state;

use std::cmp::Reverse;
use std::sync::Arc;
use std::thread;

use icsched_epochs::SearchOptions;
use icsched_epochs::summarisable::{Helps, Summarisable};
use icsched_ir::CallStack;
use icsched_smt::Term;
use icsched_symbolic::request::Activity;

pub(crate) use self::state::Search;

use self::end_facts::Endings;
use self::path_to_schedule::TellEnding;
use crate::budgets::BUDGETS;
use crate::engine::{self, Path};
use crate::next_summary::Wanted;
use crate::restart::Restart;

impl Search<'_, '_> {
    /// Explores until every input is covered or a limit is reached. `none_ended`: no thread has at the beginning.
    pub(crate) fn explore(&mut self, none_ended: bool) -> Result<(), Restart> {
        self.none_ended = none_ended;
        let slots = Arc::clone(&self.slots);
        let Some(analyses) = self.analyses else {
            let explored = self.follow_paths(&mut |_, _| {});
            return explored.or_else(|restart| self.keep_at_the_end(restart));
        };
        let endings = Endings::new(self.statics, analyses, &slots, (self.options, self.engine.replaced()));
        let explored = thread::scope(|scope| {
            let explored = self.follow_paths(&mut |ending, questions| endings.add(scope, ending, questions));
            let explored = explored.or_else(|restart| self.keep_at_the_end(restart));
            match explored {
                Ok(()) => {
                    self.engine.begin(Activity::Ends);
                    endings.prepare_beginnings();
                    endings.work_off();
                }
                Err(_) => endings.give_up(),
            }
            explored
        });
        // Of an epoch that is searched again it is chance what was asked.
        if explored.is_ok() {
            self.engine.be_patient();
            let (successors, lost, solver) = endings.into_successors();
            (self.successors, self.lost) = (successors, lost);
            self.behind.add(&solver);
        }
        explored
    }

    fn follow_paths(&mut self, end: TellEnding<'_>) -> Result<(), Restart> {
        while let Some(constraint) = self.worklist.pop_front() {
            if let Some(reason) = self.engine.stop_reason() {
                self.reasons.add(reason);
                break;
            }
            if self.is_covered(&constraint) {
                continue;
            }
            if let Some(reason) = self.stopped() {
                if self.engine.followed().is_everything_in_all_ways() && !self.engine.is_stopped() {
                    return Err(Restart::PassFewerMarkers);
                }
                self.reasons.add(reason);
                break;
            }
            self.paths += 1;
            self.engine.begin(Activity::Path(self.paths));
            let path = self.execute(constraint.conditions()).map_err(|restart| self.engine.instead_of(restart))?;
            tracing::info!(path = self.paths, waiting = self.worklist.len(), schedules = self.found.len(), "path");
            self.engine.begin(Activity::Slicing(self.paths));
            if engine::is_feasible(&path) {
                self.take(path, &constraint, end);
            } else {
                self.exclude(&path, &constraint);
            }
            self.progress.path(self.paths, self.worklist.len(), self.found.len());
            if let Some(wanted) = self.wanted {
                return Err(self.engine.instead_of(Restart::Summarise(vec![wanted])));
            }
            if self.follows_less || self.engine.has_many_ways(self.paths, self.cut.is_empty()) {
                return Err(Restart::PassFewerMarkers);
            }
            if self.has_too_many_objects() {
                return Err(Restart::LeaveObjectsOpen);
            }
            if let Some(wanted) = self.code_of_many_paths() {
                return Err(self.engine.instead_of(Restart::Summarise(vec![wanted])));
            }
        }
        Ok(())
    }

    /// Executes a path. It begins anew where the solver gives up, and goes on there if nothing can be done about it.
    fn execute(&mut self, constraint: &[Term]) -> Result<Path, Restart> {
        let mut decided = self.options.abstraction;
        loop {
            let path = self.engine.execute(self.statics, constraint, decided);
            if let Some(wanted) = self.engine.take_wanted() {
                return Err(wanted);
            }
            let given_up = self.engine.given_up(&path);
            if !decided || given_up.is_empty() || self.engine.is_stopped() {
                return Ok(path);
            }
            // What a loop is left with is easier to reason about than what it has done.
            let wanted = Wanted { last_resort: true, activations: 2 };
            let innermost_first = |stack: &CallStack| stack.0.iter().rev().copied().collect::<Vec<_>>();
            if let Some(found) =
                given_up.iter().find_map(|stack| self.innermost_summarisable(wanted, &innermost_first(stack)))
            {
                return Err(Restart::Summarise(vec![found]));
            }
            decided = self.engine.go_on_at(given_up);
        }
    }

    /// Whether there are so many schedules that it is better to leave open which objects they synchronise on.
    fn has_too_many_objects(&self) -> bool {
        let SearchOptions { conservative, conservative_after: most, .. } = *self.options;
        let many = self.found.len() > most || self.paths > BUDGETS.paths_per_schedule * most as u64;
        conservative && self.chose_objects && many && self.engine.decides_objects()
    }

    /// Where most conditions were decided, if most paths lead to schedules that were known: what a loop without
    /// synchronisation has computed matters for them, but not how.
    fn code_of_many_paths(&self) -> Option<Summarisable> {
        let many = self.paths >= BUDGETS.many_paths.max(BUDGETS.many_paths_per_schedule * self.found.len() as u64);
        let most = || self.decided_in.iter().max_by_key(|(at, n)| (**n, Reverse(**at))).map(|(&at, _)| at);
        if many { most() } else { None }
    }

    /// At the end of a run there is no time to begin anew, and what was found is the result. That something had better
    /// be replaced may be because the solver was interrupted.
    fn keep_at_the_end(&mut self, restart: Restart) -> Result<(), Restart> {
        let reason = self.engine.stop_reason().ok_or(restart)?;
        self.reasons.add(reason);
        Ok(())
    }

    /// Searches again if something is lost for loops that may not write it, or that threads have the same of something:
    /// as far as it `helps` to replace them.
    pub(crate) fn keeps_facts(&self, helps: impl Fn(Summarisable, Helps) -> bool) -> Result<(), Restart> {
        let wanted: Vec<Summarisable> =
            self.lost.iter().filter(|&(&code, &when)| helps(code, when)).map(|(&code, _)| code).collect();
        // There has to be time for it.
        match self.options.abstraction && !wanted.is_empty() && !self.is_cut() {
            true => Err(self.engine.instead_of(Restart::Summarise(wanted))),
            false => Ok(()),
        }
    }
}

//! Relative locksets of functions (Bergan 2.5.4, after RELAY), callees first.
//!
//! Functions that call one another are solved to a fixpoint. Only what may acquire or release anything is looked at.

use std::rc::Rc;

use icsched_ir::IdVec;
use icsched_pointsto::InstanceId;

use super::lattice::Locks;
use super::solver::{LockSolver, LockSummaries, LockSummary};
use crate::budgets::BUDGETS;
use crate::code::returned;
use crate::place::Frames;
use crate::reaching::facts::Entry;
use crate::reaching::solved::Reaching;
use crate::reaching::solver::Solution;
use crate::reaching::summary::CallSummary;
use crate::symbol::Symbol;

/// What locks threads may hold, as far as it has been found.
pub(crate) struct Locksets {
    pub(super) summaries: LockSummaries,
    /// What may be held when an instance starts, where that was asked.
    pub(super) entries: IdVec<InstanceId, Option<Locks>>,
}

impl Locksets {
    /// Nothing solved yet, for a program with this many instances.
    pub(crate) fn new(instances: usize) -> Self {
        Self { summaries: IdVec::filled(LockSummary::NotComputed, instances), entries: IdVec::filled(None, instances) }
    }

    /// A solver of the locks of a function whose registers are solved.
    pub(super) fn solver<'a, 'm, 'p>(
        &'a self,
        reaching: &'a mut Reaching<'m, 'p>,
        solution: &Solution,
    ) -> LockSolver<'a, 'm, 'p> {
        LockSolver { solver: reaching.resume(solution), summaries: &self.summaries }
    }

    /// Makes known what the calls that some instances make do to locks. Their summaries of memory are known.
    pub(crate) fn summarise_locks(&mut self, reaching: &mut Reaching<'_, '_>, of: &[InstanceId]) {
        let called: Vec<InstanceId> = of.iter().flat_map(|&i| reaching.view.icfg.edges(i)).map(|e| e.to).collect();
        let needed = reaching.view.icfg.called_from(called);
        let is_missing = |c: &&Vec<InstanceId>| {
            let is_needed = |&i: &InstanceId| needed[i] && reaching.view.interference.uses_locks(i);
            c.iter().any(is_needed) && matches!(self.summaries[c[0]], LockSummary::NotComputed)
        };
        let components: Vec<Vec<InstanceId>> =
            reaching.view.icfg.components().iter().filter(is_missing).cloned().collect();
        for component in components {
            self.summarise_component(reaching, &component);
        }
    }

    fn summarise_component(&mut self, reaching: &mut Reaching<'_, '_>, component: &[InstanceId]) {
        for &instance in component {
            self.summaries[instance] = LockSummary::NeverReturns;
        }
        let mut rounds = 0;
        loop {
            let mut changed = false;
            for &instance in component {
                let Some(mut new) = self.lock_summary(reaching, instance) else { continue };
                if rounds >= BUDGETS.lock_named_rounds {
                    new.rename(|_| true);
                }
                let more = match &self.summaries[instance] {
                    LockSummary::Returns(old) => {
                        let mut both = (**old).clone();
                        let more = both.join(&new);
                        new = both;
                        more
                    }
                    LockSummary::NotComputed | LockSummary::NeverReturns => true,
                };
                if more {
                    changed = true;
                    self.summaries[instance] = LockSummary::Returns(Rc::new(new));
                }
            }
            rounds += 1;
            if reaching.view.is_to_end() {
                return;
            }
            if !changed
                || component.len() == 1 && reaching.view.icfg.edges(component[0]).iter().all(|e| e.to != component[0])
            {
                return;
            }
        }
    }

    /// What a call of an instance does, over its parameters; `None` if it does not return.
    fn lock_summary(&mut self, reaching: &mut Reaching<'_, '_>, instance: InstanceId) -> Option<Locks> {
        let solution = reaching.solve(Frames::Summary(instance), &Entry::default());
        let mut solver = self.solver(reaching, &solution);
        let inputs = solver.locks(&Locks::default());
        let function = solver.solver.function;
        let mut all: Option<Locks> = None;
        for (block, body) in function.blocks.iter() {
            if returned(&body.terminator).is_none() {
                continue;
            }
            let Some(locks) = solver.locks_before(&inputs, block, body.insts.len()) else { continue };
            match &mut all {
                None => all = Some(locks),
                Some(all) => {
                    all.join(&locks);
                }
            }
        }
        let mut all = all?;
        let returned = match &reaching.summaries[instance] {
            CallSummary::Returns(summary) => summary.results.clone(),
            CallSummary::NeverReturns | CallSummary::NotComputed => Vec::new(),
        };
        let pool = &reaching.view.pool;
        let returned: Vec<Symbol> = returned.iter().flatten().filter_map(|&e| pool.as_symbol(e)).collect();
        let is_param = |s: &Symbol| s.own_register().is_some_and(|value| function.params.contains(&value));
        let is_seen = |s: &Symbol| is_param(s) || returned.contains(s);
        all.rename(|e| !pool.symbols(e).iter().all(is_seen));
        Some(all)
    }
}

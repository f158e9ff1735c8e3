//! Function summaries (Bergan 2.6.2): what holds when a call has returned, in terms of its arguments.
//!
//! Computed callees first. Functions that call one another all start as "never returns", and are solved again until
//! nothing changes. A summary keeps what mentions parameters, globals and what is returned. Of other registers of the
//! callee, a few that several facts mention keep a name ([`Symbol::inside`]).

use std::collections::BTreeMap;
use std::rc::Rc;

use icsched_ir::Op;
use icsched_pointsto::InstanceId;

use super::facts::Entry;
use super::solved::Reaching;
use super::summary::{CallSummary, Summary};
use crate::budgets::BUDGETS;
use crate::expr::{ExprId, ExprPool};
use crate::place::{Base, Frames, Place};
use crate::symbol::Symbol;

impl Reaching<'_, '_> {
    /// Summarises everything that some instances call.
    pub(crate) fn summarise_callees(&mut self, of: &[InstanceId]) {
        let called: Vec<InstanceId> = of.iter().flat_map(|&i| self.view.icfg.edges(i)).map(|e| e.to).collect();
        let needed = self.view.icfg.called_from(called);
        let is_missing = |c: &&Vec<InstanceId>| {
            c.iter().any(|&i| needed[i]) && matches!(self.summaries[c[0]], CallSummary::NotComputed)
        };
        let components: Vec<Vec<InstanceId>> = self.view.icfg.components().iter().filter(is_missing).cloned().collect();
        for component in components {
            self.summarise(&component);
        }
    }

    fn summarise(&mut self, component: &[InstanceId]) {
        for &instance in component {
            self.summaries[instance] = CallSummary::NeverReturns;
        }
        let calls_itself =
            component.len() > 1 || self.view.icfg.edges(component[0]).iter().any(|e| e.to == component[0]);
        let mut rounds = 0;
        loop {
            let mut changed = false;
            for &instance in component {
                let mut new = self.summary_of(instance);
                let old = match &self.summaries[instance] {
                    CallSummary::Returns(old) => Some(old),
                    CallSummary::NotComputed | CallSummary::NeverReturns => None,
                };
                if let (true, Some(new), Some(old)) = (rounds >= BUDGETS.summary_free_rounds, &mut new, old) {
                    new.join(old);
                }
                if new.as_ref() != old.map(|old| &**old) {
                    changed = true;
                    let never = CallSummary::NeverReturns;
                    self.summaries[instance] = new.map_or(never, |new| CallSummary::Returns(Rc::new(new)));
                }
            }
            rounds += 1;
            if !changed || !calls_itself || self.view.is_to_end() {
                return;
            }
        }
    }

    /// Solves one instance; `None` if it does not return.
    fn summary_of(&mut self, instance: InstanceId) -> Option<Summary> {
        let frames = Frames::Summary(instance);
        let solution = self.solve(frames, &Entry::default());
        let exits = self.resume(&solution).exits();
        let mut exits = exits.into_iter();
        let (facts, results) = exits.next()?;
        let mut summary = Summary { results, facts };
        for (facts, results) in exits {
            summary.join(&Summary { results, facts });
        }
        self.close(instance, &mut summary);
        Some(summary)
    }

    /// Drops what mentions registers that have no name in the caller.
    ///
    /// Parameters and what is returned have one. Others are given one where that says something: several facts mention
    /// the register.
    fn close(&mut self, instance: InstanceId, summary: &mut Summary) {
        let func = self.view.points_to.instances()[instance].func;
        let function = &self.view.program.functions[func];
        let structure = self.view.structure(func);
        // A local that is returned is gone.
        let is_local = |s: &Symbol| {
            let inst = s.own_register().and_then(|v| structure.inst(function, v));
            matches!(inst.map(|i| &i.op), Some(Op::Alloca { .. }))
        };
        let pool = &self.view.pool;
        let returned: Vec<Symbol> =
            summary.results.iter().flatten().filter_map(|&e| pool.as_symbol(e)).filter(|s| !is_local(s)).collect();
        let is_seen =
            |s: &Symbol| s.own_register().is_some_and(|value| function.params.contains(&value)) || returned.contains(s);
        let lasts = |s: &Symbol| is_seen(s) || !is_local(s) && pool.call_depth(*s) < BUDGETS.summary_calls;
        for value in &mut summary.results {
            *value = value.filter(|&e| pool.symbols(e).iter().all(lasts));
        }
        summary.facts.retain(|place, fact| mentioned(pool, place, fact.value).all(|s| lasts(&s)));
        loop {
            let mut mentions: BTreeMap<Symbol, u32> = BTreeMap::new();
            let results = summary.results.iter().flatten().flat_map(|&e| pool.symbols(e).iter().copied());
            let places = summary.facts.iter().flat_map(|(place, fact)| mentioned(pool, place, fact.value));
            for symbol in results.chain(places).filter(|s| !is_seen(s)) {
                *mentions.entry(symbol).or_default() += 1;
            }
            let useful = mentions.iter().filter(|(_, count)| **count > 1).map(|(&symbol, _)| symbol);
            let named: Vec<Symbol> = useful.take(BUDGETS.summary_names).collect();
            if named.len() == mentions.len() {
                return;
            }
            let has_name = |s: &Symbol| is_seen(s) || named.contains(s);
            for value in &mut summary.results {
                *value = value.filter(|&e| pool.symbols(e).iter().all(has_name));
            }
            summary.facts.retain(|place, fact| mentioned(pool, place, fact.value).all(|s| has_name(&s)));
        }
    }
}

/// The registers that a fact mentions.
fn mentioned<'a>(pool: &'a ExprPool, place: &Place, value: ExprId) -> impl Iterator<Item = Symbol> + use<'a> {
    let base = match place.base {
        Base::Global(_) => None,
        Base::Symbol(symbol) => Some(symbol),
    };
    base.into_iter().chain(pool.symbols(value).iter().copied())
}

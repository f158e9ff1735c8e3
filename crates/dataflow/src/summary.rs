//! Function summaries (Bergan 2.6.2): what holds when a call has returned, in terms of its arguments.
//!
//! Computed callees first; where functions call one another, all of them start as "never returns" and are solved again until
//! nothing changes. A summary keeps what mentions parameters, globals and what is returned: everything else was in
//! registers that are gone.

use std::rc::Rc;

use icsched_ir::{BlockId, Callee, Function, Inst, Op, Operand, Origin, ProgramPoint, ValueId};
use icsched_pointsto::InstanceId;

use crate::analysis::{Analysis, Known};
use crate::expr::{ExprId, ExprPool, SUMMARISED, Symbol};
use crate::facts::Facts;
use crate::function::{Entry, Solver};
use crate::icfg::{self, point};
use crate::place::{Base, Frames, Place, address};

/// Rounds over functions that call one another in which summaries may change instead of only losing facts.
const FREE_ROUNDS: u32 = 4;

/// What holds when a function has returned. Symbols are parameters of it, and registers that it returns.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Summary {
    pub(crate) results: Vec<Option<ExprId>>,
    facts: Facts,
}

impl Summary {
    fn meet(&mut self, other: &Summary) {
        self.facts.meet(&other.facts);
        for (value, other) in self.results.iter_mut().zip(&other.results) {
            *value = value.filter(|_| *value == *other);
        }
    }
}

/// What a call is known to do, in terms of the caller.
struct Applied {
    /// `None`: not known, or the result's own symbol.
    results: Vec<Option<ExprId>>,
    places: Vec<(Place, ExprId)>,
}

impl Applied {
    fn meet(&mut self, other: &Applied) {
        for (value, other) in self.results.iter_mut().zip(&other.results) {
            *value = value.filter(|_| *value == *other);
        }
        self.places.retain(|known| other.places.contains(known));
    }
}

impl Analysis<'_, '_> {
    /// Summarises everything that some instances call.
    pub(crate) fn summarise_callees(&mut self, of: &[InstanceId]) {
        let called: Vec<InstanceId> = of.iter().flat_map(|&i| self.icfg.edges(i)).map(|e| e.to).collect();
        let needed = self.icfg.called_from(called);
        let is_missing =
            |c: &&Vec<InstanceId>| c.iter().any(|&i| needed[i]) && matches!(self.summaries[c[0]], Known::No);
        let components: Vec<Vec<InstanceId>> = self.icfg.components().iter().filter(is_missing).cloned().collect();
        for component in components {
            self.summarise(&component);
        }
    }

    fn summarise(&mut self, component: &[InstanceId]) {
        for &instance in component {
            self.summaries[instance] = Known::Yes(None);
        }
        let calls_itself = component.len() > 1 || self.icfg.edges(component[0]).iter().any(|e| e.to == component[0]);
        let mut rounds = 0;
        loop {
            let mut changed = false;
            for &instance in component {
                let mut new = self.summary_of(instance);
                let Known::Yes(old) = &self.summaries[instance] else { continue };
                if let (true, Some(new), Some(old)) = (rounds >= FREE_ROUNDS, &mut new, old) {
                    new.meet(old);
                }
                if new.as_ref() != old.as_deref() {
                    changed = true;
                    self.summaries[instance] = Known::Yes(new.map(Rc::new));
                }
            }
            rounds += 1;
            if !changed || !calls_itself || self.is_to_end() {
                return;
            }
        }
    }

    /// Solves one instance; `None` if it does not return.
    fn summary_of(&mut self, instance: InstanceId) -> Option<Summary> {
        let frames = Frames::Summary(instance);
        let solution = Solver::new(self, frames).solve(&Entry::default());
        let exits = Solver::resume(self, &solution).exits();
        let mut exits = exits.into_iter();
        let (facts, results) = exits.next()?;
        let mut summary = Summary { results, facts };
        for (facts, results) in exits {
            summary.meet(&Summary { results, facts });
        }
        self.close(instance, &mut summary);
        Some(summary)
    }

    /// Drops what mentions registers that nobody sees any more.
    fn close(&mut self, instance: InstanceId, summary: &mut Summary) {
        let func = self.points_to.instances()[instance].func;
        let function = &self.program.functions[func];
        let structure = self.structure(func);
        // A local that is returned is gone.
        let is_local = |v: ValueId| matches!(structure.inst(function, v).map(|i| &i.op), Some(Op::Alloca { .. }));
        let pool = &self.pool;
        let returned: Vec<Symbol> = summary
            .results
            .iter()
            .flatten()
            .filter_map(|&e| pool.as_symbol(e))
            .filter(|s| !is_local(s.value))
            .collect();
        let is_seen = |s: &Symbol| function.params.contains(&s.value) || returned.contains(s);
        let is_closed = |e: ExprId| pool.symbols(e).iter().all(is_seen);
        for value in &mut summary.results {
            *value = value.filter(|&e| is_closed(e));
        }
        summary.facts.retain(|place, fact| {
            let base = match place.base {
                Base::Global(_) => true,
                Base::Symbol(symbol) => is_seen(&symbol),
            };
            base && is_closed(fact.value)
        });
    }
}

impl Solver<'_, '_, '_> {
    /// Executes a call of a function by its summary; whether it may return.
    pub(crate) fn call(
        &mut self,
        block: BlockId,
        index: usize,
        inst: &Inst,
        (callee, args): (&Callee, &[Operand]),
        facts: &mut Facts,
    ) -> bool {
        let at = point(self.analysis.points_to.instances()[self.instance].func, block, index);
        let (program, points_to) = (self.analysis.program, self.analysis.points_to);
        let targets = icfg::callees(program, points_to, self.instance, at, callee);
        let applied = if targets.others { None } else { self.apply_all(&targets.instances, inst, args) };
        if let Some(None) = applied {
            return false;
        }
        self.disturb(block, index, inst, facts);
        if self.lets_in(at, &targets) {
            facts.retain(|_, fact| fact.reach.conflict_free);
        }
        let strays = targets.instances.iter().any(|&i| self.analysis.interference.may_stray(i));
        if strays || targets.instances.is_empty() && matches!(callee, Callee::Indirect(_)) {
            facts.clear();
        }
        let returns_twice = targets.instances.iter().any(|&i| self.analysis.interference.may_return_twice(i));
        let enters_model = self.enters_model(at, &targets);
        match applied.flatten().filter(|_| !returns_twice) {
            Some(applied) => self.take(inst, applied, enters_model, facts),
            None => {
                inst.results.iter().for_each(|&result| self.set(result, None));
                if returns_twice {
                    facts.clear();
                }
            }
        }
        true
    }

    /// Whether other threads may change during a call what this one has accessed. Where nothing protects models but that they are not
    /// interrupted, they may whenever others run.
    fn lets_in(&mut self, at: ProgramPoint, targets: &icfg::Callees) -> bool {
        let in_model = self.analysis.program.functions[at.func].origin == Origin::Model;
        let interference = &self.analysis.interference;
        let is_known = !targets.others && !in_model;
        let lets = |&i: &InstanceId| if is_known { interference.lets_in(i) } else { interference.may_switch(i) };
        targets.instances.iter().any(lets) || !is_known && self.analysis.region(self.instance, at).synchronises
    }

    /// Whether a call goes from the program into a model.
    fn enters_model(&self, at: ProgramPoint, targets: &icfg::Callees) -> bool {
        let (program, instances) = (self.analysis.program, self.analysis.points_to.instances());
        let is_model = |f: &Function| f.origin == Origin::Model;
        !is_model(&program.functions[at.func])
            && targets.instances.iter().any(|&i| is_model(&program.functions[instances[i].func]))
    }

    /// What holds behind the call of any of some instances. The inner `None`: none of them returns. The outer one: not known.
    #[allow(clippy::option_option, reason = "two different kinds of nothing, told apart by the one caller")]
    fn apply_all(&mut self, instances: &[InstanceId], inst: &Inst, args: &[Operand]) -> Option<Option<Applied>> {
        let mut all: Option<Applied> = None;
        for &instance in instances {
            let summary = match &self.analysis.summaries[instance] {
                Known::No => return None,
                Known::Yes(None) => continue,
                Known::Yes(Some(summary)) => Rc::clone(summary),
            };
            let applied = self.apply(instance, &summary, inst, args);
            match &mut all {
                None => all = Some(applied),
                Some(all) => all.meet(&applied),
            }
        }
        Some(all)
    }

    /// A summary in terms of the caller's registers.
    fn apply(&mut self, instance: InstanceId, summary: &Summary, inst: &Inst, args: &[Operand]) -> Applied {
        let func = self.analysis.points_to.instances()[instance].func;
        let function = &self.analysis.program.functions[func];
        let mut map: Vec<(Symbol, ExprId, Option<Base>)> = Vec::new();
        for (&param, &arg) in function.params.iter().zip(args) {
            let symbol = Symbol { frame: SUMMARISED, value: param };
            let own = arg.value().map(|value| Base::Symbol(Symbol { frame: self.frame, value }));
            if let Some(e) =
                self.operand(arg).filter(|&e| self.analysis.pool.width(e) == function.values[param].ty.bits())
            {
                map.push((symbol, e, own));
            }
        }
        for (&result, &value) in inst.results.iter().zip(&summary.results) {
            let returned = value.and_then(|e| self.analysis.pool.as_symbol(e));
            if let Some(symbol) = returned.filter(|s| map.iter().all(|m| m.0 != *s)) {
                let is_param = function.params.contains(&symbol.value);
                let e = self.symbol(result);
                if !is_param && self.function.values[result].ty.bits() == function.values[symbol.value].ty.bits() {
                    map.push((symbol, e, None));
                }
            }
        }
        let pool = &mut self.analysis.pool;
        let results = summary.results.iter().map(|&value| substitute(pool, value?, &map)).collect();
        let mut places = Vec::new();
        for (place, fact) in summary.facts.iter() {
            let Some(value) = substitute(pool, fact.value, &map) else { continue };
            let base = match place.base {
                Base::Global(_) => Some((place.base, 0)),
                Base::Symbol(symbol) => map
                    .iter()
                    .find(|m| m.0 == symbol)
                    .and_then(|&(_, e, own)| address(pool, e).or_else(|| own.map(|base| (base, 0)))),
            };
            if let Some((base, offset)) = base {
                places.push((Place { base, offset: place.offset.wrapping_add(offset), ..*place }, value));
            }
        }
        Applied { results, places }
    }

    /// Takes over what a call makes known. Of shared places a model tells the program nothing.
    fn take(&mut self, inst: &Inst, applied: Applied, from_model: bool, facts: &mut Facts) {
        for (at, &result) in inst.results.iter().enumerate() {
            let width = self.function.values[result].ty.bits();
            let value = applied.results.get(at).copied().flatten().filter(|&e| self.analysis.pool.width(e) == width);
            // A place that was read and returned, and that the call left alone, tells what it returned.
            let own = self.symbol(result);
            let read = applied.places.iter().filter(|(_, v)| *v == own && value == Some(own));
            let known = read.filter_map(|(place, _)| facts.get(*place)).map(|fact| fact.value).next();
            self.set(result, known.or(value));
        }
        for (place, value) in applied.places {
            // Two places of the callee can be one of the caller's, seen through two arguments.
            let value = match self.analysis.pool.as_symbol(value).filter(|s| s.frame == self.frame) {
                Some(symbol) => self.register(symbol.value),
                None => value,
            };
            let reach = self.analysis.places.reach(&self.frames, place);
            if !from_model || reach.is_some_and(|r| r.conflict_free) {
                self.analysis.define(facts, &self.frames, place, value);
            }
        }
    }
}

fn substitute(pool: &mut ExprPool, e: ExprId, map: &[(Symbol, ExprId, Option<Base>)]) -> Option<ExprId> {
    pool.substitute(e, &|symbol| map.iter().find(|m| m.0 == symbol).map(|m| m.1))
}

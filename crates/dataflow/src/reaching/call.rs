//! Calls of functions, by what their [summaries](super::summary) say (Bergan 2.6.2).

use std::collections::BTreeSet;
use std::rc::Rc;

use icsched_ir::{BlockId, Callee, FuncId, Function, Inst, Operand, Origin, ProgramPoint};
use icsched_pointsto::InstanceId;

use super::facts::Facts;
use super::solver::Solver;
use super::summary::{CallSummary, Summary};
use crate::budgets::BUDGETS;
use crate::code::point;
use crate::expr::{ExprId, ExprPool};
use crate::icfg;
use crate::place::{Base, Place, address};
use crate::symbol::{SUMMARISED, Symbol};

/// Width of an address.
const ADDRESS_BITS: u32 = 64;

/// What registers of a callee are for its caller, and where one is an argument, the place that it points to if nothing
/// better is known.
type Names = Vec<(Symbol, ExprId, Option<Base>)>;

/// What a call is known to do, in terms of the caller.
struct Applied {
    /// `None`: not known, or the result's own symbol.
    results: Vec<Option<ExprId>>,
    places: Vec<(Place, ExprId)>,
}

impl Applied {
    fn join(&mut self, other: &Applied) {
        for (value, other) in self.results.iter_mut().zip(&other.results) {
            *value = value.filter(|_| *value == *other);
        }
        self.places.retain(|known| other.places.contains(known));
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
        let at = point(self.view.points_to.instances()[self.instance].func, block, index);
        let (program, points_to) = (self.view.program, self.view.points_to);
        let targets = icfg::callees(program, points_to, self.instance, at, callee);
        let never_returns = |&i: &InstanceId| matches!(self.summaries[i], CallSummary::NeverReturns);
        if !targets.others && targets.instances.iter().all(never_returns) {
            return false;
        }
        self.kill(block, index, inst, facts);
        if self.lets_in(at, &targets) {
            facts.retain(|_, fact| fact.reach.conflict_free);
        }
        let strays = targets.instances.iter().any(|&i| self.view.interference.may_stray(i));
        if strays || targets.instances.is_empty() && matches!(callee, Callee::Indirect(_)) {
            facts.clear();
        }
        let returns_twice = targets.instances.iter().any(|&i| self.view.interference.may_return_twice(i));
        let enters_model = self.enters_model(at, &targets);
        let is_known = !targets.others && !returns_twice;
        let applied = is_known.then(|| self.apply_all(&targets.instances, (at, inst, args), facts)).flatten();
        match applied {
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

    /// Whether other threads may change during a call what this one has accessed. Where nothing protects models but
    /// that they are not interrupted, they may whenever others run.
    fn lets_in(&mut self, at: ProgramPoint, targets: &icfg::Callees) -> bool {
        let in_model = self.view.program.functions[at.func].origin == Origin::Model;
        let interference = &self.view.interference;
        let is_known = !targets.others && !in_model;
        let lets = |&i: &InstanceId| if is_known { interference.lets_in(i) } else { interference.may_switch(i) };
        targets.instances.iter().any(lets) || !is_known && self.view.region(self.instance, at).synchronises
    }

    /// Whether a call goes from the program into a model.
    fn enters_model(&self, at: ProgramPoint, targets: &icfg::Callees) -> bool {
        let (program, instances) = (self.view.program, self.view.points_to.instances());
        let is_model = |f: &Function| f.origin == Origin::Model;
        !is_model(&program.functions[at.func])
            && targets.instances.iter().any(|&i| is_model(&program.functions[instances[i].func]))
    }

    /// What holds behind the call of any of some instances, one of which returns; `None`: not known. `facts`: what the
    /// call leaves alone.
    fn apply_all(
        &mut self,
        instances: &[InstanceId],
        call: (ProgramPoint, &Inst, &[Operand]),
        facts: &Facts,
    ) -> Option<Applied> {
        let mut all: Option<Applied> = None;
        for &instance in instances {
            let summary = match &self.summaries[instance] {
                CallSummary::NotComputed => return None,
                CallSummary::NeverReturns => continue,
                CallSummary::Returns(summary) => Rc::clone(summary),
            };
            let applied = self.apply(instance, &summary, call, facts);
            match &mut all {
                None => all = Some(applied),
                Some(all) => all.join(&applied),
            }
        }
        all
    }

    /// A summary in terms of the caller's registers.
    fn apply(
        &mut self,
        instance: InstanceId,
        summary: &Summary,
        (at, inst, args): (ProgramPoint, &Inst, &[Operand]),
        facts: &Facts,
    ) -> Applied {
        let func = self.view.points_to.instances()[instance].func;
        let function = &self.view.program.functions[func];
        let mut map: Names = Vec::new();
        for (&param, &arg) in function.params.iter().zip(args) {
            let symbol = Symbol::new(SUMMARISED, param);
            let own = arg.value().map(|value| Base::Symbol(Symbol::new(self.frame, value)));
            if let Some(e) = self.operand(arg).filter(|&e| self.view.pool.width(e) == function.values[param].ty.bits())
            {
                map.push((symbol, e, own));
            }
        }
        let is_param = |s: &Symbol| s.own_register().is_some_and(|value| function.params.contains(&value));
        for (&result, &value) in inst.results.iter().zip(&summary.results) {
            let returned = value.and_then(|e| self.view.pool.as_symbol(e));
            if let Some(symbol) = returned.filter(|s| !is_param(s) && map.iter().all(|m| m.0 != *s)) {
                let e = self.symbol(result);
                if value.is_some_and(|value| self.view.pool.width(value) == self.view.pool.width(e)) {
                    map.push((symbol, e, None));
                }
            }
        }
        let named = map.len();
        self.name_others(summary, &is_param, (at, func), &mut map);
        self.recognise(summary, &mut map, named, facts);
        let pool = &mut self.view.pool;
        let results = summary.results.iter().map(|&value| substitute(pool, value?, &map)).collect();
        let places = summary.facts.iter().filter_map(|(&place, fact)| {
            let value = substitute(pool, fact.value, &map)?;
            Some((translated(pool, place, &map)?, value))
        });
        let places = places.collect();
        Applied { results, places }
    }

    /// Names for the registers of a callee that have none yet: those of its activation.
    fn name_others(
        &mut self,
        summary: &Summary,
        is_param: &dyn Fn(&Symbol) -> bool,
        (at, func): (ProgramPoint, FuncId),
        map: &mut Names,
    ) {
        let pool = &mut self.view.pool;
        let mut found: Vec<(Symbol, u32)> = Vec::new();
        for e in summary.results.iter().flatten().copied().chain(summary.facts.iter().map(|(_, fact)| fact.value)) {
            pool.add_symbols(e, &mut found);
        }
        let bases = summary.facts.iter().filter_map(|(place, _)| match place.base {
            Base::Symbol(symbol) => Some((symbol, ADDRESS_BITS)),
            Base::Global(_) => None,
        });
        found.extend(bases);
        for (symbol, width) in found {
            if !is_param(&symbol) && map.iter().all(|m| m.0 != symbol) {
                let name = pool.called(self.frame, at, func, symbol);
                let e = pool.symbol(name, width);
                map.push((symbol, e, None));
            }
        }
    }

    /// Replaces what was named last, from an index on, where it is in a place of which the caller knows what it holds
    /// behind the call.
    fn recognise(&mut self, summary: &Summary, map: &mut Names, from: usize, facts: &Facts) {
        let pool = &self.view.pool;
        let mut left: BTreeSet<usize> = (from..map.len()).collect();
        for _ in 0..BUDGETS.recognised_loads {
            let before = left.len();
            for (&place, fact) in summary.facts.iter() {
                let symbol = pool.as_symbol(fact.value);
                let Some(&at) = left.iter().find(|&&at| Some(map[at].0) == symbol) else { continue };
                let known = translated(pool, place, map).and_then(|place| facts.get(place)).map(|fact| fact.value);
                if let Some(known) = known.filter(|&e| pool.width(e) == pool.width(fact.value)) {
                    map[at].1 = known;
                    left.remove(&at);
                }
            }
            if left.len() == before {
                return;
            }
        }
    }

    /// Takes over what a call makes known. Of shared places a model tells the program nothing.
    fn take(&mut self, inst: &Inst, applied: Applied, from_model: bool, facts: &mut Facts) {
        for (at, &result) in inst.results.iter().enumerate() {
            let width = self.function.values[result].ty.bits();
            let value = applied.results.get(at).copied().flatten().filter(|&e| self.view.pool.width(e) == width);
            // A place that was read and returned, and that the call left alone, tells what it returned.
            let own = self.symbol(result);
            let read = applied.places.iter().filter(|(_, v)| *v == own && value == Some(own));
            let known = read.filter_map(|(place, _)| facts.get(*place)).map(|fact| fact.value).next();
            self.set(result, known.or(value));
        }
        for (place, value) in applied.places {
            // Two places of the callee can be one of the caller's, seen through two arguments.
            let symbol = self.view.pool.as_symbol(value).filter(|s| s.frame == self.frame);
            let value = symbol.and_then(Symbol::own_register).map_or(value, |register| self.register(register));
            let reach = self.view.reach(&self.frames, place);
            if !from_model || reach.is_some_and(|r| r.conflict_free) {
                facts.define(self.view, &self.frames, place, value);
            }
        }
    }
}

/// A place of a callee, for its caller.
fn translated(pool: &ExprPool, place: Place, map: &Names) -> Option<Place> {
    let (base, offset) = match place.base {
        Base::Global(_) => (place.base, 0),
        Base::Symbol(symbol) => {
            let &(_, e, own) = map.iter().find(|m| m.0 == symbol)?;
            address(pool, e).or_else(|| own.map(|base| (base, 0)))?
        }
    };
    Some(Place { base, offset: place.offset.wrapping_add(offset), ..place })
}

fn substitute(pool: &mut ExprPool, e: ExprId, map: &Names) -> Option<ExprId> {
    pool.substitute(e, &|symbol| map.iter().find(|m| m.0 == symbol).map(|m| m.1))
}

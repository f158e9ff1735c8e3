//! Function summaries (Bergan 2.6.2): what holds when a call has returned, in terms of its arguments.
//!
//! Computed callees first; where functions call one another, all of them start as "never returns" and are solved again until
//! nothing changes. A summary keeps what mentions parameters, globals and what is returned; of other registers of the callee, a few
//! that several facts mention keep a name ([`Symbol::inside`]).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use icsched_ir::{BlockId, Callee, FuncId, Function, Inst, Op, Operand, Origin, ProgramPoint};
use icsched_pointsto::InstanceId;

use crate::analysis::{Analysis, Known};
use crate::expr::{ExprId, ExprPool};
use crate::facts::Facts;
use crate::function::{Entry, Solver};
use crate::icfg::{self, point};
use crate::place::{Base, Frames, Place, address};
use crate::symbol::{SUMMARISED, Symbol};

/// Rounds over functions that call one another in which summaries may change instead of only losing facts.
const FREE_ROUNDS: u32 = 4;

/// Most registers of a callee, without parameters and what is returned, that a summary gives names.
const MAX_NAMED: usize = 8;

/// Most calls inside one another that lead to a register with a name.
const MAX_CALLS: usize = 3;

/// Most loads one after the other that are recognised to load what a caller knows.
const MAX_STEPS: u32 = 4;

/// Width of an address.
const ADDRESS_BITS: u32 = 64;

/// What holds when a function has returned. Symbols are its registers: parameters, what it returns, and a few others.
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

/// What registers of a callee are for its caller, and where one is an argument, the place that it points to if nothing better is known.
type Names = Vec<(Symbol, ExprId, Option<Base>)>;

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

    /// Drops what mentions registers that have no name in the caller.
    ///
    /// Parameters and what is returned have one. Others are given one where that says something: several facts mention the register.
    fn close(&mut self, instance: InstanceId, summary: &mut Summary) {
        let func = self.points_to.instances()[instance].func;
        let function = &self.program.functions[func];
        let structure = self.structure(func);
        // A local that is returned is gone.
        let is_local = |s: &Symbol| {
            let inst = s.own_register().and_then(|v| structure.inst(function, v));
            matches!(inst.map(|i| &i.op), Some(Op::Alloca { .. }))
        };
        let pool = &self.pool;
        let returned: Vec<Symbol> =
            summary.results.iter().flatten().filter_map(|&e| pool.as_symbol(e)).filter(|s| !is_local(s)).collect();
        let is_seen =
            |s: &Symbol| s.own_register().is_some_and(|value| function.params.contains(&value)) || returned.contains(s);
        let lasts = |s: &Symbol| is_seen(s) || !is_local(s) && pool.call_depth(*s) < MAX_CALLS;
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
            let named: Vec<Symbol> = useful.take(MAX_NAMED).collect();
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
        let never_returns = |&i: &InstanceId| matches!(self.analysis.summaries[i], Known::Yes(None));
        if !targets.others && targets.instances.iter().all(never_returns) {
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

    /// What holds behind the call of any of some instances, one of which returns; `None`: not known. `facts`: what the call leaves alone.
    fn apply_all(
        &mut self,
        instances: &[InstanceId],
        call: (ProgramPoint, &Inst, &[Operand]),
        facts: &Facts,
    ) -> Option<Applied> {
        let mut all: Option<Applied> = None;
        for &instance in instances {
            let summary = match &self.analysis.summaries[instance] {
                Known::No => return None,
                Known::Yes(None) => continue,
                Known::Yes(Some(summary)) => Rc::clone(summary),
            };
            let applied = self.apply(instance, &summary, call, facts);
            match &mut all {
                None => all = Some(applied),
                Some(all) => all.meet(&applied),
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
        let func = self.analysis.points_to.instances()[instance].func;
        let function = &self.analysis.program.functions[func];
        let mut map: Names = Vec::new();
        for (&param, &arg) in function.params.iter().zip(args) {
            let symbol = Symbol::new(SUMMARISED, param);
            let own = arg.value().map(|value| Base::Symbol(Symbol::new(self.frame, value)));
            if let Some(e) =
                self.operand(arg).filter(|&e| self.analysis.pool.width(e) == function.values[param].ty.bits())
            {
                map.push((symbol, e, own));
            }
        }
        let is_param = |s: &Symbol| s.own_register().is_some_and(|value| function.params.contains(&value));
        for (&result, &value) in inst.results.iter().zip(&summary.results) {
            let returned = value.and_then(|e| self.analysis.pool.as_symbol(e));
            if let Some(symbol) = returned.filter(|s| !is_param(s) && map.iter().all(|m| m.0 != *s)) {
                let e = self.symbol(result);
                if value.is_some_and(|value| self.analysis.pool.width(value) == self.analysis.pool.width(e)) {
                    map.push((symbol, e, None));
                }
            }
        }
        let named = map.len();
        self.name_others(summary, &is_param, (at, func), &mut map);
        self.recognise(summary, &mut map, named, facts);
        let pool = &mut self.analysis.pool;
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
        let pool = &mut self.analysis.pool;
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

    /// Replaces what was named last, from an index on, where it is in a place of which the caller knows what it holds behind the call.
    fn recognise(&mut self, summary: &Summary, map: &mut Names, from: usize, facts: &Facts) {
        let pool = &self.analysis.pool;
        let mut left: BTreeSet<usize> = (from..map.len()).collect();
        for _ in 0..MAX_STEPS {
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
            let value = applied.results.get(at).copied().flatten().filter(|&e| self.analysis.pool.width(e) == width);
            // A place that was read and returned, and that the call left alone, tells what it returned.
            let own = self.symbol(result);
            let read = applied.places.iter().filter(|(_, v)| *v == own && value == Some(own));
            let known = read.filter_map(|(place, _)| facts.get(*place)).map(|fact| fact.value).next();
            self.set(result, known.or(value));
        }
        for (place, value) in applied.places {
            // Two places of the callee can be one of the caller's, seen through two arguments.
            let symbol = self.analysis.pool.as_symbol(value).filter(|s| s.frame == self.frame);
            let value = symbol.and_then(Symbol::own_register).map_or(value, |register| self.register(register));
            let reach = self.analysis.reach(&self.frames, place);
            if !from_model || reach.is_some_and(|r| r.conflict_free) {
                self.analysis.define(facts, &self.frames, place, value);
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

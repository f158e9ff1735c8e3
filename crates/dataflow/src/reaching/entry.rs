//! What holds when functions start, whoever calls them.
//!
//! That is asked for stacks whose oldest frame is not the thread's first (Bergan 2.3.2), and for the first functions of
//! threads. Facts go down from the program's start along calls and creations, and are joined where several edges lead
//! to one function. Registers of callers in no known frame have no names there, so what mentions them is dropped. What
//! was passed is said by the parameter instead.

use std::rc::Rc;

use icsched_ir::{FuncId, Function, IdVec, Op, Operand, Origin, ValueId};
use icsched_pointsto::InstanceId;

use super::facts::{Entry, Facts};
use super::solved::Reaching;
use super::solver::Solution;
use crate::code::operation;
use crate::creations::Creation;
use crate::expr::{ExprId, ExprPool};
use crate::icfg::{Edge, EdgeKind};
use crate::place::{Base, Frames, Place, address};
use crate::symbol::Symbol;

impl Reaching<'_, '_> {
    /// Makes known what holds whenever one of some instances starts, in terms of its parameters as registers of frame
    /// 0.
    pub(crate) fn enter(&mut self, targets: &[InstanceId]) {
        let needed = self.view.icfg.leading_to(targets.iter().copied());
        let is_new: IdVec<InstanceId, bool> = needed.iter().map(|(i, &n)| n && !self.entered[i]).collect();
        let leads_on = |edge: &&Edge| is_new[edge.to];
        // What was solved before is final: it only has to say what it passes to the others.
        let order = self.view.icfg.components().iter().rev().flatten().copied();
        let creations = Rc::clone(&self.view.creations);
        let creates_new = |c: &&Creation| c.starts.iter().any(|&start| is_new[start]);
        let leads = |i: InstanceId| {
            self.view.icfg.edges(i).iter().any(|e| leads_on(&e))
                || creations.all.iter().any(|c| c.from == i && creates_new(&c))
        };
        let order: Vec<InstanceId> = order.filter(|&i| needed[i] && (is_new[i] || leads(i))).collect();
        if order.is_empty() {
            return;
        }
        self.summarise_callees(&order);
        if self.entries.is_empty() {
            self.entries = self.roots();
        }
        let mut dirty: IdVec<InstanceId, bool> = IdVec::filled(true, needed.len());
        loop {
            let mut changed = false;
            for &instance in &order {
                let Some(entry) = self.entries[instance].clone() else { continue };
                if !std::mem::replace(&mut dirty[instance], false) {
                    continue;
                }
                changed = true;
                let edges = self.view.icfg.edges(instance).iter().filter(leads_on);
                let edges: Vec<Edge> = edges.filter(|e| !creations.replaces(instance, e.at)).copied().collect();
                let created: Vec<&Creation> =
                    creations.all.iter().filter(|c| c.from == instance).filter(creates_new).collect();
                if edges.is_empty() && created.is_empty() {
                    continue;
                }
                let solution = self.solve(Frames::Stack(vec![instance]), &entry);
                let mut passed: Vec<(InstanceId, Entry)> = Vec::new();
                for edge in edges {
                    passed.extend(self.passed(&solution, instance, edge).map(|entry| (edge.to, entry)));
                }
                for creation in created {
                    let starts = creation.starts.iter().filter(|&&start| is_new[start]);
                    passed.extend(starts.filter_map(|&to| Some((to, self.passed_on(&solution, creation, to)?))));
                }
                for (to, passed) in passed {
                    match &mut self.entries[to] {
                        Some(known) => dirty[to] |= known.join(&passed),
                        none => {
                            *none = Some(passed);
                            dirty[to] = true;
                        }
                    }
                }
            }
            if !changed || self.view.is_to_end() {
                break;
            }
        }
        for (instance, _) in needed.iter().filter(|(_, is)| **is) {
            self.entered[instance] = true;
        }
    }

    /// What is known whenever a thread starts with an instance, without what is said of its registers.
    pub(crate) fn created(&mut self, start: InstanceId) -> Option<Entry> {
        self.enter(&[start]);
        let pool = &self.view.pool;
        let mut entry = self.entries[start].clone()?;
        for value in &mut entry.params {
            *value = value.filter(|&e| pool.symbols(e).is_empty());
        }
        entry.facts.retain(|place, fact| matches!(place.base, Base::Global(_)) && pool.symbols(fact.value).is_empty());
        Some(entry)
    }

    /// What runs without being called by code that is seen.
    fn roots(&mut self) -> IdVec<InstanceId, Option<Entry>> {
        let mut entries = IdVec::filled(None, self.view.points_to.instances().len());
        let program = self.view.program;
        let shared = |f: &FuncId| self.view.points_to.shared_instance(*f);
        let exit = program.library_function("exit");
        let unknown = program.constructors.iter().chain(&program.destructors).chain(&exit).filter_map(shared);
        let unknown: Vec<InstanceId> = unknown.chain(self.view.points_to.called_from_outside()).collect();
        if let Some(main) = program.main.as_ref().and_then(shared) {
            entries[main] = Some(self.view.main_entry());
        }
        for instance in unknown {
            entries[instance] = Some(Entry::default());
        }
        entries
    }

    /// What holds at the start of what an edge leads to; `None` if control does not get to it.
    fn passed(&mut self, solution: &Solution, caller: InstanceId, edge: Edge) -> Option<Entry> {
        let program = self.view.program;
        let callee = &program.functions[self.view.points_to.instances()[edge.to].func];
        let mut solver = self.resume(solution);
        let facts = solver.before(edge.at.block, edge.at.inst as usize)?;
        let Some(Op::Call { args, .. }) = operation(program, edge.at) else { return Some(Entry::default()) };
        let args = match edge.kind {
            EdgeKind::Call => &args[..],
            EdgeKind::Create => args.get(1..2)?,
            EdgeKind::Interrupt => return Some(Entry::default()),
        };
        let values: Vec<Option<ExprId>> = args.iter().map(|&arg| solver.operand(arg)).collect();
        let map = names_in(&mut self.view.pool, callee, args, &values);
        let replacement = |symbol: Symbol| map.iter().find(|m| m.0 == symbol).map(|m| m.1);
        let mut entry = Entry { params: Vec::new(), facts: Facts::default() };
        for (&param, &value) in callee.params.iter().zip(&values) {
            let own = Symbol::new(0, param);
            let value = value.and_then(|e| self.view.pool.substitute(e, &replacement));
            let fits = |e: &ExprId| self.view.pool.width(*e) == callee.values[param].ty.bits();
            entry.params.push(value.filter(fits).filter(|&e| self.view.pool.as_symbol(e) != Some(own)));
        }
        let from = program.functions[self.view.points_to.instances()[caller].func].origin;
        let leaves_model = from == Origin::Model && callee.origin == Origin::Program;
        let frames = Frames::Stack(vec![edge.to]);
        for (place, fact) in facts.iter() {
            let keeps = match edge.kind {
                EdgeKind::Create => fact.reach.early_only,
                EdgeKind::Call | EdgeKind::Interrupt => fact.reach.conflict_free || !leaves_model,
            };
            let base = match place.base {
                Base::Global(_) => Some((place.base, 0)),
                Base::Symbol(symbol) => replacement(symbol).and_then(|e| address(&self.view.pool, e)),
            };
            let value = self.view.pool.substitute(fact.value, &replacement);
            if let (true, Some((base, offset)), Some(value)) = (keeps, base, value) {
                let place = Place { base, offset: place.offset.wrapping_add(offset), ..*place };
                entry.facts.define(&mut self.view, &frames, place, value);
            }
        }
        Some(entry)
    }

    /// What a thread's first function starts with: what its creator passed, and what is known of places that are
    /// written before there are threads. Registers of the creator have no names there.
    fn passed_on(&mut self, solution: &Solution, creation: &Creation, to: InstanceId) -> Option<Entry> {
        let callee = &self.view.program.functions[self.view.points_to.instances()[to].func];
        let mut solver = self.resume(solution);
        let facts = solver.before(creation.at.block, creation.at.inst as usize)?;
        let argument = solver.operand(creation.argument);
        let region = self.view.region(creation.from, creation.at);
        let mut entry = Entry { params: vec![None; callee.params.len()], facts: Facts::default() };
        if let (Some(value), Some(&param)) = (argument, callee.params.first()) {
            let fits = self.view.pool.width(value) == callee.values[param].ty.bits();
            entry.params[0] = Some(value).filter(|&e| fits && self.view.pool.symbols(e).is_empty());
        }
        let frames = Frames::Stack(vec![to]);
        for (&place, fact) in facts.iter() {
            let modref = self.view.modref;
            let is_written = fact
                .reach
                .targets
                .iter()
                .any(|&(object, offsets)| modref.touches_at(&region.mods, object, offsets, u64::from(place.bytes)));
            let is_closed = matches!(place.base, Base::Global(_)) && self.view.pool.symbols(fact.value).is_empty();
            if fact.reach.early_only && is_closed && !is_written {
                entry.facts.define(&mut self.view, &frames, place, fact.value);
            }
        }
        Some(entry)
    }
}

/// The caller's registers that a callee's parameters hold, as these parameters.
pub(crate) fn names_in(
    pool: &mut ExprPool,
    callee: &Function,
    args: &[Operand],
    values: &[Option<ExprId>],
) -> Vec<(Symbol, ExprId)> {
    let mut map: Vec<(Symbol, ExprId)> = Vec::new();
    for ((&param, &arg), &value) in callee.params.iter().zip(args).zip(values) {
        let width = callee.values[param].ty.bits();
        let passed = |value: ValueId| Symbol::new(0, value);
        let names = [value.and_then(|e| pool.as_symbol(e)), arg.value().map(passed)];
        let fits = value.is_some_and(|e| pool.width(e) == width);
        for name in names.into_iter().flatten().filter(|_| fits) {
            if map.iter().all(|m| m.0 != name) {
                let e = pool.symbol(Symbol::new(0, param), width);
                map.push((name, e));
            }
        }
    }
    map
}

//! What stands for values that facts are about but that are in no register of a frame, or that are too hard to say.

use std::rc::Rc;
use std::sync::Arc;

use icsched_dataflow::{Base, Count, Expr, ExprId, PathId, PlaceDefinition, RelationKind, Symbol};
use icsched_ir::{BinOp, Definitions, Expressions};
use icsched_pointsto::InstanceId;
use icsched_smt::{CmpOp, Term};

use super::{StateBuilder, instances};
use crate::symbolic::SymbolSource;

impl StateBuilder<'_, '_> {
    fn is_symbol(&self, thread: usize, e: ExprId, symbol: Symbol) -> bool {
        let named = |held: Symbol| Symbol { frame: held.frame + self.oldest_known(thread), ..held };
        matches!(self.start.pool.get(e), Expr::Symbol { symbol: held, .. } if named(held) == symbol)
    }

    /// What a register of an activation held that has returned: what a variable holds, if it is the same, else a
    /// symbol.
    pub(super) fn returned(&mut self, thread: usize, symbol: Symbol, path: PathId) -> Option<Term> {
        let pool = self.start.pool;
        let places = &self.facts(thread)?.places;
        let is_it = |known: &&PlaceDefinition| {
            matches!(known.place.base, Base::Global(_)) && self.is_symbol(thread, known.value, symbol)
        };
        let path_of = pool.path(path);
        let program = Arc::clone(&self.program);
        let function = &program.functions[path_of.func];
        let ty = function.values.get(symbol.value)?.ty;
        let place = places.iter().find(is_it).map(|known| known.place);
        if let Some(held) = place.and_then(|place| self.initial_value(place)) {
            let term = self.machine.domain.term(&held, ty.bits());
            self.registers[thread].insert(symbol, term);
            return Some(term);
        }
        let points_to = Arc::clone(&self.start.points_to);
        let all = instances(&points_to, &self.start.context.threads[thread]);
        let inside = |frame: InstanceId| {
            let mut calls = path_of.calls.iter().zip(path_of.callees());
            calls.try_fold(frame, |caller, (&at, func)| points_to.callee_instance(caller, at, func))
        };
        let instances: Rc<[InstanceId]> =
            all.get(symbol.frame as usize)?.iter().filter_map(|&frame| inside(frame)).collect();
        self.origins().call_paths.insert(path, path_of.clone());
        let definitions = Definitions::new(function);
        let names = Expressions::new(&program, function, &definitions);
        Some(self.fresh(thread, symbol, ty, &names, &instances))
    }

    /// What stands for a register of an earlier thread that is known to hold the same.
    pub(super) fn shared(&mut self, thread: usize, symbol: Symbol, width: u32) -> Option<Term> {
        let relations = &self.start.facts.relations;
        let is_it = |r: &&icsched_dataflow::Relation| {
            r.kind == RelationKind::Equal && r.a.0 < thread && r.b.0 == thread && self.is_symbol(thread, r.b.1, symbol)
        };
        let (other, e) = relations.iter().find(is_it)?.a;
        let term = self.evaluate(other, e)?;
        (self.machine.domain.pool.width(term) == width).then_some(term)
    }

    /// The result of a division by what is not known: a symbol, the same for the same operands. Solvers take too long
    /// to say more.
    pub(super) fn quotient(&mut self, op: BinOp, a: Term, b: Term) -> Option<Term> {
        let divides = matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem);
        if !divides || self.machine.domain.pool.as_const(b).is_some() {
            return None;
        }
        if let Some(&known) = self.quotients.get(&(op, a, b)) {
            return Some(known);
        }
        let name = if matches!(op, BinOp::UDiv | BinOp::SDiv) { "quotient" } else { "remainder" };
        let name = self.origins().unique(name.to_owned());
        let pool = &mut self.machine.domain.pool;
        let term = pool.symbol(&name, pool.width(a));
        self.origins().sources.insert(term, SymbolSource::Quotient { op, a, b });
        self.quotients.insert((op, a, b), term);
        Some(term)
    }

    /// What a thread's numbers are between.
    pub(super) fn ranges(&mut self, thread: usize) {
        let Some(facts) = self.start.facts.threads.get(thread) else { return };
        for range in &facts.ranges {
            let Some(value) = self.evaluate(thread, range.value) else { continue };
            let width = self.machine.domain.pool.width(value);
            let bound = match range.bound {
                Count::Constant(bits) => Some(self.machine.domain.pool.constant(width, bits)),
                Count::Place(place) => self.initial_value(place).map(|held| {
                    let held = self.machine.domain.term(&held, 8 * place.bytes);
                    self.machine.domain.pool.sext(held, width)
                }),
                Count::Any => None,
            };
            let pool = &mut self.machine.domain.pool;
            let start = pool.constant(width, range.start);
            let mut holds = vec![pool.cmp(CmpOp::Sle, start, value)];
            holds.extend(bound.map(|bound| pool.cmp(CmpOp::Slt, value, bound)));
            for holds in holds {
                self.path.constrain(&self.machine.domain.pool, holds);
            }
        }
    }
}

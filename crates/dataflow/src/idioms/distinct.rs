//! What differs between any two threads: `pthread_create(&t[i], 0, start, &args[i])`, or a ticket from a counter.
//!
//! A register is *own* if no two threads ever hold the same in it. These are:
//!
//! - the parameter of a start function, if its creations all pass something else,
//! - a number from a [counter](self::numbers),
//! - a parameter that only such registers are passed for.
//!
//! Bergan 2.9.1 names both idioms as what his analysis lacks.

mod numbers;

use std::collections::BTreeMap;

use icsched_ir::{EntityId, LoopForest, Op, ProgramPoint, ValueId};
use icsched_pointsto::InstanceId;
use rustc_hash::FxHashSet;

use self::numbers::{Numbers, find_numbers};
use super::idiom::{Idiom, Inputs, Invariants, Threads};
use crate::code::operation;
use crate::creations::Creation;
use crate::expr::{Expr, ExprId};
use crate::icfg::EdgeKind;
use crate::patterns::cell::Cell;
use crate::patterns::generations::comes_in_generations;
use crate::patterns::injective::Injective;
use crate::patterns::once::{is_called_once, is_executed_once};
use crate::place::Frames;
use crate::reaching::facts::Entry;
use crate::reaching::solved::Reaching;
use crate::reaching::walk::Walk;
use crate::state::{Relation, RelationKind};
use crate::symbol::{FrameIndex, Symbol};

/// Why no two threads hold the same: registers of one reason differ from each other.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Own {
    /// It is what a thread was created with that started with this.
    Argument(InstanceId),
    /// It was loaded from this counter.
    Number(Cell),
}

/// Finds what no two threads hold the same of.
#[derive(Default)]
pub(crate) struct Distinct {
    /// Registers with numbers from counters, once that was asked.
    numbers: Option<Numbers>,
}

impl Idiom for Distinct {
    fn recognise(&mut self, inputs: &mut Inputs<'_, '_, '_>, threads: &Threads<'_>, found: &mut Invariants) {
        if threads.walks.len() < 2 {
            return;
        }
        let reaching = &mut *inputs.reaching;
        let all = threads.walks.iter().zip(&threads.context.threads);
        let own: Vec<Vec<(Own, ExprId)>> =
            all.map(|(walks, thread)| self.own_registers(reaching, walks, &thread.stack.0)).collect();
        let pool = &reaching.view.pool;
        for (a, registers) in own.iter().enumerate() {
            for (b, others) in own.iter().enumerate().skip(a + 1) {
                for &(why, register) in registers {
                    let same = others.iter().filter(|o| o.0 == why && pool.width(o.1) == pool.width(register));
                    let distinct = |&(_, other): &(Own, ExprId)| Relation {
                        kind: RelationKind::Distinct,
                        a: (a, register),
                        b: (b, other),
                    };
                    found.relations.extend(same.map(distinct));
                }
            }
        }
    }
}

impl Distinct {
    fn numbers(&mut self, reaching: &mut Reaching<'_, '_>) -> &Numbers {
        self.numbers.get_or_insert_with(|| find_numbers(reaching))
    }

    /// The registers of a thread's frames that are own on all ways.
    fn own_registers(
        &mut self,
        reaching: &mut Reaching<'_, '_>,
        walks: &[Walk],
        points: &[ProgramPoint],
    ) -> Vec<(Own, ExprId)> {
        let mut all: Option<BTreeMap<(FrameIndex, ValueId), Own>> = None;
        for walk in walks {
            let mut found = BTreeMap::new();
            for ((&instance, point), frame) in walk.chain.iter().zip(points).zip(0..) {
                let function = &reaching.view.program.functions[point.func];
                for (position, &param) in function.params.iter().enumerate() {
                    if let Some(own) = self.own_parameter(reaching, instance, position, &mut FxHashSet::default()) {
                        found.insert((frame, param), own);
                    }
                }
                let structure = reaching.view.structure(point.func);
                for (&(_, value), &cell) in
                    self.numbers(reaching).range((instance, ValueId::from_index(0))..).take_while(|n| n.0.0 == instance)
                {
                    if structure.is_defined_at(value, point.block, point.inst as usize) {
                        found.insert((frame, value), Own::Number(cell));
                    }
                }
            }
            all = Some(match all {
                None => found,
                Some(mut all) => {
                    all.retain(|register, own| found.get(register) == Some(own));
                    all
                }
            });
        }
        let registers = all.unwrap_or_default().into_iter();
        let name = |((frame, value), own): ((FrameIndex, ValueId), Own)| {
            let width = reaching.view.program.functions[points[frame as usize].func].values[value].ty.bits();
            (own, reaching.view.pool.symbol(Symbol::new(frame, value), width))
        };
        registers.map(name).collect()
    }

    /// Whether a parameter is own, whoever calls. On a way around a cycle of calls nothing new is passed.
    fn own_parameter(
        &mut self,
        reaching: &mut Reaching<'_, '_>,
        instance: InstanceId,
        position: usize,
        seen: &mut FxHashSet<(InstanceId, usize)>,
    ) -> Option<Own> {
        let main = reaching.view.program.main.and_then(|f| reaching.view.points_to.shared_instance(f));
        let is_root = main == Some(instance) || reaching.view.points_to.called_from_outside().any(|i| i == instance);
        if is_root || !seen.insert((instance, position)) {
            return None;
        }
        let creations = std::rc::Rc::clone(&reaching.view.creations);
        let mut reasons: Vec<Own> = Vec::new();
        let of: Vec<&Creation> = creations.all.iter().filter(|c| c.starts.contains(&instance)).collect();
        if !of.is_empty() {
            (position == 0 && self.all_differ(reaching, &of)).then_some(())?;
            reasons.push(Own::Argument(instance));
        }
        let incoming: Vec<_> = reaching.view.icfg.incoming(instance).collect();
        for (caller, edge) in incoming.into_iter().filter(|(caller, e)| !creations.replaces(*caller, e.at)) {
            let Some(Op::Call { args, .. }) = operation(reaching.view.program, edge.at) else { return None };
            let value = args.get(position)?.value().filter(|_| edge.kind == EdgeKind::Call)?;
            let params = &reaching.view.program.functions[edge.at.func].params;
            reasons.push(match params.iter().position(|&p| p == value) {
                Some(position) if seen.contains(&(caller, position)) => continue,
                Some(position) => self.own_parameter(reaching, caller, position, seen)?,
                None => self.numbers(reaching).get(&(caller, value)).copied().map(Own::Number)?,
            });
        }
        let first = *reasons.first()?;
        reasons.iter().all(|&r| r == first).then_some(first)
    }

    /// Whether no two threads that some calls create are given the same.
    fn all_differ(&mut self, reaching: &mut Reaching<'_, '_>, creations: &[&Creation]) -> bool {
        let mut passed: Vec<ExprId> = Vec::new();
        for creation in creations {
            let constant = self.constant_argument(reaching, creation);
            if let Some(e) = constant.filter(|e| !passed.contains(e)) {
                passed.push(e);
            }
            let is_alone = creations.len() == 1;
            let differs = constant.is_some() && is_executed_once(&mut reaching.view, creation.from, creation.at.block)
                || is_alone && self.differs_by_iteration(reaching, creation);
            if !differs {
                return false;
            }
        }
        passed.len() == creations.len() || creations.len() == 1
    }

    /// The number or address that a creation passes.
    fn constant_argument(&mut self, reaching: &mut Reaching<'_, '_>, creation: &Creation) -> Option<ExprId> {
        reaching.summarise_callees(&[creation.from]);
        let solution = reaching.solve(Frames::Summary(creation.from), &Entry::default());
        let value = reaching.resume(&solution).operand(creation.argument)?;
        // Addresses of different globals differ, but not always one from behind another.
        let (base, offset) = reaching.view.pool.split_sum(value);
        let inside = match reaching.view.pool.get(base) {
            Expr::Global(global) => offset < reaching.view.program.globals[global].size,
            Expr::Constant { .. } => true,
            _ => false,
        };
        inside.then_some(value)
    }

    /// Whether a creation in a loop that runs once passes something else in each iteration.
    fn differs_by_iteration(&mut self, reaching: &mut Reaching<'_, '_>, creation: &Creation) -> bool {
        let func = reaching.view.points_to.instances()[creation.from].func;
        let structure = reaching.view.structure(func);
        let loops = LoopForest::new(&structure.cfg);
        let Some(id) = loops.innermost(creation.at.block) else { return false };
        let around = loops.get(id);
        if around.parent.is_some() || around.is_irreducible() {
            return false;
        }
        if !is_called_once(&mut reaching.view, creation.from, 0) && !comes_in_generations(&mut reaching.view, creation)
        {
            return false;
        }
        let function = &reaching.view.program.functions[func];
        let injective = Injective { function, cfg: &structure.cfg, structure: &structure, loops: &loops, id };
        injective.holds(creation.argument, 0).is_some()
    }
}

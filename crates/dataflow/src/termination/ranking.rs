//! Ranking arguments for loops and recursions: two rounds as terms, candidate measures, and a prover that orders them.

use std::collections::BTreeSet;
use std::sync::Arc;

use icsched_ir::{BlockId, FuncId, LoopId, Op, ProgramPoint};
use icsched_smt::{Term, TermPool};

use super::code::{Code, calls};
use super::evaluator::Evaluator;
use super::flow::Structure;
use super::links::Links;
use super::measure::{Measure, Pair};
use super::memory::Memory;
use super::proof::{Products, Prover, Transition};
use super::rings::Rings;
use super::round::{Beginning, Known, Round};
use super::scope::{InnerCall, Scope};
use super::value::{Origin, Val, Walk};
use super::verdict::{ONCE, Reason, Verdict};
use super::{counting, measure, memory, start};

/// Looks for ranking arguments in one program.
pub(super) struct Ranking<'t, 'm, 'p> {
    pub(super) code: &'t Code<'m, 'p>,
    pub(super) rings: &'t Rings,
}

impl Ranking<'_, '_, '_> {
    /// Whether a loop ends, by a ranking argument.
    pub(super) fn ranked_loop(&self, func: FuncId, structure: &Structure, id: LoopId) -> Verdict {
        if structure.loops.get(id).is_irreducible() {
            return Verdict::Unknown;
        }
        let function = &self.code.program.functions[func];
        let counted = counting::of_loop(function, structure, (func, id), self.code.modref, self.code.startup);
        if let Some(Verdict::Ends(_)) = counted {
            return counted.unwrap_or(Verdict::Unknown);
        }
        let Some(scope) = Scope::of_loop(self.code.program, func, structure, id) else { return Verdict::Unknown };
        if counted == Some(Verdict::Endless) && self.code.only_returns(&scope) {
            return Verdict::Endless;
        }
        let mut pool = TermPool::new();
        let memory = Memory::new(&scope, self.code.modref, self.code.startup);
        let beginning = first_beginning(&scope, &memory, &mut pool);
        let seen = Evaluator::new(&scope, &memory, &mut pool, 0).run(&beginning);
        let mut memory = memory.with_cells(&scope, self.code.modref, &seen);
        memory.calls = memory::repeatable_calls(&scope, self.code.modref, |callee| self.code.only_computes(callee));
        let beginning = first_beginning(&scope, &memory, &mut pool);
        let first = Evaluator::new(&scope, &memory, &mut pool, 1).run_first(&beginning);
        let Some(step) = first.steps.first() else { return Verdict::Ends(Reason::Once) };
        let beginning = step.beginning(&mut pool);
        let second = Evaluator::new(&scope, &memory, &mut pool, 2).run(&beginning);
        let measures = measure::candidates(&scope, &first);
        let pair = Pair { first: &first, step, second: &second };
        let transition = transition(&scope, &mut pool, &measures, &pair, None);
        let candidates = start::invariants(&scope, &mut pool, &pair);
        let mut prover = Prover::new(&mut pool);
        let mut is_ended = |of| self.is_ended(of, &[(&scope, &first)]);
        let mut prove = |prover: &mut Prover<'_>, known| {
            let mut transition = transition.clone();
            transition.holds.extend(known_of(&pair, None, known));
            prover.begin_anew();
            let order = prover.order(&measures, std::slice::from_ref(&transition), &mut is_ended);
            if order.is_some() || candidates.is_empty() {
                return order;
            }
            prover.begin_anew();
            let invariants = prover.invariants(&rounds_of(&pair, known), &candidates);
            transition.holds.extend(invariants.iter().flat_map(|&(first, second)| [first, second]));
            prover.begin_anew();
            prover.order(&measures, &[transition], &mut is_ended)
        };
        let has_sums = first.has_sums() || second.has_sums();
        // What is quick first: most loops count.
        for (known, products) in
            [(Known::Branches, Products::Anything), (Known::All, Products::Anything), (Known::All, Products::Exact)]
        {
            prover.take_products_for(products);
            if let Some(order) = prove(&mut prover, known) {
                let without = match has_sums {
                    true => prove(&mut prover, Known::WithoutSums),
                    false => Some(order.clone()),
                };
                return Verdict::Ends(reason(&scope, &first, &order, without.as_deref()));
            }
            if known == Known::All && !prover.has_met_products() {
                break;
            }
        }
        match self.is_endless(&scope, &mut prover, &pair, &candidates) {
            true => Verdict::Endless,
            false => Verdict::Unknown,
        }
    }

    /// Whether a measure cannot get smaller for ever, where that is in doubt: no ring is among links that nothing in
    /// the scope stores.
    fn is_ended(&self, measure: Measure, rounds: &[(&Scope<'_>, &Round)]) -> bool {
        if !matches!(measure, Measure::Links(_)) {
            return true;
        }
        let Some(links) = Links::read_by(self.code.modref, rounds) else { return false };
        let stays = |stores: BTreeSet<ProgramPoint>| rounds.iter().all(|(scope, _)| self.leaves_links(scope, &stores));
        if !self.rings.stores_of(self.code, &links).is_some_and(stays) {
            return false;
        }
        self.rings.are_none(self.code, &links)
    }

    /// Whether a scope comes to none of these stores before it goes on, and no other thread does meanwhile.
    fn leaves_links(&self, scope: &Scope<'_>, stores: &BTreeSet<ProgramPoint>) -> bool {
        let goes_on = |block: BlockId, at: u32| scope.goes_on_behind((block, at as usize + 1));
        scope.blocks.iter().all(|&block| {
            (0..).zip(&scope.function.blocks[block].insts).all(|(inst, i)| {
                let at = ProgramPoint { func: scope.func, block, inst };
                let changes = match i.op {
                    Op::Call { .. } => {
                        let targets = self.code.modref.points_to().call_targets(self.code.program, at);
                        self.code.synchronises(at) || targets.iter().any(|&func| self.code.may_run(func, stores))
                    }
                    ref op => stores.contains(&at) || op.may_synchronise(),
                };
                !changes || !goes_on(block, inst)
            })
        })
    }

    /// Whether no round leaves a loop: neither along an edge, nor in what it calls. A sum that overflows in it is what
    /// a processor makes of it.
    fn is_endless(
        &self,
        scope: &Scope<'_>,
        prover: &mut Prover<'_>,
        pair: &Pair<'_>,
        candidates: &[(Term, Term)],
    ) -> bool {
        if !self.code.only_returns(scope) {
            return false;
        }
        prover.begin_anew();
        let invariants = prover.invariants(&rounds_of(pair, Known::WithoutSums), candidates);
        let known: Vec<Term> =
            pair.first.known_at(pair.step, Known::WithoutSums).chain(invariants.iter().map(|i| i.0)).collect();
        pair.first.exits.iter().all(|&exit| prover.never(&known, exit))
    }

    /// Whether calls of functions that call each other end, by a ranking argument.
    pub(super) fn ranked_recursion(&self, functions: &[FuncId]) -> Verdict {
        let structures: Vec<Arc<Structure>> = functions.iter().map(|&f| self.code.structure(f)).collect();
        let mut scopes = Vec::new();
        for (&func, structure) in functions.iter().zip(&structures) {
            let scope = self
                .inner_calls(func, functions)
                .and_then(|calls| Scope::of_body(self.code.program, func, structure, calls));
            let Some(scope) = scope.filter(|scope| measure::states_agree(scope, functions)) else {
                return Verdict::Unknown;
            };
            scopes.push(scope);
        }
        self.ranked_bodies(functions, &scopes)
    }

    fn ranked_bodies(&self, functions: &[FuncId], scopes: &[Scope<'_>]) -> Verdict {
        let mut pool = TermPool::new();
        let memories: Vec<Memory> =
            scopes.iter().map(|s| Memory::new(s, self.code.modref, self.code.startup)).collect();
        let mut measures: Option<Vec<Measure>> = None;
        let mut transitions = Vec::new();
        let mut rounds = Vec::new();
        for (at, (scope, memory)) in scopes.iter().zip(&memories).enumerate() {
            let beginning = first_beginning(scope, memory, &mut pool);
            let first = Evaluator::new(scope, memory, &mut pool, 1).run(&beginning);
            let measures = measures.get_or_insert_with(|| {
                let is_of_all = |m: &Measure| matches!(m, Measure::State(..) | Measure::Links(_)) || scopes.len() == 1;
                measure::candidates(scope, &first).into_iter().filter(is_of_all).collect()
            });
            for step in &first.steps {
                let Some(next) = functions.iter().position(|&f| Some(f) == step.callee) else {
                    return Verdict::Unknown;
                };
                let beginning = step.beginning(&mut pool);
                let second = Evaluator::new(&scopes[next], &memories[next], &mut pool, 2).run(&beginning);
                let pair = Pair { first: &first, step, second: &second };
                for further in 0..second.steps.len() {
                    let found = transition(scope, &mut pool, measures, &pair, Some(further));
                    let known = [Known::WithoutSums, Known::All].map(|known| known_of(&pair, Some(further), known));
                    transitions.push((Transition { of: (at, next), ..found }, known));
                }
            }
            rounds.push(first);
        }
        let measures = measures.unwrap_or_default();
        let mut prover = Prover::new(&mut pool);
        prover.take_products_for(Products::Exact);
        let all: Vec<(&Scope<'_>, &Round)> = scopes.iter().zip(&rounds).collect();
        let mut is_ended = |of| self.is_ended(of, &all);
        let mut prove = |with_sums: bool| {
            let all = transitions.iter().map(|(transition, known)| {
                let holds = transition.holds.iter().chain(&known[usize::from(with_sums)]).copied().collect();
                Transition { holds, ..transition.clone() }
            });
            prover.begin_anew();
            prover.order(&measures, &all.collect::<Vec<_>>(), &mut is_ended)
        };
        let Some(order) = prove(true) else { return Verdict::Unknown };
        let has_sums = transitions.iter().any(|(_, [without, with])| without.len() < with.len());
        let without = if has_sums { prove(false) } else { Some(order.clone()) };
        Verdict::Ends(reason(&scopes[0], &rounds[0], &order, without.as_deref()))
    }

    /// The calls by name of one of several functions that may come back to it; `None` if there are others.
    fn inner_calls(&self, func: FuncId, functions: &[FuncId]) -> Option<Vec<InnerCall>> {
        let mut found = Vec::new();
        for (at, targets, by_name) in calls(self.code.program, self.code.modref, func) {
            if targets.iter().any(|target| functions.contains(target)) {
                let callee = by_name?;
                found.push(InnerCall { at, callee });
            }
        }
        Some(found)
    }

    /// Whether a loop is seen to be endless without a solver.
    pub(super) fn is_plainly_endless(&self, func: FuncId, structure: &Structure, id: LoopId) -> bool {
        let Some(scope) = Scope::of_loop(self.code.program, func, structure, id) else { return false };
        if !self.code.only_returns(&scope) {
            return false;
        }
        let function = &self.code.program.functions[func];
        let counted = counting::of_loop(function, structure, (func, id), self.code.modref, self.code.startup);
        if counted.is_some() {
            return counted == Some(Verdict::Endless);
        }
        let mut pool = TermPool::new();
        let memory = Memory::default();
        let beginning = first_beginning(&scope, &memory, &mut pool);
        let round = Evaluator::new(&scope, &memory, &mut pool, 1).run(&beginning);
        round.exits.iter().all(|&exit| pool.is_false(exit))
    }
}

/// The state in which any round begins.
fn first_beginning(scope: &Scope<'_>, memory: &Memory, pool: &mut TermPool) -> Beginning {
    let mut states = Vec::new();
    for (at, &param) in scope.parameters().iter().enumerate() {
        let symbol = pool.symbol(&param.to_string(), scope.function.values[param].ty.bits());
        states.push(match scope.is_handed_on(at) {
            true => Val::fixed(pool, symbol),
            false => Val::new(pool, symbol),
        });
    }
    for (at, cell) in memory.cells.iter().enumerate() {
        let symbol = pool.symbol(&format!("cell{at}"), cell.bits);
        states.push(Val::new(pool, symbol));
    }
    let moved = pool.bool(false);
    for (at, state) in states.iter_mut().enumerate().filter(|(_, state)| !state.fixed) {
        state.walk = Walk::From { origin: Origin::State(at), moved };
    }
    let cells = states.split_off(scope.parameters().len());
    Beginning { params: states, cells }
}

/// Two rounds that both go on, the second one with any of its steps, or with one of them.
fn transition(
    scope: &Scope<'_>,
    pool: &mut TermPool,
    measures: &[Measure],
    pair: &Pair<'_>,
    further: Option<usize>,
) -> Transition {
    let mut holds = vec![pair.step.taken];
    let steps = pair.second.steps.iter().enumerate().filter(|(at, _)| further.is_none_or(|further| further == *at));
    let goes_on: Vec<_> = steps.map(|(_, step)| step.taken).collect();
    holds.push(pool.or_all(&goes_on));
    let measured = measures.iter().map(|measure| measure.compare(scope, pool, pair)).collect();
    Transition { of: (0, 0), holds, measured }
}

/// What is known of two rounds up to where the second one goes on, with any of its steps, or with one of them.
fn known_of(pair: &Pair<'_>, further: Option<usize>, known: Known) -> Vec<Term> {
    let first = pair.first.known_at(pair.step, known);
    let steps = pair.second.steps.iter().enumerate().filter(|(at, _)| further.is_none_or(|further| further == *at));
    let earliest = steps.map(|(_, step)| step).min_by_key(|step| step.facts);
    let second = earliest.into_iter().flat_map(|step| pair.second.known_at(step, known));
    first.chain(second).collect()
}

/// What holds of two rounds of a loop of which the second one need not go on.
fn rounds_of(pair: &Pair<'_>, known: Known) -> Vec<Term> {
    let facts = pair.first.facts.iter().chain(&pair.second.facts).filter(|fact| known.has(fact));
    facts.map(|fact| fact.holds).chain([pair.step.taken]).collect()
}

/// Why something ends that has an order of measures, and perhaps one that does not need sums to be what they are in C.
fn reason(scope: &Scope<'_>, round: &Round, order: &[Measure], without_sums: Option<&[Measure]>) -> Reason {
    let measures = without_sums.unwrap_or(order).iter();
    let texts: Vec<String> = measures.map(|measure| measure.describe(scope, round)).collect();
    match (texts.is_empty(), without_sums.is_none()) {
        (true, false) => Reason::Once,
        (true, true) => Reason::Measured { what: ONCE.to_owned(), needs_sums: true },
        (false, needs_sums) => Reason::Measured { what: texts.join(", or "), needs_sums },
    }
}

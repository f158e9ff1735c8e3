//! Whether loops and recursions end.
//!
//! Code that does not synchronise is replaced by what it may do, or left out of a schedule, as if it ended: whether
//! that is so is asked here. A loop *ends* if no run of it goes round for ever, provided that each round ends; a
//! recursion if no chain of calls is endless. Runs that do what C leaves undefined, an access outside of an object or a
//! signed sum that overflows, count as ended there.
//!
//! - [`counting`]: a test whose numbers are known.
//! - [`round`]: one round as terms, in words that wrap around as they do.
//! - [`measure`], [`proof`]: ranking arguments over two rounds, one right behind the other, by a solver (Cook,
//!   Podelski, Rybalchenko, "Proving program termination", 2011, gives an overview).
//! - [`rests`]: what inner loops and calls add to that.
//!
//! Deviations: measures are those that the loop's own comparisons suggest, and no others are synthesised; of what held
//! before a loop nothing is used but what does not change in it.

mod counting;
mod fresh;
mod links;
mod measure;
mod memory;
mod operation;
mod preserve;
mod proof;
mod rests;
mod round;
mod scope;
mod start;
mod value;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use icsched_ir::callgraph::CallGraph;
use icsched_ir::{BlockId, FuncId, LoopId, Op, Origin, Program, ProgramPoint};
use icsched_pointsto::{ModRef, Startup};
use icsched_smt::{Term, TermPool};
use rustc_hash::FxHashMap;

use links::{Links, PointerStore};
use measure::{Measure, Pair};
use memory::Memory;
use proof::{Prover, Transition};
pub use rests::{Rests, Unproved};
use round::{Beginning, Evaluator, Fact, Round};
use scope::{InnerCall, Scope, Structure};
use value::{Origin as WalkOrigin, Val, Walk};

/// Whether something that is repeated ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It does, if each round does.
    Ends(Reason),
    /// No run of it is left: each goes on for ever, unless it does something undefined.
    Endless,
    /// Nobody knows.
    Unknown,
}

/// The words of [`Reason::Once`].
const ONCE: &str = "it never goes round twice";

/// Why something ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It never goes round twice.
    Once,
    /// This gets smaller, and cannot for ever.
    Measured {
        /// What, for people: `i counts up to n`.
        what: String,
        /// Whether that is so only if no sum overflows that must not in C, and no number is shifted by more than its
        /// width.
        needs_sums: bool,
    },
    /// It is part of the C library, whose functions return.
    Library,
}

impl Reason {
    /// The reason as half a sentence.
    pub fn describe(&self) -> String {
        match self {
            Self::Once => ONCE.to_owned(),
            Self::Measured { what, needs_sums: false } => what.clone(),
            Self::Measured { what, needs_sums: true } => format!("{what}, if no sum overflows"),
            Self::Library => "a function of the C library returns".to_owned(),
        }
    }

    /// Whether it holds only if no sum overflows that must not in C.
    pub fn needs_sums(&self) -> bool {
        matches!(self, Self::Measured { needs_sums: true, .. })
    }
}

/// Answers for one program. What was asked is kept; any number of threads may ask.
pub struct Termination<'m, 'p> {
    program: &'p Program,
    modref: &'m ModRef<'p>,
    startup: &'m Startup,
    calls: CallGraph,
    structures: Mutex<FxHashMap<FuncId, Arc<Structure>>>,
    loops: Mutex<FxHashMap<(FuncId, LoopId), Verdict>>,
    recursions: Mutex<FxHashMap<usize, Verdict>>,
    rings: Mutex<FxHashMap<Links, bool>>,
    pointer_stores: OnceLock<Vec<PointerStore>>,
}

impl<'m, 'p> Termination<'m, 'p> {
    /// Asks nothing yet. O(instructions of the program).
    pub fn new(modref: &'m ModRef<'p>, startup: &'m Startup) -> Self {
        let (program, points_to) = (modref.program(), modref.points_to());
        let calls = CallGraph::with_targets(program, |at| points_to.call_targets(program, at));
        Self {
            program,
            modref,
            startup,
            calls,
            structures: Mutex::default(),
            loops: Mutex::default(),
            recursions: Mutex::default(),
            rings: Mutex::default(),
            pointer_stores: OnceLock::new(),
        }
    }

    /// Whether the loop with this header ends, if each of its rounds does. `Unknown` where there is no such loop.
    ///
    /// At most some hundred questions to a solver, each with a limit of work; nothing where it was asked before.
    pub fn of_loop(&self, func: FuncId, header: BlockId) -> Verdict {
        let structure = self.structure(func);
        let Some(id) = structure.loops.headed_by(header) else { return Verdict::Unknown };
        if let Some(known) = lock(&self.loops).get(&(func, id)) {
            return known.clone();
        }
        let found = match self.ranked_loop(func, &structure, id) {
            Verdict::Unknown if self.program.functions[func].origin == Origin::Model => Verdict::Ends(Reason::Library),
            found => found,
        };
        lock(&self.loops).insert((func, id), found.clone());
        found
    }

    /// The loops of the program that are seen to be endless without a solver: each way out tests something that is
    /// never so, by the numbers that a test begins and goes on with or by the widths of what it compares.
    /// O(instructions of functions with loops).
    pub fn plainly_endless(&self) -> Vec<(FuncId, BlockId)> {
        let mut found = Vec::new();
        let own = self.program.functions.iter().filter(|(_, f)| !f.is_declaration() && f.origin == Origin::Program);
        for (func, _) in own {
            let structure = self.structure(func);
            let loops = structure.loops.iter().filter(|(_, l)| !l.exits.is_empty() && !l.is_irreducible());
            found.extend(
                loops.filter(|&(id, _)| self.is_plainly_endless(func, &structure, id)).map(|(_, l)| (func, l.header)),
            );
        }
        found
    }

    fn is_plainly_endless(&self, func: FuncId, structure: &Structure, id: LoopId) -> bool {
        let Some(scope) = Scope::of_loop(self.program, func, structure, id) else { return false };
        if !self.only_returns(&scope) {
            return false;
        }
        let function = &self.program.functions[func];
        let counted = counting::of_loop(function, structure, (func, id), self.modref, self.startup);
        if counted.is_some() {
            return counted == Some(Verdict::Endless);
        }
        let mut pool = TermPool::new();
        let memory = Memory::default();
        let beginning = first_beginning(&scope, &memory, &mut pool);
        let round = Evaluator::new(&scope, &memory, &mut pool, 1).run(&beginning);
        round.exits.iter().all(|&exit| pool.is_false(exit))
    }

    /// Whether no chain of calls between a function and those that call each other with it is endless, if each
    /// activation ends otherwise. Functions that do not call themselves end.
    pub fn of_recursion(&self, func: FuncId) -> Verdict {
        if !self.calls.is_recursive(func) {
            return Verdict::Ends(Reason::Once);
        }
        let component = self.calls.component_of(func);
        if let Some(known) = lock(&self.recursions).get(&component) {
            return known.clone();
        }
        let functions = &self.calls.components()[component];
        let is_model = functions.iter().all(|&f| self.program.functions[f].origin == Origin::Model);
        let found = match self.ranked_recursion(functions) {
            Verdict::Unknown if is_model => Verdict::Ends(Reason::Library),
            found => found,
        };
        lock(&self.recursions).insert(component, found.clone());
        found
    }

    fn structure(&self, func: FuncId) -> Arc<Structure> {
        let mut structures = lock(&self.structures);
        Arc::clone(structures.entry(func).or_insert_with(|| Arc::new(Structure::new(&self.program.functions[func]))))
    }

    fn ranked_loop(&self, func: FuncId, structure: &Structure, id: LoopId) -> Verdict {
        if structure.loops.get(id).is_irreducible() {
            return Verdict::Unknown;
        }
        let function = &self.program.functions[func];
        let counted = counting::of_loop(function, structure, (func, id), self.modref, self.startup);
        if let Some(Verdict::Ends(_)) = counted {
            return counted.unwrap_or(Verdict::Unknown);
        }
        let Some(scope) = Scope::of_loop(self.program, func, structure, id) else { return Verdict::Unknown };
        if counted == Some(Verdict::Endless) && self.only_returns(&scope) {
            return Verdict::Endless;
        }
        let mut pool = TermPool::new();
        let memory = Memory::new(&scope, self.modref, self.startup);
        let beginning = first_beginning(&scope, &memory, &mut pool);
        let seen = Evaluator::new(&scope, &memory, &mut pool, 0).run(&beginning);
        let mut memory = memory.with_cells(&scope, self.modref, &seen);
        memory.calls = memory::repeatable_calls(&scope, self.modref, |callee| self.only_computes(callee));
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
        let mut prove = |prover: &mut Prover<'_>, with_sums| {
            let mut transition = transition.clone();
            transition.holds.extend(known_of(&pair, None, with_sums));
            prover.begin_anew();
            let order = prover.order(&measures, std::slice::from_ref(&transition), &mut is_ended);
            if order.is_some() || candidates.is_empty() {
                return order;
            }
            prover.begin_anew();
            let invariants = prover.invariants(&rounds_of(&pair, with_sums), &candidates);
            transition.holds.extend(invariants.iter().flat_map(|&(first, second)| [first, second]));
            prover.begin_anew();
            prover.order(&measures, &[transition], &mut is_ended)
        };
        let has_sums = first.has_sums() || second.has_sums();
        if let Some(order) = prove(&mut prover, true) {
            let without = if has_sums { prove(&mut prover, false) } else { Some(order.clone()) };
            return Verdict::Ends(reason(&scope, &first, &order, without.as_deref()));
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
        let Some(links) = Links::read_by(self.modref, rounds) else { return false };
        let stays = |stores: BTreeSet<ProgramPoint>| rounds.iter().all(|(scope, _)| self.leaves_links(scope, &stores));
        if !self.stores_of(&links).is_some_and(stays) {
            return false;
        }
        if let Some(&known) = lock(&self.rings).get(&links) {
            return known;
        }
        let found = self.form_no_ring(&links);
        lock(&self.rings).insert(links, found);
        found
    }

    /// Whether a scope comes to none of these stores before it goes on, and no other thread does meanwhile.
    fn leaves_links(&self, scope: &Scope<'_>, stores: &BTreeSet<ProgramPoint>) -> bool {
        let goes_on = |block: BlockId, at: u32| scope.goes_on_behind((block, at as usize + 1));
        scope.blocks.iter().all(|&block| {
            (0..).zip(&scope.function.blocks[block].insts).all(|(inst, i)| {
                let at = ProgramPoint { func: scope.func, block, inst };
                let changes = match i.op {
                    Op::Call { .. } => {
                        let targets = self.modref.points_to().call_targets(self.program, at);
                        self.synchronises(at) || targets.iter().any(|&func| self.may_run(func, stores))
                    }
                    ref op => stores.contains(&at) || op.may_synchronise(),
                };
                !changes || !goes_on(block, inst)
            })
        })
    }

    /// Whether an instruction may synchronise, in any instance.
    fn synchronises(&self, at: ProgramPoint) -> bool {
        let instances = self.modref.points_to().instances_of(at.func);
        instances.iter().any(|&instance| self.modref.of_instruction(instance, at).synchronises)
    }

    /// Whether a call of a function may come to one of these points.
    fn may_run(&self, func: FuncId, points: &BTreeSet<ProgramPoint>) -> bool {
        let wanted: BTreeSet<FuncId> = points.iter().map(|at| at.func).collect();
        let mut seen = BTreeSet::from([func]);
        let mut work = vec![func];
        while let Some(func) = work.pop() {
            if wanted.contains(&func) {
                return true;
            }
            work.extend(self.calls.callees(func).iter().copied().filter(|&callee| seen.insert(callee)));
        }
        false
    }

    /// Whether no round leaves a loop: neither along an edge, nor in what it calls. A sum that overflows in it is what a
    /// processor makes of it.
    fn is_endless(
        &self,
        scope: &Scope<'_>,
        prover: &mut Prover<'_>,
        pair: &Pair<'_>,
        candidates: &[(Term, Term)],
    ) -> bool {
        if !self.only_returns(scope) {
            return false;
        }
        prover.begin_anew();
        let invariants = prover.invariants(&rounds_of(pair, false), candidates);
        let known: Vec<Term> = pair.first.known_at(pair.step, false).chain(invariants.iter().map(|i| i.0)).collect();
        pair.first.exits.iter().all(|&exit| prover.never(&known, exit))
    }

    fn ranked_recursion(&self, functions: &[FuncId]) -> Verdict {
        let structures: Vec<Arc<Structure>> = functions.iter().map(|&f| self.structure(f)).collect();
        let mut scopes = Vec::new();
        for (&func, structure) in functions.iter().zip(&structures) {
            let scope = self
                .inner_calls(func, functions)
                .and_then(|calls| Scope::of_body(self.program, func, structure, calls));
            let Some(scope) = scope.filter(|scope| measure::states_agree(scope, functions)) else {
                return Verdict::Unknown;
            };
            scopes.push(scope);
        }
        self.ranked_bodies(functions, &scopes)
    }

    fn ranked_bodies(&self, functions: &[FuncId], scopes: &[Scope<'_>]) -> Verdict {
        let mut pool = TermPool::new();
        let memories: Vec<Memory> = scopes.iter().map(|s| Memory::new(s, self.modref, self.startup)).collect();
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
                    let known = [false, true].map(|with_sums| known_of(&pair, Some(further), with_sums));
                    transitions.push((Transition { of: (at, next), ..found }, known));
                }
            }
            rounds.push(first);
        }
        let measures = measures.unwrap_or_default();
        let mut prover = Prover::new(&mut pool);
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
        for (at, targets, by_name) in rests::calls(self.program, self.modref, func) {
            if targets.iter().any(|target| functions.contains(target)) {
                let callee = by_name?;
                found.push(InnerCall { at, callee });
            }
        }
        Some(found)
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
        state.walk = Walk::From { origin: WalkOrigin::State(at), moved };
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
fn known_of(pair: &Pair<'_>, further: Option<usize>, with_sums: bool) -> Vec<Term> {
    let first = pair.first.known_at(pair.step, with_sums);
    let steps = pair.second.steps.iter().enumerate().filter(|(at, _)| further.is_none_or(|further| further == *at));
    let earliest = steps.map(|(_, step)| step).min_by_key(|step| step.facts);
    let second = earliest.into_iter().flat_map(|step| pair.second.known_at(step, with_sums));
    first.chain(second).collect()
}

/// What holds of two rounds of a loop of which the second one need not go on.
fn rounds_of(pair: &Pair<'_>, with_sums: bool) -> Vec<Term> {
    let is_known = |fact: &&Fact| with_sums || !fact.is_of_sum;
    let facts = pair.first.facts.iter().chain(&pair.second.facts).filter(is_known);
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

/// A lock that is not lost with a thread that panicked: what it guards is put there as a whole.
fn lock<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

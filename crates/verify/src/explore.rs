//! Paths of an epoch under a constraint, and what they take for granted.

use std::collections::VecDeque;
use std::sync::Arc;

use icsched_explore::explore::{self, Choice, Limits, PathOutcome, Strategy};
use icsched_ir::loops::Loop;
use icsched_ir::{BlockId, CallStack, EntityId as _};
use icsched_machine::code::Code;
use icsched_machine::{DecisionKind, DecisionSite, Machine, PathEnd, State};
use icsched_slicing::branch_sides::{leaving_side, shorter_side};
use icsched_slicing::control::Control;
use icsched_smt::{Model, Term, TermPool};
use icsched_symbolic::path::SymPath;
use icsched_symbolic::symbolic::SymbolicDomain;
use icsched_symbolic::trace::{Decision, OtherSide};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::budgets::BUDGETS;

/// Executes paths of one epoch.
pub(crate) struct Explorer<'a> {
    pub(crate) machine: &'a mut Machine<SymbolicDomain>,
    pub(crate) initial: &'a State<SymbolicDomain>,
    pub(crate) control: &'a Control,
    pub(crate) limits: Limits,
    /// What holds in every state of the epoch, as far as paths that were executed have told; each once.
    pub(crate) facts: Vec<Term>,
    known: FxHashSet<Term>,
    pub(crate) paths: u64,
}

impl<'a> Explorer<'a> {
    pub(crate) fn new(
        machine: &'a mut Machine<SymbolicDomain>,
        initial: &'a State<SymbolicDomain>,
        control: &'a Control,
        limits: Limits,
    ) -> Self {
        Self { machine, initial, control, limits, facts: Vec::new(), known: FxHashSet::default(), paths: 0 }
    }

    pub(crate) fn pool(&mut self) -> &mut TermPool {
        &mut self.machine.domain.pool
    }

    /// Executes one path on which `given` holds, and on which comparisons of floats have these outcomes. Where that
    /// leaves a choice, it is the model's, if there is one and it says something.
    pub(crate) fn execute(&mut self, given: &[Term], outcomes: &[(Term, bool)], model: Option<&Model>) -> PathOutcome {
        let mut state = self.initial.clone();
        if self.limits.errors {
            // From the program's entry on, a run is as long as it is until an input decides something.
            state.counts_from = None;
        }
        let mut forced = FxHashMap::default();
        for &condition in given {
            state.path.constrain(&self.machine.domain.pool, condition);
            forced.insert(condition, true);
            forced.insert(self.machine.domain.pool.not(condition), false);
        }
        for &(comparison, outcome) in outcomes {
            forced.entry(comparison).or_insert(outcome);
            forced.entry(self.machine.domain.pool.not(comparison)).or_insert(!outcome);
        }
        let code = Arc::clone(&self.machine.code);
        let mut strategy = Choices { control: self.control, code, forced, model, asked: FxHashMap::default() };
        self.paths += 1;
        let path = explore::execute_path(self.machine, state, &mut strategy, &self.limits);
        self.learn(given, &path, !self.limits.errors);
        path
    }

    /// The constraints of the paths that part from one which was executed under `given`. Together with that path they
    /// are all paths under `given`, but for those on which something undefined happens.
    pub(crate) fn others(&mut self, given: &[Term], path: &PathOutcome, queue: &mut VecDeque<Vec<Term>>) {
        let mut before = given.to_vec();
        let mut asked: FxHashSet<Term> = before.iter().copied().collect();
        for (site, decision) in &path.decisions {
            if !asked.insert(decision.condition) {
                continue;
            }
            let is_choice = site.kind != DecisionKind::Assume
                && !site.kind.false_is_error()
                && self.leaves(site, decision) != Some(true);
            if is_choice && decision.other != OtherSide::Infeasible {
                let other = self.pool().not(decision.condition);
                queue.push_back(before.iter().copied().chain([other]).collect());
            }
            before.push(decision.condition);
        }
    }

    /// What a path shows of all states of the epoch: what models take for granted (`__ics_assume`, `__ics_known`),
    /// where pointers may point, and if asked, as behind the first epoch, that nothing undefined happens. Each fact
    /// holds for the states that decide as the path did.
    pub(crate) fn learn(&mut self, given: &[Term], path: &PathOutcome, all_defined: bool) {
        let mut elsewhere: Vec<Term> = Vec::new();
        let mut said: FxHashSet<Term> = given.iter().chain(self.initial.path.constraints()).copied().collect();
        for (site, decision) in &path.decisions {
            said.insert(decision.condition);
            let defined = all_defined && site.kind.false_is_error() && decision.taken;
            if site.kind == DecisionKind::Assume || defined {
                let parts: Vec<Term> = elsewhere.iter().copied().chain([decision.condition]).collect();
                self.add(&parts);
                continue;
            }
            let otherwise = self.machine.domain.pool.not(decision.condition);
            let leaves = self.leaves(site, decision);
            if let Some(leaves) = leaves {
                let holds = if leaves { decision.condition } else { otherwise };
                let parts: Vec<Term> = elsewhere.iter().copied().chain([holds]).collect();
                self.add(&parts);
            }
            if leaves != Some(true) {
                elsewhere.push(otherwise);
            }
        }
        let mut told = SymPath::default();
        let mut all: Vec<Term> = said.iter().copied().collect();
        all.sort_unstable();
        all.iter().for_each(|&term| told.constrain(&self.machine.domain.pool, term));
        said.extend(told.constraints());
        for &condition in path.state.path.constraints() {
            if !said.contains(&condition) {
                let parts: Vec<Term> = elsewhere.iter().copied().chain([condition]).collect();
                self.add(&parts);
            }
        }
        // Of inputs that cause an error, or that the program assumes not to have, nothing is claimed.
        let nothing_there = matches!(path.end, PathEnd::GoesRound | PathEnd::Error(_));
        if nothing_there || path.contradicts_assumption(self.machine) {
            self.add(&elsewhere);
        }
    }

    /// Of a decision at the only way out of a replaced loop in which nothing else is to be found, whether it leaves the
    /// loop: all states that come there do. None for others.
    fn leaves(&self, site: &DecisionSite, decision: &Decision) -> Option<bool> {
        if site.kind != DecisionKind::Branch {
            return None;
        }
        let (func, from) = (site.point.func, site.point.block);
        let function = &self.machine.program.functions[func];
        let facts = self.control.function(func);
        let leads_on = |block: BlockId| !facts.quiet_exit.contains(block.index());
        let returns = |block: BlockId| function.blocks[block].terminator.edges().next().is_none() && leads_on(block);
        let replaced = &self.machine.options.marks.abstractions.loops;
        let is_left_here = |l: &&Loop| {
            let mut ways = l.exits.iter().filter(|(_, to)| leads_on(*to));
            replaced.contains_key(&(func, l.header))
                && !facts.stuck_tests.contains(from.index())
                && ways.next().is_some_and(|way| way.0 == from)
                && ways.next().is_none()
                && !l.block_ids().any(returns)
                && l.blocks.is_disjoint(&facts.may_synchronise)
        };
        let l = facts.loops.around(from).map(|l| facts.loops.get(l)).find(is_left_here)?;
        let target = function.blocks[from].terminator.edges().nth(usize::from(!decision.taken))?.target;
        Some(!l.contains(target))
    }

    fn add(&mut self, parts: &[Term]) {
        let fact = self.machine.domain.pool.or_all(parts);
        if !self.machine.domain.pool.is_true(fact) && self.known.insert(fact) {
            self.facts.push(fact);
        }
    }
}

struct Choices<'a> {
    control: &'a Control,
    code: Arc<Code>,
    forced: FxHashMap<Term, bool>,
    model: Option<&'a Model>,
    asked: FxHashMap<CallStack, u32>,
}

impl Strategy for Choices<'_> {
    fn choose(&mut self, pool: &TermPool, choice: &Choice, state: &State<SymbolicDomain>) -> bool {
        if let Some(&side) = self.forced.get(&choice.condition) {
            return side;
        }
        let says = |model: &&Model| {
            let symbols = pool.symbols_of(choice.condition);
            symbols.iter().all(|&s| pool.symbol_name(s).is_some_and(|name| model.get(name).is_some()))
        };
        if let Some(model) = self.model.filter(says) {
            return pool.eval_bool(choice.condition, model);
        }
        if choice.site.kind != DecisionKind::Branch {
            return true;
        }
        let count = self.asked.entry(state.stack(&self.code, choice.site.thread)).or_insert(0);
        *count += 1;
        let (program, point) = (state.program(), choice.site.point);
        let shorter = shorter_side(program, self.control, point);
        if *count <= BUDGETS.shorter_sides {
            return shorter;
        }
        leaving_side(program, self.control, point).unwrap_or(!shorter)
    }
}

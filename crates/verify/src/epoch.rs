//! One epoch: its constraints as they are in the file, whether they cover it, and whether its schedules are what
//! happens.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use icsched_epochs::graph;
use icsched_explore::explore::PathOutcome;
use icsched_machine::{DecisionKind, DecisionSite, MemoryErrors, PathEnd, ThreadId};
use icsched_schedule::{
    EpochId, EpochKey, EpochResult, IncompleteKind, InputConstraint, Reason, Schedule, ScheduleEnd, ScheduleId,
};
use icsched_smt::{Answer, CmpOp, Model, ModelValue, Solver as _, Term, TermPool, UnknownReason, Z3Solver, serial};
use icsched_symbolic::trace::Decision;

use crate::budgets::BUDGETS;
use crate::compare::{Outcome, compare};
use crate::concrete::{self, Runs};
use crate::explore::Explorer;
use crate::known::Known;
use crate::order;
use crate::outcome::{Cover, EpochCheck, Fault, FaultKind};

/// Inputs that are named in an example.
const SHOWN: usize = 8;

/// A schedule with its constraint as a term.
struct Stored<'d> {
    schedule: &'d Schedule,
    condition: Term,
}

/// What was tried of a schedule that does not say that it is behind an error, at all places of the tree where it is.
struct Tried {
    places: usize,
    followed: usize,
    /// Of these, those that go on behind an error.
    failed: usize,
    /// Whether these are all of its executions.
    are_all: bool,
}

/// What is checked of one epoch.
pub(crate) struct Checker<'a, 'd> {
    pub(crate) explorer: Explorer<'a>,
    pub(crate) epoch: &'d EpochResult,
    /// What is known at the beginning of each epoch.
    pub(crate) known: &'a BTreeMap<EpochId, Known>,
    /// Most paths for one schedule.
    pub(crate) max_paths: usize,
    pub(crate) faults: Vec<Fault>,
    pub(crate) reasons: Vec<Reason>,
    pub(crate) is_late: &'a dyn Fn() -> Option<Reason>,
    /// For runs in the concrete domain, if the epoch is the first.
    pub(crate) runs: Option<&'a Runs<'a>>,
    solver: Z3Solver,
    tried: BTreeMap<ScheduleId, Tried>,
    /// Symbols of constraints that no path has had yet, with the schedule.
    strange: Vec<(Option<ScheduleId>, Term)>,
    /// The schedules of which paths were executed.
    executed: BTreeSet<ScheduleId>,
}

impl<'a, 'd> Checker<'a, 'd> {
    pub(crate) fn new(
        explorer: Explorer<'a>,
        epoch: &'d EpochResult,
        known: &'a BTreeMap<EpochId, Known>,
        max_paths: usize,
        solver: Z3Solver,
        is_late: &'a dyn Fn() -> Option<Reason>,
        runs: Option<&'a Runs<'a>>,
    ) -> Self {
        let (faults, reasons, tried) = (Vec::new(), Vec::new(), BTreeMap::new());
        let (strange, executed) = (Vec::new(), BTreeSet::new());
        Self { explorer, epoch, known, max_paths, faults, reasons, is_late, runs, solver, tried, strange, executed }
    }

    pub(crate) fn check(&mut self) -> EpochCheck {
        let mut check = EpochCheck {
            id: self.epoch.key(),
            schedules: self.epoch.tree.ways().len(),
            cover: Cover::Undecided,
            proved: 0,
            tried_facts: Vec::new(),
            infeasible: Vec::new(),
            replayed: 0,
            overlapping: 0,
            paths: 0,
        };
        let mut stored = Vec::new();
        for (way, schedule) in self.epoch.tree.ways() {
            // What is decided on the way to a leaf holds of its inputs, too.
            let conditions: Option<Vec<Term>> =
                way.into_iter().map(|constraint| self.import(constraint, Some(schedule.id))).collect();
            if let Some(conditions) = conditions {
                let condition = self.explorer.pool().and_all(&conditions);
                stored.push(Stored { schedule, condition });
            }
        }
        let exits = self.epoch.early_exits.as_ref().and_then(|exits| self.import(exits, None));
        if self.epoch.reasons.is_empty() && self.is_impossible(&[]) {
            // Whatever is asked about such a state is true.
            let message = "what is known where it begins is true of no state".to_owned();
            self.fault(FaultKind::Facts, None, message, None);
        }
        for stored in &stored {
            self.schedule(stored, &mut check);
        }
        self.behind_unsaid();
        check.cover = self.cover(&stored, exits);
        check.overlapping = self.overlapping(&stored);
        self.strange_names();
        check.paths = self.explorer.paths;
        check
    }

    fn key(&self) -> EpochKey {
        self.epoch.key()
    }

    fn fault(&mut self, kind: FaultKind, schedule: Option<ScheduleId>, message: String, input: Option<String>) {
        let fault = Fault { kind, epoch: Some(self.key()), schedule, message, input };
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    fn open(&mut self, kind: IncompleteKind, schedule: Option<ScheduleId>, what: &str) {
        let of = schedule.map(|id| format!(", schedule {id}")).unwrap_or_default();
        let message = format!("epoch {}{of}: {what}", self.key());
        self.reasons.push(Reason { kind, message, at: None });
    }

    /// A constraint of the file, as a term on the state of the epoch.
    fn import(&mut self, constraint: &InputConstraint, of: Option<ScheduleId>) -> Option<Term> {
        let dag = constraint.dag.as_ref()?;
        let pool = self.explorer.pool();
        let wrong = match serial::import(pool, dag).as_deref() {
            Ok(&[term]) if pool.sort(term) == icsched_smt::Sort::Bv(1) => {
                let symbols = pool.symbols_of(term);
                let unknown = symbols.iter().copied().filter(|&symbol| pool.is_unclaimed(symbol));
                self.strange.extend(unknown.map(|symbol| (of, symbol)));
                return Some(term);
            }
            Ok(_) => "its constraint is no condition".to_owned(),
            Err(error) => format!("its constraint cannot be read: {error}"),
        };
        self.fault(FaultKind::Form, of, wrong, None);
        None
    }

    /// Names in constraints that no path has: of schedules that were executed, no state of the epoch has them.
    fn strange_names(&mut self) {
        if self.explorer.machine.domain.contradicts_discoveries() {
            let message = "what its names stand for is not what its paths come to".to_owned();
            self.fault(FaultKind::Form, None, message, None);
        }
        for (of, symbol) in std::mem::take(&mut self.strange) {
            let was_executed = of.is_none_or(|id| self.executed.contains(&id));
            if was_executed && self.explorer.pool().is_unclaimed(symbol) {
                let name = self.explorer.pool().symbol_name(symbol).unwrap_or_default().to_owned();
                let message = format!("its constraint is about {name}, which no state of the epoch has");
                self.fault(FaultKind::Form, of, message, None);
            }
        }
    }

    /// Values that satisfy conditions in some state of the epoch, as far as is known; what is known is asked for where
    /// it matters.
    fn model(&mut self, conditions: &[Term], active: &mut Vec<Term>) -> Result<Option<Model>, UnknownReason> {
        // What is impossible whatever the outcomes of comparisons of floats are is found out without laying out how
        // floats are computed.
        let pool = self.explorer.pool();
        if conditions.iter().any(|&term| pool.has_float(term))
            && let Ok(None) = self.model_of(conditions, active, TermPool::without_floats)
        {
            return Ok(None);
        }
        self.model_of(conditions, active, |_, term| term)
    }

    /// [`model`](Self::model) of what a function makes of each condition.
    fn model_of(
        &mut self,
        conditions: &[Term],
        active: &mut Vec<Term>,
        of: impl Fn(&mut TermPool, Term) -> Term,
    ) -> Result<Option<Model>, UnknownReason> {
        let pool = &mut self.explorer.machine.domain.pool;
        let facts: Vec<(Term, Term)> = self.explorer.facts.iter().map(|&fact| (fact, of(pool, fact))).collect();
        loop {
            let pool = &mut self.explorer.machine.domain.pool;
            let all = self.explorer.initial.path.constraints().iter().chain(active.iter()).chain(conditions);
            let all: Vec<Term> = all.map(|&term| of(pool, term)).collect();
            let always = pool.bool(true);
            let Some(model) = self.solver.model(pool, &all, always)? else { return Ok(None) };
            let before = active.len();
            let broken = facts.iter().filter(|&&(_, fact)| !pool.eval_bool(fact, &model));
            let broken: Vec<Term> = broken.map(|&(fact, _)| fact).filter(|fact| !active.contains(fact)).collect();
            active.extend(broken);
            if active.len() == before {
                return Ok(Some(model));
            }
        }
    }

    /// The constraints that hold symbols of `conditions` to their values in a model.
    fn pins(&mut self, conditions: &[Term], model: &Model) -> Vec<Term> {
        let pool = self.explorer.pool();
        let mut pins = Vec::new();
        for &condition in conditions {
            for &symbol in pool.symbols_of(condition).iter() {
                let icsched_smt::Sort::Bv(width) = pool.sort(symbol) else { continue };
                let name = pool.symbol_name(symbol).unwrap_or_default().to_owned();
                let bits = match model.get_sized(&name, width) {
                    Some(ModelValue::Bv { bits, .. }) => *bits,
                    Some(ModelValue::Array(_)) | None => 0,
                };
                let value = pool.constant_wide(width, bits);
                let pin = pool.cmp(CmpOp::Eq, symbol, value);
                if !pins.contains(&pin) {
                    pins.push(pin);
                }
            }
        }
        pins
    }

    /// The values of the symbols of some conditions, for people.
    fn example(&mut self, conditions: &[Term], model: &Model) -> Option<String> {
        let mut pins = self.pins(conditions, model);
        pins.truncate(SHOWN);
        let pool = self.explorer.pool();
        let printer = icsched_symbolic::print::Printer::new(pool);
        let shown: Vec<String> = pins.iter().map(|&pin| printer.condition(pin)).collect();
        (!shown.is_empty()).then(|| shown.join(" && "))
    }

    /// Every input satisfies some constraint, or ends the process on the way. A state that satisfies none is executed:
    /// either it shows that there is no such state, and is excluded, or it is one that has no schedule.
    fn cover(&mut self, stored: &[Stored<'_>], exits: Option<Term>) -> Cover {
        let all: Vec<Term> = stored.iter().map(|s| s.condition).chain(exits).collect();
        let outside: Vec<Term> = all.iter().map(|&term| self.explorer.pool().not(term)).collect();
        let mut active = Vec::new();
        for _ in 0..BUDGETS.cover_rounds {
            if let Some(reason) = (self.is_late)() {
                self.reasons.push(reason);
                return Cover::Undecided;
            }
            let model = match self.model(&outside, &mut active) {
                Ok(None) => return Cover::Proved,
                Ok(Some(model)) => model,
                Err(_) => return self.cover_is_open("the solver gave up on whether its schedules cover every input"),
            };
            let mut given = outside.clone();
            given.extend(self.pins(&outside, &model));
            let known = self.explorer.facts.len();
            let path = self.explorer.execute(&given, &[], Some(&model));
            self.errors(&path);
            match &path.end {
                PathEnd::Infeasible | PathEnd::GoesRound | PathEnd::Error(_) => {}
                PathEnd::Limit(_) | PathEnd::Unsupported { .. } | PathEnd::Unmodelled { .. } | PathEnd::LeftContext => {
                    return self.cover_is_open(&format!("a path that no schedule is for was cut: {:?}", path.end));
                }
                PathEnd::Exit { .. }
                | PathEnd::Abort { .. }
                | PathEnd::AssertFailed { .. }
                | PathEnd::Deadlock { .. }
                | PathEnd::Endless { .. }
                | PathEnd::Epoch => match self.explorer.machine.domain.model_of(path.state.path.constraints()) {
                    Ok(Some(model)) => return self.not_covered(&outside, &model, &path),
                    Ok(None) => {}
                    Err(_) => return self.cover_is_open("the solver gave up on a path that no schedule is for"),
                },
            }
            if self.explorer.facts.len() == known {
                // The model may be of an input that causes something undefined, of which nothing is claimed.
                self.explorer.learn(&given, &path, true);
            }
            if self.explorer.facts.len() == known {
                // Nothing was learnt of why there is no such state.
                return self.cover_is_open("a state that no schedule is for seems impossible, but is not excluded");
            }
            active.extend_from_slice(&self.explorer.facts[known..]);
        }
        let rounds = BUDGETS.cover_rounds;
        self.cover_is_open(&format!("whether its schedules cover every input is not decided after {rounds} rounds"))
    }

    fn cover_is_open(&mut self, what: &str) -> Cover {
        self.open(IncompleteKind::SolverGaveUp, None, what);
        Cover::Undecided
    }

    fn not_covered(&mut self, outside: &[Term], model: &Model, path: &PathOutcome) -> Cover {
        if !self.epoch.reasons.is_empty() {
            // The epoch says so itself.
            return Cover::Failed;
        }
        let input = self.example(outside, model);
        let ends = self.ends(path);
        let message = format!("some inputs satisfy the constraint of no schedule; they lead to {ends}");
        self.fault(FaultKind::Cover, None, message, input);
        Cover::Failed
    }

    fn ends(&self, path: &PathOutcome) -> ScheduleEnd {
        let machine = &*self.explorer.machine;
        graph::schedule_end(&machine.program, &machine.code, &path.state, &path.end)
    }

    /// Pairs of constraints that have inputs in common, if comparisons of floats may have any outcomes.
    fn overlapping(&mut self, stored: &[Stored<'_>]) -> usize {
        if stored.len() > BUDGETS.compared {
            return 0;
        }
        let mut pairs = 0;
        let mut active = self.explorer.facts.clone();
        for (i, a) in stored.iter().enumerate() {
            for b in &stored[..i] {
                let late = (self.is_late)().is_some();
                let both = [a.condition, b.condition];
                let mut in_common = || self.model_of(&both, &mut active, TermPool::without_floats);
                pairs += usize::from(!late && matches!(in_common(), Ok(Some(_))));
            }
        }
        pairs
    }

    /// The paths that a schedule's constraint admits follow it.
    fn schedule(&mut self, stored: &Stored<'_>, check: &mut EpochCheck) {
        let (schedule, id) = (stored.schedule, Some(stored.schedule.id));
        if matches!(schedule.ends, ScheduleEnd::Limit | ScheduleEnd::Input { .. }) {
            self.open(IncompleteKind::Limit, id, "its end is not known");
            return;
        }
        self.explorer.machine.options.epoch_length = concrete::follows_markers(&schedule.graph);
        let mut queue = VecDeque::from([vec![stored.condition]]);
        let (mut followed, mut early, mut cut, mut executed, mut decisions) = (0, 0, false, 0, 0);
        let mut failed = 0;
        while let Some(given) = queue.pop_front() {
            if let Some(reason) = (self.is_late)() {
                self.reasons.push(reason);
                return;
            }
            let is_much = executed > 0 && followed > 0 && decisions > BUDGETS.decisions;
            if executed == self.max_paths || is_much {
                queue.push_front(given);
                break;
            }
            if executed > 0 && self.is_impossible(&given) {
                continue;
            }
            let Some(outcomes) = self.outcomes(&given) else { continue };
            executed += 1;
            self.executed.insert(schedule.id);
            let path = self.explorer.execute(&given, &outcomes, None);
            self.errors(&path);
            decisions += path.decisions.len();
            self.explorer.others(&given, &path, &mut queue);
            match self.compare(schedule, &path) {
                Outcome::Followed => {
                    followed += 1;
                    failed += usize::from(!path.state.recovered.is_empty());
                    if followed == 1 {
                        self.replay(stored, &path, check);
                    }
                    self.facts(schedule, &path);
                }
                Outcome::Early => early += 1,
                Outcome::Nobody => {}
                Outcome::Wrong(_) if !self.has_outcomes(&given, &path) => {}
                Outcome::Wrong(how) => match self.explorer.machine.domain.model_of(path.state.path.constraints()) {
                    Ok(Some(model)) => {
                        let input = self.example(&[stored.condition], &model);
                        self.fault(FaultKind::Replay, id, how, input);
                        return;
                    }
                    Ok(None) => {}
                    Err(_) => {
                        cut = true;
                        self.open(
                            IncompleteKind::SolverGaveUp,
                            id,
                            &format!("the solver did not decide whether {how}"),
                        );
                    }
                },
                Outcome::Cut(kind, how) => {
                    cut = true;
                    self.open(kind, id, &how);
                }
            }
        }
        let all = queue.is_empty() && !cut;
        if let ScheduleEnd::Epoch(next) = schedule.ends
            && !all
            && !check.tried_facts.contains(&next)
        {
            check.tried_facts.push(next);
        }
        self.behind(schedule, (followed, failed), all);
        match (followed, early) {
            (0, 0) if all => check.infeasible.push(schedule.id),
            (0, _) if all => {
                let how = "all of its inputs end the process before its end";
                self.fault(FaultKind::Replay, id, how.to_owned(), None);
            }
            (0, _) => self.open(IncompleteKind::Limit, id, "no input that was tried follows it to its end"),
            _ => check.proved += usize::from(all),
        }
    }

    /// Outcomes of the comparisons of floats in some conditions with which these hold, for whatever floats; `None` if
    /// there are none.
    fn outcomes(&mut self, given: &[Term]) -> Option<Vec<(Term, bool)>> {
        let pool = &mut self.explorer.machine.domain.pool;
        let (mut all, mut outcomes) = (Vec::new(), Vec::new());
        for &condition in self.explorer.initial.path.constraints().iter().chain(given) {
            outcomes.extend(pool.float_conditions(condition));
            all.push(pool.without_floats(condition));
        }
        if outcomes.is_empty() {
            return Some(Vec::new());
        }
        let always = pool.bool(true);
        match self.solver.model(pool, &all, always) {
            Ok(Some(model)) => {
                let outcome = |term| {
                    let outcome = pool.without_floats(term);
                    (term, pool.eval_bool(outcome, &model))
                };
                Some(outcomes.into_iter().map(outcome).collect())
            }
            Ok(None) => None,
            Err(_) => Some(Vec::new()),
        }
    }

    /// Whether the comparisons of floats on a path can have had the outcomes that they had. They are inputs of their
    /// own there, so that the path's constraint does not tell.
    fn has_outcomes(&mut self, given: &[Term], path: &PathOutcome) -> bool {
        let pool = &mut self.explorer.machine.domain.pool;
        if !path.decisions.iter().any(|(_, decision)| pool.has_float(decision.condition)) {
            return true;
        }
        let taken = path.decisions.iter().map(|(_, decision)| decision.condition);
        let all: Vec<Term> = given.iter().copied().chain(taken).collect();
        self.outcomes(&all).is_some()
    }

    fn is_impossible(&mut self, given: &[Term]) -> bool {
        let mut all: Vec<Term> = self.explorer.initial.path.constraints().to_vec();
        all.extend(given);
        let pool = &mut self.explorer.machine.domain.pool;
        let always = pool.bool(true);
        if all.iter().any(|&term| pool.has_float(term)) {
            let without: Vec<Term> = all.iter().map(|&term| pool.without_floats(term)).collect();
            if self.solver.check(pool, &without, always) == Answer::Unsat {
                return true;
            }
        }
        self.solver.check(pool, &all, always) == Answer::Unsat
    }

    /// Whether a path is one of a schedule.
    fn compare(&self, schedule: &Schedule, path: &PathOutcome) -> Outcome {
        let is_excluded = self.explorer.machine.options.memory_errors == MemoryErrors::Stop || self.runs.is_none();
        match &path.end {
            _ if self.is_where_nobody_comes(path) => Outcome::Nobody,
            PathEnd::Infeasible | PathEnd::GoesRound => Outcome::Nobody,
            // Nothing is claimed of these inputs, but that the error happens: that is checked elsewhere.
            PathEnd::Error(_) if is_excluded && !matches!(schedule.ends, ScheduleEnd::MemoryError { .. }) => {
                Outcome::Nobody
            }
            end => compare(schedule, &self.explorer.machine.program, &self.explorer.machine.code, &path.state, end),
        }
    }

    /// Whether a path goes on behind an error that is taken not to happen: behind the first epoch, one by an address
    /// that nobody knows.
    fn is_where_nobody_comes(&self, path: &PathOutcome) -> bool {
        let is_error = |(site, d): &(DecisionSite, Decision)| site.kind == DecisionKind::Valid && !d.taken;
        self.runs.is_none() && path.decisions.iter().any(is_error)
    }

    /// Whether a schedule says right whether its executions go on behind an error, `failed` of `followed` that were
    /// tried do.
    fn behind(&mut self, schedule: &Schedule, (followed, failed): (usize, usize), are_all: bool) {
        if schedule.after_error.is_none() {
            let none = Tried { places: 0, followed: 0, failed: 0, are_all: true };
            let tried = self.tried.entry(schedule.id).or_insert(none);
            tried.places += 1;
            tried.followed += followed;
            tried.failed += failed;
            tried.are_all &= are_all;
        } else if failed < followed {
            let how = "executions that follow it do not go on behind an error".to_owned();
            self.fault(FaultKind::Errors, Some(schedule.id), how, None);
        }
    }

    /// A schedule says so if all its executions go on behind an error, wherever it is in the tree.
    fn behind_unsaid(&mut self) {
        let leaves: Vec<ScheduleId> = self.epoch.tree.leaves().map(|leaf| leaf.id).collect();
        for (id, Tried { places, followed, failed, are_all }) in std::mem::take(&mut self.tried) {
            let is_whole = are_all && places == leaves.iter().filter(|&&leaf| leaf == id).count();
            if is_whole && followed > 0 && failed == followed && self.runs.is_some() {
                let how = "all executions that follow it go on behind an error, and it does not say so".to_owned();
                self.fault(FaultKind::Errors, Some(id), how, None);
            }
        }
    }

    /// Errors that inputs of a path cause are told, by the place where they happen: inputs do not vanish.
    fn errors(&mut self, path: &PathOutcome) {
        let program = Arc::clone(&self.explorer.machine.program);
        let mut found: Vec<(String, String, Vec<Term>)> = Vec::new();
        if let PathEnd::Error(error) = &path.end {
            let all = path.state.path.constraints().to_vec();
            found.push((graph::place(&program, &error.stack), format!("{}: {}", error.kind, error.message), all));
        }
        for error in path.errors.iter().filter(|error| error.certain && !self.is_where_nobody_comes(path)) {
            let before = &path.state.path.constraints()[..error.constraints];
            let all = before.iter().copied().chain([error.condition]).collect();
            found.push((graph::place(&program, &error.stack), format!("{}: {}", error.kind, error.message), all));
        }
        for (at, message, conditions) in found {
            let in_list = self.epoch.errors.iter().any(|error| error.at == at);
            let is_end = |s: &Schedule| matches!(&s.ends, ScheduleEnd::MemoryError { at: there, .. } if *there == at);
            if in_list || self.epoch.tree.leaves().any(is_end) || !self.epoch.reasons.is_empty() {
                continue;
            }
            if let Ok(Some(model)) = self.explorer.machine.domain.model_of(&conditions) {
                let input = self.example(&conditions, &model);
                let message = format!("inputs cause an error that is not told, at {at}: {message}");
                self.fault(FaultKind::Errors, None, message, input);
            }
        }
    }

    /// In the concrete domain, too: an input of a path that follows a schedule follows it.
    fn replay(&mut self, stored: &Stored<'_>, path: &PathOutcome, check: &mut EpochCheck) {
        let Some(runs) = self.runs else { return };
        let Ok(Some(model)) = self.explorer.machine.domain.model_of(path.state.path.constraints()) else { return };
        let Some(input) = runs.input(&self.explorer.machine.domain.pool, stored.condition, &model) else { return };
        let Some(run) = runs.run(&input, &stored.schedule.graph) else { return };
        match compare(stored.schedule, &run.machine.program, &run.machine.code, &run.state, &run.end) {
            Outcome::Followed => check.replayed += 1,
            // What the path takes for granted of the library may be otherwise.
            Outcome::Early | Outcome::Nobody | Outcome::Cut(..) => {}
            Outcome::Wrong(how) => {
                let message = format!("in the concrete domain, {how}");
                self.fault(FaultKind::Replay, Some(stored.schedule.id), message, Some(concrete::describe(&input)));
            }
        }
    }

    /// What is taken to hold in the next epoch does at the end of a path, for some order of its threads.
    fn facts(&mut self, schedule: &Schedule, path: &PathOutcome) {
        if path.end != PathEnd::Epoch {
            return;
        }
        let next = graph::epoch(&self.explorer.machine.code, &path.state);
        let Some(known) = self.known.get(&next) else { return };
        let mut first = None;
        // Which order is right may be another one for each input.
        let mut wrong = path.state.path.constraints().to_vec();
        for threads in order::orders(known, self.explorer.machine, &path.state) {
            let (left, differs) = self.left(known, path, threads);
            if matches!(left, Facts::Hold) {
                return;
            }
            wrong.extend(differs);
            first.get_or_insert(left);
        }
        let is_choice = wrong.len() > path.state.path.constraints().len() + 1;
        if is_choice && matches!(self.explorer.machine.domain.model_of(&wrong), Ok(None)) {
            return;
        }
        match first.expect("there is an order") {
            Facts::Hold => {}
            Facts::Open(what) => {
                let how = format!("whether it leaves what epoch {} is searched with is not known: {what}", next.key());
                self.open(IncompleteKind::Unsupported, Some(schedule.id), &how);
            }
            Facts::Broken(what, all, model) => {
                let message = format!("epoch {} is searched as if this were so at its beginning: {what}", next.key());
                let input = self.example(&all, &model);
                self.fault(FaultKind::Facts, Some(schedule.id), message, input);
            }
            Facts::GaveUp => {
                let how = format!("the solver gave up on whether it leaves what epoch {} is searched with", next.key());
                self.open(IncompleteKind::SolverGaveUp, Some(schedule.id), &how);
            }
        }
    }

    /// Whether what is known of an epoch is so at the end of a path, and when it is not, if nothing is open.
    fn left(&mut self, known: &Known, path: &PathOutcome, threads: Vec<ThreadId>) -> (Facts, Option<Term>) {
        let differences = known.broken(self.known.get(&self.epoch.id), self.explorer.machine, path, threads);
        let open = differences.iter().find(|d| d.differs.is_none()).map(|d| d.what.clone());
        let told: Vec<(&str, Term)> = differences.iter().filter_map(|d| Some((&*d.what, d.differs?))).collect();
        let is_open = open.is_some();
        let otherwise = open.map_or(Facts::Hold, Facts::Open);
        if told.is_empty() {
            return (otherwise, None);
        }
        let any: Vec<Term> = told.iter().map(|(_, differs)| *differs).collect();
        let differs = self.explorer.pool().or_all(&any);
        let mut all = path.state.path.constraints().to_vec();
        all.push(differs);
        let facts = match self.explorer.machine.domain.model_of(&all) {
            Ok(None) => otherwise,
            Ok(Some(model)) => {
                let pool = &self.explorer.machine.domain.pool;
                let what = told.iter().find(|(_, differs)| pool.eval_bool(*differs, &model)).unwrap_or(&told[0]).0;
                Facts::Broken(what.to_owned(), all, model)
            }
            Err(_) => Facts::GaveUp,
        };
        (facts, (!is_open).then_some(differs))
    }
}

/// Whether what is taken to hold in an epoch does at the end of a path that leads there.
enum Facts {
    Hold,
    /// That cannot be told of this.
    Open(String),
    /// This does not, for a model of these terms.
    Broken(String, Vec<Term>, Model),
    GaveUp,
}

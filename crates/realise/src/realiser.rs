//! Looks for an input with which a run shows an end, generation by generation (Godefroid, Levin, Molnar 2008; Bergan
//! 3.6.2 leaves it open how a deadlock of a later epoch is reached).
//!
//! A run with some input is held to a chain of schedules as far as it goes. Where it leaves the chain, its path in the
//! symbolic domain says what inputs decided before; the last of these decisions is taken the other way first. The run
//! that came farthest along the chain is gone on with.

use std::collections::VecDeque;
use std::sync::Arc;

use icsched_epochs::Setting;
use icsched_ir::ProgramPoint;
use icsched_machine::scheduler::Scheduler;
use icsched_machine::{DecisionKind, PathEnd, ThreadId};
use icsched_schedule::{Input, InputConstraint};
use icsched_smt::{Model, Term, serial};
use icsched_symbolic::inputs::TestInput;
use icsched_symbolic::symbolic::SymbolicDomain;
use rustc_hash::FxHashSet;

use crate::budgets::BUDGETS;
use crate::chain::Chain;
use crate::goal::Goal;
use crate::inputs::input_of;
use crate::runner::{Ended, Followed, Runner};
use crate::schedulers::{ExitsLast, Ordered};
use crate::twin::{Text, Twin, domain};

/// A run that shows something: the program as it is, in this order.
pub struct Shown {
    /// Its input.
    pub input: TestInput,
    /// Who synchronises, in order.
    pub order: Arc<[ThreadId]>,
    /// The run.
    pub ended: Ended,
    /// Which of the chains that were tried led there; `None` if it was none of them.
    pub chain: Option<usize>,
}

/// What came of looking for a run.
pub enum Realised {
    /// This one shows it.
    Shown(Box<Shown>),
    /// No input leads there along these chains; says which decision stands in the way.
    Infeasible {
        /// As C, with where the search got to.
        core: String,
    },
    /// Nobody knows.
    Unknown {
        /// What stood in the way.
        why: String,
    },
}

/// What was done so far.
#[derive(Copy, Clone, Default, Debug)]
pub struct Counts {
    /// Runs in the concrete domain.
    pub runs: u64,
    /// Paths in the symbolic one.
    pub paths: u64,
    /// Instructions of both.
    pub instructions: u64,
}

impl Counts {
    /// Adds others.
    pub fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.paths += other.paths;
        self.instructions += other.instructions;
    }
}

/// Looks for runs of one program.
pub struct Realiser<'a, 'p> {
    setting: &'a Setting<'p>,
    runner: Runner<'a>,
    /// Sides of decisions that paths along one chain have taken.
    sides: FxHashSet<(ProgramPoint, bool)>,
    /// Other ends that runs came to, in the order in which they did: each with its input and order.
    met: Vec<(Goal, TestInput, Arc<[ThreadId]>)>,
    paths: u64,
    path_instructions: u64,
}

/// A path with decisions that were not taken the other way yet.
struct Open {
    twin: Twin,
    followed: Followed,
    /// Sides of decisions that no path before it had taken.
    fresh: usize,
    /// Whether it asks for what functions give for text, which says more in one step.
    is_short: bool,
    /// Decisions that can be taken the other way: those from `bound` up to here.
    next: usize,
    bound: usize,
}

impl Open {
    /// Which one is gone on with: who came farthest, then who did something new. A run that only goes round once more
    /// tells little.
    fn rank(&self) -> (usize, usize, bool, bool, usize) {
        (self.followed.links, self.followed.nodes, self.fresh > 0, self.is_short, self.fresh)
    }
}

/// A run whose text was not looked at byte by byte yet.
struct Run {
    input: TestInput,
    order: Arc<[ThreadId]>,
    followed: Followed,
    bound: (Text, usize),
}

/// What a search along a chain can go on with.
#[derive(Default)]
struct Opens {
    paths: Vec<Open>,
    runs: Vec<Run>,
    /// Runs since one was looked at byte by byte.
    runs_beside: usize,
}

impl Opens {
    /// The run that came farthest; of several the first one.
    fn take_run(&mut self) -> Option<Run> {
        let rank = |run: &Run| (run.followed.links, run.followed.nodes);
        let best = (0..self.runs.len()).rev().max_by_key(|&at| rank(&self.runs[at]))?;
        Some(self.runs.remove(best))
    }
}

/// Why a search has no answer.
#[derive(Default)]
struct Doubts {
    cut: bool,
    gave_up: bool,
    limit: bool,
    core: Option<(Followed, String)>,
}

impl<'a, 'p> Realiser<'a, 'p> {
    /// For a prepared program.
    pub fn new(setting: &'a Setting<'p>) -> Self {
        let runner = Runner::new(setting.request);
        Self { setting, runner, sides: FxHashSet::default(), met: Vec::new(), paths: 0, path_instructions: 0 }
    }

    /// What was done so far.
    pub fn counts(&self) -> Counts {
        let Runner { runs, instructions, .. } = self.runner;
        Counts { runs, paths: self.paths, instructions: instructions + self.path_instructions }
    }

    /// Looks for a run that ends so. Chains are tried one after the other, each with what holds of the inputs in the
    /// epoch behind it.
    pub fn realise(&mut self, chains: &[(Chain<'_>, Option<&InputConstraint>)], goal: &Goal) -> Realised {
        let first = self.runner.runs;
        // A run that is held to nothing may get there as well.
        let free = Chain { links: Vec::new() };
        let all: Vec<_> = chains.iter().map(|(chain, seed)| (chain, *seed)).chain([(&free, None)]).collect();
        let mut doubts = Doubts::default();
        // A few runs for each chain, then more: the shortest one may be none that can be followed.
        for most in BUDGETS.runs_of_chain {
            doubts = Doubts::default();
            for (at, &(chain, seed)) in all.iter().enumerate() {
                let until = self.runner.runs.saturating_add(most).min(first.saturating_add(BUDGETS.runs));
                if let Some(shown) = self.along(chain, seed, goal, until, &mut doubts) {
                    let chain = Some(at).filter(|&at| at < chains.len());
                    return Realised::Shown(Box::new(Shown { chain, ..shown }));
                }
            }
            if !doubts.limit {
                break;
            }
        }
        match doubts {
            Doubts { limit: true, .. } => {
                let runs = self.runner.runs - first;
                Realised::Unknown { why: format!("none of {runs} runs showed it, and no more were tried") }
            }
            Doubts { cut: true, .. } => {
                Realised::Unknown { why: "runs that may show it were cut at a limit".to_owned() }
            }
            Doubts { gave_up: true, .. } => Realised::Unknown { why: "the solver gave up on inputs".to_owned() },
            Doubts { core: Some((_, core)), .. } => Realised::Infeasible { core },
            Doubts { core: None, .. } => Realised::Unknown { why: "no input satisfies the first schedule".to_owned() },
        }
    }

    /// What else went wrong in runs so far; each is shown by a run of the program as it is.
    pub fn met(&mut self) -> Vec<(Goal, Shown)> {
        let met = std::mem::take(&mut self.met);
        let shown = met.into_iter().filter_map(|(goal, input, order)| {
            let shown = self.confirm(&input, order, &goal)?;
            Some((goal, shown))
        });
        shown.collect()
    }

    /// Runs the program with inputs of a chain, whose last schedule ends the process, and lets all other threads run on
    /// before it ends: also with inputs that decide otherwise what these inputs decide, at most a given number of runs.
    /// What goes wrong then is [met](Self::met).
    pub fn run_beyond_exit(&mut self, chain: &Chain<'_>, runs: usize) {
        let first: Vec<&InputConstraint> = chain.links.first().map_or_else(Vec::new, |link| link.way.clone());
        let mut waiting = VecDeque::from_iter(self.seeds(&first).into_iter().take(1));
        let mut tried: Vec<TestInput> = waiting.iter().cloned().collect();
        self.sides.clear();
        for _ in 0..runs {
            let Some(input) = waiting.pop_front() else { return };
            let Some(ended) = self.runner.run(&input, Box::<ExitsLast>::default()) else { return };
            if let Some(goal) = Goal::of(&ended.schedule_end()) {
                self.meet(goal, &input, ended.order());
            }
            let Some(mut twin) = self.follow(&input, Box::<ExitsLast>::default(), Text::Functions) else { return };
            self.sides.extend(twin.decided.iter().filter_map(|decided| decided.side));
            for at in (0..twin.decided.len()).rev().take(BUDGETS.questions) {
                if waiting.len() >= runs || self.setting.request.limits.reached().is_some() {
                    break;
                }
                // Of a decision that goes both ways there is nothing new to see.
                let Some((point, taken)) = twin.decided[at].side else { continue };
                if twin.decided[at].kind == DecisionKind::Assume || !self.sides.insert((point, !taken)) {
                    continue;
                }
                let Ok(Some(model)) = twin.other_side(at) else { continue };
                let other = self.setting.request.inputs.test_input(&model);
                if !tried.contains(&other) {
                    tried.push(other.clone());
                    waiting.push_back(other);
                }
            }
        }
    }

    /// Keeps what else a run came to.
    fn meet(&mut self, goal: Goal, input: &TestInput, order: Arc<[ThreadId]>) {
        if self.met.len() < BUDGETS.met && self.met.iter().all(|(met, ..)| *met != goal) {
            self.met.push((goal, input.clone(), order));
        }
    }

    /// Looks for a run along one chain, until there were so many in all.
    fn along(
        &mut self,
        chain: &Chain<'_>,
        seed: Option<&InputConstraint>,
        goal: &Goal,
        until: u64,
        doubts: &mut Doubts,
    ) -> Option<Shown> {
        // Another chain, or the same one with more runs, begins anew: what is new to it is not what was new before.
        self.sides.clear();
        let mut tried: Vec<TestInput> = Vec::new();
        let mut open = Opens::default();
        let way = chain.links.first().map(|link| link.way.as_slice());
        let seeds: Vec<&InputConstraint> = way.map_or_else(|| seed.into_iter().collect(), <[_]>::to_vec);
        for input in self.seeds(&seeds) {
            if !tried.contains(&input) {
                tried.push(input.clone());
                if let Some(shown) = self.run(chain, &input, (Text::Bytes, 0), goal, &mut open, doubts) {
                    return Some(shown);
                }
            }
        }
        loop {
            if self.runner.runs >= until || self.setting.request.limits.reached().is_some() {
                doubts.limit = true;
                return None;
            }
            // Bytes are looked at where functions have no answer, and now and then beside them: that takes long.
            if open.paths.is_empty() || open.runs_beside > BUDGETS.runs_beside_bytes {
                open.runs_beside = 0;
                if let Some(Run { input, order, followed, bound }) = open.take_run() {
                    self.open_path(&input, &order, Text::Bytes, (followed, bound), &mut open, doubts);
                }
            }
            // Both ways to look at text have their turns.
            let wants_short = open.runs_beside % 2 == 0;
            let best = (0..open.paths.len())
                .max_by_key(|&at| (open.paths[at].is_short == wants_short, open.paths[at].rank(), at));
            let Some(best) = best else {
                if open.runs.is_empty() {
                    return None;
                }
                continue;
            };
            let Open { twin, next, bound, followed, fresh, is_short } = &mut open.paths[best];
            if *next <= *bound {
                open.paths.remove(best);
                continue;
            }
            // It is asked less and less before others are.
            *fresh -= usize::from(*next % 8 == 0 && *fresh > 0);
            *next -= 1;
            let at = *next;
            if !is_worth_negating(twin.decided[at].kind, goal) {
                continue;
            }
            let text = if *is_short { Text::Functions } else { Text::Bytes };
            let model = twin.other_side(at);
            match model {
                Ok(None) => {
                    let is_farther = text == Text::Bytes
                        && doubts
                            .core
                            .as_ref()
                            .is_none_or(|(known, _)| (known.links, known.nodes) < (followed.links, followed.nodes));
                    if is_farther {
                        doubts.core = Some((*followed, twin.text(at)));
                    }
                }
                Err(_) => doubts.gave_up = true,
                Ok(Some(model)) => {
                    let input = self.setting.request.inputs.test_input(&model);
                    if !tried.contains(&input) {
                        tried.push(input.clone());
                        if let Some(shown) = self.run(chain, &input, (text, at + 1), goal, &mut open, doubts) {
                            return Some(shown);
                        }
                    }
                }
            }
        }
    }

    /// Inputs to begin with: one that satisfies the constraints of the first schedule, and one of nothing but zeros.
    fn seeds(&mut self, constraints: &[&InputConstraint]) -> Vec<TestInput> {
        let mut domain = domain(self.setting);
        let (_, bounds) = self.setting.request.inputs.arguments(&mut domain);
        let terms = constraints.iter().filter_map(|constraint| {
            let terms = serial::import(&mut domain.pool, constraint.dag.as_ref()?).ok()?;
            terms.first().copied()
        });
        let terms: Vec<Term> = terms.collect();
        let all: Vec<Term> = bounds.into_iter().chain(terms).collect();
        let model = domain.model_of(&all).ok().flatten();
        let inputs = &self.setting.request.inputs;
        let mut found: Vec<TestInput> = model.iter().map(|model| inputs.test_input(model)).collect();
        found.push(inputs.test_input(&Model::new()));
        found
    }

    /// Runs an input along a chain: shows the goal, or is a path whose decisions can be taken the other way.
    fn run(
        &mut self,
        chain: &Chain<'_>,
        input: &TestInput,
        bound: (Text, usize),
        goal: &Goal,
        open: &mut Opens,
        doubts: &mut Doubts,
    ) -> Option<Shown> {
        let (ended, followed) = self.runner.walk(self.setting, chain, input)?;
        let order = ended.order();
        match Goal::of(&ended.schedule_end()) {
            Some(own) if own == *goal => {
                if let Some(shown) = self.confirm(input, Arc::clone(&order), goal) {
                    return Some(shown);
                }
            }
            // Whatever goes wrong on the way is worth telling.
            Some(other) => self.meet(other, input, Arc::clone(&order)),
            None => {}
        }
        open.runs_beside += 1;
        self.open_path(input, &order, Text::Functions, (followed, bound), open, doubts);
        match bound {
            // What bytes have led to is gone on with by bytes.
            (Text::Bytes, 1..) => self.open_path(input, &order, Text::Bytes, (followed, bound), open, doubts),
            _ => open.runs.push(Run { input: input.clone(), order, followed, bound }),
        }
        tracing::debug!(?followed, input = ?input.argv, ends = %ended.schedule_end(), "a run along a chain");
        None
    }

    /// Opens the path of a run, if there is one.
    fn open_path(
        &mut self,
        input: &TestInput,
        order: &Arc<[ThreadId]>,
        text: Text,
        (followed, bound): (Followed, (Text, usize)),
        open: &mut Opens,
        doubts: &mut Doubts,
    ) {
        open.paths.extend(self.open(input, order, text, followed, bound, doubts));
        if open.paths.len() > BUDGETS.open_paths
            && let Some(worst) = (0..open.paths.len()).min_by_key(|&at| (open.paths[at].rank(), at))
        {
            open.paths.remove(worst);
            doubts.cut = true;
        }
    }

    /// The path of a run. `bound` counts decisions of a path that looks at text in the same way.
    fn open(
        &mut self,
        input: &TestInput,
        order: &Arc<[ThreadId]>,
        text: Text,
        followed: Followed,
        bound: (Text, usize),
        doubts: &mut Doubts,
    ) -> Option<Open> {
        let twin = self.twin(input, order, text)?;
        doubts.cut |= twin.is_cut;
        let bound = if bound.0 == text { bound.1 } else { 0 };
        let until = followed.left_at.map_or(twin.decided.len(), |left| {
            twin.decided.iter().rposition(|decided| decided.events <= left).map_or(0, |at| at + 1)
        });
        let fresh =
            twin.decided.iter().filter_map(|decided| decided.side).filter(|&side| self.sides.insert(side)).count();
        let asked = until.saturating_sub(BUDGETS.questions);
        doubts.cut |= asked > bound;
        let bound = bound.max(asked);
        Some(Open { twin, followed, fresh, is_short: text == Text::Functions, next: until, bound })
    }

    /// Runs the program as it is in an order, and looks whether that shows the goal.
    pub fn confirm(&mut self, input: &TestInput, order: Arc<[ThreadId]>, goal: &Goal) -> Option<Shown> {
        let ended = self.runner.run(input, Box::new(Ordered::new(Arc::clone(&order))))?;
        let is_shown = goal.is_shown_by(&ended.schedule_end());
        if !is_shown {
            tracing::debug!(ends = %ended.schedule_end(), ?goal, "a run in an order ends otherwise");
        }
        is_shown.then(|| Shown { input: input.clone(), order: ended.order(), ended, chain: None })
    }

    fn twin(&mut self, input: &TestInput, order: &Arc<[ThreadId]>, text: Text) -> Option<Twin> {
        self.follow(input, Box::new(Ordered::new(Arc::clone(order))), text)
    }

    fn follow(&mut self, input: &TestInput, scheduler: Box<dyn Scheduler<SymbolicDomain>>, text: Text) -> Option<Twin> {
        let twin = Twin::follow(self.setting, input, scheduler, text)?;
        self.paths += 1;
        self.path_instructions += twin.instructions;
        Some(twin)
    }

    /// A good input that is nearly the one of a run, and a condition that is true of the run's input alone: one of
    /// these neighbours, or one that takes a late decision the other way.
    pub fn near(&mut self, shown: &Shown, goal: &Goal, neighbours: &[TestInput]) -> Option<(Input, String)> {
        let mut twin = self.twin(&shown.input, &shown.order, Text::Functions)?;
        for input in neighbours.iter().take(BUDGETS.near) {
            if let Some(near) = self.good(input, shown)
                && let Some(condition) = self.difference(&twin, shown, input)
            {
                return Some((near, condition));
            }
        }
        let late = (0..twin.decided.len()).rev().filter(|&at| is_worth_negating(twin.decided[at].kind, goal));
        for at in late.take(BUDGETS.near).collect::<Vec<_>>() {
            if self.setting.request.limits.reached().is_some() {
                return None;
            }
            let Ok(Some(model)) = twin.other_side(at) else { continue };
            let input = self.setting.request.inputs.test_input(&model);
            if let Some(near) = self.good(&input, shown)
                && let Some(condition) = self.difference(&twin, shown, &input)
            {
                return Some((near, condition));
            }
        }
        None
    }

    /// A condition that is true of a run's input and false of another one: a readable one, if there is one.
    fn difference(&mut self, twin: &Twin, shown: &Shown, other: &TestInput) -> Option<String> {
        if let Some(at) = twin.first_other(&shown.input, other) {
            return Some(twin.text(at));
        }
        let exact = self.twin(&shown.input, &shown.order, Text::Bytes)?;
        exact.first_other(&shown.input, other).map(|at| exact.text(at))
    }

    /// Whether an input satisfies a constraint of the first epoch.
    pub fn satisfies(&mut self, input: &TestInput, constraint: &InputConstraint) -> bool {
        let mut domain = domain(self.setting);
        let terms = constraint.dag.as_ref().and_then(|dag| serial::import(&mut domain.pool, dag).ok());
        let Some(&[term]) = terms.as_deref() else { return false };
        domain.pool.eval_bool(term, &input.model())
    }

    /// An input, if the program ends by itself with it, in the order of a run as far as that goes.
    fn good(&mut self, input: &TestInput, shown: &Shown) -> Option<Input> {
        let ended = self.runner.run(input, Box::new(Ordered::new(Arc::clone(&shown.order))))?;
        matches!(ended.end, PathEnd::Exit { .. }).then(|| input_of(input, &ended.state.input_counts))
    }
}

/// Whether the other side of a decision may lead to the goal: what is an error leads to nothing else.
fn is_worth_negating(kind: DecisionKind, goal: &Goal) -> bool {
    match goal {
        Goal::Error(..) => kind != DecisionKind::Assume,
        Goal::Deadlock(_) | Goal::Endless(_) | Goal::Abort(..) => kind != DecisionKind::Assume && !kind.is_of_error(),
    }
}

//! All interleavings, depth first, one run each, without those that differ only in the order of steps that have nothing
//! to do with each other.
//!
//! Sources: dynamic partial-order reduction (Flanagan and Godefroid 2005) with sleep sets (Godefroid 1996). Deviations:
//!
//! 1. Steps depend on each other by all memory that they touch, not only by the objects of their operations: so
//!    programs with data races are explored, too.
//! 2. A step is compared with all earlier ones that conflict and do not happen before its thread's last step, when it
//!    has been executed, instead of the last such one in each state. What threads were about to do at the end of a run
//!    is compared, too.
//! 3. What ends the process keeps others from what they would have done. So where it is chosen, all other choices are
//!    explored.
//! 4. A thread that [goes round](super::trace::Pending::goes_round) is not enabled.

use std::collections::{BTreeSet, HashMap};

use anyhow::Result;

use super::clock::Clock;
use super::server::{Asleep, Mode, Request, Server};
use super::trace::{Access, Choice, Operation, Pending, Run, RunEnd, State, Step, Touched};

/// How much to explore.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    /// Runs of the search.
    pub(super) runs: u64,
    /// Runs at random, when the search has come to its bound.
    pub(super) random: u64,
    /// Seed of the first of these.
    pub(super) seed: u64,
    /// Leave out what differs only in the order of independent steps.
    pub(super) reduce: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { runs: 20_000, random: 200, seed: 1, reduce: true }
    }
}

/// What an exploration has come to, besides what each run said.
#[derive(Clone, Debug, Default)]
pub(super) struct Explored {
    /// Runs.
    pub(super) runs: u64,
    /// Why not all interleavings were explored; empty if all were.
    pub(super) reasons: BTreeSet<String>,
}

/// Explores a program with these arguments. `seen` is told of each run.
///
/// # Errors
/// The program cannot be run any more.
pub(super) fn explore(
    server: &mut Server,
    arguments: &[String],
    bounds: &Bounds,
    seen: &mut dyn FnMut(&Run),
) -> Result<Explored> {
    let mut search = Search { nodes: Vec::new(), operations: server.operations.clone(), bounds };
    let mut explored = Explored::default();
    loop {
        let prefix: Vec<Choice> = search.nodes.iter().map(|node| node.chosen).collect();
        let asleep = search.asleep();
        let request = Request { mode: Mode::Search, prefix: &prefix, asleep: &asleep, arguments };
        let run = server.run(&request, &mut |_, _| None)?;
        explored.runs += 1;
        note(&run, &mut explored.reasons);
        seen(&run);
        search.take(run);
        if !search.go_back() {
            return Ok(explored);
        }
        if explored.runs >= bounds.runs {
            explored.reasons.insert(format!("{} runs were made and others remain (--max-runs)", bounds.runs));
            break;
        }
    }
    for number in 0..bounds.random {
        let mode = Mode::Random(bounds.seed.wrapping_add(number));
        let run = server.run(&Request { mode, prefix: &[], asleep: &[], arguments }, &mut |_, _| None)?;
        explored.runs += 1;
        seen(&run);
    }
    Ok(explored)
}

/// What a run says of interleavings that are not explored.
fn note(run: &Run, reasons: &mut BTreeSet<String>) {
    let states = run.steps.iter().map(|step| &step.state).chain(&run.last);
    if states.into_iter().any(|state| state.left_out) {
        reasons.insert("threads time out only so often while others can go on (--timeouts)".to_owned());
    }
    let text = match run.end {
        RunEnd::Cut => "a run had too many steps, or took too long (--max-steps, --seconds)",
        RunEnd::Diverged => "the program did not do the same when it was run again",
        RunEnd::Late => "a run waited for something that the scheduler does not know",
        _ => return,
    };
    reasons.insert(text.to_owned());
}

/// A state on the current path.
struct Node {
    state: State,
    chosen: Choice,
    touched: Touched,
    /// Choices that are to be explored here.
    wanted: BTreeSet<Choice>,
    /// Those that were.
    done: Vec<Asleep>,
    /// What was explored elsewhere and is the same from here.
    asleep: Vec<Asleep>,
    /// How many steps of each thread happen before the end of this one, itself included.
    clock: Clock,
}

struct Search<'a> {
    nodes: Vec<Node>,
    operations: Vec<Operation>,
    bounds: &'a Bounds,
}

/// Which steps of the path touch a word.
#[derive(Default)]
struct Touching {
    words: HashMap<u64, Vec<(usize, Access)>>,
    everything: Vec<usize>,
    steps: usize,
}

impl Touching {
    fn add(&mut self, touched: &Touched) {
        match touched {
            Touched::Everything => self.everything.push(self.steps),
            Touched::Words(words) => {
                for &access in words {
                    self.words.entry(access.word()).or_default().push((self.steps, access));
                }
            }
        }
        self.steps += 1;
    }

    /// The steps that conflict, in order, and whether they do so in nothing but what operations synchronise on.
    fn conflicting(&self, touched: &Touched) -> Vec<(usize, bool)> {
        let Touched::Words(words) = touched else { return (0..self.steps).map(|step| (step, false)).collect() };
        let mut found: Vec<(usize, bool)> = self.everything.iter().map(|&step| (step, false)).collect();
        for &access in words {
            let of_word = self.words.get(&access.word()).map(Vec::as_slice).unwrap_or_default();
            let conflicts = of_word.iter().filter(|(_, other)| access.conflicts(*other));
            found.extend(conflicts.map(|(step, other)| (*step, access.synchronises() && other.synchronises())));
        }
        // Plain conflicts come first.
        found.sort_unstable();
        found.dedup_by_key(|(step, _)| *step);
        found
    }
}

impl Search<'_> {
    /// What sleeps where the path's last choice is made.
    fn asleep(&self) -> Vec<Asleep> {
        let Some(node) = self.nodes.last().filter(|_| self.bounds.reduce) else { return Vec::new() };
        node.asleep.iter().chain(&node.done).cloned().collect()
    }

    /// Adds a run that begins with the path, and what is to be explored for its sake.
    fn take(&mut self, run: Run) {
        let known = self.nodes.len();
        let ends_process = matches!(run.end, RunEnd::Exit(_) | RunEnd::Abort | RunEnd::Crash(_) | RunEnd::Killed(_));
        if run.steps.len() < known {
            return; // It diverged: that is a reason.
        }
        self.extend(run.steps, known);
        let mut touching = Touching::default();
        for at in 0..self.nodes.len() {
            if at + 1 >= known {
                self.order(at, &touching);
            }
            touching.add(&self.nodes[at].touched);
        }
        if !self.bounds.reduce {
            return;
        }
        if let Some(last) = &run.last {
            for pending in &last.threads {
                let before = self.clock_before(pending.thread, self.nodes.len());
                for way in &pending.ways {
                    self.race(pending, &way.touched, &before, &touching);
                }
            }
        }
        if ends_process && let Some(node) = self.nodes.last_mut() {
            let all: Vec<Choice> = node.state.choices().collect();
            node.wanted.extend(all);
        }
    }

    fn extend(&mut self, steps: Vec<Step>, known: usize) {
        for (at, step) in steps.into_iter().enumerate() {
            if at + 1 < known {
                continue;
            }
            if at + 1 == known {
                self.nodes[at].touched = step.touched;
                continue;
            }
            let asleep = self.asleep_behind(at);
            let all =
                if self.bounds.reduce { step.pending().choices().collect() } else { step.state.choices().collect() };
            self.nodes.push(Node {
                chosen: step.choice,
                state: step.state,
                touched: step.touched,
                wanted: all,
                done: Vec::new(),
                asleep,
                clock: Clock::default(),
            });
        }
    }

    /// What still sleeps behind the step before `at`.
    fn asleep_behind(&self, at: usize) -> Vec<Asleep> {
        let Some(node) = at.checked_sub(1).map(|before| &self.nodes[before]).filter(|_| self.bounds.reduce) else {
            return Vec::new();
        };
        let sleeps =
            |entry: &&Asleep| entry.choice.thread != node.chosen.thread && !entry.touched.conflicts(&node.touched);
        node.asleep.iter().chain(&node.done).filter(sleeps).cloned().collect()
    }

    /// The clock of a thread's last step before `end`.
    fn clock_before(&self, thread: u64, end: usize) -> Clock {
        let last = self.nodes[..end].iter().rev().find(|node| node.chosen.thread == thread);
        last.map(|node| node.clock.clone()).unwrap_or_default()
    }

    /// Finds what step `at` races with, and its clock.
    fn order(&mut self, at: usize, touching: &Touching) {
        let thread = self.nodes[at].chosen.thread;
        let before = self.clock_before(thread, at);
        let touched = self.nodes[at].touched.clone();
        if self.bounds.reduce {
            let pending = self.nodes[at].state.thread(thread).expect("it was chosen").clone();
            self.race(&pending, &touched, &before, touching);
        }
        let mut clock = before;
        for (step, _) in touching.conflicting(&touched) {
            clock.join(&self.nodes[step].clock);
        }
        clock.set(thread, clock.of(thread) + 1);
        self.nodes[at].clock = clock;
    }

    /// Wants other choices at each earlier step that conflicts with one of this thread, whose last step has the clock
    /// `before`, and that could come behind it.
    fn race(&mut self, pending: &Pending, touched: &Touched, before: &Clock, touching: &Touching) {
        for (step, only_synchronises) in touching.conflicting(touched) {
            let node = &self.nodes[step];
            let first = node.chosen.thread;
            let happens_before = node.clock.of(first) <= before.of(first);
            if first == pending.thread || happens_before || self.is_no_race(node, pending, only_synchronises) {
                continue;
            }
            let wanted = self.instead(step, pending.thread, before);
            self.nodes[step].wanted.extend(wanted);
        }
    }

    /// Whether a step that conflicts cannot come behind the other thread's operation: because it is what that waits
    /// for, or because the other thread went round meanwhile.
    fn is_no_race(&self, node: &Node, pending: &Pending, only_synchronises: bool) -> bool {
        let first = &self.operations[node.state.thread(node.chosen.thread).expect("it was chosen").operation];
        let second = &self.operations[pending.operation];
        if only_synchronises && !second.may_give_up && first.kind.only_enables(second.kind) {
            return true;
        }
        node.state.thread(pending.thread).is_some_and(|then| then.goes_round)
    }

    /// What to choose at a step so that a later one of `thread` can come in front of it.
    fn instead(&self, step: usize, thread: u64, before: &Clock) -> Vec<Choice> {
        let node = &self.nodes[step];
        let choices = |number: u64| -> Vec<Choice> {
            let pending = node.state.thread(number).filter(|pending| !pending.blocked);
            pending.map(|pending| pending.choices().collect()).unwrap_or_default()
        };
        let own = choices(thread);
        if !own.is_empty() {
            return own;
        }
        let leads_there = |later: &&Node| later.clock.of(later.chosen.thread) <= before.of(later.chosen.thread);
        let helpers = self.nodes[step + 1..].iter().filter(leads_there).map(|later| choices(later.chosen.thread));
        let helper = helpers.into_iter().find(|choices| !choices.is_empty());
        helper.unwrap_or_else(|| node.state.choices().collect())
    }

    /// Goes to the last state in which something is to be explored; `false` if there is none.
    fn go_back(&mut self) -> bool {
        while let Some(node) = self.nodes.last_mut() {
            node.done.push(Asleep { choice: node.chosen, touched: node.touched.clone() });
            let known = |choice: &Choice| node.done.iter().chain(&node.asleep).any(|entry| entry.choice == *choice);
            if let Some(&choice) = node.wanted.iter().find(|choice| !known(choice)) {
                node.chosen = choice;
                return true;
            }
            self.nodes.pop();
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_touches_a_word() {
        let words = |list: &[u64]| Touched::Words(list.iter().map(|&word| Access(word)).collect());
        let mut touching = Touching::default();
        touching.add(&words(&[8 | 1, 16]));
        touching.add(&Touched::Everything);
        touching.add(&words(&[16]));
        let steps = |touched: &Touched| touching.conflicting(touched).iter().map(|(step, _)| *step).collect::<Vec<_>>();
        assert_eq!(steps(&words(&[8])), [0, 1]);
        assert_eq!(steps(&words(&[16 | 1])), [0, 1, 2]);
        assert_eq!(steps(&Touched::Everything), [0, 1, 2]);
    }
}

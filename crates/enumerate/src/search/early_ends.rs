//! Executions that end the process before they come to the end of a schedule that admits them (prefix schedules,
//! Bergan 3.4.1.1).
//!
//! `if (fd < 0) exit(1);` is no condition of what follows, and where `open` has failed on a path `fd` is a constant,
//! so that there is no decision either that says that it has not. But whoever comes to the end of the path has not
//! exited. So where the exits of a path depend on decisions that are none of its conditions, the other side is
//! executed once: if it ends the process, inputs that go there leave nothing behind.

use icsched_epochs::graph;
use icsched_machine::PathEnd;
use icsched_slicing::objects::Objects;
use icsched_slicing::{Prepared, Slice, SliceDecision, Sliceable, alone_at_events};
use icsched_smt::{Answer, Term};
use rustc_hash::FxHashSet;

use super::state::Search;
use crate::budgets::BUDGETS;
use crate::engine::{self, Path};

impl Search<'_, '_> {
    /// What a path decides where its exits count as conditions, too; nothing where nothing is sliced.
    pub(super) fn with_exits(&mut self, path: &Path, objects: &Objects, prepared: &Prepared) -> Vec<SliceDecision> {
        if !self.options.slicing {
            return Vec::new();
        }
        let trace = Sliceable { objects, trace: &path.trace, prepared };
        trace.slice(self.statics, &mut self.caches, &[], true).decisions
    }

    /// Conditions that hold in all executions that come to the end of a path which its `slice` admits: none of them
    /// has ended the process.
    pub(super) fn not_elsewhere(&mut self, path: &Path, slice: &Slice, with_exits: &[SliceDecision]) -> Vec<Term> {
        let decided: FxHashSet<usize> = slice.decisions.iter().chain(&slice.early_exits).map(|d| d.event).collect();
        let alone = alone_at_events(&path.trace);
        let (mut before, mut known, mut found) = (Vec::new(), FxHashSet::default(), Vec::new());
        let mut aside = 0;
        for decision in with_exits {
            if !known.insert(decision.condition) {
                continue;
            }
            if !decided.contains(&decision.event) && alone[decision.event] && aside < BUDGETS.other_sides_of_path {
                aside += 1;
                let other = self.engine.pool().not(decision.condition);
                let constraint: Vec<Term> = before.iter().copied().chain([other]).collect();
                found.extend(self.aside(constraint, path));
            }
            before.push(decision.condition);
        }
        found
    }

    /// The inputs of a constraint that end the process before they come to the end of a path, negated, if they do.
    fn aside(&mut self, constraint: Vec<Term>, path: &Path) -> Option<Term> {
        if let Some(known) = self.aside.get(&constraint) {
            return *known;
        }
        if self.aside.len() >= BUDGETS.other_sides_in_epoch || self.engine.is_late() {
            return None;
        }
        let found = self.executed_aside(&constraint, path);
        self.aside.insert(constraint, found);
        found
    }

    fn executed_aside(&mut self, constraint: &[Term], path: &Path) -> Option<Term> {
        let (&other, before) = constraint.split_last()?;
        if self.engine.check(before, other) != Answer::Sat {
            return None;
        }
        self.paths += 1;
        let aside = self.engine.execute(self.statics, constraint, false);
        let is_alone = aside.state.live_threads().count() <= 1;
        if !engine::is_feasible(&aside)
            || !is_alone
            || !matches!(aside.end, PathEnd::Exit { .. } | PathEnd::Abort { .. })
        {
            return None;
        }
        let of = |path: &Path| graph::happens_before(self.statics.program, &path.state).ok();
        if !of(&aside)?.is_prefix_of(&of(path)?) {
            return None;
        }
        let objects = Objects::of(&aside.state.heap).with_initial(self.engine.initial_objects(&aside.state));
        let prepared = match self.options.slicing {
            true => Prepared::new(self.statics, &objects, &aside.trace),
            false => Prepared::default(),
        };
        let conditions: Vec<Term> = self.with_exits(&aside, &objects, &prepared).iter().map(|d| d.condition).collect();
        let exits = self.engine.pool().and_all(&conditions);
        Some(self.engine.pool().not(exits))
    }
}

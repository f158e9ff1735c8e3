//! The ends of schedules that are wrong, and errors that inputs cause: one suspect for each bug, as far as schedules
//! tell.

use std::collections::BTreeMap;

use icsched_realise::{Chain, Chains, Goal};
use icsched_schedule::{
    Enumeration, EpochKey, FindingKind, InputConstraint, PossibleError, Schedule, ScheduleEnd, StepRole,
};

use crate::budgets::BUDGETS;
use crate::describe::role;

/// Where a suspect is found.
#[derive(Clone, Debug)]
pub(crate) enum Found<'e> {
    /// At the end of a schedule: its place among the ways of its epoch.
    End(&'e Schedule, usize),
    /// On paths of an epoch.
    Error(&'e PossibleError),
}

/// Something that goes wrong in the schedules.
#[derive(Clone, Debug)]
pub(crate) struct Suspect<'e> {
    /// The end that a run is to have.
    pub(crate) goal: Goal,
    /// Where it is found: epochs in the order of the result.
    pub(crate) found: Vec<(EpochKey, Found<'e>)>,
}

impl<'e> Suspect<'e> {
    /// All suspects of these kinds, in the order of epochs and schedules.
    pub(crate) fn all(result: &'e Enumeration, chains: &Chains<'e>, kinds: &[FindingKind]) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        let mut places: BTreeMap<Goal, usize> = BTreeMap::new();
        let mut add = |goal: Goal, epoch: EpochKey, what: Found<'e>| {
            if !kinds.contains(&kind_of(&goal)) {
                return;
            }
            let at = *places.entry(goal.clone()).or_insert_with(|| {
                found.push(Self { goal, found: Vec::new() });
                found.len() - 1
            });
            found[at].found.push((epoch, what));
        };
        for epoch in &result.epochs {
            for (way, (_, schedule)) in chains.ways(epoch.key()).iter().enumerate() {
                if let Some(goal) = Goal::of(&schedule.ends) {
                    add(goal, epoch.key(), Found::End(schedule, way));
                }
            }
            // Of those that are open nobody says that an input causes them.
            for error in epoch.errors.iter().filter(|error| !error.is_open) {
                add(Goal::error(&error.message, &error.at), epoch.key(), Found::Error(error));
            }
        }
        found
    }

    /// Chains that lead there, the shortest first, with what holds of the inputs in an epoch that no chain leads to.
    /// Beside them is where each of them [leads](Self::found).
    pub(crate) fn chains(&self, chains: &Chains<'e>) -> (Vec<(Chain<'e>, Option<&'e InputConstraint>)>, Vec<usize>) {
        let mut all: Vec<(Chain<'e>, Option<&InputConstraint>, usize)> = Vec::new();
        for (at, (epoch, found)) in self.found.iter().take(BUDGETS.schedules).enumerate() {
            match found {
                Found::End(_, way) => all.extend(chains.to(*epoch, *way).into_iter().map(|chain| (chain, None, at))),
                Found::Error(error) => {
                    let constraint = Some(&error.constraint);
                    all.extend(chains.before(*epoch).into_iter().map(|chain| (chain, constraint, at)));
                }
            }
        }
        all.sort_by_key(|(chain, _, _)| chain.links.len());
        all.into_iter().map(|(chain, seed, at)| ((chain, seed), at)).unzip()
    }

    /// The schedule that one that was found is the end of.
    pub(crate) fn schedule_of(&self, found: usize) -> Option<&'e Schedule> {
        match self.found.get(found)? {
            (_, Found::End(schedule, _)) => Some(*schedule),
            (_, Found::Error(_)) => None,
        }
    }

    /// The schedule that it is told with, if it is the end of one.
    pub(crate) fn schedule(&self) -> Option<&'e Schedule> {
        self.found.iter().find_map(|(_, found)| match found {
            Found::End(schedule, _) => Some(*schedule),
            Found::Error(_) => None,
        })
    }

    /// For which inputs it happens in its epoch.
    pub(crate) fn constraint(&self) -> &'e str {
        match self.found.first() {
            Some((_, Found::End(schedule, _))) => &schedule.constraint.c,
            Some((_, Found::Error(error))) => &error.constraint.c,
            None => "true",
        }
    }

    /// The same for one that fits; empty if none does.
    pub(crate) fn constraint_of(&self, fits: &mut dyn FnMut(&InputConstraint) -> bool) -> &'e str {
        let constraints = self.found.iter().map(|(_, found)| match found {
            Found::End(schedule, _) => &schedule.constraint,
            Found::Error(error) => &error.constraint,
        });
        let found = constraints.into_iter().find(|constraint| fits(constraint));
        found.map_or("", |constraint| &constraint.c)
    }

    /// What happens, by the schedule alone.
    pub(crate) fn message(&self) -> String {
        match self.found.first() {
            Some((_, Found::End(schedule, _))) => match &schedule.ends {
                ScheduleEnd::Abort { message, .. } | ScheduleEnd::MemoryError { message, .. } => message.clone(),
                ScheduleEnd::Deadlock { .. } => "no thread can go on".to_owned(),
                ScheduleEnd::Endless { .. } => "a loop goes round for ever".to_owned(),
                ScheduleEnd::Exit { .. } | ScheduleEnd::Epoch(_) | ScheduleEnd::Input { .. } | ScheduleEnd::Limit => {
                    String::new()
                }
            },
            Some((_, Found::Error(error))) => error.message.clone(),
            None => String::new(),
        }
    }
}

/// The kind of finding that an end is.
pub(crate) fn kind_of(goal: &Goal) -> FindingKind {
    match goal {
        Goal::Deadlock(_) => FindingKind::Deadlock,
        Goal::Endless(_) => FindingKind::NoProgress,
        Goal::Abort(message, _) if message.starts_with("abort()") => FindingKind::Abort,
        Goal::Abort(..) => FindingKind::Assert,
        Goal::Error(..) => FindingKind::MemoryError,
    }
}

/// The ways whose schedules end the process while other threads run, by epoch.
pub(crate) fn cut_off(result: &Enumeration, chains: &Chains<'_>) -> Vec<(EpochKey, usize)> {
    let mut found = Vec::new();
    for epoch in &result.epochs {
        for (way, (_, schedule)) in chains.ways(epoch.key()).iter().enumerate() {
            let nodes = schedule.graph.nodes();
            let count = |what: StepRole| nodes.iter().filter(|node| role(&node.op) == what).count();
            let threads = epoch.id.stacks().len().max(1) + count(StepRole::Create);
            if matches!(schedule.ends, ScheduleEnd::Exit { .. }) && threads > 1 + count(StepRole::End) {
                found.push((epoch.key(), way));
            }
        }
    }
    found
}

/// Whether a result has anything of these kinds that runs are to show; or, unless only runs are looked at that are held
/// to the schedules, threads that are cut off.
pub fn needs_runs(result: &Enumeration, kinds: &[FindingKind], held: bool) -> bool {
    let chains = Chains::of(result);
    let are_cut_off = || !held && !cut_off(result, &chains).is_empty();
    !Suspect::all(result, &chains, kinds).is_empty() || are_cut_off()
}

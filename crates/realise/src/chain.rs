//! Which schedules lead from the program's entry to one.

use std::collections::{BTreeMap, VecDeque};

use icsched_schedule::{Enumeration, EpochId, EpochKey, InputConstraint, Schedule, ScheduleEnd};

use crate::budgets::BUDGETS;

/// One step of a chain.
#[derive(Clone, Debug)]
pub struct Link<'e> {
    /// The epoch.
    pub epoch: &'e EpochId,
    /// The schedule that is followed in it.
    pub schedule: &'e Schedule,
    /// What is decided on the way to it in the epoch's tree.
    pub way: Vec<&'e InputConstraint>,
}

/// Schedules one after the other, from the program's entry.
#[derive(Clone, Debug)]
pub struct Chain<'e> {
    /// The first epoch's first.
    pub links: Vec<Link<'e>>,
}

/// The epochs of a result with what leads where.
pub struct Chains<'e> {
    result: &'e Enumeration,
    places: BTreeMap<EpochKey, usize>,
    /// By epoch: who leads there, as epoch and place among [its ways](icsched_schedule::ScheduleTree::ways).
    sources: Vec<Vec<(usize, usize)>>,
    ways: Vec<Vec<(Vec<&'e InputConstraint>, &'e Schedule)>>,
}

impl<'e> Chains<'e> {
    /// Looks through a result. Linear in its schedules.
    pub fn of(result: &'e Enumeration) -> Self {
        let places: BTreeMap<EpochKey, usize> = result.epochs.iter().enumerate().map(|(at, e)| (e.key(), at)).collect();
        let ways: Vec<Vec<_>> = result.epochs.iter().map(|epoch| epoch.tree.ways()).collect();
        let mut sources = vec![Vec::new(); result.epochs.len()];
        for (epoch, own) in ways.iter().enumerate() {
            for (way, (_, schedule)) in own.iter().enumerate() {
                if let ScheduleEnd::Epoch(key) = &schedule.ends
                    && let Some(&to) = places.get(key)
                {
                    sources[to].push((epoch, way));
                }
            }
        }
        Self { result, places, sources, ways }
    }

    /// The ways of an epoch's tree, with their schedules.
    pub fn ways(&self, epoch: EpochKey) -> &[(Vec<&'e InputConstraint>, &'e Schedule)] {
        self.places.get(&epoch).map_or(&[], |&at| &self.ways[at])
    }

    /// Chains that end with a way of an epoch, the shortest first; one that goes round in the epoch graph comes to no
    /// epoch more often than a limit says. O(chains · links · schedules that lead to one epoch).
    pub fn to(&self, epoch: EpochKey, way: usize) -> Vec<Chain<'e>> {
        let Some(&at) = self.places.get(&epoch) else { return Vec::new() };
        let mut found = Vec::new();
        // Backwards, breadth first; each is the links so far, the last one first.
        let mut waiting = VecDeque::from([vec![(at, way)]]);
        let mut looked_at = 0;
        while let Some(begun) = waiting.pop_front() {
            looked_at += 1;
            if found.len() >= BUDGETS.chains || looked_at > BUDGETS.waiting {
                break;
            }
            let first = begun.last().map_or(0, |&(epoch, _)| epoch);
            if first == 0 {
                found.push(self.chain(&begun));
            }
            if begun.len() >= BUDGETS.links {
                continue;
            }
            for &(epoch, way) in &self.sources[first] {
                if begun.iter().filter(|&&(known, _)| known == epoch).count() < BUDGETS.rounds {
                    let mut longer = begun.clone();
                    longer.push((epoch, way));
                    waiting.push_back(longer);
                }
            }
        }
        found
    }

    /// Chains that end where an epoch begins; the empty one for the first epoch.
    pub fn before(&self, epoch: EpochKey) -> Vec<Chain<'e>> {
        let Some(&at) = self.places.get(&epoch) else { return Vec::new() };
        let mut found = Vec::new();
        if at == 0 {
            found.push(Chain { links: Vec::new() });
        }
        for &(source, way) in &self.sources[at] {
            found.extend(self.to(self.result.epochs[source].key(), way));
        }
        found.sort_by_key(|chain| chain.links.len());
        found.truncate(BUDGETS.chains);
        found
    }

    fn chain(&self, backwards: &[(usize, usize)]) -> Chain<'e> {
        let link = |&(epoch, way): &(usize, usize)| {
            let (way, schedule) = &self.ways[epoch][way];
            Link { epoch: &self.result.epochs[epoch].id, schedule, way: way.clone() }
        };
        Chain { links: backwards.iter().rev().map(link).collect() }
    }
}

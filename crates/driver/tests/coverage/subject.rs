//! An enumeration with the terms of its paths.

use std::collections::BTreeMap;

use icsched_enumerate::{Progress, SchedulePath, SearchedEpoch};
use icsched_epochs::Request;
use icsched_machine::memory::{AddressClass, ObjectKind, classify};
use icsched_machine::{State, Values as _};
use icsched_schedule::{EpochId, HappensBefore, Schedule, ScheduleEnd, ScheduleId};
use icsched_smt::{Term, serial};
use icsched_symbolic::symbolic::{SymValue, SymbolicDomain};

use crate::common::relation::Pointer;

/// A path that gave a schedule.
pub(crate) struct Path {
    pub(crate) state: State<SymbolicDomain>,
    pub(crate) precondition: Vec<Term>,
    pub(crate) early_exits: Vec<Vec<Term>>,
    pub(crate) graph: HappensBefore,
    pub(crate) ends: ScheduleEnd,
    pub(crate) id: ScheduleId,
}

/// Bytes of an object that are looked at for addresses.
const MAX_LOOKED_AT: u64 = 1024;

/// An epoch with its paths.
pub(crate) struct Epoch {
    pub(crate) searched: SearchedEpoch,
    pub(crate) paths: Vec<Path>,
    /// Addresses of objects that memory is known to hold when the epoch begins.
    pub(crate) pointers: Vec<Pointer>,
    /// The leaves of its tree, each with the conditions on the way to it.
    pub(crate) leaves: Vec<(Vec<Term>, Schedule)>,
}

/// All epochs of a program.
#[derive(Default)]
pub(crate) struct Subject {
    pub(crate) epochs: BTreeMap<EpochId, Epoch>,
    paths: Vec<Path>,
    /// Those of a first search, while there is a second one.
    first: BTreeMap<EpochId, Epoch>,
}

impl Progress for Subject {
    fn path(&mut self, _: u64, _: usize, _: usize) {}

    fn begin_epoch(&mut self, _: &EpochId) {
        self.paths.clear();
    }

    fn schedule(&mut self, path: &SchedulePath<'_>) {
        self.paths.push(Path {
            state: path.state.clone(),
            precondition: path.precondition.conditions().to_vec(),
            early_exits: path.early_exits.iter().map(|c| c.conditions().to_vec()).collect(),
            graph: path.graph.clone(),
            ends: path.ends.clone(),
            id: ScheduleId::of(path.graph, path.ends),
        });
    }

    fn end_epoch(&mut self, mut searched: SearchedEpoch) {
        let paths = std::mem::take(&mut self.paths);
        let pointers = pointers(&mut searched);
        self.epochs.insert(searched.id.clone(), Epoch { searched, paths, pointers, leaves: Vec::new() });
    }

    fn begin_again(&mut self) {
        self.first = std::mem::take(&mut self.epochs);
    }

    fn end_again(&mut self, is_better: bool) {
        let first = std::mem::take(&mut self.first);
        if !is_better {
            self.epochs = first;
        }
    }
}

impl Subject {
    /// Enumerates a program; `None` if not all of it can be.
    pub(crate) fn new(request: &Request) -> Result<Self, String> {
        let mut subject = Self::default();
        let result = icsched_enumerate::enumerate_with(request, &mut subject).map_err(|error| error.to_string())?;
        if result.is_complete() {
            for epoch in &result.epochs {
                let Some(own) = subject.epochs.get_mut(&epoch.id) else { continue };
                let pool = &mut own.searched.machine.domain.pool;
                for (way, schedule) in epoch.tree.ways() {
                    let dags = way.into_iter().map(|constraint| constraint.dag.as_ref());
                    let terms = dags.map(|dag| serial::import(pool, dag?).ok().map(|terms| terms[0]));
                    let terms: Option<Vec<Term>> = terms.collect();
                    own.leaves.push((terms.ok_or("a constraint has no term")?, schedule.clone()));
                }
            }
            return Ok(subject);
        }
        let reasons = result.reasons.iter().chain(result.epochs.iter().flat_map(|e| &e.reasons));
        Err(reasons.map(|r| r.message.clone()).next().unwrap_or_default())
    }
}

/// The words of the initial state's memory that hold addresses of its objects from the heap.
fn pointers(searched: &mut SearchedEpoch) -> Vec<Pointer> {
    let (initial, domain) = (&searched.initial, &mut searched.machine.domain);
    let is_heap = |address: u64| {
        let AddressClass::Object(id, _) = classify(address) else { return false };
        initial.heap.object(id).is_some_and(|object| matches!(object.kind, ObjectKind::Initial(_)))
    };
    let mut found = Vec::new();
    for (within, object) in initial.heap.live_objects() {
        for at in (0..object.size.min(MAX_LOOKED_AT).saturating_sub(7)).step_by(8) {
            let bytes = initial.heap.bytes(domain, &initial.path, within, at, 8);
            if let SymValue::Constant(address) = domain.join_bytes(&bytes)
                && is_heap(address)
            {
                found.push(Pointer { within, at, address });
            }
        }
    }
    found
}

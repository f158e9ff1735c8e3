//! Finished jobs as text: what a run keeps beside schedules, so that a later one need not search again.
//!
//! A record does not repeat the facts of its job, which whoever looks for it has: it has their digest, and of those
//! behind the epoch what is different.

use std::collections::BTreeMap;
use std::hash::{Hash as _, Hasher};
use std::sync::Arc;

use icsched_epochs::EpochFacts;
use icsched_facts::ShapeChange;
use icsched_schedule::{Enumeration, EpochId, EpochResult, KeptSearch};
use icsched_smt::SolverStatistics;
use serde::{Deserialize, Serialize};

use crate::answer::{Finished, Searched, Work};
use crate::plan::{Job, Learned};

#[derive(Serialize, Deserialize)]
struct Record {
    epoch: EpochId,
    facts: String,
    learned: Learned,
    successors: Vec<(EpochId, Difference)>,
    paths: u64,
    instructions: u64,
    queries: u64,
    /// Queries behind the search.
    finishing: u64,
}

/// How facts are different from others.
#[derive(Serialize, Deserialize)]
struct Difference {
    none_ended: bool,
    shape: ShapeChange,
}

impl Difference {
    fn between(from: &EpochFacts, to: &EpochFacts) -> Self {
        Self { none_ended: to.none_ended, shape: from.shape.change_to(&to.shape) }
    }

    fn apply(self, from: &EpochFacts) -> EpochFacts {
        EpochFacts { none_ended: self.none_ended, shape: from.shape.changed(self.shape) }
    }
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data has a JSON form")
}

/// What is written to it when something is hashed: no two things write the same.
#[derive(Default)]
struct Written(Vec<u8>);

impl Hasher for Written {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        unreachable!("the bytes are wanted")
    }
}

/// The same in all runs of one build.
fn digest(job: &Job) -> String {
    let mut written = Written::default();
    (&*job.facts, &*job.learned).hash(&mut written);
    Enumeration::digest_of(&written.0)
}

/// A finished job as text, without its schedules.
pub(crate) fn write(job: &Job, found: &Searched, finishing: &Work) -> String {
    let successors = found.successors.iter();
    let Work { paths, instructions, solver } = found.work;
    text(&Record {
        epoch: job.epoch.clone(),
        facts: digest(job),
        learned: Learned::clone(&found.learned),
        successors: successors.map(|(e, holds)| (e.clone(), Difference::between(&job.facts, holds))).collect(),
        paths,
        instructions,
        queries: solver.queries,
        finishing: finishing.solver.queries,
    })
}

/// What earlier runs have kept.
#[derive(Default)]
pub(crate) struct Records {
    /// By epoch and digest of what is known there and of how it is searched.
    known: BTreeMap<(EpochId, String), (Record, Option<EpochResult>)>,
    /// Epochs that there are records of: for others no digest is made.
    epochs: BTreeMap<EpochId, usize>,
}

impl Records {
    /// Reads what was [written](write); what cannot be read is left out, and searched again.
    pub(crate) fn read(kept: Vec<KeptSearch>) -> Self {
        let mut new = Self::default();
        for KeptSearch { record, result } in kept {
            let Ok(record) = serde_json::from_str::<Record>(&record) else { continue };
            *new.epochs.entry(record.epoch.clone()).or_default() += 1;
            let key = (record.epoch.clone(), record.facts.clone());
            let result = result.filter(|result| result.id == record.epoch);
            // Kept twice, the schedules are with one of the two.
            let earlier = new.known.remove(&key).and_then(|(_, result)| result);
            new.known.insert(key, (record, result.or(earlier)));
        }
        new
    }

    /// The result of a job, and its schedules if they were kept. It is not given again.
    pub(crate) fn take(&mut self, job: &Job) -> Option<(Arc<Searched>, Option<Finished>)> {
        self.epochs.get(&job.epoch)?;
        let (record, result) = self.known.remove(&(job.epoch.clone(), digest(job)))?;
        let Record { epoch: _, facts: _, learned, successors, paths, instructions, queries, finishing } = record;
        let successors = successors.into_iter().map(|(e, difference)| (e, difference.apply(&job.facts)));
        let solver = |queries| SolverStatistics { queries, ..SolverStatistics::default() };
        let work = Work { solver: solver(finishing), ..Work::default() };
        let finished = result.map(|result| Finished { result, work, is_cut: false });
        let work = Work { paths, instructions, solver: solver(queries) };
        let learned = Arc::new(learned);
        Some((Arc::new(Searched { successors: successors.collect(), work, learned, is_cut: false }), finished))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use icsched_facts::{Bounds, Element, Equation, Held, Length, Node, Place, Relation, RingOffset, Shape};
    use icsched_ir::{BlockId, CallStack, EntityId as _, FuncId, GlobalId, ProgramPoint, ValueId};
    use icsched_pointsto::ObjectId as Abstract;
    use icsched_schedule::ScheduleTree;

    use super::*;

    fn stack(inst: u32) -> CallStack {
        CallStack(vec![ProgramPoint { func: FuncId::from_index(0), block: BlockId::from_index(0), inst }])
    }

    fn offset((first, second): (Place, Place)) -> RingOffset {
        RingOffset { first, second, count: None, length: Length::At(first) }
    }

    fn ring(index: Place) -> Element {
        let array = Node::Global(GlobalId::from_index(3));
        Element { array, start: 192, stride: 8, size: 8, length: Length::Known(5), index, back: 2 }
    }

    fn facts(none_ended: bool, bytes: &[(u64, u8)], registers: &[(u32, u64)]) -> EpochFacts {
        let global = Node::Global(GlobalId::from_index(3));
        let value = ValueId::from_index(5);
        let bounds = none_ended.then_some(Bounds { width: 32, least: 1, greatest: 9 });
        let pair = (Place::Memory(global, 128, 4), Place::Memory(global, 64, 4));
        let shape = Shape {
            bytes: bytes.iter().map(|&(at, byte)| ((global, at), byte)).collect(),
            words: BTreeMap::from([((global, 64), (8, Held::Address(Node::Heap(0), -4)))]),
            registers: registers.iter().map(|&(t, bits)| ((t, 0, value), (32, Held::Bits(bits)))).collect(),
            bounds: bounds.map(|bounds| (Place::Memory(global, 128, 4), bounds)).into_iter().collect(),
            limits: bounds.map(|bounds| (pair.1, bounds)).into_iter().collect(),
            differences: bounds.map(|bounds| (pair, bounds)).into_iter().collect(),
            equations: bounds
                .map(|_| Equation { width: 32, terms: vec![(pair.0, 1)], constant: 7 })
                .into_iter()
                .collect(),
            elements: bounds.map(|_| (ring(pair.0), 9)).into_iter().collect(),
            ring_offsets: bounds.map(|_| (offset(pair), -1)).into_iter().collect(),
            choices: bounds.map(|_| (pair.1, vec![Held::Bits(0), Held::Address(global, 8)])).into_iter().collect(),
            handles: bounds.map(|_| (pair.1, BTreeSet::from([1]))).into_iter().collect(),
            relations: bounds.map(|_| Relation::default()),
            heap: vec![Abstract::from_index(7)],
            waits: vec![1, 0],
        };
        EpochFacts { none_ended, shape }
    }

    fn result(id: &EpochId) -> EpochResult {
        EpochResult {
            id: id.clone(),
            contexts: Vec::new(),
            tree: ScheduleTree::default(),
            early_exits: None,
            reasons: Vec::new(),
            errors: Vec::new(),
            inputs: Vec::new(),
            infeasible_removed: 0,
            max_live_threads: 1,
            assumed: Default::default(),
            searched_with: Default::default(),
        }
    }

    #[test]
    fn what_is_read_is_what_was_written() {
        let [epoch, other] = [1, 2].map(|inst| EpochId::new(vec![stack(inst)]));
        let learned = Arc::new(Learned { is_conservative: true, ..Learned::default() });
        let known = Arc::new(facts(true, &[(0, 1), (1, 2), (2, 3)], &[(1, 9)]));
        let job = Job { epoch: epoch.clone(), facts: known, learned: Arc::clone(&learned) };
        let behind = BTreeMap::from([
            (epoch.clone(), facts(true, &[(0, 1), (2, 4)], &[(1, 9)])),
            (other, facts(false, &[(7, 0)], &[(2, 8), (4, 8)])),
        ]);
        let solver = SolverStatistics { queries: 5, ..SolverStatistics::default() };
        let work = Work { paths: 2, instructions: 3, solver };
        let found = Searched { successors: behind, work, learned, is_cut: false };
        let finished = Finished { result: result(&epoch), work: Work { solver, ..Work::default() }, is_cut: false };
        let kept = |result| KeptSearch { record: write(&job, &found, &finished.work), result };
        let mut records = Records::read(vec![
            kept(Some(finished.result.clone())),
            kept(None),
            KeptSearch { record: "{".to_owned(), result: None },
        ]);
        let weaker = Job { facts: Arc::new(facts(true, &[(0, 1)], &[])), ..job.clone() };
        assert_eq!(records.take(&weaker), None, "of other facts");
        let unlearned = Job { learned: Arc::default(), ..job.clone() };
        assert_eq!(records.take(&unlearned), None, "of a search that began in another way");
        assert_eq!(records.take(&job), Some((Arc::new(found), Some(finished))));
        assert_eq!(records.take(&job), None, "only once");
    }
}

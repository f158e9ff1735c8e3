//! Finished jobs as text: what a run keeps beside schedules, so that a later one need not search again.
//!
//! A record does not repeat the facts of its job, which whoever looks for it has: it has their digest, and of those behind the epoch what is
//! different.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash as _, Hasher};
use std::sync::Arc;

use icsched_ir::ValueId;
use icsched_pointsto::ObjectId as Abstract;
use icsched_schedule::{Enumeration, EpochId, EpochResult, KeptSearch};
use icsched_smt::SolverStatistics;
use icsched_symex::shape::{Bounds, Bytes, Combinations, Element, Equation, Held, Node, Place, Shape, Turn};
use serde::{Deserialize, Serialize};

use super::EpochFacts;
use super::job::{Finished, Job, Learned, Searched, Work};

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
    bytes: Changes<(Node, u64), u8>,
    words: Changes<(Node, u64), (u8, Held)>,
    registers: Changes<(u32, u32, ValueId), (u8, Held)>,
    bounds: Changes<Place, Bounds>,
    ends: Changes<Place, Bounds>,
    differences: Changes<(Place, Place), Bounds>,
    choices: Changes<Place, Vec<Held>>,
    /// All of them: there are few.
    equations: Vec<Equation>,
    elements: Changes<Element, u64>,
    turns: Changes<Turn, i32>,
    handles: Changes<Place, BTreeSet<u32>>,
    combinations: Option<Combinations>,
    heap: Vec<Abstract>,
    waits: Vec<u32>,
}

/// Keys with other values, or none.
type Changes<K, V> = Vec<(K, Option<V>)>;

fn changes<K: Ord + Clone, V: PartialEq + Clone>(from: &BTreeMap<K, V>, to: &BTreeMap<K, V>) -> Changes<K, V> {
    let lost = from.keys().filter(|key| !to.contains_key(key)).map(|key| (key.clone(), None));
    let new = to.iter().filter(|(key, value)| from.get(key) != Some(value));
    lost.chain(new.map(|(key, value)| (key.clone(), Some(value.clone())))).collect()
}

fn changed<K: Ord + Clone, V: Clone>(from: &BTreeMap<K, V>, changes: Changes<K, V>) -> BTreeMap<K, V> {
    let mut map = from.clone();
    for (key, value) in changes {
        match value {
            Some(value) => map.insert(key, value),
            None => map.remove(&key),
        };
    }
    map
}

fn changed_bytes(from: &Bytes, changes: Changes<(Node, u64), u8>) -> Bytes {
    let mut bytes = from.clone();
    for (at, byte) in changes {
        match byte {
            Some(byte) => bytes.insert(at, byte),
            None => bytes.remove(&at),
        }
    }
    bytes
}

impl Difference {
    fn between(from: &EpochFacts, to: &EpochFacts) -> Self {
        let EpochFacts { none_ended, shape } = to;
        let Shape {
            bytes,
            words,
            registers,
            bounds,
            differences,
            equations,
            elements,
            turns,
            choices,
            handles,
            combinations,
            heap,
            waits,
            ends,
        } = shape;
        Self {
            none_ended: *none_ended,
            bytes: from.shape.bytes.changes(bytes).collect(),
            words: changes(&from.shape.words, words),
            registers: changes(&from.shape.registers, registers),
            bounds: changes(&from.shape.bounds, bounds),
            ends: changes(&from.shape.ends, ends),
            differences: changes(&from.shape.differences, differences),
            equations: equations.clone(),
            elements: changes(&from.shape.elements, elements),
            turns: changes(&from.shape.turns, turns),
            choices: changes(&from.shape.choices, choices),
            handles: changes(&from.shape.handles, handles),
            combinations: combinations.clone(),
            heap: heap.clone(),
            waits: waits.clone(),
        }
    }

    fn apply(self, from: &EpochFacts) -> EpochFacts {
        let Self {
            none_ended,
            bytes,
            words,
            registers,
            bounds,
            ends,
            differences,
            equations,
            elements,
            turns,
            choices,
            handles,
            combinations,
            heap,
            waits,
        } = self;
        let shape = Shape {
            bytes: changed_bytes(&from.shape.bytes, bytes),
            words: changed(&from.shape.words, words),
            registers: changed(&from.shape.registers, registers),
            bounds: changed(&from.shape.bounds, bounds),
            ends: changed(&from.shape.ends, ends),
            differences: changed(&from.shape.differences, differences),
            equations,
            elements: changed(&from.shape.elements, elements),
            turns: changed(&from.shape.turns, turns),
            choices: changed(&from.shape.choices, choices),
            handles: changed(&from.shape.handles, handles),
            combinations,
            heap,
            waits,
        };
        EpochFacts { none_ended, shape }
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
    use icsched_ir::{BlockId, CallStack, EntityId as _, FuncId, GlobalId, ProgramPoint};
    use icsched_schedule::ScheduleTree;
    use icsched_symex::shape::Length;

    use super::*;

    fn stack(inst: u32) -> CallStack {
        CallStack(vec![ProgramPoint { func: FuncId::from_index(0), block: BlockId::from_index(0), inst }])
    }

    fn turn((first, second): (Place, Place)) -> Turn {
        Turn { first, second, count: None, length: Length::At(first) }
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
            ends: bounds.map(|bounds| (pair.1, bounds)).into_iter().collect(),
            differences: bounds.map(|bounds| (pair, bounds)).into_iter().collect(),
            equations: bounds
                .map(|_| Equation { width: 32, terms: vec![(pair.0, 1)], constant: 7 })
                .into_iter()
                .collect(),
            elements: bounds.map(|_| (ring(pair.0), 9)).into_iter().collect(),
            turns: bounds.map(|_| (turn(pair), -1)).into_iter().collect(),
            choices: bounds.map(|_| (pair.1, vec![Held::Bits(0), Held::Address(global, 8)])).into_iter().collect(),
            handles: bounds.map(|_| (pair.1, BTreeSet::from([1]))).into_iter().collect(),
            combinations: bounds.map(|_| Combinations::default()),
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

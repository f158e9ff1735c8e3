//! Replaced loops that begin with what an earlier one has begun with ([`crate::abstraction`]).

use std::sync::Arc;

use icsched_ir::{BlockId, FuncId};
use icsched_smt::Term;

use super::forget::{objects, written};
use super::writes::Version;
use super::{SymValue, SymbolicDomain};
use crate::abstraction::{Effect, Passage, Replaced};
use crate::code::Code;
use crate::domain::{Domain as _, MemoryByte};
use crate::memory::{Heap, ObjectId};
use crate::path::SymPath;
use crate::trace::{Region, Repeatable};

/// Bytes that are compared one by one.
const MAX_COMPARED: u64 = 1 << 12;

/// Words written at constant offsets by which contents are told apart.
const MAX_CELLS: usize = 1 << 10;

/// All that a loop depends on when control comes to it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LoopBeginning {
    header: (FuncId, BlockId),
    values: Vec<SymValue>,
    memory: Vec<(ObjectId, u64, Contents)>,
}

/// What bytes hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Contents {
    /// Those of an object with these contents.
    Of(Version, u64),
    Bytes(Vec<MemoryByte<Term>>),
}

impl SymbolicDomain {
    /// The first time on the path that a loop began with the same as now. O(objects, and the bytes that it may read).
    pub(super) fn first_time(
        &mut self,
        heap: &Heap<Self>,
        path: &mut SymPath,
        passage: Passage,
        registers: &[SymValue],
    ) -> Option<Repeatable> {
        let replaced = Arc::clone(&self.origins.as_deref()?.forgotten.replaced);
        let replaced = replaced.loops.get(&(passage.func, passage.block));
        let inputs = replaced.filter(|_| passage.what == Replaced::Loop)?.inputs.as_ref()?;
        // What nobody has met yet cannot be compared, nor followed by slices.
        if inputs.reads_others && !(self.knows_objects() && path.forgotten().is_empty()) {
            return None;
        }
        let held = inputs.values.iter().map(|&value| registers.get(Code::slot(value) as usize).copied());
        let values = held.collect::<Option<Vec<SymValue>>>()?;
        self.know_objects(path, heap);
        let reads = Effect { writes: inputs.reads.clone(), ..Effect::default() };
        let (mut memory, mut regions, mut compared) = (Vec::new(), Vec::new(), 0);
        for (id, kind, at, size) in objects(heap) {
            let candidates = self.candidates(path, id, kind, at);
            for (start, end) in written(&reads, &candidates, size) {
                let unknown = heap.contents_of(id).and_then(|array| array.unknown()).cloned();
                let contents = match unknown {
                    Some(unknown) if unknown.cells.iter().nth(MAX_CELLS).is_some() => return None,
                    Some(unknown) => Contents::Of(self.version_of(&unknown), end),
                    None => {
                        compared += end - start;
                        if compared > MAX_COMPARED {
                            return None;
                        }
                        Contents::Bytes(heap.bytes(self, path, id, start, end - start).into_vec())
                    }
                };
                memory.push((id, start, contents));
                regions.push(Region { object: id, start, len: end - start, exact: true });
            }
        }
        let beginning = LoopBeginning { header: (passage.func, passage.block), values, memory };
        let first = path.first_with(beginning, passage);
        Some(Repeatable { passage, first, values: inputs.values.clone(), regions })
    }
}

//! Replaced loops that begin with what an earlier one has begun with ([`icsched_machine::abstraction`]).

use std::sync::Arc;

use icsched_pointsto::Piece;

use super::beginning::{Contents, LoopBeginning};
use super::forget::{objects, written};
use crate::budgets::BUDGETS;
use crate::domain::SymbolicDomain;
use crate::memory::contents::Unknown;
use crate::path::SymPath;
use crate::trace::{Region, Repeatable};
use crate::values::value::SymValue;
use icsched_machine::abstraction::{Effect, Passage, Replaced};
use icsched_machine::code::Code;
use icsched_machine::domain::Objects as _;
use icsched_machine::memory::{Heap, ObjectId, ObjectKind};

impl SymbolicDomain {
    /// The first time on the path that a loop began with the same as now. O(objects, and the bytes that it may read).
    pub(crate) fn first_time(
        &mut self,
        heap: &Heap<Self>,
        path: &mut SymPath,
        passage: Passage,
        registers: &[SymValue],
    ) -> Option<Repeatable> {
        let replaced = Arc::clone(&self.origins.as_deref()?.forgotten.replaced);
        let replaced = replaced.loops.get(&(passage.func, passage.block));
        let inputs = replaced.filter(|_| passage.what == Replaced::Loop)?.inputs.as_ref()?;
        let held = inputs.values.iter().map(|&value| registers.get(Code::slot(value) as usize).copied());
        let values = held.collect::<Option<Vec<SymValue>>>()?;
        self.know_objects(path, heap);
        let meets_all = self.knows_objects() && path.forgotten().is_empty();
        let unmet = if meets_all { Vec::new() } else { inputs.others.clone() };
        let forgot = path.forgotten().iter().rev().find(|&passage| self.may_write(passage, &unmet)).copied();
        let reads = Effect { writes: inputs.reads.clone(), ..Effect::default() };
        let (mut memory, mut regions, mut compared) = (Vec::new(), Vec::new(), 0);
        for (id, kind, at, size) in objects(heap) {
            let candidates = self.candidates(path, id, kind, at);
            let is_as_met = self.is_as_met(heap, id, kind);
            for (start, end) in written(&reads, &candidates, size) {
                regions.push(Region { object: id, start, len: end - start, exact: true });
                if is_as_met {
                    continue;
                }
                let unknown = heap.contents_of(id).and_then(|array| array.unknown()).cloned();
                let contents = match unknown {
                    Some(unknown) if unknown.cells.iter().nth(BUDGETS.compared_cells).is_some() => return None,
                    Some(unknown) => Contents::Of(self.version_of(&unknown), end),
                    None => {
                        compared += end - start;
                        if compared > BUDGETS.compared_bytes {
                            return None;
                        }
                        Contents::Bytes(heap.bytes(self, path, id, start, end - start).into_vec())
                    }
                };
                memory.push((id, start, contents));
            }
        }
        let beginning = LoopBeginning { header: (passage.func, passage.block), values, memory, forgot };
        let first = path.first_with(beginning, passage);
        Some(Repeatable { passage, first, values: inputs.values.clone(), regions, unmet })
    }

    /// Whether what is replaced may write to one of some objects.
    fn may_write(&mut self, passage: &Passage, pieces: &[Piece]) -> bool {
        let Some(effect) = self.origins().forgotten.replaced.effect(passage) else { return false };
        let mut writes = effect.writes.iter().chain(effect.stores.iter().flat_map(|store| &store.writes));
        !pieces.is_empty() && effect.everything
            || writes.any(|write| pieces.iter().any(|piece| piece.object == write.object))
    }

    /// Whether an object of the initial state holds what it did when the path met it, or what replaced loops alone have
    /// left in it: then the same is read before it is met.
    fn is_as_met(&self, heap: &Heap<Self>, id: ObjectId, kind: ObjectKind) -> bool {
        let contents = heap.contents_of(id).and_then(|array| array.unknown());
        matches!(kind, ObjectKind::Initial(_)) && contents.is_some_and(Unknown::is_untouched)
    }
}

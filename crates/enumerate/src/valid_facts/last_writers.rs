//! Which instruction of the program wrote what memory holds at the end of a path.

use std::collections::BTreeMap;

use icsched_ir::{BlockId, FuncId};
use icsched_machine::memory::ObjectId;
use icsched_machine::thread::FrameId;
use icsched_symbolic::trace::{Trace, TraceEvent};
use rustc_hash::FxHashMap;

/// Instructions by a number: what has written a byte last, and what may have done so since; [`UNWRITTEN`] for none.
pub(super) type Writer = (usize, usize);

const UNWRITTEN: usize = 0;

/// Bytes with the instructions that wrote each last.
pub(super) struct Writers {
    writers: BTreeMap<(ObjectId, u64), Writer>,
    /// Where the instructions are, by number.
    blocks: Vec<(FuncId, BlockId)>,
}

impl Writers {
    /// Of these bytes. O(events + bytes written).
    pub(super) fn of(trace: &Trace, bytes: impl Iterator<Item = (ObjectId, u64)>) -> Self {
        let writers = bytes.map(|byte| (byte, (UNWRITTEN, UNWRITTEN))).collect();
        let mut found = Self { writers, blocks: Vec::new() };
        let mut numbers: FxHashMap<(FuncId, BlockId, u32), usize> = FxHashMap::default();
        let mut blocks: FxHashMap<FrameId, BlockId> = trace.start.iter().map(|&(f, block, _)| (f, block)).collect();
        for event in &trace.events {
            let (frame, inst, regions) = match event {
                TraceEvent::Block { frame, block, .. } => {
                    blocks.insert(*frame, *block);
                    continue;
                }
                TraceEvent::Store { frame, inst, regions } => (frame, *inst, regions),
                TraceEvent::Forget { frame, call, regions, .. } => (frame, call.unwrap_or_default(), regions),
                _ => continue,
            };
            let (Some(info), Some(&block)) = (trace.frames.get(frame), blocks.get(frame)) else { continue };
            for region in regions {
                let end = region.start.saturating_add(region.len);
                let mut written =
                    found.writers.range_mut((region.object, region.start)..(region.object, end)).peekable();
                if written.peek().is_some() {
                    let next = UNWRITTEN + 1 + numbers.len();
                    let number = *numbers.entry((info.func, block, inst)).or_insert_with(|| {
                        found.blocks.push((info.func, block));
                        next
                    });
                    written.for_each(|(_, writer)| {
                        *writer = if region.exact { (number, UNWRITTEN) } else { (writer.0, number) }
                    });
                }
            }
        }
        found
    }

    /// Of a byte.
    pub(super) fn get(&self, object: ObjectId, byte: u64) -> Writer {
        self.writers.get(&(object, byte)).copied().unwrap_or((UNWRITTEN, UNWRITTEN))
    }

    /// The block that wrote a byte last.
    pub(super) fn last(&self, object: ObjectId, byte: u64) -> Option<(FuncId, BlockId)> {
        let (number, _) = self.get(object, byte);
        number.checked_sub(UNWRITTEN + 1).map(|at| self.blocks[at])
    }
}

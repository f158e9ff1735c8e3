//! What a path leaves in objects that it has written at offsets which inputs choose.

use icsched_smt::Term;

use icsched_machine::domain::MemoryByte;
use icsched_machine::memory::ObjectId;

use super::Walk;
use super::tally::Tally;

impl Walk<'_, '_> {
    /// Numbers of 32 bits that may have been written at offsets that are no constants are a choice: constant where no
    /// choice matters any more, as that of a counter which went up and down again. Others are many (the elements of a
    /// table), and are of interest in locks.
    pub(crate) fn chosen(
        &mut self,
        object: ObjectId,
        at: u64,
        bytes: &mut [Option<MemoryByte<Term>>],
        (is_lock, tally): (bool, &mut Tally),
    ) {
        let Some(array) = self.state.heap.contents_of(object) else { return };
        for (half, at) in bytes.chunks_mut(4).zip((at..).step_by(4)).filter(|(half, _)| half.contains(&None)) {
            if !is_lock && tally.is_table() {
                continue;
            }
            let held = self.machine.domain.peek_choice(array, at, half.len() as u64);
            let is_constant = |held: &Vec<_>| held.iter().all(|byte| matches!(byte, MemoryByte::Constant(_)));
            let is_constant = held.as_ref().is_some_and(is_constant);
            if !is_lock {
                tally.count(is_constant);
            }
            let held = held.filter(|_| is_lock || is_constant);
            for (byte, held) in half.iter_mut().zip(held.into_iter().flatten()) {
                *byte = Some(held);
            }
        }
    }
}

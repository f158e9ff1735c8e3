//! Loads and stores of one round.

use icsched_ir::{BlockId, ValueId};

use super::evaluator::Evaluator;
use super::memory::Cell;
use super::round::Access;
use super::value::{Origin, Val, Walk};

impl Evaluator<'_, '_> {
    /// The result of a load.
    pub(super) fn load(&mut self, at: (BlockId, usize), result: ValueId, address: Val, is_plain: bool) {
        let bits = self.scope.function.values[result].ty.bits();
        self.note_access(at, address, bits, false);
        let cell = self.memory.cells.iter().position(|c| (c.address, c.bits) == (address.bits, bits) && is_plain);
        let mut val = match cell {
            Some(cell) => self.now[cell],
            None if is_plain && self.memory.same.contains(&at) => {
                let symbol = self.pool.symbol(&format!("at{}", address.bits.index()), bits);
                match address.fixed {
                    true => Val::fixed(self.pool, symbol),
                    false => Val::new(self.pool, symbol),
                }
            }
            None => self.unknown(result),
        };
        if let Walk::From { origin: origin @ Origin::State(state), moved } = address.walk
            && is_plain
            && cell.is_none()
        {
            let begin = self.round.begins[state].bits;
            let null = self.pool.constant(self.pool.width(begin), 0);
            let is_somewhere = self.pool.ne(begin, null);
            let holds = self.pool.or_all(&[moved, is_somewhere]);
            self.assume(at.0, holds);
            val.walk = Walk::From { origin, moved: self.pool.bool(true) };
            self.round.links.push(at);
        }
        self.round.values[result] = Some(val);
    }

    /// What a store leaves in counters.
    pub(super) fn store(&mut self, at: (BlockId, usize), address: Val, value: Val) {
        let bits = self.pool.width(value.bits);
        self.note_access(at, address, bits, true);
        let is_it = |cell: &Cell| (cell.address, cell.bits) == (address.bits, bits);
        if let Some(cell) = self.memory.cells.iter().position(is_it) {
            self.now[cell] = value;
        }
    }

    fn note_access(&mut self, (block, at): (BlockId, usize), address: Val, bits: u32, is_store: bool) {
        self.round.accesses.push(Access { block, at, address, bits, is_store });
    }
}

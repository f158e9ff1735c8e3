//! What instructions make unknown: by writing, and by letting other threads run.

use icsched_ir::{BlockId, Extent, Inst, Op, Touch};

use super::facts::Facts;
use super::solver::Solver;
use crate::code::point;
use crate::interference;
use crate::place::Place;

impl Solver<'_, '_, '_> {
    /// Forgets what an instruction may change: by writing, and by letting other threads run.
    pub(crate) fn kill(&mut self, block: BlockId, index: usize, inst: &Inst, facts: &mut Facts) {
        let mut writes: Vec<Touch> = Vec::new();
        inst.op.for_each_write(self.function, |touch| writes.push(touch));
        let at = point(self.view.points_to.instances()[self.instance].func, block, index);
        let region = self.view.region(self.instance, at);
        if writes.iter().any(|w| interference::points_nowhere(self.view.points_to, self.instance, *w)) {
            facts.clear();
            return;
        }
        debug_assert!(writes.len() <= 1, "an instruction writes one piece of memory by itself");
        let exact = writes.first().and_then(|w| self.written(*w));
        let modref = self.view.modref;
        facts.retain(|place, fact| {
            if let Some(exact) = exact.filter(|w| w.base == place.base) {
                return !exact.overlaps(*place);
            }
            let touched =
                |&(object, offsets): &(_, _)| modref.touches_at(&region.mods, object, offsets, u64::from(place.bytes));
            !fact.reach.targets.iter().any(touched)
        });
        if interference::switches(&inst.op) {
            facts.retain(|_, fact| fact.reach.conflict_free);
        }
    }

    /// The bytes that are written, if they are known.
    fn written(&mut self, touch: Touch) -> Option<Place> {
        match touch.extent {
            Extent::Bytes(n) => self.place(touch.address, u32::try_from(n).ok()?),
            Extent::Unknown | Extent::Object => None,
        }
    }
}

/// Whether an operation, no call of a function, may change memory, by itself or by letting others run.
pub(super) fn touches_memory(function: &icsched_ir::Function, op: &Op) -> bool {
    let mut writes = matches!(op, Op::Unsupported { .. });
    op.for_each_write(function, |_| writes = true);
    writes || interference::switches(op)
}

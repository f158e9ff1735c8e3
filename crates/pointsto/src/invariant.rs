//! Loads that give the same value throughout one run of a loop, though the loop writes memory or calls functions.
//!
//! A compiler that does not optimise reads a loop's bound from memory each time round. The value is the same if nothing in
//! the loop may write there, by its mod set, and no other thread can. Another thread cannot if what is read is not shared, or is
//! written only before the first thread is created, or if the loop does not synchronise: then a write by another
//! thread would be a data race.

use std::cell::RefCell;

use icsched_ir::{BlockId, FuncId, LoopId, Op, Operand};

use crate::modref::ModRef;
use crate::object::InstanceId;
use crate::region::Regions;
use crate::solver::location;
use crate::startup::Startup;

/// Answers what [`CountedLoops::with_loads`](icsched_ir::CountedLoops::with_loads) asks. A loop is summarised when it is first
/// asked about.
pub struct InvariantLoads<'m, 'p> {
    modref: &'m ModRef<'p>,
    startup: &'m Startup,
    regions: RefCell<Regions<'m, 'p>>,
}

impl<'m, 'p> InvariantLoads<'m, 'p> {
    /// Nothing summarised yet.
    pub fn new(modref: &'m ModRef<'p>, startup: &'m Startup) -> Self {
        Self { modref, startup, regions: RefCell::new(Regions::new(modref)) }
    }

    /// Whether the load at an index of a block, from an address that is the same throughout the loop, gives one value in
    /// each run of the loop, whichever instance of the function runs. The loop is numbered as in the function's
    /// [`LoopForest`](icsched_ir::LoopForest).
    ///
    /// Takes time in the number of locations that the address may have, times the different offsets known in their objects.
    pub fn is_invariant(&self, func: FuncId, id: LoopId, block: BlockId, at: usize) -> bool {
        let function = &self.modref.program().functions[func];
        let Some(inst) = function.blocks[block].insts.get(at) else { return false };
        let Op::Load { address, .. } = inst.op else { return false };
        let bytes: u64 = inst.results.iter().map(|&v| u64::from(function.values[v].ty.bytes())).sum();
        let instances = self.modref.points_to().instances_of(func);
        !instances.is_empty() && instances.iter().all(|&instance| self.holds(instance, id, address, bytes))
    }

    fn holds(&self, instance: InstanceId, id: LoopId, address: Operand, bytes: u64) -> bool {
        let points_to = self.modref.points_to();
        let Some(set) = points_to.representative(instance, address).map(|s| points_to.set_numbered(s)) else {
            return false;
        };
        let region = self.regions.borrow_mut().of_loop(instance, id);
        let places = &self.modref.sets.places;
        !set.is_empty()
            && set.iter().map(|element| points_to.locations()[location(element)]).all(|read| {
                let untouched = |writes| !places.touches_at(writes, read.object, read.offsets, bytes);
                let is_own = !region.synchronises || !self.modref.escape().is_shared(read.object);
                untouched(&region.mods) && (is_own || untouched(self.startup.late_writes()))
            })
    }
}

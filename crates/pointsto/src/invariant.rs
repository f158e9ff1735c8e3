//! Loads that give the same value throughout one run of a loop, though the loop writes memory or calls functions.
//!
//! A compiler that does not optimise reads a loop's bound from memory each time round. The value is the same if nothing
//! in the loop may write there, by its mod set, and no other thread can. Another thread cannot if what is read is not
//! shared, or is written only before the first thread is created, or if the loop does not synchronise, or in one
//! direction only: then a write by another thread would be a data race.

use std::cell::RefCell;

use icsched_ir::{BlockId, FuncId, LoopId, Op, Operand};

use crate::modref::ModRef;
use crate::object::InstanceId;
use crate::region::Regions;
use crate::solver::location;
use crate::startup::Startup;

/// How a loop that synchronises may order what it does beside what other threads do.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Order {
    /// Other threads may do something between two iterations.
    Any,
    /// What other threads do comes behind all that the loop has loaded, or before.
    OneWay,
}

/// Answers what [`CountedLoops::with_loads`](icsched_ir::CountedLoops::with_loads) asks. A loop is summarised when it
/// is first asked about.
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

    /// Whether the load at an index of a block, from an address that is the same throughout the loop, gives one value
    /// in each run of the loop, whichever instance of the function runs. The loop is numbered as in the function's
    /// [`LoopForest`](icsched_ir::LoopForest).
    ///
    /// Takes time in the number of locations that the address may have, times the different offsets known in their
    /// objects.
    pub fn is_invariant(&self, func: FuncId, id: LoopId, block: BlockId, at: usize) -> bool {
        self.is_same(func, id, (block, at), Order::Any)
    }

    /// The same for a loop of which somebody knows that it synchronises in one direction only, and loads from this
    /// address each time round: it creates threads, or it joins them, and does nothing else that orders what threads
    /// do. A write by another thread would have to come behind one of the loads and before the next, and nothing orders
    /// it before the next (in a loop that creates) or behind the one (in a loop that joins): it would be a data race.
    pub fn is_invariant_one_way(&self, func: FuncId, id: LoopId, block: BlockId, at: usize) -> bool {
        self.is_same(func, id, (block, at), Order::OneWay)
    }

    fn is_same(&self, func: FuncId, id: LoopId, (block, at): (BlockId, usize), order: Order) -> bool {
        let function = &self.modref.program().functions[func];
        let Some(inst) = function.blocks[block].insts.get(at) else { return false };
        let Op::Load { address, .. } = inst.op else { return false };
        let bytes: u64 = inst.results.iter().map(|&v| u64::from(function.values[v].ty.bytes())).sum();
        let instances = self.modref.points_to().instances_of(func);
        !instances.is_empty() && instances.iter().all(|&instance| self.holds(instance, id, (address, bytes), order))
    }

    fn holds(&self, instance: InstanceId, id: LoopId, (address, bytes): (Operand, u64), order: Order) -> bool {
        let points_to = self.modref.points_to();
        let Some(set) = points_to.representative(instance, address).map(|s| points_to.set_numbered(s)) else {
            return false;
        };
        let region = self.regions.borrow_mut().of_loop(instance, id);
        let places = &self.modref.sets.places;
        !set.is_empty()
            && set.iter().map(|element| points_to.locations()[location(element)]).all(|read| {
                let untouched = |writes| !places.touches_at(writes, read.object, read.offsets, bytes);
                let is_ordered = region.synchronises && order == Order::Any;
                let is_own = !is_ordered || !self.modref.escape().is_shared(read.object);
                untouched(&region.mods) && (is_own || untouched(self.startup.late_writes()))
            })
    }
}

//! What the rounds of a scope find in memory: what none of them writes, and counters that are kept there.

use icsched_ir::{BlockId, Callee, FuncId, LoopId, Op, Operand, ProgramPoint};
use icsched_pointsto::{InvariantLoads, Location, ModRef, Piece, Region, Startup};
use icsched_smt::Term;
use rustc_hash::FxHashSet;

use super::round::{Access, Round};
use super::scope::{Kind, Scope};
use crate::budgets::BUDGETS;

/// A place in memory that nothing in a loop writes but stores at this address.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// The address, which is the same in all rounds.
    pub(super) address: Term,
    /// Width of the number there.
    pub(super) bits: u32,
    /// The blocks that store there.
    pub(super) writers: Vec<BlockId>,
}

/// What is known of the memory that a scope uses.
#[derive(Clone, Default, Debug)]
pub(super) struct Memory {
    /// Loads from places that nothing in the scope writes: block and index.
    pub(super) same: FxHashSet<(BlockId, usize)>,
    /// Calls that give the same each time that their arguments are: of functions that only compute, from what nothing
    /// in the scope writes.
    pub(super) calls: FxHashSet<(BlockId, usize)>,
    /// Counters in memory.
    pub(super) cells: Vec<Cell>,
}

impl Memory {
    /// Which loads are of what nothing in the scope writes. Takes time in the places that the loads may read.
    pub(super) fn new(scope: &Scope<'_>, modref: &ModRef<'_>, startup: &Startup) -> Self {
        let invariant = InvariantLoads::new(modref, startup);
        let mut same = FxHashSet::default();
        for &block in &scope.blocks {
            for (at, inst) in scope.function.blocks[block].insts.iter().enumerate() {
                let Op::Load { address, .. } = inst.op else { continue };
                let bytes = inst.results.iter().map(|&v| u64::from(scope.function.values[v].ty.bytes())).sum();
                let is_same = match &scope.kind {
                    Kind::Loop(id) => invariant.is_invariant(scope.func, *id, block, at),
                    Kind::Body(calls) => {
                        let mut functions: Vec<FuncId> = calls.iter().map(|call| call.callee).collect();
                        functions.push(scope.func);
                        is_left_alone(scope, modref, &functions, (address, bytes))
                    }
                };
                if is_same {
                    same.insert((block, at));
                }
            }
        }
        Self { same, calls: FxHashSet::default(), cells: Vec::new() }
    }

    /// Adds the counters in memory, as one round has shown which addresses are the same in all rounds.
    pub(super) fn with_cells(mut self, scope: &Scope<'_>, modref: &ModRef<'_>, round: &Round) -> Self {
        let Kind::Loop(id) = scope.kind else { return self };
        let mut tried: Vec<(Term, u32)> = Vec::new();
        for access in round.accesses.iter().filter(|access| access.is_store && access.address.fixed) {
            let key = (access.address.bits, access.bits);
            if tried.contains(&key) || self.cells.len() >= BUDGETS.memory_cells {
                continue;
            }
            tried.push(key);
            let is_own = |other: &&Access| other.is_store && (other.address.bits, other.bits) == key;
            let own: Vec<(BlockId, usize)> = round.accesses.iter().filter(is_own).map(|a| (a.block, a.at)).collect();
            if is_only_written_by(scope, modref, id, access, &own) {
                let writers = own.iter().map(|&(block, _)| block).collect();
                self.cells.push(Cell { address: key.0, bits: key.1, writers });
            }
        }
        self
    }
}

/// The places that an operand may point to in each instance of the scope's function; `None` where that is not known.
fn places(scope: &Scope<'_>, modref: &ModRef<'_>, address: Operand) -> Option<Vec<Location>> {
    let points_to = modref.points_to();
    let mut found = Vec::new();
    for &instance in points_to.instances_of(scope.func) {
        let info = points_to.pointer_info_in(instance, address);
        if info.locations.is_empty() {
            return None;
        }
        found.extend(info.locations);
    }
    (!found.is_empty()).then_some(found)
}

/// Whether no activation of some functions, nor what they call, writes there.
fn is_left_alone(
    scope: &Scope<'_>,
    modref: &ModRef<'_>,
    functions: &[FuncId],
    (address, bytes): (Operand, u64),
) -> bool {
    let Some(places) = places(scope, modref, address) else { return false };
    let instances = functions.iter().flat_map(|&func| modref.points_to().instances_of(func));
    instances.into_iter().all(|&instance| {
        let effects = modref.inside_instance(instance);
        let mods = modref.set(effects.mods);
        !effects.synchronises && places.iter().all(|p| !modref.touches_at(mods, p.object, p.offsets, bytes))
    })
}

/// Whether nothing in a loop writes a place but the stores at these points.
fn is_only_written_by(
    scope: &Scope<'_>,
    modref: &ModRef<'_>,
    id: LoopId,
    access: &Access,
    own: &[(BlockId, usize)],
) -> bool {
    let Op::Store { address, .. } = scope.function.blocks[access.block].insts[access.at].op else { return false };
    let Some(places) = places(scope, modref, address) else { return false };
    let bytes = u64::from(access.bits.div_ceil(8));
    let blocks = || scope.structure.loops.get(id).block_ids();
    modref.points_to().instances_of(scope.func).iter().all(|&instance| {
        let is_shared = places.iter().any(|place| modref.escape().is_shared(place.object));
        if is_shared && modref.of_blocks(instance, blocks()).synchronises {
            return false;
        }
        blocks().all(|block| {
            (0..scope.function.blocks[block].insts.len()).filter(|&at| !own.contains(&(block, at))).all(|at| {
                let inst = u32::try_from(at).unwrap_or(u32::MAX);
                let mods = modref.of_instruction(instance, ProgramPoint { func: scope.func, block, inst }).mods;
                places.iter().all(|p| !modref.touches_at(&mods, p.object, p.offsets, bytes))
            })
        })
    })
}

/// The calls of a loop that give the same each time that their arguments are, by what is known of functions.
pub(super) fn repeatable_calls(
    scope: &Scope<'_>,
    modref: &ModRef<'_>,
    only_computes: impl Fn(FuncId) -> bool,
) -> FxHashSet<(BlockId, usize)> {
    let mut found = FxHashSet::default();
    let Kind::Loop(_) = scope.kind else { return found };
    let instances = modref.points_to().instances_of(scope.func);
    let mut regions = None;
    for &block in &scope.blocks {
        for (at, inst) in scope.function.blocks[block].insts.iter().enumerate() {
            let Op::Call { callee: Callee::Direct(callee), .. } = inst.op else { continue };
            if inst.results.len() != 1 || !only_computes(callee) {
                continue;
            }
            let regions: &Vec<Region> = regions.get_or_insert_with(|| {
                instances.iter().map(|&i| modref.of_blocks(i, scope.blocks.iter().copied())).collect()
            });
            let point = ProgramPoint { func: scope.func, block, inst: u32::try_from(at).unwrap_or(u32::MAX) };
            let is_same = instances.iter().zip(regions).all(|(&instance, region)| {
                let effects = modref.of_call(instance, point);
                let (mods, refs) = (modref.set(effects.mods), modref.set(effects.refs));
                let is_left =
                    |p: &Piece| !modref.touches_at(&region.mods, p.object, p.offsets, p.bytes.unwrap_or(u64::MAX));
                mods.is_empty()
                    && !refs.is_everything()
                    && !region.synchronises
                    && modref.pieces(refs).iter().all(is_left)
            });
            if is_same && !instances.is_empty() {
                found.insert((block, at));
            }
        }
    }
    found
}

//! The code that runs when a branch goes the other way: from the untaken edge up to the branch's postdominator on the
//! graph without quiet exits.
//!
//! Slicing asks of it whether it may synchronise, assign a live block parameter or write a live byte (figure 3.3).
//! Summaries depend on the code alone, so each is computed once.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use icsched_ir::{BlockId, EntityId, FuncId, Program, ProgramPoint, Terminator};
use rustc_hash::FxHashMap;

use crate::control::Control;
use crate::function_control::FunctionControl;
use crate::modref::{ModRef, Writes};

/// What the other way of a branch may do.
#[derive(Debug)]
pub struct Region {
    /// The blocks it is made of.
    pub blocks: FixedBitSet,
    /// Blocks whose parameters it may assign: its own, and the postdominator.
    pub assigns: FixedBitSet,
    /// Values that it may define again, by index: going round a loop once more executes their definitions.
    pub defines: FixedBitSet,
    /// Whether it may synchronise.
    pub synchronises: bool,
    /// Whether it may come to a loop that [goes round for ever](FunctionControl::stuck_tests).
    pub sticks: bool,
    /// Whether it may free something.
    pub frees: bool,
    /// Whether the process may end there.
    pub may_end: bool,
    /// Whether it may abort there.
    pub may_abort: bool,
    /// What it may write, in terms of the function's own values.
    pub writes: Writes,
}

/// Regions by branch, computed on demand.
#[derive(Default, Debug)]
pub struct Regions {
    known: FxHashMap<(FuncId, BlockId, bool), Arc<Region>>,
}

impl Regions {
    /// The region behind the else edge (`else_edge`) or the then edge of the branch that ends `block`.
    pub fn behind(
        &mut self,
        program: &Program,
        control: &Control,
        modref: &ModRef,
        (func, block, else_edge): (FuncId, BlockId, bool),
    ) -> Arc<Region> {
        let compute = || Arc::new(compute(program, control, modref, func, block, else_edge));
        Arc::clone(self.known.entry((func, block, else_edge)).or_insert_with(compute))
    }
}

fn compute(
    program: &Program,
    control: &Control,
    modref: &ModRef,
    func: FuncId,
    branch: BlockId,
    else_edge: bool,
) -> Region {
    let facts = control.function(func);
    let function = &program.functions[func];
    let entry = match &function.blocks[branch].terminator {
        Terminator::Branch { then_edge, else_edge: other, .. } => {
            if else_edge {
                other.target
            } else {
                then_edge.target
            }
        }
        Terminator::Jump(edge) => edge.target,
        Terminator::Return(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => branch,
    };
    let join = facts.postdominators.immediate(branch);
    let blocks = reachable(facts, entry, join);
    let mut writes = Writes::default();
    let mut defines = FixedBitSet::with_capacity(function.values.len());
    for block in blocks.ones().map(BlockId::from_index) {
        let body = &function.blocks[block];
        let results = body.insts.iter().flat_map(|i| &i.results);
        defines.extend(body.params.iter().chain(results).map(|v| v.index()));
        for (at, inst) in (0..).zip(&body.insts) {
            modref.add_writes(program, control, ProgramPoint { func, block, inst: at }, inst, &mut writes);
        }
    }
    let synchronises = !blocks.is_disjoint(&facts.may_synchronise);
    let sticks = blocks.ones().any(|at| control.may_stick(program, func, BlockId::from_index(at)));
    let frees = blocks.ones().any(|at| control.may_free(program, func, BlockId::from_index(at)));
    let mut leaves = blocks.clone();
    let successors = blocks.ones().flat_map(|at| facts.cfg.successors(BlockId::from_index(at)));
    leaves.extend(successors.filter(|to| facts.quiet_exit.contains(to.index())).map(|to| to.index()));
    let ends = leaves.ones().map(|at| control.may_leave(program, func, BlockId::from_index(at)));
    let (may_end, may_abort) = ends.fold((false, false), |all, one| (all.0 | one.0, all.1 | one.1));
    let mut assigns = blocks.clone();
    if let Some(join) = join {
        assigns.insert(join.index());
    }
    Region { blocks, assigns, defines, synchronises, sticks, frees, may_end, may_abort, writes }
}

/// Blocks reachable from `entry` before `join`, leaving out those that only end the process.
fn reachable(facts: &FunctionControl, entry: BlockId, join: Option<BlockId>) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(facts.cfg.block_count());
    let mut work = vec![entry];
    while let Some(block) = work.pop() {
        if Some(block) == join || facts.quiet_exit.contains(block.index()) || found.put(block.index()) {
            continue;
        }
        work.extend(facts.cfg.successors(block));
    }
    found
}

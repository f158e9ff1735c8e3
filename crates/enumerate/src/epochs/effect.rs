//! What a loop may write that is replaced ([`icsched_symex::abstraction`]).

use std::collections::BTreeSet;

use icsched_ir::{
    Affine, BlockId, CallStack, CountedLoop, CountedLoops, Definitions, FuncId, Function, Leaf, LoopId, Op, Operand,
    ProgramPoint, ValueId,
};
use icsched_pointsto::{InvariantLoads, Piece};
use icsched_symex::abstraction::{AbstractLoop, Effect, LoopStore};

use super::{Analyses, Shared};
use crate::graph::place;
use crate::search::LoopToReplace;

/// Width of addresses.
const ADDRESS: u32 = 64;

/// A loop with what it may write in any of its function's instances.
pub(super) fn replaced(shared: &Shared<'_>, (func, header): LoopToReplace) -> AbstractLoop {
    let line = place(shared.program, &CallStack(vec![ProgramPoint { func, block: header, inst: 0 }]));
    tracing::info!(at = line, function = shared.program.functions[func].name, "a loop is replaced by what it may do");
    let loops = &shared.statics.control.function(func).loops;
    let found = loops.iter().find(|(_, l)| l.header == header);
    let blocks: BTreeSet<BlockId> = found.map(|(_, l)| l.block_ids().collect()).unwrap_or_default();
    let (Some(analyses), Some((id, _))) = (shared.analyses, found) else {
        return AbstractLoop { blocks, effect: Effect { everything: true, ..Effect::default() }, counted: None };
    };
    let counted = count(shared, analyses, func, id);
    let function = &shared.program.functions[func];
    let stores = Stores { function, definitions: Definitions::new(function), blocks: &blocks, counted: &counted };
    let mut effect = Effect::default();
    for &block in &blocks {
        for (inst, at) in function.blocks[block].insts.iter().zip(0..) {
            let point = ProgramPoint { func, block, inst: at };
            let (writes, everything) = written(analyses, func, point);
            effect.everything |= everything;
            match stores.find(&inst.op) {
                Some((start, step, bytes)) => effect.stores.push(LoopStore { start, step, bytes, writes }),
                None => effect.writes.extend(writes),
            }
        }
    }
    AbstractLoop { blocks, effect, counted: Some(counted) }
}

/// Where an instruction may write in any instance, and whether it may write anywhere.
fn written(analyses: &Analyses<'_>, func: FuncId, at: ProgramPoint) -> (Vec<Piece>, bool) {
    let mut found = (Vec::new(), false);
    for &instance in analyses.points_to.instances_of(func) {
        let mods = analyses.modref.of_instruction(instance, at).mods;
        found.0.extend(analyses.modref.pieces(&mods));
        found.1 |= mods.is_everything();
    }
    found
}

/// How often a loop goes round.
fn count(shared: &Shared<'_>, analyses: &Analyses<'_>, func: FuncId, id: LoopId) -> CountedLoop {
    let control = shared.statics.control.function(func);
    let loads = InvariantLoads::new(analyses.modref, analyses.startup);
    let is_invariant = |id, block, at| loads.is_invariant(func, id, block, at);
    let function = &shared.program.functions[func];
    let (cfg, dominators, quiet) = (&control.cfg, &control.dominators, &control.quiet_exit);
    CountedLoops::with_loads(function, cfg, dominators, &control.loops, quiet, &is_invariant).get(id).clone()
}

/// The stores of one loop.
struct Stores<'a> {
    function: &'a Function,
    definitions: Definitions,
    blocks: &'a BTreeSet<BlockId>,
    counted: &'a CountedLoop,
}

impl Stores<'_> {
    /// What is known of an instruction's address, if it is a store: where it starts and by how much it moves, and how many bytes it
    /// writes.
    fn find(&self, op: &Op) -> Option<(Affine, Option<Affine>, u64)> {
        let &Op::Store { address, value, .. } = op else { return None };
        let bytes = match value {
            Operand::Value(value) => self.function.values[value].ty.bytes(),
            Operand::Const(value) => value.ty().bytes(),
        };
        let (start, step) = match address {
            Operand::Value(value) if self.is_inside(value) => {
                self.moving(value).or_else(|| Some((self.base(value)?, None)))?
            }
            outside => (Affine::operand(outside, ADDRESS)?, Some(Affine::constant(ADDRESS, 0))),
        };
        Some((start, step, u64::from(bytes)))
    }

    fn is_inside(&self, value: ValueId) -> bool {
        self.definitions.block(value).is_some_and(|block| self.blocks.contains(&block))
    }

    /// Where an address starts that moves by the same in each iteration.
    fn moving(&self, address: ValueId) -> Option<(Affine, Option<Affine>)> {
        let of_basic = |value| self.counted.basic.iter().find(|b| b.value == value);
        let (basic, scale, offset) = match self.counted.derived.iter().find(|d| d.value == address) {
            Some(derived) => (of_basic(derived.basic)?, derived.scale, derived.offset.clone()),
            None => (of_basic(address)?, 1, Affine::constant(ADDRESS, 0)),
        };
        if offset.bits() != ADDRESS || basic.step.bits() != ADDRESS {
            return None;
        }
        let start = offset.plus(&Affine::leaf(ADDRESS, Leaf::Initial(basic.value)), scale)?;
        Some((start, Some(Affine::constant(ADDRESS, 0).plus(&basic.step, scale)?)))
    }

    /// What is known of the object that an address is in: arithmetic does not leave it, or the program is wrong.
    fn base(&self, mut address: ValueId) -> Option<Affine> {
        for _ in 0..self.blocks.len() + 8 {
            let Op::Address { base, .. } = self.definitions.inst(self.function, address)?.op else { return None };
            match base {
                Operand::Value(inner) if self.is_inside(inner) => address = inner,
                outside => return Affine::operand(outside, ADDRESS),
            }
        }
        None
    }
}

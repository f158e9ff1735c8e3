//! Which values are live where a block starts: the classical backward dataflow, by function and on demand. And which
//! ones a block touches.
//!
//! Only undefined values ask for it: one that is dead must not keep its thread from the fast loop, nor one that a block
//! has nothing to do with.

use fixedbitset::FixedBitSet;
use icsched_ir::{BlockId, Cfg, Definitions, EntityId, Function, LoopForest, Operand, ProgramPoint, ValueId};

use crate::budgets::BUDGETS;

/// Live values at the start of each block, its parameters included if they are used.
#[derive(Clone, Debug)]
pub struct Liveness(Vec<FixedBitSet>);

impl Liveness {
    /// O(blocks × values / word size), times the nesting of loops.
    pub(crate) fn new(function: &Function) -> Self {
        let mut live: Vec<_> = function.blocks.ids().map(|_| empty(function)).collect();
        // Later blocks mostly come later in the list, so that going backwards settles quickly.
        let order: Vec<BlockId> = function.blocks.ids().collect();
        let mut changed = true;
        while changed {
            changed = false;
            for &id in order.iter().rev() {
                let now = at_start(function, id, &live);
                changed |= now != live[id.index()];
                live[id.index()] = now;
            }
        }
        Self(live)
    }

    /// Whether a register holds a value that is read in the block or behind it. Scratch registers hold none.
    pub fn is_live(&self, block: BlockId, register: usize) -> bool {
        self.0[block.index()].contains(register)
    }
}

/// The values that each block, or the edges that leave it, read or define.
#[derive(Clone, Debug)]
pub(crate) struct Touched(Vec<Box<[ValueId]>>);

impl Touched {
    /// O(size of the function), but for sorting.
    pub(crate) fn new(function: &Function) -> Self {
        Self(function.blocks.ids().map(|id| touched(function, id)).collect())
    }

    /// Those of a block.
    pub(crate) fn of(&self, block: BlockId) -> &[ValueId] {
        &self.0[block.index()]
    }
}

fn touched(function: &Function, id: BlockId) -> Box<[ValueId]> {
    let block = &function.blocks[id];
    let defined = block.insts.iter().flat_map(|inst| &inst.results);
    let passed = block.terminator.edges().flat_map(|edge| &function.blocks[edge.target].params);
    let mut found: Vec<ValueId> = defined.chain(passed).copied().collect();
    let mut read = |operand| {
        if let Operand::Value(value) = operand {
            found.push(value);
        }
    };
    block.terminator.for_each_operand(&mut read);
    block.insts.iter().for_each(|inst| inst.op.for_each_operand(&mut read));
    found.sort_unstable();
    found.dedup();
    found.into()
}

/// The registers that hold a value that is read at a point or behind it. O(function), as [`Liveness::new`].
pub(crate) fn live_before(function: &Function, point: ProgramPoint) -> FixedBitSet {
    let liveness = Liveness::new(function);
    let block = &function.blocks[point.block];
    let behind = block.insts.len().saturating_sub(point.inst as usize);
    back_to(function, point.block, &liveness.0, behind)
}

/// The same with what these were computed from: registers of which each activation has one value, and from which others
/// that live were computed by operations that depend on nothing else. `half`, from `n / 2` in front of a loop, says
/// nothing of `n` by itself. O(function).
pub(crate) fn known_before(function: &Function, point: ProgramPoint) -> FixedBitSet {
    let mut known = live_before(function, point);
    let definitions = Definitions::new(function);
    let loops = LoopForest::new(&Cfg::new(function));
    let is_once = |value| definitions.block(value).is_none_or(|block| loops.around(block).next().is_none());
    let computation = |value| definitions.inst(function, value).filter(|inst| inst.op.is_computation());
    let mut work: Vec<ValueId> = known.ones().map(ValueId::from_index).collect();
    let mut seen: FixedBitSet = known.clone();
    let mut more = 0;
    while let Some(value) = work.pop() {
        let Some(inst) = computation(value) else { continue };
        inst.op.for_each_operand(|operand| {
            let Some(operand) = operand.value().filter(|&operand| is_once(operand)) else { return };
            if seen.put(operand.index()) {
                return;
            }
            if computation(operand).is_some() {
                work.push(operand);
            } else if more < BUDGETS.live_sources {
                more += 1;
                known.insert(operand.index());
            }
        });
    }
    known
}

fn empty(function: &Function) -> FixedBitSet {
    FixedBitSet::with_capacity(function.values.len())
}

fn at_start(function: &Function, id: BlockId, live: &[FixedBitSet]) -> FixedBitSet {
    back_to(function, id, live, usize::MAX)
}

/// What is live in front of the last `count` instructions of a block and its terminator.
fn back_to(function: &Function, id: BlockId, live: &[FixedBitSet], count: usize) -> FixedBitSet {
    let block = &function.blocks[id];
    let mut set = empty(function);
    for edge in block.terminator.edges() {
        let mut behind = live[edge.target.index()].clone();
        for param in &function.blocks[edge.target].params {
            behind.set(param.index(), false);
        }
        set.union_with(&behind);
    }
    let read = |set: &mut FixedBitSet, operand: Operand| {
        if let Operand::Value(value) = operand {
            set.insert(value.index());
        }
    };
    block.terminator.for_each_operand(|operand| read(&mut set, operand));
    for inst in block.insts.iter().rev().take(count) {
        for result in &inst.results {
            set.set(result.index(), false);
        }
        inst.op.for_each_operand(|operand| read(&mut set, operand));
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_live_value_was_computed_from_is_known() {
        let text = r"
function @f(v0: ptr, v1: i32) -> i32 {
b0:
    v2: i32 = load [v0]
    v3: i32 = add v2, 5
    v4: i32 = mul v3, v3
    jump b1(v1)
b1(v5: i32):
    v6: i32 = load [v0]
    v7: i32 = add v6, v4
    v8: i32 = add v5, v7
    v9: i1 = icmp.ult v8, v4
    branch v9, b1(v8), b2
b2:
    return v8
}
";
        let program = icsched_ir::parse(text).expect("well-formed");
        let (func, function) = program.functions.iter().next().expect("one function");
        let at = |block: usize, inst| ProgramPoint { func, block: BlockId::from_index(block), inst };
        let of = |set: FixedBitSet| set.ones().collect::<Vec<_>>();
        assert_eq!(of(live_before(function, at(1, 0))), [0, 4, 5]);
        assert_eq!(of(known_before(function, at(1, 0))), [0, 2, 4, 5], "the number that was loaded, and no sum");
        // What a loop loads is another number each time.
        assert_eq!(of(known_before(function, at(1, 2))), [0, 2, 4, 5, 7]);
    }

    #[test]
    fn a_value_lives_up_to_its_last_use_around_a_loop() {
        let text = r"
function @f(v0: i32, v1: i32) -> i32 {
b0:
    jump b1(v0)
b1(v2: i32):
    v3: i32 = add v2, v1
    v4: i1 = icmp.ult v3, 9
    branch v4, b1(v3), b2
b2:
    return v3
}
";
        let program = icsched_ir::parse(text).expect("well-formed");
        let (_, function) = program.functions.iter().next().expect("one function");
        let live = Liveness::new(function);
        let block = BlockId::from_index;
        let at = |b: usize| (0..5).filter(|&v| live.is_live(block(b), v)).collect::<Vec<_>>();
        assert_eq!(at(0), [0, 1]);
        assert_eq!(at(1), [1, 2]);
        assert_eq!(at(2), [3]);
        let touched = Touched::new(function);
        let of = |b: usize| touched.of(block(b)).iter().map(|v| v.index()).collect::<Vec<_>>();
        assert_eq!([of(0), of(1), of(2)], [vec![0, 2], vec![1, 2, 3, 4], vec![3]]);
    }
}

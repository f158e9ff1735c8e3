//! Makes one of the two arms of a branch that do the same with different operands and synchronise:
//! `if (c) lock(&a); else lock(&b);` becomes `lock(c ? &a : &b)`, as optimisers have it. So the number of schedules
//! does not depend on the optimisation level, and where inputs choose among many objects it can be left open which one
//! it is (Bergan 3.4.1.5). So does `if (c) m = &a; else m = &b;` in front of `lock(m)`, and `if (k < 0) k = -k;` in
//! front of `lock(&of[k % 8])`. Where `if (++last == size) last = 0;` stores again what it has just stored and
//! compared, and where `if (mine > *worst) *worst = mine;` stores the larger of two, it stores the one number or the
//! other; and floating-point numbers are always chosen so. What else is executed only computes; where the lines of the
//! two differ, an instruction has that of the branch.

use icsched_ir::{
    Access, Block, BlockId, Callee, Edge, EntityId as _, FuncId, Function, Inst, LocId, Op, Operand, Terminator, Type,
    Value, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::smallvec;

use super::locating::{Locating, is_harmless};
use crate::budgets::BUDGETS;

/// What became of the blocks and values of a function.
pub(super) struct Merged {
    /// By block: whether it is another one's part now.
    pub(super) gone: Vec<bool>,
    /// What is used instead of values.
    pub(super) replaced: FxHashMap<ValueId, Operand>,
}

/// Merges the arms of one branch, if there is one of which they can be. O(instructions of the function).
pub(super) fn merge(
    id: FuncId,
    function: &mut Function,
    locating: &Locating,
    synchronises: &impl Fn(FuncId) -> bool,
) -> Option<Merged> {
    let mut predecessors = vec![0_usize; function.blocks.len()];
    for block in function.blocks.values() {
        block.terminator.edges().for_each(|edge| predecessors[edge.target.index()] += 1);
    }
    let mut heads = function.blocks.ids();
    let found = heads.find_map(|head| Some((head, arms(function, head, &predecessors, synchronises)?)));
    if let Some((head, (yes, no))) = found {
        return Some(Merger::new(function, head).merge(yes, no));
    }
    let mut heads = function.blocks.ids();
    let found = heads.find_map(|head| Some((head, stored_anew(function, head, &predecessors)?)));
    if let Some((head, anew)) = found {
        return Some(Merger::new(function, head).store(anew));
    }
    let chosen = locating.values(id, function, synchronises);
    let mut heads = function.blocks.ids();
    let (head, ways) = heads.find_map(|head| Some((head, ways(function, head, &predecessors, &chosen)?)))?;
    Some(Merger::new(function, head).choose(ways))
}

/// Two ways from a branch to one block, on which something is computed at most: the edges, and blocks on them.
struct Ways {
    edges: [Edge; 2],
    blocks: Vec<BlockId>,
}

/// The ways from a branch that only choose what is synchronised on: `if (c) m = &a; else m = &b;`.
fn ways(function: &Function, head: BlockId, predecessors: &[usize], chosen: &FxHashSet<ValueId>) -> Option<Ways> {
    let Terminator::Branch { condition, then_edge, else_edge, .. } = &function.blocks[head].terminator else {
        return None;
    };
    let mut blocks = Vec::new();
    let tail = unchanged(&function.blocks[head].insts);
    let edges = [then_edge, else_edge].map(|edge| {
        let (id, block) = (edge.target, &function.blocks[edge.target]);
        let insts = block.insts.as_slice();
        let only_computes = insts.len() <= BUDGETS.arm_operations && computes_or_repeats(function, head, tail, insts);
        let is_own = only_computes && block.params.is_empty() && predecessors[id.index()] == 1;
        match &block.terminator {
            Terminator::Jump(next) if is_own && id != head && next.target != id => {
                blocks.push(id);
                next.clone()
            }
            _ => edge.clone(),
        }
    });
    let [first, second] = &edges;
    if first.target != second.target || blocks.contains(&first.target) {
        return None;
    }
    // `x < least ? least : x > most ? most : x`: what is chosen is what is compared.
    let compared = compared(function, head, *condition);
    let inside: Vec<&Inst> = blocks.iter().flat_map(|&id| &function.blocks[id].insts).collect();
    // Or it is computed once more in the same way.
    let is_compared = |operand: Operand| {
        let block = function.blocks[head].insts.as_slice();
        let arms = blocks.iter().map(|&id| function.blocks[id].insts.as_slice());
        arms.chain([[].as_slice()]).any(|arm| {
            let same = Same { function, block, unchanged: [&[], arm] };
            compared.is_some_and(|compared| compared.into_iter().any(|one| same.holds(one, operand)))
        })
    };
    let only_chooses = inside.iter().all(|inst| {
        let is_choice = matches!(inst.op, Op::IntCompare { .. } | Op::FloatCompare { .. } | Op::Select { .. });
        is_choice || inst.results.iter().any(|&result| is_compared(result.into()))
    });
    let is_choice = |value: ValueId| {
        inside.iter().any(|inst| matches!(inst.op, Op::Select { .. }) && inst.results.contains(&value))
    };
    let is_bound = |operand: Operand| {
        only_chooses
            && compared.is_some()
            && (is_compared(operand) || matches!(operand, Operand::Value(v) if is_choice(v)))
    };
    let params = &function.blocks[first.target].params;
    let pairs = || params.iter().zip(first.args.iter().zip(&second.args)).filter(|(_, (a, b))| a != b);
    // What a floating-point number is, no path can say, but that two threads have chosen the same.
    let is_float = |operand: Operand| matches!(ty(function, operand), Type::F32 | Type::F64);
    let are_floats = pairs().next().is_some() && pairs().all(|(_, (&a, _))| is_float(a));
    let is_wanted = (are_floats
        || pairs().any(|(param, (a, b))| chosen.contains(param) || is_bound(*a) && is_bound(*b)))
        && first.args.iter().zip(&second.args).all(|(&a, &b)| ty(function, a) == ty(function, b));
    is_wanted.then_some(Ways { edges, blocks })
}

/// A way from a branch on which nothing is done but that another number is stored where one was stored or read just
/// before.
struct Anew {
    block: BlockId,
    /// Whether it is the way where the condition holds.
    holds: bool,
    next: Edge,
    /// What was there before.
    old: Operand,
}

/// `if (++last == size) last = 0;`: what was stored is compared, and something else may be stored in its place.
/// Optimisers store the one or the other. And `if (mine > *worst) *worst = mine;`: what is read is compared with
/// something, and this is stored there, or not. (That there is a store then where there was none matters to nobody but
/// who looks for races.)
fn stored_anew(function: &Function, head: BlockId, predecessors: &[usize]) -> Option<Anew> {
    let from = &function.blocks[head].insts;
    let Terminator::Branch { condition, then_edge, else_edge, .. } = &function.blocks[head].terminator else {
        return None;
    };
    let compared = compared(function, head, *condition)?;
    let tail = unchanged(from);
    let last = (from.len() - tail.len()).checked_sub(1);
    let stored = last.and_then(|last| plain_store(&from[last].op));
    [(then_edge, else_edge, true), (else_edge, then_edge, false)].into_iter().find_map(|(way, other, holds)| {
        let (block, arm) = (way.target, &function.blocks[way.target]);
        let Terminator::Jump(next) = &arm.terminator else { return None };
        let is_own = block != head && arm.params.is_empty() && predecessors[block.index()] == 1 && next == other;
        let [before @ .., store] = arm.insts.as_slice() else { return None };
        let (address, new) = plain_store(&store.op)?;
        let same = Same { function, block: from, unchanged: [tail, before] };
        if !is_own
            || next.target == block
            || before.len() > BUDGETS.arm_operations
            || !computes_or_repeats(function, head, tail, before)
        {
            return None;
        }
        let is_read_there = |operand: Operand| {
            let read = operand.value().and_then(|value| tail.iter().find(|inst| inst.results.contains(&value)));
            matches!(read.map(|inst| &inst.op), Some(Op::Load { address: read, .. }) if same.holds(*read, address))
        };
        let old = match stored.filter(|&(place, _)| same.holds(place, address)) {
            Some((_, old)) => compared.into_iter().any(|one| one == old || is_read_there(one)).then_some(old),
            None => [(compared[0], compared[1]), (compared[1], compared[0])]
                .into_iter()
                .find(|&(old, other)| is_read_there(old) && same.holds(other, new))
                .map(|(old, _)| old),
        };
        let old = old.filter(|&old| ty(function, old) == ty(function, new))?;
        Some(Anew { block, holds, next: next.clone(), old })
    })
}

/// The end of a block in which memory does not change: what is behind the last instruction that does more than to
/// compute and to read.
fn unchanged(block: &[Inst]) -> &[Inst] {
    let last = block.iter().rposition(|inst| !inst.op.is_computation() && !is_plain_load(&inst.op));
    &block[last.map_or(0, |last| last + 1)..]
}

/// Whether instructions behind a block only compute what can always be computed, and read what the block's end has
/// read, too: `x < 0 ? -x : x` of an `x` in memory reads it once more.
fn computes_or_repeats(function: &Function, head: BlockId, tail: &[Inst], insts: &[Inst]) -> bool {
    let same = Same { function, block: &function.blocks[head].insts, unchanged: [tail, insts] };
    insts.iter().all(|inst| is_harmless(&inst.op) || tail.iter().any(|read| same.computes(read, inst)))
}

fn is_plain_load(op: &Op) -> bool {
    matches!(op, Op::Load { access, .. } if *access == Access::default())
}

/// The address and the value of a store that nobody else looks at.
fn plain_store(op: &Op) -> Option<(Operand, Operand)> {
    match op {
        Op::Store { address, value, access } if *access == Access::default() => Some((*address, *value)),
        _ => None,
    }
}

/// What computes the same, in a block and in one that follows it.
struct Same<'f> {
    function: &'f Function,
    block: &'f [Inst],
    /// The end of the block, and what follows: for all that read there, memory is the same.
    unchanged: [&'f [Inst]; 2],
}

impl Same<'_> {
    /// Whether two operands are the same for sure.
    fn holds(&self, a: Operand, b: Operand) -> bool {
        self.are_the_same(a, b, BUDGETS.arm_operations)
    }

    /// Whether an instruction behind which memory does not change computes or reads the same as another one.
    fn computes(&self, a: &Inst, b: &Inst) -> bool {
        self.do_the_same(a, b, true, BUDGETS.arm_operations)
    }

    fn are_the_same(&self, a: Operand, b: Operand, depth: usize) -> bool {
        let computed = |operand: Operand| {
            let value = operand.value()?;
            let of = |insts: &'_ [Inst]| insts.iter().position(|inst| inst.results.contains(&value));
            let unchanged = self.unchanged.into_iter().find_map(|insts| Some((&insts[of(insts)?], true)));
            unchanged.or_else(|| Some((&self.block[of(self.block)?], false)))
        };
        a == b
            || depth > 0
                && computed(a)
                    .zip(computed(b))
                    .is_some_and(|((x, first), (y, second))| self.do_the_same(x, y, first && second, depth - 1))
    }

    fn do_the_same(&self, a: &Inst, b: &Inst, may_read: bool, depth: usize) -> bool {
        let mut operands = [Vec::new(), Vec::new()];
        a.op.for_each_operand(|operand| operands[0].push(operand));
        b.op.for_each_operand(|operand| operands[1].push(operand));
        let [first, second] = operands;
        (a.op.is_computation() || may_read && is_plain_load(&a.op))
            && do_the_same(self.function, a, b)
            && first.into_iter().zip(second).all(|(a, b)| self.are_the_same(a, b, depth))
    }
}

/// The numbers that a block compares in a condition.
fn compared(function: &Function, block: BlockId, condition: Operand) -> Option<[Operand; 2]> {
    let Operand::Value(condition) = condition else { return None };
    let inst = function.blocks[block].insts.iter().find(|inst| inst.results.contains(&condition))?;
    match inst.op {
        Op::IntCompare { a, b, .. } | Op::FloatCompare { a, b, .. } => Some([a, b]),
        _ => None,
    }
}

/// The arms of the branch at the end of a block that can be merged.
fn arms(
    function: &Function,
    head: BlockId,
    predecessors: &[usize],
    synchronises: &impl Fn(FuncId) -> bool,
) -> Option<(BlockId, BlockId)> {
    let Terminator::Branch { then_edge, else_edge, .. } = &function.blocks[head].terminator else { return None };
    let (yes, no) = (then_edge.target, else_edge.target);
    let is_arm = |id: BlockId| {
        id != head && id.index() != 0 && predecessors[id.index()] == 1 && function.blocks[id].params.is_empty()
    };
    if yes == no || !is_arm(yes) || !is_arm(no) {
        return None;
    }
    let (a, b) = (&function.blocks[yes], &function.blocks[no]);
    let (Terminator::Jump(from_a), Terminator::Jump(from_b)) = (&a.terminator, &b.terminator) else { return None };
    let is_same = from_a.target == from_b.target
        && from_a.args.iter().zip(&from_b.args).all(|(&x, &y)| ty(function, x) == ty(function, y))
        && a.insts.len() == b.insts.len()
        && a.insts.iter().zip(&b.insts).all(|(x, y)| do_the_same(function, x, y));
    let calls = a.insts.iter().zip(&b.insts).filter_map(|(x, y)| match &x.op {
        Op::Call { callee: Callee::Direct(callee), .. } => Some((synchronises(*callee), x.op != y.op)),
        Op::Call { .. } => Some((false, false)),
        _ => None,
    });
    let calls: Vec<(bool, bool)> = calls.collect();
    // Other calls may be expensive to follow with an argument that inputs choose.
    let is_wanted = calls.iter().all(|call| call.0) && calls.iter().any(|call| call.1);
    (is_same && is_wanted).then_some((yes, no))
}

fn ty(function: &Function, operand: Operand) -> Type {
    match operand {
        Operand::Value(value) => function.values[value].ty,
        Operand::Const(constant) => constant.ty(),
    }
}

/// Whether two instructions differ in nothing but their operands.
fn do_the_same(function: &Function, a: &Inst, b: &Inst) -> bool {
    let types = |inst: &Inst| {
        let mut types = Vec::new();
        inst.op.for_each_operand(|operand| types.push(ty(function, operand)));
        types.extend(inst.results.iter().map(|&result| function.values[result].ty));
        types
    };
    let bare = |inst: &Inst| {
        let mut op = inst.op.clone();
        op.for_each_operand_mut(|operand| *operand = Operand::Const(icsched_ir::Const::NULL));
        op
    };
    !matches!(a.op, Op::Alloca { .. }) && bare(a) == bare(b) && types(a) == types(b)
}

struct Merger<'f> {
    function: &'f mut Function,
    head: BlockId,
    condition: Operand,
    /// What the values of the second arm are.
    replaced: FxHashMap<ValueId, Operand>,
    insts: Vec<Inst>,
}

impl<'f> Merger<'f> {
    fn new(function: &'f mut Function, head: BlockId) -> Self {
        let Terminator::Branch { condition, .. } = function.blocks[head].terminator else {
            unreachable!("it ends in a branch")
        };
        Self { function, head, condition, replaced: FxHashMap::default(), insts: Vec::new() }
    }

    fn merge(mut self, yes: BlockId, no: BlockId) -> Merged {
        let (a, b) = (self.take(yes), self.take(no));
        let branch = self.function.blocks[self.head].terminator_loc;
        for (x, y) in a.insts.into_iter().zip(b.insts) {
            let loc = if x.loc == y.loc { x.loc } else { branch };
            let mut others = Vec::new();
            y.op.for_each_operand(|operand| others.push(operand));
            let mut others = others.into_iter();
            let mut op = x.op;
            op.for_each_operand_mut(|operand| {
                let other = others.next().expect("both have equally many");
                *operand = self.choice(*operand, other, loc);
            });
            self.replaced.extend(y.results.iter().copied().zip(x.results.iter().map(|&result| result.into())));
            self.insts.push(Inst { op, loc, ..x });
        }
        let (Terminator::Jump(first), Terminator::Jump(second)) = (a.terminator, b.terminator) else {
            unreachable!("both end in jumps")
        };
        let args = first.args.iter().zip(second.args).map(|(&x, y)| self.choice(x, y, branch)).collect();
        let head = &mut self.function.blocks[self.head];
        head.insts.append(&mut self.insts);
        head.terminator = Terminator::Jump(Edge { target: first.target, args });
        let gone = self.function.blocks.ids().map(|id| id == yes || id == no).collect();
        Merged { gone, replaced: self.replaced }
    }

    /// Goes the one way with what both of two would have chosen. What is computed on one of them is computed always.
    fn choose(mut self, Ways { edges: [first, second], blocks }: Ways) -> Merged {
        let branch = self.function.blocks[self.head].terminator_loc;
        for &id in &blocks {
            let computed = self.take(id).insts;
            self.insts.extend(computed);
        }
        let args = first.args.iter().zip(second.args).map(|(&x, y)| self.choice(x, y, branch)).collect();
        let head = &mut self.function.blocks[self.head];
        head.insts.append(&mut self.insts);
        head.terminator = Terminator::Jump(Edge { target: first.target, args });
        let gone = self.function.blocks.ids().map(|id| blocks.contains(&id)).collect();
        Merged { gone, replaced: self.replaced }
    }

    /// Stores the one number or the other one, without a branch.
    fn store(mut self, Anew { block, holds, next, old }: Anew) -> Merged {
        for inst in self.take(block).insts {
            match inst.op {
                Op::Store { address, value: new, access } => {
                    let (a, b) = if holds { (new, old) } else { (old, new) };
                    let value = self.choice(a, b, inst.loc);
                    self.insts.push(Inst { op: Op::Store { address, value, access }, ..inst });
                }
                _ => self.insts.push(inst),
            }
        }
        let head = &mut self.function.blocks[self.head];
        head.insts.append(&mut self.insts);
        head.terminator = Terminator::Jump(next);
        let gone = self.function.blocks.ids().map(|id| id == block).collect();
        Merged { gone, replaced: self.replaced }
    }

    fn take(&mut self, id: BlockId) -> Block {
        let nothing =
            Block { params: Vec::new(), insts: Vec::new(), terminator: Terminator::Unreachable, terminator_loc: None };
        std::mem::replace(&mut self.function.blocks[id], nothing)
    }

    /// The first operand where the condition holds, else the other one.
    fn choice(&mut self, a: Operand, b: Operand, loc: Option<LocId>) -> Operand {
        let b = b.value().and_then(|value| self.replaced.get(&value).copied()).unwrap_or(b);
        if a == b {
            return a;
        }
        let ty = ty(self.function, a);
        let result = self.function.values.push(Value { ty, name: None, source_type: None });
        let op = Op::Select { condition: self.condition, a, b };
        self.insts.push(Inst { results: smallvec![result], op, loc });
        result.into()
    }
}

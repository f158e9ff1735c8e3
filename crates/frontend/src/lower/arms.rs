//! Makes one of the two arms of a branch that do the same with different operands and synchronise: `if (c) lock(&a); else lock(&b);` becomes
//! `lock(c ? &a : &b)`, as optimisers have it. So the number of schedules does not depend on the optimisation level, and where inputs choose
//! among many objects it can be left open which one it is (Bergan 3.4.1.5). So does `if (c) m = &a; else m = &b;` in front of `lock(m)`, and `if (k < 0) k = -k;` in front of `lock(&of[k % 8])`. Where `if (++last == size) last = 0;` stores again
//! what it has just stored and compared, it stores the one number or the other. What else is executed only computes; where the lines of the two differ, an instruction has that of the branch.

use icsched_ir::{
    Access, Block, BlockId, Callee, Edge, EntityId as _, FuncId, Function, Inst, LocId, Op, Operand, Terminator, Type,
    Value, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::smallvec;

use super::locating::{Locating, is_harmless};

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

/// Most operations on a way that only chooses.
const MAX_COMPUTED: usize = 8;

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
    let edges = [then_edge, else_edge].map(|edge| {
        let (id, block) = (edge.target, &function.blocks[edge.target]);
        let only_computes = block.insts.len() <= MAX_COMPUTED && block.insts.iter().all(|inst| is_harmless(&inst.op));
        let is_own = only_computes && block.params.is_empty() && predecessors[id.index()] == 1;
        match &block.terminator {
            Terminator::Jump(next) if is_own && id != head && next.target != id => {
                blocks.push(id);
                next.clone()
            }
            _ => edge.clone(),
        }
    });
    // `x < least ? least : x > most ? most : x`: what is chosen is what is compared.
    let compared = compared(function, head, *condition);
    let inside: Vec<&Inst> = blocks.iter().flat_map(|&id| &function.blocks[id].insts).collect();
    let only_chooses = inside.iter().all(|inst| matches!(inst.op, Op::IntCompare { .. } | Op::Select { .. }));
    let is_choice = |value: ValueId| {
        inside.iter().any(|inst| matches!(inst.op, Op::Select { .. }) && inst.results.contains(&value))
    };
    let is_bound = |operand: Operand| {
        let is_compared = compared.is_some_and(|compared| compared.contains(&operand));
        only_chooses && compared.is_some() && (is_compared || matches!(operand, Operand::Value(v) if is_choice(v)))
    };
    let [first, second] = &edges;
    let params = &function.blocks[first.target].params;
    let mut pairs = params.iter().zip(first.args.iter().zip(&second.args));
    let is_wanted = first.target == second.target
        && !blocks.contains(&first.target)
        && pairs.any(|(param, (a, b))| a != b && (chosen.contains(param) || is_bound(*a) && is_bound(*b)))
        && first.args.iter().zip(&second.args).all(|(&a, &b)| ty(function, a) == ty(function, b));
    is_wanted.then_some(Ways { edges, blocks })
}

/// A way from a branch on which nothing is done but that another number is stored where one was just before.
struct Anew {
    block: BlockId,
    /// Whether it is the way where the condition holds.
    holds: bool,
    next: Edge,
    /// What was stored before.
    old: Operand,
}

/// `if (++last == size) last = 0;`: what was stored is compared, and something else may be stored in its place. Optimisers store the one or
/// the other.
fn stored_anew(function: &Function, head: BlockId, predecessors: &[usize]) -> Option<Anew> {
    let from = &function.blocks[head];
    let Terminator::Branch { condition, then_edge, else_edge, .. } = &from.terminator else { return None };
    let compared = compared(function, head, *condition)?;
    let is_store = |inst: &Inst| matches!(inst.op, Op::Store { .. });
    let last = from.insts.iter().rposition(|inst| !inst.op.is_computation() && !is_plain_load(&inst.op))?;
    let Op::Store { address, value: old, access } = from.insts[last].op else { return None };
    [(then_edge, else_edge, true), (else_edge, then_edge, false)].into_iter().find_map(|(way, other, holds)| {
        let (id, block) = (way.target, &function.blocks[way.target]);
        let Terminator::Jump(next) = &block.terminator else { return None };
        let is_own = id != head && block.params.is_empty() && predecessors[id.index()] == 1 && next == other;
        if !is_own || next.target == id || block.insts.len() > MAX_COMPUTED {
            return None;
        }
        let mut stores = block.insts.iter().filter(|inst| is_store(inst));
        let (store, only) = (stores.next()?, stores.next().is_none());
        let Op::Store { address: again, value: new, access: same } = store.op else { return None };
        let around = [&from.insts, &block.insts];
        let is_same = access == Access::default() && same == access && ty(function, old) == ty(function, new);
        let only_computes = block.insts.iter().all(|inst| is_store(inst) || is_harmless(&inst.op));
        // It is compared, or what is read there again.
        let is_old = |operand: &Operand| {
            let is_read = |inst: &Inst| match inst.op {
                Op::Load { address: read, .. } => {
                    inst.results.iter().any(|&result| Operand::from(result) == *operand)
                        && is_same_address(around, read, address)
                }
                _ => false,
            };
            *operand == old || from.insts[last + 1..].iter().any(is_read)
        };
        let is_wanted = only && only_computes && is_same && compared.iter().any(is_old);
        (is_wanted && is_same_address(around, again, address)).then(|| Anew {
            block: id,
            holds,
            next: next.clone(),
            old,
        })
    })
}

fn is_plain_load(op: &Op) -> bool {
    matches!(op, Op::Load { access, .. } if *access == Access::default())
}

/// Whether two addresses that are used in some blocks are computed there in the same way.
fn is_same_address(blocks: [&Vec<Inst>; 2], a: Operand, b: Operand) -> bool {
    let computed = |operand: Operand| {
        let value = operand.value()?;
        let inst = blocks.into_iter().flatten().find(|inst| inst.results.contains(&value))?;
        matches!(inst.op, Op::Address { .. }).then_some(&inst.op)
    };
    a == b || computed(a).zip(computed(b)).is_some_and(|(a, b)| a == b)
}

/// The numbers that a block compares in a condition.
fn compared(function: &Function, block: BlockId, condition: Operand) -> Option<[Operand; 2]> {
    let Operand::Value(condition) = condition else { return None };
    let inst = function.blocks[block].insts.iter().find(|inst| inst.results.contains(&condition))?;
    match inst.op {
        Op::IntCompare { a, b, .. } => Some([a, b]),
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

//! Code that cannot be executed without an error.
//!
//! A pointer whose set is empty is null or was never an address: whatever is done through it is an error, also where
//! the set is empty because the analysis does not follow how the pointer was made. So nothing may be concluded from
//! such an access writing nothing, or from such a call reaching nothing: whoever asks what code does is told that it
//! *fails*.
//!
//! What stands behind a test that such a pointer is not null is not reached, and does not count: programs are full of
//! hooks that nobody sets.

use fixedbitset::FixedBitSet;
use icsched_ir::{
    BinOp, BlockId, Callee, Cfg, Const, Definitions, EntityId, Extent, Function, IdVec, Inst, IntPredicate, Intrinsic,
    Op, Operand, ProgramPoint, Terminator, Touch,
};
use rustc_hash::FxHashMap;

use crate::budgets::BUDGETS;
use crate::object::InstanceId;
use crate::touched::{Reader, point};

/// Which code fails.
pub(crate) struct Failing {
    /// Whether an instance may get to such an instruction, in itself or in what it calls.
    instances: IdVec<InstanceId, bool>,
    /// The blocks that are not reached, of instances that have any.
    unreached: FxHashMap<InstanceId, FixedBitSet>,
}

impl Failing {
    /// Takes two passes over the instances' instructions, and time in the number of calls between instances.
    pub(crate) fn new(reader: &Reader<'_>) -> Self {
        let points_to = reader.points_to;
        let mut this =
            Self { instances: IdVec::filled(false, points_to.instances().len()), unreached: FxHashMap::default() };
        let mut callers: IdVec<InstanceId, Vec<InstanceId>> = IdVec::filled(Vec::new(), points_to.instances().len());
        let mut work: Vec<InstanceId> = Vec::new();
        for (id, instance) in points_to.instances().iter() {
            let function = &reader.program.functions[instance.func];
            if let Some(unreached) = unreached(reader, id, function) {
                this.unreached.insert(id, unreached);
            }
            let mut fails = false;
            for (block, body) in function.blocks.iter().filter(|(block, _)| this.is_reached(id, *block)) {
                for (at, inst) in body.insts.iter().enumerate() {
                    let at = point(instance.func, block, at);
                    fails |= fails_itself(reader, id, at, inst);
                    for &callee in returning_callees(reader, id, at, inst) {
                        callers[callee].push(id);
                    }
                }
            }
            if fails {
                this.instances[id] = true;
                work.push(id);
            }
        }
        while let Some(id) = work.pop() {
            for caller in std::mem::take(&mut callers[id]) {
                if !std::mem::replace(&mut this.instances[caller], true) {
                    work.push(caller);
                }
            }
        }
        this
    }

    /// Whether executing the instruction, or what it calls, may end in a certain error.
    pub(crate) fn instruction(&self, reader: &Reader<'_>, id: InstanceId, at: ProgramPoint, inst: &Inst) -> bool {
        self.is_reached(id, at.block)
            && (returning_callees(reader, id, at, inst).iter().any(|&callee| self.instances[callee])
                || fails_itself(reader, id, at, inst))
    }

    fn is_reached(&self, id: InstanceId, block: BlockId) -> bool {
        self.unreached.get(&id).is_none_or(|blocks| !blocks.contains(block.index()))
    }
}

/// Starting a thread is no call.
fn returning_callees<'p>(reader: &Reader<'p>, id: InstanceId, at: ProgramPoint, inst: &Inst) -> &'p [InstanceId] {
    match &inst.op {
        Op::Call { callee: Callee::Direct(_) | Callee::Indirect(_), .. } => reader.points_to.callees(id, at),
        _ => &[],
    }
}

fn fails_itself(reader: &Reader<'_>, id: InstanceId, at: ProgramPoint, inst: &Inst) -> bool {
    let function = &reader.program.functions[at.func];
    if let Op::Call { callee: callee @ Callee::Indirect(_), .. } = &inst.op {
        let mut reached = !reader.points_to.callees(id, at).is_empty();
        reader.declared_targets(id, callee, |_| reached = true);
        return !reached;
    }
    // Nothing at all is copied rarely; other intrinsics take null for what is not there.
    let of_any_length = match &inst.op {
        Op::Call { callee: Callee::Intrinsic(i), .. } => {
            matches!(i, Intrinsic::MemCopy | Intrinsic::MemMove | Intrinsic::MemSet)
        }
        _ => true,
    };
    let mut fails = false;
    let mut see = |touch: Touch| {
        let touches = match touch.extent {
            Extent::Bytes(n) => n > 0,
            Extent::Unknown => of_any_length,
            // Null may be freed.
            Extent::Object => false,
        };
        fails |= touches && !fails && points_nowhere(reader, id, touch.address);
    };
    inst.op.for_each_write(function, &mut see);
    inst.op.for_each_read(function, &inst.results, &mut see);
    fails
}

fn points_nowhere(reader: &Reader<'_>, id: InstanceId, address: Operand) -> bool {
    match reader.points_to.representative(id, address) {
        Some(set) => reader.points_to.set_numbered(set).is_empty(),
        None => !matches!(address, Operand::Const(Const::Global { .. } | Const::Func(_))),
    }
}

/// The blocks of an instance that are not reached because pointers that point nowhere are null, if there are any.
fn unreached(reader: &Reader<'_>, id: InstanceId, function: &Function) -> Option<FixedBitSet> {
    let definitions = Definitions::new(function);
    let conditions = Conditions { reader, id, function, definitions: &definitions };
    let mut left_out: Vec<(BlockId, BlockId)> = Vec::new();
    for (block, body) in function.blocks.iter() {
        let Terminator::Branch { condition, then_edge, else_edge } = &body.terminator else { continue };
        if then_edge.target != else_edge.target
            && let Some(holds) = conditions.decided(*condition, 0)
        {
            left_out.push((block, if holds { else_edge.target } else { then_edge.target }));
        }
    }
    if left_out.is_empty() {
        return None;
    }
    let cfg = Cfg::new(function);
    let mut unreached = FixedBitSet::with_capacity(function.blocks.len());
    unreached.insert_range(..);
    let mut work = vec![BlockId::from_index(0)];
    while let Some(block) = work.pop() {
        if unreached.contains(block.index()) {
            unreached.remove(block.index());
            work.extend(cfg.successors(block).iter().filter(|&&to| !left_out.contains(&(block, to))));
        }
    }
    Some(unreached)
}

/// Looks for tests of pointers that point nowhere.
struct Conditions<'a, 'p> {
    reader: &'a Reader<'p>,
    id: InstanceId,
    function: &'a Function,
    definitions: &'a Definitions,
}

impl Conditions<'_, '_> {
    /// What the condition is in every run, if that is known.
    fn decided(&self, condition: Operand, depth: u32) -> Option<bool> {
        let value = match condition {
            Operand::Const(Const::Bits { bits, .. }) => return Some(bits != 0),
            Operand::Value(value) if depth < BUDGETS.failing_depth => value,
            Operand::Const(_) | Operand::Value(_) => return None,
        };
        let decided = |operand: Operand| self.decided(operand, depth + 1);
        match &self.definitions.inst(self.function, value)?.op {
            Op::IntCompare { predicate: predicate @ (IntPredicate::Eq | IntPredicate::Ne), a, b } => {
                let null = is_null(*a) && self.is_nowhere(*b) || is_null(*b) && self.is_nowhere(*a);
                null.then_some(*predicate == IntPredicate::Eq)
            }
            Op::Binary { op: BinOp::And, a, b, .. } => match (decided(*a), decided(*b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Op::Binary { op: BinOp::Or, a, b, .. } => match (decided(*a), decided(*b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            Op::Binary { op: BinOp::Xor, a, b, .. } => Some(decided(*a)? != decided(*b)?),
            Op::Select { condition, a, b } => match decided(*condition) {
                Some(true) => decided(*a),
                Some(false) => decided(*b),
                None => decided(*a).filter(|&a| decided(*b) == Some(a)),
            },
            _ => None,
        }
    }

    fn is_nowhere(&self, pointer: Operand) -> bool {
        let points_to = self.reader.points_to;
        pointer.value().is_some()
            && points_to.representative(self.id, pointer).is_some_and(|set| points_to.set_numbered(set).is_empty())
    }
}

fn is_null(operand: Operand) -> bool {
    matches!(operand, Operand::Const(Const::Bits { bits: 0, .. }))
}

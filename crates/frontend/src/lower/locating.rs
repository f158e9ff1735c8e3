//! Which values say what is synchronised on: addresses that operations of synchronisation are called with, and all that these are computed
//! from, through calls and returns, but not through memory. Where a branch only chooses such a value, it is no branch ([`arms`](super::arms)).

use icsched_ir::{
    Callee, Definition, Definitions, FuncId, Function, IdVec, Op, Operand, Origin, Terminator, Type, ValueId,
};
use rustc_hash::FxHashSet;

/// Which parameters and results of functions say what is synchronised on.
#[derive(Default)]
pub(super) struct Locating {
    /// With the positions of parameters.
    params: FxHashSet<(FuncId, usize)>,
    /// With the positions of scalars that are returned.
    results: FxHashSet<(FuncId, usize)>,
}

impl Locating {
    /// What the functions of a program hand to each other. O(instructions) for each call on the way from where an object is chosen to
    /// where it is synchronised on.
    pub(super) fn of(functions: &IdVec<FuncId, Function>, synchronises: &impl Fn(FuncId) -> bool) -> Self {
        let mut this = Self::default();
        loop {
            let before = this.params.len() + this.results.len();
            for (id, function) in functions.iter().filter(|(_, function)| function.origin == Origin::Program) {
                this.extend(id, function, synchronises);
            }
            if this.params.len() + this.results.len() == before {
                return this;
            }
        }
    }

    /// The values of one function that say what is synchronised on, there or where they are handed to. O(instructions).
    pub(super) fn values(
        &self,
        id: FuncId,
        function: &Function,
        synchronises: &impl Fn(FuncId) -> bool,
    ) -> FxHashSet<ValueId> {
        let mut work = self.seeds(id, function, synchronises);
        if work.is_empty() {
            return FxHashSet::default();
        }
        let definitions = Definitions::new(function);
        let mut found = FxHashSet::default();
        while let Some(operand) = work.pop() {
            let Some(value) = operand.value() else { continue };
            if function.values[value].ty == Type::Int(1) || !found.insert(value) {
                continue;
            }
            match definitions.of(value) {
                Some(Definition::Inst(block, at)) => operands(&function.blocks[block].insts[at].op, &mut work),
                Some(Definition::Parameter(block, at)) => {
                    let edges = function.blocks.values().flat_map(|from| from.terminator.edges());
                    work.extend(edges.filter(|edge| edge.target == block).map(|edge| edge.args[at]));
                }
                Some(Definition::Argument(_)) | None => {}
            }
        }
        found
    }

    fn seeds(&self, id: FuncId, function: &Function, synchronises: &impl Fn(FuncId) -> bool) -> Vec<Operand> {
        let mut seeds = Vec::new();
        for block in function.blocks.values() {
            for inst in &block.insts {
                let Op::Call { callee: Callee::Direct(callee), args } = &inst.op else { continue };
                let is_wanted = |&(at, arg): &(usize, &Operand)| {
                    self.params.contains(&(*callee, at))
                        || synchronises(*callee) && arg.value().is_some_and(|v| function.values[v].ty == Type::Ptr)
                };
                seeds.extend(args.iter().enumerate().filter(is_wanted).map(|(_, &arg)| arg));
            }
            if let Terminator::Return(values) = &block.terminator {
                seeds.extend((0..).zip(values).filter(|(at, _)| self.results.contains(&(id, *at))).map(|(_, &v)| v));
            }
        }
        seeds
    }

    /// What the values of one function say about its parameters, and about results of what it calls.
    fn extend(&mut self, id: FuncId, function: &Function, synchronises: &impl Fn(FuncId) -> bool) {
        let values = self.values(id, function, synchronises);
        if values.is_empty() {
            return;
        }
        let params = function.params.iter().enumerate().filter(|(_, param)| values.contains(param));
        self.params.extend(params.map(|(at, _)| (id, at)));
        for inst in function.blocks.values().flat_map(|block| &block.insts) {
            if let Op::Call { callee: Callee::Direct(callee), .. } = inst.op {
                let results = inst.results.iter().enumerate().filter(|(_, result)| values.contains(result));
                self.results.extend(results.map(|(at, _)| (callee, at)));
            }
        }
    }
}

/// What the result of a computation is made of.
fn operands(op: &Op, to: &mut Vec<Operand>) {
    if is_computation(op) || matches!(op, Op::Binary { .. }) {
        op.for_each_operand(|operand| to.push(operand));
    }
}

/// Whether an operation only computes, whatever its operands are: it may be executed where its result is not wanted.
pub(super) fn is_computation(op: &Op) -> bool {
    use icsched_ir::BinOp::{SDiv, SRem, UDiv, URem};
    match op {
        Op::Binary { op: SDiv | SRem | UDiv | URem, b, .. } => {
            matches!(b, Operand::Const(icsched_ir::Const::Bits { ty, bits }) if *bits != 0 && *bits != ty.mask())
        }
        Op::Binary { .. }
        | Op::Unary { .. }
        | Op::Cast { .. }
        | Op::IntCompare { .. }
        | Op::FloatCompare { .. }
        | Op::Overflow { .. }
        | Op::Select { .. }
        | Op::FunnelShift { .. }
        | Op::Address { .. } => true,
        Op::Load { .. }
        | Op::Store { .. }
        | Op::Alloca { .. }
        | Op::AtomicRmw { .. }
        | Op::CompareExchange { .. }
        | Op::Fence { .. }
        | Op::MemCopy { .. }
        | Op::MemSet { .. }
        | Op::Call { .. }
        | Op::VaStart { .. }
        | Op::VaCopy { .. }
        | Op::Trap
        | Op::Unsupported { .. } => false,
    }
}

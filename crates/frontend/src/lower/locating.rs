//! Which values say what is synchronised on: addresses that operations of synchronisation are called with, and all that
//! these are computed from, through calls and returns, but not through memory. Where a branch only chooses such a
//! value, it is no branch ([`arms`](super::arms)).

use icsched_ir::{
    BlockId, Callee, Const, Definition, Definitions, Edge, FuncId, Function, IdVec, Op, Operand, Origin, Terminator,
    Type, ValueId,
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
    /// What the functions of a program hand to each other. O(instructions) for each call on the way from where an
    /// object is chosen to where it is synchronised on.
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
        let mut incoming: IdVec<BlockId, Vec<&Edge>> = IdVec::filled(Vec::new(), function.blocks.len());
        for edge in function.blocks.values().flat_map(|from| from.terminator.edges()) {
            incoming[edge.target].push(edge);
        }
        let mut found = FxHashSet::default();
        while let Some(operand) = work.pop() {
            let Some(value) = operand.value() else { continue };
            if function.values[value].ty == Type::Int(1) || !found.insert(value) {
                continue;
            }
            match definitions.of(value) {
                Some(Definition::Inst(block, at)) => {
                    let op = &function.blocks[block].insts[at].op;
                    if op.is_computation() {
                        op.for_each_operand(|operand| work.push(operand));
                    }
                }
                Some(Definition::Parameter(block, at)) => work.extend(incoming[block].iter().map(|edge| edge.args[at])),
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

/// Whether an operation may be executed where its result is not wanted: it only computes, and never fails.
pub(super) fn is_harmless(op: &Op) -> bool {
    use icsched_ir::BinOp::{SDiv, SRem, UDiv, URem};
    match op {
        Op::Binary { op: SDiv | SRem | UDiv | URem, b, .. } => {
            matches!(b, Operand::Const(Const::Bits { ty, bits }) if *bits != 0 && *bits != ty.mask())
        }
        _ => op.is_computation(),
    }
}

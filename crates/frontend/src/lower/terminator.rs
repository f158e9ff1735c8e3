//! Terminators: branches, the comparisons that `switch` and computed `goto` become, returns.

use icsched_ir::{BinOp, BlockId, Const, Edge, IntPredicate, Op, Operand, Terminator, Type};
use inkwell::llvm_sys::LLVMOpcode;
use smallvec::SmallVec;

use super::error::Reason;
use super::function::Body;
use super::plan::{Plan, goto_targets, switch_groups};
use crate::llvm::{Bb, Val};

impl<'m> Body<'_, 'm> {
    /// Lowers the terminator of `source`; `extra` are the further blocks planned for it.
    pub(crate) fn lower_terminator(&mut self, plan: &Plan<'m>, source: Bb<'m>, extra: &[BlockId]) {
        self.block = plan.ids[&source];
        let Some(inst) = source.terminator() else { return };
        self.loc = self.location(inst);
        let lowered = match inst.opcode() {
            // The call itself is lowered with the instructions before it.
            LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr => {
                self.edge(plan, source, inst.successors()[0]).map(Terminator::Jump)
            }
            LLVMOpcode::LLVMBr => self.lower_branch(plan, source, inst),
            LLVMOpcode::LLVMSwitch => self.lower_switch(plan, source, inst, extra),
            LLVMOpcode::LLVMIndirectBr => self.lower_goto(plan, source, inst, extra),
            LLVMOpcode::LLVMRet => self.lower_return(inst),
            LLVMOpcode::LLVMUnreachable => Ok(Terminator::Unreachable),
            other => Err(Reason(format!("{other:?} instruction"))),
        };
        let terminator =
            lowered.unwrap_or_else(|reason| Terminator::Unsupported { text: format!("{reason}: {}", inst.print()) });
        self.terminate(terminator);
    }

    fn terminate(&mut self, terminator: Terminator) {
        let block = &mut self.function.blocks[self.block];
        block.terminator = terminator;
        block.terminator_loc = self.loc;
    }

    /// The edge between two source blocks, with what the target's phis take from it. Instructions for constant
    /// expressions go to the current block.
    fn edge(&mut self, plan: &Plan<'m>, from: Bb<'m>, to: Bb<'m>) -> Result<Edge, Reason> {
        let mut args = SmallVec::new();
        for phi in to.instructions().into_iter().take_while(|i| i.opcode() == LLVMOpcode::LLVMPHI) {
            let value = phi.incoming_from(from).ok_or("phi without a value for its edge")?;
            let shape = self.shape(phi.ty());
            match self.operands(value) {
                Ok(operands) => args.extend(operands),
                // Nothing can be computed with such a value, so it may be any.
                Err(_) if shape.unsupported.is_some() => {
                    args.extend(shape.types().map(|ty| Operand::Const(Const::Undef(ty))));
                }
                Err(reason) => return Err(reason),
            }
        }
        Ok(Edge { target: plan.ids[&to], args })
    }

    fn lower_branch(&mut self, plan: &Plan<'m>, source: Bb<'m>, inst: Val<'m>) -> Result<Terminator, Reason> {
        let targets = inst.successors();
        let Some(condition) = inst.branch_condition() else {
            return Ok(Terminator::Jump(self.edge(plan, source, targets[0])?));
        };
        let condition = self.scalar(condition)?;
        let then_edge = self.edge(plan, source, targets[0])?;
        let else_edge = self.edge(plan, source, targets[1])?;
        if then_edge == else_edge {
            return Ok(Terminator::Jump(then_edge));
        }
        Ok(Terminator::Branch { condition, then_edge, else_edge })
    }

    /// One two-way branch per distinct target, in the order of the first case of each; all values that lead to a
    /// target are tested at once, so that a symbolic value forks once per target and not once per value.
    fn lower_switch(
        &mut self,
        plan: &Plan<'m>,
        source: Bb<'m>,
        inst: Val<'m>,
        extra: &[BlockId],
    ) -> Result<Terminator, Reason> {
        let value = self.parts(inst.operand(0))?.pop().ok_or("switch on nothing")?.1;
        let default = inst.successors()[0];
        let groups = switch_groups(inst);
        let mut blocks = extra.iter();
        for (position, (target, cases)) in groups.iter().enumerate() {
            let condition = self.any_of(&value, cases)?;
            let then_edge = self.edge(plan, source, *target)?;
            if position + 1 == groups.len() {
                let else_edge = self.edge(plan, source, default)?;
                return Ok(Terminator::Branch { condition, then_edge, else_edge });
            }
            let next = *blocks.next().expect("one extra block per further target was planned");
            let else_edge = Edge { target: next, args: SmallVec::new() };
            self.terminate(Terminator::Branch { condition, then_edge, else_edge });
            self.block = next;
        }
        Ok(Terminator::Jump(self.edge(plan, source, default)?))
    }

    /// Whether `value` is one of the cases; runs of neighbouring values are tested as ranges.
    fn any_of(&mut self, value: &[Operand], cases: &[Val<'m>]) -> Result<Operand, Reason> {
        let &[value] = value else { return self.any_of_wide(value, cases) };
        let ty = self.type_of(value);
        let mut numbers = cases.iter().map(|case| case.int_bits()).collect::<Option<Vec<u64>>>().ok_or("wide case")?;
        numbers.sort_unstable();
        let mut result: Option<Operand> = None;
        for run in numbers.chunk_by(|a, b| a + 1 == *b) {
            let (low, length) = (Operand::Const(Const::int(ty, run[0])), run.len() as u64);
            let test = if length == 1 {
                self.emit(Type::Int(1), Op::IntCompare { predicate: IntPredicate::Eq, a: value, b: low })
            } else {
                let from_low = match run[0] {
                    0 => value,
                    _ => self.emit(ty, Op::binary(BinOp::Sub, value, low)),
                };
                let last = Operand::Const(Const::int(ty, length - 1));
                self.emit(Type::Int(1), Op::IntCompare { predicate: IntPredicate::Ule, a: from_low, b: last })
            };
            result = Some(match result {
                None => test,
                Some(before) => self.emit(Type::Int(1), Op::binary(BinOp::Or, before, test)),
            });
        }
        result.ok_or_else(|| Reason::from("switch target without cases"))
    }

    fn any_of_wide(&mut self, value: &[Operand], cases: &[Val<'m>]) -> Result<Operand, Reason> {
        let mut result = Operand::Const(Const::int(Type::Int(1), 0));
        for &case in cases {
            let case = self.operands(case)?;
            let test = self.wide_compare(IntPredicate::Eq, value, &case);
            result = self.fold_binary(Type::Int(1), BinOp::Or, result, test);
        }
        Ok(result)
    }

    /// One comparison with the address of each target; no target is undefined behaviour.
    fn lower_goto(
        &mut self,
        plan: &Plan<'m>,
        source: Bb<'m>,
        inst: Val<'m>,
        extra: &[BlockId],
    ) -> Result<Terminator, Reason> {
        let address = self.scalar(inst.operand(0))?;
        let func = self.cx.func_id(self.source).ok_or("function without an id")?;
        for (target, &next) in goto_targets(inst).into_iter().zip(extra) {
            let b = Operand::Const(Const::Block { func, block: plan.ids[&target] });
            let condition = self.emit(Type::Int(1), Op::IntCompare { predicate: IntPredicate::Eq, a: address, b });
            let then_edge = self.edge(plan, source, target)?;
            let else_edge = Edge { target: next, args: SmallVec::new() };
            self.terminate(Terminator::Branch { condition, then_edge, else_edge });
            self.block = next;
        }
        Ok(Terminator::Unreachable)
    }

    fn lower_return(&mut self, inst: Val<'m>) -> Result<Terminator, Reason> {
        if inst.operand_count() == 0 {
            return Ok(Terminator::Return(SmallVec::new()));
        }
        self.check(inst.operand(0).ty())?;
        let operands = self.operands(inst.operand(0))?;
        Ok(Terminator::Return(operands.into_iter().collect()))
    }
}

//! Arithmetic, comparisons, conversions, and the dispatch over opcodes.

use icsched_ir::{BinOp, CastOp, FloatPredicate, IntPredicate, NoWrap, Op, Operand, UnOp};
use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate};
use smallvec::smallvec;

use super::error::Reason;
use super::function::Body;
use super::scalar::Scalar;
use super::shape::{Operands, Parts, select_path};
use crate::llvm::{Kind, Val};

impl<'m> Body<'_, 'm> {
    /// Lowers an instruction that is neither a phi nor a terminator; the result is its scalars.
    pub(crate) fn lower_instruction(&mut self, inst: Val<'m>) -> Result<Operands, Reason> {
        match inst.opcode() {
            LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr => self.lower_call(inst),
            LLVMOpcode::LLVMAlloca => self.lower_alloca(inst),
            LLVMOpcode::LLVMLoad => self.lower_load(inst),
            LLVMOpcode::LLVMStore => self.lower_store(inst),
            LLVMOpcode::LLVMFence => self.lower_fence(inst),
            LLVMOpcode::LLVMAtomicRMW => self.lower_rmw(inst),
            LLVMOpcode::LLVMAtomicCmpXchg => self.lower_compare_exchange(inst),
            LLVMOpcode::LLVMVAArg => Err(Reason::from("the va_arg instruction")),
            opcode => self.lower_operation(opcode, inst),
        }
    }

    /// Lowers an operation that exists both as instruction and as constant expression.
    pub(crate) fn lower_operation(&mut self, opcode: LLVMOpcode, value: Val<'m>) -> Result<Operands, Reason> {
        for operand in value.operands() {
            self.check(operand.ty())?;
        }
        self.check(value.ty())?;
        if let Some(op) = binary_op(opcode) {
            let no_wrap = if op.may_wrap() && matches!(value.kind(), Kind::Instruction) {
                value.no_wrap()
            } else {
                NoWrap::default()
            };
            return self.each_pair(value, |body, scalar, a, b| match scalar {
                Scalar::Plain(ty) => Ok(smallvec![body.emit(ty, Op::Binary { op, no_wrap, a: a[0], b: b[0] })]),
                _ => body.binary(op, scalar, a, b),
            });
        }
        if let Some(op) = cast_op(opcode) {
            return self.each_conversion(value, |body, from, to, a| body.convert(op, from, to, a));
        }
        match opcode {
            LLVMOpcode::LLVMFNeg => self.each(value.operand(0), |body, scalar, a| body.unary(UnOp::FNeg, scalar, a)),
            LLVMOpcode::LLVMFreeze => {
                self.each(value.operand(0), |body, scalar, a| body.unary(UnOp::Freeze, scalar, a))
            }
            LLVMOpcode::LLVMICmp => {
                let predicate = int_predicate(value.int_predicate());
                self.each_pair(value, |body, scalar, a, b| Ok(smallvec![body.compare(predicate, scalar, a, b)?]))
            }
            LLVMOpcode::LLVMFCmp => {
                let predicate = float_predicate(value.float_predicate());
                self.each_pair(value, |body, scalar, a, b| Ok(smallvec![body.compare_floats(predicate, scalar, a, b)?]))
            }
            LLVMOpcode::LLVMSelect => self.lower_select(value),
            LLVMOpcode::LLVMGetElementPtr => self.lower_address(value),
            LLVMOpcode::LLVMBitCast => self.lower_bitcast(value),
            LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMPtrToAddr | LLVMOpcode::LLVMIntToPtr => {
                self.each_conversion(value, |body, from, to, a| Ok(body.convert_address(from, to, a)))
            }
            LLVMOpcode::LLVMExtractValue => self.lower_extract_value(value),
            LLVMOpcode::LLVMInsertValue => self.lower_insert_value(value),
            LLVMOpcode::LLVMExtractElement => self.lower_extract_element(value),
            LLVMOpcode::LLVMInsertElement => self.lower_insert_element(value),
            LLVMOpcode::LLVMShuffleVector => self.lower_shuffle(value),
            other => Err(Reason(format!("{other:?} instruction"))),
        }
    }

    /// A value as its scalars.
    pub(crate) fn parts(&mut self, value: Val<'m>) -> Result<Parts, Reason> {
        let shape = self.check(value.ty())?;
        Ok(shape.split(&self.operands(value)?))
    }

    /// Applies an operation to each scalar.
    pub(crate) fn each(
        &mut self,
        value: Val<'m>,
        op: impl Fn(&mut Self, Scalar, &[Operand]) -> Result<Operands, Reason>,
    ) -> Result<Operands, Reason> {
        let mut results = Operands::new();
        for (scalar, a) in self.parts(value)? {
            results.extend(op(self, scalar, &a)?);
        }
        Ok(results)
    }

    /// Applies a two-operand operation to each pair of scalars of operands 0 and 1.
    pub(crate) fn each_pair(
        &mut self,
        value: Val<'m>,
        op: impl Fn(&mut Self, Scalar, &[Operand], &[Operand]) -> Result<Operands, Reason>,
    ) -> Result<Operands, Reason> {
        let (a, b) = (self.parts(value.operand(0))?, self.parts(value.operand(1))?);
        let mut results = Operands::new();
        for ((scalar, a), (_, b)) in a.iter().zip(&b) {
            results.extend(op(self, *scalar, a, b)?);
        }
        Ok(results)
    }

    /// Converts each scalar of operand 0 to that of its place in the result.
    pub(crate) fn each_conversion(
        &mut self,
        value: Val<'m>,
        convert: impl Fn(&mut Self, Scalar, Scalar, &[Operand]) -> Result<Operands, Reason>,
    ) -> Result<Operands, Reason> {
        let parts = self.parts(value.operand(0))?;
        let to = self.check(value.ty())?;
        let mut results = Operands::new();
        for ((from, a), &to) in parts.iter().zip(&to.scalars) {
            results.extend(convert(self, *from, to, a)?);
        }
        Ok(results)
    }

    fn lower_select(&mut self, value: Val<'m>) -> Result<Operands, Reason> {
        let conditions = self.operands(value.operand(0))?;
        let (a, b) = (self.parts(value.operand(1))?, self.parts(value.operand(2))?);
        let mut results = Operands::new();
        for (((_, a), (_, b)), &condition) in a.iter().zip(&b).zip(conditions.iter().cycle()) {
            for (&a, &b) in a.iter().zip(b) {
                let ty = self.type_of(a);
                results.push(self.emit(ty, Op::Select { condition, a, b }));
            }
        }
        Ok(results)
    }

    fn lower_extract_value(&mut self, value: Val<'m>) -> Result<Operands, Reason> {
        let whole = self.operands(value.operand(0))?;
        let path = select_path(self.cx.layout(), value.operand(0).ty(), &value.indices());
        let (first, ty) = path.ok_or("index path")?;
        let count = self.shape(ty).leaves.len();
        Ok(whole.get(first..first + count).ok_or("index path")?.into())
    }

    fn lower_insert_value(&mut self, value: Val<'m>) -> Result<Operands, Reason> {
        let mut whole = self.operands(value.operand(0))?;
        let part = self.operands(value.operand(1))?;
        let path = select_path(self.cx.layout(), value.operand(0).ty(), &value.indices());
        let (first, _) = path.ok_or("index path")?;
        whole.get_mut(first..first + part.len()).ok_or("index path")?.copy_from_slice(&part);
        Ok(whole)
    }
}

fn binary_op(opcode: LLVMOpcode) -> Option<BinOp> {
    Some(match opcode {
        LLVMOpcode::LLVMAdd => BinOp::Add,
        LLVMOpcode::LLVMSub => BinOp::Sub,
        LLVMOpcode::LLVMMul => BinOp::Mul,
        LLVMOpcode::LLVMUDiv => BinOp::UDiv,
        LLVMOpcode::LLVMSDiv => BinOp::SDiv,
        LLVMOpcode::LLVMURem => BinOp::URem,
        LLVMOpcode::LLVMSRem => BinOp::SRem,
        LLVMOpcode::LLVMAnd => BinOp::And,
        LLVMOpcode::LLVMOr => BinOp::Or,
        LLVMOpcode::LLVMXor => BinOp::Xor,
        LLVMOpcode::LLVMShl => BinOp::Shl,
        LLVMOpcode::LLVMLShr => BinOp::LShr,
        LLVMOpcode::LLVMAShr => BinOp::AShr,
        LLVMOpcode::LLVMFAdd => BinOp::FAdd,
        LLVMOpcode::LLVMFSub => BinOp::FSub,
        LLVMOpcode::LLVMFMul => BinOp::FMul,
        LLVMOpcode::LLVMFDiv => BinOp::FDiv,
        LLVMOpcode::LLVMFRem => BinOp::FRem,
        _ => return None,
    })
}

fn cast_op(opcode: LLVMOpcode) -> Option<CastOp> {
    Some(match opcode {
        LLVMOpcode::LLVMTrunc => CastOp::Trunc,
        LLVMOpcode::LLVMZExt => CastOp::ZExt,
        LLVMOpcode::LLVMSExt => CastOp::SExt,
        LLVMOpcode::LLVMFPTrunc => CastOp::FpTrunc,
        LLVMOpcode::LLVMFPExt => CastOp::FpExt,
        LLVMOpcode::LLVMFPToUI => CastOp::FpToUi,
        LLVMOpcode::LLVMFPToSI => CastOp::FpToSi,
        LLVMOpcode::LLVMUIToFP => CastOp::UiToFp,
        LLVMOpcode::LLVMSIToFP => CastOp::SiToFp,
        _ => return None,
    })
}

fn int_predicate(predicate: LLVMIntPredicate) -> IntPredicate {
    match predicate {
        LLVMIntPredicate::LLVMIntEQ => IntPredicate::Eq,
        LLVMIntPredicate::LLVMIntNE => IntPredicate::Ne,
        LLVMIntPredicate::LLVMIntUGT => IntPredicate::Ugt,
        LLVMIntPredicate::LLVMIntUGE => IntPredicate::Uge,
        LLVMIntPredicate::LLVMIntULT => IntPredicate::Ult,
        LLVMIntPredicate::LLVMIntULE => IntPredicate::Ule,
        LLVMIntPredicate::LLVMIntSGT => IntPredicate::Sgt,
        LLVMIntPredicate::LLVMIntSGE => IntPredicate::Sge,
        LLVMIntPredicate::LLVMIntSLT => IntPredicate::Slt,
        LLVMIntPredicate::LLVMIntSLE => IntPredicate::Sle,
    }
}

fn float_predicate(predicate: LLVMRealPredicate) -> FloatPredicate {
    match predicate {
        LLVMRealPredicate::LLVMRealPredicateFalse => FloatPredicate::False,
        LLVMRealPredicate::LLVMRealOEQ => FloatPredicate::Oeq,
        LLVMRealPredicate::LLVMRealOGT => FloatPredicate::Ogt,
        LLVMRealPredicate::LLVMRealOGE => FloatPredicate::Oge,
        LLVMRealPredicate::LLVMRealOLT => FloatPredicate::Olt,
        LLVMRealPredicate::LLVMRealOLE => FloatPredicate::Ole,
        LLVMRealPredicate::LLVMRealONE => FloatPredicate::One,
        LLVMRealPredicate::LLVMRealORD => FloatPredicate::Ord,
        LLVMRealPredicate::LLVMRealUNO => FloatPredicate::Uno,
        LLVMRealPredicate::LLVMRealUEQ => FloatPredicate::Ueq,
        LLVMRealPredicate::LLVMRealUGT => FloatPredicate::Ugt,
        LLVMRealPredicate::LLVMRealUGE => FloatPredicate::Uge,
        LLVMRealPredicate::LLVMRealULT => FloatPredicate::Ult,
        LLVMRealPredicate::LLVMRealULE => FloatPredicate::Ule,
        LLVMRealPredicate::LLVMRealUNE => FloatPredicate::Une,
        LLVMRealPredicate::LLVMRealPredicateTrue => FloatPredicate::True,
    }
}

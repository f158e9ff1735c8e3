//! Calls of functions, of the engine's operations, and of mathematical functions of the C library.

use icsched_ir::{Access, BinOp, Callee, CastOp, Const, FuncId, Intrinsic, Op, Operand, Type, UnOp, tail_mark};

use super::error::Reason;
use super::function::Body;
use super::lowering::Failure;
use super::scalar::Scalar;
use super::shape::Operands;
use super::wide::constant;
use crate::budgets::BUDGETS;
use crate::llvm::undefined::UNDEFINED;
use crate::llvm::{Kind, Ty, TyKind, Val};

impl<'m> Body<'_, 'm> {
    /// Lowers a `call`.
    pub(crate) fn lower_call(&mut self, inst: Val<'m>) -> Result<Operands, Reason> {
        let mut callee = inst.callee();
        while callee.kind() == Kind::Alias {
            callee = callee.aliasee();
        }
        match callee.kind() {
            Kind::InlineAsm => self.lower_assembly(inst),
            Kind::Function | Kind::IFunc => self.lower_direct_call(inst, callee),
            _ => {
                let target = self.scalar(callee)?;
                let args = self.call_operands(inst)?;
                self.finish_call(inst, Callee::Indirect(target), args)
            }
        }
    }

    fn lower_direct_call(&mut self, inst: Val<'m>, callee: Val<'m>) -> Result<Operands, Reason> {
        let name = callee.name();
        if let Some(rest) = name.strip_prefix("llvm.") {
            return self.lower_intrinsic(inst, rest);
        }
        if name.starts_with(UNDEFINED) {
            return Ok(self.check(inst.ty())?.types().map(|ty| Operand::Const(Const::Undef(ty))).collect());
        }
        let declared = callee.kind() == Kind::Function && callee.is_declaration();
        let args = self.call_operands(inst)?;
        if declared && let Some(intrinsic) = Intrinsic::from_name(&name) {
            return self.lower_engine_call(inst, intrinsic, args);
        }
        if declared && let Some(result) = self.math_call(inst, &name, &args) {
            return Ok(result);
        }
        match self.cx.func_id(callee) {
            Some(id) => self.lower_known_call(inst, id, args),
            None => {
                // Weak and undefined: the call would jump to address 0.
                self.finish_call(inst, Callee::Indirect(Operand::Const(Const::NULL)), args)
            }
        }
    }

    fn lower_engine_call(
        &mut self,
        inst: Val<'m>,
        intrinsic: Intrinsic,
        args: Vec<Operand>,
    ) -> Result<Operands, Reason> {
        if args.len() != intrinsic.arity() {
            let (name, wanted, found) = (intrinsic.name(), intrinsic.arity(), args.len());
            let place = &self.function.name;
            let text = format!("`{place}` calls `{name}` with {found} arguments; it takes {wanted}");
            self.cx.fail(Failure::Model(text.clone()));
            return Err(Reason(text));
        }
        self.finish_call(inst, Callee::Intrinsic(intrinsic), args)
    }

    /// The flattened arguments. Variable ones are 8 bytes each, in the order in which `va_arg` walks over them in
    /// memory; those that are aligned to 16 bytes there come after a word that fills the gap.
    fn call_operands(&mut self, inst: Val<'m>) -> Result<Vec<Operand>, Reason> {
        let fixed = inst.call_type().params().len();
        let mut operands = Vec::new();
        let mut fixed_operands = 0;
        for (index, arg) in inst.call_args().into_iter().enumerate() {
            let shape = self.check(arg.ty())?;
            if index < fixed {
                operands.extend(self.operands(arg)?);
                fixed_operands = operands.len();
                continue;
            }
            let position = u32::try_from(index).unwrap_or(u32::MAX);
            let in_memory = inst.argument_type_attribute(position, "byval");
            let is_vector = arg.ty().kind() == TyKind::Vector;
            let aligned = match (in_memory, shape.scalars.as_slice()) {
                (Some(ty), _) => {
                    let given = inst.argument_attribute(position, "align").map_or(0, |attribute| attribute.value());
                    given.max(self.cx.layout().align(ty)) > 8
                }
                (None, _) if is_vector => self.cx.layout().size(arg.ty()) > 8,
                (None, &[scalar]) => matches!(scalar, Scalar::Wide(_) | Scalar::X87 | Scalar::Quad),
                (None, _) => false,
            };
            if aligned && (operands.len() - fixed_operands) % 2 == 1 {
                operands.push(Operand::Const(Const::Undef(Type::Int(64))));
            }
            match in_memory {
                Some(ty) => self.struct_words(arg, ty, &mut operands)?,
                None if is_vector => self.vector_words(arg, &mut operands)?,
                None => operands.extend(self.operands(arg)?),
            }
        }
        Ok(operands)
    }

    /// The 8-byte words of a vector. Structs of two `float` are passed as vectors, so several lanes share a word.
    fn vector_words(&mut self, vector: Val<'m>, words: &mut Vec<Operand>) -> Result<(), Reason> {
        let (mut word, mut filled) = (constant(Type::Int(64), 0), 0);
        for lane in self.operands(vector)? {
            let bits = self.type_of(lane).bits();
            let number = self.as_int(lane);
            let wide = self.widen(number, false);
            let placed = self.fold_binary(Type::Int(64), BinOp::Shl, wide, constant(Type::Int(64), filled));
            word = self.fold_binary(Type::Int(64), BinOp::Or, word, placed);
            filled += u64::from(bits);
            if filled >= 64 {
                words.push(word);
                (word, filled) = (constant(Type::Int(64), 0), 0);
            }
        }
        if filled > 0 {
            words.push(word);
        }
        Ok(())
    }

    /// The 8-byte words of a struct that is passed in memory.
    fn struct_words(&mut self, address: Val<'m>, ty: Ty<'m>, words: &mut Vec<Operand>) -> Result<(), Reason> {
        let size = self.cx.layout().size(ty);
        if size > 8 * BUDGETS.vararg_words {
            return Err(Reason(format!("struct of {size} bytes passed through `...`")));
        }
        let base = self.scalar(address)?;
        let access = Access::default();
        for start in (0..size).step_by(8) {
            let mut word = Operand::Const(Const::int(Type::Int(64), 0));
            let mut done = 0;
            while start + done < size && done < 8 {
                let bytes = [8, 4, 2, 1].into_iter().find(|&n| start + done + n <= size && done + n <= 8);
                let bytes = bytes.expect("one byte always fits");
                let from = self.offset_address(base, (start + done).cast_signed());
                let ty = Type::Int(u8::try_from(8 * bytes).expect("at most 64"));
                let piece = self.emit(ty, Op::Load { address: from, access });
                let wide = self.widen(piece, false);
                let place = constant(Type::Int(64), 8 * done);
                let placed = self.fold_binary(Type::Int(64), BinOp::Shl, wide, place);
                word = self.fold_binary(Type::Int(64), BinOp::Or, word, placed);
                done += bytes;
            }
            words.push(word);
        }
        Ok(())
    }

    fn finish_call(&mut self, inst: Val<'m>, callee: Callee, args: Vec<Operand>) -> Result<Operands, Reason> {
        let types: Vec<Type> = self.check(inst.ty())?.types().collect();
        self.mark_tail_call(inst)?;
        Ok(self.emit_many(&types, Op::Call { callee, args }))
    }

    /// A call of a known function, fitted to its definition: C without prototypes lets both differ. Surplus arguments
    /// are dropped and missing ones unspecified, as in registers.
    fn lower_known_call(&mut self, inst: Val<'m>, id: FuncId, args: Vec<Operand>) -> Result<Operands, Reason> {
        let expected: Vec<Type> = self.check(inst.ty())?.types().collect();
        let function = &self.cx.program.functions[id];
        let (varargs, results) = (function.varargs, function.results.clone());
        let params: Vec<Type> = function.params.iter().map(|&param| function.values[param].ty).collect();
        let mut fitted = Vec::with_capacity(args.len());
        for (index, &ty) in params.iter().enumerate() {
            fitted.push(match args.get(index) {
                Some(&arg) => self.fit(arg, ty)?,
                None => Operand::Const(Const::Undef(ty)),
            });
        }
        if varargs {
            fitted.extend(args.iter().skip(params.len()));
        }
        self.mark_tail_call(inst)?;
        let found = self.emit_many(&results, Op::Call { callee: Callee::Direct(id), args: fitted });
        expected
            .into_iter()
            .enumerate()
            .map(|(index, ty)| match found.get(index) {
                Some(&value) => self.fit(value, ty),
                None => Ok(Operand::Const(Const::Undef(ty))),
            })
            .collect()
    }

    /// Says that the call that is emitted next is in place of the rest of the function, if the program says so.
    fn mark_tail_call(&mut self, inst: Val<'m>) -> Result<(), Reason> {
        if !inst.is_must_tail() {
            return Ok(());
        }
        if self.function.varargs && inst.call_type().is_varargs() {
            return Err(Reason::from("`musttail` call that passes variable arguments on"));
        }
        self.emit_void(tail_mark());
        Ok(())
    }

    /// A value as the other side of a call sees it in the same register.
    fn fit(&mut self, value: Operand, ty: Type) -> Result<Operand, Reason> {
        match (self.type_of(value), ty) {
            (from, to) if from == to => Ok(value),
            (Type::Int(_) | Type::Ptr, Type::Int(_) | Type::Ptr) => {
                let plain = self.as_int(value);
                let wide = self.widen(plain, false);
                let narrow = Type::Int(u8::try_from(ty.bits()).expect("a scalar has at most 64 bits"));
                let cut = self.cast(CastOp::Trunc, wide, narrow);
                Ok(self.cast(CastOp::Bitcast, cut, ty))
            }
            (from, to) => Err(Reason(format!("call that passes {from} as {to}"))),
        }
    }

    /// Mathematical functions that no model defines are operations of the IR. `errno` is not set by them.
    fn math_call(&mut self, inst: Val<'m>, name: &str, args: &[Operand]) -> Option<Operands> {
        let shape = self.check(inst.ty()).ok()?;
        let &[leaf] = shape.leaves.as_slice() else { return None };
        let (stem, ty) = match name.strip_suffix('f') {
            Some(stem) if leaf.ty == Type::F32 => (stem, Type::F32),
            _ => (name, Type::F64),
        };
        if leaf.ty != ty || args.iter().any(|&arg| self.type_of(arg) != ty) {
            return None;
        }
        let op = match *args {
            [a] => Op::Unary { op: math_unary(stem)?, a },
            [a, b] => Op::binary(math_binary(stem)?, a, b),
            _ => return None,
        };
        Some(self.emit_many(&[ty], op))
    }
}

/// One-argument functions of `math.h`.
pub(crate) fn math_unary(name: &str) -> Option<UnOp> {
    Some(match name {
        "fabs" => UnOp::FAbs,
        "sqrt" => UnOp::FSqrt,
        "floor" => UnOp::FFloor,
        "ceil" => UnOp::FCeil,
        "trunc" => UnOp::FTrunc,
        "rint" => UnOp::FRint,
        "nearbyint" => UnOp::FNearbyInt,
        "round" => UnOp::FRound,
        "roundeven" => UnOp::FRoundEven,
        "sin" => UnOp::FSin,
        "cos" => UnOp::FCos,
        "exp" => UnOp::FExp,
        "exp2" => UnOp::FExp2,
        "log" => UnOp::FLog,
        "log2" => UnOp::FLog2,
        "log10" => UnOp::FLog10,
        _ => return None,
    })
}

/// Two-argument functions of `math.h`.
pub(crate) fn math_binary(name: &str) -> Option<BinOp> {
    Some(match name {
        "pow" => BinOp::FPow,
        "fmod" => BinOp::FRem,
        "fmin" => BinOp::FMin,
        "fmax" => BinOp::FMax,
        "copysign" => BinOp::CopySign,
        _ => return None,
    })
}

//! Calls of functions, of the engine's operations, and of mathematical functions of the C library.

use icsched_ir::{BinOp, Callee, CastOp, Const, FuncId, Intrinsic, Op, Operand, Type, UnOp};

use super::function::{Body, Operands, Reason};
use super::program::Failure;
use crate::llvm::{Kind, Val};

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
            return Err(text);
        }
        self.finish_call(inst, Callee::Intrinsic(intrinsic), args)
    }

    /// The flattened arguments.
    fn call_operands(&mut self, inst: Val<'m>) -> Result<Vec<Operand>, Reason> {
        let fixed = inst.call_type().params().len();
        let mut operands = Vec::new();
        for (index, arg) in inst.call_args().into_iter().enumerate() {
            self.check(arg.ty())?;
            if index >= fixed && inst.has_argument_attribute(u32::try_from(index).unwrap_or(u32::MAX), "byval") {
                return Err("struct passed through `...`".to_owned());
            }
            operands.extend(self.operands(arg)?);
        }
        Ok(operands)
    }

    fn finish_call(&mut self, inst: Val<'m>, callee: Callee, args: Vec<Operand>) -> Result<Operands, Reason> {
        let types: Vec<Type> = self.check(inst.ty())?.types().collect();
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
            (from, to) => Err(format!("call that passes {from} as {to}")),
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
            [a, b] => Op::Binary { op: math_binary(stem)?, a, b },
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

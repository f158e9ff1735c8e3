//! Instructions and terminators as text.
//!
//! A constant is printed with its type unless it has the one that the parser assumes at its place; that rule is here
//! and in the parser's `inst` and `body` modules, and nowhere else.

use std::fmt;

use super::constant::{Quoted, Scalar};
use super::name::{FunctionName, GlobalName, list_of};
use crate::entity::ValueId;
use crate::inst::{Access, Callee, Const, Edge, Inst, Op, Operand, ScaledIndex, Terminator};
use crate::program::{Function, Program};
use crate::types::Type;

/// An operand; `expected` is the type that the place tells.
pub(super) struct OperandText<'a> {
    pub(super) program: &'a Program,
    pub(super) operand: Operand,
    pub(super) expected: Option<Type>,
}

impl fmt::Display for OperandText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { program, expected, .. } = *self;
        match self.operand {
            Operand::Value(value) => write!(f, "{value}"),
            Operand::Const(Const::Global { global, offset }) => {
                write!(f, "{}", GlobalName(program, global))?;
                write_offset(f, offset)
            }
            Operand::Const(Const::Func(func)) => write!(f, "{}", FunctionName(program, func)),
            Operand::Const(Const::Block { func, block }) => write!(f, "{}:{block}", FunctionName(program, func)),
            Operand::Const(Const::Bits { ty, bits }) => write!(f, "{}", Scalar { ty, bits: Some(bits), expected }),
            Operand::Const(Const::Undef(ty)) => write!(f, "{}", Scalar { ty, bits: None, expected }),
        }
    }
}

fn write_offset(f: &mut fmt::Formatter<'_>, offset: i64) -> fmt::Result {
    match offset {
        0 => Ok(()),
        1.. => write!(f, " + {offset}"),
        _ => write!(f, " - {}", offset.unsigned_abs()),
    }
}

/// An instruction without its results and its location.
pub(super) struct InstText<'a> {
    pub(super) program: &'a Program,
    pub(super) function: &'a Function,
    pub(super) inst: &'a Inst,
}

impl<'a> InstText<'a> {
    fn operand(&self, operand: Operand, expected: Option<Type>) -> OperandText<'a> {
        OperandText { program: self.program, operand, expected }
    }

    fn pointer(&self, operand: Operand) -> OperandText<'a> {
        self.operand(operand, Some(Type::Ptr))
    }

    /// The first result's type: what most operations expect of their operands.
    fn result(&self) -> Option<Type> {
        self.inst.results.first().and_then(|&r| type_of(self.function, Operand::Value(r)))
    }

    /// `name a, b` where all operands have the result's type.
    fn uniform(&self, f: &mut fmt::Formatter<'_>, name: &str, operands: &[Operand]) -> fmt::Result {
        write!(f, "{name} {}", list_of(operands, |&o| self.operand(o, self.result())))
    }

    /// `name a, b` where the second operand has the first one's type.
    fn pair(&self, f: &mut fmt::Formatter<'_>, name: fmt::Arguments<'_>, a: Operand, b: Operand) -> fmt::Result {
        let (first, second) = (self.operand(a, None), self.operand(b, type_of(self.function, a)));
        write!(f, "{name} {first}, {second}")
    }

    fn address(&self, f: &mut fmt::Formatter<'_>, base: Operand, offset: i64, indices: &[ScaledIndex]) -> fmt::Result {
        f.write_str("address ")?;
        self.address_part(f, base, Type::Ptr)?;
        write_offset(f, offset)?;
        for &ScaledIndex { index, scale, elements } in indices {
            f.write_str(" + ")?;
            self.address_part(f, index, Type::Int(64))?;
            write!(f, "*{scale}")?;
            match elements {
                Some(ScaledIndex::NOT_NEGATIVE) => f.write_str(" of any")?,
                Some(ScaledIndex::FORWARD) => f.write_str(" forward")?,
                Some(elements) => write!(f, " of {elements}")?,
                None => {}
            }
        }
        Ok(())
    }

    /// An operand that a further `+` must not be taken for a part of.
    fn address_part(&self, f: &mut fmt::Formatter<'_>, operand: Operand, expected: Type) -> fmt::Result {
        let text = self.operand(operand, Some(expected));
        match operand {
            Operand::Const(Const::Global { offset, .. }) if offset != 0 => write!(f, "({text})"),
            _ => write!(f, "{text}"),
        }
    }

    fn call(&self, f: &mut fmt::Formatter<'_>, callee: &Callee, args: &[Operand]) -> fmt::Result {
        let mut params: &[ValueId] = &[];
        let mut known = None;
        match callee {
            Callee::Direct(func) => {
                write!(f, "call {}", FunctionName(self.program, *func))?;
                known = self.program.functions.get(*func);
                params = known.map_or(&[], |function| &function.params);
            }
            Callee::Indirect(target) => write!(f, "call *{}", self.pointer(*target))?,
            Callee::Intrinsic(intrinsic) => write!(f, "call {}", intrinsic.name())?,
        }
        f.write_str("(")?;
        for (at, &arg) in args.iter().enumerate() {
            let separator = if at > 0 { ", " } else { "" };
            let expected = params.get(at).and_then(|&p| known.and_then(|k| type_of(k, Operand::Value(p))));
            write!(f, "{separator}{}", self.operand(arg, expected))?;
        }
        f.write_str(")")
    }

    fn memory(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = |bytes| self.operand(bytes, Some(Type::Int(64)));
        match &self.inst.op {
            Op::Load { address, access } => write!(f, "load{} [{}]", AccessText(*access), self.pointer(*address)),
            Op::Store { address, value, access } => {
                let value = self.operand(*value, None);
                write!(f, "store{} [{}], {value}", AccessText(*access), self.pointer(*address))
            }
            Op::AtomicRmw { op, address, value, ordering } => {
                let value = self.operand(*value, self.result());
                write!(f, "rmw {op} {ordering} [{}], {value}", self.pointer(*address))
            }
            Op::CompareExchange { address, expected, new, success, failure } => {
                let values = list_of(&[*expected, *new], |&o| self.operand(o, self.result()));
                write!(f, "cmpxchg {success} {failure} [{}], {values}", self.pointer(*address))
            }
            Op::MemCopy { to, from, bytes, may_overlap } => {
                let name = if *may_overlap { "memmove" } else { "memcpy" };
                write!(f, "{name} [{}], [{}], {}", self.pointer(*to), self.pointer(*from), size(*bytes))
            }
            Op::MemSet { to, byte, bytes } => {
                let byte = self.operand(*byte, Some(Type::Int(8)));
                write!(f, "memset [{}], {byte}, {}", self.pointer(*to), size(*bytes))
            }
            Op::Alloca { size: bytes, count, align } => {
                write!(f, "alloca {bytes}")?;
                if *count != Operand::Const(Const::int(Type::Int(64), 1)) {
                    write!(f, " x {}", size(*count))?;
                }
                write!(f, " align {align}")
            }
            Op::VaStart { list } => write!(f, "va_start [{}]", self.pointer(*list)),
            Op::VaCopy { to, from } => write!(f, "va_copy [{}], [{}]", self.pointer(*to), self.pointer(*from)),
            other => unreachable!("printed by the caller: {other:?}"),
        }
    }
}

impl fmt::Display for InstText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.inst.op {
            Op::Binary { op, no_wrap, a, b } => {
                let (unsigned, signed) =
                    (if no_wrap.unsigned { " nuw" } else { "" }, if no_wrap.signed { " nsw" } else { "" });
                self.uniform(f, &format!("{op}{unsigned}{signed}"), &[*a, *b])
            }
            Op::Unary { op, a } => self.uniform(f, op.name(), &[*a]),
            Op::Cast { op, a } => write!(f, "{op} {}", self.operand(*a, None)),
            Op::IntCompare { predicate, a, b } => self.pair(f, format_args!("icmp.{predicate}"), *a, *b),
            Op::FloatCompare { predicate, a, b } => self.pair(f, format_args!("fcmp.{predicate}"), *a, *b),
            Op::Overflow { op, a, b } => self.pair(f, format_args!("{op}"), *a, *b),
            Op::Select { condition, a, b } => {
                let values = list_of(&[*a, *b], |&o| self.operand(o, self.result()));
                write!(f, "select {}, {values}", self.operand(*condition, Some(Type::Int(1))))
            }
            Op::FunnelShift { left, hi, lo, amount } => {
                self.uniform(f, if *left { "fshl" } else { "fshr" }, &[*hi, *lo, *amount])
            }
            Op::Address { base, offset, indices } => self.address(f, *base, *offset, indices),
            Op::Load { .. }
            | Op::Store { .. }
            | Op::Alloca { .. }
            | Op::AtomicRmw { .. }
            | Op::CompareExchange { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::VaStart { .. }
            | Op::VaCopy { .. } => self.memory(f),
            Op::Fence { ordering } => write!(f, "fence {ordering}"),
            Op::Call { callee, args } => self.call(f, callee, args),
            Op::Trap => f.write_str("trap"),
            Op::Unsupported { text } => write!(f, "unsupported {}", Quoted(text)),
        }
    }
}

fn type_of(function: &Function, operand: Operand) -> Option<Type> {
    match operand {
        Operand::Value(value) => function.values.get(value).map(|v| v.ty),
        Operand::Const(constant) => Some(constant.ty()),
    }
}

struct AccessText(Access);

impl fmt::Display for AccessText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.volatile {
            f.write_str(" volatile")?;
        }
        self.0.atomic.map_or(Ok(()), |ordering| write!(f, " {ordering}"))
    }
}

/// A terminator without its location.
pub(super) struct TerminatorText<'a> {
    pub(super) program: &'a Program,
    pub(super) function: &'a Function,
    pub(super) terminator: &'a Terminator,
}

impl TerminatorText<'_> {
    fn operand(&self, operand: Operand, expected: Option<Type>) -> OperandText<'_> {
        OperandText { program: self.program, operand, expected }
    }

    fn edge(&self, edge: &Edge) -> String {
        if edge.args.is_empty() {
            return edge.target.to_string();
        }
        let params: &[ValueId] = self.function.blocks.get(edge.target).map_or(&[], |b| &b.params);
        let arg = |at: usize, arg: Operand| {
            let expected = params.get(at).and_then(|&p| type_of(self.function, Operand::Value(p)));
            self.operand(arg, expected).to_string()
        };
        let args: Vec<String> = edge.args.iter().enumerate().map(|(at, &o)| arg(at, o)).collect();
        format!("{}({})", edge.target, args.join(", "))
    }
}

impl fmt::Display for TerminatorText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.terminator {
            Terminator::Jump(edge) => write!(f, "jump {}", self.edge(edge)),
            Terminator::Branch { condition, then_edge, else_edge } => {
                let condition = self.operand(*condition, Some(Type::Int(1)));
                write!(f, "branch {condition}, {}, {}", self.edge(then_edge), self.edge(else_edge))
            }
            Terminator::Return(values) if values.is_empty() => f.write_str("return"),
            Terminator::Return(values) => {
                let types = self.function.results.iter().map(|&ty| Some(ty)).chain(std::iter::repeat(None));
                let values: Vec<String> =
                    values.iter().zip(types).map(|(&v, t)| self.operand(v, t).to_string()).collect();
                write!(f, "return {}", values.join(", "))
            }
            Terminator::Unreachable => f.write_str("unreachable"),
            Terminator::Unsupported { text } => write!(f, "unsupported_end {}", Quoted(text)),
        }
    }
}

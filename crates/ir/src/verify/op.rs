//! Operand and result types per operation.

use super::checker::Checker;
use super::finding::{Problem, mismatch, out_of_range};
use crate::entity::FuncId;
use crate::inst::{BinOp, Callee, CastOp, Inst, Op, Operand, Ordering, RmwOp, UnOp};
use crate::types::Type;

const BIT: Type = Type::Int(1);
const BYTE: Type = Type::Int(8);
const WORD: Type = Type::Int(64);

/// A set of types, with the word messages use for it.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Class {
    Int,
    IntOrPtr,
    Float,
    Any,
}

impl Class {
    fn contains(self, ty: Type) -> bool {
        match (self, ty) {
            (Class::Int | Class::IntOrPtr, Type::Int(_))
            | (Class::IntOrPtr, Type::Ptr)
            | (Class::Float, Type::F32 | Type::F64)
            | (Class::Any, _) => true,
            (Class::Int | Class::Float, Type::Ptr)
            | (Class::Int | Class::IntOrPtr, Type::F32 | Type::F64)
            | (Class::Float, Type::Int(_)) => false,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Class::Int => "an integer",
            Class::IntOrPtr => "an integer or pointer",
            Class::Float => "a float",
            Class::Any => "any type",
        }
    }
}

/// Checks an instruction all of whose operands and results exist.
pub(super) fn check(c: &mut Checker<'_>, inst: &Inst) {
    match &inst.op {
        Op::Binary { op, no_wrap, a, b } => {
            if no_wrap.any() && !op.may_wrap() {
                c.error(Problem::NeverWraps { op: *op });
            }
            same(c, binary_class(*op), &[*a, *b]);
            results(c, inst, &[c.ty(*a)]);
        }
        Op::Unary { op, a } => {
            same(c, unary_class(*op), &[*a]);
            results(c, inst, &[c.ty(*a)]);
        }
        Op::Cast { op, a } => cast(c, inst, *op, *a),
        Op::IntCompare { a, b, .. } => compare(c, inst, Class::IntOrPtr, *a, *b),
        Op::FloatCompare { a, b, .. } => compare(c, inst, Class::Float, *a, *b),
        Op::Overflow { a, b, .. } => compare(c, inst, Class::Int, *a, *b),
        Op::Select { condition, a, b } => {
            c.expect("the condition", *condition, BIT);
            same(c, Class::Any, &[*a, *b]);
            results(c, inst, &[c.ty(*a)]);
        }
        Op::FunnelShift { hi, lo, amount, .. } => {
            same(c, Class::Int, &[*hi, *lo, *amount]);
            results(c, inst, &[c.ty(*hi)]);
        }
        Op::Address { base, indices, .. } => {
            c.expect("the base", *base, Type::Ptr);
            for scaled in indices {
                c.expect("an index", scaled.index, WORD);
            }
            results(c, inst, &[Type::Ptr]);
        }
        Op::Load { address, access } => {
            pointer(c, *address);
            ordering(c, access.atomic, &[Ordering::Release, Ordering::AcqRel]);
            result_count(c, inst, 1);
        }
        Op::Store { address, access, .. } => {
            pointer(c, *address);
            ordering(c, access.atomic, &[Ordering::Acquire, Ordering::AcqRel]);
            results(c, inst, &[]);
        }
        Op::Alloca { count, align, .. } => {
            c.expect("the count", *count, WORD);
            if !align.is_power_of_two() {
                c.error(Problem::BadAlignment { align: *align });
            }
            results(c, inst, &[Type::Ptr]);
        }
        Op::AtomicRmw { op, address, value, .. } => {
            pointer(c, *address);
            same(c, rmw_class(*op), &[*value]);
            results(c, inst, &[c.ty(*value)]);
        }
        Op::CompareExchange { address, expected, new, failure, .. } => {
            pointer(c, *address);
            same(c, Class::IntOrPtr, &[*expected, *new]);
            ordering(c, Some(*failure), &[Ordering::Release, Ordering::AcqRel]);
            results(c, inst, &[c.ty(*expected)]);
        }
        Op::Fence { ordering: order } => {
            ordering(c, Some(*order), &[Ordering::Relaxed]);
            results(c, inst, &[]);
        }
        Op::MemCopy { to, from, bytes, .. } => {
            pointer(c, *to);
            pointer(c, *from);
            c.expect("the size", *bytes, WORD);
            results(c, inst, &[]);
        }
        Op::MemSet { to, byte, bytes } => {
            pointer(c, *to);
            c.expect("the byte", *byte, BYTE);
            c.expect("the size", *bytes, WORD);
            results(c, inst, &[]);
        }
        Op::VaStart { list } => {
            pointer(c, *list);
            results(c, inst, &[]);
        }
        Op::VaCopy { to, from } => {
            pointer(c, *to);
            pointer(c, *from);
            results(c, inst, &[]);
        }
        Op::Call { callee, args } => call(c, inst, callee, args),
        Op::Trap => results(c, inst, &[]),
        Op::Unsupported { .. } => {}
    }
}

/// The address of a memory access.
fn pointer(c: &mut Checker<'_>, address: Operand) {
    c.expect("the address", address, Type::Ptr);
}

fn cast(c: &mut Checker<'_>, inst: &Inst, op: CastOp, a: Operand) {
    result_count(c, inst, 1);
    let Some(&to) = c.result_types(inst).first() else { return };
    let from = c.ty(a);
    let (source, target) = match op {
        CastOp::Trunc | CastOp::ZExt | CastOp::SExt => (Class::Int, Class::Int),
        CastOp::FpTrunc | CastOp::FpExt => (Class::Float, Class::Float),
        CastOp::FpToUi | CastOp::FpToSi => (Class::Float, Class::Int),
        CastOp::UiToFp | CastOp::SiToFp => (Class::Int, Class::Float),
        CastOp::Bitcast => (Class::Any, Class::Any),
    };
    in_class(c, "the operand", from, source);
    in_class(c, "the result", to, target);
    let (fits, relation) = match op {
        CastOp::Trunc | CastOp::FpTrunc => (to.bits() < from.bits(), "narrower than"),
        CastOp::ZExt | CastOp::SExt | CastOp::FpExt => (to.bits() > from.bits(), "wider than"),
        CastOp::Bitcast => (to.bits() == from.bits(), "as wide as"),
        CastOp::FpToUi | CastOp::FpToSi | CastOp::UiToFp | CastOp::SiToFp => (true, ""),
    };
    if !fits {
        c.error(mismatch("the result", to, format!("a type {relation} {from}")));
    }
}

fn compare(c: &mut Checker<'_>, inst: &Inst, class: Class, a: Operand, b: Operand) {
    same(c, class, &[a, b]);
    results(c, inst, &[BIT]);
}

/// All operands have one type, which is in `class`.
fn same(c: &mut Checker<'_>, class: Class, operands: &[Operand]) {
    let first = c.ty(operands[0]);
    in_class(c, "the first operand", first, class);
    for &operand in &operands[1..] {
        c.expect("a further operand", operand, first);
    }
}

fn in_class(c: &mut Checker<'_>, what: &str, ty: Type, class: Class) {
    if !class.contains(ty) {
        c.error(mismatch(what, ty, class.name()));
    }
}

fn result_count(c: &mut Checker<'_>, inst: &Inst, expected: usize) {
    let found = inst.results.len();
    if found != expected {
        c.error(Problem::Count { what: "results", expected, found });
    }
}

fn results(c: &mut Checker<'_>, inst: &Inst, expected: &[Type]) {
    result_count(c, inst, expected.len());
    for ((&result, found), &expected) in inst.results.iter().zip(c.result_types(inst)).zip(expected) {
        if found != expected {
            c.error(mismatch(format!("the result {result}"), found, expected));
        }
    }
}

fn ordering(c: &mut Checker<'_>, found: Option<Ordering>, forbidden: &[Ordering]) {
    if let Some(ordering) = found.filter(|o| forbidden.contains(o)) {
        c.error(Problem::BadOrdering { ordering: ordering.name() });
    }
}

fn call(c: &mut Checker<'_>, inst: &Inst, callee: &Callee, args: &[Operand]) {
    match callee {
        Callee::Direct(func) => direct_call(c, inst, *func, args),
        Callee::Indirect(target) => c.expect("the called pointer", *target, Type::Ptr),
        Callee::Intrinsic(intrinsic) => {
            if args.len() != intrinsic.arity() {
                let (expected, found) = (intrinsic.arity(), args.len());
                c.error(Problem::Count { what: "arguments", expected, found });
            }
            if inst.results.len() > 1 {
                result_count(c, inst, 1);
            }
        }
    }
}

fn direct_call(c: &mut Checker<'_>, inst: &Inst, func: FuncId, args: &[Operand]) {
    let program = c.program;
    let Some(callee) = program.functions.get(func) else { return c.error(out_of_range(func)) };
    let note = |c: &mut Checker<'_>, what: String| {
        c.note(Problem::Signature { what: format!("the call of @{} {what}", callee.name) });
    };
    let expected: Vec<Option<Type>> =
        callee.params.iter().map(|&p| callee.values.get(p).map(|value| value.ty)).collect();
    let count_fits = if callee.varargs { args.len() >= expected.len() } else { args.len() == expected.len() };
    if !count_fits {
        note(c, format!("passes {} arguments for {} parameters", args.len(), expected.len()));
    }
    for (at, (&arg, expected)) in args.iter().zip(expected).enumerate() {
        let found = c.ty(arg);
        if let Some(expected) = expected.filter(|&e| e != found) {
            note(c, format!("passes {found} as argument {}, which is {expected}", at + 1));
        }
    }
    let found = c.result_types(inst);
    if found != callee.results {
        let list = |types: &[Type]| types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
        note(c, format!("expects ({}), but it returns ({})", list(&found), list(&callee.results)));
    }
}

fn binary_class(op: BinOp) -> Class {
    match op {
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::UDiv
        | BinOp::SDiv
        | BinOp::URem
        | BinOp::SRem
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor
        | BinOp::Shl
        | BinOp::LShr
        | BinOp::AShr
        | BinOp::UMin
        | BinOp::UMax
        | BinOp::SMin
        | BinOp::SMax
        | BinOp::UAddSat
        | BinOp::USubSat
        | BinOp::SAddSat
        | BinOp::SSubSat => Class::Int,
        BinOp::FAdd
        | BinOp::FSub
        | BinOp::FMul
        | BinOp::FDiv
        | BinOp::FRem
        | BinOp::FMin
        | BinOp::FMax
        | BinOp::CopySign
        | BinOp::FPow => Class::Float,
    }
}

fn unary_class(op: UnOp) -> Class {
    match op {
        UnOp::CtPop | UnOp::CtLz | UnOp::CtTz | UnOp::BSwap | UnOp::BitReverse | UnOp::Abs => Class::Int,
        UnOp::Freeze => Class::Any,
        UnOp::FNeg
        | UnOp::FAbs
        | UnOp::FSqrt
        | UnOp::FFloor
        | UnOp::FCeil
        | UnOp::FTrunc
        | UnOp::FRint
        | UnOp::FNearbyInt
        | UnOp::FRound
        | UnOp::FRoundEven
        | UnOp::FSin
        | UnOp::FCos
        | UnOp::FExp
        | UnOp::FExp2
        | UnOp::FLog
        | UnOp::FLog2
        | UnOp::FLog10 => Class::Float,
    }
}

fn rmw_class(op: RmwOp) -> Class {
    match op {
        RmwOp::Xchg => Class::Any,
        RmwOp::FAdd | RmwOp::FSub => Class::Float,
        RmwOp::Add
        | RmwOp::Sub
        | RmwOp::And
        | RmwOp::Nand
        | RmwOp::Or
        | RmwOp::Xor
        | RmwOp::Max
        | RmwOp::Min
        | RmwOp::UMax
        | RmwOp::UMin => Class::Int,
    }
}

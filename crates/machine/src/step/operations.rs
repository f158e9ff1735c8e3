//! Operations with an operand that is not constant: the decisions they need before the domain is asked.

use icsched_ir::{BinOp, IntPredicate, Type};

use super::context::decide;
use crate::arith::{self, ArithError};
use crate::domain::Domain;
use crate::stop::{DecisionKind, ErrorKind, PathEnd, Stop};

/// [`icsched_ir::Op::Binary`] of any values, where the divisor is no input.
pub(super) fn binary<D: Domain>(
    domain: &mut D,
    path: &D::Path,
    op: BinOp,
    ty: Type,
    a: &D::Value,
    b: &D::Value,
) -> Result<D::Value, Stop<D>> {
    any_binary(domain, path, DecisionKind::Divisor, (op, ty), a, b)
}

/// [`icsched_ir::Op::Binary`] of any values. A decision of this kind excludes divisors of zero.
pub(super) fn any_binary<D: Domain>(
    domain: &mut D,
    path: &D::Path,
    kind: DecisionKind,
    (op, ty): (BinOp, Type),
    a: &D::Value,
    b: &D::Value,
) -> Result<D::Value, Stop<D>> {
    if let (Some(x), Some(y)) = (D::as_constant(a), D::as_constant(b)) {
        return arith::binary(op, ty, x, y).map(D::constant).map_err(fault);
    }
    match op {
        BinOp::UDiv | BinOp::URem => require_divisor(domain, path, kind, ty, b)?,
        BinOp::SDiv | BinOp::SRem => {
            require_divisor(domain, path, kind, ty, b)?;
            require_no_overflow(domain, path, kind, ty, (a, b))?;
        }
        BinOp::Shl | BinOp::LShr | BinOp::AShr if D::as_constant(b).is_none() => {
            // The amount counts modulo the width, as in `arith`.
            let bits = u64::from(ty.bits());
            let (cut, by) = if bits.is_power_of_two() { (BinOp::And, bits - 1) } else { (BinOp::URem, bits) };
            let amount = domain.binary(cut, ty, b, &D::constant(by))?;
            return domain.binary(op, ty, a, &amount);
        }
        BinOp::Shl | BinOp::LShr | BinOp::AShr => {
            let amount = D::as_constant(b).unwrap_or(0) % u64::from(ty.bits());
            return domain.binary(op, ty, a, &D::constant(amount));
        }
        _ => {}
    }
    domain.binary(op, ty, a, b)
}

fn require_divisor<D: Domain>(
    domain: &mut D,
    path: &D::Path,
    kind: DecisionKind,
    ty: Type,
    b: &D::Value,
) -> Result<(), Stop<D>> {
    let condition = match D::as_constant(b) {
        Some(divisor) => D::constant(u64::from(divisor != 0)),
        None => domain.int_compare(IntPredicate::Ne, ty, b, &D::constant(0)),
    };
    require(domain, path, kind, &condition, ArithError::DivisionByZero)
}

fn require_no_overflow<D: Domain>(
    domain: &mut D,
    path: &D::Path,
    kind: DecisionKind,
    ty: Type,
    (a, b): (&D::Value, &D::Value),
) -> Result<(), Stop<D>> {
    let smallest = 1 << (ty.bits() - 1);
    if D::as_constant(b).is_some_and(|b| b != ty.mask()) || D::as_constant(a).is_some_and(|a| a != smallest) {
        return Ok(());
    }
    let not_minus_one = match D::as_constant(b) {
        Some(_) => D::constant(0),
        None => domain.int_compare(IntPredicate::Ne, ty, b, &D::constant(ty.mask())),
    };
    let not_smallest = match D::as_constant(a) {
        Some(_) => D::constant(0),
        None => domain.int_compare(IntPredicate::Ne, ty, a, &D::constant(smallest)),
    };
    let condition = match (D::as_constant(&not_minus_one), D::as_constant(&not_smallest)) {
        (Some(0), _) => not_smallest,
        (_, Some(0)) => not_minus_one,
        (Some(_), _) | (_, Some(_)) => D::constant(1),
        (None, None) => domain.binary(BinOp::Or, Type::Int(1), &not_minus_one, &not_smallest)?,
    };
    require(domain, path, kind, &condition, ArithError::DivisionOverflow)
}

fn require<D: Domain>(
    domain: &mut D,
    path: &D::Path,
    kind: DecisionKind,
    condition: &D::Value,
    error: ArithError,
) -> Result<(), Stop<D>> {
    match decide(domain, path, condition, kind) {
        Ok(true) => Ok(()),
        Ok(false) => Err(fault(error)),
        Err(stop) => Err(explain(stop, ErrorKind::DivisionByZero, error.message())),
    }
}

/// Takes for granted that an index has one of the first `values` values: others are undefined.
pub(super) fn in_range<D: Domain>(
    domain: &mut D,
    path: &D::Path,
    index: &D::Value,
    values: u64,
) -> Result<(), Stop<D>> {
    let condition = domain.int_compare(IntPredicate::Ult, Type::Int(64), index, &D::constant(values));
    match decide(domain, path, &condition, DecisionKind::Assume)? {
        true => Ok(()),
        false => Err(Stop::End(Box::new(PathEnd::Infeasible))),
    }
}

/// Says what a decision whose false side is an error is about, if the domain did not.
pub(super) fn explain<D: Domain>(stop: Stop<D>, kind: ErrorKind, message: &str) -> Stop<D> {
    match stop {
        Stop::Undecided { condition, kind: decision, error: None } => {
            Stop::Undecided { condition, kind: decision, error: Some(Box::new((kind, message.to_owned()))) }
        }
        other => other,
    }
}

pub(super) fn fault<D: Domain>(error: ArithError) -> Stop<D> {
    Stop::Fault { kind: ErrorKind::DivisionByZero, message: error.message().to_owned() }
}

/// [`icsched_ir::Op::Select`] of any values.
pub(super) fn select<D: Domain>(
    domain: &mut D,
    ty: Type,
    condition: &D::Value,
    a: &D::Value,
    b: &D::Value,
) -> D::Value {
    match D::as_constant(condition) {
        Some(bits) if bits & 1 != 0 => a.clone(),
        Some(_) => b.clone(),
        None => match (D::as_constant(a), D::as_constant(b)) {
            (Some(x), Some(y)) if x == y => a.clone(),
            _ => domain.select(ty, condition, a, b),
        },
    }
}

/// [`icsched_ir::Op::IntCompare`] of any values.
pub(super) fn int_compare<D: Domain>(
    domain: &mut D,
    predicate: IntPredicate,
    ty: Type,
    a: &D::Value,
    b: &D::Value,
) -> D::Value {
    match (D::as_constant(a), D::as_constant(b)) {
        (Some(x), Some(y)) => D::constant(u64::from(arith::int_compare(predicate, ty, x, y))),
        _ => domain.int_compare(predicate, ty, a, b),
    }
}

/// [`icsched_ir::Op::FunnelShift`] of any values: two shifts and an or, the zero amount apart.
pub(super) fn funnel_shift<D: Domain>(
    domain: &mut D,
    path: &D::Path,
    left: bool,
    ty: Type,
    values: [&D::Value; 3],
) -> Result<D::Value, Stop<D>> {
    let [hi, lo, amount] = values;
    if let (Some(h), Some(l), Some(n)) = (D::as_constant(hi), D::as_constant(lo), D::as_constant(amount)) {
        return Ok(D::constant(arith::funnel_shift(left, ty, h, l, n)));
    }
    let bits = u64::from(ty.bits());
    let by = binary(domain, path, BinOp::URem, ty, amount, &D::constant(bits))?;
    let rest = binary(domain, path, BinOp::Sub, ty, &D::constant(bits), &by)?;
    let (up, down) = if left { (&by, &rest) } else { (&rest, &by) };
    let upper = binary(domain, path, BinOp::Shl, ty, hi, up)?;
    let lower = binary(domain, path, BinOp::LShr, ty, lo, down)?;
    let both = binary(domain, path, BinOp::Or, ty, &upper, &lower)?;
    let none = int_compare(domain, IntPredicate::Eq, ty, &by, &D::constant(0));
    Ok(select(domain, ty, &none, if left { hi } else { lo }, &both))
}

/// `base + offset` of any addresses.
pub(super) fn add<D: Domain>(domain: &mut D, base: &D::Value, offset: &D::Value) -> Result<D::Value, Stop<D>> {
    match (D::as_constant(base), D::as_constant(offset)) {
        (Some(x), Some(y)) => Ok(D::constant(x.wrapping_add(y))),
        (_, Some(0)) => Ok(base.clone()),
        _ => domain.binary(BinOp::Add, Type::Int(64), base, offset),
    }
}

/// `base + index * scale` of any addresses.
pub(super) fn index<D: Domain>(
    domain: &mut D,
    base: &D::Value,
    index: &D::Value,
    scale: i64,
) -> Result<D::Value, Stop<D>> {
    let scaled = match D::as_constant(index) {
        Some(i) => D::constant(i.wrapping_mul(scale as u64)),
        None if scale == 1 => index.clone(),
        None => domain.binary(BinOp::Mul, Type::Int(64), index, &D::constant(scale as u64))?,
    };
    add(domain, base, &scaled)
}

//! What is known of the integers that addresses are computed with: that they are one of a few constants, or what their
//! low bits are.
//!
//! Optimisers index by bytes: `invert ? 32 : 36` for one of two fields, `i << 6` for an array of structures. Low bits,
//! unlike remainders by other numbers, stay right when arithmetic wraps. Loops over arrays of a few elements, such as
//! the handles of a fixed number of threads, go through as many constants: what [branches](crate::conditions) compare
//! with limits them.

use icsched_ir::{BinOp, BlockId, CastOp, Const, Function, IdVec, Inst, Op, Operand, ScaledIndex, Type, UnOp, ValueId};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::budgets::BUDGETS;
use crate::conditions::{Branches, Condition};
use crate::object::{Shift, gcd};

/// The number that an operand is.
pub(crate) fn constant_bits(operand: Operand) -> Option<u64> {
    match operand {
        Operand::Const(Const::Bits { bits, .. }) => Some(bits),
        Operand::Const(Const::Global { .. } | Const::Func(_) | Const::Block { .. } | Const::Undef(_))
        | Operand::Value(_) => None,
    }
}

/// How many of them there mostly are.
const MOSTLY: usize = 4;

/// The values that an integer can have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Values {
    /// One of these, ascending; of none if nothing that was looked at computes it.
    Few(SmallVec<[u64; MOSTLY]>),
    /// Those whose lowest `bits` are the ones of `residue`.
    LowBits { residue: u64, bits: u32 },
}

impl Values {
    const ANY: Values = Values::LowBits { residue: 0, bits: 0 };

    /// Of none.
    fn none() -> Self {
        Values::Few(SmallVec::new())
    }

    fn one(value: u64) -> Self {
        Values::Few(smallvec![value])
    }

    /// What an integer of a width can be of which nothing is known.
    fn unknown(width: u32) -> Self {
        if width == 1 { Values::Few(smallvec![0, 1]) } else { Values::ANY }
    }

    fn few(mut values: SmallVec<[u64; MOSTLY]>) -> Self {
        values.sort_unstable();
        values.dedup();
        if values.len() <= BUDGETS.integer_values { Values::Few(values) } else { Values::low_bits_of(&values) }
    }

    fn low_bits_of(values: &[u64]) -> Self {
        let residue = values.first().copied().unwrap_or(0);
        let different = values.iter().fold(0, |d, v| d | (v ^ residue));
        Values::low_bits(residue, different.trailing_zeros())
    }

    fn low_bits(residue: u64, bits: u32) -> Self {
        // All bits known is one of few.
        let bits = bits.min(63);
        Values::LowBits { residue: residue & mask(bits), bits }
    }

    /// The known low bits, and how many they are.
    fn low(&self) -> (u64, u32) {
        let general = match self {
            Values::Few(values) => Values::low_bits_of(values),
            Values::LowBits { .. } => self.clone(),
        };
        match general {
            Values::LowBits { residue, bits } => (residue, bits),
            Values::Few(_) => (0, 0),
        }
    }

    fn or(&self, other: &Values) -> Values {
        match (self, other) {
            (Values::Few(a), other) if a.is_empty() => other.clone(),
            (some, Values::Few(b)) if b.is_empty() => some.clone(),
            (Values::Few(a), Values::Few(b)) => Values::few(a.iter().chain(b).copied().collect()),
            _ => {
                let ((a, known), (b, other_known)) = (self.low(), other.low());
                Values::low_bits(a, known.min(other_known).min((a ^ b).trailing_zeros()))
            }
        }
    }

    /// Each constant on its own, if there are few.
    fn map(&self, general: impl FnOnce(u64, u32) -> Values, each: impl Fn(u64) -> u64) -> Values {
        match self {
            Values::Few(values) => Values::few(values.iter().map(|&v| each(v)).collect()),
            Values::LowBits { residue, bits } => general(*residue, *bits),
        }
    }
}

fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// The values of the integers that index in addresses, wherever they do, if anything is known of them. A fixpoint over
/// the function's integers.
pub(crate) fn indices(function: &Function) -> FxHashMap<ValueId, Values> {
    let mut wanted: Vec<(BlockId, ValueId)> = Vec::new();
    for (block, body) in function.blocks.iter() {
        for inst in &body.insts {
            if let Op::Address { indices, .. } = &inst.op {
                wanted.extend(indices.iter().filter_map(|i| Some((block, i.index.value()?))));
            }
        }
    }
    if wanted.is_empty() {
        return FxHashMap::default();
    }
    let branches = Branches::new(function);
    let known = Known::solve(function, &branches);
    let mut found: FxHashMap<ValueId, Values> = FxHashMap::default();
    for (block, value) in wanted {
        let here = known.under(
            function,
            &branches,
            Operand::Value(value),
            branches.of_block(block),
            BUDGETS.condition_operations,
        );
        let all = found.entry(value).or_insert_with(Values::none);
        *all = all.or(&here);
    }
    found.retain(|_, values| *values != Values::ANY && *values != Values::none());
    found
}

/// What an address computation does to a pointer: one of these.
pub(crate) fn shifts(
    offset: i64,
    indices: &[ScaledIndex],
    known: &FxHashMap<ValueId, Values>,
) -> SmallVec<[Shift; MOSTLY]> {
    let mut found: SmallVec<[(i64, u64); MOSTLY]> = smallvec![(offset, 0)];
    for index in indices {
        let values = match index.index {
            Operand::Value(v) => known.get(&v).cloned().unwrap_or(Values::ANY),
            Operand::Const(c) => constant_bits(c.into()).map_or(Values::ANY, Values::one),
        };
        let scaled = |value: u64| value.cast_signed().wrapping_mul(index.scale);
        found = match values {
            Values::Few(values) if found.len() * values.len() <= BUDGETS.integer_values => found
                .iter()
                .flat_map(|&(at, stride)| values.iter().map(move |&v| (at.wrapping_add(scaled(v)), stride)))
                .collect(),
            other => {
                let (residue, bits) = other.low();
                let step = index.scale.unsigned_abs().checked_shl(bits).unwrap_or(0);
                // A multiple of 2^64 is none.
                let step =
                    if step >> bits.min(63) == index.scale.unsigned_abs() { step } else { index.scale.unsigned_abs() };
                found.into_iter().map(|(at, g)| (at.wrapping_add(scaled(residue)), gcd(g, step))).collect()
            }
        };
    }
    found.sort_unstable();
    found.dedup();
    let is_constant = |index: &ScaledIndex| matches!(index.index, Operand::Const(_));
    let is_onward = indices.iter().all(|i| is_constant(i) || i.elements.is_some() && i.scale > 0);
    let shift = |(offset, stride)| match is_onward && stride > 0 {
        true => Shift::Onward { offset, stride },
        false => Shift::By { offset, stride },
    };
    found.into_iter().map(shift).collect()
}

/// Per value of a function what it can be.
struct Known(IdVec<ValueId, Values>);

impl Known {
    fn solve(function: &Function, branches: &Branches<'_>) -> Self {
        let mut known = Known(IdVec::filled(Values::none(), function.values.len()));
        for &param in &function.params {
            known.0[param] = Values::unknown(function.values[param].ty.bits());
        }
        // Every value grows, to a few constants, then to fewer and fewer known bits.
        while known.round(function, branches) {}
        known
    }

    fn round(&mut self, function: &Function, branches: &Branches<'_>) -> bool {
        let mut grew = false;
        for (id, block) in function.blocks.iter() {
            for inst in &block.insts {
                let computed = Self::of(function, inst, |operand| self.operand(function, operand));
                for (at, &result) in inst.results.iter().enumerate() {
                    let ty = function.values[result].ty;
                    let new = match &computed {
                        Some(values) if at == 0 => values.clone(),
                        _ => Values::unknown(ty.bits()),
                    };
                    grew |= self.grow(result, &new);
                }
            }
            for edge in block.terminator.edges() {
                let conditions = branches.of_edge(id, edge);
                for (&param, &arg) in function.blocks[edge.target].params.iter().zip(&edge.args) {
                    let new = self.under(function, branches, arg, &conditions, BUDGETS.condition_operations);
                    grew |= self.grow(param, &new);
                }
            }
        }
        grew
    }

    /// What an operand can be where conditions hold: what it is compared with itself, and what is left of what it is
    /// computed from.
    fn under(
        &self,
        function: &Function,
        branches: &Branches<'_>,
        operand: Operand,
        conditions: &[Condition],
        depth: u32,
    ) -> Values {
        let all = self.operand(function, operand);
        let Operand::Value(value) = operand else { return all };
        if conditions.is_empty() {
            return all;
        }
        let computed = branches.definitions().inst(function, value).filter(|_| depth > 0).and_then(|inst| {
            let is_whole = inst.results.first() == Some(&value);
            let of = |operand| self.under(function, branches, operand, conditions, depth - 1);
            is_whole.then(|| Self::of(function, inst, of)).flatten()
        });
        let few = match (all, computed) {
            (Values::Few(few), Some(Values::Few(other))) if other.len() < few.len() => other,
            (Values::Few(few), _) | (_, Some(Values::Few(few))) => few,
            (all, _) => return all,
        };
        let of_it: SmallVec<[Condition; 2]> = conditions.iter().filter(|c| c.value == value).copied().collect();
        Values::Few(few.into_iter().filter(|&constant| of_it.iter().all(|c| c.allows(constant))).collect())
    }

    fn grow(&mut self, value: ValueId, more: &Values) -> bool {
        let new = self.0[value].or(more);
        let grew = new != self.0[value];
        self.0[value] = new;
        grew
    }

    fn operand(&self, function: &Function, operand: Operand) -> Values {
        match operand {
            Operand::Value(value) => self.0[value].clone(),
            Operand::Const(Const::Bits { bits, .. }) => Values::one(bits),
            Operand::Const(_) => Values::unknown(function.type_of(operand).bits()),
        }
    }

    /// What an instruction computes from operands of which `operand` says what they can be; `None` if that can be
    /// anything.
    fn of(function: &Function, inst: &Inst, operand: impl Fn(Operand) -> Values) -> Option<Values> {
        let &result = inst.results.first()?;
        let width = match function.values[result].ty {
            Type::Int(width) if width <= 64 => u32::from(width),
            _ => return None,
        };
        let of = |o: &Operand| operand(*o);
        let wrap = |v: u64| v & mask(width);
        Some(match &inst.op {
            Op::Select { a, b, .. } => of(a).or(&of(b)),
            Op::Binary { op: BinOp::UMin | BinOp::UMax | BinOp::SMin | BinOp::SMax, a, b, .. } => of(a).or(&of(b)),
            Op::Unary { op: UnOp::Freeze, a } | Op::Cast { op: CastOp::Bitcast, a } => of(a),
            Op::Cast { op: CastOp::ZExt, a } => {
                let from = function.type_of(*a).bits();
                of(a).map(|r, b| Values::low_bits(r, b.min(from)), |v| v)
            }
            Op::Cast { op: CastOp::SExt, a } => {
                let from = function.type_of(*a).bits();
                of(a).map(|r, b| Values::low_bits(r, b.min(from)), |v| wrap(sign_extended(v, from)))
            }
            Op::Cast { op: CastOp::Trunc, a } => of(a).map(Values::low_bits, wrap),
            Op::Binary { op, a, b, .. } => binary(*op, &of(a), &of(b), width)?,
            _ => return None,
        })
    }
}

fn sign_extended(value: u64, width: u32) -> u64 {
    let unused = 64 - width.clamp(1, 64);
    (value << unused).cast_signed().wrapping_shr(unused).cast_unsigned()
}

fn binary(op: BinOp, a: &Values, b: &Values, width: u32) -> Option<Values> {
    let each: fn(u64, u64, u32) -> Option<u64> = match op {
        BinOp::Add => |a, b, _| Some(a.wrapping_add(b)),
        BinOp::Sub => |a, b, _| Some(a.wrapping_sub(b)),
        BinOp::Mul => |a, b, _| Some(a.wrapping_mul(b)),
        BinOp::And => |a, b, _| Some(a & b),
        BinOp::Or => |a, b, _| Some(a | b),
        BinOp::Xor => |a, b, _| Some(a ^ b),
        BinOp::Shl => |a, b, width| Some(a << u32::try_from(b).ok().filter(|&b| b < width)?),
        _ => return None,
    };
    if let (Values::Few(x), Values::Few(y)) = (a, b)
        && x.len() * y.len() <= BUDGETS.integer_values
    {
        let all = x.iter().flat_map(|&x| y.iter().map(move |&y| each(x, y, width).map(|v| v & mask(width))));
        return Some(Values::few(all.collect::<Option<_>>()?));
    }
    if *a == Values::none() || *b == Values::none() {
        return Some(Values::none());
    }
    let ((x, known), (y, other_known)) = (a.low(), b.low());
    let both = known.min(other_known);
    let bits = match op {
        BinOp::Mul => (known.saturating_add(y.trailing_zeros()))
            .min(other_known.saturating_add(x.trailing_zeros()))
            .min(known + other_known),
        // A bit is known where the other operand decides it.
        BinOp::And => low_run(known, x, other_known, y, 0),
        BinOp::Or => low_run(known, x, other_known, y, 1),
        BinOp::Shl => match b {
            Values::Few(by) if by.len() == 1 && by[0] < u64::from(width) => known + u32::try_from(by[0]).ok()?,
            _ => return None,
        },
        _ => both,
    };
    let residue = each(x, y, width)?;
    Some(Values::low_bits(residue, bits.min(width)))
}

/// How many of the lowest bits are known of `x op y`, where a bit that is `decides` in one operand decides the result.
fn low_run(known: u32, x: u64, other_known: u32, y: u64, decides: u64) -> u32 {
    let is_known = |at: u32| {
        let here = (at < known).then_some(x >> at & 1);
        let there = (at < other_known).then_some(y >> at & 1);
        here.is_some() && there.is_some() || here == Some(decides) || there == Some(decides)
    };
    (0..64).find(|&at| !is_known(at)).unwrap_or(64)
}

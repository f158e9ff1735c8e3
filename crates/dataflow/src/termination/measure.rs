//! Ranking arguments: what gets smaller from round to round, and cannot for ever.
//!
//! A measure compares two rounds, one right behind the other. It is *strict* where the second one is smaller, and
//! *weak* where it is not larger. Nothing gets smaller for ever: a word as an unsigned number, the bytes to the end of
//! an object, the way to the end of links that form no ring.

use icsched_ir::{BlockId, Const, Expressions, FuncId, Op, Operand, Type};
use icsched_smt::{BinOp, CmpOp, Term, TermPool};

use super::operation::magnitude;
use super::round::{Round, Step};
use super::scope::Scope;
use super::value::{Origin, Val, Walk};
use crate::budgets::BUDGETS;

/// What is made of one number or two.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// The first one less the second one.
    Difference,
    /// The second one less the first one.
    Reverse,
    /// How far they are apart, as signed numbers.
    Distance,
    /// The first one, without sign.
    First,
    /// What is left of the first one to the greatest number, without sign.
    Rest,
    /// The first one, with sign.
    SignedFirst,
    /// What is left of the first one to the greatest number, with sign.
    SignedRest,
    /// The first one without its sign.
    Magnitude,
    /// What is left of the first one's lowest bit to the highest one.
    Bits,
}

const SHAPES: [Shape; 9] = [
    Shape::Reverse,
    Shape::Difference,
    Shape::First,
    Shape::SignedFirst,
    Shape::Rest,
    Shape::SignedRest,
    Shape::Magnitude,
    Shape::Distance,
    Shape::Bits,
];

/// What is measured.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Measure {
    /// The operands of a comparison, by block and index.
    Comparison(BlockId, usize, Shape),
    /// What a round begins with, by its index.
    State(usize, Shape),
    /// An address that each round accesses goes up or down in its object: by block and index.
    Object(BlockId, usize, bool),
    /// A pointer of a round's beginning goes along links.
    Links(usize),
}

/// What a measure says of two rounds: truth values.
#[derive(Copy, Clone, Debug)]
pub(super) struct Compared {
    pub(super) strict: Term,
    pub(super) weak: Term,
}

/// Two rounds, one right behind the other.
pub(super) struct Pair<'r> {
    pub(super) first: &'r Round,
    pub(super) step: &'r Step,
    pub(super) second: &'r Round,
}

/// What may be measured in a scope, those first that are found most. O(instructions).
pub(super) fn candidates(scope: &Scope<'_>, first: &Round) -> Vec<Measure> {
    let mut found = Vec::new();
    let mut comparisons = 0;
    for &block in scope.blocks.iter().filter(|&&block| scope.is_once(block)) {
        for (at, inst) in scope.function.blocks[block].insts.iter().enumerate() {
            let Op::IntCompare { a, b, .. } = inst.op else { continue };
            let is_null = |operand| operand == Operand::Const(Const::NULL);
            if comparisons < BUDGETS.comparisons && !is_null(a) && !is_null(b) && scope.function.type_of(a).bits() > 1 {
                comparisons += 1;
                found.extend(SHAPES.map(|shape| Measure::Comparison(block, at, shape)));
            }
        }
    }
    let params = scope.parameters().iter().map(|&param| scope.function.values[param].ty);
    for (at, ty) in params.enumerate().take(BUDGETS.states) {
        if matches!(ty, Type::Int(2..)) {
            let alone = SHAPES.into_iter().filter(|shape| !shape.is_of_two());
            found.extend(alone.map(|shape| Measure::State(at, shape)));
        }
    }
    let in_each = |block: BlockId| scope.is_once(block) && scope.is_in_each_round(block);
    for access in first.accesses.iter().filter(|access| in_each(access.block)) {
        let is_inside = matches!(access.address.walk, Walk::From { .. }) && !access.address.fixed;
        if is_inside {
            found.extend([true, false].map(|up| Measure::Object(access.block, access.at, up)));
        }
    }
    let states = first.steps.first().map_or(0, |step| step.params.len() + step.cells.len());
    found.extend((0..states).map(Measure::Links));
    found
}

impl Shape {
    const fn is_of_two(self) -> bool {
        matches!(self, Shape::Difference | Shape::Reverse | Shape::Distance)
    }

    /// Whether the number of the second pair is smaller, and whether it is not larger.
    fn compare(self, pool: &mut TermPool, before: (Term, Term), behind: (Term, Term)) -> [Term; 2] {
        let mut of = |make: &dyn Fn(&mut TermPool, (Term, Term)) -> Term| (make(pool, before), make(pool, behind));
        let (is_signed, (before, behind)) = match self {
            Shape::Difference => (false, of(&|pool, (a, b)| pool.binary(BinOp::Sub, a, b))),
            Shape::Reverse => (false, of(&|pool, (a, b)| pool.binary(BinOp::Sub, b, a))),
            Shape::First => (false, (before.0, behind.0)),
            Shape::SignedFirst => (true, (before.0, behind.0)),
            // What is left gets smaller where the number gets larger.
            Shape::Rest => (false, (behind.0, before.0)),
            Shape::SignedRest => (true, (behind.0, before.0)),
            Shape::Magnitude => (false, of(&|pool, (a, _)| magnitude(pool, a))),
            Shape::Bits => {
                let lowest = of(&|pool, (a, _)| {
                    let negated = pool.neg(a);
                    pool.binary(BinOp::And, a, negated)
                });
                (false, (lowest.1, lowest.0))
            }
            Shape::Distance => (
                false,
                of(&|pool, (a, b)| {
                    let difference = pool.binary(BinOp::Sub, a, b);
                    magnitude(pool, difference)
                }),
            ),
        };
        let is_more = is_less(pool, is_signed, before, behind);
        [is_less(pool, is_signed, behind, before), pool.not(is_more)]
    }
}

/// Whether one number is less than another one: bounds of the second one where they are a constant apart, for which no
/// solver has to add.
fn is_less(pool: &mut TermPool, is_signed: bool, a: Term, b: Term) -> Term {
    let (width, apart) = (pool.width(a), pool.binary(BinOp::Sub, a, b));
    let op = if is_signed { CmpOp::Slt } else { CmpOp::Ult };
    let Some(apart) = pool.as_const_wide(apart).filter(|&apart| apart != 0) else { return pool.cmp(op, a, b) };
    let (ones, sign) = (u128::MAX >> (128 - width), 1u128 << (width - 1));
    if !is_signed {
        // The sum begins anew.
        let least = pool.constant_wide(width, ones - apart + 1);
        return pool.cmp(CmpOp::Ule, least, b);
    }
    if apart < sign {
        let most = pool.constant_wide(width, sign - 1 - apart);
        return pool.cmp(CmpOp::Slt, most, b);
    }
    let least = pool.constant_wide(width, sign.wrapping_sub(apart) & ones);
    pool.cmp(CmpOp::Sle, least, b)
}

impl Measure {
    /// How it compares two rounds; `None` where it says nothing of them.
    pub(super) fn compare(self, scope: &Scope<'_>, pool: &mut TermPool, pair: &Pair<'_>) -> Option<Compared> {
        match self {
            Measure::Comparison(block, at, shape) => {
                let Op::IntCompare { a, b, .. } = scope.function.blocks[block].insts[at].op else { return None };
                let ((a1, b1), (a2, b2)) = (
                    (value(scope, pool, pair.first, a)?, value(scope, pool, pair.first, b)?),
                    (value(scope, pool, pair.second, a)?, value(scope, pool, pair.second, b)?),
                );
                if a1.fixed && (b1.fixed || !shape.is_of_two()) {
                    return None;
                }
                smaller(pool, shape, (a1, b1), (a2, b2))
            }
            Measure::State(at, shape) => {
                let before = pair.first.begins.get(at)?;
                let behind = pair.step.state(at)?;
                smaller(pool, shape, (*before, *before), (behind, behind))
            }
            Measure::Object(block, at, goes_up) => object(pool, pair, (block, at), goes_up),
            Measure::Links(at) => match pair.step.state(at)?.walk {
                Walk::From { origin: Origin::State(from), moved } if from == at && !pool.is_false(moved) => {
                    // Null stays null: that is no way along links.
                    let before = pair.first.begins.get(at)?.bits;
                    let null = pool.constant(pool.width(before), 0);
                    let is_somewhere = pool.ne(before, null);
                    let strict = pool.and_all(&[moved, is_somewhere]);
                    Some(Compared { strict, weak: pool.bool(true) })
                }
                _ => None,
            },
        }
    }

    /// The argument, for people: `i counts up to n`.
    pub(super) fn describe(self, scope: &Scope<'_>, round: &Round) -> String {
        let text = Expressions::new(scope.program, scope.function, &scope.structure.definitions);
        let of_state = |at: usize| {
            let param = scope.parameters().get(at);
            param.map_or_else(|| "a number in memory".to_owned(), |&param| text.operand(param.into()))
        };
        let of_one = |shape: Shape, what: String| match shape {
            Shape::Rest | Shape::SignedRest => format!("{what} gets larger"),
            Shape::Magnitude => format!("{what} gets closer to 0"),
            Shape::Bits => format!("{what} loses its bits at the top"),
            _ => format!("{what} gets smaller"),
        };
        match self {
            Measure::Comparison(block, at, shape) => {
                let Op::IntCompare { a, b, .. } = scope.function.blocks[block].insts[at].op else {
                    return String::new();
                };
                let is_fixed = |operand: Operand| {
                    let held = operand.value().filter(|&value| !scope.is_outside(value));
                    held.is_none_or(|value| round.values[value].is_some_and(|val| val.fixed))
                };
                let (first, second) = (text.operand(a), text.operand(b));
                match shape {
                    Shape::Reverse if is_fixed(b) => format!("{first} counts up to {second}"),
                    Shape::Difference if is_fixed(b) => format!("{first} counts down to {second}"),
                    Shape::Reverse if is_fixed(a) => format!("{second} counts down to {first}"),
                    Shape::Difference if is_fixed(a) => format!("{second} counts up to {first}"),
                    Shape::Reverse | Shape::Difference | Shape::Distance => {
                        format!("{first} and {second} get closer to each other")
                    }
                    _ => of_one(shape, first),
                }
            }
            Measure::State(at, shape) => of_one(shape, of_state(at)),
            Measure::Object(block, at, _) => {
                let inst = &scope.function.blocks[block].insts[at];
                let address = match inst.op {
                    Op::Load { address, .. } | Op::Store { address, .. } => text.operand(address),
                    _ => String::new(),
                };
                format!("{address} moves on in one object")
            }
            Measure::Links(at) => format!("{} goes along links that form no ring", of_state(at)),
        }
    }
}

/// A value of a round.
fn value(scope: &Scope<'_>, pool: &mut TermPool, round: &Round, operand: Operand) -> Option<Val> {
    match operand {
        Operand::Value(value) if scope.is_outside(value) => round.outside.get(&value).copied(),
        Operand::Value(value) => round.values[value],
        Operand::Const(Const::Bits { ty, bits }) => {
            let bits = pool.constant(ty.bits(), bits);
            Some(Val::fixed(pool, bits))
        }
        Operand::Const(_) => None,
    }
}

/// Whether the number of the second round is smaller. A number that the program may not depend on is not measured.
fn smaller(pool: &mut TermPool, shape: Shape, first: (Val, Val), second: (Val, Val)) -> Option<Compared> {
    let compared = shape.compare(pool, (first.0.bits, first.1.bits), (second.0.bits, second.1.bits));
    let sound = [first.0.sound, second.0.sound, first.1.sound, second.1.sound];
    let [strict, weak] = compared.map(|t| {
        let all: Vec<Term> = sound.into_iter().chain([t]).collect();
        pool.and_all(&all)
    });
    Some(Compared { strict, weak })
}

/// Whether an address that both rounds access moves on in one object. As both are inside, the difference of words is
/// the true one.
fn object(pool: &mut TermPool, pair: &Pair<'_>, at: (BlockId, usize), goes_up: bool) -> Option<Compared> {
    let find = |round: &Round| round.accesses.iter().find(|access| (access.block, access.at) == at).map(|a| a.address);
    let (first, second) = (find(pair.first)?, find(pair.second)?);
    let stays = |walk| match walk {
        Walk::From { origin, moved } if pool.is_false(moved) => Some(origin),
        _ => None,
    };
    let origin = stays(first.walk)?;
    let is_one = stays(second.walk) == Some(origin)
        && match origin {
            Origin::Fixed(_) => true,
            Origin::State(state) => stays(pair.step.state(state)?.walk) == Some(origin),
        };
    if !is_one {
        return None;
    }
    let (before, behind) = if goes_up { (first.bits, second.bits) } else { (second.bits, first.bits) };
    let by = pool.binary(BinOp::Sub, behind, before);
    let zero = pool.constant(pool.width(by), 0);
    let strict = pool.cmp(CmpOp::Slt, zero, by);
    let weak = pool.cmp(CmpOp::Sle, zero, by);
    Some(Compared { strict, weak })
}

/// The functions whose bodies rounds of a recursion are, that all begin with numbers of the same kind.
pub(super) fn states_agree(scope: &Scope<'_>, functions: &[FuncId]) -> bool {
    let types = |func: FuncId| {
        let function = &scope.program.functions[func];
        function.params.iter().map(|&param| function.values[param].ty).collect::<Vec<_>>()
    };
    functions.iter().all(|&func| types(func) == types(scope.func))
}

#[cfg(test)]
mod tests {
    use icsched_smt::Model;

    use super::*;

    #[test]
    fn less_is_what_comparing_says() {
        let mut pool = TermPool::new();
        let b = pool.symbol("b", 4);
        for apart in 0..16 {
            let apart = pool.constant(4, apart);
            let a = pool.binary(BinOp::Add, b, apart);
            for (is_signed, op) in [(false, CmpOp::Ult), (true, CmpOp::Slt)] {
                let (quick, plain) = (is_less(&mut pool, is_signed, a, b), pool.cmp(op, a, b));
                for bits in 0..16 {
                    let mut model = Model::new();
                    model.set("b", 4, bits);
                    assert_eq!(pool.eval_bool(quick, &model), pool.eval_bool(plain, &model), "{op:?} {bits}");
                }
            }
        }
    }
}

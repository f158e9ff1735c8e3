//! What a comparison with a constant says about its term, and what follows from it.

use icsched_smt::{CmpOp, Node, Term, TermPool};

/// What a condition says about one term.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fact {
    Equal(i128),
    Different(i128),
    AtMost(i128),
    AtLeast(i128),
}

/// A fact about a term, read as a signed or an unsigned number.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Known {
    pub(crate) term: Term,
    pub(crate) is_signed: bool,
    pub(crate) fact: Fact,
}

/// `<`, `<=`, `>` or `>=` with a constant on the right.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Bound {
    /// The constant is an upper bound.
    pub(crate) upper: bool,
    /// The constant itself is excluded.
    pub(crate) strict: bool,
    /// The constant as its side reads it.
    pub(crate) value: i128,
}

impl Bound {
    fn fact(self) -> Fact {
        match (self.upper, self.strict) {
            (true, true) => Fact::AtMost(self.value - 1),
            (true, false) => Fact::AtMost(self.value),
            (false, true) => Fact::AtLeast(self.value + 1),
            (false, false) => Fact::AtLeast(self.value),
        }
    }
}

impl Fact {
    /// Whether `self` follows from `other`.
    pub(crate) fn follows_from(self, other: Fact) -> bool {
        match (self, other) {
            (Fact::Equal(a), Fact::Equal(b)) | (Fact::Different(a), Fact::Different(b)) => a == b,
            (Fact::Different(a), Fact::Equal(b)) => a != b,
            (Fact::Different(a), Fact::AtMost(b)) => b < a,
            (Fact::Different(a), Fact::AtLeast(b)) => a < b,
            (Fact::AtMost(a), Fact::Equal(b) | Fact::AtMost(b)) => b <= a,
            (Fact::AtLeast(a), Fact::Equal(b) | Fact::AtLeast(b)) => a <= b,
            (Fact::Equal(_) | Fact::AtMost(_) | Fact::AtLeast(_), _) => false,
        }
    }
}

/// A constant of `width` bits read as a signed number.
pub(crate) fn as_signed(width: u32, bits: u128) -> i128 {
    let unused = 128 - width;
    ((bits << unused) as i128) >> unused
}

/// The bound that a literal (a condition or its negation) is: the term, whether it is read as signed, the bound.
pub(crate) fn bound(pool: &TermPool, t: Term, holds: bool) -> Option<(Term, bool, Bound)> {
    let Node::Cmp(op, a, b) = *pool.node(t) else { return None };
    bound_of(pool, op, a, b, holds)
}

/// The same of a comparison.
pub(crate) fn bound_of(pool: &TermPool, op: CmpOp, a: Term, b: Term, holds: bool) -> Option<(Term, bool, Bound)> {
    let (is_signed, strict) = match op {
        CmpOp::Eq => return None,
        CmpOp::Ult => (false, true),
        CmpOp::Ule => (false, false),
        CmpOp::Slt => (true, true),
        CmpOp::Sle => (true, false),
    };
    // Negation swaps the sides: !(a < b) is b <= a.
    let (a, b, strict) = if holds { (a, b, strict) } else { (b, a, !strict) };
    let (x, bits, upper) = match (pool.as_const_wide(a), pool.as_const_wide(b)) {
        (None, Some(bits)) => (a, bits, true),
        (Some(bits), None) => (b, bits, false),
        _ => return None,
    };
    let value = if is_signed { as_signed(pool.width(x), bits) } else { i128::try_from(bits).ok()? };
    Some((x, is_signed, Bound { upper, strict, value }))
}

/// What a literal says, if it is a comparison with a constant. Equalities read their term as signed.
pub(crate) fn known(pool: &TermPool, t: Term, holds: bool) -> Option<Known> {
    if let Some((term, is_signed, bound)) = bound(pool, t, holds) {
        return Some(Known { term, is_signed, fact: bound.fact() });
    }
    let Node::Cmp(CmpOp::Eq, term, c) = *pool.node(t) else { return None };
    let value = as_signed(pool.width(term), pool.as_const_wide(c)?);
    Some(Known { term, is_signed: true, fact: if holds { Fact::Equal(value) } else { Fact::Different(value) } })
}

/// Which facts of a conjunction say nothing new; of two that say the same the first stays.
pub(crate) fn implied(facts: &[Option<Known>], i: usize) -> bool {
    let Some(this) = facts[i] else { return false };
    facts.iter().enumerate().any(|(j, other)| match *other {
        Some(other) if i != j && this.term == other.term && this.is_signed == other.is_signed => {
            this.fact.follows_from(other.fact) && (j < i || !other.fact.follows_from(this.fact))
        }
        _ => false,
    })
}

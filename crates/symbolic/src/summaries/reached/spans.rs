//! Between which numbers the counters of a replaced loop are that begin, or end, with what inputs choose.

use icsched_ir::induction::BasicVariable;
use icsched_ir::{Affine, CastOp, IntPredicate, Op, Operand, TripCount};
use icsched_smt::{BinOp, CmpOp, Node, Ranges, Term, TermPool};

use super::{Extent, Values, address_of, extended};
use crate::budgets::BUDGETS;
use crate::symbolic::{SymValue, SymbolicDomain};
use icsched_machine::abstraction::{Span, StoredElement};
use icsched_machine::code::Code;
use icsched_machine::memory::{AddressClass, classify};

/// A number where control comes to the loop, with its ends.
struct Number {
    /// None for a constant.
    term: Option<Term>,
    least: i128,
    greatest: i128,
}

impl Number {
    /// That it is no less, or no greater.
    fn condition(&self, pool: &mut TermPool, is_least: bool) -> Option<Term> {
        let term = self.term?;
        let end = i64::try_from(if is_least { self.least } else { self.greatest }).ok()?;
        let width = pool.width(term);
        let end = pool.constant(width, end.cast_unsigned());
        let (low, high) = if is_least { (end, term) } else { (term, end) };
        Some(pool.cmp(CmpOp::Sle, low, high))
    }
}

/// A number of so many bits that is between others as far as its width says.
fn ends_of_width(bits: u32) -> (i128, i128) {
    let end = 1_i128 << (bits - 1);
    (-end, end - 1)
}

impl Values<'_> {
    /// Between which numbers counters are that go up in constant steps until they come to a number from below, by what
    /// is certain of the path, each with the conditions that say that it is so: none where all is constant. What fails
    /// a test `x < n` fails no sooner if `n` is greater, and what passes it is less than the greatest that `n` may be.
    /// O(counters × tests, what is certain of the path, its terms).
    pub(super) fn spans(&self, domain: &mut SymbolicDomain) -> Vec<(Span, Vec<Term>)> {
        let Some(counted) = &self.replaced.counted else { return Vec::new() };
        let guards = self.guards(domain);
        let certain = self.arrival.path.certain().chain(guards.iter().copied());
        let mut ranges = Ranges::under(&domain.pool, certain);
        let mut found = Vec::new();
        for basic in &counted.basic {
            let Some(first) = self.first(domain, &mut ranges, basic) else { continue };
            let counter = (basic, &first);
            found.extend(counted.tests.iter().find_map(|test| self.span(domain, &mut ranges, counter, test)));
        }
        found
    }

    /// What inputs decided on the way to the loop, as all executions did that have come there.
    fn guards(&self, domain: &mut SymbolicDomain) -> Vec<Term> {
        let decided = self.replaced.guards.iter().filter_map(|&(condition, holds)| {
            let Some(&SymValue::Term(held)) = self.arrival.registers.get(Code::slot(condition) as usize) else {
                return None;
            };
            (domain.pool.width(held) == 1).then(|| if holds { held } else { domain.pool.not(held) })
        });
        decided.collect()
    }

    /// What a counter begins with.
    fn first(&self, domain: &SymbolicDomain, ranges: &mut Ranges, basic: &BasicVariable) -> Option<Number> {
        let bits = basic.start.bits();
        Some(match *self.arrival.registers.get(Code::slot(basic.value) as usize)? {
            SymValue::Constant(number) => constant(number, bits),
            SymValue::Term(term) if domain.pool.width(term) == bits => {
                let (least, greatest) = ranges.signed(&domain.pool, term);
                Number { term: Some(term), least, greatest }
            }
            SymValue::Term(_) => return None,
        })
    }

    fn span(
        &self,
        domain: &mut SymbolicDomain,
        ranges: &mut Ranges,
        (basic, first): (&BasicVariable, &Number),
        test: &TripCount,
    ) -> Option<(Span, Vec<Term>)> {
        let bits = basic.start.bits();
        let (lowest, highest) = ends_of_width(bits);
        if test.start.bits() != bits || test.step != basic.step || first.least > first.greatest {
            return None;
        }
        let step = i128::from(basic.step.as_constant()?);
        // How much more than the counter is compared.
        let more = extended(test.start.plus(&basic.start, u64::MAX)?.as_constant()?, bits, None);
        let bound = self.bound(domain, ranges, &test.bound)?;
        let is_unsigned =
            matches!(test.predicate, IntPredicate::Ult | IntPredicate::Ule) || test.extension == Some(CastOp::ZExt);
        let is_strict = match test.predicate {
            IntPredicate::Slt | IntPredicate::Ult => 1,
            IntPredicate::Sle | IntPredicate::Ule => 0,
            // In steps of one it comes by all before.
            IntPredicate::Ne if step == 1 => 1,
            _ => return None,
        };
        let is_exact = first.least > lowest && first.least + more >= lowest && step > 0 && step <= highest;
        let is_positive = !is_unsigned || (first.least + more >= 0 && bound.least >= 0);
        // The greatest that passes, and that one step on there is no overflow.
        let passes = bound.greatest - is_strict - more;
        let greatest = first.greatest.max(passes + step);
        if !is_exact || !is_positive || greatest > highest || greatest + more > highest || bound.least > bound.greatest
        {
            return None;
        }
        let is_met_exactly = test.predicate == IntPredicate::Ne;
        let is_below = first.greatest + more <= bound.least;
        let above = match is_met_exactly && !is_below {
            true => Some(distance(&mut domain.pool, ranges, (first, &bound), more)?),
            false => None,
        };
        // That it is met from below says the lower end of the bound, too: without it the difference may wrap.
        let needs_bound = is_unsigned || is_met_exactly;
        let pool = &mut domain.pool;
        let mut holds: Vec<Term> =
            [first.condition(pool, true), first.condition(pool, false)].into_iter().flatten().collect();
        holds.extend(bound.condition(pool, false));
        holds.extend(above);
        holds.extend(needs_bound.then(|| bound.condition(pool, true)).flatten());
        let number = |n: i128| i64::try_from(n).ok();
        let (least, greatest) = (number(first.least)?, number(greatest)?);
        Some((Span { counter: basic.value, least, greatest, passes: number(passes.max(first.least))? }, holds))
    }

    /// What a counter is compared with.
    fn bound(&self, domain: &mut SymbolicDomain, ranges: &mut Ranges, sum: &Affine) -> Option<Number> {
        let bits = sum.bits();
        let (leaf, addend) = match sum.terms() {
            [] => return Some(constant(sum.addend(), bits)),
            &[(leaf, 1)] => (leaf, extended(sum.addend(), bits, None)),
            _ => return None,
        };
        match self.held(domain, leaf)? {
            SymValue::Constant(number) => {
                let known = constant(number, bits);
                let (lowest, highest) = ends_of_width(bits);
                let moved = Number { term: None, least: known.least + addend, greatest: known.greatest + addend };
                (lowest <= moved.least && moved.greatest <= highest).then_some(moved)
            }
            SymValue::Term(term) if domain.pool.width(term) == bits => {
                let addend = domain.pool.constant(bits, sum.addend());
                let term = domain.pool.binary(BinOp::Add, term, addend);
                let (least, greatest) = ranges.signed(&domain.pool, term);
                Some(Number { term: Some(term), least, greatest })
            }
            SymValue::Term(_) => None,
        }
    }

    /// The bytes of an object that elements are, of which some are stored. Nothing if the pointer that they are counted
    /// from does not point into it.
    pub(super) fn elements(
        &self,
        domain: &mut SymbolicDomain,
        element: &StoredElement,
        spans: &[Span],
        (is_behind_tests, bytes): (bool, u64),
    ) -> Option<Extent> {
        let span = spans.iter().find(|span| span.counter == element.counter)?;
        let last = if is_behind_tests { span.passes } else { span.greatest };
        let addend = extended(element.addend, element.bits, None);
        let (lowest, highest) = match element.extension {
            Some(CastOp::ZExt) => (0, (1_i128 << element.bits) - 1),
            _ => ends_of_width(element.bits),
        };
        let (first, last) = (i128::from(span.least) + addend, i128::from(last) + addend);
        if first < lowest || last > highest {
            return None;
        }
        let AddressClass::Object(id, offset) = classify(self.fixed(domain, element.base, BUDGETS.loop_operations)?)
        else {
            return None;
        };
        let size = self.arrival.heap.object(id).filter(|object| object.is_alive())?.size;
        // Far outside of an object there may be another one.
        let mut start = i128::from(offset);
        if start < 0 || start > i128::from(size) {
            return None;
        }
        start += i128::from(element.at);
        for &(index, scale) in &element.others {
            let index = i128::from(self.fixed(domain, index, BUDGETS.loop_operations)?.cast_signed());
            start = start.checked_add(index.checked_mul(i128::from(scale))?)?;
        }
        self.uses.borrow_mut().values.push(element.counter);
        let place = |index: i128| start.checked_add(index.checked_mul(i128::from(element.scale))?);
        let (first, last) = (place(first)?, place(last)?);
        let clipped = |at: i128| u64::try_from(at.max(0)).unwrap_or(u64::MAX).min(size);
        let (start, end) = (clipped(first.min(last)), clipped(first.max(last).checked_add(i128::from(bytes))?));
        (start < end).then_some((id, start, end))
    }

    /// What is a constant, and the same in all iterations.
    fn fixed(&self, domain: &mut SymbolicDomain, operand: Operand, depth: u32) -> Option<u64> {
        let is_inside = |value| self.definitions.block(value).is_some_and(|b| self.replaced.blocks.contains(&b));
        let Some(value) = operand.value().filter(|&value| is_inside(value)) else {
            return self.operand(domain, operand, depth);
        };
        let depth = depth.checked_sub(1)?;
        match &self.definitions.inst(self.arrival.function, value)?.op {
            Op::Load { .. } if self.replaced.invariant.contains(&value) => self.computed(domain, value, depth),
            op @ Op::Address { .. } => address_of(op, |operand| self.fixed(domain, operand, depth)),
            &Op::Cast { op: extension @ (CastOp::SExt | CastOp::ZExt), a } => {
                let narrow = self.fixed(domain, a, depth)?;
                let wide = extended(narrow, self.width(a), Some(extension)) as u64;
                Some(wide & self.arrival.function.values[value].ty.mask())
            }
            _ => None,
        }
    }

    fn width(&self, operand: Operand) -> u32 {
        match operand {
            Operand::Value(value) => self.arrival.function.values[value].ty.bits(),
            Operand::Const(constant) => constant.ty().bits(),
        }
    }

    /// The spans of counters that begin with a constant, where it is known how often the loop goes round, or that end
    /// with one, too.
    pub(super) fn constant_spans(&self, domain: &mut SymbolicDomain, rounds: Option<u64>) -> Vec<Span> {
        let known = self.spans(domain).into_iter().filter_map(|(span, holds)| holds.is_empty().then_some(span));
        let mut known: Vec<Span> = known.collect();
        let counters = self.replaced.counted.iter().flat_map(|counted| &counted.basic);
        for (basic, rounds) in counters.filter_map(|basic| Some((basic, rounds?))) {
            if known.iter().all(|span| span.counter != basic.value) {
                known.extend(self.counted(basic, rounds));
            }
        }
        known
    }

    /// How often a loop goes round at most in which a counter begins with a constant, and ends within its span.
    pub(super) fn rounds_within(&self, spans: &[Span]) -> Option<u64> {
        let counters = self.replaced.counted.iter().flat_map(|counted| &counted.basic);
        let rounds = counters.filter_map(|basic| {
            let span = spans.iter().find(|span| span.counter == basic.value)?;
            let SymValue::Constant(_) = self.arrival.registers.get(Code::slot(basic.value) as usize)? else {
                return None;
            };
            let step = i128::from(basic.step.as_constant()?);
            u64::try_from((i128::from(span.greatest) - i128::from(span.least)) / step).ok()
        });
        rounds.min()
    }

    /// Where a counter is that begins with a constant, in a loop that goes round so often at most.
    fn counted(&self, basic: &BasicVariable, rounds: u64) -> Option<Span> {
        let bits = basic.start.bits();
        let SymValue::Constant(first) = *self.arrival.registers.get(Code::slot(basic.value) as usize)? else {
            return None;
        };
        let (first, step) = (extended(first, bits, None), extended(basic.step.as_constant()?, bits, None));
        let after = |rounds: u64| first.checked_add(step.checked_mul(i128::from(rounds))?);
        let (end, last) = (after(rounds)?, after(rounds.saturating_sub(1))?);
        let (lowest, highest) = ends_of_width(bits);
        if end.min(first) < lowest || end.max(first) > highest {
            return None;
        }
        let number = |n: i128| i64::try_from(n).ok();
        let (least, passes, greatest) = (number(first.min(end))?, number(first.max(last))?, number(first.max(end))?);
        Some(Span { counter: basic.value, least, passes, greatest })
    }
}

/// That the second number is so much greater than the first one, at least; `None` if it is not known.
fn distance(pool: &mut TermPool, ranges: &mut Ranges, (low, high): (&Number, &Number), more: i128) -> Option<Term> {
    let (mut low, mut high) = (low.term?, high.term?);
    while let (&Node::SExt { arg: a, .. }, &Node::SExt { arg: b, .. }) = (pool.node(low), pool.node(high))
        && pool.width(a) == pool.width(b)
    {
        (low, high) = (a, b);
    }
    let width = pool.width(low);
    let difference = pool.binary(BinOp::Sub, high, low);
    let ends = [low, high, difference].map(|term| ranges.signed(pool, term));
    let [of_low, of_high, known] = ends;
    let (lowest, highest) = ends_of_width(width);
    // It is no difference if it wraps.
    let is_exact = of_high.0 - of_low.1 >= lowest && of_high.1 - of_low.0 <= highest;
    let is_known = ends.iter().all(|range| range.0 <= range.1) && known.0 >= more;
    let least = pool.constant(width, i64::try_from(more).ok()?.cast_unsigned());
    (is_exact && is_known).then(|| pool.cmp(CmpOp::Sle, least, difference))
}

fn constant(number: u64, bits: u32) -> Number {
    let number = extended(number, bits, None);
    Number { term: None, least: number, greatest: number }
}

//! Where the stores of a replaced loop go, by what is known when control comes to it.

mod spans;

use std::cell::RefCell;
use std::sync::Arc;

use icsched_ir::{
    Affine, CastOp, Const, Count, CountedLoop, Definitions, Function, GlobalId, Indices, IntPredicate, Leaf, Op,
    Operand, TripCount, ValueId,
};
use icsched_smt::{BinOp, CmpOp, Ranges, Term, TermPool};

use crate::budgets::BUDGETS;
use crate::domain::SymbolicDomain;
use crate::path::SymPath;
use crate::trace::{Region, Uses};
use crate::values::value::SymValue;
use icsched_machine::abstraction::{AbstractLoop, Cursor, LatchTest, LoopLimits, LoopStore, Passage, Span};
use icsched_machine::code::Code;
use icsched_machine::domain::{Arithmetic as _, MemoryByte};
use icsched_machine::memory::{
    AddressClass, Heap, ObjectId, ObjectKind, UNKNOWN_SIZE, address, classify, global_object,
};

/// Bytes of an object: start and end.
pub(crate) type Extent = (ObjectId, u64, u64);

/// The state in which control comes to the header of a loop.
pub(crate) struct Arrival<'a> {
    pub(crate) heap: &'a Heap<SymbolicDomain>,
    pub(crate) path: &'a SymPath,
    pub(crate) function: &'a Function,
    /// The activation's registers, those of the header's parameters among them.
    pub(crate) registers: &'a [SymValue],
}

/// What is known of a loop's values when control comes to it.
struct Values<'a> {
    arrival: &'a Arrival<'a>,
    replaced: &'a AbstractLoop,
    definitions: Definitions,
    /// What of it was looked at.
    uses: RefCell<Uses>,
}

impl<'a> Values<'a> {
    fn new(arrival: &'a Arrival<'a>, replaced: &'a AbstractLoop) -> Self {
        let definitions = Definitions::new(arrival.function);
        Self { arrival, replaced, definitions, uses: RefCell::default() }
    }
}

impl SymbolicDomain {
    /// How a loop goes on by numbers that inputs choose, if it then writes to less than it would otherwise: a condition
    /// on these numbers, and what is so where it holds. It is one that all executions [meet](SymPath::certain) which
    /// come there: others would write to more where it does not hold, and schedules would say what the loop leaves in
    /// what it does not write to. O(what is certain of the path, its terms).
    pub(crate) fn loop_limits(
        &mut self,
        heap: &Heap<Self>,
        path: &SymPath,
        passage: Passage,
        registers: &[SymValue],
    ) -> Option<(SymValue, LoopLimits)> {
        let all = Arc::clone(&self.origins().forgotten.replaced);
        let replaced = all.loops.get(&(passage.func, passage.block))?;
        let counted = replaced.counted.as_ref()?;
        if replaced.effect.stores.iter().all(|store| store.step.is_none() && store.element.is_none()) {
            return None;
        }
        let program = Arc::clone(&self.origins().program);
        let arrival = Arrival { heap, path, function: &program.functions[passage.func], registers };
        let values = Values::new(&arrival, replaced);
        if values.repetitions(self, counted).is_some() {
            return None;
        }
        let mut limits = LoopLimits::default();
        let mut conditions = Vec::new();
        let (mut without, _) = self.extents(&arrival, replaced, &limits);
        let ends: Vec<Limit> = counted.tests.iter().filter_map(|test| values.limit(self, test)).collect();
        for end in ends {
            let Some(greatest) = end.end(&self.pool, path.certain()) else { continue };
            let with = LoopLimits { rounds: end.rounds(greatest), ..LoopLimits::default() };
            let extents = self.extents(&arrival, replaced, &with).0;
            if extents != without {
                (limits, without) = (with, extents);
                conditions.push(end.condition(&mut self.pool, greatest));
                break;
            }
        }
        if replaced.has_elements() {
            let (spans, holds): (Vec<Span>, Vec<Vec<Term>>) = values.spans(self).into_iter().unzip();
            let with = LoopLimits { spans, ..limits.clone() };
            if self.extents(&arrival, replaced, &with).0 != without {
                limits = with;
                conditions.extend(holds.into_iter().flatten());
            }
        }
        if conditions.is_empty() {
            return None;
        }
        let condition = self.pool.and_all(&conditions);
        Some((self.value(condition), limits))
    }

    /// The bytes that each store of a loop may write; `None` where that is not known. It goes on [within
    /// limits](Self::loop_limits). O(stores × loads that their addresses need).
    pub(crate) fn extents(
        &mut self,
        arrival: &Arrival<'_>,
        replaced: &AbstractLoop,
        limits: &LoopLimits,
    ) -> (Vec<Option<Extent>>, Uses) {
        if replaced.effect.stores.is_empty() {
            return (Vec::new(), Uses::default());
        }
        let values = Values::new(arrival, replaced);
        let counted = replaced.counted.as_ref();
        let rounds = counted.and_then(|counted| values.repetitions(self, counted)).or(limits.rounds);
        let is_limited = *limits != LoopLimits::default();
        let tests = counted.filter(|_| is_limited).into_iter().flat_map(|counted| &counted.tests);
        for &(leaf, _) in tests.flat_map(|test| test.bound.terms()) {
            values.held(self, leaf);
        }
        let spans = match limits.spans.as_slice() {
            [] if replaced.has_elements() => values.constant_spans(self, rounds),
            spans => spans.to_vec(),
        };
        let mut extent_of = |store: &LoopStore| {
            let step = store.step.as_ref().and_then(|step| values.evaluate(self, step));
            let last = rounds.map(|rounds| rounds.saturating_sub(u64::from(store.is_behind_tests)));
            let near = match &store.reach {
                Some((first, span)) => values.evaluate(self, first).map(|first| (first, *span)),
                None => store.address.and_then(|address| values.near(self, address)),
            };
            let near = near.and_then(|(first, span)| extent(arrival.heap, first, Some((span, 1)), store.bytes));
            let written = (store.is_behind_tests, store.bytes);
            let element = store.element.as_ref().and_then(|element| values.elements(self, element, &spans, written));
            let near = both(near, element);
            if near.is_some() && step.zip(last).is_none() {
                return near;
            }
            let start = values.evaluate(self, &store.start);
            both(start.and_then(|start| extent(arrival.heap, start, step.zip(last), store.bytes)), near)
        };
        let extents: Vec<Option<Extent>> = replaced.effect.stores.iter().map(&mut extent_of).collect();
        (extents, values.uses.into_inner())
    }

    /// How a loop goes on [within limits](Self::loop_limits). O(counters and accesses × loads that what they start with
    /// needs).
    pub(crate) fn course(
        &mut self,
        arrival: &Arrival<'_>,
        replaced: &AbstractLoop,
        limits: &LoopLimits,
    ) -> (Course, Uses) {
        let Some(counted) = &replaced.counted else { return Default::default() };
        let values = Values::new(arrival, replaced);
        let held = |test: &LatchTest| Some((*test, *arrival.registers.get(Code::slot(test.value) as usize)?));
        let tested = replaced.latches.iter().filter_map(held).collect();
        let rounds = values.repetitions(self, counted).or(limits.rounds);
        let rounds = rounds.or_else(|| values.rounds_within(&limits.spans));
        let sweeps: Vec<Sweep> = replaced.cursors.iter().filter_map(|cursor| values.sweep(self, cursor)).collect();
        let is_bounded = rounds.is_some() || !sweeps.is_empty();
        let mut course = Course { rounds, sweeps, tested, spans: limits.spans.clone(), ..Course::default() };
        for basic in counted.basic.iter().filter(|_| is_bounded) {
            let start = register(arrival, basic.value);
            if let Some((start, step)) = start.and_then(|start| Some((start, values.evaluate(self, &basic.step)?))) {
                course.basic.push(Counter { value: basic.value, start, step, bits: basic.step.bits() });
            }
        }
        let growing = replaced.growing.iter().filter_map(|&value| Some((value, number(arrival, value)?)));
        course.growing.extend(growing);
        (course, values.uses.into_inner())
    }

    /// Where the counters of a loop are in some iteration: as many steps on as iterations have passed, if it is known
    /// how many there are at most, or no lower than before; and the bytes that say how many there are. What the loop
    /// may write is forgotten.
    pub(crate) fn positions(
        &mut self,
        (heap, path): (&Heap<Self>, &SymPath),
        (passage, place): (Passage, &str),
        course: &Course,
    ) -> (Vec<(ValueId, SymValue)>, Vec<Region>) {
        let mut most = course.rounds;
        let mut ends = Vec::new();
        for sweep in &course.sweeps {
            let (rounds, end) = sweep.rounds(self, (heap, path), most);
            most = Some(most.map_or(rounds, |most| most.min(rounds)));
            ends.extend(end);
        }
        let mut found = Vec::new();
        for (counter, rounds) in course.basic.iter().filter_map(|counter| Some((counter, most?))) {
            if counter.stays_inside(heap, rounds) {
                let passed = self.rounds(passage, place);
                found.push((counter.value, self.stepped(counter, passed, rounds)));
            }
        }
        for span in course.spans.iter().filter(|span| course.basic.iter().all(|known| known.value != span.counter)) {
            found.extend(self.between(passage, span).map(|number| (span.counter, number)));
        }
        for &(value, start) in &course.growing {
            if found.iter().all(|(known, _)| *known != value) {
                found.extend(self.grown(passage, value, start).map(|grown| (value, grown)));
            }
        }
        for (test, start) in &course.tested {
            if found.iter().all(|(known, _)| *known != test.value) {
                found.extend(self.tested(passage, test, start).map(|value| (test.value, value)));
            }
        }
        (found, ends)
    }

    /// What a counter starts with, a step on for each iteration that has passed, of which there are at most so many.
    fn stepped(&mut self, counter: &Counter, passed: Term, most: u64) -> SymValue {
        let &Counter { start, step, bits, .. } = counter;
        let passed = self.at_most(passed, most);
        let passed = if bits < 64 { self.pool.extract(passed, bits - 1, 0) } else { passed };
        let (start, step) = (self.pool.constant(bits, start), self.pool.constant(bits, step));
        let by = self.pool.binary(BinOp::Mul, passed, step);
        let at = self.pool.binary(BinOp::Add, start, by);
        self.value(at)
    }
}

/// How a loop goes on from where control comes to it, as far as that is known.
#[derive(Default)]
pub(crate) struct Course {
    basic: Vec<Counter>,
    /// Parameters of the header to which iterations only add, and what they are in the first one.
    growing: Vec<(ValueId, u64)>,
    /// Parameters of the header of which something is true in all iterations but the first, and what they are in that
    /// one.
    tested: Vec<(LatchTest, SymValue)>,
    /// Parameters of the header that are between two numbers.
    spans: Vec<Span>,
    /// How often it goes round at most.
    rounds: Option<u64>,
    sweeps: Vec<Sweep>,
}

/// A parameter of the header to which each iteration adds the same.
struct Counter {
    value: ValueId,
    /// What it is in the first iteration.
    start: u64,
    step: u64,
    bits: u32,
}

impl Counter {
    /// Whether it is a number, or points into its object or one step behind it.
    fn stays_inside(&self, heap: &Heap<SymbolicDomain>, rounds: u64) -> bool {
        match classify(self.start) {
            AddressClass::Object(..) if self.bits < 64 => true,
            AddressClass::Object(id, offset) => heap.object(id).is_some_and(|object| {
                let step = i128::from(self.step.cast_signed());
                let last = i128::from(offset) + step * i128::from(rounds);
                object.size < UNKNOWN_SIZE && last >= step.min(0) && last <= i128::from(object.size) + step.max(0)
            }),
            AddressClass::Function(_) => self.bits < 64,
            _ => true,
        }
    }
}

/// Accesses at equal distances, one of each iteration, within one object.
struct Sweep {
    object: ObjectId,
    /// Where the first one is.
    first: u64,
    stride: u64,
    bytes: u64,
    /// How many are inside.
    inside: u64,
    ends_at_zero: bool,
}

impl Sweep {
    /// After how many iterations the object ends, or what is zero is read; and where that is.
    fn rounds(
        &self,
        domain: &mut SymbolicDomain,
        (heap, path): (&Heap<SymbolicDomain>, &SymPath),
        most: Option<u64>,
    ) -> (u64, Option<Region>) {
        let looked_at = match self.ends_at_zero {
            true => self.inside.min(BUDGETS.scanned_elements).min(most.unwrap_or(u64::MAX)),
            false => 0,
        };
        let mut accessed = (0..looked_at).map(|round| {
            let start = self.first + round * self.stride;
            (round, Region { object: self.object, start, len: self.bytes, exact: true })
        });
        let read_zero = |(_, read): &(u64, Region)| {
            let bytes = heap.bytes(domain, path, read.object, read.start, read.len);
            bytes.iter().all(|byte| matches!(byte, MemoryByte::Constant(0)))
        };
        match accessed.find(read_zero) {
            Some((round, read)) => (round, Some(read)),
            None => (self.inside, None),
        }
    }
}

/// What a parameter was before the loop, if that is a constant and no address.
fn number(arrival: &Arrival<'_>, value: ValueId) -> Option<u64> {
    let is_number = |bits: &u64| !matches!(classify(*bits), AddressClass::Object(..) | AddressClass::Function(_));
    register(arrival, value).filter(is_number)
}

/// A test that lets a loop go on while a counter has not come to a number that inputs choose, from below. What fails
/// `x < n` fails `x < n - 1`, too, and a counter that goes up in steps of one to `n` comes by all before: so the
/// greater the number, the more rounds.
struct Limit {
    number: Term,
    /// If the number is smaller, that is not so.
    least: Option<i64>,
    /// What is added to it must not overflow.
    greatest: i64,
    leaf: Leaf,
    /// With a constant start and step.
    test: TripCount,
}

impl Limit {
    /// Where the number ends, if that is known by more than its width, and it is no smaller than it should be.
    fn end(&self, pool: &TermPool, certain: impl Iterator<Item = Term> + Clone) -> Option<i64> {
        let by_width = Ranges::default().signed(pool, self.number).1.min(self.greatest.into());
        let (least, greatest) = Ranges::under(pool, certain).signed(pool, self.number);
        let is_fit = least <= greatest && self.least.is_none_or(|needed| i128::from(needed) <= least);
        i64::try_from(greatest).ok().filter(|_| is_fit && greatest < by_width)
    }

    fn rounds(&self, greatest: i64) -> Option<u64> {
        let mask = u64::MAX >> (64 - self.test.bound.bits());
        let known = |leaf: Leaf| (leaf == self.leaf).then_some(greatest.cast_unsigned() & mask);
        match self.test.evaluate(known)? {
            Count::Finite(rounds) => Some(rounds),
            Count::Endless => None,
        }
    }

    /// That the number is within these bounds.
    fn condition(&self, pool: &mut TermPool, greatest: i64) -> Term {
        let width = pool.width(self.number);
        let end = pool.constant(width, greatest.cast_unsigned());
        let is_below = pool.cmp(CmpOp::Sle, self.number, end);
        let Some(least) = self.least else { return is_below };
        let end = pool.constant(width, least.cast_unsigned());
        let is_above = pool.cmp(CmpOp::Sle, end, self.number);
        pool.and_all(&[is_above, is_below])
    }
}

impl Values<'_> {
    fn limit(&self, domain: &mut SymbolicDomain, test: &TripCount) -> Option<Limit> {
        let &[(leaf, 1)] = test.bound.terms() else { return None };
        let (start, step) = (self.evaluate(domain, &test.start)?, self.evaluate(domain, &test.step)?);
        let bits = test.bound.bits();
        let addend = extended(test.bound.addend(), bits, None);
        let end_of_width = 1_i128 << (bits - 1);
        let least = match test.predicate {
            IntPredicate::Slt | IntPredicate::Sle => (addend < 0).then_some(-end_of_width - addend),
            IntPredicate::Ult | IntPredicate::Ule => Some(-addend),
            IntPredicate::Ne if test.extension.is_none() && step == 1 => Some(extended(start, bits, None) - addend),
            _ => return None,
        };
        let least = least.map(|least| i64::try_from(least.max(-end_of_width))).transpose().ok()?;
        let greatest = i64::try_from(end_of_width - 1 - addend.max(0)).ok()?;
        let SymValue::Term(number) = self.held(domain, leaf)? else { return None };
        let [start, step] =
            [(&test.start, start), (&test.step, step)].map(|(sum, is)| Affine::constant(sum.bits(), is));
        let test = TripCount { start, step, ..test.clone() };
        (domain.pool.width(number) == bits).then_some(Limit { number, least, greatest, leaf, test })
    }

    /// What a leaf is.
    fn held(&self, domain: &mut SymbolicDomain, leaf: Leaf) -> Option<SymValue> {
        let value = match leaf {
            Leaf::Initial(value) | Leaf::Value(value) => value,
            Leaf::Address(_) => return None,
        };
        let block = self.definitions.block(value);
        if matches!(leaf, Leaf::Value(_)) && block.is_some_and(|block| self.replaced.blocks.contains(&block)) {
            return self.held_inside(domain, value);
        }
        let held = *self.arrival.registers.get(Code::slot(value) as usize)?;
        self.uses.borrow_mut().values.push(value);
        Some(held)
    }

    /// The same of what is computed in the loop.
    fn held_inside(&self, domain: &mut SymbolicDomain, value: ValueId) -> Option<SymValue> {
        let function = self.arrival.function;
        match self.definitions.inst(function, value)?.op {
            Op::Load { address, access } => {
                let at = self.operand(domain, address, BUDGETS.loop_operations).filter(|_| !access.volatile)?;
                let bytes = function.values[value].ty.bytes();
                let (held, read) = value_at(domain, self.arrival, at, u64::from(bytes))?;
                self.uses.borrow_mut().regions.push(read);
                Some(held)
            }
            Op::Cast { op: extension @ (CastOp::SExt | CastOp::ZExt), a: Operand::Value(narrow) } => {
                let held = self.held(domain, Leaf::Value(narrow))?;
                let (from, to) = (function.values[narrow].ty, function.values[value].ty);
                domain.cast(extension, from, to, &held).ok()
            }
            _ => None,
        }
    }

    /// The accesses that a cursor stands for, if they are in an object that is known; what that is computed from is
    /// used only then.
    fn sweep(&self, domain: &mut SymbolicDomain, cursor: &Cursor) -> Option<Sweep> {
        let (values, regions) = {
            let uses = self.uses.borrow();
            (uses.values.len(), uses.regions.len())
        };
        let found = self.swept(domain, cursor);
        let mut uses = self.uses.borrow_mut();
        if found.is_none() {
            uses.values.truncate(values);
            uses.regions.truncate(regions);
        }
        found
    }

    fn swept(&self, domain: &mut SymbolicDomain, cursor: &Cursor) -> Option<Sweep> {
        let start = self.register(cursor.value)?;
        let (anchor, index) = match cursor.base {
            Some(leaf) => (self.leaf(domain, leaf, BUDGETS.loop_operations)?, Some(start)),
            None => (start, None),
        };
        let AddressClass::Object(object, offset) = classify(anchor) else { return None };
        let held = self.arrival.heap.object(object).filter(|o| o.is_alive() && o.size < UNKNOWN_SIZE)?;
        // Where the path goes on behind errors, so does the loop, but behind the end of a string that always has one.
        let has_end = matches!(held.kind, ObjectKind::Argument(_) | ObjectKind::Environment(_));
        if self.arrival.heap.continues() && !has_end {
            return None;
        }
        let bits = self.arrival.function.values[cursor.value].ty.bits();
        let index = index.map_or(0, |index| extended(index.wrapping_add(cursor.addend), bits, cursor.extension));
        let scale = i128::from(cursor.scale);
        let first = i128::from(offset) + i128::from(cursor.at) + scale * index;
        let stride = i128::from(cursor.step) * scale;
        let room = i128::from(held.size) - i128::from(cursor.bytes) - first;
        let inside = if first < 0 || room < 0 { 0 } else { room / stride + 1 };
        let is_counted =
            cursor.base.is_none() || index + i128::from(cursor.step) * inside <= highest(bits, cursor.extension);
        let (first, stride) = (u64::try_from(first.max(0)).ok()?, u64::try_from(stride).ok()?);
        let inside = u64::try_from(inside).ok().filter(|_| is_counted)?;
        let (bytes, ends_at_zero) = (cursor.bytes, cursor.ends_at_zero);
        Some(Sweep { object, first, stride, bytes, inside, ends_at_zero })
    }

    /// How often the loop goes round at most.
    fn repetitions(&self, domain: &mut SymbolicDomain, counted: &CountedLoop) -> Option<u64> {
        let sums = counted.tests.iter().flat_map(|test| [&test.start, &test.step, &test.bound]);
        let leaves = sums.flat_map(|sum| sum.terms()).map(|term| term.0);
        let known: Vec<(Leaf, Option<u64>)> =
            leaves.map(|leaf| (leaf, self.leaf(domain, leaf, BUDGETS.loop_operations))).collect();
        match counted.repetitions(|leaf| known.iter().find(|(of, _)| *of == leaf)?.1)? {
            Count::Finite(rounds) => Some(rounds),
            Count::Endless => None,
        }
    }

    fn evaluate(&self, domain: &mut SymbolicDomain, sum: &Affine) -> Option<u64> {
        let of_term = |&(leaf, _): &(Leaf, u64)| Some((leaf, self.leaf(domain, leaf, BUDGETS.loop_operations)?));
        let known: Vec<(Leaf, u64)> = sum.terms().iter().map(of_term).collect::<Option<_>>()?;
        sum.evaluate(|leaf| known.iter().find(|(of, _)| *of == leaf).map(|(_, value)| *value))
    }

    /// Where an address may be that is computed in the loop, if indices are small by what is known here: the first one,
    /// and the bytes from there to the last one.
    fn near(&self, domain: &mut SymbolicDomain, address: ValueId) -> Option<(u64, u64)> {
        let is_inside =
            |value| self.definitions.block(value).is_some_and(|block| self.replaced.blocks.contains(&block));
        let indices = Indices::new(self.arrival.function);
        let mut known = |value| match is_inside(value) {
            true if !self.replaced.invariant.contains(&value) => None,
            true => self.computed(domain, value, BUDGETS.loop_operations),
            false => self.register(value),
        };
        let mut reach = indices.reach_where(address, &mut known)?;
        while let Operand::Value(inner) = reach.base
            && is_inside(inner)
        {
            reach = reach.behind(indices.reach_where(inner, &mut known)?)?;
        }
        let base = self.operand(domain, reach.base, BUDGETS.loop_operations)?;
        Some((base.wrapping_add(reach.first.cast_unsigned()), reach.span))
    }

    /// What a leaf of an address is, if that is a constant.
    fn leaf(&self, domain: &mut SymbolicDomain, leaf: Leaf, depth: u32) -> Option<u64> {
        match leaf {
            Leaf::Initial(value) => self.register(value),
            Leaf::Address(Const::Global { global, offset }) => variable(self.arrival, global, offset),
            Leaf::Address(_) => None,
            Leaf::Value(value) => {
                let block = self.definitions.block(value);
                if block.is_some_and(|block| self.replaced.blocks.contains(&block)) {
                    return self.computed(domain, value, depth);
                }
                self.register(value)
            }
        }
    }

    /// What is computed in the loop, and is the same in all iterations.
    fn computed(&self, domain: &mut SymbolicDomain, value: ValueId, depth: u32) -> Option<u64> {
        match &self.definitions.inst(self.arrival.function, value)?.op {
            Op::Load { address, access } if !access.volatile => {
                let at = self.operand(domain, *address, depth)?;
                let bytes = self.arrival.function.values[value].ty.bytes();
                let (SymValue::Constant(held), read) = value_at(domain, self.arrival, at, u64::from(bytes))? else {
                    return None;
                };
                self.uses.borrow_mut().regions.push(read);
                Some(held)
            }
            op @ Op::Address { .. } => address_of(op, |operand| self.operand(domain, operand, depth)),
            _ => None,
        }
    }

    fn register(&self, value: ValueId) -> Option<u64> {
        let held = register(self.arrival, value)?;
        self.uses.borrow_mut().values.push(value);
        Some(held)
    }

    fn operand(&self, domain: &mut SymbolicDomain, operand: Operand, depth: u32) -> Option<u64> {
        match operand {
            Operand::Const(Const::Bits { bits, .. }) => Some(bits),
            Operand::Const(constant) => self.leaf(domain, Leaf::Address(constant), depth),
            Operand::Value(value) => self.leaf(domain, Leaf::Value(value), depth.checked_sub(1)?),
        }
    }
}

/// The address that an instruction computes, of what its operands are.
fn address_of(op: &Op, mut of: impl FnMut(Operand) -> Option<u64>) -> Option<u64> {
    let Op::Address { base, offset, indices } = op else { return None };
    let mut sum = of(*base)?.wrapping_add(offset.cast_unsigned());
    for index in indices {
        sum = sum.wrapping_add(of(index.index)?.wrapping_mul(index.scale.cast_unsigned()));
    }
    Some(sum)
}

/// What `n` bytes at an address hold, and where they are.
fn value_at(domain: &mut SymbolicDomain, arrival: &Arrival<'_>, at: u64, n: u64) -> Option<(SymValue, Region)> {
    let (object, offset) = arrival.heap.check(at, n, false).ok().filter(|_| (1..=8).contains(&n))?;
    let bytes = arrival.heap.bytes(domain, arrival.path, object, offset, n);
    Some((domain.value_of_bytes(&bytes), Region { object, start: offset, len: n, exact: true }))
}

fn register(arrival: &Arrival<'_>, value: ValueId) -> Option<u64> {
    match arrival.registers.get(Code::slot(value) as usize)? {
        SymValue::Constant(bits) => Some(*bits),
        SymValue::Term(_) => None,
    }
}

/// An index of so many bits as it is added to an address.
fn extended(index: u64, bits: u32, extension: Option<CastOp>) -> i128 {
    let unused = 64 - bits;
    match extension {
        Some(CastOp::ZExt) => i128::from(index << unused >> unused),
        _ => i128::from((index << unused).cast_signed() >> unused),
    }
}

/// The highest index of so many bits.
fn highest(bits: u32, extension: Option<CastOp>) -> i128 {
    match extension {
        Some(CastOp::ZExt) => (1 << bits) - 1,
        _ => (1 << (bits - 1)) - 1,
    }
}

/// The address of a variable that all threads share.
fn variable(arrival: &Arrival<'_>, global: GlobalId, offset: i64) -> Option<u64> {
    let is_shared = !arrival.heap.program().globals[global].thread_local;
    is_shared.then(|| address(global_object(global), 0).wrapping_add(offset.cast_unsigned()))
}

/// The bytes that are in two extents of what is written; where they are of different objects, those of the first.
fn both(first: Option<Extent>, second: Option<Extent>) -> Option<Extent> {
    match (first, second) {
        (Some((object, start, end)), Some(other)) if object == other.0 => {
            Some((object, start.max(other.1), end.min(other.2)))
        }
        (first, second) => first.or(second),
    }
}

/// The bytes of the object at `start` that are written when the address moves by a step so often; all of them where
/// nobody knows that.
fn extent(heap: &Heap<SymbolicDomain>, start: u64, steps: Option<(u64, u64)>, bytes: u64) -> Option<Extent> {
    let AddressClass::Object(id, offset) = classify(start) else { return None };
    let object = heap.object(id).filter(|o| o.is_alive())?;
    let whole = Some((id, 0, object.size));
    let Some((step, rounds)) = steps else { return whole };
    let moved = i128::from(step.cast_signed()) * i128::from(rounds);
    if moved.unsigned_abs() > u128::from(BUDGETS.loop_extent) {
        return whole;
    }
    let (first, last) = (i128::from(offset), i128::from(offset) + moved);
    let clipped = |at: i128| u64::try_from(at.max(0)).unwrap_or(u64::MAX).min(object.size);
    Some((id, clipped(first.min(last)), clipped(first.max(last) + i128::from(bytes))))
}

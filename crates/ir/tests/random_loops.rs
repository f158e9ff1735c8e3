//! Trip counts of random counted loops against running them.

use crate::common::counted::{Counted, function};
use crate::common::run;
use icsched_ir::{Count, CountedLoop, IntPredicate, Leaf, Type};
use proptest::prelude::*;

/// How a random loop is built.
#[derive(Clone, Debug)]
struct Shape {
    bits: u8,
    predicate: IntPredicate,
    step: u64,
    /// Tested before the body, or behind it.
    top: bool,
    /// The comparison's sides are swapped, and the branch's.
    swapped: bool,
    negated: bool,
    /// What is tested is `3 * i + 1`.
    derived: bool,
    /// Extended for the comparison.
    extension: Option<&'static str>,
    /// The sum is made in a wider type and cut again.
    narrowed: Option<&'static str>,
    /// The step is a parameter.
    symbolic_step: bool,
}

impl Shape {
    fn wide(&self) -> u8 {
        if self.extension.is_some() { 20 } else { self.bits }
    }

    fn text(&self) -> String {
        let (narrow, wide) = (format!("i{}", self.bits), format!("i{}", self.wide()));
        let step = if self.symbolic_step { "%d".to_owned() } else { self.step.to_string() };
        let next = match self.narrowed {
            None => format!("%j: {narrow} = add %i, {step}"),
            Some(cast) => {
                let step = if self.symbolic_step { "%e" } else { &step };
                format!("%l: i30 = {cast} %i\n%e: i30 = zext %d\n%k: i30 = add %l, {step}\n%j: {narrow} = trunc %k")
            }
        };
        let x = if self.top { "%i" } else { "%j" };
        let x = if self.derived {
            format!("%t: {narrow} = mul {x}, 3\n%x: {narrow} = add %t, 1")
        } else {
            format!("%x: {narrow} = freeze {x}")
        };
        let extended = match self.extension {
            None => "%w: WIDE = freeze %x".replace("WIDE", &wide),
            Some(cast) => format!("%w: {wide} = {cast} %x"),
        };
        let predicate = if self.negated { self.predicate.negated() } else { self.predicate };
        let compare = if self.swapped {
            format!("%c = icmp.{} %n, %w", predicate.swapped())
        } else {
            format!("%c = icmp.{predicate} %w, %n")
        };
        let (header, back) = if self.top { ("head(%s)", "") } else { ("body(%s)", "(%j)") };
        let go_on = format!("body{back}");
        let branch = if self.negated { format!("branch %c, out, {go_on}") } else { format!("branch %c, {go_on}, out") };
        let test = format!("{x}\n{extended}\n{compare}\n{branch}");
        let loop_ = if self.top {
            format!("head(%i: {narrow}):\n{test}\nbody:\n{next}\njump head(%j)")
        } else {
            format!("body(%i: {narrow}):\n{next}\n{test}")
        };
        format!(
            "function @f(%s: {narrow}, %d: {narrow}, %n: {wide}) {{\nentry:\njump {header}\n{loop_}\nout:\nreturn\n}}\n"
        )
    }
}

fn shapes() -> impl Strategy<Value = Shape> {
    let predicate = proptest::sample::select(IntPredicate::ALL);
    let cast = || proptest::option::of(proptest::sample::select(&["zext", "sext"][..]));
    let flags = proptest::collection::vec(any::<bool>(), 5);
    (2..9u8, predicate, any::<u64>(), flags, cast(), cast()).prop_map(
        |(bits, predicate, step, flags, extension, narrowed)| {
            let step = Type::Int(bits).mask() & step;
            let step = step.max(1);
            let [top, swapped, negated, derived, symbolic_step] = flags[..] else {
                unreachable!("five were asked for")
            };
            Shape { bits, predicate, step, top, swapped, negated, derived, extension, narrowed, symbolic_step }
        },
    )
}

/// The integer that a parameter's bits are.
fn integer(value: u64, bits: u8, signed: bool) -> i128 {
    let value = i128::from(value & Type::Int(bits).mask());
    if signed && value >> (bits - 1) == 1 { value - (1 << bits) } else { value }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn counts_are_what_running_gives(shape in shapes(), start: u64, bound: u64, small in 0..4u64) {
        let counted = Counted::new(&shape.text());
        let function = function(&counted.program);
        let (l, count) = counted.first();
        // Bounds of the narrow width, or near the ends of the wide one, where extensions differ.
        let wide = Type::Int(shape.wide()).mask();
        let near = Type::Int(shape.bits).mask();
        let bound = match small {
            0 => bound & wide,
            1 => bound & near,
            _ => (bound & near).wrapping_neg() & wide,
        };
        let start = start & near;
        let args = [start, shape.step, bound];
        // No progression goes on for longer than its modulus without repeating itself.
        let run = run::run(function, &args, 4 * (near + 2));
        let repetitions = run.executed[1] - 1;
        let expected = if run.returned { Count::Finite(repetitions) } else { Count::Endless };
        let value = |leaf| match leaf {
            Leaf::Value(v) => function.params.iter().position(|&p| p == v).map(|at| args[at]),
            Leaf::Initial(_) | Leaf::Address(_) => None,
        };
        // A step that is zero modulo the width tests the same again.
        prop_assert_eq!(count.tests.len(), 1, "{}", shape.text());
        prop_assert!(count.is_exact);
        prop_assert_eq!(count.is_bottom_tested, !shape.top);
        prop_assert_eq!(count.repetitions(value), Some(expected), "{:?} {}", args, shape.text());
        prop_assert_eq!(count.tests[0].exit, (l.exits[0].0, l.exits[0].1));
        check_formula(&shape, count, start, bound, expected)?;
    }
}

/// The closed form gives the count where its proviso holds.
fn check_formula(
    shape: &Shape,
    count: &CountedLoop,
    start: u64,
    bound: u64,
    expected: Count,
) -> Result<(), TestCaseError> {
    let test = &count.tests[0];
    let (signed, bound_signed) = (test.start_is_signed(), test.bound_is_signed());
    let function_params = |at: usize| match at {
        0 => integer(start, shape.bits, signed),
        1 => integer(shape.step, shape.bits, true),
        _ => integer(bound, shape.wide(), bound_signed),
    };
    let value = |leaf| match leaf {
        Leaf::Value(v) => Some(function_params(icsched_ir::EntityId::index(v))),
        Leaf::Initial(_) | Leaf::Address(_) => None,
    };
    // The same loop over the integers, as long as it stays within the width.
    let scale = if shape.derived { 3 } else { 1 };
    let (least, most) =
        if signed { (-(1 << (shape.bits - 1)), (1 << (shape.bits - 1)) - 1) } else { (0, (1 << shape.bits) - 1) };
    let fits = |x: i128| (least..=most).contains(&x);
    let (step, bound) = (function_params(1), function_params(2));
    let mut x = function_params(0) * scale + i128::from(shape.derived);
    if !shape.top {
        x += scale * step;
    }
    let mut repetitions = 0i128;
    let holds = |x| match shape.predicate {
        IntPredicate::Eq => x == bound,
        IntPredicate::Ne => x != bound,
        IntPredicate::Ult | IntPredicate::Slt => x < bound,
        IntPredicate::Ule | IntPredicate::Sle => x <= bound,
        IntPredicate::Ugt | IntPredicate::Sgt => x > bound,
        IntPredicate::Uge | IntPredicate::Sge => x >= bound,
    };
    let compares_signs_alike = shape.extension.is_none() || signed == bound_signed || !signed;
    // The numbers in the formula are signed ones of the width; larger ones are others there.
    let offset = i128::from(shape.derived) + if shape.top { 0 } else { scale * step };
    let is_number = |x: i128| integer(x.rem_euclid(1 << shape.bits) as u64, shape.bits, true) == x;
    let mut stays_inside =
        fits(x) && compares_signs_alike && is_number(scale) && is_number(scale * step) && is_number(offset);
    while stays_inside && holds(x) {
        x += scale * step;
        repetitions += 1;
        stays_inside = fits(x) && step != 0;
    }
    for more in [0, 1] {
        let form = test.closed_form(more);
        let Some(form) = form else {
            let goes_away = shape.predicate == IntPredicate::Eq || repetitions == 0 || !stays_inside;
            prop_assert!(goes_away, "a formula was missed: {}", shape.text());
            continue;
        };
        let advances = form.divisor.as_constant().is_some() || step != 0 && repetitions > 0;
        let Count::Finite(expected) = expected else {
            prop_assert!(!stays_inside || !advances, "{:?} {}", form, shape.text());
            prop_assert!(form.proviso.is_some());
            continue;
        };
        if stays_inside && advances || form.proviso.is_none() {
            prop_assert_eq!(
                form.evaluate(value),
                Some(i128::from(expected) + i128::from(more)),
                "{:?} {}",
                form,
                shape.text()
            );
        }
    }
    Ok(())
}

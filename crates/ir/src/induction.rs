//! Induction variables.
//!
//! A. Aho, M. Lam, R. Sethi, J. Ullman, "Compilers" (2nd edition), 9.1.6 and 9.8, over SSA form: in each loop every
//! value is written, where it can be, as a sum of multiples of loop-invariant values and of parameters of the loop's
//! header. One pass over the loop in reverse postorder does that, because only parameters close cycles. A header's
//! parameter that comes back as itself plus something invariant is a basic variable. Deviations:
//! 1. All arithmetic is modulo the width; nothing is assumed about overflow.
//! 2. Steps may be symbolic (`i += threads`), factors of derived variables are numbers.
//! 3. A widened narrow variable (`(int)c` for `char c`) is no sum of it and stands for itself, until it is narrowed
//!    again: so `c = (char)((int)c + 1)` is a step of 1.

mod forms;
mod incoming;

use crate::affine::{Affine, Leaf};
use crate::cfg::Cfg;
use crate::entity::{BlockId, LoopId, ValueId};
use crate::inst::Terminator;
use crate::loops::{Loop, LoopForest};
use crate::program::Function;
use crate::types::Type;

pub(crate) use forms::Forms;
pub use forms::InvariantLoads;
pub(crate) use incoming::incoming;
use incoming::same;

/// A parameter of a loop's header that grows by the same amount in each iteration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BasicVariable {
    /// The parameter.
    pub value: ValueId,
    /// Its value in the first iteration.
    pub start: Affine,
    /// What each iteration adds, modulo the width; does not change during one run of the loop, and is not zero.
    pub step: Affine,
}

/// A value that is `basic * scale + offset` whenever it is computed, modulo the width of `offset`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DerivedVariable {
    /// The value.
    pub value: ValueId,
    /// The [basic variable](BasicVariable).
    pub basic: ValueId,
    /// The factor; not zero.
    pub scale: u64,
    /// The addend; does not change during one run of the loop.
    pub offset: Affine,
}

/// `start + iteration * step`, for iterations counted from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recurrence {
    /// The value in the first iteration.
    pub start: Affine,
    /// What each iteration adds.
    pub step: Affine,
}

/// The basic variables of a loop, by the order of the header's parameters. None for an irreducible one.
pub(crate) fn basic_variables(function: &Function, cfg: &Cfg, l: &Loop, forms: &Forms<'_>) -> Vec<BasicVariable> {
    if l.is_irreducible() {
        return Vec::new();
    }
    let params = function.blocks[l.header].params.iter().copied().enumerate();
    params.filter_map(|(at, value)| basic_variable(function, cfg, l, forms, at, value)).collect()
}

fn basic_variable(
    function: &Function,
    cfg: &Cfg,
    l: &Loop,
    forms: &Forms<'_>,
    at: usize,
    value: ValueId,
) -> Option<BasicVariable> {
    let ty = function.values[value].ty;
    if !matches!(ty, Type::Int(_) | Type::Ptr) {
        return None;
    }
    let (inside, outside): (Vec<_>, Vec<_>) =
        incoming(function, cfg, l.header, at).partition(|(from, _)| l.contains(*from));
    let step = same(inside.into_iter().map(|(_, arg)| {
        let next = forms.operand(arg, ty)?;
        let step = next.without(Leaf::Value(value));
        (next.coefficient(Leaf::Value(value)) == 1 && forms.is_invariant(&step)).then_some(step)
    }))?;
    if step.as_constant() == Some(0) {
        return None;
    }
    let start = same(outside.into_iter().map(|(_, arg)| Affine::operand(arg, ty.bits())));
    let start = start.unwrap_or_else(|| Affine::leaf(ty.bits(), Leaf::Initial(value)));
    Some(BasicVariable { value, start, step })
}

/// The values of the loop that are derived from one basic variable, in block order.
pub(crate) fn derived_variables(
    function: &Function,
    l: &Loop,
    forms: &Forms<'_>,
    basic: &[BasicVariable],
) -> Vec<DerivedVariable> {
    let mut found = Vec::new();
    for block in l.block_ids().map(|b| &function.blocks[b]) {
        let results = block.insts.iter().flat_map(|inst| &inst.results);
        for &value in block.params.iter().chain(results) {
            let Some(form) = forms.value(value) else { continue };
            let mut moving = form.terms().iter().filter(|t| forms.is_varying(t.0));
            let (Some(&(leaf, scale)), None) = (moving.next(), moving.next()) else { continue };
            if let Some(basic) = basic.iter().find(|b| Leaf::Value(b.value) == leaf && b.value != value) {
                found.push(DerivedVariable { value, basic: basic.value, scale, offset: form.without(leaf) });
            }
        }
    }
    found
}

/// The sum as a recurrence; `None` when something in it varies that is no basic variable.
pub(crate) fn recurrence(form: &Affine, forms: &Forms<'_>, basic: &[BasicVariable]) -> Option<Recurrence> {
    let mut start = form.clone();
    let mut step = Affine::constant(form.bits(), 0);
    for &(leaf, factor) in form.terms().iter().filter(|t| forms.is_varying(t.0)) {
        let variable = basic.iter().find(|b| Leaf::Value(b.value) == leaf)?;
        start = start.without(leaf).plus(&variable.start.truncated(form.bits()), factor)?;
        step = step.plus(&variable.step.truncated(form.bits()), factor)?;
    }
    Some(Recurrence { start, step })
}

/// Whether nothing in the loop can write memory or let another thread run: then every load gives the same value
/// throughout, unless there is a data race.
pub(crate) fn leaves_memory_alone(function: &Function, l: &Loop) -> bool {
    l.block_ids().map(|b| &function.blocks[b]).all(|block| {
        let is_known = !matches!(block.terminator, Terminator::Unsupported { .. });
        is_known && block.insts.iter().all(|inst| inst.op.leaves_memory_alone(function))
    })
}

/// The answer of someone who knows the function alone.
pub(crate) fn quiet_loads(function: &Function, loops: &LoopForest) -> impl Fn(LoopId, BlockId, usize) -> bool + use<> {
    let quiet: Vec<bool> = loops.iter().map(|(_, l)| leaves_memory_alone(function, l)).collect();
    move |id, _, _| quiet[crate::entity::EntityId::index(id)]
}

//! The values of one loop as sums over what is invariant and what its header's parameters are.

use std::collections::{BTreeMap, BTreeSet};

use super::incoming::{incoming, same};
use crate::affine::{Affine, Leaf};
use crate::cfg::Cfg;
use crate::entity::{BlockId, IdVec, LoopId, ValueId};
use crate::inst::{BinOp, CastOp, Const, Inst, Op, Operand, ScaledIndex, UnOp};
use crate::loops::Loop;
use crate::program::Function;
use crate::types::Type;

/// Which loads give the same value throughout one run of a loop: asked with the loop, and block and index of a plain
/// load whose address is invariant.
pub type InvariantLoads<'a> = dyn Fn(LoopId, BlockId, usize) -> bool + 'a;

/// A narrow sum that was widened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Widening {
    /// `ZExt` or `SExt`.
    pub(crate) cast: CastOp,
    /// The sum, of fewer bits.
    pub(crate) of: Affine,
}

/// What is known of a value.
#[derive(Clone, Debug)]
enum Known {
    /// Defined outside the loop.
    Outside,
    /// Defined inside, and no sum that could be found.
    Inside,
    /// Defined inside.
    Sum(Affine),
}

/// The sums of one loop at a time.
pub(crate) struct Forms<'f> {
    function: &'f Function,
    known: IdVec<ValueId, Known>,
    /// The values for which `known` has an entry.
    inside: Vec<ValueId>,
    /// Leaves that are not the same throughout one run of the loop: the header's parameters, and widened sums of them.
    varying: BTreeSet<ValueId>,
    /// What leaves that are widened sums widen.
    widened: BTreeMap<ValueId, Widening>,
}

impl<'f> Forms<'f> {
    pub(crate) fn new(function: &'f Function) -> Self {
        let known = IdVec::filled(Known::Outside, function.values.len());
        Self { function, known, inside: Vec::new(), varying: BTreeSet::new(), widened: BTreeMap::new() }
    }

    /// Computes the sums of the loop; what was known of another one is forgotten. O(its instructions).
    pub(crate) fn enter(
        &mut self,
        cfg: &Cfg,
        id: LoopId,
        l: &Loop,
        is_entry: impl Fn(BlockId) -> bool,
        loads: &InvariantLoads<'_>,
    ) {
        for value in self.inside.drain(..) {
            self.known[value] = Known::Outside;
        }
        self.varying.clear();
        self.widened.clear();
        let mut blocks: Vec<BlockId> = l.block_ids().collect();
        blocks.sort_by_key(|&b| cfg.position(b));
        let function = self.function;
        for block in blocks.iter().map(|&b| &function.blocks[b]) {
            let results = block.insts.iter().flat_map(|inst| &inst.results);
            self.inside.extend(block.params.iter().chain(results));
        }
        for &value in &self.inside {
            self.known[value] = Known::Inside;
        }
        for id_of_block in blocks {
            let block = &function.blocks[id_of_block];
            for (at, &param) in block.params.iter().enumerate() {
                if id_of_block == l.header {
                    self.vary(param);
                } else if !is_entry(id_of_block) {
                    let ty = function.values[param].ty;
                    let form = same(incoming(function, cfg, id_of_block, at).map(|(_, arg)| self.operand(arg, ty)));
                    self.learn(param, form);
                }
            }
            for (at, inst) in block.insts.iter().enumerate() {
                if let [result] = inst.results[..] {
                    let form = self.linear(inst, result).or_else(|| {
                        let is_invariant = self.computes_invariant(inst, || loads(id, id_of_block, at));
                        is_invariant.then(|| self.leaf(result))
                    });
                    self.learn(result, form);
                }
            }
        }
    }

    /// The sum that an operand of type `ty` is.
    pub(crate) fn operand(&self, operand: Operand, ty: Type) -> Option<Affine> {
        match operand {
            Operand::Value(value) => self.value(value),
            Operand::Const(_) => Affine::operand(operand, ty.bits()),
        }
    }

    /// The sum that a value is; one that is defined outside the loop is itself.
    pub(crate) fn value(&self, value: ValueId) -> Option<Affine> {
        match &self.known[value] {
            Known::Outside => Some(self.leaf(value)),
            Known::Inside => None,
            Known::Sum(form) => Some(form.clone()),
        }
    }

    /// Whether the leaf may differ between iterations.
    pub(crate) fn is_varying(&self, leaf: Leaf) -> bool {
        matches!(leaf, Leaf::Value(value) if self.varying.contains(&value))
    }

    /// Whether the sum is the same in every iteration.
    pub(crate) fn is_invariant(&self, form: &Affine) -> bool {
        !form.terms().iter().any(|t| self.is_varying(t.0))
    }

    /// What the sum widens, if it is nothing but one widened value.
    pub(crate) fn widening(&self, form: &Affine) -> Option<&Widening> {
        match (form.terms(), form.addend()) {
            (&[(Leaf::Value(value), 1)], 0) => self.widened.get(&value),
            _ => None,
        }
    }

    fn leaf(&self, value: ValueId) -> Affine {
        Affine::leaf(self.function.values[value].ty.bits(), Leaf::Value(value))
    }

    fn learn(&mut self, value: ValueId, form: Option<Affine>) {
        if let Some(form) = form {
            self.known[value] = Known::Sum(form);
        }
    }

    fn vary(&mut self, value: ValueId) {
        self.varying.insert(value);
        let form = self.leaf(value);
        self.learn(value, Some(form));
    }

    /// The result of an instruction that computes a sum.
    fn linear(&mut self, inst: &Inst, result: ValueId) -> Option<Affine> {
        let ty = self.function.values[result].ty;
        match &inst.op {
            Op::Binary { op: BinOp::Add, a, b, .. } => self.operand(*a, ty)?.plus(&self.operand(*b, ty)?, 1),
            Op::Binary { op: BinOp::Sub, a, b, .. } => self.operand(*a, ty)?.plus(&self.operand(*b, ty)?, u64::MAX),
            Op::Binary { op: BinOp::Mul, a, b, .. } => {
                let (a, b) = (self.operand(*a, ty)?, self.operand(*b, ty)?);
                match (a.as_constant(), b.as_constant()) {
                    (_, Some(factor)) => Some(a.times(factor)),
                    (Some(factor), None) => Some(b.times(factor)),
                    (None, None) => None,
                }
            }
            Op::Binary { op: BinOp::Shl, a, b, .. } => {
                let by = self.operand(*b, ty)?.as_constant().filter(|&by| by < u64::from(ty.bits()))?;
                Some(self.operand(*a, ty)?.times(1 << by))
            }
            Op::Unary { op: UnOp::Freeze, a } => self.operand(*a, ty),
            Op::Cast { op, a } => self.cast(*op, *a, result),
            Op::Address { base, offset, indices } => self.address(*base, *offset, indices),
            _ => None,
        }
    }

    fn address(&self, base: Operand, offset: i64, indices: &[ScaledIndex]) -> Option<Affine> {
        let constant = Affine::constant(64, offset.cast_unsigned());
        let sum = self.operand(base, Type::Ptr)?.plus(&constant, 1)?;
        indices.iter().try_fold(sum, |sum, ScaledIndex { index, scale, .. }| {
            sum.plus(&self.operand(*index, Type::Int(64))?, scale.cast_unsigned())
        })
    }

    fn cast(&mut self, cast: CastOp, a: Operand, result: ValueId) -> Option<Affine> {
        let source = a.value()?;
        let is_integer = |v: ValueId| matches!(self.function.values[v].ty, Type::Int(_) | Type::Ptr);
        if !is_integer(source) || !is_integer(result) {
            return None;
        }
        let of = self.value(source)?;
        let bits = self.function.values[result].ty.bits();
        match cast {
            CastOp::Bitcast => Some(of),
            CastOp::Trunc => self.narrowed(&of, bits),
            CastOp::ZExt | CastOp::SExt => {
                if !self.is_invariant(&of) {
                    self.varying.insert(result);
                }
                self.widened.insert(result, Widening { cast, of });
                Some(self.leaf(result))
            }
            _ => None,
        }
    }

    /// The low bits of a sum. The low bits of what was widened are those of what it was before.
    fn narrowed(&self, form: &Affine, bits: u32) -> Option<Affine> {
        let mut sum = form.clone().truncated(bits);
        for &(leaf, factor) in form.terms() {
            let Leaf::Value(value) = leaf else { continue };
            if let Some(widening) = self.widened.get(&value).filter(|widening| widening.of.bits() >= bits) {
                sum = sum.without(leaf).plus(&widening.of.truncated(bits), factor)?;
            }
        }
        Some(sum)
    }

    /// Whether the instruction computes nothing but a function of values that are the same in every iteration.
    fn computes_invariant(&self, inst: &Inst, load: impl Fn() -> bool) -> bool {
        let is_function = match &inst.op {
            Op::Load { access, .. } => !access.volatile && access.atomic.is_none(),
            op => op.is_computation(),
        };
        let mut all = is_function;
        inst.op.for_each_operand(|operand| {
            all &= match operand {
                Operand::Value(value) => self.value(value).is_some_and(|form| self.is_invariant(&form)),
                Operand::Const(constant) => !matches!(constant, Const::Undef(_)),
            };
        });
        all && (!matches!(inst.op, Op::Load { .. }) || load())
    }
}

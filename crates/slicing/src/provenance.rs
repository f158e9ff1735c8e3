//! Where the addresses in a function come from, without a points-to graph.
//!
//! A flow-insensitive, per-function approximation: an SSA value is derived from globals, the function's own allocas,
//! its parameters, or from somewhere unknown (a load, a call). It is coarse for pointers read from memory and exact
//! for everything addressed by name, which is most of what small programs store to. Values of fewer than 64 bits have
//! no provenance; an access through an address without any counts as [`Base::Unknown`]. The `pointsto` crate replaces
//! it.

use icsched_ir::{Callee, CastOp, Const, Edge, Function, GlobalId, IdVec, Intrinsic, Op, Operand, Terminator, ValueId};

/// One thing an address may be derived from.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Base {
    /// A global variable.
    Global(GlobalId),
    /// A stack object of the same function.
    Alloca(ValueId),
    /// What the caller passed, by parameter number.
    Param(u32),
    /// Anything whose address has escaped.
    Unknown,
}

/// What a value may be derived from. Bases are sorted; an offset is known only with a single base.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Provenance {
    bases: Vec<Base>,
    offset: Option<i64>,
}

impl Provenance {
    /// Exactly `base + offset`.
    pub fn exact(base: Base, offset: i64) -> Self {
        Self { bases: vec![base], offset: Some(offset) }
    }

    /// Derived from `base`, at an unknown offset.
    pub fn of(base: Base) -> Self {
        Self { bases: vec![base], offset: None }
    }

    /// Derived from some of these.
    pub fn any(mut bases: Vec<Base>) -> Self {
        bases.sort_unstable();
        bases.dedup();
        Self { bases, offset: None }
    }

    /// The bases, sorted; empty for a plain number.
    pub fn bases(&self) -> &[Base] {
        &self.bases
    }

    /// Byte offset from the only base, where it is one constant.
    pub fn offset(&self) -> Option<i64> {
        self.offset
    }

    /// The same bases, moved by a known or unknown distance.
    pub fn moved(&self, by: Option<i64>) -> Self {
        let offset = self.offset.zip(by).map(|(a, b)| a.wrapping_add(b));
        Self { bases: self.bases.clone(), offset }
    }

    /// Adds all of `other`; returns whether anything changed.
    fn join(&mut self, other: &Self) -> bool {
        if other.bases.is_empty() || *self == *other {
            return false;
        }
        if self.bases.is_empty() {
            *self = other.clone();
            return true;
        }
        let before = (self.bases.len(), self.offset);
        self.bases.extend(&other.bases);
        self.bases.sort_unstable();
        self.bases.dedup();
        if self.bases.len() > 1 || self.offset != other.offset {
            self.offset = None;
        }
        before != (self.bases.len(), self.offset)
    }
}

/// Provenance of every value of a function.
#[derive(Debug)]
pub struct FunctionProvenance {
    values: IdVec<ValueId, Provenance>,
}

impl FunctionProvenance {
    /// Iterates over the function until nothing changes. Each value can change at most once per base.
    pub fn new(function: &Function) -> Self {
        let mut values: IdVec<ValueId, Provenance> = IdVec::filled(Provenance::default(), function.values.len());
        for (number, &param) in (0..).zip(&function.params) {
            values[param] = Provenance::exact(Base::Param(number), 0);
        }
        let mut this = Self { values };
        while this.round(function) {}
        this
    }

    /// Provenance of an operand.
    pub fn operand(&self, operand: Operand) -> Provenance {
        match operand {
            Operand::Value(v) => self.values[v].clone(),
            Operand::Const(Const::Global { global, offset }) => Provenance::exact(Base::Global(global), offset),
            Operand::Const(Const::Bits { .. } | Const::Func(_) | Const::Block { .. } | Const::Undef(_)) => {
                Provenance::default()
            }
        }
    }

    fn round(&mut self, function: &Function) -> bool {
        let mut changed = false;
        for block in function.blocks.values() {
            for inst in &block.insts {
                for &result in &inst.results {
                    if function.values[result].ty.bits() < 64 {
                        continue;
                    }
                    let value = self.transfer(&inst.op, result);
                    changed |= self.values[result].join(&value);
                }
            }
            for edge in block.terminator.edges() {
                changed |= self.pass(function, edge);
            }
        }
        changed
    }

    fn pass(&mut self, function: &Function, edge: &Edge) -> bool {
        let mut changed = false;
        for (&param, &arg) in function.blocks[edge.target].params.iter().zip(&edge.args) {
            let value = self.operand(arg);
            changed |= self.values[param].join(&value);
        }
        changed
    }

    fn transfer(&self, op: &Op, result: ValueId) -> Provenance {
        match op {
            Op::Alloca { .. } => Provenance::exact(Base::Alloca(result), 0),
            Op::Address { base, offset, indices } => {
                // An index never leads out of the object that the base points into.
                let base = self.operand(*base);
                if base.bases.is_empty() {
                    self.union(&indices.iter().map(|i| i.index).collect::<Vec<_>>())
                } else {
                    base.moved(indices.is_empty().then_some(*offset))
                }
            }
            Op::Load { .. } | Op::AtomicRmw { .. } | Op::CompareExchange { .. } | Op::Unsupported { .. } => {
                Provenance::of(Base::Unknown)
            }
            Op::Call { callee: Callee::Intrinsic(Intrinsic::Select), args } => self.union(&args[1..]),
            Op::Call { .. } => Provenance::of(Base::Unknown),
            Op::IntCompare { .. } | Op::FloatCompare { .. } | Op::Overflow { .. } => Provenance::default(),
            Op::Cast { op: CastOp::Bitcast, a } => self.operand(*a),
            // A wide integer made of narrow pieces may be an address put together again.
            Op::Cast { .. } => Provenance::of(Base::Unknown),
            op => {
                let mut operands = Vec::new();
                op.for_each_operand(|o| operands.push(o));
                self.union(&operands)
            }
        }
    }

    fn union(&self, operands: &[Operand]) -> Provenance {
        let mut all = Provenance::default();
        for &operand in operands {
            all.join(&self.operand(operand).moved(None));
        }
        all
    }
}

/// The operands of a terminator's return, if it is one.
pub fn returned(terminator: &Terminator) -> &[Operand] {
    match terminator {
        Terminator::Return(values) => values,
        Terminator::Jump(_) | Terminator::Branch { .. } | Terminator::Unreachable | Terminator::Unsupported { .. } => {
            &[]
        }
    }
}

//! The flow functions of figure 2.17, instruction by instruction.

use icsched_ir::{Access, BinOp, BlockId, Callee, Const, Extent, Inst, Intrinsic, Op, Operand, Touch, Type, UnOp};

use crate::analysis::Analysis;
use crate::expr::{Expr, ExprId};
use crate::facts::Facts;
use crate::function::Solver;
use crate::icfg::point;
use crate::interference;
use crate::place::{Base, Place, address};
use crate::symbol::Symbol;

/// Largest copy of memory whose places are followed.
const MAX_COPY: u64 = 1024;

impl Analysis<'_, '_> {
    /// A constant as an expression; `None` for one without a single value, and for addresses that differ by thread.
    pub(crate) fn constant(&mut self, constant: Const) -> Option<ExprId> {
        match constant {
            Const::Bits { ty, bits } => Some(self.pool.constant(ty.bits(), bits)),
            Const::Global { global, offset } => {
                if self.program.globals[global].thread_local {
                    return None;
                }
                let start = self.pool.intern(Expr::Global(global));
                Some(self.pool.add(start, offset.cast_unsigned()))
            }
            Const::Func(func) => Some(self.pool.intern(Expr::Function(func))),
            Const::Block { .. } | Const::Undef(_) => None,
        }
    }
}

/// The bytes of a type whose registers fill them.
fn whole_bytes(ty: Type) -> Option<u32> {
    (ty.bits() == 8 * ty.bytes()).then_some(ty.bytes())
}

/// Whether an access is neither volatile nor atomic.
pub(crate) fn is_plain(access: Access) -> bool {
    !access.volatile && access.atomic.is_none()
}

impl Solver<'_, '_, '_> {
    /// Executes an instruction; whether control goes on behind it.
    pub(crate) fn instruction(&mut self, block: BlockId, index: usize, inst: &Inst, facts: &mut Facts) -> bool {
        match &inst.op {
            Op::Load { address, access } => {
                self.load(block, index, inst, (*address, *access), facts);
            }
            Op::Store { address, value, access } => {
                let bytes = whole_bytes(self.function.type_of(*value)).filter(|_| is_plain(*access));
                let value = self.operand(*value);
                self.disturb(block, index, inst, facts);
                if let (Some(place), Some(value)) = (bytes.and_then(|n| self.place(*address, n)), value) {
                    self.analysis.define(facts, &self.frames, place, value);
                }
            }
            Op::MemCopy { to, from, bytes: Operand::Const(Const::Bits { bits, .. }), .. } if *bits <= MAX_COPY => {
                let copied = self.copied(*to, *from, *bits, facts);
                self.disturb(block, index, inst, facts);
                for (place, value) in copied {
                    self.analysis.define(facts, &self.frames, place, value);
                }
            }
            Op::Call { callee: callee @ (Callee::Direct(_) | Callee::Indirect(_)), args } => {
                return self.call(block, index, inst, (callee, args), facts);
            }
            Op::Trap => return false,
            op => {
                if touches_memory(self.function, op) {
                    self.disturb(block, index, inst, facts);
                }
                let mut types = inst.results.iter().map(|&r| self.function.values[r].ty);
                let value = types.next_back().and_then(|ty| self.pure(op, ty));
                for &result in &inst.results {
                    self.set(result, value);
                }
                return !matches!(op, Op::Call { callee: Callee::Intrinsic(i), .. } if never_returns(*i));
            }
        }
        true
    }

    fn load(&mut self, block: BlockId, index: usize, inst: &Inst, from: (Operand, Access), facts: &mut Facts) {
        let [result] = inst.results[..] else { return };
        let ty = self.function.values[result].ty;
        let place = whole_bytes(ty).and_then(|bytes| self.place(from.0, bytes));
        if !is_plain(from.1) {
            self.disturb(block, index, inst, facts);
            self.set(result, None);
            return;
        }
        let known = place.and_then(|place| facts.get(place).map(|f| f.value).or_else(|| self.analysis.initial(place)));
        self.set(result, known.filter(|&e| self.analysis.pool.width(e) == ty.bits()));
        if let (Some(place), None) = (place, known) {
            // The value is remembered, so that the next load gives the same.
            let value = self.symbol(result);
            self.analysis.define(facts, &self.frames, place, value);
        }
    }

    /// The place that an access of some bytes is at.
    pub(crate) fn place(&mut self, at: Operand, bytes: u32) -> Option<Place> {
        let e = self.operand(at)?;
        let (base, offset) = match (address(&self.analysis.pool, e), at) {
            (Some(found), _) => found,
            (None, Operand::Value(value)) => (Base::Symbol(Symbol::new(self.frame, self.first_of_equal(value, e))), 0),
            (None, Operand::Const(_)) => return None,
        };
        Some(Place { base, offset, bytes })
    }

    /// What a copy of memory makes known of its target.
    fn copied(&mut self, to: Operand, from: Operand, bytes: u64, facts: &Facts) -> Vec<(Place, ExprId)> {
        let length = u32::try_from(bytes).unwrap_or(0);
        let (Some(to), Some(from)) = (self.place(to, length), self.place(from, length)) else { return Vec::new() };
        let end = i128::from(from.offset) + i128::from(bytes);
        let inside = |p: &Place| {
            p.base == from.base && p.offset >= from.offset && i128::from(p.offset) + i128::from(p.bytes) <= end
        };
        let moved = |p: &Place| Place {
            base: to.base,
            offset: to.offset.wrapping_add(p.offset.wrapping_sub(from.offset)),
            bytes: p.bytes,
        };
        facts.iter().filter(|(p, _)| inside(p)).map(|(p, f)| (moved(p), f.value)).collect()
    }

    /// Forgets what an instruction may change: by writing, and by letting other threads run.
    pub(crate) fn disturb(&mut self, block: BlockId, index: usize, inst: &Inst, facts: &mut Facts) {
        let mut writes: Vec<Touch> = Vec::new();
        inst.op.for_each_write(self.function, |touch| writes.push(touch));
        let at = point(self.analysis.points_to.instances()[self.instance].func, block, index);
        let region = self.analysis.region(self.instance, at);
        if writes.iter().any(|w| interference::points_nowhere(self.analysis.points_to, self.instance, *w)) {
            facts.clear();
            return;
        }
        debug_assert!(writes.len() <= 1, "an instruction writes one piece of memory by itself");
        let exact = writes.first().and_then(|w| self.written(*w));
        let modref = self.analysis.modref;
        facts.retain(|place, fact| {
            if let Some(exact) = exact.filter(|w| w.base == place.base) {
                return !exact.overlaps(*place);
            }
            let touched =
                |&(object, offsets): &(_, _)| modref.touches_at(&region.mods, object, offsets, u64::from(place.bytes));
            !fact.reach.targets.iter().any(touched)
        });
        if interference::switches(&inst.op) {
            facts.retain(|_, fact| fact.reach.conflict_free);
        }
    }

    /// The bytes that are written, if they are known.
    fn written(&mut self, touch: Touch) -> Option<Place> {
        match touch.extent {
            Extent::Bytes(n) => self.place(touch.address, u32::try_from(n).ok()?),
            Extent::Unknown | Extent::Object => None,
        }
    }

    /// The value of an operation on registers alone whose result has type `ty`.
    fn pure(&mut self, op: &Op, ty: Type) -> Option<ExprId> {
        match *op {
            Op::Binary { op, a, b, .. } => {
                let (a, b) = (self.operand(a)?, self.operand(b)?);
                self.analysis.pool.binary(op, a, b)
            }
            Op::Unary { op, a } if is_integer(op) => {
                let a = self.operand(a)?;
                self.analysis.pool.checked(Expr::Unary { op, a })
            }
            Op::Cast { op, a } => {
                let a = self.operand(a)?;
                self.analysis.pool.cast(op, ty, a)
            }
            Op::IntCompare { predicate, a, b } => {
                let (a, b) = (self.operand(a)?, self.operand(b)?);
                self.analysis.pool.compare(predicate, a, b)
            }
            Op::Overflow { op, a, b } => {
                let (a, b) = (self.operand(a)?, self.operand(b)?);
                self.analysis.pool.checked(Expr::Overflow { op, a, b })
            }
            Op::Select { condition, a, b } => {
                let (condition, a, b) = (self.operand(condition)?, self.operand(a)?, self.operand(b)?);
                self.analysis.pool.select(condition, a, b)
            }
            Op::Address { base, offset, ref indices } => {
                let base = self.operand(base)?;
                let mut sum = self.analysis.pool.add(base, offset.cast_unsigned());
                for index in indices {
                    let e = self.operand(index.index)?;
                    let scale = self.analysis.pool.constant(64, index.scale.cast_unsigned());
                    let scaled = self.analysis.pool.binary(BinOp::Mul, e, scale)?;
                    sum = self.analysis.pool.binary(BinOp::Add, sum, scaled)?;
                }
                Some(sum)
            }
            _ => None,
        }
    }
}

fn is_integer(op: UnOp) -> bool {
    matches!(op, UnOp::CtPop | UnOp::CtLz | UnOp::CtTz | UnOp::BSwap | UnOp::BitReverse | UnOp::Abs)
}

/// Whether an operation, no call of a function, may change memory, by itself or by letting others run.
fn touches_memory(function: &icsched_ir::Function, op: &Op) -> bool {
    let mut writes = matches!(op, Op::Unsupported { .. });
    op.for_each_write(function, |_| writes = true);
    writes || interference::switches(op)
}

/// Whether the operation ends the activation that executes it.
pub(crate) fn never_returns(intrinsic: Intrinsic) -> bool {
    intrinsic.ends_process()
        || matches!(intrinsic, Intrinsic::ThreadExit | Intrinsic::Resume | Intrinsic::RestoreContext)
}

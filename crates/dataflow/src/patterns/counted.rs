//! Loops that count: `for (i = s; i < n; i++)`, with `s` a number and `n` a number or a variable that does not change.

use icsched_ir::{
    BinOp, BlockId, CastOp, Const, FuncId, Function, IntPredicate, Loop, Op, Operand, Terminator, ValueId,
};
use icsched_pointsto::InstanceId;

use crate::code::is_plain;
use crate::icfg::EdgeKind;
use crate::place::{Base, Frames, Place};
use crate::structure::Structure;
use crate::view::ProgramView;

/// A loop whose header tests `counter < bound`, the counter going up by one.
pub(crate) struct Counted {
    pub(crate) counter: ValueId,
    pub(crate) start: u64,
    pub(crate) bound: Bound,
}

/// What a counter stays below.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum Bound {
    Number(u64),
    /// What this variable holds, which is written before there are threads only.
    Variable(Place),
}

impl Counted {
    /// Whether the bound is a variable.
    pub(crate) fn is_variable(&self) -> bool {
        matches!(self.bound, Bound::Variable(_))
    }
}

/// How a loop counts; `None` if it is not of that form.
pub(crate) fn counted(view: &mut ProgramView<'_, '_>, func: FuncId, around: &Loop) -> Option<Counted> {
    let structure = view.structure(func);
    let function = &view.program.functions[func];
    if around.parent.is_some() || around.is_irreducible() {
        return None;
    }
    let Terminator::Branch { condition, then_edge, else_edge } = &function.blocks[around.header].terminator else {
        return None;
    };
    if !around.contains(then_edge.target) || around.contains(else_edge.target) {
        return None;
    }
    let inst = structure.inst(function, condition.value()?)?;
    let Op::IntCompare { predicate: IntPredicate::Slt | IntPredicate::Ult, a, b } = inst.op else { return None };
    let counter = a.value()?;
    let position = function.blocks[around.header].params.iter().position(|&p| p == counter)?;
    let mut start: Option<u64> = None;
    for &from in structure.cfg.predecessors(around.header) {
        for edge in function.blocks[from].terminator.edges().filter(|e| e.target == around.header) {
            let passed = *edge.args.get(position)?;
            if around.contains(from) {
                is_next(function, &structure, passed, counter).then_some(())?;
            } else if let (Operand::Const(Const::Bits { bits, .. }), None) = (passed, start) {
                start = Some(bits);
            } else {
                return None;
            }
        }
    }
    let bound = match b {
        Operand::Const(Const::Bits { bits, .. }) => Bound::Number(bits),
        _ => Bound::Variable(fixed_variable(view, func, b)?),
    };
    Some(Counted { counter, start: start?, bound })
}

/// The variable that an operand was loaded from, if that is written before there are threads only. Extensions do not
/// count.
pub(crate) fn fixed_variable(view: &mut ProgramView<'_, '_>, func: FuncId, operand: Operand) -> Option<Place> {
    let structure = view.structure(func);
    let function = &view.program.functions[func];
    let value = operand.value()?;
    let inst = structure.inst(function, value)?;
    let address = match &inst.op {
        Op::Cast { op: CastOp::SExt | CastOp::ZExt, a } => return fixed_variable(view, func, *a),
        Op::Load { address, access } if is_plain(*access) => *address,
        _ => return None,
    };
    let (Operand::Const(Const::Global { global, offset }), 0) = offset_of(function, &structure, address)? else {
        return None;
    };
    let place = Place { base: Base::Global(global), offset, bytes: function.values[value].ty.bytes() };
    let reach = view.reach(&Frames::Stack(Vec::new()), place)?;
    reach.early_only.then_some(place)
}

/// Whether a loop creates threads.
pub(crate) fn creates_in(view: &ProgramView<'_, '_>, instance: InstanceId, blocks: &dyn Fn(BlockId) -> bool) -> bool {
    let edges = view.icfg.edges(instance).iter().filter(|e| blocks(e.at.block));
    edges.into_iter().any(|e| e.kind != EdgeKind::Call || view.interference.may_create(e.to))
}

/// An address as a constant plus an offset in the code.
fn offset_of(function: &Function, structure: &Structure, address: Operand) -> Option<(Operand, i64)> {
    match address {
        Operand::Const(_) => Some((address, 0)),
        Operand::Value(value) => match &structure.inst(function, value)?.op {
            Op::Address { base: Operand::Const(Const::Global { global, offset: first }), offset, indices }
                if indices.is_empty() =>
            {
                let offset = first.wrapping_add(*offset);
                Some((Operand::Const(Const::Global { global: *global, offset }), 0))
            }
            _ => None,
        },
    }
}

/// Whether an operand is one more than a value.
fn is_next(function: &Function, structure: &Structure, operand: Operand, value: ValueId) -> bool {
    let inst = operand.value().and_then(|v| structure.inst(function, v));
    let one = |b: &Operand| matches!(b, Operand::Const(Const::Bits { bits: 1, .. }));
    matches!(inst.map(|i| &i.op), Some(Op::Binary { op: BinOp::Add, a, b, .. }) if *a == Operand::Value(value) && one(b))
}

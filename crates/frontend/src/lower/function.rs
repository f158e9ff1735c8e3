//! One function body: values, blocks, and the helpers that emit instructions.

use icsched_ir::{
    Block, BlockId, CastOp, Const, EntityId, FuncId, Function, IdVec, Inst, LocId, Op, Operand, Origin, Terminator,
    Type, Value, ValueId,
};
use inkwell::llvm_sys::LLVMOpcode;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::constant::ConstLeaf;
use super::debug::{Piece, Variable, member_at};
use super::error::Reason;
use super::lowering::Lowering;
use super::nondet::input_of;
use super::plan::Plan;
use super::shape::{Operands, SharedShape};
use crate::llvm::{Bb, DbgKind, Kind, Ty, Val};

/// The state of lowering one function.
pub(crate) struct Body<'a, 'm> {
    pub(crate) cx: &'a mut Lowering<'m>,
    pub(crate) source: Val<'m>,
    pub(crate) function: Function,
    pub(crate) values: FxHashMap<Val<'m>, Operands>,
    /// Where instructions are emitted.
    pub(crate) block: BlockId,
    /// The location they get.
    pub(crate) loc: Option<LocId>,
    /// A local of 8 bytes that stands in for memory that an access does not touch after all.
    scratch: Option<ValueId>,
}

/// Lowers the body of `source` into the function `id`, whose signature is there already.
pub(crate) fn lower_body<'m>(cx: &mut Lowering<'m>, source: Val<'m>, id: FuncId, plan: &Plan<'m>) {
    let function = cx.program.functions[id].clone();
    let mut body = Body::new(cx, source, function);
    body.make_blocks(plan);
    body.bind_params();
    for (block, _) in &plan.order {
        body.lower_block(plan, *block);
    }
    for (block, extra) in &plan.order {
        body.lower_terminator(plan, *block, extra);
    }
    body.name_values(plan);
    let mut function = body.finish();
    super::modulo::count_on(&mut function);
    super::tail::make_loops(id, &mut function);
    if super::cleanup::clean(&mut function, plan, source) && function.origin == Origin::Program {
        cx.joined.push(id);
    }
    cx.program.functions[id] = function;
}

impl<'a, 'm> Body<'a, 'm> {
    /// A body whose blocks are still to be made. `source` says what the function is.
    pub(crate) fn new(cx: &'a mut Lowering<'m>, source: Val<'m>, function: Function) -> Self {
        let block = BlockId::from_index(0);
        Self { cx, source, function, values: FxHashMap::default(), block, loc: None, scratch: None }
    }

    /// The finished function.
    pub(crate) fn finish(self) -> Function {
        let mut function = self.function;
        if let Some(local) = self.scratch {
            let count = Operand::Const(Const::int(Type::Int(64), 1));
            let op = Op::Alloca { size: 8, count, align: 8 };
            let entry = &mut function.blocks[BlockId::from_index(0)];
            entry.insts.insert(0, Inst { results: smallvec![local], op, loc: None });
        }
        function
    }

    /// Any 8 bytes of memory of this activation.
    pub(crate) fn scratch(&mut self) -> Operand {
        let local = match self.scratch {
            Some(local) => local,
            None => self.fresh(Type::Ptr),
        };
        self.scratch = Some(local);
        Operand::Value(local)
    }

    fn make_blocks(&mut self, plan: &Plan<'m>) {
        let empty =
            Block { params: Vec::new(), insts: Vec::new(), terminator: Terminator::Unreachable, terminator_loc: None };
        self.function.blocks = IdVec::filled(empty, plan.count);
        for (block, _) in &plan.order {
            for phi in block.instructions().into_iter().take_while(|i| i.opcode() == LLVMOpcode::LLVMPHI) {
                let types: Vec<Type> = self.cx.shape(phi.ty()).types().collect();
                let ids: Vec<ValueId> = types.into_iter().map(|ty| self.fresh(ty)).collect();
                self.values.insert(phi, ids.iter().map(|&id| Operand::Value(id)).collect());
                self.function.blocks[plan.ids[block]].params.extend(ids);
            }
        }
    }

    /// Binds the parameters' scalars. A `byval` parameter is the callee's own copy, made here.
    fn bind_params(&mut self) {
        let mut ids = self.function.params.clone().into_iter();
        for (index, param) in (0_u32..).zip(self.source.params()) {
            let count = self.cx.shape(param.ty()).leaves.len();
            let mut operands: Operands = ids.by_ref().take(count).map(Operand::Value).collect();
            if let Some(byval) = self.source.attribute(Some(index), "byval") {
                let size = self.cx.layout().size(byval.ty());
                let natural = self.cx.layout().align(byval.ty());
                let align = self.source.attribute(Some(index), "align").map_or(natural, |a| a.value().max(natural));
                let one = Operand::Const(Const::int(Type::Int(64), 1));
                let copy = self.emit(Type::Ptr, Op::Alloca { size, count: one, align });
                let bytes = Operand::Const(Const::int(Type::Int(64), size));
                self.emit_void(Op::MemCopy { to: copy, from: operands[0], bytes, may_overlap: false });
                operands = smallvec![copy];
            }
            self.values.insert(param, operands);
        }
    }

    fn lower_block(&mut self, plan: &Plan<'m>, block: Bb<'m>) {
        self.block = plan.ids[&block];
        for inst in block.instructions() {
            let skipped = match inst.opcode() {
                LLVMOpcode::LLVMPHI => true,
                // Calls at the end of a block have a result like others.
                LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr => false,
                _ => block.terminator() == Some(inst),
            };
            if skipped {
                continue;
            }
            self.loc = self.location(inst);
            let operands = match self.lower_instruction(inst) {
                Ok(operands) => operands,
                Err(reason) => self.unsupported(inst, &reason.to_string()),
            };
            self.values.insert(inst, operands);
        }
    }

    pub(crate) fn location(&mut self, inst: Val<'m>) -> Option<LocId> {
        let node = inst.debug_loc()?;
        self.cx.debug.location(&mut self.cx.program, node)
    }

    /// Stands in for an instruction that is not lowered.
    fn unsupported(&mut self, inst: Val<'m>, reason: &str) -> Operands {
        let types: Vec<Type> = self.cx.shape(inst.ty()).types().collect();
        self.emit_many(&types, Op::Unsupported { text: format!("{reason}: {}", inst.print()) })
    }

    // --- emitting ---

    pub(crate) fn fresh(&mut self, ty: Type) -> ValueId {
        self.function.values.push(Value { ty, name: None, source_type: None })
    }

    pub(crate) fn emit_many(&mut self, types: &[Type], op: Op) -> Operands {
        let results: SmallVec<[ValueId; 1]> = types.iter().map(|&ty| self.fresh(ty)).collect();
        let operands = results.iter().map(|&id| Operand::Value(id)).collect();
        self.function.blocks[self.block].insts.push(Inst { results, op, loc: self.loc });
        operands
    }

    pub(crate) fn emit(&mut self, ty: Type, op: Op) -> Operand {
        self.emit_many(&[ty], op)[0]
    }

    pub(crate) fn emit_void(&mut self, op: Op) {
        self.emit_many(&[], op);
    }

    pub(crate) fn cast(&mut self, op: CastOp, a: Operand, to: Type) -> Operand {
        if self.type_of(a) == to { a } else { self.emit(to, Op::Cast { op, a }) }
    }

    pub(crate) fn type_of(&self, operand: Operand) -> Type {
        match operand {
            Operand::Value(id) => self.function.values[id].ty,
            Operand::Const(constant) => constant.ty(),
        }
    }

    // --- reading ---

    pub(crate) fn shape(&self, ty: Ty<'m>) -> SharedShape {
        self.cx.shape(ty)
    }

    /// Refuses types that cannot be computed with.
    pub(crate) fn check(&self, ty: Ty<'m>) -> Result<SharedShape, Reason> {
        let shape = self.shape(ty);
        shape.check()?;
        Ok(shape)
    }

    /// The scalars of a value. Constant expressions emit the instructions that compute them.
    pub(crate) fn operands(&mut self, value: Val<'m>) -> Result<Operands, Reason> {
        if let Some(known) = self.values.get(&value) {
            return Ok(known.clone());
        }
        match value.kind() {
            Kind::Instruction | Kind::Argument => return Err(Reason::from("value of code that cannot be reached")),
            Kind::Expr(opcode) if self.shape(value.ty()).leaves.len() != 1 => {
                return self.lower_operation(opcode, value);
            }
            _ => {}
        }
        let leaves = self.cx.constant_leaves(value)?;
        leaves.into_iter().map(|leaf| self.constant_operand(leaf)).collect()
    }

    fn constant_operand(&mut self, leaf: ConstLeaf<'m>) -> Result<Operand, Reason> {
        match leaf {
            ConstLeaf::Known(constant) => Ok(Operand::Const(constant)),
            ConstLeaf::Address(pointer) => Ok(self.cast(CastOp::Bitcast, Operand::Const(pointer), Type::Int(64))),
            ConstLeaf::Expr(expression) => {
                let Kind::Expr(opcode) = expression.kind() else { return Err(Reason::from("constant")) };
                let operands = self.lower_operation(opcode, expression)?;
                operands.first().copied().ok_or_else(|| Reason::from("empty constant"))
            }
        }
    }

    /// The operand of a value with exactly one scalar.
    pub(crate) fn scalar(&mut self, value: Val<'m>) -> Result<Operand, Reason> {
        self.check(value.ty())?;
        match self.operands(value)?.as_slice() {
            [one] => Ok(*one),
            _ => Err(Reason::from("aggregate where a scalar is expected")),
        }
    }

    /// A scalar integer as `i64`, sign- or zero-extended or cut.
    pub(crate) fn index(&mut self, value: Val<'m>, signed: bool) -> Result<Operand, Reason> {
        self.check(value.ty())?;
        let operands = self.operands(value)?;
        let first = *operands.first().ok_or("index without a value")?;
        Ok(self.widen(first, signed))
    }

    pub(crate) fn widen(&mut self, operand: Operand, signed: bool) -> Operand {
        match operand {
            Operand::Const(Const::Bits { ty, bits }) if ty.bits() < 64 => {
                let shift = 64 - ty.bits();
                let extended = if signed { ((bits << shift).cast_signed() >> shift).cast_unsigned() } else { bits };
                Operand::Const(Const::int(Type::Int(64), extended))
            }
            _ => self.cast(if signed { CastOp::SExt } else { CastOp::ZExt }, operand, Type::Int(64)),
        }
    }

    // --- names ---

    /// Gives values the names and types of the source variables they hold; the first variable of a value wins.
    fn name_values(&mut self, plan: &Plan<'m>) {
        for (block, _) in &plan.order {
            for inst in block.instructions() {
                for (kind, value, variable, expression) in inst.debug_records() {
                    let piece = self.cx.debug.piece(expression);
                    self.name_from_record(kind, value, variable, piece);
                }
            }
        }
        if self.source.subprogram().is_none() {
            let named: Vec<Val<'m>> = self.source.params();
            let instructions = plan.order.iter().flat_map(|(block, _)| block.instructions());
            for value in named.into_iter().chain(instructions) {
                let name = value.name();
                let name = name.strip_suffix(".addr").unwrap_or(&name);
                if !name.is_empty() {
                    self.describe(value, 0, Some(name.to_owned()), None);
                }
            }
        }
    }

    fn name_from_record(&mut self, kind: DbgKind, value: Val<'m>, variable: crate::llvm::Md<'m>, piece: Piece) {
        let storage = kind == DbgKind::Storage || piece == Piece::Behind;
        let is_alloca = value.kind() == Kind::Instruction && value.opcode() == LLVMOpcode::LLVMAlloca;
        if storage != (is_alloca || (storage && value.kind() == Kind::Argument)) {
            return;
        }
        let Some(leaves) = self.values.get(&value).map(SmallVec::len) else { return };
        let Variable { name: Some(name), ty, parameter_of } = self.cx.debug.variable(&mut self.cx.program, variable)
        else {
            return;
        };
        // For what an inlined function is called with the caller has words of its own, unless it is a choice.
        let is_inlined = parameter_of.is_some_and(|function| self.source.subprogram() != Some(function));
        let is_choice = value.kind() == Kind::Instruction && value.opcode() == LLVMOpcode::LLVMPHI;
        let name = (storage || is_choice || !is_inlined).then_some(name);
        let start = match piece {
            // A truth value that becomes an input, where an optimiser keeps it in one bit.
            Piece::Widened if leaves == 1 && is_nondet(value) => {
                self.describe(value, 0, name, None);
                return;
            }
            Piece::Widened | Piece::Computed => return,
            Piece::Whole | Piece::Behind if leaves == 1 => {
                self.describe(value, 0, name, ty);
                return;
            }
            Piece::Whole | Piece::Behind => 0,
            Piece::From(offset) => offset,
        };
        let Some(ty) = ty else { return };
        let offsets: Vec<u64> = self.cx.shape(value.ty()).leaves.iter().map(|leaf| leaf.offset).collect();
        for (index, offset) in offsets.into_iter().enumerate() {
            if let Some((path, member)) = member_at(&self.cx.program, ty, start + offset) {
                self.describe(value, index, name.as_ref().map(|name| format!("{name}{path}")), Some(member));
            }
        }
    }

    /// Gives one scalar of a value a name, if it has none yet, and a type.
    fn describe(&mut self, value: Val<'m>, leaf: usize, name: Option<String>, ty: Option<icsched_ir::TypeId>) {
        let operand = self.values.get(&value).and_then(|operands| operands.get(leaf));
        if let Some(id) = operand.and_then(|operand| operand.value()) {
            let entry = &mut self.function.values[id];
            if entry.name.is_none() {
                entry.source_type = if name.is_some() { ty } else { entry.source_type.or(ty) };
                entry.name = name;
            }
        }
    }
}

/// Whether a value is the result of a function that gives [inputs](super::nondet).
fn is_nondet(value: Val<'_>) -> bool {
    let callee = (value.kind() == Kind::Instruction && value.opcode() == LLVMOpcode::LLVMCall).then(|| value.callee());
    callee.is_some_and(|f| f.kind() == Kind::Function && f.is_declaration() && input_of(&f.name()).is_some())
}

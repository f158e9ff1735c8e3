//! IR to decoded form, one function at a time.

use std::cell::OnceCell;

use icsched_ir::{
    BinOp, BlockId, Callee, Const, Edge, EntityId, FuncId, Function, GlobalId, Inst, Op, Operand, Origin, Program,
    ProgramPoint, Terminator, Type, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::fast::FastCode;
use super::instr::{CallCode, CalleeCode, EdgeCode, FunctionCode, Instr, Slot, slot};
use super::marks::Marks;
use super::{moves, translate};
use crate::memory::constant_bits;

/// Decodes one function.
pub(super) fn function(program: &Program, id: FuncId, marks: &Marks) -> FunctionCode {
    let function = &program.functions[id];
    let registers = index(function.values.len()) + 1;
    let code = FunctionCode {
        id,
        origin: function.origin,
        instrs: Vec::new(),
        points: Vec::new(),
        edges: Vec::new(),
        moves: Vec::new(),
        calls: Vec::new(),
        lists: Vec::new(),
        subscripts: Vec::new(),
        registers,
        constants: Vec::new(),
        undefined: Vec::new(),
        thread_locals: Vec::new(),
        params: function.params.iter().map(|&p| slot(p)).collect(),
        param_types: function.params.iter().map(|&p| function.values[p].ty).collect(),
        varargs: function.varargs,
        fast: FastCode::default(),
    };
    let at = (BlockId::from_index(0), 0);
    let mut decoder =
        Decoder { program, function, code, known: FxHashMap::default(), at, marks, used_otherwise: OnceCell::new() };
    let starts: Vec<u32> = function.blocks.ids().map(|block| decoder.block(block)).collect();
    let mut code = decoder.code;
    for edge in &mut code.edges {
        edge.pc = starts[edge.target.index()];
        // A loop that is replaced is entered behind the mark that says that it goes round.
        let replaced = marks.abstractions.loops.get(&(id, edge.target));
        edge.pc += u32::from(replaced.is_some_and(|l| !l.blocks.contains(&edge.from)));
    }
    code.fast = translate::function(&code);
    code
}

/// A constant that needs a slot of its own.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Key {
    Bits(u64),
    ThreadLocal(GlobalId, i64),
    /// Undefined, with these bits.
    Undefined(u64),
}

struct Decoder<'p> {
    program: &'p Program,
    function: &'p Function,
    code: FunctionCode,
    known: FxHashMap<Key, Slot>,
    at: (BlockId, u32),
    marks: &'p Marks,
    /// See [`used_otherwise`].
    used_otherwise: OnceCell<FxHashSet<ValueId>>,
}

/// The values that something else is done with than to load or store at them. O(instructions).
fn used_otherwise(function: &Function) -> FxHashSet<ValueId> {
    let mut found = FxHashSet::default();
    for block in function.blocks.values() {
        for inst in &block.insts {
            let mut accessed = match inst.op {
                Op::Load { address, .. } | Op::Store { address, .. } => Some(address),
                _ => None,
            };
            inst.op.for_each_operand(|operand| {
                // An address that is also what is stored is used twice.
                if accessed.take_if(|address| *address == operand).is_none() {
                    found.extend(operand.value());
                }
            });
        }
        block.terminator.for_each_operand(|operand| found.extend(operand.value()));
    }
    found
}

impl Decoder<'_> {
    /// Returns the position of the block's first instruction.
    fn block(&mut self, id: BlockId) -> u32 {
        let start = index(self.code.instrs.len());
        let function = self.function;
        let block = &function.blocks[id];
        self.at = (id, 0);
        if self.marks.abstractions.loops.contains_key(&(self.code.id, id)) {
            self.emit(Instr::GoesRound);
            self.emit(Instr::Forget);
        }
        for (inst, i) in block.insts.iter().zip(0..) {
            self.at = (id, i);
            self.marker();
            self.inst(inst);
        }
        self.at = (id, index(block.insts.len()));
        self.marker();
        self.terminator(&block.terminator);
        start
    }

    fn marker(&mut self) {
        let (block, inst) = self.at;
        if self.marks.markers.contains(&ProgramPoint { func: self.code.id, block, inst }) {
            self.emit(Instr::Marker);
        }
    }

    fn emit(&mut self, instr: Instr) {
        self.code.instrs.push(instr);
        self.code.points.push(self.at);
    }

    fn ty(&self, operand: Operand) -> Type {
        match operand {
            Operand::Value(v) => self.function.values[v].ty,
            Operand::Const(c) => c.ty(),
        }
    }

    fn slot(&mut self, operand: Operand) -> Slot {
        match operand {
            Operand::Value(v) => slot(v),
            Operand::Const(c) => self.constant(c),
        }
    }

    fn constant(&mut self, constant: Const) -> Slot {
        let key = match constant {
            Const::Global { global, offset } if self.program.globals[global].thread_local => {
                Key::ThreadLocal(global, offset)
            }
            Const::Undef(ty) => Key::Undefined(ty.mask()),
            _ => Key::Bits(constant_bits(constant)),
        };
        if let Some(&slot) = self.known.get(&key) {
            return slot;
        }
        let slot = self.code.registers + index(self.code.constants.len());
        match key {
            Key::Bits(bits) => self.code.constants.push(bits),
            Key::Undefined(mask) => {
                self.code.constants.push(0);
                self.code.undefined.push((slot, mask));
            }
            Key::ThreadLocal(global, offset) => {
                self.code.constants.push(0);
                self.code.thread_locals.push((slot, global, offset));
            }
        }
        self.known.insert(key, slot);
        slot
    }

    /// Marks an instruction that reads an undefined constant.
    fn mark(&mut self, for_each_operand: impl FnOnce(&mut dyn FnMut(Operand))) {
        let mut undefined = false;
        for_each_operand(&mut |operand| undefined |= matches!(operand, Operand::Const(Const::Undef(_))));
        if undefined {
            self.emit(Instr::Undefined);
        }
    }

    fn inst(&mut self, inst: &Inst) {
        self.mark(|visit| inst.op.for_each_operand(visit));
        // An instruction whose result nobody named still needs somewhere to write to.
        let scratch = self.code.registers - 1;
        let dst = inst.results.first().map_or(scratch, |&r| slot(r));
        let ty = inst.results.first().map_or(Type::Ptr, |&r| self.function.values[r].ty);
        let instr = match &inst.op {
            Op::Binary { op, no_wrap, a, b } => {
                let no_wrap = no_wrap.any() && matches!(op, BinOp::Add | BinOp::Sub);
                Instr::Binary { op: *op, no_wrap, ty, dst, a: self.slot(*a), b: self.slot(*b) }
            }
            Op::Unary { op, a } => Instr::Unary { op: *op, ty, dst, a: self.slot(*a) },
            Op::Cast { op, a } => Instr::Cast { op: *op, from: self.ty(*a), to: ty, dst, a: self.slot(*a) },
            Op::IntCompare { predicate, a, b } => {
                let ty = self.ty(*a);
                Instr::IntCompare { predicate: *predicate, ty, dst, a: self.slot(*a), b: self.slot(*b) }
            }
            Op::FloatCompare { predicate, a, b } => {
                let ty = self.ty(*a);
                Instr::FloatCompare { predicate: *predicate, ty, dst, a: self.slot(*a), b: self.slot(*b) }
            }
            Op::Overflow { op, a, b } => {
                let ty = self.ty(*a);
                Instr::Overflow { op: *op, ty, dst, a: self.slot(*a), b: self.slot(*b) }
            }
            Op::Select { condition, a, b } => {
                let condition = self.slot(*condition);
                Instr::Select { ty, dst, condition, a: self.slot(*a), b: self.slot(*b) }
            }
            Op::FunnelShift { left, hi, lo, amount } => {
                let (hi, lo) = (self.slot(*hi), self.slot(*lo));
                Instr::FunnelShift { left: *left, ty, dst, hi, lo, amount: self.slot(*amount) }
            }
            Op::Address { .. } => return self.address(dst, inst),
            Op::Load { address, access } => {
                Instr::Load { ty, atomic: access.atomic.is_some(), dst, address: self.slot(*address) }
            }
            Op::Store { address, value, access } => {
                let (ty, atomic) = (self.ty(*value), access.atomic.is_some());
                Instr::Store { ty, atomic, address: self.slot(*address), value: self.slot(*value) }
            }
            Op::Alloca { size, count, .. } => {
                Instr::Alloca { ty: self.ty(*count), dst, count: self.slot(*count), size: *size }
            }
            Op::AtomicRmw { op, address, value, .. } => {
                let ty = self.ty(*value);
                Instr::AtomicRmw { op: *op, ty, dst, address: self.slot(*address), value: self.slot(*value) }
            }
            Op::CompareExchange { address, expected, new, .. } => {
                let ty = self.ty(*new);
                let (address, expected) = (self.slot(*address), self.slot(*expected));
                Instr::CompareExchange { ty, dst, address, expected, new: self.slot(*new) }
            }
            Op::Fence { .. } => Instr::Fence,
            Op::MemCopy { to, from, bytes, may_overlap } => {
                let (to, from) = (self.slot(*to), self.slot(*from));
                Instr::MemCopy { may_overlap: *may_overlap, to, from, bytes: self.slot(*bytes) }
            }
            Op::MemSet { to, byte, bytes } => {
                Instr::MemSet { to: self.slot(*to), byte: self.slot(*byte), bytes: self.slot(*bytes) }
            }
            Op::Call { callee, args } => self.call(inst, callee, args),
            Op::VaStart { list } => Instr::VaStart { list: self.slot(*list) },
            Op::VaCopy { to, from } => Instr::VaCopy { to: self.slot(*to), from: self.slot(*from) },
            Op::Trap => Instr::Trap,
            Op::Unsupported { .. } => Instr::Unsupported,
        };
        self.emit(instr);
    }

    fn address(&mut self, dst: Slot, inst: &Inst) {
        let Op::Address { base, offset, indices } = &inst.op else { return };
        let mut offset = *offset;
        let mut base = match *base {
            Operand::Const(Const::Global { global, offset: more }) => {
                let folded = Const::Global { global, offset: more.wrapping_add(std::mem::take(&mut offset)) };
                self.constant(folded)
            }
            other => self.slot(other),
        };
        // The result may be the base or an index only if it is a later one in a loop; SSA rules that out, so writing
        // partial sums to it is safe. A re-executed instruction starts at its own decoded part.
        for scaled in indices {
            if let Some(elements) = scaled.subscripts() {
                let position = index(self.code.instrs.len());
                let past_end = u64::from(inst.results.iter().any(|&address| !self.is_accessed_only(address)));
                self.code.subscripts.push((position, elements.saturating_add(past_end)));
            }
            let index = self.slot(scaled.index);
            self.emit(Instr::Index { dst, base, index, scale: scaled.scale });
            base = dst;
        }
        if offset != 0 || indices.is_empty() {
            self.emit(Instr::Offset { dst, base, offset });
        }
    }

    /// Whether an address is used for loads and stores only: one behind the last element is defined, too, but not as
    /// theirs.
    fn is_accessed_only(&self, address: ValueId) -> bool {
        !self.used_otherwise.get_or_init(|| used_otherwise(self.function)).contains(&address)
    }

    fn call(&mut self, inst: &Inst, callee: &Callee, args: &[Operand]) -> Instr {
        let arg_types: Box<[Type]> = args.iter().map(|&a| self.ty(a)).collect();
        let (block, place) = self.at;
        let is_tail = icsched_ir::is_tail_call(&self.function.blocks[block], place as usize);
        let result_types: Box<[Type]> = inst.results.iter().map(|&r| self.function.values[r].ty).collect();
        let callee = match callee {
            Callee::Direct(func) => {
                let target = &self.program.functions[*func];
                let same = |(p, a): (_, &Type)| target.values.get(p).is_some_and(|v| v.ty == *a);
                let exact = !target.is_declaration()
                    && !target.varargs
                    && target.params.len() == args.len()
                    && target.params.iter().copied().zip(&arg_types).all(same)
                    && *target.results == *result_types;
                // A call that may be replaced is looked at by the machine.
                let at = ProgramPoint { func: self.code.id, block, inst: place };
                let replaced = self.marks.abstractions.replaces_call(at, *func);
                let switches = self.marks.switches_at(self.function, target);
                if exact && !replaced && !is_tail && switches.is_none() {
                    CalleeCode::Plain(*func)
                } else {
                    CalleeCode::Direct(*func)
                }
            }
            Callee::Indirect(target) => CalleeCode::Indirect(self.slot(*target)),
            Callee::Intrinsic(intrinsic) => CalleeCode::Intrinsic(*intrinsic),
        };
        let args = args.iter().map(|&a| self.slot(a)).collect();
        let results = inst.results.iter().map(|&r| slot(r)).collect();
        self.code.calls.push(CallCode { callee, args, arg_types, results, result_types, is_tail });
        Instr::Call { call: index(self.code.calls.len() - 1) }
    }

    fn terminator(&mut self, terminator: &Terminator) {
        self.mark(|visit| terminator.for_each_operand(visit));
        let instr = match terminator {
            Terminator::Jump(edge) => Instr::Jump { edge: self.edge(edge, false) },
            Terminator::Branch { condition, then_edge, else_edge } => Instr::Branch {
                condition: self.slot(*condition),
                then_edge: self.edge(then_edge, false),
                else_edge: self.edge(else_edge, true),
            },
            Terminator::Return(values) => match values.as_slice() {
                [] => Instr::ReturnNone,
                [value] => Instr::ReturnOne { value: self.slot(*value) },
                _ => {
                    let list = values.iter().map(|&v| self.slot(v)).collect();
                    self.code.lists.push(list);
                    Instr::ReturnMany { list: index(self.code.lists.len() - 1) }
                }
            },
            Terminator::Unreachable => Instr::Unreachable,
            Terminator::Unsupported { .. } => Instr::Unsupported,
        };
        self.emit(instr);
    }

    fn edge(&mut self, edge: &Edge, is_else: bool) -> u32 {
        let params = &self.function.blocks[edge.target].params;
        let pending = params.iter().zip(&edge.args).map(|(&p, &a)| (slot(p), self.slot(a))).collect();
        let scratch = self.code.registers - 1;
        let first = index(self.code.moves.len());
        moves::sequentialise(pending, scratch, &mut self.code.moves);
        let moves = first..index(self.code.moves.len());
        let from = self.at.0;
        let is_conditional = matches!(self.function.blocks[from].terminator, Terminator::Branch { .. });
        let is_choice = is_conditional && self.function.origin == Origin::Program;
        self.code.edges.push(EdgeCode { pc: 0, target: edge.target, from, is_else, is_choice, moves });
        index(self.code.edges.len() - 1)
    }
}

fn index(n: usize) -> u32 {
    u32::try_from(n).expect("functions have fewer than 2^32 parts")
}

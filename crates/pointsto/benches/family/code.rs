//! Writing one function, instruction by instruction.

use icsched_ir::{
    Access, BinOp, Block, BlockId, Callee, CastOp, Const, Edge, EntityId, FuncId, Function, IdVec, Inst, IntPredicate,
    Op, Operand, Origin, ScaledIndex, Terminator, Type, Value, ValueId,
};
use smallvec::SmallVec;

/// A 64-bit constant.
pub(super) fn word(bits: u64) -> Operand {
    Const::int(Type::Int(64), bits).into()
}

/// The null pointer.
pub(super) fn null() -> Operand {
    Const::NULL.into()
}

/// A function without code; [`Code`] gives it some.
pub(super) fn declare(name: String, params: &[Type], results: Vec<Type>) -> Function {
    let mut values = IdVec::default();
    let params = params.iter().map(|&ty| values.push(Value { ty, name: None, source_type: None })).collect();
    Function {
        name,
        origin: Origin::Program,
        params,
        results,
        varargs: false,
        local: true,
        no_return: false,
        values,
        blocks: IdVec::default(),
        loc: None,
    }
}

/// A function under construction, with the block that is being written.
pub(super) struct Code {
    function: Function,
    at: BlockId,
    /// Instructions and terminators so far.
    pub(super) written: usize,
}

impl Code {
    /// Starts the code of a declared function in its entry block.
    pub(super) fn of(function: Function) -> Self {
        let mut code = Self { function, at: BlockId::from_index(0), written: 0 };
        code.at = code.block(&[]);
        code
    }

    /// The finished function.
    pub(super) fn finish(self) -> Function {
        self.function
    }

    pub(super) fn param(&self, index: usize) -> Operand {
        self.function.params[index].into()
    }

    fn value(&mut self, ty: Type) -> ValueId {
        self.function.values.push(Value { ty, name: None, source_type: None })
    }

    /// A new block with parameters of these types; it ends nowhere until it is written.
    pub(super) fn block(&mut self, params: &[Type]) -> BlockId {
        let params = params.iter().map(|&ty| self.value(ty)).collect();
        self.function.blocks.push(Block {
            params,
            insts: Vec::new(),
            terminator: Terminator::Unreachable,
            terminator_loc: None,
        })
    }

    /// Goes on in `block`; its parameters.
    pub(super) fn start(&mut self, block: BlockId) -> Vec<Operand> {
        self.at = block;
        self.function.blocks[block].params.iter().map(|&v| v.into()).collect()
    }

    fn push(&mut self, results: SmallVec<[ValueId; 1]>, op: Op) {
        self.function.blocks[self.at].insts.push(Inst { results, op, loc: None });
        self.written += 1;
    }

    /// An instruction without result.
    pub(super) fn act(&mut self, op: Op) {
        self.push(SmallVec::new(), op);
    }

    /// An instruction with one result.
    pub(super) fn define(&mut self, ty: Type, op: Op) -> Operand {
        let value = self.value(ty);
        self.push(SmallVec::from_slice(&[value]), op);
        value.into()
    }

    /// `base + offset`.
    pub(super) fn field(&mut self, base: Operand, offset: u64) -> Operand {
        if offset == 0 {
            return base;
        }
        let offset = i64::try_from(offset).expect("records are small");
        self.define(Type::Ptr, Op::Address { base, offset, indices: SmallVec::new() })
    }

    /// `base + index * scale`.
    pub(super) fn element(&mut self, base: Operand, index: Operand, scale: u64) -> Operand {
        let scale = i64::try_from(scale).expect("records are small");
        let indices = SmallVec::from_slice(&[ScaledIndex::new(index, scale)]);
        self.define(Type::Ptr, Op::Address { base, offset: 0, indices })
    }

    pub(super) fn load(&mut self, ty: Type, address: Operand) -> Operand {
        self.define(ty, Op::Load { address, access: Access::default() })
    }

    /// Loads the pointer at `base + offset`.
    pub(super) fn load_field(&mut self, base: Operand, offset: u64) -> Operand {
        let address = self.field(base, offset);
        self.load(Type::Ptr, address)
    }

    /// Loads the 64-bit number at `base + offset`.
    pub(super) fn load_word(&mut self, base: Operand, offset: u64) -> Operand {
        let address = self.field(base, offset);
        self.load(Type::Int(64), address)
    }

    pub(super) fn store(&mut self, address: Operand, value: Operand) {
        self.act(Op::Store { address, value, access: Access::default() });
    }

    /// Stores at `base + offset`.
    pub(super) fn store_field(&mut self, base: Operand, offset: u64, value: Operand) {
        let address = self.field(base, offset);
        self.store(address, value);
    }

    /// A local variable of `size` bytes, made where compilers make them: at the start of the entry block.
    pub(super) fn local(&mut self, size: u64) -> Operand {
        let value = self.value(Type::Ptr);
        let op = Op::Alloca { size, count: word(1), align: 8 };
        let inst = Inst { results: SmallVec::from_slice(&[value]), op, loc: None };
        self.function.blocks[BlockId::from_index(0)].insts.insert(0, inst);
        self.written += 1;
        value.into()
    }

    pub(super) fn copy(&mut self, to: Operand, from: Operand, bytes: Operand) {
        self.act(Op::MemCopy { to, from, bytes, may_overlap: false });
    }

    pub(super) fn clear(&mut self, to: Operand, bytes: Operand) {
        self.act(Op::MemSet { to, byte: Const::int(Type::Int(8), 0).into(), bytes });
    }

    pub(super) fn binary(&mut self, op: BinOp, a: Operand, b: Operand) -> Operand {
        self.define(Type::Int(64), Op::binary(op, a, b))
    }

    /// Reads 32 bits and extends them.
    pub(super) fn load_int(&mut self, base: Operand, offset: u64) -> Operand {
        let address = self.field(base, offset);
        let narrow = self.load(Type::Int(32), address);
        self.define(Type::Int(64), Op::Cast { op: CastOp::SExt, a: narrow })
    }

    pub(super) fn compare(&mut self, predicate: IntPredicate, a: Operand, b: Operand) -> Operand {
        self.define(Type::Int(1), Op::IntCompare { predicate, a, b })
    }

    /// A call for its effects alone.
    pub(super) fn call(&mut self, callee: FuncId, args: Vec<Operand>) {
        self.act(Op::Call { callee: Callee::Direct(callee), args });
    }

    pub(super) fn call_for(&mut self, result: Type, callee: Callee, args: Vec<Operand>) -> Operand {
        self.define(result, Op::Call { callee, args })
    }

    fn end(&mut self, terminator: Terminator) {
        self.function.blocks[self.at].terminator = terminator;
        self.written += 1;
    }

    pub(super) fn jump(&mut self, target: BlockId, args: &[Operand]) {
        self.end(Terminator::Jump(edge(target, args)));
    }

    pub(super) fn branch(&mut self, condition: Operand, yes: (BlockId, &[Operand]), no: (BlockId, &[Operand])) {
        let (then_edge, else_edge) = (edge(yes.0, yes.1), edge(no.0, no.1));
        self.end(Terminator::Branch { condition, then_edge, else_edge });
    }

    pub(super) fn give(&mut self, values: &[Operand]) {
        self.end(Terminator::Return(SmallVec::from_slice(values)));
    }
}

fn edge(target: BlockId, args: &[Operand]) -> Edge {
    Edge { target, args: SmallVec::from_slice(args) }
}

//! Random programs and graphs, driven by a list of choices so that a failing case shrinks.

pub(crate) mod counted;
pub(crate) mod graphs;
pub(crate) mod run;

use icsched_ir::{
    Access, BinOp, Block, BlockId, Callee, CastOp, Const, Edge, EntityId, Field, FileId, FloatPredicate, FuncId,
    Function, Global, GlobalId, IdVec, Inst, IntPredicate, Intrinsic, Loc, LocId, NoWrap, Op, Operand, Ordering,
    Origin, OverflowOp, Program, Relocation, RmwOp, ScaledIndex, SourceType, Terminator, Type, TypeId, UnOp, Value,
    ValueId,
};

/// A function without parameters whose block `n` goes to `edges[n]` (at most two); targets are taken modulo the number
/// of blocks but never lead to the entry.
pub(crate) fn graph(edges: &[Vec<usize>]) -> Function {
    let count = edges.len();
    let edge = |to: usize| Edge {
        target: BlockId::from_index(if count > 1 { 1 + to % (count - 1) } else { 0 }),
        args: Default::default(),
    };
    let block = |targets: &Vec<usize>| Block {
        params: vec![],
        insts: vec![],
        terminator: match targets[..] {
            [a, b, ..] if count > 1 => Terminator::Branch {
                condition: Const::int(Type::Int(1), 1).into(),
                then_edge: edge(a),
                else_edge: edge(b),
            },
            [a] if count > 1 => Terminator::Jump(edge(a)),
            _ => Terminator::Return(Default::default()),
        },
        terminator_loc: None,
    };
    Function { blocks: edges.iter().map(block).collect(), ..empty_function("f") }
}

fn empty_function(name: &str) -> Function {
    Function {
        name: name.to_owned(),
        origin: Origin::Program,
        params: vec![],
        results: vec![],
        varargs: false,
        local: false,
        no_return: false,
        values: IdVec::new(),
        blocks: IdVec::new(),
        loc: None,
    }
}

/// A program that passes the verifier, with every kind of instruction, constant and table row in reach. When the
/// choices run out, the rest is as simple as it gets.
pub(crate) fn program(choices: &[u64]) -> Program {
    let mut gen_ = Gen { choices: choices.iter(), program: Program::default() };
    gen_.tables();
    gen_.symbols();
    for func in gen_.program.functions.ids().collect::<Vec<_>>() {
        if gen_.below(4) != 1 {
            gen_.body(func);
        }
    }
    let main = gen_.below(3);
    gen_.program.main = match main {
        0 => gen_.program.functions.iter().find(|(_, f)| f.name == "main" && !f.is_declaration()).map(|(id, _)| id),
        1 => None,
        _ => Some(gen_.func()),
    };
    gen_.program
}

struct Gen<'c> {
    choices: std::slice::Iter<'c, u64>,
    program: Program,
}

const NAMES: [&str; 6] = ["main", "queue.c", "odd name", "", "x\"\\\n\u{7f}", "größe"];

impl Gen<'_> {
    fn any(&mut self) -> u64 {
        self.choices.next().copied().unwrap_or(0)
    }

    fn below(&mut self, n: u64) -> usize {
        (self.any() % n) as usize
    }

    fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64)]
    }

    fn option<T>(&mut self, item: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.flag() { Some(item(self)) } else { None }
    }

    fn name(&mut self) -> String {
        self.pick(&NAMES).to_owned()
    }

    fn origin(&mut self) -> Origin {
        self.pick(&[Origin::Program, Origin::Model])
    }

    fn tables(&mut self) {
        self.program.name = self.name();
        for _ in 0..=self.below(3) {
            let file = format!("{}/{}", self.below(2), self.name());
            self.program.files.push(file);
        }
        for at in 0..=self.below(6) {
            let file = FileId::from_index(self.below(self.program.files.len() as u64));
            let (line, column) = (self.below(3) as u32, self.below(2) as u32);
            let inlined_at = if at > 0 { self.option(|g| LocId::from_index(g.below(at as u64))) } else { None };
            self.program.locs.push(Loc { file, line, column, inlined_at });
        }
        for at in 0..=self.below(6) {
            // Only earlier types by value, so that none contains itself.
            let part = |g: &mut Self| if at > 0 { g.option(|g| TypeId::from_index(g.below(at as u64))) } else { None };
            let (name, size) = (self.name(), self.any());
            let ty = match self.below(7) {
                0 => SourceType::Base { name, size, signed: self.flag() },
                1 => SourceType::Pointer { to: part(self) },
                kind @ 2..=3 => {
                    let field = |g: &mut Self| Field { name: g.name(), offset: g.any(), ty: part(g) };
                    let fields = (0..self.below(3)).map(|_| field(self)).collect();
                    match kind {
                        2 => SourceType::Struct { name, size, fields },
                        _ => SourceType::Union { name, size, fields },
                    }
                }
                4 => SourceType::Array { element: part(self), count: size },
                5 => SourceType::Named { name, to: part(self) },
                _ => SourceType::Opaque,
            };
            self.program.types.push(ty);
        }
    }

    fn loc(&mut self) -> Option<LocId> {
        let count = self.program.locs.len() as u64;
        self.option(|g| LocId::from_index(g.below(count)))
    }

    fn source_type(&mut self) -> Option<TypeId> {
        let count = self.program.types.len() as u64;
        self.option(|g| TypeId::from_index(g.below(count)))
    }

    fn ty(&mut self) -> Type {
        self.pick(&[Type::Int(32), Type::Int(1), Type::Int(64), Type::Int(7), Type::Ptr, Type::F32, Type::F64])
    }

    fn symbols(&mut self) {
        for at in 0..=self.below(4) {
            let name = format!("{}{at}", self.name());
            let name = if at == 0 { self.name() } else { name };
            let mut function = Function { name, origin: self.origin(), varargs: self.flag(), ..empty_function("") };
            function.no_return = self.flag();
            function.local = self.flag();
            function.loc = self.loc();
            function.results = (0..self.below(3)).map(|_| self.ty()).collect();
            for _ in 0..self.below(3) {
                let value = self.value();
                let id = function.values.push(value);
                function.params.push(id);
            }
            self.program.functions.push(function);
        }
        for at in 0..=self.below(3) {
            let data: Vec<u8> = match self.below(4) {
                0 => vec![],
                1 => b"text \"\\\n\t\0".to_vec(),
                2 => vec![0],
                _ => (0..self.below(20)).map(|_| self.any() as u8).collect(),
            };
            let global = Global {
                name: format!("g{at}{}", self.name()),
                origin: self.origin(),
                size: data.len() as u64 + 16,
                align: 1 << self.below(5),
                constant: self.flag(),
                thread_local: self.flag(),
                external: false,
                local: self.flag(),
                data,
                relocations: vec![],
                source_type: self.source_type(),
                loc: self.loc(),
            };
            self.program.globals.push(global);
        }
        for id in self.program.globals.ids() {
            let relocations = (0..self.below(3)).map(|at| Relocation { offset: at as u64 * 8, value: self.address() });
            self.program.globals[id].relocations = relocations.collect();
        }
    }

    fn value(&mut self) -> Value {
        Value { ty: self.ty(), name: self.option(Self::name), source_type: self.source_type() }
    }

    fn func(&mut self) -> FuncId {
        FuncId::from_index(self.below(self.program.functions.len() as u64))
    }

    /// A pointer constant. Blocks are left to [`Gen::operand`], which knows one that exists.
    fn address(&mut self) -> Const {
        let global = GlobalId::from_index(self.below(self.program.globals.len().max(1) as u64));
        match self.below(5) {
            0 if !self.program.globals.is_empty() => Const::Global { global, offset: 0 },
            1 if !self.program.globals.is_empty() => Const::Global { global, offset: self.any().cast_signed() },
            2 => Const::Func(self.func()),
            3 => Const::NULL,
            _ => Const::int(Type::Ptr, self.any()),
        }
    }

    fn body(&mut self, func: FuncId) {
        let count = 1 + self.below(5);
        let mut function = self.program.functions[func].clone();
        let params: Vec<Vec<ValueId>> = (0..count)
            .map(|block| {
                let params = if block == 0 { 0 } else { self.below(3) };
                (0..params).map(|_| function.values.push(self.value())).collect()
            })
            .collect();
        for block in 0..count {
            // What dominates without further thought: parameters, the block's own values, and those of the entry.
            let mut known = function.params.clone();
            known.extend(
                function.blocks.values().take(1).flat_map(|b: &Block| &b.insts).flat_map(|i| i.results.clone()),
            );
            known.extend(&params[block]);
            let mut body = BodyGen { outer: self, function: &mut function, known, func };
            let insts = (0..body.outer.below(8)).map(|_| body.inst()).collect();
            let terminator = body.terminator(&params);
            let terminator_loc = self.loc();
            function.blocks.push(Block { params: params[block].clone(), insts, terminator, terminator_loc });
        }
        self.program.functions[func] = function;
    }
}

struct BodyGen<'g, 'c> {
    outer: &'g mut Gen<'c>,
    function: &'g mut Function,
    known: Vec<ValueId>,
    func: FuncId,
}

impl BodyGen<'_, '_> {
    fn operand(&mut self, ty: Type) -> Operand {
        let fitting: Vec<ValueId> = self.known.iter().copied().filter(|&v| self.function.values[v].ty == ty).collect();
        match self.outer.below(4) {
            0 | 1 if !fitting.is_empty() => self.outer.pick(&fitting).into(),
            2 => Const::Undef(ty).into(),
            _ if ty == Type::Ptr && !self.function.blocks.is_empty() && self.outer.flag() => {
                // The first block exists by the time the program is complete.
                Const::Block { func: self.func, block: BlockId::from_index(0) }.into()
            }
            _ if ty == Type::Ptr => self.outer.address().into(),
            _ => Const::int(ty, self.outer.any()).into(),
        }
    }

    fn result(&mut self, ty: Type) -> ValueId {
        let value = Value { ty, ..self.outer.value() };
        self.function.values.push(value)
    }

    fn inst(&mut self) -> Inst {
        let (types, op) = self.op();
        let results: smallvec::SmallVec<[ValueId; 1]> = types.iter().map(|&ty| self.result(ty)).collect();
        self.known.extend(&results);
        Inst { results, op, loc: self.outer.loc() }
    }

    fn int(&mut self) -> Type {
        self.outer.pick(&[Type::Int(32), Type::Int(1), Type::Int(64), Type::Int(7)])
    }

    fn float(&mut self) -> Type {
        self.outer.pick(&[Type::F64, Type::F32])
    }

    fn ordering(&mut self) -> Ordering {
        self.outer.pick(&[Ordering::SeqCst, Ordering::Relaxed])
    }

    fn access(&mut self) -> Access {
        let atomic = if self.outer.flag() { Some(self.ordering()) } else { None };
        Access { volatile: self.outer.flag(), atomic }
    }

    fn arithmetic(&mut self) -> (Vec<Type>, Op) {
        const BIT: Type = Type::Int(1);
        let (int, float) = (self.int(), self.float());
        let op = match self.outer.below(9) {
            0 => {
                let op = self.outer.pick(BinOp::ALL);
                let ty = if op.name().starts_with('f') || op == BinOp::CopySign { float } else { int };
                let (a, b) = (self.operand(ty), self.operand(ty));
                let mut says = || op.may_wrap() && self.outer.below(2) == 0;
                let no_wrap = NoWrap { signed: says(), unsigned: says() };
                return (vec![ty], Op::Binary { op, no_wrap, a, b });
            }
            1 => {
                let op = self.outer.pick(UnOp::ALL);
                let ty = if op.name().starts_with('f') { float } else { int };
                return (vec![ty], Op::Unary { op, a: self.operand(ty) });
            }
            2 => {
                let (op, from, to) = self.outer.pick(&[
                    (CastOp::Trunc, Type::Int(64), Type::Int(7)),
                    (CastOp::SExt, Type::Int(7), Type::Int(32)),
                    (CastOp::FpExt, Type::F32, Type::F64),
                    (CastOp::FpToUi, Type::F32, Type::Int(7)),
                    (CastOp::SiToFp, Type::Int(32), Type::F64),
                    (CastOp::Bitcast, Type::Ptr, Type::Int(64)),
                ]);
                return (vec![to], Op::Cast { op, a: self.operand(from) });
            }
            3 => {
                let ty = self.outer.pick(&[int, Type::Ptr]);
                let predicate = self.outer.pick(IntPredicate::ALL);
                Op::IntCompare { predicate, a: self.operand(ty), b: self.operand(ty) }
            }
            4 => {
                let predicate = self.outer.pick(FloatPredicate::ALL);
                Op::FloatCompare { predicate, a: self.operand(float), b: self.operand(float) }
            }
            5 => {
                let op = self.outer.pick(OverflowOp::ALL);
                Op::Overflow { op, a: self.operand(int), b: self.operand(int) }
            }
            6 => {
                let ty = self.outer.ty();
                let condition = self.operand(BIT);
                return (vec![ty], Op::Select { condition, a: self.operand(ty), b: self.operand(ty) });
            }
            7 => {
                let left = self.outer.flag();
                let [hi, lo, amount] = [int; 3].map(|ty| self.operand(ty));
                return (vec![int], Op::FunnelShift { left, hi, lo, amount });
            }
            _ => {
                let index = |g: &mut Self| ScaledIndex {
                    elements: if g.outer.flag() { Some(g.outer.any()) } else { None },
                    ..ScaledIndex::new(g.operand(Type::Int(64)), g.outer.any().cast_signed())
                };
                let indices = (0..self.outer.below(3)).map(|_| index(self)).collect();
                let offset = if self.outer.flag() { self.outer.any().cast_signed() } else { 0 };
                return (vec![Type::Ptr], Op::Address { base: self.operand(Type::Ptr), offset, indices });
            }
        };
        (vec![BIT], op)
    }

    fn op(&mut self) -> (Vec<Type>, Op) {
        let ty = self.outer.ty();
        let address = self.operand(Type::Ptr);
        match self.outer.below(14) {
            0 => (vec![ty], Op::Load { address, access: self.access() }),
            1 => (vec![], Op::Store { address, value: self.operand(ty), access: self.access() }),
            2 => {
                let count = self.operand(Type::Int(64));
                (vec![Type::Ptr], Op::Alloca { size: self.outer.any(), count, align: 1 << self.outer.below(64) })
            }
            3 => {
                let op = self.outer.pick(RmwOp::ALL);
                let ty = if op.name().starts_with('f') { self.float() } else { self.int() };
                (vec![ty], Op::AtomicRmw { op, address, value: self.operand(ty), ordering: self.ordering() })
            }
            4 => {
                let ty = self.outer.pick(&[Type::Int(32), Type::Ptr]);
                let (expected, new) = (self.operand(ty), self.operand(ty));
                let (success, failure) = (self.ordering(), self.ordering());
                (vec![ty], Op::CompareExchange { address, expected, new, success, failure })
            }
            5 => (vec![], Op::Fence { ordering: Ordering::SeqCst }),
            6 => {
                let (from, bytes) = (self.operand(Type::Ptr), self.operand(Type::Int(64)));
                (vec![], Op::MemCopy { to: address, from, bytes, may_overlap: self.outer.flag() })
            }
            7 => {
                let (byte, bytes) = (self.operand(Type::Int(8)), self.operand(Type::Int(64)));
                (vec![], Op::MemSet { to: address, byte, bytes })
            }
            8 => self.call(),
            9 if self.outer.flag() => (vec![], Op::VaStart { list: address }),
            9 => (vec![], Op::VaCopy { to: address, from: address }),
            10 => (vec![], Op::Trap),
            11 => (vec![ty; self.outer.below(3)], Op::Unsupported { text: self.outer.name() }),
            _ => self.arithmetic(),
        }
    }

    fn call(&mut self) -> (Vec<Type>, Op) {
        let types: Vec<Type> = (0..self.outer.below(3)).map(|_| self.outer.ty()).collect();
        match self.outer.below(3) {
            0 => {
                // Any arguments: what does not fit the signature is only a note.
                let args = types.iter().map(|&ty| self.operand(ty)).collect();
                let func = self.outer.func();
                let results =
                    if self.outer.flag() { self.outer.program.functions[func].results.clone() } else { types };
                (results, Op::Call { callee: Callee::Direct(func), args })
            }
            1 => {
                let args = types.iter().map(|&ty| self.operand(ty)).collect();
                (types, Op::Call { callee: Callee::Indirect(self.operand(Type::Ptr)), args })
            }
            _ => {
                let intrinsic = self.outer.pick(Intrinsic::ALL);
                let args = (0..intrinsic.arity()).map(|_| self.operand(Type::Int(64))).collect();
                (types.into_iter().take(1).collect(), Op::Call { callee: Callee::Intrinsic(intrinsic), args })
            }
        }
    }

    fn edge(&mut self, params: &[Vec<ValueId>]) -> Edge {
        let target = 1 + self.outer.below(params.len() as u64 - 1);
        let types: Vec<Type> = params[target].iter().map(|&p| self.function.values[p].ty).collect();
        let args = types.into_iter().map(|ty| self.operand(ty)).collect();
        Edge { target: BlockId::from_index(target), args }
    }

    fn terminator(&mut self, params: &[Vec<ValueId>]) -> Terminator {
        match self.outer.below(6) {
            0 | 1 if params.len() > 1 => Terminator::Jump(self.edge(params)),
            2 | 3 if params.len() > 1 => {
                let condition = self.operand(Type::Int(1));
                Terminator::Branch { condition, then_edge: self.edge(params), else_edge: self.edge(params) }
            }
            4 => Terminator::Unreachable,
            5 => Terminator::Unsupported { text: self.outer.name() },
            _ => {
                let types = self.function.results.clone();
                Terminator::Return(types.into_iter().map(|ty| self.operand(ty)).collect())
            }
        }
    }
}

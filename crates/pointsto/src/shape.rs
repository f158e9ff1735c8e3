//! What the constraint generator knows of a function before it analyses it: which values can carry a pointer, and
//! whether its calls are to be told apart.

use fixedbitset::FixedBitSet;
use icsched_ir::{
    BinOp, Callee, CastOp, Const, EntityId, FuncId, Function, IdVec, Inst, IntPredicate, Intrinsic, Op, Operand,
    Origin, Program, Terminator, Type, UnOp, ValueId,
};
use rustc_hash::FxHashMap;

use crate::Options;
use crate::budgets::BUDGETS;
use crate::integers::{self, Values, constant_bits};

const NONE: u32 = u32::MAX;

/// When a function is analysed for each of its callers apart.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub(crate) enum Cloned {
    #[default]
    Never,
    /// Where the caller is analysed so.
    WithCaller,
    Always,
}

/// One function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    /// Per value its number among those that can carry a pointer, or [`NONE`].
    slots: Vec<u32>,
    /// How many there are.
    pub(crate) count: u32,
    /// Whether it is analysed for each of its callers apart.
    pub(crate) cloned: Cloned,
    /// Number of instructions.
    pub(crate) size: usize,
    pointers: FixedBitSet,
    /// Words that a narrower integer is moved to the upper part of, with that integer: as when an address is put
    /// together from its halves.
    assembled: FxHashMap<ValueId, Operand>,
    /// See [`made_of_numbers`].
    numbers: FixedBitSet,
    /// See [`integers::indices`].
    pub(crate) indices: FxHashMap<ValueId, Values>,
}

impl Shape {
    /// Whether the operand is a pointer, or one converted to an integer.
    pub(crate) fn is_pointer(&self, operand: Operand) -> bool {
        operand_is_pointer(&self.pointers, operand)
    }

    /// The integer that a word is put together from, in its upper part.
    pub(crate) fn upper_part(&self, value: ValueId) -> Option<Operand> {
        self.assembled.get(&value).copied()
    }

    /// Whether the value is a pointer put together from numbers alone, as far as the function shows.
    pub(crate) fn is_made_of_numbers(&self, value: ValueId) -> bool {
        self.numbers.contains(value.index())
    }

    /// The value's number; `None` when it cannot carry a pointer to where that matters.
    pub(crate) fn slot(&self, value: ValueId) -> Option<u32> {
        self.slots.get(value.index()).copied().filter(|&slot| slot != NONE)
    }
}

/// Whether a value of this type can hold a pointer or bytes of one.
pub(crate) fn carries(ty: Type) -> bool {
    ty.bits() >= 8
}

/// Whether a value of this type can hold a whole pointer. Any other one is followed only where it is copied: from a
/// load to a store of the same function.
pub(crate) fn is_word(ty: Type) -> bool {
    matches!(ty, Type::Ptr | Type::Int(64))
}

/// How a result depends on an operand.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    /// It is the operand.
    Same,
    /// It points into the same object, if it is a pointer.
    Derived,
}

/// The operands that a pointer can get to the result from, within the function.
///
/// `is_pointer` says whether an integer is a pointer that was only converted.
pub(crate) fn flows(is_pointer: &dyn Fn(Operand) -> bool, op: &Op, mut visit: impl FnMut(Operand, Flow)) {
    match op {
        Op::Cast { op: CastOp::Bitcast, a } | Op::Unary { op: UnOp::Freeze, a } => visit(*a, Flow::Same),
        Op::Select { a, b, .. } => {
            visit(*a, Flow::Same);
            visit(*b, Flow::Same);
        }
        Op::Binary { op: BinOp::UMin | BinOp::UMax | BinOp::SMin | BinOp::SMax, a, b, .. } => {
            visit(*a, Flow::Same);
            visit(*b, Flow::Same);
        }
        // The distance of two pointers is none.
        Op::Binary { op: BinOp::Sub, b, .. } if is_pointer(*b) => {}
        Op::Binary { op: BinOp::Sub, a, .. } => visit(*a, Flow::Derived),
        Op::Binary { op: BinOp::Shl | BinOp::LShr | BinOp::AShr | BinOp::USubSat | BinOp::SSubSat, a, .. } => {
            visit(*a, Flow::Derived);
        }
        Op::Binary {
            op: BinOp::Add | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::UAddSat | BinOp::SAddSat,
            a,
            b,
            ..
        } => {
            visit(*a, Flow::Derived);
            visit(*b, Flow::Derived);
        }
        // What optimisers make shifts of.
        Op::Binary { op: BinOp::Mul | BinOp::UDiv | BinOp::SDiv, a, b, .. } => {
            for (operand, by) in [(*a, *b), (*b, *a)] {
                if constant_bits(by).is_some_and(u64::is_power_of_two) {
                    visit(operand, Flow::Derived);
                }
            }
        }
        Op::Unary { op: UnOp::BSwap | UnOp::BitReverse, a } => visit(*a, Flow::Derived),
        Op::FunnelShift { hi, lo, .. } => {
            visit(*hi, Flow::Derived);
            visit(*lo, Flow::Derived);
        }
        Op::Address { base, indices, .. } => {
            visit(*base, Flow::Derived);
            // `(char *)0 + address`, or a sum of which the wrong part was taken to be the pointer.
            let may_be_pointer = |o: Operand| is_pointer(o) || matches!(base, Operand::Const(Const::Bits { .. }));
            indices
                .iter()
                .filter(|i| i.scale == 1 && may_be_pointer(i.index))
                .for_each(|i| visit(i.index, Flow::Derived));
        }
        Op::Cast { op: CastOp::Trunc, a } => visit(*a, Flow::Derived),
        _ => {}
    }
}

/// Whether an operation only hands on what it is given.
pub(crate) fn copies(op: &Op) -> bool {
    matches!(op, Op::Cast { op: CastOp::Bitcast, .. } | Op::Unary { op: UnOp::Freeze, .. } | Op::Select { .. })
}

/// The words whose upper part is a narrower integer, with that integer.
fn assembled(function: &Function, definitions: &[Option<&Inst>]) -> FxHashMap<ValueId, Operand> {
    let mut found = FxHashMap::default();
    for inst in function.blocks.values().flat_map(|b| &b.insts) {
        if let (Op::Binary { op: BinOp::Shl, a: Operand::Value(a), .. }, &[result]) =
            (&inst.op, inst.results.as_slice())
            && is_word(function.values[result].ty)
            && let Some(Op::Cast { op: CastOp::ZExt | CastOp::SExt, a }) = definitions[a.index()].map(|i| &i.op)
        {
            found.insert(result, *a);
        }
    }
    found
}

/// The values that are a pointer, or an integer that one was converted to.
fn pointers(function: &Function) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(function.values.len());
    found.extend(function.values.iter().filter(|(_, v)| v.ty == Type::Ptr).map(|(id, _)| id.index()));
    for inst in function.blocks.values().flat_map(|b| &b.insts) {
        if let Op::Cast { op: CastOp::Bitcast, a } = inst.op
            && operand_is_pointer(&found, a)
        {
            found.extend(inst.results.iter().map(|v| v.index()));
        }
    }
    found
}

/// The words that a function computes from pointers, and hands on.
fn converted(function: &Function, pointers: &FixedBitSet) -> FixedBitSet {
    let mut found = pointers.clone();
    loop {
        let before = found.count_ones(..);
        for block in function.blocks.values() {
            for inst in &block.insts {
                let &[result] = inst.results.as_slice() else { continue };
                if function.values[result].ty != Type::Int(64) {
                    continue;
                }
                let mut is_computed = false;
                flows(&|o| operand_is_pointer(pointers, o), &inst.op, |operand, _| {
                    is_computed |= operand_is_pointer(&found, operand);
                });
                if is_computed {
                    found.insert(result.index());
                }
            }
            for edge in block.terminator.edges() {
                for (param, arg) in function.blocks[edge.target].params.iter().zip(&edge.args) {
                    if operand_is_pointer(&found, *arg) {
                        found.insert(param.index());
                    }
                }
            }
        }
        if found.count_ones(..) == before {
            return found;
        }
    }
}

fn operand_is_pointer(pointers: &FixedBitSet, operand: Operand) -> bool {
    match operand {
        Operand::Value(value) => pointers.contains(value.index()),
        Operand::Const(c) => matches!(c, Const::Global { .. } | Const::Func(_)),
    }
}

/// Pointers that a function puts together from numbers: narrow integers went into them, and no pointer did.
fn made_of_numbers(function: &Function, pointers: &FixedBitSet) -> FixedBitSet {
    let mut numbers = FixedBitSet::with_capacity(function.values.len());
    let mut found = FixedBitSet::with_capacity(function.values.len());
    // Blocks are not always in the order of their uses.
    loop {
        let before = numbers.count_ones(..);
        for inst in function.blocks.values().flat_map(|b| &b.insts) {
            let Some(&result) = inst.results.first() else { continue };
            let mut is_number =
                matches!(inst.op, Op::Cast { op: CastOp::ZExt | CastOp::SExt, a } if bits(function, a) >= 8);
            let mut has_pointer = false;
            flows(&|o| operand_is_pointer(pointers, o), &inst.op, |operand, _| {
                is_number |= operand.value().is_some_and(|v| numbers.contains(v.index()));
                has_pointer |= operand_is_pointer(pointers, operand);
            });
            let ty = function.values[result].ty;
            match inst.op {
                _ if !is_number || has_pointer => {}
                Op::Cast { op: CastOp::Bitcast, .. } if ty == Type::Ptr => found.insert(result.index()),
                _ if ty == Type::Int(64) => numbers.insert(result.index()),
                _ => {}
            }
        }
        if numbers.count_ones(..) == before {
            return found;
        }
    }
}

fn bits(function: &Function, operand: Operand) -> u32 {
    function.type_of(operand).bits()
}

/// The shapes of all functions. Linear, but for the fixpoint over recursive functions.
pub(crate) fn shapes(program: &Program, options: &Options<'_>) -> IdVec<FuncId, Shape> {
    let mut shapes: IdVec<FuncId, Shape> =
        program.functions.values().map(|f| shape(f, options.pointer_types_only)).collect();
    if options.clone_depth > 0 {
        let origins = Origins::of_program(program, &shapes);
        for (id, shape) in shapes.iter_mut() {
            let function = &program.functions[id];
            let small = shape.size <= BUDGETS.cloned_model;
            shape.cloned = match function.origin {
                Origin::Program if origins[id].pays(shape.size, function.varargs) => Cloned::Always,
                Origin::Model if small => match icsched_externals::lookup(function.library_name()) {
                    Some(row) if row.hands_back() => Cloned::Always,
                    Some(_) if origins[id].ends != 0 && shape.size <= BUDGETS.cloned_helper => Cloned::Always,
                    Some(_) => Cloned::Never,
                    None if (origins[id].returns | origins[id].calls) != 0 => Cloned::Always,
                    None if origins[id].gives != 0 => Cloned::WithCaller,
                    None => Cloned::Never,
                },
                Origin::Program | Origin::Model => Cloned::Never,
            };
        }
    }
    shapes
}

fn shape(function: &Function, pointer_types_only: bool) -> Shape {
    let pointers = pointers(function);
    let mut slots = vec![NONE; function.values.len()];
    let size = function.blocks.values().map(|b| b.insts.len()).sum();
    // Backwards from where a pointer matters: memory, calls, returns.
    let mut definitions: Vec<Option<&Inst>> = vec![None; function.values.len()];
    let mut arguments: Vec<Vec<Operand>> = vec![Vec::new(); function.values.len()];
    let mut needed: Vec<Operand> = Vec::new();
    let mut handed_on: Vec<Operand> = Vec::new();
    for block in function.blocks.values() {
        for inst in &block.insts {
            for result in &inst.results {
                definitions[result.index()] = Some(inst);
            }
            needed_by(&inst.op, &mut needed, &mut handed_on);
        }
        for edge in block.terminator.edges() {
            for (param, arg) in function.blocks[edge.target].params.iter().zip(&edge.args) {
                arguments[param.index()].push(*arg);
            }
        }
        if let Terminator::Return(values) = &block.terminator {
            handed_on.extend(values);
        }
    }
    let assembled = assembled(function, &definitions);
    let words_only = |operand: &Operand| match operand {
        Operand::Value(v) => is_word(function.values[*v].ty),
        Operand::Const(_) => false,
    };
    let mut wanted = vec![false; function.values.len()];
    // Nor may one be left out that is only compared, or converted, or a word that is read: who knows that another
    // register holds the same asks about either, and who knows what a number is must know that it is none.
    let is_loaded = |value: ValueId| matches!(definitions[value.index()], Some(Inst { op: Op::Load { .. }, .. }));
    let converted = converted(function, &pointers);
    let is_wanted = |value: ValueId, ty: Type| {
        ty == Type::Ptr || is_word(ty) && (is_loaded(value) || converted.contains(value.index()))
    };
    let values = function.values.iter().filter(|(value, info)| is_wanted(*value, info.ty));
    needed.extend(values.map(|(value, _)| Operand::Value(value)));
    needed.extend(handed_on.into_iter().filter(words_only));
    needed.extend(split_words(function).filter(words_only));
    while let Some(operand) = needed.pop() {
        let Operand::Value(value) = operand else { continue };
        let ty = function.values[value].ty;
        if !carries(ty) || pointer_types_only && ty != Type::Ptr || std::mem::replace(&mut wanted[value.index()], true)
        {
            continue;
        }
        needed.extend(&arguments[value.index()]);
        if let Some(inst) = definitions[value.index()]
            && (is_word(function.values[value].ty) || copies(&inst.op) || is_split(&inst.op))
        {
            needed.extend(assembled.get(&value));
            flows(&|o| operand_is_pointer(&pointers, o), &inst.op, |operand, _| needed.push(operand));
        }
    }
    let mut count = 0;
    for (slot, wanted) in slots.iter_mut().zip(wanted) {
        if wanted {
            *slot = count;
            count += 1;
        }
    }
    let numbers = made_of_numbers(function, &pointers);
    let indices = integers::indices(function);
    Shape { slots, count, cloned: Cloned::Never, size, pointers, assembled, numbers, indices }
}

/// Whether an operation takes the lower part of a value.
fn is_split(op: &Op) -> bool {
    matches!(op, Op::Cast { op: CastOp::Trunc, .. })
}

/// The values that a lower part is taken of.
fn split_words(function: &Function) -> impl Iterator<Item = Operand> {
    function.blocks.values().flat_map(|b| &b.insts).filter_map(|inst| match inst.op {
        Op::Cast { op: CastOp::Trunc, a } => Some(a),
        _ => None,
    })
}

/// The operands whose pointers an instruction follows, stores or hands on.
fn needed_by(op: &Op, needed: &mut Vec<Operand>, handed_on: &mut Vec<Operand>) {
    match op {
        Op::Load { address, .. } => needed.push(*address),
        Op::Store { address, value, .. } | Op::AtomicRmw { address, value, .. } => needed.extend([*address, *value]),
        Op::CompareExchange { address, new, .. } => needed.extend([*address, *new]),
        Op::MemCopy { to, from, .. } | Op::VaCopy { to, from } => needed.extend([*to, *from]),
        Op::MemSet { to, .. } => needed.push(*to),
        // What is behind a test for null matters less if it is always null.
        Op::IntCompare { predicate: IntPredicate::Eq | IntPredicate::Ne, a, b: Operand::Const(Const::NULL) } => {
            needed.push(*a);
        }
        Op::VaStart { list } => needed.push(*list),
        Op::Call { callee, args } => {
            if let Callee::Indirect(target) = callee {
                needed.push(*target);
            }
            handed_on.extend(args);
        }
        _ => {}
    }
}

/// Where pointers come from, in terms of the function's own parameters: bit i for parameter i, [`FRESH`] for new heap
/// objects.
type Bits = u64;

const FRESH: Bits = 1 << 63;

/// What telling the calls of a function apart would gain.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
struct Origins {
    /// What it returns.
    returns: Bits,
    /// The parameters through which it stores a new object or what another parameter leads to.
    gives: Bits,
    /// The parameters that it calls.
    calls: Bits,
    /// The parameters whose objects it frees.
    ends: Bits,
}

impl Origins {
    fn pays(self, size: usize, varargs: bool) -> bool {
        let is_helper = size <= BUDGETS.cloned_helper && !varargs;
        self.returns & FRESH != 0 && size <= BUDGETS.cloned_wrapper
            || (self.returns | self.calls | self.ends) != 0 && is_helper
    }

    /// Memory is copied from one parameter to another.
    fn copies(&mut self, to: Bits, from: Bits) {
        if from & !FRESH != 0 {
            self.gives |= to & !FRESH;
        }
    }

    /// A pointer is stored.
    fn stores(&mut self, address: Bits, value: Bits) {
        if value & FRESH != 0 {
            self.gives |= address & !FRESH;
        }
    }

    fn of_program(program: &Program, shapes: &IdVec<FuncId, Shape>) -> IdVec<FuncId, Origins> {
        let graph = icsched_ir::CallGraph::new(program);
        let mut known: IdVec<FuncId, Origins> = IdVec::filled(Origins::default(), program.functions.len());
        for component in graph.components() {
            loop {
                let mut grew = false;
                for &func in component {
                    let new = Self::of_function(&program.functions[func], &shapes[func], &known);
                    grew |= new != known[func];
                    known[func] = new;
                }
                if !grew || component.len() == 1 && !graph.is_recursive(component[0]) {
                    break;
                }
            }
        }
        known
    }

    fn of_function(function: &Function, shape: &Shape, known: &IdVec<FuncId, Origins>) -> Origins {
        let mut bits: Vec<Bits> = vec![0; function.values.len()];
        for (at, param) in function.params.iter().enumerate() {
            if is_word(function.values[*param].ty) {
                bits[param.index()] = 1 << at.min(62);
            }
        }
        let mut found = Origins::default();
        let of = |bits: &[Bits], operand: Operand| operand.value().map_or(0, |v| bits[v.index()]);
        loop {
            let mut grew = false;
            let mut raise = |bits: &mut [Bits], value: ValueId, more: Bits| {
                grew |= more & !bits[value.index()] != 0;
                bits[value.index()] |= more;
            };
            for block in function.blocks.values() {
                for inst in &block.insts {
                    let mut all = 0;
                    flows(&|o| shape.is_pointer(o), &inst.op, |operand, _| all |= of(&bits, operand));
                    match &inst.op {
                        Op::Call { callee: Callee::Direct(f), args } => {
                            let callee = known[*f];
                            all |= callee.returns & FRESH;
                            for (at, &arg) in args.iter().enumerate() {
                                let given = of(&bits, arg);
                                let concerns = |params: Bits| params >> at.min(62) & 1 != 0;
                                all |= if concerns(callee.returns) { given } else { 0 };
                                found.calls |= if concerns(callee.calls) { given & !FRESH } else { 0 };
                                found.gives |= if concerns(callee.gives) { given & !FRESH } else { 0 };
                                found.ends |= if concerns(callee.ends) { given & !FRESH } else { 0 };
                            }
                        }
                        Op::Call { callee: Callee::Intrinsic(Intrinsic::Malloc), .. } => all |= FRESH,
                        Op::Call { callee: Callee::Intrinsic(Intrinsic::Select), args } => {
                            all |= of(&bits, args[1]) | of(&bits, args[2]);
                        }
                        Op::Call { callee: Callee::Intrinsic(Intrinsic::Free), args } => {
                            found.ends |= of(&bits, args[0]) & !FRESH;
                        }
                        Op::Call { callee: Callee::Indirect(target), .. } => found.calls |= of(&bits, *target),
                        Op::Call { callee: Callee::Intrinsic(Intrinsic::ThreadCreate), args } => {
                            found.calls |= of(&bits, args[0]);
                        }
                        Op::Call { callee: Callee::Intrinsic(Intrinsic::MemCopy | Intrinsic::MemMove), args } => {
                            found.copies(of(&bits, args[0]), of(&bits, args[1]))
                        }
                        Op::MemCopy { to, from, .. } => found.copies(of(&bits, *to), of(&bits, *from)),
                        Op::Store { address, value, .. } | Op::AtomicRmw { address, value, .. } => {
                            found.stores(of(&bits, *address), of(&bits, *value));
                        }
                        _ => {}
                    }
                    for &result in &inst.results {
                        if is_word(function.values[result].ty) {
                            raise(&mut bits, result, all);
                        }
                    }
                }
                for edge in block.terminator.edges() {
                    for (param, arg) in function.blocks[edge.target].params.iter().zip(&edge.args) {
                        let more = of(&bits, *arg);
                        raise(&mut bits, *param, more);
                    }
                }
                if let Terminator::Return(values) = &block.terminator {
                    values.iter().for_each(|v| found.returns |= of(&bits, *v));
                }
            }
            if !grew {
                return found;
            }
        }
    }
}

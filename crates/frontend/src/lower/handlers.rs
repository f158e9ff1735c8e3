//! The cleanup handlers of `pthread_cleanup_push` become functions of their own.
//!
//! ```text
//! n = __sigsetjmp(buffer, 0);                       context[0] = m;
//! if (n) { unlock(m); __pthread_unwind_next(b); }   ics_save_cleanup(buffer, work.cleanup, context);
//! __pthread_register_cancel(b);                     __pthread_register_cancel(b);
//! ```
//!
//! That is how glibc's macro begins a section (left), and what it becomes (right): `work.cleanup` has the code behind
//! `if (n)`, with what it needs of its surroundings in `context`, and returns where it would go on unwinding. A thread
//! that ends calls the handlers from where it is. So control never comes back to a call that has returned, which
//! slicing could not follow.
//!
//! Anything else that is done with `__sigsetjmp` stays as it is.

use icsched_ir::{
    Access, Block, BlockId, Callee, CastOp, Cfg, Const, Edge, EntityId as _, FuncId, Function, IdVec, Inst,
    IntPredicate, LocId, Op, Operand, Origin, Program, Terminator, Type, Value, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::cleanup::{join_blocks, keep_blocks, renumber_values, substitute};

/// The models that take part.
struct Models {
    save: FuncId,
    set_jump: FuncId,
    unwind: FuncId,
    /// What begins a section behind the call of `__sigsetjmp`.
    register: Vec<FuncId>,
}

/// A section of `pthread_cleanup_push` in a function.
struct Section {
    /// The block with the call of `__sigsetjmp`, and where in it the call is.
    block: BlockId,
    call: usize,
    /// The result of the call.
    result: ValueId,
    buffer: Operand,
    /// Where control goes when the call returns first, and where the handler begins.
    normal: Edge,
    handler: Edge,
    /// The blocks of the handler, in order; the first one is where it begins.
    blocks: Vec<BlockId>,
}

/// Makes functions of the handlers in the program's functions that are asked for. O(instructions for each handler).
pub(super) fn outline(program: &mut Program, functions: &[FuncId]) {
    let model = |name: &str| {
        let found = program.library_function(name)?;
        (program.functions[found].origin == Origin::Model).then_some(found)
    };
    let (Some(save), Some(set_jump)) = (model("ics_save_cleanup"), model("__sigsetjmp")) else { return };
    // Without it no handler goes on unwinding.
    let unwind = model("__pthread_unwind_next").unwrap_or(save);
    let register =
        ["__pthread_register_cancel", "__pthread_register_cancel_defer"].into_iter().filter_map(model).collect();
    let models = Models { save, set_jump, unwind, register };
    for &id in functions {
        while let Some(section) = find(&program.functions[id], &models) {
            let new = program.functions.next_id();
            let needed = needed(&program.functions[id], &section);
            let handler = handler(&program.functions[id], &section, &needed, models.unwind);
            program.functions.push(handler);
            replace(&mut program.functions[id], &section, &needed, (models.save, new));
        }
    }
}

/// The first section whose handler can be a function of its own.
fn find(function: &Function, models: &Models) -> Option<Section> {
    let mut found = function.blocks.iter().flat_map(|(id, block)| {
        let at = block.insts.iter().enumerate().filter(|(_, inst)| calls(inst, models.set_jump));
        at.map(move |(at, _)| (id, at))
    });
    found.find_map(|(block, call)| section(function, block, call, models))
}

fn section(function: &Function, id: BlockId, call: usize, models: &Models) -> Option<Section> {
    let block = &function.blocks[id];
    let (&[result], Op::Call { args, .. }) = (&block.insts[call].results[..], &block.insts[call].op) else {
        return None;
    };
    let Terminator::Branch { condition, then_edge, else_edge } = &block.terminator else { return None };
    let tested = |n: u64| value_of(function, *condition, (result, n), &block.insts[call..]);
    let (normal, handler) = match (tested(0)?, tested(1)?) {
        (0, 1) => (else_edge, then_edge),
        (1, 0) => (then_edge, else_edge),
        _ => return None,
    };
    let blocks = blocks_of_handler(function, handler.target, models.unwind)?;
    let is_apart = !blocks.contains(&id) && !blocks.contains(&normal.target);
    let registers = |inst: &Inst| models.register.iter().any(|&register| calls(inst, register));
    let is_section = function.blocks[normal.target].insts.iter().any(registers);
    let section = Section {
        block: id,
        call,
        result,
        buffer: *args.first()?,
        normal: normal.clone(),
        handler: handler.clone(),
        blocks,
    };
    (is_apart && is_section && !uses_result(function, &section)).then_some(section)
}

/// What an operand is if a value is this number, where it is computed by these instructions.
fn value_of(function: &Function, operand: Operand, known: (ValueId, u64), insts: &[Inst]) -> Option<u64> {
    let value = match operand {
        Operand::Const(Const::Bits { bits, .. }) => return Some(bits),
        Operand::Const(_) => return None,
        Operand::Value(value) if value == known.0 => return Some(known.1),
        Operand::Value(value) => value,
    };
    let inst = insts.iter().find(|inst| inst.results[..] == [value])?;
    let mask = function.values[value].ty.mask();
    match inst.op {
        Op::Cast { op: CastOp::ZExt | CastOp::SExt | CastOp::Trunc, a } => {
            // One bit that is set is -1 as a signed number.
            let bit = |v: ValueId| function.values[v].ty == Type::Int(1);
            let a_value = value_of(function, a, known, insts)?;
            (!a.value().is_some_and(bit) || a_value == 0).then_some(a_value & mask)
        }
        Op::IntCompare { predicate: IntPredicate::Eq, a, b } => {
            Some(u64::from(value_of(function, a, known, insts)? == value_of(function, b, known, insts)?))
        }
        Op::IntCompare { predicate: IntPredicate::Ne, a, b } => {
            Some(u64::from(value_of(function, a, known, insts)? != value_of(function, b, known, insts)?))
        }
        _ => None,
    }
}

/// The blocks from where a handler begins to where it goes on unwinding, or ends the thread or the process. `None` if
/// it may return, or do what only its own function can.
fn blocks_of_handler(function: &Function, first: BlockId, unwind: FuncId) -> Option<Vec<BlockId>> {
    let mut blocks = vec![first];
    let mut next = 0;
    while let Some(&id) = blocks.get(next) {
        next += 1;
        let block = &function.blocks[id];
        if block.insts.iter().any(|inst| matches!(inst.op, Op::VaStart { .. })) {
            return None;
        }
        if block.insts.iter().any(|inst| calls(inst, unwind)) {
            continue;
        }
        if matches!(block.terminator, Terminator::Return(_)) {
            return None;
        }
        for edge in block.terminator.edges() {
            if !blocks.contains(&edge.target) {
                blocks.push(edge.target);
            }
        }
    }
    Some(blocks)
}

/// Whether this is a call of a function by its name.
fn calls(inst: &Inst, func: FuncId) -> bool {
    matches!(inst.op, Op::Call { callee: Callee::Direct(f), .. } if f == func)
}

/// Whether the handler uses what only is so if `__sigsetjmp` returns once more: what is computed of its result.
fn uses_result(function: &Function, section: &Section) -> bool {
    let mut found: FxHashSet<ValueId> = FxHashSet::from_iter([section.result]);
    for inst in &function.blocks[section.block].insts[section.call..] {
        let mut depends = false;
        inst.op.for_each_operand(|operand| depends |= operand.value().is_some_and(|value| found.contains(&value)));
        if depends {
            found.extend(inst.results.iter().copied());
        }
    }
    needed(function, section).iter().any(|value| found.contains(value))
}

/// The values of its surroundings that a handler uses, ascending. They are computed in front of the section, so they
/// are what they were when it began.
fn needed(function: &Function, section: &Section) -> Vec<ValueId> {
    let own = own_values(function, &section.blocks);
    let mut needed: Vec<ValueId> = Vec::new();
    let mut add = |operand: Operand| needed.extend(operand.value().filter(|value| !own.contains(value)));
    section.handler.args.iter().copied().for_each(&mut add);
    for &id in &section.blocks {
        let block = &function.blocks[id];
        block.insts.iter().for_each(|inst| inst.op.for_each_operand(&mut add));
        block.terminator.for_each_operand(&mut add);
    }
    needed.sort_unstable();
    needed.dedup();
    needed
}

/// What is defined in these blocks.
fn own_values(function: &Function, blocks: &[BlockId]) -> FxHashSet<ValueId> {
    let defined = |&id: &BlockId| {
        let block = &function.blocks[id];
        block.params.iter().chain(block.insts.iter().flat_map(|inst| &inst.results)).copied()
    };
    blocks.iter().flat_map(defined).collect()
}

/// The handler as a function: it finds the values it needs where its parameter points to, eight bytes for each.
fn handler(function: &Function, section: &Section, needed: &[ValueId], unwind: FuncId) -> Function {
    let loc = function.blocks[section.block].insts[section.call].loc;
    let mut copy =
        Copy { function, unwind, values: IdVec::new(), new: FxHashMap::default(), blocks: FxHashMap::default() };
    let context = copy.values.push(Value { ty: Type::Ptr, name: None, source_type: None });
    for (&id, at) in section.blocks.iter().zip(1..) {
        copy.blocks.insert(id, BlockId::from_index(at));
    }
    let mut insts = Vec::new();
    for (&value, place) in needed.iter().zip(0..) {
        let address = slot(Operand::Value(context), place, &mut copy.values, &mut insts, loc);
        let result = copy.define(value);
        let op = Op::Load { address, access: Access::default() };
        insts.push(Inst { results: smallvec![result], op, loc });
    }
    for value in own_values_in_order(function, &section.blocks) {
        copy.define(value);
    }
    let begin = Terminator::Jump(copy.edge(&section.handler));
    let mut blocks = IdVec::new();
    blocks.push(Block { params: Vec::new(), insts, terminator: begin, terminator_loc: loc });
    for &id in &section.blocks {
        blocks.push(copy.block(&function.blocks[id]));
    }
    Function {
        name: format!("{}.cleanup", function.name),
        origin: function.origin,
        local: true,
        params: vec![context],
        results: Vec::new(),
        varargs: false,
        no_return: false,
        values: copy.values,
        blocks,
        loc,
    }
}

fn own_values_in_order(function: &Function, blocks: &[BlockId]) -> Vec<ValueId> {
    let mut values: Vec<ValueId> = own_values(function, blocks).into_iter().collect();
    values.sort_unstable();
    values
}

/// Copies blocks into another function.
struct Copy<'a> {
    function: &'a Function,
    unwind: FuncId,
    values: IdVec<ValueId, Value>,
    new: FxHashMap<ValueId, ValueId>,
    blocks: FxHashMap<BlockId, BlockId>,
}

impl Copy<'_> {
    fn define(&mut self, old: ValueId) -> ValueId {
        let new = self.values.push(self.function.values[old].clone());
        self.new.insert(old, new);
        new
    }

    fn rename(&self, operand: &mut Operand) {
        if let Operand::Value(value) = operand {
            *value = self.new[value];
        }
    }

    fn edge(&self, edge: &Edge) -> Edge {
        let mut edge = edge.clone();
        edge.target = self.blocks[&edge.target];
        edge.args.iter_mut().for_each(|arg| self.rename(arg));
        edge
    }

    /// A block of the handler; one that goes on unwinding returns there.
    fn block(&self, block: &Block) -> Block {
        let end = block.insts.iter().position(|inst| calls(inst, self.unwind));
        let mut copy = block.clone();
        copy.params.iter_mut().for_each(|param| *param = self.new[param]);
        if let Some(end) = end {
            copy.terminator_loc = block.insts[end].loc;
            copy.terminator = Terminator::Return(SmallVec::new());
            copy.insts.truncate(end);
        } else {
            copy.terminator.edges_mut().for_each(|edge| edge.target = self.blocks[&edge.target]);
            copy.terminator.for_each_operand_mut(|operand| self.rename(operand));
        }
        for inst in &mut copy.insts {
            inst.results.iter_mut().for_each(|result| *result = self.new[result]);
            inst.op.for_each_operand_mut(|operand| self.rename(operand));
        }
        copy
    }
}

/// The address of a word of the context.
fn slot(
    context: Operand,
    place: i64,
    values: &mut IdVec<ValueId, Value>,
    insts: &mut Vec<Inst>,
    loc: Option<LocId>,
) -> Operand {
    if place == 0 {
        return context;
    }
    let result = values.push(Value { ty: Type::Ptr, name: None, source_type: None });
    let op = Op::Address { base: context, offset: 8 * place, indices: SmallVec::new() };
    insts.push(Inst { results: smallvec![result], op, loc });
    Operand::Value(result)
}

/// Has the function say what its handler is, in place of calling `__sigsetjmp`, and takes the handler's code out of it.
fn replace(function: &mut Function, section: &Section, needed: &[ValueId], (save, handler): (FuncId, FuncId)) {
    let loc = function.blocks[section.block].insts[section.call].loc;
    let context = match needed.len() {
        0 => Operand::Const(Const::NULL),
        words => context_of(function, 8 * words as u64),
    };
    let mut insts = Vec::new();
    for (&value, place) in needed.iter().zip(0..) {
        let address = slot(context, place, &mut function.values, &mut insts, loc);
        let op = Op::Store { address, value: Operand::Value(value), access: Access::default() };
        insts.push(Inst { results: SmallVec::new(), op, loc });
    }
    let args = vec![section.buffer, Operand::Const(Const::Func(handler)), context];
    insts.push(Inst { results: SmallVec::new(), op: Op::Call { callee: Callee::Direct(save), args }, loc });
    // The context may be new in this very block: the call is found again by its result.
    let block = &mut function.blocks[section.block];
    block.insts.retain(|inst| inst.results[..] != [section.result]);
    block.insts.extend(insts);
    block.terminator = Terminator::Jump(section.normal.clone());
    let zero = Operand::Const(Const::int(function.values[section.result].ty, 0));
    let mut replaced = FxHashMap::from_iter([(section.result, zero)]);
    substitute(function, &replaced);
    let reached = Cfg::new(function);
    let gone: Vec<bool> = function.blocks.ids().map(|id| !reached.is_reachable(id)).collect();
    let unreached: Vec<BlockId> = function.blocks.ids().filter(|id| gone[id.index()]).collect();
    replaced.extend(own_values(function, &unreached).into_iter().map(|value| (value, zero)));
    keep_blocks(function, &gone);
    renumber_values(function, &replaced);
    join_blocks(function);
}

/// Memory for what a handler needs, of the activation.
fn context_of(function: &mut Function, bytes: u64) -> Operand {
    let local = function.values.push(Value { ty: Type::Ptr, name: None, source_type: None });
    let count = Operand::Const(Const::int(Type::Int(64), 1));
    let op = Op::Alloca { size: bytes, count, align: 8 };
    let entry = &mut function.blocks[BlockId::from_index(0)];
    entry.insts.insert(0, Inst { results: smallvec![local], op, loc: None });
    Operand::Value(local)
}

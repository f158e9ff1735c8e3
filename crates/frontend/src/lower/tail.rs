//! A function that calls itself in place of the rest of itself (`[[clang::musttail]] return f(n - 1);`) becomes a loop.
//!
//! Each such call jumps to where the code begins, with the arguments as parameters. Locals of the function are one for
//! all rounds: what they held is gone in C, so nothing can be read of a round before. A function with locals whose size
//! is not known stays as it is.

use icsched_ir::{
    Block, BlockId, Callee, Const, Edge, EntityId as _, FuncId, Function, Inst, Op, Operand, Terminator, ValueId,
    is_tail_call,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::cleanup::{renumber_values, substitute};

/// Makes a loop of `function`, whose id this is, if it calls itself so. O(instructions).
pub(super) fn make_loops(id: FuncId, function: &mut Function) {
    let ends: Vec<BlockId> = function.blocks.ids().filter(|&block| calls_itself(id, &function.blocks[block])).collect();
    if ends.is_empty() || function.varargs || has_large_locals(function) {
        return;
    }
    let mut results: FxHashMap<ValueId, Operand> = FxHashMap::default();
    let start = function.blocks.next_id();
    for end in ends {
        let block = &mut function.blocks[end];
        let Some(Inst { op: Op::Call { args, .. }, results: values, .. }) = block.insts.pop() else { continue };
        block.insts.pop();
        block.terminator = Terminator::Jump(Edge { target: start, args: args.into() });
        results.extend(values.into_iter().map(|value| (value, Operand::Const(Const::NULL))));
    }
    begin_with_jump(function, start);
    renumber_values(function, &results);
}

/// Moves the code of the entry to a block of its own, whose parameters are what the function's were.
fn begin_with_jump(function: &mut Function, start: BlockId) {
    let mut renamed: FxHashMap<ValueId, Operand> = FxHashMap::default();
    let mut params = Vec::new();
    for &param in &function.params {
        let own = function.values.push(function.values[param].clone());
        renamed.insert(param, Operand::Value(own));
        params.push(own);
    }
    substitute(function, &renamed);
    let args: SmallVec<[Operand; 2]> = function.params.iter().map(|&param| Operand::Value(param)).collect();
    let entry = BlockId::from_index(0);
    let begin = Terminator::Jump(Edge { target: start, args });
    let empty = Block { params: Vec::new(), insts: Vec::new(), terminator: begin, terminator_loc: None };
    let mut body = std::mem::replace(&mut function.blocks[entry], empty);
    let (locals, rest): (Vec<Inst>, Vec<Inst>) =
        body.insts.drain(..).partition(|inst| matches!(inst.op, Op::Alloca { .. }));
    function.blocks[entry].insts = locals;
    body.insts = rest;
    body.params = params;
    let added = function.blocks.push(body);
    debug_assert_eq!(added, start, "no block was added since");
}

fn calls_itself(id: FuncId, block: &Block) -> bool {
    let Some(last) = block.insts.len().checked_sub(1) else { return false };
    let is_own = matches!(block.insts[last].op, Op::Call { callee: Callee::Direct(callee), .. } if callee == id);
    is_own && is_tail_call(block, last)
}

/// Whether some local is made elsewhere than where the function begins, or of a size that is computed.
fn has_large_locals(function: &Function) -> bool {
    function.blocks.iter().any(|(id, block)| {
        block.insts.iter().any(|inst| match &inst.op {
            Op::Alloca { count, .. } => id.index() != 0 || count.value().is_some(),
            _ => false,
        })
    })
}

//! How many activations of a recursion a thread is in, as a number of the program.
//!
//! A search that forgets how deep a stack is ([folding](../icsched_machine/folding)) forgets with it how often the
//! thread has taken a recursive mutex, or what it has counted up on the way down and counts down again. So recursions
//! that may synchronise count themselves: each thread has a variable that goes up where a function of the recursion is
//! entered, and down where it returns, and what is known of numbers - that the mutex's count goes with it - is known of
//! this one, too.

use std::collections::BTreeMap;

use crate::callgraph::CallGraph;
use crate::entity::{BlockId, EntityId, FuncId, GlobalId, LocId, ValueId};
use crate::inst::{Access, BinOp, Callee, Const, Inst, IntPredicate, NoWrap, Op, Operand, Terminator};
use crate::intrinsic::Intrinsic;
use crate::program::{Function, Global, Origin, Program, Value};
use crate::types::Type;

/// The counters are 32 bits wide, and are taken to stay positive: each activation takes more than two bytes of a stack,
/// of which there are fewer than four billions.
const TYPE: Type = Type::Int(32);

/// Adds a counter to each set of functions of the program itself that call each other by name, where some call may
/// synchronise. O(instructions).
pub fn count(program: &mut Program) {
    let calls = CallGraph::with_targets(program, |_| None);
    let syncs = calls.may_call_transitively(|func| {
        let insts = program.functions[func].blocks.values().flat_map(|block| &block.insts);
        let calls_pointers =
            |inst: &Inst| matches!(&inst.op, Op::Call { callee: Callee::Indirect(Operand::Value(_)), .. });
        let own = program.functions[func].origin == Origin::Program;
        insts.into_iter().any(|inst| inst.op.may_synchronise() || own && calls_pointers(inst))
    });
    let is_counted = |func: &FuncId| {
        let function = &program.functions[*func];
        function.origin == Origin::Program && !function.is_declaration() && calls.is_recursive(*func)
    };
    let counted: Vec<Vec<FuncId>> = calls
        .components()
        .iter()
        .filter(|component| component.iter().all(is_counted) && component.iter().any(|f| syncs.contains(f.index())))
        .cloned()
        .collect();
    for component in counted {
        let counter = add_counter(program, &component);
        component.iter().for_each(|&func| instrument(&mut program.functions[func], counter));
    }
}

/// The counter of each function that has one. O(instructions).
#[must_use]
pub fn counters(program: &Program) -> BTreeMap<FuncId, GlobalId> {
    let functions = program.functions.iter();
    functions.filter_map(|(id, function)| Some((id, counter(function)?))).collect()
}

/// What a function counts its activations in.
fn counter(function: &Function) -> Option<GlobalId> {
    function.blocks.values().find_map(|block| match &block.insts[..] {
        [.., store, leave] if is_leave(&leave.op) => match store.op {
            Op::Store { address: Operand::Const(Const::Global { global, offset: 0 }), .. } => Some(global),
            _ => None,
        },
        _ => None,
    })
}

const fn is_leave(op: &Op) -> bool {
    matches!(op, Op::Call { callee: Callee::Intrinsic(Intrinsic::Leave), .. })
}

fn add_counter(program: &mut Program, component: &[FuncId]) -> GlobalId {
    let names: Vec<&str> = component.iter().map(|&func| &*program.functions[func].name).collect();
    program.globals.push(Global {
        name: format!("activations of {}", names.join(", ")),
        origin: Origin::Program,
        size: u64::from(TYPE.bytes()),
        align: u64::from(TYPE.bytes()),
        constant: false,
        thread_local: true,
        external: false,
        local: true,
        data: Vec::new(),
        relocations: Vec::new(),
        source_type: None,
        loc: None,
    })
}

fn instrument(function: &mut Function, counter: GlobalId) {
    let entry = BlockId::from_index(0);
    let (entered, mut up) = moved(function, counter, BinOp::Add);
    let is_positive = function.values.push(value(Type::Int(1)));
    let zero = Operand::Const(Const::int(TYPE, 0));
    up.push(inst(&[is_positive], Op::IntCompare { predicate: IntPredicate::Sgt, a: entered, b: zero }));
    up.push(call(Intrinsic::Assume, is_positive.into(), None));
    function.blocks[entry].insts.splice(0..0, up);
    let returns: Vec<BlockId> = function
        .blocks
        .iter()
        .filter(|(_, block)| matches!(block.terminator, Terminator::Return(_)))
        .map(|(id, _)| id)
        .collect();
    for block in returns {
        let (left, down) = moved(function, counter, BinOp::Sub);
        let body = &mut function.blocks[block];
        body.insts.extend(down);
        body.insts.push(call(Intrinsic::Leave, left, body.terminator_loc));
    }
}

/// Code that adds one to a counter, or subtracts it, and the sum.
fn moved(function: &mut Function, counter: GlobalId, by: BinOp) -> (Operand, Vec<Inst>) {
    let (before, after) = (function.values.push(value(TYPE)), function.values.push(value(TYPE)));
    let address = Operand::Const(Const::Global { global: counter, offset: 0 });
    let one = Operand::Const(Const::int(TYPE, 1));
    let access = Access::default();
    let insts = vec![
        inst(&[before], Op::Load { address, access }),
        inst(&[after], Op::Binary { op: by, no_wrap: NoWrap::default(), a: before.into(), b: one }),
        inst(&[], Op::Store { address, value: after.into(), access }),
    ];
    (after.into(), insts)
}

const fn value(ty: Type) -> Value {
    Value { ty, name: None, source_type: None }
}

fn inst(results: &[ValueId], op: Op) -> Inst {
    Inst { results: results.iter().copied().collect(), op, loc: None }
}

fn call(intrinsic: Intrinsic, arg: Operand, loc: Option<LocId>) -> Inst {
    let op = Op::Call { callee: Callee::Intrinsic(intrinsic), args: vec![arg] };
    Inst { loc, ..inst(&[], op) }
}

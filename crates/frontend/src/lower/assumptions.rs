//! Assumptions that programs of verification suites write as functions of their own:
//!
//! ```text
//! void assume_abort_if_not(int c) {      if (!c) call abort()      becomes      if (!c) assume 0
//!     if (!c) abort();
//! }
//! ```
//!
//! `abort` is no failure there: it says that nothing is asked of such inputs. Where a compiler has inlined the
//! function, debug information still says whose line the call is.

use icsched_ir::{
    Callee, Const, EntityId as _, FuncId, Inst, Intrinsic, Op, Operand, Origin, Program, Type, modelled_function,
};

/// The function that the rules of verification suites name.
const ASSUMPTION: &str = "assume_abort_if_not";

/// Makes assumptions of the calls of `abort` in such functions. O(instructions).
pub(super) fn make_assumptions(program: &mut Program) {
    let is_abort = |id: FuncId| {
        let callee = &program.functions[id];
        callee.origin != Origin::Program && modelled_function(callee.library_name()) == "abort"
    };
    let aborts: Vec<bool> = program.functions.ids().map(is_abort).collect();
    for (_, function) in program.functions.iter_mut().filter(|(_, f)| f.origin == Origin::Program) {
        let is_assumption = function.name == ASSUMPTION;
        let is_meant = |inst: &Inst| match (&inst.op, inst.loc) {
            (Op::Call { callee: Callee::Direct(callee), .. }, loc) if aborts[callee.index()] => {
                is_assumption || loc.and_then(|loc| program.inlined.get(&loc)).is_some_and(|name| name == ASSUMPTION)
            }
            _ => false,
        };
        let insts = function.blocks.iter_mut().flat_map(|(_, block)| &mut block.insts);
        for inst in insts.filter(|inst| is_meant(inst)) {
            let never = Operand::Const(Const::int(Type::Int(1), 0));
            inst.op = Op::Call { callee: Callee::Intrinsic(Intrinsic::Assume), args: vec![never] };
        }
    }
}

//! Functions of the program whose names begin with `__VERIFIER_atomic_` are atomic sections, as the rules of
//! verification suites have it:
//!
//! ```text
//! void __VERIFIER_atomic_add(void) {     call __VERIFIER_atomic_begin()
//!     n++;                               n++
//! }                                      call __VERIFIER_atomic_end()
//! ```
//!
//! So they are atomic however they are called. Sections may be within each other: the models count them.

use icsched_ir::{
    Block, BlockId, Callee, EntityId as _, FuncId, Function, Inst, LocId, Op, Origin, Program, Terminator,
};
use icsched_ir::{is_tail_call, tail_mark};
use smallvec::SmallVec;

/// The models of what a section begins and ends with.
pub(super) const BEGIN: &str = "__VERIFIER_atomic_begin";
pub(super) const END: &str = "__VERIFIER_atomic_end";

const PREFIX: &str = "__VERIFIER_atomic_";

/// Whether a function that the program defines is an atomic section.
pub(super) fn is_section(name: &str) -> bool {
    name.starts_with(PREFIX) && name != BEGIN && name != END
}

/// Makes sections of these functions. `begin` and `end` are the models. O(functions + returns).
pub(super) fn enclose(program: &mut Program, begin: FuncId, end: FuncId) {
    let is_own = |f: &Function| f.origin == Origin::Program && !f.is_declaration() && is_section(&f.name);
    for (_, function) in program.functions.iter_mut().filter(|(_, f)| is_own(f)) {
        let first = BlockId::from_index(0);
        let loc = function.loc;
        function.blocks[first].insts.insert(0, call(begin, loc));
        for (_, block) in function.blocks.iter_mut() {
            if matches!(block.terminator, Terminator::Return(_)) {
                keep_activation(block);
                block.insts.push(call(end, block.terminator_loc));
            }
        }
    }
}

/// The section ends after a call in place of the rest of the function, so it is a call like others.
fn keep_activation(block: &mut Block) {
    if let Some(last) = block.insts.len().checked_sub(1)
        && is_tail_call(block, last)
    {
        let mark = block.insts.remove(last - 1);
        debug_assert_eq!(mark.op, tail_mark(), "it stands in front of the call");
    }
}

fn call(model: FuncId, loc: Option<LocId>) -> Inst {
    Inst { results: SmallVec::new(), op: Op::Call { callee: Callee::Direct(model), args: Vec::new() }, loc }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_known_by_their_names() {
        assert!(is_section("__VERIFIER_atomic_take"));
        assert!(!is_section("__VERIFIER_atomic_begin") && !is_section("__VERIFIER_atomic_end"));
        assert!(!is_section("atomic_take"));
    }
}

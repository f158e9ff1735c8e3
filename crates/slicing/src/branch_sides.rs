//! Which side of a branch comes to an end sooner, by the code alone (Bergan 3.3.2).

use icsched_ir::{BlockId, EntityId as _, Program, ProgramPoint, Terminator};

use crate::control::Control;

/// The side of the branch at `point` that leads to the end of the function or loop sooner; `true` for its then edge.
///
/// A side that only ends the process is the last choice: with it the other one's schedule would still be missing
/// (prefix schedules, 3.4.1.1). On a tie the then edge, so that results do not depend on anything but the code.
pub fn shorter_side(program: &Program, control: &Control, point: ProgramPoint) -> bool {
    let Terminator::Branch { then_edge, else_edge, .. } = &program.functions[point.func].blocks[point.block].terminator
    else {
        return true;
    };
    let facts = control.function(point.func);
    let rank = |to: BlockId| (facts.quiet_exit.contains(to.index()), facts.distance(point.block, to));
    rank(then_edge.target) <= rank(else_edge.target)
}

/// The side of the branch at `point` that leaves the innermost loop around it, if just one does; `true` for its then
/// edge.
pub fn leaving_side(program: &Program, control: &Control, point: ProgramPoint) -> Option<bool> {
    let facts = control.function(point.func);
    let around = facts.loops.get(facts.loops.innermost(point.block)?);
    let Terminator::Branch { then_edge, else_edge, .. } = &program.functions[point.func].blocks[point.block].terminator
    else {
        return None;
    };
    match (around.contains(then_edge.target), around.contains(else_edge.target)) {
        (true, false) => Some(false),
        (false, true) => Some(true),
        (true, true) | (false, false) => None,
    }
}

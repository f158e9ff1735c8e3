//! What is on the side of a decision that a path does not take.

use icsched_ir::{ProgramPoint, Terminator};

use icsched_machine::step::Machine;
use icsched_machine::stop::{DecisionKind, ErrorKind};
use icsched_symbolic::symbolic::SymbolicDomain;

/// Whether a program only ends where a branch is not taken.
pub(super) fn ends_on_other_side(machine: &Machine<SymbolicDomain>, point: ProgramPoint, taken: bool) -> bool {
    let exits = &machine.options.marks.abstractions.exits;
    match &machine.program.functions[point.func].blocks[point.block].terminator {
        Terminator::Branch { then_edge, else_edge, .. } if !exits.is_empty() => {
            let other = if taken { else_edge } else { then_edge };
            exits.contains(&(point.func, other.target))
        }
        _ => false,
    }
}

/// What an error is called of which a model says nothing.
pub(super) fn unnamed_error(kind: DecisionKind) -> (ErrorKind, String) {
    match kind {
        DecisionKind::Divisor => (ErrorKind::DivisionByZero, "division by zero".to_owned()),
        DecisionKind::Alive => (ErrorKind::UseAfterFree, "use of an object that is gone".to_owned()),
        DecisionKind::InBounds
        | DecisionKind::Valid
        | DecisionKind::Branch
        | DecisionKind::SyncAddress
        | DecisionKind::CallTarget
        | DecisionKind::Concretise
        | DecisionKind::Wake
        | DecisionKind::PassesCall
        | DecisionKind::Rounds
        | DecisionKind::Assume
        | DecisionKind::Other => (ErrorKind::OutOfBounds, "access out of bounds".to_owned()),
    }
}

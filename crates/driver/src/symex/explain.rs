//! The state at each choice of a path (Smans 6.2).

use icsched_explore::Snapshot;
use icsched_explore::explore::{Advance, Limits, PathRun, Step, StepKind};
use icsched_machine::Machine;
use icsched_symbolic::symbolic::SymbolicDomain;

/// Runs a path again and says what the state is in front of each of its steps.
pub(super) fn states(
    machine: &mut Machine<SymbolicDomain>,
    mut run: PathRun,
    limits: &Limits,
    steps: &[Step],
) -> Vec<Vec<String>> {
    let mut states = Vec::new();
    for step in steps {
        let advance = run.advance(machine, limits);
        states.push(Snapshot::new(&run.state, machine).describe());
        match (advance, &step.what) {
            (Advance::Choice(choice), StepKind::Choice { taken, .. }) => run.take(machine, &choice, *taken),
            (Advance::Switch(_), StepKind::Switch) => run.switch(machine, step.thread),
            // The same steps from the same state: it cannot end earlier, except at a time limit.
            _ => break,
        }
    }
    states
}

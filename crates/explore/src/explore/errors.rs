//! Errors on paths: those that other inputs lead to, and those behind which a path goes on.

use icsched_smt::Term;

use super::sides::unnamed_error;
use super::{PathRun, PossibleError};
use icsched_machine::step::Machine;
use icsched_machine::stop::{DecisionKind, ErrorKind, ProgramError};
use icsched_symbolic::symbolic::{SymValue, SymbolicDomain};
use icsched_symbolic::trace::OtherSide;

impl PathRun {
    pub(super) fn possible_error(
        &mut self,
        machine: &Machine<SymbolicDomain>,
        kind: DecisionKind,
        error: Option<Box<(ErrorKind, String)>>,
        condition: Term,
        feasible: OtherSide,
    ) {
        let (kind, message) = error.map_or_else(|| unnamed_error(kind), |e| *e);
        let constraints = self.state.path.constraints().len();
        let stack = self.stack(machine);
        let certain = feasible == OtherSide::Feasible;
        self.errors.push(PossibleError {
            kind,
            message,
            stack,
            condition,
            constraints,
            certain,
            steps: self.steps.len(),
            events: self.state.events.len(),
            branches: self.trace.branches,
            instructions: self.state.instructions,
            decisions: self.decisions.len(),
            happened: false,
        });
    }

    /// Tells of an error that may happen and changes nothing, if it may.
    pub(super) fn suspect(
        &mut self,
        machine: &mut Machine<SymbolicDomain>,
        condition: &SymValue,
        error: Box<(ErrorKind, String)>,
        asked: bool,
    ) {
        let condition = machine.domain.term(condition, 1);
        let negation = machine.domain.pool.not(condition);
        let is_known = !asked || machine.domain.is_observed(condition);
        let when_false =
            if is_known { OtherSide::Infeasible } else { machine.domain.feasible(&self.state.path, negation) };
        let mut holds = true;
        if when_false == OtherSide::Feasible {
            holds = machine.domain.feasible(&self.state.path, condition) != OtherSide::Infeasible;
            if holds {
                self.possible_error(machine, DecisionKind::Valid, Some(error), negation, when_false);
            }
        }
        machine.domain.grant(condition, holds);
    }

    /// Notes the errors behind which the last instructions went on.
    pub(super) fn note_recovered(&mut self, machine: &mut Machine<SymbolicDomain>) {
        let told = self.errors.iter().filter(|error| error.happened).count();
        if self.state.recovered.len() == told {
            return;
        }
        let decided = machine.domain.granted_conditions();
        let condition = machine.domain.pool.and_all(&decided);
        let always = machine.domain.pool.bool(true);
        let certain = self.satisfiable || machine.domain.feasible(&self.state.path, always) == OtherSide::Feasible;
        for error in self.state.recovered.iter().skip(told).cloned().collect::<Vec<_>>() {
            let ProgramError { kind, message, thread: _, stack } = error;
            self.errors.push(PossibleError {
                kind,
                message,
                stack,
                condition,
                constraints: self.state.path.constraints().len(),
                certain,
                steps: self.steps.len(),
                events: self.state.events.len(),
                branches: self.trace.branches,
                instructions: self.state.instructions,
                decisions: self.decisions.len(),
                happened: true,
            });
        }
    }
}

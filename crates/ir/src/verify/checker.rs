//! The function that is checked, and the place in it that messages name.

use super::finding::{Findings, Place, Problem, VerifyError, mismatch};
use super::reference::{check_loc_and_type, is_valid};
use crate::entity::{BlockId, FuncId, LocId};
use crate::inst::{Inst, Operand};
use crate::program::{Function, Program};
use crate::types::Type;

/// Checks parts of one function and remembers the place for messages.
pub(super) struct Checker<'a> {
    pub(super) program: &'a Program,
    pub(super) id: FuncId,
    pub(super) function: &'a Function,
    pub(super) findings: &'a mut Findings,
    pub(super) block: Option<BlockId>,
    pub(super) inst: Option<usize>,
}

impl Checker<'_> {
    pub(super) fn error(&mut self, problem: Problem) {
        let place = self.place();
        self.findings.error(place, problem);
    }

    pub(super) fn note(&mut self, problem: Problem) {
        let place = self.place();
        self.findings.notes.push(VerifyError { place, problem });
    }

    fn place(&self) -> Place {
        Place::Function { id: self.id, name: self.function.name.clone(), block: self.block, inst: self.inst }
    }

    pub(super) fn type_is_valid(&mut self, ty: Type) {
        if !is_valid(ty) {
            self.error(Problem::BadType { what: ty });
        }
    }

    pub(super) fn loc(&mut self, loc: Option<LocId>) {
        let program = self.program;
        check_loc_and_type(program, loc, None, &mut |p| self.error(p));
    }

    /// The operand's type; `None` for a value that does not exist.
    pub(super) fn type_of(&self, operand: Operand) -> Option<Type> {
        match operand {
            Operand::Value(value) => self.function.values.get(value).map(|v| v.ty),
            Operand::Const(constant) => Some(constant.ty()),
        }
    }

    /// The type of an operand that is known to exist.
    pub(super) fn ty(&self, operand: Operand) -> Type {
        self.type_of(operand).expect("only called when all operands exist")
    }

    pub(super) fn result_types(&self, inst: &Inst) -> Vec<Type> {
        inst.results.iter().map(|&r| self.function.values[r].ty).collect()
    }

    pub(super) fn expect(&mut self, what: &str, operand: Operand, expected: Type) {
        let found = self.ty(operand);
        if found != expected {
            self.error(mismatch(what, found, expected));
        }
    }
}

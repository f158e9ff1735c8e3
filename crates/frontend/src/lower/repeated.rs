//! Which structures are elements of arrays.
//!
//! The last member of a structure may go on behind it: arrays did so before C99, and some programs allocate more than
//! the structure for that. But where others of its type follow there is no room for it, so then a subscript of that
//! member is as limited as those of others.

use inkwell::llvm_sys::LLVMOpcode;
use rustc_hash::FxHashSet;

use super::reach::Reachable;
use crate::llvm::{Kind, Ty, TyKind};

/// The structures of which variables, or members, are arrays, and those of which pointers are subscripted by variables.
/// Linear in the instructions and types.
pub(crate) fn repeated<'m>(kept: &Reachable<'m>) -> FxHashSet<Ty<'m>> {
    let mut found = Repeated::default();
    for global in kept.globals.iter().filter(|global| global.kind() == Kind::Global) {
        found.look_at(global.value_type());
    }
    let bodies = kept.functions.iter().filter(|function| function.kind() == Kind::Function);
    for inst in bodies.flat_map(|function| function.blocks()).flat_map(|block| block.instructions()) {
        match inst.opcode_or_expression() {
            Some(LLVMOpcode::LLVMAlloca) => found.look_at(inst.allocated_type()),
            Some(LLVMOpcode::LLVMGetElementPtr) => {
                let of = inst.gep_source_type();
                if of.kind() == TyKind::Struct && inst.operand(1).int_signed().is_none() {
                    found.structures.insert(of);
                }
                found.look_at(of);
            }
            _ => {}
        }
    }
    found.structures
}

#[derive(Default)]
struct Repeated<'m> {
    structures: FxHashSet<Ty<'m>>,
    seen: FxHashSet<Ty<'m>>,
}

impl<'m> Repeated<'m> {
    /// Looks for arrays of structures in a type.
    fn look_at(&mut self, ty: Ty<'m>) {
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            let kind = ty.kind();
            if !matches!(kind, TyKind::Struct | TyKind::Array) || !self.seen.insert(ty) {
                continue;
            }
            if kind == TyKind::Struct {
                work.extend(ty.fields());
                continue;
            }
            let element = ty.element();
            if ty.length() > 1 && element.kind() == TyKind::Struct {
                self.structures.insert(element);
            }
            work.push(element);
        }
    }
}

//! Checks of what all parts of a program have: locations, source types, constants.

use super::finding::{Problem, out_of_range};
use crate::entity::{EntityId as _, LocId, TypeId};
use crate::inst::Const;
use crate::program::Program;
use crate::types::Type;

pub(super) fn check_loc_and_type(
    program: &Program,
    loc: Option<LocId>,
    source_type: Option<TypeId>,
    error: &mut impl FnMut(Problem),
) {
    if let Some(loc) = loc.filter(|&l| program.locs.get(l).is_none()) {
        error(out_of_range(loc));
    }
    if let Some(ty) = source_type.filter(|t| t.index() >= program.types.len()) {
        error(out_of_range(ty));
    }
}

/// Whether the constant exists, so that its type can be asked for; always true but for a bad integer width.
pub(super) fn check_const(program: &Program, constant: Const, error: &mut impl FnMut(Problem)) {
    match constant {
        Const::Bits { ty, bits } => {
            if !is_valid(ty) {
                error(Problem::BadType { what: ty });
            } else if bits & !ty.mask() != 0 {
                error(Problem::WideConstant { bits, ty });
            }
        }
        Const::Undef(ty) => {
            if !is_valid(ty) {
                error(Problem::BadType { what: ty });
            }
        }
        Const::Global { global, .. } => {
            if program.globals.get(global).is_none() {
                error(out_of_range(global));
            }
        }
        Const::Func(func) => {
            if program.functions.get(func).is_none() {
                error(out_of_range(func));
            }
        }
        Const::Block { func, block } => {
            if program.functions.get(func).is_none_or(|f| f.blocks.get(block).is_none()) {
                error(Problem::OutOfRange { what: format!("{block} of {func}") });
            }
        }
    }
}

pub(super) fn is_valid(ty: Type) -> bool {
    match ty {
        Type::Int(bits) => (1..=64).contains(&bits),
        Type::Ptr | Type::F32 | Type::F64 => true,
    }
}

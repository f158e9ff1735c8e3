//! Checks that a [`Program`] is well formed.
//!
//! The invariants, on which everything above the frontend relies:
//! 1. Ids are in range; names of functions and globals are not shared; no type contains itself by value; no chain of
//!    `inlined_at` is endless.
//! 2. Every value of a function is defined exactly once, with a type of 1 to 64 bits, and its definition dominates
//!    its uses (in code that the entry reaches).
//! 3. The entry block has no parameters and no predecessors; edges pass one argument of the right type per parameter.
//! 4. Operands and results have the types that the operation asks for; constants fit their type.
//! 5. `return` gives what the function's signature says; engine operations get as many arguments as they take.
//! 6. A declared function has parameters and no code; an initialiser fits into its global.
//!
//! A direct call that disagrees with its callee's signature is no error: C before 2023 allows such programs as long as
//! the call is not executed. [`Findings::notes`] lists them.

mod checker;
mod finding;
mod function;
mod op;
mod reference;

use std::collections::BTreeSet;

use crate::entity::{EntityId, LocId, TypeId};
use crate::program::{Global, Program, Relocation};
use crate::scc;
use crate::types::{SourceType, Type, TypeTable};

pub use finding::{Findings, Place, Problem, VerifyError};
use finding::{mismatch, out_of_range};
use reference::{check_const, check_loc_and_type};

/// Checks all invariants of the [module's comment](self). O(size of the program).
///
/// # Errors
/// Every violation found, in program order; never empty.
pub fn verify(program: &Program) -> Result<(), Vec<VerifyError>> {
    let Findings { errors, .. } = find(program);
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The same, with the notes.
pub fn find(program: &Program) -> Findings {
    let mut findings = Findings::default();
    check_program(program, &mut findings);
    for global in program.globals.values() {
        check_global(program, global, &mut findings);
    }
    for (id, function) in program.functions.iter() {
        function::check(program, id, function, &mut findings);
    }
    findings
}

fn check_program(program: &Program, findings: &mut Findings) {
    let mut error = |problem| findings.error(Place::Program, problem);
    let functions = program.functions.values().map(|f| &f.name);
    let mut names = BTreeSet::new();
    for name in functions.chain(program.globals.values().map(|g| &g.name)) {
        if !names.insert(name) {
            error(Problem::SharedName { name: name.clone() });
        }
    }
    for &func in program.main.iter().chain(&program.constructors).chain(&program.destructors) {
        if program.functions.get(func).is_none() {
            error(out_of_range(func));
        }
    }
    for (id, loc) in program.locs.iter() {
        if program.files.get(loc.file).is_none() {
            error(out_of_range(loc.file));
        }
        if loc.inlined_at.is_some_and(|at| program.locs.get(at).is_none()) {
            error(Problem::OutOfRange { what: format!("the inlined_at of {id}") });
        }
    }
    let inlined_at = |l: usize| program.locs[LocId::from_index(l)].inlined_at.iter().map(|at| at.index());
    for loc in cyclic(program.locs.len(), inlined_at) {
        error(Problem::Endless { what: LocId::from_index(loc).to_string() });
    }
    check_types(&program.types, &mut error);
}

fn check_types(types: &TypeTable, error: &mut impl FnMut(Problem)) {
    for (id, ty) in types.iter() {
        let (by_value, pointer) = components(ty);
        for part in by_value.into_iter().chain(pointer) {
            if part.index() >= types.len() {
                error(Problem::OutOfRange { what: format!("{part}, a part of {id},") });
            }
        }
    }
    let by_value = |t: usize| components(types.get(TypeId::from_index(t))).0.into_iter().map(|part| part.index());
    for ty in cyclic(types.len(), by_value) {
        error(Problem::Endless { what: TypeId::from_index(ty).to_string() });
    }
}

/// The types a type holds by value, and the one it points to.
fn components(ty: &SourceType) -> (Vec<TypeId>, Option<TypeId>) {
    match ty {
        SourceType::Struct { fields, .. } | SourceType::Union { fields, .. } => {
            (fields.iter().filter_map(|f| f.ty).collect(), None)
        }
        SourceType::Array { element: of, .. } | SourceType::Named { to: of, .. } => {
            (of.iter().copied().collect(), None)
        }
        SourceType::Pointer { to } => (Vec::new(), *to),
        SourceType::Base { .. } | SourceType::Opaque => (Vec::new(), None),
    }
}

/// The first node of every cyclic component; edges out of range are left out.
fn cyclic<I: Iterator<Item = usize>>(count: usize, successors: impl Fn(usize) -> I) -> Vec<usize> {
    let within = |n: usize| successors(n).filter(|&to| to < count);
    let components = scc::components(count, |_| true, within);
    components.iter().filter(|c| c.len() > 1 || successors(c[0]).any(|to| to == c[0])).map(|c| c[0]).collect()
}

fn check_global(program: &Program, global: &Global, findings: &mut Findings) {
    let mut error = |problem| findings.error(Place::Global(global.name.clone()), problem);
    check_loc_and_type(program, global.loc, global.source_type, &mut error);
    if !global.align.is_power_of_two() {
        error(Problem::BadAlignment { align: global.align });
    }
    if global.data.len() as u64 > global.size {
        error(Problem::BadInitialiser { what: format!("{} bytes of data for {}", global.data.len(), global.size) });
    }
    if global.external && !(global.data.is_empty() && global.relocations.is_empty()) {
        error(Problem::BadInitialiser { what: "the global is only declared".to_owned() });
    }
    let mut free = 0;
    for &Relocation { offset, value } in &global.relocations {
        match offset.checked_add(8) {
            Some(end) if offset >= free && end <= global.size => free = end,
            _ => error(Problem::BadInitialiser { what: format!("the pointer at offset {offset}") }),
        }
        check_const(program, value, &mut error);
        if value.ty() != Type::Ptr {
            error(mismatch(format!("the value at offset {offset}"), value.ty(), Type::Ptr));
        }
    }
}

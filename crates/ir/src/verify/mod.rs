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

mod function;
mod op;

use std::collections::BTreeSet;
use std::fmt;

use crate::entity::{BlockId, EntityId, FuncId, LocId, TypeId, ValueId};
use crate::inst::{BinOp, Const};
use crate::program::{Global, Program, Relocation};
use crate::scc;
use crate::types::{SourceType, Type, TypeTable};

/// Where in the program something is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// The program as a whole, its types or source locations.
    Program,
    /// A global variable, by its linker name.
    Global(String),
    /// A function.
    Function {
        /// Which one.
        id: FuncId,
        /// Its linker name.
        name: String,
        /// The block, unless it is about the function as a whole.
        block: Option<BlockId>,
        /// Index of the instruction in the block, or the number of instructions for the terminator.
        inst: Option<usize>,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Program => f.write_str("program"),
            Place::Global(name) => write!(f, "global @{name}"),
            Place::Function { id, name, block, inst } => {
                write!(f, "{id} @{name}")?;
                if let Some(block) = block {
                    write!(f, " {block}")?;
                }
                if let Some(inst) = inst {
                    write!(f, " #{inst}")?;
                }
                Ok(())
            }
        }
    }
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error("{what} does not exist")]
    OutOfRange { what: String },
    #[error("the name @{name} is used twice")]
    SharedName { name: String },
    #[error("{what} contains itself")]
    Endless { what: String },
    #[error("{what} is not a type of 1 to 64 bits")]
    BadType { what: Type },
    #[error("the constant {bits:#x} has bits beyond its type {ty}")]
    WideConstant { bits: u64, ty: Type },
    #[error("alignment {align} is not a power of two")]
    BadAlignment { align: u64 },
    #[error("the initialiser does not fit: {what}")]
    BadInitialiser { what: String },
    #[error("{value} is defined {times} times")]
    Definitions { value: ValueId, times: u32 },
    #[error("the definition of {value} does not dominate this use")]
    NotDominated { value: ValueId },
    #[error("the entry block has {what}")]
    Entry { what: &'static str },
    #[error("expected {expected} {what}, found {found}")]
    Count { what: &'static str, expected: usize, found: usize },
    #[error("{what} is {found}, expected {expected}")]
    TypeMismatch { what: String, found: Type, expected: String },
    #[error("{op} does not wrap")]
    NeverWraps { op: BinOp },
    #[error("ordering {ordering} is not allowed here")]
    BadOrdering { ordering: &'static str },
    #[error("{what}")]
    Signature { what: String },
}

/// One violated invariant, or one note.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct VerifyError {
    /// Where.
    pub place: Place,
    /// What.
    pub problem: Problem,
}

/// Everything the verifier found, in program order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Findings {
    /// Violated invariants.
    pub errors: Vec<VerifyError>,
    /// Direct calls that disagree with their callee's signature; an error only when executed.
    pub notes: Vec<VerifyError>,
}

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

impl Findings {
    fn error(&mut self, place: Place, problem: Problem) {
        self.errors.push(VerifyError { place, problem });
    }
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

fn check_loc_and_type(
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
fn check_const(program: &Program, constant: Const, error: &mut impl FnMut(Problem)) {
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

fn is_valid(ty: Type) -> bool {
    match ty {
        Type::Int(bits) => (1..=64).contains(&bits),
        Type::Ptr | Type::F32 | Type::F64 => true,
    }
}

fn out_of_range(id: impl fmt::Display) -> Problem {
    Problem::OutOfRange { what: id.to_string() }
}

fn mismatch(what: impl Into<String>, found: Type, expected: impl fmt::Display) -> Problem {
    Problem::TypeMismatch { what: what.into(), found, expected: expected.to_string() }
}

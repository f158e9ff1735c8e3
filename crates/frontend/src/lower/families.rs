//! Which model functions the operations of a program need, besides those that it calls by name.
//!
//! A division of `__int128` becomes a call of `__udivti3` or one of its like, so all of [`Family::Division`] is kept as
//! soon as there is one. [`support`](super::support) makes the calls.

use inkwell::llvm_sys::LLVMOpcode;

use super::{atomic_functions, nondet};
use crate::library::library_name;
use crate::llvm::{Kind, Ty, TyKind, Val};

/// Families of support functions; an operation of a family needs all of it.
const FAMILIES: &[(Family, &[&str])] = &[
    (Family::Division, &["__udivti3", "__divti3", "__umodti3", "__modti3"]),
    (
        Family::WideFloat,
        &[
            "__floattisf",
            "__floattidf",
            "__floatuntisf",
            "__floatuntidf",
            "__fixsfti",
            "__fixdfti",
            "__fixunssfti",
            "__fixunsdfti",
        ],
    ),
    (
        Family::Atomic,
        &[
            "__atomic_load_16",
            "__atomic_store_16",
            "__atomic_exchange_16",
            "__atomic_fetch_add_16",
            "__atomic_fetch_sub_16",
            "__atomic_fetch_and_16",
            "__atomic_fetch_nand_16",
            "__atomic_fetch_or_16",
            "__atomic_fetch_xor_16",
            "__ics_compare_exchange_16",
        ],
    ),
    (Family::Processor, &["__ics_time_stamp", "__ics_cpuid"]),
    (Family::Nondet, &[nondet::MODEL]),
    (Family::AtomicSection, &[atomic_functions::BEGIN, atomic_functions::END]),
    (Family::Cleanup, &["ics_save_cleanup"]),
    (Family::Half, &["__extendhfsf2", "__truncsfhf2", "__truncdfhf2", "__truncsfbf2", "__truncdfbf2"]),
    (Family::FusedMultiplyAdd, &["fma", "fmaf", "fmal"]),
    (Family::IntegerPower, &["__powisf2", "__powidf2", "__powixf2"]),
    (Family::X87Sum, &["__ics_x87_add", "__ics_x87_sub"]),
    (Family::X87Product, &["__ics_x87_mul"]),
    (Family::X87Quotient, &["__ics_x87_div"]),
    (Family::X87Remainder, &["__ics_x87_rem"]),
    (Family::X87Compare, &["__ics_x87_compare"]),
    (Family::X87Float, &["__ics_x87_from_float", "__ics_x87_from_double", "__ics_x87_to_float", "__ics_x87_to_double"]),
    (
        Family::X87Integer,
        &["__ics_x87_from_signed", "__ics_x87_from_unsigned", "__ics_x87_to_signed", "__ics_x87_to_unsigned"],
    ),
    (Family::X87Wide, &["__floattixf", "__floatuntixf", "__fixxfti", "__fixunsxfti"]),
    (Family::X87Function, &["__ics_x87_sqrt", "__ics_x87_round", "__ics_x87_min", "__ics_x87_max", "__ics_x87_class"]),
];

/// What operations on some types have in common.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    Division,
    WideFloat,
    Half,
    FusedMultiplyAdd,
    IntegerPower,
    X87Sum,
    X87Product,
    X87Quotient,
    X87Remainder,
    X87Compare,
    X87Float,
    X87Integer,
    X87Wide,
    X87Function,
    /// Of 16 bytes.
    Atomic,
    /// What programs ask the processor itself.
    Processor,
    /// Handlers of `pthread_cleanup_push`.
    Cleanup,
    /// Values that come from nowhere.
    Nondet,
    /// Functions that are atomic by their names.
    AtomicSection,
}

/// The family that a function belongs to.
pub(crate) fn family_of(name: &str) -> Option<Family> {
    FAMILIES.iter().find(|(_, names)| names.contains(&name)).map(|&(family, _)| family)
}

/// The families that a function needs because of its name.
pub(crate) fn needed_by_function(function: Val<'_>) -> &'static [Family] {
    let name = function.name();
    match function.is_declaration() {
        true if nondet::input_of(&name).is_some() => &[Family::Nondet],
        false if atomic_functions::is_section(&name) => &[Family::AtomicSection],
        _ => &[],
    }
}

/// The families that an instruction or constant expression may need.
pub(crate) fn needed(value: Val<'_>) -> &'static [Family] {
    let (mut wide, mut short, mut x87) = (false, false, false);
    for ty in value.operands().map(Val::ty).chain([value.ty()]) {
        match element(ty) {
            TyKind::X87 => x87 = true,
            TyKind::Half | TyKind::BFloat => short = true,
            TyKind::Int(65..) => wide = true,
            _ => {}
        }
    }
    let opcode = value.opcode_or_expression();
    if let Some(LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg) = opcode {
        return if wide { &[Family::Atomic] } else { &[] };
    }
    if matches!(opcode, Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMStore)) {
        return if wide && value.is_atomic() { &[Family::Atomic] } else { &[] };
    }
    if opcode == Some(LLVMOpcode::LLVMCall) && value.kind() == Kind::Instruction {
        return needed_by_call(value, x87, short, wide);
    }
    if short {
        return &[Family::Half];
    }
    match opcode {
        Some(opcode) if x87 => needed_by_x87(opcode, wide),
        Some(LLVMOpcode::LLVMUDiv | LLVMOpcode::LLVMSDiv | LLVMOpcode::LLVMURem | LLVMOpcode::LLVMSRem) if wide => {
            &[Family::Division]
        }
        Some(LLVMOpcode::LLVMFPToSI | LLVMOpcode::LLVMFPToUI | LLVMOpcode::LLVMSIToFP | LLVMOpcode::LLVMUIToFP)
            if wide =>
        {
            &[Family::WideFloat]
        }
        _ => &[],
    }
}

/// Intrinsics on these types; calls of other functions only pass them on.
fn needed_by_call(call: Val<'_>, x87: bool, short: bool, wide: bool) -> &'static [Family] {
    let callee = call.callee();
    if callee.kind() == Kind::InlineAsm {
        return needed_by_assembly(callee);
    }
    if callee.kind() != Kind::Function {
        return &[];
    }
    let name = callee.name();
    if library_name(&name).starts_with("__pthread_register_cancel") {
        return &[Family::Cleanup];
    }
    if !callee.is_declaration() {
        return &[];
    }
    match name.strip_prefix("llvm.") {
        None => &[],
        Some(_) if is_clock(&name) => &[Family::Processor],
        Some(rest) if rest.starts_with("x86.vcvtps2ph.") => &[Family::Half],
        Some(rest) if rest.starts_with("fma.") => &[Family::FusedMultiplyAdd],
        Some(rest) if rest.starts_with("powi.") => &[Family::IntegerPower],
        Some(_) if x87 => &[
            Family::X87Function,
            Family::X87Integer,
            Family::X87Product,
            Family::X87Sum,
            Family::X87Compare,
            Family::X87Wide,
        ],
        Some(_) if short => &[Family::Half],
        Some(_) if wide => &[Family::WideFloat],
        Some(_) => &[],
    }
}

fn needed_by_x87(opcode: LLVMOpcode, wide: bool) -> &'static [Family] {
    match opcode {
        LLVMOpcode::LLVMFAdd | LLVMOpcode::LLVMFSub => &[Family::X87Sum],
        LLVMOpcode::LLVMFMul => &[Family::X87Product],
        LLVMOpcode::LLVMFDiv => &[Family::X87Quotient],
        LLVMOpcode::LLVMFRem => &[Family::X87Remainder],
        LLVMOpcode::LLVMFCmp => &[Family::X87Compare],
        LLVMOpcode::LLVMFPExt | LLVMOpcode::LLVMFPTrunc => &[Family::X87Float],
        LLVMOpcode::LLVMFPToSI | LLVMOpcode::LLVMFPToUI | LLVMOpcode::LLVMSIToFP | LLVMOpcode::LLVMUIToFP => {
            if wide {
                &[Family::X87Wide]
            } else {
                &[Family::X87Integer]
            }
        }
        _ => &[],
    }
}

/// Assembly may ask the processor, or divide.
fn needed_by_assembly(assembly: Val<'_>) -> &'static [Family] {
    let (template, _) = assembly.asm_text();
    let asks = |word: &str| template.contains(word);
    if asks("div") {
        return &[Family::Division];
    }
    if asks("cpuid") || asks("rdtsc") { &[Family::Processor] } else { &[] }
}

/// The intrinsics that read the processor's clock.
fn is_clock(name: &str) -> bool {
    matches!(name, "llvm.x86.rdtsc" | "llvm.x86.rdtscp" | "llvm.readcyclecounter")
}

fn element(ty: Ty<'_>) -> TyKind {
    match ty.kind() {
        TyKind::Vector => ty.element().kind(),
        kind => kind,
    }
}

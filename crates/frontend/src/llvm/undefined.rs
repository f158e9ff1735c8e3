//! Keeps uninitialised locals visible when they are promoted to SSA values.
//!
//! Promotion gives a local that is read before it is written the value `undef`, and LLVM at once simplifies what can be
//! had by choosing that value well: `int x; if (c) x = 5; if (x)` becomes `if (5)`, and the error is gone. So each
//! local that will be promoted is first given the result of a call that LLVM knows nothing about; lowering turns those
//! calls into [`Const::Undef`](icsched_ir::Const::Undef).

use std::ffi::CString;

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMBuilderRef, LLVMValueRef};

use super::{Module, Ty, Val};

/// How the names of the functions start whose results are unspecified; the type follows.
pub(crate) const UNDEFINED: &str = "__ics_undefined.";

impl Module<'_> {
    /// Stores an unspecified value into every local that promotion to SSA values will promote. O(instructions of entry
    /// blocks + uses of locals).
    pub(crate) fn mark_undefined_locals(&self) {
        let context = self.context();
        // SAFETY: a live context; the builder is disposed of below.
        let builder = unsafe { LLVMCreateBuilderInContext(context.0) };
        for function in self.functions() {
            let Some(entry) = function.blocks().into_iter().next() else { continue };
            for inst in entry.instructions() {
                if inst.opcode() == LLVMOpcode::LLVMAlloca && is_promotable(inst) {
                    self.store_undefined(builder, inst);
                }
            }
        }
        // SAFETY: made above.
        unsafe { LLVMDisposeBuilder(builder) };
    }

    fn store_undefined(&self, builder: LLVMBuilderRef, local: Val<'_>) {
        let ty = local.allocated_type();
        // SAFETY: the instruction behind a live alloca exists, since it is no terminator; value and type are of its
        // context.
        unsafe {
            LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(local.0));
            let function_type = LLVMFunctionType(ty.0, std::ptr::null_mut(), 0, 0);
            let function = self.undefined_of(ty, function_type);
            let value = LLVMBuildCall2(builder, function_type, function, std::ptr::null_mut(), 0, c"".as_ptr());
            LLVMBuildStore(builder, value, local.0);
        }
    }

    /// The function that returns an unspecified value of this type.
    ///
    /// # Safety
    /// `function_type` is the type of a function without parameters that returns `ty`.
    unsafe fn undefined_of(&self, ty: Ty<'_>, function_type: inkwell::llvm_sys::prelude::LLVMTypeRef) -> LLVMValueRef {
        let name = CString::new(format!("{UNDEFINED}{}", ty.print())).expect("a printed type has no NUL");
        // SAFETY: a live module, and the caller's contract.
        unsafe {
            let found = LLVMGetNamedFunction(self.raw(), name.as_ptr());
            if found.is_null() { LLVMAddFunction(self.raw(), name.as_ptr(), function_type) } else { found }
        }
    }
}

/// Whether only plain loads and stores of the whole variable use it, among them a load.
fn is_promotable(local: Val<'_>) -> bool {
    let ty = local.allocated_type();
    let single = local.operand(0).int_bits() == Some(1);
    let users = local.users();
    // What is never read as a whole needs no value (and an array may be too large to have one).
    let read = users.iter().any(|user| user.opcode() == LLVMOpcode::LLVMLoad);
    single
        && read
        && users.into_iter().all(|user| match user.opcode() {
            LLVMOpcode::LLVMLoad => !user.is_volatile() && user.ty() == ty,
            LLVMOpcode::LLVMStore => {
                let value = user.operand(0);
                !user.is_volatile() && value != local && value.ty() == ty
            }
            LLVMOpcode::LLVMCall => user.callee().name().starts_with("llvm.lifetime."),
            _ => false,
        })
}

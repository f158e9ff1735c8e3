//! Accessors for instructions. Each is meaningful for the instructions its comment names.

use std::marker::PhantomData;

use icsched_ir::NoWrap;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use inkwell::llvm_sys::{
    LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate, LLVMTailCallKind,
};

use super::value::Attribute;
use super::{Bb, DbgKind, Md, Ty, Val, borrowed_string};

impl<'m> Val<'m> {
    /// Any instruction.
    pub(crate) fn opcode(self) -> LLVMOpcode {
        // SAFETY: an instruction.
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    /// Any instruction: its `DILocation`.
    pub(crate) fn debug_loc(self) -> Option<Md<'m>> {
        // SAFETY: an instruction.
        Md::wrap(unsafe { LLVMInstructionGetDebugLoc(self.0) })
    }

    /// Loads and stores.
    pub(crate) fn is_atomic(self) -> bool {
        self.ordering() != LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
    }

    /// Any terminator.
    pub(crate) fn successors(self) -> Vec<Bb<'m>> {
        // SAFETY: a terminator, and indices below its count.
        unsafe { (0..LLVMGetNumSuccessors(self.0)).map(|i| Bb(LLVMGetSuccessor(self.0, i), PhantomData)).collect() }
    }

    /// `br`: its condition, if it has one.
    pub(crate) fn branch_condition(self) -> Option<Val<'m>> {
        // SAFETY: a branch; the condition is asked of conditional ones only.
        unsafe { (LLVMIsConditional(self.0) != 0).then(|| Val::new(LLVMGetCondition(self.0))) }
    }

    /// `switch`: case values with their targets, in order; the default target is successor 0.
    pub(crate) fn switch_cases(self) -> Vec<(Val<'m>, Bb<'m>)> {
        // SAFETY: a switch; case 0 of the C API is the default.
        unsafe {
            (1..LLVMGetNumSuccessors(self.0))
                .map(|i| {
                    let block = Bb(LLVMGetSuccessor(self.0, i), PhantomData);
                    (Val::new(LLVMGetSwitchCaseValue(self.0, i)), block)
                })
                .collect()
        }
    }

    /// `phi`: its value for the edge from `block`.
    pub(crate) fn incoming_from(self, block: Bb<'m>) -> Option<Val<'m>> {
        // SAFETY: a phi, and indices below its count.
        unsafe {
            (0..LLVMCountIncoming(self.0))
                .find(|&i| LLVMGetIncomingBlock(self.0, i) == block.0)
                .map(|i| Val::new(LLVMGetIncomingValue(self.0, i)))
        }
    }

    /// `add`, `sub`, `mul` and `shl`, as instructions: `nuw` and `nsw`.
    pub(crate) fn no_wrap(self) -> NoWrap {
        // SAFETY: an instruction that has these flags.
        unsafe { NoWrap { unsigned: LLVMGetNUW(self.0) != 0, signed: LLVMGetNSW(self.0) != 0 } }
    }

    /// `icmp`, also as a constant expression.
    pub(crate) fn int_predicate(self) -> LLVMIntPredicate {
        // SAFETY: an integer comparison.
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    /// `fcmp`.
    pub(crate) fn float_predicate(self) -> LLVMRealPredicate {
        // SAFETY: a floating-point comparison.
        unsafe { LLVMGetFCmpPredicate(self.0) }
    }

    /// `alloca`.
    pub(crate) fn allocated_type(self) -> Ty<'m> {
        // SAFETY: an alloca.
        Ty::new(unsafe { LLVMGetAllocatedType(self.0) })
    }

    /// `getelementptr`, also as a constant expression.
    pub(crate) fn gep_source_type(self) -> Ty<'m> {
        // SAFETY: an address computation.
        Ty::new(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }

    /// `extractvalue`, `insertvalue`.
    pub(crate) fn indices(self) -> Vec<u32> {
        // SAFETY: LLVM keeps as many indices as it says.
        unsafe {
            let count = LLVMGetNumIndices(self.0) as usize;
            if count == 0 { Vec::new() } else { std::slice::from_raw_parts(LLVMGetIndices(self.0), count).to_vec() }
        }
    }

    /// `shufflevector`: the mask; `None` for lanes that do not matter.
    pub(crate) fn shuffle_mask(self) -> Vec<Option<usize>> {
        // SAFETY: a shuffle, and indices below its count.
        unsafe {
            (0..LLVMGetNumMaskElements(self.0)).map(|i| usize::try_from(LLVMGetMaskValue(self.0, i)).ok()).collect()
        }
    }

    /// `load`, `store`, `cmpxchg`, `atomicrmw`.
    pub(crate) fn is_volatile(self) -> bool {
        // SAFETY: a memory access.
        unsafe { LLVMGetVolatile(self.0) != 0 }
    }

    /// `load`, `store`, `fence`, `atomicrmw`.
    pub(crate) fn ordering(self) -> LLVMAtomicOrdering {
        // SAFETY: an instruction that has an ordering.
        unsafe { LLVMGetOrdering(self.0) }
    }

    /// `fence`, atomic accesses: whether only signal handlers of the same thread are meant.
    pub(crate) fn is_single_thread(self) -> bool {
        // SAFETY: an atomic instruction.
        unsafe { LLVMIsAtomicSingleThread(self.0) != 0 }
    }

    /// `cmpxchg`: orderings on success and on failure.
    pub(crate) fn exchange_orderings(self) -> (LLVMAtomicOrdering, LLVMAtomicOrdering) {
        // SAFETY: a compare-exchange.
        unsafe { (LLVMGetCmpXchgSuccessOrdering(self.0), LLVMGetCmpXchgFailureOrdering(self.0)) }
    }

    /// `atomicrmw`.
    pub(crate) fn rmw_op(self) -> LLVMAtomicRMWBinOp {
        // SAFETY: a read-modify-write.
        unsafe { LLVMGetAtomicRMWBinOp(self.0) }
    }

    /// `call`, `invoke`: what it calls.
    pub(crate) fn callee(self) -> Val<'m> {
        // SAFETY: a call.
        Val::new(unsafe { LLVMGetCalledValue(self.0) })
    }

    /// `call`, `invoke`: whether it is to be made in place of the rest of the function (`musttail`).
    pub(crate) fn is_must_tail(self) -> bool {
        // SAFETY: a `call`; others have no such mark.
        self.opcode() == LLVMOpcode::LLVMCall
            && unsafe { LLVMGetTailCallKind(self.0) } == LLVMTailCallKind::LLVMTailCallKindMustTail
    }

    /// `call`, `invoke`: the type it calls its callee with.
    pub(crate) fn call_type(self) -> Ty<'m> {
        // SAFETY: a call.
        Ty::new(unsafe { LLVMGetCalledFunctionType(self.0) })
    }

    /// `call`, `invoke`: its arguments.
    pub(crate) fn call_args(self) -> Vec<Val<'m>> {
        // SAFETY: a call; the arguments are its first operands.
        unsafe { (0..LLVMGetNumArgOperands(self.0)).map(|i| Val::new(LLVMGetOperand(self.0, i))).collect() }
    }

    /// `call`, `invoke`: an attribute that an argument has at the call.
    pub(crate) fn argument_attribute(self, argument: u32, name: &str) -> Option<Attribute<'m>> {
        // SAFETY: a call; an unknown attribute name gives kind 0, which is never present.
        let attribute = unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            LLVMGetCallSiteEnumAttribute(self.0, argument + 1, kind)
        };
        (!attribute.is_null()).then_some(Attribute(attribute, PhantomData))
    }

    /// `call`, `invoke`: the type of an attribute such as `byval` that an argument has at the call.
    pub(crate) fn argument_type_attribute(self, argument: u32, name: &str) -> Option<Ty<'m>> {
        self.argument_attribute(argument, name).map(Attribute::ty)
    }

    /// Inline assembly: template and constraints.
    pub(crate) fn asm_text(self) -> (String, String) {
        let (mut template_len, mut constraints_len) = (0, 0);
        // SAFETY: inline assembly; LLVM keeps both strings and says how long they are.
        unsafe {
            let template = LLVMGetInlineAsmAsmString(self.0, &raw mut template_len);
            let constraints = LLVMGetInlineAsmConstraintString(self.0, &raw mut constraints_len);
            (borrowed_string(template, template_len), borrowed_string(constraints, constraints_len))
        }
    }

    /// The debug records in front of an instruction: kind, the value they describe, variable and expression. Labels
    /// and records that describe several values at once are left out.
    pub(crate) fn debug_records(self) -> Vec<(DbgKind, Val<'m>, Md<'m>, Md<'m>)> {
        super::meta::records_before(self)
    }
}

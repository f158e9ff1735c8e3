//! LLVM types and the target's data layout.

use std::ffi::CStr;
use std::marker::PhantomData;

use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMTypeRef;
use inkwell::llvm_sys::target::*;

use super::owned_message;

/// A type of a live module.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Ty<'m>(pub(super) LLVMTypeRef, pub(super) PhantomData<&'m ()>);

/// What a type is, as far as lowering cares.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum TyKind {
    Void,
    Int(u32),
    Half,
    BFloat,
    Float,
    Double,
    /// The 80-bit format of the x87.
    X87,
    /// IEEE quadruple precision.
    Quad,
    /// In this address space.
    Pointer(u32),
    Struct,
    Array,
    Vector,
    Function,
    Metadata,
    Label,
    /// A type without lowering; its name.
    Other(&'static str),
}

impl<'m> Ty<'m> {
    pub(super) fn new(ty: LLVMTypeRef) -> Self {
        debug_assert!(!ty.is_null());
        Self(ty, PhantomData)
    }

    pub(crate) fn kind(self) -> TyKind {
        // SAFETY: a live type; the width and address space are asked of the matching kinds only.
        unsafe {
            match LLVMGetTypeKind(self.0) {
                LLVMTypeKind::LLVMVoidTypeKind => TyKind::Void,
                LLVMTypeKind::LLVMIntegerTypeKind => TyKind::Int(LLVMGetIntTypeWidth(self.0)),
                LLVMTypeKind::LLVMFloatTypeKind => TyKind::Float,
                LLVMTypeKind::LLVMDoubleTypeKind => TyKind::Double,
                LLVMTypeKind::LLVMPointerTypeKind => TyKind::Pointer(LLVMGetPointerAddressSpace(self.0)),
                LLVMTypeKind::LLVMStructTypeKind if LLVMIsOpaqueStruct(self.0) != 0 => TyKind::Other("opaque struct"),
                LLVMTypeKind::LLVMStructTypeKind => TyKind::Struct,
                LLVMTypeKind::LLVMArrayTypeKind => TyKind::Array,
                LLVMTypeKind::LLVMVectorTypeKind => TyKind::Vector,
                LLVMTypeKind::LLVMFunctionTypeKind => TyKind::Function,
                LLVMTypeKind::LLVMMetadataTypeKind => TyKind::Metadata,
                LLVMTypeKind::LLVMLabelTypeKind => TyKind::Label,
                LLVMTypeKind::LLVMHalfTypeKind => TyKind::Half,
                LLVMTypeKind::LLVMBFloatTypeKind => TyKind::BFloat,
                LLVMTypeKind::LLVMX86_FP80TypeKind => TyKind::X87,
                LLVMTypeKind::LLVMFP128TypeKind => TyKind::Quad,
                LLVMTypeKind::LLVMPPC_FP128TypeKind => TyKind::Other("ppc_fp128"),
                LLVMTypeKind::LLVMTokenTypeKind => TyKind::Other("token"),
                LLVMTypeKind::LLVMScalableVectorTypeKind => TyKind::Other("scalable vector"),
                LLVMTypeKind::LLVMX86_AMXTypeKind => TyKind::Other("x86_amx"),
                LLVMTypeKind::LLVMTargetExtTypeKind => TyKind::Other("target extension type"),
            }
        }
    }

    /// Whether the type has a size. Recursive and opaque types are answered without failing.
    pub(crate) fn is_sized(self) -> bool {
        // SAFETY: a live type.
        unsafe { LLVMTypeIsSized(self.0) != 0 }
    }

    /// Members of a struct.
    pub(crate) fn fields(self) -> Vec<Ty<'m>> {
        // SAFETY: called for structs only; the buffer has the length LLVM asks for.
        unsafe {
            let count = LLVMCountStructElementTypes(self.0) as usize;
            let mut types = vec![std::ptr::null_mut(); count];
            LLVMGetStructElementTypes(self.0, types.as_mut_ptr());
            types.into_iter().map(Ty::new).collect()
        }
    }

    /// Whether a struct is what Clang makes of a union: its largest member, which says nothing of the others.
    pub(crate) fn is_union(self) -> bool {
        // SAFETY: called for structs only; their names live as long as they, and those without a name have none.
        let name = unsafe { LLVMGetStructName(self.0) };
        // SAFETY: not null, and terminated.
        !name.is_null() && unsafe { CStr::from_ptr(name) }.to_bytes().starts_with(b"union.")
    }

    /// Element type of an array or vector.
    pub(crate) fn element(self) -> Ty<'m> {
        // SAFETY: called for arrays and vectors only.
        Ty::new(unsafe { LLVMGetElementType(self.0) })
    }

    /// Number of elements of an array or vector.
    pub(crate) fn length(self) -> u64 {
        // SAFETY: each call is made for its own kind.
        unsafe {
            match LLVMGetTypeKind(self.0) {
                LLVMTypeKind::LLVMArrayTypeKind => LLVMGetArrayLength2(self.0),
                _ => u64::from(LLVMGetVectorSize(self.0)),
            }
        }
    }

    /// Return type of a function type.
    pub(crate) fn returns(self) -> Ty<'m> {
        // SAFETY: called for function types only.
        Ty::new(unsafe { LLVMGetReturnType(self.0) })
    }

    /// Parameter types of a function type.
    pub(crate) fn params(self) -> Vec<Ty<'m>> {
        // SAFETY: called for function types only; the buffer has the length LLVM asks for.
        unsafe {
            let mut types = vec![std::ptr::null_mut(); LLVMCountParamTypes(self.0) as usize];
            LLVMGetParamTypes(self.0, types.as_mut_ptr());
            types.into_iter().map(Ty::new).collect()
        }
    }

    /// Whether a function type takes variable arguments.
    pub(crate) fn is_varargs(self) -> bool {
        // SAFETY: called for function types only.
        unsafe { LLVMIsFunctionVarArg(self.0) != 0 }
    }

    /// LLVM's spelling.
    pub(crate) fn print(self) -> String {
        // SAFETY: LLVM allocates the message.
        unsafe { owned_message(LLVMPrintTypeToString(self.0)) }
    }
}

/// The sizes and offsets of a module's target.
#[derive(Copy, Clone)]
pub(crate) struct Layout<'m>(pub(super) LLVMTargetDataRef, pub(super) PhantomData<&'m ()>);

impl<'m> Layout<'m> {
    /// Bytes from one array element to the next; 0 for unsized types.
    pub(crate) fn size(self, ty: Ty<'m>) -> u64 {
        // SAFETY: asked of sized types only.
        if ty.is_sized() { unsafe { LLVMABISizeOfType(self.0, ty.0) } } else { 0 }
    }

    /// ABI alignment in bytes; 1 for unsized types.
    pub(crate) fn align(self, ty: Ty<'m>) -> u64 {
        // SAFETY: asked of sized types only.
        if ty.is_sized() { u64::from(unsafe { LLVMABIAlignmentOfType(self.0, ty.0) }) } else { 1 }
    }

    /// Byte offset of a struct's member, or `None` for an unsized struct or a member that does not exist.
    pub(crate) fn offset(self, ty: Ty<'m>, index: u32) -> Option<u64> {
        if !ty.is_sized() || ty.kind() != TyKind::Struct || index as usize >= ty.fields().len() {
            return None;
        }
        // SAFETY: a sized struct and a member it has.
        Some(unsafe { LLVMOffsetOfElement(self.0, ty.0, index) })
    }

    /// Size of a pointer in bytes.
    pub(crate) fn pointer_size(self) -> u32 {
        // SAFETY: a live layout.
        unsafe { LLVMPointerSize(self.0) }
    }

    /// Whether the low byte comes first.
    pub(crate) fn is_little_endian(self) -> bool {
        // SAFETY: a live layout.
        unsafe { LLVMByteOrder(self.0) as u32 == LLVMByteOrdering::LLVMLittleEndian as u32 }
    }
}

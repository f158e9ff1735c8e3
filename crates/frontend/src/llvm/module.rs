//! Modules: parsing, linking, passes, and the lists of what they hold.

use std::cell::RefCell;
use std::ffi::{CString, c_void};
use std::marker::PhantomData;

use inkwell::context::Context as LlvmContext;
use inkwell::llvm_sys::bit_reader::LLVMGetBitcodeModuleInContext2;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use inkwell::llvm_sys::linker::LLVMLinkModules2;
use inkwell::llvm_sys::prelude::{LLVMDiagnosticInfoRef, LLVMModuleRef, LLVMValueRef};
use inkwell::llvm_sys::target::LLVMGetModuleDataLayout;
use inkwell::llvm_sys::transforms::pass_builder::*;
use inkwell::llvm_sys::{LLVMDiagnosticSeverity, LLVMLinkage};
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::targets::TargetTriple;

use super::error::LlvmError;
use super::meta::Context;
use super::{Kind, Layout, Md, Val, owned_message};

/// Linkage of what other modules may refer to.
const SHARED: [LLVMLinkage; 3] =
    [LLVMLinkage::LLVMExternalLinkage, LLVMLinkage::LLVMWeakAnyLinkage, LLVMLinkage::LLVMWeakODRLinkage];

/// What LLVM complained about in one context, instead of printing it or ending the process.
#[derive(Default)]
pub(crate) struct Diagnostics {
    errors: RefCell<Vec<String>>,
}

/// A context with its diagnostics.
pub(crate) struct Session {
    context: LlvmContext,
    diagnostics: Box<Diagnostics>,
}

impl Session {
    pub(crate) fn new() -> Self {
        let context = LlvmContext::create();
        let diagnostics = Box::<Diagnostics>::default();
        // SAFETY: the handler's argument lives in a box that is dropped after the context.
        unsafe {
            let argument: *const Diagnostics = &raw const *diagnostics;
            LLVMContextSetDiagnosticHandler(context.raw(), Some(collect), argument.cast_mut().cast::<c_void>());
        }
        Self { context, diagnostics }
    }

    /// Parses bitcode or textual IR and runs LLVM's verifier.
    pub(crate) fn parse<'s>(&'s self, bytes: &[u8], name: &str) -> Result<Module<'s>, LlvmError> {
        let buffer = MemoryBuffer::create_from_memory_range_copy(bytes, &name.replace('\0', "?"));
        let parsed = self.context.create_module_from_ir(buffer).map_err(|e| LlvmError(e.to_string()));
        let module = parsed.map_err(|e| if e.0.is_empty() { self.last_error() } else { e })?;
        let module = Module { module, session: self };
        module.module.verify().map_err(|e| LlvmError(e.to_string()))?;
        Ok(module)
    }

    /// Reads trusted bitcode; function bodies are read only when they are linked somewhere.
    pub(crate) fn parse_lazily<'s>(&'s self, bytes: &'static [u8]) -> Result<Module<'s>, LlvmError> {
        let mut module: LLVMModuleRef = std::ptr::null_mut();
        // SAFETY: the bytes are static; the module takes over the buffer.
        unsafe {
            let name = c"models";
            let buffer = LLVMCreateMemoryBufferWithMemoryRange(bytes.as_ptr().cast(), bytes.len(), name.as_ptr(), 0);
            if LLVMGetBitcodeModuleInContext2(self.context.raw(), buffer, &raw mut module) != 0 {
                return Err(self.last_error());
            }
            Ok(Module { module: inkwell::module::Module::new(module), session: self })
        }
    }

    fn last_error(&self) -> LlvmError {
        LlvmError(self.diagnostics.errors.borrow().last().cloned().unwrap_or_else(|| "no details".to_owned()))
    }
}

extern "C" fn collect(info: LLVMDiagnosticInfoRef, argument: *mut c_void) {
    // SAFETY: the argument is the session's `Diagnostics`, which outlives its context.
    let diagnostics = unsafe { &*argument.cast::<Diagnostics>() };
    // SAFETY: LLVM passes a live diagnostic and allocates its description.
    let (severity, text) = unsafe { (LLVMGetDiagInfoSeverity(info), owned_message(LLVMGetDiagInfoDescription(info))) };
    if severity == LLVMDiagnosticSeverity::LLVMDSError {
        diagnostics.errors.borrow_mut().push(text);
    }
}

/// A module of a session.
pub(crate) struct Module<'s> {
    module: inkwell::module::Module<'s>,
    session: &'s Session,
}

impl<'s> Module<'s> {
    pub(super) fn raw(&self) -> LLVMModuleRef {
        self.module.as_mut_ptr()
    }

    pub(crate) fn context(&self) -> Context<'_> {
        Context(self.session.context.raw(), PhantomData)
    }

    pub(crate) fn layout(&self) -> Layout<'_> {
        // SAFETY: the layout lives as long as its module.
        Layout(unsafe { LLVMGetModuleDataLayout(self.raw()) }, PhantomData)
    }

    pub(crate) fn triple(&self) -> String {
        self.module.get_triple().as_str().to_string_lossy().into_owned()
    }

    /// Sets triple and data layout.
    pub(crate) fn set_target(&self, triple: &str, layout: &str) {
        self.module.set_triple(&TargetTriple::create(triple));
        let layout = CString::new(layout).expect("a layout string has no NUL");
        // SAFETY: a valid layout string.
        unsafe { LLVMSetDataLayout(self.raw(), layout.as_ptr()) };
    }

    pub(crate) fn has_layout(&self) -> bool {
        // SAFETY: LLVM keeps the string.
        unsafe { *LLVMGetDataLayoutStr(self.raw()) != 0 }
    }

    pub(super) fn list(
        &self,
        mut value: LLVMValueRef,
        next: unsafe extern "C" fn(LLVMValueRef) -> LLVMValueRef,
    ) -> Vec<Val<'_>> {
        let mut values = Vec::new();
        while let Some(v) = Val::wrap(value) {
            values.push(v);
            // SAFETY: LLVM ends each list with null.
            value = unsafe { next(value) };
        }
        values
    }

    pub(crate) fn functions(&self) -> Vec<Val<'_>> {
        // SAFETY: a live module.
        self.list(unsafe { LLVMGetFirstFunction(self.raw()) }, LLVMGetNextFunction)
    }

    /// The function with a body of this name, or the one that an alias of this name stands for.
    pub(crate) fn definition(&self, name: &str) -> Option<Val<'_>> {
        let mut value = self.functions().into_iter().chain(self.aliases()).find(|value| value.name() == name)?;
        while value.kind() == Kind::Alias {
            value = value.aliasee();
        }
        (value.kind() == Kind::Function && !value.is_declaration()).then_some(value)
    }

    pub(crate) fn globals(&self) -> Vec<Val<'_>> {
        // SAFETY: a live module.
        self.list(unsafe { LLVMGetFirstGlobal(self.raw()) }, LLVMGetNextGlobal)
    }

    pub(crate) fn aliases(&self) -> Vec<Val<'_>> {
        // SAFETY: a live module.
        self.list(unsafe { LLVMGetFirstGlobalAlias(self.raw()) }, LLVMGetNextGlobalAlias)
    }

    /// Removes a function attribute from all functions.
    pub(crate) fn remove_attribute(&self, name: &str) {
        for function in self.functions() {
            // SAFETY: a live function; an unknown name gives kind 0, which nothing has.
            unsafe {
                let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
                LLVMRemoveEnumAttributeAtIndex(function.0, u32::MAX, kind);
            }
        }
    }

    /// Marks every definition with metadata of this kind, if one is given, and makes those that others may refer to
    /// `linkonce`: linked only where a reference needs them and nothing else defines them.
    pub(crate) fn make_library(&self, mark: Option<&str>) {
        let definitions = self.functions().into_iter().chain(self.globals()).filter(|v| !v.is_declaration());
        for value in definitions.chain(self.aliases()) {
            let is_special = value.name().starts_with("llvm.");
            // SAFETY: live globals of this module; only plain external definitions change their linkage.
            unsafe {
                if let Some(mark) = mark
                    && !is_special
                    && LLVMIsAGlobalAlias(value.0).is_null()
                {
                    let empty = LLVMMDNodeInContext2(self.session.context.raw(), std::ptr::null_mut(), 0);
                    LLVMGlobalSetMetadata(value.0, self.metadata_kind(mark), empty);
                }
                if !is_special && SHARED.contains(&value.linkage()) {
                    LLVMSetLinkage(value.0, LLVMLinkage::LLVMLinkOnceAnyLinkage);
                }
            }
        }
    }

    /// Whether a global has metadata of this kind.
    pub(crate) fn is_marked(&self, value: Val<'_>, mark: &str) -> bool {
        let wanted = self.metadata_kind(mark);
        let mut count = 0;
        // SAFETY: the entries are read within their count and freed once.
        unsafe {
            let entries = LLVMGlobalCopyAllMetadata(value.0, &raw mut count);
            if entries.is_null() {
                return false;
            }
            let count = u32::try_from(count).unwrap_or(0);
            let found = (0..count).any(|i| LLVMValueMetadataEntriesGetKind(entries, i) == wanted);
            LLVMDisposeValueMetadataEntries(entries);
            found
        }
    }

    fn metadata_kind(&self, name: &str) -> u32 {
        let len = u32::try_from(name.len()).expect("a short name");
        // SAFETY: a live context.
        unsafe { LLVMGetMDKindIDInContext(self.session.context.raw(), name.as_ptr().cast(), len) }
    }

    /// Links `library` into this module.
    pub(crate) fn link(&self, library: Module<'s>) -> Result<(), LlvmError> {
        let source = library.raw();
        std::mem::forget(library.module);
        // SAFETY: both modules are of one context; LLVM destroys the source.
        let failed = unsafe { LLVMLinkModules2(self.raw(), source) != 0 };
        if failed { Err(self.session.last_error()) } else { Ok(()) }
    }

    /// Writes its bitcode to a file.
    pub(crate) fn write(&self, path: &std::path::Path) -> bool {
        self.module.write_bitcode_to_path(path)
    }

    /// Runs a pass pipeline in LLVM's textual form.
    pub(crate) fn run_passes(&self, pipeline: &str) -> Result<(), LlvmError> {
        let pipeline = CString::new(pipeline).expect("a pipeline has no NUL");
        // SAFETY: target-independent passes need no target machine; LLVM allocates the error.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPasses(self.raw(), pipeline.as_ptr(), std::ptr::null_mut(), options);
            LLVMDisposePassBuilderOptions(options);
            if error.is_null() {
                return Ok(());
            }
            let message = LLVMGetErrorMessage(error);
            let text = std::ffi::CStr::from_ptr(message).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(message);
            Err(LlvmError(text))
        }
    }

    /// Whether the module has assembly outside functions.
    pub(crate) fn module_assembly(&self) -> Option<String> {
        let mut len = 0;
        // SAFETY: LLVM keeps the string and says how long it is.
        let text = unsafe { super::borrowed_string(LLVMGetModuleInlineAsm(self.raw(), &raw mut len), len) };
        (!text.trim().is_empty()).then_some(text)
    }

    /// The variable that a global's debug information describes.
    pub(crate) fn global_variable<'m>(&'m self, global: Val<'m>) -> Option<Md<'m>> {
        self.context().global_variable(global)
    }
}

//! Names of functions, variables and aliases of a module.

use std::ffi::CString;

use inkwell::llvm_sys::LLVMLinkage;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMValueRef;

use super::value::own_name;
use super::{Module, Val};

/// What a name begins with that is not to be decorated. Nothing is decorated on Linux.
const ESCAPE: char = '\u{1}';

impl<'s> Module<'s> {
    /// Everything that has a name of the linker, in module order: functions, variables, aliases, functions that are
    /// chosen at start.
    pub(crate) fn symbols(&self) -> Vec<Val<'_>> {
        let mut all = self.functions();
        all.extend(self.globals());
        all.extend(self.aliases());
        all.extend(self.ifuncs());
        all
    }

    /// Gives something another name.
    pub(crate) fn rename(&self, value: Val<'_>, to: &str) {
        // SAFETY: a live value of this module; the new name is as long as it says.
        unsafe { LLVMSetValueName2(value.0, to.as_ptr().cast(), to.len()) };
    }

    /// Gives a function another name if it is declared only.
    pub(crate) fn rename_declaration(&self, from: &str, to: &str) {
        if let Some(function) = self.function_named(from).filter(|f| f.is_declaration()) {
            self.rename(function, to);
        }
    }

    /// Declares `void name(int)` unless the module has something of that name.
    pub(crate) fn require(&self, name: &str) {
        if self.function_named(name).is_some() {
            return;
        }
        let name = CString::new(name).expect("a function name has no NUL");
        // SAFETY: a live module, and types of its context.
        unsafe {
            let context = LLVMGetModuleContext(self.raw());
            let mut parameter = LLVMInt32TypeInContext(context);
            let ty = LLVMFunctionType(LLVMVoidTypeInContext(context), &raw mut parameter, 1, 0);
            LLVMAddFunction(self.raw(), name.as_ptr(), ty);
        }
    }

    /// Takes the mark off names that says that they are not to be decorated: `\01open` is `open`. If there is both,
    /// what is declared only becomes the other; two definitions stay two.
    pub(crate) fn remove_escapes(&self) {
        for value in self.symbols() {
            let name = own_name(value);
            let Some(plain) = name.strip_prefix(ESCAPE).filter(|plain| !plain.is_empty()) else { continue };
            match self.symbols().into_iter().find(|other| own_name(*other) == plain) {
                None => self.rename(value, plain),
                Some(other) if value.is_declaration() => replace(value, other),
                Some(other) if other.is_declaration() => {
                    replace(other, value);
                    self.rename(value, plain);
                }
                Some(_) => {}
            }
        }
    }

    fn function_named(&self, name: &str) -> Option<Val<'_>> {
        let name = CString::new(name).ok()?;
        // SAFETY: a live module.
        Val::wrap(unsafe { LLVMGetNamedFunction(self.raw(), name.as_ptr()) })
    }

    fn ifuncs(&self) -> Vec<Val<'_>> {
        // SAFETY: a live module.
        self.list(unsafe { LLVMGetFirstGlobalIFunc(self.raw()) }, LLVMGetNextGlobalIFunc)
    }
}

/// Has all uses of a declaration refer to something else, and takes its name from it.
fn replace(declaration: Val<'_>, by: Val<'_>) {
    // SAFETY: both are live pointers in one module, and a declaration without uses may stay without a name.
    unsafe {
        LLVMReplaceAllUsesWith(declaration.0, by.0);
        LLVMSetValueName2(declaration.0, c"".as_ptr(), 0);
    }
}

impl Val<'_> {
    /// Whether the definition that the linker takes is here: code that may be left out (`extern inline` of old C) is
    /// none.
    pub(crate) fn is_definition(self) -> bool {
        self.is_symbol_of_its_own() && self.linkage() != LLVMLinkage::LLVMAvailableExternallyLinkage
    }

    /// Aliases and functions that are chosen at start stand for a definition.
    fn is_symbol_of_its_own(self) -> bool {
        let value: LLVMValueRef = self.0;
        // SAFETY: live globals.
        unsafe {
            !LLVMIsAGlobalAlias(value).is_null() || !LLVMIsAGlobalIFunc(value).is_null() || !self.is_declaration()
        }
    }
}

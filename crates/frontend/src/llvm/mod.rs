//! The only place that talks to LLVM: borrowed, typed views over the C API.
//!
//! [`Module`](module::Module) owns an LLVM module; values, types, blocks and metadata are `Copy` handles that cannot
//! outlive it. inkwell owns contexts and buffers; reading goes through `llvm_sys`, because inkwell's own accessors
//! panic on values that C programs can contain.
//!
//! Architecture invariant: every `unsafe` block of the crate is below this module, and each handle was made by LLVM
//! for a module that is still alive, which is what the calls rely on. Accessors that are only meaningful for one kind
//! of instruction say so; callers check the opcode first.

mod error;
pub(crate) mod inst;
pub(crate) mod meta;
pub(crate) mod module;
mod names;
pub(crate) mod types;
pub(crate) mod undefined;
pub(crate) mod value;

pub(crate) use error::LlvmError;
pub(crate) use meta::{DbgKind, Md};
pub(crate) use module::Module;
pub(crate) use types::{Layout, Ty, TyKind};
pub(crate) use value::{Bb, Kind, Val};

use std::ffi::{CStr, c_char};

use inkwell::llvm_sys::core::LLVMDisposeMessage;

/// Copies a string that LLVM keeps, given by start and length. Null is the empty string.
///
/// # Safety
/// `data` is null or valid for `len` bytes.
unsafe fn borrowed_string(data: *const c_char, len: usize) -> String {
    if data.is_null() || len == 0 {
        return String::new();
    }
    // SAFETY: the caller's contract.
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Takes over a message that LLVM allocated.
///
/// # Safety
/// `message` is null or a NUL-terminated string to be freed with `LLVMDisposeMessage`.
unsafe fn owned_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: the caller's contract.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

/// LLVM's major version.
pub(crate) fn version() -> u32 {
    inkwell::support::get_llvm_version().0
}

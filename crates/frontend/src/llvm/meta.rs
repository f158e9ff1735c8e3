//! Debug metadata. The C API has accessors for some fields only; the rest are read as operands of the nodes.

use std::marker::PhantomData;

use icsched_ir::visible;
use inkwell::llvm_sys::LLVMDbgRecordKind;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::{LLVMContextRef, LLVMDbgRecordRef, LLVMMetadataRef};

use super::{Val, borrowed_string, owned_message};

/// A metadata node of a live module.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Md<'m>(pub(super) LLVMMetadataRef, pub(super) PhantomData<&'m ()>);

/// What a debug record says about its value.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum DbgKind {
    /// It is the address of the variable's storage.
    Storage,
    /// It is the variable's value from here on.
    Value,
}

/// The kinds of nodes that are read.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum MdKind {
    BasicType,
    DerivedType,
    CompositeType,
    SubroutineType,
    Subrange,
    Subprogram,
    Other,
}

impl<'m> Md<'m> {
    pub(super) fn wrap(md: LLVMMetadataRef) -> Option<Self> {
        (!md.is_null()).then_some(Self(md, PhantomData))
    }

    pub(crate) fn kind(self) -> MdKind {
        // SAFETY: live metadata.
        match unsafe { LLVMGetMetadataKind(self.0) } {
            LLVMMetadataKind::LLVMDIBasicTypeMetadataKind => MdKind::BasicType,
            LLVMMetadataKind::LLVMDIDerivedTypeMetadataKind => MdKind::DerivedType,
            LLVMMetadataKind::LLVMDICompositeTypeMetadataKind => MdKind::CompositeType,
            LLVMMetadataKind::LLVMDISubroutineTypeMetadataKind => MdKind::SubroutineType,
            LLVMMetadataKind::LLVMDISubrangeMetadataKind => MdKind::Subrange,
            LLVMMetadataKind::LLVMDISubprogramMetadataKind => MdKind::Subprogram,
            _ => MdKind::Other,
        }
    }

    /// DWARF tag of a type node.
    pub(crate) fn tag(self) -> u16 {
        // SAFETY: a debug-information node.
        unsafe { LLVMGetDINodeTag(self.0) }
    }

    /// LLVM's spelling of a node.
    pub(crate) fn print(self, context: Context<'m>) -> String {
        // SAFETY: live metadata in its own context; LLVM allocates the message.
        unsafe { owned_message(LLVMPrintValueToString(LLVMMetadataAsValue(context.0, self.0))) }
    }

    // --- types ---

    pub(crate) fn type_name(self) -> String {
        let mut len = 0;
        // SAFETY: a type node; LLVM keeps the name.
        visible(&unsafe { borrowed_string(LLVMDITypeGetName(self.0, &raw mut len), len) }).into_owned()
    }

    pub(crate) fn type_size_bits(self) -> u64 {
        // SAFETY: a type node.
        unsafe { LLVMDITypeGetSizeInBits(self.0) }
    }

    pub(crate) fn type_offset_bits(self) -> u64 {
        // SAFETY: a type node.
        unsafe { LLVMDITypeGetOffsetInBits(self.0) }
    }

    // --- locations ---

    /// `DILocation`: line and column.
    pub(crate) fn position(self) -> (u32, u32) {
        // SAFETY: a location.
        unsafe { (LLVMDILocationGetLine(self.0), LLVMDILocationGetColumn(self.0)) }
    }

    /// `DILocation`: the scope it is in.
    pub(crate) fn location_scope(self) -> Option<Md<'m>> {
        // SAFETY: a location.
        Md::wrap(unsafe { LLVMDILocationGetScope(self.0) })
    }

    /// `DILocation`: the call it was inlined at.
    pub(crate) fn inlined_at(self) -> Option<Md<'m>> {
        // SAFETY: a location.
        Md::wrap(unsafe { LLVMDILocationGetInlinedAt(self.0) })
    }

    /// A scope's file name, as the compiler was given it.
    pub(crate) fn scope_file(self) -> Option<String> {
        // SAFETY: a scope; its file may be absent.
        Md::wrap(unsafe { LLVMDIScopeGetFile(self.0) }).map(Md::file_name)
    }

    /// `DIFile`: the name; in front of it the directory in which the compiler ran, if the name does not begin at the
    /// root.
    fn file_name(self) -> String {
        let mut len = 0;
        // SAFETY: a file node; LLVM keeps both texts.
        let name = unsafe { borrowed_string(LLVMDIFileGetFilename(self.0, &raw mut len), len as usize) };
        // SAFETY: as above.
        let directory = unsafe { borrowed_string(LLVMDIFileGetDirectory(self.0, &raw mut len), len as usize) };
        match name.starts_with('/') || directory.is_empty() {
            true => visible(&name).into_owned(),
            false => visible(&format!("{directory}/{name}")).into_owned(),
        }
    }

    /// `DISubprogram`: the line of its definition.
    pub(crate) fn subprogram_line(self) -> u32 {
        // SAFETY: a subprogram.
        unsafe { LLVMDISubprogramGetLine(self.0) }
    }

    // --- variables ---

    /// `DIGlobalVariable`, `DILocalVariable`: file and line of its declaration.
    pub(crate) fn variable_place(self) -> Option<(String, u32)> {
        // SAFETY: a variable; its file may be absent.
        unsafe {
            let file = Md::wrap(LLVMDIVariableGetFile(self.0))?;
            Some((file.file_name(), LLVMDIVariableGetLine(self.0)))
        }
    }
}

/// The context of a live module, needed to look into metadata.
#[derive(Copy, Clone)]
pub(crate) struct Context<'m>(pub(super) LLVMContextRef, pub(super) PhantomData<&'m ()>);

impl<'m> Context<'m> {
    /// The operands of a node; `None` where one is absent.
    pub(crate) fn operands(self, node: Md<'m>) -> Vec<Option<Val<'m>>> {
        // SAFETY: the wrapped metadata is asked for operands only if it is a node.
        unsafe {
            let value = LLVMMetadataAsValue(self.0, node.0);
            if LLVMIsAMDNode(value).is_null() {
                return Vec::new();
            }
            let mut operands = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(value) as usize];
            LLVMGetMDNodeOperands(value, operands.as_mut_ptr());
            operands.into_iter().map(Val::wrap).collect()
        }
    }

    /// Operand `index` of a node as metadata.
    pub(crate) fn node_operand(self, node: Md<'m>, index: usize) -> Option<Md<'m>> {
        let value = (*self.operands(node).get(index)?)?;
        // SAFETY: only values that wrap metadata nodes are unwrapped.
        unsafe {
            if LLVMIsAMDNode(value.0).is_null() {
                return None;
            }
            Md::wrap(LLVMValueAsMetadata(value.0))
        }
    }

    /// Operand `index` of a node as a string.
    pub(crate) fn string_operand(self, node: Md<'m>, index: usize) -> Option<String> {
        let value = (*self.operands(node).get(index)?)?;
        let mut len = 0;
        // SAFETY: LLVM answers null for what is no string.
        unsafe {
            let data = LLVMGetMDString(value.0, &raw mut len);
            (!data.is_null()).then(|| visible(&borrowed_string(data, len as usize)).into_owned())
        }
    }

    /// Operand `index` of a node as an integer constant.
    pub(crate) fn int_operand(self, node: Md<'m>, index: usize) -> Option<i64> {
        (*self.operands(node).get(index)?)?.int_signed()
    }

    /// The variable that a global's debug information describes.
    pub(crate) fn global_variable(self, global: Val<'m>) -> Option<Md<'m>> {
        let mut count = 0;
        // SAFETY: the entries are read within their count and freed once.
        unsafe {
            let entries = LLVMGlobalCopyAllMetadata(global.0, &raw mut count);
            let found = (0..u32::try_from(count).unwrap_or(0))
                .map(|i| LLVMValueMetadataEntriesGetMetadata(entries, i))
                .find(|&md| {
                    matches!(LLVMGetMetadataKind(md), LLVMMetadataKind::LLVMDIGlobalVariableExpressionMetadataKind)
                })
                .and_then(|md| Md::wrap(LLVMDIGlobalVariableExpressionGetVariable(md)));
            if !entries.is_null() {
                LLVMDisposeValueMetadataEntries(entries);
            }
            found
        }
    }
}

impl<'m> Val<'m> {
    /// The subprogram of a function that was compiled with debug information.
    pub(crate) fn subprogram(self) -> Option<Md<'m>> {
        // SAFETY: a function.
        Md::wrap(unsafe { LLVMGetSubprogram(self.0) })
    }
}

pub(super) fn records_before(inst: Val<'_>) -> Vec<(DbgKind, Val<'_>, Md<'_>, Md<'_>)> {
    let mut records = Vec::new();
    // SAFETY: an instruction; LLVM ends the list with null.
    unsafe {
        let mut record = LLVMGetFirstDbgRecord(inst.0);
        while !record.is_null() {
            records.extend(read_record(record));
            record = LLVMGetNextDbgRecord(record);
        }
    }
    records
}

/// # Safety
/// `record` is a live debug record.
unsafe fn read_record<'m>(record: LLVMDbgRecordRef) -> Option<(DbgKind, Val<'m>, Md<'m>, Md<'m>)> {
    // SAFETY: variable records only are asked for variable, value and expression.
    unsafe {
        let kind = match LLVMDbgRecordGetKind(record) {
            LLVMDbgRecordKind::LLVMDbgRecordLabel => return None,
            LLVMDbgRecordKind::LLVMDbgRecordDeclare => DbgKind::Storage,
            LLVMDbgRecordKind::LLVMDbgRecordValue | LLVMDbgRecordKind::LLVMDbgRecordAssign => DbgKind::Value,
        };
        let variable = Md::wrap(LLVMDbgVariableRecordGetVariable(record))?;
        let expression = Md::wrap(LLVMDbgVariableRecordGetExpression(record))?;
        let value = Val::wrap(LLVMDbgVariableRecordGetValue(record, 0))?;
        Some((kind, value, variable, expression))
    }
}

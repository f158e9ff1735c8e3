//! Values: constants, globals, functions, arguments and instructions alike.

use std::marker::PhantomData;

use icsched_ir::visible;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMGEPFlagInBounds, LLVMGEPFlagNUW, LLVMLinkage, LLVMOpcode};

use super::{Ty, borrowed_string, owned_message};

/// A value of a live module.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Val<'m>(pub(super) LLVMValueRef, pub(super) PhantomData<&'m ()>);

/// A basic block of a live module.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Bb<'m>(pub(super) LLVMBasicBlockRef, pub(super) PhantomData<&'m ()>);

/// What a value is.
#[derive(Copy, Clone, PartialEq)]
pub(crate) enum Kind<'m> {
    Argument,
    Instruction,
    Function,
    Global,
    Alias,
    IFunc,
    Int,
    Float,
    /// A null pointer or an all-zero aggregate.
    Zero,
    /// `undef` or `poison`.
    Undef,
    /// A constant struct, array or vector with elements of its own.
    Aggregate,
    Expr(LLVMOpcode),
    BlockAddress(Val<'m>, Bb<'m>),
    InlineAsm,
    Other,
}

impl<'m> Val<'m> {
    pub(super) fn new(value: LLVMValueRef) -> Self {
        debug_assert!(!value.is_null());
        Self(value, PhantomData)
    }

    pub(super) fn wrap(value: LLVMValueRef) -> Option<Self> {
        (!value.is_null()).then_some(Self(value, PhantomData))
    }

    pub(crate) fn kind(self) -> Kind<'m> {
        let v = self.0;
        // SAFETY: the `LLVMIsA…` tests take any live value; the accessors follow their own test.
        unsafe {
            if !LLVMIsAInstruction(v).is_null() {
                Kind::Instruction
            } else if !LLVMIsAArgument(v).is_null() {
                Kind::Argument
            } else if !LLVMIsAConstantInt(v).is_null() {
                Kind::Int
            } else if !LLVMIsAFunction(v).is_null() {
                Kind::Function
            } else if !LLVMIsAGlobalVariable(v).is_null() {
                Kind::Global
            } else if !LLVMIsAUndefValue(v).is_null() {
                Kind::Undef
            } else if !LLVMIsAConstantPointerNull(v).is_null() || !LLVMIsAConstantAggregateZero(v).is_null() {
                Kind::Zero
            } else if !LLVMIsAConstantExpr(v).is_null() {
                Kind::Expr(LLVMGetConstOpcode(v))
            } else if !LLVMIsAConstantFP(v).is_null() {
                Kind::Float
            } else if !LLVMIsAConstantArray(v).is_null()
                || !LLVMIsAConstantStruct(v).is_null()
                || !LLVMIsAConstantVector(v).is_null()
                || !LLVMIsAConstantDataSequential(v).is_null()
            {
                Kind::Aggregate
            } else if !LLVMIsAGlobalAlias(v).is_null() {
                Kind::Alias
            } else if !LLVMIsAGlobalIFunc(v).is_null() {
                Kind::IFunc
            } else if !LLVMIsABlockAddress(v).is_null() {
                let block = LLVMGetBlockAddressBasicBlock(v);
                Kind::BlockAddress(Val::new(LLVMGetBlockAddressFunction(v)), Bb(block, PhantomData))
            } else if !LLVMIsAInlineAsm(v).is_null() {
                Kind::InlineAsm
            } else {
                Kind::Other
            }
        }
    }

    /// The opcode of an instruction or constant expression.
    pub(crate) fn opcode_or_expression(self) -> Option<LLVMOpcode> {
        match self.kind() {
            Kind::Instruction => Some(self.opcode()),
            Kind::Expr(opcode) => Some(opcode),
            _ => None,
        }
    }

    pub(crate) fn ty(self) -> Ty<'m> {
        // SAFETY: a live value.
        Ty::new(unsafe { LLVMTypeOf(self.0) })
    }

    /// The value's name, as it can be shown; without the marker that asks for no mangling.
    pub(crate) fn name(self) -> String {
        let name = own_name(self);
        visible(name.strip_prefix('\u{1}').unwrap_or(&name)).into_owned()
    }

    /// LLVM's spelling, without attached metadata.
    pub(crate) fn print(self) -> String {
        // SAFETY: LLVM allocates the message.
        let text = unsafe { owned_message(LLVMPrintValueToString(self.0)) };
        let text = text.trim();
        text.split_once(", !").map_or(text, |(before, _)| before).to_owned()
    }

    pub(crate) fn operand_count(self) -> u32 {
        // SAFETY: asked of users (instructions, constants) only, for which the count is not negative.
        u32::try_from(unsafe { LLVMGetNumOperands(self.0) }).unwrap_or(0)
    }

    pub(crate) fn operand(self, index: u32) -> Val<'m> {
        // SAFETY: the index is below the count; LLVM wraps metadata operands as values.
        Val::new(unsafe { LLVMGetOperand(self.0, index) })
    }

    pub(crate) fn operands(self) -> impl Iterator<Item = Val<'m>> {
        (0..self.operand_count()).filter_map(move |i| {
            // SAFETY: as in `operand`.
            Val::wrap(unsafe { LLVMGetOperand(self.0, i) })
        })
    }

    /// The value of an integer constant of at most 64 bits; `None` for anything else.
    pub(crate) fn int_bits(self) -> Option<u64> {
        // SAFETY: the type's width is checked before the value is read.
        unsafe {
            if LLVMIsAConstantInt(self.0).is_null() || LLVMGetIntTypeWidth(LLVMTypeOf(self.0)) > 64 {
                return None;
            }
            Some(LLVMConstIntGetZExtValue(self.0))
        }
    }

    /// The value of an integer constant of at most 64 bits, sign-extended.
    pub(crate) fn int_signed(self) -> Option<i64> {
        // SAFETY: `int_bits` checks kind and width.
        self.int_bits().map(|_| unsafe { LLVMConstIntGetSExtValue(self.0) })
    }

    /// Bits of an integer or floating-point constant of `width` bits: limbs of 64 bits, lowest first.
    pub(crate) fn wide_bits(self, width: u32) -> Option<Vec<u64>> {
        // SAFETY: a bit cast between constants of equal width folds; the result is an integer constant.
        let value = unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.0));
            Val::new(LLVMConstBitCast(self.0, LLVMIntTypeInContext(context, width)))
        };
        if let Some(bits) = value.int_bits() {
            return Some(vec![bits]);
        }
        let text = value.print();
        decimal_limbs(text.rsplit(' ').next()?, width)
    }

    /// Element of a constant aggregate.
    pub(crate) fn aggregate_element(self, index: u32) -> Option<Val<'m>> {
        // SAFETY: a constant; LLVM answers null when it has no such element.
        Val::wrap(unsafe { LLVMGetAggregateElement(self.0, index) })
    }

    /// The bytes of a constant array of plain integers or floats, in the host's (little-endian) order.
    pub(crate) fn raw_data(self) -> Option<Vec<u8>> {
        // SAFETY: the value is a data array. The C function takes the place to store the size in (a `size_t *`, which
        // llvm-sys declares as the size itself) and returns data of that size.
        unsafe {
            if LLVMIsAConstantDataArray(self.0).is_null() {
                return None;
            }
            let mut size = 0_usize;
            let data = LLVMGetRawDataValues(self.0, (&raw mut size).expose_provenance());
            Some(std::slice::from_raw_parts(data.cast::<u8>(), size).to_vec())
        }
    }

    /// The values that have this one as an operand.
    pub(crate) fn users(self) -> Vec<Val<'m>> {
        let mut users = Vec::new();
        // SAFETY: a live value; LLVM ends the list with null.
        unsafe {
            let mut next = LLVMGetFirstUse(self.0);
            while !next.is_null() {
                users.push(Val::new(LLVMGetUser(next)));
                next = LLVMGetNextUse(next);
            }
        }
        users
    }

    // --- globals and functions ---

    pub(crate) fn is_declaration(self) -> bool {
        // SAFETY: a global value.
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    pub(crate) fn linkage(self) -> LLVMLinkage {
        // SAFETY: a global value.
        unsafe { LLVMGetLinkage(self.0) }
    }

    /// Whether other translation units cannot name it.
    pub(crate) fn is_local(self) -> bool {
        matches!(self.linkage(), LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage)
    }

    /// Whether no other definition may stand for it.
    pub(crate) fn is_strong(self) -> bool {
        self.linkage() == LLVMLinkage::LLVMExternalLinkage
    }

    pub(crate) fn is_extern_weak(self) -> bool {
        self.linkage() == LLVMLinkage::LLVMExternalWeakLinkage
    }

    /// The type a function or global variable has behind its address.
    pub(crate) fn value_type(self) -> Ty<'m> {
        // SAFETY: a global value.
        Ty::new(unsafe { LLVMGlobalGetValueType(self.0) })
    }

    pub(crate) fn initializer(self) -> Option<Val<'m>> {
        // SAFETY: a global variable.
        Val::wrap(unsafe { LLVMGetInitializer(self.0) })
    }

    pub(crate) fn is_thread_local(self) -> bool {
        // SAFETY: a global variable.
        unsafe { LLVMIsThreadLocal(self.0) != 0 }
    }

    pub(crate) fn is_constant_global(self) -> bool {
        // SAFETY: a global variable.
        unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }

    /// Whether an address computation stays in its object and no index is negative, or the address is poison
    /// (`inbounds nuw`).
    pub(crate) fn moves_forward(self) -> bool {
        let wanted = LLVMGEPFlagInBounds | LLVMGEPFlagNUW;
        // SAFETY: an address computation, as an instruction or a constant.
        unsafe { LLVMGEPGetNoWrapFlags(self.0) & wanted == wanted }
    }

    /// Whether an address computation stays in its object, or the address is poison (`inbounds`).
    pub(crate) fn stays_inside(self) -> bool {
        // SAFETY: an address computation, as an instruction or a constant.
        unsafe { LLVMGEPGetNoWrapFlags(self.0) & LLVMGEPFlagInBounds != 0 }
    }

    /// What an alias stands for.
    pub(crate) fn aliasee(self) -> Val<'m> {
        // SAFETY: an alias.
        Val::new(unsafe { LLVMAliasGetAliasee(self.0) })
    }

    /// Explicit alignment of a global, alloca, load or store; 0 when none is given.
    pub(crate) fn alignment(self) -> u64 {
        // SAFETY: a value that has an alignment.
        u64::from(unsafe { LLVMGetAlignment(self.0) })
    }

    pub(crate) fn params(self) -> Vec<Val<'m>> {
        // SAFETY: a function; the buffer has the length LLVM asks for.
        unsafe {
            let mut params = vec![std::ptr::null_mut(); LLVMCountParams(self.0) as usize];
            LLVMGetParams(self.0, params.as_mut_ptr());
            params.into_iter().map(Val::new).collect()
        }
    }

    pub(crate) fn blocks(self) -> Vec<Bb<'m>> {
        let mut blocks = Vec::new();
        // SAFETY: a function; LLVM ends the list with null.
        unsafe {
            let mut block = LLVMGetFirstBasicBlock(self.0);
            while !block.is_null() {
                blocks.push(Bb(block, PhantomData));
                block = LLVMGetNextBasicBlock(block);
            }
        }
        blocks
    }

    /// An attribute of a function (`None`) or of one of its parameters.
    pub(crate) fn attribute(self, param: Option<u32>, name: &str) -> Option<Attribute<'m>> {
        // SAFETY: a function; an unknown attribute name gives kind 0, which is never present.
        let attribute = unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            LLVMGetEnumAttributeAtIndex(self.0, param.map_or(u32::MAX, |p| p + 1), kind)
        };
        (!attribute.is_null()).then_some(Attribute(attribute, PhantomData))
    }
}

/// An attribute that is present.
#[derive(Copy, Clone)]
pub(crate) struct Attribute<'m>(
    pub(super) inkwell::llvm_sys::prelude::LLVMAttributeRef,
    pub(super) PhantomData<&'m ()>,
);

impl<'m> Attribute<'m> {
    /// The type of a type attribute such as `byval`.
    pub(crate) fn ty(self) -> Ty<'m> {
        // SAFETY: a type attribute.
        Ty::new(unsafe { LLVMGetTypeAttributeValue(self.0) })
    }

    /// The value of an integer attribute such as `align`.
    pub(crate) fn value(self) -> u64 {
        // SAFETY: an enum or integer attribute.
        unsafe { LLVMGetEnumAttributeValue(self.0) }
    }
}

impl<'m> Bb<'m> {
    /// Whether the block's address is a value somewhere.
    pub(crate) fn is_address_taken(self) -> bool {
        // SAFETY: a live block; its uses as a value are terminators and block addresses.
        unsafe {
            let mut next = LLVMGetFirstUse(LLVMBasicBlockAsValue(self.0));
            while !next.is_null() {
                if !LLVMIsABlockAddress(LLVMGetUser(next)).is_null() {
                    return true;
                }
                next = LLVMGetNextUse(next);
            }
            false
        }
    }

    pub(crate) fn instructions(self) -> Vec<Val<'m>> {
        let mut instructions = Vec::new();
        // SAFETY: a live block; LLVM ends the list with null.
        unsafe {
            let mut inst = LLVMGetFirstInstruction(self.0);
            while !inst.is_null() {
                instructions.push(Val::new(inst));
                inst = LLVMGetNextInstruction(inst);
            }
        }
        instructions
    }

    /// The block's last instruction. Verified modules have one in every block.
    pub(crate) fn terminator(self) -> Option<Val<'m>> {
        // SAFETY: a live block.
        Val::wrap(unsafe { LLVMGetBasicBlockTerminator(self.0) })
    }
}

/// A decimal number as limbs of 64 bits, modulo 2^`width`.
fn decimal_limbs(text: &str, width: u32) -> Option<Vec<u64>> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let mut limbs = vec![0_u64; width.div_ceil(64) as usize];
    for digit in digits.chars() {
        let mut carry = u128::from(digit.to_digit(10)?);
        for limb in &mut limbs {
            carry += u128::from(*limb) * 10;
            *limb = low_half(carry);
            carry >>= 64;
        }
    }
    if negative {
        let mut carry = 1;
        for limb in &mut limbs {
            carry += u128::from(!*limb);
            *limb = low_half(carry);
            carry >>= 64;
        }
    }
    if !width.is_multiple_of(64)
        && let Some(top) = limbs.last_mut()
    {
        *top &= (1 << (width % 64)) - 1;
    }
    Some(limbs)
}

fn low_half(wide: u128) -> u64 {
    u64::try_from(wide & u128::from(u64::MAX)).expect("cut to 64 bits")
}

/// The name as the file has it.
pub(super) fn own_name(value: Val<'_>) -> String {
    let mut len = 0;
    // SAFETY: LLVM keeps the name and says how long it is.
    unsafe { borrowed_string(LLVMGetValueName2(value.0, &raw mut len), len) }
}

#[cfg(test)]
mod tests {
    use super::decimal_limbs;

    #[test]
    fn decimal_numbers_become_limbs() {
        assert_eq!(decimal_limbs("18446744073709551617", 128), Some(vec![1, 1]));
        assert_eq!(decimal_limbs("-1", 65), Some(vec![u64::MAX, 1]));
        assert_eq!(decimal_limbs("-18446744073709551616", 192), Some(vec![0, u64::MAX, u64::MAX]));
        assert_eq!(decimal_limbs("0x10", 128), None);
    }
}

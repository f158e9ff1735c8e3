//! Atomic accesses of 16 bytes: calls of models, each a node of the schedule as the shorter ones are.

use icsched_ir::{BinOp, IntPredicate, Op, Operand, Type};
use inkwell::llvm_sys::LLVMAtomicRMWBinOp;

use super::error::Reason;
use super::function::Body;
use super::shape::Operands;
use super::wide::constant;
use crate::llvm::Val;

/// The two limbs of a 16-byte value.
const LIMBS: [Type; 2] = [Type::Int(64), Type::Int(64)];

/// Every ordering is handled as the strongest.
const ORDER: u64 = 5;

impl<'m> Body<'_, 'm> {
    /// Whether an atomic access of this value is one of 16 bytes.
    pub(super) fn is_wide_atomic(&self, value: Val<'m>) -> bool {
        self.shape(value.ty()).types().eq(LIMBS)
    }

    pub(super) fn wide_atomic_load(&mut self, base: Operand) -> Result<Operands, Reason> {
        self.call_support("__atomic_load_16", &[base, constant(Type::Int(32), ORDER)], &LIMBS)
    }

    pub(super) fn wide_atomic_store(&mut self, base: Operand, limbs: &[Operand]) -> Result<Operands, Reason> {
        let order = constant(Type::Int(32), ORDER);
        self.call_support("__atomic_store_16", &[&[base], limbs, &[order]].concat(), &[])
    }

    pub(super) fn wide_rmw(&mut self, inst: Val<'m>) -> Result<Operands, Reason> {
        let name = match inst.rmw_op() {
            LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpXchg => "__atomic_exchange_16",
            LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpAdd => "__atomic_fetch_add_16",
            LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpSub => "__atomic_fetch_sub_16",
            LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpAnd => "__atomic_fetch_and_16",
            LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpNand => "__atomic_fetch_nand_16",
            LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpOr => "__atomic_fetch_or_16",
            LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpXor => "__atomic_fetch_xor_16",
            _ => return Err(Reason::from("read-modify-write operation on 16 bytes")),
        };
        let (base, limbs) = (self.scalar(inst.operand(0))?, self.operands(inst.operand(1))?);
        let order = constant(Type::Int(32), ORDER);
        self.call_support(name, &[&[base], &limbs[..], &[order]].concat(), &LIMBS)
    }

    /// The old value, and whether it was the expected one.
    pub(super) fn wide_compare_exchange(&mut self, inst: Val<'m>) -> Result<Operands, Reason> {
        let base = self.scalar(inst.operand(0))?;
        let (expected, new) = (self.operands(inst.operand(1))?, self.operands(inst.operand(2))?);
        let args = [&[base], &expected[..], &new[..]].concat();
        let mut results = self.call_support("__ics_compare_exchange_16", &args, &LIMBS)?;
        let one = Type::Int(1);
        let equal: Vec<Operand> = results
            .iter()
            .zip(&expected)
            .map(|(&a, &b)| self.emit(one, Op::IntCompare { predicate: IntPredicate::Eq, a, b }))
            .collect();
        let done = self.emit(one, Op::binary(BinOp::And, equal[0], equal[1]));
        results.push(done);
        Ok(results)
    }
}

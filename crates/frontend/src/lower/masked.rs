//! Vector accesses of which a mask says which lanes they touch.
//!
//! There are no branches inside a block, so a lane that is not touched accesses a local of 8 bytes instead.

use icsched_ir::{Access, Const, Op, Operand, Type};

use super::error::Reason;
use super::function::Body;
use super::shape::{Operands, SharedShape};
use crate::llvm::{Ty, Val};

const PLAIN: Access = Access { volatile: false, atomic: None };

impl<'m> Body<'_, 'm> {
    /// `llvm.masked.load(pointer, mask, passthru)` and `llvm.masked.gather(pointers, mask, passthru)`. Older bitcode
    /// has the alignment as the second argument.
    pub(crate) fn lower_masked_load(&mut self, inst: Val<'m>, args: &[Val<'m>]) -> Result<Operands, Reason> {
        let (mask, otherwise) = (args[args.len() - 2], args[args.len() - 1]);
        let shape = self.masked_shape(inst.ty())?;
        let (mask, otherwise) = (self.operands(mask)?, self.operands(otherwise)?);
        let addresses = self.lane_addresses(args[0], &shape)?;
        let mut results = Operands::new();
        for (lane, address) in addresses.into_iter().enumerate() {
            let ty = shape.leaves[lane].ty;
            let from = self.touched(mask[lane], address);
            let value = self.emit(ty, Op::Load { address: from, access: PLAIN });
            results.push(self.select(mask[lane], value, otherwise[lane]));
        }
        Ok(results)
    }

    /// `llvm.masked.store(value, pointer, mask)` and `llvm.masked.scatter(value, pointers, mask)`.
    pub(crate) fn lower_masked_store(&mut self, args: &[Val<'m>]) -> Result<Operands, Reason> {
        let shape = self.masked_shape(args[0].ty())?;
        let mask = self.operands(args[args.len() - 1])?;
        let values = self.operands(args[0])?;
        let addresses = self.lane_addresses(args[1], &shape)?;
        for (lane, address) in addresses.into_iter().enumerate() {
            let to = self.touched(mask[lane], address);
            self.emit_void(Op::Store { address: to, value: values[lane], access: PLAIN });
        }
        Ok(Operands::new())
    }

    fn masked_shape(&mut self, ty: Ty<'m>) -> Result<SharedShape, Reason> {
        let shape = self.check(ty)?;
        if shape.is_plain() && shape.addressable { Ok(shape) } else { Err(Reason::from("masked access of odd lanes")) }
    }

    /// Where each lane is: next to each other, or wherever a vector of pointers says.
    fn lane_addresses(&mut self, pointer: Val<'m>, shape: &SharedShape) -> Result<Vec<Operand>, Reason> {
        let pointers = self.operands(pointer)?;
        if pointers.len() == shape.leaves.len() && shape.leaves.len() > 1 {
            return Ok(pointers.into_iter().collect());
        }
        let &base = pointers.first().ok_or("masked access without an address")?;
        Ok(shape.leaves.iter().map(|leaf| self.offset_address(base, leaf.offset.cast_signed())).collect())
    }

    fn touched(&mut self, condition: Operand, address: Operand) -> Operand {
        match condition {
            Operand::Const(Const::Bits { bits: 1, .. }) => address,
            _ => {
                let nowhere = self.scratch();
                self.select(condition, address, nowhere)
            }
        }
    }

    /// A choice, decided here if it can be.
    pub(crate) fn select(&mut self, condition: Operand, a: Operand, b: Operand) -> Operand {
        match condition {
            Operand::Const(Const::Bits { bits, .. }) => {
                if bits == 0 {
                    b
                } else {
                    a
                }
            }
            _ => {
                let ty: Type = self.type_of(a);
                self.emit(ty, Op::Select { condition, a, b })
            }
        }
    }
}

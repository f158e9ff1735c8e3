//! Operations on values of which at least one is not constant.

use icsched_ir::{BinOp, CastOp, FloatPredicate, IntPredicate, OverflowOp, Type, UnOp};

use crate::stop::Stop;
use crate::values::Values;

/// Computes with values that are not constant, and tells what their form shows.
pub trait Arithmetic: Values {
    /// [`icsched_ir::Op::Binary`] where at least one operand is not constant. `ty` is the operand type. Division by
    /// zero has been excluded by a decision before.
    fn binary(&mut self, op: BinOp, ty: Type, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Stop<Self>>;
    /// [`icsched_ir::Op::Unary`].
    fn unary(&mut self, op: UnOp, ty: Type, a: &Self::Value) -> Result<Self::Value, Stop<Self>>;
    /// [`icsched_ir::Op::Cast`].
    fn cast(&mut self, op: CastOp, from: Type, to: Type, a: &Self::Value) -> Result<Self::Value, Stop<Self>>;
    /// Integer comparison; `ty` is the operand type.
    fn int_compare(&mut self, predicate: IntPredicate, ty: Type, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// Float comparison; `ty` is the operand type.
    fn float_compare(&mut self, predicate: FloatPredicate, ty: Type, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// Overflow test.
    fn overflow(&mut self, op: OverflowOp, ty: Type, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// `condition ? a : b`.
    fn select(&mut self, ty: Type, condition: &Self::Value, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// Negation of an `i1`.
    fn not(&mut self, condition: &Self::Value) -> Self::Value;
    /// Whether it shows that as many bytes at one offset as at another one are the same bytes, or none of them are.
    fn are_same_or_apart(&mut self, _a: &Self::Value, _b: &Self::Value, _bytes: u64) -> bool {
        false
    }
    /// An index that is a subscript of an array of so many elements, as a number that shows it is none in front of
    /// them, and none far behind; `None` if it stays as it is.
    fn as_subscript(&mut self, _index: &Self::Value, _elements: u64) -> Option<Self::Value> {
        None
    }
    /// The least and the greatest number that a value that is no constant can be, taken as signed, by how it is
    /// computed.
    fn least_and_greatest(&self, _value: &Self::Value) -> Option<(i128, i128)> {
        None
    }
    /// Whether a value is known to be a multiple of a number. False if nothing is known.
    fn is_multiple_of(&self, _: &Self::Value, _: u64) -> bool {
        false
    }
}

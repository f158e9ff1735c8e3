//! Vectors, which are sequences of scalars here.

use icsched_ir::{Const, IntPredicate, Op, Operand, Type};
use smallvec::SmallVec;

use super::error::Reason;
use super::function::Body;
use super::scalar::Scalar;
use super::shape::Operands;
use crate::llvm::Val;

/// The values of each lane.
type Lanes = Vec<Operands>;

impl<'m> Body<'_, 'm> {
    fn lanes(&mut self, value: Val<'m>) -> Result<Lanes, Reason> {
        Ok(self.parts(value)?.into_iter().map(|(_, lane)| lane).collect())
    }

    /// A constant index selects; one known only at run time compares with every lane.
    pub(crate) fn lower_extract_element(&mut self, value: Val<'m>) -> Result<Operands, Reason> {
        let lanes = self.lanes(value.operand(0))?;
        if let Some(index) = value.operand(1).int_bits() {
            let lane = usize::try_from(index).ok().and_then(|i| lanes.get(i).cloned());
            return Ok(lane.unwrap_or_else(|| undefined(self.shape(value.ty()).types())));
        }
        let index = self.index(value.operand(1), false)?;
        let (first, rest) = lanes.split_first().ok_or("empty vector")?;
        let mut chosen = first.clone();
        for (lane, operands) in (1_u64..).zip(rest) {
            chosen = self.choose_lane(index, lane, operands, &chosen);
        }
        Ok(chosen)
    }

    pub(crate) fn lower_insert_element(&mut self, value: Val<'m>) -> Result<Operands, Reason> {
        let mut lanes = self.lanes(value.operand(0))?;
        let new = self.operands(value.operand(1))?;
        if let Some(index) = value.operand(2).int_bits() {
            if let Some(lane) = usize::try_from(index).ok().and_then(|i| lanes.get_mut(i)) {
                *lane = new;
            }
            return Ok(lanes.into_iter().flatten().collect());
        }
        let index = self.index(value.operand(2), false)?;
        for (lane, operands) in (0_u64..).zip(lanes.iter_mut()) {
            *operands = self.choose_lane(index, lane, &new, operands);
        }
        Ok(lanes.into_iter().flatten().collect())
    }

    fn choose_lane(&mut self, index: Operand, lane: u64, a: &[Operand], b: &[Operand]) -> Operands {
        let lane = Operand::Const(Const::int(Type::Int(64), lane));
        let condition = self.emit(Type::Int(1), Op::IntCompare { predicate: IntPredicate::Eq, a: index, b: lane });
        a.iter()
            .zip(b)
            .map(|(&a, &b)| {
                let ty = self.type_of(a);
                self.emit(ty, Op::Select { condition, a, b })
            })
            .collect()
    }

    pub(crate) fn lower_shuffle(&mut self, value: Val<'m>) -> Result<Operands, Reason> {
        let mut lanes = self.lanes(value.operand(0))?;
        lanes.extend(self.lanes(value.operand(1))?);
        let first = lanes.first().ok_or("empty vector")?.clone();
        let any = undefined(first.into_iter().map(|operand| self.type_of(operand)));
        let chosen = value.shuffle_mask().into_iter().map(|i| i.and_then(|i| lanes.get(i)).unwrap_or(&any));
        Ok(chosen.flatten().copied().collect())
    }

    /// Folds the lanes of a vector from the first to the last.
    pub(crate) fn reduce(
        &mut self,
        start: Option<Operands>,
        vector: Val<'m>,
        op: impl Fn(&mut Self, Scalar, &[Operand], &[Operand]) -> Result<Operands, Reason>,
    ) -> Result<Operands, Reason> {
        let mut sum = start;
        for (scalar, lane) in self.parts(vector)? {
            sum = Some(match sum {
                None => lane,
                Some(sum) => op(self, scalar, &sum, &lane)?,
            });
        }
        sum.ok_or_else(|| Reason::from("empty vector"))
    }
}

/// Unspecified values of these types.
pub(crate) fn undefined(types: impl Iterator<Item = Type>) -> Operands {
    types.map(|ty| Operand::Const(Const::Undef(ty))).collect::<SmallVec<_>>()
}

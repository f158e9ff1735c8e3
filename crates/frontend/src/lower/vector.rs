//! Vectors, which are sequences of scalars here.

use icsched_ir::{BinOp, CastOp, Const, IntPredicate, Op, Operand, Type};
use smallvec::SmallVec;

use super::function::{Body, Operands, Reason};
use crate::llvm::Val;

impl<'m> Body<'_, 'm> {
    /// A constant index selects; one known only at run time compares with every lane.
    pub(crate) fn lower_extract_element(&mut self, value: Val<'m>) -> Result<Operands, Reason> {
        let lanes = self.operands(value.operand(0))?;
        if let Some(index) = value.operand(1).int_bits() {
            let lane = usize::try_from(index).ok().and_then(|i| lanes.get(i).copied());
            let ty = self.shape(value.ty()).leaves[0].ty;
            return Ok(SmallVec::from_elem(lane.unwrap_or(Operand::Const(Const::Undef(ty))), 1));
        }
        let index = self.index(value.operand(1), false)?;
        let (&first, rest) = lanes.split_first().ok_or("empty vector")?;
        let mut chosen = first;
        for (lane, &operand) in (1_u64..).zip(rest) {
            chosen = self.choose_lane(index, lane, operand, chosen);
        }
        Ok(SmallVec::from_elem(chosen, 1))
    }

    pub(crate) fn lower_insert_element(&mut self, value: Val<'m>) -> Result<Operands, Reason> {
        let mut lanes = self.operands(value.operand(0))?;
        let new = self.scalar(value.operand(1))?;
        if let Some(index) = value.operand(2).int_bits() {
            if let Some(lane) = usize::try_from(index).ok().and_then(|i| lanes.get_mut(i)) {
                *lane = new;
            }
            return Ok(lanes);
        }
        let index = self.index(value.operand(2), false)?;
        for (lane, operand) in (0_u64..).zip(lanes.iter_mut()) {
            *operand = self.choose_lane(index, lane, new, *operand);
        }
        Ok(lanes)
    }

    fn choose_lane(&mut self, index: Operand, lane: u64, a: Operand, b: Operand) -> Operand {
        let lane = Operand::Const(Const::int(Type::Int(64), lane));
        let condition = self.emit(Type::Int(1), Op::IntCompare { predicate: IntPredicate::Eq, a: index, b: lane });
        let ty = self.type_of(a);
        self.emit(ty, Op::Select { condition, a, b })
    }

    pub(crate) fn lower_shuffle(&mut self, value: Val<'m>) -> Result<Operands, Reason> {
        let mut lanes = self.operands(value.operand(0))?;
        lanes.extend(self.operands(value.operand(1))?);
        let ty = self.type_of(*lanes.first().ok_or("empty vector")?);
        let undef = Operand::Const(Const::Undef(ty));
        Ok(value.shuffle_mask().into_iter().map(|i| i.and_then(|i| lanes.get(i).copied()).unwrap_or(undef)).collect())
    }

    /// Between scalars and vectors of any lane widths: through the bits, the first lane lowest.
    pub(crate) fn lower_bitcast(&mut self, value: Val<'m>) -> Result<Operands, Reason> {
        let lanes = self.operands(value.operand(0))?;
        let types: Vec<Type> = self.check(value.ty())?.types().collect();
        if lanes.len() == types.len() {
            return Ok(lanes.into_iter().zip(types).map(|(a, ty)| self.cast(CastOp::Bitcast, a, ty)).collect());
        }
        let (&first, &to) = (lanes.first().ok_or("empty vector")?, types.first().ok_or("empty vector")?);
        let from_bits = self.type_of(first).bits();
        if lanes.len() > types.len() && lanes.len().is_multiple_of(types.len()) {
            let group = lanes.len() / types.len();
            return Ok(lanes.chunks(group).map(|part| self.join_lanes(part, from_bits, to)).collect());
        }
        if types.len().is_multiple_of(lanes.len()) {
            let group = types.len() / lanes.len();
            return Ok(lanes.into_iter().flat_map(|lane| self.split_lane(lane, group, to)).collect());
        }
        Err("bit cast between vectors of uneven lanes".to_owned())
    }

    fn join_lanes(&mut self, lanes: &[Operand], bits: u32, to: Type) -> Operand {
        let wide = Type::Int(u8::try_from(to.bits()).expect("a scalar has at most 64 bits"));
        let mut joined: Option<Operand> = None;
        for (position, &lane) in (0_u32..).zip(lanes) {
            let plain = self.as_int(lane);
            let extended = self.cast(CastOp::ZExt, plain, wide);
            let shift = Operand::Const(Const::int(wide, u64::from(position * bits)));
            joined = Some(match joined {
                None => extended,
                Some(low) => {
                    let high = self.emit(wide, Op::Binary { op: BinOp::Shl, a: extended, b: shift });
                    self.emit(wide, Op::Binary { op: BinOp::Or, a: low, b: high })
                }
            });
        }
        self.cast(CastOp::Bitcast, joined.expect("groups are not empty"), to)
    }

    fn split_lane(&mut self, lane: Operand, parts: usize, to: Type) -> Operands {
        let plain = self.as_int(lane);
        let wide = self.type_of(plain);
        let narrow = Type::Int(u8::try_from(to.bits()).expect("a scalar has at most 64 bits"));
        (0..parts as u64)
            .map(|part| {
                let shift = Operand::Const(Const::int(wide, part * u64::from(to.bits())));
                let shifted =
                    if part == 0 { plain } else { self.emit(wide, Op::Binary { op: BinOp::LShr, a: plain, b: shift }) };
                let cut = self.cast(CastOp::Trunc, shifted, narrow);
                self.cast(CastOp::Bitcast, cut, to)
            })
            .collect()
    }

    /// The bits of a scalar as an integer of the same width.
    pub(crate) fn as_int(&mut self, operand: Operand) -> Operand {
        let bits = u8::try_from(self.type_of(operand).bits()).expect("a scalar has at most 64 bits");
        self.cast(CastOp::Bitcast, operand, Type::Int(bits))
    }

    /// Folds the lanes of a vector from the first to the last.
    pub(crate) fn reduce(&mut self, start: Option<Operand>, lanes: &[Operand], op: BinOp) -> Result<Operands, Reason> {
        let mut lanes = lanes.iter().copied();
        let mut sum = start.or_else(|| lanes.next()).ok_or("empty vector")?;
        let ty = self.type_of(sum);
        for lane in lanes {
            sum = self.emit(ty, Op::Binary { op, a: sum, b: lane });
        }
        Ok(SmallVec::from_elem(sum, 1))
    }
}

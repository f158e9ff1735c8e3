//! The concrete domain: every value is a word.

use std::convert::Infallible;

use icsched_ir::{BinOp, CastOp, FloatPredicate, IntPredicate, OverflowOp, Type, UnOp};
use smallvec::SmallVec;

use crate::domain::{Arithmetic, Decisions, Inputs, Objects, Summaries, Synchronisation, Targets};
use crate::memory::Heap;
use crate::stop::{DecisionKind, Stop};
use crate::values::{MemoryByte, Values};

/// Runs without symbolic inputs: `icsched exec`, replay, differential tests.
#[derive(Copy, Clone, Default, Debug)]
pub struct ConcreteDomain;

const CONSTANT: &str = "every value of the concrete domain is a constant";

impl Values for ConcreteDomain {
    type Value = u64;
    type Byte = Infallible;
    type Array = Infallible;
    type Path = ();
    const SYMBOLIC: bool = false;

    #[inline]
    fn constant(bits: u64) -> u64 {
        bits
    }

    #[inline]
    fn as_constant(value: &u64) -> Option<u64> {
        Some(*value)
    }

    fn split_bytes(&mut self, value: &u64, n: u32) -> SmallVec<[MemoryByte<Infallible>; 8]> {
        value.to_le_bytes()[..n as usize].iter().map(|&b| MemoryByte::Constant(b)).collect()
    }

    fn join_bytes(&mut self, bytes: &[MemoryByte<Infallible>]) -> u64 {
        bytes.iter().rev().fold(0, |value, byte| match byte {
            MemoryByte::Constant(b) => value << 8 | u64::from(*b),
            MemoryByte::Symbolic(never) => match *never {},
        })
    }

    fn array_from_bytes(&mut self, _: &[MemoryByte<Infallible>]) -> Infallible {
        unreachable!("{CONSTANT}")
    }

    fn array_load(&mut self, _: &(), array: &Infallible, _: u64, _: &u64, _: u32, _: bool) -> u64 {
        match *array {}
    }

    fn array_store(&mut self, array: &mut Infallible, _: &u64, _: &u64, _: u32, _: Option<&u64>) {
        match *array {}
    }
}

impl Arithmetic for ConcreteDomain {
    fn binary(&mut self, _: BinOp, _: Type, _: &u64, _: &u64) -> Result<u64, Stop<Self>> {
        unreachable!("{CONSTANT}")
    }

    fn unary(&mut self, _: UnOp, _: Type, _: &u64) -> Result<u64, Stop<Self>> {
        unreachable!("{CONSTANT}")
    }

    fn cast(&mut self, _: CastOp, _: Type, _: Type, _: &u64) -> Result<u64, Stop<Self>> {
        unreachable!("{CONSTANT}")
    }

    fn int_compare(&mut self, _: IntPredicate, _: Type, _: &u64, _: &u64) -> u64 {
        unreachable!("{CONSTANT}")
    }

    fn float_compare(&mut self, _: FloatPredicate, _: Type, _: &u64, _: &u64) -> u64 {
        unreachable!("{CONSTANT}")
    }

    fn overflow(&mut self, _: OverflowOp, _: Type, _: &u64, _: &u64) -> u64 {
        unreachable!("{CONSTANT}")
    }

    fn select(&mut self, _: Type, _: &u64, _: &u64, _: &u64) -> u64 {
        unreachable!("{CONSTANT}")
    }

    fn not(&mut self, _: &u64) -> u64 {
        unreachable!("{CONSTANT}")
    }
}

impl Decisions for ConcreteDomain {
    fn array_ask(&mut self, _: &(), array: &Infallible, _: u64, _: &u64, _: u32) -> Result<(), Stop<Self>> {
        match *array {}
    }

    fn decide(&mut self, _: &(), _: &u64, _: DecisionKind) -> Result<bool, Stop<Self>> {
        unreachable!("{CONSTANT}")
    }

    fn resolve(&mut self, _: &(), _: &Heap<Self>, _: &u64, _: u64) -> Result<Targets<u64>, Stop<Self>> {
        unreachable!("{CONSTANT}")
    }

    fn concretise(&mut self, _: &(), value: &u64, _: DecisionKind) -> Result<u64, Stop<Self>> {
        Ok(*value)
    }
}

impl Objects for ConcreteDomain {}

impl Summaries for ConcreteDomain {}

impl Synchronisation for ConcreteDomain {}

impl Inputs for ConcreteDomain {
    fn input(&mut self, _: &str, _: u32) -> u64 {
        0
    }

    fn input_of_string(&mut self, _: &str, _: &[MemoryByte<Infallible>], _: u32) -> u64 {
        0
    }

    fn input_byte(&mut self, _: &str, _: u64) -> MemoryByte<Infallible> {
        MemoryByte::Constant(0)
    }
}

//! Where the numbers are that the program computes with: in registers, variables, or objects from the heap.

use std::collections::BTreeSet;

use icsched_ir::{
    BinOp, CastOp, Const, Definition, Definitions, FuncId, Function, GlobalId, Inst, Op, Operand, ValueId,
};
use icsched_pointsto::{Location, ObjectId as Abstract, ObjectKind as AbstractKind, Offsets, PointsTo};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::budgets::BUDGETS;
use crate::fields::Activations;
use crate::place::{Node, Place};
use crate::shape::Shape;

/// Where a number is that the program compares with another one.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Source {
    Register(FuncId, ValueId),
    Global(GlobalId, u64),
    /// Each thread's.
    ThreadLocal(GlobalId, u64),
    Local(FuncId, ValueId, u64),
    Heap(Abstract, u64),
}

impl Source {
    /// The function that it is a number of the activations of.
    pub(crate) const fn func(self) -> Option<FuncId> {
        match self {
            Self::Register(func, _) | Self::Local(func, ..) => Some(func),
            Self::Global(..) | Self::ThreadLocal(..) | Self::Heap(..) => None,
        }
    }
}

/// The places that a source is in a shape.
pub(crate) fn places<'a>(
    source: Source,
    width: u8,
    shape: &'a Shape,
    activations: &'a Activations,
) -> impl Iterator<Item = Place> + 'a {
    let of = move |func: FuncId| activations.iter().filter(move |(_, runs)| **runs == func).map(|(&at, _)| at);
    let size = width / 8;
    let found: Vec<Place> = match source {
        Source::Register(func, value) => {
            of(func).map(|(thread, depth)| Place::Register(thread, depth, value)).collect()
        }
        Source::Global(global, at) => vec![Place::Memory(Node::Global(global), at, size)],
        Source::ThreadLocal(global, at) => {
            let threads: BTreeSet<u32> = activations.keys().map(|&(thread, _)| thread).collect();
            threads.into_iter().map(|thread| Place::Memory(Node::ThreadLocal(global, thread), at, size)).collect()
        }
        Source::Local(func, value, at) => {
            of(func).map(|(thread, depth)| Place::Memory(Node::Local(thread, depth, value), at, size)).collect()
        }
        Source::Heap(site, at) => {
            let objects = (0..).zip(&shape.heap).filter(|(_, of)| **of == site);
            objects.map(|(number, _)| Place::Memory(Node::Heap(number), at, size)).collect()
        }
    };
    found.into_iter()
}

/// Where the numbers of a function come from.
pub(crate) struct Sources<'a> {
    points_to: &'a PointsTo,
    id: FuncId,
    pub(crate) function: &'a Function,
    pub(crate) definitions: Definitions,
    /// What parameters of blocks may be.
    incoming: FxHashMap<ValueId, SmallVec<[Operand; 2]>>,
}

impl<'a> Sources<'a> {
    /// O(instructions of the function).
    pub(crate) fn new(points_to: &'a PointsTo, id: FuncId, function: &'a Function) -> Self {
        let mut incoming: FxHashMap<ValueId, SmallVec<[Operand; 2]>> = FxHashMap::default();
        for edge in function.blocks.iter().flat_map(|(_, block)| block.terminator.edges()) {
            for (&param, &arg) in function.blocks[edge.target].params.iter().zip(&edge.args) {
                incoming.entry(param).or_default().push(arg);
            }
        }
        Self { points_to, id, function, definitions: Definitions::new(function), incoming }
    }
}

impl Sources<'_> {
    /// What a block's parameter may be.
    pub(crate) fn may_be(&self, parameter: ValueId) -> impl Iterator<Item = Operand> + '_ {
        self.incoming.get(&parameter).into_iter().flatten().copied()
    }

    /// What a number is, or is the sum of with constants, with its width.
    pub(crate) fn of(&self, operand: Operand) -> Vec<(Source, u8)> {
        self.through(operand, |op| matches!(op, BinOp::Add | BinOp::Sub), 1)
    }

    /// The same, and of a number in an array's elements the first of them: `table[t->row]` for each of some tasks.
    pub(crate) fn of_elements(&self, operand: Operand) -> Vec<(Source, u8)> {
        self.through(operand, |op| matches!(op, BinOp::Add | BinOp::Sub), BUDGETS.elements_told_apart)
    }

    /// The same for multiples, too.
    pub(crate) fn multiplied(&self, operand: Operand) -> Vec<(Source, u8)> {
        self.through(operand, |op| matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl), 1)
    }

    /// What a number is, or is computed from by such operations with constants; so many numbers where it is read from
    /// an array.
    fn through(&self, operand: Operand, is_one: impl Fn(BinOp) -> bool, most: usize) -> Vec<(Source, u8)> {
        let (mut found, mut work) = (Vec::new(), vec![operand]);
        for _ in 0..BUDGETS.number_steps {
            let Some(next) = work.pop() else { break };
            let Operand::Value(value) = next else { continue };
            let Ok(width @ (32 | 64)) = u8::try_from(self.function.values[value].ty.bits()) else { continue };
            found.push((Source::Register(self.id, value), width));
            let Some(Definition::Inst(block, at)) = self.definitions.of(value) else {
                work.extend(self.incoming.get(&value).into_iter().flatten());
                continue;
            };
            match &self.function.blocks[block].insts[at].op {
                Op::Cast { op: CastOp::SExt | CastOp::ZExt, a } => work.push(*a),
                Op::Binary { op, a, b: Operand::Const(_), .. } if is_one(*op) => work.push(*a),
                Op::Load { address, .. } => {
                    found.extend(self.elements_at(*address, most).into_iter().map(|source| (source, width)));
                }
                _ => {}
            }
        }
        found
    }

    /// The numbers of which an operation takes what remains of a division by a small constant, or a few lower bits;
    /// with their widths and the divisors.
    pub(crate) fn remainders(&self, inst: &Inst) -> Vec<(Source, u8, u8)> {
        let (of, divisor) = match inst.op {
            Op::Binary { op: BinOp::URem | BinOp::SRem, a, b: Operand::Const(Const::Bits { bits, .. }), .. } => {
                (a, Some(bits))
            }
            Op::Binary { op: BinOp::And, a, b: Operand::Const(Const::Bits { bits, .. }), .. } => {
                (a, bits.checked_add(1).filter(|divisor| divisor.is_power_of_two()))
            }
            Op::Cast { op: CastOp::Trunc, a } => {
                (a, inst.results.first().and_then(|&result| 1u64.checked_shl(self.function.values[result].ty.bits())))
            }
            _ => return Vec::new(),
        };
        let few = |divisor: &u8| (2..=BUDGETS.column_values).contains(&usize::from(*divisor));
        let Some(divisor) = divisor.and_then(|divisor| u8::try_from(divisor).ok()).filter(few) else {
            return Vec::new();
        };
        self.of(of).into_iter().map(|(source, width)| (source, width, divisor)).collect()
    }

    /// The numbers at an address.
    pub(crate) fn read_at(&self, address: Operand) -> Vec<Source> {
        self.elements_at(address, 1)
    }

    fn elements_at(&self, address: Operand, most: usize) -> Vec<Source> {
        let info = self.points_to.pointer_info(self.id, address);
        if info.locations.len() > BUDGETS.locations {
            return Vec::new();
        }
        info.locations.iter().flat_map(|location| sources_at(self.points_to, location, most)).collect()
    }
}

/// The numbers at a location; of those in an array, the first ones, if that is more than one.
pub(crate) fn sources_at(points_to: &PointsTo, location: &Location, most: usize) -> Vec<Source> {
    let object = &points_to.objects()[location.object];
    let offsets: Vec<u64> = match location.offsets {
        Offsets::Exact(at) => u64::try_from(at).into_iter().collect(),
        Offsets::Strided { start, stride } if most > 1 && stride > 0 => {
            let step = usize::try_from(stride).unwrap_or(usize::MAX);
            // Of how many elements an object from the heap is, is mostly an input.
            (start..object.size.unwrap_or(u64::MAX)).step_by(step).take(most).collect()
        }
        Offsets::Strided { .. } => Vec::new(),
    };
    let source = |at: u64| match object.kind {
        AbstractKind::Global(global) => Some(Source::Global(global, at)),
        AbstractKind::Stack { instance, value } => Some(Source::Local(points_to.instances()[instance].func, value, at)),
        AbstractKind::Heap { .. } => Some(Source::Heap(location.object, at)),
        _ => None,
    };
    offsets.into_iter().filter_map(source).collect()
}

//! Where a program may hand on a pointer in pieces that the analysis does not follow: byte by byte to other functions,
//! put together from bytes by shifts, or as text.
//!
//! Looked for when everything else is known, so that [`Note::Pieces`] is there only for memory that holds pointers.

use fixedbitset::FixedBitSet;
use icsched_externals::{ArgEffect, Row};
use icsched_ir::{
    BinOp, Callee, CastOp, EntityId, FuncId, Function, Intrinsic, Op, Operand, Origin, ProgramPoint, Terminator, UnOp,
    ValueId,
};
use rustc_hash::FxHashMap;

use crate::Note;
use crate::generate::is_own;
use crate::graph::NodeId;
use crate::object::InstanceId;
use crate::sets::SetNumber;
use crate::shape::{carries, is_word};
use crate::solver::{Solver, location};

impl Solver<'_> {
    /// Notes the places, if there are any. Linear in the program and the different sets.
    pub(crate) fn note_pieces(&mut self) {
        let mut places: Vec<ProgramPoint> = Vec::new();
        let mut known = FxHashMap::default();
        for (instance, of) in self.instances.iter() {
            let function = &self.program.functions[of.func];
            if is_own(function) {
                self.pieces_of(instance, of.func, function, &mut known, &mut places);
            }
        }
        places.sort_unstable();
        places.dedup();
        if let Some(&first) = places.first() {
            self.notes.insert(Note::Pieces { first, places: places.len() });
        }
    }

    fn pieces_of(
        &self,
        instance: InstanceId,
        func: FuncId,
        function: &Function,
        known: &mut FxHashMap<(SetNumber, u32), bool>,
        places: &mut Vec<ProgramPoint>,
    ) {
        let handed_on = handed_on(function);
        for (block, body) in function.blocks.iter() {
            for (at, inst) in body.insts.iter().enumerate() {
                let is_place = match &inst.op {
                    Op::Load { address, .. } => inst.results.first().is_some_and(|&result| {
                        handed_on.contains(result.index())
                            && self.holds_pointers(instance, *address, function.values[result].ty.bytes(), known)
                    }),
                    Op::Call { callee: Callee::Direct(callee), args } => self.as_text(*callee).is_some_and(|row| {
                        let read = |at: usize| row.argument_is_bytes(at) && row.argument(at) == ArgEffect::ReadsBytes;
                        let mut texts = args.iter().enumerate().filter(|(at, _)| read(*at));
                        texts.any(|(_, &text)| self.holds_pointers(instance, text, u32::MAX, known))
                    }),
                    _ => false,
                };
                if is_place {
                    places.push(ProgramPoint { func, block, inst: u32::try_from(at).unwrap_or(u32::MAX) });
                }
            }
        }
    }

    /// The row of a model that puts the text it reads somewhere else, in memory or in a stream: one that writes at all.
    fn as_text(&self, func: FuncId) -> Option<&'static Row> {
        let function = &self.program.functions[func];
        let row = Some(function)
            .filter(|f| f.origin == Origin::Model)
            .and_then(|f| icsched_externals::lookup(f.library_name()))?;
        self.writes(func).then_some(row)
    }

    /// Whether a function, or one that it calls directly, writes memory or a file.
    fn writes(&self, func: FuncId) -> bool {
        let mut seen = FixedBitSet::with_capacity(self.program.functions.len());
        let mut pending = vec![func];
        while let Some(func) = pending.pop() {
            if seen.put(func.index()) {
                continue;
            }
            for inst in self.program.functions[func].blocks.values().flat_map(|b| &b.insts) {
                match &inst.op {
                    Op::Store { .. } | Op::MemCopy { .. } | Op::AtomicRmw { .. } | Op::CompareExchange { .. } => {
                        return true;
                    }
                    Op::Call { callee: Callee::Direct(callee), .. } => pending.push(*callee),
                    Op::Call {
                        callee: Callee::Intrinsic(Intrinsic::MemCopy | Intrinsic::MemMove | Intrinsic::HostWrite),
                        ..
                    } => return true,
                    _ => {}
                }
            }
        }
        false
    }

    /// Whether the bytes at an address, as many as given, may be some of a pointer.
    fn holds_pointers(
        &self,
        instance: InstanceId,
        address: Operand,
        bytes: u32,
        known: &mut FxHashMap<(SetNumber, u32), bool>,
    ) -> bool {
        let node: Option<NodeId> = match address {
            Operand::Value(value) => self.value(instance, value),
            Operand::Const(value) => self.constants.get(&value).copied(),
        };
        let Some(set) = node.map(|node| self.graph.set(node)) else { return false };
        *known.entry((set, bytes)).or_insert_with(|| {
            let places = self.graph.sets.get(set).iter().map(location);
            places.into_iter().any(|at| self.memory.holds_pointers(&self.graph, at, bytes))
        })
    }
}

/// The values too narrow for a pointer that leave the function or are shifted to be put together.
fn handed_on(function: &Function) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(function.values.len());
    let mut definitions: FxHashMap<ValueId, &Op> = FxHashMap::default();
    let mut arguments: FxHashMap<ValueId, Vec<Operand>> = FxHashMap::default();
    let mut pending: Vec<Operand> = Vec::new();
    // Blocks are not always in the order of their uses.
    for inst in function.blocks.values().flat_map(|b| &b.insts) {
        if let Some(&result) = inst.results.first() {
            definitions.insert(result, &inst.op);
        }
    }
    for block in function.blocks.values() {
        for inst in &block.insts {
            match &inst.op {
                Op::Call { args, .. } => pending.extend(args),
                // `high << 32 | low` is followed.
                Op::Binary { op: BinOp::Shl, a, .. } => match a.value().and_then(|v| definitions.get(&v)) {
                    Some(Op::Cast { op: CastOp::ZExt | CastOp::SExt, a }) if function.type_of(*a).bits() >= 32 => {}
                    _ => pending.push(*a),
                },
                _ => {}
            }
        }
        for edge in block.terminator.edges() {
            for (&param, &arg) in function.blocks[edge.target].params.iter().zip(&edge.args) {
                arguments.entry(param).or_default().push(arg);
            }
        }
        if let Terminator::Return(values) = &block.terminator {
            pending.extend(values);
        }
    }
    while let Some(operand) = pending.pop() {
        let Operand::Value(value) = operand else { continue };
        let ty = function.values[value].ty;
        let widened = matches!(definitions.get(&value), Some(Op::Cast { op: CastOp::ZExt | CastOp::SExt, .. }));
        if !carries(ty) || is_word(ty) && !widened || found.put(value.index()) {
            continue;
        }
        pending.extend(arguments.get(&value).into_iter().flatten());
        match definitions.get(&value) {
            Some(Op::Cast { a, .. } | Op::Unary { op: UnOp::Freeze, a }) => pending.push(*a),
            Some(Op::Select { a, b, .. }) => pending.extend([*a, *b]),
            _ => {}
        }
    }
    found
}

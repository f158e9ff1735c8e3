//! Which numbers the program decides anything by: compares, divides, masks, shifts, indexes with, or hands to others. A
//! number that is only counted up, and printed at last, is none; nobody need know how far it has got.

use std::collections::BTreeSet;

use icsched_ir::{BinOp, Callee, Const, Definition, FuncId, Function, Inst, Op, Operand, Program, Terminator, ValueId};
use icsched_pointsto::{ObjectId as Abstract, ObjectKind as AbstractKind, Offsets, PointsTo};
use rustc_hash::FxHashSet;

use crate::fields::Activations;
use crate::place::{Node, Place};
use crate::shape::Shape;
use crate::sources::{Source, Sources};

/// The offset that stands for all of an object.
const ANYWHERE: u64 = u64::MAX;

/// The numbers that something may be decided by.
#[derive(Clone, Default, Debug)]
pub struct Deciding(BTreeSet<Source>);

impl Deciding {
    /// O(instructions, and the places that loads may read from).
    pub fn new(program: &Program, points_to: &PointsTo) -> Self {
        let asked = functions_asked(program);
        let mut found = BTreeSet::new();
        for (id, function) in program.functions.iter().filter(|(_, function)| !function.is_declaration()) {
            let sources = Sources::new(points_to, id, function);
            let mut walk = Walk { points_to, id, sources, seen: FxHashSet::default(), found: &mut found };
            for block in function.blocks.values() {
                block.insts.iter().for_each(|inst| walk.instruction(program, inst));
                match &block.terminator {
                    Terminator::Return(values) if asked.contains(&id) => {
                        values.iter().for_each(|&value| walk.decides(value));
                    }
                    Terminator::Return(_) => {}
                    other => other.for_each_operand(|operand| walk.decides(operand)),
                }
            }
        }
        Self(found)
    }

    /// Whether a place in a shape may hold one of them, or part of one.
    pub fn contains_any(&self, place: Place, shape: &Shape, activations: &Activations) -> bool {
        match place {
            Place::Memory(node, at, size) => {
                (at..at + u64::from(size)).any(|at| self.contains(Place::Memory(node, at, 1), shape, activations))
            }
            Place::Register(..) => self.contains(place, shape, activations),
        }
    }

    /// Whether a place in a shape may hold one of them, where `activations` says what runs as each thread's activation
    /// at a depth.
    pub fn contains(&self, place: Place, shape: &Shape, activations: &Activations) -> bool {
        let of = |thread, depth| activations.get(&(thread, depth)).copied();
        let at = |make: &dyn Fn(u64) -> Source, at| self.0.contains(&make(at)) || self.0.contains(&make(ANYWHERE));
        match place {
            Place::Memory(Node::Global(global) | Node::ThreadLocal(global, _), offset, _) => {
                at(&|at| Source::Global(global, at), offset)
            }
            Place::Memory(Node::Local(thread, depth, value), offset, _) => {
                of(thread, depth).is_none_or(|func| at(&|at| Source::Local(func, value, at), offset))
            }
            Place::Memory(Node::Heap(number), offset, _) => {
                let site = shape.heap.get(number as usize).copied();
                site.is_none_or(|site| at(&|at| Source::Heap(site, at), offset))
            }
            Place::Memory(Node::Thread(_), ..) => true,
            Place::Register(thread, depth, value) => {
                of(thread, depth).is_none_or(|func| self.0.contains(&Source::Register(func, value)))
            }
        }
    }
}

/// The functions whose results somebody may look at: those that are called by address, and those of which a caller uses
/// them.
fn functions_asked(program: &Program) -> BTreeSet<FuncId> {
    let mut asked = BTreeSet::new();
    for function in program.functions.values() {
        let mut used: FxHashSet<ValueId> = FxHashSet::default();
        let mut see = |operand: Operand| match operand {
            Operand::Value(value) => _ = used.insert(value),
            Operand::Const(Const::Func(func)) => _ = asked.insert(func),
            Operand::Const(_) => {}
        };
        for block in function.blocks.values() {
            block.insts.iter().for_each(|inst| inst.op.for_each_operand(&mut see));
            block.terminator.for_each_operand(&mut see);
            block.terminator.edges().flat_map(|edge| &edge.args).for_each(|&arg| see(arg));
        }
        for inst in function.blocks.values().flat_map(|block| &block.insts) {
            if let Op::Call { callee: Callee::Direct(func), .. } = &inst.op
                && inst.results.iter().any(|result| used.contains(result))
            {
                asked.insert(*func);
            }
        }
    }
    let initialisers = program.globals.values().flat_map(|global| &global.relocations);
    asked.extend(initialisers.filter_map(|held| if let Const::Func(func) = held.value { Some(func) } else { None }));
    asked
}

/// What is found in one function.
struct Walk<'a> {
    points_to: &'a PointsTo,
    id: FuncId,
    sources: Sources<'a>,
    seen: FxHashSet<ValueId>,
    found: &'a mut BTreeSet<Source>,
}

impl Walk<'_> {
    fn instruction(&mut self, program: &Program, inst: &Inst) {
        match &inst.op {
            Op::Binary { op: BinOp::Add | BinOp::Sub | BinOp::Mul, b: Operand::Const(_), .. } | Op::Load { .. } => {}
            Op::Cast { .. } => {}
            Op::Address { indices, .. } => indices.iter().for_each(|index| self.decides(index.index)),
            Op::Store { address, value, .. } => self.stored(*address, *value),
            // What is handed on beyond the parameters is printed.
            Op::Call { callee: Callee::Direct(func), args } => {
                let count = program.functions[*func].params.len();
                let is_known = !program.functions[*func].is_declaration();
                args.iter().take(if is_known { count } else { usize::MAX }).for_each(|&arg| self.decides(arg));
            }
            op => op.for_each_operand(|operand| self.decides(operand)),
        }
    }

    /// A number that is stored where it was read from decides nothing there that it does not decide elsewhere.
    fn stored(&mut self, address: Operand, value: Operand) {
        let target: BTreeSet<Source> = self.sources.read_at(address).into_iter().collect();
        let from = self.sources.of(value).into_iter().map(|(source, _)| source);
        let is_elsewhere = |source: &Source| !matches!(source, Source::Register(..)) && !target.contains(source);
        if target.is_empty() || from.into_iter().any(|source| is_elsewhere(&source)) {
            self.decides(value);
        }
    }

    /// Something is decided by a number, and so by all that it is computed from.
    fn decides(&mut self, operand: Operand) {
        let mut work = vec![operand];
        while let Some(next) = work.pop() {
            let Operand::Value(value) = next else { continue };
            if !self.seen.insert(value) {
                continue;
            }
            self.found.insert(Source::Register(self.id, value));
            let Some(Definition::Inst(block, at)) = self.sources.definitions.of(value) else {
                work.extend(self.sources.may_be(value));
                continue;
            };
            let function: &Function = self.sources.function;
            match &function.blocks[block].insts[at].op {
                Op::Load { address, .. } => self.read(*address),
                Op::Call { .. } => {}
                op => op.for_each_operand(|operand| work.push(operand)),
            }
        }
    }

    fn read(&mut self, address: Operand) {
        for location in self.points_to.pointer_info(self.id, address).locations {
            let at = match location.offsets {
                Offsets::Exact(at) => u64::try_from(at).unwrap_or(ANYWHERE),
                Offsets::Strided { .. } => ANYWHERE,
            };
            self.found.extend(self.source(location.object, at));
        }
    }

    fn source(&self, object: Abstract, at: u64) -> Option<Source> {
        match self.points_to.objects()[object].kind {
            AbstractKind::Global(global) => Some(Source::Global(global, at)),
            AbstractKind::Stack { instance, value } => {
                Some(Source::Local(self.points_to.instances()[instance].func, value, at))
            }
            AbstractKind::Heap { .. } => Some(Source::Heap(object, at)),
            _ => None,
        }
    }
}

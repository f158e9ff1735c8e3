//! What threads are handed in structures:
//!
//! ```c
//! for (i = 0; i < n; i++) { a[i] = (struct a){p, i}; pthread_create(&t[i], 0, start, &a[i]); }
//! ```
//!
//! 1. One creation starts the function, in a loop. One run of the loop has made all of these threads that are alive.
//! 2. Each iteration passes a piece of memory of its own: an element of an array, or a new object of the heap.
//! 3. Once there are threads, only the iteration that passes a piece writes its fields, in front of the creation.
//!
//! So the thread finds in its piece what the creator knows of the place at the creation. That is something that does
//! not change in the loop, or the counter. `docs/internals/dataflow.md` has the argument.

use std::rc::Rc;

use icsched_ir::{CastOp, Definition, Extent, Function, LoopForest, LoopId, Op, Operand, ProgramPoint, Touch};
use icsched_pointsto::InstanceId;
use rustc_hash::FxHashMap;

use super::counted::{Bound, Counted, counted};
use super::generations::comes_in_generations;
use super::injective::Injective;
use super::late::is_late;
use super::once::is_called_once;
use crate::budgets::BUDGETS;
use crate::code::point;
use crate::creations::Creation;
use crate::expr::{Expr, ExprId, ExprPool};
use crate::place::{Base, Frames, moved};
use crate::reaching::facts::Entry;
use crate::reaching::solved::Reaching;
use crate::state::Count;
use crate::structure::Structure;
use crate::symbol::Symbol;

/// The functions that return a new object each time.
const ALLOCATIONS: [&str; 2] = ["malloc", "calloc"];

/// What the threads of one creation are handed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Handed {
    /// All the same.
    Same,
    /// Each another number, between these if they are known.
    Own(Option<Limits>),
}

/// What a counter stays between, as signed numbers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Limits {
    pub(crate) start: u64,
    pub(crate) bound: Count,
}

/// A part of the structure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Field {
    /// From the argument on, in bytes.
    pub(crate) offset: i64,
    pub(crate) bytes: u32,
    pub(crate) handed: Handed,
}

/// What a start function's threads are handed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Handover {
    pub(crate) fields: Vec<Field>,
    /// The argument itself, where it is a counter.
    pub(crate) argument: Option<Limits>,
}

/// How far apart the pieces are that iterations pass.
#[derive(Copy, Clone)]
enum Apart {
    /// So many bytes at least.
    Stride(u64),
    Objects,
}

/// The loop that creates the threads.
struct Making<'a> {
    creation: &'a Creation,
    function: &'a Function,
    structure: Rc<Structure>,
    loops: LoopForest,
    id: LoopId,
}

impl Making<'_> {
    fn is_fixed(&self, e: ExprId, pool: &ExprPool) -> bool {
        let is_outside = |block| !self.loops.get(self.id).contains(block);
        pool.symbols(e).iter().all(|symbol| {
            let own = symbol.own_register().and_then(|value| self.structure.definition(value));
            match (own, pool.call_of(*symbol)) {
                (Some(Definition::Argument(_)), _) => true,
                (Some(Definition::Parameter(block, _) | Definition::Inst(block, _)), _) => is_outside(block),
                (None, Some(call)) => is_outside(call.block),
                (None, None) => false,
            }
        })
    }

    fn injective(&self) -> Injective<'_> {
        Injective {
            function: self.function,
            cfg: &self.structure.cfg,
            structure: &self.structure,
            loops: &self.loops,
            id: self.id,
        }
    }

    /// Whether an expression is another number in each iteration.
    fn differs(&self, e: ExprId, pool: &ExprPool) -> bool {
        match pool.get(e) {
            Expr::Cast { op: CastOp::SExt | CastOp::ZExt, a, .. } | Expr::Sum { base: a, .. } => self.differs(a, pool),
            Expr::Symbol { symbol, .. } => {
                let own = symbol.own_register();
                own.is_some_and(|value| self.injective().holds(Operand::Value(value), 0).is_some())
            }
            _ => false,
        }
    }

    /// How the pieces of two iterations are apart, if they are.
    fn apart(&self, program: &icsched_ir::Program) -> Option<Apart> {
        let argument = self.creation.argument.value()?;
        match &self.structure.inst(self.function, argument)?.op {
            Op::Address { offset: 0, indices, .. } => {
                let [index] = &indices[..] else { return None };
                self.injective().holds(self.creation.argument, 0)?;
                Some(Apart::Stride(index.scale.unsigned_abs()))
            }
            Op::Call { callee: icsched_ir::Callee::Direct(func), .. } => {
                let callee = &program.functions[*func];
                let Some(Definition::Inst(block, _)) = self.structure.definition(argument) else { return None };
                let inside = self.loops.get(self.id).contains(block);
                let is_new = callee.origin == icsched_ir::Origin::Model && ALLOCATIONS.contains(&callee.library_name());
                (inside && is_new).then_some(Apart::Objects)
            }
            _ => None,
        }
    }
}

/// What start functions' threads are handed, where that was asked.
#[derive(Default)]
pub(crate) struct Handovers {
    found: FxHashMap<InstanceId, Option<Rc<Handover>>>,
}

impl Handovers {
    /// What the threads that start with an instance are handed; `None` if nothing is known.
    pub(crate) fn handover(&mut self, reaching: &mut Reaching<'_, '_>, start: InstanceId) -> Option<Rc<Handover>> {
        if let Some(known) = self.found.get(&start) {
            return known.clone();
        }
        self.found.insert(start, None);
        let found = self.find_handover(reaching, start).map(Rc::new);
        self.found.insert(start, found.clone());
        found
    }

    fn find_handover(&mut self, reaching: &mut Reaching<'_, '_>, start: InstanceId) -> Option<Handover> {
        let creations = Rc::clone(&reaching.view.creations);
        let mut of = creations.all.iter().filter(|c| c.starts.contains(&start));
        let (creation, None) = (of.next()?, of.next()) else { return None };
        let calls: Vec<_> = reaching.view.icfg.incoming(start).map(|(from, e)| (from, e.at)).collect();
        let main = reaching.view.program.main.and_then(|f| reaching.view.points_to.shared_instance(f));
        let is_called = calls.into_iter().any(|(from, at)| !creations.replaces(from, at));
        if is_called || main == Some(start) || reaching.view.points_to.called_from_outside().any(|i| i == start) {
            return None;
        }
        let func = reaching.view.points_to.instances()[creation.from].func;
        let structure = reaching.view.structure(func);
        let loops = LoopForest::new(&structure.cfg);
        let id = loops.innermost(creation.at.block)?;
        if loops.get(id).parent.is_some() || loops.get(id).is_irreducible() {
            return None;
        }
        if !is_called_once(&mut reaching.view, creation.from, 0) && !comes_in_generations(&mut reaching.view, creation)
        {
            return None;
        }
        let making = Making { creation, function: &reaching.view.program.functions[func], structure, loops, id };
        reaching.summarise_callees(&[creation.from]);
        let counted = counted(&mut reaching.view, func, making.loops.get(id))
            .filter(|_| creation.at.block != making.loops.get(id).header);
        let limits = counted.as_ref().and_then(|counted| limits(&making, counted));
        let counter = counted.as_ref().map(|c| c.counter);
        let solution = reaching.solve(Frames::Summary(creation.from), &Entry::default());
        let mut solver = reaching.resume(&solution);
        let argument = solver.operand(creation.argument)?;
        let facts = solver.before(creation.at.block, creation.at.inst as usize)?;
        let (passed, first) = solver.view.pool.split_sum(argument);
        let mut known: Vec<(i64, u32, ExprId)> = Vec::new();
        for (place, fact) in facts.iter() {
            let base = match place.base {
                Base::Symbol(Symbol { value, inside: None, .. }) => solver.register(value),
                Base::Symbol(_) | Base::Global(_) => continue,
            };
            let (base, offset) = solver.view.pool.split_sum(base);
            if base == passed && known.len() < BUDGETS.handed_fields {
                let offset = place.offset.wrapping_add(offset.wrapping_sub(first).cast_signed());
                known.push((offset, place.bytes, fact.value));
            }
        }
        let classify = |pool: &ExprPool, e: ExprId| {
            let is_counter =
                |e| pool.as_symbol(e).is_some_and(|s| s.own_register().is_some() && s.own_register() == counter);
            let counts = match pool.get(e) {
                Expr::Cast { op: CastOp::SExt, a, .. } => is_counter(a),
                _ => is_counter(e),
            };
            if making.is_fixed(e, pool) {
                return Some(Handed::Same);
            }
            let differs = making.differs(e, pool);
            differs.then(|| Handed::Own(limits.filter(|_| counts)))
        };
        let mut found = Handover::default();
        if let Some(Handed::Own(limits)) = classify(&reaching.view.pool, argument) {
            found.argument = limits;
        }
        let Some(apart) = making.apart(reaching.view.program) else { return Some(found) };
        for (offset, bytes, value) in known {
            if let Some(handed) = classify(&reaching.view.pool, value)
                && fits(apart, offset, bytes)
                && self.is_written_for(reaching, start, &making, apart, (offset, bytes))
            {
                found.fields.push(Field { offset, bytes, handed });
            }
        }
        Some(found)
    }

    /// Whether nobody writes a field once there are threads, but the iteration that passes it, in front of the
    /// creation.
    fn is_written_for(
        &mut self,
        reaching: &mut Reaching<'_, '_>,
        start: InstanceId,
        making: &Making<'_>,
        apart: Apart,
        (offset, bytes): (i64, u32),
    ) -> bool {
        let function = &reaching.view.program.functions[reaching.view.points_to.instances()[start].func];
        let Some(&param) = function.params.first() else { return false };
        let info = reaching.view.points_to.pointer_info_in(start, Operand::Value(param));
        let bytes = u64::from(bytes);
        let modref = reaching.view.modref;
        let may = |set: &icsched_pointsto::AccessSet| {
            info.locations.iter().any(|l| modref.touches_at(set, l.object, moved(l.offsets, offset), bytes))
        };
        if info.locations.is_empty() {
            return false;
        }
        for instance in reaching.view.points_to.instances().ids() {
            if !may(modref.set(modref.inside_instance(instance).mods)) {
                continue;
            }
            let func = reaching.view.points_to.instances()[instance].func;
            let function = &reaching.view.program.functions[func];
            for (block, body) in function.blocks.iter() {
                for (index, inst) in body.insts.iter().enumerate() {
                    let at = point(func, block, index);
                    let calls = !reaching.view.points_to.callees(instance, at).is_empty();
                    let mut writes: Vec<Touch> = Vec::new();
                    inst.op.for_each_write(function, |touch| writes.push(touch));
                    let acts = !writes.is_empty() || matches!(inst.op, Op::Call { .. } | Op::Unsupported { .. });
                    if !acts || calls || !may(&modref.of_instruction(instance, at).mods) {
                        continue;
                    }
                    let is_own =
                        instance == making.creation.from && self.is_own_write(reaching, making, at, &writes, apart);
                    if !is_own && is_late(&reaching.view, instance, at) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Whether an instruction of the creator writes what its iteration is going to pass, and nothing else.
    fn is_own_write(
        &mut self,
        reaching: &mut Reaching<'_, '_>,
        making: &Making<'_>,
        at: ProgramPoint,
        writes: &[Touch],
        apart: Apart,
    ) -> bool {
        let [Touch { address, extent: Extent::Bytes(bytes), .. }] = *writes else { return false };
        let inside = making.loops.innermost(at.block) == Some(making.id);
        if !inside || !making.structure.is_before(at, making.creation.at) {
            return false;
        }
        let solution = reaching.solve(Frames::Summary(making.creation.from), &Entry::default());
        let mut solver = reaching.resume(&solution);
        let (Some(argument), Some(address)) = (solver.operand(making.creation.argument), solver.operand(address))
        else {
            return false;
        };
        let (passed, first) = reaching.view.pool.split_sum(argument);
        let (base, offset) = reaching.view.pool.split_sum(address);
        let bytes = u32::try_from(bytes).ok();
        base == passed && bytes.is_some_and(|bytes| fits(apart, offset.wrapping_sub(first).cast_signed(), bytes))
    }

    /// Whether a register of a start function holds what all its threads are handed.
    pub(crate) fn is_handed_same(
        &mut self,
        reaching: &mut Reaching<'_, '_>,
        instance: InstanceId,
        address: Operand,
        bytes: u32,
    ) -> bool {
        if !reaching.view.creations.all.iter().any(|c| c.starts.contains(&instance)) {
            return false;
        }
        let function = &reaching.view.program.functions[reaching.view.points_to.instances()[instance].func];
        let structure = reaching.view.structure(reaching.view.points_to.instances()[instance].func);
        let Some(&param) = function.params.first() else { return false };
        let mut offset = 0i64;
        let mut at = address;
        while at != Operand::Value(param) {
            match at.value().and_then(|v| structure.inst(function, v)).map(|i| &i.op) {
                Some(Op::Address { base, offset: by, indices }) if indices.is_empty() => {
                    (at, offset) = (*base, offset.wrapping_add(*by));
                }
                _ => return false,
            }
        }
        let handover = self.handover(reaching, instance);
        handover.is_some_and(|h| {
            h.fields.iter().any(|f| f.offset == offset && f.bytes == bytes && f.handed == Handed::Same)
        })
    }
}

/// Between what a loop counts, if as signed numbers and from no negative one.
fn limits(making: &Making<'_>, counted: &Counted) -> Option<Limits> {
    use icsched_ir::{IntPredicate, Terminator};
    let (function, structure) = (making.function, &making.structure);
    let width = function.values[counted.counter].ty.bits();
    let Terminator::Branch { condition, .. } = &function.blocks[making.loops.get(making.id).header].terminator else {
        return None;
    };
    let Op::IntCompare { predicate: IntPredicate::Slt, b, .. } = &structure.inst(function, condition.value()?)?.op
    else {
        return None;
    };
    let loaded = b.value().and_then(|value| structure.inst(function, value)).map(|inst| &inst.op);
    let bound = match (counted.bound, loaded) {
        (Bound::Number(bits), _) => Count::Constant(bits),
        (Bound::Variable(place), Some(Op::Load { .. } | Op::Cast { op: CastOp::SExt, .. })) => {
            // One extension of the load at most.
            let is_direct = match loaded {
                Some(Op::Cast { a, .. }) => {
                    let inner = a.value().and_then(|value| structure.inst(function, value));
                    matches!(inner.map(|i| &i.op), Some(Op::Load { .. }))
                }
                _ => true,
            };
            is_direct.then_some(Count::Place(place))?
        }
        _ => return None,
    };
    (counted.start < 1 << (width.min(32) - 1)).then_some(Limits { start: counted.start, bound })
}

/// Whether some bytes are inside of one piece.
fn fits(apart: Apart, offset: i64, bytes: u32) -> bool {
    match apart {
        Apart::Objects => true,
        Apart::Stride(stride) => {
            u64::try_from(offset).is_ok_and(|at| at.checked_add(u64::from(bytes)).is_some_and(|end| end <= stride))
        }
    }
}

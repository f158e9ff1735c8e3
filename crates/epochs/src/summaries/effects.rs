//! What a loop or a recursion may write that is replaced ([`icsched_machine::abstraction`]).

use std::collections::BTreeSet;
use std::sync::Arc;

use icsched_ir::{
    Affine, BlockId, CallStack, Callee, CastOp, CountedLoop, CountedLoops, Definitions, EntityId as _, FuncId,
    Function, Indices, Inst, Leaf, LoopId, Op, Operand, Origin, ProgramPoint, TripCount, Type, ValueId,
};
use icsched_machine::abstraction::{AbstractLoop, AbstractRecursion, Abstractions, Effect, LoopStore, StoredElement};
use icsched_pointsto::{InvariantLoads, ObjectKind, Piece};
use icsched_slicing::recursions::calls;

use super::{ADDRESS, cursors, growing_counters, guards, inputs, latch_tests};
use crate::analyses::Analyses;
use crate::budgets::BUDGETS;
use crate::graph::place;
use crate::setting::Setting;
use crate::summarisable::{Helps, Summarisable};

/// Adds what is summarised from now on.
pub(crate) fn summarise(setting: &Setting<'_>, replaced: &mut Abstractions, wanted: Summarisable) {
    if replaced.exits.is_empty() {
        let functions =
            setting.program.functions.iter().filter(|(_, f)| f.origin == Origin::Program && !f.is_declaration());
        let of_function = |func| {
            setting.statics.control.function(func).quiet_exit.ones().map(move |at| (func, BlockId::from_index(at)))
        };
        replaced.exits = Arc::new(functions.flat_map(|(func, _)| of_function(func)).collect());
    }
    match wanted {
        Summarisable::Loop(func, header) => {
            let line = place(setting.program, &CallStack(vec![ProgramPoint { func, block: header, inst: 0 }]));
            let function = &setting.program.functions[func].name;
            tracing::info!(at = line, function, "a loop is replaced by what it may do");
            let control = setting.statics.control;
            let loops = &control.function(func).loops;
            let is_it =
                |l: LoopId| loops.get(l).header == header && control.is_endless(setting.program, func, loops.get(l));
            if loops.around(header).any(is_it) {
                replaced.endless.insert((func, header));
            }
            replaced.loops.insert((func, header), abstract_loop(setting, func, header));
        }
        Summarisable::Recursion(func) => {
            let recursion = Arc::new(abstract_recursion(setting, func));
            let each = recursion.functions.iter().map(|&f| (f, Arc::clone(&recursion)));
            replaced.recursions.extend(each);
        }
    }
}

/// Whether more is known of what others have written if a loop is summarised: which bytes it may write when control
/// comes to it, for only its induction variables move; or at least, where that is enough, that there are some that it
/// does not write.
pub(crate) fn helps(setting: &Setting<'_>, wanted: Summarisable, when: Helps) -> bool {
    let Summarisable::Loop(func, header) = wanted else { return false };
    let AbstractLoop { effect, counted, cursors, .. } = abstract_loop(setting, func, header);
    let ends = !cursors.is_empty() || counted.is_some_and(|counted| !counted.tests.is_empty());
    let moves = |store: &LoopStore| store.step.is_some();
    let is_known = || effect.writes.is_empty() && !effect.stores.is_empty() && effect.stores.iter().all(moves);
    !effect.everything && (when == Helps::Always || ends && is_known())
}

/// Where what is summarised may write anywhere in objects, however often it goes round, as points-to analysis names
/// places.
pub(crate) fn scattered(setting: &Setting<'_>, replaced: Summarisable) -> Vec<Piece> {
    let Summarisable::Loop(func, header) = replaced else { return Vec::new() };
    let Effect { mut writes, stores, .. } = abstract_loop(setting, func, header).effect;
    writes.extend(stores.into_iter().filter(|store| store.step.is_none()).flat_map(|store| store.writes));
    writes
}

/// A recursion with what its calls of itself may write in any instance of their functions.
fn abstract_recursion(setting: &Setting<'_>, func: FuncId) -> AbstractRecursion {
    let (program, control) = (setting.program, setting.statics.control);
    tracing::info!(function = program.functions[func].name, "a recursion is replaced by what it may do");
    let mut found = AbstractRecursion::default();
    let Some(recursion) = control.unsynchronised_recursion(func) else { return found };
    found.functions.extend(&recursion.functions);
    found.is_looked_into = recursion.fails(program, setting.statics.aliases);
    for at in recursion.functions.iter().flat_map(|&f| calls(program, f)) {
        let call = &program.functions[at.func].blocks[at.block].insts[at.inst as usize];
        let is_inside = match &call.op {
            Op::Call { callee: Callee::Direct(callee), .. } => found.functions.contains(callee),
            Op::Call { callee: Callee::Indirect(_), args } => {
                control.indirect_targets(program, at, args.len()).iter().any(|f| found.functions.contains(f))
            }
            _ => false,
        };
        if is_inside {
            found.calls.insert(at, of_call(setting, &found.functions, at));
        }
    }
    found
}

/// What a call may write of a recursion in itself.
fn of_call(setting: &Setting<'_>, functions: &BTreeSet<FuncId>, at: ProgramPoint) -> Effect {
    let Some(analyses) = setting.analyses else { return Effect { everything: true, ..Effect::default() } };
    let (mut writes, everything) = written(analyses, at.func, at);
    // Locals of this activation have the names of those that the call makes.
    let points_to = analyses.points_to;
    writes.retain(|piece| match points_to.objects()[piece.object].kind {
        ObjectKind::Stack { instance, value } => {
            let func = points_to.instances()[instance].func;
            !functions.contains(&func) || !is_private(&setting.program.functions[func], value)
        }
        _ => true,
    });
    Effect { writes, stores: Vec::new(), everything }
}

/// Whether nobody but its function knows where a local is: its address is only loaded from, stored to, and computed
/// with.
fn is_private(function: &Function, local: ValueId) -> bool {
    let mut addresses = BTreeSet::from([local]);
    loop {
        let before = addresses.len();
        for inst in function.blocks.values().flat_map(|block| &block.insts) {
            let is_address = |operand: &Operand| operand.value().is_some_and(|value| addresses.contains(&value));
            let mut uses = 0_u32;
            inst.op.for_each_operand(|operand| uses += u32::from(is_address(&operand)));
            let harmless = match &inst.op {
                Op::Load { .. } | Op::IntCompare { .. } | Op::MemSet { .. } | Op::MemCopy { .. } => true,
                Op::Store { value, .. } => !is_address(value),
                Op::Address { base, indices, .. } => is_address(base) && !indices.iter().any(|i| is_address(&i.index)),
                _ => false,
            };
            if uses > 0 && !harmless {
                return false;
            }
            if uses > 0 && matches!(inst.op, Op::Address { .. }) {
                addresses.extend(&inst.results);
            }
        }
        if addresses.len() == before {
            break;
        }
    }
    let mut escapes = false;
    for block in function.blocks.values() {
        let mut use_operand = |operand: Operand| escapes |= operand.value().is_some_and(|v| addresses.contains(&v));
        block.terminator.for_each_operand(&mut use_operand);
        block.terminator.edges().flat_map(|edge| &edge.args).for_each(|&arg| use_operand(arg));
    }
    !escapes
}

/// A loop with what it may write in any of its function's instances.
fn abstract_loop(setting: &Setting<'_>, func: FuncId, header: BlockId) -> AbstractLoop {
    let loops = &setting.statics.control.function(func).loops;
    let found = loops.iter().find(|(_, l)| l.header == header);
    let blocks: BTreeSet<BlockId> = found.map(|(_, l)| l.block_ids().collect()).unwrap_or_default();
    let (Some(analyses), Some((id, _))) = (setting.analyses, found) else {
        return AbstractLoop {
            blocks,
            effect: Effect { everything: true, ..Effect::default() },
            invariant: BTreeSet::new(),
            counted: None,
            cursors: Vec::new(),
            growing: Vec::new(),
            latches: Vec::new(),
            guards: Vec::new(),
            inputs: None,
        };
    };
    let counted = count(setting, analyses, func, id);
    let function = &setting.program.functions[func];
    let stores = Stores { function, indices: Indices::new(function), blocks: &blocks, counted: &counted };
    let dominators = &setting.statics.control.function(func).dominators;
    let mut effect = Effect::default();
    for &block in &blocks {
        let is_behind = |test: &TripCount| dominators.strictly_dominates(test.exit.0, block);
        let is_behind_tests = counted.tests.iter().all(is_behind);
        for (inst, at) in function.blocks[block].insts.iter().zip(0..) {
            let point = ProgramPoint { func, block, inst: at };
            let (writes, everything) = written(analyses, func, point);
            effect.everything |= everything;
            match stores.find(&inst.op) {
                Some(found) => effect.stores.push(LoopStore { writes, is_behind_tests, ..found }),
                None => effect.writes.extend(writes),
            }
        }
    }
    let cursors = cursors::of_loop(function, setting.statics.control.function(func), id, &counted);
    let growing = growing_counters::of_loop(function, loops.get(id));
    let inputs = inputs::of_loop(setting, analyses, func, &blocks, header);
    let latches = latch_tests::of_loop(function, &blocks, header);
    let is_indexed = effect.stores.iter().any(|store| store.address.is_some() || store.element.is_some());
    let invariant = if is_indexed { invariant_loads(setting, analyses, func, (id, &blocks)) } else { BTreeSet::new() };
    let guards = guards::of_loop(function, setting.statics.control.function(func), &blocks, header);
    AbstractLoop { blocks, effect, invariant, counted: Some(counted), cursors, growing, latches, guards, inputs }
}

/// Loads of a loop from one place that give the same in all rounds.
fn invariant_loads(
    setting: &Setting<'_>,
    analyses: &Analyses<'_>,
    func: FuncId,
    (id, blocks): (LoopId, &BTreeSet<BlockId>),
) -> BTreeSet<ValueId> {
    let function = &setting.program.functions[func];
    let loads = InvariantLoads::new(analyses.modref, analyses.startup);
    let definitions = Definitions::new(function);
    let is_inside = |value| definitions.block(value).is_some_and(|block| blocks.contains(&block));
    let insts =
        blocks.iter().flat_map(|&block| function.blocks[block].insts.iter().enumerate().map(move |at| (block, at)));
    let is_invariant = |(block, (at, inst)): (BlockId, (usize, &Inst))| {
        let Op::Load { address, access } = &inst.op else { return None };
        let is_one_place = !access.volatile && !address.value().is_some_and(is_inside);
        let value = inst.results.first().copied()?;
        (is_one_place && loads.is_invariant(func, id, block, at)).then_some(value)
    };
    insts.filter_map(is_invariant).collect()
}

/// Where an instruction may write in any instance, and whether it may write anywhere.
fn written(analyses: &Analyses<'_>, func: FuncId, at: ProgramPoint) -> (Vec<Piece>, bool) {
    let mut found = (Vec::new(), false);
    for &instance in analyses.points_to.instances_of(func) {
        let mods = analyses.modref.of_instruction(instance, at).mods;
        found.0.extend(analyses.modref.pieces(&mods));
        found.1 |= mods.is_everything();
    }
    found
}

/// How often a loop goes round.
fn count(setting: &Setting<'_>, analyses: &Analyses<'_>, func: FuncId, id: LoopId) -> CountedLoop {
    let control = setting.statics.control.function(func);
    let loads = InvariantLoads::new(analyses.modref, analyses.startup);
    let is_invariant = |id, block, at| loads.is_invariant(func, id, block, at);
    let function = &setting.program.functions[func];
    let (cfg, dominators, quiet) = (&control.cfg, &control.dominators, &control.quiet_exit);
    CountedLoops::with_loads(function, cfg, dominators, &control.loops, quiet, &is_invariant).get(id).clone()
}

/// The stores of one loop.
struct Stores<'a> {
    function: &'a Function,
    indices: Indices<'a>,
    blocks: &'a BTreeSet<BlockId>,
    counted: &'a CountedLoop,
}

impl Stores<'_> {
    /// What is known of an instruction's address, if it is a store, but for what points-to analysis says.
    fn find(&self, op: &Op) -> Option<LoopStore> {
        let &Op::Store { address, value, .. } = op else { return None };
        let bytes = match value {
            Operand::Value(value) => self.function.values[value].ty.bytes(),
            Operand::Const(value) => value.ty().bytes(),
        };
        let bytes = u64::from(bytes);
        let known = |start, step, reach| LoopStore {
            start,
            step,
            reach,
            address: None,
            element: None,
            is_behind_tests: false,
            bytes,
            writes: Vec::new(),
        };
        let Some(inside) = address.value().filter(|&value| self.is_inside(value)) else {
            return Some(known(Affine::operand(address, ADDRESS)?, Some(Affine::constant(ADDRESS, 0)), None));
        };
        let reach = self.near(inside);
        let element = self.element(inside);
        match self.moving(inside) {
            Some((start, step)) => Some(LoopStore { element, ..known(start, step, reach) }),
            None => {
                let start = reach.as_ref().map(|(first, _)| first.clone()).or_else(|| self.base(inside))?;
                let address = reach.is_none().then_some(inside);
                Some(LoopStore { address, element, ..known(start, None, reach) })
            }
        }
    }

    /// The element at an address, one index of which is a counter of the loop. O(instructions that compute it).
    fn element(&self, mut address: ValueId) -> Option<StoredElement> {
        let mut found: Option<StoredElement> = None;
        let (mut at, mut others) = (0_i64, Vec::new());
        for _ in 0..BUDGETS.address_parts {
            let Op::Address { base, offset, indices } = &self.indices.definitions().inst(self.function, address)?.op
            else {
                return None;
            };
            at = at.checked_add(*offset)?;
            for index in indices {
                match self.counter(index.index) {
                    Some(_) if found.is_some() => return None,
                    Some(counter) => found = Some(StoredElement { scale: index.scale, base: *base, ..counter }),
                    None => others.push((index.index, index.scale)),
                }
            }
            match base.value().filter(|&value| self.is_inside(value) && self.is_address(value)) {
                Some(inner) => address = inner,
                None => return found.map(|element| StoredElement { base: *base, at, others, ..element }),
            }
        }
        None
    }

    fn is_address(&self, value: ValueId) -> bool {
        matches!(self.indices.definitions().inst(self.function, value).map(|inst| &inst.op), Some(Op::Address { .. }))
    }

    /// An index that is a counter of the loop, or more than one by a constant, as it is or extended.
    fn counter(&self, index: Operand) -> Option<StoredElement> {
        let index = index.value()?;
        let (value, extension) = match self.indices.definitions().inst(self.function, index).map(|inst| &inst.op) {
            Some(&Op::Cast { op: extension @ (CastOp::ZExt | CastOp::SExt), a }) => (a.value()?, Some(extension)),
            _ => (index, None),
        };
        let derived = self.counted.derived.iter().find(|derived| derived.value == value && derived.scale == 1);
        let (counter, addend) = match derived {
            Some(derived) => (derived.basic, derived.offset.as_constant()?),
            None => (value, 0),
        };
        let bits = self.function.values[counter].ty.bits();
        let is_counter = self.counted.basic.iter().any(|basic| basic.value == counter);
        let is_whole = bits == self.function.values[value].ty.bits();
        let base = Operand::Value(index);
        (is_counter && is_whole && self.function.values[counter].ty != Type::Ptr).then_some(StoredElement {
            counter,
            bits,
            addend,
            extension,
            scale: 1,
            base,
            at: 0,
            others: Vec::new(),
        })
    }

    fn is_inside(&self, value: ValueId) -> bool {
        self.indices.definitions().block(value).is_some_and(|block| self.blocks.contains(&block))
    }

    /// Where an address starts that moves by the same in each iteration.
    fn moving(&self, address: ValueId) -> Option<(Affine, Option<Affine>)> {
        let of_basic = |value| self.counted.basic.iter().find(|b| b.value == value);
        let (basic, scale, offset) = match self.counted.derived.iter().find(|d| d.value == address) {
            Some(derived) => (of_basic(derived.basic)?, derived.scale, derived.offset.clone()),
            None => (of_basic(address)?, 1, Affine::constant(ADDRESS, 0)),
        };
        if offset.bits() != ADDRESS || basic.step.bits() != ADDRESS {
            return None;
        }
        let start = offset.plus(&Affine::leaf(ADDRESS, Leaf::Initial(basic.value)), scale)?;
        Some((start, Some(Affine::constant(ADDRESS, 0).plus(&basic.step, scale)?)))
    }

    /// Where an address may be that is computed with small indices only: the first one, and the bytes from there to
    /// the last one.
    fn near(&self, address: ValueId) -> Option<(Affine, u64)> {
        let mut reach = self.indices.reach(address)?;
        while let Operand::Value(inner) = reach.base
            && self.is_inside(inner)
        {
            reach = reach.behind(self.indices.reach(inner)?)?;
        }
        let first = Affine::constant(ADDRESS, reach.first.cast_unsigned());
        Some((Affine::operand(reach.base, ADDRESS)?.plus(&first, 1)?, reach.span))
    }

    /// What is known of the object that an address is in: arithmetic does not leave it, or the program is wrong.
    fn base(&self, mut address: ValueId) -> Option<Affine> {
        for _ in 0..self.blocks.len() + 8 {
            let Op::Address { base, .. } = self.indices.definitions().inst(self.function, address)?.op else {
                return None;
            };
            match base {
                Operand::Value(inner) if self.is_inside(inner) => address = inner,
                outside => return Affine::operand(outside, ADDRESS),
            }
        }
        None
    }
}

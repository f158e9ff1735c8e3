//! Threads that come in generations: a function creates some in a loop and joins them all before it returns.
//!
//! The function may be called often. All of these threads that are alive at one time come from one activation. The
//! pattern:
//!
//! 1. Handles go to an array of the function's frame that is used for nothing else: `pthread_create(&a[i], NULL, ...)`,
//!    for `i` from `s` below `n`.
//! 2. Each way from there to the return goes through a loop that calls `pthread_join(a[j], ...)` in each iteration, for
//!    `j` from `s` below `n`.
//! 3. Only the thread that runs `main` gets to the function, and to joins. Nothing is detached.

use icsched_ir::{BlockId, CastOp, Const, Loop, LoopForest, Op, Operand, Origin, Terminator, ValueId};
use icsched_pointsto::InstanceId;

use super::counted::counted;
use crate::code::operation;
use crate::creations::Creation;
use crate::icfg::EdgeKind;
use crate::structure::Structure;
use crate::view::ProgramView;

/// What would make joining a thread return before it has ended.
const OTHER_ENDS: [&str; 6] = [
    "pthread_detach",
    "thrd_detach",
    "thrd_join",
    "pthread_tryjoin_np",
    "pthread_timedjoin_np",
    "pthread_clockjoin_np",
];

/// The loop that joins the threads of a generation.
pub(crate) struct Joined {
    /// The call.
    pub(crate) at: icsched_ir::ProgramPoint,
    pub(crate) counter: ValueId,
    pub(crate) start: u64,
}

/// Whether the threads of a creation that are alive at one time all come from one activation of its function.
pub(crate) fn comes_in_generations(view: &mut ProgramView<'_, '_>, creation: &Creation) -> bool {
    joined(view, creation).is_some()
}

/// Where a creation's function joins all of its threads before it returns.
pub(crate) fn joined(view: &mut ProgramView<'_, '_>, creation: &Creation) -> Option<Joined> {
    let join = view.program.library_function("pthread_join")?;
    let create = view.program.library_function("pthread_create")?;
    let is_called = |name: &&str| {
        let instances = view.program.library_function(name).map(|f| view.points_to.instances_of(f));
        instances.is_some_and(|all| all.iter().any(|&i| view.icfg.incoming(i).next().is_some()))
    };
    let is_model = |f| view.program.functions[f].origin == Origin::Model;
    if !is_model(join) || !is_model(create) || OTHER_ENDS.iter().any(is_called) {
        return None;
    }
    runs_in_main_only(view, creation.from, join).then_some(())?;
    let func = view.points_to.instances()[creation.from].func;
    let (structure, function) = (view.structure(func), &view.program.functions[func]);
    let Some(Op::Call { args, .. }) = operation(view.program, creation.at) else { return None };
    let is_create = view.points_to.callees(creation.from, creation.at).iter();
    let mut is_create = is_create.map(|&i| view.points_to.instances()[i].func);
    let no_attributes = matches!(args.get(1)?, Operand::Const(Const::Bits { bits: 0, .. }));
    (is_create.all(|f| f == create) && no_attributes).then_some(())?;
    let loops = LoopForest::new(&structure.cfg);
    let making = loops.get(loops.innermost(creation.at.block)?);
    let made = counted(view, func, making)?;
    let slot = Slot::of(function, &structure, *args.first()?, made.counter)?;
    let edges: Vec<_> = view.icfg.edges(creation.from).to_vec();
    for edge in edges.iter().filter(|e| view.points_to.instances()[e.to].func == join) {
        let Some(Op::Call { args, .. }) = operation(view.program, edge.at) else { continue };
        let Some(id) = loops.innermost(edge.at.block) else { continue };
        let waiting = loops.get(id);
        let Some(joined) = counted(view, func, waiting) else { continue };
        let loaded = args.first().and_then(|a| structure.inst(function, a.value()?));
        let Some(Op::Load { address, .. }) = loaded.map(|i| &i.op) else { continue };
        let same = joined.bound == made.bound
            && joined.start == made.start
            && Slot::of(function, &structure, *address, joined.counter) == Some(slot);
        // No way leaves the loop but by its header, or ends the process; each iteration gets to the join.
        let leaves = waiting
            .block_ids()
            .filter(|&b| b != waiting.header)
            .any(|b| structure.cfg.successors(b).iter().any(|&s| !waiting.contains(s)));
        let each = waiting.latches.iter().all(|&latch| structure.dominators.dominates(edge.at.block, latch));
        let behind = waiting.header != making.header && is_passed(function, &structure, making, waiting.header);
        if same && !leaves && each && behind && slot.is_used_for(function, &structure, creation, edge.at) {
            return Some(Joined { at: edge.at, counter: joined.counter, start: joined.start });
        }
    }
    None
}

/// Whether no thread but the first gets to a function, nor to joins, nor it to itself.
fn runs_in_main_only(view: &ProgramView<'_, '_>, instance: InstanceId, join: icsched_ir::FuncId) -> bool {
    let others: Vec<InstanceId> = view
        .points_to
        .instances()
        .ids()
        .filter(|&i| view.icfg.incoming(i).any(|(_, e)| e.kind != EdgeKind::Call))
        .chain(view.creations.all.iter().flat_map(|c| c.starts.iter().copied()))
        .collect();
    let elsewhere = view.icfg.called_from(others);
    let inside =
        view.icfg.called_from(view.icfg.edges(instance).iter().filter(|e| e.kind == EdgeKind::Call).map(|e| e.to));
    let func = view.points_to.instances()[instance].func;
    let same = |i: InstanceId, f| view.points_to.instances()[i].func == f;
    !view
        .points_to
        .instances()
        .ids()
        .any(|i| elsewhere[i] && (same(i, join) || same(i, func)) || inside[i] && same(i, func))
        && !view.points_to.called_from_outside().any(|i| same(i, func))
        && !view.points_to.instances().ids().any(|i| same(i, func) && view.interference.may_return_twice(i))
        && view
            .program
            .main
            .and_then(|f| view.points_to.shared_instance(f))
            .is_some_and(|i| !view.interference.may_return_twice(i))
}

/// An element of an array in the frame: `array + offset + scale * counter`.
#[derive(Copy, Clone, PartialEq, Eq)]
struct Slot {
    array: ValueId,
    offset: i64,
    scale: i64,
}

impl Slot {
    fn of(function: &icsched_ir::Function, structure: &Structure, address: Operand, counter: ValueId) -> Option<Self> {
        let Op::Address { base, offset, indices } = &structure.inst(function, address.value()?)?.op else {
            return None;
        };
        let [index] = &indices[..] else { return None };
        let array = base.value()?;
        let is_local = matches!(structure.inst(function, array)?.op, Op::Alloca { .. });
        let mut from = index.index.value()?;
        while let Some(Op::Cast { op: CastOp::SExt | CastOp::ZExt, a }) = structure.inst(function, from).map(|i| &i.op)
        {
            from = a.value()?;
        }
        (is_local && from == counter && index.scale != 0).then_some(Self { array, offset: *offset, scale: index.scale })
    }

    /// Whether the array is used by the creation and loads alone.
    fn is_used_for(
        self,
        function: &icsched_ir::Function,
        structure: &Structure,
        creation: &Creation,
        join: icsched_ir::ProgramPoint,
    ) -> bool {
        let mut only = true;
        for (block, body) in function.blocks.iter() {
            for (inst, index) in body.insts.iter().zip(0u32..) {
                let is_creation = creation.at.block == block && creation.at.inst == index;
                let is_join = join.block == block && join.inst == index;
                inst.op.for_each_operand(|operand| {
                    let Some(value) = operand.value() else { return };
                    let is_element = matches!(
                        structure.inst(function, value).map(|i| &i.op),
                        Some(Op::Address { base, .. }) if base.value() == Some(self.array)
                    );
                    let is_array = value == self.array;
                    let is_fine = match &inst.op {
                        Op::Address { .. } => is_array,
                        Op::Load { .. } => is_element,
                        Op::Call { .. } => is_element && is_creation || is_join,
                        _ => false,
                    };
                    only &= is_fine || !is_array && !is_element;
                });
            }
            let mut passed = body.terminator.edges().flat_map(|e| &e.args).filter_map(|a| a.value());
            only &= !passed.any(|v| {
                v == self.array
                    || matches!(structure.inst(function, v).map(|i| &i.op), Some(Op::Address { base, .. }) if base.value() == Some(self.array))
            });
        }
        only
    }
}

/// Whether each way out of a loop, but those that never return, goes through a block.
fn is_passed(function: &icsched_ir::Function, structure: &Structure, from: &Loop, block: BlockId) -> bool {
    let mut seen = fixedbitset::FixedBitSet::with_capacity(function.blocks.len());
    let mut work = vec![from.header];
    while let Some(next) = work.pop() {
        use icsched_ir::EntityId as _;
        if next == block || seen.put(next.index()) {
            continue;
        }
        if matches!(function.blocks[next].terminator, Terminator::Return(_)) {
            return false;
        }
        work.extend(structure.cfg.successors(next));
    }
    true
}

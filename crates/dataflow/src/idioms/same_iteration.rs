//! Barrier matching: threads in one loop around barriers are in the same iteration (Bergan 2.5.4).
//!
//! Y. Zhang, E. Duesterwald, "Barrier matching for programs with textually unaligned barriers" (2007), compare
//! expressions of the barriers that two threads pass. Deviation: threads' arrivals at one barrier are counted instead
//! of listed. `docs/internals/dataflow.md` has the argument. Where all ways through some code arrive equally often,
//! that number is its *count*. A thread in the k-th iteration of a loop with the count `c` has arrived
//! `before + c * k + inside` times.
//!
//! 1. A barrier is a [cell](crate::patterns::cell), and all waits of the program are at one.
//! 2. Loops that are passed must not wait. (Zhang and Duesterwald, and Bergan, compare their trip counts.)
//! 3. One loop around the point, on the whole stack, waits in it.

use icsched_ir::{BinOp, BlockId, Const, LoopForest, LoopId, Op, Operand, Origin, ValueId};
use icsched_pointsto::InstanceId;
use rustc_hash::FxHashSet;

use super::idiom::{Idiom, Inputs, Invariants, Threads};
use crate::barriers::arrivals::waits_once;
use crate::context::{Status, ThreadContext};
use crate::icfg::EdgeKind;
use crate::patterns::cell::Cell;
use crate::patterns::counted::{creates_in, fixed_variable};
use crate::reaching::walk::Walk;
use crate::state::{Relation, RelationKind};
use crate::symbol::{FrameIndex, Symbol};

/// Where a thread is, in arrivals at one barrier.
struct Standing {
    barrier: Cell,
    frame: FrameIndex,
    instance: InstanceId,
    header: BlockId,
    /// Arrivals before the loop, of one iteration, and since the iteration has started.
    before: u64,
    each: u64,
    inside: u64,
    /// Whether it may have arrived once more, or not.
    between: bool,
    /// The header's parameters that are the same in the same iteration.
    registers: Vec<ValueId>,
}

/// Finds the threads that are in the same iteration of one loop around barriers.
#[derive(Default)]
pub(crate) struct SameIteration;

impl Idiom for SameIteration {
    fn recognise(&mut self, inputs: &mut Inputs<'_, '_, '_>, threads: &Threads<'_>, found: &mut Invariants) {
        if threads.walks.len() < 2 {
            return;
        }
        let mut all: Vec<Option<Standing>> = Vec::new();
        for (thread, walks) in threads.context.threads.iter().zip(threads.walks) {
            let standing = match &walks[..] {
                [walk] => standing(inputs, thread, walk),
                _ => None,
            };
            all.push(standing);
        }
        for (a, one) in all.iter().enumerate() {
            for (b, other) in all.iter().enumerate().skip(a + 1) {
                let (Some(one), Some(other)) = (one, other) else { continue };
                if !in_step(one, other) || !inputs.barriers.is_for_all(inputs.reaching) {
                    continue;
                }
                let view = &mut inputs.reaching.view;
                for &value in &one.registers {
                    let func = view.points_to.instances()[one.instance].func;
                    let width = view.program.functions[func].values[value].ty.bits();
                    let a = (a, view.pool.symbol(Symbol::new(one.frame, value), width));
                    let b = (b, view.pool.symbol(Symbol::new(other.frame, value), width));
                    found.relate(Relation { kind: RelationKind::Equal, a, b });
                }
            }
        }
    }
}

/// Where a thread is, in arrivals at the only barrier; `None` if that is not known.
fn standing(inputs: &mut Inputs<'_, '_, '_>, thread: &ThreadContext, walk: &Walk) -> Option<Standing> {
    let points = &thread.stack.0;
    let barrier = inputs.barriers.only(inputs.reaching)?;
    let mut before = if thread.complete { 0 } else { before_entry(inputs, walk.chain[0], &mut FxHashSet::default())? };
    let mut found: Option<Standing> = None;
    for ((&instance, &point), frame) in walk.chain.iter().zip(points).zip(0..) {
        let func = inputs.reaching.view.program.functions[point.func].origin;
        if func == Origin::Model && frame > 0 && waits_once(&mut inputs.reaching.view, instance) {
            let last = found.as_mut()?;
            last.between = thread.status == Status::Running;
            break;
        }
        let (in_function, loops) = inputs.barriers.arrivals.count_to(&mut inputs.reaching.view, instance, point)?;
        match (&mut found, loops) {
            (Some(found), None) => found.inside += in_function,
            (None, None) => before += in_function,
            (None, Some((id, each, inside))) => {
                found = Some(Standing {
                    barrier,
                    frame,
                    instance,
                    header: LoopForest::new(&inputs.reaching.view.structure(point.func).cfg).get(id).header,
                    before: before + in_function,
                    each,
                    inside,
                    between: false,
                    registers: in_step_registers(inputs, instance, id),
                });
            }
            (Some(_), Some(_)) => return None,
        }
    }
    found
}

/// How often a thread has arrived when an instance starts, whoever calls it; `None` if that differs.
fn before_entry(
    inputs: &mut Inputs<'_, '_, '_>,
    instance: InstanceId,
    seen: &mut FxHashSet<InstanceId>,
) -> Option<u64> {
    if !seen.insert(instance) || inputs.reaching.view.points_to.called_from_outside().any(|i| i == instance) {
        return None;
    }
    let main = inputs.reaching.view.program.main.and_then(|f| inputs.reaching.view.points_to.shared_instance(f));
    let mut all: Option<u64> = (main == Some(instance)).then_some(0);
    let incoming: Vec<_> = inputs.reaching.view.icfg.incoming(instance).collect();
    for (caller, edge) in incoming {
        let before = match edge.kind {
            EdgeKind::Create => 0,
            EdgeKind::Interrupt => return None,
            EdgeKind::Call => match inputs.barriers.arrivals.count_to(&mut inputs.reaching.view, caller, edge.at)? {
                (count, None) => before_entry(inputs, caller, seen)? + count,
                (_, Some(_)) => return None,
            },
        };
        if all.is_some_and(|known| known != before) {
            return None;
        }
        all = Some(before);
    }
    seen.remove(&instance);
    all
}

/// The parameters of a loop's header that are the same in the same iteration of any thread.
///
/// They start with a constant. What is added to them is a constant, or a variable that is only written before there are
/// threads.
fn in_step_registers(inputs: &mut Inputs<'_, '_, '_>, instance: InstanceId, id: LoopId) -> Vec<ValueId> {
    let func = inputs.reaching.view.points_to.instances()[instance].func;
    let function = &inputs.reaching.view.program.functions[func];
    let structure = inputs.reaching.view.structure(func);
    let loops = LoopForest::new(&structure.cfg);
    let l = loops.get(id);
    if creates_in(&inputs.reaching.view, instance, &|block| l.contains(block)) {
        return Vec::new();
    }
    let params = function.blocks[l.header].params.iter().enumerate();
    let candidates: Vec<(usize, ValueId)> = params.map(|(at, &value)| (at, value)).collect();
    let mut found = Vec::new();
    for (position, value) in candidates {
        let mut starts: Vec<Operand> = Vec::new();
        let mut steps: Vec<Operand> = Vec::new();
        for &from in structure.cfg.predecessors(l.header) {
            for edge in function.blocks[from].terminator.edges().filter(|e| e.target == l.header) {
                let list = if l.contains(from) { &mut steps } else { &mut starts };
                list.push(edge.args[position]);
            }
        }
        let is_constant = |o: &Operand| matches!(o, Operand::Const(Const::Bits { .. }));
        let same_start = starts.iter().all(|s| is_constant(s) && *s == starts[0]);
        let [step] = steps[..] else { continue };
        let inst = step.value().and_then(|v| structure.inst(function, v)).map(|i| &i.op);
        let Some(Op::Binary { op: BinOp::Add | BinOp::Sub, a, b, .. }) = inst else {
            continue;
        };
        let grows = *a == Operand::Value(value)
            && (is_constant(b) || fixed_variable(&mut inputs.reaching.view, func, *b).is_some());
        if same_start && grows {
            found.push(value);
        }
    }
    found
}

/// Whether two threads in one loop must be in the same iteration.
fn in_step(a: &Standing, b: &Standing) -> bool {
    let same = a.barrier == b.barrier && a.instance == b.instance && a.header == b.header && a.before == b.before;
    // Whoever has passed more rounds than the other has arrived at: not possible.
    let apart = |x: &Standing, y: &Standing| x.inside + u64::from(x.between) < y.inside + x.each;
    same && apart(a, b) && apart(b, a)
}

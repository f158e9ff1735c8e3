//! When other threads may change memory (Bergan 2.5.4, 2.6.2: conflict-free and shared locations, interference-free regions).
//!
//! A fact about a *conflict-free* place survives everything that other threads do. One about a shared place came from an access of
//! this thread. While the thread does not synchronise, no other one can write there without a data race, since nothing
//! orders that write behind the access. Deviation: a region ends at the first synchronisation, not only at one that releases
//! (Effinger-Dean); other threads run while a model yields.
//!
//! Models are not protected by race freedom but by running without a switch: a thread in the program may be anywhere while another one's
//! model changes a mutex or a stream. So what a model knows of shared places is forgotten when control goes on in the program.

use icsched_ir::{
    Block, BlockId, Callee, Const, Extent, Function, IdVec, Inst, Intrinsic, Op, Operand, Origin, Program,
    ProgramPoint, Touch,
};
use icsched_pointsto::{InstanceId, PointsTo};

use crate::icfg::{EdgeKind, Icfg, point};
use crate::lockset;

/// Which calls may let other threads run, or return twice.
#[derive(Clone, Debug)]
pub(crate) struct Interference {
    /// Instances that may switch threads, in themselves or in what they call.
    switches: IdVec<InstanceId, bool>,
    /// Instances that may save a context to return to, in themselves or in what they call.
    saves: IdVec<InstanceId, bool>,
    /// Instances that may write where nothing is known of, or call what is not known, in themselves or in what they call.
    strays: IdVec<InstanceId, bool>,
    /// Instances that may acquire or release locks, in themselves or in what they call.
    locks: IdVec<InstanceId, bool>,
    /// Instances that may end their thread, in themselves or in what they call.
    ends: IdVec<InstanceId, bool>,
    /// Instances that may create threads, in themselves or in what they call.
    creates: IdVec<InstanceId, bool>,
    /// Instances that may arrive at barriers, in themselves or in what they call.
    arrives: IdVec<InstanceId, bool>,
}

/// Whether executing the operation itself lets other threads run; for calls of functions that is not known here.
pub(crate) fn switches(op: &Op) -> bool {
    match op {
        Op::Fence { .. } => true,
        Op::Call { callee: Callee::Intrinsic(i), .. } => {
            op.may_synchronise()
                || matches!(
                    i,
                    Intrinsic::Yield
                        | Intrinsic::Pause
                        | Intrinsic::Interrupt
                        | Intrinsic::Resume
                        | Intrinsic::ThreadExit
                )
        }
        _ => op.may_synchronise(),
    }
}

impl Interference {
    /// One pass over the instances' instructions, and time in the number of calls.
    pub(crate) fn new(program: &Program, points_to: &PointsTo, icfg: &Icfg) -> Self {
        let has = |test: &dyn Fn(&Op) -> bool| {
            let of_func = |f: &icsched_ir::Function| f.blocks.values().flat_map(|b| &b.insts).any(|i| test(&i.op));
            let funcs: IdVec<icsched_ir::FuncId, bool> = program.functions.values().map(of_func).collect();
            let all: IdVec<InstanceId, bool> = points_to.instances().values().map(|i| funcs[i.func]).collect();
            callers(icfg, all)
        };
        let strays = points_to.instances().iter().map(|(id, instance)| {
            let function = &program.functions[instance.func];
            let strays = |(block, body): (BlockId, &Block)| {
                let mut insts = body.insts.iter().enumerate();
                insts.any(|(at, inst)| stray(points_to, function, id, point(instance.func, block, at), inst))
            };
            function.origin == Origin::Program && function.blocks.iter().any(strays)
        });
        let strays = callers(icfg, strays.collect());
        let locks = has(&|op| lockset::effect(op).is_some());
        Self {
            switches: has(&switches),
            saves: has(&saves_context),
            strays,
            locks,
            ends: has(&ends_thread),
            creates: has(&creates_thread),
            arrives: has(&arrives),
        }
    }

    /// Whether a call of the instance may do something to memory that is not known. Models are taken not to: their pointers are followed,
    /// or null.
    pub(crate) fn may_stray(&self, instance: InstanceId) -> bool {
        self.strays[instance]
    }

    /// Whether a call of the instance may let other threads run.
    pub(crate) fn may_switch(&self, instance: InstanceId) -> bool {
        self.switches[instance]
    }

    /// Whether a call of the instance may change which locks its thread holds.
    pub(crate) fn uses_locks(&self, instance: InstanceId) -> bool {
        self.locks[instance]
    }

    /// Whether a call of the instance may end its thread.
    pub(crate) fn may_end_thread(&self, instance: InstanceId) -> bool {
        self.ends[instance]
    }

    /// Whether a call of the instance may create a thread.
    pub(crate) fn may_create(&self, instance: InstanceId) -> bool {
        self.creates[instance]
    }

    /// Whether a call of the instance may arrive at a barrier.
    pub(crate) fn may_arrive(&self, instance: InstanceId) -> bool {
        self.arrives[instance]
    }

    /// Whether anything uses locks.
    pub(crate) fn any_locks(&self) -> bool {
        self.locks.values().any(|&uses| uses)
    }

    /// Whether control may come back to behind a call of the instance once more.
    pub(crate) fn may_return_twice(&self, instance: InstanceId) -> bool {
        self.saves[instance]
    }
}

/// Whether nothing is known of where a write goes: an error, or what points-to analysis does not follow. Null may be freed.
pub(crate) fn points_nowhere(points_to: &PointsTo, instance: InstanceId, touch: Touch) -> bool {
    let is_global = matches!(touch.address, Operand::Const(Const::Global { .. }));
    let writes = !matches!(touch.extent, Extent::Object | Extent::Bytes(0));
    writes && !is_global && points_to.pointer_info_in(instance, touch.address).locations.is_empty()
}

/// Whether an instruction writes where nothing is known of, or calls what is not known.
fn stray(points_to: &PointsTo, function: &Function, instance: InstanceId, at: ProgramPoint, inst: &Inst) -> bool {
    if let Op::Call { callee: Callee::Indirect(target), .. } = &inst.op {
        let unknown = points_to.pointer_info_in(instance, *target).locations.is_empty();
        return unknown && points_to.callees(instance, at).is_empty();
    }
    let mut strays = matches!(inst.op, Op::Unsupported { .. });
    inst.op.for_each_write(function, |touch| strays |= points_nowhere(points_to, instance, touch));
    strays
}

fn ends_thread(op: &Op) -> bool {
    matches!(op, Op::Call { callee: Callee::Intrinsic(Intrinsic::ThreadExit), .. })
}

fn creates_thread(op: &Op) -> bool {
    matches!(op, Op::Call { callee: Callee::Intrinsic(Intrinsic::ThreadCreate), .. })
}

fn arrives(op: &Op) -> bool {
    matches!(op, Op::Call { callee: Callee::Intrinsic(Intrinsic::BarrierArrive), .. })
}

fn saves_context(op: &Op) -> bool {
    matches!(op, Op::Call { callee: Callee::Intrinsic(Intrinsic::SaveContext), .. })
}

/// Adds to a set of instances those that call one of them.
fn callers(icfg: &Icfg, mut found: IdVec<InstanceId, bool>) -> IdVec<InstanceId, bool> {
    let mut work: Vec<InstanceId> = found.iter().filter(|(_, is)| **is).map(|(id, _)| id).collect();
    while let Some(id) = work.pop() {
        for (from, edge) in icfg.incoming(id) {
            if edge.kind == EdgeKind::Call && !std::mem::replace(&mut found[from], true) {
                work.push(from);
            }
        }
    }
    found
}

//! When other threads may change memory (Bergan 2.5.4, 2.6.2: conflict-free and shared locations, interference-free
//! regions).
//!
//! A fact about a *conflict-free* place survives everything that other threads do. One about a shared place came from
//! an access of this thread. While the thread does not release anything, no other one can write there without a data
//! race, since nothing orders that write behind the access. So a region goes on over acquires (L. Effinger-Dean,
//! "Interference-free regions and their application to compiler optimization and data-race detection", 2012): calls of
//! models that take a lock and let nothing go.
//!
//! Models are not protected by race freedom but by running without a switch. A thread in the program may be anywhere
//! while another one's model changes a mutex or a stream. So what a model knows of shared places is forgotten when
//! control goes on in the program.

use icsched_ir::{
    Block, BlockId, Callee, Const, Extent, Function, IdVec, Inst, Intrinsic, Op, Operand, Origin, Program,
    ProgramPoint, Touch,
};
use icsched_pointsto::{InstanceId, PointsTo};

use crate::code::point;
use crate::icfg::{EdgeKind, Icfg};
use crate::lock_effect;

/// Which calls may let other threads run, or return twice.
#[derive(Clone, Debug)]
pub(crate) struct Interference {
    /// Instances that may switch threads, in themselves or in what they call.
    switches: IdVec<InstanceId, bool>,
    /// Instances that may save a context to return to, in themselves or in what they call.
    saves: IdVec<InstanceId, bool>,
    /// Instances that may write where nothing is known of, or call what is not known, in themselves or in what they
    /// call.
    strays: IdVec<InstanceId, bool>,
    /// Instances that may acquire or release locks, in themselves or in what they call.
    locks: IdVec<InstanceId, bool>,
    /// Instances that may let other threads change what this one has accessed, in themselves or in what they call.
    lets_in: IdVec<InstanceId, bool>,
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

/// Whether executing the operation itself lets other threads run and may order what they do behind what this one has
/// done. What just waits does not, nor the event that a model reports: models that only take a lock have nothing else.
fn releases(op: &Op) -> bool {
    let only_waits = |i: Intrinsic| {
        matches!(i, Intrinsic::Wait | Intrinsic::WaitTimed | Intrinsic::Yield | Intrinsic::Event | Intrinsic::Acquire)
    };
    switches(op) && !matches!(op, Op::Call { callee: Callee::Intrinsic(i), .. } if only_waits(*i))
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
        let locks = has(&|op| lock_effect::of(op).is_some());
        let switching = has(&switches);
        let takes = has(&|op| matches!(op, Op::Call { callee: Callee::Intrinsic(Intrinsic::Acquire), .. }));
        let lets_go = has(&releases);
        let lets_in = lets_in(program, points_to, icfg, &|i| switching[i] && (lets_go[i] || !takes[i]));
        Self {
            switches: switching,
            saves: has(&saves_context),
            strays,
            locks,
            lets_in,
            ends: has(&ends_thread),
            creates: has(&creates_thread),
            arrives: has(&arrives),
        }
    }

    /// Whether a call of the instance may do something to memory that is not known. Models are taken not to: their
    /// pointers are followed, or null.
    pub(crate) fn may_stray(&self, instance: InstanceId) -> bool {
        self.strays[instance]
    }

    /// Whether a call of the instance may let other threads run.
    pub(crate) fn may_switch(&self, instance: InstanceId) -> bool {
        self.switches[instance]
    }

    /// Whether other threads may change what this one has accessed by the time that a call of the instance returns,
    /// without a data race. A model that takes a lock and lets nothing go does not let them, nor does what calls only
    /// such models.
    pub(crate) fn lets_in(&self, instance: InstanceId) -> bool {
        self.lets_in[instance]
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

/// Whether nothing is known of where a write goes: an error, or what points-to analysis does not follow. Null may be
/// freed.
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

/// The instances of [`Interference::lets_in`], given which of the models are.
fn lets_in(
    program: &Program,
    points_to: &PointsTo,
    icfg: &Icfg,
    does_as_model: &dyn Fn(InstanceId) -> bool,
) -> IdVec<InstanceId, bool> {
    let is_model = |i: InstanceId| program.functions[points_to.instances()[i].func].origin == Origin::Model;
    let model_does = |i: InstanceId| is_model(i) && does_as_model(i);
    let does = |i: InstanceId| {
        let function = &program.functions[points_to.instances()[i].func];
        let calls = || icfg.edges(i).iter().any(|e| e.kind == EdgeKind::Call && model_does(e.to));
        let by_itself = || function.blocks.values().flat_map(|b| &b.insts).any(|inst| switches(&inst.op));
        if is_model(i) { model_does(i) } else { by_itself() || calls() }
    };
    let mut found: IdVec<InstanceId, bool> = points_to.instances().ids().map(does).collect();
    let mut work: Vec<InstanceId> = found.iter().filter(|(i, is)| **is && !is_model(*i)).map(|(i, _)| i).collect();
    while let Some(id) = work.pop() {
        let callers = icfg.incoming(id).filter(|(from, e)| e.kind == EdgeKind::Call && !is_model(*from));
        for (from, _) in callers.collect::<Vec<_>>() {
            if !std::mem::replace(&mut found[from], true) {
                work.push(from);
            }
        }
    }
    found
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

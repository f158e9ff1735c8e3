//! Static control-flow facts that slicing and path selection ask for.
//!
//! Three questions (Bergan 3.3.2, 3.4.1.1), each answered once per program:
//!
//! - May this code synchronise (`SyncOpBetween` of figure 3.3)?
//! - Does this block only lead to the end of the process, without synchronising first ("quiet exit")? A branch into
//!   such a block needs no schedule of its own: the shorter schedule is a prefix.
//! - How far is it to the end of the function or of the innermost loop (shortest path first)?

use fixedbitset::FixedBitSet;
use icsched_ir::callgraph::CallGraph;
use icsched_ir::cfg::Cfg;
use icsched_ir::dominators::DomTree;
use icsched_ir::loops::LoopForest;
use icsched_ir::{Block, BlockId, Callee, EntityId, FuncId, Function, IdVec, Inst, Intrinsic, Op, Program, Terminator};
use icsched_symex::machine::exit_function;

/// Facts about one function's blocks.
#[derive(Debug)]
pub struct FunctionControl {
    /// The control-flow graph.
    pub cfg: Cfg,
    /// Postdominators on the graph without quiet exits: what must be reached unless the process ends.
    pub postdominators: DomTree,
    /// Dominators.
    pub dominators: DomTree,
    /// Natural loops.
    pub loops: LoopForest,
    /// Blocks from which the process can end, and neither a return nor synchronisation can be reached.
    pub quiet_exit: FixedBitSet,
    /// Blocks that hold an instruction that may synchronise.
    pub synchronises: FixedBitSet,
    /// Fewest instructions to a return; `u32::MAX` when none is reachable.
    return_distance: IdVec<BlockId, u32>,
    /// Fewest instructions to leave the block's innermost loop.
    loop_distance: IdVec<BlockId, u32>,
}

impl FunctionControl {
    /// Static length of the shortest way from `to`, entered from `from`, to the end of the innermost loop around
    /// `from`, or of the function where there is no such loop.
    pub fn distance(&self, from: BlockId, to: BlockId) -> u32 {
        match self.loops.innermost(from) {
            Some(id) if !self.loops.get(id).contains(to) => 0,
            Some(id) if self.loops.innermost(to) == Some(id) => self.loop_distance[to],
            Some(_) | None => self.return_distance[to],
        }
    }
}

/// Control facts of a whole program.
#[derive(Debug)]
pub struct Control {
    /// The call graph.
    pub calls: CallGraph,
    /// Functions that may synchronise.
    pub may_sync: FixedBitSet,
    /// Functions that never return and never synchronise: they end the process.
    pub ends_process: FixedBitSet,
    functions: IdVec<FuncId, Option<FunctionControl>>,
}

impl Control {
    /// Analyses the program. Linear in its size, but for call-graph closure and loop nesting.
    ///
    /// What is not known may synchronise: instructions that were not lowered, and declared functions unless
    /// `harmless` says that the user or the externals table vouches for them. Without `prefix_schedules` no block counts
    /// as a quiet exit.
    pub fn new(program: &Program, harmless: &dyn Fn(&Function) -> bool, prefix_schedules: bool) -> Self {
        let calls = CallGraph::new(program);
        let may_sync = calls.may_call_transitively(|f| synchronises_itself(program, f, harmless));
        let count = program.functions.len();
        let mut control = Self {
            calls,
            may_sync,
            ends_process: FixedBitSet::with_capacity(count),
            functions: (0..count).map(|_| None).collect(),
        };
        // Callees first, so that `ends_process` is known at every call outside recursion.
        let order: Vec<FuncId> = control.calls.components().iter().flatten().copied().collect();
        for func in order {
            if program.functions[func].is_declaration() {
                if program.functions[func].no_return {
                    control.ends_process.insert(func.index());
                }
                continue;
            }
            let facts = control.analyse(program, func, prefix_schedules);
            if facts.quiet_exit.contains(0) {
                control.ends_process.insert(func.index());
            }
            control.functions[func] = Some(facts);
        }
        control
    }

    /// The facts of a defined function.
    pub fn function(&self, func: FuncId) -> &FunctionControl {
        self.functions[func].as_ref().expect("only defined functions have blocks to ask about")
    }

    /// Whether executing the instruction may synchronise.
    pub fn may_sync(&self, program: &Program, inst: &Inst) -> bool {
        match &inst.op {
            Op::Call { callee: Callee::Intrinsic(i), .. } => synchronises(*i),
            Op::Call { callee: Callee::Direct(f), .. } => self.may_sync.contains(f.index()),
            Op::Call { callee: Callee::Indirect(_), args } => {
                self.calls.indirect_targets(program, args.len()).iter().any(|f| self.may_sync.contains(f.index()))
            }
            op => is_atomic_or_unknown(op),
        }
    }

    fn analyse(&self, program: &Program, func: FuncId, prefix_schedules: bool) -> FunctionControl {
        let function = &program.functions[func];
        let count = function.blocks.len();
        let cfg = Cfg::new(function);
        let mut synchronises = FixedBitSet::with_capacity(count);
        let mut ends = FixedBitSet::with_capacity(count);
        let mut alive = FixedBitSet::with_capacity(count);
        // Returning from main is `exit`, which runs the exit handlers.
        let exits_quietly = exit_function(program).is_none_or(|exit| !self.may_sync.contains(exit.index()));
        let returns_exit = Some(func) == program.main && self.calls.callers(func).is_empty() && exits_quietly;
        for (id, block) in function.blocks.iter() {
            match self.first_effect(program, block) {
                Effect::Synchronises => {
                    synchronises.insert(id.index());
                    alive.insert(id.index());
                }
                Effect::EndsProcess => ends.insert(id.index()),
                Effect::None => match block.terminator {
                    Terminator::Unsupported { .. } => alive.insert(id.index()),
                    Terminator::Return(_) if !returns_exit => alive.insert(id.index()),
                    Terminator::Return(_)
                    | Terminator::Jump(_)
                    | Terminator::Branch { .. }
                    | Terminator::Unreachable => {}
                },
            }
        }
        // Being stuck in a loop is not the end of the process: the other threads go on.
        let mut may_end = ends.clone();
        for (id, block) in function.blocks.iter() {
            let ends_here = match block.terminator {
                Terminator::Return(_) => returns_exit,
                Terminator::Unreachable => true,
                Terminator::Jump(_) | Terminator::Branch { .. } | Terminator::Unsupported { .. } => false,
            };
            may_end.set(id.index(), ends_here || ends.contains(id.index()));
        }
        propagate_backwards(&cfg, &mut may_end, &FixedBitSet::new());
        may_end.toggle_range(..);
        alive.union_with(&may_end);
        propagate_backwards(&cfg, &mut alive, &ends);
        let mut quiet_exit = alive;
        quiet_exit.toggle_range(..);
        if !prefix_schedules {
            quiet_exit.clear();
        }
        let postdominators = DomTree::postdominators(&cfg, &quiet_exit);
        let dominators = DomTree::dominators(&cfg);
        let loops = LoopForest::new(&cfg);
        let weight = |b: BlockId| u32::try_from(function.blocks[b].insts.len()).unwrap_or(u32::MAX) + 1;
        let returns = |b: BlockId| matches!(function.blocks[b].terminator, Terminator::Return(_));
        let return_distance = distances(&cfg, &quiet_exit, weight, returns, |_, _| true);
        let leaves = |b: BlockId| {
            loops.innermost(b).is_some_and(|l| cfg.successors(b).iter().any(|&s| !loops.get(l).contains(s)))
        };
        let within = |from: BlockId, to: BlockId| loops.innermost(from) == loops.innermost(to);
        let loop_distance = distances(&cfg, &quiet_exit, weight, leaves, within);
        FunctionControl {
            cfg,
            postdominators,
            dominators,
            loops,
            quiet_exit,
            synchronises,
            return_distance,
            loop_distance,
        }
    }

    /// The first thing in the block that matters to whoever asks for quiet exits.
    fn first_effect(&self, program: &Program, block: &Block) -> Effect {
        for inst in &block.insts {
            match &inst.op {
                Op::Trap => return Effect::EndsProcess,
                Op::Call { callee: Callee::Intrinsic(Intrinsic::Unsupported), .. } => return Effect::Synchronises,
                Op::Call { callee: Callee::Intrinsic(i), .. } if i.ends_process() => return Effect::EndsProcess,
                Op::Call { callee: Callee::Direct(f), .. } if self.ends_process.contains(f.index()) => {
                    return Effect::EndsProcess;
                }
                _ if self.may_sync(program, inst) => return Effect::Synchronises,
                _ => {}
            }
        }
        Effect::None
    }
}

/// What a model does not have might synchronise.
fn synchronises(intrinsic: Intrinsic) -> bool {
    intrinsic.is_synchronisation() || intrinsic == Intrinsic::Unsupported
}

/// What a block does first.
enum Effect {
    None,
    Synchronises,
    EndsProcess,
}

fn is_atomic_or_unknown(op: &Op) -> bool {
    match op {
        Op::Load { access, .. } | Op::Store { access, .. } => access.atomic.is_some(),
        Op::AtomicRmw { .. } | Op::CompareExchange { .. } | Op::Unsupported { .. } => true,
        _ => false,
    }
}

fn synchronises_itself(program: &Program, func: FuncId, harmless: &dyn Fn(&Function) -> bool) -> bool {
    let function = &program.functions[func];
    if function.is_declaration() {
        return !function.no_return && !harmless(function);
    }
    function.blocks.values().any(|block| {
        matches!(block.terminator, Terminator::Unsupported { .. })
            || block.insts.iter().any(|inst| match &inst.op {
                Op::Call { callee: Callee::Intrinsic(i), .. } => synchronises(*i),
                op => is_atomic_or_unknown(op),
            })
    })
}

/// Adds to `marked` every block that reaches a marked one. Blocks in `barrier` end the process: what stands behind
/// them is not reached.
fn propagate_backwards(cfg: &Cfg, marked: &mut FixedBitSet, barrier: &FixedBitSet) {
    let mut work: Vec<BlockId> = marked.ones().map(BlockId::from_index).collect();
    while let Some(block) = work.pop() {
        for &pred in cfg.predecessors(block) {
            if !barrier.contains(pred.index()) && !marked.put(pred.index()) {
                work.push(pred);
            }
        }
    }
}

/// Shortest distances to the blocks that satisfy `goal`, over edges that satisfy `follow`, by repeated relaxation in
/// postorder (two or three rounds on reducible graphs).
fn distances(
    cfg: &Cfg,
    avoid: &FixedBitSet,
    weight: impl Fn(BlockId) -> u32,
    goal: impl Fn(BlockId) -> bool,
    follow: impl Fn(BlockId, BlockId) -> bool,
) -> IdVec<BlockId, u32> {
    let mut distance: IdVec<BlockId, u32> = IdVec::filled(u32::MAX, cfg.block_count());
    let mut changed = true;
    while changed {
        changed = false;
        for &block in cfg.reverse_postorder().iter().rev() {
            if avoid.contains(block.index()) {
                continue;
            }
            let behind = if goal(block) {
                0
            } else {
                let next = cfg.successors(block).iter().filter(|&&s| follow(block, s)).map(|&s| distance[s]);
                next.min().unwrap_or(u32::MAX)
            };
            let here = behind.saturating_add(weight(block));
            if behind != u32::MAX && here < distance[block] {
                distance[block] = here;
                changed = true;
            }
        }
    }
    distance
}

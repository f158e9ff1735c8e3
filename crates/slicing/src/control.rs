//! Static control-flow facts that slicing and path selection ask for.
//!
//! Three questions (Bergan 3.3.2, 3.4.1.1), each answered once per program:
//!
//! - May this code synchronise (`SyncOpBetween` of figure 3.3)?
//! - Does this block only lead to the end of the process, without synchronising first ("quiet exit")? A branch into
//!   such a block needs no schedule of its own: the shorter schedule is a prefix.
//! - How far is it to the end of the function or of the innermost loop (shortest path first)?

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::OnceLock;

use fixedbitset::FixedBitSet;
use icsched_externals::{Initialised, ResultEffect, Row};
use icsched_ir::callgraph::CallGraph;
use icsched_ir::cfg::Cfg;
use icsched_ir::distance::ExitDistances;
use icsched_ir::dominators::DomTree;
use icsched_ir::loops::{Loop, LoopForest};
use icsched_ir::{
    Block, BlockId, Callee, EntityId, FuncId, Function, IdVec, Inst, Intrinsic, Op, Origin, Program, ProgramPoint,
    Terminator,
};
use icsched_machine::step::exit_function;
use icsched_pointsto::PointsTo;
use rustc_hash::FxHashMap;

use crate::ends_of_process::{QuietEnds, aborts, cancels_anywhere, ends, frees};
use crate::function_control::FunctionControl;
use crate::mutex_kinds::are_told_of_plain_mutexes;
use crate::recursions::UnsynchronisedRecursion;

/// Control facts of a whole program.
#[derive(Debug)]
pub struct Control {
    /// The call graph.
    pub calls: CallGraph,
    /// Functions that may synchronise.
    pub may_sync: FixedBitSet,
    /// Those of them that may do so and go on.
    pub(crate) syncs: FixedBitSet,
    /// Functions that may make a new object of synchronisation whose state is known from nothing else.
    pub(crate) initialise: FixedBitSet,
    /// Functions that may make a lock that is free.
    pub(crate) make_locks: FixedBitSet,
    /// Functions that may allocate memory.
    pub(crate) allocate: FixedBitSet,
    /// Which ends of the process need no schedule of their own.
    pub quiet_ends: QuietEnds,
    /// Functions that never return and never synchronise: they end the process.
    pub ends_process: FixedBitSet,
    /// Functions that may end the process.
    pub(crate) may_end: FixedBitSet,
    /// Functions that may call `abort` or fail an assertion.
    pub(crate) may_abort: FixedBitSet,
    /// Functions in which the program may end the process, by themselves or in what they call. Models that only fail
    /// are none of them.
    pub(crate) leaves: FixedBitSet,
    /// Those in which it may abort.
    pub(crate) leaves_by_abort: FixedBitSet,
    /// Functions that may free something.
    pub(crate) frees: FixedBitSet,
    /// Whether the program asks for threads to be cancelled wherever they are.
    pub cancels_anywhere: bool,
    /// Functions that may go round for ever.
    pub(crate) sticks: FixedBitSet,
    /// Loops that do although they have ways out, which are never taken: by function and header.
    pub(crate) never_left: BTreeSet<(FuncId, BlockId)>,
    /// What calls through pointers may reach, where somebody knows better than the call graph.
    pub(crate) indirect: Option<FxHashMap<ProgramPoint, Vec<FuncId>>>,
    pub(crate) functions: IdVec<FuncId, Option<FunctionControl>>,
    /// Recursions that do not synchronise, and by function which one that is.
    pub(crate) recursions: Vec<UnsynchronisedRecursion>,
    pub(crate) recursion_of: FxHashMap<FuncId, usize>,
}

impl Control {
    /// Analyses the program. Linear in its size, but for call-graph closure and loop nesting.
    ///
    /// What is not known may synchronise: instructions that were not lowered, and declared functions unless
    /// `harmless` says that the user or the externals table vouches for them. Ends of the process
    /// that are not `quiet_ends` count as synchronisation. Calls through pointers reach what
    /// `points_to` says, or every function whose address is taken.
    pub fn new(
        program: &Program,
        harmless: &dyn Fn(&Function) -> bool,
        quiet_ends: QuietEnds,
        points_to: Option<&PointsTo>,
    ) -> Self {
        let indirect = points_to.map(|points_to| indirect_calls(program, points_to));
        let calls = match &indirect {
            Some(known) => CallGraph::with_targets(program, |at| known.get(&at).into_iter().flatten().copied()),
            None => CallGraph::new(program),
        };
        let itself = |f, what: &dyn Fn(&Op) -> bool| synchronises_itself(program, f, harmless, what);
        let counts = |op: &Op| op.may_synchronise() || quiet_ends.leaves_out(op);
        let may_sync = calls.may_call_transitively(|f| itself(f, &counts));
        let syncs = calls.may_call_transitively(|f| itself(f, &|op| op.may_synchronise() && !op.is_unsupported()));
        // A lock of which nobody asks what kind it is is free unless a thread holds it.
        let free = |row: &Row| row.initialises == Some(Initialised::Free) && are_told_of_plain_mutexes(program);
        let by_row = |is: &dyn Fn(&Row) -> bool| {
            let is_it = |f: FuncId| icsched_externals::lookup(program.functions[f].library_name()).is_some_and(is);
            calls.may_call_transitively(is_it)
        };
        let initialise = by_row(&|row| row.initialises.is_some() && !free(row));
        let make_locks = by_row(&free);
        let allocate = by_row(&|row| row.result() == ResultEffect::Fresh);
        let any = |f: FuncId, what: fn(&Op) -> bool| {
            let function = &program.functions[f];
            !function.is_declaration() && function.blocks.values().any(|b| b.insts.iter().any(|inst| what(&inst.op)))
        };
        let may_end = calls.may_call_transitively(|f| any(f, ends));
        let may_abort = calls.may_call_transitively(|f| any(f, aborts));
        let frees = calls.may_call_transitively(|f| any(f, frees));
        let count = program.functions.len();
        let mut control = Self {
            calls,
            may_sync,
            syncs,
            initialise,
            make_locks,
            allocate,
            quiet_ends,
            ends_process: FixedBitSet::with_capacity(count),
            may_end,
            may_abort,
            leaves: FixedBitSet::new(),
            leaves_by_abort: FixedBitSet::new(),
            frees,
            cancels_anywhere: program.functions.values().any(|function| cancels_anywhere(program, function)),
            sticks: FixedBitSet::new(),
            never_left: BTreeSet::new(),
            indirect,
            functions: (0..count).map(|_| None).collect(),
            recursions: Vec::new(),
            recursion_of: FxHashMap::default(),
        };
        control.find_recursions(program);
        // Callees first, so that `ends_process` is known at every call outside recursion.
        let order: Vec<FuncId> = control.calls.components().iter().flatten().copied().collect();
        for func in order {
            if program.functions[func].is_declaration() {
                if program.functions[func].no_return {
                    control.ends_process.insert(func.index());
                }
                continue;
            }
            let facts = control.analyse(program, func);
            if facts.quiet_exit.contains(0) {
                control.ends_process.insert(func.index());
            }
            control.functions[func] = Some(facts);
        }
        let by_itself = |f: FuncId, may: &dyn Fn(&Op) -> bool| {
            let function = &program.functions[f];
            let is_own = function.origin == Origin::Program && !function.is_declaration();
            is_own && function.blocks.values().flat_map(|block| &block.insts).any(|inst| may(&inst.op))
        };
        let is_end = |op: &Op, of: &FixedBitSet| match op {
            Op::Call { callee: Callee::Direct(f), .. } => {
                control.ends_process.contains(f.index()) && of.contains(f.index())
            }
            _ => false,
        };
        let leaves = |f: FuncId| by_itself(f, &|op| ends(op) || is_end(op, &control.ends_process));
        let leaves_by_abort = |f: FuncId| by_itself(f, &|op| aborts(op) || is_end(op, &control.may_abort));
        (control.leaves, control.leaves_by_abort) =
            (control.calls.may_call_transitively(leaves), control.calls.may_call_transitively(leaves_by_abort));
        control
    }

    /// Whether the program may end the process in a function, or in what that calls.
    pub fn may_leave_in(&self, func: FuncId) -> bool {
        self.leaves.contains(func.index())
    }

    /// Whether a block may free something.
    pub fn may_free(&self, program: &Program, func: FuncId, id: BlockId) -> bool {
        self.holds(program, (func, id), &program.functions[func].blocks[id], frees, &self.frees)
    }

    /// Whether a block ends the process, or calls a function of the program that may; and whether it may abort there.
    pub fn may_leave(&self, program: &Program, func: FuncId, id: BlockId) -> (bool, bool) {
        let facts = self.function(func);
        let block = &program.functions[func].blocks[id];
        let calls = |of: &FixedBitSet| {
            (0..)
                .zip(&block.insts)
                .any(|(inst, i)| self.is_among(program, ProgramPoint { func, block: id, inst }, i, of).unwrap_or(false))
        };
        let is_quiet = facts.quiet_exit.contains(id.index());
        let aborts = is_quiet && facts.may_abort.contains(id.index()) || calls(&self.leaves_by_abort);
        (is_quiet || calls(&self.leaves), aborts)
    }

    /// Whether a block begins a loop without a way out, has a test of one that goes round for ever if it goes round,
    /// or calls a function with such a loop.
    pub fn may_stick(&self, program: &Program, func: FuncId, id: BlockId) -> bool {
        let calls = |(inst, i): (u32, &Inst)| {
            let at = ProgramPoint { func, block: id, inst };
            self.is_among(program, at, i, &self.sticks).unwrap_or(false)
        };
        let facts = self.function(func);
        facts.stuck_tests.contains(id.index())
            || facts.endless.contains(id.index())
            || !self.sticks.is_clear() && (0..).zip(&program.functions[func].blocks[id].insts).any(calls)
    }

    /// Recursions of which no function synchronises and goes on.
    fn find_recursions(&mut self, program: &Program) {
        for component in self.calls.components() {
            let is_quiet = |&f: &FuncId| {
                self.calls.is_recursive(f) && !program.functions[f].is_declaration() && !self.syncs.contains(f.index())
            };
            if !component.iter().all(is_quiet) {
                continue;
            }
            let mut functions = component.clone();
            functions.sort_unstable();
            let any = |of: &FixedBitSet| component.iter().any(|f| of.contains(f.index()));
            let initialises = any(&self.initialise) || any(&self.make_locks) && !any(&self.allocate);
            let may_fail = any(&self.may_sync);
            self.recursion_of.extend(component.iter().map(|&f| (f, self.recursions.len())));
            self.recursions.push(UnsynchronisedRecursion { functions, initialises, may_fail, fails: OnceLock::new() });
        }
    }

    /// The recursion that a function is part of, if that does not synchronise.
    pub fn unsynchronised_recursion(&self, func: FuncId) -> Option<&UnsynchronisedRecursion> {
        self.recursion_of.get(&func).map(|&at| &self.recursions[at])
    }

    /// The facts of a defined function.
    pub fn function(&self, func: FuncId) -> &FunctionControl {
        self.functions[func].as_ref().expect("only defined functions have blocks to ask about")
    }

    /// Whether executing the instruction at a point may synchronise.
    pub fn may_sync(&self, program: &Program, at: ProgramPoint, inst: &Inst) -> bool {
        let itself = || inst.op.may_synchronise() || self.quiet_ends.leaves_out(&inst.op);
        self.is_among(program, at, inst, &self.may_sync).unwrap_or_else(itself)
    }

    /// Whether executing the instruction at a point may synchronise, and the path goes on.
    fn syncs(&self, program: &Program, at: ProgramPoint, inst: &Inst) -> bool {
        let itself = || inst.op.may_synchronise() && !inst.op.is_unsupported();
        self.is_among(program, at, inst, &self.syncs).unwrap_or_else(itself)
    }

    /// Whether the call at a point may reach one of these functions; none if it is no call of a function.
    fn is_among(&self, program: &Program, at: ProgramPoint, inst: &Inst, functions: &FixedBitSet) -> Option<bool> {
        match &inst.op {
            Op::Call { callee: Callee::Direct(f), .. } => Some(functions.contains(f.index())),
            Op::Call { callee: Callee::Indirect(_), args } => {
                Some(self.indirect_targets(program, at, args.len()).iter().any(|f| functions.contains(f.index())))
            }
            _ => None,
        }
    }

    /// The functions that the call through a pointer at a point, with this many arguments, may reach.
    pub fn indirect_targets(&self, program: &Program, at: ProgramPoint, args: usize) -> Cow<'_, [FuncId]> {
        match &self.indirect {
            Some(known) => Cow::Borrowed(known.get(&at).map_or(&[], Vec::as_slice)),
            None => Cow::Owned(self.calls.indirect_targets(program, args)),
        }
    }

    fn analyse(&self, program: &Program, func: FuncId) -> FunctionControl {
        let function = &program.functions[func];
        let count = function.blocks.len();
        let cfg = Cfg::new(function);
        let mut may_synchronise = FixedBitSet::with_capacity(count);
        let mut synchronises = FixedBitSet::with_capacity(count);
        let mut initialises = FixedBitSet::with_capacity(count);
        let (mut makes_locks, mut allocates) = (initialises.clone(), initialises.clone());
        let mut ends = FixedBitSet::with_capacity(count);
        let mut alive = FixedBitSet::with_capacity(count);
        // Returning from main is `exit`, which runs the exit handlers.
        let exits_quietly = exit_function(program).is_none_or(|exit| !self.may_sync.contains(exit.index()));
        let returns_exit = Some(func) == program.main && self.calls.callers(func).is_empty() && exits_quietly;
        for (id, block) in function.blocks.iter() {
            let point = |inst| ProgramPoint { func, block: id, inst };
            let syncs = (0..).zip(&block.insts).any(|(at, inst)| self.syncs(program, point(at), inst));
            synchronises.set(id.index(), syncs);
            let calls = |of: &FixedBitSet| {
                (0..).zip(&block.insts).any(|(at, inst)| self.is_among(program, point(at), inst, of).unwrap_or(false))
            };
            initialises.set(id.index(), calls(&self.initialise));
            makes_locks.set(id.index(), calls(&self.make_locks));
            allocates.set(id.index(), calls(&self.allocate));
            match self.first_effect(program, func, id, block) {
                Effect::Synchronises => {
                    may_synchronise.insert(id.index());
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
        if self.quiet_ends == QuietEnds::None {
            quiet_exit.clear();
        }
        let mut may_abort = FixedBitSet::with_capacity(count);
        for (id, block) in function.blocks.iter() {
            may_abort.set(id.index(), self.holds(program, (func, id), block, aborts, &self.may_abort));
        }
        propagate_backwards(&cfg, &mut may_abort, &ends);
        let postdominators = DomTree::postdominators(&cfg, &quiet_exit);
        let dominators = DomTree::dominators(&cfg);
        let loops = LoopForest::new(&cfg);
        let exits = ExitDistances::new(function, &cfg, &loops, &quiet_exit);
        FunctionControl {
            cfg,
            postdominators,
            dominators,
            loops,
            quiet_exit,
            may_abort,
            endless: FixedBitSet::with_capacity(count),
            stuck: FixedBitSet::new(),
            stuck_tests: FixedBitSet::new(),
            sticks_behind: FixedBitSet::new(),
            may_synchronise,
            synchronises,
            initialises,
            makes_locks,
            allocates,
            exits,
        }
    }

    /// Whether a block has such an instruction, or calls one of these functions.
    fn holds(
        &self,
        program: &Program,
        (func, id): (FuncId, BlockId),
        block: &Block,
        what: fn(&Op) -> bool,
        functions: &FixedBitSet,
    ) -> bool {
        (0..).zip(&block.insts).any(|(inst, i)| {
            let at = ProgramPoint { func, block: id, inst };
            what(&i.op) || self.is_among(program, at, i, functions).unwrap_or(false)
        })
    }

    /// Whether a loop that does not synchronise has no way out, and nothing in it may end the process.
    pub fn is_endless(&self, program: &Program, func: FuncId, l: &Loop) -> bool {
        let blocks = &program.functions[func].blocks;
        let may_end = |id: BlockId| self.holds(program, (func, id), &blocks[id], ends, &self.may_end);
        let stays = |id: BlockId| blocks[id].terminator.edges().next().is_some() && !may_end(id);
        let has_no_way_out = l.exits.is_empty() || self.never_left.contains(&(func, l.header));
        has_no_way_out && l.block_ids().all(stays) && l.blocks.is_disjoint(&self.function(func).may_synchronise)
    }

    /// Whether a loop that may go round for ever is told of where it does: it has no way out, or none but tests that
    /// decide about schedules.
    pub fn is_told_of(&self, func: FuncId, header: BlockId) -> bool {
        let facts = self.function(func);
        facts.endless.contains(header.index()) || facts.stuck.contains(header.index())
    }

    /// Whether a loop that was gone round once is never left, whatever else is decided in it: it has no way out, or
    /// asks in each round nothing but what does not change.
    pub fn always_stays(&self, func: FuncId, header: BlockId) -> bool {
        let facts = self.function(func);
        let Some(id) = facts.loops.headed_by(header) else { return false };
        let l = facts.loops.get(id);
        let in_each_round = |from: BlockId| l.latches.iter().all(|&latch| facts.dominators.dominates(from, latch));
        facts.endless.contains(header.index())
            || facts.stuck.contains(header.index()) && l.exits.iter().all(|&(from, _)| in_each_round(from))
    }

    /// Whether the only ways out of a loop are failures: `for (;;) { work(); assert(ok); }`.
    pub fn only_fails(&self, func: FuncId, l: &Loop) -> bool {
        let FunctionControl { quiet_exit, may_abort, .. } = self.function(func);
        let fails = |to: BlockId| quiet_exit.contains(to.index()) && may_abort.contains(to.index());
        !l.exits.is_empty() && l.exits.iter().all(|(_, to)| fails(*to))
    }

    /// The loops of the program that have no way out and do not synchronise, outermost first. O(blocks).
    pub fn endless_loops(&self, program: &Program) -> Vec<(FuncId, BlockId)> {
        let mut found = Vec::new();
        for (func, _) in program.functions.iter().filter(|(_, f)| !f.is_declaration()) {
            let loops = &self.function(func).loops;
            let endless = loops.iter().filter(|(_, l)| l.entries.len() == 1 && self.is_endless(program, func, l));
            found.extend(endless.map(|(_, l)| (func, l.header)));
        }
        found
    }

    /// The first thing in the block that matters to whoever asks for quiet exits.
    fn first_effect(&self, program: &Program, func: FuncId, id: BlockId, block: &Block) -> Effect {
        for (at, inst) in (0..).zip(&block.insts) {
            match &inst.op {
                op if self.quiet_ends.leaves_out(op) => return Effect::Synchronises,
                Op::Trap => return Effect::EndsProcess,
                Op::Call { callee: Callee::Intrinsic(Intrinsic::Unsupported | Intrinsic::RestoreContext), .. } => {
                    return Effect::Synchronises;
                }
                Op::Call { callee: Callee::Intrinsic(i), .. } if i.ends_process() => return Effect::EndsProcess,
                Op::Call { callee: Callee::Direct(f), .. } if self.ends_process.contains(f.index()) => {
                    return Effect::EndsProcess;
                }
                _ if self.may_sync(program, ProgramPoint { func, block: id, inst: at }, inst) => {
                    return Effect::Synchronises;
                }
                _ => {}
            }
        }
        Effect::None
    }
}

/// What a block does first.
enum Effect {
    None,
    Synchronises,
    EndsProcess,
}

/// What each call through a pointer may reach.
fn indirect_calls(program: &Program, points_to: &PointsTo) -> FxHashMap<ProgramPoint, Vec<FuncId>> {
    let mut found = FxHashMap::default();
    for (func, function) in program.functions.iter() {
        for (block, body) in function.blocks.iter() {
            for (inst, i) in (0..).zip(&body.insts) {
                if let Op::Call { callee: Callee::Indirect(_), .. } = i.op {
                    let at = ProgramPoint { func, block, inst };
                    found.insert(at, points_to.call_targets(program, at));
                }
            }
        }
    }
    found
}

/// Whether a function's own instructions are among those asked for. Unlowered terminators count as they do.
fn synchronises_itself(
    program: &Program,
    func: FuncId,
    harmless: &dyn Fn(&Function) -> bool,
    what: &dyn Fn(&Op) -> bool,
) -> bool {
    let function = &program.functions[func];
    if function.is_declaration() {
        return !function.no_return && !harmless(function);
    }
    function.blocks.values().any(|block| {
        matches!(block.terminator, Terminator::Unsupported { .. }) || block.insts.iter().any(|inst| what(&inst.op))
    })
}

/// Adds to `marked` every block that reaches a marked one. Blocks in `barrier` end the process: what stands behind
/// them is not reached.
pub(crate) fn propagate_backwards(cfg: &Cfg, marked: &mut FixedBitSet, barrier: &FixedBitSet) {
    let mut work: Vec<BlockId> = marked.ones().map(BlockId::from_index).collect();
    while let Some(block) = work.pop() {
        for &pred in cfg.predecessors(block) {
            if !barrier.contains(pred.index()) && !marked.put(pred.index()) {
                work.push(pred);
            }
        }
    }
}

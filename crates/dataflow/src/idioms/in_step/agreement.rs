//! Which registers hold the same in threads that execute the same code in the same phases of a barrier.
//!
//! This is the divergence analysis of data-parallel code (B. Coutinho, D. Sampaio, F. Pereira, W. Meira, "Divergence
//! analysis and optimizations", 2011), between threads that meet at barriers instead of at every instruction. What it
//! finds is what Titanium calls single-valued (A. Kamil, K. Yelick, "Concurrency analysis for parallel programs with
//! textually aligned barriers", 2005). `docs/internals/dataflow.md` has the argument.
//!
//! 1. A block is *apart* if one thread may execute it where another one does not. Such blocks are between a branch on
//!    what may differ and where its sides join. All registers of such blocks may differ, and those that choose between
//!    the sides.
//! 2. Loads from one address in one phase give the same at a *quiet* point. There, nothing but the barrier has
//!    synchronised the thread since the phase began. A write in between would be a data race.
//! 3. Where code that is apart waits, threads get out of step: all code behind it is *lost*.

use std::rc::Rc;

use fixedbitset::FixedBitSet;
use icsched_ir::{
    BlockId, Callee, Cfg, Const, DomTree, EntityId, Function, IdVec, Inst, Op, Operand, Origin, ProgramPoint,
    Terminator, ValueId,
};
use icsched_pointsto::InstanceId;
use rustc_hash::FxHashMap;

use crate::barriers::arrivals::waits_once;
use crate::budgets::BUDGETS;
use crate::code::{is_plain, point, returned};
use crate::icfg;
use crate::idioms::idiom::Inputs;
use crate::interference;
use crate::structure::Structure;

/// Where two threads are known to be in step, and what is the same for both there.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Start {
    pub(super) instance: InstanceId,
    /// Behind this wait, instead of at the start of the function.
    pub(super) behind: Option<ProgramPoint>,
    /// The parameters that are the same.
    pub(super) params: Vec<bool>,
    /// Whether nothing but the barrier has synchronised the threads since their phase began.
    pub(super) quiet: bool,
}

/// What is the same in one function.
#[derive(Debug)]
pub(super) struct Agreement {
    differs: IdVec<ValueId, bool>,
    /// Blocks that one thread may execute where the other does not.
    apart: IdVec<BlockId, bool>,
    /// Blocks that start behind a wait that not all threads may have been at.
    lost: IdVec<BlockId, bool>,
    /// Per block the first call behind which threads may be out of step, where there is one.
    lost_behind: FxHashMap<BlockId, u32>,
    /// Blocks that control never returns from.
    doomed: FixedBitSet,
    /// Calls that are quiet.
    quiet_calls: FxHashMap<ProgramPoint, bool>,
    /// What is the same in what calls have called.
    inside: FxHashMap<ProgramPoint, Rc<Agreement>>,
    results: Vec<bool>,
    /// Whether each return of one thread is one by the other.
    ends_together: bool,
    /// Threads may be out of step behind the function.
    loses: bool,
    quiet_at_end: bool,
}

impl Agreement {
    /// Whether threads that are at a point have been in step up to there.
    pub(super) fn is_in_step(&self, at: ProgramPoint) -> bool {
        let is_behind = self.lost_behind.get(&at.block).is_some_and(|&call| call < at.inst);
        !self.lost[at.block] && !is_behind && !self.doomed.contains(at.block.index())
    }

    /// Whether each execution of a point by one thread is one by the other.
    pub(super) fn is_together(&self, at: ProgramPoint) -> bool {
        self.is_in_step(at) && !self.apart[at.block]
    }

    /// Whether a register has the same value for all.
    pub(super) fn is_same(&self, value: ValueId) -> bool {
        !self.differs[value]
    }

    /// Whether a register of what calls inside one another have called last had the same value for all.
    pub(super) fn is_same_inside(&self, calls: &[ProgramPoint], value: ValueId) -> bool {
        let [call, calls @ ..] = calls else { return self.ends_together && self.is_same(value) };
        let behind = ProgramPoint { inst: call.inst + 1, ..*call };
        self.is_together(*call)
            && self.is_in_step(behind)
            && self.inside.get(call).is_some_and(|i| i.ends_together && i.is_same_inside(calls, value))
    }

    pub(super) fn is_quiet(&self, at: ProgramPoint) -> bool {
        self.quiet_calls.get(&at).copied().unwrap_or(false)
    }

    pub(super) fn is_same_operand(&self, program: &icsched_ir::Program, operand: Operand) -> bool {
        match operand {
            Operand::Value(value) => self.is_same(value),
            Operand::Const(Const::Undef(_) | Const::Block { .. }) => false,
            Operand::Const(Const::Global { global, .. }) => !program.globals[global].thread_local,
            Operand::Const(Const::Bits { .. } | Const::Func(_)) => true,
        }
    }
}

/// What was found, by where threads are in step.
#[derive(Default)]
pub(super) struct Agreements {
    found: FxHashMap<Start, Option<Rc<Agreement>>>,
}

impl Agreements {
    /// What is the same for threads that are in step at `start`; `None` if nothing can be said.
    pub(super) fn find(&mut self, inputs: &mut Inputs<'_, '_, '_>, start: &Start, depth: u32) -> Option<Rc<Agreement>> {
        if let Some(known) = self.found.get(start) {
            return known.clone();
        }
        if depth > BUDGETS.agreement_calls || inputs.reaching.view.interference.may_return_twice(start.instance) {
            return None;
        }
        // Of a function that calls itself nothing is known inside.
        self.found.insert(start.clone(), None);
        let found = Rc::new(Search::new(inputs, self, start, depth).run());
        self.found.insert(start.clone(), Some(Rc::clone(&found)));
        Some(found)
    }
}

struct Search<'a, 'b, 'm, 'p> {
    inputs: &'a mut Inputs<'b, 'm, 'p>,
    agreements: &'a mut Agreements,
    start: &'a Start,
    depth: u32,
    function: &'p Function,
    func: icsched_ir::FuncId,
    structure: Rc<Structure>,
    postdominators: DomTree,
    found: Agreement,
    /// Signal handlers of the program may synchronise and write at any time.
    has_handlers: bool,
    /// Per block whether its end is quiet.
    quiet: IdVec<BlockId, bool>,
    changed: bool,
}

impl<'a, 'b, 'm, 'p> Search<'a, 'b, 'm, 'p> {
    fn new(inputs: &'a mut Inputs<'b, 'm, 'p>, agreements: &'a mut Agreements, start: &'a Start, depth: u32) -> Self {
        let view = &mut inputs.reaching.view;
        let func = view.points_to.instances()[start.instance].func;
        let function = &view.program.functions[func];
        let structure = view.structure(func);
        let doomed = doomed(function, &structure.cfg);
        let mut differs = IdVec::filled(false, function.values.len());
        for (at, &param) in function.params.iter().enumerate() {
            differs[param] = !start.params.get(at).copied().unwrap_or(false);
        }
        let is_outside = |b: BlockId| {
            start.behind.is_some_and(|at| !structure.dominators.dominates(at.block, b))
                || !structure.cfg.is_reachable(b)
        };
        let apart: IdVec<BlockId, bool> = function.blocks.ids().map(is_outside).collect();
        let has_handlers = {
            let origin = |i: InstanceId| view.program.functions[view.points_to.instances()[i].func].origin;
            let run = view.icfg.called_from(view.icfg.handlers());
            run.iter().any(|(i, &may_run)| may_run && origin(i) == Origin::Program)
        };
        Self {
            inputs,
            agreements,
            start,
            depth,
            function,
            func,
            postdominators: DomTree::postdominators(&structure.cfg, &doomed),
            structure,
            found: Agreement {
                differs,
                lost: IdVec::filled(false, apart.len()),
                lost_behind: FxHashMap::default(),
                apart,
                doomed,
                quiet_calls: FxHashMap::default(),
                inside: FxHashMap::default(),
                ends_together: true,
                results: Vec::new(),
                loses: false,
                quiet_at_end: true,
            },
            has_handlers,
            quiet: IdVec::filled(true, function.blocks.len()),
            changed: false,
        }
    }

    fn run(mut self) -> Agreement {
        let structure = Rc::clone(&self.structure);
        loop {
            self.changed = false;
            for &block in structure.cfg.reverse_postorder() {
                if !self.found.doomed.contains(block.index()) {
                    self.block(block);
                }
            }
            if !self.changed {
                break;
            }
        }
        self.results();
        self.found
    }

    fn block(&mut self, block: BlockId) {
        let body = &self.function.blocks[block];
        let mut quiet = self.enter(block);
        for (index, inst) in body.insts.iter().enumerate() {
            let at = point(self.func, block, index);
            if self.start.behind.is_some_and(|b| b.block == block && b.inst as usize >= index) {
                // Of what comes before the wait nothing is known.
                inst.results.iter().for_each(|&r| self.differ(r));
                quiet = true;
                continue;
            }
            let same = self.instruction(at, inst, &mut quiet);
            for (position, &result) in inst.results.iter().enumerate() {
                if self.found.apart[block]
                    || !self.found.is_in_step(point(self.func, block, index + 1))
                    || !same.get(position).copied().unwrap_or(false)
                {
                    self.differ(result);
                }
            }
        }
        self.changed |= std::mem::replace(&mut self.quiet[block], quiet) != quiet;
        if let Terminator::Branch { condition, .. } = &body.terminator
            && (self.found.apart[block] || !self.is_same(*condition))
            && !self.found.lost[block]
        {
            self.part(block);
        }
    }

    /// The parameters of a block, and whether its start is quiet.
    fn enter(&mut self, block: BlockId) -> bool {
        let (function, structure) = (self.function, Rc::clone(&self.structure));
        let is_first = block.index() == 0;
        let mut quiet = !is_first || self.start.quiet;
        for &from in structure.cfg.predecessors(block) {
            quiet &= self.quiet[from];
            for edge in function.blocks[from].terminator.edges().filter(|e| e.target == block) {
                for (&param, &arg) in function.blocks[block].params.iter().zip(&edge.args) {
                    if !self.is_same(arg) {
                        self.differ(param);
                    }
                }
            }
        }
        if self.found.apart[block] || self.is_start(block) {
            function.blocks[block].params.iter().for_each(|&p| self.differ(p));
        }
        quiet
    }

    /// Whether the wait is in a block behind which threads are in step.
    fn is_start(&self, block: BlockId) -> bool {
        self.start.behind.is_some_and(|at| at.block == block)
    }

    fn is_same(&self, operand: Operand) -> bool {
        self.found.is_same_operand(self.inputs.reaching.view.program, operand)
    }

    fn differ(&mut self, value: ValueId) {
        self.changed |= !std::mem::replace(&mut self.found.differs[value], true);
    }

    /// Which results of an instruction are the same; keeps up whether the point is quiet.
    fn instruction(&mut self, at: ProgramPoint, inst: &Inst, quiet: &mut bool) -> Vec<bool> {
        match &inst.op {
            Op::Call { callee: callee @ (Callee::Direct(_) | Callee::Indirect(_)), args } => {
                return self.call(at, callee, args, quiet);
            }
            Op::Load { address, access } if is_plain(*access) => {
                return vec![self.loads_same(*address, inst.results[0], *quiet)];
            }
            op if op.is_computation() => {
                let mut same = true;
                op.for_each_operand(|operand| same &= self.is_same(operand));
                return vec![same; inst.results.len()];
            }
            op => {
                if interference::switches(op) {
                    *quiet = false;
                }
            }
        }
        Vec::new()
    }

    /// Whether all threads of a phase load the same: from one address, or what they were handed. Models are not
    /// protected by race freedom.
    fn loads_same(&mut self, address: Operand, result: ValueId, quiet: bool) -> bool {
        let origin = self.function.origin;
        if !self.is_same(address) {
            let bytes = self.function.values[result].ty.bytes();
            return self.inputs.handovers.is_handed_same(self.inputs.reaching, self.start.instance, address, bytes);
        }
        if quiet && origin == Origin::Program && !self.has_handlers {
            return true;
        }
        let bytes = u64::from(self.function.values[result].ty.bytes());
        let info = self.inputs.reaching.view.points_to.pointer_info_in(self.start.instance, address);
        let (modref, late) = (self.inputs.reaching.view.modref, self.inputs.reaching.view.startup.late_writes());
        let is_fixed = |l: &icsched_pointsto::Location| {
            matches!(
                self.inputs.reaching.view.points_to.objects()[l.object].kind,
                icsched_pointsto::ObjectKind::Global(_)
            ) && !modref.touches_at(late, l.object, l.offsets, bytes)
        };
        self.inputs.reaching.view.program.main.is_some()
            && !info.locations.is_empty()
            && info.locations.iter().all(is_fixed)
    }

    fn call(&mut self, at: ProgramPoint, callee: &Callee, args: &[Operand], quiet: &mut bool) -> Vec<bool> {
        self.found.quiet_calls.insert(at, *quiet);
        let (program, points_to) = (self.inputs.reaching.view.program, self.inputs.reaching.view.points_to);
        let targets = icfg::callees(program, points_to, self.start.instance, at, callee);
        let arrives = targets.instances.iter().any(|&i| self.inputs.reaching.view.interference.may_arrive(i));
        let single = match targets.instances[..] {
            [one] if !targets.others => Some(one),
            _ => None,
        };
        if arrives && self.found.apart[at.block] {
            self.lose(at);
        }
        if let Some(one) = single.filter(|&one| waits_once(&mut self.inputs.reaching.view, one)) {
            let _ = one;
            *quiet = true;
            return Vec::new();
        }
        let is_program = |i: InstanceId| program.functions[points_to.instances()[i].func].origin == Origin::Program;
        let inside = single.filter(|&one| arrives || is_program(one)).and_then(|one| {
            let params = args.iter().map(|&arg| self.is_same(arg)).collect();
            let start = Start { instance: one, behind: None, params, quiet: *quiet };
            self.agreements.find(self.inputs, &start, self.depth + 1)
        });
        let twice = targets.instances.iter().any(|&i| self.inputs.reaching.view.interference.may_return_twice(i));
        if arrives && inside.as_ref().is_none_or(|i| i.loses) || twice {
            self.lose(at);
        }
        let switches = targets.others && targets.instances.is_empty()
            || targets.instances.iter().any(|&i| self.inputs.reaching.view.interference.may_switch(i))
            || self.inputs.reaching.view.region(self.start.instance, at).synchronises;
        if switches {
            *quiet = arrives && inside.as_ref().is_some_and(|i| i.quiet_at_end);
        }
        let Some(inside) = inside else {
            self.found.inside.remove(&at);
            return Vec::new();
        };
        let results = inside.results.clone();
        self.found.inside.insert(at, inside);
        results
    }

    /// Threads may be out of step behind a call, until they come to where they start in step.
    fn lose(&mut self, call: ProgramPoint) {
        self.found.loses = true;
        let first = self.found.lost_behind.entry(call.block).or_insert(call.inst);
        *first = (*first).min(call.inst);
        let mut work: Vec<BlockId> = self.structure.cfg.successors(call.block).to_vec();
        while let Some(block) = work.pop() {
            if !self.is_start(block) && !std::mem::replace(&mut self.found.lost[block], true) {
                self.changed = true;
                self.found.apart[block] = true;
                work.extend(self.structure.cfg.successors(block));
            }
        }
    }

    /// Threads may leave a block by different edges.
    fn part(&mut self, block: BlockId) {
        let structure = Rc::clone(&self.structure);
        let join = self.postdominators.immediate(block);
        let mut between = FixedBitSet::with_capacity(self.function.blocks.len());
        between.insert(block.index());
        let mut work: Vec<BlockId> = structure.cfg.successors(block).to_vec();
        while let Some(next) = work.pop() {
            // What is behind the wait is in step from there on.
            let ends = Some(next) == join || self.is_start(next) || self.found.doomed.contains(next.index());
            if ends || next != block && between.put(next.index()) {
                continue;
            }
            self.changed |= !std::mem::replace(&mut self.found.apart[next], true);
            if next != block {
                work.extend(structure.cfg.successors(next));
            }
        }
        let Some(join) = join else { return };
        let function = self.function;
        for (position, &param) in function.blocks[join].params.iter().enumerate() {
            let sides = structure.cfg.predecessors(join).iter().filter(|from| between.contains(from.index()));
            let edges = sides.flat_map(|&from| function.blocks[from].terminator.edges());
            let mut passed = edges.filter(|e| e.target == join).map(|e| e.args[position]);
            let first = passed.next();
            if passed.any(|other| Some(other) != first) {
                self.differ(param);
            }
        }
    }

    fn results(&mut self) {
        let mut all: Option<Vec<bool>> = None;
        for (block, body) in self.function.blocks.iter() {
            let Some(values) = returned(&body.terminator) else { continue };
            if !self.structure.cfg.is_reachable(block) {
                continue;
            }
            self.found.quiet_at_end &= self.quiet[block];
            let end = point(self.func, block, body.insts.len());
            let together = self.found.is_together(end);
            self.found.ends_together &= together;
            let same: Vec<bool> = values.iter().map(|&v| together && self.is_same(v)).collect();
            all = Some(match all {
                None => same,
                Some(all) => all.iter().zip(same).map(|(a, b)| *a && b).collect(),
            });
        }
        self.found.results = all.unwrap_or_default();
    }
}

/// The blocks that control never returns from, nor goes on in for ever.
fn doomed(function: &Function, cfg: &Cfg) -> FixedBitSet {
    let mut doomed = FixedBitSet::with_capacity(function.blocks.len());
    loop {
        let mut changed = false;
        for &block in cfg.reverse_postorder().iter().rev() {
            let ends = !matches!(function.blocks[block].terminator, Terminator::Return(_));
            if ends && cfg.successors(block).iter().all(|s| doomed.contains(s.index())) {
                changed |= !doomed.put(block.index());
            }
        }
        if !changed {
            return doomed;
        }
    }
}

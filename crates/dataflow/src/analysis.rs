//! The analysis of one program: what is looked up or remembered while functions are solved.

use std::cell::Cell as Flag;
use std::rc::Rc;

use icsched_ir::{BlockId, Cfg, Definition, DomTree, FuncId, IdVec, LoopForest, Program, ProgramPoint, ValueId};
use icsched_pointsto::{InstanceId, ModRef, PointsTo, Region, SetId, Startup};
use rustc_hash::FxHashMap;

use crate::agreement::Agreements;
use crate::counter::{Cell, Numbers};
use crate::creation::Creations;
use crate::expr::{ExprId, ExprPool};
use crate::facts::{Fact, Facts};
use crate::function::Entry;
use crate::handover::Handover;
use crate::held::Held;
use crate::icfg::Icfg;
use crate::interference::Interference;
use crate::locks::Locks;
use crate::lockset::LockSummary;
use crate::place::{Frames, Place, Places, Reach};
use crate::state::BarrierCount;
use crate::summary::Summary;

/// What is known of an instance's summary.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    /// Not computed.
    No,
    /// `None`: its calls never return, as far as is known.
    Yes(Option<Rc<Summary>>),
}

/// Control structure of one function.
pub(crate) struct Structure {
    pub(crate) cfg: Cfg,
    pub(crate) dominators: DomTree,
    pub(crate) loops: LoopForest,
    definitions: icsched_ir::Definitions,
}

impl Structure {
    pub(crate) fn new(function: &icsched_ir::Function) -> Self {
        let cfg = Cfg::new(function);
        let dominators = DomTree::dominators(&cfg);
        let loops = LoopForest::new(&cfg);
        Self { cfg, dominators, loops, definitions: icsched_ir::Definitions::new(function) }
    }

    /// The instruction that gives a register its value, by block and number.
    pub(crate) fn computed_at(&self, value: ValueId) -> Option<(BlockId, usize)> {
        match self.definitions.of(value)? {
            Definition::Inst(block, index) => Some((block, index)),
            Definition::Argument(_) | Definition::Parameter(..) => None,
        }
    }

    /// Whether a register has its value whenever control is at the start of `block`, and has had it since before it last got there.
    pub(crate) fn is_defined_before(&self, value: ValueId, block: BlockId) -> bool {
        match self.definitions.of(value) {
            Some(Definition::Argument(_)) => true,
            Some(Definition::Parameter(at, _) | Definition::Inst(at, _)) => {
                self.dominators.strictly_dominates(at, block)
            }
            None => false,
        }
    }

    /// Whether a register has its value when control is in front of the instruction with this index of `block`.
    pub(crate) fn is_defined_at(&self, value: ValueId, block: BlockId, index: usize) -> bool {
        match self.definitions.of(value) {
            Some(Definition::Inst(at, position)) if at == block => position < index,
            Some(Definition::Parameter(at, _)) if at == block => true,
            _ => self.is_defined_before(value, block),
        }
    }

    /// Whether control has been at one point on all ways to another one, and not again since the other one's block was last entered.
    pub(crate) fn is_before(&self, at: ProgramPoint, other: ProgramPoint) -> bool {
        self.dominators.strictly_dominates(at.block, other.block) || at.block == other.block && at.inst < other.inst
    }

    /// What defines a value.
    pub(crate) fn definition(&self, value: ValueId) -> Option<Definition> {
        self.definitions.of(value)
    }

    /// The instruction of the function that defines a value.
    pub(crate) fn inst<'f>(&self, function: &'f icsched_ir::Function, value: ValueId) -> Option<&'f icsched_ir::Inst> {
        self.definitions.inst(function, value)
    }
}

/// Reaching definitions of one program (Bergan 2.6.2). Summaries and look-ups are kept between contexts.
pub struct Analysis<'m, 'p> {
    pub(crate) program: &'p Program,
    pub(crate) points_to: &'p PointsTo,
    pub(crate) modref: &'m ModRef<'p>,
    pub(crate) startup: &'m Startup,
    pub(crate) pool: ExprPool,
    pub(crate) places: Places<'m, 'p>,
    pub(crate) icfg: Icfg,
    pub(crate) interference: Interference,
    pub(crate) creations: Rc<Creations>,
    pub(crate) summaries: IdVec<InstanceId, Known>,
    pub(crate) lock_summaries: IdVec<InstanceId, LockSummary>,
    /// What may be held when an instance starts, where that was asked.
    pub(crate) lock_entries: IdVec<InstanceId, Option<Locks>>,
    /// What threads that have ended may have left taken, once that was asked.
    pub(crate) abandoned: Option<Held>,
    /// The barrier that all waits are at, if there is one, once that was asked.
    #[allow(clippy::option_option, reason = "not asked, or no such barrier")]
    pub(crate) only_barrier: Option<Option<Cell>>,
    /// How often instances arrive at barriers, where that was asked and is a number.
    pub(crate) totals: FxHashMap<InstanceId, Option<u64>>,
    /// Whether each way through an instance arrives at barriers, where that was asked.
    pub(crate) always_arrives: FxHashMap<InstanceId, bool>,
    /// What is the same for threads in step, where that was asked.
    pub(crate) agreements: Agreements,
    /// Registers with numbers from counters, once that was asked.
    pub(crate) numbers: Option<Numbers>,
    /// What the threads that start with an instance are handed, where that was asked.
    pub(crate) handovers: FxHashMap<InstanceId, Option<Rc<Handover>>>,
    /// What barriers may expect, once that was asked.
    pub(crate) barriers: Option<Vec<BarrierCount>>,
    /// What holds when an instance starts, if it is [`entered`](Self::entered); `None` if no way leads to it.
    pub(crate) entries: IdVec<InstanceId, Option<Entry>>,
    pub(crate) entered: IdVec<InstanceId, bool>,
    /// What may be written at any time: by signal handlers.
    asynchronous: Vec<SetId>,
    /// Asked in every round of a fixpoint; see [`interrupted_by`](Self::interrupted_by).
    interrupted: Option<&'m dyn Fn() -> bool>,
    /// Whether the answer was yes.
    is_interrupted: Flag<bool>,
    structures: FxHashMap<FuncId, Rc<Structure>>,
    regions: FxHashMap<(InstanceId, ProgramPoint), Rc<Region>>,
}

impl<'m, 'p> Analysis<'m, 'p> {
    /// Nothing solved yet; makes the [`Icfg`].
    pub fn new(modref: &'m ModRef<'p>, startup: &'m Startup) -> Self {
        let (program, points_to) = (modref.program(), modref.points_to());
        let icfg = Icfg::new(program, points_to);
        let mut asynchronous: Vec<SetId> =
            icfg.handlers().into_iter().map(|i| modref.inside_instance(i).mods).collect();
        asynchronous.sort_unstable();
        asynchronous.dedup();
        Self {
            program,
            points_to,
            modref,
            pool: ExprPool::default(),
            places: Places::new(modref, startup),
            interference: Interference::new(program, points_to, &icfg),
            creations: Rc::new(Creations::new(program, points_to, &icfg)),
            icfg,
            summaries: IdVec::filled(Known::No, points_to.instances().len()),
            lock_summaries: IdVec::filled(LockSummary::No, points_to.instances().len()),
            abandoned: None,
            only_barrier: None,
            totals: FxHashMap::default(),
            always_arrives: FxHashMap::default(),
            agreements: Agreements::default(),
            numbers: None,
            startup,
            handovers: FxHashMap::default(),
            barriers: None,
            lock_entries: IdVec::filled(None, points_to.instances().len()),
            entries: IdVec::new(),
            entered: IdVec::filled(false, points_to.instances().len()),
            asynchronous,
            interrupted: None,
            is_interrupted: Flag::new(false),
            structures: FxHashMap::default(),
            regions: FxHashMap::default(),
        }
    }

    /// The same, asking now and then whether to go on. When `interrupted` is true, everything ends soon, and what is said from then
    /// on is wrong: [`is_interrupted`](Self::is_interrupted).
    #[must_use]
    pub fn interrupted_by(self, interrupted: &'m dyn Fn() -> bool) -> Self {
        Self { interrupted: Some(interrupted), ..self }
    }

    /// Whether the analysis was interrupted.
    pub fn is_interrupted(&self) -> bool {
        self.is_interrupted.get()
    }

    /// Asks whether to end; once it was so, it stays so.
    pub(crate) fn is_to_end(&self) -> bool {
        if !self.is_interrupted.get() && self.interrupted.is_some_and(|ask| ask()) {
            self.is_interrupted.set(true);
        }
        self.is_interrupted.get()
    }

    /// The expressions that facts are made of.
    pub fn pool(&self) -> &ExprPool {
        &self.pool
    }

    /// The expressions that facts are made of, when nothing more is asked.
    pub fn into_pool(self) -> ExprPool {
        self.pool
    }

    /// What pointers of the program point to.
    pub fn points_to(&self) -> &'p PointsTo {
        self.points_to
    }

    /// How control gets from function to function.
    pub fn icfg(&self) -> &Icfg {
        &self.icfg
    }

    pub(crate) fn structure(&mut self, func: FuncId) -> Rc<Structure> {
        let function = &self.program.functions[func];
        Rc::clone(self.structures.entry(func).or_insert_with(|| Rc::new(Structure::new(function))))
    }

    /// What an instruction of an instance may do to memory.
    pub(crate) fn region(&mut self, instance: InstanceId, at: ProgramPoint) -> Rc<Region> {
        let modref = self.modref;
        let region = self.regions.entry((instance, at));
        Rc::clone(region.or_insert_with(|| Rc::new(modref.of_instruction(instance, at))))
    }

    /// Which objects a place may be in; `None` if not enough is known of it.
    pub(crate) fn reach(&mut self, frames: &Frames, place: Place) -> Option<Rc<Reach>> {
        self.places.reach(&self.pool, frames, place)
    }

    /// Remembers that a place holds a value, if enough is known of the place to see when that ends.
    pub(crate) fn define(&mut self, facts: &mut Facts, frames: &Frames, place: Place, value: ExprId) {
        let Some(reach) = self.reach(frames, place) else { return };
        let bytes = u64::from(place.bytes);
        let (modref, asynchronous) = (self.modref, &self.asynchronous);
        let at_any_time = reach.targets.iter().any(|&(object, offsets)| {
            asynchronous.iter().any(|&set| modref.touches_at(modref.set(set), object, offsets, bytes))
        });
        if !at_any_time {
            facts.insert(place, Fact { value, reach });
        }
    }
}

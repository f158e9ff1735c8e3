//! One program with what is looked up about it: every analysis of the crate reads it, and it uses none of them.

use std::cell::Cell;
use std::rc::Rc;

use icsched_ir::{FuncId, Program, ProgramPoint};
use icsched_pointsto::{InstanceId, ModRef, PointsTo, Region, SetId, Startup};
use rustc_hash::FxHashMap;

use crate::creations::Creations;
use crate::expr::ExprPool;
use crate::icfg::Icfg;
use crate::interference::Interference;
use crate::place::{Frames, Place, Places, Reach};
use crate::structure::Structure;

/// A program, and what the analyses share: control flow, effects, places and expressions. Look-ups are kept.
pub(crate) struct ProgramView<'m, 'p> {
    pub(crate) program: &'p Program,
    pub(crate) points_to: &'p PointsTo,
    pub(crate) modref: &'m ModRef<'p>,
    pub(crate) startup: &'m Startup,
    pub(crate) pool: ExprPool,
    pub(crate) places: Places<'m, 'p>,
    pub(crate) icfg: Icfg,
    pub(crate) interference: Interference,
    pub(crate) creations: Rc<Creations>,
    /// What may be written at any time: by signal handlers.
    asynchronous: Vec<SetId>,
    /// Asked in every round of a fixpoint whether to stop.
    interrupted: Option<&'m dyn Fn() -> bool>,
    /// Whether the answer was yes.
    is_interrupted: Cell<bool>,
    structures: FxHashMap<FuncId, Rc<Structure>>,
    regions: FxHashMap<(InstanceId, ProgramPoint), Rc<Region>>,
}

impl<'m, 'p> ProgramView<'m, 'p> {
    /// Makes the control-flow graph between functions, and what is asked of calls. O(instructions of all instances).
    pub(crate) fn new(modref: &'m ModRef<'p>, startup: &'m Startup) -> Self {
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
            startup,
            pool: ExprPool::default(),
            places: Places::new(modref, startup),
            interference: Interference::new(program, points_to, &icfg),
            creations: Rc::new(Creations::new(program, points_to, &icfg)),
            icfg,
            asynchronous,
            interrupted: None,
            is_interrupted: Cell::new(false),
            structures: FxHashMap::default(),
            regions: FxHashMap::default(),
        }
    }

    /// Stops every fixpoint soon once `interrupted` is true.
    pub(crate) fn interrupt_by(&mut self, interrupted: &'m dyn Fn() -> bool) {
        self.interrupted = Some(interrupted);
    }

    /// Whether a fixpoint was stopped.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.is_interrupted.get()
    }

    /// Asks whether to stop; after the first yes the answer stays yes.
    pub(crate) fn is_to_end(&self) -> bool {
        if !self.is_interrupted.get() && self.interrupted.is_some_and(|ask| ask()) {
            self.is_interrupted.set(true);
        }
        self.is_interrupted.get()
    }

    /// The control structure of a function.
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

    /// Whether a signal handler may write one of the places that something can be.
    pub(crate) fn is_written_any_time(&self, reach: &Reach, bytes: u64) -> bool {
        let (modref, asynchronous) = (self.modref, &self.asynchronous);
        reach.targets.iter().any(|&(object, offsets)| {
            asynchronous.iter().any(|&set| modref.touches_at(modref.set(set), object, offsets, bytes))
        })
    }
}

//! Counters that give every thread a number of its own: `lock; id = next; next = id + 1; unlock`.
//!
//! Where a store adds a number to what was just loaded from the same variable, and nothing else writes there once there are threads, no
//! two executions load the same. For without data races, loads and stores of two threads are ordered; and since a thread does not synchronise
//! between its load and its store (that the variable still holds what was loaded is a fact about a shared place, and
//! these end at synchronisation), what is ordered before its store is before its load. So the pairs follow one another, and each loads what the
//! one before has stored. (After 2^width executions the counter would be back; no program creates that many numbers.)

use std::collections::BTreeMap;

use icsched_ir::{Const, Definition, Op, Operand, ProgramPoint, ValueId};
use icsched_pointsto::InstanceId;

use crate::analysis::Analysis;
use crate::expr::Expr;
use crate::fold::signed;
use crate::function::{Entry, Solver};
use crate::icfg::{EdgeKind, point};
use crate::place::{Base, Frames, Place};
use crate::symbol::{SUMMARISED, Symbol};

/// One variable, the same for all threads.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Cell {
    /// Some bytes of a global.
    Global(Place),
    /// Some bytes from where a pointer variable points that is written before there are threads only.
    Behind { pointer: Place, offset: i64, bytes: u32 },
}

/// A store that adds to what was loaded.
struct Step {
    instance: InstanceId,
    at: ProgramPoint,
    loaded: ValueId,
    cell: Cell,
    up: bool,
}

/// The registers that numbers of counters are loaded to.
pub(crate) type Numbers = BTreeMap<(InstanceId, ValueId), Cell>;

impl Analysis<'_, '_> {
    /// The registers that hold what no other thread has loaded from the same counter.
    pub(crate) fn find_numbers(&mut self) -> Numbers {
        let mut steps = Vec::new();
        // In a library everything runs with several threads, and callers may write what they like.
        let ids = self.points_to.instances().ids().filter(|_| self.program.main.is_some());
        for instance in ids.collect::<Vec<_>>() {
            if self.has_candidates(instance) {
                self.steps(instance, &mut steps);
            }
        }
        let mut numbers = Numbers::default();
        for step in &steps {
            let same: Vec<&Step> = steps.iter().filter(|s| s.cell == step.cell).collect();
            if same.iter().all(|s| s.up == step.up) && self.is_only_stepped(step, &same) {
                numbers.insert((step.instance, step.loaded), step.cell);
            }
        }
        numbers
    }

    /// Whether something adds a number to a loaded one and stores it, in a function that runs when there are threads.
    fn has_candidates(&mut self, instance: InstanceId) -> bool {
        use icsched_ir::BinOp;
        let func = self.points_to.instances()[instance].func;
        let function = &self.program.functions[func];
        if !self.startup.entered_late(instance) {
            return false;
        }
        let structure = self.structure(func);
        let insts = function.blocks.values().flat_map(|b| &b.insts);
        let inst_of = |operand: Operand| structure.inst(function, operand.value()?);
        insts.filter_map(|inst| if let Op::Store { value, .. } = &inst.op { inst_of(*value) } else { None }).any(
            |inst| {
                let Op::Binary { op: BinOp::Add | BinOp::Sub, a, .. } = &inst.op else { return false };
                inst_of(*a).is_some_and(|inst| matches!(inst.op, Op::Load { .. }))
            },
        )
    }

    fn steps(&mut self, instance: InstanceId, found: &mut Vec<Step>) {
        self.summarise_callees(&[instance]);
        let func = self.points_to.instances()[instance].func;
        let structure = self.structure(func);
        let solution = Solver::new(self, Frames::Summary(instance)).solve(&Entry::default());
        let mut solver = Solver::resume(self, &solution);
        let function = solver.function;
        for (block, body) in function.blocks.iter() {
            for (index, inst) in body.insts.iter().enumerate() {
                let Op::Store { address, value, .. } = &inst.op else { continue };
                let bytes = function.type_of(*value).bytes();
                let (Some(place), Some(value)) = (solver.place(*address, bytes), solver.operand(*value)) else {
                    continue;
                };
                let Some(facts) = solver.before(block, index) else { continue };
                let pool = &solver.analysis.pool;
                let (base, by) = pool.split_sum(value);
                let (Expr::Symbol { symbol, width }, true) = (pool.get(base), by != 0) else { continue };
                let holds = facts.get(place).is_some_and(|fact| fact.value == base);
                // In one block, so that no way leads past the store.
                let loads = structure
                    .definition(symbol.value)
                    .is_some_and(|d| symbol.inside.is_none() && matches!(d, Definition::Inst(at, _) if at == block))
                    && structure.inst(function, symbol.value).is_some_and(|i| matches!(i.op, Op::Load { .. }));
                if !holds || !loads || solver.loaded_from(symbol.value) != Some(place) {
                    continue;
                }
                let up = signed(width, by) > 0;
                let at = point(func, block, index);
                found.extend(solver.cell(place).map(|cell| Step { instance, at, loaded: symbol.value, cell, up }));
            }
        }
    }

    /// Whether nothing but steps of its counter writes a variable once there are threads.
    fn is_only_stepped(&mut self, step: &Step, steps: &[&Step]) -> bool {
        let Op::Store { address, value, .. } =
            &self.program.functions[step.at.func].blocks[step.at.block].insts[step.at.inst as usize].op
        else {
            return false;
        };
        let bytes = u64::from(self.program.functions[step.at.func].type_of(*value).bytes());
        let info = self.points_to.pointer_info_in(step.instance, *address);
        if info.locations.is_empty() {
            return false;
        }
        for instance in self.points_to.instances().ids() {
            let effects = self.modref.inside_instance(instance).mods;
            let may = |set: &icsched_pointsto::AccessSet| {
                info.locations.iter().any(|l| self.modref.touches_at(set, l.object, l.offsets, bytes))
            };
            if !may(self.modref.set(effects)) {
                continue;
            }
            let func = self.points_to.instances()[instance].func;
            let function = &self.program.functions[func];
            for (block, body) in function.blocks.iter() {
                for (index, inst) in body.insts.iter().enumerate() {
                    let at = point(func, block, index);
                    let is_step = steps.iter().any(|s| s.instance == instance && s.at == at);
                    let calls = !self.points_to.callees(instance, at).is_empty();
                    let mut writes = matches!(inst.op, Op::Call { .. } | Op::Unsupported { .. });
                    inst.op.for_each_write(function, |_| writes = true);
                    if !writes || is_step || calls {
                        continue;
                    }
                    if may(&self.modref.of_instruction(instance, at).mods) && self.is_late(instance, at) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Whether a point may be executed when there are, or have been, several threads.
    pub(crate) fn is_late(&self, instance: InstanceId, at: ProgramPoint) -> bool {
        if self.startup.entered_late(instance) {
            return true;
        }
        let edges = self.icfg.edges(instance).iter();
        let creating = edges.filter(|e| e.kind != EdgeKind::Call || self.interference.may_create(e.to));
        creating.map(|e| e.at).any(|from| self.behind(from).0.contains(&at))
    }
}

impl Solver<'_, '_, '_> {
    /// The place that a load reads.
    fn loaded_from(&mut self, loaded: ValueId) -> Option<Place> {
        let (function, structure) = (self.function, std::rc::Rc::clone(&self.structure));
        let Op::Load { address, .. } = structure.inst(function, loaded)?.op else { return None };
        self.place(address, function.values[loaded].ty.bytes())
    }

    /// The same for a symbol; in an activation that has returned, if it is a variable with a name.
    fn pointer_loaded_from(&mut self, symbol: Symbol) -> Option<Place> {
        let Some(path) = symbol.inside else { return self.loaded_from(symbol.value) };
        let func = self.analysis.pool.path(path).func;
        let (function, structure) = (&self.analysis.program.functions[func], self.analysis.structure(func));
        let Op::Load { address: Operand::Const(Const::Global { global, offset }), .. } =
            structure.inst(function, symbol.value)?.op
        else {
            return None;
        };
        Some(Place { base: Base::Global(global), offset, bytes: function.values[symbol.value].ty.bytes() })
    }

    /// A place as a variable that is the same for all threads.
    pub(crate) fn cell(&mut self, place: Place) -> Option<Cell> {
        match place.base {
            Base::Global(_) => Some(Cell::Global(place)),
            Base::Symbol(symbol) if symbol.frame == SUMMARISED => {
                let pointer = self.pointer_loaded_from(symbol)?;
                let is_fixed = matches!(pointer.base, Base::Global(_))
                    && self.analysis.reach(&self.frames, pointer).is_some_and(|r| r.early_only);
                is_fixed.then_some(Cell::Behind { pointer, offset: place.offset, bytes: place.bytes })
            }
            Base::Symbol(_) => None,
        }
    }
}

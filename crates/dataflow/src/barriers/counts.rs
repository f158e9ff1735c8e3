//! How many threads barriers may have been told to expect: `B^cnts` (Bergan 2.5.3, 2.5.4).
//!
//! Every initialisation that the program can make counts, even one that comes after the context. So more counts are
//! allowed than are possible. A count is followed from the model to the program's call. It ends at a number, or at a
//! variable that held it then and is never written again.

use icsched_ir::{Callee, CastOp, Intrinsic, Op, Operand, ProgramPoint};
use icsched_pointsto::{InstanceId, ObjectId, Offsets};
use rustc_hash::FxHashSet;

use crate::budgets::BUDGETS;
use crate::code::{operation, point};
use crate::expr::{Expr, ExprId};
use crate::icfg::{Edge, EdgeKind};
use crate::patterns::late::behind;
use crate::place::{Base, Frames, Place};
use crate::reaching::solved::Reaching;
use crate::state::{BarrierCount, Count};
use crate::symbol::Symbol;

/// An initialisation of a barrier, or a call that leads to one: the operands that tell which, and how many.
struct Initialisation {
    instance: InstanceId,
    at: ProgramPoint,
    barrier: Operand,
    count: Operand,
}

/// Where a count comes from.
enum Source {
    Count(Count),
    /// It is this parameter of the function.
    Parameter(usize),
}

/// What initialisations of barriers say, once that was asked.
#[derive(Default)]
pub(crate) struct BarrierCounts {
    found: Option<Vec<BarrierCount>>,
}

impl BarrierCounts {
    /// What the program may tell barriers to expect.
    pub(crate) fn all(&mut self, reaching: &mut Reaching<'_, '_>) -> Vec<BarrierCount> {
        if let Some(known) = &self.found {
            return known.clone();
        }
        let mut found = Vec::new();
        for instance in reaching.view.points_to.instances().ids() {
            for (at, barrier, count) in self.initialisations(reaching, instance) {
                self.follow_count(reaching, &Initialisation { instance, at, barrier, count }, 0, &mut found);
            }
        }
        self.found = Some(found.clone());
        found
    }

    fn initialisations(
        &self,
        reaching: &mut Reaching<'_, '_>,
        instance: InstanceId,
    ) -> Vec<(ProgramPoint, Operand, Operand)> {
        let func = reaching.view.points_to.instances()[instance].func;
        let mut found = Vec::new();
        for (block, body) in reaching.view.program.functions[func].blocks.iter() {
            for (index, inst) in body.insts.iter().enumerate() {
                if let Op::Call { callee: Callee::Intrinsic(Intrinsic::BarrierInit), args } = &inst.op {
                    found.push((point(func, block, index), args[0], args[1]));
                }
            }
        }
        found
    }

    fn follow_count(
        &mut self,
        reaching: &mut Reaching<'_, '_>,
        init: &Initialisation,
        calls: u32,
        found: &mut Vec<BarrierCount>,
    ) {
        let count = match self.source(reaching, init) {
            None => return,
            Some(Source::Count(count)) => count,
            Some(Source::Parameter(position)) if calls < BUDGETS.count_calls => {
                if let Some(callers) = self.callers_of(reaching, init, position) {
                    for caller in callers {
                        self.follow_count(reaching, &caller, calls + 1, found);
                    }
                    return;
                }
                Count::Any
            }
            Some(Source::Parameter(_)) => Count::Any,
        };
        let info = reaching.view.points_to.pointer_info_in(init.instance, init.barrier);
        let barriers: Vec<(ObjectId, Offsets)> = info.locations.iter().map(|l| (l.object, l.offsets)).collect();
        let entry = BarrierCount { barriers, count };
        if !found.contains(&entry) {
            found.push(entry);
        }
    }

    /// What the count is where a barrier is initialised; `None` if control does not get there.
    fn source(&mut self, reaching: &mut Reaching<'_, '_>, init: &Initialisation) -> Option<Source> {
        reaching.enter(&[init.instance]);
        let entry = reaching.entries[init.instance].clone()?;
        let solution = reaching.solve(Frames::Stack(vec![init.instance]), &entry);
        let mut solver = reaching.resume(&solution);
        let facts = solver.before(init.at.block, init.at.inst as usize)?;
        let Some(value) = solver.operand(init.count) else { return Some(Source::Count(Count::Any)) };
        if let Some(bits) = reaching.view.pool.as_constant(value) {
            return Some(Source::Count(Count::Constant(bits)));
        }
        let bytes = reaching.view.pool.width(value) / 8;
        // The low bytes of a wider place are at its start.
        let whole = match reaching.view.pool.get(value) {
            Expr::Cast { op: CastOp::Trunc, a, .. } => a,
            _ => value,
        };
        let holds = facts.iter().filter(|(place, fact)| {
            matches!(place.base, Base::Global(_))
                && place.bytes == reaching.view.pool.width(fact.value) / 8
                && (fact.value == value || fact.value == whole)
                && fact.reach.early_only
        });
        let places: Vec<Place> = holds.map(|(&place, _)| Place { bytes, ..place }).collect();
        let lasting =
            places.into_iter().find(|&place| !self.may_be_written_after(reaching, init.instance, init.at, place));
        if let Some(place) = lasting {
            return Some(Source::Count(Count::Place(place)));
        }
        let function = &reaching.view.program.functions[init.at.func];
        let is = |value: ExprId, param| reaching.view.pool.as_symbol(value) == Some(Symbol::new(0, param));
        let position = function.params.iter().position(|&param| is(value, param));
        Some(position.map_or(Source::Count(Count::Any), Source::Parameter))
    }

    /// The calls of the function that an initialisation is in, with what they pass; `None` if these are not known.
    fn callers_of(
        &self,
        reaching: &mut Reaching<'_, '_>,
        init: &Initialisation,
        count: usize,
    ) -> Option<Vec<Initialisation>> {
        let function = &reaching.view.program.functions[init.at.func];
        let barrier = init.barrier.value().and_then(|v| function.params.iter().position(|&param| param == v));
        let edges: Vec<(InstanceId, Edge)> = reaching.view.icfg.incoming(init.instance).collect();
        let from_outside = reaching.view.points_to.called_from_outside().any(|i| i == init.instance);
        let is_root = reaching.view.program.main == Some(init.at.func)
            || reaching.view.program.constructors.contains(&init.at.func)
            || reaching.view.program.destructors.contains(&init.at.func);
        if from_outside || is_root || edges.is_empty() || edges.iter().any(|(_, e)| e.kind != EdgeKind::Call) {
            return None;
        }
        let mut callers = Vec::new();
        for (instance, edge) in edges {
            let Some(Op::Call { args, .. }) = operation(reaching.view.program, edge.at) else { return None };
            let barrier = barrier.map_or(Some(init.barrier), |position| args.get(position).copied())?;
            // What is no parameter has its meaning in the function that was left.
            if init.barrier.value().is_some() && !self.is_parameter(reaching, init) {
                return None;
            }
            callers.push(Initialisation { instance, at: edge.at, barrier, count: *args.get(count)? });
        }
        Some(callers)
    }

    fn is_parameter(&self, reaching: &mut Reaching<'_, '_>, init: &Initialisation) -> bool {
        init.barrier.value().is_some_and(|v| reaching.view.program.functions[init.at.func].params.contains(&v))
    }

    /// Whether the thread that is behind a point may write a place before it ends. Other threads do not.
    fn may_be_written_after(
        &mut self,
        reaching: &mut Reaching<'_, '_>,
        instance: InstanceId,
        at: ProgramPoint,
        place: Place,
    ) -> bool {
        let Some(reach) = reaching.view.reach(&Frames::Stack(Vec::new()), place) else { return true };
        let mut seen: FxHashSet<(InstanceId, ProgramPoint)> = FxHashSet::default();
        let mut work = vec![(instance, at)];
        while let Some((instance, at)) = work.pop() {
            if !seen.insert((instance, at)) {
                continue;
            }
            let (points, returns) = behind(&reaching.view, at);
            for behind in points {
                let region = reaching.view.region(instance, behind);
                let modref = reaching.view.modref;
                let touches = |&(object, offsets): &(ObjectId, Offsets)| {
                    modref.touches_at(&region.mods, object, offsets, u64::from(place.bytes))
                };
                if reach.targets.iter().any(touches) {
                    return true;
                }
            }
            if returns {
                // Functions that are called in other ways write late, or never.
                work.extend(
                    reaching
                        .view
                        .icfg
                        .incoming(instance)
                        .filter(|(_, e)| e.kind == EdgeKind::Call)
                        .map(|(i, e)| (i, e.at)),
                );
            }
        }
        false
    }
}

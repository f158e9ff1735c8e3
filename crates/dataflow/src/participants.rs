//! Whether no more threads ever wait at a barrier than it expects: then each round of it is made by all of them.
//!
//! Counted are the thread that runs `main` and the creations of threads, of those that can get to a wait at any barrier: a creation that is
//! executed once is one thread, one in a loop is as many as the loop allows, if that runs once or its threads come in [generations](crate::generations).

use icsched_ir::{BlockId, CastOp, Const, LoopForest, Op, Operand};
use icsched_pointsto::InstanceId;

use crate::analysis::{Analysis, Structure};
use crate::creation::Creation;
use crate::generations::Bound;
use crate::icfg::EdgeKind;
use crate::place::{Base, Frames, Place};
use crate::state::{BarrierCount, Count};

/// How many threads a creation makes at most.
enum Made {
    /// This many.
    Number(u64),
    /// What the variable holds, less this, if that is not negative.
    UpTo(Place, u64),
}

impl Analysis<'_, '_> {
    /// Whether at most `count` threads wait at barriers.
    pub(crate) fn are_all_expected(&mut self, count: Count) -> bool {
        let creations = std::rc::Rc::clone(&self.creations);
        let arrives = |this: &Self, i: InstanceId| this.interference.may_arrive(i);
        let raw = self.points_to.instances().ids().any(|i| {
            arrives(self, i)
                && self.icfg.incoming(i).any(|(_, e)| e.kind != EdgeKind::Call)
                && !self.icfg.edges(i).iter().any(|e| self.creations.replaces(i, e.at))
        });
        // Threads that are created in another way are not counted.
        let constructors = &self.program.constructors;
        let before_main =
            constructors.iter().any(|&f| self.points_to.instances_of(f).iter().any(|&i| arrives(self, i)));
        if before_main || raw || self.points_to.called_from_outside().any(|i| arrives(self, i)) {
            return false;
        }
        let main = self.program.main.and_then(|f| self.points_to.shared_instance(f));
        let mut number = u64::from(main.is_some_and(|i| arrives(self, i)));
        let mut variable: Option<(Place, u64)> = None;
        let waiting: Vec<&Creation> =
            creations.all.iter().filter(|c| c.starts.iter().any(|&i| arrives(self, i))).collect();
        for creation in &waiting {
            // Of what waits in several generations some rounds were without those of the others.
            let is_alone = number == 0 && waiting.len() == 1;
            if !is_alone && !self.is_called_once(creation.from, 0) {
                return false;
            }
            match self.made(creation) {
                Some(Made::Number(n)) => number = number.saturating_add(n),
                Some(Made::UpTo(place, less)) if variable.is_none() => variable = Some((place, less)),
                _ => return false,
            }
        }
        match (count, variable) {
            (Count::Constant(expected), None) => number <= expected,
            // With less than one expected the barrier is not initialised at all.
            (Count::Place(place), Some((bound, less))) => {
                place.base == bound.base && place.offset == bound.offset && number <= less && less <= 1
            }
            _ => false,
        }
    }

    /// What every barrier expects at least while there are these threads, given by the instances of their oldest frames.
    pub(crate) fn least_expected(&mut self, oldest: &[Vec<InstanceId>]) -> u64 {
        let count = match &self.barrier_counts()[..] {
            [BarrierCount { count, .. }] if *count != Count::Any => *count,
            _ => return 0,
        };
        let waits = |ways: &&Vec<InstanceId>| {
            !ways.is_empty() && ways.iter().all(|&instance| self.interference.may_arrive(instance))
        };
        let number = oldest.iter().filter(waits).count() as u64;
        if number > 0 && self.are_all_expected(count) { number } else { 0 }
    }

    fn made(&mut self, creation: &Creation) -> Option<Made> {
        if self.is_executed_once(creation.from, creation.at.block) {
            return Some(Made::Number(1));
        }
        let func = self.points_to.instances()[creation.from].func;
        let loops = LoopForest::new(&self.structure(func).cfg);
        let around = loops.get(loops.innermost(creation.at.block)?);
        // The header tests, and a creation is behind the test.
        let counted = self.counted(func, around).filter(|c| c.start <= 1 && creation.at.block != around.header)?;
        let alone = self.is_called_once(creation.from, 0) || self.comes_in_generations(creation);
        match counted.bound {
            _ if !alone => None,
            Bound::Number(bits) => Some(Made::Number(bits.checked_sub(counted.start)?)),
            Bound::Variable(place) => Some(Made::UpTo(place, counted.start)),
        }
    }

    /// The variable that an operand was loaded from, if that is written before there are threads only. Extensions do not count.
    pub(crate) fn fixed_variable(&mut self, func: icsched_ir::FuncId, operand: Operand) -> Option<Place> {
        let structure = self.structure(func);
        let function = &self.program.functions[func];
        let value = operand.value()?;
        let inst = structure.inst(function, value)?;
        let address = match &inst.op {
            Op::Cast { op: CastOp::SExt | CastOp::ZExt, a } => return self.fixed_variable(func, *a),
            Op::Load { address, access } if crate::transfer::is_plain(*access) => *address,
            _ => return None,
        };
        let (Operand::Const(Const::Global { global, offset }), 0) = offset_of(function, &structure, address)? else {
            return None;
        };
        let place = Place { base: Base::Global(global), offset, bytes: function.values[value].ty.bytes() };
        let reach = self.reach(&Frames::Stack(Vec::new()), place)?;
        reach.early_only.then_some(place)
    }

    /// Whether a loop creates threads.
    pub(crate) fn creates_in(&self, instance: InstanceId, blocks: &dyn Fn(BlockId) -> bool) -> bool {
        let edges = self.icfg.edges(instance).iter().filter(|e| blocks(e.at.block));
        edges.into_iter().any(|e| e.kind != EdgeKind::Call || self.interference.may_create(e.to))
    }
}

/// An address as a constant plus an offset in the code.
fn offset_of(function: &icsched_ir::Function, structure: &Structure, address: Operand) -> Option<(Operand, i64)> {
    match address {
        Operand::Const(_) => Some((address, 0)),
        Operand::Value(value) => match &structure.inst(function, value)?.op {
            Op::Address { base: Operand::Const(Const::Global { global, offset: first }), offset, indices }
                if indices.is_empty() =>
            {
                let offset = first.wrapping_add(*offset);
                Some((Operand::Const(Const::Global { global: *global, offset }), 0))
            }
            _ => None,
        },
    }
}

//! Barrier matching: threads in one loop around barriers are in the same iteration (Bergan 2.5.4).
//!
//! Y. Zhang, E. Duesterwald, "Barrier matching for programs with textually unaligned barriers" (2007), compare expressions of the barriers that
//! two threads pass. Deviation: threads' arrivals at one barrier are counted instead of listed; `docs/dataflow.md` has the argument. Where all
//! ways through some code arrive equally often, that number is its *count*; a thread in the k-th iteration of a loop with the count `c`
//! has arrived `before + c * k + inside` times.
//!
//! 1. A barrier is one variable, or behind one pointer variable, as for [counters](crate::counter); the same one at all waits of the code.
//! 2. Loops that are passed must not wait. (Zhang and Duesterwald, and Bergan, compare their trip counts.)
//! 3. One loop around the point, on the whole stack, waits in it.

use icsched_ir::{BlockId, LoopForest, LoopId, Op, Operand, Origin, ValueId};
use icsched_pointsto::InstanceId;
use rustc_hash::FxHashSet;

use crate::analysis::Analysis;
use crate::context::{Status, ThreadContext};
use crate::counter::Cell;
use crate::definitions::Walk;
use crate::function::{Entry, Solver};
use crate::icfg::EdgeKind;
use crate::place::Frames;
use crate::same::Equal;
use crate::state::{BarrierCount, Count, Relation, RelationKind};
use crate::symbol::{FrameIndex, Symbol};

/// Where a thread is, in arrivals at one barrier.
struct Standing {
    barrier: Cell,
    frame: FrameIndex,
    instance: InstanceId,
    header: BlockId,
    /// Arrivals before the loop, of one iteration, and since the iteration has started.
    before: u64,
    each: u64,
    inside: u64,
    /// Whether it may have arrived once more, or not.
    between: bool,
    /// The header's parameters that are the same in the same iteration.
    registers: Vec<ValueId>,
}

impl Analysis<'_, '_> {
    /// What is equal between the threads of a context because barriers keep them in step, if what is `known` is.
    pub(crate) fn matched(
        &mut self,
        threads: &[ThreadContext],
        walks: &[Vec<Walk>],
        known: &[Relation],
    ) -> Vec<Relation> {
        let mut standing: Vec<Option<Standing>> = Vec::new();
        for (thread, walks) in threads.iter().zip(walks) {
            let found = match &walks[..] {
                [walk] => self.standing(thread, walk),
                _ => None,
            };
            standing.push(found);
        }
        let mut relations = self.all_aligned(threads, walks, known);
        for (a, one) in standing.iter().enumerate() {
            for (b, other) in standing.iter().enumerate().skip(a + 1) {
                let (Some(one), Some(other)) = (one, other) else { continue };
                if !in_step(one, other) || !self.is_for_all(one.barrier) {
                    continue;
                }
                for &value in &one.registers {
                    let func = self.points_to.instances()[one.instance].func;
                    let width = self.program.functions[func].values[value].ty.bits();
                    let a = (a, self.pool.symbol(Symbol::new(one.frame, value), width));
                    let b = (b, self.pool.symbol(Symbol::new(other.frame, value), width));
                    let relation = Relation { kind: RelationKind::Equal, a, b };
                    if !relations.contains(&relation) {
                        relations.push(relation);
                    }
                }
            }
        }
        relations
    }

    fn all_aligned(&mut self, threads: &[ThreadContext], walks: &[Vec<Walk>], known: &[Relation]) -> Vec<Relation> {
        let mut relations = Vec::new();
        if self.only_barrier().is_none_or(|barrier| !self.is_for_all(barrier)) {
            return relations;
        }
        for (a, one) in walks.iter().enumerate() {
            for (b, other) in walks.iter().enumerate().skip(a + 1) {
                if let ([one], [other]) = (&one[..], &other[..]) {
                    let known = Equal::between(known, (a, b));
                    relations.extend(self.aligned([(a, &threads[a], one), (b, &threads[b], other)], &known));
                }
            }
        }
        relations
    }

    /// Whether a barrier expects all threads that wait anywhere, and always did.
    fn is_for_all(&mut self, barrier: Cell) -> bool {
        let counts: Vec<BarrierCount> = self.barrier_counts();
        // Another entry could be for the same barrier.
        let [BarrierCount { count, .. }] = &counts[..] else { return false };
        let (Cell::Global(_) | Cell::Behind { .. }, count) = (barrier, *count);
        count != Count::Any && self.are_all_expected(count)
    }

    fn standing(&mut self, thread: &ThreadContext, walk: &Walk) -> Option<Standing> {
        let points = &thread.stack.0;
        let barrier = self.only_barrier()?;
        let mut before = if thread.complete { 0 } else { self.before_entry(walk.chain[0], &mut FxHashSet::default())? };
        let mut found: Option<Standing> = None;
        for ((&instance, &point), frame) in walk.chain.iter().zip(points).zip(0..) {
            let func = self.program.functions[point.func].origin;
            if func == Origin::Model && frame > 0 && self.waits_once(instance) {
                let last = found.as_mut()?;
                last.between = thread.status == Status::Running;
                break;
            }
            let (in_function, loops) = self.count_to(instance, point)?;
            match (&mut found, loops) {
                (Some(found), None) => found.inside += in_function,
                (None, None) => before += in_function,
                (None, Some((id, each, inside))) => {
                    found = Some(Standing {
                        barrier,
                        frame,
                        instance,
                        header: LoopForest::new(&self.structure(point.func).cfg).get(id).header,
                        before: before + in_function,
                        each,
                        inside,
                        between: false,
                        registers: self.in_step_registers(instance, id),
                    });
                }
                (Some(_), Some(_)) => return None,
            }
        }
        found
    }

    /// The barrier that all waits of the program are at.
    fn only_barrier(&mut self) -> Option<Cell> {
        if let Some(known) = self.only_barrier {
            return known;
        }
        let found = self.find_only_barrier();
        self.only_barrier = Some(found);
        found
    }

    fn find_only_barrier(&mut self) -> Option<Cell> {
        let mut only: Option<Cell> = None;
        for instance in self.points_to.instances().ids() {
            if self.waits_once(instance) {
                continue;
            }
            if !self.arrivals(instance).is_empty() {
                return None;
            }
            let edges: Vec<_> = self.icfg.edges(instance).to_vec();
            let waits: Vec<_> = edges.into_iter().filter(|e| self.waits_once(e.to)).collect();
            if waits.is_empty() {
                continue;
            }
            self.summarise_callees(&[instance]);
            let solution = Solver::new(self, Frames::Summary(instance)).solve(&Entry::default());
            let mut solver = Solver::resume(self, &solution);
            for edge in waits {
                let inst = &solver.function.blocks[edge.at.block].insts[edge.at.inst as usize];
                let Op::Call { args, .. } = &inst.op else { return None };
                let place = solver.place(*args.first()?, 1)?;
                let cell = solver.cell(place)?;
                if only.is_some_and(|known| known != cell) {
                    return None;
                }
                only = Some(cell);
            }
        }
        only
    }

    /// How often a thread has arrived when an instance starts, whoever calls it; `None` if that differs.
    fn before_entry(&mut self, instance: InstanceId, seen: &mut FxHashSet<InstanceId>) -> Option<u64> {
        if !seen.insert(instance) || self.points_to.called_from_outside().any(|i| i == instance) {
            return None;
        }
        let main = self.program.main.and_then(|f| self.points_to.shared_instance(f));
        let mut all: Option<u64> = (main == Some(instance)).then_some(0);
        let incoming: Vec<_> = self.icfg.incoming(instance).collect();
        for (caller, edge) in incoming {
            let before = match edge.kind {
                EdgeKind::Create => 0,
                EdgeKind::Interrupt => return None,
                EdgeKind::Call => match self.count_to(caller, edge.at)? {
                    (count, None) => self.before_entry(caller, seen)? + count,
                    (_, Some(_)) => return None,
                },
            };
            if all.is_some_and(|known| known != before) {
                return None;
            }
            all = Some(before);
        }
        seen.remove(&instance);
        all
    }

    /// The parameters of a loop's header that are the same in the same iteration of any thread: they start with a constant, and what is
    /// added is one, or a variable that is written before there are threads only.
    fn in_step_registers(&mut self, instance: InstanceId, id: LoopId) -> Vec<ValueId> {
        let func = self.points_to.instances()[instance].func;
        let function = &self.program.functions[func];
        let structure = self.structure(func);
        let loops = LoopForest::new(&structure.cfg);
        let l = loops.get(id);
        if self.creates_in(instance, &|block| l.contains(block)) {
            return Vec::new();
        }
        let params = function.blocks[l.header].params.iter().enumerate();
        let candidates: Vec<(usize, ValueId)> = params.map(|(at, &value)| (at, value)).collect();
        let mut found = Vec::new();
        for (position, value) in candidates {
            let mut starts: Vec<Operand> = Vec::new();
            let mut steps: Vec<Operand> = Vec::new();
            for &from in structure.cfg.predecessors(l.header) {
                for edge in function.blocks[from].terminator.edges().filter(|e| e.target == l.header) {
                    let list = if l.contains(from) { &mut steps } else { &mut starts };
                    list.push(edge.args[position]);
                }
            }
            let is_constant = |o: &Operand| matches!(o, Operand::Const(icsched_ir::Const::Bits { .. }));
            let same_start = starts.iter().all(|s| is_constant(s) && *s == starts[0]);
            let [step] = steps[..] else { continue };
            let inst = step.value().and_then(|v| structure.inst(function, v)).map(|i| &i.op);
            let Some(Op::Binary { op: icsched_ir::BinOp::Add | icsched_ir::BinOp::Sub, a, b, .. }) = inst else {
                continue;
            };
            let grows = *a == Operand::Value(value) && (is_constant(b) || self.fixed_variable(func, *b).is_some());
            if same_start && grows {
                found.push(value);
            }
        }
        found
    }
}

/// Whether two threads in one loop must be in the same iteration.
fn in_step(a: &Standing, b: &Standing) -> bool {
    let same = a.barrier == b.barrier && a.instance == b.instance && a.header == b.header && a.before == b.before;
    // Whoever has passed more rounds than the other has arrived at: not possible.
    let apart = |x: &Standing, y: &Standing| x.inside + u64::from(x.between) < y.inside + x.each;
    same && apart(a, b) && apart(b, a)
}

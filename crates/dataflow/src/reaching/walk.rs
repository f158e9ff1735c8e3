//! Follows the threads of a context down their stacks.

use std::collections::BTreeMap;

use icsched_ir::{Op, Origin, ProgramPoint};
use icsched_pointsto::InstanceId;

use super::definitions::{Definitions, PlaceDefinition};
use super::facts::{Entry, Facts};
use super::solved::Reaching;
use super::solver::Solution;
use crate::code::operation;
use crate::context::{Context, ContextError, Status, ThreadContext};
use crate::expr::ExprId;
use crate::interference;
use crate::place::{Base, Frames, Place};

/// One way in which a thread can have come down its stack.
pub(crate) struct Walk {
    /// The instances of its frames, oldest first.
    pub(crate) chain: Vec<InstanceId>,
    /// What was solved for each of them.
    pub(crate) solutions: Vec<Solution>,
    pub(crate) definitions: Definitions,
}

/// What all ways to a thread's stack agree on.
pub(crate) fn merged(ways: impl Iterator<Item = Definitions>, thread: &ThreadContext) -> Definitions {
    let frames = thread.stack.0.len();
    let nothing = || Definitions { registers: vec![BTreeMap::new(); frames], ..Definitions::default() };
    let both = |mut all: Definitions, one: Definitions| {
        all.join(&one);
        all
    };
    ways.reduce(both).unwrap_or_else(nothing)
}

/// Forgets the shared variables that several threads say something of.
pub(crate) fn drop_races(mut threads: Vec<&mut Definitions>) {
    let shared = |p: &PlaceDefinition| !p.conflict_free && matches!(p.place.base, Base::Global(_));
    let mut said: BTreeMap<Place, u32> = BTreeMap::new();
    for known in threads.iter().flat_map(|t| &t.places).filter(|p| shared(p)) {
        *said.entry(known.place).or_default() += 1;
    }
    for thread in &mut threads {
        thread.places.retain(|p| !shared(p) || said[&p.place] == 1);
    }
}

impl Reaching<'_, '_> {
    /// [`Self::definitions`] of every thread of a context. A shared variable that several threads say something of is
    /// one that they race for, or cannot be there together: nothing is said of it (Bergan 2.6.2).
    ///
    /// # Errors
    /// The first stack that is none of the program's.
    pub(crate) fn context(&mut self, context: &Context) -> Result<Vec<Definitions>, ContextError> {
        let threads: Result<Vec<Definitions>, ContextError> =
            context.threads.iter().map(|thread| self.definitions(thread)).collect();
        let mut threads = threads?;
        drop_races(threads.iter_mut().collect());
        Ok(threads)
    }

    /// What must hold when a thread is where `thread` says, in every execution of the program, whatever other threads
    /// have done meanwhile.
    ///
    /// # Errors
    /// The stack is none of the program's.
    pub(crate) fn definitions(&mut self, thread: &ThreadContext) -> Result<Definitions, ContextError> {
        let walks = self.walks(thread)?;
        Ok(merged(walks.into_iter().map(|walk| walk.definitions), thread))
    }

    /// The ways down a thread's stack.
    pub(crate) fn walks(&mut self, thread: &ThreadContext) -> Result<Vec<Walk>, ContextError> {
        thread.check(self.view.program)?;
        let points = &thread.stack.0;
        let chains: Vec<Vec<InstanceId>> = self.chains(points);
        let starts: Vec<InstanceId> = chains.iter().map(|chain| chain[0]).collect();
        let entries = self.start_entries(&starts, thread.complete);
        for chain in &chains {
            self.summarise_callees(chain);
        }
        let ways = chains.into_iter().zip(entries);
        Ok(ways.filter_map(|(chain, entry)| self.follow(chain, points, entry?, thread.status)).collect())
    }

    fn start_entries(&mut self, starts: &[InstanceId], complete: bool) -> Vec<Option<Entry>> {
        let main = self.view.program.main.and_then(|f| self.view.points_to.shared_instance(f));
        if complete && main.is_some() && starts.iter().all(|&s| Some(s) == main) {
            let entry = self.view.main_entry();
            return starts.iter().map(|_| Some(entry.clone())).collect();
        }
        self.enter(starts);
        starts.iter().map(|&s| self.entries[s].clone()).collect()
    }

    /// The instances that the frames of a stack can be.
    fn chains(&self, points: &[ProgramPoint]) -> Vec<Vec<InstanceId>> {
        let mut chains: Vec<Vec<InstanceId>> =
            self.view.points_to.instances_of(points[0].func).iter().map(|&i| vec![i]).collect();
        for pair in points.windows(2) {
            chains = chains
                .into_iter()
                .filter_map(|mut chain| {
                    let caller = *chain.last()?;
                    chain.push(self.view.points_to.callee_instance(caller, pair[0], pair[1].func)?);
                    Some(chain)
                })
                .collect();
        }
        chains
    }

    /// What the call at a point does not write.
    fn unchanged(&mut self, instance: InstanceId, call: ProgramPoint, mut facts: Facts) -> Facts {
        let region = self.view.region(instance, call);
        let modref = self.view.modref;
        facts.retain(|place, fact| {
            let bytes = u64::from(place.bytes);
            !fact.reach.targets.iter().any(|&(object, offsets)| modref.touches_at(&region.mods, object, offsets, bytes))
        });
        facts
    }

    /// Follows a thread down its stack: no frame of it has returned, so a frame starts with what holds at the call in
    /// the one above.
    fn follow(
        &mut self,
        chain: Vec<InstanceId>,
        points: &[ProgramPoint],
        mut entry: Entry,
        status: Status,
    ) -> Option<Walk> {
        let program = self.view.program;
        let mut found = Definitions { is_reached: true, ..Definitions::default() };
        let mut facts = Facts::default();
        let mut solutions = Vec::new();
        // What a call that takes a lock cannot change, and nobody else until it is through.
        let mut lasting: Option<Facts> = None;
        for (depth, &point) in points.iter().enumerate() {
            let function = &program.functions[point.func];
            let solution = self.solve(Frames::Stack(chain[..=depth].to_vec()), &entry);
            let structure = self.view.structure(point.func);
            let mut solver = self.resume(&solution);
            facts = solver.before(point.block, point.inst as usize)?;
            let is_defined = |value| structure.is_defined_at(value, point.block, point.inst as usize);
            let registers = function.values.ids().filter(|&v| is_defined(v));
            found.registers.push(registers.filter_map(|v| Some((v, solution.register(v)?))).collect());
            solutions.push(solution);
            let Some(next) = points.get(depth + 1) else { break };
            let Some(Op::Call { args, .. }) = operation(program, point) else { return None };
            let callee = &program.functions[next.func];
            let mut params: Vec<Option<ExprId>> = args.iter().map(|&arg| solver.operand(arg)).collect();
            for (value, &param) in params.iter_mut().zip(&callee.params) {
                *value = value.filter(|&e| self.view.pool.width(e) == callee.values[param].ty.bits());
            }
            if function.origin == Origin::Model && callee.origin == Origin::Program {
                facts.retain(|_, fact| fact.reach.conflict_free);
            }
            let callee_instance = chain[depth + 1];
            let rest_is_model = points[depth + 1..].iter().all(|p| program.functions[p.func].origin == Origin::Model);
            if rest_is_model && function.origin == Origin::Program && !self.view.interference.lets_in(callee_instance) {
                lasting = Some(self.unchanged(chain[depth], point, facts.clone()));
            }
            let passed =
                self.view.creations.replaces(chain[depth], point).then(|| self.created(callee_instance)).flatten();
            if let Some(created) = passed {
                for (value, known) in params.iter_mut().zip(created.params) {
                    *value = known.or(*value);
                }
                for (&place, fact) in created.facts.iter() {
                    facts.insert(place, fact.clone());
                }
            }
            entry = Entry { params, facts: facts.clone() };
        }
        let at = points.last().and_then(|&point| operation(program, point));
        if status == Status::Waiting || at.is_some_and(interference::switches) {
            facts.retain(|_, fact| fact.reach.conflict_free);
        }
        for (&place, fact) in lasting.iter().flat_map(Facts::iter) {
            if facts.get(place).is_none() {
                facts.insert(place, fact.clone());
            }
        }
        found.places = facts
            .iter()
            .map(|(&place, fact)| PlaceDefinition { place, value: fact.value, conflict_free: fact.reach.conflict_free })
            .collect();
        Some(Walk { chain, solutions, definitions: found })
    }
}

//! One program: its analyses, its contexts, and the theorem at each.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use icsched_dataflow::{Analysis, Context, Options as FactOptions, Statics};
use icsched_epochs::specialise::specialise;
use icsched_explore::explore::{self, Limits, PathOutcome, PathRun, StepKind};
use icsched_ir::{CallStack, Callee, FuncId, Function, Op, Origin, Program, ProgramPoint, Terminator};
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::host::MemoryHost;
use icsched_machine::{Limit, Machine, Options, PathEnd, State, Switching};
use icsched_pointsto::{ModRef, Options as PointerOptions, PointsTo, Startup};
use icsched_smt::{CachingSolver, SolverOptions, Z3Solver};
use icsched_symbolic::initial::InitialStates as _;
use icsched_symbolic::initial::{Start, StartOptions};
use icsched_symbolic::symbolic::SymbolicDomain;

use crate::common::programs::Input;
use crate::common::random::Random;
use crate::common::recorded::Recorded;
use crate::common::relation::{Ended, Relation};
use crate::theorem::lockstep::{Lockstep, Looked, Machines, Pilot};
use crate::theorem::record::{self, Place};
use crate::theorem::vary;
use crate::theorem::watch::differs;

/// Contexts per program.
const CONTEXTS: usize = 3;
/// Paths that are explored from a context.
const PATHS: usize = 12;
/// Choices on each of them.
const DECISIONS: usize = 6;

/// The program without what it never does, as `icsched symex` looks at it; points stay what they were.
fn specialised(program: &Program) -> Arc<Program> {
    let program = specialise(program);
    let points_to = PointsTo::new(&program, &PointerOptions::default()).expect("nothing interrupts it");
    let harmless = |f: &Function| icsched_externals::known_not_to_synchronise(&f.name, f.params.len());
    let (_, folded) = Statics::assuming(&ModRef::new(&program, &points_to, &harmless), &specialise, &|| false)
        .expect("nothing interrupts it");
    Arc::new(folded)
}

/// Models that ask which domain it is, or something else that the two answer differently, and their callers if they do
/// little else.
fn asking(program: &Program) -> BTreeSet<FuncId> {
    let calls = |function: &Function, is_it: &dyn Fn(&Callee) -> bool| {
        let mut ops = function.blocks.values().flat_map(|b| &b.insts).map(|i| &i.op);
        ops.any(|op| matches!(op, Op::Call { callee, .. } if is_it(callee)))
    };
    let models = || program.functions.iter().filter(|(_, f)| f.origin == Origin::Model);
    let asks = |callee: &Callee| matches!(callee, Callee::Intrinsic(intrinsic) if differs(*intrinsic));
    let first: BTreeSet<FuncId> = models().filter(|(_, f)| calls(f, &asks)).map(|(id, _)| id).collect();
    let is_small = |id: &FuncId| program.functions[*id].blocks.iter().count() <= 4;
    let through = |callee: &Callee| matches!(callee, Callee::Direct(id) if first.contains(id) && is_small(id));
    let second = models().filter(|(_, f)| calls(f, &through)).map(|(id, _)| id);
    first.iter().copied().chain(second).collect()
}

/// Whether the program itself gets to a context.
fn is_reached(program: &Program, context: &Context) -> bool {
    let points_to = PointsTo::new(program, &PointerOptions::default()).expect("nothing interrupts it");
    let harmless = |f: &Function| icsched_externals::known_not_to_synchronise(&f.name, f.params.len());
    let modref = ModRef::new(program, &points_to, &harmless);
    let startup = Startup::new(&modref);
    let facts = Analysis::new(&modref, &startup).initial_state(context, &FactOptions::default());
    facts.is_ok_and(|f| f.threads.iter().all(|t| t.definitions.is_reached))
}

/// Whether all points of a context are in code that was not taken out.
fn is_there(program: &Program, asking: &BTreeSet<FuncId>, points_to: &PointsTo, stacks: &[CallStack]) -> bool {
    let has = |p: &ProgramPoint| {
        let block = program.functions[p.func].blocks.get(p.block);
        let is_empty = block.is_none_or(|b| matches!(b.terminator, Terminator::Unreachable) && b.insts.is_empty());
        !is_empty && !points_to.instances_of(p.func).is_empty()
    };
    // Models that ask which domain it is hold an answer that the other one does not give.
    let asks = |p: &ProgramPoint| program.functions[p.func].origin == Origin::Model && asking.contains(&p.func);
    stacks.iter().all(|stack| stack.0.iter().all(|p| has(p) && !asks(p)))
}

fn machines(original: &Arc<Program>, program: &Arc<Program>) -> Machines {
    let options = Options { switching: Switching::Everywhere, ..Options::default() };
    let limit = Some(Duration::from_millis(200));
    let solver = SolverOptions { timeout: limit, float_timeout: limit, ..SolverOptions::default() };
    let domain = SymbolicDomain::new(Box::new(CachingSolver::new(Z3Solver::new(solver))));
    let concrete = Machine::new(Arc::clone(original), ConcreteDomain, Box::new(MemoryHost::default()), options.clone());
    let symbolic = Machine::new(Arc::clone(program), domain, Box::new(MemoryHost::default()), options);
    Machines { concrete, symbolic, live: BTreeMap::new() }
}

/// Holds the theorem against a program.
pub(crate) fn check(
    original: &Arc<Program>,
    input: &dyn Fn(&mut Random) -> Input,
    random: &mut Random,
    looked: &mut Looked,
) -> Result<(), String> {
    let program = &specialised(original);
    let points_to = Arc::new(PointsTo::new(program, &PointerOptions::default()).expect("nothing interrupts it"));
    let harmless = |f: &Function| icsched_externals::known_not_to_synchronise(&f.name, f.params.len());
    let modref = ModRef::new(program, &points_to, &harmless);
    let startup = Startup::new(&modref);
    let mut analysis = Analysis::new(&modref, &startup);
    let statics = Statics::new(&modref);
    let mut machines = machines(original, program);
    let asking = asking(original);
    for place in record::places(&mut machines.concrete, input, random, CONTEXTS) {
        if !place.states.iter().all(|s| is_there(program, &asking, &points_to, &s.stacks)) {
            looked.cut("code that is only executed in the concrete domain");
            continue;
        }
        let facts = analysis
            .initial_state(&place.context, &FactOptions::default())
            .map_err(|e| format!("{e}: {}", describe(program, &place.context)))?;
        if let Some(index) = facts.threads.iter().position(|t| !t.definitions.is_reached) {
            if is_reached(original, &place.context) {
                looked.cut("behind what the symbolic domain does not do");
                continue;
            }
            return Err(format!("thread {index} of {} is where nothing leads to", describe(program, &place.context)));
        }
        let start = Start {
            context: &place.context,
            facts: &facts,
            pool: analysis.pool(),
            points_to: Arc::clone(&points_to),
            statics: &statics,
            known: &(),
            options: StartOptions::default(),
        };
        let initial = machines.symbolic.state_at(&start);
        looked.contexts += 1;
        looked.concurrent += u64::from(place.context.threads.len() > 1);
        let waits = |t: &icsched_dataflow::ThreadContext| t.status == icsched_dataflow::Status::Waiting;
        looked.waiting += u64::from(place.context.threads.iter().any(waits));
        at_context(&mut machines, &place, &initial, random, looked)
            .map_err(|how| format!("at {}: {how}", describe(program, &place.context)))?;
    }
    Ok(())
}

fn describe(program: &Program, context: &Context) -> String {
    let mut text = String::new();
    for thread in &context.threads {
        let frames =
            thread.stack.0.iter().map(|p| format!("{}:{:?}.{}", program.functions[p.func].name, p.block, p.inst));
        text += &format!(
            "[{}{} {:?}] ",
            if thread.complete { "" } else { "... " },
            frames.collect::<Vec<_>>().join(" > "),
            thread.status
        );
    }
    text
}

fn at_context(
    machines: &mut Machines,
    place: &Place,
    initial: &State<SymbolicDomain>,
    random: &mut Random,
    looked: &mut Looked,
) -> Result<(), String> {
    for recorded in &place.states {
        for _ in 0..2 {
            let mut lockstep = Lockstep::new(machines, recorded, initial, looked);
            let followed = lockstep.follow(PathRun::untraced(initial.clone()), Pilot::Random(random));
            note(followed, looked).map_err(|how| format!("followed: {how}"))?;
        }
    }
    let limits = Limits { instructions: 400, decisions: DECISIONS, ..Limits::default() };
    let mut outcomes: Vec<PathOutcome> = Vec::new();
    let complete =
        explore::explore_from(&mut machines.symbolic, PathRun::untraced(initial.clone()), &limits, |_, outcome| {
            outcomes.push(outcome);
            if outcomes.len() < PATHS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    looked.paths += outcomes.len() as u64;
    for recorded in &place.states {
        let mut holding: Vec<&PathOutcome> = Vec::new();
        for (number, outcome) in outcomes.iter().enumerate() {
            let holds =
                against(machines, recorded, initial, outcome, looked).map_err(|how| format!("path {number}: {how}"))?;
            holding.extend(holds.then_some(outcome));
        }
        let cut = |o: &PathOutcome| {
            matches!(o.end, PathEnd::Limit(Limit::Instructions | Limit::Decisions) | PathEnd::Unsupported { .. })
                || !o.errors.is_empty()
        };
        let is_exact = complete && place.context.threads.len() == 1 && !outcomes.iter().any(cut);
        let is_twice = |(i, a): (usize, &&PathOutcome)| !holding[..i].iter().all(|b| differs_in_threads(a, b));
        if is_exact && holding.iter().enumerate().any(is_twice) {
            return Err(format!("{} paths at once", holding.len()));
        }
    }
    for (number, outcome) in outcomes.iter().enumerate() {
        // That no state takes such a path rests on what is known where it begins, beside its constraints: a state that
        // is made for these need not be one. States of runs are held against it above.
        if outcome.end == PathEnd::Infeasible {
            continue;
        }
        let recorded = random.pick(&(0..place.states.len()).collect::<Vec<_>>());
        let Some(varied) = vary::state(machines, &place.states[recorded], initial, outcome) else { continue };
        looked.varied += 1;
        against(machines, &varied, initial, outcome, looked)
            .map_err(|how| format!("path {number} from a state made for it: {how}"))?;
    }
    Ok(())
}

/// Whether another thread goes on where two paths part.
fn differs_in_threads(a: &PathOutcome, b: &PathOutcome) -> bool {
    let parts = a.steps.iter().zip(&b.steps).find(|(a, b)| a.thread != b.thread || a.what != b.what);
    parts.is_some_and(|(a, b)| a.what == StepKind::Switch && b.what == StepKind::Switch)
}

fn note(followed: Result<(), Ended>, looked: &mut Looked) -> Result<(), String> {
    match followed {
        Ok(()) => Ok(()),
        Err(Ended::Wrong(how)) => Err(how),
        Err(Ended::Cut(why)) => {
            looked.cut(why);
            Ok(())
        }
    }
}

/// If a state satisfies a path's constraints it must follow the path; whether it does.
fn against(
    machines: &mut Machines,
    recorded: &Recorded,
    initial: &State<SymbolicDomain>,
    outcome: &PathOutcome,
    looked: &mut Looked,
) -> Result<bool, String> {
    let mut relation = Relation::new(recorded, initial);
    match satisfies(machines, &mut relation, outcome) {
        Ok(true) => {}
        Ok(false) => return Ok(false),
        Err(ended) => return note(Err(ended), looked).map(|()| false),
    }
    looked.followed += 1;
    let mut lockstep = Lockstep::new(machines, recorded, initial, looked);
    let length = matches!(outcome.end, PathEnd::Limit(_)).then_some(outcome.state.instructions);
    let followed = lockstep.follow(PathRun::untraced(initial.clone()), Pilot::Path(&outcome.steps, length));
    note(followed, looked)?;
    Ok(true)
}

fn satisfies(machines: &Machines, relation: &mut Relation<'_>, outcome: &PathOutcome) -> Result<bool, Ended> {
    let domain = &machines.symbolic.domain;
    if let Err(ended) = relation.expose(domain, &outcome.state) {
        // A pointer that is none of what this path says is one of a state that takes another path.
        return if matches!(ended, Ended::Wrong(_)) { Ok(false) } else { Err(ended) };
    }
    for &constraint in outcome.state.path.constraints() {
        if relation.eval(domain, constraint)? & 1 == 0 {
            return Ok(false);
        }
    }
    // Outcomes of conditions on floating-point numbers are no constraints but inputs of their own.
    for step in &outcome.steps {
        if let StepKind::Choice { condition, .. } = step.what
            && domain.is_observed(condition)
            && relation.eval(domain, condition)? & 1 == 0
        {
            return Ok(false);
        }
    }
    Ok(true)
}

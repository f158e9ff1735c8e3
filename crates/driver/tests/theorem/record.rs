//! Runs of a program under a random scheduler, and the states at a context that they pass.

use icsched_dataflow::{Context, Status, ThreadContext};
use icsched_ir::{CallStack, Origin, ProgramPoint};
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::host::MemoryHost;
use icsched_machine::step::{Argument, Arguments};
use icsched_machine::{Machine, MemoryByte, Stop, Thread, ThreadId, ThreadStatus};

use crate::common::programs::Input;
use crate::common::random::Random;
use crate::common::recorded::{Concrete, Recorded, View};
use crate::common::returned::Returned;
use crate::theorem::watch::Watch;

/// Instructions of one run.
const MAX_RUN: u64 = 60_000;
/// States per context.
const MAX_STATES: usize = 3;
/// Frames of a thread where a run ends: more make contexts large, and not different.
const MAX_FRAMES: usize = 100;
/// A wait without a deadline.
const FOREVER: u64 = u64::MAX;

/// A context and states at it.
pub(crate) struct Place {
    pub(crate) context: Context,
    pub(crate) states: Vec<Recorded>,
}

fn string(text: &[u8]) -> Argument<ConcreteDomain> {
    let bytes = text.iter().chain(&[0]).map(|&b| MemoryByte::Constant(b)).collect();
    Argument { bytes, present: None }
}

/// Runs a program; `visit` sees each state and says whether to go on. The number of instructions.
fn run(
    machine: &mut Machine<ConcreteDomain>,
    input: &Input,
    random: &mut Random,
    mut visit: impl FnMut(&Machine<ConcreteDomain>, &Concrete, &Returned) -> bool,
) -> u64 {
    let mut host = MemoryHost::default();
    host.stdin = input.stdin.clone().into_bytes();
    machine.host = Box::new(host);
    let argv: Vec<_> = std::iter::once("program").chain(input.arguments.iter().map(String::as_str)).collect();
    let arguments = Arguments {
        argc: argv.len() as u64,
        argv: argv.iter().map(|a| string(a.as_bytes())).collect(),
        environment: vec![string(b"HOME=/nowhere")],
    };
    let Ok(mut state) = machine.initial_state(&arguments) else { return 0 };
    let mut returned = Returned::default();
    while state.instructions < MAX_RUN && state.current_thread().frames.len() <= MAX_FRAMES {
        returned.watch(machine, &state);
        // Where somebody watches, activations stay that called another function in place of the rest of themselves, as
        // on paths.
        match machine.run(&mut state, &mut Watch::default(), 1) {
            Ok(()) => {}
            Err(Stop::Switch) => {
                let enabled: Vec<ThreadId> = state.live_threads().filter(|t| t.is_enabled()).map(|t| t.id).collect();
                // Longer stretches of one thread, too.
                let next = if random.chance(40) && enabled.contains(&state.current) {
                    state.current
                } else {
                    random.pick(&enabled)
                };
                state.go_on_with(next);
                continue;
            }
            Err(_) => break,
        }
        if !visit(machine, &state, &returned) {
            break;
        }
    }
    state.instructions
}

/// Where a thread is, if a context can say that.
fn stack(
    machine: &Machine<ConcreteDomain>,
    state: &Concrete,
    thread: &Thread<ConcreteDomain>,
) -> Option<Vec<ProgramPoint>> {
    let top = thread.top()?;
    let point = machine.code.point(top.func, top.pc);
    let is_whole = machine.code.pc(point) == Some(top.pc);
    let is_timed =
        matches!(thread.status, ThreadStatus::Waiting { deadline: Some(deadline), .. } if deadline != FOREVER);
    let starts = thread.frames.first().is_some_and(|f| thread.slot != 0 || Some(f.func) == machine.program.main);
    let fits = is_whole && !is_timed && starts && thread.interrupt.is_none();
    fits.then(|| state.stack(&machine.code, thread.id).0)
}

/// The context of a state: all live threads, each with so many frames (all of them, if not said).
fn context(
    machine: &Machine<ConcreteDomain>,
    (state, returned): (&Concrete, &Returned),
    lengths: &dyn Fn(usize, usize) -> usize,
    none_ended: bool,
) -> Option<(Context, Recorded)> {
    if none_ended && !state.none_ended() {
        return None;
    }
    let mut threads: Vec<&Thread<ConcreteDomain>> = state.live_threads().collect();
    threads.sort_by_key(|t| t.slot);
    let first = u32::from(threads.first()?.slot != 0);
    let in_order = threads.iter().zip(first..).all(|(t, slot)| t.slot == slot);
    if !in_order || !threads.is_sorted_by_key(|t| t.id) {
        return None;
    }
    let (mut views, mut stacks) = (Vec::new(), Vec::new());
    let mut context = Context { none_ended, ..Context::default() };
    for (index, thread) in threads.iter().enumerate() {
        let points = stack(machine, state, thread)?;
        let oldest = points.len().checked_sub(lengths(index, points.len()))?;
        let status = match thread.status {
            ThreadStatus::Waiting { .. } => Status::Waiting,
            ThreadStatus::Enabled
            | ThreadStatus::AtMarker
            | ThreadStatus::Finished
            | ThreadStatus::Left
            | ThreadStatus::Endless => Status::Running,
        };
        let stack = CallStack(points[oldest..].to_vec());
        context.threads.push(ThreadContext { stack, complete: oldest == 0, folds: Vec::new(), status });
        views.push(View { thread: thread.id, oldest });
        stacks.push(CallStack(points));
    }
    Some((context, Recorded { state: state.clone(), views, stacks, returned: returned.clone() }))
}

/// Contexts of random states, each with all states at it that some runs pass, up to a few.
pub(crate) fn places(
    machine: &mut Machine<ConcreteDomain>,
    input: &dyn Fn(&mut Random) -> Input,
    random: &mut Random,
    count: usize,
) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    let (given, schedule) = (input(random), random.clone());
    let length = run(machine, &given, &mut schedule.clone(), |_, _, _| true);
    let threads = run_threads(machine, &given, &schedule);
    for _ in 0..4 * count {
        if places.len() >= count {
            break;
        }
        // Half of the states are those in which there are threads.
        let first = if random.chance(70) { threads.unwrap_or(0) } else { 0 };
        let at = first + random.below(length.saturating_sub(first).max(1));
        let (whole, only_program, choice) = (random.chance(60), random.chance(80), random.clone());
        let none_ended = choice.clone().chance(40);
        let mut found = None;
        run(machine, &given, &mut schedule.clone(), |machine, state, returned| {
            if state.instructions < at {
                return true;
            }
            let in_program = state
                .current_thread()
                .top()
                .is_some_and(|f| machine.program.functions[f.func].origin == Origin::Program);
            if only_program && !in_program && state.instructions < at + 2000 {
                return true;
            }
            let lengths = |index: usize, all: usize| {
                let mut choice = choice.clone();
                (0..index).for_each(|_| _ = choice.below(2));
                if whole || all == 1 {
                    all
                } else {
                    all - usize::try_from(choice.below(all as u64)).expect("stacks are short")
                }
            };
            found = context(machine, (state, returned), &lengths, none_ended);
            found.is_none() && state.instructions < at + 4000
        });
        random.below(2);
        if let Some((context, recorded)) = found
            && places.iter().all(|p| p.context != context)
        {
            places.push(Place { context, states: vec![recorded] });
        }
    }
    for _ in 0..2 {
        let given = input(random);
        more(machine, &given, random, &mut places);
    }
    places
}

/// The instruction at which the second thread is there.
fn run_threads(machine: &mut Machine<ConcreteDomain>, input: &Input, schedule: &Random) -> Option<u64> {
    let mut first = None;
    run(machine, input, &mut schedule.clone(), |_, state, _| {
        if state.threads.len() > 1 {
            first = Some(state.instructions);
        }
        first.is_none()
    });
    first
}

/// Other states at the same contexts.
fn more(machine: &mut Machine<ConcreteDomain>, input: &Input, random: &mut Random, places: &mut [Place]) {
    let mut seen = 0u32;
    run(machine, input, random, |machine, state, returned| {
        let Some(top) = state.current_thread().top() else { return true };
        let here = machine.code.point(top.func, top.pc);
        for place in places.iter_mut().filter(|p| p.states.len() < MAX_STATES) {
            let ends_here = place.context.threads.iter().any(|t| t.stack.0.last() == Some(&here));
            if !ends_here || place.context.threads.len() != state.live_threads().count() {
                continue;
            }
            let lengths = |index: usize, all: usize| {
                let thread = &place.context.threads[index];
                if thread.complete { all } else { thread.stack.0.len() }
            };
            // Not the same state again and again.
            seen += 1;
            if let Some((context, recorded)) = context(machine, (state, returned), &lengths, place.context.none_ended)
                && context == place.context
                && seen.is_multiple_of(3)
            {
                place.states.push(recorded);
            }
        }
        true
    });
}

//! Runs a program in the concrete domain and holds what it does against the points-to analysis.
//!
//! Every activation has an instance of the analysis, every object of memory an abstract object. At each executed load,
//! store, copy and atomic access the object and offset must be among what the analysis says of the address operand in
//! that instance; each call and thread creation must lead to an instance that the analysis knows of; each write must be
//! in the mod sets of all activations and calls that it happens in. Anything else is a [`Miss`]: the analysis is
//! unsound, or this module's idea of it is wrong.
//!
//! What this cannot find: pointers that are held but never used, and what the program does not do with these arguments.

mod names;
mod places;
mod report;
mod sets;
mod watch;

use std::sync::Arc;
use std::time::{Duration, Instant};

use icsched_ir::{BlockId, EntityId as _, Program};
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::host::Host;
use icsched_machine::observe::Observer as _;
use icsched_machine::step::{Argument, Arguments, Machine};
use icsched_machine::{MemoryByte, Options, PathEnd, Stop};
use icsched_pointsto::ModRef;
use icsched_symbolic::trace::FrameInfo;

pub use report::{Count, Miss, Report};
use watch::Watch;

/// Instructions between two looks at the clock.
const SLICE: u64 = 1 << 22;

/// Runs a program for at most `time` and holds it against `modref`, which must be about it. `args` starts with the
/// program's name.
pub fn watched(
    program: &Program,
    modref: &ModRef<'_>,
    args: &[Vec<u8>],
    environment: &[Vec<u8>],
    host: Box<dyn Host>,
    time: Duration,
) -> Report {
    let started = Instant::now();
    let mut watch = Watch::new(modref);
    let mut machine = Machine::new(Arc::new(program.clone()), ConcreteDomain, host, Options::default());
    let arguments = Arguments::<ConcreteDomain> {
        argc: args.len() as u64,
        argv: args.iter().map(|a| string(a)).collect(),
        environment: environment.iter().map(|e| string(e)).collect(),
    };
    let mut state = match machine.initial_state(&arguments) {
        Ok(state) => state,
        Err(stop) => return watch.into_report(ended(stop), 0),
    };
    for (id, object) in state.heap.live_objects() {
        watch.allocate(id, object.kind, None);
    }
    // The first activation is made before anything can be observed.
    let thread = state.current_thread();
    for frame in &thread.frames {
        watch.enter(frame.id, FrameInfo { thread: thread.id, func: frame.func, caller: None }, None);
        watch.block(frame.id, BlockId::from_index(0), None);
    }
    let end = loop {
        if let Err(stop) = machine.run(&mut state, &mut watch, SLICE) {
            break ended(stop);
        }
        if started.elapsed() >= time {
            break None;
        }
    };
    watch.into_report(end, state.instructions)
}

fn string(text: &[u8]) -> Argument<ConcreteDomain> {
    let bytes = text.iter().chain(&[0]).map(|&b| MemoryByte::Constant(b)).collect();
    Argument { bytes, present: None }
}

fn ended(stop: Stop<ConcreteDomain>) -> Option<PathEnd> {
    match stop {
        Stop::End(end) => Some(*end),
        Stop::Unsupported { what } => Some(PathEnd::Unsupported { what, stack: Default::default() }),
        Stop::Fault { .. } | Stop::Undecided { .. } | Stop::Suspect { .. } | Stop::Hidden { .. } | Stop::Switch => None,
    }
}

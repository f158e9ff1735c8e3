//! Whole runs in the concrete domain (`icsched exec`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use icsched_ir::{CallStack, Program};

use crate::budgets::BUDGETS;
use crate::concrete::ConcreteDomain;
use crate::domain::MemoryByte;
use crate::host::Host;
use crate::step::{Argument, Arguments, Machine, Options};
use crate::stop::{Limit, PathEnd, ProgramError, Stop};
use crate::thread::ThreadId;

/// What may cut a run.
#[derive(Clone, Default, Debug)]
pub struct ExecLimits {
    /// Most instructions.
    pub instructions: Option<u64>,
    /// Most time.
    pub time: Option<Duration>,
    /// Most bytes in live objects. ([`Options::stop`] can stop a run for any other reason.)
    pub memory: Option<u64>,
}

/// How a run ended.
#[derive(Clone, PartialEq, Debug)]
pub struct ExecResult {
    /// The end.
    pub end: PathEnd,
    /// Instructions executed.
    pub instructions: u64,
    /// Threads created, the main thread included.
    pub threads: usize,
    /// Where the thread is that ran last.
    pub stack: CallStack,
}

/// Runs a verified program. `args` starts with the program's name; `environment` has `NAME=value` entries.
pub fn exec(
    program: &Arc<Program>,
    args: &[Vec<u8>],
    environment: &[Vec<u8>],
    host: Box<dyn Host>,
    options: Options,
    limits: &ExecLimits,
) -> ExecResult {
    exec_telling(program, (args, environment), host, options, limits, &mut |_| {})
}

/// The same; tells of errors behind which the program goes on
/// ([`MemoryErrors::Continue`](crate::MemoryErrors::Continue)).
pub fn exec_telling(
    program: &Arc<Program>,
    (args, environment): (&[Vec<u8>], &[Vec<u8>]),
    host: Box<dyn Host>,
    options: Options,
    limits: &ExecLimits,
    tell: &mut dyn FnMut(&ProgramError),
) -> ExecResult {
    let mut machine = Machine::new(program.clone(), ConcreteDomain, host, options);
    let arguments = Arguments::<ConcreteDomain> {
        argc: args.len() as u64,
        argv: args.iter().map(|a| string(a)).collect(),
        environment: environment.iter().map(|a| string(a)).collect(),
    };
    let started = Instant::now();
    let mut state = match machine.initial_state(&arguments) {
        Ok(state) => state,
        Err(stop) => return ExecResult { end: ended(stop), instructions: 0, threads: 0, stack: CallStack::default() },
    };
    let end = loop {
        let used = state.instructions;
        let left = limits
            .instructions
            .map_or(BUDGETS.exec_interval, |most| most.saturating_sub(used).min(BUDGETS.exec_interval));
        if left == 0 {
            break PathEnd::Limit(Limit::Instructions);
        }
        let told = state.recovered.len();
        let result = machine.run(&mut state, &mut (), left);
        state.recovered.iter().skip(told).for_each(&mut *tell);
        if let Err(stop) = result {
            break ended(stop);
        }
        if limits.time.is_some_and(|most| started.elapsed() >= most) {
            break PathEnd::Limit(Limit::Time);
        }
        if limits.memory.is_some_and(|most| state.heap.live_bytes() >= most) {
            break PathEnd::Limit(Limit::Memory);
        }
    };
    let stack = state.stack(&machine.code, state.current);
    ExecResult { end, instructions: state.instructions, threads: state.threads.len(), stack }
}

fn string(text: &[u8]) -> Argument<ConcreteDomain> {
    let bytes = text.iter().chain(&[0]).map(|&b| MemoryByte::Constant(b)).collect();
    Argument { bytes, present: None }
}

fn ended(stop: Stop<ConcreteDomain>) -> PathEnd {
    match stop {
        Stop::End(end) => *end,
        Stop::Unsupported { what } => PathEnd::Unsupported { what, stack: Default::default() },
        Stop::Fault { kind, message } => {
            PathEnd::Error(ProgramError { kind, message, thread: ThreadId::MAIN, stack: Default::default() })
        }
        Stop::Undecided { .. } | Stop::Suspect { .. } | Stop::Hidden { .. } | Stop::Switch => {
            unreachable!("the concrete domain knows everything")
        }
    }
}

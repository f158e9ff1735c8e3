//! Executes instructions.

use std::sync::Arc;

use icsched_ir::Program;

use crate::code::Code;
use crate::domain::{Domain, MemoryByte};
use crate::host::Host;
use crate::observe::Observer;
use crate::scheduler::Scheduler;
use crate::state::State;
use crate::stop::Stop;

/// What a call of a function without definition and model does (`--extern NAME=…`).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Extern {
    /// Returns fresh inputs.
    Havoc,
    /// Returns zero.
    Pure,
    /// Ends the path.
    Abort,
}

/// Options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// What undefined functions do; others end the path as unmodelled.
    pub externs: std::collections::BTreeMap<String, Extern>,
    /// Most activations in one thread.
    pub max_frames: usize,
    /// Most bytes of stack objects in one thread.
    pub max_stack_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { externs: Default::default(), max_frames: 100_000, max_stack_bytes: 64 << 20 }
    }
}

/// One string of `argv` or the environment.
pub struct Argument<D: Domain> {
    /// Its bytes, terminating NUL included.
    pub bytes: Vec<MemoryByte<D::Byte>>,
    /// Condition (`i1`) under which it is there; where it is not, the array has a null pointer.
    pub present: Option<D::Value>,
}

/// What `main` gets.
pub struct Arguments<D: Domain> {
    /// `argc`, an `i32`.
    pub argc: D::Value,
    /// `argv`, the program's name first.
    pub argv: Vec<Argument<D>>,
    /// The environment.
    pub environment: Vec<Argument<D>>,
}

/// Runs states of one program.
pub struct Machine<D: Domain> {
    /// The program.
    pub program: Arc<Program>,
    /// Its decoded form.
    pub code: Arc<Code>,
    /// The domain.
    pub domain: D,
    /// The operating system.
    pub host: Box<dyn Host>,
    /// Picks threads.
    pub scheduler: Box<dyn Scheduler<D>>,
    /// Options.
    pub options: Options,
}

impl<D: Domain> Machine<D> {
    /// The state before the first instruction.
    pub fn initial_state(&mut self, _arguments: &Arguments<D>) -> Result<State<D>, Stop<D>> {
        Err(Stop::Unsupported { what: "not yet".to_owned() })
    }

    /// Executes up to `budget` instructions. `Ok` when the budget is used up; [`Stop::Undecided`] when a condition
    /// must be assumed on [`State::path`] first; [`Stop::End`] when the path ends. No other stop leaves this function.
    pub fn run<O: Observer>(&mut self, _state: &mut State<D>, _observer: &mut O, _budget: u64) -> Result<(), Stop<D>> {
        Err(Stop::Unsupported { what: "not yet".to_owned() })
    }
}

//! Runs of one program: with a given input, and along the symbolic path that the input takes.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use icsched_ir::{CallStack, Program};
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::domain::Inputs as _;
use icsched_machine::host::MemoryHost;
use icsched_machine::memory::ObjectId;
use icsched_machine::step::{Argument, Arguments};
use icsched_machine::{
    DecisionKind, Domain, ErrorKind, Limit, Machine, MemoryByte, Options, PathEnd, ProgramError, State, Stop, Values,
};
use icsched_smt::Model;
use icsched_symbolic::symbolic::SymbolicDomain;
use icsched_symbolic::trace::Trace;

use crate::deboer::fault::Fault;
use crate::deboer::inputs::Inputs;
use crate::deboer::oracle::Oracle;
use crate::deboer::probe::Probe;

/// Instructions after which a run is taken for endless; generated programs take some hundreds, but one that is being
/// made smaller can be anything.
const LIMIT: u64 = 20_000;

/// How a run ended.
pub(crate) struct Finish {
    pub(crate) end: PathEnd,
    /// The bytes of all live objects.
    pub(crate) memory: Vec<(ObjectId, Vec<u8>)>,
    pub(crate) trace: Trace,
}

/// Decodes a program once for many runs.
pub(crate) struct Runner {
    concrete: Machine<ConcreteDomain>,
    probe: Machine<Probe>,
    engine_inputs: bool,
}

fn machine<D: Domain>(program: &Arc<Program>, domain: D) -> Machine<D> {
    Machine::new(Arc::clone(program), domain, Box::new(MemoryHost::default()), Options::default())
}

fn text<D: Domain>(bytes: Vec<MemoryByte<D::Byte>>) -> Argument<D> {
    Argument { bytes: bytes.into_iter().chain([MemoryByte::Constant(0)]).collect(), present: None }
}

fn arguments<D: Domain>(argument: Vec<MemoryByte<D::Byte>>) -> Arguments<D> {
    let name = b"prog".iter().map(|&b| MemoryByte::Constant(b)).collect();
    Arguments { argc: D::constant(2), argv: vec![text(name), text(argument)], environment: Vec::new() }
}

fn constants<B>(inputs: &Inputs) -> Vec<MemoryByte<B>> {
    inputs.argument.iter().map(|&b| MemoryByte::Constant(b)).collect()
}

impl Runner {
    pub(crate) fn new(program: &Arc<Program>, engine_inputs: bool) -> Self {
        let nothing = Inputs::of_model(&Model::new());
        let domain = Probe::replay(Box::new(Oracle::new(Rc::default())), &nothing);
        Self { concrete: machine(program, ConcreteDomain), probe: machine(program, domain), engine_inputs }
    }

    /// The concrete run of an input. Programs that ask the engine for inputs run in a domain that has some; all values
    /// are constants there too.
    pub(crate) fn concrete(&mut self, inputs: &Inputs) -> Finish {
        if self.engine_inputs {
            self.probe.domain = Probe::replay(Box::new(Oracle::new(Rc::default())), inputs);
            return run(&mut self.probe, &arguments(constants(inputs)), &no_question, &Probe::byte);
        }
        run(&mut self.concrete, &arguments(constants(inputs)), &no_question, &|_, byte| match byte {
            MemoryByte::Constant(b) => *b,
            MemoryByte::Symbolic(never) => match *never {},
        })
    }

    /// The symbolic path that an input takes, its terms evaluated under the input. The domain tells what was asked of
    /// it.
    pub(crate) fn follow(&mut self, inputs: &Inputs, fault: Option<Fault>) -> (Finish, &Probe) {
        let model = Rc::new(RefCell::new(inputs.model()));
        self.probe.domain = Probe::symbolic(Box::new(Oracle::new(Rc::clone(&model))), model, inputs, fault);
        let bytes = (0..inputs.argument.len() as u64).map(|i| self.probe.domain.input_byte("argv[1]", i)).collect();
        let finish = run(&mut self.probe, &arguments(bytes), &answer, &Probe::byte);
        (finish, &self.probe.domain)
    }
}

/// A condition that the machine wants decided: the end of the path, or the decision is made.
type Decide<D> = dyn Fn(
    &mut D,
    &mut <D as Values>::Path,
    &<D as Values>::Value,
    DecisionKind,
    Option<Box<(ErrorKind, String)>>,
) -> Result<(), Stop<D>>;

fn no_question<D: Domain>(
    _: &mut D,
    _: &mut D::Path,
    _: &D::Value,
    _: DecisionKind,
    _: Option<Box<(ErrorKind, String)>>,
) -> Result<(), Stop<D>> {
    Err(Stop::Unsupported { what: "a question in a concrete run".to_owned() })
}

/// Decides as the input has it.
fn answer(
    probe: &mut Probe,
    path: &mut icsched_symbolic::path::SymPath,
    condition: &icsched_symbolic::symbolic::SymValue,
    kind: DecisionKind,
    error: Option<Box<(ErrorKind, String)>>,
) -> Result<(), Stop<Probe>> {
    let term = probe.inner.term(condition, 1);
    let taken = probe.eval(term) == 1;
    if !taken && kind == DecisionKind::Assume {
        return Err(Stop::End(Box::new(PathEnd::Infeasible)));
    }
    if !taken && kind.false_is_error() {
        let (kind, message) = error.map_or((unnamed(kind), String::new()), |e| *e);
        return Err(Stop::Fault { kind, message });
    }
    path.decide(&mut probe.inner.pool, term, taken);
    probe.inner.grant(term, taken);
    Ok(())
}

fn unnamed(kind: DecisionKind) -> ErrorKind {
    match kind {
        DecisionKind::Divisor => ErrorKind::DivisionByZero,
        DecisionKind::Alive => ErrorKind::UseAfterFree,
        _ => ErrorKind::OutOfBounds,
    }
}

/// What the runs of the two domains have in common with a domain that has questions.
pub(crate) trait Asked: Domain {
    /// Whether the current instruction has been given answers.
    fn has_answers(&self) -> bool;
    /// The instruction is done.
    fn forget_answers(&mut self);
}

impl Asked for ConcreteDomain {
    fn has_answers(&self) -> bool {
        false
    }
    fn forget_answers(&mut self) {}
}

impl Asked for Probe {
    fn has_answers(&self) -> bool {
        self.inner.has_grants()
    }
    fn forget_answers(&mut self) {
        _ = self.inner.retract_grants();
    }
}

fn run<D: Asked>(
    machine: &mut Machine<D>,
    arguments: &Arguments<D>,
    decide: &Decide<D>,
    byte: &dyn Fn(&D, &MemoryByte<D::Byte>) -> u8,
) -> Finish {
    let mut state = machine.initial_state(arguments).expect("the program has a main function");
    let mut trace = icsched_machine::trace::Trace::<D::Value, icsched_smt::Term>::default();
    trace.activate(&state, &machine.code);
    let stop = loop {
        if state.instructions >= LIMIT {
            break Stop::End(Box::new(PathEnd::Limit(Limit::Instructions)));
        }
        let budget = if machine.domain.has_answers() { 1 } else { LIMIT };
        match machine.run(&mut state, &mut trace, budget) {
            Ok(()) => machine.domain.forget_answers(),
            Err(Stop::Undecided { condition, kind, error }) => {
                if let Err(stop) = decide(&mut machine.domain, &mut state.path, &condition, kind, error) {
                    break stop;
                }
            }
            Err(stop) => break stop,
        }
    };
    let end = end_of(machine, &state, stop);
    let memory = memory(&mut machine.domain, &state);
    let value = |domain: &D, bytes: &[MemoryByte<D::Byte>]| bytes.iter().map(|b| byte(domain, b)).collect();
    let memory = memory.into_iter().map(|(id, bytes)| (id, value(&machine.domain, &bytes))).collect();
    Finish { end, memory, trace: without_sums(trace) }
}

/// A trace that both domains may leave: which sums count is a matter of symbolic operands.
fn without_sums<V>(trace: icsched_machine::trace::Trace<V, icsched_smt::Term>) -> Trace {
    Trace {
        active: trace.active,
        is_wanted: trace.is_wanted,
        branches: trace.branches,
        sides: trace.sides,
        granted: trace.granted,
        frames: trace.frames,
        start: trace.start,
        events: trace.events,
        sums: Vec::new(),
    }
}

fn end_of<D: Domain>(machine: &Machine<D>, state: &State<D>, stop: Stop<D>) -> PathEnd {
    let stack = || -> CallStack { state.stack(&machine.code, state.current) };
    match stop {
        Stop::End(end) => *end,
        Stop::Fault { kind, message } => {
            PathEnd::Error(ProgramError { kind, message, thread: state.current, stack: stack() })
        }
        Stop::Unsupported { what } => PathEnd::Unsupported { what, stack: stack() },
        Stop::Undecided { .. } | Stop::Suspect { .. } | Stop::Hidden { .. } | Stop::Switch => {
            unreachable!("questions are answered")
        }
    }
}

/// Bytes of an object.
type Contents<D> = (ObjectId, Vec<MemoryByte<<D as Values>::Byte>>);

/// The bytes of all live objects.
pub(crate) fn memory<D: Domain>(domain: &mut D, state: &State<D>) -> Vec<Contents<D>> {
    let live: Vec<(ObjectId, u64)> = state.heap.live_objects().map(|(id, object)| (id, object.size)).collect();
    let bytes = |(id, size)| (id, state.heap.bytes(domain, &state.path, id, 0, size).into_vec());
    live.into_iter().map(bytes).collect()
}

/// A machine of the symbolic domain as it is, with all of `argv[1]` symbolic.
pub(crate) fn symbolic(
    program: &Arc<Program>,
    solver: Box<dyn icsched_smt::Solver>,
    bytes: usize,
) -> (Machine<SymbolicDomain>, State<SymbolicDomain>) {
    let mut machine = machine(program, SymbolicDomain::new(solver));
    let argument = (0..bytes as u64).map(|i| machine.domain.input_byte("argv[1]", i)).collect();
    let state = machine.initial_state(&arguments(argument)).expect("the program has a main function");
    (machine, state)
}

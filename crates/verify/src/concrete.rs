//! Schedules of the first epoch in the concrete domain: the program is run with inputs that satisfy a constraint.

use std::sync::Arc;

use icsched_epochs::{Request, graph};
use icsched_ir::Program;
use icsched_machine::code::Marks;
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::host::MemoryHost;
use icsched_machine::step::{Argument, Arguments, EpochLength};
use icsched_machine::{Answers, Machine, MemoryByte, Options, PathEnd, State, Stop};
use icsched_schedule::HappensBefore;
use icsched_smt::{Model, Term, TermPool};
use icsched_symbolic::inputs::TestInput;

/// Instructions between two looks at the limits.
const SLICE: u64 = 1 << 20;

/// What programs are run with.
pub(crate) struct Runs<'a> {
    pub(crate) request: &'a Request,
    /// The program as the search executes it.
    pub(crate) program: Arc<Program>,
    pub(crate) marks: Marks,
}

/// A run that has ended.
pub(crate) struct Ended {
    pub(crate) machine: Machine<ConcreteDomain>,
    pub(crate) state: State<ConcreteDomain>,
    pub(crate) end: PathEnd,
}

impl Runs<'_> {
    /// The input that a model describes, if it is all arguments and satisfies a condition: what is read from text is
    /// tied to the text only here.
    pub(crate) fn input(&self, pool: &TermPool, condition: Term, model: &Model) -> Option<TestInput> {
        let inputs = &self.request.inputs;
        let only_arguments = inputs.files.is_empty()
            && inputs.stdin.is_none()
            && inputs.environment.is_empty()
            && inputs.surroundings.is_empty();
        let input = inputs.test_input(model);
        let is_whole = input.argv.iter().all(|word| !word.contains(&0));
        let fits = only_arguments && is_whole && self.names_arguments(pool, condition);
        (fits && pool.eval_bool(condition, &input.model())).then_some(input)
    }

    /// Whether a condition is about the bytes of arguments, their number and numbers read from them.
    fn names_arguments(&self, pool: &TermPool, condition: Term) -> bool {
        let is_one = |name: &str| {
            name == "argc"
                || name.starts_with("argv[")
                || ["atoi(argv[", "atol(argv[", "strtol(argv["].iter().any(|start| name.starts_with(start))
        };
        pool.symbols_of(condition).iter().all(|&symbol| pool.symbol_name(symbol).is_some_and(is_one))
    }

    /// Runs the program up to where `schedule` ends the first epoch; `None` if it is cut.
    pub(crate) fn run(&self, input: &TestInput, schedule: &HappensBefore) -> Option<Ended> {
        let options = Options {
            externs: self.request.externs.clone(),
            marks: self.marks.clone(),
            epoch_length: follows_markers(schedule),
            answers: Some(Answers::Seed(0)),
            memory_errors: self.request.memory_errors,
            stop: self.request.limits.stop.clone(),
            ..Options::default()
        };
        let host = Box::new(MemoryHost::default());
        let mut machine = Machine::new(Arc::clone(&self.program), ConcreteDomain, host, options);
        let string = |text: &Vec<u8>| Argument {
            bytes: text.iter().chain(&[0]).map(|&byte| MemoryByte::Constant(byte)).collect(),
            present: None,
        };
        let arguments = Arguments {
            argc: input.argv.len() as u64,
            argv: input.argv.iter().map(string).collect(),
            environment: Vec::new(),
        };
        let mut state = machine.initial_state(&arguments).ok()?;
        state.record_events = true;
        loop {
            let limits = &self.request.limits;
            if state.instructions >= limits.max_instructions || limits.reached().is_some() {
                return None;
            }
            let budget = SLICE.min(limits.max_instructions - state.instructions);
            match machine.run(&mut state, &mut (), budget) {
                Ok(()) => {}
                Err(Stop::End(end)) => return Some(Ended { machine, state, end: *end }),
                Err(Stop::Fault { kind, message }) => {
                    let (thread, stack) = (state.current, state.stack(&machine.code, state.current));
                    let error = icsched_machine::ProgramError { kind, message, thread, stack };
                    return Some(Ended { machine, state, end: PathEnd::Error(error) });
                }
                Err(
                    Stop::Undecided { .. }
                    | Stop::Suspect { .. }
                    | Stop::Hidden { .. }
                    | Stop::Switch
                    | Stop::Unsupported { .. },
                ) => {
                    return None;
                }
            }
        }
    }
}

/// Threads pass the markers that those of a schedule pass.
pub(crate) fn follows_markers(schedule: &HappensBefore) -> EpochLength {
    EpochLength::Given { passes: Arc::new(graph::passes(schedule)), at_once: false }
}

/// An input for people: the command line.
pub(crate) fn describe(input: &TestInput) -> String {
    let words = input.argv.iter().skip(1).map(|word| format!("{:?}", String::from_utf8_lossy(word)));
    let words: Vec<String> = words.collect();
    format!("the arguments {}", if words.is_empty() { "(none)".to_owned() } else { words.join(" ") })
}

//! Before and after `main`: arguments, constructors, `exit`.

use std::rc::Rc;

use icsched_ir::{FuncId, Origin, Program, Type};

use super::{Argument, Arguments, Machine};
use crate::domain::{Domain, MemoryByte};
use crate::memory::{Heap, ObjectKind, address};
use crate::observe::Observer;
use crate::scheduler::SchedulingPoint;
use crate::state::{PathLength, Startup, State};
use crate::stop::{PathEnd, Stop};
use crate::thread::{Bottom, Thread, ThreadId};

const POINTER: u64 = 8;

const ENVIRONMENT: [&str; 2] = ["environ", "__environ"];
const PROGRAM_NAME: [&str; 2] = ["program_invocation_name", "__progname_full"];
const SHORT_PROGRAM_NAME: [&str; 2] = ["program_invocation_short_name", "__progname"];

/// Whether the engine gives the global variable of this name its value before the first instruction.
pub fn is_set_at_start(global: &str) -> bool {
    ENVIRONMENT.iter().chain(&PROGRAM_NAME).chain(&SHORT_PROGRAM_NAME).any(|name| *name == global)
}

/// The function that ends the process when `main` returns; without one it just ends.
pub fn exit_function(program: &Program) -> Option<FuncId> {
    program.library_function("exit").filter(|&f| !program.functions[f].is_declaration())
}

impl<D: Domain> Machine<D> {
    /// The state before the first instruction. [`Stop::Unsupported`] if there is no `main`.
    pub fn initial_state(&mut self, arguments: &Arguments<D>) -> Result<State<D>, Stop<D>> {
        let mut heap = Heap::new(self.program.clone());
        heap.set_memory_errors(self.options.memory_errors);
        let argv = self.vector(&mut heap, &arguments.argv, ObjectKind::ArgumentVector, ObjectKind::Argument);
        let envp =
            self.vector(&mut heap, &arguments.environment, ObjectKind::EnvironmentVector, ObjectKind::Environment);
        self.set_variable(&mut heap, &ENVIRONMENT, envp);
        self.set_program_name(&mut heap, arguments, argv);
        let main = Thread::new(ThreadId::MAIN, 0, self.program.globals.len());
        let mut state = State {
            heap,
            threads: vec![Rc::new(main)],
            live: Rc::new(vec![ThreadId::MAIN]),
            current: ThreadId::MAIN,
            path: D::Path::default(),
            events: Default::default(),
            observations: Default::default(),
            record_events: D::SYMBOLIC,
            barriers: Default::default(),
            input_counts: Default::default(),
            ended: Default::default(),
            passages: Default::default(),
            recovered: Default::default(),
            instructions: 0,
            counts_from: Some(PathLength::default()),
            repeats: false,
            markers_passed: 0,
            main_arguments: [arguments.argc.clone(), D::constant(argv), D::constant(envp)],
            startup: Startup::Constructor(0),
            switching: false,
            next_frame: 0,
            next_wait: 0,
            since_switch: 0,
            atomics_since_switch: 0,
            waited: 0,
            next_deadline: u64::MAX,
            balanced_at: None,
            pauses: 0,
            spin: Default::default(),
        };
        self.start_next(&mut state, &mut (), 0)?;
        Ok(state)
    }

    fn vector(
        &mut self,
        heap: &mut Heap<D>,
        strings: &[Argument<D>],
        kind: ObjectKind,
        string: impl Fn(u32) -> ObjectKind,
    ) -> u64 {
        let vector = heap.allocate(kind, (strings.len() as u64 + 1) * POINTER, None);
        heap.set_site(vector, self.domain.given_site(kind));
        for (argument, i) in strings.iter().zip(0..) {
            let object = heap.allocate(string(i), argument.bytes.len() as u64, None);
            heap.set_bytes(&mut self.domain, object, 0, &argument.bytes);
            if argument.bytes.iter().all(|byte| matches!(byte, MemoryByte::Constant(_))) {
                heap.set_site(object, self.domain.given_site(string(i)));
            }
            let there = D::constant(address(object, 0));
            let pointer = match &argument.present {
                None => there,
                Some(present) => {
                    super::operations::select(&mut self.domain, Type::Ptr, present, &there, &D::constant(0))
                }
            };
            let bytes = super::bytes::split(&mut self.domain, &pointer, 8);
            heap.set_bytes(&mut self.domain, vector, u64::from(i) * POINTER, &bytes);
        }
        address(vector, 0)
    }

    /// The C library's names of the program: `argv[0]`, and what follows its last slash.
    fn set_program_name(&mut self, heap: &mut Heap<D>, arguments: &Arguments<D>, argv: u64) {
        let Some(name) = arguments.argv.first().filter(|a| a.present.is_none()) else { return };
        let slash = name.bytes.iter().rposition(|b| matches!(b, MemoryByte::Constant(b'/')));
        let start = slash.map_or(0, |at| at as u64 + 1);
        let first = heap.read_plain::<8>(argv).map_or(0, u64::from_le_bytes);
        self.set_variable(heap, &PROGRAM_NAME, first);
        self.set_variable(heap, &SHORT_PROGRAM_NAME, first + start);
    }

    /// Gives a pointer variable of the C library its value. A variable of that name that the program defines is its
    /// own, as natively: the C library has another name for its variable.
    fn set_variable(&mut self, heap: &mut Heap<D>, names: &[&str], pointer: u64) {
        let program = self.program.clone();
        for (id, global) in program.globals.iter() {
            let is_own = global.origin == Origin::Program && !global.external;
            if names.contains(&global.library_name()) && global.size == POINTER && !is_own {
                let object = crate::memory::global_object(id);
                let bytes: Vec<MemoryByte<D::Byte>> = pointer.to_le_bytes().map(MemoryByte::Constant).into();
                heap.define(object);
                heap.set_bytes(&mut self.domain, object, 0, &bytes);
            }
        }
    }

    /// Starts the `constructor`-th constructor, or `main` behind the last.
    fn start_next<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        constructor: u32,
    ) -> Result<(), Stop<D>> {
        let next = self.program.constructors.get(constructor as usize).copied();
        let (func, startup) = match next {
            Some(func) => (func, Startup::Constructor(constructor)),
            None => {
                let no_main = || Stop::Unsupported { what: "a program without `main`".to_owned() };
                (self.program.main.ok_or_else(no_main)?, Startup::Main)
            }
        };
        state.startup = startup;
        let [argc, argv, envp] = state.main_arguments.clone();
        let args = [(argc, Type::Int(32)), (argv, Type::Ptr), (envp, Type::Ptr)];
        self.start(state, observer, func, &args)
    }

    /// Pushes the bottom frame of the main thread.
    fn start<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        func: FuncId,
        args: &[(D::Value, Type)],
    ) -> Result<(), Stop<D>> {
        if self.code.functions[func].is_declaration() {
            return self.undefined(state, observer, func);
        }
        let mut cx = self.cx(state, observer);
        cx.call_with(func, args)?;
        if O::ENABLED {
            cx.announce(None, None);
        }
        Ok(())
    }

    /// Runs the model of `exit`; without one the process ends at once.
    pub(super) fn start_exit<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        status: D::Value,
    ) -> Result<(), Stop<D>> {
        state.startup = Startup::Exit;
        match exit_function(&self.program) {
            Some(exit) => {
                self.start(state, observer, exit, &[(status, Type::Int(32))])?;
                if self.options.marks.switches_at_calls {
                    return self.reschedule(state, observer, SchedulingPoint::Exit);
                }
                Ok(())
            }
            None => Err(exit_with(&status)),
        }
    }

    /// The bottom frame of the current thread returns.
    pub(super) fn bottom_return<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        values: Vec<(D::Value, Type)>,
    ) -> Result<(), Stop<D>> {
        match state.current_thread().bottom {
            Bottom::Main => {}
            Bottom::Start => return self.end_thread(state, observer),
            Bottom::Unknown => return self.leave_context(state, observer),
        }
        self.cx(state, observer).pop_frame();
        match state.startup {
            Startup::Constructor(i) => self.start_next(state, observer, i + 1),
            Startup::Main => {
                let status = values.into_iter().next().map_or(D::constant(0), |(value, _)| value);
                self.start_exit(state, observer, status)
            }
            Startup::Exit => Err(exit_with::<D>(&D::constant(0))),
        }
    }
}

/// The end of a process with this status.
pub(super) fn exit_with<D: Domain>(status: &D::Value) -> Stop<D> {
    let status = D::as_constant(status).map(|bits| bits as i32);
    Stop::End(Box::new(PathEnd::Exit { status }))
}

//! Runs in the concrete domain.

use std::collections::BTreeMap;
use std::sync::Arc;

use icsched_epochs::{Request, Setting, graph};
use icsched_ir::{BlockId, CallStack, EntityId as _, FuncId, Origin, Program, ProgramPoint};
use icsched_machine::code::Marks;
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::host::MemoryHost;
use icsched_machine::observe::Observer;
use icsched_machine::scheduler::{Cooperative, Scheduler};
use icsched_machine::step::{EpochLength, FollowedMarkers};
use icsched_machine::stop::Limit;
use icsched_machine::trace::FrameInfo;
use icsched_machine::{FrameId, Machine, MemoryErrors, Options, PathEnd, State, Stop, ThreadId, Values};
use icsched_schedule::{EpochId, HappensBefore, ScheduleEnd};
use icsched_symbolic::inputs::TestInput;

use crate::budgets::BUDGETS;
use crate::chain::Chain;
use crate::inputs::given;
use crate::schedulers::{Held, Progress, is_synchronisation};

/// A run that has ended.
pub struct Ended {
    /// What ran it.
    pub machine: Machine<ConcreteDomain>,
    /// The state behind it.
    pub state: State<ConcreteDomain>,
    /// How it ended.
    pub end: PathEnd,
    /// Where threads have ended: the last point of the program itself.
    pub thread_ends: BTreeMap<ThreadId, ProgramPoint>,
}

/// Notes where threads end.
#[derive(Default)]
struct ThreadEnds {
    /// Frames of the program itself, with the block that they are in.
    frames: BTreeMap<FrameId, (ThreadId, FuncId, BlockId)>,
    /// By thread: the last point of the program that it came to.
    last: BTreeMap<ThreadId, ProgramPoint>,
    ends: BTreeMap<ThreadId, ProgramPoint>,
    program: Arc<Program>,
}

impl ThreadEnds {
    fn end_of_block(&self, func: FuncId, block: BlockId) -> ProgramPoint {
        let insts = self.program.functions[func].blocks[block].insts.len();
        ProgramPoint { func, block, inst: u32::try_from(insts).unwrap_or(u32::MAX) }
    }
}

impl<D: Values> Observer<D> for ThreadEnds {
    fn is_active(&self) -> bool {
        false
    }

    fn enter(&mut self, frame: FrameId, info: FrameInfo, _: Option<(FrameId, u32)>) {
        let is_own = |func: FuncId| self.program.functions[func].origin == Origin::Program;
        if is_own(info.func) {
            self.frames.insert(frame, (info.thread, info.func, BlockId::from_index(0)));
        }
        if let Some((_, point)) = info.caller.filter(|(_, point)| is_own(point.func)) {
            self.last.insert(info.thread, point);
        }
    }

    fn block(&mut self, frame: FrameId, block: BlockId, _: Option<(BlockId, bool)>) {
        if let Some((_, _, at)) = self.frames.get_mut(&frame) {
            *at = block;
        }
    }

    fn leave(&mut self, frame: FrameId) {
        if let Some((thread, func, block)) = self.frames.remove(&frame) {
            self.last.insert(thread, self.end_of_block(func, block));
        }
    }

    fn thread_end(&mut self, thread: ThreadId) {
        if let Some(&last) = self.last.get(&thread) {
            self.ends.insert(thread, last);
        }
    }
}

impl Ended {
    /// How it ended, as a schedule has it.
    pub fn schedule_end(&self) -> ScheduleEnd {
        graph::schedule_end(&self.machine.program, &self.machine.code, &self.state, &self.end)
    }

    /// Who synchronised, in order; behind that, who failed, if somebody did: that one may have been let run on.
    pub fn order(&self) -> Arc<[ThreadId]> {
        let failed = match self.end {
            PathEnd::Abort { .. } | PathEnd::AssertFailed { .. } | PathEnd::Error(_) => Some(self.state.current),
            _ => None,
        };
        order_of(&self.state).iter().copied().chain(failed).collect()
    }
}

/// Who has synchronised in a run, in order.
pub fn order_of(state: &State<ConcreteDomain>) -> Arc<[ThreadId]> {
    state.events.iter().filter_map(is_synchronisation).collect()
}

/// How far a run has followed a chain of schedules.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) struct Followed {
    /// Schedules that were followed to their ends.
    pub(crate) links: usize,
    /// Nodes of the next one that are done.
    pub(crate) nodes: usize,
    /// Events of the run where it left the chain, if it did.
    pub(crate) left_at: Option<usize>,
}

/// Runs a program with inputs, and counts.
pub struct Runner<'a> {
    request: &'a Request,
    /// Runs so far.
    pub runs: u64,
    /// Instructions of all of them.
    pub instructions: u64,
}

impl<'a> Runner<'a> {
    /// For a program with what undefined functions do, and its limits.
    pub fn new(request: &'a Request) -> Self {
        Self { request, runs: 0, instructions: 0 }
    }

    /// Runs the program as it was loaded, under a scheduler. `None` if it cannot be started.
    pub fn run(&mut self, input: &TestInput, scheduler: Box<dyn Scheduler<ConcreteDomain>>) -> Option<Ended> {
        let program = Arc::clone(&self.request.program);
        let (mut machine, mut state) = self.start(Marks { switches_at_calls: true, ..Marks::default() }, input)?;
        machine.scheduler = scheduler;
        let mut ends = ThreadEnds { program, ..ThreadEnds::default() };
        let end = self.go_on(&mut machine, &mut state, &mut ends);
        Some(Ended { machine, state, end, thread_ends: ends.ends })
    }

    /// Runs the program held to a chain of schedules, as far as the input follows it.
    pub(crate) fn walk(
        &mut self,
        setting: &Setting<'_>,
        chain: &Chain<'_>,
        input: &TestInput,
    ) -> Option<(Ended, Followed)> {
        let markers = Arc::clone(&setting.marked);
        let marks = Marks { markers, switches_at_calls: true, ..Marks::default() };
        let (mut machine, mut state) = self.start(marks, input)?;
        let mut followed = Followed::default();
        for link in &chain.links {
            let Some(threads) = threads_of(&machine, &state, link.epoch, followed.links == 0) else {
                followed.left_at = Some(state.events.len());
                break;
            };
            if followed.links > 0 {
                begin(&mut machine, &mut state, Some(&threads));
            }
            let before = state.events.len();
            let graph = &link.schedule.graph;
            hold(&mut machine, &state, graph, &threads);
            let end = self.go_on(&mut machine, &mut state, &mut ());
            let Progress { done, left_at } = Held::compare(graph, &threads, before, &state);
            let goes_on = matches!(link.schedule.ends, ScheduleEnd::Epoch(_)) && end == PathEnd::Epoch;
            let is_whole = left_at.is_none() && done == graph.nodes().len();
            (followed.nodes, followed.left_at) = (done, left_at);
            if end != PathEnd::Epoch {
                return Some((Ended { machine, state, end, thread_ends: BTreeMap::new() }, followed));
            }
            if !goes_on || !is_whole {
                followed.left_at = followed.left_at.or(Some(state.events.len()));
                break;
            }
            (followed.links, followed.nodes) = (followed.links + 1, 0);
        }
        // Behind the chain, or beside it, threads go on as they do.
        if !chain.links.is_empty() {
            begin(&mut machine, &mut state, None);
        }
        machine.scheduler = Box::new(Cooperative);
        let always = EpochLength::Instructions { least: u64::MAX, balance: None, followed: FollowedMarkers::default() };
        machine.options.epoch_length = always;
        let end = self.go_on(&mut machine, &mut state, &mut ());
        Some((Ended { machine, state, end, thread_ends: BTreeMap::new() }, followed))
    }

    fn start(&mut self, marks: Marks, input: &TestInput) -> Option<(Machine<ConcreteDomain>, State<ConcreteDomain>)> {
        self.runs += 1;
        let (arguments, answers) = given(input);
        let options = Options {
            externs: self.request.externs.clone(),
            symbolic_files: self.request.inputs.files.clone(),
            symbolic_stdin: self.request.inputs.stdin,
            surroundings: Arc::clone(&self.request.inputs.surroundings),
            failures: Arc::clone(&self.request.inputs.failures),
            marks,
            answers: Some(answers),
            exact: true,
            // What was shown behind an error that goes on shows nothing.
            memory_errors: MemoryErrors::Stop,
            stop: self.request.limits.stop.clone(),
            ..Options::default()
        };
        let host = Box::new(MemoryHost::default());
        let mut machine = Machine::new(Arc::clone(&self.request.program), ConcreteDomain, host, options);
        let mut state = machine.initial_state(&arguments).ok()?;
        state.record_events = true;
        Some((machine, state))
    }

    /// Runs on to an end, or a limit.
    fn go_on<O: Observer<ConcreteDomain>>(
        &mut self,
        machine: &mut Machine<ConcreteDomain>,
        state: &mut State<ConcreteDomain>,
        observer: &mut O,
    ) -> PathEnd {
        let first = state.instructions;
        let end = loop {
            if self.request.limits.reached().is_some() {
                break PathEnd::Limit(Limit::Interrupted);
            }
            if state.instructions >= BUDGETS.instructions {
                break PathEnd::Limit(Limit::Instructions);
            }
            match machine.run(state, observer, BUDGETS.slice) {
                Ok(()) => {}
                Err(Stop::End(end)) => break *end,
                Err(
                    Stop::Fault { .. }
                    | Stop::Unsupported { .. }
                    | Stop::Undecided { .. }
                    | Stop::Suspect { .. }
                    | Stop::Hidden { .. }
                    | Stop::Switch,
                ) => {
                    let what = "something that the concrete domain does not do".to_owned();
                    break PathEnd::Unsupported { what, stack: CallStack::default() };
                }
            }
        };
        self.instructions += state.instructions - first;
        end
    }
}

/// The next epoch begins; the first of these threads goes on that can.
fn begin(machine: &mut Machine<ConcreteDomain>, state: &mut State<ConcreteDomain>, threads: Option<&[ThreadId]>) {
    state.begin_epoch(&machine.code);
    let all: Vec<ThreadId> = threads.map_or_else(|| state.live.to_vec(), <[_]>::to_vec);
    if let Some(&first) = all.iter().find(|&&id| state.thread(id).is_enabled()) {
        state.go_on_with(first);
    }
}

/// Holds a machine to a graph.
fn hold(
    machine: &mut Machine<ConcreteDomain>,
    state: &State<ConcreteDomain>,
    graph: &HappensBefore,
    threads: &[ThreadId],
) {
    // Threads are numbered as they are created, here and there.
    let created = state.threads.len();
    let own = |name: ThreadId| match threads.get(name.index()) {
        Some(&thread) => Some(thread),
        None => u32::try_from(created + (name.index() - threads.len())).ok().map(ThreadId),
    };
    let passes = graph::passes(graph).into_iter().filter_map(|(name, passes)| Some((own(name)?, passes))).collect();
    machine.options.epoch_length = EpochLength::Given { passes: Arc::new(passes), at_once: true };
    machine.scheduler = Box::new(Held::new(graph, threads, state.events.len()));
}

/// The run's threads in the order of an epoch's: for each of its stacks the first thread by slot that is there. `None`
/// if the run is not where the epoch begins.
fn threads_of(
    machine: &Machine<ConcreteDomain>,
    state: &State<ConcreteDomain>,
    epoch: &EpochId,
    is_entry: bool,
) -> Option<Vec<ThreadId>> {
    if is_entry {
        return Some(vec![ThreadId::MAIN]);
    }
    let mut rest: Vec<(u32, ThreadId, CallStack)> =
        state.live_threads().map(|t| (t.slot, t.id, state.stack(&machine.code, t.id))).collect();
    rest.sort_by_key(|t| t.0);
    if rest.len() != epoch.stacks().len() {
        return None;
    }
    let mut found = Vec::new();
    for stack in epoch.stacks() {
        let at = rest.iter().position(|(_, _, own)| own == stack)?;
        found.push(rest.remove(at).1);
    }
    Some(found)
}

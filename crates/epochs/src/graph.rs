//! From a path's synchronisation events to its happens-before graph, and from its end to the schedule's end.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use icsched_ir::{CallStack, Loc, LocId, Origin, Program, ProgramPoint};
use icsched_machine::code::Code;
use icsched_machine::state::State;
use icsched_machine::step::Pass;
use icsched_machine::stop::{BlockedThread, PathEnd, failed_assertion};
use icsched_machine::{Thread, ThreadId, Values};
use icsched_schedule::{
    AccessMode, Blocked, CyclicOrder, EndlessLoop, EpochId, HappensBefore, HbBuilder, HbNode, NodeId, NodeLabel,
    NodeOutcome, ScheduleEnd, Site,
};
use icsched_symbolic::trace::{EventMode, EventObject, SyncEvent};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The happens-before graph of a path (Bergan 3.2).
///
/// # Errors
/// If the orders that were asked for contradict each other; models don't, but a program may call the intrinsics itself.
pub fn happens_before<D: Values>(program: &Program, state: &State<D>) -> Result<HappensBefore, CyclicOrder> {
    happens_before_within(program, state, state.events.len())
}

/// The graph of the first `events` synchronisation events of a path.
pub fn happens_before_within<D: Values>(
    program: &Program,
    state: &State<D>,
    events: usize,
) -> Result<HappensBefore, CyclicOrder> {
    let threads = ThreadObjects::of(state);
    let open = OpenObjects::of(state);
    let mut builder = HbBuilder::new();
    let mut places: FxHashMap<&CallStack, Arc<str>> = FxHashMap::default();
    let (nowhere, thread_end): (Arc<str>, Arc<str>) = ("".into(), THREAD_END.into());
    for (index, event) in state.events.iter().enumerate().take(events) {
        match event {
            SyncEvent::Create { parent, child } => builder.create_thread(parent.0, child.0),
            SyncEvent::Node { thread, operation, stack, object, object_name, mode } => {
                let own = stack.0.iter().any(|p| program.functions[p.func].origin == Origin::Program);
                // Without a call of the program's own it is the end of its start function that is meant.
                let op = Arc::clone(if own { operation } else { &thread_end });
                let at = match own {
                    true => places.entry(stack).or_insert_with(|| place(program, stack).into()),
                    false => &nowhere,
                };
                let label = NodeLabel {
                    op,
                    object: threads.name_at(index).unwrap_or_else(|| Arc::clone(object_name)),
                    at: Arc::clone(at),
                    point: stack.0.last().copied(),
                };
                let mut keys = open.keys(object).into_iter();
                if let Some(key) = keys.next() {
                    builder.event(thread.0, key, access(*mode), label);
                }
                keys.for_each(|key| builder.order(thread.0, key, access(*mode)));
            }
            SyncEvent::Order { thread, object, mode } => {
                open.keys(object).into_iter().for_each(|key| builder.order(thread.0, key, access(*mode)));
            }
        }
    }
    let mut graph = builder.finish()?;
    let returned = outcomes(state);
    graph.set_outcomes(|node| returned.get(&node).copied().unwrap_or_default());
    Ok(graph)
}

/// What the calls of nodes have returned.
fn outcomes<D: Values>(state: &State<D>) -> FxHashMap<NodeId, NodeOutcome> {
    let of_thread = |thread: &Rc<Thread<D>>| {
        let id = thread.id.0;
        let outcomes = thread.outcomes.iter();
        let of = |value: Option<i64>| value.map_or(NodeOutcome::Varies, NodeOutcome::Returns);
        outcomes.map(move |o| (NodeId { thread: id, n: o.node }, of(o.value))).collect::<Vec<_>>()
    };
    state.threads.iter().flat_map(of_thread).collect()
}

/// What nodes are ordered on where it is open which object it is: on all addresses of nodes of the path that it may
/// be, and on the object itself, for other nodes of which it is open (conservative happens-before schedules, Bergan
/// 3.4.1.5).
struct OpenObjects {
    /// The addresses of nodes, and of those objects that several nodes of other addresses may be in; sorted.
    addresses: Vec<u64>,
}

impl OpenObjects {
    fn of<D: Values>(state: &State<D>) -> Self {
        let mut addresses = Vec::new();
        for event in state.events.iter() {
            let (SyncEvent::Node { object, .. } | SyncEvent::Order { object, .. }) = event else { continue };
            match object {
                EventObject::At(address) => addresses.push(*address),
                EventObject::AnyOf(ranges) => addresses.extend(ranges.iter().map(|&(first, _)| first)),
            }
        }
        addresses.sort_unstable();
        addresses.dedup();
        Self { addresses }
    }

    /// At least one for every event; two events that may be on one object have one in common.
    fn keys(&self, object: &EventObject) -> SmallVec<[u64; 1]> {
        match object {
            EventObject::At(address) => SmallVec::from_buf([*address]),
            EventObject::AnyOf(ranges) => {
                let within = |&(first, last): &(u64, u64)| {
                    let from = self.addresses.partition_point(|&address| address < first);
                    self.addresses[from..].iter().copied().take_while(move |&address| address <= last)
                };
                ranges.iter().flat_map(within).collect()
            }
        }
    }
}

/// Which thread a node is about, for nodes on the models' thread control blocks. Blocks are used again for later
/// threads, so an address means a thread only until the next creation.
#[derive(Default)]
struct ThreadObjects {
    by_event: FxHashMap<usize, u32>,
    by_address: FxHashMap<u64, u32>,
    names: FxHashMap<u32, Arc<str>>,
}

impl ThreadObjects {
    fn of<D: Values>(state: &State<D>) -> Self {
        let mut this = Self::default();
        let mut latest: FxHashMap<ThreadId, (usize, u64)> = FxHashMap::default();
        for (index, event) in state.events.iter().enumerate() {
            match event {
                SyncEvent::Node { thread, object, .. } => {
                    let Some(address) = object.address() else { continue };
                    latest.insert(*thread, (index, address));
                    if let Some(&child) = this.by_address.get(&address) {
                        this.by_event.insert(index, child);
                    }
                }
                SyncEvent::Create { parent, child } => {
                    if let Some(&(index, address)) = latest.get(parent) {
                        this.by_event.insert(index, child.0);
                        this.by_address.insert(address, child.0);
                        this.names.entry(child.0).or_insert_with(|| format!("thread {child}").into());
                    }
                }
                SyncEvent::Order { .. } => {}
            }
        }
        this
    }

    fn name_at(&self, event: usize) -> Option<Arc<str>> {
        self.names.get(self.by_event.get(&event)?).cloned()
    }

    fn name_of(&self, address: u64) -> Option<String> {
        self.by_address.get(&address).map(|thread| format!("thread {thread}"))
    }
}

fn access(mode: EventMode) -> AccessMode {
    match mode {
        EventMode::Exclusive => AccessMode::Exclusive,
        EventMode::Shared => AccessMode::Shared,
    }
}

/// `file.c:12` of the innermost frame of the program itself, outside of system headers if there is one; `main b3:2`
/// without debug information.
pub fn place(program: &Program, stack: &CallStack) -> String {
    let mut own = stack.0.iter().rev().filter(|p| program.functions[p.func].origin == Origin::Program);
    let own_line = |&&point: &&ProgramPoint| nearest_line(program, point).and_then(|loc| program.own_loc(loc));
    if let Some(loc) = own.clone().find_map(|point| own_line(&point)) {
        return program.describe_loc(loc);
    }
    let Some(point) = own.next().or(stack.0.last()) else { return String::new() };
    match nearest_line(program, *point) {
        Some(loc) => program.describe_loc(loc),
        None => format!("{} {}:{}", program.functions[point.func].name, point.block, point.inst),
    }
}

/// The location of an instruction. Where compilers merged calls of several lines it has none of its own; then that of
/// the nearest instruction before or behind it in the block, or of the function.
pub fn nearest_line(program: &Program, point: ProgramPoint) -> Option<LocId> {
    let known = |inst: u32| {
        let loc = ProgramPoint { inst, ..point }.loc(program)?;
        (program.locs[loc].line != 0).then_some(loc)
    };
    let function = &program.functions[point.func];
    let last = u32::try_from(function.blocks[point.block].insts.len()).expect("fewer than 2^32 instructions");
    let before = (0..=point.inst).rev().find_map(known);
    before.or_else(|| (point.inst..=last).find_map(known)).or(function.loc)
}

/// The epoch that begins where a path's threads are: which of them are alive, and with what on their stacks.
pub fn epoch<D: Values>(code: &Code, state: &State<D>) -> EpochId {
    let place = |id: ThreadId| (state.stack(code, id), state.thread(id).folds());
    EpochId::of_threads(code.threads_in_order(state).into_iter().map(place).collect())
}

/// The epoch markers that threads pass which follow a schedule (Bergan 3.5), by thread.
pub fn passes(graph: &HappensBefore) -> BTreeMap<ThreadId, Vec<Pass>> {
    let of_thread = |(thread, nodes): (u32, &[HbNode])| {
        (ThreadId(thread), nodes.iter().filter_map(|node| Pass::of_operation(&node.op)).collect())
    };
    graph.threads().into_iter().map(of_thread).collect()
}

/// How the schedule of a path ends.
pub fn schedule_end<D: Values>(program: &Program, code: &Code, state: &State<D>, end: &PathEnd) -> ScheduleEnd {
    match end {
        PathEnd::Exit { status } => ScheduleEnd::Exit { status: *status },
        PathEnd::Abort { stack } => {
            ScheduleEnd::Abort { message: "abort() was called".to_owned(), at: place(program, stack) }
        }
        PathEnd::AssertFailed { expression, stack } => {
            ScheduleEnd::Abort { message: failed_assertion(expression), at: place(program, stack) }
        }
        PathEnd::Deadlock { blocked } => {
            ScheduleEnd::Deadlock { blocked: blocked.iter().map(|b| describe_blocked(program, state, b)).collect() }
        }
        PathEnd::Endless { loops, blocked } => endless(program, state, loops, blocked),
        PathEnd::Error(error) => {
            let message = format!("{}: {}", error.kind, error.message);
            ScheduleEnd::MemoryError { message, at: place(program, &error.stack) }
        }
        PathEnd::Epoch => ScheduleEnd::Epoch(epoch(code, state).key()),
        PathEnd::Unmodelled { .. }
        | PathEnd::Unsupported { .. }
        | PathEnd::Limit(_)
        | PathEnd::LeftContext
        | PathEnd::GoesRound
        | PathEnd::Infeasible => ScheduleEnd::Limit,
    }
}

/// Some threads go round for ever, and the others wait. Who waits for a thread that waits, and so on, and never for
/// one that goes round, is in a deadlock, whatever those loops do. Whom a wait at a semaphore, condition or barrier
/// is for nobody knows: those that go round might have come.
fn endless<D: Values>(
    program: &Program,
    state: &State<D>,
    loops: &[(ThreadId, CallStack)],
    blocked: &[BlockedThread],
) -> ScheduleEnd {
    let threads = ThreadObjects::of(state);
    let awaited = |b: &BlockedThread| match b.operation.contains("join") {
        true => threads.by_address.get(&b.queue).copied(),
        false => b.holder.map(|holder| holder.0),
    };
    let mut helped: Vec<u32> = loops.iter().map(|(thread, _)| thread.0).collect();
    loop {
        let before = helped.len();
        for b in blocked.iter().filter(|b| !loops.iter().any(|(thread, _)| *thread == b.thread)) {
            if !helped.contains(&b.thread.0) && awaited(b).is_none_or(|thread| helped.contains(&thread)) {
                helped.push(b.thread.0);
            }
        }
        if helped.len() == before {
            break;
        }
    }
    let describe = |blocked: Vec<&BlockedThread>| blocked.iter().map(|b| describe_blocked(program, state, b)).collect();
    let (waits, stuck): (Vec<_>, Vec<_>) = blocked.iter().partition(|b| helped.contains(&b.thread.0));
    if !stuck.is_empty() {
        return ScheduleEnd::Deadlock { blocked: describe(stuck) };
    }
    let at = |(thread, stack): &(ThreadId, CallStack)| EndlessLoop { thread: thread.0, at: own_place(program, stack) };
    ScheduleEnd::Endless { loops: loops.iter().map(at).collect(), blocked: describe(waits) }
}

/// The innermost place of a stack that is in the program's own code.
fn own_place(program: &Program, stack: &CallStack) -> String {
    let own = stack.0.iter().rposition(|p| program.functions[p.func].origin == Origin::Program);
    place(program, &CallStack(stack.0[..own.map_or(stack.0.len(), |at| at + 1)].to_vec()))
}

fn describe_blocked<D: Values>(program: &Program, state: &State<D>, blocked: &BlockedThread) -> Blocked {
    let object = match blocked.queue {
        // No constant: the path has not decided which one it is.
        0 => "an object that inputs choose".to_owned(),
        queue => ThreadObjects::of(state).name_of(queue).unwrap_or_else(|| state.heap.name_of(queue)),
    };
    let acquired = blocked.holder.and_then(|holder| last_acquisition(state, holder.0, blocked.queue));
    Blocked {
        thread: blocked.thread.0,
        op: blocked.operation.clone(),
        waits_for: waits_for(&blocked.operation, &object),
        object,
        at: place(program, &blocked.stack),
        holder: blocked.holder.map(|t| t.0),
        holder_at: acquired.as_ref().map(|stack| place(program, stack)),
        stack: sites(program, &blocked.stack),
        holder_stack: acquired.map(|stack| sites(program, &stack)).unwrap_or_default(),
    }
}

/// Where a thread last made a node on an object: for a lock it holds, where it took it.
fn last_acquisition<D: Values>(state: &State<D>, holder: u32, queue: u64) -> Option<Arc<CallStack>> {
    state.events.iter().rev().find_map(|event| match event {
        SyncEvent::Node { thread, stack, object, .. } if thread.0 == holder && object.address() == Some(queue) => {
            Some(Arc::clone(stack))
        }
        SyncEvent::Node { .. } | SyncEvent::Create { .. } | SyncEvent::Order { .. } => None,
    })
}

/// The place of an instruction, for readers.
pub fn site(program: &Program, point: ProgramPoint) -> Site {
    let function = program.functions[point.func].name.clone();
    match nearest_line(program, point) {
        Some(loc) => {
            let loc = &program.locs[loc];
            Site { function, file: program.files[loc.file].clone(), line: loc.line, column: loc.column }
        }
        None => Site { function, file: String::new(), line: 0, column: 0 },
    }
}

/// The calls of the program itself on a stack, the outermost first; those that a compiler has inlined, too. Those in
/// system headers are left out where there are others.
pub fn sites(program: &Program, stack: &CallStack) -> Vec<Site> {
    let own = stack.0.iter().filter(|point| program.functions[point.func].origin == Origin::Program);
    let mut all: Vec<(Site, bool)> = own.flat_map(|&point| with_inlined(program, point)).collect();
    if all.iter().any(|(_, is_own)| *is_own) {
        all.retain(|(_, is_own)| *is_own);
    }
    all.into_iter().map(|(site, _)| site).collect()
}

/// Whether an instruction is in code of the program's author: not in a model or a system header.
pub fn is_own(program: &Program, point: ProgramPoint) -> bool {
    let in_own_file = || nearest_line(program, point).is_none_or(|loc| program.own_loc(loc).is_some());
    program.functions[point.func].origin == Origin::Program && in_own_file()
}

/// The place of an instruction, and in front of it the calls that were inlined on the way to it; and whether each is
/// outside of system headers.
fn with_inlined(program: &Program, point: ProgramPoint) -> Vec<(Site, bool)> {
    let innermost = site(program, point);
    let mut places: Vec<LocId> = nearest_line(program, point).into_iter().collect();
    while let Some(outer) = places.last().and_then(|&loc| program.locs[loc].inlined_at) {
        places.push(outer);
    }
    if places.len() < 2 {
        return vec![(innermost, is_own(program, point))];
    }
    let of = |loc: LocId| {
        let Loc { file, line, column, .. } = program.locs[loc];
        let function = program.inlined.get(&loc).cloned().unwrap_or_else(|| innermost.function.clone());
        let site = Site { function, file: program.files[file].clone(), line, column };
        (site, !program.is_system_file(file))
    };
    places.into_iter().rev().map(of).collect()
}

/// Half a sentence on what would free the thread, by the kind of operation it is blocked in.
pub fn waits_for(operation: &str, object: &str) -> String {
    let kinds = [
        ("join", "to end"),
        ("cond", "to be signalled"),
        ("cnd", "to be signalled"),
        ("barrier", "to be reached by the missing threads"),
        ("sem_", "to be posted"),
        ("lock", "to be unlocked"),
        ("mtx", "to be unlocked"),
        ("once", "to be finished"),
    ];
    let action = kinds.iter().find(|(part, _)| operation.contains(part)).map_or("to be notified", |(_, a)| a);
    format!("{object} {action}")
}

/// Most threads alive at once on a path that began with `initial` ones, the main thread included.
pub fn max_live_threads<D: Values>(state: &State<D>, initial: u32) -> u32 {
    let threads = ThreadObjects::of(state);
    let (mut live, mut most) = (initial, initial);
    for event in state.events.iter() {
        match event {
            SyncEvent::Create { .. } => {
                live += 1;
                most = most.max(live);
            }
            SyncEvent::Node { thread, object, .. } => {
                // A thread's last node is on its own control block.
                let ends = object.address().is_some_and(|at| threads.by_address.get(&at) == Some(&thread.0));
                live = live.saturating_sub(u32::from(ends));
            }
            SyncEvent::Order { .. } => {}
        }
    }
    most
}

/// Operation of the node that a thread makes last.
pub const THREAD_END: &str = "thread exit";

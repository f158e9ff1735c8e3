//! From a path's synchronisation events to its happens-before graph, and from its end to the schedule's end.

use icsched_ir::{CallStack, Origin, Program};
use icsched_schedule::{AccessMode, Blocked, CyclicOrder, HappensBefore, HbBuilder, NodeLabel, ScheduleEnd};
use icsched_symex::state::State;
use icsched_symex::stop::{BlockedThread, PathEnd};
use icsched_symex::trace::{EventMode, SyncEvent};
use icsched_symex::Domain;

/// The happens-before graph of a path (Bergan 3.2).
///
/// # Errors
/// If the orders that were asked for contradict each other; models don't, but a program may call the intrinsics itself.
pub fn happens_before<D: Domain>(program: &Program, state: &State<D>) -> Result<HappensBefore, CyclicOrder> {
    let mut builder = HbBuilder::new();
    for event in state.events.iter() {
        match event {
            SyncEvent::Create { parent, child } => builder.create_thread(parent.0, child.0),
            SyncEvent::Node { thread, operation, stack, object, object_name, mode } => {
                let label = NodeLabel {
                    op: operation.clone(),
                    object: object_name.clone(),
                    at: place(program, stack),
                    point: stack.0.last().copied(),
                };
                builder.event(thread.0, *object, access(*mode), label);
            }
            SyncEvent::Order { thread, object, mode } => builder.order(thread.0, *object, access(*mode)),
        }
    }
    builder.finish()
}

fn access(mode: EventMode) -> AccessMode {
    match mode {
        EventMode::Exclusive => AccessMode::Exclusive,
        EventMode::Shared => AccessMode::Shared,
    }
}

/// `file.c:12` of the innermost frame of the program itself; `main b3:2` without debug information.
pub fn place(program: &Program, stack: &CallStack) -> String {
    let own = stack.0.iter().rev().find(|p| program.functions[p.func].origin == Origin::Program);
    let Some(point) = own.or(stack.0.last()) else { return String::new() };
    match point.loc(program) {
        Some(loc) => program.describe_loc(loc),
        None => format!("{} {}:{}", program.functions[point.func].name, point.block, point.inst),
    }
}

/// How the schedule of a path ends.
pub fn schedule_end<D: Domain>(program: &Program, state: &State<D>, end: &PathEnd) -> ScheduleEnd {
    match end {
        PathEnd::Exit { status } => ScheduleEnd::Exit { status: *status },
        PathEnd::Abort { stack } => {
            ScheduleEnd::Abort { message: "abort() was called".to_owned(), at: place(program, stack) }
        }
        PathEnd::AssertFailed { expression, stack } => {
            ScheduleEnd::Abort { message: format!("assertion `{expression}` failed"), at: place(program, stack) }
        }
        PathEnd::Deadlock { blocked } => {
            ScheduleEnd::Deadlock { blocked: blocked.iter().map(|b| describe_blocked(program, state, b)).collect() }
        }
        PathEnd::Error(error) => {
            ScheduleEnd::MemoryError { message: error.message.clone(), at: place(program, &error.stack) }
        }
        PathEnd::Unmodelled { .. } | PathEnd::Unsupported { .. } | PathEnd::Limit(_) | PathEnd::Infeasible => {
            ScheduleEnd::Limit
        }
    }
}

fn describe_blocked<D: Domain>(program: &Program, state: &State<D>, blocked: &BlockedThread) -> Blocked {
    let object = state.heap.name_of(blocked.queue);
    let holder_at = blocked.holder.and_then(|holder| last_acquisition(program, state, holder.0, blocked.queue));
    Blocked {
        thread: blocked.thread.0,
        op: blocked.operation.clone(),
        waits_for: waits_for(&blocked.operation, &object),
        object,
        at: place(program, &blocked.stack),
        holder: blocked.holder.map(|t| t.0),
        holder_at,
    }
}

/// Where a thread last made a node on an object: for a lock it holds, where it took it.
fn last_acquisition<D: Domain>(program: &Program, state: &State<D>, holder: u32, queue: u64) -> Option<String> {
    state.events.iter().rev().find_map(|event| match event {
        SyncEvent::Node { thread, stack, object, .. } if thread.0 == holder && *object == queue => {
            Some(place(program, stack))
        }
        SyncEvent::Node { .. } | SyncEvent::Create { .. } | SyncEvent::Order { .. } => None,
    })
}

/// Half a sentence on what would free the thread, by the kind of operation it is blocked in.
fn waits_for(operation: &str, object: &str) -> String {
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

/// Most threads alive at once, the main thread included.
pub fn max_live_threads<D: Domain>(state: &State<D>) -> u32 {
    let (mut live, mut most) = (1u32, 1u32);
    for event in state.events.iter() {
        match event {
            SyncEvent::Create { .. } => {
                live += 1;
                most = most.max(live);
            }
            SyncEvent::Node { operation, .. } if operation == THREAD_END => live = live.saturating_sub(1),
            SyncEvent::Node { .. } | SyncEvent::Order { .. } => {}
        }
    }
    most
}

/// Operation of the node that a thread makes last.
const THREAD_END: &str = "thread exit";

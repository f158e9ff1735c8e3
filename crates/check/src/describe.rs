//! From a run that shows something to what a reader wants to know of it.

use std::collections::{BTreeMap, BTreeSet};

use icsched_epochs::graph::{THREAD_END, is_own};
use icsched_ir::Program;
use icsched_machine::step::Pass;
use icsched_machine::{BlockedThread, PathEnd, ThreadId};
use icsched_realise::{Ended, Shown, input_of};
use icsched_schedule::{
    Blocked, DeadlockClass, Finding, FindingKind, FindingThread, Held, ScheduleEnd, Site, StepRole, ThreadEnd,
    TraceStep, Turn, Verdict, knot,
};
use icsched_symbolic::trace::SyncEvent;

use crate::budgets::BUDGETS;
use crate::fingerprint::fingerprint;
use crate::places::{frames, innermost, site};

/// Where a thread ends of which the last code is the library's.
const END_OF_THREAD: &str = "the end of its function";

/// What a step does, by the function that is called.
pub(crate) fn role(operation: &str) -> StepRole {
    let has = |part: &str| operation.contains(part);
    match () {
        () if operation == THREAD_END => StepRole::End,
        () if has("create") => StepRole::Create,
        () if has("join") => StepRole::Join,
        () if has("unlock") || has("post") || has("signal") || has("broadcast") => StepRole::Release,
        () if has("lock") || has("sem_") && has("wait") => StepRole::Acquire,
        () => StepRole::Other,
    }
}

/// The finding that a run shows; `None` if it shows none.
pub(crate) fn finding(shown: &Shown, kind: FindingKind) -> Option<Finding> {
    let run = Run { ended: &shown.ended, program: &shown.ended.machine.program };
    let end = shown.ended.schedule_end();
    let mut told = match (&shown.ended.end, &end) {
        (PathEnd::Deadlock { blocked }, ScheduleEnd::Deadlock { blocked: texts }) => run.deadlock(blocked, texts),
        (PathEnd::Endless { loops, blocked }, ScheduleEnd::Endless { blocked: texts, .. }) => {
            let looping = loops.iter().map(|(thread, stack)| run.thread(*thread, frames(run.program, stack), None));
            let waiting = blocked.iter().zip(texts).map(|(b, text)| run.blocked(b, text));
            let threads: Vec<FindingThread> = looping.chain(waiting).collect();
            let at = threads.first().map(|thread| innermost(&thread.frames)).unwrap_or_default();
            let message = format!("the loop at {} goes round for ever: nothing that it reads changes", short(&at));
            Told { class: None, message, at: vec![at], threads }
        }
        (PathEnd::Endless { blocked, .. }, ScheduleEnd::Deadlock { blocked: texts }) => run.deadlock(blocked, texts),
        (PathEnd::Abort { stack } | PathEnd::AssertFailed { stack, .. }, ScheduleEnd::Abort { message, .. }) => {
            run.at_once(run.ended.state.current, frames(run.program, stack), message)
        }
        (PathEnd::Error(error), ScheduleEnd::MemoryError { message, .. }) => {
            run.at_once(error.thread, frames(run.program, &error.stack), message)
        }
        _ => return None,
    };
    let reason: Vec<&FindingThread> = told.threads.iter().collect();
    let fingerprint = fingerprint(kind, told.class, &of_kind(kind, &told.message), &reason);
    let mut trace = run.trace(&told.threads);
    if let Some(failure) = run.failure(&told) {
        // What goes wrong without a lock may have to do with all that was before.
        let is_told = trace.iter().any(|step| step.matters);
        trace.iter_mut().for_each(|step| step.matters |= !is_told);
        trace.push(failure);
    }
    told.at.dedup();
    Some(Finding {
        kind,
        class: told.class,
        verdict: Verdict::Confirmed,
        confirmed: true,
        message: told.message,
        at: told.at,
        threads: told.threads,
        input: Some(input_of(&shown.input, &shown.ended.state.input_counts)),
        near: None,
        constraint: String::new(),
        why: None,
        epoch: String::new(),
        schedule: String::new(),
        chain: Vec::new(),
        trace,
        order: turns(&shown.order),
        fingerprint,
        also_in: 0,
    })
}

/// All that a run has synchronised.
pub(crate) fn steps(ended: &Ended) -> Vec<TraceStep> {
    Run { ended, program: &ended.machine.program }.trace(&[])
}

/// The part of a message that tells bugs of one kind apart, and has no lines in it.
fn of_kind(kind: FindingKind, message: &str) -> String {
    match kind {
        FindingKind::Assert | FindingKind::Abort => message.to_owned(),
        FindingKind::MemoryError => message.split_once(':').map_or(message, |(class, _)| class).to_owned(),
        FindingKind::Deadlock | FindingKind::NoProgress => String::new(),
    }
}

/// Who synchronises, as stretches of one thread.
pub(crate) fn turns(order: &[ThreadId]) -> Vec<Turn> {
    let stretch =
        |threads: &[ThreadId]| Turn { thread: threads[0].0, times: u32::try_from(threads.len()).unwrap_or(u32::MAX) };
    order.chunk_by(|a, b| a == b).map(stretch).collect()
}

/// `dir/file.c:12:5` without directory and column.
pub(crate) fn short(place: &str) -> String {
    let name = place.rsplit('/').next().unwrap_or(place);
    let mut parts = name.split(':');
    match (parts.next(), parts.next()) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        _ => name.to_owned(),
    }
}

/// What is told first.
struct Told {
    class: Option<DeadlockClass>,
    message: String,
    at: Vec<String>,
    threads: Vec<FindingThread>,
}

/// A run that is told of.
struct Run<'a> {
    ended: &'a Ended,
    program: &'a Program,
}

impl Run<'_> {
    fn deadlock(&self, blocked: &[BlockedThread], texts: &[Blocked]) -> Told {
        // A signal that found nobody: before anybody waited there.
        let signalled = |object: &str| {
            let on_it = self.events().filter_map(|event| match event {
                SyncEvent::Node { operation, object_name, .. } if **object_name == *object => Some(operation),
                SyncEvent::Node { .. } | SyncEvent::Create { .. } | SyncEvent::Order { .. } => None,
            });
            let is_signal = |operation: &str| operation.contains("signal") || operation.contains("broadcast");
            let kinds: Vec<bool> = on_it.map(|operation| is_signal(operation)).collect();
            kinds.first() == Some(&true) && kinds.is_sorted_by(|a, b| a >= b)
        };
        let knot = knot(texts, signalled);
        let stack_of = |thread: u32| blocked.iter().find(|b| b.thread.0 == thread);
        let mut threads: Vec<FindingThread> = Vec::new();
        for &number in &knot.threads {
            if let (Some(b), Some(text)) = (stack_of(number), texts.iter().find(|text| text.thread == number)) {
                threads.push(self.blocked(b, text));
            }
        }
        // Who has ended with a lock is a part of the story.
        let ended: BTreeSet<u32> = threads.iter().filter_map(|thread| thread.holder).collect();
        for holder in ended {
            if threads.iter().all(|thread| thread.thread != holder) && stack_of(holder).is_none() {
                threads.push(self.thread(ThreadId(holder), Vec::new(), None));
            }
        }
        let mut at: Vec<String> = threads.iter().map(|thread| innermost(&thread.frames)).collect();
        at.extend(threads.iter().flat_map(|thread| thread.holds.iter().map(|held| held.since.clone())));
        at.retain(|place| !place.is_empty());
        Told { message: sentence(knot.class, &threads), class: knot.class, at, threads }
    }

    fn at_once(&self, thread: ThreadId, calls: Vec<Site>, message: &str) -> Told {
        let at = innermost(&calls);
        let message = match at.is_empty() {
            true => message.to_owned(),
            false => format!("{message} at {}", short(&at)),
        };
        Told { class: None, message, at: vec![at], threads: vec![self.thread(thread, calls, None)] }
    }

    fn blocked(&self, blocked: &BlockedThread, text: &Blocked) -> FindingThread {
        self.thread(blocked.thread, frames(self.program, &blocked.stack), Some(text))
    }

    fn thread(&self, thread: ThreadId, calls: Vec<Site>, waits: Option<&Blocked>) -> FindingThread {
        let end = self.ended.thread_ends.get(&thread).map(|&point| {
            // Threads of C++ end in the library.
            let is_own = is_own(self.program, point);
            ThreadEnd { at: if is_own { site(self.program, point).place() } else { END_OF_THREAD.to_owned() } }
        });
        FindingThread {
            thread: thread.0,
            stack: calls.iter().map(Site::to_string).collect(),
            frames: calls,
            operation: waits.map(|b| b.op.clone()).unwrap_or_default(),
            waits_for: waits.map(|b| b.waits_for.clone()).unwrap_or_default(),
            object: waits.map(|b| b.object.clone()).unwrap_or_default(),
            holder: waits.and_then(|b| b.holder),
            holds: self.held_by(thread),
            ended: end,
        }
    }

    fn events(&self) -> impl DoubleEndedIterator<Item = &SyncEvent> {
        self.ended.state.events.iter()
    }

    /// The locks that a thread holds, each with where it took it.
    fn held_by(&self, thread: ThreadId) -> Vec<Held> {
        let state = &self.ended.state;
        if thread.index() >= state.threads.len() {
            return Vec::new();
        }
        let mut locks = state.thread(thread).locks.clone();
        locks.dedup();
        let held = |&lock: &u64| {
            let taken = self.events().rev().find_map(|event| match event {
                SyncEvent::Node { thread: by, object, object_name, stack, .. }
                    if *by == thread && object.address() == Some(lock) =>
                {
                    Some((object_name.to_string(), frames(self.program, stack)))
                }
                SyncEvent::Node { .. } | SyncEvent::Create { .. } | SyncEvent::Order { .. } => None,
            });
            let (object, frames) = taken.unwrap_or_else(|| (state.heap.name_of(lock), Vec::new()));
            Held { object, since: innermost(&frames), frames }
        };
        locks.iter().map(held).collect()
    }

    /// Whether a call that made a thread's n-th node has returned an error.
    fn has_failed(&self, thread: ThreadId, n: u32) -> bool {
        let outcomes = &self.ended.state.thread(thread).outcomes;
        outcomes.iter().any(|outcome| outcome.node == n && outcome.value.is_some_and(|value| value != 0))
    }

    /// What goes wrong at last, if that is no waiting.
    fn failure(&self, told: &Told) -> Option<TraceStep> {
        let operation = match &self.ended.end {
            PathEnd::AssertFailed { .. } => "assertion fails".to_owned(),
            PathEnd::Abort { .. } => "abort".to_owned(),
            PathEnd::Error(error) => error.kind.to_string(),
            _ => return None,
        };
        let thread = told.threads.first()?;
        Some(TraceStep {
            thread: thread.thread,
            operation,
            object: String::new(),
            role: StepRole::Fails,
            frames: thread.frames.clone(),
            holds: thread.holds.iter().map(|held| held.object.clone()).collect(),
            matters: true,
        })
    }

    /// All that was synchronised, and where threads are blocked in the end.
    fn trace(&self, threads: &[FindingThread]) -> Vec<TraceStep> {
        let involved: BTreeSet<u32> = threads.iter().map(|thread| thread.thread).collect();
        let waited = threads.iter().map(|thread| thread.object.as_str());
        let held = threads.iter().flat_map(|thread| thread.holds.iter().map(|held| held.object.as_str()));
        let objects: BTreeSet<&str> = waited.chain(held).filter(|object| !object.is_empty()).collect();
        let mut locked: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        let mut nodes: BTreeMap<u32, u32> = BTreeMap::new();
        let mut steps = Vec::new();
        for event in self.events() {
            let SyncEvent::Node { thread, operation, stack, object_name, .. } = event else { continue };
            if Pass::of_operation(operation).is_some() {
                continue;
            }
            let own = frames(self.program, stack);
            let operation = if own.is_empty() { THREAD_END } else { operation };
            let role = role(operation);
            let n = nodes.entry(thread.0).or_insert(0_u32);
            *n += 1;
            let role = match role {
                StepRole::Acquire if self.has_failed(*thread, *n) => StepRole::Other,
                role => role,
            };
            let holds = locked.entry(thread.0).or_default();
            match role {
                StepRole::Acquire if operation.contains("lock") => holds.push(object_name.to_string()),
                StepRole::Release => {
                    if let Some(at) = holds.iter().rposition(|held| **held == **object_name) {
                        holds.remove(at);
                    }
                }
                _ => {}
            }
            let is_about = objects.contains(&**object_name) || role == StepRole::End;
            steps.push(TraceStep {
                thread: thread.0,
                operation: operation.to_owned(),
                object: object_name.to_string(),
                role,
                frames: own,
                holds: holds.clone(),
                matters: involved.contains(&thread.0) && is_about || objects.contains(&**object_name),
            });
        }
        steps.drain(..steps.len().saturating_sub(BUDGETS.steps));
        for thread in threads.iter().filter(|thread| !thread.operation.is_empty()) {
            steps.push(TraceStep {
                thread: thread.thread,
                operation: thread.operation.clone(),
                object: thread.object.clone(),
                role: StepRole::Blocked,
                frames: thread.frames.clone(),
                holds: thread.holds.iter().map(|held| held.object.clone()).collect(),
                matters: true,
            });
        }
        steps
    }
}

/// What happens, in a sentence.
pub(crate) fn sentence(class: Option<DeadlockClass>, threads: &[FindingThread]) -> String {
    let since = |holder: u32, object: &str| {
        let thread = threads.iter().find(|thread| thread.thread == holder)?;
        let held = thread.holds.iter().find(|held| held.object == object).or(thread.holds.first())?;
        Some(short(&held.since))
    };
    let ended =
        |holder: u32| threads.iter().find(|thread| thread.thread == holder)?.ended.as_ref().map(|e| short(&e.at));
    // What a thread waits for, and why it does not come.
    let one = |thread: &FindingThread| {
        let FindingThread { thread: number, object, holder, waits_for, .. } = thread;
        match *holder {
            Some(own) if own == *number => {
                let since = since(own, object).map(|at| format!(" since {at}")).unwrap_or_default();
                format!("{object}, which it holds itself{since}")
            }
            Some(other) if class == Some(DeadlockClass::LeakedLock) => {
                let leaked = since(other, object).map(|at| format!(" at {at}")).unwrap_or_default();
                let end = ended(other).map(|at| format!(" at {at}")).unwrap_or_default();
                format!("{object}, leaked by T{other}{leaked}, which ended{end}")
            }
            Some(other) => {
                let since = since(other, object).map(|at| format!(" since {at}")).unwrap_or_default();
                format!("{object}, held by T{other}{since}")
            }
            None => waits_for.clone(),
        }
    };
    let waiting: Vec<(u32, String)> =
        threads.iter().filter(|thread| !thread.operation.is_empty()).map(|t| (t.thread, one(t))).collect();
    let alike = waiting.chunk_by(|a, b| a.1 == b.1).map(|alike| {
        let names: Vec<String> = alike.iter().map(|(number, _)| format!("T{number}")).collect();
        match names.split_last() {
            Some((last, [])) => format!("{last} waits for {}", alike[0].1),
            Some((last, others)) => format!("{} and {last} wait for {}", others.join(", "), alike[0].1),
            None => String::new(),
        }
    });
    let all: Vec<String> = alike.collect();
    let more = match class {
        Some(DeadlockClass::LostSignal) => "; the signal came before the wait",
        Some(DeadlockClass::NobodyToSignal) => "; nobody is left who would signal",
        Some(DeadlockClass::NoPost) => "; nobody is left who would post",
        Some(
            DeadlockClass::LockCycle
            | DeadlockClass::SelfDeadlock
            | DeadlockClass::LeakedLock
            | DeadlockClass::ShortBarrier
            | DeadlockClass::JoinNeverEnds
            | DeadlockClass::JoinCycle,
        )
        | None => "",
    };
    format!("{}{more}", all.join("; "))
}

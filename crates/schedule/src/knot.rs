//! Which threads of a deadlock are the reason for it, and why.
//!
//! Threads that wait for somebody are edges of a graph. A cycle of it, a lock whose holder has ended, a wait that
//! nobody is left to end: that is the knot. All others only wait for it.

use std::collections::{BTreeMap, BTreeSet};

use crate::end::Blocked;
use crate::finding::DeadlockClass;

/// The reason of a deadlock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Knot {
    /// Which sort of one it is, if that is known: in a state from the middle of a program nobody may know who holds a
    /// lock.
    pub class: Option<DeadlockClass>,
    /// The threads that are the reason, by number; those that have ended with a lock are not among them.
    pub threads: Vec<u32>,
}

/// What a blocked thread waits for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Wait {
    /// A lock.
    Lock,
    /// What is done once, and has been begun.
    Once,
    Join,
    Condition,
    Barrier,
    Semaphore,
}

fn wait_of(operation: &str) -> Wait {
    let has = |parts: &[&str]| parts.iter().any(|part| operation.contains(part));
    match () {
        () if has(&["join"]) => Wait::Join,
        () if has(&["cond", "cnd"]) => Wait::Condition,
        () if has(&["barrier"]) => Wait::Barrier,
        () if has(&["sem_"]) => Wait::Semaphore,
        () if has(&["once"]) => Wait::Once,
        () => Wait::Lock,
    }
}

/// The thread that a blocked one waits for, if that is one.
fn awaited(blocked: &Blocked) -> Option<u32> {
    match wait_of(&blocked.op) {
        Wait::Join => blocked.object.strip_prefix("thread ")?.parse().ok(),
        Wait::Lock => blocked.holder,
        Wait::Once => blocked.holder.or_else(|| is_within_itself(blocked).then_some(blocked.thread)),
        Wait::Condition | Wait::Barrier | Wait::Semaphore => None,
    }
}

/// Whether a thread waits in a function that it has called before, and not returned from: it has begun itself what it
/// waits for.
fn is_within_itself(blocked: &Blocked) -> bool {
    let Some((last, outer)) = blocked.stack.split_last() else { return false };
    outer.iter().any(|site| site.function == last.function)
}

/// The reason of a deadlock. `was_signalled` says whether somebody has signalled an object before.
pub fn knot(blocked: &[Blocked], was_signalled: impl Fn(&str) -> bool) -> Knot {
    let by_thread: BTreeMap<u32, &Blocked> = blocked.iter().map(|b| (b.thread, b)).collect();
    if let Some(cycle) = cycle(&by_thread) {
        let is_lock = |thread: &u32| by_thread.get(thread).is_some_and(|b| wait_of(&b.op) != Wait::Join);
        let class = match (cycle.len(), cycle.iter().any(is_lock)) {
            (1, true) => DeadlockClass::SelfDeadlock,
            (_, true) => DeadlockClass::LockCycle,
            (_, false) => DeadlockClass::JoinCycle,
        };
        return Knot { class: Some(class), threads: cycle };
    }
    let of = |is_it: &dyn Fn(&Blocked) -> bool| -> Vec<u32> {
        blocked.iter().filter(|b| is_it(b)).map(|b| b.thread).collect()
    };
    let leaked =
        of(&|b| wait_of(&b.op) == Wait::Lock && b.holder.is_some_and(|holder| !by_thread.contains_key(&holder)));
    let conditions = of(&|b| wait_of(&b.op) == Wait::Condition);
    let semaphores = of(&|b| wait_of(&b.op) == Wait::Semaphore);
    let barriers = of(&|b| wait_of(&b.op) == Wait::Barrier);
    let locks = of(&|b| wait_of(&b.op) == Wait::Lock && b.holder.is_none());
    let mut waits = blocked.iter().filter(|b| wait_of(&b.op) == Wait::Condition);
    let lost = waits.all(|b| was_signalled(&b.object));
    let signal = if lost { DeadlockClass::LostSignal } else { DeadlockClass::NobodyToSignal };
    let sorts = [
        (Some(DeadlockClass::LeakedLock), leaked),
        (Some(DeadlockClass::ShortBarrier), barriers),
        (Some(signal), conditions),
        (Some(DeadlockClass::NoPost), semaphores),
        (None, locks),
    ];
    let found = sorts.into_iter().find(|(_, threads)| !threads.is_empty());
    let (class, threads) = found.unwrap_or_else(|| (Some(DeadlockClass::JoinNeverEnds), of(&|_| true)));
    Knot { class, threads }
}

/// A cycle of threads that wait for each other, the least number first.
fn cycle(by_thread: &BTreeMap<u32, &Blocked>) -> Option<Vec<u32>> {
    let mut known = BTreeSet::new();
    for &start in by_thread.keys() {
        let mut way: Vec<u32> = Vec::new();
        let mut at = start;
        while known.insert(at) {
            way.push(at);
            match by_thread.get(&at).and_then(|b| awaited(b)).filter(|next| by_thread.contains_key(next)) {
                Some(next) => at = next,
                None => break,
            }
            if let Some(first) = way.iter().position(|&thread| thread == at) {
                let mut cycle = way.split_off(first);
                let least = (0..cycle.len()).min_by_key(|&place| cycle[place]).unwrap_or(0);
                cycle.rotate_left(least);
                return Some(cycle);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocked(thread: u32, op: &str, object: &str, holder: Option<u32>) -> Blocked {
        Blocked {
            thread,
            op: op.to_owned(),
            object: object.to_owned(),
            at: "a.c:1".to_owned(),
            holder,
            holder_at: None,
            waits_for: String::new(),
            stack: Vec::new(),
            holder_stack: Vec::new(),
        }
    }

    fn class(all: &[Blocked]) -> (DeadlockClass, Vec<u32>) {
        let Knot { class, threads } = knot(all, |object| object == "signalled");
        (class.expect("who holds locks is known"), threads)
    }

    #[test]
    fn the_knot_is_what_others_wait_for() {
        let main = blocked(0, "pthread_join", "thread 1", None);
        let lock = |thread, holder| blocked(thread, "pthread_mutex_lock", "m", Some(holder));
        assert_eq!(class(&[main.clone(), lock(1, 1)]), (DeadlockClass::SelfDeadlock, vec![1]));
        assert_eq!(class(&[main.clone(), lock(1, 2), lock(2, 1)]), (DeadlockClass::LockCycle, vec![1, 2]));
        // The second waits for the first alone.
        assert_eq!(class(&[main.clone(), lock(1, 7), lock(2, 7)]), (DeadlockClass::LeakedLock, vec![1, 2]));
        assert_eq!(class(&[main.clone(), lock(1, 0)]), (DeadlockClass::LockCycle, vec![0, 1]));
        let join = |thread, other: u32| blocked(thread, "pthread_join", &format!("thread {other}"), None);
        assert_eq!(class(&[join(1, 2), join(2, 1)]), (DeadlockClass::JoinCycle, vec![1, 2]));
        let wait = |object| blocked(1, "pthread_cond_wait", object, None);
        assert_eq!(class(&[main.clone(), wait("c")]), (DeadlockClass::NobodyToSignal, vec![1]));
        assert_eq!(class(&[main.clone(), wait("signalled")]), (DeadlockClass::LostSignal, vec![1]));
        assert_eq!(class(&[main.clone(), blocked(1, "sem_wait", "s", None)]), (DeadlockClass::NoPost, vec![1]));
        let barrier = blocked(1, "pthread_barrier_wait", "b", None);
        assert_eq!(class(&[main, barrier]), (DeadlockClass::ShortBarrier, vec![1]));
    }
}

//! Synchronisation of a path and of a run: the same operations, on objects that correspond one to one.

use std::collections::BTreeMap;
use std::sync::Arc;

use icsched_ir::CallStack;

use icsched_machine::memory::{AddressClass, classify};
use icsched_machine::thread::ThreadId;
use icsched_symbolic::trace::SyncEvent;

/// A synchronisation, as far as it is compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Sync {
    thread: ThreadId,
    operation: Arc<str>,
    stack: Arc<CallStack>,
    object: u64,
}

pub(super) fn syncs<'a>(events: impl Iterator<Item = &'a SyncEvent>) -> Vec<Sync> {
    events
        .filter_map(|event| match event {
            SyncEvent::Node { thread, operation, stack, object, .. } => {
                let (operation, stack) = (operation.clone(), stack.clone());
                // Which one it is may be left open: then it is not compared.
                Some(Sync { thread: *thread, operation, stack, object: object.address().unwrap_or(0) })
            }
            SyncEvent::Create { .. } | SyncEvent::Order { .. } => None,
        })
        .collect()
}

/// Addresses of a path and of a run that correspond.
pub(super) type Correspondence = BTreeMap<u64, u64>;

/// Whether a run has synchronised as a path did, on objects that correspond one to one to the path's.
pub(super) fn corresponds(path: &[Sync], run: &[Sync], known: &mut Correspondence) -> bool {
    path.len() == run.len() && begins(path, run, known)
}

/// Whether it has begun to.
pub(super) fn begins(path: &[Sync], run: &[Sync], known: &mut Correspondence) -> bool {
    path.len() <= run.len() && path.iter().zip(run).all(|(a, b)| is_alike(a, b, known))
}

fn is_alike(path: &Sync, run: &Sync, known: &mut Correspondence) -> bool {
    if (path.thread, &path.operation, &path.stack) != (run.thread, &run.operation, &run.stack) {
        return false;
    }
    // What is no address is a number that threads and models agree on.
    if !matches!(classify(path.object), AddressClass::Object(..)) {
        return true;
    }
    match known.get(&path.object) {
        Some(&object) => object == run.object,
        None => {
            let is_new = !known.values().any(|&object| object == run.object);
            known.insert(path.object, run.object);
            is_new
        }
    }
}

//! Starts threads, and does their work here where the system gives none.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, Scope};

use crate::memory::stack_sizes;

/// Has work done by a thread of its own, with a stack as large as the system allows. If there is no thread it is done
/// here, before this returns; Z3 knows nothing there of what it has been asked before, as in a new thread.
pub fn spawn_or_do<'scope>(scope: &'scope Scope<'scope, '_>, name: &str, work: impl FnOnce() + Send + 'scope) {
    if let Some(work) = spawn(scope, name, work) {
        icsched_smt::in_fresh_context(work);
    }
}

/// The same, but gives the work back if there is no thread.
fn spawn<'scope, W: FnOnce() + Send + 'scope>(scope: &'scope Scope<'scope, '_>, name: &str, work: W) -> Option<W> {
    // What a thread is to do is lost if there is none.
    let work = Arc::new(Mutex::new(Some(work)));
    let take = |work: &Mutex<Option<W>>| work.lock().unwrap_or_else(PoisonError::into_inner).take();
    for size in stack_sizes() {
        let there = Arc::clone(&work);
        let thread = Builder::new().name(name.to_owned()).stack_size(size);
        let started = thread.spawn_scoped(scope, move || {
            if let Some(work) = take(&there) {
                work();
            }
        });
        if started.is_ok() {
            return None;
        }
    }
    tracing::warn!("the system gives no more threads: this one does their work");
    take(&work)
}

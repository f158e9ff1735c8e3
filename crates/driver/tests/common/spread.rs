//! Work that is spread over the processors.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What `work` makes of each item, in the order of the items: each processor takes the next one when it is done with
/// its last.
pub(crate) fn spread<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return done };
            done.push((at, work(item)));
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let mut all = thread::scope(|scope| {
        let running: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        running.into_iter().flat_map(|worker| worker.join().expect("panics are caught")).collect::<Vec<_>>()
    });
    all.sort_by_key(|&(at, _)| at);
    all.into_iter().map(|(_, made)| made).collect()
}

//! What this process has told of itself: to its parent, if there is one.

use std::io::{PipeWriter, Write as _};
use std::os::fd::AsRawFd as _;
use std::sync::{LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

use super::news::{Heard, News};
use super::reserve;

/// How the child speaks to its parent. Of the process, as signals and memory are.
static TO_PARENT: OnceLock<PipeWriter> = OnceLock::new();

/// What this process has told: all that is known when it tells its result itself, and has not come to its end.
static TOLD: LazyLock<Mutex<Heard>> = LazyLock::new(Mutex::default);

/// Nothing that may panic is done with it.
fn told() -> MutexGuard<'static, Heard> {
    TOLD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is known of this process, as it has told it.
pub(crate) fn known() -> Heard {
    told().clone()
}

/// Tells the parent, if there is one, and keeps it in mind.
pub(crate) fn tell(news: &News) {
    told().hear(news.clone());
    if let Some(mut parent) = TO_PARENT.get() {
        // A parent that has gone takes its child with it.
        let _ = parent.write_all(news.line().as_bytes());
    }
}

/// Whether somebody waits for this process who tells what is known if it does not.
pub(crate) fn has_parent() -> bool {
    TO_PARENT.get().is_some()
}

/// From here on this process is a child.
pub(super) fn be_child(to_parent: PipeWriter) {
    reserve::tell_failures_to(to_parent.as_raw_fd());
    // Nobody was before.
    let _ = TO_PARENT.set(to_parent);
}

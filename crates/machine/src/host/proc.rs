//! Names of open files in `/proc`.

use std::os::fd::{AsRawFd, OwnedFd};

/// The name under which Linux shows one of this process's descriptors.
pub(super) fn proc_name(fd: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", fd.as_raw_fd())
}

//! What a program may not open though the system lets it: the memory of processes, and of the machine.
//!
//! `icsched exec` is the process that the program takes for itself. `/proc/self/mem` would be the interpreter's memory.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs;

use super::proc::proc_name;

/// Files of `proc` that are memory: of a process or thread, and of the kernel.
const MEMORY: [&[u8]; 2] = [b"mem", b"kcore"];

/// The devices that are the machine's memory and its ports: `/dev/mem`, `/dev/kmem`, `/dev/port`.
const MEMORY_DEVICES: [(u32, u32); 3] = [(1, 1), (1, 2), (1, 4)];

/// Whether an open file is memory. The file says it itself, whatever path, link or directory led to it.
pub(super) fn is_memory(file: &OwnedFd) -> bool {
    if let Ok(status) = fs::fstat(file)
        && fs::FileType::from_raw_mode(status.st_mode) == fs::FileType::CharacterDevice
    {
        return MEMORY_DEVICES.contains(&(fs::major(status.st_rdev), fs::minor(status.st_rdev)));
    }
    if !fs::fstatfs(file.as_fd()).is_ok_and(|system| system.f_type == fs::PROC_SUPER_MAGIC) {
        return false;
    }
    // Without the name of the file nobody can say that it is another one.
    let Ok(path) = fs::readlinkat(fs::CWD, proc_name(file), Vec::new()) else { return true };
    path.as_bytes().rsplit(|byte| *byte == b'/').next().is_some_and(|name| MEMORY.contains(&name))
}

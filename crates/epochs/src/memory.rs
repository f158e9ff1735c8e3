//! How much memory there is, and how much of it is used.
//!
//! Three things can end a process that wants more. The machine has no more, or the control group has not
//! (`memory.max`): then the kernel kills it. Its address space may not grow any more (`RLIMIT_AS`), or not with data
//! (`RLIMIT_DATA`): then the allocation fails. Each of them is to be noticed some time before.

use std::path::{Path, PathBuf};

use rustix::process::{Resource, getrlimit};

use crate::budgets::BUDGETS;

/// What this process may use, in bytes; `None` is without limit.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct MemoryLimits {
    /// Memory that it occupies.
    pub resident: Option<u64>,
    /// Its address space, used or not: stacks of threads count whole.
    pub address_space: Option<u64>,
    /// What of its address space it can write.
    pub data: Option<u64>,
}

/// What this process uses, in bytes.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct MemoryUse {
    resident: u64,
    address_space: u64,
    data: u64,
}

impl MemoryLimits {
    /// What the system allows. `resident` is what the user does; without it, half of the machine's memory. Three
    /// quarters of what the control group may have are the most in either case, since others are in it, too.
    pub fn of_process(resident: Option<u64>) -> Self {
        let group = group_limit().map(|most| most / 4 * 3);
        let resident = [resident.or_else(half_of_memory), group].into_iter().flatten().min();
        let usable = |resource| getrlimit(resource).current.map(|most| most / 8 * BUDGETS.address_space_eighths);
        Self { resident, address_space: usable(Resource::As), data: usable(Resource::Data) }
    }

    /// Only what a user allows.
    pub fn of_user(resident: Option<u64>) -> Self {
        Self { resident, ..Self::default() }
    }

    /// Whether more is used than allowed. `false`, too, where the system does not tell.
    pub fn are_reached(&self) -> bool {
        *self != Self::default() && MemoryUse::of_process().is_some_and(|used| self.are_exceeded_by(used))
    }

    /// Whether that is more than allowed.
    pub fn are_exceeded_by(&self, used: MemoryUse) -> bool {
        let is_more = |used: u64, most: Option<u64>| most.is_some_and(|most| used > most);
        is_more(used.resident, self.resident)
            || is_more(used.address_space, self.address_space)
            || is_more(used.data, self.data)
    }

    /// A quarter more memory; for address space and data, what the system itself allows is the most.
    #[must_use]
    pub fn with_a_quarter_more(&self) -> Self {
        let more = |most: u64| most.saturating_add(most / 4);
        let all = |most: u64| (most / BUDGETS.address_space_eighths).saturating_mul(8);
        Self { resident: self.resident.map(more), address_space: self.address_space.map(all), data: self.data.map(all) }
    }
}

impl MemoryUse {
    /// That of this process, where the system tells.
    pub fn of_process() -> Option<Self> {
        Self::read(&std::fs::read_to_string("/proc/self/status").ok()?)
    }

    fn read(status: &str) -> Option<Self> {
        let field = |name: &str| {
            let line = status.lines().find(|line| line.starts_with(name))?;
            Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
        };
        Some(Self { resident: field("VmRSS:")?, address_space: field("VmSize:")?, data: field("VmData:")? })
    }

    /// Memory that is occupied.
    pub fn resident(&self) -> u64 {
        self.resident
    }
}

/// Sizes of stacks to be tried for a thread, the largest one first: large enough for deep recursion, and no more than a
/// small part of the address space that the process may have.
pub fn stack_sizes() -> impl Iterator<Item = usize> {
    let limits = [Resource::As, Resource::Data].map(|resource| getrlimit(resource).current);
    let most =
        limits.into_iter().flatten().min().map_or(BUDGETS.largest_stack, |most| most / BUDGETS.stacks_in_address_space);
    let most = most.clamp(BUDGETS.smallest_stack, BUDGETS.largest_stack);
    let halves = std::iter::successors(Some(most), |size| (*size / 2 >= BUDGETS.smallest_stack).then_some(*size / 2));
    halves.map(|size| usize::try_from(size).unwrap_or(usize::MAX))
}

/// Half of the machine's memory in bytes, where the system tells.
fn half_of_memory() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total = info.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kib: u64 = total.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024 / 2)
}

/// The least memory that a control group which the process is in may have, in bytes.
fn group_limit() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    limit_of_groups(&groups, Path::new("/sys/fs/cgroup"))
}

/// The same, with what `/proc/self/cgroup` says and where the file systems of control groups are. In version 2 the line
/// is `0::PATH` and the file `memory.max`, in version 1 `N:memory:PATH` and `memory.limit_in_bytes`. Limits of all
/// groups on the path hold. In a container the path may be that of outside, and the root is its group.
fn limit_of_groups(groups: &str, mounted: &Path) -> Option<u64> {
    let limits = groups.lines().filter_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let (root, file) = match controllers {
            "" => (mounted.to_path_buf(), "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                (mounted.join("memory"), "memory.limit_in_bytes")
            }
            _ => return None,
        };
        let inner = root.join(path.trim_start_matches('/'));
        // One of "max" is none.
        let limit = |group: &PathBuf| std::fs::read_to_string(group.join(file)).ok()?.trim().parse::<u64>().ok();
        let around = inner.ancestors().take_while(|group| group.starts_with(&root)).map(Path::to_path_buf);
        around.collect::<Vec<_>>().iter().filter_map(limit).min()
    });
    limits.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &str = "Name:\tx\nVmPeak:\t 900 kB\nVmSize:\t 800 kB\nVmData:\t 300 kB\nVmRSS:\t 200 kB\n";

    #[test]
    fn each_limit_is_looked_at() {
        let used = MemoryUse::read(STATUS).expect("all is there");
        let none = MemoryLimits::default();
        assert!(!none.are_exceeded_by(used) && !none.are_reached());
        let kib = |n: u64| Some(n << 10);
        let of = |resident, address_space, data| MemoryLimits { resident, address_space, data };
        for (limits, is_exceeded) in [
            (of(kib(200), kib(800), kib(300)), false),
            (of(kib(199), None, None), true),
            (of(None, kib(799), None), true),
            (of(None, None, kib(299)), true),
        ] {
            assert_eq!(limits.are_exceeded_by(used), is_exceeded, "{limits:?}");
            assert!(!limits.with_a_quarter_more().are_exceeded_by(used), "{limits:?}");
        }
        assert!(MemoryLimits::of_user(Some(1)).are_reached());
    }

    #[test]
    fn what_a_system_does_not_tell_is_no_limit() {
        assert_eq!(MemoryUse::read("Name:\tx\n"), None);
        assert_eq!(limit_of_groups("0::/\n", Path::new("/nowhere")), None);
    }

    #[test]
    fn control_groups_of_both_versions_limit_what_is_in_them() {
        let place = tempfile::tempdir().expect("a temporary directory can be made");
        let write = |group: &str, file: &str, text: &str| {
            let group = place.path().join(group);
            std::fs::create_dir_all(&group).expect("the directory is ours");
            std::fs::write(group.join(file), text).expect("the directory is ours");
        };
        write("user/session", "memory.max", "max\n");
        write("user", "memory.max", "5000\n");
        write("memory/jobs", "memory.limit_in_bytes", "3000\n");
        write("memory", "memory.limit_in_bytes", "9223372036854771712\n");
        let limit = |groups: &str| limit_of_groups(groups, place.path());
        assert_eq!(limit("0::/user/session\n"), Some(5000));
        assert_eq!(limit("0::/elsewhere\n"), None);
        assert_eq!(limit("3:cpuset:/\n4:memory:/jobs\n0::/user\n"), Some(3000));
        // As seen from inside a container.
        assert_eq!(limit("4:cpu,memory:/not/there\n"), Some(9_223_372_036_854_771_712));
    }

    #[test]
    fn stacks_get_smaller() {
        let sizes: Vec<usize> = stack_sizes().collect();
        assert!(!sizes.is_empty() && sizes.is_sorted_by(|a, b| a > b), "{sizes:?}");
        assert!(*sizes.last().expect("there are some") >= BUDGETS.smallest_stack as usize);
    }
}

//! How much host memory may be registered at a time in this process.
//!
//! Registered memory cannot be moved or swapped out, so the default leaves half
//! of everything alone, and what is left is shared with the other ranks of the
//! job on this machine.

use core::ffi::CStr;
use core::sync::atomic::{AtomicU64, Ordering};
use std::fs;
use std::path::{Path, PathBuf};

use crate::environment::{self, Amount};

/// The budget in bytes: `OFFMEM_LIMIT`, but never above the machine's memory;
/// by default the least of half of memory, half of what the control groups
/// allow and three quarters of what is available now, divided by the number of
/// ranks. Found out at the first call, which reads files, so not from a hook;
/// threads that come first together may each do so.
pub(crate) fn bytes() -> u64 {
    static BYTES: AtomicU64 = AtomicU64::new(UNREAD);
    const UNREAD: u64 = u64::MAX;
    let mut bytes = BYTES.load(Ordering::Relaxed);
    if bytes == UNREAD {
        let memory = Memory::read();
        bytes = match environment::limit() {
            Some(amount) => memory.explicit(amount),
            None => memory.share() / ranks(environment::job),
        };
        BYTES.store(bytes, Ordering::Relaxed);
    }
    bytes
}

/// An amount in bytes.
pub(crate) fn of_memory(amount: Amount) -> u64 {
    match amount {
        Amount::Bytes(bytes) => bytes,
        share => Memory::read().explicit(share),
    }
}

/// What there is, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Memory {
    total: u64,
    available: u64,
    /// Of the control groups; the greatest number if there is none.
    group: u64,
}

impl Memory {
    fn read() -> Memory {
        let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let total = meminfo(&text, "MemTotal").unwrap_or_else(physical);
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let limit = |file: PathBuf| group_limit(&fs::read_to_string(file).ok()?);
        Memory {
            total,
            available: meminfo(&text, "MemAvailable").unwrap_or(total),
            group: group_files(&groups).filter_map(limit).min().unwrap_or(u64::MAX),
        }
    }

    fn explicit(self, amount: Amount) -> u64 {
        match amount {
            Amount::Bytes(bytes) => bytes.min(self.total),
            Amount::Percent(share) => self.total / 100 * share,
        }
    }

    fn share(self) -> u64 {
        (self.total / 2).min(self.group / 2).min(self.available / 4 * 3)
    }
}

/// The machine's memory where `/proc` is not there.
fn physical() -> u64 {
    // SAFETY: neither has a precondition.
    let (pages, page) =
        unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    u64::try_from(pages).unwrap_or(0).saturating_mul(u64::try_from(page).unwrap_or(0))
}

/// A field of proc_meminfo(5), in bytes.
pub(crate) fn meminfo(text: &str, field: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kib.checked_mul(1024)
}

/// The files with the limits that hold for a process whose `/proc/PID/cgroup`
/// this is: its group's and those of all groups above, of cgroups(7) version 2,
/// and of version 1 where the memory controller is there.
fn group_files(text: &str) -> impl Iterator<Item = PathBuf> {
    let groups = text.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        if controllers.is_empty() {
            Some(("/sys/fs/cgroup", "memory.max", path))
        } else if controllers.split(',').any(|controller| controller == "memory") {
            Some(("/sys/fs/cgroup/memory", "memory.limit_in_bytes", path))
        } else {
            None
        }
    });
    groups.flat_map(|(root, file, path)| {
        // A group outside of our namespace's is shown as /.. and not there.
        let inside = Path::new(path.trim_start_matches('/'));
        let levels = inside.ancestors().filter(|level| !level.starts_with(".."));
        levels.map(move |level| Path::new(root).join(level).join(file)).collect::<Vec<_>>()
    })
}

/// A limit in bytes, or none for `max`.
fn group_limit(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// Launchers' names for the number of ranks of a job on this machine.
const LOCAL_SIZES: [&CStr; 5] = [
    // Open MPI.
    c"OMPI_COMM_WORLD_LOCAL_SIZE",
    // MPICH and Intel MPI.
    c"MPI_LOCALNRANKS",
    c"MV2_COMM_WORLD_LOCAL_SIZE",
    // Cray's PMI, and its launcher PALS.
    c"PMI_LOCAL_SIZE",
    c"PALS_LOCAL_SIZE",
];

/// The number of ranks on this machine that share its memory, at least 1, by
/// `variable`. MPI's own variables come before Slurm's, which may be those of
/// the script around it.
fn ranks<'a>(variable: impl Fn(&CStr) -> Option<&'a str>) -> u64 {
    let number = |name: &CStr| variable(name)?.trim().parse::<u64>().ok().filter(|n| *n > 0);
    let step = || {
        let node = variable(c"SLURM_NODEID").and_then(|node| node.trim().parse().ok());
        tasks(variable(c"SLURM_STEP_TASKS_PER_NODE")?, node)
    };
    let ranks = LOCAL_SIZES.iter().find_map(|name| number(name));
    ranks.or_else(step).or_else(|| number(c"SLURM_NTASKS_PER_NODE")).unwrap_or(1)
}

/// The tasks on a node by Slurm's list: `5,4(x3)` is 5 on the first node and 4
/// on each of the next three. Without the node's number, the most.
fn tasks(list: &str, node: Option<u64>) -> Option<u64> {
    let mut most = None;
    let mut first = 0u64;
    for group in list.trim().split(',') {
        let (tasks, nodes) = match group.split_once("(x") {
            Some((tasks, nodes)) => (tasks, nodes.strip_suffix(')')?.parse::<u64>().ok()?),
            None => (group, 1),
        };
        let tasks = tasks.parse::<u64>().ok().filter(|tasks| *tasks > 0)?;
        most = most.max(Some(tasks));
        let end = first.checked_add(nodes)?;
        if node.is_some_and(|node| (first..end).contains(&node)) {
            return Some(tasks);
        }
        first = end;
    }
    most
}

#[cfg(test)]
mod tests {
    use super::{Memory, bytes, group_files, group_limit, meminfo, physical, ranks, tasks};
    use crate::environment::Amount;

    const GIB: u64 = 1 << 30;
    const MEMORY: Memory = Memory { total: 100 * GIB, available: 80 * GIB, group: u64::MAX };

    #[test]
    fn the_default_is_the_least_of_three() {
        assert_eq!(MEMORY.share(), 50 * GIB);
        assert_eq!(Memory { group: 16 * GIB, ..MEMORY }.share(), 8 * GIB);
        assert_eq!(Memory { available: 4 * GIB, ..MEMORY }.share(), 3 * GIB);
    }

    #[test]
    fn a_limit_is_taken_as_given_up_to_all_memory() {
        assert_eq!(MEMORY.explicit(Amount::Bytes(GIB)), GIB);
        assert_eq!(MEMORY.explicit(Amount::Bytes(1000 * GIB)), 100 * GIB);
        assert_eq!(MEMORY.explicit(Amount::Percent(25)), 25 * GIB);
    }

    #[test]
    fn this_machine_has_a_budget() {
        let memory = Memory::read();
        assert!(memory.available <= memory.total && memory.total <= physical() * 2);
        assert!(bytes() > 0 && bytes() <= memory.total / 2);
    }

    #[test]
    fn fields_of_meminfo() {
        let text = "MemTotal:       16384 kB\nMemFree: 1 kB\nMemAvailable:    2048 kB\n";
        assert_eq!(meminfo(text, "MemTotal"), Some(16 << 20));
        assert_eq!(meminfo(text, "MemAvailable"), Some(2 << 20));
        assert_eq!(meminfo(text, "Mem"), None);
        assert_eq!(meminfo("MemTotal: x kB", "MemTotal"), None);
    }

    fn files(text: &str) -> Vec<String> {
        group_files(text).map(|file| file.display().to_string()).collect()
    }

    #[test]
    fn every_group_up_to_the_root_counts() {
        let expected = [
            "/sys/fs/cgroup/system.slice/job/memory.max",
            "/sys/fs/cgroup/system.slice/memory.max",
            "/sys/fs/cgroup/memory.max",
        ];
        assert_eq!(files("0::/system.slice/job\n"), expected);
        assert_eq!(files("0::/\n"), ["/sys/fs/cgroup/memory.max"]);
        assert_eq!(files("0::/../other\n"), ["/sys/fs/cgroup/memory.max"]);
        let first = "5:cpuset:/a\n4:cpu,memory:/slurm\n1:name=systemd:/\n";
        let expected = [
            "/sys/fs/cgroup/memory/slurm/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        ];
        assert_eq!(files(first), expected);
        assert_eq!((group_limit("max\n"), group_limit("4096\n")), (None, Some(4096)));
    }

    #[test]
    fn launchers_say_how_many_ranks() {
        let ranks = |variables: &[(&str, &'static str)]| {
            ranks(|name| {
                let found =
                    variables.iter().find(|(variable, _)| name.to_bytes() == variable.as_bytes());
                found.map(|(_, value)| *value)
            })
        };
        assert_eq!(ranks(&[]), 1);
        assert_eq!(ranks(&[("OMPI_COMM_WORLD_LOCAL_SIZE", "4")]), 4);
        assert_eq!(ranks(&[("PMI_LOCAL_SIZE", "8"), ("SLURM_NTASKS_PER_NODE", "2")]), 8);
        assert_eq!(ranks(&[("MPI_LOCALNRANKS", "0")]), 1);
        let step = ("SLURM_STEP_TASKS_PER_NODE", "5,4(x3)");
        assert_eq!(ranks(&[step, ("SLURM_NODEID", "2")]), 4);
        assert_eq!(ranks(&[step, ("SLURM_NODEID", "0")]), 5);
        assert_eq!(ranks(&[("SLURM_STEP_TASKS_PER_NODE", "?"), ("SLURM_NTASKS_PER_NODE", "3")]), 3);
    }

    #[test]
    fn lists_of_slurm() {
        assert_eq!(tasks("4(x2)", Some(1)), Some(4));
        assert_eq!(tasks("2,8(x2),3", None), Some(8));
        assert_eq!(tasks("2,8(x2),3", Some(3)), Some(3));
        assert_eq!(tasks("2", Some(9)), Some(2));
        for bad in ["", "x", "4(x2", "4(xy)", "0", "1(x18446744073709551615),1"] {
            assert_eq!(tasks(bad, None), None, "{bad}");
        }
    }
}

//! Locking all of the process's memory, only where that can never hurt it.
//!
//! Under a finite limit `MCL_FUTURE` would make a later `mmap`, `brk` or stack
//! growth fail (mlockall(2)), and `MCL_CURRENT` alone a growth of the stack. So
//! it is all or nothing: nothing wherever the limit holds for this process.

use core::fmt;
use core::ptr;
use std::io;

use libc::{c_int, c_void};

use crate::hook::mapping;

/// What became of it.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Present and future pages are locked as they are touched.
    Locked,
    /// A limit stands against it; nothing changed.
    Limited(Limit),
    /// The kernel refused; nothing is locked.
    Failed(io::Error),
}

/// A limit in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limit(libc::rlim_t);

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} KiB", self.0 / 1024)
    }
}

/// Locks all of it, or leaves everything as it is.
pub(crate) fn lock_all() -> Outcome {
    if let Err(limit) = lift_limit() {
        return Outcome::Limited(limit);
    }
    // On fault: else every thread's stack would be faulted in whole.
    let flags = libc::MCL_CURRENT | libc::MCL_FUTURE | libc::MCL_ONFAULT;
    // SAFETY: changes no memory's content or validity.
    if unsafe { libc::mlockall(flags) } == 0 {
        mapping::keep_files_unlocked();
        Outcome::Locked
    } else {
        Outcome::Failed(io::Error::last_os_error())
    }
}

/// Makes this process's locked memory unlimited, or says what the limit is.
fn lift_limit() -> Result<(), Limit> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is valid for the write.
    if unsafe { libc::getrlimit(libc::RLIMIT_MEMLOCK, &raw mut limit) } != 0 {
        return Err(Limit(0));
    }
    if limit.rlim_cur == libc::RLIM_INFINITY {
        return Ok(());
    }
    // What a hard limit allows, and what CAP_SYS_RESOURCE does: it holds on
    // even if the program drops its privileges.
    let unlimited = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: `unlimited` is valid for the read.
    if unsafe { libc::setrlimit(libc::RLIMIT_MEMLOCK, &raw const unlimited) } == 0 {
        return Ok(());
    }
    if exempt(limit.rlim_cur) { Ok(()) } else { Err(Limit(limit.rlim_max)) }
}

/// Whether this process may lock more than `limit` bytes. It asks the kernel
/// by doing so: a user namespace's CAP_IPC_LOCK looks like the real one.
fn exempt(limit: libc::rlim_t) -> bool {
    const PAGE: usize = 4096;
    let Some(size) = usize::try_from(limit).ok().and_then(|limit| limit.checked_add(PAGE)) else {
        return false;
    };
    let size = size.next_multiple_of(PAGE);
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping without access, which only we know; locking it on
    // fault touches no page.
    unsafe {
        let probe = libc::mmap(ptr::null_mut(), size, libc::PROT_NONE, flags, -1, 0);
        if probe == libc::MAP_FAILED {
            return false;
        }
        let locked = mlock_on_fault(probe, size) == 0;
        libc::munmap(probe, size);
        locked
    }
}

/// mlock2(2) with `MLOCK_ONFAULT`.
///
/// # Safety
/// As mlock's.
unsafe fn mlock_on_fault(address: *const c_void, size: usize) -> c_int {
    // SAFETY: the caller's.
    unsafe { libc::mlock2(address, size, libc::MLOCK_ONFAULT) }
}

#[cfg(test)]
mod tests {
    use super::{Limit, exempt};

    #[test]
    fn limits_are_told_in_the_unit_of_ulimit() {
        assert_eq!(Limit(8 << 20).to_string(), "8192 KiB");
    }

    #[test]
    fn nobody_locks_more_than_there_are_addresses() {
        assert!(!exempt(libc::RLIM_INFINITY - 1));
    }
}

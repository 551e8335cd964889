//! Threads of this library get none of the program's signals.

use core::{mem, ptr};

/// All signals are blocked in this thread and those that it begins: the
/// program's handlers belong into its own threads.
pub(super) struct Blocked(libc::sigset_t);

impl Blocked {
    pub(super) fn all() -> Blocked {
        // SAFETY: both sets are valid for the writes; a set of zeros is empty.
        unsafe {
            let mut all = mem::zeroed();
            let mut old = mem::zeroed();
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut old);
            Blocked(old)
        }
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        // SAFETY: the set that was in effect before.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, ptr::null_mut());
        }
    }
}

//! Bringing memory in before it is registered.
//!
//! The driver faults pages in one by one, in one thread. Several threads that
//! populate the range before, with huge pages where they may be had, are faster
//! where it was never touched, and cost little where it was.

use core::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use offmem_registration::Range;
use offmem_registration::lock::Blocked;

use super::huge::{self, Advised};

/// What one thread brings in at least, in bytes.
const SHARE: usize = 16 << 20;
/// More threads than this only wait for each other.
const THREADS_MAX: usize = 4;
/// What a thread takes at a time, so that all end together.
const STEP: usize = 8 << 20;

/// How long the first huge pages, [`huge::MIN`] bytes, may take, in nanoseconds:
/// less than 1 GiB/s is no faster than small pages are, and says that the kernel
/// has to make room for each.
const ATTEMPT_MAX: u64 = 4_000_000;

/// Makes the pages of `range` resident and writable, as registering would. A
/// kernel before 5.14 cannot, and leaves it to registering.
pub(super) fn bring_in(range: Range) {
    let pages = range.pages();
    if let Some(advised) = huge::advise(range) {
        attempt(advised);
    }
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let threads = (pages.size() / SHARE).clamp(1, processors.min(THREADS_MAX));
    let reached = AtomicUsize::new(pages.start);
    let work = || {
        loop {
            let start = reached.fetch_add(STEP, Ordering::Relaxed);
            if start >= pages.end {
                return;
            }
            populate(Range { start, end: pages.end.min(start + STEP) });
        }
    };
    if threads == 1 {
        return work();
    }
    let signals = Blocked::all();
    thread::scope(|scope| {
        for _ in 1..threads {
            // A thread that cannot be had is done without.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    drop(signals);
}

/// Goes back to small pages where huge ones are slow.
fn attempt(advised: Advised) {
    let before = thread_time();
    populate(advised.beginning());
    if thread_time() - before > ATTEMPT_MAX {
        advised.withdraw();
    }
}

/// Nanoseconds that this thread has run, whatever else ran meanwhile.
fn thread_time() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: valid for the write.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Nothing but that, in this thread.
pub(super) fn populate(range: Range) {
    // By system call: the hook of madvise(2) has no business here.
    // SAFETY: populating changes no content.
    unsafe {
        libc::syscall(libc::SYS_madvise, range.start, range.size(), libc::MADV_POPULATE_WRITE)
    };
}

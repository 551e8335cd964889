//! Bringing memory in before it is registered.
//!
//! The driver faults pages in one by one, in one thread. Several threads that
//! populate the range before are faster where it was never touched, and cost
//! little where it was.

use std::thread;

use offmem_registration::Range;

use super::signals::Blocked;

/// What one thread brings in at least, in bytes.
const SHARE: usize = 32 << 20;
/// More threads than this only wait for each other.
const THREADS_MAX: usize = 4;

/// Makes the pages of `range` resident and writable, as registering would. A
/// kernel before 5.14 cannot, and leaves it to registering.
pub(super) fn bring_in(range: Range) {
    let pages = range.pages();
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let threads = (pages.size() / SHARE).clamp(1, processors.min(THREADS_MAX));
    if threads == 1 {
        return populate(pages);
    }
    let share = (pages.size() / threads).next_multiple_of(SHARE / 16);
    let shares = (pages.start..pages.end)
        .step_by(share)
        .map(|start| Range { start, end: pages.end.min(start + share) });
    let signals = Blocked::all();
    thread::scope(|scope| {
        for share in shares {
            // A thread that cannot be had is done without.
            if thread::Builder::new().spawn_scoped(scope, move || populate(share)).is_err() {
                populate(share);
            }
        }
    });
    drop(signals);
}

fn populate(range: Range) {
    // By system call: the hook of madvise(2) has no business here.
    // SAFETY: populating changes no content.
    unsafe {
        libc::syscall(libc::SYS_madvise, range.start, range.size(), libc::MADV_POPULATE_WRITE)
    };
}

//! Waiting for a word to change. What sleeps holds nothing, so a child of
//! `fork` has nothing to repair.

use core::sync::atomic::AtomicU32;

use crate::errno;

/// Sleeps while `word` is `seen`; may wake early. Leaves errno alone.
pub fn wait(word: &AtomicU32, seen: u32) {
    call(word, libc::FUTEX_WAIT, seen);
}

/// Wakes all who wait for `word`.
pub fn wake(word: &AtomicU32) {
    call(word, libc::FUTEX_WAKE, i32::MAX as u32);
}

fn call(word: &AtomicU32, operation: i32, value: u32) {
    let operation = operation | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word outlives the call; no timeout.
    errno::keep(|| unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), operation, value, 0usize)
    });
}

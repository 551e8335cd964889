//! `errno`, which the hooks leave as the program knows it.

use core::ffi::c_int;

/// This thread's.
#[inline]
pub fn get() -> c_int {
    // SAFETY: this thread's own.
    unsafe { *libc::__errno_location() }
}

/// Sets this thread's.
#[inline]
pub fn set(error: c_int) {
    // SAFETY: this thread's own.
    unsafe { *libc::__errno_location() = error };
}

/// Does `work`, behind which it is what it was before.
#[inline]
pub fn keep<T>(work: impl FnOnce() -> T) -> T {
    let error = get();
    let result = work();
    set(error);
    result
}

/// Where this thread's is: what tells threads apart, and is there before
/// anything else is.
#[inline]
pub fn place() -> usize {
    // SAFETY: always valid.
    unsafe { libc::__errno_location() }.addr()
}

#[cfg(test)]
mod tests {
    use super::{get, keep, place, set};
    use std::thread;

    #[test]
    fn it_is_kept() {
        set(libc::EIO);
        assert_eq!(keep(|| set(libc::ENOMEM)), ());
        assert_eq!(get(), libc::EIO);
    }

    #[test]
    fn each_thread_has_its_own() {
        assert_eq!(place(), place());
        thread::scope(|scope| assert_ne!(place(), scope.spawn(place).join().expect("a place")));
    }
}

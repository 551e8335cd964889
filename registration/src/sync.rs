//! Atomics, lock and waiting: the real ones, or loom's where its models run.

#[cfg(not(all(loom, test)))]
mod real {
    pub(crate) use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, fence};

    pub(crate) use crate::lock::{Blocked, Guard, Lock};

    /// Sleeps while `word` is `seen`; may wake early. Leaves errno alone.
    pub(crate) fn wait(word: &AtomicU32, seen: u32) {
        futex(word, libc::FUTEX_WAIT, seen);
    }

    /// Wakes all who wait for `word`.
    pub(crate) fn wake(word: &AtomicU32) {
        futex(word, libc::FUTEX_WAKE, i32::MAX as u32);
    }

    fn futex(word: &AtomicU32, operation: i32, value: u32) {
        let operation = operation | libc::FUTEX_PRIVATE_FLAG;
        // SAFETY: the word outlives the call; no timeout; errno is this thread's.
        unsafe {
            let errno = *libc::__errno_location();
            libc::syscall(libc::SYS_futex, word.as_ptr(), operation, value, 0usize);
            *libc::__errno_location() = errno;
        }
    }

    pub(crate) const fn nulls<T, const N: usize>() -> [AtomicPtr<T>; N] {
        [const { AtomicPtr::new(core::ptr::null_mut()) }; N]
    }

    macro_rules! const_fn {
        ($(#[$attribute:meta])* $visibility:vis fn $($rest:tt)*) => {
            $(#[$attribute])* $visibility const fn $($rest)*
        };
    }
    pub(crate) use const_fn;
}

#[cfg(all(loom, test))]
mod real {
    pub(crate) use loom::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, fence};

    pub(crate) type Guard<'a, T> = loom::sync::MutexGuard<'a, T>;

    /// Models have no signals.
    pub(crate) struct Blocked;

    impl Blocked {
        pub(crate) fn all() -> Blocked {
            Blocked
        }
    }

    #[derive(Debug)]
    pub(crate) struct Lock<T>(loom::sync::Mutex<T>);

    impl<T> Lock<T> {
        pub(crate) fn new(value: T) -> Lock<T> {
            Lock(loom::sync::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> Guard<'_, T> {
            self.0.lock().expect("a model that panicked has ended")
        }
    }

    pub(crate) fn wait(_: &AtomicU32, _: u32) {
        loom::thread::yield_now();
    }

    pub(crate) fn wake(_: &AtomicU32) {}

    pub(crate) fn nulls<T, const N: usize>() -> [AtomicPtr<T>; N] {
        core::array::from_fn(|_| AtomicPtr::new(core::ptr::null_mut()))
    }

    macro_rules! const_fn {
        ($($function:tt)*) => { $($function)* };
    }
    pub(crate) use const_fn;
}

pub(crate) use real::*;

//! Atomics, lock and waiting: the real ones, or loom's where its models run.

#[cfg(not(all(loom, test)))]
mod real {
    pub(crate) use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, fence};

    pub(crate) use crate::futex::{wait, wake};
    pub(crate) use crate::lock::{Blocked, Guard, Lock};

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

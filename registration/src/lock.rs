//! A lock that survives `fork`, and signals that wait for it.
//!
//! The standard library's cannot be released by the child of a `fork` in whose
//! parent it was taken; a pthread mutex may (pthread_atfork(3p), rationale).

use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};
use core::{mem, ptr};

/// While it lives, this thread, and those that it begins, take no signals. A
/// handler may unmap memory, and would wait for what its own thread holds.
#[derive(Debug)]
#[must_use]
pub struct Blocked(libc::sigset_t);

impl Blocked {
    /// Two system calls, in all. They leave `errno` alone.
    pub fn all() -> Blocked {
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

/// Guards `T`. It allocates nothing and needs no initialisation, so hooks may
/// take it at any time; it is not reentrant.
#[derive(Debug)]
pub struct Lock<T> {
    mutex: UnsafeCell<libc::pthread_mutex_t>,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached with the mutex held only.
unsafe impl<T: Send> Sync for Lock<T> {}

impl<T> Lock<T> {
    /// Not held.
    pub const fn new(value: T) -> Lock<T> {
        Lock {
            mutex: UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER),
            value: UnsafeCell::new(value),
        }
    }

    /// Waits until nobody else has it.
    pub fn lock(&self) -> Guard<'_, T> {
        self.acquire();
        Guard { lock: self }
    }

    /// The value between [`Lock::acquire`] and [`Lock::release`].
    ///
    /// # Safety
    /// This thread, or its parent before a `fork`, acquired the lock, and has no other reference.
    #[allow(clippy::mut_from_ref, reason = "the lock is held")]
    pub unsafe fn held(&self) -> &mut T {
        // SAFETY: by the contract above.
        unsafe { &mut *self.value.get() }
    }

    /// Before `fork`: so that the child gets a consistent value.
    pub fn acquire(&self) {
        // SAFETY: a valid mutex that never moves while it is held: it is borrowed.
        unsafe { libc::pthread_mutex_lock(self.mutex.get()) };
    }

    /// After `fork`, in the parent and in the child.
    ///
    /// # Safety
    /// This thread, or its parent before the `fork`, called [`Lock::acquire`].
    pub unsafe fn release(&self) {
        // SAFETY: held, by the contract above.
        unsafe { libc::pthread_mutex_unlock(self.mutex.get()) };
    }
}

/// The value while the lock is held.
#[derive(Debug)]
pub struct Guard<'a, T> {
    lock: &'a Lock<T>,
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: the lock is held.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the lock is held, by this guard alone.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        // SAFETY: the guard was made with the lock held.
        unsafe { self.lock.release() };
    }
}

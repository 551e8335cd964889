//! `fork`: the child has the parent's addresses and none of its registrations.

use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Once, OnceLock};

use offmem_registration::PAGE;

use crate::hook::{library, mapping, protection};
use crate::{allocator, engine, heap, unified};

/// Acquires and releases a lock.
type Taking = (fn(), unsafe fn());

/// What a child must be able to take, in the order of taking: acquire, release.
/// Records are not among them: a child leaves them alone.
const LOCKS: [Taking; 4] = [
    (engine::acquire, engine::release),
    (heap::acquire, heap::release),
    (unified::acquire, unified::release),
    // The last: whoever holds another may allocate.
    (allocator::acquire, allocator::release),
];

/// How many [`on_child`] takes.
const LISTENERS: usize = 4;

static CHILD: [OnceLock<fn()>; LISTENERS] = [const { OnceLock::new() }; LISTENERS];

/// What [`MARK`] points to before there is a page, and where the kernel cannot
/// wipe one.
static PLAIN: AtomicUsize = AtomicUsize::new(1);

/// A word that is not zero in the process that began, and zero in its children.
static MARK: AtomicPtr<AtomicUsize> = AtomicPtr::new((&raw const PLAIN).cast_mut());

/// Whether this process was forked from the one in which this library began.
/// Everything that knows of registrations is the parent's then: leave it alone,
/// and call no driver. A child that shares its parent's memory (`vfork`,
/// `posix_spawn`) is none. Two loads.
#[inline]
pub(crate) fn is_child() -> bool {
    // SAFETY: it always points to a word that stays.
    unsafe { (*MARK.load(Ordering::Relaxed)).load(Ordering::Relaxed) == 0 }
}

/// Has `f` called in the child of a `fork`, in its only thread, with all locks
/// free; not in that of `_Fork` or `clone`, which [`is_child`] knows as well. At
/// most four, for good.
pub(crate) fn on_child(f: fn()) {
    let taken = CHILD.iter().any(|place| place.set(f).is_ok());
    debug_assert!(taken, "more than {LISTENERS} listeners");
}

/// Before the pool's jemalloc registers handlers of its own, whose locks have to be
/// taken first: handlers run in the reverse order.
#[used]
#[unsafe(link_section = ".init_array.00200")]
static PREPARE: extern "C" fn() = {
    extern "C" fn first() {
        prepare();
    }
    first
};

#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = start;

extern "C" fn start() {
    library::remember_start();
    mapping::look_up();
    protection::look_up();
}

/// Makes this process one that may fork; once is enough, and this library's
/// first constructor does it.
pub(crate) fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if !cfg!(feature = "sabotage-fork") {
            mark();
        }
        // SAFETY: the handlers are functions of this library, which takes them
        // along when it goes.
        unsafe { libc::pthread_atfork(Some(before), Some(parent), Some(child)) };
    });
}

/// Puts the mark into a page of which children get an empty one (Linux 4.14).
fn mark() {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping, which only this function knows and then everybody
    // uses; by system calls, since hooks are not in order yet.
    unsafe {
        let page = libc::syscall(libc::SYS_mmap, 0usize, PAGE, protection, flags, -1, 0usize);
        if page == -1 {
            return;
        }
        if libc::syscall(libc::SYS_madvise, page, PAGE, libc::MADV_WIPEONFORK) == 0 {
            let word = page as *mut AtomicUsize;
            (*word).store(1, Ordering::Relaxed);
            MARK.store(word, Ordering::Release);
        } else {
            libc::syscall(libc::SYS_munmap, page, PAGE);
        }
    }
}

unsafe extern "C" fn before() {
    for (acquire, _) in LOCKS {
        acquire();
    }
}

unsafe extern "C" fn parent() {
    // SAFETY: taken by `before`.
    unsafe { release() };
    unified::in_parent();
}

unsafe fn release() {
    for (_, release) in LOCKS.iter().rev() {
        // SAFETY: taken by `before`.
        unsafe { release() };
    }
}

unsafe extern "C" fn child() {
    // SAFETY: taken by `before`, in the parent.
    unsafe { release() };
    if cfg!(feature = "sabotage-fork") {
        return;
    }
    // SAFETY: it always points to a word that stays.
    unsafe { (*MARK.load(Ordering::Relaxed)).store(0, Ordering::Relaxed) };
    unified::in_child();
    for f in CHILD.iter().filter_map(OnceLock::get) {
        f();
    }
}

/// For tests: forks, and returns what `f` says there.
#[cfg(test)]
pub(super) fn in_child(fork: impl FnOnce() -> libc::pid_t, f: impl FnOnce() -> bool) -> bool {
    let child = fork();
    if child == 0 {
        let status = libc::c_int::from(!f());
        // SAFETY: ends the child at once.
        unsafe { libc::_exit(status) };
    }
    assert!(child > 0, "{}", std::io::Error::last_os_error());
    let mut status = 0;
    // SAFETY: `status` is valid for the write.
    let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
    waited == child && status == 0
}

#[cfg(test)]
mod tests {
    use super::{in_child, is_child, on_child};
    use core::sync::atomic::{AtomicBool, Ordering};
    use std::sync::atomic::AtomicUsize;
    use std::thread;

    fn fork() -> libc::pid_t {
        // SAFETY: the child only does what a child of threads may.
        unsafe { libc::fork() }
    }

    /// As `_Fork` does it: no handler runs.
    fn bare_fork() -> libc::pid_t {
        // SAFETY: as above.
        unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) as libc::pid_t }
    }

    static TOLD: AtomicUsize = AtomicUsize::new(0);

    #[test]
    fn a_child_knows_what_it_is() {
        on_child(|| {
            TOLD.fetch_add(1, Ordering::Relaxed);
        });
        assert!(!is_child());
        assert!(in_child(fork, || is_child() && TOLD.load(Ordering::Relaxed) == 1));
        assert!(in_child(bare_fork, || is_child() && TOLD.load(Ordering::Relaxed) == 0));
        assert!(in_child(fork, || in_child(bare_fork, is_child) && in_child(fork, is_child)));
        assert!(!is_child() && TOLD.load(Ordering::Relaxed) == 0);
    }

    #[test]
    fn a_process_that_shares_this_ones_memory_is_no_child() {
        let mut stack = vec![0u8; 1 << 16];
        extern "C" fn body(result: *mut libc::c_void) -> libc::c_int {
            // SAFETY: the parent's variable, which waits.
            unsafe { *result.cast::<bool>() = is_child() };
            0
        }
        let mut result = true;
        let mut status = 0;
        // SAFETY: a stack of its own; this thread waits until it is gone, as vfork does.
        unsafe {
            let top = stack.as_mut_ptr().add(stack.len()).cast();
            let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
            let child = libc::clone(body, top, flags, (&raw mut result).cast());
            assert!(child > 0 && libc::waitpid(child, &raw mut status, 0) == child);
        }
        assert!(!result);
    }

    #[test]
    fn a_child_of_busy_threads_allocates() {
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        drop(vec![1u8; 200]);
                    }
                });
            }
            for _ in 0..200 {
                assert!(in_child(fork, || vec![1u8; 3000].iter().all(|byte| *byte == 1)));
            }
            stop.store(true, Ordering::Relaxed);
        });
    }
}

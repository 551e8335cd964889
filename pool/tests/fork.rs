//! A child of `fork` while threads allocate.

#![allow(missing_docs)]

mod common;

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

use common::Pages;
use offmem_pool as pool;

static PAGES: Pages = Pages::new();

/// As whoever embeds the pool does it: before jemalloc's constructor, so that these locks are
/// taken after its own.
#[used]
#[unsafe(link_section = ".init_array.00200")]
static START: extern "C" fn() = {
    extern "C" fn start() {
        // SAFETY: functions of this program.
        unsafe { libc::pthread_atfork(Some(before), Some(parent), Some(child)) };
    }
    start
};

unsafe extern "C" fn before() {
    pool::acquire();
    // SAFETY: acquired.
    unsafe { pool::for_each_run_held(|start, size| assert!(start > 0 && size > 0)) };
}

unsafe extern "C" fn parent() {
    // SAFETY: acquired before.
    unsafe { pool::release() };
}

unsafe extern "C" fn child() {
    // SAFETY: acquired before.
    unsafe { pool::release() };
    pool::in_child();
}

/// Whether `f` ends well in a child.
fn in_child(f: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child uses what this test is about.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: a child that does not come back; should it hang, it is killed.
        unsafe {
            libc::alarm(20);
            libc::_exit(libc::c_int::from(!f()));
        }
    }
    let mut status = 0;
    // SAFETY: valid for the write.
    let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
    waited == child && status == 0
}

/// Without panics, which would take the parent's locks.
fn child_allocates(obtained: usize) -> bool {
    let mut blocks = [std::ptr::null_mut(); 200];
    for (count, block) in blocks.iter_mut().enumerate() {
        let size = count * 97;
        *block = pool::allocate(size, 16);
        if block.is_null() {
            return false;
        }
        // SAFETY: a block of that size.
        unsafe { block.write_bytes(3, size) };
    }
    for block in blocks {
        // SAFETY: as above.
        unsafe { pool::free(block) };
    }
    pool::trim();
    pool::allocate(1 << 40, 16).is_null()
        && pool::allocate(8 << 30, 16).is_null()
        && PAGES.obtained.load(Relaxed) == obtained
}

#[test]
fn a_child_of_busy_threads_allocates_from_what_there_is() {
    pool::begin(&PAGES);
    // Enough for the child.
    // SAFETY: a block of this test's.
    unsafe { pool::free(pool::allocate(64 << 20, 16)) };
    static STOP: AtomicBool = AtomicBool::new(false);
    let threads: Vec<_> = (0..3)
        .map(|seed| {
            thread::spawn(move || {
                let mut random = fastrand::Rng::with_seed(seed);
                while !STOP.load(Relaxed) {
                    let block = pool::allocate(random.usize(..200_000), 16);
                    assert!(!block.is_null());
                    // SAFETY: this thread's block.
                    unsafe { pool::free(block) };
                    if random.u32(..500) == 0 {
                        // Obtains, and gives back.
                        let block = pool::allocate(300 << 20, 16);
                        // SAFETY: as above.
                        unsafe { pool::free(block) };
                        pool::trim();
                    }
                }
            })
        })
        .collect();
    let ends: Vec<_> = (0..40)
        .map(|_| {
            let keep = pool::allocate(1000, 16);
            // SAFETY: this thread's block.
            let end = unsafe {
                keep.write_bytes(5, 1000);
                in_child(|| *keep == 5 && child_allocates(PAGES.obtained.load(Relaxed)))
            };
            // SAFETY: as above.
            unsafe { pool::free(keep) };
            end
        })
        .collect();
    STOP.store(true, Relaxed);
    threads.into_iter().for_each(|thread| thread.join().expect("no panics"));
    let failed = ends.iter().filter(|end| !**end).count();
    assert_eq!(failed, 0, "children of {}", ends.len());
}

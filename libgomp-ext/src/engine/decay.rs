//! Registered blocks that nobody recycles go after a while, and so do slabs of
//! the unified pool in which nothing is left.
//!
//! Neither `malloc` nor `free` may do it: a driver's own threads call them, and
//! the driver is not to be called out of itself. So a thread of ours does,
//! which sleeps while no such block is free and there is no such pool. It begins
//! with the first of them: in a process with one thread libc's `malloc` takes no
//! locks.

use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::OnceLock;
use std::thread::{self, Thread};
use std::time::Duration;

use offmem_registration::lock::Blocked;

use crate::lock::Lock;
use crate::{errno, heap, unified};

/// How often it looks.
const PERIOD: Duration = Duration::from_millis(500);

/// How often it looks at the pool.
const POOL_PERIOD: Duration = Duration::from_secs(2);

/// Whether there may be something to do.
static WORK: AtomicBool = AtomicBool::new(false);

static THREAD: OnceLock<Thread> = OnceLock::new();

/// Whether there is a driver.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Held while it works; true once there is no driver any more.
static CLOSED: Lock<bool> = Lock::new(false);

/// There is a driver, from which blocks may be taken back.
pub(super) fn open() {
    OPEN.store(true, Ordering::Relaxed);
    if unified::has_pool() {
        begin();
    }
}

/// A kept block was freed.
pub(super) fn wake() {
    if !WORK.load(Ordering::Relaxed) && !WORK.swap(true, Ordering::AcqRel) {
        match THREAD.get() {
            Some(thread) => thread.unpark(),
            None if OPEN.load(Ordering::Relaxed) => begin(),
            None => {}
        }
    }
}

/// Begins the thread, once; also in the hook of `free`, which nobody holds a lock of
/// ours in. Where none is to be had, blocks stay until they are recycled.
#[cold]
fn begin() {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    if BEGUN.swap(true, Ordering::Relaxed) {
        return;
    }
    // free(3) leaves it alone.
    errno::keep(|| {
        let _signals = Blocked::all();
        let builder = thread::Builder::new().name("offmem".into()).stack_size(256 << 10);
        if let Ok(handle) = builder.spawn(run) {
            THREAD.get_or_init(|| handle.thread().clone());
        }
    });
}

/// Ends its work: when this returns, it is not at the driver, and will not be.
pub(super) fn close() {
    OPEN.store(false, Ordering::Relaxed);
    *CLOSED.lock() = true;
}

fn run() {
    loop {
        while !WORK.load(Ordering::Acquire) && !unified::has_pool() {
            thread::park();
        }
        if WORK.load(Ordering::Acquire) {
            thread::sleep(PERIOD);
        } else {
            thread::park_timeout(POOL_PERIOD);
        }
        let closed = CLOSED.lock();
        if *closed {
            return;
        }
        if unified::has_pool() {
            unified::purge();
        }
        // Before the look, so that what is freed meanwhile is not missed.
        WORK.store(false, Ordering::SeqCst);
        if heap::trim() > 0 {
            WORK.store(true, Ordering::SeqCst);
        }
    }
}

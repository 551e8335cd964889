//! Threads that begin and end.

#![allow(missing_docs)]

mod common;

use std::cell::RefCell;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

use common::Pages;
use offmem_pool as pool;

static PAGES: Pages = Pages::new();
static CHECKED: AtomicUsize = AtomicUsize::new(0);

fn check() {
    for size in [1, 40, 5000, 100_000] {
        let block = pool::allocate_zeroed(size);
        assert!(pool::owns(block.addr()) && PAGES.piece(block.addr()).is_some());
        let aligned = pool::allocate(size, 4096);
        assert!(pool::owns(aligned.addr()) && aligned.addr().is_multiple_of(4096));
        // SAFETY: blocks of this function's.
        unsafe {
            assert!((0..size).all(|place| *block.add(place) == 0));
            let block = pool::resize(block, 2 * size);
            assert!(pool::owns(block.addr()));
            pool::free(block);
            pool::free(aligned);
        }
        CHECKED.fetch_add(1, Relaxed);
    }
}

/// A destructor of pthread's, which runs again and again, also after jemalloc's.
extern "C" fn at_end(key: *mut libc::c_void) {
    check();
    let key = key.addr();
    let (count, key) = (key >> 32, key & 0xffff_ffff);
    if count > 0 {
        let value = std::ptr::without_provenance(((count - 1) << 32) | key);
        // SAFETY: the key that is in the value.
        unsafe { libc::pthread_setspecific((key - 1) as libc::pthread_key_t, value) };
    }
}

struct AtEnd;

impl Drop for AtEnd {
    fn drop(&mut self) {
        check();
    }
}

#[test]
fn blocks_are_the_pools_at_a_threads_begin_and_end() {
    thread_local! {
        static LATE: RefCell<Option<AtEnd>> = const { RefCell::new(None) };
    }
    pool::begin(&PAGES);
    let mut keys = [0; 2];
    for key in &mut keys {
        // SAFETY: valid for the write.
        assert_eq!(unsafe { libc::pthread_key_create(key, Some(at_end)) }, 0);
    }
    for begins_with_resize in [true, false] {
        let first = pool::allocate(100, 16).expose_provenance();
        thread::spawn(move || {
            if begins_with_resize {
                let block = std::ptr::with_exposed_provenance_mut(first);
                // SAFETY: the block is this thread's now.
                let block = unsafe { pool::resize(block, 3000) };
                assert!(pool::owns(block.addr()));
            }
            check();
            LATE.with_borrow_mut(|late| *late = Some(AtEnd));
            for key in keys {
                let value = std::ptr::without_provenance((2 << 32) | (key as usize + 1));
                // SAFETY: a key of this test's.
                assert_eq!(unsafe { libc::pthread_setspecific(key, value) }, 0);
            }
        })
        .join()
        .expect("no panics");
    }
    // Each time: the thread, the thread-local, and each key three times.
    assert_eq!(CHECKED.load(Relaxed), 2 * 4 * (1 + 1 + 2 * 3));
}

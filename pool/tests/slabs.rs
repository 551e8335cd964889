//! How slabs come and go.

#![allow(missing_docs)]

mod common;

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use common::Pages;
use offmem_pool::{self as pool, GRANULE, Statistics};

static PAGES: Pages = Pages::new();

/// The pool is the process's, so tests take turns. Each begins without slabs.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    pool::begin(&PAGES);
    PAGES.in_use.store(false, Relaxed);
    PAGES.refuses.store(false, Relaxed);
    PAGES.skew.store(0, Relaxed);
    pool::set_limit(0);
    // The thread of the last test may still be about to empty its cache.
    for _ in 0..1000 {
        assert!(pool::allocate(1 << 40, 16).is_null(), "no room");
        if pool::statistics().slabs == 0 {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    assert_eq!((pool::statistics().slabs, PAGES.pieces()), (0, 0));
    pool::set_limit(usize::MAX);
    turn
}

fn free(block: *mut u8) {
    // SAFETY: a block of this test's.
    unsafe { pool::free(block) };
}

fn big(size: usize) -> *mut u8 {
    let block = pool::allocate(size, 16);
    assert!(!block.is_null());
    block
}

#[test]
fn what_is_idle_is_given_back_but_for_one() {
    let _turn = alone();
    let blocks: Vec<_> = (0..10).map(|_| big(40 << 20)).collect();
    let full = pool::statistics();
    assert!(full.slabs > 3 && full.used >= 400 << 20 && full.bytes >= full.used, "{full:?}");
    blocks.into_iter().for_each(free);
    // The first call only sees that they are idle.
    pool::purge();
    assert_eq!(pool::statistics().slabs, full.slabs);
    pool::purge();
    let left = pool::statistics();
    assert_eq!((left.slabs, PAGES.pieces()), (1, 1), "{left:?}");
    free(big(100));
}

#[test]
fn no_block_crosses_from_one_slab_into_the_next() {
    let _turn = alone();
    // Slabs that are side by side, all of which is free in the end.
    let blocks: Vec<_> = (0..8).map(|_| big(62 << 20)).collect();
    assert!(pool::statistics().slabs > 4);
    blocks.into_iter().for_each(free);
    for size in [63 << 20, 100 << 20, 200 << 20] {
        let block = big(size);
        let (start, bytes) = PAGES.piece(block.addr()).expect("in a slab");
        assert!(block.addr() + size <= start + bytes, "{size} bytes cross an edge");
        free(block);
    }
}

#[test]
fn what_was_used_between_two_calls_stays() {
    let _turn = alone();
    free(big(300 << 20));
    pool::purge();
    free(big(300 << 20));
    pool::purge();
    assert!(pool::statistics().bytes >= 300 << 20);
    pool::purge();
    // The last one.
    assert_eq!(pool::statistics().slabs, 1);
}

#[test]
fn what_the_source_does_not_take_is_used_again() {
    let _turn = alone();
    let keep = big(100);
    let block = big(200 << 20);
    let address = block.addr();
    free(block);
    let before = pool::statistics();
    PAGES.in_use.store(true, Relaxed);
    pool::trim();
    pool::purge();
    pool::purge();
    let after = pool::statistics();
    assert_eq!((after.slabs, after.bytes), (before.slabs, before.bytes), "forgotten");
    assert!(pool::owns(address));
    let obtained = PAGES.obtained.load(Relaxed);
    let block = big(200 << 20);
    assert_eq!(PAGES.obtained.load(Relaxed), obtained);
    free(block);
    PAGES.in_use.store(false, Relaxed);
    pool::trim();
    let left = pool::statistics();
    assert!(left.slabs <= 2 && left.slabs == PAGES.pieces(), "{left:?}");
    assert!(PAGES.piece(address).is_some() == pool::owns(address));
    free(keep);
}

#[test]
fn badly_aligned_memory_is_used_as_far_as_it_is_whole_granules() {
    let _turn = alone();
    PAGES.skew.store(4096, Relaxed);
    let size = 600 << 20;
    let block = big(size);
    let (start, bytes) = PAGES.piece(block.addr()).expect("in a slab");
    assert!(!start.is_multiple_of(GRANULE) && bytes > size);
    assert!(block.addr() >= start.next_multiple_of(GRANULE));
    assert!(!pool::owns(start) && pool::owns(block.addr()) && pool::owns(block.addr() + size - 1));
    assert!(!pool::owns((start + bytes) / GRANULE * GRANULE));
    free(block);
}

#[test]
fn no_memory_is_null_and_no_more() {
    let _turn = alone();
    let block = big(1 << 20);
    PAGES.refuses.store(true, Relaxed);
    assert!(pool::allocate(5 << 30, 16).is_null());
    assert!(
        pool::allocate(usize::MAX, 16).is_null() && pool::allocate(usize::MAX, 1 << 20).is_null()
    );
    assert!(pool::allocate_zeroed(usize::MAX - 100).is_null());
    // SAFETY: a block of this test's; it stays where there is no memory.
    unsafe {
        block.write_bytes(7, 1 << 20);
        assert!(
            pool::resize(block, 5 << 30).is_null() && pool::resize(block, usize::MAX).is_null()
        );
        assert!(*block == 7 && *block.add((1 << 20) - 1) == 7);
    }
    PAGES.refuses.store(false, Relaxed);
    free(block);
    free(big(5 << 30));
}

#[test]
fn the_limit_holds_and_idle_slabs_make_room() {
    let _turn = alone();
    let limit = 512 << 20;
    pool::set_limit(limit);
    let first = big(300 << 20);
    assert!(pool::allocate(300 << 20, 16).is_null());
    assert!(pool::statistics().bytes <= limit);
    // Small ones are still to be had.
    free(big(30 << 20));
    free(first);
    // Too big for what there is, unless that goes.
    let second = big(400 << 20);
    assert!(pool::statistics().bytes <= limit);
    free(second);
}

#[test]
fn several_threads_that_need_memory_obtain_little_more() {
    const THREADS: usize = 8;
    let _turn = alone();
    let before = PAGES.obtained.load(Relaxed);
    let barrier = Barrier::new(THREADS);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                barrier.wait();
                let block = big(3 << 20);
                barrier.wait();
                free(block);
            });
        }
    });
    // A first slab, in which one of them fits, and one for all others.
    assert!(PAGES.obtained.load(Relaxed) - before <= 2);
    assert_eq!(PAGES.most_inside.load(Relaxed), 1);
}

#[test]
fn runs_are_where_blocks_are() {
    let _turn = alone();
    let blocks = [big(100), big(1 << 20), big(70 << 20)];
    let mut runs = Vec::new();
    pool::for_each_run(|start, size| runs.push((start, size)));
    for block in blocks {
        // SAFETY: a block of this test's.
        let size = unsafe { pool::usable_size(block) };
        let holds = |&(start, bytes): &(usize, usize)| {
            start <= block.addr() && block.addr() + size <= start + bytes
        };
        assert_eq!(runs.iter().filter(|run| holds(run)).count(), 1);
    }
    let Statistics { used, .. } = pool::statistics();
    assert_eq!(runs.iter().map(|(_, size)| size).sum::<usize>(), used);
    blocks.into_iter().for_each(free);
}

#[test]
fn a_large_block_grows_in_place_where_there_is_room() {
    let _turn = alone();
    free(big(512 << 20));
    let block = big(100 << 20);
    // SAFETY: a block of this test's.
    let grown = unsafe {
        block.write_bytes(9, 100);
        pool::resize(block, 200 << 20)
    };
    assert_eq!(grown, block);
    // SAFETY: as above.
    let shrunk = unsafe { pool::resize(grown, 10 << 20) };
    assert_eq!(shrunk, block);
    // SAFETY: as above.
    unsafe { assert_eq!((*shrunk, pool::usable_size(shrunk)), (9, 10 << 20)) };
    free(shrunk);
}

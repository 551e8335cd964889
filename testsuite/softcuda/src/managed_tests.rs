//! What managed memory is to a program and to a kernel.

use super::*;
use crate::transfer;
use std::os::unix::fs::{FileExt, MetadataExt};

fn pool() -> Pool {
    Pool::new(u64::MAX, false)
}

/// Whether this process may read at an address.
fn readable(address: u64) -> bool {
    transfer::read(address, &mut [0]).is_ok()
}

#[test]
fn both_sides_see_the_same_bytes() {
    let pool = pool();
    let (first, second) = (pool.allocate(5000).unwrap(), pool.allocate(1).unwrap());
    let (file, offset) = second.file();
    file.write_all_at(b"x", offset).unwrap();
    let own = pool.reach(second.address(), 1).unwrap();
    let mut byte = [0];
    transfer::read(second.address(), &mut byte).unwrap();
    assert_eq!(byte, *b"x");
    // SAFETY: the allocation is alive.
    unsafe { own.write(b'y') };
    transfer::read(second.address(), &mut byte).unwrap();
    assert_eq!(byte, *b"y");
    transfer::read(first.address() + 4999, &mut byte).unwrap();
    assert_eq!(byte, [0]);
}

#[test]
fn kernels_reach_exactly_what_is_allocated() {
    let pool = pool();
    assert_eq!(pool.reach(4096, 1), None);
    let (first, second) = (pool.allocate(5000).unwrap(), pool.allocate(100).unwrap());
    for allocation in [&first, &second] {
        let (start, end) = (allocation.address(), allocation.address() + allocation.size);
        for width in [1, 2, 4, 8, 16] {
            assert!(pool.reach(start, width).is_some() && pool.reach(end - width, width).is_some());
            assert_eq!(pool.reach(end - width + 1, width), None);
            assert_eq!(pool.reach(start - 1, width), None);
        }
    }
    assert!(pool.reach(first.address() + 4090, 12).is_some(), "across a page");
    let reason = pool.explain(first.address() + 4999, 4).unwrap();
    assert!(reason.contains("3 bytes past the end of managed memory of 5000"), "{reason}");
    assert_eq!(pool.explain(4096, 4), None);
}

#[test]
fn what_is_freed_faults_and_the_rest_stays() {
    let pool = pool();
    let (first, second) = (pool.allocate(8 << 20).unwrap(), pool.allocate(8 << 20).unwrap());
    let address = first.address();
    transfer::write(address, b"old").unwrap();
    transfer::write(second.address(), b"new").unwrap();
    drop(first);
    assert!(!readable(address) && pool.reach(address, 1).is_none());
    assert!(pool.explain(address, 1).unwrap().contains("not any more"));
    let mut bytes = [9; 3];
    transfer::read(second.address(), &mut bytes).unwrap();
    assert_eq!(bytes, *b"new");
    let again = pool.allocate(8 << 20).unwrap();
    assert_eq!(again.address(), address);
    transfer::read(address, &mut bytes).unwrap();
    assert_eq!(bytes, [0; 3]);
}

#[test]
fn large_allocations_are_aligned_and_touch() {
    let pool = pool();
    let small = pool.allocate(1).unwrap();
    let large: Vec<_> = (0..3).map(|_| pool.allocate(LARGE).unwrap()).collect();
    let odd = pool.allocate(LARGE + 1).unwrap();
    assert_eq!(small.address() % page_size(), 0);
    assert_eq!(large[0].address() % LARGE, 0);
    assert_eq!(large[1].address(), large[0].address() + LARGE);
    assert_eq!(odd.address() % LARGE, 0);
    assert_eq!(pool.reach(large[1].address() - 4, 8), None, "in two allocations");
    let gap = pool.allocate(LARGE).unwrap();
    assert!(gap.address() > odd.address() + LARGE + 1);
}

#[test]
fn gigabytes_cost_nothing_until_they_are_touched() {
    let pool = pool();
    let all: Vec<_> = (0..8).map(|_| pool.allocate(4 << 30).unwrap()).collect();
    let taken = || all[0].file().0.metadata().unwrap().blocks() * 512;
    assert_eq!(taken(), 0);
    assert!(pool.reach(all[7].address() + (4 << 30) - 1, 1).is_some());
    transfer::write(all[7].address(), b"x").unwrap();
    assert_eq!(taken(), page_size());
}

#[test]
fn there_is_a_limit() {
    let pool = Pool::new(10000, false);
    let first = pool.allocate(9999).unwrap();
    assert_eq!(pool.allocate(2).unwrap_err().raw_os_error(), Some(libc::ENOMEM));
    assert!(pool.allocate(1).is_ok());
    drop(first);
    assert!(pool.allocate(10000).is_ok());
    assert!(self::pool().allocate(WINDOW + 1).is_err());
    assert!(self::pool().allocate(u64::MAX).is_err());
}

/// The signal that ends a child of `fork` that does this; 0 for none.
fn child(work: impl Fn()) -> i32 {
    // SAFETY: the child makes only calls that are allowed after `fork`.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            work();
            libc::_exit(0);
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        if libc::WIFSIGNALED(status) { libc::WTERMSIG(status) } else { libc::WEXITSTATUS(status) }
    }
}

#[test]
fn a_child_has_no_managed_memory() {
    let pool = pool();
    let managed = pool.allocate(100).unwrap();
    let bytes = managed.address() as *mut u8;
    // SAFETY: reads the allocation, which is there in the parent.
    let read = || unsafe { bytes.read_volatile() };
    read();
    let fault = child(|| {
        read();
    });
    assert_eq!(fault, libc::SIGSEGV);
    let replaced = child(|| {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: maps memory where the child has none, and writes to it.
        unsafe {
            let start = libc::mmap(bytes.cast(), 4096, protection, flags, -1, 0);
            if start != bytes.cast() {
                libc::_exit(2);
            }
            bytes.write_volatile(7);
        }
    });
    assert_eq!((replaced, read()), (0, 0), "the parent's is another");
}

#[test]
fn a_child_may_be_made_to_share() {
    let pool = Pool::new(u64::MAX, true);
    let managed = pool.allocate(100).unwrap();
    let bytes = managed.address() as *mut u8;
    // SAFETY: writes to and reads the allocation, which both processes have.
    unsafe {
        assert_eq!(child(|| bytes.write_volatile(7)), 0);
        assert_eq!(bytes.read_volatile(), 7);
    }
}

//! The allocator of this library's own data.
//!
//! The program's `malloc` is hooked here, and hooks may run inside of it; so
//! our own data comes from the kernel directly, by system calls that no hook
//! sees.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr;

use dlmalloc::Dlmalloc;

use crate::lock::Lock;

#[global_allocator]
static PRIVATE: Private = Private(Lock::new(Dlmalloc::new_with_allocator(Kernel)));

/// Before `fork`.
pub(crate) fn acquire() {
    PRIVATE.0.acquire();
}

/// After `fork`, in the parent and in the child.
///
/// # Safety
/// As [`Lock::release`].
pub(crate) unsafe fn release() {
    // SAFETY: the caller's.
    unsafe { PRIVATE.0.release() };
}

struct Private(Lock<Dlmalloc<Kernel>>);

// SAFETY: dlmalloc's, under a lock.
unsafe impl GlobalAlloc for Private {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's.
        unsafe { self.0.lock().malloc(layout.size(), layout.align()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's.
        unsafe { self.0.lock().calloc(layout.size(), layout.align()) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's.
        unsafe { self.0.lock().free(block, layout.size(), layout.align()) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's.
        unsafe { self.0.lock().realloc(block, layout.size(), layout.align(), size) }
    }
}

/// Pages from the kernel.
struct Kernel;

// SAFETY: fresh anonymous mappings, given back as they were.
unsafe impl dlmalloc::Allocator for Kernel {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping, anywhere.
        let address =
            unsafe { libc::syscall(libc::SYS_mmap, 0usize, size, protection, flags, -1, 0usize) };
        if address == -1 { (ptr::null_mut(), 0, 0) } else { (address as *mut u8, size, 0) }
    }

    fn remap(&self, _: *mut u8, _: usize, _: usize, _: bool) -> *mut u8 {
        ptr::null_mut()
    }

    fn free_part(&self, _: *mut u8, _: usize, _: usize) -> bool {
        false
    }

    fn free(&self, address: *mut u8, size: usize) -> bool {
        // SAFETY: a whole mapping of ours.
        unsafe { libc::syscall(libc::SYS_munmap, address, size) == 0 }
    }

    fn can_release_part(&self, _: u32) -> bool {
        false
    }

    fn allocates_zeros(&self) -> bool {
        true
    }

    fn page_size(&self) -> usize {
        4096
    }
}

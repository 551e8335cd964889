//! Blocks of the pool, by whomever they come back.

use core::ffi::c_void;
use core::ptr;

use crate::errno;
use crate::hook::allocation::malloc;

/// free(3).
///
/// # Safety
/// A live block of the pool.
#[inline]
pub(crate) unsafe fn free(block: *mut c_void) {
    // SAFETY: the caller's.
    unsafe { offmem_pool::free(block.cast()) };
}

/// malloc_usable_size(3).
///
/// # Safety
/// A live block of the pool.
pub(crate) unsafe fn usable_size(block: *mut c_void) -> usize {
    // SAFETY: the caller's.
    unsafe { offmem_pool::usable_size(block.cast()) }
}

/// realloc(3): it stays in the pool, if that has room.
///
/// # Safety
/// A live block of the pool.
pub(crate) unsafe fn resize(block: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: the caller's live block; the new one is as long.
    unsafe {
        if size == 0 {
            // As glibc does.
            free(block);
            return ptr::null_mut();
        }
        let error = errno::get();
        let mut new: *mut c_void = offmem_pool::resize(block.cast(), size).cast();
        if new.is_null() {
            new = malloc(size);
            if new.is_null() {
                return new;
            }
            let held = usable_size(block).min(size);
            ptr::copy_nonoverlapping(block.cast::<u8>(), new.cast(), held);
            free(block);
        }
        errno::set(error);
        new
    }
}

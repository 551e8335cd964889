//! Blocks of zeros behind atomic pointers: made once, found by anybody.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::alloc::{Layout, dealloc};

use crate::sync::AtomicPtr;

/// Zeros are a value of it, and dropping it does nothing.
pub(crate) trait Zeroed {
    /// loom's atomics are not zeros.
    #[cfg(all(loom, test))]
    fn zeroed() -> Self;
}

impl Zeroed for crate::sync::AtomicU64 {
    #[cfg(all(loom, test))]
    fn zeroed() -> Self {
        crate::sync::AtomicU64::new(0)
    }
}

/// Makes the block if there is none yet, one thread at a time; nothing without
/// memory. Zeros that nobody wrote to cost none where the allocator gets large
/// blocks straight from the kernel.
pub(crate) fn ensure<T: Zeroed, const N: usize>(place: &AtomicPtr<[T; N]>) -> Option<()> {
    if place.load(Relaxed).is_null() {
        let block = make::<T, N>();
        if block.is_null() {
            return None;
        }
        place.store(block, Release);
    }
    Some(())
}

#[cfg(not(all(loom, test)))]
fn make<T: Zeroed, const N: usize>() -> *mut [T; N] {
    // SAFETY: the layout is not empty, and zeros are a value.
    unsafe { std::alloc::alloc_zeroed(Layout::new::<[T; N]>()).cast() }
}

#[cfg(all(loom, test))]
fn make<T: Zeroed, const N: usize>() -> *mut [T; N] {
    Box::into_raw(Box::new(core::array::from_fn(|_| T::zeroed())))
}

/// Frees the block; nobody may be left who knows it.
pub(crate) fn release<T, const N: usize>(place: &AtomicPtr<[T; N]>) {
    let block = place.load(Acquire);
    if !block.is_null() {
        // SAFETY: made with this layout, by `alloc_zeroed` or as a box.
        unsafe { dealloc(block.cast(), Layout::new::<[T; N]>()) };
    }
}

//! Scalars in memory that other host threads may touch at the same time.
//!
//! Every access is atomic, so that CTAs on several threads, and the host, may
//! race as they may on a device; plain ones are relaxed.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use crate::types::Width;

/// Reads a scalar.
///
/// # Safety
/// `pointer` is aligned to `width` and points to as many bytes, mapped and
/// touched otherwise through this module or by nobody.
pub(super) unsafe fn load(pointer: *mut u8, width: Width) -> u64 {
    // SAFETY: what the caller promises is what each of these asks for.
    unsafe {
        match width {
            Width::One => u64::from(AtomicU8::from_ptr(pointer).load(Ordering::Relaxed)),
            Width::Two => u64::from(AtomicU16::from_ptr(pointer.cast()).load(Ordering::Relaxed)),
            Width::Four => u64::from(AtomicU32::from_ptr(pointer.cast()).load(Ordering::Relaxed)),
            Width::Eight => AtomicU64::from_ptr(pointer.cast()).load(Ordering::Relaxed),
        }
    }
}

/// Writes a scalar, the low bits of `value`.
///
/// # Safety
/// As for [`load`].
pub(super) unsafe fn store(pointer: *mut u8, width: Width, value: u64) {
    // SAFETY: as in `load`.
    unsafe {
        match width {
            Width::One => AtomicU8::from_ptr(pointer).store(value as u8, Ordering::Relaxed),
            Width::Two => {
                AtomicU16::from_ptr(pointer.cast()).store(value as u16, Ordering::Relaxed);
            }
            Width::Four => {
                AtomicU32::from_ptr(pointer.cast()).store(value as u32, Ordering::Relaxed);
            }
            Width::Eight => AtomicU64::from_ptr(pointer.cast()).store(value, Ordering::Relaxed),
        }
    }
}

/// Replaces a scalar by `update` of it, atomically and in one order for all;
/// returns the old one.
///
/// # Safety
/// As for [`load`].
pub(super) unsafe fn update(pointer: *mut u8, width: Width, update: impl Fn(u64) -> u64) -> u64 {
    const ORDER: Ordering = Ordering::SeqCst;
    // `fetch_update` of what never declines gives the old value either way.
    // SAFETY: as in `load`.
    let old = unsafe {
        match width {
            Width::One => AtomicU8::from_ptr(pointer)
                .fetch_update(ORDER, ORDER, |old| Some(update(u64::from(old)) as u8))
                .map(u64::from)
                .map_err(u64::from),
            Width::Two => AtomicU16::from_ptr(pointer.cast())
                .fetch_update(ORDER, ORDER, |old| Some(update(u64::from(old)) as u16))
                .map(u64::from)
                .map_err(u64::from),
            Width::Four => AtomicU32::from_ptr(pointer.cast())
                .fetch_update(ORDER, ORDER, |old| Some(update(u64::from(old)) as u32))
                .map(u64::from)
                .map_err(u64::from),
            Width::Eight => AtomicU64::from_ptr(pointer.cast())
                .fetch_update(ORDER, ORDER, |old| Some(update(old))),
        }
    };
    match old {
        Ok(old) | Err(old) => old,
    }
}

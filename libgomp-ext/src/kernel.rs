//! Address space and pages from the kernel, by system calls that no hook sees.

use core::mem;
use core::ptr;

use libc::{c_int, c_long};

/// Linux 5.7.
const MREMAP_DONTUNMAP: c_int = 4;

/// Addresses without memory behind them, in bytes and at a multiple of `align`
/// (a power of two of at least a page); nothing where there is no room.
///
/// Without `MAP_NORESERVE`, so that what is committed later is accounted.
pub(crate) fn reserve(size: usize, align: usize) -> Option<usize> {
    let padded = size.checked_add(align)?;
    let start = map(0, padded, libc::PROT_NONE, 0)?;
    let aligned = start.next_multiple_of(align);
    unmap(start, aligned - start);
    unmap(aligned + size, start + padded - (aligned + size));
    Some(aligned)
}

/// Zeros at a multiple of `align`, as for [`reserve`].
pub(crate) fn aligned(size: usize, align: usize) -> Option<usize> {
    let start = reserve(size, align)?;
    let committed = commit(start, size);
    if !committed {
        unmap(start, size);
    }
    committed.then_some(start)
}

/// Zeros, for as long as there may be enough memory for them.
pub(crate) fn zeros(size: usize) -> Option<usize> {
    map(0, size, libc::PROT_READ | libc::PROT_WRITE, 0)
}

/// Moves the pages of a mapping of ours to `to`, in the place of what is there;
/// false where the kernel would not.
pub(crate) fn replace(from: usize, size: usize, to: usize) -> bool {
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
    // SAFETY: the caller gives up what is at both places.
    unsafe { libc::syscall(libc::SYS_mremap, from, size, size, flags, to) == to as c_long }
}

/// Zeros, of which only what is touched takes memory.
pub(crate) fn lazy(size: usize) -> Option<usize> {
    map(0, size, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_NORESERVE)
}

/// Gives addresses back.
pub(crate) fn unmap(start: usize, size: usize) {
    if size > 0 {
        // SAFETY: a mapping of ours that nobody uses any more.
        unsafe { libc::syscall(libc::SYS_munmap, start, size) };
    }
}

/// Makes reserved addresses memory: zeros. False where the kernel has no more.
pub(crate) fn commit(start: usize, size: usize) -> bool {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: addresses that we reserved.
    unsafe { libc::syscall(libc::SYS_mprotect, start, size, protection) == 0 }
}

/// Makes committed memory that nobody uses zeros without pages behind them. A
/// range with a part that is `apart` is mapped anew, so that it becomes one with its
/// neighbours; so is a locked one, which refuses `madvise`. On failure the
/// memory must not be used again.
pub(crate) fn purge(start: usize, size: usize, apart: bool) -> bool {
    if !apart {
        // SAFETY: nobody uses the memory.
        if unsafe { libc::syscall(libc::SYS_madvise, start, size, libc::MADV_DONTNEED) } == 0 {
            return true;
        }
    }
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    map(start, size, protection, libc::MAP_FIXED).is_some()
}

/// Moves the pages of `from` to `to`, whose own are dropped. Both are
/// committed; then `from` is zeros. False where the kernel cannot: nothing has
/// changed.
pub(crate) fn move_pages(from: usize, size: usize, to: usize) -> bool {
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED | MREMAP_DONTUNMAP;
    // SAFETY: the caller owns both.
    unsafe { libc::syscall(libc::SYS_mremap, from, size, size, flags, to) == to as c_long }
}

/// Milliseconds of a clock that is cheap to read; wraps after 49 days.
pub(crate) fn now() -> u32 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: valid for the write.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut time) };
    (time.tv_sec as u32).wrapping_mul(1000).wrapping_add((time.tv_nsec / 1_000_000) as u32)
}

/// The machine's memory, in bytes.
pub(crate) fn memory_size() -> usize {
    // SAFETY: zeros are valid, and the struct is valid for the write.
    unsafe {
        let mut info: libc::sysinfo = mem::zeroed();
        libc::sysinfo(&raw mut info);
        (info.totalram as usize).saturating_mul(info.mem_unit as usize)
    }
}

/// Whether the process may use as many addresses as it likes.
pub(crate) fn address_space_is_unlimited() -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: valid for the write.
    let read = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) };
    read == 0 && limit.rlim_cur == libc::RLIM_INFINITY
}

fn map(start: usize, size: usize, protection: c_int, flags: c_int) -> Option<usize> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | flags;
    let start = ptr::without_provenance::<u8>(start);
    // SAFETY: anywhere, or (MAP_FIXED) over memory of ours that nobody uses.
    let address = unsafe { libc::syscall(libc::SYS_mmap, start, size, protection, flags, -1, 0) };
    (address != -1).then_some(address as usize)
}

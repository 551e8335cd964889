//! An allocator over memory that somebody else supplies: blocks of any size
//! from *slabs* that a [`Source`] obtains, here of memory that host and device share.
//!
//! Blocks are jemalloc's. What it knows of them it keeps elsewhere, so that
//! `malloc` and `free` never touch a page that the device has. That is why: mimalloc and
//! dlmalloc link free blocks through themselves, snmalloc too, and takes memory from outside only
//! as a platform compiled in; and jemalloc takes what it needs from hooks, for
//! arenas of our own beside its usual one.
//!
//! A block comes from a *run* of pages that an `arena` has taken from a slab; `slab` has these and
//! the `runs` that are free, and `granule` answers whether an address is in one.
//!
//! # Forking
//!
//! jemalloc has handlers of its own for `fork`, registered by [`begin`] at the latest (by a
//! constructor, where it is built without this workspace's configuration). The slab layer's
//! lock is taken under its locks, and under it the program's global allocator is called. So whoever
//! embeds this registers, before that (`.init_array.00200` will do), handlers
//! which call [`acquire`] before they lock that allocator; [`release`] after; and [`in_child`] in the
//! child.
//!
//! # Safety
//!
//! Blocks are freed and resized as in C: see [`free`].

mod arena;
mod granule;
mod runs;
mod slab;

use core::ptr;
use std::sync::OnceLock;

use tikv_jemalloc_sys as jemalloc;

pub use granule::{GRANULE, owns};
pub use slab::Source;

use slab::Slabs;

static SLABS: Slabs = Slabs::new();
static SOURCE: OnceLock<&'static dyn Source> = OnceLock::new();

/// The alignment of a block that asks for none: that of every fundamental type.
pub const ALIGN: usize = 16;

/// What the pool has, in bytes but for the number of slabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statistics {
    /// Slabs.
    pub slabs: usize,
    /// What the source gave and has not taken back.
    pub bytes: usize,
    /// Runs of pages that are, or were of late, in use by blocks.
    pub used: usize,
}

/// Names the source of all slabs. Before that there is no memory; a second call changes nothing.
pub fn begin(source: &'static dyn Source) {
    SOURCE.get_or_init(|| {
        arena::prepare();
        source
    });
}

fn source() -> Option<&'static dyn Source> {
    SOURCE.get().copied()
}

/// A block of `size` bytes (0 gives one too) at a multiple of `align`, a power of two; null where
/// there is no memory. From any thread.
#[inline]
pub fn allocate(size: usize, align: usize) -> *mut u8 {
    if size < ALIGN {
        // A branch that is foreseen costs less than the larger of two.
        return allocate_least(align);
    }
    let block = request(size, align, 0);
    if !granule::has_block(block.addr()) {
        return retry(block, size, align, 0);
    }
    // SAFETY: no slab has that address; so callers need not look again.
    unsafe { core::hint::assert_unchecked(!block.is_null()) };
    block
}

#[inline(never)]
fn allocate_least(align: usize) -> *mut u8 {
    allocate(ALIGN, align)
}

/// The same, filled with zeros, at a multiple of [`ALIGN`].
#[inline]
pub fn allocate_zeroed(size: usize) -> *mut u8 {
    // SAFETY: no condition.
    let block: *mut u8 = unsafe { jemalloc::calloc(1, size.max(ALIGN)) }.cast();
    if !owns(block.addr()) {
        return retry(block, size, ALIGN, jemalloc::MALLOCX_ZERO);
    }
    // SAFETY: as in `allocate`.
    unsafe { core::hint::assert_unchecked(!block.is_null()) };
    block
}

/// Changes a block's size, and its address where it must: what fits of its contents stays. Null
/// where there is no memory: then the block is as it was. At a multiple of [`ALIGN`] if it was at
/// one.
///
/// # Safety
/// As for [`free`], but if null is returned.
pub unsafe fn resize(block: *mut u8, size: usize) -> *mut u8 {
    let wanted = size.max(ALIGN);
    if wanted > isize::MAX as usize {
        return ptr::null_mut();
    }
    // SAFETY: a live block, and a size that exists.
    let (usable, best) =
        unsafe { (jemalloc::xallocx(block.cast(), wanted, 0, 0), jemalloc::nallocx(wanted, 0)) };
    if usable == best {
        return block;
    }
    // Not jemalloc's own, which would give this thread one of its default arena if it were the
    // first that it asks for.
    let new = allocate(wanted, ALIGN);
    if new.is_null() {
        return if usable >= wanted { block } else { new };
    }
    // SAFETY: two blocks, both at least that long.
    unsafe {
        ptr::copy_nonoverlapping(block, new, usable.min(wanted));
        free(block);
    }
    new
}

/// Frees a block. Leaves `errno` alone.
///
/// # Safety
/// It is one of [`allocate`], [`allocate_zeroed`] or [`resize`], was not freed yet, and nobody
/// uses it any more.
#[inline]
pub unsafe fn free(block: *mut u8) {
    // SAFETY: the caller's.
    unsafe { jemalloc::free(block.cast()) }
}

/// Bytes of a block that may be used: at least those asked for.
///
/// # Safety
/// It is a block that was not freed yet.
#[must_use]
pub unsafe fn usable_size(block: *const u8) -> usize {
    // SAFETY: the caller's.
    unsafe { jemalloc::sallocx(block.cast(), 0) }
}

/// Gives back slabs of which nothing was in use at the last call, either; all but one. For a
/// thread that calls it every few seconds: it may take as long as [`Source::give_back`] does.
pub fn purge() {
    if let Some(source) = source() {
        arena::release(false);
        SLABS.give_back(false, true, source);
    }
}

/// Gives back all but one of the slabs of which nothing is in use, now (`malloc_trim`).
pub fn trim() {
    if let Some(source) = source() {
        arena::flush();
        arena::release(true);
        SLABS.give_back(true, true, source);
    }
}

/// Bytes that slabs may have at most. What there is already stays.
pub fn set_limit(bytes: usize) {
    SLABS.set_limit(bytes);
}

/// What there is.
#[must_use]
pub fn statistics() -> Statistics {
    SLABS.statistics()
}

/// Tells `f` address and size, in bytes, of every part of the slabs that is in use or was of late,
/// under the slab layer's lock: `f` must not allocate from the pool.
pub fn for_each_run(mut f: impl FnMut(usize, usize)) {
    SLABS.for_each_run(&mut f);
}

/// The same between [`acquire`] and [`release`].
///
/// # Safety
/// This thread, or its parent before the `fork`, called [`acquire`].
pub unsafe fn for_each_run_held(mut f: impl FnMut(usize, usize)) {
    // SAFETY: the caller's.
    unsafe { SLABS.for_each_run_held(&mut f) };
}

/// Before `fork`.
pub fn acquire() {
    SLABS.acquire();
}

/// After `fork`, in the parent and in the child.
///
/// # Safety
/// This thread, or its parent before the `fork`, called [`acquire`].
pub unsafe fn release() {
    // SAFETY: the caller's.
    unsafe { SLABS.release() };
}

/// In the child, after [`release`]: the source is not called any more. Blocks and slabs are there
/// as far as their memory is; new ones come from these.
pub fn in_child() {
    SLABS.in_child();
}

#[inline]
fn request(size: usize, align: usize, flags: libc::c_int) -> *mut u8 {
    if align <= ALIGN && flags == 0 {
        // SAFETY: no condition.
        return unsafe { jemalloc::malloc(size.max(align)) }.cast();
    }
    let align = align.max(ALIGN);
    if size > isize::MAX as usize || align > isize::MAX as usize / 2 {
        return ptr::null_mut();
    }
    // SAFETY: a size, and an alignment that is a power of two.
    unsafe { jemalloc::mallocx(size.max(ALIGN), jemalloc::MALLOCX_ALIGN(align) | flags) }.cast()
}

/// What jemalloc gave is no block of ours: the thread is not bound to an arena of ours (yet, or any
/// more: jemalloc's part of it ends before the last destructors run), or there is no memory.
#[cold]
#[inline(never)]
fn retry(block: *mut u8, size: usize, align: usize, flags: libc::c_int) -> *mut u8 {
    let is_bound = block.is_null();
    discard(block);
    if source().is_none() || SLABS.is_obtaining() {
        return ptr::null_mut();
    }
    if is_bound {
        // Runs that other arenas keep for later may do.
        trim();
    } else if let Some(arena) = arena::choose() {
        arena::bind(arena);
    }
    let block = request(size, align, flags);
    if owns(block.addr()) || block.is_null() {
        return block;
    }
    discard(block);
    move_over(size, align, flags)
}

/// A block for a thread that jemalloc has done with, or not begun with: it lets one allocate from
/// its own arena alone, but move a block to any.
fn move_over(size: usize, align: usize, flags: libc::c_int) -> *mut u8 {
    let Some(arena) = arena::any() else { return ptr::null_mut() };
    let least = request(1, 1, 0);
    if least.is_null() {
        return least;
    }
    let place = jemalloc::MALLOCX_ARENA(arena as usize) | jemalloc::MALLOCX_TCACHE_NONE;
    let flags = jemalloc::MALLOCX_ALIGN(align.max(ALIGN)) | flags | place;
    // SAFETY: a block that nobody has seen; `request` has seen that size and alignment exist. What
    // is in it is moved along, whatever the flags say.
    let block: *mut u8 = unsafe {
        least.write_bytes(0, usable_size(least));
        jemalloc::rallocx(least.cast(), size.max(ALIGN), flags).cast()
    };
    if owns(block.addr()) {
        return block;
    }
    discard(if block.is_null() { least } else { block });
    ptr::null_mut()
}

/// Past the thread's cache, which would give it out again.
fn discard(block: *mut u8) {
    if !block.is_null() {
        // SAFETY: a block that nobody has seen.
        unsafe { jemalloc::dallocx(block.cast(), jemalloc::MALLOCX_TCACHE_NONE) };
    }
}

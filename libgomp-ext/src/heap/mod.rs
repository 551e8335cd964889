//! Owned memory: the program's big blocks, in a reserved range of addresses.
//!
//! What comes from here has a known extent, and the pages under a block that is
//! kept (`keep`) do not change until its owner has been told. Nothing is
//! reserved before the first big request. Any thread may call anything here
//! at any time, but not from a listener with the heap's own lock held: there
//! is no such listener.
//!
//! `arena` decides, with `extent` for its records and `pool` for what is free;
//! `kernel` does it.

mod arena;
mod extent;
mod parked;
mod pool;
#[cfg(test)]
mod tests;

use core::mem;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use offmem_registration::{PAGE, Range};

use self::arena::{Arena, Need, Resize, Work};
use self::extent::{GRANULE, Index, Table};
use self::parked::Parking;
use crate::errno;
use crate::kernel;
use crate::lock::Lock;

pub(crate) use self::arena::Statistics;

/// The largest range, in bytes.
const RANGE_MAX: usize = 1 << 40;

/// How much of what is overdue one call deals with.
const WORK_MAX: usize = 4;

static HEAP: Lock<Arena> = Lock::new(Arena::EMPTY);

/// The range. Before there is one, no address is in it, whichever of the two
/// another thread sees first.
static BASE: AtomicUsize = AtomicUsize::new(1 << 63);
static SIZE: AtomicUsize = AtomicUsize::new(0);

/// Of records and index.
static MEMORY: AtomicUsize = AtomicUsize::new(0);

/// The thread that holds the lock from before a `fork` until after it.
static FORKING: AtomicUsize = AtomicUsize::new(0);

/// Told, without the lock, before the pages under a kept block change.
static FORGET: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());

/// Told, without the lock, when a kept block has been freed.
static SETTLED: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());

/// Why there is no owned memory.
static REASON: AtomicPtr<&'static str> = AtomicPtr::new(ptr::null_mut());

/// Whether an address belongs to the heap, live or not.
#[inline(always)]
pub(crate) fn owns(address: usize) -> bool {
    address.wrapping_sub(BASE.load(Ordering::Relaxed)) < SIZE.load(Ordering::Relaxed)
}

/// All of its addresses; none before [`start`].
pub(crate) fn range() -> Range {
    let start = BASE.load(Ordering::Relaxed);
    Range { start, end: start + SIZE.load(Ordering::Acquire) }
}

/// Reserves the range; says why there is none. Has no effect the second time.
pub(crate) fn start() -> Result<(), &'static &'static str> {
    with(|heap| {
        if heap.is_begun() {
            return Ok(());
        }
        if !kernel::address_space_is_unlimited() {
            return Err(&"the address space is limited (ulimit -v)");
        }
        let size = kernel::memory_size().saturating_mul(4).min(RANGE_MAX).next_power_of_two();
        let granules = (size / GRANULE) as u32;
        let Some(base) = kernel::reserve(size, 1 << 30) else {
            return Err(&"no range of addresses can be reserved");
        };
        let Some(memory) = kernel::lazy(Table::size(granules)) else {
            kernel::unmap(base, size);
            return Err(&"no memory for the records of the range");
        };
        // SAFETY: fresh mappings of that size.
        unsafe { heap.begin(base, granules, memory) };
        MEMORY.store(memory, Ordering::Relaxed);
        BASE.store(base, Ordering::Relaxed);
        SIZE.store(size, Ordering::Release);
        Ok(())
    })
}

/// There will be no owned memory in this process, for this reason.
pub(crate) fn stay_off(reason: &'static &'static str) {
    REASON.store(ptr::from_ref(reason).cast_mut(), Ordering::Release);
}

/// Why big blocks are not owned in this process; nothing where they are, and
/// before the first of them.
pub(crate) fn why_off() -> Option<&'static str> {
    // SAFETY: null, or a static.
    unsafe { REASON.load(Ordering::Acquire).as_ref() }.copied()
}

/// A block of at least `bytes` at a multiple of `align`, a power of two, with
/// any content; null where the heap has no room, or is not there.
pub(crate) fn allocate(bytes: usize, align: usize) -> *mut u8 {
    take(bytes, align, Need::Any).0
}

/// A block of zeros; else as [`allocate`].
pub(crate) fn allocate_zeroed(bytes: usize) -> *mut u8 {
    let (block, zeroed) = take(bytes, 1, Need::Zeros);
    if !block.is_null() && !zeroed {
        // SAFETY: a new block of so many bytes.
        unsafe { ptr::write_bytes(block, 0, bytes) };
    }
    block
}

fn take(bytes: usize, align: usize, need: Need) -> (*mut u8, bool) {
    if need == Need::Any
        && align <= GRANULE
        && let Some((base, index)) = index()
        && let Some(first) = parked::take(&index, bytes)
    {
        let address = base + first as usize * GRANULE;
        return (ptr::with_exposed_provenance_mut(address), false);
    }
    let block = with(|heap| heap.is_begun().then(|| heap.allocate(bytes, align, need)).flatten());
    block.map_or((ptr::null_mut(), false), |block| {
        (ptr::with_exposed_provenance_mut(block.address), block.zeroed)
    })
}

/// Ends a block; false where no live block begins at `address`, which is in
/// the range.
pub(crate) fn free(address: usize) -> bool {
    if let Some((base, index)) = index() {
        let first = ((address - base) / GRANULE) as u32;
        if (address - base).is_multiple_of(GRANULE) && index.begins(first) {
            return match parked::park(&index, first) {
                Parking::Done => true,
                Parking::Instead(other) => free_now(base + other as usize * GRANULE),
                Parking::Unfit => free_now(address),
                Parking::Twice => false,
            };
        }
    }
    false
}

fn free_now(address: usize) -> bool {
    let now = kernel::now();
    let freed = with(|heap| {
        let first = heap.find(address)?;
        Some((heap.free(first, now), heap.overdue(now)))
    });
    let Some((settled, work)) = freed else {
        return false;
    };
    if let Some(block) = settled {
        tell(&SETTLED, block);
    }
    if let Some(work) = work {
        catch_up(work, now);
    }
    true
}

/// What became of [`resize`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resized {
    /// The block is here, and is as long as was asked for.
    At(*mut u8),
    /// Nothing changed: the caller must copy so many bytes to a block of another
    /// place, and free this one.
    Copy(usize),
    /// No live block begins there.
    Unknown,
}

/// Makes the block at `address` one of `bytes`, which is not 0, without
/// copying what it holds.
pub(crate) fn resize(address: usize, bytes: usize) -> Resized {
    let now = kernel::now();
    let planned = with(|heap| {
        let first = heap.find(address)?;
        Some((heap.resize(first, bytes, now), heap.overdue(now)))
    });
    let Some((planned, work)) = planned else {
        return Resized::Unknown;
    };
    if let Some(work) = work {
        catch_up(work, now);
    }
    match planned {
        Resize::Done => Resized::At(ptr::with_exposed_provenance_mut(address)),
        Resize::Copy(size) => Resized::Copy(size),
        Resize::Move(from, to) => {
            move_block(from, to);
            Resized::At(ptr::with_exposed_provenance_mut(to))
        }
    }
}

/// Both blocks are live, and the caller's alone.
fn move_block(from: Range, to: usize) {
    if !kernel::move_pages(from.start, from.size(), to) {
        let source = ptr::with_exposed_provenance::<u8>(from.start);
        // SAFETY: the new block is longer, and neither overlaps the other.
        unsafe {
            ptr::copy_nonoverlapping(source, ptr::with_exposed_provenance_mut(to), from.size())
        };
        free(from.start);
        return;
    }
    // The kernel left an empty mapping that is not locked where memory is, and
    // that may be one apart.
    let clean = kernel::purge(from.start, from.size(), true);
    with(|heap| {
        if let (Some(first), Some(target)) = (heap.find(from.start), heap.find(to)) {
            heap.moved(first, target, clean);
        }
    });
}

/// Does what is overdue; this takes system calls.
#[cold]
#[inline(never)]
fn catch_up(first: Work, now: u32) {
    let mut work = first;
    for left in (0..WORK_MAX).rev() {
        let next = perform(&work, |heap| if left > 0 { heap.overdue(now) } else { None });
        match next {
            Some(next) => work = next,
            None => return,
        }
    }
}

fn perform(work: &Work, next: impl FnOnce(&mut Arena) -> Option<Work>) -> Option<Work> {
    if let Some(block) = work.kept
        && !cfg!(feature = "sabotage-forget")
    {
        tell(&FORGET, block);
    }
    let clean = kernel::purge(work.range.start, work.range.size(), work.apart);
    with(|heap| {
        heap.done(work, clean);
        next(heap)
    })
}

/// Gives up kept blocks that have been free for too long, or that are too much.
/// `free` leaves them alone: the listener calls a driver, and `free` may be
/// called by it. Returns the bytes of kept blocks that stay free.
pub(crate) fn trim() -> usize {
    let now = kernel::now();
    let mut work = with(|heap| heap.overdue_kept(now));
    while let Some(overdue) = work {
        work = perform(&overdue, |heap| heap.overdue_kept(now));
    }
    with(|heap| heap.kept_free())
}

/// Bytes that the live block at `address` can hold; 0 where none begins there.
pub(crate) fn usable_size(address: usize) -> usize {
    match block_at(address) {
        Some(block) if block.start == address => block.size(),
        _ => 0,
    }
}

/// The pages of the live block that holds all of `range`. Takes no lock; the
/// block must not be freed meanwhile.
pub(crate) fn block(range: Range) -> Option<Range> {
    block_at(range.start).filter(|block| block.contains(range))
}

/// The beginning of the range, and what can be known of it without the lock.
#[inline]
fn index() -> Option<(usize, Index)> {
    let size = SIZE.load(Ordering::Acquire);
    // SAFETY: the range is there, so its index is.
    let index = || unsafe { Index::new(MEMORY.load(Ordering::Relaxed), (size / GRANULE) as u32) };
    (size > 0).then(|| (BASE.load(Ordering::Relaxed), index()))
}

fn block_at(address: usize) -> Option<Range> {
    let (base, index) = index()?;
    if !owns(address) {
        return None;
    }
    let offset = address - base;
    let first = index.find((offset / GRANULE) as u32)?;
    let start = base + first as usize * GRANULE;
    Some(Range { start, end: start + index.pages(first) as usize * PAGE })
}

/// The live block, as [`block`] says it, is to stay in place when it is freed, and
/// to be recycled as a whole, until the listener of [`on_forget`] has been told.
/// To be called before it is registered. Has no effect where no such block is live.
pub(crate) fn keep(block: Range) {
    with(|heap| {
        if owns(block.start)
            && let Some(first) = heap.find(block.start)
            && heap.block(first) == block
            && !cfg!(feature = "sabotage-keep")
        {
            heap.keep(first);
        }
    });
}

/// Parts of the live block, as [`block`] says it, are about to be advised to be
/// of huge pages: they go back without the advice. False where no such block is live.
pub(crate) fn set_apart(block: Range) -> bool {
    with(|heap| match heap.find(block.start) {
        Some(first) if heap.block(first) == block => {
            heap.set_apart(first);
            true
        }
        _ => false,
    })
}

/// The most bytes of kept blocks that may be free at a time.
pub(crate) fn set_kept_limit(bytes: usize) {
    with(|heap| heap.kept_limit = bytes);
}

/// Sets who is told, with the block that was kept, before the memory under it
/// changes: it must drop every registration there. It may take its time, and
/// allocate and free.
pub(crate) fn on_forget(listener: fn(Range)) {
    FORGET.store(listener as *mut (), Ordering::Release);
}

/// Sets who is told when a kept block has been freed, and stays as it is.
pub(crate) fn on_settled(listener: fn(Range)) {
    SETTLED.store(listener as *mut (), Ordering::Release);
}

/// Figures of the moment.
pub(crate) fn statistics() -> Statistics {
    with(|heap| heap.statistics())
}

/// Before `fork`. The forking thread may go on allocating.
pub(crate) fn acquire() {
    HEAP.acquire();
    FORKING.store(errno::place(), Ordering::Relaxed);
}

/// After `fork`, in the parent and in the child.
///
/// # Safety
/// As [`Lock::release`].
pub(crate) unsafe fn release() {
    FORKING.store(0, Ordering::Relaxed);
    // SAFETY: the caller's.
    unsafe { HEAP.release() };
}

/// In a child of `fork`, before [`release`]: nothing is registered here, so
/// nothing is kept.
pub(crate) fn in_child() {
    let now = kernel::now();
    with(|heap| heap.forget_all(now));
}

fn tell(listener: &AtomicPtr<()>, block: Range) {
    let listener = listener.load(Ordering::Acquire);
    if !listener.is_null() {
        // SAFETY: only `fn(Range)` is ever stored.
        let listener = unsafe { mem::transmute::<*mut (), fn(Range)>(listener) };
        listener(block);
    }
}

fn with<R>(what: impl FnOnce(&mut Arena) -> R) -> R {
    let forking = FORKING.load(Ordering::Relaxed);
    if forking != 0 && forking == errno::place() {
        // SAFETY: this thread acquired the lock, and is not inside of `with`.
        what(unsafe { HEAP.held() })
    } else {
        what(&mut HEAP.lock())
    }
}

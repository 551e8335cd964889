//! Memory that is the same on host and device, for `-foffload-memory=unified`.
//!
//! What the program allocates comes from the pool, whose slabs are managed
//! memory that libgomp knows as its own image (`slab`, `roster`); so maps of it
//! copy nothing. Where devices read all of the host's memory there is no pool.
//! What there is is found out when the first slab fills up, or at the first
//! call for a device (`tier`): until then nothing is initialised, so that a
//! program that never offloads pays for no device.

mod block;
mod child;
mod roster;
mod slab;
mod tier;

use core::cell::{Cell, OnceCell};
use core::ffi::c_int;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};

use offmem_registration::Range;

use crate::driver::managed::Side;
use crate::engine::Device;
use crate::hook::{family, language};
use crate::message::{fall_short, say};
use crate::report::Unified;
use crate::{budget, environment, kernel, sabotage};

pub(crate) use block::{free, resize, usable_size};
pub(crate) use child::{acquire, in_parent, release};
pub(crate) use slab::{Holding, hold, hold_forever};
use tier::Tier;

/// What glibc's `malloc` promises, in bytes.
pub(crate) const ALIGN: usize = 16;

/// Whether memory is allocated in the pool.
static POOL: AtomicU8 = AtomicU8::new(UNASKED);
/// No unit has asked for it, yet.
const UNASKED: u8 = 0;
/// It is about to begin.
const ASKED: u8 = 1;
const ON: u8 = 2;
/// It had no more, and is not asked for a while.
const PAUSED: u8 = 3;
/// What it has stays, and it takes nothing more.
const OFF: u8 = 4;

/// How long that while is, in milliseconds, and when it began.
const PAUSE: u32 = 1000;
static SINCE: AtomicU32 = AtomicU32::new(0);

/// Which memory a range is, to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// It is mapped and copied as ever.
    Separate,
    /// Of the pool: libgomp finds it present at its own address.
    Managed,
    /// The device reads any memory: it takes the host's address, unmapped.
    Pageable,
}

impl Sharing {
    /// Whether host and device use the same bytes.
    pub(crate) fn is_shared(self) -> bool {
        self != Sharing::Separate
    }
}

/// From now on the program's memory is to be unified. Not from a hook: it looks
/// functions up.
pub(crate) fn arm() {
    if POOL.compare_exchange(UNASKED, ASKED, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
        begin();
    }
}

/// Whether any memory is, or may turn out to be, the same on host and device:
/// never in a program that is not unified.
#[inline]
pub(crate) fn is_on() -> bool {
    POOL.load(Ordering::Relaxed) != UNASKED && tier::found() != Tier::Separate
}

/// Before a call for `device`, which the first one initialises: makes known what
/// is shared there.
#[inline]
pub(crate) fn meet(device: Device) {
    roster::meet(device);
}

/// A quick no for most memory that is not shared, once a device was [`meet`]; by its address.
#[inline]
pub(crate) fn may_share(address: usize) -> bool {
    owns(address) || OWN.load(Ordering::Relaxed) || tier::found() != Tier::Managed || cfg!(test)
}

/// What one call asks about memory, for a device that was [`meet`]. libgomp's lock
/// of the device may be taken. The slab of the last answer is held for the next one:
/// most of what a program maps is in one.
pub(crate) struct View {
    device: Device,
    number: OnceCell<Option<c_int>>,
    slab: Cell<Holding>,
}

impl View {
    /// Of `device`.
    pub(crate) fn of(device: Device) -> View {
        View { device, number: OnceCell::new(), slab: Cell::new(None) }
    }

    /// Which memory a range is.
    pub(crate) fn sharing(&self, range: Range) -> Sharing {
        #[cfg(test)]
        if let Some(sharing) = tests::listed(range) {
            return sharing;
        }
        let device = self.device;
        match tier::found() {
            Tier::Managed if self.is_in_slab(range) => Sharing::Managed,
            Tier::Managed if OWN.load(Ordering::Relaxed) && is_at_itself(range, device) => {
                Sharing::Managed
            }
            // What libgomp has mapped are variables with an image of their own on
            // the device, and the program's own associations.
            Tier::Pageable if !device.has(range.start) => Sharing::Pageable,
            Tier::Pageable if is_at_itself(range, device) => Sharing::Managed,
            _ => Sharing::Separate,
        }
    }

    /// Whether the device has the memory at its own address.
    fn is_in_slab(&self, range: Range) -> bool {
        if !owns(range.start) {
            return false;
        }
        let number = *self.number.get_or_init(|| self.device.number());
        if number.is_some_and(roster::is_complete_on) {
            return owns(range.end - 1);
        }
        let last = self.slab.take().filter(|slab| slab.range().contains(range));
        let slab = last.or_else(|| hold(range));
        let is_there = slab
            .as_ref()
            .is_some_and(|slab| number.is_some_and(|number| slab::is_on(slab, number)));
        self.slab.set(slab);
        is_there
    }
}

/// Which memory a range is, for a device that may not have been [`meet`]. Any thread may ask.
pub(crate) fn sharing_first(range: Range, device: Device) -> Sharing {
    meet(device);
    View::of(device).sharing(range)
}

/// Whether the program has associated memory with itself.
static OWN: AtomicBool = AtomicBool::new(false);

/// The program does so: managed memory of its own.
pub(crate) fn expect_own() {
    OWN.store(true, Ordering::Relaxed);
}

fn is_at_itself(range: Range, device: Device) -> bool {
    let is_there = |address| device.has(address) && device.address(address) == address;
    is_there(range.start) && is_there(range.end - 1)
}

/// Whether libgomp finds `range` present on the device at its own address because this
/// library has said so, and not the program: never before the device is [`meet`].
pub(crate) fn is_owned(range: Range, device: Device) -> bool {
    #[cfg(test)]
    if let Some(sharing) = tests::listed(range) {
        return sharing == Sharing::Managed;
    }
    slab::hold(range)
        .is_some_and(|slab| device.number().is_some_and(|number| slab::is_on(&slab, number)))
}

/// A block of the pool, of at least `size` bytes at a multiple of `align`, a power
/// of two; null where the program's own `malloc` must do.
#[inline]
pub(crate) fn allocate(size: usize, align: usize) -> *mut u8 {
    if !serves() {
        return ptr::null_mut();
    }
    let block = offmem_pool::allocate(size, align);
    if block.is_null() {
        run_out(size);
    }
    block
}

/// As [`allocate`], of zeros.
#[inline]
pub(crate) fn allocate_zeroed(size: usize) -> *mut u8 {
    if !serves() {
        return ptr::null_mut();
    }
    let block = offmem_pool::allocate_zeroed(size);
    if block.is_null() {
        run_out(size);
    }
    block
}

/// In the child of `fork`: what there is stays, and no device has it.
pub(crate) fn in_child() {
    child::restore();
    offmem_pool::in_child();
    tier::give_up();
}

/// Whether an address is in the pool, live or not.
#[inline]
pub(crate) fn owns(address: usize) -> bool {
    offmem_pool::owns(address)
}

#[inline]
fn serves() -> bool {
    match POOL.load(Ordering::Relaxed) {
        ON => true,
        PAUSED => resume(),
        _ => false,
    }
}

#[cold]
fn resume() -> bool {
    let is_over = kernel::now().wrapping_sub(SINCE.load(Ordering::Relaxed)) >= PAUSE;
    is_over && POOL.compare_exchange(PAUSED, ON, Ordering::AcqRel, Ordering::Relaxed).is_ok()
}

/// The pool has no such block.
#[cold]
fn run_out(size: usize) {
    static SAID: AtomicBool = AtomicBool::new(false);
    let reason = if slab::was_refused() {
        "the CUDA driver has no more"
    } else if environment::unified_pool().is_some() && size < MUCH {
        "OFFMEM_UNIFIED_POOL is reached"
    } else {
        // So big that malloc will not have it either, or no device shares memory.
        return;
    };
    if has_pool() && !SAID.swap(true, Ordering::Relaxed) {
        say(format_args!("what is allocated from now on is not unified memory: {reason}"));
    }
    if size < MUCH {
        SINCE.store(kernel::now(), Ordering::Relaxed);
        let _ = POOL.compare_exchange(ON, PAUSED, Ordering::AcqRel, Ordering::Relaxed);
    }
}

/// A request for less that fails says that smaller ones would, too; in bytes.
const MUCH: usize = 64 << 20;

/// Begins the pool, if there can be one.
fn begin() {
    let begun = if environment::unified_pool() == Some(environment::Amount::Bytes(0)) {
        Err(None)
    } else if !family::is_libcs_only() && !sabotage::lacks(c"libcs") {
        Err(Some("malloc is not libc's in this process"))
    } else {
        slab::begin(environment::unified_pool().map(budget::of_memory));
        Ok(())
    };
    let state = match begun {
        Ok(()) => ON,
        Err(reason) => {
            tier::because(reason.unwrap_or("OFFMEM_UNIFIED_POOL=0"));
            if let Some(reason) = reason {
                fall_short(format_args!("memory is not unified: {reason}"));
            }
            OFF
        }
    };
    POOL.store(state, Ordering::Release);
    if state == ON && !sabotage::lacks(c"language") {
        language::serve();
    }
}

/// libgomp is about to end its devices, and forgets what it knows of them. They
/// are met anew when they come back.
pub(crate) fn suspend() {
    if !sabotage::lacks(c"roster") {
        roster::forget();
    }
}

/// For the report; nothing where no unit has asked for it.
pub(crate) fn summary() -> Option<Unified> {
    if POOL.load(Ordering::Relaxed) == UNASKED {
        return None;
    }
    let pool = offmem_pool::statistics();
    let (memory, reason) = tier::description();
    Some(Unified { memory, reason, slabs: pool.slabs, slab_bytes: pool.bytes as u64 })
}

/// Whether there is a pool that devices use.
pub(crate) fn has_pool() -> bool {
    matches!(POOL.load(Ordering::Relaxed), ON | PAUSED) && tier::found() == Tier::Managed
}

/// Gives back slabs in which nothing is left. It calls the driver, so it is not
/// for hooks.
pub(crate) fn purge() {
    offmem_pool::purge();
}

/// Has memory of the pool moved to where it is wanted next: to `device` or to
/// the host. A wish only; `OFFMEM_PREFETCH=off` does without.
pub(crate) fn prefetch(range: Range, device: Device, to_device: bool) {
    if range.size() < PREFETCH_MIN || !environment::prefetches() {
        return;
    }
    if let (Some(primary), Some(number)) = (tier::primary(), device.number()) {
        primary.prefetch(range, if to_device { Side::Device(number) } else { Side::Host });
    }
}

/// Less is moved by page faults as quickly as by a call, in bytes.
pub(crate) const PREFETCH_MIN: usize = 1 << 20;

/// The pool takes nothing more: no device shares its memory.
fn end() {
    POOL.store(OFF, Ordering::Release);
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::RefCell;

    use offmem_registration::Range;

    use super::Sharing;

    thread_local! {
        static LIST: RefCell<Vec<(Range, Sharing)>> = const { RefCell::new(Vec::new()) };
    }

    /// In this thread, these ranges are such memory and all others are not.
    pub(crate) fn list(ranges: &[(Range, Sharing)]) {
        LIST.with_borrow_mut(|list| *list = ranges.to_vec());
    }

    pub(super) fn listed(range: Range) -> Option<Sharing> {
        LIST.with_borrow(|list| {
            let found = list.iter().find(|(listed, _)| listed.contains(range));
            Some(found.map_or(Sharing::Separate, |&(_, sharing)| sharing))
        })
    }
}

//! Where the pool's memory comes from: slabs of managed memory, but for the
//! first one. That is the host's, and registered as soon as there is a device.

use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use offmem_pool::Source;
use offmem_registration::{Found, Lifetime, Range, Registry, Use};

use super::roster::{self, ROSTER};
use super::tier::{self, Tier};
use super::child;
use crate::driver::managed::Primary;
use crate::engine::Device;
use crate::hook::{process, window};
use crate::lock::Lock;
use crate::message::say;
use crate::{budget, environment, kernel};

/// The first slab, in bytes, and what it is aligned to.
const FIRST: usize = 2 << 20;

/// Slabs that devices know. A region's cost is the set of these devices.
static SLABS: Registry = Registry::new();

/// All slabs.
static LIST: Lock<Vec<Slab>> = Lock::new(Vec::new());

/// After a refusal the driver is not asked for so many milliseconds.
const PAUSE: u32 = 1000;
/// When that was; 0 for never.
static REFUSED: AtomicU32 = AtomicU32::new(0);

/// No driver any more.
static CLOSED: AtomicBool = AtomicBool::new(false);

#[derive(Clone, Copy, Debug)]
pub(super) struct Slab {
    pub(super) range: Range,
    pub(super) is_managed: bool,
}

struct Slabs;

/// Begins the pool; false where that cannot be.
pub(super) fn begin() -> bool {
    child::prepare();
    offmem_pool::begin(&Slabs).is_ok()
}

/// No driver call any more.
pub(crate) fn close() {
    CLOSED.store(true, Ordering::SeqCst);
}

/// Calls `f` with all slabs, while none comes or goes.
pub(super) fn with_all<R>(f: impl FnOnce(&[Slab]) -> R) -> R {
    f(&LIST.lock())
}

/// Whether `device` has the memory at its own address.
#[inline]
pub(super) fn is_on(range: Range, device: Device) -> bool {
    match (SLABS.find(range), device.number()) {
        (Found::Inside(slab), Some(number)) => {
            roster::has(slab.cost().load(Ordering::Relaxed), number)
        }
        _ => false,
    }
}

/// Keeps the slab that has this memory, while libgomp may use what it knows of it.
#[inline]
pub(crate) fn hold(range: Range) -> Option<Use<'static>> {
    match SLABS.find(range) {
        Found::Inside(slab) => Some(slab),
        Found::Across | Found::Outside => None,
    }
}

/// A device is there: it learns of all slabs. With [`ROSTER`] held.
pub(super) fn introduce(number: c_int) {
    let mut ranges = Vec::new();
    SLABS.for_each(|region| ranges.push(region.range));
    for range in ranges {
        if let Some(slab) = hold(range)
            && roster::associate(range, number)
        {
            slab.cost().fetch_or(roster::bit(number), Ordering::Relaxed);
        }
    }
}

/// The devices are gone. With [`ROSTER`] held.
pub(super) fn forget() {
    let all = Range { start: 0, end: usize::MAX };
    SLABS.for_overlapping(all, |_, devices| devices.store(0, Ordering::Relaxed));
}

/// The first slab becomes the device's, too.
pub(super) fn share_first(primary: &Primary) {
    if !primary.shares_registered() {
        return;
    }
    let first = with_all(|slabs| slabs.iter().find(|slab| !slab.is_managed).copied());
    if let Some(Slab { range, .. }) = first
        && primary.share(range)
    {
        enter(range, 0);
    }
}

fn enter(range: Range, devices: u64) -> bool {
    SLABS
        .add(range, Lifetime::Kept)
        .map(|slab| slab.cost().store(devices, Ordering::Relaxed))
        .is_ok()
}

impl Source for Slabs {
    fn obtain(&self, size: usize) -> Option<(usize, usize)> {
        if CLOSED.load(Ordering::SeqCst) || process::is_child() {
            return None;
        }
        let slab = match tier::found() {
            Tier::Unknown if size <= FIRST && with_all(<[Slab]>::is_empty) => first(),
            Tier::Unknown | Tier::Managed if tier::find() == Tier::Managed => managed(size),
            _ => None,
        };
        slab.map(|range| {
            window::cover(range);
            (range.start, range.size())
        })
    }

    fn give_back(&self, address: usize, size: usize) -> bool {
        let Some(range) = Range::new(address, size) else { return false };
        let (Some(primary), false) = (tier::primary(), CLOSED.load(Ordering::SeqCst)) else {
            return false;
        };
        let is_managed = |slab: &Slab| slab.range == range && slab.is_managed;
        if process::is_child() || !with_all(|slabs| slabs.iter().any(is_managed)) {
            return false;
        }
        let _guard = ROSTER.lock();
        let Some(devices) = hold(range).map(|slab| slab.cost().load(Ordering::Relaxed)) else {
            return false;
        };
        if !SLABS.withdraw(range) {
            return false;
        }
        let left = roster::disassociate(range, devices);
        // SAFETY: from `managed`; the pool has no block there, and libgomp does
        // not know it any more.
        if left != 0 || !unsafe { primary.free(address) } {
            enter(range, left);
            return false;
        }
        LIST.lock().retain(|slab| slab.range != range);
        true
    }
}

/// The first slab, of the host.
fn first() -> Option<Range> {
    let range = Range::new(kernel::aligned(FIRST, FIRST)?, FIRST)?;
    LIST.lock().push(Slab { range, is_managed: false });
    Some(range)
}

fn managed(size: usize) -> Option<Range> {
    let now = kernel::now();
    let refused = REFUSED.load(Ordering::Relaxed);
    if refused != 0 && now.wrapping_sub(refused) < PAUSE {
        return None;
    }
    let used: usize = with_all(|slabs| slabs.iter().map(|slab| slab.range.size()).sum());
    let limit = environment::unified_pool().map(|amount| budget::of_memory(amount));
    if limit.is_some_and(|limit| (used as u64).saturating_add(size as u64) > limit) {
        run_out("OFFMEM_UNIFIED_POOL is reached");
        return None;
    }
    let _guard = ROSTER.lock();
    let range = tier::primary()?.allocate(size).and_then(|place| Range::new(place, size));
    let Some(range) = range else {
        REFUSED.store(now.max(1), Ordering::Relaxed);
        run_out("the CUDA driver has no more");
        return None;
    };
    if !enter(range, roster::associate_with_all(range)) {
        return None;
    }
    LIST.lock().push(Slab { range, is_managed: true });
    Some(range)
}

fn run_out(reason: &str) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        say(format_args!("what is allocated from now on is not unified memory: {reason}"));
    }
}

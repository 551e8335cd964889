//! Where the pool's memory comes from: slabs of managed memory, but for the
//! first one. That is the host's, and registered as soon as there is a device.

use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, Ordering};

use offmem_pool::Source;
use offmem_registration::{Found, Lifetime, Range, Registry, Use};

use super::roster::{self, ROSTER};
use super::tier::{self, Tier};
use crate::driver::managed::Primary;
use crate::hook::{process, window};
use crate::kernel;
use crate::lock::Lock;
use crate::sabotage;

/// The first slab, in bytes, and what it is aligned to.
const FIRST: usize = 2 << 20;

/// Slabs that devices know. A region's cost is the set of these devices.
static SLABS: Registry = Registry::new();

/// All slabs.
static LIST: Lock<Vec<Slab>> = Lock::new(Vec::new());

/// Whether the driver has refused memory.
static REFUSED: AtomicBool = AtomicBool::new(false);

/// Whether a first slab would have been shared; with [`LIST`] locked.
static LOOKED: AtomicBool = AtomicBool::new(false);

/// No driver any more.
static CLOSED: AtomicBool = AtomicBool::new(false);

#[derive(Clone, Copy, Debug)]
struct Slab {
    range: Range,
    is_managed: bool,
}

struct Slabs;

/// Begins the pool.
pub(super) fn begin(limit: Option<u64>) {
    if let Some(bytes) = limit.and_then(|bytes| usize::try_from(bytes).ok()) {
        offmem_pool::set_limit(bytes);
    }
    offmem_pool::begin(&Slabs);
}

/// Whether the driver has refused memory since the last call.
pub(super) fn was_refused() -> bool {
    REFUSED.swap(false, Ordering::Relaxed)
}

/// No driver call any more.
pub(crate) fn close() {
    if !sabotage::lacks(c"close") {
        CLOSED.store(true, Ordering::SeqCst);
    }
}

/// Those of managed memory.
pub(super) fn managed() -> Vec<Range> {
    with_all(|slabs| slabs.iter().filter(|slab| slab.is_managed).map(|slab| slab.range).collect())
}

/// Calls `f` with all slabs, while none comes or goes.
fn with_all<R>(f: impl FnOnce(&[Slab]) -> R) -> R {
    f(&LIST.lock())
}

/// Whether the device of that number has the slab at its own address.
#[inline]
pub(super) fn is_on(slab: &Use<'static>, number: c_int) -> bool {
    roster::has(slab.cost().load(Ordering::Relaxed), number)
}

/// Keeps a slab, while libgomp may use what it knows of it; nothing for other
/// memory.
pub(crate) type Holding = Option<Use<'static>>;

/// Holds the slab that has this memory.
#[inline]
pub(crate) fn hold(range: Range) -> Holding {
    match SLABS.find(range) {
        Found::Inside(slab) => Some(slab),
        Found::Across | Found::Outside => None,
    }
}

/// Holds it to the end of the process: nobody knows for how long libgomp does.
pub(crate) fn hold_forever(range: Range) {
    if let Some(slab) = hold(range)
        && !sabotage::lacks(c"hold")
    {
        slab.set_sticky();
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
    let first = with_all(|slabs| {
        LOOKED.store(true, Ordering::Relaxed);
        slabs.iter().find(|slab| !slab.is_managed).copied()
    });
    let Some(Slab { range, .. }) = first else { return };
    let is_shared = !sabotage::lacks(c"first")
        && primary.shares_registered()
        && primary.share(range)
        && enter(range, 0);
    if !is_shared {
        roster::give_up_completeness();
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
            Tier::Unknown | Tier::Managed if tier::find() == Tier::Managed => obtain(size),
            _ => None,
        };
        slab.map(|range| {
            if !sabotage::lacks(c"window") {
                window::cover(range);
            }
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
        let left = match sabotage::lacks(c"disassociate") {
            true => 0,
            false => roster::disassociate(range, devices),
        };
        // SAFETY: from `managed`; the pool has no block there, and libgomp does
        // not know it any more.
        if left != 0 || !unsafe { primary.free(address) } {
            roster::give_up_completeness();
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
    let mut slabs = LIST.lock();
    if LOOKED.load(Ordering::Relaxed) {
        // It comes too late to be shared.
        roster::give_up_completeness();
    }
    slabs.push(Slab { range, is_managed: false });
    Some(range)
}

/// Managed memory that devices know.
fn obtain(size: usize) -> Option<Range> {
    // More than any machine has: for malloc to refuse.
    if size / 8 > kernel::memory_size() {
        return None;
    }
    let _guard = ROSTER.lock();
    let place = tier::primary()?.allocate(size);
    if place.is_none() {
        REFUSED.store(true, Ordering::Relaxed);
    }
    let range = Range::new(place?, size)?;
    if !enter(range, roster::associate_with_all(range)) {
        return None;
    }
    LIST.lock().push(Slab { range, is_managed: true });
    Some(range)
}

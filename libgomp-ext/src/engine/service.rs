//! What the program may ask of the engine (`offmem.h`), and what it says of
//! itself at exit.

use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, Ordering};

use offmem_policy::{Class, Demand, Direction};
use offmem_registration::{Found, Range, Use};

use super::{Device, ENGINE, Engine, REGISTRY, Reason, on};
use crate::environment::Policy;
use crate::hook::{allocation, check};
use crate::lock::Lock;
use crate::maps::{self, Access};
use crate::report::{Figures, Hook, Summary, Tally};
use crate::{api, heap};

/// Memory that the program asked to have pinned: held, so never evicted.
static PINNED: Lock<Vec<(Range, Use<'static>)>> = Lock::new(Vec::new());

/// The functions of `offmem.h` begin to answer.
pub(super) fn begin() {
    api::serve(&api::Engine { is_pinned, pin, unpin, figures });
}

/// Whether there ever was any.
static ANY: AtomicBool = AtomicBool::new(false);

/// Memory went away, or its block was freed: nobody wants it pinned any more.
pub(super) fn release(range: Range) {
    if ANY.load(Ordering::Relaxed) {
        PINNED.lock().retain(|(pinned, _)| !pinned.overlaps(range));
    }
}

fn default_device() -> Option<Device> {
    Device::openmp(-1)
}

fn is_pinned(range: Range) -> bool {
    let Some(engine) = ENGINE.get().and_then(Option::as_ref) else {
        return false;
    };
    match REGISTRY.find(range) {
        Found::Inside(used) if used.is_registered() => true,
        // Somebody else's memory need not be known to the registry.
        _ => engine.cuda.knows(range.start) && engine.cuda.knows(range.end - 1),
    }
}

fn pin(range: Range) -> Result<(), c_int> {
    let (engine, _) = on(default_device).ok_or(libc::ENOTSUP)?;
    if maps::access(range) != Access::Write {
        return Err(libc::EFAULT);
    }
    let used = engine.region(range, || Reason::Asked).ok_or(libc::EINVAL)?;
    if !register(engine, &used) {
        return Err(if used.is_dropped() { libc::EBUSY } else { libc::ENOMEM });
    }
    ANY.store(true, Ordering::Relaxed);
    let mut pinned = PINNED.lock();
    match pinned.iter_mut().find(|(other, _)| *other == range) {
        Some((_, held)) => *held = used,
        None => pinned.push((range, used)),
    }
    Ok(())
}

fn register(engine: &Engine, used: &Use<'static>) -> bool {
    if used.is_registered() {
        return true;
    }
    let region = used.range().size() as u64;
    let class = Class::new(0, region);
    let direction = Direction::ToDevice;
    let demand = Demand { region, copied: 0, direction, coming: 0, class };
    engine.registers(used, &demand, Tally::none())
}

/// A region took the place of others. What the program asked to have pinned
/// among them is pinned again.
pub(super) fn renew(engine: &Engine, used: &Use<'static>) {
    let region = used.range();
    if !ANY.load(Ordering::Relaxed)
        || !PINNED.lock().iter().any(|(range, _)| region.contains(*range))
    {
        return;
    }
    register(engine, used);
    for (range, held) in PINNED.lock().iter_mut() {
        if region.contains(*range)
            && let Found::Inside(now) = REGISTRY.find(*range)
        {
            *held = now;
        }
    }
}

/// Whether the program asked to have just this range, or this region, pinned.
pub(super) fn holds(range: Range) -> bool {
    ANY.load(Ordering::Relaxed)
        && PINNED.lock().iter().any(|(pinned, used)| *pinned == range || used.range() == range)
}

fn unpin(range: Range) -> Result<(), c_int> {
    let mut pinned = PINNED.lock();
    let i = pinned.iter().position(|(pinned, _)| *pinned == range).ok_or(libc::EINVAL)?;
    let (_, used) = pinned.swap_remove(i);
    let last = pinned.iter().all(|(_, other)| other.range() != used.range());
    drop(pinned);
    let region = used.range();
    drop(used);
    if last && let Some(Some(engine)) = ENGINE.get() {
        engine.forget(region);
    }
    Ok(())
}

/// Before `fork`.
pub(super) fn acquire() {
    PINNED.acquire();
}

/// After `fork`.
///
/// # Safety
/// As [`Lock::release`].
pub(super) unsafe fn free() {
    // SAFETY: the caller's.
    unsafe { PINNED.release() };
}

fn figures() -> Figures {
    let numbers = REGISTRY.statistics();
    let engine = ENGINE.get().and_then(Option::as_ref);
    Figures {
        registered_bytes: numbers.registered_bytes as u64,
        peak_registered_bytes: numbers.peak_bytes as u64,
        limit_bytes: engine.map_or(0, |engine| engine.limit),
        registrations: numbers.registrations,
        unregistrations: numbers.unregistrations,
        evictions: numbers.evictions,
        failures: numbers.failures,
        adoptions: numbers.adoptions,
        register_ns: engine.map_or(0, |engine| engine.cuda.register_ns()),
        unregister_ns: engine.map_or(0, |engine| engine.cuda.unregister_ns()),
    }
}

/// Fills in what the engine knows.
pub(crate) fn summarise(summary: Summary) -> Summary {
    let Some(Some(engine)) = ENGINE.get() else {
        return summary;
    };
    let Engine { policy, working, .. } = engine;
    let check::Working { mapping, protection, library, .. } = *working;
    let hooks = [("mmap family", mapping), ("mprotect", protection), ("dlclose", library)];
    Summary {
        policy: Some(match policy {
            Policy::Adaptive => "adaptive",
            Policy::Eager => "eager",
            Policy::PerMap => "per-map",
        }),
        hooks: hooks.map(|(name, in_effect)| Hook { name, in_effect }).into(),
        heap: allocation::is_on().then(heap::statistics),
        heap_reason: allocation::why_off(),
        figures: figures(),
        ..summary
    }
}

//! Registers the host memory that takes part in offloading.
//!
//! Each call that copies comes here with its ranges (`call`). A range is in a
//! region of the registry, or gets one if its memory is of a kind that may be
//! registered (`origin`). A region is registered when the policy finds that
//! worth it (`decision`), and hooks drop it before its memory goes away.

mod call;
mod decay;
mod decision;
mod device;
mod flight;
mod huge;
mod prefault;
mod service;
mod unfit;

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::OnceLock;

use offmem_abi::Site;
use offmem_policy::{Costs, Rental};
use offmem_registration::{Found, Lifetime, Range, Registry, Unfit, Use};

use crate::driver::{Cuda, poison};
use crate::environment::{self, Policy};
use crate::hook::check::Working;
use crate::hook::{allocation, process};
use crate::message::fall_short;
use crate::origin::{self, Origin};
use crate::report::{self, Tally};
use crate::{budget, entry, heap, hook, strategy, unified, unit};

pub(crate) use crate::entry::kind::When;
pub(crate) use call::{Call, Time};
pub(crate) use device::Device;
pub(crate) use service::summarise;

/// All regions of the process.
static REGISTRY: Registry = Registry::new();

/// Whether there has ever been a region, and one that lives with its mapping.
static ANY_REGION: AtomicBool = AtomicBool::new(false);
static ANY_MAPPED: AtomicBool = AtomicBool::new(false);

/// Memory that a call copies, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub(crate) range: Range,
    pub(crate) to: When,
    pub(crate) from: When,
}

/// Where a call stands in the program: the plugin's record, or an address that
/// is the same for each call from there.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) site: *const Site,
    pub(crate) key: usize,
}

impl Place {
    /// The counters of this place in the report.
    pub(crate) fn tally(self) -> Tally {
        let caller = if self.site.is_null() { report::caller() } else { 0 };
        // SAFETY: the plugin's record, or null.
        unsafe { report::site(self.site, caller) }
    }
}

/// What registration needs to know of this process; made once, when the
/// program first offloads to a CUDA device.
pub(crate) struct Engine {
    cuda: Cuda,
    policy: Policy,
    /// Bytes below which a range gets no region of its own.
    min_size: usize,
    /// Most bytes that may be registered at a time.
    limit: u64,
    working: Working,
    costs: Costs,
    rental: Rental,
    /// Whether registering has been given up.
    stopped: AtomicBool,
    /// Refusals of the driver in a row.
    refusals: AtomicU32,
    /// Calls so far, of which one in many is looked at more closely.
    calls: AtomicU32,
}

/// Why memory gets a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    /// It is mapped, or the call maps it, and the end of that will be seen.
    Mapped,
    /// It is copied, or its mapping ends at an unknown time.
    Copied,
    /// The program asked for it.
    Asked,
}

static ARMED: AtomicBool = AtomicBool::new(false);
static ENGINE: OnceLock<Option<Engine>> = OnceLock::new();

/// One call in so many is counted and timed.
const SAMPLE: u32 = 16;

/// A range in memory that no hook protects gets a region from this size on,
/// for as long as it is mapped.
const UNPROTECTED_MIN: usize = 1 << 20;

/// From now on, memory that takes part in offloading is registered.
pub(crate) fn arm() {
    service::begin();
    ARMED.store(true, Ordering::Release);
}

/// Whether it is.
#[inline]
pub(crate) fn is_armed() -> bool {
    ARMED.load(Ordering::Relaxed)
}

/// The engine, for a call that is for `device`; nothing where memory is left
/// alone. The first call for a device of OpenMP's initialises it.
#[inline]
pub(crate) fn on(device: impl FnOnce() -> Option<Device>) -> Option<(&'static Engine, Device)> {
    if !is_armed() && !unit::joins_late() {
        return None;
    }
    let device = device()?;
    if unified::is_on() {
        unified::meet(device);
    }
    let engine = match ENGINE.get() {
        Some(engine) => engine.as_ref()?,
        None => start(device)?,
    };
    (engine.cuda.is_open() || engine.reopens(device)).then_some((engine, device))
}

#[cold]
fn start(device: Device) -> Option<&'static Engine> {
    if device == Device::Openacc {
        // The construct is about to initialise it: see `after_openacc`.
        return None;
    }
    device.initialise();
    let begin = || match Cuda::current() {
        Some(cuda) => Engine::new(cuda),
        None => {
            strategy::settle("none", format_args!("the device is not a CUDA device"));
            None
        }
    };
    ENGINE.get_or_init(begin).as_ref()
}

/// After a call of OpenACC's, which has initialised its device.
#[inline]
pub(crate) fn after_openacc() {
    if !is_armed() {
        return;
    }
    match ENGINE.get() {
        // The construct may have run on the host, and another may not.
        None => drop(Cuda::current().map(|cuda| ENGINE.get_or_init(|| Engine::new(cuda)))),
        Some(Some(engine)) if !engine.cuda.is_open() => drop(engine.cuda.enter()),
        Some(_) => {}
    }
}

/// As [`Engine::unmapped`], for a routine of OpenACC's.
pub(crate) fn unmapped_openacc(range: Option<Range>) {
    if let Some((engine, device)) = on(|| Some(Device::Openacc)) {
        engine.unmapped(device, range.into_iter());
    }
}

/// The device is about to be shut down, and its context with it. When it comes
/// back, everything begins anew.
pub(crate) fn suspend() {
    unified::suspend();
    if let Some(Some(engine)) = ENGINE.get() {
        REGISTRY.remove(Range { start: 0, end: usize::MAX }, engine);
        engine.cuda.leave();
    }
}

impl Engine {
    /// With libgomp's context.
    fn new(cuda: Cuda) -> Option<Engine> {
        if cuda.reads_pageable_memory() {
            let reason = "the GPU reads pageable memory through the host's page tables";
            strategy::settle("none", format_args!("{reason}"));
            return None;
        }
        if !cuda.can_register() {
            let reason = "this device cannot register host memory";
            strategy::settle("none", format_args!("{reason}"));
            fall_short(format_args!("memory is left unpinned: {reason}"));
            return None;
        }
        if !entry::is_in_effect() {
            // Copies that we do not see could meet the edge of a registration.
            let reason = "another library comes before the runtime";
            strategy::settle("none", format_args!("{reason}"));
            fall_short(format_args!(
                "memory is left unpinned: {reason} (start the program with 'offmem run')"
            ));
            return None;
        }
        let limit = budget::bytes();
        hook::on_gone(gone);
        hook::on_child(in_child);
        heap::on_forget(gone);
        heap::on_settled(settled);
        heap::set_kept_limit(usize::try_from(limit).unwrap_or(usize::MAX));
        hook::arm();
        // After libgomp's, which has initialised the device, so it runs before it.
        // SAFETY: the handler stays: this library is never unloaded.
        unsafe { libc::atexit(at_exit) };
        decay::open();
        strategy::settle("register", format_args!("there is a CUDA device"));
        Some(Engine {
            cuda,
            policy: environment::policy(),
            min_size: allocation::min_size(),
            limit,
            working: hook::check::works(),
            costs: Costs::discrete(),
            rental: Rental::new(),
            stopped: AtomicBool::new(false),
            refusals: AtomicU32::new(0),
            calls: AtomicU32::new(0),
        })
    }

    /// Whether there is a context again, after the device was shut down.
    #[cold]
    fn reopens(&self, device: Device) -> bool {
        // libgomp does not look whether it has ended a device before it allocates there.
        if self.cuda.is_closed() {
            return false;
        }
        device.initialise();
        self.cuda.enter()
    }

    /// Whether a call is one of those that are counted and timed.
    fn samples(&self) -> bool {
        self.calls.fetch_add(1, Ordering::Relaxed).is_multiple_of(SAMPLE)
    }

    /// The region that holds a range.
    #[inline]
    fn region(&self, range: Range, reason: impl FnOnce() -> Reason) -> Option<Use<'static>> {
        poison::cure(&self.cuda, range);
        match REGISTRY.find(range) {
            Found::Inside(used) => Some(used),
            Found::Across => self.join(range),
            Found::Outside => self.introduce(range, reason()),
        }
    }

    /// A new region, where the memory is of a kind that may have one.
    #[cold]
    #[inline(never)]
    fn introduce(&self, range: Range, reason: Reason) -> Option<Use<'static>> {
        if range.size() < self.min_size || self.stopped.load(Ordering::Relaxed) {
            return None;
        }
        if origin::is_foreign(range) || unfit::has(range) {
            return None;
        }
        let per_map = self.policy == Policy::PerMap && reason != Reason::Asked;
        let (range, lifetime) = match origin::of(range, heap::block) {
            Origin::Heap(block) => {
                // Also where it lives with its mapping, which may outlive the block.
                heap::keep(block);
                (block, if per_map { Lifetime::Mapping } else { Lifetime::Kept })
            }
            Origin::Stack | Origin::Mixed => {
                unfit::add(range);
                return None;
            }
            Origin::ReadOnlyMapping | Origin::ReadOnlyStatic
                if !self.cuda.registers_read_only() =>
            {
                unfit::add(range);
                return None;
            }
            Origin::Mapping | Origin::ReadOnlyMapping if self.working.mapping && !per_map => {
                (range, Lifetime::Kept)
            }
            Origin::Static | Origin::ReadOnlyStatic if self.working.library && !per_map => {
                (range, Lifetime::Kept)
            }
            Origin::Mapping
            | Origin::Static
            | Origin::ReadOnlyMapping
            | Origin::ReadOnlyStatic
            | Origin::Unknown => {
                if range.size() < UNPROTECTED_MIN && !per_map {
                    unfit::add(range);
                    return None;
                }
                (range, Lifetime::Mapping)
            }
        };
        if lifetime == Lifetime::Mapping && reason != Reason::Mapped {
            // Nobody would say when it ends.
            return None;
        }
        ANY_REGION.store(true, Ordering::SeqCst);
        if lifetime == Lifetime::Mapping {
            ANY_MAPPED.store(true, Ordering::SeqCst);
        }
        match REGISTRY.add(range, lifetime) {
            Ok(used) => Some(used),
            Err(Unfit::Across) => self.join(range),
            Err(_) => None,
        }
    }

    /// The region that takes the place of those across whose edges a range lies.
    fn join(&self, range: Range) -> Option<Use<'static>> {
        if cfg!(feature = "sabotage-straddle") {
            return None;
        }
        let joined = REGISTRY.join(range, Lifetime::Kept, self).ok()?;
        service::renew(self, &joined);
        Some(joined)
    }

    /// After a call that may have ended mappings of these ranges: regions that
    /// live with their mapping go with it.
    pub(crate) fn unmapped(&self, device: Device, ranges: impl Iterator<Item = Range>) {
        if !cfg!(feature = "sabotage-unmapped") {
            self.forget_mapped(ranges, |region| !device.has(region.start));
        }
    }

    /// Before a call that may end mappings of these ranges at any time.
    pub(crate) fn unmapped_later(&self, ranges: impl Iterator<Item = Range>) {
        if !cfg!(feature = "sabotage-later") {
            self.forget_mapped(ranges, |_| true);
        }
    }

    fn forget_mapped(
        &self,
        ranges: impl Iterator<Item = Range>,
        has_ended: impl Fn(Range) -> bool,
    ) {
        if !ANY_MAPPED.load(Ordering::Relaxed) {
            return;
        }
        for range in ranges {
            let mut ended = Vec::new();
            REGISTRY.for_overlapping(range, |region, _| {
                if region.lifetime == Lifetime::Mapping {
                    ended.push(region.range);
                }
            });
            for region in ended {
                if has_ended(region) && !service::holds(region) {
                    self.forget(region);
                }
            }
        }
    }

    /// Drops a region.
    fn forget(&self, range: Range) {
        decision::conclude(self, range);
        REGISTRY.remove(range, self);
    }
}

/// Memory is about to go away, or to become other memory.
fn gone(range: Range) {
    if let Some(Some(engine)) = ENGINE.get() {
        service::release(range);
        engine.forget(range);
    }
}

/// A block of the heap was freed; it stays as it is, to be recycled.
fn settled(block: Range) {
    if cfg!(feature = "sabotage-settle") {
        return;
    }
    service::release(block);
    REGISTRY.settle(block);
    decay::wake();
}

/// Before `fork`.
pub(crate) fn acquire() {
    service::acquire();
    REGISTRY.acquire();
    flight::acquire();
}

/// After `fork`, in the parent and in the child.
///
/// # Safety
/// This thread, or its parent before the `fork`, called [`acquire`].
pub(crate) unsafe fn release() {
    // SAFETY: the caller's.
    unsafe {
        flight::release();
        REGISTRY.release();
        service::free();
    }
}

/// This process is a child of the one that registered.
fn in_child() {
    ARMED.store(false, Ordering::SeqCst);
    REGISTRY.forget();
    heap::in_child();
}

/// libgomp's own handler, which destroys the context, comes next.
extern "C" fn at_exit() {
    if process::is_child() {
        // The thread of `decay` is not here, and may have held its lock.
        return;
    }
    if let Some(Some(engine)) = ENGINE.get() {
        decay::close();
        engine.cuda.close();
    }
}

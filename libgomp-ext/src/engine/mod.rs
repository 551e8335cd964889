//! Registers the host memory that takes part in offloading.
//!
//! Each call that copies comes here with its ranges (`call`). A range is in a
//! region of the registry, or gets one if its memory is of a kind that may be
//! registered (`origin`); the policy says when a region is worth it, and the
//! hooks drop it before its memory goes away.

mod call;
mod device;
mod flight;

use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Once, OnceLock};
use std::time::Instant;

use offmem_registration::{Added, Failure, Found, Lifetime, Operations, PAGE, Range, Registry, Use};

use crate::budget;
use crate::driver::Cuda;
use crate::environment::{self, Policy};
use crate::heap;
use crate::hook;
use crate::message::{fall_short, say};
use crate::origin::{self, Origin};
use crate::report;

pub(crate) use crate::entry::kind::When;
pub(crate) use call::{Call, Time};
pub(crate) use device::Device;

/// All regions of the process.
pub(crate) static REGISTRY: Registry = Registry::new();

/// Memory that a call copies, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub(crate) range: Range,
    pub(crate) to: When,
    pub(crate) from: When,
}

/// What registration needs to know of this process; made once, when the
/// program first offloads to a CUDA device.
pub(crate) struct Engine {
    cuda: Cuda,
    policy: Policy,
    /// Most bytes that may be registered at a time.
    limit: u64,
    working: hook::Working,
    /// Whether registering has been given up.
    stopped: AtomicBool,
    /// Refusals of the driver in a row.
    refused: AtomicU32,
    /// Calls so far, of which one in many is looked at more closely.
    calls: AtomicU32,
}

static ARMED: AtomicBool = AtomicBool::new(false);
static ENGINE: OnceLock<Option<Engine>> = OnceLock::new();

/// One call in so many is counted and timed.
const SAMPLE: u32 = 16;
/// Refusals in a row after which no more registration is tried.
const REFUSALS_MAX: u32 = 8;
/// Beyond this a driver's single registration fails or takes for ever.
const REGION_MAX: u64 = 64 << 30;
/// Memory that no hook protects is worth a registration of its own only from here.
const UNKNOWN_MIN: usize = 1 << 20;

/// From now on, memory that takes part in offloading is registered.
pub(crate) fn arm() {
    ARMED.store(true, Ordering::Release);
}

/// The engine, for a call that is for `device`; nothing where memory is left
/// alone. The first call for a device of OpenMP initialises it.
pub(crate) fn on(device: Option<Device>) -> Option<(&'static Engine, Device)> {
    let device = device?;
    if let Some(engine) = ENGINE.get() {
        let engine = engine.as_ref()?;
        return (!engine.stopped.load(Ordering::Relaxed)).then_some((engine, device));
    }
    if device == Device::Openacc || !ARMED.load(Ordering::Acquire) {
        return None;
    }
    device.initialise();
    Some((start()?, device))
}

/// After a call of OpenACC's, which has initialised its device.
pub(crate) fn after_openacc() {
    if ENGINE.get().is_none() && ARMED.load(Ordering::Acquire) {
        start();
    }
}

fn start() -> Option<&'static Engine> {
    ENGINE.get_or_init(Engine::new).as_ref()
}

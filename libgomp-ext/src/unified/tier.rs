//! What the machine's devices can do, and what follows from that.

use core::sync::atomic::{AtomicU8, Ordering};
use std::sync::OnceLock;

use super::{end, slab};
use crate::driver::managed::{self, Ability, Primary};
use crate::engine::Device;
use crate::lock::Lock;
use crate::message::{do_without, fall_short};
use crate::{entry, environment};

/// How memory is shared in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Tier {
    /// It was not looked, yet.
    Unknown,
    /// Not at all.
    Separate,
    /// What the pool has is.
    Managed,
    /// All of it is.
    Pageable,
}

static FOUND: AtomicU8 = AtomicU8::new(Tier::Unknown as u8);
static PRIMARY: OnceLock<Primary> = OnceLock::new();
static REASON: OnceLock<&str> = OnceLock::new();

/// What was found so far. One load.
#[inline]
pub(crate) fn found() -> Tier {
    const TIERS: [Tier; 4] = [Tier::Unknown, Tier::Separate, Tier::Managed, Tier::Pageable];
    TIERS[usize::from(FOUND.load(Ordering::Acquire) & 3)]
}

/// The context of the pool, where there is one.
pub(super) fn primary() -> Option<&'static Primary> {
    PRIMARY.get()
}

/// Nothing is shared any more.
pub(super) fn give_up() {
    FOUND.store(Tier::Separate as u8, Ordering::Release);
}

/// Looks, the first time; this initialises the driver, and the device that the
/// program uses first.
pub(super) fn find() -> Tier {
    static LOOKING: Lock<()> = Lock::new(());
    let _guard = LOOKING.lock();
    if found() == Tier::Unknown {
        let tier = look();
        FOUND.store(tier as u8, Ordering::Release);
        if tier != Tier::Managed {
            end();
        }
    }
    found()
}

fn look() -> Tier {
    if environment::offloads_to_host() {
        return separate("offloading is disabled");
    }
    match managed::ability() {
        None => return separate("nothing can be offloaded"),
        Some(_) if !entry::is_in_effect() => {
            return less("another library comes before the runtime");
        }
        Some(Ability::Copies) => {
            return less("the GPU cannot use managed memory at the same time as the host");
        }
        Some(Ability::Pageable) => {
            because("the GPU reads all memory of the host");
            return Tier::Pageable;
        }
        Some(Ability::Managed) => {}
    }
    let Some(primary) = Primary::retain(Device::default_number()) else {
        return less("the GPU has no primary context to offer");
    };
    slab::share_first(PRIMARY.get_or_init(|| primary));
    // After the driver's own, which `ability` initialised; so it runs before it.
    // SAFETY: the handler stays: this library is never unloaded.
    unsafe { libc::atexit(at_exit) };
    because("the GPU has managed memory");
    Tier::Managed
}

/// For the report; the first reason counts.
pub(super) fn because(reason: &'static str) {
    REASON.get_or_init(|| reason);
}

/// What was found, and why, in a few words.
pub(super) fn description() -> (&'static str, &'static str) {
    let memory = match found() {
        Tier::Managed => "managed",
        Tier::Pageable => "pageable",
        Tier::Separate | Tier::Unknown => "none",
    };
    (memory, REASON.get().copied().unwrap_or("nothing was offloaded"))
}

/// The driver is about to end. The memory stays where it is.
extern "C" fn at_exit() {
    slab::close();
}

/// Where the program would not offload to a device without us either.
fn separate(reason: &'static str) -> Tier {
    do_without(format_args!("memory is not unified: {reason}"));
    because(reason);
    Tier::Separate
}

fn less(reason: &'static str) -> Tier {
    fall_short(format_args!("memory is not unified, but pinned: {reason}"));
    because(reason);
    Tier::Separate
}

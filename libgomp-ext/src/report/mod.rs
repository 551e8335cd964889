//! `OFFMEM_REPORT`: what was copied and registered, call site by call site,
//! told when the process ends.
//!
//! Written by the last function of this library's `.fini_array`: after every
//! `atexit` handler and static destructor, libgomp's teardown included. What
//! ends without `exit` (`_exit`, `quick_exit`, a signal) leaves no report, nor
//! does a child of `fork`.

mod destination;
mod document;
mod quantity;
mod site;
mod table;
mod traffic;

use core::sync::atomic::{AtomicI32, AtomicU8, Ordering};
use std::sync::OnceLock;

use serde::Serialize;

use crate::environment::{self, Activation};
use crate::heap;
use crate::lock::Lock;
use crate::message::say;
use destination::Destination;
use document::Document;

pub(crate) use site::{Tally, site};
pub(crate) use traffic::{Direction, TOTAL};

/// Numbers of the whole process, for reports and for `offmem_get_stats`.
/// Bytes and nanoseconds.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Figures {
    /// Registered with the driver now.
    pub(crate) registered_bytes: u64,
    /// The most that was registered at a time.
    pub(crate) peak_registered_bytes: u64,
    /// The most that may be registered at a time.
    pub(crate) limit_bytes: u64,
    /// Successful registrations.
    pub(crate) registrations: u64,
    /// Unregistrations, evictions included.
    pub(crate) unregistrations: u64,
    /// Unregistrations for want of room.
    pub(crate) evictions: u64,
    /// Registrations that the driver refused.
    pub(crate) failures: u64,
    /// Ranges that were page-locked by somebody else.
    pub(crate) adoptions: u64,
    /// Time spent in registering.
    pub(crate) register_ns: u64,
    /// Time spent in unregistering.
    pub(crate) unregister_ns: u64,
}

/// A hook, and whether the program's calls come through it.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Hook {
    /// The functions that it stands before.
    pub(crate) name: &'static str,
    /// Whether it is in effect.
    pub(crate) in_effect: bool,
}

/// Memory that is the same on host and device.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Unified {
    /// Which it is: `managed`, `pageable` or `none`.
    pub(crate) memory: &'static str,
    /// Why, in a few words.
    pub(crate) reason: &'static str,
    /// What it was allocated in, at the end.
    pub(crate) slabs: usize,
    /// Their size.
    pub(crate) slab_bytes: u64,
}

/// What a report says about the process as a whole.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Summary {
    /// How memory was pinned: `register`, `mlockall` or `none`.
    pub(crate) strategy: &'static str,
    /// Why that way, in a few words.
    pub(crate) reason: String,
    /// Nothing where no unit asked for unified memory.
    pub(crate) unified: Option<Unified>,
    /// `OFFMEM_POLICY`'s value; nothing where there is none to follow.
    pub(crate) policy: Option<&'static str>,
    /// The hooks that registrations depend on.
    pub(crate) hooks: Vec<Hook>,
    /// Big heap blocks, where they were the runtime's own.
    pub(crate) heap: Option<heap::Statistics>,
    /// Why they were not.
    pub(crate) heap_reason: Option<&'static str>,
    /// The numbers.
    #[serde(flatten)]
    pub(crate) figures: Figures,
}

const UNREAD: u8 = 0;
const NO: u8 = 1;
const YES: u8 = 2;

static WANTED: AtomicU8 = AtomicU8::new(UNREAD);
static DESTINATION: OnceLock<Destination> = OnceLock::new();
static PROCESS: AtomicI32 = AtomicI32::new(0);
static SUMMARY: Lock<Option<fn() -> Summary>> = Lock::new(None);

/// Whether this process will write a report: one relaxed load. Any thread may
/// ask at any time, except in a hook of the allocator.
#[inline]
pub(crate) fn wanted() -> bool {
    match WANTED.load(Ordering::Relaxed) {
        NO => false,
        YES => true,
        _ => decide(),
    }
}

/// The site of a call that brings no record: its return address, or 0 where no
/// report is wanted.
pub(crate) fn caller() -> usize {
    if wanted() { offmem_caller::caller() } else { 0 }
}

/// Has `summary` called once, when the report is written; of several the last
/// one given. Without one, and without a call at any site, there is no report:
/// a shell that starts the program must not overwrite the program's.
pub(crate) fn on_finish(summary: fn() -> Summary) {
    *SUMMARY.lock() = Some(summary);
}

#[cold]
fn decide() -> bool {
    let value = environment::report().filter(|_| environment::activation() != Activation::Off);
    if let Some(value) = value {
        DESTINATION.get_or_init(|| Destination::of(value));
        // SAFETY: asks for a number.
        PROCESS.store(unsafe { libc::getpid() }, Ordering::Relaxed);
    }
    let wanted = if value.is_some() { YES } else { NO };
    // Another thread may have come first; it decided the same.
    let _ = WANTED.compare_exchange(UNREAD, wanted, Ordering::Release, Ordering::Relaxed);
    WANTED.load(Ordering::Acquire) == YES
}

/// Writes the report. Later calls of sites are not counted any more.
extern "C" fn finish() {
    // SAFETY: asks for a number.
    if !wanted() || PROCESS.load(Ordering::Relaxed) != unsafe { libc::getpid() } {
        return;
    }
    WANTED.store(NO, Ordering::Relaxed);
    let summary = SUMMARY.lock().map(|summary| summary());
    let sites = site::all();
    let Some(destination) = DESTINATION.get() else { return };
    if summary.is_none() && sites.is_empty() {
        return;
    }
    let document = Document::new(destination::process(), summary, sites, TOTAL.read());
    if let Err((file, error)) = destination.write(&document) {
        say(format_args!("the report cannot be written to '{}': {error}", file.display()));
    }
}

/// So that a child of `fork` is known by its number, whenever it first asks.
extern "C" fn start() {
    wanted();
}

#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = start;

/// Sorted before all others of this library, so it runs behind them.
#[used]
#[unsafe(link_section = ".fini_array.00001")]
static FINISH: extern "C" fn() = finish;

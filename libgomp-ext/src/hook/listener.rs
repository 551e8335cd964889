//! Whom hooks tell that memory goes away.

use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::OnceLock;

use offmem_registration::Range;

use crate::errno;

static ARMED: AtomicBool = AtomicBool::new(false);
static GONE: OnceLock<fn(Range)> = OnceLock::new();

/// Has `f` called, once [`arm`] was, with whole pages that are about to go away
/// or to be replaced: when it returns, nothing may be registered there. It runs
/// on the program's thread, perhaps in a signal handler. The first one stays.
pub(crate) fn on_gone(f: fn(Range)) {
    // A second engine would be a mistake; there is one.
    let _ = GONE.set(f);
}

/// From now on hooks tell. To be called before the first region is added, be
/// it registered or not: one that is forgotten about would be registered later
/// over other memory.
pub(crate) fn arm() {
    ARMED.store(true, Ordering::SeqCst);
}

pub(crate) fn is_armed() -> bool {
    ARMED.load(Ordering::Relaxed)
}

/// Before memory goes away. Preserves `errno`.
#[inline]
pub(crate) fn gone(range: Range) {
    if is_armed() {
        tell(range);
    }
}

#[cold]
fn tell(range: Range) {
    if let Some(f) = GONE.get() {
        errno::keep(|| f(range));
    }
}

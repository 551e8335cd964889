//! `dlclose`.

use core::ffi::{c_int, c_void};
use core::ops::ControlFlow;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::function::Function;
use crate::hook::check::{self, Hook};
use crate::hook::listener::{gone, is_armed};
use crate::hook::process;
use crate::objects;

/// How many objects this process began with. They come first in the order of
/// loading and are never unloaded.
static BEGAN_WITH: AtomicUsize = AtomicUsize::new(1);

/// Whether a region may lie in a library that was loaded later.
static IN_LATER: AtomicBool = AtomicBool::new(false);

/// How many libraries are being closed. Their destructors may offload, after
/// the engine was told and before the memory goes.
static CLOSING: AtomicUsize = AtomicUsize::new(0);

/// All objects that are loaded now are there to stay.
pub(crate) fn remember_start() {
    BEGAN_WITH.store(objects::count(), Ordering::Relaxed);
}

/// Whether static data of this object, by the order of loading, may get a region
/// that stays: not where it could be unloaded without notice.
pub(crate) fn may_keep(object: usize) -> bool {
    if object < BEGAN_WITH.load(Ordering::Relaxed) {
        return true;
    }
    IN_LATER.store(true, Ordering::SeqCst);
    CLOSING.load(Ordering::SeqCst) == 0
}

/// dlclose(3).
///
/// # Safety
/// As dlclose's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn dlclose(library: *mut c_void) -> c_int {
    static REAL: Function<unsafe extern "C" fn(*mut c_void) -> c_int> = Function::next(c"dlclose");
    if process::is_child() {
        // SAFETY: the caller's.
        return unsafe { REAL.get()(library) };
    }
    check::see(Hook::Dlclose, library);
    CLOSING.fetch_add(1, Ordering::SeqCst);
    if !cfg!(feature = "sabotage-dlclose") {
        forget_later();
    }
    // SAFETY: the caller's.
    let result = unsafe { REAL.get()(library) };
    CLOSING.fetch_sub(1, Ordering::SeqCst);
    result
}

/// Which libraries will go is not known before they are gone: tells of all that
/// could.
fn forget_later() {
    if !is_armed() || !IN_LATER.swap(false, Ordering::SeqCst) {
        return;
    }
    let first = BEGAN_WITH.load(Ordering::Relaxed);
    objects::each(&mut |segment| {
        if segment.object >= first && segment.writable {
            gone(segment.range.pages());
        }
        ControlFlow::Continue(())
    });
}

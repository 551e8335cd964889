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

/// Whether a region has ever been allowed in a library that was loaded later. It
/// stays: the region comes after the permission, and another thread may close
/// another library between.
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
    if !is_armed() || !IN_LATER.load(Ordering::SeqCst) {
        return;
    }
    let first = BEGAN_WITH.load(Ordering::Relaxed);
    objects::each(&mut |segment| {
        if segment.object >= first {
            gone(segment.range.pages());
        }
        ControlFlow::Continue(())
    });
}

#[cfg(test)]
mod tests {
    use super::dlclose;
    use crate::hook::witness::Witness;
    use crate::objects::{self, Segment};
    use crate::origin::{self, Origin};
    use core::ffi::CStr;
    use core::ops::ControlFlow;
    use offmem_registration::Range;

    /// The writable segment of the library that was loaded last.
    fn last_data() -> Option<Segment> {
        let mut data: Option<Segment> = None;
        objects::each(&mut |segment| {
            let later = data.is_none_or(|data| data.object <= segment.object);
            if segment.writable && later {
                data = Some(segment);
            }
            ControlFlow::Continue(())
        });
        data
    }

    #[test]
    fn a_library_that_may_go_is_told_of_where_a_region_may_be() {
        let witness = Witness::new();
        let open_one = |name: &CStr| {
            // SAFETY: a library of libc's without constructors.
            let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) };
            assert!(!library.is_null());
            library
        };
        let open = || open_one(c"libresolv.so.2");
        let close = |library| {
            // SAFETY: opened above; nothing of it is used any longer.
            assert_eq!(unsafe { dlclose(library) }, 0);
        };
        let library = open();
        let data = last_data().expect("a library with data");
        let tail = Range { start: data.range.end - 8, end: data.range.end };
        close(library);
        assert_eq!(witness.told(), []);

        let library = open();
        let data = last_data().expect("a library with data");
        let relocated = data.relocated.expect("a library with constants");
        assert_eq!(origin::of(relocated, |_| None), Origin::ReadOnlyStatic);
        close(library);
        assert!(witness.told().contains(&data.range.pages()));

        let library = open();
        let data = last_data().expect("a library with data");
        let tail = Range { start: data.range.end - tail.size(), end: data.range.end };
        assert_eq!(origin::of(tail, |_| None), Origin::Static);
        // Before the region is there, another one is closed.
        close(open_one(c"libBrokenLocale.so.1"));
        witness.told();
        close(library);
        assert!(witness.told().contains(&data.range.pages()));
        assert_eq!(origin::of(tail, |_| None), Origin::Unknown);
    }

    #[test]
    fn the_programs_own_data_stays() {
        static mut DATA: [u64; 100] = [1; 100];
        static CONSTANT: [u64; 100] = [1; 100];
        let witness = Witness::new();
        let range = |start: usize| Range { start, end: start + 800 };
        let data = range((&raw const DATA) as usize);
        assert_eq!(origin::of(data, |_| None), Origin::Static);
        assert_eq!(
            origin::of(range((&raw const CONSTANT) as usize), |_| None),
            Origin::ReadOnlyStatic
        );
        // SAFETY: the program, which is never closed.
        unsafe { dlclose(libc::dlopen(core::ptr::null(), libc::RTLD_NOW)) };
        assert!(!witness.told().iter().any(|told| told.overlaps(data)));
    }
}

//! Who called: the site of a call that brings no record.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicUsize, Ordering};

use offmem_registration::Range;

/// The return address in the nearest frame that is not this library's, or 0
/// where no report is wanted. It unwinds, which takes microseconds.
pub(crate) fn caller() -> usize {
    if !super::wanted() {
        return 0;
    }
    let mut walk = Walk { own: own(), found: 0 };
    // SAFETY: the callback gets the walk, which outlives the call.
    unsafe { _Unwind_Backtrace(visit, (&raw mut walk).cast()) };
    walk.found
}

struct Walk {
    own: Range,
    found: usize,
}

/// libgcc's: go on, and stop.
const NO_REASON: c_int = 0;
const NORMAL_STOP: c_int = 4;

unsafe extern "C" {
    fn _Unwind_Backtrace(
        visit: unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int,
        argument: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
    /// The linker's: where this library begins.
    static __ehdr_start: libc::Elf64_Ehdr;
}

unsafe extern "C" fn visit(context: *mut c_void, walk: *mut c_void) -> c_int {
    // SAFETY: libgcc's context, and what `caller` gave.
    let (address, walk) = unsafe { (_Unwind_GetIP(context), &mut *walk.cast::<Walk>()) };
    if (walk.own.start..walk.own.end).contains(&address) {
        return NO_REASON;
    }
    walk.found = address;
    NORMAL_STOP
}

/// The addresses of this library's segments.
fn own() -> Range {
    static END: AtomicUsize = AtomicUsize::new(0);
    // SAFETY: the file's header is mapped, and says how many program headers
    // there are and where, of that type; a library's addresses begin at 0.
    unsafe {
        let start = (&raw const __ehdr_start).addr();
        if END.load(Ordering::Relaxed) == 0 {
            let header = &__ehdr_start;
            let first = (&raw const __ehdr_start).cast::<u8>().add(header.e_phoff as usize);
            let segments = core::slice::from_raw_parts(
                first.cast::<libc::Elf64_Phdr>(),
                usize::from(header.e_phnum),
            );
            let loaded = segments.iter().filter(|segment| segment.p_type == libc::PT_LOAD);
            let size = loaded.map(|segment| segment.p_vaddr + segment.p_memsz).max().unwrap_or(0);
            END.store(start + size as usize, Ordering::Relaxed);
        }
        Range { start, end: END.load(Ordering::Relaxed) }
    }
}

#[cfg(test)]
mod tests {
    use core::cmp::Ordering as Order;
    use core::ffi::{c_int, c_void};
    use core::sync::atomic::{AtomicUsize, Ordering};

    use super::{_Unwind_Backtrace, Walk, own, visit};
    use crate::report::site::Place;

    #[test]
    fn own_frames_are_passed_over() {
        static FOUND: AtomicUsize = AtomicUsize::new(0);
        extern "C" fn compare(_: *const c_void, _: *const c_void) -> c_int {
            let mut walk = Walk { own: own(), found: 0 };
            // SAFETY: as in `caller`.
            unsafe { _Unwind_Backtrace(visit, (&raw mut walk).cast()) };
            FOUND.store(walk.found, Ordering::Relaxed);
            Order::Equal as c_int
        }
        let mut values = [2u8, 1];
        // SAFETY: two elements of one byte.
        unsafe { libc::qsort(values.as_mut_ptr().cast(), 2, 1, Some(compare)) };
        let place = Place::of_caller(FOUND.load(Ordering::Relaxed));
        assert!(place.caller.is_some_and(|caller| caller.starts_with("libc.so.6+0x")));
    }

    #[test]
    fn this_librarys_code_and_data_are_its_own() {
        static DATA: AtomicUsize = AtomicUsize::new(0);
        let own = own();
        for address in [super::caller as *const () as usize, (&raw const DATA).addr()] {
            assert!(own.start < address && address < own.end, "{own}");
        }
    }
}

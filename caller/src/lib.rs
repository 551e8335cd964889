//! Who called the shared library that this crate is linked into.

use core::ffi::{c_int, c_void};
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};

/// The return address in the nearest frame that is not this library's, or 0. It
/// unwinds, which takes microseconds. Any thread may ask; nothing is allocated.
pub fn caller() -> usize {
    let mut walk = Walk { own: own(), found: 0 };
    // SAFETY: the callback gets the walk, which outlives the call.
    unsafe { _Unwind_Backtrace(visit, (&raw mut walk).cast()) };
    walk.found
}

struct Walk {
    own: Range<usize>,
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
    if walk.own.contains(&address) {
        return NO_REASON;
    }
    walk.found = address;
    NORMAL_STOP
}

/// The addresses of this library's segments.
fn own() -> Range<usize> {
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
        start..END.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::AtomicUsize;

    use super::own;

    #[test]
    fn this_librarys_code_and_data_are_its_own() {
        static DATA: AtomicUsize = AtomicUsize::new(0);
        let own = own();
        for address in [super::caller as *const () as usize, (&raw const DATA).addr()] {
            assert!(own.start < address && address < own.end, "{own:?}");
        }
    }
}

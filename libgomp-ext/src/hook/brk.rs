//! The end of the heap, where the program itself moves it; libc's own `malloc`
//! does so inside libc.

use core::ffi::{c_int, c_void};

use offmem_registration::Range;

use crate::function::Function;
use crate::hook::listener::{gone, is_armed};
use crate::hook::process;

/// brk(2).
///
/// # Safety
/// As brk's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn brk(end: *mut c_void) -> c_int {
    static REAL: Function<unsafe extern "C" fn(*mut c_void) -> c_int> = Function::next(c"brk");
    shrink(|_| end as usize);
    // SAFETY: the caller's.
    unsafe { REAL.get()(end) }
}

/// sbrk(2).
///
/// # Safety
/// As sbrk's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn sbrk(increment: isize) -> *mut c_void {
    static REAL: Function<unsafe extern "C" fn(isize) -> *mut c_void> = Function::next(c"sbrk");
    if increment < 0 {
        shrink(|current| current.saturating_add_signed(increment));
    }
    // SAFETY: the caller's.
    unsafe { REAL.get()(increment) }
}

/// Tells what lies behind the new end, which may depend on the current one.
fn shrink(new: impl Fn(usize) -> usize) {
    if !is_armed() || process::is_child() {
        return;
    }
    // SAFETY: 0 is no possible end: it asks for the current one.
    let current = unsafe { libc::syscall(libc::SYS_brk, 0usize) } as usize;
    let range = Range { start: new(current), end: current };
    // An end before the heap is refused; the heap is never that large.
    if range.start < range.end && range.start != 0 {
        gone(range.pages());
    }
}

#[cfg(test)]
mod tests {
    use super::{brk, sbrk};
    use crate::hook::witness::Witness;
    use core::ptr;
    use offmem_registration::{PAGE, Range};

    #[test]
    fn a_heap_that_shrinks_is_told() {
        let witness = Witness::new();
        // SAFETY: nothing else moves the end: Rust has an allocator of its own,
        // and libc's serves threads from elsewhere.
        unsafe {
            let start = sbrk(16 * PAGE as isize);
            assert_ne!(start, libc::MAP_FAILED);
            let end = sbrk(0);
            assert_eq!(end, start.wrapping_add(16 * PAGE));
            assert_eq!(witness.told(), []);
            assert_eq!(sbrk(-4 * PAGE as isize), end);
            let part = |from: usize, to: usize| Range {
                start: start as usize + from * PAGE,
                end: start as usize + to * PAGE,
            };
            let first = part(12, 16).pages();
            assert_eq!(witness.told(), [first]);
            assert_eq!(brk(start), 0);
            assert_eq!(witness.told(), [part(0, 12).pages()]);
            assert_eq!(brk(start), 0);
            assert_eq!(witness.told(), []);
            // Refused as libc refuses it.
            assert_eq!(brk(ptr::without_provenance_mut(usize::MAX)), -1);
            assert_eq!(witness.told(), []);
        }
    }
}

//! `mprotect`, and what is registered for reading only.
//!
//! Such a registration must end when the memory becomes writable: the device
//! could not copy to it, and what the program writes may go to new pages (copy
//! on write), apart from the registered ones.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, Ordering};

use offmem_registration::Range;

use crate::function::Function;
use crate::hook::check::{self, Hook};
use crate::hook::listener::gone;
use crate::hook::mapping::{self, pages};
use crate::hook::process;
use crate::record::Record;

/// What is registered for reading only, or about to be.
static READ_ONLY: Record = Record::new();

/// Whether there has ever been any.
static ANY: AtomicBool = AtomicBool::new(false);

type Mprotect = unsafe extern "C" fn(*mut c_void, usize, c_int) -> c_int;
type PkeyMprotect = unsafe extern "C" fn(*mut c_void, usize, c_int, c_int) -> c_int;

static MPROTECT: Function<Mprotect> = Function::next(c"mprotect");

/// Looks up the function behind ours, which a signal handler should not do.
pub(crate) fn look_up() {
    MPROTECT.get();
}

/// `range` is about to be registered for reading only. To be said before
/// looking whether it can be written: the hook looks here after it has changed
/// that, so that one sees the other. False where there is no room.
pub(crate) fn enter(range: Range) -> bool {
    ANY.store(true, Ordering::SeqCst);
    READ_ONLY.add(range, 0);
    READ_ONLY.with(|all| all.cover(range).is_some()) == Some(true)
}

/// `range` is not registered any more, if it was for reading only.
pub(crate) fn leave(range: Range) {
    if ANY.load(Ordering::SeqCst) && !process::is_child() {
        READ_ONLY.remove(range);
    }
}

/// mprotect(2).
///
/// # Safety
/// As mprotect's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn mprotect(
    address: *mut c_void,
    size: usize,
    protection: c_int,
) -> c_int {
    // SAFETY: the caller's.
    let result = unsafe { MPROTECT.get()(address, size, protection) };
    changed(address, size, protection);
    result
}

/// pkey_mprotect(2).
///
/// # Safety
/// As pkey_mprotect's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn pkey_mprotect(
    address: *mut c_void,
    size: usize,
    protection: c_int,
    key: c_int,
) -> c_int {
    static REAL: Function<PkeyMprotect> = Function::next(c"pkey_mprotect");
    // SAFETY: the caller's.
    let result = unsafe { REAL.get()(address, size, protection, key) };
    changed(address, size, protection);
    result
}

/// Also where the call failed: it may have got as far as to a hole. What is
/// registered for writing stays so, whatever the program does.
fn changed(address: *mut c_void, size: usize, protection: c_int) {
    if process::is_child() {
        return;
    }
    check::see(Hook::Mprotect, address);
    if protection == libc::PROT_NONE {
        return;
    }
    if size >= mapping::MIN_SIZE {
        mapping::mark_change();
    }
    if protection & libc::PROT_WRITE != 0
        && ANY.load(Ordering::SeqCst)
        && !cfg!(feature = "sabotage-mprotect")
        && let Some(range) = pages(address, size)
    {
        end_read_only(range);
    }
}

#[cold]
fn end_read_only(mut range: Range) {
    loop {
        let next = READ_ONLY.with(|all| all.overlapping(range).next());
        let Some(next) = next else {
            // A signal handler has interrupted a look at the list.
            return gone(range);
        };
        let Some(interval) = next else {
            return;
        };
        gone(interval.range);
        if interval.range.end >= range.end {
            return;
        }
        range.start = interval.range.end;
    }
}

#[cfg(test)]
mod tests {
    use super::{READ_ONLY, enter, leave, mprotect, pkey_mprotect};
    use crate::hook::mapping::{self, MIN_SIZE, mmap, munmap};
    use crate::hook::witness::Witness;
    use crate::origin::{self, Origin};
    use core::ffi::{c_int, c_void};
    use core::ptr;
    use offmem_registration::{PAGE, Range};
    use std::io;

    const SIZE: usize = 1 << 20;
    const READ: c_int = libc::PROT_READ;
    const WRITE: c_int = libc::PROT_READ | libc::PROT_WRITE;

    fn map(protection: c_int) -> *mut c_void {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping.
        unsafe { mmap(ptr::null_mut(), SIZE, protection, flags, -1, 0) }
    }

    fn protect(place: *mut c_void, size: usize, protection: c_int) {
        // SAFETY: the test's own mapping, which nothing points into.
        assert_eq!(unsafe { mprotect(place, size, protection) }, 0);
    }

    fn unmap(place: *mut c_void) {
        // SAFETY: as above.
        assert_eq!(unsafe { munmap(place, SIZE) }, 0);
    }

    fn part(place: *mut c_void, from: usize, to: usize) -> Range {
        Range { start: place as usize + from, end: place as usize + to }
    }

    #[test]
    fn only_what_was_registered_for_reading_is_told_of() {
        let witness = Witness::new();
        let place = map(READ);
        protect(place, SIZE, WRITE);
        protect(place, SIZE, READ);
        assert_eq!(witness.told(), []);
        let (first, second) = (part(place, 100, 5 * PAGE + 1), part(place, 8 * PAGE, SIZE));
        assert!(enter(first) && enter(second));
        protect(place, SIZE, READ);
        assert_eq!(witness.told(), []);
        protect(place, PAGE, WRITE);
        assert_eq!(witness.told(), [first]);
        protect(place.wrapping_add(6 * PAGE), 2 * PAGE, WRITE);
        assert_eq!(witness.told(), []);
        protect(place, SIZE, WRITE);
        assert_eq!(witness.told(), [first, second]);
        leave(first);
        // SAFETY: as in `protect`; without a key.
        assert_eq!(unsafe { pkey_mprotect(place, SIZE, WRITE, -1) }, 0);
        assert_eq!(witness.told(), [second]);
        // In a handler that has come amid a look at the list.
        READ_ONLY.with(|_| {
            assert!(!enter(first));
            protect(place, SIZE, WRITE);
        });
        assert_eq!(witness.told(), [part(place, 0, SIZE)]);
        leave(second);
        leave(first);
        protect(place, SIZE, WRITE);
        assert_eq!(witness.told(), []);
        unmap(place);
    }

    #[test]
    fn a_call_that_fails_half_way_is_told_of() {
        let witness = Witness::new();
        let place = map(READ);
        // SAFETY: the test's own mapping.
        assert_eq!(unsafe { munmap(place.wrapping_add(SIZE - PAGE), PAGE) }, 0);
        witness.told();
        let first = part(place, 0, PAGE);
        assert!(enter(first));
        // SAFETY: as above.
        assert_eq!(unsafe { mprotect(place, SIZE, WRITE) }, -1);
        assert_eq!(io::Error::last_os_error().raw_os_error(), Some(libc::ENOMEM));
        assert_eq!(witness.told(), [first]);
        leave(first);
        unmap(place);
    }

    #[test]
    fn an_origin_changes_with_the_protection() {
        let _witness = Witness::new();
        let place = map(libc::PROT_NONE);
        let origin = |size| origin::of(part(place, 0, size), |_| None);
        assert_eq!(origin(SIZE), Origin::Mixed);
        let count = mapping::count();
        protect(place, SIZE, READ);
        assert!(mapping::count() > count, "what was unfit may be fit now");
        assert_eq!(origin(SIZE), Origin::ReadOnlyMapping);
        protect(place, MIN_SIZE, WRITE);
        assert_eq!(origin(MIN_SIZE), Origin::Mapping);
        assert_eq!(origin(SIZE), Origin::Mixed);
        unmap(place);
    }
}

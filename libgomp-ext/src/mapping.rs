//! `mmap`, in effect where this library comes first in lookup order.
//!
//! Under `mlockall` a mapped file's pages would stay in memory once touched: a
//! program that reads through a file larger than memory would be killed. So
//! file mappings are unlocked at once; their pages are not the program's data
//! that offloading is about.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, Ordering};

use crate::function::Function;

type Mmap =
    unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, c_int, libc::off64_t) -> *mut c_void;

/// Whether new mappings are born locked.
static BORN_LOCKED: AtomicBool = AtomicBool::new(false);

/// From now on, since they are born locked, mappings of files are unlocked.
pub(crate) fn keep_files_unlocked() {
    BORN_LOCKED.store(true, Ordering::SeqCst);
}

/// mmap(2).
///
/// # Safety
/// As mmap's.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mmap(
    address: *mut c_void,
    size: usize,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: libc::off64_t,
) -> *mut c_void {
    static REAL: Function<Mmap> = Function::next(c"mmap");
    // SAFETY: the caller's arguments; the new mapping is ours to unlock.
    unsafe {
        let mapping = REAL.get()(address, size, protection, flags, file, offset);
        let asked_for_lock = flags & libc::MAP_LOCKED != 0;
        if file >= 0
            && flags & libc::MAP_ANONYMOUS == 0
            && !asked_for_lock
            && mapping != libc::MAP_FAILED
            && BORN_LOCKED.load(Ordering::Relaxed)
        {
            let error = *libc::__errno_location();
            libc::munlock(mapping, size);
            *libc::__errno_location() = error;
        }
        mapping
    }
}

/// The same function where offsets have 64 bits anyway.
///
/// # Safety
/// As mmap's.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mmap64(
    address: *mut c_void,
    size: usize,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: libc::off64_t,
) -> *mut c_void {
    // SAFETY: the caller's.
    unsafe { mmap(address, size, protection, flags, file, offset) }
}

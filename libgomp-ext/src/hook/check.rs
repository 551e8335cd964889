//! Which hooks are in effect: another library may come first in lookup order,
//! and pass calls on, as sanitizers do, or not.

use core::ffi::{CStr, c_int, c_void};
use core::mem::{self, MaybeUninit};
use core::ptr;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use offmem_registration::PAGE;

use crate::errno;

/// What a hook says when it is called with the check's own argument.
#[derive(Clone, Copy)]
pub(super) enum Hook {
    Mmap = 1,
    Munmap = 2,
    Mremap = 4,
    Madvise = 8,
    Shmat = 16,
    Shmdt = 32,
    Dlclose = 64,
    Mprotect = 128,
}

/// Which hooks the program's calls come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Working {
    /// `mmap`, `munmap`, `mremap`, `madvise`, `shmdt`: without it, a region of
    /// `Origin::Mapping` must not outlive its map clause.
    pub(crate) mapping: bool,
    /// `mprotect`: without it, nothing is registered for reading only.
    pub(crate) protection: bool,
    /// `brk` and `sbrk`, by name only: calling them would disturb `malloc`.
    pub(crate) brk: bool,
    /// `dlclose`: without it, the same for `Origin::Static`.
    pub(crate) library: bool,
}

/// The argument that the check calls hooks with; 1 is never one.
static PROBE: AtomicUsize = AtomicUsize::new(1);
static SEEN: AtomicU32 = AtomicU32::new(0);

/// A hook was called with this argument.
#[inline]
pub(super) fn see(hook: Hook, argument: *mut c_void) {
    if argument as usize == PROBE.load(Ordering::Relaxed) {
        SEEN.fetch_or(hook as u32, Ordering::Relaxed);
    }
}

/// Calls each function as the program would and looks whether it came here;
/// the first call does, in 20 to 35 microseconds. Any thread, but not a hook.
pub(crate) fn works() -> Working {
    static WORKING: OnceLock<Working> = OnceLock::new();
    *WORKING.get_or_init(|| {
        probe(|name| {
            // SAFETY: takes a valid string.
            unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
        })
    })
}

/// The same for any functions; those of `lookup` have libc's types.
fn probe(lookup: impl Fn(&CStr) -> *mut c_void) -> Working {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    SEEN.store(0, Ordering::Relaxed);
    errno::keep(|| {
        probe_mappings(&lookup);
        probe_library(&lookup);
    });
    PROBE.store(1, Ordering::Relaxed);
    let seen = SEEN.load(Ordering::Relaxed);

    let all = |hooks: &[Hook]| hooks.iter().all(|hook| seen & *hook as u32 != 0);
    Working {
        mapping: all(&[Hook::Mmap, Hook::Munmap, Hook::Mremap, Hook::Madvise])
            && all(&[Hook::Shmat, Hook::Shmdt]),
        protection: all(&[Hook::Mprotect]),
        brk: is_here(lookup(c"brk")) && is_here(lookup(c"sbrk")),
        library: all(&[Hook::Dlclose]),
    }
}

/// Whether this library defines the function. Its address would not tell: the
/// address that this library's own code takes is the first definition's too.
fn is_here(function: *mut c_void) -> bool {
    let library = library_of(function);
    !library.is_null() && library == library_of((&raw const PROBE).cast_mut().cast())
}

fn library_of(place: *mut c_void) -> *mut c_void {
    let mut found = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: `found` is valid for the write, and read where it was written.
    unsafe {
        if libc::dladdr(place, found.as_mut_ptr()) == 0 {
            return ptr::null_mut();
        }
        found.assume_init().dli_fbase
    }
}

fn probe_mappings(lookup: &impl Fn(&CStr) -> *mut c_void) {
    type Mmap =
        unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, c_int, libc::off_t) -> *mut c_void;
    type Mremap = unsafe extern "C" fn(*mut c_void, usize, usize, c_int, ...) -> *mut c_void;
    type Madvise = unsafe extern "C" fn(*mut c_void, usize, c_int) -> c_int;
    type Mprotect = unsafe extern "C" fn(*mut c_void, usize, c_int) -> c_int;
    type Shmat = unsafe extern "C" fn(c_int, *const c_void, c_int) -> *mut c_void;

    let names = [c"mmap", c"mremap", c"madvise", c"mprotect", c"shmat", c"shmdt", c"munmap"];
    let functions = names.map(lookup);
    if functions.iter().any(|function| function.is_null()) {
        return;
    }
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: the functions have libc's types and get pages that only this
    // function knows; there is no segment -1, and none at that address.
    unsafe {
        let pages = libc::syscall(libc::SYS_mmap, 0usize, 2 * PAGE, protection, flags, -1, 0usize);
        if pages == -1 {
            return;
        }
        let pages = pages as *mut c_void;
        PROBE.store(pages as usize, Ordering::Relaxed);
        let [mmap, mremap, madvise, mprotect, shmat, shmdt, munmap] = functions;
        let flags = flags | libc::MAP_FIXED;
        mem::transmute::<*mut c_void, Mmap>(mmap)(pages, 2 * PAGE, protection, flags, -1, 0);
        mem::transmute::<*mut c_void, Madvise>(madvise)(pages, PAGE, libc::MADV_DONTNEED);
        mem::transmute::<*mut c_void, Mprotect>(mprotect)(pages, PAGE, protection);
        mem::transmute::<*mut c_void, Shmat>(shmat)(-1, pages, 0);
        mem::transmute::<*mut c_void, unsafe extern "C" fn(*const c_void) -> c_int>(shmdt)(pages);
        mem::transmute::<*mut c_void, Mremap>(mremap)(pages, 2 * PAGE, PAGE, 0);
        mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void, usize) -> c_int>(munmap)(
            pages, PAGE,
        );
    }
}

fn probe_library(lookup: &impl Fn(&CStr) -> *mut c_void) {
    let dlclose = lookup(c"dlclose");
    if dlclose.is_null() {
        return;
    }
    // SAFETY: a handle of the program, which stays whatever is closed.
    unsafe {
        let program = libc::dlopen(ptr::null(), libc::RTLD_LAZY);
        PROBE.store(program as usize, Ordering::Relaxed);
        mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void) -> c_int>(dlclose)(program);
    }
}

#[cfg(test)]
mod tests {
    use super::{Working, probe, works};
    use crate::hook::witness::Witness;
    use crate::hook::{brk, library, mapping, protection, segment};
    use core::ffi::{CStr, c_int, c_void};

    fn ours(name: &CStr) -> *mut c_void {
        let function = match name.to_bytes() {
            b"mmap" => mapping::mmap as *const (),
            b"munmap" => mapping::munmap as *const (),
            b"mremap" => mapping::mremap as *const (),
            b"madvise" => mapping::madvise as *const (),
            b"mprotect" => protection::mprotect as *const (),
            b"shmat" => segment::shmat as *const (),
            b"shmdt" => segment::shmdt as *const (),
            b"dlclose" => library::dlclose as *const (),
            b"brk" => brk::brk as *const (),
            b"sbrk" => brk::sbrk as *const (),
            _ => core::ptr::null(),
        };
        function.cast_mut().cast()
    }

    fn libcs(name: &CStr) -> *mut c_void {
        // SAFETY: takes a valid string.
        unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
    }

    const ALL: Working = Working { mapping: true, protection: true, brk: true, library: true };

    #[test]
    fn hooks_that_are_called_work() {
        let _witness = Witness::new();
        assert_eq!(probe(ours), ALL);
        // The program of these tests has libc's functions.
        let none = Working { mapping: false, protection: false, brk: false, library: false };
        assert_eq!(works(), none);
        assert_eq!(probe(ours), ALL);
    }

    #[test]
    fn one_that_is_not_called_is_enough() {
        let _witness = Witness::new();
        for name in [c"mmap", c"munmap", c"mremap", c"madvise", c"shmat", c"shmdt"] {
            let most = probe(|it| if it == name { libcs(it) } else { ours(it) });
            assert_eq!(most, Working { mapping: false, ..ALL }, "{name:?}");
        }
        let most = probe(|it| if it == c"mprotect" { libcs(it) } else { ours(it) });
        assert_eq!(most, Working { protection: false, ..ALL });
        let most = probe(|it| if it == c"sbrk" { libcs(it) } else { ours(it) });
        assert_eq!(most, Working { brk: false, ..ALL });
        let most = probe(|it| if it == c"dlclose" { libcs(it) } else { ours(it) });
        assert_eq!(most, Working { library: false, ..ALL });
    }

    #[test]
    fn one_that_is_called_by_another_works() {
        unsafe extern "C" fn before_ours(place: *mut c_void, size: usize) -> c_int {
            // SAFETY: the caller's.
            unsafe { mapping::munmap(place, size) }
        }
        let _witness = Witness::new();
        let before = before_ours as *const () as *mut c_void;
        assert_eq!(probe(|it| if it == c"munmap" { before } else { ours(it) }), ALL);
    }
}

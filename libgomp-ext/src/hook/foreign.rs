//! Other libraries of the program (MPI, UCX, a solver) that register memory with
//! the CUDA driver themselves. The driver refuses pages that are registered
//! already, so ours make room; and the engine leaves theirs alone.
//!
//! What they call through the driver's own handle does not come by here.

use core::ffi::{CStr, c_int, c_uint, c_void};
use core::mem;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use offmem_registration::Range;

use crate::hook::listener::gone;
use crate::hook::process;
use crate::record::Record;

/// CUDA_ERROR_NOT_INITIALIZED and cudaErrorInitializationError.
const NOT_INITIALIZED: c_int = 3;

/// The tag of each is where it begins, by which it is unregistered.
static REGISTERED: Record = Record::new();
static ANY: AtomicBool = AtomicBool::new(false);

/// Whether somebody else has registered some of the range's pages.
pub(crate) fn is_registered(range: Range) -> bool {
    let pages = range.pages();
    ANY.load(Ordering::Relaxed)
        && REGISTERED.with(|all| all.overlapping(pages).next().is_some()) != Some(false)
}

type Register = unsafe extern "C" fn(*mut c_void, usize, c_uint) -> c_int;
type Unregister = unsafe extern "C" fn(*mut c_void) -> c_int;

/// The libraries that have the driver's functions.
const DRIVER: &[&CStr] = &[c"libcuda.so.1"];
/// … and those of CUDA's runtime, which goes by its version.
const RUNTIME: &[&CStr] = &[c"libcudart.so.13", c"libcudart.so.12", c"libcudart.so.11.0"];

/// A function of CUDA's, if it is there.
struct Next {
    name: &'static CStr,
    libraries: &'static [&'static CStr],
    address: AtomicPtr<c_void>,
}

impl Next {
    const fn new(name: &'static CStr, libraries: &'static [&'static CStr]) -> Next {
        Next { name, libraries, address: AtomicPtr::new(ptr::null_mut()) }
    }

    /// The next one in lookup order; else that of a library which something
    /// loaded for itself, as libgomp's plugin does.
    fn get(&self) -> Option<*mut c_void> {
        let mut address = self.address.load(Ordering::Relaxed);
        if address.is_null() {
            // SAFETY: takes a valid string.
            address = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
            if address.is_null() {
                let mut libraries = self.libraries.iter();
                address = libraries.find_map(|library| self.of(library))?;
            }
            self.address.store(address, Ordering::Relaxed);
        }
        Some(address)
    }

    /// That of a loaded library, which stays from now on.
    fn of(&self, library: &CStr) -> Option<*mut c_void> {
        // SAFETY: take valid strings, and RTLD_NOLOAD runs no code.
        let address = unsafe {
            let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD;
            let library = libc::dlopen(library.as_ptr(), flags);
            if library.is_null() {
                return None;
            }
            libc::dlsym(library, self.name.as_ptr())
        };
        (!address.is_null()).then_some(address)
    }
}

/// Makes room, calls `next` and remembers the range.
///
/// # Safety
/// `next` is such a function, and the arguments are as for it.
unsafe fn register(next: &Next, start: *mut c_void, size: usize, flags: c_uint) -> c_int {
    let Some(next) = next.get() else {
        return NOT_INITIALIZED;
    };
    let range = Range::new(start as usize, size).filter(|_| !process::is_child());
    // Before the call: so that the engine does not come in between.
    let announced = range.filter(|range| announce(*range));
    // SAFETY: the contract above.
    let result = unsafe { mem::transmute::<*mut c_void, Register>(next)(start, size, flags) };
    if let Some(range) = announced
        && result != 0
    {
        REGISTERED.remove(range);
    }
    result
}

/// Whether nobody else has registered any of it before.
fn announce(range: Range) -> bool {
    ANY.store(true, Ordering::SeqCst);
    let new = REGISTERED.with(|all| {
        let new = all.overlapping(range).next().is_none();
        if new {
            all.insert(range, range.start);
        }
        new
    });
    gone(range.pages());
    new == Some(true)
}

/// Calls `next` and forgets the range.
///
/// # Safety
/// `next` is such a function, and the argument is as for it.
unsafe fn unregister(next: &Next, start: *mut c_void) -> c_int {
    let Some(next) = next.get() else {
        return NOT_INITIALIZED;
    };
    // SAFETY: the contract above.
    let result = unsafe { mem::transmute::<*mut c_void, Unregister>(next)(start) };
    if result == 0 && !process::is_child() {
        let range = REGISTERED.with(|all| all.extent(start as usize)).flatten();
        if let Some(range) = range {
            REGISTERED.remove(range);
        }
    }
    result
}

macro_rules! hooks {
    ($($name:ident is $c_name:literal of $libraries:ident:
       $body:ident ($($argument:ident: $type:ty),*);)+) => { $(
        #[doc = concat!("CUDA's function `", stringify!($name), "`.")]
        ///
        /// # Safety
        /// As CUDA's.
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[allow(non_snake_case, reason = "CUDA's name")]
        pub(crate) unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            static NEXT: Next = Next::new($c_name, $libraries);
            // SAFETY: a function of that name, and the caller's arguments.
            unsafe { $body(&NEXT, $($argument),*) }
        }
    )+ };
}

// cuda.h, cuda_runtime_api.h
hooks! {
    cuMemHostRegister is c"cuMemHostRegister" of DRIVER:
        register(start: *mut c_void, size: usize, flags: c_uint);
    cuMemHostRegister_v2 is c"cuMemHostRegister_v2" of DRIVER:
        register(start: *mut c_void, size: usize, flags: c_uint);
    cuMemHostUnregister is c"cuMemHostUnregister" of DRIVER: unregister(start: *mut c_void);
    cudaHostRegister is c"cudaHostRegister" of RUNTIME:
        register(start: *mut c_void, size: usize, flags: c_uint);
    cudaHostUnregister is c"cudaHostUnregister" of RUNTIME: unregister(start: *mut c_void);
}

#[cfg(test)]
mod tests {
    use super::{
        NOT_INITIALIZED, REGISTERED, announce, cuMemHostRegister_v2, cudaHostUnregister,
        is_registered,
    };
    use crate::hook::witness::Witness;
    use core::ptr;
    use offmem_registration::{PAGE, Range};

    #[test]
    fn without_cuda_nothing_is_registered() {
        let _witness = Witness::new();
        // SAFETY: there is no library with these functions.
        unsafe {
            assert_eq!(cuMemHostRegister_v2(ptr::null_mut(), 1, 0), NOT_INITIALIZED);
            assert_eq!(cudaHostUnregister(ptr::null_mut()), NOT_INITIALIZED);
        }
    }

    #[test]
    fn pages_of_others_are_known_and_ours_make_room() {
        let witness = Witness::new();
        let start = 1 << 40;
        let range = Range { start: start + 10, end: start + PAGE + 20 };
        assert!(announce(range));
        assert_eq!(witness.told(), [range.pages()]);
        // Theirs, a second time: the driver will refuse it, and the first stays.
        assert!(!announce(Range { start, end: start + 100 }));
        // Others may be on the same page.
        let other = Range { start: start + PAGE + 20, end: start + PAGE + 30 };
        assert!(announce(other));
        assert!(!is_registered(Range { start: start + 5 * PAGE / 2, end: start + 3 * PAGE }));
        assert!(is_registered(Range { start: start + PAGE + 100, end: start + 3 * PAGE }));
        REGISTERED.remove(range);
        REGISTERED.remove(other);
        assert!(!is_registered(range));
    }
}

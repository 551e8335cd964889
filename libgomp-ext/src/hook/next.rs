//! The function that a hook goes on to, by a jump and nothing else.

use core::ffi::{CStr, c_char, c_void};
use core::marker::PhantomData;
use core::mem;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use crate::errno;

/// The thread that is looking a function up, which may allocate.
static LOOKING: AtomicUsize = AtomicUsize::new(0);

/// The function after ours in lookup order. Until it is known, a stand-in that
/// finds it; so that there is nothing to test on the way.
#[repr(C)]
pub(super) struct Next<F> {
    address: AtomicPtr<c_void>,
    name: &'static CStr,
    prototype: PhantomData<F>,
}

impl<F: Copy> Next<F> {
    /// `stand_in` is an `F`.
    pub(super) const fn new(name: &'static CStr, stand_in: *mut c_void) -> Next<F> {
        assert!(mem::size_of::<F>() == mem::size_of::<*mut c_void>(), "not a function pointer");
        Next { name, address: AtomicPtr::new(stand_in), prototype: PhantomData }
    }

    #[inline(always)]
    pub(super) fn get(&self) -> F {
        let address = self.address.load(Ordering::Relaxed);
        // SAFETY: F is the function's type, and has its size.
        unsafe { mem::transmute_copy(&address) }
    }

    /// From now on `detour`, an `F`, is gone on to; it may go on to
    /// [`Next::address`].
    pub(super) fn divert(&self, detour: *mut c_void) {
        self.address.store(detour, Ordering::Release);
    }

    /// Looks the function up, for the stand-in. Nothing where there is none, and while this
    /// thread is looking one up already: then `dlsym` itself allocates, and does without.
    #[cold]
    pub(super) fn find(&self) -> Option<F> {
        let before = self.address.load(Ordering::Relaxed);
        let address = self.address()?;
        // Unless it was diverted meanwhile.
        let _ =
            self.address.compare_exchange(before, address, Ordering::Release, Ordering::Relaxed);
        // SAFETY: F is the function's type, and has its size.
        Some(unsafe { mem::transmute_copy(&address) })
    }

    /// Where the function is.
    pub(super) fn address(&self) -> Option<*mut c_void> {
        let thread = errno::place();
        if LOOKING.load(Ordering::Relaxed) == thread {
            return None;
        }
        LOOKING.store(thread, Ordering::Relaxed);
        // SAFETY: a C string.
        let address = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        LOOKING.store(0, Ordering::Relaxed);
        (!address.is_null()).then_some(address)
    }

    /// Whether ours is the first of its name in the process, and libc's the one after it.
    pub(super) fn is_between(&self) -> bool {
        // SAFETY: C strings, and any address.
        let first = unsafe { libc::dlsym(libc::RTLD_DEFAULT, self.name.as_ptr()) };
        let ours = library_of((&raw const LOOKING).cast());
        ours.is_some()
            && library_of(first) == ours
            && self.address().is_some_and(|next| library_of(next) == libc())
    }
}

/// Where libc is loaded.
fn libc() -> Option<*mut c_void> {
    // Nobody defines that one but glibc.
    // SAFETY: a C string.
    library_of(unsafe { libc::dlsym(libc::RTLD_NEXT, c"gnu_get_libc_version".as_ptr()) })
}

/// Where the library that has this address is loaded.
fn library_of(address: *const c_void) -> Option<*mut c_void> {
    let mut info = libc::Dl_info {
        dli_fname: ptr::null::<c_char>(),
        dli_fbase: ptr::null_mut(),
        dli_sname: ptr::null::<c_char>(),
        dli_saddr: ptr::null_mut(),
    };
    // SAFETY: valid for the write; any address may be asked for.
    let found = unsafe { libc::dladdr(address, &raw mut info) };
    (found != 0).then_some(info.dli_fbase)
}

//! Functions of other libraries, found at run time: libgomp's, since one build
//! of this library serves every GCC's, and those that ours stand before.

use core::ffi::{CStr, c_void};
use core::marker::PhantomData;
use core::mem;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::message::fatal;

/// A function with the type `F`, looked up at its first call. Any thread may
/// call [`Function::get`] at any time.
pub(crate) struct Function<F> {
    name: &'static CStr,
    lookup: fn(&CStr) -> *mut c_void,
    address: AtomicPtr<c_void>,
    prototype: PhantomData<F>,
}

impl<F: Copy> Function<F> {
    /// libgomp's function `name`, to which `F` is a pointer.
    pub(crate) const fn of_libgomp(name: &'static CStr) -> Function<F> {
        Function::new(name, in_libgomp)
    }

    /// The function `name` that comes after ours in lookup order.
    pub(crate) const fn next(name: &'static CStr) -> Function<F> {
        Function::new(name, after_ours)
    }

    /// The function that `lookup` finds by its name; null is none.
    pub(crate) const fn new(name: &'static CStr, lookup: fn(&CStr) -> *mut c_void) -> Function<F> {
        assert!(
            mem::size_of::<F>() == mem::size_of::<*mut c_void>(),
            "F is not a function pointer"
        );
        Function { name, lookup, address: AtomicPtr::new(ptr::null_mut()), prototype: PhantomData }
    }

    /// The function. A program that calls it was linked with a library that
    /// has it, so its absence ends the program with one line.
    #[inline]
    pub(crate) fn get(&self) -> F {
        let known = self.address.load(Ordering::Relaxed);
        let address = if known.is_null() { self.look_up_or_end() } else { known };
        // SAFETY: the constructors promise that F is the function's type, and check its size.
        unsafe { mem::transmute_copy(&address) }
    }

    /// The function, if there is one.
    #[inline]
    pub(crate) fn find(&self) -> Option<F> {
        let known = self.address.load(Ordering::Relaxed);
        let address = if known.is_null() { self.look_up() } else { known };
        // SAFETY: as in `get`.
        (!address.is_null()).then(|| unsafe { mem::transmute_copy(&address) })
    }

    #[cold]
    #[inline(never)]
    fn look_up(&self) -> *mut c_void {
        let address = (self.lookup)(self.name);
        self.address.store(address, Ordering::Relaxed);
        address
    }

    #[cold]
    #[inline(never)]
    fn look_up_or_end(&self) -> *mut c_void {
        let mut address = self.look_up();
        if address.is_null() {
            // A linker may have found no use for libgomp, all of whose functions
            // that the program calls are ours (--as-needed).
            // SAFETY: a valid string; libgomp's constructors rely on nothing.
            unsafe { libc::dlopen(c"libgomp.so.1".as_ptr(), libc::RTLD_LAZY | libc::RTLD_GLOBAL) };
            address = self.look_up();
        }
        if address.is_null() {
            fatal(format_args!("no library has {}", self.name.to_string_lossy()));
        }
        address
    }
}

/// First in the program's own order, so that a profiler's wrapper stays in
/// effect, but behind our own function of that name; then in a libgomp that
/// only some library loaded for itself.
fn in_libgomp(name: &CStr) -> *mut c_void {
    // SAFETY: all calls take valid strings, and RTLD_NOLOAD runs no code.
    unsafe {
        let mut address = libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr());
        if is_ours(address) {
            address = libc::dlsym(libc::RTLD_NEXT, name.as_ptr());
        }
        if !address.is_null() {
            return address;
        }
        let library = libc::dlopen(c"libgomp.so.1".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if library.is_null() { library } else { libc::dlsym(library, name.as_ptr()) }
    }
}

/// Whether the address is in this library.
pub(crate) fn is_ours(address: *const c_void) -> bool {
    let base = |address: *const c_void| {
        let mut object = mem::MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: dladdr reads any address and writes `object`, all of whose
        // bytes may be zero.
        unsafe {
            libc::dladdr(address, object.as_mut_ptr());
            object.assume_init().dli_fbase
        }
    };
    !address.is_null() && base(address) == base(is_ours as *const c_void)
}

/// Whether the address is in a library with a name that begins so.
pub(crate) fn is_in(address: *const c_void, library: &CStr) -> bool {
    let mut object = mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: as above; the name is a string where there is one.
    let path = unsafe {
        libc::dladdr(address, object.as_mut_ptr());
        let name = object.assume_init().dli_fname;
        if name.is_null() { return false } else { CStr::from_ptr(name) }
    };
    let name = path.to_bytes().rsplit(|byte| *byte == b'/').next();
    name.is_some_and(|name| name.starts_with(library.to_bytes()))
}

/// A name that ends with a null byte, as a constant.
pub(crate) const fn name(bytes: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(bytes.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a null byte is missing at the end, or elsewhere"),
    }
}

fn after_ours(name: &CStr) -> *mut c_void {
    // SAFETY: takes a valid string.
    unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }
}

//! The real libgomp, found at run time: one build of this library serves
//! every GCC's, and linking it would bring in the wrong one.

use core::ffi::{CStr, c_void};
use core::marker::PhantomData;
use core::mem;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::message::fatal;

/// A function of libgomp's with the type `F`, looked up at its first call.
/// Any thread may call [`Function::get`] at any time.
pub(crate) struct Function<F> {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
    prototype: PhantomData<F>,
}

impl<F: Copy> Function<F> {
    /// `F` is the type of a pointer to the function called `name`.
    pub(crate) const fn new(name: &'static CStr) -> Function<F> {
        assert!(
            mem::size_of::<F>() == mem::size_of::<*mut c_void>(),
            "F is not a function pointer"
        );
        Function { name, address: AtomicPtr::new(ptr::null_mut()), prototype: PhantomData }
    }

    /// The function. A program that calls it was linked with a libgomp that
    /// has it, so its absence ends the program with one line.
    pub(crate) fn get(&self) -> F {
        let mut address = self.address.load(Ordering::Relaxed);
        if address.is_null() {
            address = lookup(self.name);
            if address.is_null() {
                fatal(format_args!("libgomp.so.1 has no {}", self.name.to_string_lossy()));
            }
            self.address.store(address, Ordering::Relaxed);
        }
        // SAFETY: `new` promises that F is the function's type, and checks its size.
        unsafe { mem::transmute_copy(&address) }
    }
}

/// First in the program's own order, so that a profiler's wrapper stays in
/// effect; then in a libgomp that only some library loaded for itself.
fn lookup(name: &CStr) -> *mut c_void {
    // SAFETY: both calls take valid strings, and RTLD_NOLOAD runs no code.
    unsafe {
        let address = libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr());
        if !address.is_null() {
            return address;
        }
        let library = libc::dlopen(c"libgomp.so.1".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if library.is_null() { library } else { libc::dlsym(library, name.as_ptr()) }
    }
}

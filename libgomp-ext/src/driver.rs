//! The CUDA driver: four functions of it, called in libgomp's own context.

use core::ffi::c_int;
use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering};

use cudarc::driver::sys::{self, CUcontext, CUdevice_attribute, CUpointer_attribute, CUresult};
use offmem_registration::{Failure, Operations, Range};

use crate::hook::process;

/// Whether this process can load one. It stays unloaded: libgomp does that
/// when the program first offloads.
pub(crate) fn present() -> bool {
    // SAFETY: runs the library's constructors, as libgomp's own plugin does.
    unsafe { sys::is_culib_present() }
}

/// The driver in one context. Any thread may call it.
pub(crate) struct Cuda {
    context: CUcontext,
    /// Whether the context is gone, or about to go.
    closed: AtomicBool,
}

// SAFETY: a context may be made current in any thread.
unsafe impl Send for Cuda {}
// SAFETY: the driver's functions may be called by any number of threads at once.
unsafe impl Sync for Cuda {}

impl Cuda {
    /// In the context that is current in this thread, which libgomp leaves so
    /// after any call for a device; none where that device is not CUDA's.
    pub(crate) fn current() -> Option<Cuda> {
        if !present() {
            return None;
        }
        let mut context = ptr::null_mut();
        // SAFETY: `context` is valid for the write; an uninitialised driver says so.
        let status = unsafe { sys::cuCtxGetCurrent(&raw mut context) };
        let found = status == CUresult::CUDA_SUCCESS && !context.is_null();
        found.then(|| Cuda { context, closed: AtomicBool::new(false) })
    }

    /// Whether the device reads pageable memory through the host's page
    /// tables: nothing gains by registration there.
    pub(crate) fn reads_pageable_memory(&self) -> bool {
        self.attribute(
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES,
        ) == Ok(1)
    }

    /// Whether host memory can be registered at all; some embedded devices cannot.
    pub(crate) fn can_register(&self) -> bool {
        self.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED) != Ok(0)
    }

    /// No call goes to the driver any more: libgomp is about to destroy the context.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }

    fn attribute(&self, attribute: CUdevice_attribute) -> Result<c_int, Failure> {
        let (mut device, mut value) = (0, 0);
        self.within(|| {
            // SAFETY: both are valid for the writes.
            unsafe {
                match sys::cuCtxGetDevice(&raw mut device) {
                    CUresult::CUDA_SUCCESS => {
                        sys::cuDeviceGetAttribute(&raw mut value, attribute, device)
                    }
                    failure => failure,
                }
            }
        })
        .map(|()| value)
    }

    /// Calls the driver with the context current, and leaves this thread's as it was.
    fn within(&self, call: impl FnOnce() -> CUresult) -> Result<(), Failure> {
        if self.closed.load(Ordering::SeqCst) || process::is_child() {
            return Err(Failure::Gone);
        }
        // SAFETY: the context lives until `close`.
        verdict(unsafe { sys::cuCtxPushCurrent_v2(self.context) })?;
        let result = verdict(call());
        let mut popped = ptr::null_mut();
        // SAFETY: pushed above.
        unsafe { sys::cuCtxPopCurrent_v2(&raw mut popped) };
        result
    }

    /// Whether the driver knows the address: allocated by it, managed, or registered.
    fn knows(&self, address: usize) -> bool {
        let mut kind: u32 = 0;
        let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
        // SAFETY: `kind` is valid for the write.
        let call = || unsafe {
            sys::cuPointerGetAttribute((&raw mut kind).cast(), attribute, address as u64)
        };
        self.within(call).is_ok() && kind != 0
    }
}

impl Operations for Cuda {
    fn register(&self, range: Range) -> Result<(), Failure> {
        if self.knows(range.start) || self.knows(range.end - 1) {
            return Err(Failure::Foreign);
        }
        let address = ptr::with_exposed_provenance_mut(range.start);
        // SAFETY: registration changes neither content nor validity of memory,
        // and fails where there is none.
        self.within(|| unsafe {
            sys::cuMemHostRegister_v2(address, range.size(), sys::CU_MEMHOSTREGISTER_PORTABLE)
        })
    }

    fn unregister(&self, range: Range) -> Result<(), Failure> {
        let address = ptr::with_exposed_provenance_mut(range.start);
        // SAFETY: at worst the driver does not know it.
        self.within(|| unsafe { sys::cuMemHostUnregister(address) })
    }
}

fn verdict(status: CUresult) -> Result<(), Failure> {
    match status {
        CUresult::CUDA_SUCCESS => Ok(()),
        CUresult::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED => Err(Failure::Foreign),
        // Without the context or the driver there are no copies either.
        CUresult::CUDA_ERROR_NOT_INITIALIZED
        | CUresult::CUDA_ERROR_DEINITIALIZED
        | CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED
        | CUresult::CUDA_ERROR_INVALID_CONTEXT => Err(Failure::Gone),
        _ => Err(Failure::Refused),
    }
}

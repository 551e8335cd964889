//! The CUDA driver: a few functions of it, called in libgomp's own context.

use core::ffi::{CStr, c_int, c_uint, c_void};
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::time::Instant;

use cudarc::driver::sys::{
    CU_MEMHOSTREGISTER_PORTABLE, CU_MEMHOSTREGISTER_READ_ONLY, CUcontext, CUctx_st, CUdevice,
    CUdevice_attribute, CUdeviceptr, CUpointer_attribute, CUresult,
};
use offmem_registration::{Failure, Operations, Range};

use crate::function::Function;
use crate::hook::{check, process, protection};
use crate::maps::{self, Access};

/// What libgomp's plugin loads. Not `libcuda.so`: that may be the stub with
/// which programs are linked where there is no driver.
const LIBRARY: &CStr = c"libcuda.so.1";

/// Whether this process can load one. It stays unloaded: libgomp does that
/// when the program first offloads.
pub(crate) fn present() -> bool {
    // SAFETY: runs the library's constructors, as libgomp's own plugin does.
    unsafe {
        let library = libc::dlopen(LIBRARY.as_ptr(), libc::RTLD_LAZY);
        !library.is_null() && libc::dlclose(library) == 0
    }
}

/// The driver's function `name`.
const fn function<F: Copy>(name: &'static CStr) -> Function<F> {
    fn lookup(name: &CStr) -> *mut c_void {
        // SAFETY: as in `present`; it is there already where libgomp offloads,
        // and valid strings.
        unsafe {
            let library = libc::dlopen(LIBRARY.as_ptr(), libc::RTLD_LAZY);
            if library.is_null() { library } else { libc::dlsym(library, name.as_ptr()) }
        }
    }
    Function::new(name, lookup)
}

// cuda.h
static GET_CONTEXT: Function<unsafe extern "C" fn(*mut CUcontext) -> CUresult> =
    function(c"cuCtxGetCurrent");
static PUSH_CONTEXT: Function<unsafe extern "C" fn(CUcontext) -> CUresult> =
    function(c"cuCtxPushCurrent_v2");
static POP_CONTEXT: Function<unsafe extern "C" fn(*mut CUcontext) -> CUresult> =
    function(c"cuCtxPopCurrent_v2");
static GET_DEVICE: Function<unsafe extern "C" fn(*mut CUdevice) -> CUresult> =
    function(c"cuCtxGetDevice");
static GET_ATTRIBUTE: Function<
    unsafe extern "C" fn(*mut c_int, CUdevice_attribute, CUdevice) -> CUresult,
> = function(c"cuDeviceGetAttribute");
static GET_POINTER_ATTRIBUTE: Function<
    unsafe extern "C" fn(*mut c_void, CUpointer_attribute, CUdeviceptr) -> CUresult,
> = function(c"cuPointerGetAttribute");
static REGISTER: Function<unsafe extern "C" fn(*mut c_void, usize, c_uint) -> CUresult> =
    function(c"cuMemHostRegister_v2");
static UNREGISTER: Function<unsafe extern "C" fn(*mut c_void) -> CUresult> =
    function(c"cuMemHostUnregister");

/// Finds them all, so that no hook has to.
fn is_complete() -> bool {
    GET_CONTEXT.find().is_some()
        && PUSH_CONTEXT.find().is_some()
        && POP_CONTEXT.find().is_some()
        && GET_DEVICE.find().is_some()
        && GET_ATTRIBUTE.find().is_some()
        && GET_POINTER_ATTRIBUTE.find().is_some()
        && REGISTER.find().is_some()
        && UNREGISTER.find().is_some()
}

/// The driver in libgomp's context. Any thread may call it.
pub(crate) struct Cuda {
    /// Null without one.
    context: AtomicPtr<CUctx_st>,
    /// Whether the process is about to end: there will be none any more.
    closed: AtomicBool,
    /// Nanoseconds spent in the two calls.
    registering: AtomicU64,
    unregistering: AtomicU64,
}

impl Cuda {
    /// In the context that is current in this thread, which libgomp leaves so
    /// after any call for a device; none where that device is not CUDA's.
    pub(crate) fn current() -> Option<Cuda> {
        if !is_complete() {
            return None;
        }
        let cuda = Cuda {
            context: AtomicPtr::default(),
            closed: AtomicBool::new(false),
            registering: AtomicU64::new(0),
            unregistering: AtomicU64::new(0),
        };
        cuda.enter().then_some(cuda)
    }

    /// Takes the context that is current in this thread from now on; false
    /// where there is none.
    pub(crate) fn enter(&self) -> bool {
        let mut context = ptr::null_mut();
        if self.is_closed() || process::is_child() {
            return false;
        }
        // SAFETY: `context` is valid for the write; an uninitialised driver says so.
        let status = unsafe { GET_CONTEXT.get()(&raw mut context) };
        if status != CUresult::CUDA_SUCCESS {
            context = ptr::null_mut();
        }
        self.context.store(context, Ordering::SeqCst);
        !context.is_null()
    }

    /// Whether there is a context.
    pub(crate) fn is_open(&self) -> bool {
        !self.context.load(Ordering::Relaxed).is_null()
    }

    /// The context is gone, or about to go.
    pub(crate) fn leave(&self) {
        self.context.store(ptr::null_mut(), Ordering::SeqCst);
    }

    /// Whether there will be no context any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// No call goes to the driver any more: libgomp is about to destroy the
    /// context, and the driver itself may go next.
    pub(crate) fn close(&self) {
        if cfg!(feature = "sabotage-exit") {
            return;
        }
        self.closed.store(true, Ordering::SeqCst);
        self.leave();
    }

    /// Whether the device reads pageable memory through the host's page
    /// tables: nothing gains by registration there.
    pub(crate) fn reads_pageable_memory(&self) -> bool {
        self.attribute(
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES,
        ) == Ok(1)
    }

    /// Whether kernels may use any host memory at its own address.
    pub(crate) fn accesses_pageable_memory(&self) -> bool {
        self.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS) == Ok(1)
    }

    /// Whether host memory can be registered at all; some embedded devices cannot.
    pub(crate) fn can_register(&self) -> bool {
        self.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED) != Ok(0)
    }

    /// Whether memory that can only be read is registered: older drivers cannot,
    /// and it is not to stay so when it becomes writable unseen.
    pub(crate) fn registers_read_only(&self) -> bool {
        let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED;
        check::works().protection && self.attribute(attribute) == Ok(1)
    }

    fn attribute(&self, attribute: CUdevice_attribute) -> Result<c_int, Failure> {
        let (mut device, mut value) = (0, 0);
        // SAFETY: both are valid for the writes.
        let status = self.within(|| unsafe {
            match GET_DEVICE.get()(&raw mut device) {
                CUresult::CUDA_SUCCESS => GET_ATTRIBUTE.get()(&raw mut value, attribute, device),
                failure => failure,
            }
        });
        verdict(status).map(|()| value)
    }

    /// Calls the driver with the context current, and leaves this thread's as it was.
    fn within(&self, call: impl FnOnce() -> CUresult) -> CUresult {
        let context = self.context.load(Ordering::SeqCst);
        if context.is_null() || process::is_child() {
            return CUresult::CUDA_ERROR_DEINITIALIZED;
        }
        // SAFETY: the context lives until `leave`; a destroyed one is an error.
        let status = unsafe { PUSH_CONTEXT.get()(context) };
        if status != CUresult::CUDA_SUCCESS {
            return status;
        }
        let status = call();
        let mut popped = ptr::null_mut();
        // SAFETY: pushed above.
        unsafe { POP_CONTEXT.get()(&raw mut popped) };
        status
    }

    /// Time spent in registering, in nanoseconds.
    pub(crate) fn register_ns(&self) -> u64 {
        self.registering.load(Ordering::Relaxed)
    }

    /// Time spent in unregistering, in nanoseconds.
    pub(crate) fn unregister_ns(&self) -> u64 {
        self.unregistering.load(Ordering::Relaxed)
    }

    /// Whether the driver knows the address: allocated by it, managed, or registered.
    pub(crate) fn knows(&self, address: usize) -> bool {
        let mut kind: u32 = 0;
        let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
        // SAFETY: `kind` is valid for the write.
        let call = || unsafe {
            GET_POINTER_ATTRIBUTE.get()((&raw mut kind).cast(), attribute, address as u64)
        };
        self.within(call) == CUresult::CUDA_SUCCESS && kind != 0
    }

    fn register_with(&self, range: Range, flags: c_uint) -> CUresult {
        let address = ptr::without_provenance_mut(range.start);
        // SAFETY: registration changes neither content nor validity of memory,
        // and fails where there is none.
        self.within(|| unsafe { REGISTER.get()(address, range.size(), flags) })
    }

    /// What the driver refused to register for writing (cuda.h: the flag is
    /// required then). Not if any of its pages can be written: the device could
    /// not copy to what else is there.
    fn register_read_only(&self, range: Range) -> CUresult {
        let is_listed = protection::enter(range);
        let status = if is_listed && maps::access(range.pages()) == Access::Read {
            self.register_with(range, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_READ_ONLY)
        } else {
            CUresult::CUDA_ERROR_INVALID_VALUE
        };
        if status != CUresult::CUDA_SUCCESS {
            protection::leave(range);
        }
        status
    }
}

impl Operations for Cuda {
    fn register(&self, range: Range) -> Result<(), Failure> {
        if self.knows(range.start) || self.knows(range.end - 1) {
            return Err(Failure::Foreign);
        }
        let start = Instant::now();
        let mut status = self.register_with(range, CU_MEMHOSTREGISTER_PORTABLE);
        if status == CUresult::CUDA_ERROR_INVALID_VALUE && self.registers_read_only() {
            status = self.register_read_only(range);
        }
        add(&self.registering, start);
        verdict(status)
    }

    fn unregister(&self, range: Range) -> Result<(), Failure> {
        let address = ptr::without_provenance_mut(range.start);
        let mut status = CUresult::CUDA_SUCCESS;
        for _ in 0..TRIES {
            let start = Instant::now();
            // SAFETY: at worst the driver does not know it.
            status = self.within(|| unsafe { UNREGISTER.get()(address) });
            add(&self.unregistering, start);
            if status == CUresult::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED {
                // Somebody else has undone it, or its context is gone.
                status = CUresult::CUDA_SUCCESS;
            }
            if verdict(status) != Err(Failure::Refused) {
                protection::leave(range);
                return verdict(status);
            }
        }
        poison::add(range);
        verdict(status)
    }
}

/// A driver that fails to unregister is asked so often before its word is taken.
const TRIES: u32 = 3;

/// What has passed since, as all times are counted here.
pub(crate) fn nanoseconds_since(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

fn add(total: &AtomicU64, start: Instant) {
    total.fetch_add(nanoseconds_since(start), Ordering::Relaxed);
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

/// Ranges that the driver would not unregister. Their memory goes all the
/// same, so a copy of what is there later would meet the old pages.
pub(crate) mod poison {
    use core::sync::atomic::{AtomicBool, Ordering};

    use offmem_registration::{Operations, Range};

    use super::Cuda;
    use crate::lock::Lock;
    use crate::message::fatal;

    static ANY: AtomicBool = AtomicBool::new(false);
    static RANGES: Lock<Vec<Range>> = Lock::new(Vec::new());

    pub(super) fn add(range: Range) {
        RANGES.lock().push(range);
        ANY.store(true, Ordering::SeqCst);
    }

    /// Whether there may be any.
    #[inline]
    pub(crate) fn is_there() -> bool {
        ANY.load(Ordering::Relaxed)
    }

    /// Before a copy of `range`. It ends the program where the copy would be wrong.
    #[inline]
    pub(crate) fn cure(cuda: &Cuda, range: Range) {
        if is_there() && !cfg!(feature = "sabotage-poison") {
            cure_overlapping(cuda, range);
        }
    }

    #[cold]
    fn cure_overlapping(cuda: &Cuda, range: Range) {
        let mut sick = Vec::new();
        RANGES.lock().retain(|poisoned| {
            let overlaps = poisoned.overlaps(range);
            if overlaps {
                sick.push(*poisoned);
            }
            !overlaps
        });
        for range in sick {
            if cuda.unregister(range) == Err(super::Failure::Refused) {
                fatal(format_args!(
                    "the CUDA driver does not unregister memory that was unmapped; data would be \
                     copied from the old pages (OFFMEM=off runs the program without registration)"
                ));
            }
        }
    }
}

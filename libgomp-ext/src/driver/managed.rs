//! Managed memory, in a device's primary context: unlike libgomp's own, that
//! one is still there after `acc_shutdown` and after libgomp's `atexit` handler,
//! when static objects of the program still use their memory.

use core::ffi::{CStr, c_int, c_uint, c_void};
use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering};

use cudarc::driver::sys::{
    CU_MEMHOSTREGISTER_DEVICEMAP, CU_MEMHOSTREGISTER_PORTABLE, CUcontext, CUdevice,
    CUdevice_attribute, CUdeviceptr, CUmem_advise, CUmemAttach_flags, CUresult, CUstream,
};
use offmem_registration::Range;

use super::{GET_CONTEXT, POP_CONTEXT, PUSH_CONTEXT, REGISTER, function};
use crate::function::Function;
use crate::hook::process;
use crate::sabotage;

// cuda.h
static INIT: Function<unsafe extern "C" fn(c_uint) -> CUresult> = function(c"cuInit");
static COUNT: Function<unsafe extern "C" fn(*mut c_int) -> CUresult> =
    function(c"cuDeviceGetCount");
static GET: Function<unsafe extern "C" fn(*mut CUdevice, c_int) -> CUresult> =
    function(c"cuDeviceGet");
static ATTRIBUTE: Function<
    unsafe extern "C" fn(*mut c_int, CUdevice_attribute, CUdevice) -> CUresult,
> = function(c"cuDeviceGetAttribute");
static RETAIN: Function<unsafe extern "C" fn(*mut CUcontext, CUdevice) -> CUresult> =
    function(c"cuDevicePrimaryCtxRetain");
static ALLOCATE: Function<unsafe extern "C" fn(*mut CUdeviceptr, usize, c_uint) -> CUresult> =
    function(c"cuMemAllocManaged");
static FREE: Function<unsafe extern "C" fn(CUdeviceptr) -> CUresult> = function(c"cuMemFree_v2");
static ADVISE: Function<
    unsafe extern "C" fn(CUdeviceptr, usize, CUmem_advise, CUdevice) -> CUresult,
> = function(c"cuMemAdvise");
static PREFETCH: Function<
    unsafe extern "C" fn(CUdeviceptr, usize, CUdevice, CUstream) -> CUresult,
> = function(c"cuMemPrefetchAsync");

/// libgomp's plugin for this driver: without it nothing is ever offloaded here.
const PLUGIN: &CStr = c"libgomp-plugin-nvptx.so.1";

/// What all devices of the machine can do with the program's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ability {
    /// Only what is copied.
    Copies,
    /// Managed memory, which the host may use at the same time.
    Managed,
    /// All memory of the host.
    Pageable,
}

/// Initialises the driver, but no device. Nothing where nothing can be
/// offloaded to one.
pub(crate) fn ability() -> Option<Ability> {
    if !is_complete() || process::is_child() || !super::can_load(PLUGIN) {
        return None;
    }
    let mut count = 0;
    // SAFETY: `count` is valid for the write.
    let status = unsafe {
        match INIT.get()(0) {
            CUresult::CUDA_SUCCESS => COUNT.get()(&raw mut count),
            failure => failure,
        }
    };
    if status != CUresult::CUDA_SUCCESS {
        return None;
    }
    (0..count).map(of_device).min()
}

fn of_device(ordinal: c_int) -> Ability {
    use CUdevice_attribute as Attribute;
    let Some(device) = device(ordinal) else { return Ability::Copies };
    let has = |attribute| attribute_of(device, attribute) == Some(1);
    if has(Attribute::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS) {
        Ability::Pageable
    } else if has(Attribute::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY)
        && has(Attribute::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)
    {
        Ability::Managed
    } else {
        Ability::Copies
    }
}

fn device(ordinal: c_int) -> Option<CUdevice> {
    let mut device = 0;
    // SAFETY: valid for the write.
    let status = unsafe { GET.get()(&raw mut device, ordinal) };
    (status == CUresult::CUDA_SUCCESS).then_some(device)
}

fn attribute_of(device: CUdevice, attribute: CUdevice_attribute) -> Option<c_int> {
    let mut value = 0;
    // SAFETY: valid for the write.
    let status = unsafe { ATTRIBUTE.get()(&raw mut value, attribute, device) };
    (status == CUresult::CUDA_SUCCESS).then_some(value)
}

/// Finds all functions.
fn is_complete() -> bool {
    super::is_complete()
        && INIT.find().is_some()
        && COUNT.find().is_some()
        && GET.find().is_some()
        && ATTRIBUTE.find().is_some()
        && RETAIN.find().is_some()
        && ALLOCATE.find().is_some()
        && FREE.find().is_some()
        && ADVISE.find().is_some()
        && PREFETCH.find().is_some()
}

/// A device's primary context, kept until the process ends. Any thread may use it.
#[derive(Debug)]
pub(crate) struct Primary {
    device: CUdevice,
    context: CUcontext,
    /// Whether advice was refused: then it is not given again.
    refuses_advice: AtomicBool,
}

// SAFETY: contexts are handles, for any thread.
unsafe impl Send for Primary {}
// SAFETY: as above.
unsafe impl Sync for Primary {}

/// Where managed memory is wanted next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// In the memory of this CUDA device, by its ordinal.
    Device(c_int),
    /// In the host's.
    Host,
}

/// `CU_DEVICE_CPU`.
const CPU: CUdevice = -1;

impl Primary {
    /// That of the device with this ordinal, or of the first one.
    pub(crate) fn retain(ordinal: c_int) -> Option<Primary> {
        let device = device(ordinal).or_else(|| device(0))?;
        let mut context = ptr::null_mut();
        // SAFETY: valid for the write.
        let status = unsafe { RETAIN.get()(&raw mut context, device) };
        let refuses_advice = AtomicBool::new(false);
        (status == CUresult::CUDA_SUCCESS).then_some(Primary { device, context, refuses_advice })
    }

    /// Makes it this thread's current one where there is none. libgomp uses a
    /// context that is current when it opens a device, and leaves it alone at
    /// the end.
    pub(crate) fn enter(&self) {
        let mut current = ptr::null_mut();
        // SAFETY: valid for the write; the context lives as long as the process.
        unsafe {
            if GET_CONTEXT.get()(&raw mut current) == CUresult::CUDA_SUCCESS && current.is_null() {
                PUSH_CONTEXT.get()(self.context);
            }
        }
    }

    /// Whether registered memory has one address on both sides.
    pub(crate) fn shares_registered(&self) -> bool {
        let attribute =
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM;
        attribute_of(self.device, attribute) == Some(1)
    }

    /// So many bytes of managed memory, at a multiple of a page; content undefined.
    pub(crate) fn allocate(&self, size: usize) -> Option<usize> {
        let mut address: CUdeviceptr = 0;
        let flags = CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL as c_uint;
        // SAFETY: valid for the write.
        let mut call = || unsafe { ALLOCATE.get()(&raw mut address, size, flags) };
        let status = if sabotage::lacks(c"primary") { call() } else { self.within(call) };
        (status == CUresult::CUDA_SUCCESS).then_some(address as usize).filter(|place| *place != 0)
    }

    /// Gives it back; false where the driver would not.
    ///
    /// # Safety
    /// From [`Primary::allocate`], and nobody uses it any more.
    pub(crate) unsafe fn free(&self, address: usize) -> bool {
        // SAFETY: the caller's.
        self.within(|| unsafe { FREE.get()(address as CUdeviceptr) }) == CUresult::CUDA_SUCCESS
    }

    /// Registers memory of the host for good, at its own address on the device.
    pub(crate) fn share(&self, range: Range) -> bool {
        let flags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
        let address: *mut c_void = ptr::with_exposed_provenance_mut(range.start);
        // SAFETY: registration changes neither content nor validity of memory.
        let status = self.within(|| unsafe { REGISTER.get()(address, range.size(), flags) });
        status == CUresult::CUDA_SUCCESS
    }

    /// Has managed memory moved to where it is wanted next. A wish only.
    pub(crate) fn prefetch(&self, range: Range, side: Side) {
        if self.refuses_advice.load(Ordering::Relaxed) {
            return;
        }
        let place = match side {
            Side::Host => CPU,
            Side::Device(ordinal) => device(ordinal).unwrap_or(self.device),
        };
        let (address, size) = (range.start as CUdeviceptr, range.size());
        // SAFETY: neither changes content; ranges that are not managed are refused.
        let status = self.within(|| unsafe {
            let preferred = CUmem_advise::CU_MEM_ADVISE_SET_PREFERRED_LOCATION;
            match (side, ADVISE.get()(address, size, preferred, place)) {
                (Side::Device(_), failure) if failure != CUresult::CUDA_SUCCESS => failure,
                _ => PREFETCH.get()(address, size, place, ptr::null_mut()),
            }
        });
        if status == CUresult::CUDA_ERROR_INVALID_DEVICE
            || status == CUresult::CUDA_ERROR_NOT_SUPPORTED
        {
            self.refuses_advice.store(true, Ordering::Relaxed);
        }
    }

    fn within(&self, call: impl FnOnce() -> CUresult) -> CUresult {
        if process::is_child() {
            return CUresult::CUDA_ERROR_DEINITIALIZED;
        }
        let mut popped = ptr::null_mut();
        // SAFETY: the context lives as long as the process; popped where it was pushed.
        unsafe {
            match PUSH_CONTEXT.get()(self.context) {
                CUresult::CUDA_SUCCESS => {
                    let status = call();
                    POP_CONTEXT.get()(&raw mut popped);
                    status
                }
                failure => failure,
            }
        }
    }
}

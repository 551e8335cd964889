//! The exported functions as a program calls them, on one driver for all
//! tests and one context for each thread.

use super::pointer::{In, Out};
use super::*;
use crate::context::current;

/// Calls functions by name, as a program that has looked them up.
macro_rules! cuda {
    ($name:literal($($argument:expr),* $(,)?)) => {{
        let function = exact($name).unwrap_or_else(|| panic!("no {}", $name));
        type Function = extern "C" fn($(cuda!(@type $argument)),*) -> c_int;
        // SAFETY: the tests pass what the function takes.
        let function = unsafe { std::mem::transmute::<*const c_void, Function>(function) };
        function($(cuda!(@word $argument)),*)
    }};
    (@type $argument:expr) => { usize };
    (@word $argument:expr) => { $argument as usize };
}

/// A context for this thread.
fn start() {
    assert_eq!(cuda!("cuInit"(0)), 0);
    let mut context = 0usize;
    assert_eq!(cuda!("cuCtxCreate_v2"(&raw mut context, 0, 0)), 0);
    assert_eq!(current(), context);
}

fn allocate(size: usize) -> u64 {
    let mut address = 0u64;
    assert_eq!(cuda!("cuMemAlloc_v2"(&raw mut address, size)), 0);
    address
}

#[test]
fn a_program_copies_and_frees() {
    start();
    let device = allocate(16);
    let (source, mut target) = ([1u8; 16], [0u8; 16]);
    assert_eq!(cuda!("cuMemcpyHtoD_v2"(device, source.as_ptr(), 16)), 0);
    assert_eq!(cuda!("cuMemsetD8_v2"(device + 1, 7, 2)), 0);
    assert_eq!(cuda!("cuMemsetD32_v2"(device + 8, 0x0403_0201, 1)), 0);
    assert_eq!(cuda!("cuMemsetD32_v2"(device + 9, 0, 1)), 1, "not aligned");
    assert_eq!(cuda!("cuMemcpyDtoH_v2"(target.as_mut_ptr(), device, 16)), 0);
    assert_eq!(target, [1, 7, 7, 1, 1, 1, 1, 1, 1, 2, 3, 4, 1, 1, 1, 1]);
    assert_eq!(cuda!("cuMemcpyHtoD_v2"(device, source.as_ptr(), 17)), 1);
    assert_eq!(cuda!("cuMemFree_v2"(device)), 0);
    assert_eq!(cuda!("cuMemFree_v2"(device)), 1);
    assert_eq!(cuda!("cuMemFree_v2"(0)), 0);
}

#[test]
fn ranges_of_addresses_are_exact() {
    start();
    let device = allocate(1001);
    let (mut base, mut size) = (0u64, 0usize);
    let range = |base: *mut u64, size: *mut usize, address| {
        cuda!("cuMemGetAddressRange_v2"(base, size, address))
    };
    assert_eq!(range(&raw mut base, &raw mut size, device + 1000), 0);
    assert_eq!((base, size), (device, 1001));
    assert_eq!(range(std::ptr::null_mut(), std::ptr::null_mut(), device), 0);
    assert_eq!(range(&raw mut base, &raw mut size, device + 1001), 500);
}

#[test]
fn pointers_have_attributes() {
    start();
    let get = |attribute: usize, address: u64| {
        let mut value = 0u64;
        let status = cuda!("cuPointerGetAttribute"(&raw mut value, attribute, address));
        if status == 0 { Ok(value) } else { Err(status) }
    };
    let device = allocate(100);
    assert_eq!((get(2, device), get(8, device)), (Ok(2), Ok(0)));
    assert_eq!((get(11, device + 5), get(12, device + 5)), (Ok(device), Ok(100)));
    assert_eq!((get(4, device), get(99, device)), (Err(1), Err(1)));
    let mut managed = 0u64;
    assert_eq!(cuda!("cuMemAllocManaged"(&raw mut managed, 100, 1)), 0);
    assert_eq!((get(2, managed), get(8, managed), get(4, managed)), (Ok(2), Ok(1), Ok(managed)));
    let context = current() as u64;
    let mut other = 0usize;
    assert_eq!(cuda!("cuCtxCreate_v2"(&raw mut other, 0, 0)), 0);
    assert_eq!((get(1, managed), get(1, device)), (Ok(context), Ok(context)));
    assert_eq!(cuda!("cuCtxDestroy_v2"(other)), 0);
    let plain = [0u8; 64];
    let plain = plain.as_ptr() as u64;
    assert_eq!(get(2, plain), Err(1));
    assert_eq!(cuda!("cuMemHostRegister_v2"(plain, 64, 1)), 0);
    assert_eq!((get(2, plain), get(3, plain)), (Ok(1), Ok(plain)));
    let number = get(7, plain);
    let mut flags = 0u32;
    assert_eq!(cuda!("cuMemHostGetFlags"(&raw mut flags, plain + 8)), 0);
    assert_eq!(flags, 1);
    assert_eq!(cuda!("cuMemHostUnregister"(plain)), 0);
    assert_eq!(cuda!("cuMemHostRegister"(plain, 64, 0)), 0);
    assert_ne!(get(7, plain), number, "a registration has a number of its own");
    assert_eq!(cuda!("cuMemHostUnregister"(plain)), 0);
}

#[test]
fn several_attributes_at_once_may_be_of_nothing() {
    start();
    let (mut kind, mut base) = (9u32, 9u64);
    let attributes = [2u32, 11];
    let data = [&raw mut kind as usize, &raw mut base as usize];
    let get = |address: u64| {
        cuda!("cuPointerGetAttributes"(2, attributes.as_ptr(), data.as_ptr(), address))
    };
    assert_eq!(get(64), 0);
    assert_eq!((kind, base), (0, 0));
    let device = allocate(100);
    assert_eq!(get(device + 1), 0);
    assert_eq!((kind, base), (2, device));
}

#[test]
fn managed_memory_takes_advice() {
    start();
    let mut managed = 0u64;
    assert_eq!(cuda!("cuMemAllocManaged"(&raw mut managed, 100, 1)), 0);
    assert_eq!(cuda!("cuMemPrefetchAsync"(managed, 100, 0, 0)), 0);
    assert_eq!(cuda!("cuMemPrefetchAsync"(managed, 101, 0, 0)), 1);
    assert_eq!(cuda!("cuMemPrefetchAsync"(managed, 100, 5, 0)), 101);
    assert_eq!(cuda!("cuMemAdvise"(managed, 100, 3, 0)), 0);
    assert_eq!(cuda!("cuMemAdvise"(managed, 100, 7, 0)), 1);
    assert_eq!(cuda!("cuMemAdvise"(allocate(100), 100, 3, 0)), 1);
}

#[test]
fn newer_programs_name_locations() {
    start();
    let mut managed = 0u64;
    assert_eq!(cuda!("cuMemAllocManaged"(&raw mut managed, 100, 1)), 0);
    // A CUmemLocation is a type and, above it, a number.
    let location = |kind: u64, id: u64| kind | id << 32;
    let prefetch = |to: u64, flags| cuda!("cuMemPrefetchAsync_v2"(managed, 100, to, flags, 0));
    assert_eq!((prefetch(location(1, 0), 0), prefetch(location(2, 0), 0)), (0, 0));
    assert_eq!((prefetch(location(3, 0), 0), prefetch(location(4, 0), 0)), (0, 0));
    assert_eq!((prefetch(location(3, 9999), 0), prefetch(location(0, 0), 0)), (1, 1));
    assert_eq!((prefetch(location(1, 5), 0), prefetch(location(1, 0), 1)), (101, 1));
    let advise = |advice, about: u64| cuda!("cuMemAdvise_v2"(managed, 100, advice, about));
    assert_eq!((advise(3, location(2, 0)), advise(5, location(1, 0))), (0, 0));
    assert_eq!((advise(3, location(3, 0)), advise(5, location(3, 0))), (0, 1));
    assert_eq!((advise(1, location(0, 0)), advise(6, location(1, 7))), (0, 101));
    assert_eq!(cuda!("cuMemAdvise_v2"(managed + 1, 100, 3, location(1, 0))), 1);
}

#[test]
fn addresses_of_functions_are_those_of_the_newest() {
    let mut function = std::ptr::null::<c_void>();
    let get = |name: &std::ffi::CStr, function: *mut *const c_void| {
        cuda!("cuGetProcAddress"(name.as_ptr(), function, 12000, 0))
    };
    assert_eq!(get(c"cuMemAlloc", &raw mut function), 0);
    assert_eq!(Some(function), exact("cuMemAlloc_v2"));
    let mut get_since = |name: &std::ffi::CStr, version| {
        let found = cuda!("cuGetProcAddress"(name.as_ptr(), &raw mut function, version, 0));
        (found, function)
    };
    let first = exact("cuMemPrefetchAsync").unwrap();
    let second = exact("cuMemPrefetchAsync_v2").unwrap();
    assert_eq!(get_since(c"cuMemPrefetchAsync", 12010), (0, first));
    assert_eq!(get_since(c"cuMemPrefetchAsync", 12020), (0, second));
    assert_eq!(get_since(c"cuMemPrefetchAsync_v2", 13000), (0, second));
    assert_eq!(get(c"cuNothing", &raw mut function), 500);
    assert!(function.is_null());
}

#[test]
fn errors_have_names() {
    let mut name = std::ptr::null::<std::ffi::c_char>();
    assert_eq!(cuda!("cuGetErrorName"(712, &raw mut name)), 0);
    let text = In::<u8>::at(name as usize).text().unwrap();
    assert_eq!(text, b"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED");
    assert_eq!(cuda!("cuGetErrorString"(4711, &raw mut name)), 1);
    assert!(name.is_null());
    assert_eq!(cuda!("cuGetErrorString"(1, 0)), 1);
}

#[test]
fn a_linker_tells_what_is_wrong() {
    start();
    let mut log = [b'?'; 64];
    let (options, values) = ([5, 6], [log.as_mut_ptr() as usize, log.len()]);
    let mut linker = 0usize;
    let linker_out = &raw mut linker;
    assert_eq!(cuda!("cuLinkCreate_v2"(2, options.as_ptr(), values.as_ptr(), linker_out)), 0);
    let text = b"nonsense\0";
    let add = |kind| {
        cuda!("cuLinkAddData_v2"(linker, kind, text.as_ptr(), text.len(), c"x".as_ptr(), 0, 0, 0))
    };
    assert_eq!(add(1), 218);
    assert!(log.starts_with(b"x:1:") && log.contains(&0));
    assert_eq!(add(0), 200, "no machine code");
    assert_eq!(cuda!("cuLinkDestroy"(linker)), 0);
    assert_eq!(cuda!("cuLinkDestroy"(linker)), 400);
}

const KERNEL: &[u8] = b".version 6.0\n.target sm_30\n.address_size 64\n\
    .global .align 4 .u32 hidden;\n\
    .visible .entry store(.param .u64 to, .param .u32 value)\n{\n\
    .reg .u64 %a; .reg .u32 %v;\n\
    ld.param.u64 %a,[to]; ld.param.u32 %v,[value];\n\
    st.global.u32 [%a],%v;\nret;\n}\n\0";

#[test]
fn a_module_runs_in_either_form_of_launch() {
    start();
    let (mut module, mut function, mut stream) = (0usize, 0usize, 0usize);
    assert_eq!(cuda!("cuModuleLoadData"(&raw mut module, KERNEL.as_ptr())), 0);
    let name = c"store".as_ptr();
    assert_eq!(cuda!("cuModuleGetFunction"(&raw mut function, module, name)), 0);
    assert_eq!(cuda!("cuStreamCreate"(&raw mut stream, 1)), 0);
    let mut hidden = 0u64;
    let (size, name) = (0, c"hidden".as_ptr());
    assert_eq!(cuda!("cuModuleGetGlobal_v2"(&raw mut hidden, size, module, name)), 0);
    assert_eq!(cuda!("cuModuleGetGlobal_v2"(0, 0, module, c"other".as_ptr())), 500);

    let (to, value) = (hidden, 41u32);
    let parameters = [&raw const to as usize, &raw const value as usize];
    let launch = |stream, parameters: *const usize, extra: *const usize| {
        cuda!("cuLaunchKernel"(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, extra))
    };
    assert_eq!(launch(stream, parameters.as_ptr(), std::ptr::null()), 0);
    assert_eq!(cuda!("cuStreamSynchronize"(stream)), 0);
    let mut result = 0u32;
    assert_eq!(cuda!("cuMemcpyDtoH_v2"(&raw mut result, hidden, 4)), 0);
    assert_eq!(result, 41);

    let mut buffer = [0u8; 12];
    buffer[..8].copy_from_slice(&hidden.to_ne_bytes());
    buffer[8] = 42;
    let size = buffer.len();
    let extra = [1, buffer.as_ptr() as usize, 2, &raw const size as usize, 0];
    assert_eq!(launch(0, std::ptr::null(), extra.as_ptr()), 0);
    assert_eq!(cuda!("cuMemcpyDtoH_v2"(&raw mut result, hidden, 4)), 0);
    assert_eq!(result, 42);

    assert_eq!(cuda!("cuModuleUnload"(module)), 0);
    // Its memory may be another test's by now.
    assert_eq!(launch(0, std::ptr::null(), extra.as_ptr()), 400, "gone with its module");
}

#[test]
fn the_same_image_loads_twice() {
    start();
    let (mut linker, mut image, mut first, mut second) = (0usize, 0usize, 0usize, 0usize);
    assert_eq!(cuda!("cuLinkCreate_v2"(0, 0, 0, &raw mut linker)), 0);
    let (text, size) = (KERNEL.as_ptr(), KERNEL.len());
    assert_eq!(cuda!("cuLinkAddData_v2"(linker, 1, text, size, c"k".as_ptr(), 0, 0, 0)), 0);
    assert_eq!(cuda!("cuLinkComplete"(linker, &raw mut image, 0)), 0);
    assert_eq!(cuda!("cuModuleLoadData"(&raw mut first, image)), 0);
    assert_eq!(cuda!("cuModuleLoadData"(&raw mut second, image)), 0);
    assert_ne!(first, second);
}

static CALLED: std::sync::Mutex<Vec<(usize, c_int)>> = std::sync::Mutex::new(Vec::new());

extern "C" fn called(_stream: usize, status: c_int, data: usize) {
    let inner = cuda!("cuCtxSynchronize"());
    CALLED.lock().unwrap().extend([(data, status), (data, inner)]);
}

#[test]
fn a_callback_may_not_call_the_driver() {
    start();
    let mut stream = 0usize;
    assert_eq!(cuda!("cuStreamCreate"(&raw mut stream, 0)), 0);
    assert_eq!(cuda!("cuStreamAddCallback"(stream, called as *const (), 5, 0)), 0);
    assert_eq!(cuda!("cuStreamSynchronize"(stream)), 0);
    assert_eq!(*CALLED.lock().unwrap(), [(5, 0), (5, 800)]);
    assert_eq!(cuda!("cuStreamAddCallback"(stream, 0, 5, 0)), 1);
}

#[test]
fn unknown_handles_are_told() {
    start();
    assert_eq!(cuda!("cuStreamSynchronize"(0x1234)), 400);
    assert_eq!(cuda!("cuEventQuery"(0x1234)), 400);
    assert_eq!(cuda!("cuCtxSetCurrent"(0x1234)), 201);
    assert_eq!(cuda!("cuModuleUnload"(0x1234)), 400);
    let mut value = 0;
    assert_eq!(cuda!("cuDeviceGetAttribute"(&raw mut value, 1, 9)), 101);
    assert_eq!(cuda!("cuDeviceGetAttribute"(&raw mut value, 10, 0)), 0);
    assert_eq!(value, 32);
    let mut name = [0 as std::ffi::c_char; 5];
    assert_eq!(cuda!("cuDeviceGetName"(name.as_mut_ptr(), 5, 0)), 0);
    let name = In::<u8>::at(name.as_ptr() as usize).text().unwrap();
    assert_eq!(name, b"soft");
    assert_eq!(Out::<u8>::at(0).put(1), Err(Status::INVALID_VALUE));
}

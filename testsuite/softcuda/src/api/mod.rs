//! The exported functions. Each shell reads its arguments, calls the module
//! that does the work, and stores the results.

#![allow(non_snake_case, reason = "the names are those of the CUDA driver API")]

use crate::driver;
use crate::message::say;
use crate::option::Options;
use crate::status::{Outcome, Status};
use std::ffi::{c_int, c_void};
use std::fmt::Arguments;

/// Defines exported functions, whose bodies are an [`Outcome`], and `TABLE`
/// with their names and addresses.
macro_rules! functions {
    ($($(#[$about:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => {
        $(
            $(#[$about])*
            #[unsafe(no_mangle)]
            extern "C" fn $name($($argument: $type),*) -> std::ffi::c_int {
                $crate::api::call(
                    stringify!($name),
                    format_args!(concat!($(" ", stringify!($argument), "={:#x?}"),*), $($argument),*),
                    || $body,
                )
            }
        )*

        /// Names and addresses of the functions above.
        pub(super) const TABLE: &[(&str, *const std::ffi::c_void)] =
            &[$((stringify!($name), $name as *const std::ffi::c_void)),*];
    };
}

mod context;
mod device;
mod host;
mod memory;
mod module;
mod pointer;
mod stream;
mod transfer;

const TABLES: [&[(&str, *const c_void)]; 7] = [
    context::TABLE,
    device::TABLE,
    host::TABLE,
    memory::TABLE,
    module::TABLE,
    stream::TABLE,
    transfer::TABLE,
];

/// The address of the newest version of a function.
fn find(name: &str) -> Option<*const c_void> {
    let exact = |name: &str| {
        TABLES.iter().flat_map(|table| table.iter()).find(|row| row.0 == name).map(|row| row.1)
    };
    exact(&format!("{name}_v2")).or_else(|| exact(name))
}

/// Whether the options name only functions that exist.
fn check(options: &Options) -> Result<(), String> {
    match options.failures.functions().find(|name| find(name.trim_end_matches("_v2")).is_none()) {
        Some(name) => Err(format!("SOFTCUDA_FAIL: there is no function {name}")),
        None => Ok(()),
    }
}

/// What every function does before and after its work.
fn call(name: &str, arguments: Arguments, body: impl FnOnce() -> Outcome) -> c_int {
    let machine = driver::driver().map(|driver| &driver.machine).ok();
    let outcome = match machine {
        _ if !driver::calls_allowed() => Err(Status::NOT_PERMITTED),
        Some(machine) => machine.options.failures.call(name).and_then(|()| body()),
        None => body(),
    };
    let status = outcome.err().unwrap_or(Status::SUCCESS);
    if machine.is_some_and(|machine| machine.options.trace) {
        let text = status.name().unwrap_or(c"?").to_string_lossy();
        say(format_args!("{name}{arguments} -> {text}"));
    }
    status.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every name that a libgomp plugin looks up, by the GCC that needs it.
    const PLUGINS: &[(&str, &str)] = &[
        (
            "12",
            "cuCtxCreate_v2 cuCtxDestroy_v2 cuCtxGetCurrent cuCtxGetDevice cuCtxPopCurrent_v2
                cuCtxPushCurrent_v2 cuCtxSynchronize cuDeviceGet cuDeviceGetAttribute
                cuDeviceGetCount cuDeviceGetName cuDeviceTotalMem_v2 cuDriverGetVersion
                cuEventCreate cuEventDestroy_v2 cuEventElapsedTime cuEventQuery cuEventRecord
                cuEventSynchronize cuFuncGetAttribute cuGetErrorString cuInit cuLaunchKernel
                cuLinkAddData cuLinkAddData_v2 cuLinkComplete cuLinkCreate cuLinkCreate_v2
                cuLinkDestroy cuMemAlloc_v2 cuMemAllocHost_v2 cuMemcpy cuMemcpyDtoDAsync_v2
                cuMemcpyDtoH_v2 cuMemcpyDtoHAsync_v2 cuMemcpyHtoD_v2 cuMemcpyHtoDAsync_v2
                cuMemFree_v2 cuMemFreeHost cuMemGetAddressRange_v2 cuMemGetInfo_v2
                cuMemHostGetDevicePointer_v2 cuModuleGetFunction cuModuleGetGlobal_v2 cuModuleLoad
                cuModuleLoadData cuModuleUnload cuStreamAddCallback cuStreamCreate
                cuStreamDestroy_v2 cuStreamQuery cuStreamSynchronize cuStreamWaitEvent",
        ),
        (
            "16",
            "cuCtxSetLimit cuDeviceGetUuid cuDeviceGetUuid_v2 cuMemcpy2D_v2
                cuMemcpy2DUnaligned_v2 cuMemcpy3D_v2 cuMemsetD8_v2 cuMemHostAlloc
                cuPointerGetAttribute",
        ),
        (
            "offmem",
            "cuMemHostRegister cuMemHostRegister_v2 cuMemHostUnregister cuMemHostGetFlags
                cuMemAllocManaged cuMemPrefetchAsync cuMemAdvise cuPointerGetAttributes
                cuCtxSetCurrent cuDevicePrimaryCtxRetain cuDevicePrimaryCtxRelease_v2
                cuGetErrorName cuMemsetD32_v2 cuMemcpyAsync cuLaunchHostFunc cuGetProcAddress
                cuGetProcAddress_v2",
        ),
    ];

    #[test]
    fn every_function_that_plugins_need_is_there() {
        let names: Vec<_> = TABLES.iter().flat_map(|table| table.iter().map(|row| row.0)).collect();
        for (plugin, needed) in PLUGINS {
            for name in needed.split_whitespace() {
                assert!(names.contains(&name), "{name} for {plugin}");
            }
        }
        // Without it, libgomp uses its own way to choose dimensions.
        assert!(!names.contains(&"cuOccupancyMaxPotentialBlockSize"));
    }

    #[test]
    fn a_plan_for_an_unknown_function_is_refused() {
        let options = |text| Options {
            failures: crate::injection::Failures::parse(text).unwrap(),
            ..Options::default()
        };
        assert!(check(&options("cuMemHostRegister:1=2,cuMemAlloc_v2:*=2")).is_ok());
        assert!(check(&options("cuMemHostRegster:1=2")).is_err());
    }
}

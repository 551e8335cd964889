//! Who needs which name.

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
            cuMemAllocManaged cuMemPrefetchAsync cuMemAdvise cuMemPrefetchAsync_v2
            cuMemAdvise_v2 cuPointerGetAttributes
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

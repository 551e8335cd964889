//! "Context Management" and "Primary Context Management".

use super::pointer::Out;
use crate::context;
use crate::device;
use crate::driver::driver;
use crate::status::{Outcome, Status};
use std::ffi::{c_int, c_uint};

/// Makes a context the one of this thread.
fn set(handle: usize) -> Outcome {
    if handle != 0 {
        driver()?.contexts.get(handle)?;
    }
    context::set_current(handle)
}

functions! {
    /// "Context Management".
    fn cuCtxCreate_v2(context: Out<usize>, flags: c_uint, device: c_int) {
        let driver = driver()?;
        context.put(driver.create_context(driver.device(device)?, flags)?)
    }

    /// "Context Management".
    fn cuCtxDestroy_v2(context: usize) {
        driver()?.destroy_context(context)
    }

    /// "Context Management".
    fn cuCtxGetCurrent(context: Out<usize>) {
        driver()?;
        context.put(context::current())
    }

    /// "Context Management".
    fn cuCtxSetCurrent(context: usize) {
        set(context)
    }

    /// "Context Management".
    fn cuCtxPushCurrent_v2(context: usize) {
        driver()?.contexts.get(context)?;
        context::push(context)
    }

    /// "Context Management".
    fn cuCtxPopCurrent_v2(context: Out<usize>) {
        driver()?;
        context.put_if_wanted(context::pop()?);
        Ok(())
    }

    /// "Context Management".
    fn cuCtxGetDevice(device: Out<c_int>) {
        let context = driver()?.context()?;
        device.put(c_int::try_from(context.device).unwrap_or(0))
    }

    /// "Context Management".
    fn cuCtxGetFlags(flags: Out<c_uint>) {
        flags.put(driver()?.context()?.flags)
    }

    /// "Context Management".
    fn cuCtxGetApiVersion(context: usize, version: Out<c_uint>) {
        driver()?.contexts.get(context)?;
        version.put(device::DRIVER_VERSION.unsigned_abs())
    }

    /// "Context Management".
    fn cuCtxSynchronize() {
        driver()?.context()?.synchronize()
    }

    /// "Context Management".
    fn cuCtxSetLimit(limit: c_uint, value: usize) {
        driver()?.context()?.set_limit(limit, value)
    }

    /// "Context Management".
    fn cuCtxGetLimit(value: Out<usize>, limit: c_uint) {
        value.put(driver()?.context()?.limit(limit)?)
    }

    /// "Primary Context Management".
    fn cuDevicePrimaryCtxRetain(context: Out<usize>, device: c_int) {
        let driver = driver()?;
        context.put(driver.retain_primary(driver.device(device)?))
    }

    /// "Primary Context Management".
    fn cuDevicePrimaryCtxRelease_v2(device: c_int) {
        let driver = driver()?;
        driver.release_primary(driver.device(device)?, false)
    }

    /// "Primary Context Management".
    fn cuDevicePrimaryCtxRelease(device: c_int) {
        let driver = driver()?;
        driver.release_primary(driver.device(device)?, false)
    }

    /// "Primary Context Management".
    fn cuDevicePrimaryCtxReset_v2(device: c_int) {
        let driver = driver()?;
        driver.release_primary(driver.device(device)?, true)
    }

    /// "Primary Context Management".
    fn cuDevicePrimaryCtxGetState(device: c_int, flags: Out<c_uint>, active: Out<c_int>) {
        let driver = driver()?;
        flags.put_if_wanted(0);
        active.put(c_int::from(driver.primary_active(driver.device(device)?)))
    }

    /// "Primary Context Management": flags change nothing here.
    fn cuDevicePrimaryCtxSetFlags_v2(device: c_int, _flags: c_uint) {
        driver()?.device(device).map(drop)
    }

    /// "Peer Context Memory Access".
    fn cuCtxEnablePeerAccess(peer: usize, _flags: c_uint) {
        driver()?.contexts.get(peer)?;
        Err(Status::PEER_ACCESS_UNSUPPORTED)
    }
}

//! "Memory Management" of the host: pinned memory.

use super::pointer::Out;
use crate::driver::driver;
use crate::registration::Kind;
use crate::status::{Outcome, Status};
use std::ffi::c_uint;

fn register(address: u64, size: usize, flags: c_uint) -> Outcome {
    driver()?.context()?.register(address, size as u64, flags)
}

functions! {
    /// "Memory Management".
    fn cuMemHostRegister_v2(address: u64, size: usize, flags: c_uint) {
        register(address, size, flags)
    }

    /// "Memory Management".
    fn cuMemHostRegister(address: u64, size: usize, flags: c_uint) {
        register(address, size, flags)
    }

    /// "Memory Management".
    fn cuMemHostUnregister(address: u64) {
        driver()?.context()?.unregister(address)
    }

    /// "Memory Management".
    fn cuMemHostAlloc(address: Out<u64>, size: usize, flags: c_uint) {
        address.put(driver()?.context()?.allocate_host(size as u64, flags)?)
    }

    /// "Memory Management".
    fn cuMemAllocHost_v2(address: Out<u64>, size: usize) {
        address.put(driver()?.context()?.allocate_host(size as u64, 0)?)
    }

    /// "Memory Management".
    fn cuMemFreeHost(address: u64) {
        driver()?.context()?.free_host(address)
    }

    /// "Memory Management".
    fn cuMemHostGetFlags(flags: Out<c_uint>, address: u64) {
        let driver = driver()?;
        driver.context()?;
        let range = driver.machine.space.registrations.find(address);
        let range = range.filter(|range| range.kind() != Kind::Managed);
        flags.put(range.ok_or(Status::INVALID_VALUE)?.flags)
    }

    /// "Memory Management": the host's address.
    fn cuMemHostGetDevicePointer_v2(device: Out<u64>, address: u64, flags: c_uint) {
        let driver = driver()?;
        driver.context()?;
        if flags != 0 || driver.machine.space.registrations.find(address).is_none() {
            return Err(Status::INVALID_VALUE);
        }
        device.put(address)
    }
}

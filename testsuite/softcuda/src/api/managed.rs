//! Managed memory: of "Memory Management" and "Unified Addressing".

use super::pointer::Out;
use crate::driver::{Driver, driver};
use crate::status::{Outcome, Status};
use std::ffi::{c_int, c_uint};

/// `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Location {
    kind: c_uint,
    id: c_int,
}

/// `CU_MEM_LOCATION_TYPE_DEVICE` and `…_HOST`.
const DEVICE: c_uint = 1;
const HOST: c_uint = 2;

/// `CU_DEVICE_CPU`.
const CPU: c_int = -1;

/// `CU_MEM_ADVISE_SET_READ_MOSTLY` and its opposite, which have no location.
const READ_MOSTLY: std::ops::RangeInclusive<c_uint> = 1..=2;
/// `CU_MEM_ADVISE_SET_ACCESSED_BY` and its opposite.
const ACCESSED_BY: std::ops::RangeInclusive<c_uint> = 5..=6;

/// The location that a number of older functions means.
fn numbered(device: c_int) -> Location {
    Location { kind: if device == CPU { HOST } else { DEVICE }, id: device }
}

impl Location {
    /// The device, or nothing for the host.
    fn device(self, driver: &Driver) -> Outcome<Option<usize>> {
        const NODE: c_uint = 3;
        const NEAREST: c_uint = 4;
        match self.kind {
            DEVICE => {
                let device = driver.device(self.id)?;
                match driver.machine.options.concurrent() {
                    true => Ok(Some(device)),
                    false => Err(Status::INVALID_DEVICE),
                }
            }
            HOST | NEAREST => Ok(None),
            NODE if is_node(self.id) => Ok(None),
            _ => Err(Status::INVALID_VALUE),
        }
    }
}

/// Whether the host has a NUMA node of that number.
fn is_node(number: c_int) -> bool {
    number == 0 || std::path::Path::new(&format!("/sys/devices/system/node/node{number}")).exists()
}

fn prefetch(address: u64, size: usize, to: Location, flags: c_uint, stream: usize) -> Outcome {
    let driver = driver()?;
    let (context, stream) = driver.stream(stream)?;
    context.streams.fault()?;
    let device = to.device(driver)?;
    if !driver.machine.options.concurrent() {
        // Also to the host: it is the stream's device that has to have it.
        return Err(Status::INVALID_DEVICE);
    }
    if flags != 0 {
        return Err(Status::INVALID_VALUE);
    }
    context.check_managed(address, size as u64)?;
    context.prefetch(address, size as u64, device, stream)
}

/// Advice is checked and otherwise ignored.
fn advise(address: u64, size: usize, advice: c_uint, about: Location) -> Outcome {
    let driver = driver()?;
    let context = driver.context()?;
    if !(*READ_MOSTLY.start()..=*ACCESSED_BY.end()).contains(&advice) {
        return Err(Status::INVALID_VALUE);
    }
    if !READ_MOSTLY.contains(&advice) {
        about.device(driver)?;
    }
    if ACCESSED_BY.contains(&advice) && !(DEVICE..=HOST).contains(&about.kind) {
        return Err(Status::INVALID_VALUE);
    }
    context.check_managed(address, size as u64)?;
    driver.machine.statistics.advices.add(1);
    Ok(())
}

functions! {
    /// "Memory Management".
    fn cuMemAllocManaged(address: Out<u64>, size: usize, flags: c_uint) {
        address.put(driver()?.context()?.manage(size as u64, flags)?)
    }

    /// "Unified Addressing".
    fn cuMemPrefetchAsync(address: u64, size: usize, device: c_int, stream: usize) {
        prefetch(address, size, numbered(device), 0, stream)
    }

    /// "Unified Addressing", since CUDA 12.2.
    fn cuMemPrefetchAsync_v2(
        address: u64,
        size: usize,
        location: Location,
        flags: c_uint,
        stream: usize,
    ) {
        prefetch(address, size, location, flags, stream)
    }

    /// "Unified Addressing".
    fn cuMemAdvise(address: u64, size: usize, advice: c_uint, device: c_int) {
        advise(address, size, advice, numbered(device))
    }

    /// "Unified Addressing", since CUDA 12.2.
    fn cuMemAdvise_v2(address: u64, size: usize, advice: c_uint, location: Location) {
        advise(address, size, advice, location)
    }
}

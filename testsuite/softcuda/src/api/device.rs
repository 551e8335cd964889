//! "Initialization", "Version Management", "Error Handling", "Driver Entry
//! Point Access" and "Device Management".

use super::pointer::{Out, Text};
use crate::device;
use crate::driver::{driver, initialize};
use crate::status::Status;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// What `CUuuid` holds.
type Uuid = [u8; 16];

functions! {
    /// "Initialization".
    fn cuInit(flags: c_uint) {
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        initialize(super::check)
    }

    /// "Version Management".
    fn cuDriverGetVersion(version: Out<c_int>) {
        version.put(device::DRIVER_VERSION)
    }

    /// "Error Handling".
    fn cuGetErrorString(error: c_int, text: Out<*const c_char>) {
        let found = Status(error).text();
        text.put(found.map_or(std::ptr::null(), std::ffi::CStr::as_ptr))?;
        found.map(drop).ok_or(Status::INVALID_VALUE)
    }

    /// "Error Handling".
    fn cuGetErrorName(error: c_int, text: Out<*const c_char>) {
        let found = Status(error).name();
        text.put(found.map_or(std::ptr::null(), std::ffi::CStr::as_ptr))?;
        found.map(drop).ok_or(Status::INVALID_VALUE)
    }

    /// "Driver Entry Point Access".
    fn cuGetProcAddress(symbol: Text, function: Out<*const c_void>, version: c_int, _flags: u64) {
        let found = super::find(&symbol.get()?, version);
        function.put(found.unwrap_or(std::ptr::null()))?;
        found.map(drop).ok_or(Status::NOT_FOUND)
    }

    /// "Driver Entry Point Access"; the status says 0 for found and 1 for not.
    fn cuGetProcAddress_v2(
        symbol: Text,
        function: Out<*const c_void>,
        version: c_int,
        _flags: u64,
        status: Out<c_int>,
    ) {
        let found = super::find(&symbol.get()?, version);
        function.put(found.unwrap_or(std::ptr::null()))?;
        status.put_if_wanted(c_int::from(found.is_none()));
        found.map(drop).ok_or(Status::NOT_FOUND)
    }

    /// "Device Management".
    fn cuDeviceGetCount(count: Out<c_int>) {
        count.put(c_int::try_from(driver()?.machine.space.devices.len()).unwrap_or(0))
    }

    /// "Device Management".
    fn cuDeviceGet(device: Out<c_int>, ordinal: c_int) {
        driver()?.device(ordinal)?;
        device.put(ordinal)
    }

    /// "Device Management".
    fn cuDeviceGetName(name: Out<c_char>, length: c_int, device: c_int) {
        driver()?.device(device)?;
        let room = usize::try_from(length).map_err(|_| Status::INVALID_VALUE)?;
        let text = device::NAME.bytes().take(room.saturating_sub(1));
        name.put_all(room, text.chain([0]).map(|byte| byte as c_char))
    }

    /// "Device Management".
    fn cuDeviceGetUuid(uuid: Out<Uuid>, device: c_int) {
        uuid.put(device::uuid(driver()?.device(device)?))
    }

    /// "Device Management".
    fn cuDeviceGetUuid_v2(uuid: Out<Uuid>, device: c_int) {
        uuid.put(device::uuid(driver()?.device(device)?))
    }

    /// "Device Management".
    fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: c_int) {
        let driver = driver()?;
        let device = driver.device(device)?;
        bytes.put(driver.machine.space.devices[device].size() as usize)
    }

    /// "Device Management".
    fn cuDeviceGetAttribute(value: Out<c_int>, attribute: c_int, device: c_int) {
        let driver = driver()?;
        let device = driver.device(device)?;
        let options = &driver.machine.options;
        let found = device::attribute(options, &options.rules, device, attribute);
        value.put(found.ok_or(Status::INVALID_VALUE)?)
    }

    /// "Device Management".
    fn cuDeviceGetPCIBusId(text: Out<c_char>, length: c_int, device: c_int) {
        let device = driver()?.device(device)?;
        let room = usize::try_from(length).map_err(|_| Status::INVALID_VALUE)?;
        let id = format!("0000:{:02x}:00.0\0", device + 1);
        if room < id.len() {
            return Err(Status::INVALID_VALUE);
        }
        text.put_all(room, id.bytes().map(|byte| byte as c_char))
    }

    /// "Peer Context Memory Access": devices do not reach each other.
    fn cuDeviceCanAccessPeer(can: Out<c_int>, device: c_int, peer: c_int) {
        driver()?.device(device)?;
        driver()?.device(peer)?;
        can.put(0)
    }
}

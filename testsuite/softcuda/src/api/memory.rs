//! "Memory Management" of devices, and "Unified Addressing".

use super::pointer::{In, Out};
use crate::driver::{Driver, driver};
use crate::registration::Kind;
use crate::status::{Outcome, Status};
use std::ffi::{c_int, c_uint};

/// Start and size of the allocation or range that an address lies in.
fn range(driver: &Driver, address: u64) -> Option<(u64, u64)> {
    let space = &driver.machine.space;
    match space.device(address) {
        Some(device) => {
            space.devices[device].allocation(address).map(|(start, found)| (start, found.size))
        }
        None => space.registrations.find(address).map(|range| (range.start, range.size)),
    }
}

/// Handle and device of the context that memory belongs to.
fn owner(driver: &Driver, owner: usize) -> (usize, usize) {
    let found = driver.contexts.find(|context| context.id == owner);
    found.map_or((0, 0), |(handle, context)| (handle, context.device))
}

/// `CU_POINTER_ATTRIBUTE_HOST_POINTER`, which memory of devices has not.
const HOST_POINTER: c_uint = 4;

/// What `cuPointerGetAttribute` can say about an address.
struct Facts {
    context: usize,
    device: usize,
    managed: bool,
    host: bool,
    start: u64,
    size: u64,
    number: u64,
}

impl Facts {
    fn find(driver: &Driver, address: u64) -> Option<Facts> {
        let space = &driver.machine.space;
        if let Some(device) = space.device(address) {
            let (start, found) = space.devices[device].allocation(address)?;
            let (context, _) = owner(driver, found.owner);
            let (size, number) = (found.size, found.number);
            let (managed, host) = (false, false);
            return Some(Facts { context, device, managed, host, start, size, number });
        }
        let range = space.registrations.find(address)?;
        let (context, device) = owner(driver, range.owner);
        let (managed, host) = (range.kind() == Kind::Managed, true);
        let (start, size, number) = (range.start, range.size, range.number);
        Some(Facts { context, device, managed, host, start, size, number })
    }

    /// Stores the value of a `CUpointer_attribute`, each with its own type.
    fn store(&self, data: Out<u8>, attribute: c_uint, address: u64) -> Outcome {
        const HOST: c_uint = 1;
        const DEVICE: c_uint = 2;
        match attribute {
            // CONTEXT
            1 => data.cast().put(self.context),
            // MEMORY_TYPE: managed memory counts as the device's.
            2 => data.cast().put(if self.host && !self.managed { HOST } else { DEVICE }),
            // DEVICE_POINTER
            3 => data.cast().put(address),
            HOST_POINTER if self.host => data.cast().put(address),
            // SYNC_MEMOPS
            6 => data.cast::<c_uint>().put(0),
            // BUFFER_ID
            7 => data.cast().put(self.number),
            // IS_MANAGED
            8 => data.cast().put(c_uint::from(self.managed)),
            // DEVICE_ORDINAL
            9 => data.cast().put(c_int::try_from(self.device).unwrap_or(0)),
            // RANGE_START_ADDR and RANGE_SIZE
            11 => data.cast().put(self.start),
            12 => data.cast().put(self.size as usize),
            // MAPPED
            13 => data.cast::<c_uint>().put(1),
            _ => Err(Status::INVALID_VALUE),
        }
    }
}

/// What an attribute of an unknown address is: all zeros.
fn store_nothing(data: Out<u8>, attribute: c_uint) -> Outcome {
    let size = match attribute {
        2 | 6 | 8 | 9 | 13 => 4,
        1..=13 => 8,
        _ => return Err(Status::INVALID_VALUE),
    };
    data.put_all(size, std::iter::repeat_n(0, size))
}

functions! {
    /// "Memory Management".
    fn cuMemAlloc_v2(address: Out<u64>, size: usize) {
        address.put(driver()?.context()?.allocate(size as u64)?)
    }

    /// "Memory Management".
    fn cuMemAllocPitch_v2(
        address: Out<u64>,
        pitch: Out<usize>,
        width: usize,
        height: usize,
        _element: c_uint,
    ) {
        let row = width.checked_next_multiple_of(512).ok_or(Status::OUT_OF_MEMORY)?;
        let size = row.checked_mul(height).ok_or(Status::OUT_OF_MEMORY)?;
        address.put(driver()?.context()?.allocate(size as u64)?)?;
        pitch.put(row)
    }

    /// "Memory Management". libgomp frees 0, which must succeed.
    fn cuMemFree_v2(address: u64) {
        driver()?.context()?.free(address)
    }

    /// "Memory Management". Either result may be unwanted.
    fn cuMemGetAddressRange_v2(start: Out<u64>, size: Out<usize>, address: u64) {
        let found = range(driver()?, address).ok_or(Status::NOT_FOUND)?;
        start.put_if_wanted(found.0);
        size.put_if_wanted(found.1 as usize);
        Ok(())
    }

    /// "Memory Management".
    fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) {
        let context = driver()?.context()?;
        let memory = &context.machine.space.devices[context.device];
        free.put((memory.size() - memory.used()) as usize)?;
        total.put(memory.size() as usize)
    }

    /// "Unified Addressing".
    fn cuPointerGetAttribute(data: Out<u8>, attribute: c_uint, address: u64) {
        let driver = driver()?;
        driver.context()?;
        let facts = Facts::find(driver, address).ok_or(Status::INVALID_VALUE)?;
        facts.store(data, attribute, address)
    }

    /// "Unified Addressing". An unknown address is no error here.
    fn cuPointerGetAttributes(
        count: c_uint,
        attributes: In<c_uint>,
        data: In<usize>,
        address: u64,
    ) {
        let driver = driver()?;
        driver.context()?;
        let facts = Facts::find(driver, address);
        for index in 0..count as usize {
            let (attribute, data) = (attributes.nth(index)?, Out::at(data.nth(index)?));
            match &facts {
                Some(facts) if attribute != HOST_POINTER || facts.host => {
                    facts.store(data, attribute, address)?;
                }
                _ => store_nothing(data, attribute)?,
            }
        }
        Ok(())
    }
}

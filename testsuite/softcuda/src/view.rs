//! Memory as a kernel of one device sees it.

use crate::handle::unique;
use crate::host::{Mapped, Mappings, Protection};
use crate::machine::Machine;
use crate::memory::Purpose;
use crate::message;
use crate::registration::{Hold, Range};
use softcuda_ptx::{Access, Memory, Refusal};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The device's memory and managed memory, and those other host ranges that
/// are known when the kernel begins.
///
/// Registered memory is used at the host's address: if the program has mapped
/// other pages there since, a kernel sees those, unlike a copy.
pub(crate) struct View<'a> {
    machine: &'a Machine,
    device: usize,
    owner: usize,
    ranges: Arc<[Arc<Range>]>,
    /// With pageable access, what the process has mapped.
    mappings: Option<Mutex<Mappings>>,
    /// That no other view ever has.
    number: u64,
    /// Whether the time that managed memory takes to come here counts.
    migrates: bool,
    refused: AtomicBool,
}

// SAFETY: the pointers that it gives away are to memory of the whole process.
unsafe impl Sync for View<'_> {}

impl View<'_> {
    /// What a kernel sees from now on; what it allocates belongs to `owner`.
    pub(crate) fn new(machine: &Machine, device: usize, owner: usize) -> View<'_> {
        View {
            machine,
            device,
            owner,
            ranges: machine.space.registrations.host(),
            migrates: machine.clock.runs(),
            mappings: machine.options.reads_pageable().then(Mutex::default),
            number: unique(),
            refused: AtomicBool::new(false),
        }
    }

    /// Whether an address has been refused.
    pub(crate) fn refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// Bytes of the device or managed ones: those that need no search.
    #[inline]
    fn own(&self, address: u64, size: u64) -> Option<*mut u8> {
        let space = &self.machine.space;
        if let Some(bytes) = space.devices[self.device].reach(address, size) {
            return Some(bytes);
        }
        let bytes = space.registrations.pool().reach(address, size)?;
        if self.migrates {
            self.machine.attract(address, size, self.device);
        }
        Some(bytes)
    }

    fn find(&self, address: u64, size: u64, access: Access) -> Result<*mut u8, String> {
        if let Some(bytes) = self.own(address, size) {
            return Ok(bytes);
        }
        if let Some(device) = self.machine.space.device(address) {
            return Err(match device == self.device {
                true => self.machine.space.devices[device].explain(address, size),
                false => format!("memory of device {device}"),
            });
        }
        if let Some(reason) = self.machine.space.registrations.pool().explain(address, size) {
            return Err(reason);
        }
        let next = self.ranges.partition_point(|range| range.start <= address);
        let range = next.checked_sub(1).map(|index| &self.ranges[index]);
        if let Some(range) = range.filter(|range| address < range.end()) {
            return Self::within(range, address, size, access);
        }
        match &self.mappings {
            Some(mappings) => self.pageable(mappings, address, size, access),
            None if address < 4096 => Err("a null pointer".to_owned()),
            None => Err("host memory that is neither registered nor managed".to_owned()),
        }
    }

    fn within(range: &Range, address: u64, size: u64, access: Access) -> Result<*mut u8, String> {
        if size > range.end() - address {
            return Err(format!("past the end of a range of {} bytes", range.size));
        }
        if range.read_only && access == Access::Write {
            return Err("host memory that is registered for reading only".to_owned());
        }
        let at = (address - range.start) as usize;
        Ok(match &range.hold {
            Hold::Allocated(memory) => memory.start().wrapping_add(at),
            Hold::Registered(_) | Hold::Managed(_) => address as *mut u8,
        })
    }

    fn pageable(
        &self,
        mappings: &Mutex<Mappings>,
        address: u64,
        size: u64,
        access: Access,
    ) -> Result<*mut u8, String> {
        let within =
            |found: &Mapped| address >= found.start && size <= found.end - address.min(found.end);
        let allows = |found: &Mapped| found.writable || access == Access::Read;
        let (number, last) = LAST.get();
        if number == self.number && within(&last) && allows(&last) {
            return Ok(address as *mut u8);
        }
        let mut mappings = mappings.lock().unwrap_or_else(PoisonError::into_inner);
        let allowed = |mappings: &Mappings| match mappings.protection(address, size) {
            Protection::Writable => true,
            Protection::ReadOnly => access == Access::Read,
            Protection::Unmapped => false,
        };
        if !allowed(&mappings) {
            // Something may have been mapped since.
            *mappings = Mappings::now().unwrap_or_default();
        }
        if !allowed(&mappings) {
            return Err("host memory that is not mapped, or not for writing".to_owned());
        }
        if let Some(found) = mappings.find(address) {
            LAST.set((self.number, found));
        }
        Ok(address as *mut u8)
    }
}

thread_local! {
    /// What a thread that runs kernels has found last, and for which view.
    static LAST: Cell<(u64, Mapped)> = const { Cell::new((0, Mapped { start: 0, end: 0, writable: false })) };
}

impl Memory for View<'_> {
    fn translate(&self, address: u64, size: usize, access: Access) -> Result<*mut u8, Refusal> {
        self.find(address, size as u64, access).map_err(|reason| {
            self.refused.store(true, Ordering::Relaxed);
            Refusal(reason)
        })
    }

    fn reach(&self, address: u64, size: usize, access: Access) -> *mut u8 {
        self.own(address, size as u64).unwrap_or_else(|| {
            self.find(address, size as u64, access).unwrap_or(std::ptr::null_mut())
        })
    }

    fn malloc(&self, size: u64) -> u64 {
        let memory = &self.machine.space.devices[self.device];
        memory.allocate(size.max(1), 16, Purpose::Heap, self.owner).unwrap_or(0)
    }

    fn free(&self, address: u64) {
        let memory = &self.machine.space.devices[self.device];
        if address != 0 && memory.free(address, Purpose::Heap).is_err() {
            message::say(format_args!("kernel frees {address:#x}, which malloc has not given it"));
        }
    }

    fn print(&self, text: &[u8]) {
        message::print(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::Mapping;
    use crate::option::Options;

    fn machine(options: Options) -> Machine {
        Machine::new(Options { memory: 1 << 20, devices: 2, ..options }).unwrap()
    }

    fn reason(view: &View, address: u64, access: Access) -> String {
        view.translate(address, 4, access).unwrap_err().0
    }

    #[test]
    fn a_kernel_reaches_what_devices_reach() {
        let machine = machine(Options::default());
        let device = machine.space.devices[0].allocate(100, 1, Purpose::Program, 0).unwrap();
        let other = machine.space.devices[1].allocate(100, 1, Purpose::Program, 0).unwrap();
        let plain = Mapping::zeroed(8192).unwrap();
        let plain = plain.start() as u64;
        machine.space.registrations.register(plain, 100, 8, 0).unwrap();
        let managed = machine.space.registrations.manage(100, 1, 0).unwrap();
        let view = View::new(&machine, 0, 0);
        assert!(view.translate(device + 96, 4, Access::Write).is_ok());
        assert!(view.translate(plain + 96, 4, Access::Read).is_ok());
        assert!(view.translate(managed + 96, 4, Access::Write).is_ok());
        assert_eq!(managed % 16, view.reach(managed, 4, Access::Read) as u64 % 16);
        assert!(!view.refused());
        assert!(reason(&view, plain + 96, Access::Write).contains("reading only"));
        assert!(view.refused());
        assert!(reason(&view, plain + 98, Access::Read).contains("past the end"));
        assert!(reason(&view, plain + 4096, Access::Read).contains("neither registered"));
        assert!(reason(&view, device + 100, Access::Read).contains("past the end"));
        assert!(reason(&view, managed + 98, Access::Read).contains("2 bytes past the end"));
        assert!(reason(&view, other, Access::Read).contains("device 1"));
        assert!(reason(&view, 0, Access::Read).contains("null"));
    }

    #[test]
    fn with_pageable_access_all_host_memory_is_reached() {
        let machine = machine(Options { pageable_access: true, ..Options::default() });
        let view = View::new(&machine, 0, 0);
        let plain = Mapping::zeroed(4096).unwrap();
        assert!(view.translate(plain.start() as u64, 4, Access::Write).is_ok());
        assert!(view.translate(c"text".as_ptr() as u64, 4, Access::Read).is_ok());
        assert!(reason(&view, c"text".as_ptr() as u64, Access::Write).contains("for writing"));
        assert!(reason(&view, 64, Access::Read).contains("not mapped"));
    }

    #[test]
    fn the_heap_is_device_memory() {
        let machine = machine(Options::default());
        let view = View::new(&machine, 0, 0);
        let address = view.malloc(10);
        assert!(view.translate(address, 10, Access::Write).is_ok());
        view.free(address);
        assert!(view.translate(address, 10, Access::Write).is_err());
        view.free(0);
        assert_eq!(view.malloc(1 << 30), 0);
    }
}

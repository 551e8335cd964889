//! The memory of one device: addresses that the host cannot touch, in front
//! of a file in memory that holds the bytes.
//!
//! Copies read and write the file; kernels use a mapping of it. A program that
//! follows a device pointer on the host faults, as it would with a GPU.

use crate::bounds::Bounds;
use crate::extent::Extents;
use crate::handle::unique;
use crate::mapping::{Mapping, give_back, memory_file};
use crate::status::{Outcome, Status};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Allocations begin at a multiple of this, as on hardware.
const GRANULE: u64 = 256;

/// As far past the end of an allocation, an address is taken for its overrun.
const NEAR: u64 = 4096;

/// From this size on, freed memory goes back to the system.
const RETURNED: u64 = 1 << 20;

/// Device memory.
#[derive(Debug)]
pub(crate) struct DeviceMemory {
    window: Mapping,
    backing: Mapping,
    file: File,
    bounds: Bounds<GRANULE>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    allocations: BTreeMap<u64, Allocation>,
    free: Extents,
    used: u64,
}

/// What device memory is for, which decides who may free it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The program's, by `cuMemAlloc`.
    Program,
    /// A variable of a module.
    Variable,
    /// A kernel's, by `malloc`.
    Heap,
}

/// Bytes of an allocation, who it belongs to, and a number of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Allocation {
    pub(crate) size: u64,
    pub(crate) purpose: Purpose,
    pub(crate) owner: usize,
    pub(crate) number: u64,
}

impl DeviceMemory {
    /// `size` bytes, none of them allocated.
    pub(crate) fn new(size: u64) -> io::Result<DeviceMemory> {
        let size = size / GRANULE * GRANULE;
        let file = memory_file(size)?;
        let state = State { allocations: BTreeMap::new(), free: Extents::new(size), used: 0 };
        Ok(DeviceMemory {
            window: Mapping::reserved(size as usize)?,
            backing: Mapping::shared(&file, 0, size as usize)?,
            bounds: Bounds::new(size)?,
            file,
            state: Mutex::new(state),
        })
    }

    /// All bytes, allocated or not.
    pub(crate) fn size(&self) -> u64 {
        self.window.size() as u64
    }

    /// Bytes that are allocated.
    pub(crate) fn used(&self) -> u64 {
        self.state().used
    }

    /// Whether `address` belongs to this device, allocated or not.
    pub(crate) fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.base()) < self.size()
    }

    /// Allocates for `owner`. Behind each allocation at least one granule
    /// stays free, so that running past the end is seen.
    pub(crate) fn allocate(
        &self,
        size: u64,
        align: u64,
        purpose: Purpose,
        owner: usize,
    ) -> Option<u64> {
        let align = align.max(GRANULE);
        let taken = size.checked_next_multiple_of(GRANULE)?.checked_add(GRANULE)?;
        let mut state = self.state();
        let offset = state.free.take(taken, align)?;
        let allocation = Allocation { size, purpose, owner, number: unique() };
        state.allocations.insert(offset, allocation);
        state.used += taken;
        self.bounds.mark(offset, size, true);
        Some(self.base() + offset)
    }

    /// Frees what [`Self::allocate`] gave for that purpose.
    pub(crate) fn free(&self, address: u64, purpose: Purpose) -> Outcome<Allocation> {
        let mut state = self.state();
        let offset = address.wrapping_sub(self.base());
        let allocation = *state.allocations.get(&offset).ok_or(Status::INVALID_VALUE)?;
        if allocation.purpose != purpose {
            return Err(Status::INVALID_VALUE);
        }
        self.remove(&mut state, offset, allocation.size);
        Ok(allocation)
    }

    /// Frees everything that belongs to `owner`.
    pub(crate) fn free_all(&self, owner: usize) {
        let mut state = self.state();
        let owned = state.allocations.iter().filter(|(_, found)| found.owner == owner);
        let owned: Vec<_> = owned.map(|(offset, found)| (*offset, found.size)).collect();
        for (offset, size) in owned {
            self.remove(&mut state, offset, size);
        }
    }

    fn remove(&self, state: &mut State, offset: u64, size: u64) {
        state.allocations.remove(&offset);
        let taken = size.next_multiple_of(GRANULE) + GRANULE;
        self.bounds.mark(offset, size, false);
        if taken >= RETURNED {
            give_back(&self.file, offset, taken);
        }
        state.used -= taken;
        state.free.give_back(offset, taken);
    }

    /// The allocation that `address` lies in, with its start.
    pub(crate) fn allocation(&self, address: u64) -> Option<(u64, Allocation)> {
        let offset = address.wrapping_sub(self.base());
        let state = self.state();
        let (&start, allocation) = state.allocations.range(..=offset).next_back()?;
        (offset < start + allocation.size).then_some((self.base() + start, *allocation))
    }

    /// Where the bytes `[address, address + size)` are in the file, if they
    /// lie in one allocation.
    pub(crate) fn offset(&self, address: u64, size: u64) -> Option<u64> {
        let (start, allocation) = self.allocation(address)?;
        (size <= allocation.size - (address - start)).then(|| address - self.base())
    }

    /// The same as a pointer for kernels: without a lock if one granule holds
    /// the bytes.
    #[inline]
    pub(crate) fn reach(&self, address: u64, size: u64) -> Option<*mut u8> {
        let offset = address.wrapping_sub(self.base());
        if offset >= self.size() {
            return None;
        }
        if !self.bounds.hold(offset, size) && self.offset(address, size).is_none() {
            return None;
        }
        Some(self.backing.start().wrapping_add(offset as usize))
    }

    /// Why a kernel may not touch the bytes.
    pub(crate) fn explain(&self, address: u64, size: u64) -> String {
        let offset = address.wrapping_sub(self.base());
        let state = self.state();
        match state.allocations.range(..=offset).next_back() {
            Some((&start, allocation)) if offset + size <= start + allocation.size + NEAR => {
                let past = offset + size - start - allocation.size;
                format!("{past} bytes past the end of an allocation of {}", allocation.size)
            }
            _ => "device memory that is not allocated, or not any more".to_owned(),
        }
    }

    /// The bytes, at the offsets that [`Self::offset`] gives.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    fn base(&self) -> u64 {
        self.window.start() as u64
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> DeviceMemory {
        DeviceMemory::new(16 << 20).unwrap()
    }

    #[test]
    fn bounds_are_exact() {
        let memory = memory();
        let address = memory.allocate(1001, 1, Purpose::Program, 7).unwrap();
        assert_eq!(address % 256, 0);
        assert!(memory.reach(address + 1000, 1).is_some());
        assert!(memory.reach(address + 1000, 2).is_none());
        assert!(memory.reach(address, 1001).is_some(), "more than a granule");
        assert!(memory.reach(address, 1002).is_none());
        let (start, allocation) = memory.allocation(address + 500).unwrap();
        assert_eq!((start, allocation.size, allocation.owner), (address, 1001, 7));
        assert_eq!(memory.allocation(address + 1001), None);
        assert!(memory.explain(address + 1000, 2).contains("1 bytes past the end"));
        assert!(memory.explain(address + (8 << 20), 2).contains("not allocated"));
    }

    #[test]
    fn neighbours_have_a_gap() {
        let memory = memory();
        let first = memory.allocate(256, 1, Purpose::Program, 0).unwrap();
        let second = memory.allocate(256, 1, Purpose::Program, 0).unwrap();
        assert!(second >= first + 512);
        assert!(memory.reach(first + 256, 1).is_none());
    }

    #[test]
    fn freed_memory_comes_back_whole() {
        let memory = memory();
        let all = memory.size() - 256;
        let first = memory.allocate(5 << 20, 1, Purpose::Program, 1).unwrap();
        let second = memory.allocate(5 << 20, 1, Purpose::Program, 2).unwrap();
        assert_eq!(memory.allocate(all, 1, Purpose::Program, 0), None);
        memory.free(first, Purpose::Program).unwrap();
        assert_eq!(memory.free(first, Purpose::Program), Err(Status::INVALID_VALUE));
        assert!(memory.reach(first, 4).is_none());
        memory.free_all(2);
        assert!(memory.reach(second, 4).is_none());
        assert_eq!(memory.used(), 0);
        assert!(memory.allocate(all, 1, Purpose::Program, 0).is_some());
    }

    #[test]
    fn memory_is_freed_by_those_it_is_for() {
        let memory = memory();
        let variable = memory.allocate(8, 1, Purpose::Variable, 0).unwrap();
        assert_eq!(memory.free(variable, Purpose::Program), Err(Status::INVALID_VALUE));
        assert_eq!(memory.free(variable, Purpose::Heap), Err(Status::INVALID_VALUE));
        assert!(memory.free(variable, Purpose::Variable).is_ok());
    }

    #[test]
    fn kernels_and_copies_see_the_same_bytes() {
        use std::os::unix::fs::FileExt;
        let memory = memory();
        let address = memory.allocate(4, 4096, Purpose::Program, 0).unwrap();
        assert_eq!(address % 4096, 0);
        let offset = memory.offset(address, 4).unwrap();
        memory.file().write_all_at(b"abcd", offset).unwrap();
        // SAFETY: four allocated bytes.
        assert_eq!(unsafe { memory.reach(address, 4).unwrap().cast::<[u8; 4]>().read() }, *b"abcd");
    }
}

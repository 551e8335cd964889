//! Managed memory ("Memory Management: cuMemAllocManaged"): one address for
//! host and device.
//!
//! The bytes are in a file in memory with two mappings: the program's, whose
//! addresses are those for both sides, and one for kernels. So the program's
//! can be closed while a kernel is at work, as on devices without
//! `CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS`. Addresses that are not
//! allocated stay reserved: who uses them faults.

use crate::bounds::Bounds;
use crate::extent::Extents;
use crate::mapping::{Mapping, give_back, memory_file, page_size};
use crate::residence::Residence;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// `CU_MEM_ATTACH_GLOBAL` and the other flags of an allocation.
pub(crate) const ATTACH: std::ops::RangeInclusive<u32> = 1..=4;

/// All addresses that managed memory may have, in bytes.
const WINDOW: u64 = 128 << 30;

/// Bytes whose bounds are kept together; no page is smaller.
const GRANULE: u64 = 4096;

/// From this size on, allocations begin at a multiple of it. Those that also
/// end at one follow each other without a gap, as on hardware: a program that
/// takes two for one is found out.
const LARGE: u64 = 2 << 20;

/// All managed memory; no address space before the first allocation.
#[derive(Debug)]
pub(crate) struct Pool {
    limit: u64,
    inherited: bool,
    memory: OnceLock<Arc<ManagedMemory>>,
}

#[derive(Debug)]
struct ManagedMemory {
    window: Mapping,
    /// The first multiple of [`LARGE`] in the window.
    base: u64,
    own: Mapping,
    file: File,
    bounds: Bounds<GRANULE>,
    residence: Residence,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    free: Extents,
    /// Sizes, by offset.
    allocations: BTreeMap<u64, u64>,
    used: u64,
}

/// One managed allocation.
#[derive(Debug)]
pub(crate) struct Managed {
    memory: Arc<ManagedMemory>,
    offset: u64,
    size: u64,
}

impl Pool {
    /// At most `limit` bytes at a time, which children of `fork` may share if
    /// they are `inherited`.
    pub(crate) fn new(limit: u64, inherited: bool) -> Pool {
        Pool { limit, inherited, memory: OnceLock::new() }
    }

    /// `size` bytes of zeros; none of them takes memory before it is touched.
    pub(crate) fn allocate(&self, size: u64) -> io::Result<Managed> {
        let memory = match self.memory.get() {
            Some(memory) => memory,
            None => {
                let memory = Arc::new(ManagedMemory::new()?);
                self.memory.get_or_init(|| memory)
            }
        };
        let offset = memory.allocate(size, self.limit, self.inherited)?;
        Ok(Managed { memory: Arc::clone(memory), offset, size })
    }

    /// The bytes for kernels, if they are in one allocation.
    #[inline]
    pub(crate) fn reach(&self, address: u64, size: u64) -> Option<*mut u8> {
        let memory = self.memory.get()?;
        let offset = address.wrapping_sub(memory.base);
        if offset >= WINDOW {
            return None;
        }
        if !memory.bounds.hold(offset, size) && !memory.contains(offset, size) {
            return None;
        }
        Some(memory.own.start().wrapping_add(offset as usize))
    }

    /// Moves allocated bytes to a device or, if there is none, to the host: the
    /// number of bytes that were elsewhere.
    pub(crate) fn migrate(&self, address: u64, size: u64, device: Option<usize>) -> u64 {
        let Some(memory) = self.memory.get() else { return 0 };
        let offset = address.wrapping_sub(memory.base);
        if offset >= WINDOW {
            return 0;
        }
        match device {
            Some(device) => memory.residence.to_device(offset, size, device),
            None => memory.residence.to_host(offset, size),
        }
    }

    /// How many bytes the program has called back from devices by using them.
    pub(crate) fn returned(&self) -> u64 {
        let Some(memory) = self.memory.get() else { return 0 };
        let state = memory.state();
        let allocations = state.allocations.iter();
        allocations.map(|(offset, size)| memory.residence.returned(*offset, *size)).sum()
    }

    /// Why a kernel may not touch the bytes, if their address is one of
    /// managed memory.
    pub(crate) fn explain(&self, address: u64, size: u64) -> Option<String> {
        let memory = self.memory.get()?;
        let offset = address.wrapping_sub(memory.base);
        if offset >= WINDOW {
            return None;
        }
        let state = memory.state();
        Some(match state.allocations.range(..=offset).next_back() {
            Some((&start, &found)) if offset + size <= start + found + GRANULE => {
                let past = offset + size - start - found;
                format!("{past} bytes past the end of managed memory of {found} bytes")
            }
            _ => "managed memory that is not allocated, or not any more".to_owned(),
        })
    }
}

impl ManagedMemory {
    fn new() -> io::Result<ManagedMemory> {
        let window = Mapping::reserved((WINDOW + LARGE) as usize)?;
        let file = memory_file(WINDOW)?;
        let free = Extents::new(WINDOW);
        let base = (window.start() as u64).next_multiple_of(LARGE);
        Ok(ManagedMemory {
            base,
            window,
            own: Mapping::shared(&file, 0, WINDOW as usize)?,
            file,
            bounds: Bounds::new(WINDOW)?,
            residence: Residence::new(base, WINDOW)?,
            state: Mutex::new(State { free, allocations: BTreeMap::new(), used: 0 }),
        })
    }

    fn allocate(&self, size: u64, limit: u64, inherited: bool) -> io::Result<u64> {
        let full = || io::Error::from_raw_os_error(libc::ENOMEM);
        let mut state = self.state();
        let used = state.used.checked_add(size).filter(|used| *used <= limit).ok_or_else(full)?;
        let taken = taken(size).ok_or_else(full)?;
        let align = if size >= LARGE { LARGE } else { page_size() };
        let offset = state.free.take(taken, align).ok_or_else(full)?;
        let (at, whole) = (self.at(offset), size.next_multiple_of(page_size()));
        if let Err(error) = self.window.show(at, whole, &self.file, offset, inherited) {
            state.free.give_back(offset, taken);
            return Err(error);
        }
        self.bounds.mark(offset, size, true);
        state.allocations.insert(offset, size);
        state.used = used;
        Ok(offset)
    }

    fn free(&self, offset: u64, size: u64) {
        let mut state = self.state();
        let whole = size.next_multiple_of(page_size());
        self.bounds.mark(offset, size, false);
        state.allocations.remove(&offset);
        state.used -= size;
        // What cannot be hidden is never given out again, so that nobody else
        // meets it.
        if self.window.hide(self.at(offset), whole).is_ok() {
            give_back(&self.file, offset, whole);
            self.residence.to_host(offset, whole);
            state.free.give_back(offset, taken(size).unwrap_or(whole));
        }
    }

    /// Whether the bytes are in one allocation.
    fn contains(&self, offset: u64, size: u64) -> bool {
        let state = self.state();
        let found = state.allocations.range(..=offset).next_back();
        found.is_some_and(|(start, found)| {
            offset - start < *found && size <= found - (offset - start)
        })
    }

    /// Where in the window an offset is.
    fn at(&self, offset: u64) -> u64 {
        self.base - self.window.start() as u64 + offset
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes of the window that an allocation takes, with the gap behind it.
fn taken(size: u64) -> Option<u64> {
    if size >= LARGE && size.is_multiple_of(LARGE) {
        return Some(size);
    }
    size.checked_next_multiple_of(page_size())?.checked_add(page_size())
}

impl Managed {
    /// The address for both sides.
    pub(crate) fn address(&self) -> u64 {
        self.memory.base + self.offset
    }

    /// The file with the bytes, and where they begin.
    pub(crate) fn file(&self) -> (&File, u64) {
        (&self.memory.file, self.offset)
    }

    /// Lets the program in or out.
    pub(crate) fn open(&self, open: bool) {
        let whole = self.size.next_multiple_of(page_size());
        // Failing to close lets a faulty program pass; failing to open cannot
        // happen to pages that were open before.
        let _ = self.memory.window.protect(self.memory.at(self.offset), whole, open);
    }
}

impl Drop for Managed {
    fn drop(&mut self) {
        self.memory.free(self.offset, self.size);
    }
}

#[cfg(test)]
#[path = "managed_tests.rs"]
mod tests;

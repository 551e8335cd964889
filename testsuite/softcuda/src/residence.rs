//! Where managed memory is, as far as it costs time to move it: on the host,
//! or on a device that used it last.
//!
//! Nothing is really moved. That the host has used a block again is seen
//! later: on the move to a device the program's page table loses the block's
//! entries, and `/proc/self/pagemap` tells which of them have come back.

use crate::host::resident;
use crate::mapping::{Mapping, page_size};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// What moves at once, as NVIDIA's driver moves at least so much at a fault.
const BLOCK: u64 = 64 << 10;

/// On the host, or nowhere yet.
const HOST: u8 = 0;

/// The place of each block behind an address.
#[derive(Debug)]
pub(crate) struct Residence {
    base: u64,
    places: Mapping,
    /// The program's page table, from the first look on.
    pages: OnceLock<Option<File>>,
}

impl Residence {
    /// `size` bytes behind the program's address `base`, all on the host.
    pub(crate) fn new(base: u64, size: u64) -> io::Result<Residence> {
        let places = Mapping::zeroed((size / BLOCK) as usize)?;
        Ok(Residence { base, places, pages: OnceLock::new() })
    }

    /// Moves the blocks of these bytes to a device: the number of bytes that
    /// were elsewhere. What was never touched begins where it is used first,
    /// and is not moved.
    pub(crate) fn to_device(&self, offset: u64, size: u64, device: usize) -> u64 {
        let place = u8::try_from(device + 1).unwrap_or(u8::MAX);
        let arrive = |(start, current): (u64, &AtomicU8)| {
            if current.load(Ordering::Relaxed) == place
                || current.swap(place, Ordering::Relaxed) == place
            {
                return 0;
            }
            // SAFETY: drops page table entries of shared memory, not bytes.
            unsafe { libc::madvise(start as *mut _, BLOCK as usize, libc::MADV_DONTNEED) };
            resident(start, BLOCK)
        };
        self.blocks(offset, size).map(arrive).sum()
    }

    /// Moves the blocks of these bytes to the host: the number of bytes that
    /// were on a device.
    pub(crate) fn to_host(&self, offset: u64, size: u64) -> u64 {
        let leave = |(start, current): (u64, &AtomicU8)| {
            if current.swap(HOST, Ordering::Relaxed) == HOST { 0 } else { resident(start, BLOCK) }
        };
        self.blocks(offset, size).map(leave).sum()
    }

    /// The same for those blocks that the host has used since they went to a
    /// device.
    pub(crate) fn returned(&self, offset: u64, size: u64) -> u64 {
        let pages = self.pages.get_or_init(|| File::open("/proc/self/pagemap").ok());
        let Some(pages) = pages else { return 0 };
        let present = |start: u64| {
            let page = page_size();
            let mut entries = [0; (BLOCK / 4096 * 8) as usize];
            let entries = &mut entries[..(BLOCK.div_ceil(page) * 8) as usize];
            let read = pages.read_exact_at(entries, start / page * 8);
            read.is_ok() && entries.chunks(8).any(|entry| entry[7] & 0x80 != 0)
        };
        let away = |(_, current): &(u64, &AtomicU8)| current.load(Ordering::Relaxed) != HOST;
        let used = self.blocks(offset, size).filter(away).filter(|(start, _)| present(*start));
        used.map(|(start, _)| self.to_host(start - self.base, 1)).sum()
    }

    /// The blocks that these bytes lie in, by their addresses.
    fn blocks(&self, offset: u64, size: u64) -> impl Iterator<Item = (u64, &AtomicU8)> {
        let first = (offset / BLOCK) as usize;
        let count = (offset + size).div_ceil(BLOCK) as usize - first;
        // SAFETY: the mapping holds so many bytes, is only ever accessed
        // through this slice, and lives as long as `self`.
        let places = unsafe {
            std::slice::from_raw_parts(self.places.start().cast::<AtomicU8>(), self.places.size())
        };
        let address = move |index| self.base + (first + index) as u64 * BLOCK;
        places[first..][..count]
            .iter()
            .enumerate()
            .map(move |(index, place)| (address(index), place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::memory_file;
    use crate::transfer;

    #[test]
    fn memory_moves_when_it_was_elsewhere() {
        let file = memory_file(4 * BLOCK).unwrap();
        let memory = Mapping::shared(&file, 0, (4 * BLOCK) as usize).unwrap();
        let base = memory.start() as u64;
        let residence = Residence::new(base, 4 * BLOCK).unwrap();
        assert_eq!(residence.to_device(0, 4 * BLOCK, 0), 0, "nothing is there yet");
        transfer::write(base, &[1; 2 * BLOCK as usize]).unwrap();
        assert_eq!(residence.returned(0, 4 * BLOCK), 2 * BLOCK);
        assert_eq!(residence.to_device(8, 8, 0), BLOCK, "the whole block");
        assert_eq!(residence.to_device(16, 8, 0), 0, "it is there");
        assert_eq!(residence.to_device(BLOCK - 4, 8, 1), 2 * BLOCK);
        assert_eq!(residence.returned(0, 4 * BLOCK), 0, "the host has not used it");
        let mut byte = [0];
        transfer::read(base + BLOCK, &mut byte).unwrap();
        assert_eq!(byte, [1], "the bytes are not lost");
        let used = residence.returned(0, 4 * BLOCK);
        // The kernel may bring in neighbours of the page that is read.
        assert!(used == BLOCK || used == 2 * BLOCK, "{used}");
        assert_eq!(residence.to_host(0, 4 * BLOCK) + used, 2 * BLOCK);
    }
}

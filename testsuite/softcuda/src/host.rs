//! What the kernel knows about memory of the host.

use crate::mapping::page_size;
use std::io;

/// How the host may use a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protection {
    /// At least a part is not mapped, or not readable.
    Unmapped,
    /// All is readable, not all is writable.
    ReadOnly,
    /// All is readable and writable.
    Writable,
}

/// A mapping that may be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mapped {
    pub(crate) start: u64,
    /// The first address behind it.
    pub(crate) end: u64,
    pub(crate) writable: bool,
}

/// The process's mappings at one moment, without those that nobody may read.
#[derive(Debug, Default)]
pub(crate) struct Mappings(Vec<Mapped>);

impl Mappings {
    /// Reads `/proc/self/maps`.
    pub(crate) fn now() -> io::Result<Mappings> {
        let text = std::fs::read("/proc/self/maps")?;
        Ok(Mappings(String::from_utf8_lossy(&text).lines().filter_map(Self::line).collect()))
    }

    fn line(line: &str) -> Option<Mapped> {
        let mut fields = line.split(' ');
        let (start, end) = fields.next()?.split_once('-')?;
        let flags = fields.next()?.as_bytes();
        let hex = |text| u64::from_str_radix(text, 16).ok();
        let (start, end) = (hex(start)?, hex(end)?);
        let writable = flags.get(1) == Some(&b'w');
        (flags.first() == Some(&b'r')).then_some(Mapped { start, end, writable })
    }

    /// The mapping that an address lies in.
    pub(crate) fn find(&self, address: u64) -> Option<Mapped> {
        let found = self.0.get(self.0.partition_point(|mapped| mapped.end <= address))?;
        (found.start <= address).then_some(*found)
    }

    /// How the host may use `[start, start + size)`.
    pub(crate) fn protection(&self, start: u64, size: u64) -> Protection {
        let end = start.saturating_add(size);
        let mut at = start;
        let mut protection = Protection::Writable;
        let first = self.0.partition_point(|mapped| mapped.end <= start);
        for mapped in &self.0[first..] {
            if mapped.start > at || at >= end {
                break;
            }
            if !mapped.writable {
                protection = Protection::ReadOnly;
            }
            at = mapped.end;
        }
        if at < end { Protection::Unmapped } else { protection }
    }
}

/// How many bytes of `[start, start + size)` are in memory now.
pub(crate) fn resident(start: u64, size: u64) -> u64 {
    let page = page_size();
    let first = start / page * page;
    let pages = (start + size - first).div_ceil(page) as usize;
    let mut states = vec![0u8; pages];
    // SAFETY: the vector has one byte for each page asked about.
    let result = unsafe {
        libc::mincore(first as *mut _, (pages as u64 * page) as usize, states.as_mut_ptr())
    };
    if result != 0 {
        return 0;
    }
    let resident = states.iter().filter(|state| **state & 1 != 0).count() as u64;
    (resident * page).min(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protection_of_a_range_is_that_of_its_weakest_page() {
        let mapped = |(start, end, writable)| Mapped { start, end, writable };
        let mappings = [(10, 20, true), (20, 30, false), (40, 50, true)].map(mapped);
        let mappings = Mappings(mappings.to_vec());
        assert_eq!(mappings.protection(12, 8), Protection::Writable);
        assert_eq!(mappings.protection(12, 9), Protection::ReadOnly);
        assert_eq!(mappings.protection(20, 10), Protection::ReadOnly);
        assert_eq!(mappings.protection(25, 20), Protection::Unmapped);
        assert_eq!(mappings.protection(45, 10), Protection::Unmapped);
        assert_eq!(mappings.protection(60, 1), Protection::Unmapped);
        let start = |address| mappings.find(address).map(|found| found.start);
        assert_eq!(
            [10, 19, 20, 30, 49, 50].map(start),
            [10, 10, 20, 0, 40, 0].map(|start| (start > 0).then_some(start))
        );
    }

    #[test]
    fn this_process_has_mappings() {
        let value = 1u64;
        let mappings = Mappings::now().unwrap();
        assert_eq!(mappings.protection(&raw const value as u64, 8), Protection::Writable);
        assert_eq!(mappings.protection(16, 8), Protection::Unmapped);
    }

    #[test]
    fn memory_is_cold_before_it_is_touched() {
        let mapping = crate::mapping::Mapping::zeroed(64 << 10).unwrap();
        let start = mapping.start() as u64;
        assert_eq!(resident(start, 64 << 10), 0);
        // SAFETY: the first byte of the mapping.
        unsafe { mapping.start().write(1) };
        assert_eq!(resident(start, 100), 100);
        assert!(resident(start, 64 << 10) < 64 << 10);
    }
}

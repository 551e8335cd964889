//! Managed memory ("Memory Management: cuMemAllocManaged"): one address for
//! host and device.
//!
//! The bytes are those of a file in memory with two mappings: the program's,
//! which is the address, and one for kernels and copies. So the program's can
//! be closed while a kernel is at work, as on devices without
//! `CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS`.

use crate::mapping::{Mapping, memory_file, page_size};
use std::fs::File;
use std::io;

/// `CU_MEM_ATTACH_GLOBAL` and the other flags of an allocation.
pub(crate) const ATTACH: std::ops::RangeInclusive<u32> = 1..=4;

/// One managed allocation.
#[derive(Debug)]
pub(crate) struct Managed {
    program: Mapping,
    own: Mapping,
    file: File,
}

impl Managed {
    /// At least `size` bytes of zeros.
    pub(crate) fn new(size: u64) -> io::Result<Managed> {
        let size = size.next_multiple_of(page_size());
        let file = memory_file(size)?;
        Ok(Managed {
            program: Mapping::shared(&file, size as usize)?,
            own: Mapping::shared(&file, size as usize)?,
            file,
        })
    }

    /// The address for both sides.
    pub(crate) fn address(&self) -> u64 {
        self.program.start() as u64
    }

    /// The bytes.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// The bytes for kernels, whether the program may touch them or not.
    pub(crate) fn own(&self) -> *mut u8 {
        self.own.start()
    }

    /// Lets the program in or out.
    pub(crate) fn open(&self, open: bool) {
        // Failing to close lets a faulty program pass; failing to open cannot
        // happen to pages that were open before.
        let _ = self.program.protect(open);
    }
}

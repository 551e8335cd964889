//! Managed memory ("Memory Management: cuMemAllocManaged"): one address for
//! host and device.
//!
//! The bytes are in a file in memory with two mappings: the program's, which
//! is the address, and one for kernels. So the program's can be closed while a
//! kernel is at work, as on devices without
//! `CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS`.

use crate::mapping::{Mapping, give_back, memory_file, page_size};
use std::fs::File;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// `CU_MEM_ATTACH_GLOBAL` and the other flags of an allocation.
pub(crate) const ATTACH: std::ops::RangeInclusive<u32> = 1..=4;

/// The file of all managed memory; none before the first allocation.
#[derive(Debug, Default)]
pub(crate) struct Pool(Mutex<Option<(Arc<File>, u64)>>);

/// One managed allocation.
#[derive(Debug)]
pub(crate) struct Managed {
    program: Mapping,
    own: Mapping,
    file: Arc<File>,
    offset: u64,
}

impl Pool {
    /// At least `size` bytes of zeros. No part of the file is used twice: what
    /// is freed takes no memory.
    pub(crate) fn allocate(&self, size: u64) -> io::Result<Managed> {
        let mut pool = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, offset) = match pool.take() {
            Some(pool) => pool,
            None => (Arc::new(memory_file(0)?), 0),
        };
        *pool = Some((Arc::clone(&file), offset));
        let too_large = || io::Error::from_raw_os_error(libc::ENOMEM);
        let size = size.checked_next_multiple_of(page_size()).ok_or_else(too_large)?;
        let end = offset.checked_add(size).ok_or_else(too_large)?;
        file.set_len(end)?;
        let program = Mapping::shared(&file, offset, size as usize)?;
        let own = Mapping::shared(&file, offset, size as usize)?;
        *pool = Some((Arc::clone(&file), end));
        Ok(Managed { program, own, file, offset })
    }
}

impl Managed {
    /// The address for both sides.
    pub(crate) fn address(&self) -> u64 {
        self.program.start() as u64
    }

    /// The file with the bytes, and where they begin.
    pub(crate) fn file(&self) -> (&File, u64) {
        (&self.file, self.offset)
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

impl Drop for Managed {
    fn drop(&mut self) {
        give_back(&self.file, self.offset, self.own.size() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn allocations_stay_apart() {
        let pool = Pool::default();
        let (first, second) = (pool.allocate(5000).unwrap(), pool.allocate(1).unwrap());
        let (file, offset) = second.file();
        file.write_all_at(b"x", offset).unwrap();
        // SAFETY: both allocations are alive and open.
        unsafe {
            assert_eq!((second.address() as *const u8).read(), b'x');
            assert_eq!(second.own().read(), b'x');
            assert_eq!((first.address() as *const u8).add(4999).read(), 0);
        }
        assert!(pool.allocate(u64::MAX).is_err());
        drop(second);
        assert!(pool.allocate(1).is_ok());
        assert_eq!(first.file().1, 0);
    }
}

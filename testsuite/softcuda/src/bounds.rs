//! Which bytes of a range are allocated, to the byte and without a lock.

use crate::mapping::Mapping;
use std::io;
use std::sync::atomic::{AtomicU16, Ordering};

/// For each granule of `GRANULE` bytes how many of its first bytes are
/// allocated: allocations begin with a granule and share none.
#[derive(Debug)]
pub(crate) struct Bounds<const GRANULE: u64>(Mapping);

impl<const GRANULE: u64> Bounds<GRANULE> {
    /// Of `size` bytes, a multiple of the granule, none allocated.
    pub(crate) fn new(size: u64) -> io::Result<Bounds<GRANULE>> {
        Mapping::zeroed((size / GRANULE * 2) as usize).map(Bounds)
    }

    /// Whether the bytes are allocated; also false where they are in more than
    /// one granule.
    #[inline]
    pub(crate) fn hold(&self, offset: u64, size: u64) -> bool {
        let valid = self.granules()[(offset / GRANULE) as usize].load(Ordering::Relaxed);
        offset % GRANULE + size <= u64::from(valid)
    }

    /// Takes note of an allocation, or of its end.
    pub(crate) fn mark(&self, offset: u64, size: u64, allocated: bool) {
        let granules = &self.granules()[(offset / GRANULE) as usize..];
        let mut left = size;
        for granule in granules.iter().take(size.div_ceil(GRANULE) as usize) {
            let bytes = left.min(GRANULE);
            granule.store(if allocated { bytes as u16 } else { 0 }, Ordering::Relaxed);
            left -= bytes;
        }
    }

    fn granules(&self) -> &[AtomicU16] {
        let count = self.0.size() / 2;
        // SAFETY: the mapping holds that many aligned numbers, is only ever
        // accessed through this slice, and lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.0.start().cast(), count) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_granule_may_be_partly_allocated() {
        let bounds = Bounds::<256>::new(1024).unwrap();
        bounds.mark(256, 300, true);
        assert!(bounds.hold(256, 256) && bounds.hold(512, 44) && bounds.hold(555, 1));
        assert!(!bounds.hold(512, 45) && !bounds.hold(255, 1) && !bounds.hold(768, 1));
        assert!(!bounds.hold(511, 2), "in two granules");
        bounds.mark(256, 300, false);
        assert!(!bounds.hold(256, 1) && !bounds.hold(512, 1));
    }
}

use core::ops::ControlFlow;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::block;
use crate::sync::{AtomicPtr, AtomicU64, const_fn, nulls};
use crate::{GRANULE, Range};

#[cfg(not(all(loom, test)))]
const LEAF: usize = 1 << 16;
#[cfg(not(all(loom, test)))]
const TOP: usize = 1 << 16;
#[cfg(all(loom, test))]
const LEAF: usize = 8;
#[cfg(all(loom, test))]
const TOP: usize = 1;

/// Which regions touch a granule. A region is no smaller than a granule, so
/// one that touches it holds its first or its last byte: the low half of a
/// slot is the id of the region with the first byte, the high half that of
/// another one, which begins inside the granule.
///
/// Everybody reads, one thread at a time writes. A slot may be older than the
/// records that it names; whoever follows it looks.
#[derive(Debug)]
pub(crate) struct Table {
    top: [AtomicPtr<[AtomicU64; LEAF]>; TOP],
}

impl Table {
    const_fn! {
        pub(crate) fn new() -> Table {
            Table { top: nulls() }
        }
    }

    /// Whether all of `range` has slots.
    pub(crate) fn reaches(range: Range) -> bool {
        (range.end - 1) / GRANULE < LEAF * TOP
    }

    /// The ids at an address, 0 for none.
    #[inline]
    pub(crate) fn at(&self, address: usize) -> [u32; 2] {
        let granule = address / GRANULE;
        let Some(leaf) = self.top.get(granule / LEAF) else { return [0, 0] };
        match Self::leaf(leaf) {
            Some(leaf) => ids(leaf[granule % LEAF].load(Acquire)),
            None => [0, 0],
        }
    }

    fn leaf(place: &AtomicPtr<[AtomicU64; LEAF]>) -> Option<&[AtomicU64; LEAF]> {
        // SAFETY: a leaf stays once it is there.
        unsafe { place.load(Acquire).as_ref() }
    }

    /// Shows `visit` the ids in the slots of `range`, until it breaks. It says
    /// whether an id was old; a slot that changed since is then shown again.
    pub(crate) fn scan<B>(
        &self,
        range: Range,
        mut visit: impl FnMut([u32; 2]) -> ControlFlow<B, bool>,
    ) -> Option<B> {
        let end = ((range.end - 1) / GRANULE + 1).min(LEAF * TOP);
        let mut granule = range.start / GRANULE;
        while granule < end {
            let Some(leaf) = Self::leaf(&self.top[granule / LEAF]) else {
                granule = (granule / LEAF + 1) * LEAF;
                continue;
            };
            let mut slot = leaf[granule % LEAF].load(Acquire);
            while slot != 0 {
                match visit(ids(slot)) {
                    ControlFlow::Break(found) => return Some(found),
                    ControlFlow::Continue(false) => break,
                    ControlFlow::Continue(true) => {
                        let now = leaf[granule % LEAF].load(Acquire);
                        if now == slot {
                            break;
                        }
                        slot = now;
                    }
                }
            }
            granule += 1;
        }
        None
    }

    /// Makes the leaves for `range`; nothing without memory.
    pub(crate) fn reserve(&self, range: Range) -> Option<()> {
        let leaves = range.start / GRANULE / LEAF..=(range.end - 1) / GRANULE / LEAF;
        self.top[leaves].iter().try_for_each(block::ensure)
    }

    /// Enters a region, over all that stood in its place. Its leaves are there.
    pub(crate) fn enter(&self, range: Range, id: u32) {
        self.write(range, |half| *half = id);
    }

    /// Takes a region out, where it still stands.
    pub(crate) fn clear(&self, range: Range, id: u32) {
        self.write(range, |half| {
            if *half == id {
                *half = 0;
            }
        });
    }

    fn write(&self, range: Range, change: impl Fn(&mut u32)) {
        for granule in range.start / GRANULE..=(range.end - 1) / GRANULE {
            if let Some(leaf) = Self::leaf(&self.top[granule / LEAF]) {
                let slot = &leaf[granule % LEAF];
                let mut ids = ids(slot.load(Relaxed));
                change(&mut ids[usize::from(range.start > granule * GRANULE)]);
                slot.store(u64::from(ids[0]) | u64::from(ids[1]) << 32, Release);
            }
        }
    }
}

fn ids(slot: u64) -> [u32; 2] {
    [slot as u32, (slot >> 32) as u32]
}

impl Drop for Table {
    fn drop(&mut self) {
        self.top.iter().for_each(block::release);
    }
}

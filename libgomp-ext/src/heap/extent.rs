//! What is known of the range's extents: beside the memory, never in it, so
//! that no overrun of the program's destroys it.

use core::ptr;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Bytes of address space that blocks are placed in units of.
pub(super) const GRANULE: usize = 64 << 10;

/// No extent.
pub(super) const NONE: u32 = u32::MAX;

/// What an extent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum State {
    /// Not yet an extent.
    Nothing = 0,
    /// Free; reads as zeros and has no pages.
    Clean,
    /// Free, with pages.
    Dirty,
    /// Free, with pages that may be registered: recycled whole.
    Kept,
    /// A block of the program's.
    Live,
    /// On its way from one of these to another, without the lock.
    Transit,
    /// Never used again, since the kernel could not make it clean.
    Lost,
}

/// An extent; the record is that of its first granule.
pub(super) struct Extent {
    /// In granules.
    pub(super) length: u32,
    /// In the record of the *last* granule: the first one.
    pub(super) head: u32,
    /// Neighbours in the list of its size class.
    pub(super) previous: u32,
    pub(super) next: u32,
    /// Neighbours in the pool by age.
    pub(super) older: u32,
    pub(super) newer: u32,
    /// When it was freed, in milliseconds.
    pub(super) time: u32,
    /// The heap's while it is kept.
    pub(super) generation: u32,
    pub(super) state: State,
    /// Whether the kernel may hold a part of it apart from its neighbours:
    /// pages were moved into it, or it was advised to be of huge ones.
    pub(super) apart: bool,
}

/// The records, by granule, in memory that begins as zeros.
pub(super) struct Table {
    extents: *mut Extent,
    capacity: u32,
}

// SAFETY: the records are the table's own.
unsafe impl Send for Table {}

impl Table {
    pub(super) const EMPTY: Table = Table { extents: ptr::null_mut(), capacity: 0 };

    /// Bytes of zeros that records and index of so many granules need.
    pub(super) const fn size(granules: u32) -> usize {
        let granules = granules as usize;
        granules * (size_of::<Extent>() + size_of::<u32>()) + granules.div_ceil(64) * 8
    }

    /// # Safety
    /// `memory` is [`Table::size`] zeros that nobody else uses, ever after,
    /// but an [`Index`] of it.
    pub(super) unsafe fn new(memory: usize, granules: u32) -> Table {
        Table { extents: ptr::with_exposed_provenance_mut(memory), capacity: granules }
    }

    pub(super) fn at(&mut self, granule: u32) -> &mut Extent {
        debug_assert!(granule < self.capacity);
        // SAFETY: within the table; zeros are a valid record.
        unsafe { &mut *self.extents.add(granule as usize) }
    }

    /// Makes `length` granules from `first` an extent in no list.
    pub(super) fn lay(&mut self, first: u32, length: u32, state: State) -> &mut Extent {
        self.at(first + length - 1).head = first;
        let extent = self.at(first);
        extent.length = length;
        extent.state = state;
        extent
    }

    /// The extent that ends before `first`, if there is one.
    pub(super) fn before(&mut self, first: u32) -> Option<u32> {
        (first > 0).then(|| self.at(first - 1).head)
    }
}

/// Beside a number of pages, of which there are at most 2^28.
const KEPT: u32 = 1 << 31;

/// Where live blocks begin and how long they are; read without the lock.
#[derive(Clone, Copy)]
pub(super) struct Index {
    /// A block's pages, by its first granule, and [`KEPT`].
    pages: *const AtomicU32,
    /// A bit for each granule that a live block begins at.
    live: *const AtomicU64,
}

// SAFETY: atomics that are never unmapped.
unsafe impl Send for Index {}

impl Index {
    pub(super) const EMPTY: Index = Index { pages: ptr::null(), live: ptr::null() };

    /// # Safety
    /// `memory` is that of a [`Table`] of as many granules.
    pub(super) unsafe fn new(memory: usize, granules: u32) -> Index {
        let live = memory + granules as usize * size_of::<Extent>();
        Index {
            live: ptr::with_exposed_provenance(live),
            pages: ptr::with_exposed_provenance(live + granules.div_ceil(64) as usize * 8),
        }
    }

    fn word(&self, granule: u32) -> &AtomicU64 {
        // SAFETY: within the table.
        unsafe { &*self.live.add(granule as usize / 64) }
    }

    /// With the heap's lock held, so that there is one writer.
    pub(super) fn begin(&self, granule: u32) {
        let word = self.word(granule);
        word.store(word.load(Ordering::Relaxed) | 1 << (granule % 64), Ordering::Relaxed);
    }

    /// As [`Index::begin`].
    pub(super) fn end(&self, granule: u32) {
        let word = self.word(granule);
        word.store(word.load(Ordering::Relaxed) & !(1 << (granule % 64)), Ordering::Relaxed);
    }

    pub(super) fn begins(&self, granule: u32) -> bool {
        self.word(granule).load(Ordering::Relaxed) & (1 << (granule % 64)) != 0
    }

    /// The last live block that begins at or before `granule`.
    pub(super) fn find(&self, granule: u32) -> Option<u32> {
        let mut word = granule / 64;
        let mut bits =
            self.word(granule).load(Ordering::Relaxed) & (u64::MAX >> (63 - granule % 64));
        while bits == 0 {
            word = word.checked_sub(1)?;
            bits = self.word(word * 64).load(Ordering::Relaxed);
        }
        Some(word * 64 + 63 - bits.leading_zeros())
    }

    fn extent(&self, granule: u32) -> &AtomicU32 {
        // SAFETY: within the table.
        unsafe { &*self.pages.add(granule as usize) }
    }

    pub(super) fn pages(&self, granule: u32) -> u32 {
        self.extent(granule).load(Ordering::Relaxed) & !KEPT
    }

    /// Of a block that is not kept, until it is.
    pub(super) fn set_pages(&self, granule: u32, pages: u32) {
        self.extent(granule).store(pages, Ordering::Relaxed);
    }

    /// Whether the block was kept; perhaps it no longer is.
    pub(super) fn is_kept(&self, granule: u32) -> bool {
        self.extent(granule).load(Ordering::Relaxed) & KEPT != 0
    }

    pub(super) fn keep(&self, granule: u32) {
        self.extent(granule).fetch_or(KEPT, Ordering::Relaxed);
    }
}

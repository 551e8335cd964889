//! Blocks in the range: where they are placed, and what becomes of them.
//!
//! All of it below `top` is committed. Everything here happens with the lock
//! held, and nothing here calls anybody but the kernel.

mod resize;

use crate::kernel;
use offmem_registration::{PAGE, Range};
use serde::Serialize;

use super::extent::{GRANULE, Index, State, Table};
use super::pool::Pool;

pub(super) use self::resize::Resize;

/// How long freed memory stays resident, in milliseconds: long enough for the
/// iterations of a solver, short enough for a program that has gone on to
/// something else.
const DECAY: u32 = 2000;

/// The same of a kept block: what the host does between two uses of a buffer
/// may take some seconds, and registering it again costs more than its memory.
const KEPT_DECAY: u32 = 10_000;

/// Resident free memory that is always allowed, in bytes; at most a 64th of the machine's.
const DIRTY_MIN: usize = 256 << 20;

/// `calloc` of more than this many bytes takes untouched memory rather than
/// clearing what was used before, as with glibc, which maps such blocks: a
/// large table may be touched here and there only.
const CLEAR_MAX: usize = 32 << 20;

/// What [`Arena::allocate`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) address: usize,
    /// Whether it reads as zeros.
    pub(super) zeroed: bool,
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// Any content.
    Any,
    /// Zeros.
    Zeros,
    /// Pages that come from elsewhere: resident ones would be dropped.
    Pages,
}

/// An extent to be purged, or no longer kept, without the lock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    first: u32,
    length: u32,
    /// All of it.
    pub(super) range: Range,
    /// The block that was kept in it, if one was.
    pub(super) kept: Option<Range>,
    /// See [`super::extent::Extent::apart`].
    pub(super) apart: bool,
}

/// Figures of a moment; sizes in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Statistics {
    /// In live blocks, with what they are rounded up to.
    #[serde(rename = "live_bytes")]
    pub(crate) live: usize,
    /// The most that was ever live.
    #[serde(rename = "peak_bytes")]
    pub(crate) peak: usize,
    /// Free and resident.
    #[serde(rename = "dirty_bytes")]
    pub(crate) dirty: usize,
    /// Free and perhaps registered.
    #[serde(rename = "kept_bytes")]
    pub(crate) kept: usize,
    /// Of the range, what was ever used.
    #[serde(rename = "used_bytes")]
    pub(crate) used: usize,
    /// Blocks allocated so far.
    pub(crate) allocations: u64,
    /// Of these, such as were kept before.
    pub(crate) recycled: u64,
}

/// The state of the range.
pub(super) struct Arena {
    table: Table,
    index: Index,
    /// Of the range.
    base: usize,
    granules: u32,
    top: u32,
    clean: Pool,
    dirty: Pool,
    kept: Pool,
    live: usize,
    peak: usize,
    allocations: u64,
    recycled: u64,
    /// That of kept blocks; another one makes all of them plain.
    generation: u32,
    pub(super) kept_limit: usize,
    dirty_min: usize,
}

/// Whether what was freed at `time` has been free for longer than `most`, in milliseconds.
fn is_old(time: u32, now: u32, most: u32) -> bool {
    now.wrapping_sub(time) >= most
}

/// Granules for so many bytes.
fn granules(bytes: usize) -> Option<u32> {
    u32::try_from(bytes.div_ceil(GRANULE).max(1)).ok()
}

impl Arena {
    pub(super) const EMPTY: Arena = Arena {
        table: Table::EMPTY,
        index: Index::EMPTY,
        base: 0,
        granules: 0,
        top: 0,
        clean: Pool::new(State::Clean),
        dirty: Pool::new(State::Dirty),
        kept: Pool::new(State::Kept),
        live: 0,
        peak: 0,
        allocations: 0,
        recycled: 0,
        generation: 1,
        kept_limit: usize::MAX,
        dirty_min: DIRTY_MIN,
    };

    /// Begins with a reserved range and zeros for [`Table::size`].
    ///
    /// # Safety
    /// Nobody else uses either.
    pub(super) unsafe fn begin(&mut self, base: usize, granules: u32, memory: usize) {
        self.dirty_min = DIRTY_MIN.min(kernel::memory_size() / 64);
        // SAFETY: the caller's.
        unsafe {
            self.table = Table::new(memory, granules);
            self.index = Index::new(memory, granules);
        }
        (self.base, self.granules) = (base, granules);
    }

    pub(super) fn is_begun(&self) -> bool {
        self.granules > 0
    }

    /// A block of at least `bytes`, at a multiple of `align`, a power of two.
    /// Nothing where the range or the machine has no room.
    pub(super) fn allocate(&mut self, bytes: usize, align: usize, need: Need) -> Option<Block> {
        let length = granules(bytes).filter(|length| *length <= self.granules)?;
        if need != Need::Pages
            && align <= GRANULE
            && let Some(address) = self.recycle(bytes, length)
        {
            return Some(Block { address, zeroed: false });
        }
        let dirty = need == Need::Any || need == Need::Zeros && bytes <= CLEAR_MAX;
        let (first, zeroed) = self.place(length, align, dirty)?;
        self.start(first, length, bytes.div_ceil(PAGE));
        Some(Block { address: self.address(first), zeroed })
    }

    /// A kept block that is at most an eighth too long, as it is.
    fn recycle(&mut self, bytes: usize, length: u32) -> Option<usize> {
        if self.kept.granules == 0 {
            return None;
        }
        let index = self.index;
        let most = bytes + bytes / 8;
        let suits = |first| (bytes..=most).contains(&(index.pages(first) as usize * PAGE));
        let first =
            self.kept.snug(&mut self.table, length, granules(most)?.min(self.granules), suits)?;
        let length = self.kept.remove(&mut self.table, first);
        self.recycled += 1;
        self.start(first, length, index.pages(first) as usize);
        self.keep(first);
        Some(self.address(first))
    }

    /// The extent becomes a live block.
    fn start(&mut self, first: u32, length: u32, pages: usize) {
        let extent = self.table.lay(first, length, State::Live);
        extent.generation = 0;
        // At most 2^28: a range has 1 TiB.
        self.index.set_pages(first, pages as u32);
        self.index.begin(first);
        self.live += length as usize * GRANULE;
        self.peak = self.peak.max(self.live);
        self.allocations += 1;
    }

    /// The live block is just an extent again. Returns its length.
    fn stop(&mut self, first: u32) -> u32 {
        self.index.end(first);
        let extent = self.table.at(first);
        extent.state = State::Transit;
        let length = extent.length;
        self.live -= length as usize * GRANULE;
        length
    }

    /// An extent of `length` in no list, and whether it is clean.
    fn place(&mut self, length: u32, align: usize, dirty: bool) -> Option<(u32, bool)> {
        let align = granules(align)?;
        let span = length.checked_add(align - 1).filter(|span| *span <= self.granules)?;
        if dirty && let Some(found) = self.dirty.fit(&mut self.table, span) {
            let (span, time) =
                (self.dirty.remove(&mut self.table, found), self.table.at(found).time);
            return Some((self.carve(found, span, length, align, State::Dirty, time), false));
        }
        if let Some(found) = self.clean.fit(&mut self.table, span) {
            let span = self.clean.remove(&mut self.table, found);
            return Some((self.carve(found, span, length, align, State::Clean, 0), true));
        }
        // At the top, where a clean extent may make a beginning.
        let last = self.before_top(State::Clean);
        let start = last.unwrap_or(self.top);
        let end = self.aligned(start, align).checked_add(length)?;
        if end > self.top && !self.extend(end) {
            return None;
        }
        if let Some(last) = last {
            self.clean.remove(&mut self.table, last);
        } else {
            self.table.at(start).apart = false;
        }
        Some((self.carve(start, self.top - start, length, align, State::Clean, 0), true))
    }

    /// Commits all below `end`.
    fn extend(&mut self, end: u32) -> bool {
        let size = (end - self.top) as usize * GRANULE;
        let room = end <= self.granules && kernel::commit(self.address(self.top), size);
        if room {
            self.top = end;
        }
        room
    }

    fn before_top(&mut self, state: State) -> Option<u32> {
        self.table.before(self.top).filter(|last| self.table.at(*last).state == state)
    }

    /// The first granule from `granule` whose address is a multiple of `align` granules.
    fn aligned(&self, granule: u32, align: u32) -> u32 {
        let origin = (self.base / GRANULE) as u64;
        let aligned = (origin + u64::from(granule)).next_multiple_of(align.into()) - origin;
        aligned.min(u32::MAX.into()) as u32
    }

    /// Takes an aligned part of `length` out of an extent that is in no list; what is left over
    /// is free again.
    fn carve(
        &mut self,
        found: u32,
        span: u32,
        length: u32,
        align: u32,
        state: State,
        time: u32,
    ) -> u32 {
        let apart = self.table.at(found).apart;
        let first = self.aligned(found, align);
        let (end, last) = (first + length, found + span);
        self.table.lay(first, length, State::Transit).apart = apart;
        if found < first {
            self.release(found, first - found, state, time, apart);
        }
        if end < last {
            self.release(end, last - end, state, time, apart);
        }
        first
    }

    /// Takes an extent that is in no list into the pool of `state`, Clean or
    /// Dirty, together with neighbours there.
    fn release(
        &mut self,
        mut first: u32,
        mut length: u32,
        state: State,
        time: u32,
        mut apart: bool,
    ) {
        let pool = if state == State::Clean { &mut self.clean } else { &mut self.dirty };
        let table = &mut self.table;
        let behind = first + length;
        if behind < self.top && table.at(behind).state == state {
            length += pool.remove(table, behind);
            apart |= table.at(behind).apart;
        }
        if let Some(before) = table.before(first)
            && table.at(before).state == state
        {
            length += pool.remove(table, before);
            apart |= table.at(before).apart;
            first = before;
        }
        pool.insert(table, first, length, time);
        table.at(first).apart = apart;
    }

    /// The live block that begins at `address`.
    pub(super) fn find(&self, address: usize) -> Option<u32> {
        let offset = address - self.base;
        let first = (offset / GRANULE) as u32;
        (offset.is_multiple_of(GRANULE) && self.index.begins(first)).then_some(first)
    }

    /// Marks a live block as kept: freed, it is recycled whole.
    pub(super) fn keep(&mut self, first: u32) {
        self.table.at(first).generation = self.generation;
        self.index.keep(first);
    }

    /// See [`super::extent::Extent::apart`].
    pub(super) fn set_apart(&mut self, first: u32) {
        self.table.at(first).apart = true;
    }

    /// Whether a live block is kept.
    pub(super) fn is_kept(&mut self, first: u32) -> bool {
        self.table.at(first).generation == self.generation
    }

    /// Ends a live block. Returns its pages if it is kept.
    pub(super) fn free(&mut self, first: u32, now: u32) -> Option<Range> {
        let kept = self.is_kept(first);
        let length = self.stop(first);
        if kept {
            self.kept.insert(&mut self.table, first, length, now);
            return Some(self.block(first));
        }
        let apart = self.table.at(first).apart;
        self.release(first, length, State::Dirty, now, apart);
        None
    }

    /// Takes out a plain extent that has been free for too long, or that is too much.
    pub(super) fn overdue(&mut self, now: u32) -> Option<Work> {
        let allowed = self.dirty_min.max(self.live / 4);
        let (first, time) = self.dirty.oldest(&mut self.table)?;
        if is_old(time, now, DECAY) || self.dirty.granules * GRANULE > allowed {
            let length = self.dirty.remove(&mut self.table, first);
            return Some(self.work(first, length, None));
        }
        None
    }

    /// The same of a kept one.
    pub(super) fn overdue_kept(&mut self, now: u32) -> Option<Work> {
        let (first, time) = self.kept.oldest(&mut self.table)?;
        if is_old(time, now, KEPT_DECAY) || self.kept.granules * GRANULE > self.kept_limit {
            let length = self.kept.remove(&mut self.table, first);
            let kept = Some(self.block(first));
            return Some(self.work(first, length, kept));
        }
        None
    }

    /// Bytes of kept blocks that are free.
    pub(super) fn kept_free(&self) -> usize {
        self.kept.granules * GRANULE
    }

    fn work(&mut self, first: u32, length: u32, kept: Option<Range>) -> Work {
        let apart = self.table.at(first).apart;
        Work { first, length, range: self.range(first, length), kept, apart }
    }

    /// The work is done; `clean` says whether the extent may be used again.
    pub(super) fn done(&mut self, work: &Work, clean: bool) {
        self.settle(work.first, work.length, clean);
    }

    fn settle(&mut self, first: u32, length: u32, clean: bool) {
        if clean {
            self.release(first, length, State::Clean, 0, false);
        } else {
            self.table.lay(first, length, State::Lost);
        }
    }

    /// Nothing is kept any more: what was becomes plain.
    pub(super) fn forget_all(&mut self, now: u32) {
        self.generation += 1;
        while let Some((first, _)) = self.kept.oldest(&mut self.table) {
            let length = self.kept.remove(&mut self.table, first);
            let apart = self.table.at(first).apart;
            self.release(first, length, State::Dirty, now, apart);
        }
    }

    pub(super) fn statistics(&self) -> Statistics {
        Statistics {
            live: self.live,
            peak: self.peak,
            dirty: self.dirty.granules * GRANULE,
            kept: self.kept.granules * GRANULE,
            used: self.top as usize * GRANULE,
            allocations: self.allocations,
            recycled: self.recycled,
        }
    }

    /// First granule, length and state of each extent.
    #[cfg(test)]
    pub(super) fn walk(&mut self) -> Vec<(u32, u32, State)> {
        let mut extents = Vec::new();
        let mut first = 0;
        while first < self.top {
            let extent = self.table.at(first);
            let (length, state) = (extent.length, extent.state);
            assert_eq!(self.table.before(first + length), Some(first));
            extents.push((first, length, state));
            first += length;
        }
        extents
    }

    pub(super) fn address(&self, first: u32) -> usize {
        self.base + first as usize * GRANULE
    }

    fn range(&self, first: u32, length: u32) -> Range {
        let start = self.address(first);
        Range { start, end: start + length as usize * GRANULE }
    }

    /// The pages of the block that begins, or began last, at `first`.
    pub(super) fn block(&self, first: u32) -> Range {
        let start = self.address(first);
        Range { start, end: start + self.index.pages(first) as usize * PAGE }
    }
}

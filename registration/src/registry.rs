use core::ops::ControlFlow;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::collections::BTreeMap;

use crate::operations::Unfit;
use crate::record::{Free, Record, Records};
use crate::region::{Lifetime, Region, Use};
use crate::state::{Phase, State};
use crate::sync::{AtomicU64, Blocked, Guard, Lock, const_fn};
use crate::table::Table;
use crate::{GRANULE, Range};

/// The regions of a process: ranges of host memory that take part in
/// offloading, no two of which overlap.
///
/// Any thread may call anything at any time. [`find`](Registry::find) takes no
/// lock; the rest takes one for a moment, never while it is at the driver.
/// What waits, waits for one region, which another thread has at the driver.
#[derive(Debug)]
pub struct Registry {
    table: Table,
    records: Records,
    /// Rises with each change, and stamps what is used.
    tick: AtomicU64,
    generation: AtomicU64,
    /// Taken with signals blocked, until the driver has returned, too: a handler
    /// that unmaps memory must not wait for its own thread.
    inner: Lock<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    /// Ids of all regions in the table, by their start.
    index: BTreeMap<usize, u32>,
    /// Dropped regions that are still used: memory that a copy may be in.
    ghosts: Vec<u32>,
    free: Free,
    pub(crate) statistics: Statistics,
}

/// What a lookup says about a range.
#[derive(Debug)]
#[must_use]
pub enum Found<'r> {
    /// One region holds all of it.
    Inside(Use<'r>),
    /// It overlaps regions, or one that is about to go, and none holds it:
    /// before a copy, see [`Registry::join`].
    Across,
    /// It overlaps none.
    Outside,
}

/// Bytes and counts since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Regions.
    pub regions: usize,
    /// Bytes that are registered by us, or just being registered.
    pub registered_bytes: usize,
    /// The most that ever were.
    pub peak_bytes: usize,
    /// Registrations.
    pub registrations: u64,
    /// Registrations undone, for whatever reason.
    pub unregistrations: u64,
    /// Those undone for want of room.
    pub evictions: u64,
    /// Regions that turned out to be registered by somebody else.
    pub adoptions: u64,
    /// What the driver did not do, but for those.
    pub failures: u64,
}

impl Default for Registry {
    fn default() -> Registry {
        Registry::new()
    }
}

impl Registry {
    const_fn! {
        /// No regions. It is for a static, half a megabyte of zeros, which take no
        /// memory before the first region.
        pub fn new() -> Registry {
            Registry {
                table: Table::new(),
                records: Records::new(),
                tick: AtomicU64::new(0),
                generation: AtomicU64::new(0),
                inner: Lock::new(Inner {
                    index: BTreeMap::new(),
                    ghosts: Vec::new(),
                    free: Free::new(),
                    statistics: Statistics::new(),
                }),
            }
        }
    }

    /// The region that holds all of `range`. Takes no lock and allocates nothing.
    #[inline]
    pub fn find(&self, range: Range) -> Found<'_> {
        for id in self.table.at(range.start) {
            if id != 0 {
                let record = self.records.get(id);
                if record.hold(range) {
                    return Found::Inside(self.used(record));
                }
            }
        }
        self.search(range)
    }

    #[cold]
    fn search(&self, range: Range) -> Found<'_> {
        let found = self.table.scan(range, |ids| {
            let mut old = false;
            for record in ids.into_iter().filter(|&id| id != 0).map(|id| self.records.get(id)) {
                loop {
                    if record.hold(range) {
                        return ControlFlow::Break(Found::Inside(self.used(record)));
                    }
                    match record.peek() {
                        Some((phase, region)) if region.overlaps(range) => {
                            // Else it became another region meanwhile.
                            if phase < Phase::Unregistered || !region.contains(range) {
                                return ControlFlow::Break(Found::Across);
                            }
                        }
                        _ => break,
                    }
                }
                old = true;
            }
            ControlFlow::Continue(old)
        });
        found.unwrap_or(Found::Outside)
    }

    /// A use that was counted already.
    #[inline]
    fn used<'r>(&'r self, record: &'r Record) -> Use<'r> {
        // Written only where it changes, so that hits do not contend for it.
        let now = self.tick.load(Relaxed);
        if record.used.load(Relaxed) != now {
            record.used.store(now, Relaxed);
        }
        Use::new(self, record)
    }

    /// A new, unregistered region; or the one that holds all of `range` since
    /// another thread added it.
    ///
    /// # Errors
    /// Why there can be none.
    pub fn add(&self, range: Range, lifetime: Lifetime) -> Result<Use<'_>, Unfit> {
        let _signals = Blocked::all();
        let mut inner = self.lock();
        match self.first(&inner, range) {
            None => self.link(&mut inner, range, lifetime, 0, 0),
            Some(record) if record.hold(range) => Ok(self.used(record)),
            Some(_) => Err(Unfit::Across),
        }
    }

    /// Rises whenever a region stops being registered or goes, so a hit may be
    /// remembered while this stays.
    pub fn generation(&self) -> u64 {
        self.generation.load(Acquire)
    }

    /// How many regions and bytes there are, and what happened so far.
    pub fn statistics(&self) -> Statistics {
        let _signals = Blocked::all();
        let inner = self.lock();
        Statistics { regions: inner.index.len(), ..inner.statistics }
    }

    /// Shows all regions, by address. `show` must not call the registry: it
    /// is locked.
    pub fn for_each(&self, mut show: impl FnMut(Region)) {
        let _signals = Blocked::all();
        let inner = self.lock();
        for &id in inner.index.values() {
            show(Region::of(self.records.get(id)));
        }
    }

    /// Shows the regions that overlap `range`, each with its [`Use::cost`].
    /// `show` must not call the registry: it is locked.
    pub fn for_overlapping(&self, range: Range, mut show: impl FnMut(Region, &AtomicU64)) {
        if self.is_clear(range) {
            return;
        }
        let _signals = Blocked::all();
        let inner = self.lock();
        for record in self.overlapping(&inner, range) {
            show(Region::of(record), &record.cost);
        }
    }

    /// Lets the regions that overlap `range` be evicted again, and be registered
    /// by us where they were by somebody else: a block of memory was freed, so no
    /// copy of it can be under way, and who had it has no use for it any more.
    pub fn settle(&self, range: Range) {
        let _signals = Blocked::all();
        let inner = self.lock();
        for record in self.overlapping(&inner, range) {
            record.state.fetch_and(!State::STICKY, Release);
            if record.phase() == Phase::Adopted {
                record.cost.store(0, Relaxed);
                record.enter(Phase::Unregistered);
            }
        }
    }

    /// In the child of a `fork`: what the parent registered is not registered
    /// here. All regions go, and the driver is not told. Uses stay valid.
    pub fn forget(&self) {
        let _signals = Blocked::all();
        let mut inner = self.lock();
        // The slots stay: they would be copied page by page only to be cleared,
        // and whoever follows them looks.
        for id in core::mem::take(&mut inner.index).into_values() {
            self.retire(&mut inner, self.records.get(id));
        }
        inner.statistics.registered_bytes = 0;
        self.stale();
    }

    /// Before `fork`: so that the child gets a consistent registry.
    #[cfg(not(all(loom, test)))]
    pub fn acquire(&self) {
        self.inner.acquire();
    }

    /// After `fork`, in the parent and in the child.
    ///
    /// # Safety
    /// This thread, or its parent before the `fork`, called [`Registry::acquire`].
    #[cfg(not(all(loom, test)))]
    pub unsafe fn release(&self) {
        // SAFETY: the caller's.
        unsafe { self.inner.release() };
    }

    pub(crate) fn record(&self, id: u32) -> &Record {
        self.records.get(id)
    }

    pub(crate) fn lock(&self) -> Guard<'_, Inner> {
        self.inner.lock()
    }

    /// Regions that overlap `range`, from the last to the first.
    pub(crate) fn overlapping<'r>(
        &'r self,
        inner: &Inner,
        range: Range,
    ) -> impl Iterator<Item = &'r Record> {
        let before = inner.index.range(..range.end).rev();
        before
            .map(|(_, &id)| self.records.get(id))
            .take_while(move |record| record.range().end > range.start)
    }

    /// One of them.
    pub(crate) fn first<'r>(&'r self, inner: &Inner, range: Range) -> Option<&'r Record> {
        self.overlapping(inner, range).next()
    }

    /// Whether no region overlaps a small `range`; without the lock.
    pub(crate) fn is_clear(&self, range: Range) -> bool {
        const FEW: usize = 64 * GRANULE;
        range.size() <= FEW && matches!(self.search(range), Found::Outside)
    }

    /// Enters a region that overlaps only such as the caller takes out next.
    pub(crate) fn link(
        &self,
        inner: &mut Inner,
        range: Range,
        lifetime: Lifetime,
        cost: u64,
        flags: u64,
    ) -> Result<Use<'_>, Unfit> {
        if range.size() < GRANULE {
            return Err(Unfit::Small);
        }
        if !Table::reaches(range) {
            return Err(Unfit::Unreachable);
        }
        self.table.reserve(range).ok_or(Unfit::Full)?;
        let record = self.records.take(&mut inner.free).ok_or(Unfit::Full)?;
        record.cost.store(cost, Relaxed);
        record.kept.store(u32::from(lifetime == Lifetime::Kept), Relaxed);
        record.used.store(self.advance(), Relaxed);
        record.begin(range, flags);
        let id = record.id.load(Relaxed);
        self.table.enter(range, id);
        inner.index.insert(range.start, id);
        Ok(Use::new(self, record))
    }

    /// Takes a region out of the table, and out of the index unless another
    /// took its place there.
    pub(crate) fn unlink(&self, inner: &mut Inner, record: &Record) {
        let (range, id) = (record.range(), record.id.load(Relaxed));
        self.table.clear(range, id);
        if inner.index.get(&range.start) == Some(&id) {
            inner.index.remove(&range.start);
        }
        self.retire(inner, record);
        self.stale();
    }

    /// From here on the record is its users' only.
    fn retire(&self, inner: &mut Inner, record: &Record) {
        if record.enter(Phase::Gone).users() == 0 {
            self.records.give(&mut inner.free, record);
        } else {
            inner.ghosts.push(record.id.load(Relaxed));
        }
    }

    /// The last user of a dropped region is gone.
    #[cold]
    pub(crate) fn recycle(&self, record: &Record) {
        let _signals = Blocked::all();
        let mut inner = self.lock();
        let id = record.id.load(Relaxed);
        inner.ghosts.retain(|&ghost| ghost != id);
        self.records.give(&mut inner.free, record);
    }

    /// Whether a copy may be under way in dropped memory that `range` cuts: it
    /// would fail if only a part of it became registered.
    pub(crate) fn cuts_ghost(&self, inner: &Inner, range: Range) -> bool {
        let mut ghosts = inner.ghosts.iter().map(|&id| self.records.get(id).range());
        ghosts.any(|ghost| ghost.overlaps(range) && !range.contains(ghost))
    }

    /// A new tick.
    pub(crate) fn advance(&self) -> u64 {
        self.tick.fetch_add(1, Relaxed) + 1
    }

    /// What was remembered of regions is out of date.
    pub(crate) fn stale(&self) {
        self.generation.fetch_add(1, Release);
    }

    #[cfg(all(test, not(loom)))]
    pub(crate) fn table_at(&self, address: usize) -> [u32; 2] {
        self.table.at(address)
    }

    /// Records that lie ready, and regions that are gone but used.
    #[cfg(test)]
    pub(crate) fn spare(&self) -> (usize, usize) {
        let inner = self.lock();
        (self.records.idle(&inner.free), inner.ghosts.len())
    }
}

impl Statistics {
    const fn new() -> Statistics {
        Statistics {
            regions: 0,
            registered_bytes: 0,
            peak_bytes: 0,
            registrations: 0,
            unregistrations: 0,
            evictions: 0,
            adoptions: 0,
            failures: 0,
        }
    }
}

impl Inner {
    /// All regions' ids.
    pub(crate) fn ids(&self) -> impl Iterator<Item = u32> {
        self.index.values().copied()
    }
}

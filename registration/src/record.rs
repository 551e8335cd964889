use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use crate::Range;
use crate::block::{self, Zeroed};
use crate::state::{Phase, State};
use crate::sync::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, const_fn, fence, nulls};

/// One region. Records never move and are never freed, only used again, so a
/// lookup may follow an id that it read a while ago.
#[repr(C, align(64))]
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) state: AtomicU64,
    start: AtomicUsize,
    end: AtomicUsize,
    pub(crate) used: AtomicU64,
    pub(crate) cost: AtomicU64,
    /// Whether it stays when nobody maps it; 0 or 1.
    pub(crate) kept: AtomicU32,
    /// Rises whenever a thread is done at the driver; others wait for that.
    pub(crate) turn: AtomicU32,
    /// Its own.
    pub(crate) id: AtomicU32,
    /// The id of the next one in the list of the free, or 0.
    next: AtomicU32,
}

impl Zeroed for Record {
    #[cfg(all(loom, test))]
    fn zeroed() -> Record {
        Record {
            state: AtomicU64::new(0),
            start: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            used: AtomicU64::new(0),
            cost: AtomicU64::new(0),
            kept: AtomicU32::new(0),
            turn: AtomicU32::new(0),
            id: AtomicU32::new(0),
            next: AtomicU32::new(0),
        }
    }
}

impl Record {
    pub(crate) fn state(&self) -> State {
        State(self.state.load(Acquire))
    }

    pub(crate) fn phase(&self) -> Phase {
        self.state().phase()
    }

    /// Of a region that cannot go meanwhile.
    pub(crate) fn range(&self) -> Range {
        Range { start: self.start.load(Relaxed), end: self.end.load(Relaxed) }
    }

    /// Counts the caller in, if this is a usable region that holds all of `range`.
    ///
    /// The exchange fails if the record became another region's since its range
    /// was read: whoever makes it so changes the state first.
    #[inline]
    pub(crate) fn hold(&self, range: Range) -> bool {
        let mut state = self.state();
        while state.phase() >= Phase::Unregistered && self.range().contains(range) {
            if cfg!(feature = "sabotage-recheck") {
                self.state.fetch_add(State::USER, AcqRel);
                return true;
            }
            let counted = state.0 + State::USER;
            match self.state.compare_exchange_weak(state.0, counted, AcqRel, Acquire) {
                Ok(_) => return true,
                Err(now) => state = State(now),
            }
        }
        false
    }

    /// Phase and range, if there is a region, at one moment.
    pub(crate) fn peek(&self) -> Option<(Phase, Range)> {
        loop {
            let before = self.state();
            if before.phase() < Phase::Dropping {
                return None;
            }
            let range = self.range();
            fence(Acquire);
            let after = State(self.state.load(Relaxed));
            if before.version() == after.version() && after.phase() >= Phase::Dropping {
                return Some((after.phase(), range));
            }
        }
    }

    /// Under the lock, which alone changes phases. Returns the state before.
    pub(crate) fn enter(&self, phase: Phase) -> State {
        let from = State(self.state.load(Relaxed)).phase();
        State(self.state.fetch_add(State::step(from, phase), AcqRel))
    }

    /// Under the lock: of a free record, makes a region with one user.
    pub(crate) fn begin(&self, range: Range, flags: u64) {
        self.start.store(range.start, Relaxed);
        self.end.store(range.end, Relaxed);
        let version = State(self.state.load(Relaxed)).version();
        self.state.store(State::first(version, flags).0, Release);
    }
}

#[cfg(not(all(loom, test)))]
const RECORDS: usize = 1 << 10;
#[cfg(not(all(loom, test)))]
const CHUNKS: usize = 1 << 12;
#[cfg(all(loom, test))]
const RECORDS: usize = 4;
#[cfg(all(loom, test))]
const CHUNKS: usize = 2;

/// All records, by an id from 1 on.
#[derive(Debug)]
pub(crate) struct Records {
    chunks: [AtomicPtr<[Record; RECORDS]>; CHUNKS],
}

/// Which records are free; under the lock.
#[derive(Debug)]
pub(crate) struct Free {
    /// The first in their list, or 0.
    first: u32,
    /// The last id that was ever given out.
    last: u32,
}

impl Free {
    pub(crate) const fn new() -> Free {
        Free { first: 0, last: 0 }
    }
}

impl Records {
    const_fn! {
        pub(crate) fn new() -> Records {
            Records { chunks: nulls() }
        }
    }

    /// The record with an id that was given out.
    #[inline]
    pub(crate) fn get(&self, id: u32) -> &Record {
        let index = id as usize;
        let chunk = self.chunks[index / RECORDS % CHUNKS].load(Acquire);
        debug_assert!(!chunk.is_null());
        // SAFETY: an id is given out after its chunk was made, and that stays.
        unsafe { &(*chunk)[index % RECORDS] }
    }

    /// A free record; nothing where memory or ids are at their end.
    pub(crate) fn take(&self, free: &mut Free) -> Option<&Record> {
        if free.first != 0 {
            let record = self.get(free.first);
            free.first = record.next.load(Relaxed);
            return Some(record);
        }
        let id = free.last + 1;
        let index = id as usize;
        if index >= RECORDS * CHUNKS {
            return None;
        }
        block::ensure(&self.chunks[index / RECORDS])?;
        free.last = id;
        let record = self.get(id);
        record.id.store(id, Relaxed);
        Some(record)
    }

    /// Under the lock, when the last user of a region that is gone goes.
    pub(crate) fn give(&self, free: &mut Free, record: &Record) {
        let state = State(record.state.load(Relaxed));
        debug_assert_eq!((state.phase(), state.users()), (Phase::Gone, 0));
        record.state.store(state.freed().0, Release);
        record.next.store(free.first, Relaxed);
        free.first = record.id.load(Relaxed);
    }

    /// How many are in the list of the free.
    #[cfg(test)]
    pub(crate) fn idle(&self, free: &Free) -> usize {
        let mut id = free.first;
        let mut count = 0;
        while id != 0 {
            count += 1;
            id = self.get(id).next.load(Relaxed);
        }
        count
    }
}

impl Drop for Records {
    fn drop(&mut self) {
        self.chunks.iter().for_each(block::release);
    }
}

use core::fmt;
use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use crate::record::Record;
use crate::state::{Phase, State};
use crate::{Range, Registry};

/// How long a region is to stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Until its memory goes away: hooks will tell.
    Kept,
    /// While it is mapped: nobody would tell; who unmaps it removes it.
    Mapping,
}

/// A region, held: it is not evicted, and what is said of it here is said of
/// this region even after it was dropped. Any thread may have it and drop it.
pub struct Use<'r> {
    registry: &'r Registry,
    record: &'r Record,
}

impl<'r> Use<'r> {
    /// Of a record that was counted up for it.
    pub(crate) fn new(registry: &'r Registry, record: &'r Record) -> Use<'r> {
        Use { registry, record }
    }

    pub(crate) fn record(&self) -> &'r Record {
        self.record
    }

    /// All of the region.
    pub fn range(&self) -> Range {
        self.record.range()
    }

    /// Whether copies may go straight to the memory: it is registered, by us
    /// or by somebody else. That lasts while it is used, unless its memory goes
    /// or a [`join`](Registry::join) makes it part of a larger region.
    pub fn is_registered(&self) -> bool {
        self.record.phase() >= Phase::Registered
    }

    /// Whether the driver would not register it.
    pub fn is_refused(&self) -> bool {
        self.record.state().has(State::REFUSED)
    }

    /// Whether it was dropped meanwhile.
    pub fn is_dropped(&self) -> bool {
        self.record.phase() <= Phase::Dropping
    }

    /// How long it is to stay.
    pub fn lifetime(&self) -> Lifetime {
        if self.record.kept.load(Relaxed) == 0 { Lifetime::Mapping } else { Lifetime::Kept }
    }

    /// What copies have cost for want of registration, in nanoseconds; whoever
    /// decides counts in it. 0 in a new region and after eviction.
    #[cfg(not(all(loom, test)))]
    pub fn cost(&self) -> &core::sync::atomic::AtomicU64 {
        &self.record.cost
    }

    /// A copy may come at any time, so it is not to be evicted before
    /// [`Registry::settle`].
    pub fn set_sticky(&self) {
        self.record.state.fetch_or(State::STICKY, AcqRel);
    }
}

impl Drop for Use<'_> {
    #[inline]
    fn drop(&mut self) {
        let before = State(self.record.state.fetch_sub(State::USER, AcqRel));
        if before.users() == 1 && before.phase() == Phase::Gone {
            self.registry.recycle(self.record);
        }
    }
}

impl fmt::Debug for Use<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Use({} {:?})", self.range(), self.record.state())
    }
}

/// A region as reports show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Where.
    pub range: Range,
    /// What is being done with it.
    pub phase: Phase,
    /// How long it is to stay.
    pub lifetime: Lifetime,
    /// Whether it is never evicted.
    pub sticky: bool,
    /// How many hold it.
    pub users: u64,
    /// See [`Use::cost`], in nanoseconds.
    pub cost: u64,
}

impl Region {
    pub(crate) fn of(record: &Record) -> Region {
        let state = record.state();
        Region {
            range: record.range(),
            phase: state.phase(),
            lifetime: if record.kept.load(Relaxed) == 0 {
                Lifetime::Mapping
            } else {
                Lifetime::Kept
            },
            sticky: state.has(State::STICKY),
            users: state.users(),
            cost: record.cost.load(Relaxed),
        }
    }
}

//! A driver in a few lines, which knows what real ones do not forgive.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Range;
use crate::lock::Lock;
use crate::operations::{Failure, Operations};
use crate::sync::AtomicU32;

/// Keeps the registered ranges, and panics where ours overlap, are unregistered
/// twice, or where a copy lies across an edge.
#[derive(Debug)]
pub(crate) struct Driver {
    live: Lock<Vec<Range>>,
    foreign: Lock<Vec<Range>>,
    refuses: Lock<Option<Failure>>,
    calls: AtomicUsize,
    /// Where models change threads in the middle of a call.
    step: AtomicU32,
}

impl Driver {
    pub(crate) fn new() -> Driver {
        Driver {
            live: Lock::new(Vec::new()),
            foreign: Lock::new(Vec::new()),
            refuses: Lock::new(None),
            calls: AtomicUsize::new(0),
            step: AtomicU32::new(0),
        }
    }

    /// What it says from now on to a registration.
    pub(crate) fn refuse(&self, failure: Option<Failure>) {
        *self.refuses.lock() = failure;
    }

    /// Somebody else registers `range`.
    pub(crate) fn take(&self, range: Range) {
        self.foreign.lock().push(range);
    }

    /// … and unregisters it.
    pub(crate) fn give_back(&self, range: Range) {
        self.foreign.lock().retain(|other| *other != range);
    }

    /// Whether some of `range` is registered by us.
    pub(crate) fn has(&self, range: Range) -> bool {
        self.live.lock().iter().any(|live| live.overlaps(range))
    }

    /// Bytes registered by us.
    pub(crate) fn bytes(&self) -> usize {
        self.live.lock().iter().map(|live| live.size()).sum()
    }

    /// How often it was called.
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// A copy, which must be wholly registered or not at all.
    pub(crate) fn copy(&self, range: Range) {
        self.step();
        let live = self.live.lock();
        let across = live.iter().find(|live| live.overlaps(range) && !live.contains(range));
        assert_eq!(across, None, "a copy of {range} across an edge");
    }

    fn step(&self) {
        self.step.fetch_add(1, Ordering::Relaxed);
    }
}

impl Operations for Driver {
    fn register(&self, range: Range) -> Result<(), Failure> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.step();
        if let Some(failure) = *self.refuses.lock() {
            return Err(failure);
        }
        if self.foreign.lock().iter().any(|other| other.overlaps(range)) {
            return Err(Failure::Foreign);
        }
        let mut live = self.live.lock();
        let other = live.iter().find(|live| live.overlaps(range));
        assert_eq!(other, None, "{range} overlaps what we registered");
        live.push(range);
        drop(live);
        self.step();
        Ok(())
    }

    fn unregister(&self, range: Range) -> Result<(), Failure> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.step();
        let mut live = self.live.lock();
        let at = live.iter().position(|&live| live == range);
        live.swap_remove(at.unwrap_or_else(|| panic!("{range} is not registered")));
        drop(live);
        self.step();
        Ok(())
    }
}

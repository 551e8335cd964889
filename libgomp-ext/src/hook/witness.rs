//! For tests: a listener that remembers what it was told, also in a signal
//! handler.

use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use offmem_registration::Range;

use super::{arm, on_gone};

const ROOM: usize = 1 << 16;

static TOLD: [(AtomicUsize, AtomicUsize); ROOM] =
    [const { (AtomicUsize::new(0), AtomicUsize::new(0)) }; ROOM];
static COUNT: AtomicUsize = AtomicUsize::new(0);
static TURN: Mutex<()> = Mutex::new(());

/// One test's turn: others tell the same listener.
pub(crate) struct Witness {
    _turn: MutexGuard<'static, ()>,
}

impl Witness {
    pub(crate) fn new() -> Witness {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        on_gone(|range| {
            if let Some((start, end)) = TOLD.get(COUNT.fetch_add(1, Ordering::Relaxed)) {
                start.store(range.start, Ordering::Relaxed);
                end.store(range.end, Ordering::Relaxed);
            }
        });
        arm();
        COUNT.store(0, Ordering::Relaxed);
        Witness { _turn: turn }
    }

    /// What the listener was told since the last time.
    pub(crate) fn told(&self) -> Vec<Range> {
        let count = COUNT.swap(0, Ordering::Relaxed);
        let told = TOLD[..count.min(ROOM)].iter();
        told.map(|(start, end)| Range {
            start: start.load(Ordering::Relaxed),
            end: end.load(Ordering::Relaxed),
        })
        .collect()
    }
}

//! For tests: a listener that remembers what it was told.

use std::sync::{Mutex, MutexGuard, PoisonError};

use offmem_registration::Range;

use super::{arm, on_gone};

static TOLD: Mutex<Vec<Range>> = Mutex::new(Vec::new());
static TURN: Mutex<()> = Mutex::new(());

/// One test's turn: others tell the same listener.
pub(super) struct Witness {
    _turn: MutexGuard<'static, ()>,
}

impl Witness {
    pub(super) fn new() -> Witness {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        on_gone(|range| told().push(range));
        arm();
        told().clear();
        Witness { _turn: turn }
    }

    /// What the listener was told since the last time.
    pub(super) fn told(&self) -> Vec<Range> {
        std::mem::take(&mut *told())
    }
}

fn told() -> MutexGuard<'static, Vec<Range>> {
    TOLD.lock().unwrap_or_else(PoisonError::into_inner)
}

//! How this process gets the memory that its units ask for.

use std::sync::Once;

use offmem_abi::Mode;

use crate::driver;
use crate::environment::{self, Strategy};
use crate::memlock::{self, Outcome};
use crate::message::{fall_short, say};

/// Begins what `mode` needs; called once for each mode.
pub(crate) fn start(mode: Mode) {
    static PIN: Once = Once::new();
    if mode == Mode::Unified {
        say(format_args!("unified memory is not in this version; memory is pinned instead"));
    }
    PIN.call_once(pin);
}

/// Locking everything is for machines without a driver to register with: the
/// driver stages copies from memory that it was not told of, locked or not.
fn pin() {
    if environment::strategy() == Strategy::Auto && driver::present() {
        fall_short(format_args!(
            "memory is left unpinned: this version cannot register it with the CUDA driver \
             (OFFMEM_STRATEGY=mlockall locks it all the same)"
        ));
        return;
    }
    match memlock::lock_all() {
        Outcome::Locked => {}
        Outcome::Limited(limit) => fall_short(format_args!(
            "memory is left unpinned: the limit on locked memory is {limit} and must be \
             unlimited (ulimit -l unlimited)"
        )),
        Outcome::Failed(error) => {
            fall_short(format_args!("memory is left unpinned: mlockall: {error}"));
        }
    }
}

//! How this process gets the memory that its units ask for.

use core::fmt;
use std::sync::{Once, OnceLock};

use offmem_abi::Mode;

use crate::driver;
use crate::environment::{self, Strategy};
use crate::memlock::{self, Outcome};
use crate::message::{fall_short, say};
use crate::report::{self, Summary};

/// What was chosen, and why.
static CHOSEN: OnceLock<(&str, String)> = OnceLock::new();

/// Begins what `mode` needs; called once for each mode.
pub(crate) fn start(mode: Mode) {
    static PIN: Once = Once::new();
    if mode == Mode::Unified {
        say(format_args!("unified memory is not in this version; memory is pinned instead"));
    }
    report::on_finish(summary);
    PIN.call_once(pin);
}

/// Locking everything is for machines without a driver to register with: the
/// driver stages copies from memory that it was not told of, locked or not.
fn pin() {
    if environment::strategy() == Strategy::Auto && driver::present() {
        chose("none", format_args!("this version cannot register memory with the CUDA driver"));
        fall_short(format_args!(
            "memory is left unpinned: this version cannot register it with the CUDA driver \
             (OFFMEM_STRATEGY=mlockall locks it all the same)"
        ));
        return;
    }
    match memlock::lock_all() {
        Outcome::Locked => chose("mlockall", format_args!("memory may be locked without limit")),
        Outcome::Limited(limit) => {
            chose("none", format_args!("the limit on locked memory is {limit}"));
            fall_short(format_args!(
                "memory is left unpinned: the limit on locked memory is {limit} and must be \
                 unlimited (ulimit -l unlimited)"
            ));
        }
        Outcome::Failed(error) => {
            chose("none", format_args!("mlockall: {error}"));
            fall_short(format_args!("memory is left unpinned: mlockall: {error}"));
        }
    }
}

fn chose(strategy: &'static str, reason: fmt::Arguments<'_>) {
    if report::wanted() {
        CHOSEN.get_or_init(|| (strategy, reason.to_string()));
    }
}

fn summary() -> Summary {
    let (strategy, reason) = CHOSEN.get().cloned().unwrap_or_default();
    Summary { strategy, reason, ..Summary::default() }
}

//! How this process gets the memory that its units ask for.

use core::fmt;
use std::sync::Once;

use offmem_abi::Mode;

use crate::environment::{self, Strategy};
use crate::lock::Lock;
use crate::memlock::{self, Outcome};
use crate::message::{do_without, fall_short};
use crate::report::{self, Summary};
use crate::{driver, engine, unified};

/// What was chosen, and why.
static CHOSEN: Lock<(&str, String)> = Lock::new(("none", String::new()));

/// Begins what `mode` needs; called once for each mode.
pub(crate) fn start(mode: Mode) {
    static PIN: Once = Once::new();
    report::on_finish(summary);
    if mode == Mode::Unified {
        unified::arm();
        // Without a driver the program's memory is the only one there is.
        if environment::strategy() == Strategy::Auto && !driver::present() {
            do_without(format_args!("memory is not unified: there is no CUDA driver"));
            return settle("none", format_args!("there is no CUDA driver"));
        }
    }
    PIN.call_once(pin);
}

/// Locking everything is for machines without a driver to register with: the
/// driver stages copies from memory that it was not told of, locked or not.
fn pin() {
    match environment::strategy() {
        Strategy::Mlockall => lock(),
        Strategy::Auto | Strategy::Register if driver::present() => {
            settle("none", format_args!("nothing was offloaded"));
            engine::arm();
        }
        Strategy::Auto => lock(),
        Strategy::Register => {
            settle("none", format_args!("there is no CUDA driver"));
            fall_short(format_args!(
                "memory is left unpinned: there is no CUDA driver to register it with"
            ));
        }
    }
}

fn lock() {
    match memlock::lock_all() {
        Outcome::Locked => settle("mlockall", format_args!("memory may be locked without limit")),
        Outcome::Limited(limit) => {
            settle("none", format_args!("the limit on locked memory is {limit}"));
            fall_short(format_args!(
                "memory is left unpinned: the limit on locked memory is {limit} and must be \
                 unlimited (ulimit -l unlimited)"
            ));
        }
        Outcome::Failed(error) => {
            settle("none", format_args!("mlockall: {error}"));
            fall_short(format_args!("memory is left unpinned: mlockall: {error}"));
        }
    }
}

/// For the report: this is how memory is pinned, and why.
pub(crate) fn settle(strategy: &'static str, reason: fmt::Arguments<'_>) {
    if report::wanted() {
        *CHOSEN.lock() = (strategy, reason.to_string());
    }
}

fn summary() -> Summary {
    let (strategy, reason) = CHOSEN.lock().clone();
    let unified = unified::summary();
    engine::summarise(Summary { strategy, reason, unified, ..Summary::default() })
}

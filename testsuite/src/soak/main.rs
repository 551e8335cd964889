//! `make soak`: operations of `testsuite/churn` by the hundred million, with seeds
//! that were never tried.
//!
//! `OPERATIONS` (100000000), `JOBS` processes at a time (the processors), `SEED` of
//! the first process (from the clock). It ends with status 1 at the first failure,
//! after the line that runs it again.

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use offmem_testsuite::{Churn, SETTINGS, UNIFIED, run, text};

/// Of one process.
const OPERATIONS: u64 = 100_000;

fn number(variable: &str, otherwise: u64) -> u64 {
    let Ok(value) = env::var(variable) else { return otherwise };
    if value.is_empty() {
        return otherwise;
    }
    value.parse().unwrap_or_else(|_| panic!("{variable}={value} is not a number"))
}

fn main() -> ExitCode {
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let processors = thread::available_parallelism().map_or(1, usize::from) as u64;
    let (jobs, seed) = (number("JOBS", processors), number("SEED", clock));
    let processes = number("OPERATIONS", 100_000_000).div_ceil(OPERATIONS);
    let churn = Churn::build();
    let (next, failed) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while failed.load(Ordering::Relaxed) == 0 {
                    let process = next.fetch_add(1, Ordering::Relaxed);
                    if process >= processes {
                        return;
                    }
                    failed.fetch_add(one(&churn, seed + process, process), Ordering::Relaxed);
                }
            });
        }
    });
    ExitCode::from(u8::from(failed.into_inner() > 0))
}

/// Runs a process; how many failed.
fn one(churn: &Churn, seed: u64, process: u64) -> u64 {
    let settings: Vec<_> = SETTINGS.iter().chain(&UNIFIED).collect();
    let (round, place) = (process as usize / settings.len(), process as usize % settings.len());
    let (setting, threads) = (settings[place], [1, 1, 2, 4][round % 4]);
    let output = run(&mut churn.command(seed, OPERATIONS, threads, setting));
    let variables: Vec<String> =
        setting.variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let line = format!("{} {} {}\n", setting.memory, variables.join(" "), text(&output).trim_end());
    // Who closed the output still gets the exit status.
    let _ = io::stdout().write_all(line.as_bytes());
    u64::from(!output.status.success())
}

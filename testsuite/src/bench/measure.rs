//! Times of commands. Two commands are compared by running them in turn, so
//! that what the machine does meanwhile meets both; the least of each counts,
//! since disturbance only ever adds.

use std::mem;
use std::process::Command;
use std::time::Instant;

/// Least times of `left` and `right`, in seconds, over that many rounds.
pub(crate) fn alternate(
    rounds: usize,
    mut left: impl FnMut() -> f64,
    mut right: impl FnMut() -> f64,
) -> (f64, f64) {
    let mut least = (f64::INFINITY, f64::INFINITY);
    for _ in 0..rounds {
        least = (least.0.min(left()), least.1.min(right()));
    }
    least
}

/// CPU seconds of a command and of all that it runs.
///
/// # Panics
/// If it fails.
pub(crate) fn cpu_seconds(command: &mut Command) -> f64 {
    let before = children();
    let status = command.status().expect("the command runs");
    assert!(status.success(), "{command:?}: {status}");
    children() - before
}

/// Seconds from start to end of a command.
///
/// # Panics
/// If it fails.
pub(crate) fn wall_seconds(command: &mut Command) -> f64 {
    let start = Instant::now();
    let status = command.status().expect("the command runs");
    let seconds = start.elapsed().as_secs_f64();
    assert!(status.success(), "{command:?}: {status}");
    seconds
}

fn children() -> f64 {
    // SAFETY: getrusage fills the struct, for which zeros are valid.
    let usage = unsafe {
        let mut usage: libc::rusage = mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

//! The only place that writes to the user: one line on standard error.

use std::fmt::Arguments;
use std::io::Write;

/// Writes `softcuda: TEXT` as one line. A closed standard error is no reason
/// to disturb the program, so failures are ignored.
pub(crate) fn say(text: Arguments) {
    let line = format!("softcuda: {}\n", text.to_string().replace('\n', " "));
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// As [`say`], but once for each `once`.
pub(crate) fn say_once(once: &std::sync::Once, text: Arguments) {
    once.call_once(|| say(text));
}

/// Writes several lines as they are, in one go.
pub(crate) fn block(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// What a kernel printed: standard output, as a GPU's `printf` does.
pub(crate) fn print(text: &[u8]) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text).and_then(|()| out.flush());
}

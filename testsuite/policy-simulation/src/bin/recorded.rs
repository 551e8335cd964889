//! Makes a trace of the log on standard input: see `testsuite/traces/record`.

use std::io::{self, Read, Write};

fn main() -> io::Result<()> {
    let mut log = Vec::new();
    io::stdin().read_to_end(&mut log)?;
    let trace = policy_simulation::recorded("", &String::from_utf8_lossy(&log));
    io::stdout().write_all(trace.to_string().as_bytes())
}

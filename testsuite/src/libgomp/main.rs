//! `make check-libgomp`: libgomp's own offload tests, from Debian's source
//! package of the GCC under test, with that GCC as installed.
//!
//! `MEMORY=pinned` adds the option. Offloading goes wherever the environment
//! leads it: to a GPU, to a software driver, or back to the host. What fails
//! must stand in `testsuite/libgomp/known-failures`, each with its reason.

mod known;
mod source;
mod suite;

use std::collections::BTreeMap;
use std::env;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::known::Known;
use crate::source::Source;
use crate::suite::{Options, run_all};

fn main() -> ExitCode {
    let memory = env::var("MEMORY").ok().filter(|memory| !memory.is_empty());
    let source = match Source::unpack() {
        Ok(source) => source,
        Err(why) => {
            let _ = writeln!(io::stderr(), "check-libgomp: {why}");
            return ExitCode::FAILURE;
        }
    };
    let results = run_all(&source, &Options { memory });
    let known = Known::read();

    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unexpected = Vec::new();
    for result in &results {
        *counts.entry(result.kind.as_str()).or_default() += 1;
        if result.failed() && known.reason(&result.name).is_none() {
            unexpected.push(result);
        }
    }
    let mut report = String::new();
    for result in &unexpected {
        report += &format!("unexpected {}: {}\n", result.kind, result.name);
    }
    for (kind, count) in &counts {
        report += &format!("{count:>6} {kind}\n");
    }
    report += &format!("{:>6} unexpected\n", unexpected.len());
    let _ = io::stdout().write_all(report.as_bytes());
    if unexpected.is_empty() && !results.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

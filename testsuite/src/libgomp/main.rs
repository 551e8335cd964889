//! `make check-libgomp`: libgomp's own offload tests, from Debian's source
//! package of the GCC under test, with that GCC as installed.
//!
//! `MEMORY=pinned` or `unified` adds the option, and `POLICY`, `STRATEGY` and `MIN_SIZE` set
//! the variables `OFFMEM_…` of its programs. Offloading goes wherever the environment
//! leads it: to a GPU, to a software driver, or back to the host. What fails
//! must stand in `testsuite/libgomp/known-failures` or, with `MEMORY=unified`, in
//! `known-failures-unified`, each with its reason.

mod known;
mod source;
mod suite;

use std::collections::BTreeMap;
use std::env;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::known::Known;
use crate::source::Source;
use crate::suite::{Options, Registrations, run_all};

fn main() -> ExitCode {
    let set = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let softcuda = match set("DEVICE").as_deref() {
        Some("softcuda") => true,
        None => false,
        Some(other) => return refuse(&format!("DEVICE={other} is neither empty nor softcuda")),
    };
    let memory = set("MEMORY");
    let variables: Vec<_> = ["STRATEGY", "POLICY", "MIN_SIZE"]
        .into_iter()
        .filter_map(|name| Some((format!("OFFMEM_{name}"), set(name)?)))
        .collect();
    if memory.is_none() && !variables.is_empty() {
        return refuse("POLICY, STRATEGY and MIN_SIZE go with MEMORY");
    }
    let options = Options { memory, variables, softcuda };
    let source = match Source::unpack() {
        Ok(source) => source,
        Err(why) => return refuse(&why),
    };
    let outcome = run_all(&source, &options);
    let results = outcome.results;
    let known = Known::read(options.memory.as_deref());

    let mut counts: BTreeMap<(&str, bool), usize> = BTreeMap::new();
    for result in &results {
        *counts.entry((&result.kind, result.kernel)).or_default() += 1;
    }
    let unexpected: Vec<_> =
        results.iter().filter(|result| result.failed() && !known.explains(&result.name)).collect();

    let mut report = String::new();
    for result in &unexpected {
        report += &format!("unexpected {}: {}\n", result.kind, result.name);
    }
    for ((kind, kernel), count) in &counts {
        let kernel = if *kernel { " with a kernel run" } else { "" };
        report += &format!("{count:>6} {kind}{kernel}\n");
    }
    report += &format!("{:>6} unexpected\n", unexpected.len());
    if softcuda {
        let Registrations { made, programs, all } = outcome.registrations;
        report += &format!("{made:>6} registrations, by {programs} of {all} processes\n");
    }
    let _ = io::stdout().write_all(report.as_bytes());
    if unexpected.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn refuse(why: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "check-libgomp: {why}");
    ExitCode::FAILURE
}

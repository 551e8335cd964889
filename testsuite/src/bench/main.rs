//! `make bench`: what the option costs, as ratios measured side by side in one
//! run, hits in the registry beside UCX's, and what softcuda and the policy
//! promise. Prints a table and writes `target/bench.json`; status 1 if a limit
//! is exceeded.

mod compile;
mod heap;
mod measure;
mod policy;
mod registry;
mod softcuda;
mod start;

use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;

use offmem_testsuite::root;
use serde_json::json;

/// One figure and what it may be at most.
struct Figure {
    name: &'static str,
    ratio: f64,
    limit: f64,
}

impl Figure {
    fn pass(&self) -> bool {
        self.ratio <= self.limit
    }
}

fn main() -> ExitCode {
    let mut figures = vec![compile::cxx(), compile::fortran(), start::process()];
    figures.extend(registry::figures());
    figures.extend(heap::figures());
    figures.extend(softcuda::figures());
    let (policy, traces) = policy::figures();
    figures.extend(policy);

    let mut table = format!("{:<58} {:>7} {:>7}\n", "", "ratio", "limit");
    for figure in &figures {
        let verdict = if figure.pass() { "" } else { "  too much" };
        table +=
            &format!("{:<58} {:>7.3} {:>7.3}{verdict}\n", figure.name, figure.ratio, figure.limit);
    }
    table += "policy: cost to the optimum's, and speed to stock's\n";
    table += &traces;
    let json: Vec<_> = figures
        .iter()
        .map(|f| json!({ "name": f.name, "ratio": f.ratio, "limit": f.limit, "pass": f.pass() }))
        .collect();
    let written = fs::write(root().join("target/bench.json"), format!("{:#}\n", json!(json)))
        .and_then(|()| io::stdout().write_all(table.as_bytes()));
    if written.is_ok() && figures.iter().all(Figure::pass) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

//! `make bench`: what the option costs, as ratios measured side by side in one
//! run, hits in the registry beside UCX's, unified memory beside glibc's, and what
//! softcuda and the policy promise. Prints a table and writes `target/bench.json`;
//! status 1 if a limit is exceeded.

mod compile;
mod heap;
mod maps;
mod measure;
mod offload;
mod policy;
mod pool;
mod registry;
mod softcuda;
mod start;

use std::env;
use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;

use offmem_testsuite::root;
use serde_json::json;

use self::measure::Ratios;

/// One figure and what it may be at most.
#[derive(Default)]
struct Figure {
    name: &'static str,
    ratio: f64,
    limit: f64,
    /// How sure it is, or what this machine permits.
    remark: String,
}

impl Figure {
    fn new(name: &'static str, ratio: f64, limit: f64) -> Figure {
        Figure { name, ratio, limit, ..Figure::default() }
    }

    /// The median of ratios, with the bounds that it is between at 95 %.
    fn of(name: &'static str, ratios: &Ratios, limit: f64) -> Figure {
        let [low, high] = ratios.interval();
        let remark = format!("{low:.3} to {high:.3} at 95 %");
        Figure { name, ratio: ratios.median(), limit, remark }
    }

    fn pass(&self) -> bool {
        self.ratio <= self.limit
    }
}

/// A name, and what is measured under it.
type Group = (&'static str, fn() -> Vec<Figure>);

/// `bench NAME…` measures only those.
const GROUPS: [Group; 8] = [
    ("compile", || vec![compile::cxx(), compile::fortran()]),
    ("start", || vec![start::process()]),
    ("registry", registry::figures),
    ("heap", || heap::figures().into()),
    ("pool", pool::figures),
    ("maps", maps::figures),
    ("offload", offload::figures),
    ("softcuda", || softcuda::figures().into()),
];

fn main() -> ExitCode {
    let wanted: Vec<_> = env::args().skip(1).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
    let groups = GROUPS.iter().filter(|(name, _)| is_wanted(name));
    let mut figures: Vec<_> = groups.flat_map(|(_, measure)| measure()).collect();
    let mut traces = String::new();
    if is_wanted("policy") {
        let (policy, scores) = policy::figures();
        figures.extend(policy);
        traces = format!("policy: cost to the optimum's, and speed to stock's\n{scores}");
    }

    let mut table = format!("{:<58} {:>7} {:>7}\n", "", "ratio", "limit");
    for figure in &figures {
        let verdict = if figure.pass() { "" } else { "  too much" };
        let Figure { name, ratio, limit, remark } = figure;
        let remark = if remark.is_empty() { String::new() } else { format!("  {remark}") };
        table += &format!("{name:<58} {ratio:>7.3} {limit:>7.3}{remark}{verdict}\n");
    }
    table += &traces;
    let json: Vec<_> = figures
        .iter()
        .map(|f| {
            json!({ "name": f.name, "ratio": f.ratio, "limit": f.limit, "pass": f.pass(),
                    "remark": f.remark })
        })
        .collect();
    let written = fs::write(root().join("target/bench.json"), format!("{:#}\n", json!(json)))
        .and_then(|()| io::stdout().write_all(table.as_bytes()));
    if written.is_ok() && figures.iter().all(Figure::pass) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

//! The environment: one table, read once by `cuInit`.

use crate::cost::Costs;
use crate::injection::Failures;
use crate::rule::Rules;
use crate::statistics::Report;
use std::num::NonZero;
use std::ops::RangeInclusive;

/// How host memory is pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pinning {
    /// The first way of those below that works.
    Auto,
    /// io_uring fixed buffers.
    Ring,
    /// Pages held by pipes.
    Pipe,
    /// Nothing pinned; a copy checks that the physical frames are the same.
    Frames,
}

/// What of the calls is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trace {
    Off,
    Calls,
    /// Also which library each call came from.
    Callers,
}

/// Everything that the environment decides.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) devices: usize,
    pub(crate) memory: u64,
    pub(crate) multiprocessors: u32,
    pub(crate) warps: u32,
    pub(crate) threads: usize,
    pub(crate) quantum: u32,
    pub(crate) deferred: bool,
    pub(crate) managed: bool,
    pub(crate) managed_limit: u64,
    pub(crate) concurrent_managed: bool,
    pub(crate) pageable_access: bool,
    pub(crate) host_page_tables: bool,
    pub(crate) host_register: bool,
    pub(crate) pinning: Pinning,
    pub(crate) pin_limit: u64,
    pub(crate) rules: Rules,
    pub(crate) failures: Failures,
    pub(crate) costs: Option<Costs>,
    pub(crate) pace: u32,
    pub(crate) report: Report,
    pub(crate) trace: Trace,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            devices: 1,
            memory: 4 << 30,
            multiprocessors: 1,
            warps: 8,
            // Blocks are independent, as the programming model has it.
            threads: std::thread::available_parallelism().map_or(1, NonZero::get).min(64),
            quantum: 100,
            deferred: false,
            managed: true,
            managed_limit: u64::MAX,
            concurrent_managed: true,
            pageable_access: false,
            host_page_tables: false,
            host_register: true,
            pinning: Pinning::Auto,
            pin_limit: u64::MAX,
            rules: Rules::default(),
            failures: Failures::default(),
            costs: None,
            pace: 0,
            report: Report::Off,
            trace: Trace::Off,
        }
    }
}

impl Options {
    /// Whether the program and kernels may use managed memory at a time.
    pub(crate) fn concurrent(&self) -> bool {
        self.managed && self.concurrent_managed
    }

    /// Whether kernels may use any mapped host memory.
    pub(crate) fn reads_pageable(&self) -> bool {
        self.pageable_access || self.host_page_tables
    }
}

/// Reads a value; an error may say more than the table's third column.
type Reader = fn(&mut Options, &str) -> Result<(), Option<String>>;

/// Name without `SOFTCUDA_`, reader, valid values.
const TABLE: &[(&str, Reader, &str)] = &[
    ("DEVICES", |o, v| set(&mut o.devices, number(v, 0..=16)), "0 to 16"),
    (
        "MEMORY",
        |o, v| set(&mut o.memory, size(v, 1 << 20..=1 << 40)),
        "1M to 1T bytes for each device",
    ),
    ("SMS", |o, v| set(&mut o.multiprocessors, number(v, 1..=1024)), "1 to 1024 multiprocessors"),
    ("WARPS", |o, v| set(&mut o.warps, number(v, 1..=32)), "1 to 32 warps in a block"),
    ("THREADS", |o, v| set(&mut o.threads, number(v, 1..=64)), "1 to 64 host threads for kernels"),
    ("QUANTUM", |o, v| set(&mut o.quantum, number(v, 1..=1_000_000)), "1 to 1000000 instructions"),
    (
        "ASYNC",
        |o, v| set(&mut o.deferred, choice(v, &[("immediate", false), ("deferred", true)])),
        "immediate, deferred",
    ),
    ("MANAGED", |o, v| set(&mut o.managed, flag(v)), "0, 1"),
    (
        "MANAGED_LIMIT",
        |o, v| set(&mut o.managed_limit, size(v, 0..=u64::MAX)),
        "a size such as 64M",
    ),
    ("CONCURRENT_MANAGED", |o, v| set(&mut o.concurrent_managed, flag(v)), "0, 1"),
    ("PAGEABLE_ACCESS", |o, v| set(&mut o.pageable_access, flag(v)), "0, 1"),
    ("HOST_PAGE_TABLES", |o, v| set(&mut o.host_page_tables, flag(v)), "0, 1"),
    ("HOST_REGISTER", |o, v| set(&mut o.host_register, flag(v)), "0, 1"),
    ("PIN", |o, v| set(&mut o.pinning, choice(v, PINNINGS)), "auto, ring, pipe, frames"),
    ("PIN_LIMIT", |o, v| set(&mut o.pin_limit, size(v, 0..=u64::MAX)), "a size such as 64M"),
    ("RULES", |o, v| explain(&mut o.rules, Rules::parse(v)), "NAME=accept or NAME=ERROR, …"),
    (
        "FAIL",
        |o, v| explain(&mut o.failures, Failures::parse(v)),
        "FUNCTION[@LIBRARY]:CALL=ERROR, …",
    ),
    (
        "COSTS",
        |o, v| explain(&mut o.costs, Costs::parse(v).map(Some)),
        "h100-pcie, v100-pcie3, gh200, FILE.toml",
    ),
    ("PACE", |o, v| set(&mut o.pace, number(v, 0..=1000)), "0 to 1000 times the modelled time"),
    ("STATS", |o, v| set(&mut o.report, Some(report(v))), "0, 1, FILE"),
    ("TRACE", |o, v| set(&mut o.trace, choice(v, TRACES)), "0, 1, callers"),
];

const TRACES: &[(&str, Trace)] =
    &[("0", Trace::Off), ("1", Trace::Calls), ("callers", Trace::Callers)];

const PINNINGS: &[(&str, Pinning)] = &[
    ("auto", Pinning::Auto),
    ("ring", Pinning::Ring),
    ("pipe", Pinning::Pipe),
    ("frames", Pinning::Frames),
];

const PREFIX: &str = "SOFTCUDA_";

impl Options {
    /// The options of this process. A program that runs with more rights than
    /// its user has takes none from the environment, as `secure_getenv`.
    pub(crate) fn from_environment() -> Result<Options, String> {
        // SAFETY: reads a value that the kernel gave the process.
        if unsafe { libc::getauxval(libc::AT_SECURE) } != 0 {
            return Ok(Options::default());
        }
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            let name = name.into_string().ok()?;
            Some((name, value.to_string_lossy().into_owned()))
        });
        Self::parse(variables)
    }

    /// Reads those variables that begin with `SOFTCUDA_`; an empty value is
    /// as good as none.
    pub(crate) fn parse(
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Options, String> {
        let mut options = Options::default();
        for (variable, value) in variables {
            let Some(name) = variable.strip_prefix(PREFIX) else { continue };
            let Some((_, read, valid)) = TABLE.iter().find(|row| row.0 == name) else {
                let names: Vec<_> = TABLE.iter().map(|row| row.0).collect();
                return Err(format!(
                    "no option {variable}; {PREFIX}… is one of {}",
                    names.join(", ")
                ));
            };
            if !value.is_empty() {
                read(&mut options, &value).map_err(|reason| {
                    let reason = reason.map(|reason| format!("; {reason}")).unwrap_or_default();
                    format!("{variable}={value}: valid is {valid}{reason}")
                })?;
            }
        }
        if options.pace > 0 && options.costs.is_none() {
            return Err(format!("{PREFIX}PACE needs {PREFIX}COSTS"));
        }
        Ok(options)
    }
}

fn set<T>(option: &mut T, value: Option<T>) -> Result<(), Option<String>> {
    *option = value.ok_or(None)?;
    Ok(())
}

fn explain<T>(option: &mut T, value: Result<T, String>) -> Result<(), Option<String>> {
    *option = value.map_err(Some)?;
    Ok(())
}

fn number<T: std::str::FromStr + PartialOrd>(text: &str, valid: RangeInclusive<T>) -> Option<T> {
    text.parse().ok().filter(|number| valid.contains(number))
}

fn size(text: &str, valid: RangeInclusive<u64>) -> Option<u64> {
    let unit = match text.bytes().last()? {
        b'K' => 1 << 10,
        b'M' => 1 << 20,
        b'G' => 1 << 30,
        b'T' => 1 << 40,
        _ => 1,
    };
    let digits = if unit == 1 { text } else { &text[..text.len() - 1] };
    digits.parse::<u64>().ok()?.checked_mul(unit).filter(|size| valid.contains(size))
}

fn choice<T: Copy>(text: &str, choices: &[(&str, T)]) -> Option<T> {
    choices.iter().find(|(name, _)| *name == text).map(|(_, value)| *value)
}

fn flag(text: &str) -> Option<bool> {
    choice(text, &[("0", false), ("1", true)])
}

fn report(text: &str) -> Report {
    match text {
        "0" => Report::Off,
        "1" => Report::Text,
        path => Report::Json(path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pairs: &[(&str, &str)]) -> Result<Options, String> {
        Options::parse(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
    }

    #[test]
    fn values_are_read() {
        let options = parse(&[
            ("HOME", "/root"),
            ("SOFTCUDA_DEVICES", "2"),
            ("SOFTCUDA_MEMORY", "64M"),
            ("SOFTCUDA_ASYNC", "deferred"),
            ("SOFTCUDA_STATS", "/tmp/x.json"),
            ("SOFTCUDA_TRACE", ""),
        ])
        .unwrap();
        assert_eq!((options.devices, options.memory), (2, 64 << 20));
        assert!(options.deferred && options.trace == Trace::Off);
        assert_eq!(options.report, Report::Json("/tmp/x.json".to_owned()));
    }

    #[test]
    fn an_error_names_what_is_valid() {
        let error = |name, value| parse(&[(name, value)]).unwrap_err();
        assert!(error("SOFTCUDA_ASYNC", "late").contains("immediate, deferred"));
        assert!(error("SOFTCUDA_MEMORY", "1Q").contains("1M to 1T"));
        assert!(error("SOFTCUDA_DEVICE", "1").contains("DEVICES"));
        assert!(error("SOFTCUDA_RULES", "x=1").contains("same-page"));
        assert!(error("SOFTCUDA_COSTS", "a100").contains("gh200"));
        assert!(error("SOFTCUDA_PACE", "-1").contains("0 to 1000"));
        assert!(error("SOFTCUDA_PACE", "2").contains("needs SOFTCUDA_COSTS"));
        assert!(error("SOFTCUDA_FAIL", "cuInit").contains("FUNCTION[@LIBRARY]:CALL=ERROR"));
    }
}

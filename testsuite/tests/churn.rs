//! Random sequences of allocating, mapping and copying (`testsuite/churn`), whose
//! every byte is compared with a model, under each policy. `make soak` runs more
//! of them, with other seeds.

use std::fs;
use std::sync::OnceLock;

use offmem_testsuite::{Churn, Compiler, Language, SETTINGS, Stage, UNIFIED, run, skipped, text};
use serde_json::Value;
use tempfile::TempDir;

/// Of each setting, in each of these processes.
const OPERATIONS: u64 = 24_000;

/// Of each unified one.
const UNIFIED_OPERATIONS: u64 = 7_000;

/// Seed and threads of each process.
const PROCESSES: [(u64, u32); 6] = [(1, 1), (2, 1), (3, 1), (4, 2), (5, 3), (6, 4)];

fn churn() -> Option<&'static Churn> {
    static CHURN: OnceLock<Option<Churn>> = OnceLock::new();
    let build = || Compiler::of(Language::C).offloads().then(Churn::build);
    let churn = CHURN.get_or_init(build).as_ref();
    if churn.is_none() {
        skipped("churn: this compiler does not offload to nvptx");
    }
    churn
}

/// Runs a setting's processes, and returns what the driver counted in all of them.
fn statistics(name: &str) -> Option<impl Fn(&str) -> i64> {
    let churn = churn()?;
    let mut settings = SETTINGS.iter().chain(&UNIFIED);
    let setting = settings.find(|setting| setting.name == name).expect("a setting");
    let folder = TempDir::new().expect("a temporary folder");
    let mut reports: Vec<Value> = Vec::new();
    for (seed, threads) in PROCESSES {
        let report = folder.path().join(format!("{seed}.json"));
        let operations = if setting.memory == "unified" { UNIFIED_OPERATIONS } else { OPERATIONS };
        let mut command = churn.command(seed, operations, threads, setting);
        let output = run(command.env("SOFTCUDA_STATS", &report));
        assert!(output.status.success(), "{setting:?}: {}: {}", output.status, text(&output));
        assert!(text(&output).contains("operations\n"), "{}", text(&output));
        let report = fs::read_to_string(report).expect("the driver's report");
        reports.push(serde_json::from_str(&report).expect("JSON"));
    }
    Some(move |counter: &str| {
        let count = |report: &Value| report[counter].as_i64();
        reports.iter().map(|report| count(report).expect("a counter")).sum()
    })
}

/// That it was a test at all: memory was registered and dropped, and copied
/// both ways from where it was registered and from where it was not.
fn is_lively(count: &impl Fn(&str) -> i64) {
    let processes = PROCESSES.len() as i64;
    assert!(count("registrations") > 100 * processes, "{}", count("registrations"));
    assert!(count("unregistrations") > 50 * processes, "{}", count("unregistrations"));
    for counter in ["htod_pinned_bytes", "htod_pageable_bytes", "dtoh_pinned_bytes"] {
        assert!(count(counter) > (1 << 20) * processes, "{counter}: {}", count(counter));
    }
    assert!(count("kernels") > 100 * processes, "{}", count("kernels"));
}

macro_rules! settings {
    ($($test:ident: $name:literal;)+) => { $(
        #[test]
        fn $test() {
            if let Some(count) = statistics($name) {
                is_lively(&count);
            }
        }
    )+ };
}

settings! {
    registering_at_the_first_copy: "eager";
    registering_when_it_pays: "adaptive";
    registering_what_is_mapped: "per-map";
    evicting_all_the_time: "limited";
    evicting_where_it_pays: "adaptive-limited";
    copies_that_wait: "deferred";
    every_copy_counted: "counted";
}

/// `count` of a unified setting, in which kernels ran and other memory was registered.
fn is_shared(name: &str) -> Option<impl Fn(&str) -> i64> {
    let count = statistics(name)?;
    is_lively(&count);
    // The program itself asks that each block is shared.
    let least = PROCESSES.len() as i64;
    assert!(count("managed_allocations") >= least, "{}", count("managed_allocations"));
    Some(count)
}

#[test]
fn blocks_that_are_shared() {
    is_shared("unified");
}

#[test]
fn blocks_that_are_shared_while_copies_wait() {
    is_shared("unified-deferred");
}

#[test]
fn blocks_that_two_devices_share() {
    is_shared("unified-devices");
}

#[test]
fn slabs_that_come_and_go() {
    if let Some(count) = is_shared("unified-limited") {
        let frees = count("managed_frees");
        assert!(frees > 2 * PROCESSES.len() as i64, "{frees}");
    }
}

#[test]
fn blocks_of_which_few_are_shared() {
    if let Some(count) = statistics("unified-short") {
        is_lively(&count);
    }
}

#[test]
fn a_small_limit_evicts() {
    let Some(churn) = churn() else { return };
    let setting = SETTINGS.iter().find(|setting| setting.name == "limited").expect("a setting");
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("report.json");
    let output = run(churn.command(7, 4000, 2, setting).env("OFFMEM_REPORT", &file));
    assert!(output.status.success(), "{}", text(&output));
    let report: Value =
        serde_json::from_str(&fs::read_to_string(file).expect("a report")).expect("JSON");
    let figures = &report["summary"];
    assert!(figures["evictions"].as_u64() > Some(100), "{figures}");
    assert!(figures["peak_registered_bytes"].as_u64() <= Some(1 << 20), "{figures}");
    // Where the heap cannot be, its blocks live with their mappings.
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "ulimit -v 4000000000; exec \"$@\"", "sh"]);
    let plain = churn.command(8, 4000, 2, &SETTINGS[0]);
    shell.arg(plain.get_program()).args(plain.get_args());
    let output = run(Stage::get().enter_softcuda(&mut shell).env("OFFMEM_POLICY", "eager"));
    assert!(output.status.success(), "{}", text(&output));
}

//! The variables of unified memory, and what the driver counts: maps of it copy
//! nothing, prefetches are made or not, slabs are given back.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;

use offmem_testsuite::{Compiler, Language, Stage, root, run, skipped, succeed, text};
use serde_json::Value;
use tempfile::TempDir;

/// A program of `tests/programs`, compiled with the option.
fn compile(name: &str, folder: &TempDir) -> PathBuf {
    let mut gcc = Compiler::of(Language::C).command();
    gcc.args(["-fopenmp", "-O1", "-no-pie", "-foffload=nvptx-none", "-foffload-memory=unified"]);
    gcc.arg(root().join(format!("testsuite/tests/programs/{name}.c")));
    let program = folder.path().join(name);
    succeed(Stage::get().enter(gcc.arg("-o").arg(&program)));
    program
}

/// `tests/programs/blocks.c`.
fn program() -> Option<&'static PathBuf> {
    static PROGRAM: OnceLock<Option<(TempDir, PathBuf)>> = OnceLock::new();
    let build = || {
        let folder = TempDir::new().expect("a temporary folder");
        let program = compile("blocks", &folder);
        (folder, program)
    };
    let found = PROGRAM.get_or_init(|| Compiler::of(Language::C).offloads().then(build)).as_ref();
    if found.is_none() {
        skipped("unified: this compiler does not offload to nvptx");
    }
    found.map(|(_, program)| program)
}

/// What a run of it did.
struct Run {
    output: Output,
    counters: Value,
}

impl Run {
    /// How many blocks were shared, and of how many; what was said before that.
    fn result(&self) -> (String, String) {
        assert!(self.output.status.success(), "{}", text(&self.output));
        let [out, said] = [&self.output.stdout, &self.output.stderr]
            .map(|stream| String::from_utf8_lossy(stream).into_owned());
        (out.trim_end().to_owned(), said)
    }

    fn count(&self, counter: &str) -> i64 {
        self.counters[counter].as_i64().expect("a counter")
    }

    /// Bytes that were copied between host and device.
    fn copied(&self) -> i64 {
        ["htod_pageable_bytes", "htod_pinned_bytes", "dtoh_pageable_bytes", "dtoh_pinned_bytes"]
            .iter()
            .map(|counter| self.count(counter))
            .sum()
    }
}

/// Runs it; nothing where nothing can be offloaded.
fn blocks(arguments: &[&str], variables: &[(&str, &str)]) -> Option<Run> {
    let program = program()?;
    let folder = TempDir::new().expect("a temporary folder");
    let report = folder.path().join("report.json");
    let mut command = Command::new(program);
    Stage::get().enter_softcuda(command.args(arguments)).envs(variables.iter().copied());
    let output = run(command.env("SOFTCUDA_STATS", &report));
    let report = fs::read_to_string(report).unwrap_or_else(|_| panic!("{}", text(&output)));
    Some(Run { output, counters: serde_json::from_str(&report).expect("JSON") })
}

const FOUR: [&str; 3] = ["4", "8", "0"];
const MIB: i64 = 1 << 20;

#[test]
fn maps_of_unified_memory_copy_nothing() {
    let Some(run) = blocks(&FOUR, &[]) else { return };
    assert_eq!(run.result(), ("4 of 4".to_owned(), String::new()));
    // Addresses that kernels get, and no byte of the blocks.
    assert!(run.copied() < 1024, "{}", run.copied());
    assert_eq!(run.count("managed_copy_bytes"), 0);
    assert!(run.count("kernels") >= 15);
}

#[test]
fn the_pool_has_a_limit() {
    let Some(none) = blocks(&FOUR, &[("OFFMEM_UNIFIED_POOL", "0")]) else { return };
    assert_eq!(none.result(), ("0 of 4".to_owned(), String::new()));
    assert_eq!(none.count("managed_allocations"), 0);
    assert!(none.copied() >= 4 * 8 * MIB);

    let Some(small) = blocks(&FOUR, &[("OFFMEM_UNIFIED_POOL", "18M")]) else { return };
    let line = "libgomp-offmem: what is allocated from now on is not unified memory: \
                OFFMEM_UNIFIED_POOL is reached\n";
    assert_eq!(small.result(), ("2 of 4".to_owned(), line.to_owned()));
    assert!(small.count("live_managed_bytes") <= 18 * MIB);

    let Some(quiet) = blocks(&FOUR, &[("OFFMEM_UNIFIED_POOL", "18M"), ("OFFMEM", "quiet")]) else {
        return;
    };
    assert_eq!(quiet.result(), ("2 of 4".to_owned(), String::new()));

    let Some(half) = blocks(&FOUR, &[("OFFMEM_UNIFIED_POOL", "50%")]) else { return };
    assert_eq!(half.result(), ("4 of 4".to_owned(), String::new()));

    let Some(bad) = blocks(&FOUR, &[("OFFMEM_UNIFIED_POOL", "lots")]) else { return };
    let (shared, said) = bad.result();
    assert_eq!(shared, "4 of 4");
    assert!(said.starts_with("libgomp-offmem: OFFMEM_UNIFIED_POOL=lots is not a size"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn prefetches_can_be_turned_off() {
    let Some(on) = blocks(&FOUR, &[]) else { return };
    assert!(on.count("prefetches") >= 4 * 4, "{}", on.count("prefetches"));
    assert!(on.count("prefetched_to_device_bytes") >= 4 * 8 * MIB);
    assert!(on.count("prefetched_to_host_bytes") >= 4 * 8 * MIB);
    let Some(off) = blocks(&FOUR, &[("OFFMEM_PREFETCH", "off")]) else { return };
    assert_eq!(off.result(), ("4 of 4".to_owned(), String::new()));
    assert_eq!(off.count("prefetches") + off.count("advices"), 0);
}

#[test]
fn memory_is_there_before_the_device_is_used() {
    if program().is_none() {
        return;
    }
    let folder = TempDir::new().expect("a temporary folder");
    let program = compile("first", &folder);
    for (routine, is_in_12) in [
        ("acc_is_present", true),
        ("acc_deviceptr", true),
        ("acc_hostptr", true),
        ("acc_map_data", true),
        ("omp_target_is_present", true),
        ("omp_target_associate_ptr", true),
        ("omp_target_is_accessible", false),
        ("omp_get_mapped_ptr", false),
    ] {
        let mut command = Command::new(&program);
        let output = run(Stage::get().enter_softcuda(&mut command).arg(routine));
        // The program's way to say that this GCC has no such routine.
        if output.status.code() == Some(2) && !is_in_12 {
            continue;
        }
        assert_eq!(text(&output), "there\n", "{routine}: {}", output.status);
    }
}

#[test]
fn slabs_that_are_not_used_are_given_back() {
    let Some(at_once) = blocks(&["3", "80", "0"], &[]) else { return };
    assert!(at_once.count("live_managed_bytes") >= 3 * 80 * MIB);
    // Looked at every two seconds, and given back if nothing was there twice.
    let Some(later) = blocks(&["3", "80", "9"], &[]) else { return };
    assert_eq!(later.result(), ("3 of 3".to_owned(), String::new()));
    let live = later.count("live_managed_bytes");
    assert!(live <= 80 * MIB, "{live}");
}

#[test]
fn a_fork_without_room_for_a_copy_is_said() {
    // Managed memory that nobody has touched takes none, so there is room for it.
    let Some(run) = blocks(&["2", "50000", "0", "fork"], &[]) else { return };
    let (_, said) = run.result();
    let line = "libgomp-offmem: a child of fork has none of the program's unified memory: there is \
                no room for a copy\n";
    assert_eq!(said, line);
}

#[test]
fn mandatory_is_unified_or_the_end() {
    let without = ("SOFTCUDA_MANAGED", "0");
    let Some(run) = blocks(&FOUR, &[without, ("OFFMEM", "mandatory")]) else { return };
    assert_eq!(run.output.status.code(), Some(1), "{}", text(&run.output));
    let line = "libgomp-offmem: memory is not unified, but pinned: the GPU cannot use managed memory \
                at the same time as the host";
    assert_eq!(text(&run.output), format!("{line}; OFFMEM=mandatory ends the program\n"));
    let Some(run) = blocks(&FOUR, &[without]) else { return };
    assert_eq!(run.result(), ("0 of 4".to_owned(), format!("{line}\n")));
    let Some(run) = blocks(&FOUR, &[("OFFMEM", "mandatory")]) else { return };
    assert_eq!(run.result(), ("4 of 4".to_owned(), String::new()));
}

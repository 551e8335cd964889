//! Every driver function that the runtime calls fails at each call in turn, over
//! ten programs with pinned memory and eight with unified memory: each does what it does
//! without the runtime. Everything is mapped in them, so that this is right with plain
//! memory, too.
//!
//! libgomp calls some of these functions itself, and ends the program where they
//! fail: only the runtime's own calls are counted and fail.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Output};

use offmem_testsuite::{Compiler, Language, Stage, root, run, skipped, succeed, text};
use tempfile::TempDir;

const PROGRAMS: [&str; 10] = [
    "offmem.c/stream.c",
    "offmem.c/mremap.c",
    "offmem.c/posix-memalign.c",
    "offmem.c/calloc-zero.c",
    "offmem.c-c++-common/mmap-buffer.c",
    "offmem.c-c++-common/malloc-free-loop.c",
    "offmem.c-c++-common/realloc.c",
    "offmem.c-c++-common/matrix-multiply.c",
    "offmem.fortran/stream.f90",
    "offmem.oacc-c/async-wait.c",
];

/// With `-foffload-memory=unified`.
const UNIFIED: [&str; 8] = [
    "tests/programs/slabs.c",
    "offmem.c/stream.c",
    "offmem.c-c++-common/malloc-free-loop.c",
    "offmem.c-c++-common/realloc.c",
    "offmem.c-c++-common/conjugate-gradient.c",
    "offmem.c++/vector.C",
    "offmem.fortran/stream.f90",
    "offmem.oacc-c/async-wait.c",
];

/// Whose calls fail.
const RUNTIME: &str = "libgomp-offmem";

const REGISTER: &str = "cuMemHostRegister_v2";
const UNREGISTER: &str = "cuMemHostUnregister";
const ATTRIBUTE: &str = "cuPointerGetAttribute";
const PUSH: &str = "cuCtxPushCurrent_v2";
const POP: &str = "cuCtxPopCurrent_v2";
const RETAIN: &str = "cuDevicePrimaryCtxRetain";
const ALLOCATE: &str = "cuMemAllocManaged";
const ADVISE: &str = "cuMemAdvise";
const PREFETCH: &str = "cuMemPrefetchAsync";

/// Those that the runtime calls, and an error that each may give.
const FUNCTIONS: [(&str, &str); 8] = [
    (REGISTER, "OUT_OF_MEMORY"),
    (UNREGISTER, "UNKNOWN"),
    (ATTRIBUTE, "UNKNOWN"),
    ("cuCtxGetCurrent", "UNKNOWN"),
    (PUSH, "UNKNOWN"),
    (POP, "UNKNOWN"),
    ("cuCtxGetDevice", "UNKNOWN"),
    ("cuDeviceGetAttribute", "UNKNOWN"),
];

/// The same for unified memory.
const UNIFIED_FUNCTIONS: [(&str, &str); 14] = [
    ("cuInit", "NO_DEVICE"),
    ("cuDeviceGetCount", "UNKNOWN"),
    ("cuDeviceGet", "UNKNOWN"),
    ("cuDeviceGetAttribute", "UNKNOWN"),
    (RETAIN, "OUT_OF_MEMORY"),
    ("cuCtxGetCurrent", "UNKNOWN"),
    ("cuCtxGetDevice", "UNKNOWN"),
    (PUSH, "UNKNOWN"),
    (POP, "UNKNOWN"),
    (REGISTER, "OUT_OF_MEMORY"),
    (ALLOCATE, "OUT_OF_MEMORY"),
    ("cuMemFree_v2", "UNKNOWN"),
    (ADVISE, "INVALID_DEVICE"),
    (PREFETCH, "UNKNOWN"),
];

/// Of one function's calls in one program, the first ones and the last are enough.
const CALLS_MAX: usize = 10;

struct Program {
    folder: TempDir,
    name: &'static str,
    memory: &'static str,
}

impl Program {
    /// Compiled with the option, as `memory` says and as a file of that name, and
    /// without, as `stock`.
    fn build(name: &'static str, memory: &'static str) -> Program {
        let folder = TempDir::new().expect("a temporary folder");
        let language = match Path::new(name).extension().and_then(|suffix| suffix.to_str()) {
            Some("f90") => Language::Fortran,
            Some("C") => Language::Cxx,
            _ => Language::C,
        };
        let construct = if name.contains("oacc") { "-fopenacc" } else { "-fopenmp" };
        let option = format!("-foffload-memory={memory}");
        for (option, file) in [(Some(&option), memory), (None, "stock")] {
            let mut gcc = Compiler::of(language).command();
            gcc.args([construct, "-O1", "-no-pie", "-foffload=nvptx-none"]).args(option);
            gcc.arg(root().join("testsuite").join(name)).args(["-o", file]);
            succeed(Stage::get().enter(&mut gcc).current_dir(folder.path()));
        }
        Program { folder, name, memory }
    }

    fn run(&self, file: &str, variables: &[(&str, &str)]) -> Output {
        let mut program = Command::new(self.folder.path().join(file));
        Stage::get().enter_softcuda(&mut program).current_dir(self.folder.path());
        program.env("OFFMEM_POLICY", "eager").env("OFFMEM_MIN_SIZE", "64K");
        program.env("OFFMEM_UNIFIED_POOL", "20M");
        run(program.envs(variables.iter().copied()))
    }

    /// How often the runtime calls each function.
    fn calls(&self) -> HashMap<String, usize> {
        let output = self.run(self.memory, &[("SOFTCUDA_TRACE", "callers")]);
        assert!(output.status.success(), "{}: {}", self.name, text(&output));
        let by_us = format!(" by {RUNTIME}");
        let mut calls = HashMap::new();
        for line in text(&output).lines().filter(|line| line.ends_with(&by_us)) {
            let function = line.strip_prefix("softcuda: ").and_then(|call| call.split(' ').next());
            *calls.entry(function.expect("a call").to_owned()).or_default() += 1;
        }
        calls
    }

    /// Runs with a failure: does it what `stock` does, and say no more than lines
    /// of the runtime's?
    fn with(&self, stock: &Output, failure: &str) {
        let output = self.run(self.memory, &[("SOFTCUDA_FAIL", failure)]);
        let said = format!("{} with {failure}: {}: {}", self.name, output.status, text(&output));
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        // A driver that never gives pages back leaves no way to be right.
        if failure.starts_with(UNREGISTER) && failure.contains('*') && !output.status.success() {
            assert!(output.status.code() == Some(1), "{said}");
            assert!(errors.contains("does not unregister memory"), "{said}");
            return;
        }
        assert_eq!(output.status, stock.status, "{said}");
        assert_eq!(output.stdout, stock.stdout, "{said}");
        let ours = |line: &str| line.starts_with("libgomp-offmem: ");
        assert!(errors.lines().all(ours), "{said}");
        assert!(errors.lines().count() <= 1, "{said}");
    }
}

fn offloads() -> bool {
    let offloads = Compiler::of(Language::C).offloads();
    if !offloads {
        skipped("driver failures: this compiler does not offload to nvptx");
    }
    offloads
}

#[test]
fn a_failing_call_changes_nothing() {
    if !offloads() {
        return;
    }
    let always = [REGISTER, UNREGISTER, ATTRIBUTE];
    let tried = try_all(&PROGRAMS, "pinned", &FUNCTIONS, &always);
    for (function, _) in FUNCTIONS {
        assert!(tried.get(function) >= Some(&8), "{function}: {tried:?}");
    }
}

#[test]
fn a_failing_call_for_unified_memory_changes_nothing() {
    if !offloads() {
        return;
    }
    let always = [RETAIN, ALLOCATE, ADVISE, PREFETCH, REGISTER];
    let tried = try_all(&UNIFIED, "unified", &UNIFIED_FUNCTIONS, &always);
    for (function, _) in UNIFIED_FUNCTIONS {
        assert!(tried.contains_key(function), "{function}: {tried:?}");
    }
}

/// How often each function failed. Those of `always`, which libgomp does not call,
/// also fail at all calls.
fn try_all(
    programs: &[&'static str],
    memory: &'static str,
    functions: &[(&'static str, &'static str)],
    always: &[&'static str],
) -> HashMap<&'static str, usize> {
    let mut tried: HashMap<&str, usize> = HashMap::new();
    for name in programs {
        let program = Program::build(name, memory);
        let stock = program.run("stock", &[]);
        assert!(stock.status.success(), "{name}: {}", text(&stock));
        let calls = program.calls();
        for (function, error) in functions {
            let calls = calls.get(*function).copied().unwrap_or(0);
            let last = (calls > CALLS_MAX).then_some(calls);
            for call in (1..=calls.min(CALLS_MAX)).chain(last) {
                program.with(&stock, &format!("{function}@{RUNTIME}:{call}={error}"));
                *tried.entry(function).or_default() += 1;
            }
        }
        for function in always {
            for error in ["OUT_OF_MEMORY", "INVALID_VALUE", "UNKNOWN"] {
                program.with(&stock, &format!("{function}:*={error}"));
            }
        }
    }
    tried
}

#[test]
fn a_driver_that_always_refuses_is_given_up_with_one_line() {
    if !offloads() {
        return;
    }
    let program = Program::build("offmem.c++/new-delete.C", "pinned");
    let refusing = [("SOFTCUDA_FAIL", "cuMemHostRegister_v2:*=OUT_OF_MEMORY")];
    let output = program.run("pinned", &refusing);
    assert!(output.status.success(), "{}", text(&output));
    let line = "libgomp-offmem: no more memory is pinned: the CUDA driver refused 8 times in a row";
    assert_eq!(text(&output), format!("{line}\n"));

    let [fail] = refusing;
    let traced = program.run("pinned", &[fail, ("SOFTCUDA_TRACE", "1")]);
    assert_eq!(text(&traced).matches(&format!("softcuda: {REGISTER}")).count(), 8);

    let output = program.run("pinned", &[fail, ("OFFMEM", "mandatory")]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert_eq!(text(&output), format!("{line}; OFFMEM=mandatory ends the program\n"));

    let quiet = program.run("pinned", &[fail, ("OFFMEM", "quiet")]);
    assert!(quiet.status.success() && text(&quiet).is_empty(), "{}", text(&quiet));
}

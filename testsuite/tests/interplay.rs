//! Programs that have more in them than the runtime: MPI, other libraries that
//! register memory, other allocators, sanitizers, valgrind. All offload to
//! softcuda, whose copies read the old pages behind a stale registration.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use offmem_testsuite::{Compiler, Language, Stage, root, run, skipped, succeed, text};
use serde_json::Value;
use tempfile::TempDir;

const PINNED: &str = "-foffload-memory=pinned";
const POLICIES: [&str; 3] = ["adaptive", "eager", "per-map"];

/// A folder for programs and what they write.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(TempDir::new().expect("a temporary folder"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Compiles `programs/NAME.c` by `compiler`; what it printed if it fails.
    fn try_compile(&self, compiler: &str, name: &str, options: &[&str]) -> Result<PathBuf, String> {
        let program = self.path().join(name);
        let mut gcc = Command::new(compiler);
        Stage::get().enter(&mut gcc).current_dir(self.path());
        gcc.args(["-fopenmp", "-no-pie"]).arg(source(name)).args(options).arg("-o").arg(&program);
        let output = run(gcc.env("OMPI_CC", Compiler::of(Language::C).name));
        if output.status.success() { Ok(program) } else { Err(text(&output)) }
    }

    #[track_caller]
    fn compile(&self, name: &str, options: &[&str]) -> PathBuf {
        let compiler = Compiler::of(Language::C).name;
        self.try_compile(&compiler, name, options).unwrap_or_else(|text| panic!("{text}"))
    }

    /// Makes the command's programs leave a report and statistics here.
    fn observe<'a>(&self, command: &'a mut Command, policy: &str) -> &'a mut Command {
        Stage::get().enter_softcuda(command).current_dir(self.path());
        command.env("OFFMEM_REPORT", self.path().join("report.json"));
        command.env("SOFTCUDA_STATS", self.path().join("statistics.json"));
        command.env("OFFMEM_POLICY", policy)
    }

    fn json(&self, name: &str) -> Value {
        let text = fs::read_to_string(self.path().join(name)).expect("a file of the program's");
        serde_json::from_str(&text).expect("JSON")
    }

    /// The summary of the report, checked against the driver's own counts.
    #[track_caller]
    fn summary(&self) -> Value {
        let (report, statistics) = (self.json("report.json"), self.json("statistics.json"));
        let summary = report["summary"].clone();
        assert_eq!(summary["strategy"], "register", "{report}");
        assert_eq!(summary["registrations"], statistics["registrations"], "{report} {statistics}");
        assert!(statistics["kernels"].as_i64() > Some(0), "{statistics}");
        summary
    }
}

fn source(name: &str) -> PathBuf {
    root().join("testsuite/tests/programs").join(name).with_extension("c")
}

fn offloads() -> bool {
    let offloads = Compiler::of(Language::C).offloads();
    if !offloads {
        skipped("all: the compiler does not offload to nvptx");
    }
    offloads
}

/// Whether a program is in `PATH`.
fn has(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !found {
        skipped(program);
    }
    found
}

/// Where the loader finds a library.
fn library(name: &str) -> Option<String> {
    let mut gcc = Compiler::of(Language::C).command();
    let path = succeed(gcc.arg(format!("-print-file-name={name}")));
    let path = Path::new(path.trim()).canonicalize().ok().filter(|path| path.is_absolute());
    if path.is_none() {
        skipped(name);
    }
    Some(path?.display().to_string())
}

#[test]
fn ranks_exchange_what_they_offload() {
    if !offloads() || !has("mpicc") {
        return;
    }
    let folder = Folder::new();
    let program = folder.try_compile("mpicc", "mpi-ring", &[PINNED]);
    let program = program.unwrap_or_else(|text| panic!("{text}"));
    let ucx: &[&str] = &[
        "--mca",
        "pml",
        "ucx",
        "--mca",
        "opal_common_ucx_tls",
        "any",
        "--mca",
        "opal_common_ucx_devices",
        "any",
    ];
    // UCX is loaded behind the runtime, or, preloaded, before it.
    let early = library("libucm.so.0").zip(library("libucs.so.0"));
    let early = early.map(|(ucm, ucs)| format!("{ucm}:{ucs}")).unwrap_or_default();
    let ways = [("", &["--mca", "pml", "ob1"][..], ""), ("eager", ucx, ""), ("eager", ucx, &early)];
    for (policy, options, preload) in ways {
        let mut mpirun = Command::new("mpirun");
        Stage::get().enter_softcuda(&mut mpirun).current_dir(folder.path());
        mpirun.args(["--allow-run-as-root", "--oversubscribe", "-n", "4"]).args(options);
        // As root in a container, two ranks for a core.
        mpirun.env("OMPI_MCA_rmaps_base_oversubscribe", "1").env("UCX_TLS", "sm,self");
        mpirun.env("OFFMEM_POLICY", policy).env("OFFMEM_LIMIT", "");
        if !preload.is_empty() {
            mpirun.args(["-x", &format!("LD_PRELOAD={preload}")]);
        }
        let output = run(mpirun.arg(&program));
        let text = text(&output);
        assert!(output.status.success(), "{policy} {options:?} {preload}: {text}");
        let ranks: Vec<Vec<&str>> = text
            .lines()
            .filter(|line| line.starts_with("rank "))
            .map(|line| line.split(' ').collect())
            .collect();
        assert_eq!(ranks.len(), 4, "{text}");
        for rank in ranks {
            let [.., "registrations", count, "limit", limit] = rank[..] else { panic!("{text}") };
            // A few blocks that are recycled, instead of one registration for each of 24.
            let count: u64 = count.parse().expect("a number");
            assert!((1..=8).contains(&count), "{text}");
            // At most half of memory is registered by all of them together.
            let limit: u64 = limit.parse().expect("a number");
            assert!(limit <= memory() / 8, "{limit} of {}: {text}", memory());
        }
    }
}

/// The machine's memory in bytes.
fn memory() -> u64 {
    // SAFETY: asks for numbers.
    let (pages, page) =
        unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    u64::try_from(pages * page).expect("some memory")
}

#[test]
fn another_library_registers_too() {
    if !offloads() {
        return;
    }
    let folder = Folder::new();
    let softcuda = Stage::get().softcuda().display().to_string();
    // By the driver's names, which come by the runtime, so that it makes room;
    // or by its handle, where it meets what is registered already.
    for (option, refused) in [("-DBY_NAME", "0"), ("-DBY_HANDLE", "712")] {
        let library = folder.compile("registrar", &["-shared", "-fPIC", option, &softcuda, "-ldl"]);
        let library = library.display().to_string();
        let program = folder.compile("beside-registrar", &[PINNED, &library]);
        for policy in POLICIES {
            let mut command = Command::new(&program);
            let output = run(folder.observe(&mut command, policy).arg(refused));
            let text = text(&output);
            assert!(output.status.success(), "{option} {policy}: {text}");
            let report = folder.json("report.json");
            let count = |name: &str| report["summary"][name].as_u64().expect("a number");
            assert!(count("registrations") > 0, "{option} {policy}: {report}");
            assert_eq!(count("failures"), 0, "{option} {policy}: {report}");
            let adopted = count("adoptions") > 0;
            assert_eq!(adopted, option == "-DBY_HANDLE", "{option} {policy}: {report}");
        }
    }
}

#[test]
fn other_allocators_keep_their_memory() {
    if !offloads() {
        return;
    }
    let folder = Folder::new();
    let stock = folder.compile("churn", &[PINNED]);
    for name in ["libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2"] {
        let Some(path) = library(name) else { continue };
        let linked_folder = Folder::new();
        let linked = linked_folder.compile("churn", &[PINNED, "-Wl,--no-as-needed", &path]);
        for (program, preload) in [(&stock, path.as_str()), (&linked, "")] {
            for policy in POLICIES {
                let mut command = Command::new(program);
                folder.observe(&mut command, policy).env("LD_PRELOAD", preload).arg("60");
                let output = run(&mut command);
                assert!(output.status.success(), "{name} {policy}: {}", text(&output));
                let summary = folder.summary();
                assert!(summary["heap"].is_null(), "{name} {policy}: {summary}");
                let reason = "malloc is not libc's in this process";
                assert_eq!(summary["heap_reason"], reason, "{name} {policy}: {summary}");
                let registrations = summary["registrations"].as_u64();
                assert!(policy == "adaptive" || registrations > Some(0), "{name}: {summary}");
            }
        }
    }
}

#[test]
fn sanitizers_find_nothing_of_ours() {
    if !offloads() {
        return;
    }
    let folder = Folder::new();
    for sanitizer in ["address", "thread", "undefined"] {
        let option = format!("-fsanitize={sanitizer}");
        // Device code cannot be sanitized.
        let options = [PINNED, "-g", &option, "-foffload-options=-fno-sanitize=all"];
        let program = folder.compile("churn", &options);
        let mut command = Command::new(&program);
        folder.observe(&mut command, "eager").arg("40");
        // libgomp, which is not sanitized, leaks 32 bytes and synchronises unseen.
        command.env("ASAN_OPTIONS", "detect_leaks=0").env("TSAN_OPTIONS", "exitcode=0");
        let output = run(&mut command);
        let text = text(&output);
        assert!(output.status.success() && text.contains("0 errors\n"), "{sanitizer}: {text}");
        // Nor are libgomp's plugin and softcuda; a report of ours has us as its cause.
        let ours = |line: &str| line.starts_with("SUMMARY: ") && line.contains("offmem");
        assert!(!text.lines().any(ours), "{sanitizer}: {text}");
        let summary = folder.summary();
        assert!(summary["registrations"].as_u64() > Some(0), "{sanitizer}: {summary}");
    }
}

#[test]
fn valgrind_finds_nothing_of_ours() {
    if !offloads() || !has("valgrind") {
        return;
    }
    let folder = Folder::new();
    let program = folder.compile("churn", &[PINNED, "-g"]);
    let mut valgrind = Command::new("valgrind");
    folder.observe(&mut valgrind, "eager").args(["--quiet", "--error-exitcode=9"]);
    let output = run(valgrind.arg(&program).arg("8"));
    assert!(output.status.success(), "{}", text(&output));
    let summary = folder.summary();
    assert!(summary["registrations"].as_u64() > Some(0), "{summary}");
}

#[test]
fn valgrind_finds_nothing_of_ours_in_unified_memory() {
    if !offloads() || !has("valgrind") {
        return;
    }
    let folder = Folder::new();
    let program = folder.compile("blocks", &["-foffload-memory=unified", "-g"]);
    let mut valgrind = Command::new("valgrind");
    folder.observe(&mut valgrind, "eager").args(["--quiet", "--error-exitcode=9"]);
    let output = run(valgrind.arg(&program).args(["1", "1", "0"]));
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("1 of 1\n"), "{}", text(&output));
}

#[test]
fn a_stock_program_is_pinned_and_reported_by_address() {
    if !offloads() || !has("addr2line") {
        return;
    }
    let folder = Folder::new();
    let program = folder.compile("churn", &["-g", "-O2"]);
    let mut command = Command::new(Stage::get().offmem());
    folder.observe(&mut command, "eager").args(["run", "--memory=pinned", "--"]);
    let output = run(command.arg(&program));
    assert!(output.status.success(), "{}", text(&output));
    let summary = folder.summary();
    // The blocks of at least 128 KiB that there are at a time, of 300.
    assert!(summary["heap"].is_object(), "{summary}");
    let registrations = summary["registrations"].as_u64();
    assert!((Some(1)..=Some(24)).contains(&registrations), "{summary}");

    let report = folder.json("report.json");
    let sites = report["sites"].as_array().expect("sites");
    let [site] = &sites[..] else { panic!("one region: {report}") };
    assert_eq!(site["calls"], 600);
    assert!(site["bytes_to_device_pinned"].as_u64() > Some(100_000_000), "{site}");
    let (file, address) = site["caller"].as_str().and_then(|it| it.split_once('+')).expect("+");
    assert_eq!(file, "churn");
    let line = succeed(Command::new("addr2line").arg("-e").arg(&program).arg(address));
    let line = line.trim().rsplit_once("churn.c:").map(|(_, line)| line).expect("a place");
    let line: usize = line.split(' ').next().and_then(|line| line.parse().ok()).expect("a line");
    let text = fs::read_to_string(source("churn")).expect("the source");
    let start = text.lines().position(|line| line.contains("#pragma omp target")).expect("it") + 1;
    assert!((start - 1..start + 4).contains(&line), "{line}, not {start}");
}

use std::collections::HashSet;
use std::fs;
use std::iter;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use offmem_testsuite::{Compiler, Language, Stage, root, run};

use crate::source::Source;

/// How the tests are compiled and run.
pub(crate) struct Options {
    /// The value of `-foffload-memory=`, if any.
    pub(crate) memory: Option<String>,
    /// What is added to the programs' environment.
    pub(crate) variables: Vec<(String, String)>,
    /// Whether they run on softcuda.
    pub(crate) softcuda: bool,
}

impl Options {
    /// Names the results: `pinned-eager-64K`, or `stock`.
    fn name(&self) -> String {
        let memory = self.memory.as_deref().unwrap_or("stock");
        let values = self.variables.iter().map(|(_, value)| value.as_str());
        iter::once(memory).chain(values).collect::<Vec<_>>().join("-")
    }
}

/// What came out.
pub(crate) struct Outcome {
    pub(crate) results: Vec<TestResult>,
    pub(crate) registrations: Registrations,
}

/// What was registered with softcuda; without any, a run says nothing about it.
#[derive(Default)]
pub(crate) struct Registrations {
    pub(crate) made: i64,
    /// Processes that made one.
    pub(crate) programs: usize,
    /// Processes that loaded softcuda.
    pub(crate) all: usize,
}

/// A line of a summary.
pub(crate) struct TestResult {
    /// "PASS", "FAIL" …
    pub(crate) kind: String,
    /// The test's file, its options, and what was checked.
    pub(crate) name: String,
    /// Whether its program ran a kernel on softcuda.
    pub(crate) kernel: bool,
}

impl TestResult {
    /// The file of the test, without folders and suffix: its program's name.
    fn stem(&self) -> Option<&str> {
        self.name.split_whitespace().next()?.rsplit('/').next()?.split('.').next()
    }

    pub(crate) fn failed(&self) -> bool {
        matches!(self.kind.as_str(), "FAIL" | "XPASS" | "ERROR" | "UNRESOLVED")
    }
}

/// Tests that one `runtest` runs: a language's, of one programming model.
struct Suite {
    name: &'static str,
    driver: &'static str,
    folders: &'static [&'static str],
}

/// The longest first.
const SUITES: [Suite; 6] = [
    Suite { name: "oacc-fortran", driver: "fortran.exp", folders: &["libgomp.oacc-fortran"] },
    Suite { name: "fortran", driver: "fortran.exp", folders: &["libgomp.fortran"] },
    Suite {
        name: "oacc-c",
        driver: "c.exp",
        folders: &["libgomp.oacc-c", "libgomp.oacc-c-c++-common"],
    },
    Suite { name: "oacc-c++", driver: "c++.exp", folders: &["libgomp.oacc-c++"] },
    Suite { name: "c", driver: "c.exp", folders: &["libgomp.c", "libgomp.c-c++-common"] },
    Suite { name: "c++", driver: "c++.exp", folders: &["libgomp.c++", "libgomp.c-c++-common"] },
];

/// Runs every suite, as many at once as there are processors.
pub(crate) fn run_all(source: &Source, options: &Options) -> Outcome {
    Stage::get();
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut outcomes = Vec::new();
        while let Some(suite) = SUITES.get(next.fetch_add(1, Ordering::Relaxed)) {
            outcomes.push(runtest(source, options, suite));
        }
        outcomes
    };
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    let outcomes: Vec<Outcome> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("runtest ends")).collect()
    });
    let mut whole = Outcome { results: Vec::new(), registrations: Registrations::default() };
    for Outcome { results, registrations } in outcomes {
        whole.results.extend(results);
        whole.registrations.made += registrations.made;
        whole.registrations.programs += registrations.programs;
        whole.registrations.all += registrations.all;
    }
    whole
}

fn runtest(source: &Source, options: &Options, suite: &Suite) -> Outcome {
    let folder = build_folder(&options.name(), suite.name);
    let statistics = folder.join("stats/%e.%p");
    let [gcc, gxx, gfortran] = Language::ALL.map(|language| Compiler::of(language).name);
    let triplet = "x86_64-pc-linux-gnu";
    let site = format!(
        "set tool libgomp\nset srcdir {}\nset rootme {}\nset GCC_UNDER_TEST {gcc}\n\
         set GXX_UNDER_TEST {gxx}\nset GFORTRAN_UNDER_TEST {gfortran}\nset CFLAGS {{}}\n\
         set CXXFLAGS {{}}\nset host_triplet {triplet}\nset build_triplet {triplet}\n\
         set target_triplet {triplet}\n",
        source.testsuite().display(),
        folder.display()
    );
    // What libgomp's configure would write.
    let support = "set cuda_driver_include {}\nset cuda_driver_lib {}\nset hsa_runtime_lib {}\n\
                   set offload_plugins nvptx\nset offload_targets nvptx-none\n\
                   set offload_additional_options {}\nset offload_additional_lib_paths {}\n";
    fs::write(folder.join("site.exp"), site).expect("site.exp");
    fs::write(folder.join("libgomp-test-support.exp"), support).expect("its support");

    // Debian 12's crtoffloadtable.o is not position-independent, and ld says so.
    let mut board = "unix/-no-pie".to_owned();
    if let Some(memory) = &options.memory {
        board += &format!("/-foffload-memory={memory}");
    }
    let mut command = Command::new("runtest");
    command.arg("--tool").arg("libgomp").arg(format!("--target_board={board}"));
    command.arg(format!("{}={}", suite.driver, source.offloading(suite.folders).join(" ")));
    command.current_dir(&folder).stdin(Stdio::null());
    let command = if options.softcuda {
        // OpenACC's tests ask for blocks of 1024 threads, as every GPU has them.
        let warps = if suite.name.starts_with("oacc") { "32" } else { "8" };
        let command = Stage::get().enter_softcuda(&mut command);
        command.env("SOFTCUDA_STATS", &statistics).env("SOFTCUDA_WARPS", warps)
    } else {
        Stage::get().enter(&mut command)
    };
    let variables = options.variables.iter().map(|(name, value)| (name, value));
    let output = run(command.env("OFFMEM", "quiet").envs(variables));
    fs::write(folder.join("runtest.out"), output.stdout).expect("its output");

    let summary = fs::read_to_string(folder.join("libgomp.sum")).unwrap_or_default();
    let mut results: Vec<_> = summary.lines().filter_map(result).collect();
    // A suite that broke off, or in which nothing ran, says so itself.
    let complete = summary.contains("=== libgomp Summary ===");
    if !complete || !results.iter().any(|result| result.kind == "PASS") {
        let name = format!("{} did not run to its end", folder.display());
        results.push(TestResult { kind: "ERROR".into(), name, kernel: false });
    }
    let (with_kernels, registrations) = read_statistics(&folder.join("stats"));
    for result in &mut results {
        result.kernel = result.stem().is_some_and(|stem| with_kernels.contains(stem));
    }
    Outcome { results, registrations }
}

/// The programs that ran a kernel, and what all registered, by softcuda's
/// statistics of each process.
fn read_statistics(folder: &Path) -> (HashSet<String>, Registrations) {
    let mut with_kernels = HashSet::new();
    let mut registrations = Registrations::default();
    let files = fs::read_dir(folder).into_iter().flatten();
    for file in files.filter_map(|file| Some(file.ok()?.path())) {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let count = |name| value[name].as_i64().unwrap_or(0);
        if count("kernels") > 0 {
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            with_kernels.extend(name.split('.').next().map(str::to_owned));
        }
        registrations.made += count("registrations");
        registrations.programs += usize::from(count("registrations") > 0);
        registrations.all += 1;
    }
    (with_kernels, registrations)
}

fn build_folder(options: &str, suite: &str) -> PathBuf {
    let folder = root().join(format!("target/libgomp/{options}/{suite}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("stats")).expect("a folder for runtest");
    folder
}

fn result(line: &str) -> Option<TestResult> {
    const KINDS: [&str; 9] = [
        "PASS",
        "FAIL",
        "XPASS",
        "XFAIL",
        "KFAIL",
        "UNRESOLVED",
        "UNTESTED",
        "UNSUPPORTED",
        "ERROR",
    ];
    let (kind, name) = line.split_once(": ")?;
    KINDS.contains(&kind).then(|| TestResult {
        kind: kind.into(),
        name: name.into(),
        kernel: false,
    })
}

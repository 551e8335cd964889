use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use offmem_testsuite::{Compiler, Language, Stage, root, run};

use crate::source::Source;

/// How the tests are compiled.
pub(crate) struct Options {
    /// The value of `-foffload-memory=`, if any.
    pub(crate) memory: Option<String>,
}

/// A line of a summary.
pub(crate) struct TestResult {
    /// "PASS", "FAIL" …
    pub(crate) kind: String,
    /// The test's file, its options, and what was checked.
    pub(crate) name: String,
}

impl TestResult {
    pub(crate) fn failed(&self) -> bool {
        matches!(self.kind.as_str(), "FAIL" | "XPASS" | "ERROR" | "UNRESOLVED")
    }
}

/// What `runtest` calls a language, and where its tests stand.
const SUITES: [(&str, &[&str]); 3] = [
    (
        "c.exp",
        &["libgomp.c", "libgomp.c-c++-common", "libgomp.oacc-c", "libgomp.oacc-c-c++-common"],
    ),
    ("c++.exp", &["libgomp.c++", "libgomp.c-c++-common", "libgomp.oacc-c++"]),
    ("fortran.exp", &["libgomp.fortran", "libgomp.oacc-fortran"]),
];

/// Runs every suite, each on a thread of its own.
pub(crate) fn run_all(source: &Source, options: &Options) -> Vec<TestResult> {
    Stage::get();
    thread::scope(|scope| {
        let suites = SUITES.map(|(driver, folders)| {
            scope.spawn(move || runtest(source, options, driver, folders))
        });
        suites.into_iter().flat_map(|suite| suite.join().expect("runtest ends")).collect()
    })
}

fn runtest(source: &Source, options: &Options, driver: &str, folders: &[&str]) -> Vec<TestResult> {
    let folder = build_folder(options.memory.as_deref().unwrap_or("stock"), driver);
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
    command.arg(format!("{driver}={}", source.offloading(folders).join(" ")));
    command.current_dir(&folder).stdin(Stdio::null());
    let output = run(Stage::get().enter(&mut command).env("OFFMEM", "quiet"));
    fs::write(folder.join("runtest.out"), output.stdout).expect("its output");

    let summary = fs::read_to_string(folder.join("libgomp.sum")).unwrap_or_default();
    summary.lines().filter_map(result).collect()
}

fn build_folder(memory: &str, driver: &str) -> PathBuf {
    let name = format!("target/libgomp/{memory}/{}", driver.trim_end_matches(".exp"));
    let folder = root().join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for runtest");
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
    KINDS.contains(&kind).then(|| TestResult { kind: kind.into(), name: name.into() })
}

//! Projects that use the option the way people do, and environment modules.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use offmem_testsuite::{Compiler, Language, Stage, installed, root, run, skipped, succeed, text};
use tempfile::TempDir;

/// What `stream.c` needs beside the option: nothing is said about a device here.
const FLAGS: &str = "-foffload=disable";

/// Runs a step of a build in `folder`, with the compiler under test.
fn step(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    command.env("CC", Compiler::of(Language::C).name).env("CFLAGS", FLAGS);
    succeed(Stage::get().enter(&mut command))
}

/// The program runs, and its memory is `mode`'s.
fn works(program: &Path, mode: &str) {
    let report = TempDir::new().expect("a temporary folder");
    let mut command = Command::new(program);
    let file = report.path().join("report");
    Stage::get().enter(&mut command).env("OFFMEM", "quiet").env("OFFMEM_REPORT", &file);
    succeed(&mut command);
    assert!(fs::read_to_string(&file).is_ok(), "{mode}: the runtime is there");
    let symbols = succeed(Command::new("nm").arg(program));
    assert!(symbols.contains("offmem_GOMP_target_ext"), "{mode}: {symbols}");
    assert_eq!(symbols.contains("offmem_calloc"), mode == "unified");
}

/// A copy of the projects, since some write beside their sources.
fn projects() -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    let from = root().join("testsuite/projects/.");
    succeed(Command::new("cp").arg("-r").arg(from).arg(folder.path()));
    folder
}

#[test]
fn cmake_tries_the_flag_or_finds_the_package() {
    if !installed(&["cmake"]) {
        return;
    }
    let projects = projects();
    let folder = projects.path().join("cmake");
    step(&folder, "cmake", &["-S", ".", "-B", "build"]);
    step(&folder, "cmake", &["--build", "build"]);
    works(&folder.join("build/flag"), "pinned");
    works(&folder.join("build/package"), "unified");
}

/// As CMake's `OpenMP::OpenMP_C` does, and a linker that takes no library for
/// nothing: all that the program calls of libgomp is the runtime's.
#[test]
fn a_libgomp_that_the_linker_left_out_is_loaded() {
    let projects = projects();
    let gcc = |options: &[&str]| {
        let mut gcc = Compiler::of(Language::C).command();
        gcc.arg("-foffload-memory=pinned").args(options).current_dir(projects.path());
        succeed(Stage::get().enter(&mut gcc))
    };
    let library = gcc(&["-print-file-name=libgomp.so"]);
    gcc(&["-fopenmp", FLAGS, "-c", "stream.c"]);
    gcc(&["stream.o", FLAGS, "-Wl,--as-needed", library.trim(), "-o", "flag"]);
    let program = projects.path().join("flag");
    assert!(!succeed(Command::new("readelf").arg("-d").arg(&program)).contains("[libgomp.so.1]"));
    works(&program, "pinned");
}

#[test]
fn meson_tries_the_flag() {
    if !installed(&["meson", "ninja"]) {
        return;
    }
    let projects = projects();
    let folder = projects.path().join("meson");
    step(&folder, "meson", &["setup", "build"]);
    step(&folder, "ninja", &["-C", "build"]);
    works(&folder.join("build/flag"), "pinned");
}

#[test]
fn autoconf_tries_the_flag() {
    if !installed(&["autoconf"]) {
        return;
    }
    let projects = projects();
    let folder = projects.path().join("autoconf");
    step(&folder, "autoconf", &[]);
    let said = step(&folder, "./configure", &[]);
    assert!(said.contains("for -foffload-memory=pinned... yes"), "{said}");
    step(&folder, "make", &[]);
    works(&folder.join("flag"), "pinned");
}

#[test]
fn a_module_brings_everything_and_takes_it_away() {
    let lmod = PathBuf::from("/usr/share/lmod/lmod/init/bash");
    if !lmod.exists() {
        skipped("lmod is not installed");
        return;
    }
    let projects = projects();
    let modules = Stage::get().offmem().with_file_name("../modulefiles");
    let gcc = Compiler::of(Language::C).name;
    let script = format!(
        ". {lmod} && module use {modules} && unset LIBRARY_PATH LD_LIBRARY_PATH CPATH && before=$(env | sort)\n\
         module load offmem || exit 1\n\
         {gcc} -fopenmp {FLAGS} -foffload-memory=pinned stream.c -o a && OFFMEM=quiet ./a && offmem --version || exit 2\n\
         module unload offmem\n\
         echo \"$LIBRARY_PATH$LD_LIBRARY_PATH$CPATH\"; ! type offmem",
        lmod = lmod.display(),
        modules = modules.display(),
    );
    let output = run(Command::new("bash").args(["-c", &script]).current_dir(projects.path()));
    assert!(output.status.success(), "{}", text(&output));
    assert!(!text(&output).contains("target/stage"), "{}", text(&output));
}

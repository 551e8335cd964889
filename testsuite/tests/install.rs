//! `make install` and `make uninstall`, into a folder of the test's own.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use offmem_testsuite::{Compiler, Language, Stage, root, run, succeed, text};
use tempfile::TempDir;

fn make(target: &str, destination: &Path) -> Command {
    let mut make = Command::new("make");
    let gcc = Compiler::of(Language::C).name;
    make.args(["--silent", target, "PREFIX=/usr", "LIBDIR=/usr/lib/x86_64-linux-gnu"]);
    make.arg(format!("GCC={gcc}")).arg(format!("DESTDIR={}", destination.display()));
    make.current_dir(root());
    make
}

fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder").map(|entry| entry.expect("an entry")) {
            if entry.file_type().expect("a type").is_dir() {
                folders.push(entry.path());
            } else {
                found.insert(entry.path().strip_prefix(folder).expect("inside").to_owned());
            }
        }
    }
    found
}

/// Where that GCC reads a file named specs by itself.
fn specs_folder() -> PathBuf {
    let libgcc = succeed(Compiler::of(Language::C).command().arg("-print-libgcc-file-name"));
    Path::new(libgcc.trim()).parent().expect("a folder").to_owned()
}

#[test]
fn what_install_brings_uninstall_takes_away() {
    Stage::get();
    let destination = TempDir::new().expect("a temporary folder");
    succeed(&mut make("install", destination.path()));

    let installed = files(destination.path());
    let names: BTreeSet<_> =
        installed.iter().filter_map(|path| path.file_name()?.to_str()).collect();
    let expected =
        ["offmem", "offmem.1", "liboffmem.so", "libgomp-offmem.so", "libgomp-offmem.so.1"];
    for name in expected.into_iter().chain(["offmem.h", "offmem.f90"]) {
        assert!(names.contains(name), "{name} is missing: {installed:?}");
    }
    let specs =
        destination.path().join(specs_folder().strip_prefix("/").expect("absolute")).join("specs");
    let specs = fs::read_to_string(specs).expect("the specs stand where gcc reads them");
    assert!(!specs.contains(&destination.path().display().to_string()), "DESTDIR is only for now");
    assert!(specs.contains("/usr/lib/x86_64-linux-gnu/libgomp-offmem.so"));

    succeed(&mut make("uninstall", destination.path()));
    assert_eq!(files(destination.path()), BTreeSet::new());
}

#[test]
fn specs_of_somebody_else_are_left_alone() {
    Stage::get();
    let destination = TempDir::new().expect("a temporary folder");
    let folder = destination.path().join(specs_folder().strip_prefix("/").expect("absolute"));
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("specs"), "*asm:\n+ --size-check=error\n\n").expect("a file");

    let output = run(&mut make("install", destination.path()));
    assert!(!output.status.success());
    assert!(text(&output).contains("exists and is not offmem's"), "{}", text(&output));
    succeed(&mut make("uninstall", destination.path()));
    assert!(folder.join("specs").exists());
}

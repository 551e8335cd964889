//! `make install` and `make uninstall`, into a folder of the test's own.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use offmem_testsuite::{Compiler, Language, Stage, root, run, succeed, text};
use tempfile::TempDir;

const LIBRARIES: &str = "/usr/lib/x86_64-linux-gnu";

fn make(target: &str, destination: &Path) -> Command {
    make_for(&Compiler::of(Language::C).name, target, destination)
}

/// One at a time, since builds for different compilers share their output.
fn make_for(gcc: &str, target: &str, destination: &Path) -> Command {
    let mut make = Command::new("flock");
    make.arg(root().join("Makefile"));
    make.args(["make", "--silent", target, "PREFIX=/usr", &format!("LIBDIR={LIBRARIES}")]);
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

/// Where a GCC reads a file named specs by itself.
fn specs_folder_of(gcc: &mut Command) -> PathBuf {
    let libgcc = succeed(gcc.arg("-print-libgcc-file-name"));
    Path::new(libgcc.trim()).parent().expect("a folder").to_owned()
}

fn specs_folder() -> PathBuf {
    specs_folder_of(&mut Compiler::of(Language::C).command())
}

/// What is installed to below `destination` at `path`.
fn below(destination: &TempDir, path: &Path) -> PathBuf {
    destination.path().join(path.strip_prefix("/").expect("absolute"))
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
    let more = ["offmem.h", "offmem.f90", "offmem.pc", "offmem.fish", "_offmem"];
    for name in expected.into_iter().chain(more) {
        assert!(names.contains(name), "{name} is missing: {installed:?}");
    }
    let specs = below(&destination, &specs_folder()).join("specs");
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
    let folder = below(&destination, &specs_folder());
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("specs"), "*asm:\n+ --size-check=error\n\n").expect("a file");

    let output = run(&mut make("install", destination.path()));
    assert!(!output.status.success());
    assert!(text(&output).contains("exists and is not offmem's"), "{}", text(&output));
    succeed(&mut make("uninstall", destination.path()));
    assert!(folder.join("specs").exists());
}

#[test]
fn all_compilers_that_have_plugin_headers() {
    Stage::get();
    let destination = TempDir::new().expect("a temporary folder");
    succeed(&mut make_for("all", "install", destination.path()));

    let gccs = succeed(&mut Command::new(root().join("packaging/gccs.sh")));
    assert!(!gccs.is_empty());
    let mut plugins = BTreeSet::new();
    for gcc in gccs.lines() {
        let folder = below(&destination, &specs_folder_of(&mut Command::new(gcc)));
        let specs = fs::read_to_string(folder.join("specs")).expect(gcc);
        assert!(specs.contains("offload-memory"), "{gcc}");
        let plugin = fs::read(folder.join("plugin/liboffmem.so")).expect(gcc);
        assert!(plugins.insert(plugin), "{gcc} has another one's plugin");
    }
    succeed(&mut make_for("all", "uninstall", destination.path()));
    assert_eq!(files(destination.path()), BTreeSet::new());
}

#[test]
fn packages_make_their_specs_where_they_are_installed() {
    Stage::get();
    let destination = TempDir::new().expect("a temporary folder");
    succeed(make("install", destination.path()).arg("SPECS=no"));
    let names = files(destination.path());
    assert!(names.iter().any(|path| path.ends_with("liboffmem.so")), "{names:?}");
    assert!(!names.iter().any(|path| path.ends_with("specs")), "{names:?}");
}

#[test]
fn pkg_config_leads_to_the_header_and_the_library() {
    Stage::get();
    let destination = TempDir::new().expect("a temporary folder");
    succeed(&mut make("install", destination.path()));
    let pkg_config = |arguments: &[&str]| {
        let mut command = Command::new("pkg-config");
        command.args(arguments).arg("offmem").env("PKG_CONFIG_SYSROOT_DIR", destination.path());
        let folder = below(&destination, Path::new(LIBRARIES)).join("pkgconfig");
        // Also folders that compilers search by themselves are not theirs below DESTDIR.
        command.env("PKG_CONFIG_PATH", folder).env("PKG_CONFIG_ALLOW_SYSTEM_CFLAGS", "1");
        succeed(command.env("PKG_CONFIG_ALLOW_SYSTEM_LIBS", "1"))
    };
    assert_eq!(pkg_config(&["--modversion"]).trim(), env!("CARGO_PKG_VERSION"));
    assert!(pkg_config(&["--variable=fortran_source"]).trim().ends_with("/usr/include/offmem.f90"));

    let source = destination.path().join("x.c");
    fs::write(
        &source,
        "#include <offmem.h>\nint main (void) { return offmem_is_pinned (0, 0); }\n",
    )
    .expect("a file");
    let program = destination.path().join("x");
    let mut compile = Compiler::of(Language::C).command();
    compile.arg(&source).arg("-o").arg(&program);
    succeed(compile.args(pkg_config(&["--cflags", "--libs"]).split_whitespace()));
    let libraries = below(&destination, Path::new(LIBRARIES));
    succeed(Command::new(&program).env("LD_LIBRARY_PATH", libraries));
}

#[test]
fn bash_completes() {
    Stage::get();
    let destination = TempDir::new().expect("a temporary folder");
    succeed(&mut make("install", destination.path()));
    let file = below(&destination, Path::new("/usr/share/bash-completion/completions/offmem"));
    let complete = "source \"$0\" && COMP_WORDS=(offmem sp) COMP_CWORD=1 && _offmem offmem sp \
                    offmem && echo \"${COMPREPLY[@]}\"";
    assert_eq!(succeed(Command::new("bash").args(["-c", complete]).arg(file)).trim(), "specs");
}

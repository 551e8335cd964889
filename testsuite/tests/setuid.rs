//! A setuid program belongs to its owner: the caller's environment is not asked.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::process::Command;

use offmem_testsuite::{Compiler, Language, Stage, skipped, succeed, text};
use tempfile::TempDir;

#[test]
fn the_environment_of_a_setuid_program_is_ignored() {
    // SAFETY: asks for a number.
    if unsafe { libc::geteuid() } != 0 {
        skipped("only root can make a program of somebody else's setuid");
        return;
    }
    const NOBODY: u32 = 65534;
    let folder = TempDir::new().expect("a temporary folder");
    let program = folder.path().join("a.out");
    let source = folder.path().join("x.c");
    fs::write(&source, "int main (void) {\n#pragma omp target\n;\nreturn 0; }\n").expect("a file");
    let runtime = Stage::get().runtime();
    let rpath = folder.path().display();
    fs::copy(&runtime, folder.path().join("libgomp-offmem.so.1")).expect("a copy");
    let mut gcc = Compiler::of(Language::C).command();
    gcc.args(["-fopenmp", "-foffload=disable", "-foffload-memory=pinned", "-o"]).arg(&program);
    // The loader ignores LD_LIBRARY_PATH there too.
    gcc.arg(&source).arg(format!("-Wl,-rpath,{rpath}"));
    succeed(Stage::get().enter(&mut gcc));
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("a mode");

    // Without privileges nothing can be locked, and OFFMEM=quiet would hide that.
    let run = || {
        let mut limited = Command::new("prlimit");
        limited.args(["--memlock=65536:65536"]).arg(&program).env("OFFMEM", "quiet");
        limited.env_remove("LD_LIBRARY_PATH");
        let output = limited.output().expect("prlimit runs");
        assert!(output.status.success(), "{}", text(&output));
        text(&output)
    };
    assert_eq!(run(), "", "quiet, as its caller's own program");
    chown(&program, Some(NOBODY), None).expect("root may");
    fs::set_permissions(&program, Permissions::from_mode(0o4755)).expect("a mode");
    assert!(run().contains("libgomp-offmem: memory is left unpinned"), "setuid");
}

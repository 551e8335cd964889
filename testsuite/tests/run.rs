//! `offmem run`: the program is itself, and the runtime is in it.

use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use offmem_testsuite::{Compiler, Language, Stage, root, run, skipped, succeed, text};
use tempfile::TempDir;

const NOBODY: u32 = 65534;

/// `programs/run.c`, compiled as stock GCC does, with these options more.
fn compile(folder: &Path, options: &[&str]) -> PathBuf {
    let program = folder.join("stock");
    let mut gcc = Compiler::of(Language::C).command();
    gcc.arg("-fopenmp").arg(root().join("testsuite/tests/programs/run.c"));
    succeed(gcc.args(options).arg("-o").arg(&program));
    program
}

/// A stock program that everybody may run.
fn stock() -> &'static Path {
    static PROGRAM: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, program) = PROGRAM.get_or_init(|| {
        let folder = TempDir::new().expect("a temporary folder");
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("a mode");
        let program = compile(folder.path(), &["-foffload=disable"]);
        (folder, program)
    });
    program
}

/// `offmem run OPTIONS` without an environment that would help it.
fn offmem_run(options: &[&str]) -> Command {
    let mut command = Command::new(Stage::get().offmem());
    command.arg("run").args(options);
    Stage::get().enter(&mut command).env_remove("LD_LIBRARY_PATH").env("OFFMEM", "quiet");
    command
}

/// What the stock program prints, run with these options.
fn prints(options: &[&str], arguments: &[&str]) -> String {
    succeed(offmem_run(options).arg(stock()).args(arguments))
}

/// It ends before the program starts, with one line.
#[track_caller]
fn refused(output: &Output, status: i32, reason: &str) {
    let text = text(output);
    assert_eq!(output.status.code(), Some(status), "{text}");
    assert!(text.starts_with("offmem: ") && text.contains(reason), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}

#[test]
fn the_end_is_the_programs_own() {
    for status in [0, 1, 7, 125, 255] {
        let output = run(offmem_run(&[]).arg(stock()).args(["exit", &status.to_string()]));
        assert_eq!(output.status.code(), Some(status), "{}", text(&output));
    }
    for signal in [libc::SIGTERM, libc::SIGSEGV, libc::SIGPIPE] {
        let output = run(offmem_run(&[]).arg(stock()).args(["raise", &signal.to_string()]));
        assert_eq!(output.status.signal(), Some(signal), "{}", text(&output));
    }
}

#[test]
fn it_is_the_same_process() {
    let mut command = offmem_run(&[]);
    command.arg(stock()).arg("pid").stdout(Stdio::piped());
    let child = command.spawn().expect("it runs");
    let id = child.id();
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(text(&output).trim(), id.to_string());
}

#[test]
fn standard_streams_pass_through() {
    let mut command = offmem_run(&[]);
    command.arg(stock()).arg("cat").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it runs");
    let bytes: Vec<u8> = (0..=255).cycle().take(50_000).collect();
    let mut input = child.stdin.take().expect("a pipe");
    let sent = bytes.clone();
    let writer = std::thread::spawn(move || input.write_all(&sent));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("it reads");
    assert!(output.stdout == bytes, "{} bytes came back", output.stdout.len());
}

#[test]
fn a_terminal_stays_one() {
    let mut command = Command::new("script");
    let line = format!("{} run -- {} streams", Stage::get().offmem().display(), stock().display());
    command.args(["--quiet", "--return", "--command", &line, "/dev/null"]).stdin(Stdio::null());
    let output = succeed(Stage::get().enter(&mut command));
    assert!(output.contains("111"), "{output}");
}

#[test]
fn arguments_stay_words() {
    let odd = ["arguments", "a b", "", "--help", "--", "$HOME", "\u{fc}\n"];
    for separator in [&["--"][..], &[]] {
        let expected = [&[stock().to_str().expect("UTF-8")], &odd[..]].concat().join("\n") + "\n";
        assert_eq!(prints(separator, &odd), expected);
    }
}

#[test]
fn programs_are_found_as_a_shell_finds_them() {
    let folder = stock().parent().expect("a folder");
    let mut command = offmem_run(&[]);
    command.args(["stock", "arguments"]).env("PATH", format!("/nowhere:{}", folder.display()));
    assert_eq!(succeed(&mut command), "stock\narguments\n", "its own name stays");
    let mut command = offmem_run(&[]);
    command.args(["./stock", "exit", "3"]).current_dir(folder);
    assert_eq!(run(&mut command).status.code(), Some(3));
    let mut command = offmem_run(&[]);
    command.arg("stock").env("PATH", "/nowhere");
    refused(&run(&mut command), 127, "'stock' is not found");
    refused(&run(offmem_run(&[]).arg("/etc/passwd")), 126, "may not be executed");
    refused(&run(offmem_run(&[]).arg("/etc")), 126, "is a folder");
}

#[test]
fn the_runtime_is_in_it() {
    let staged = Stage::get().runtime().display().to_string();
    let installed = Stage::get().offmem().parent().expect("bin").join("../lib");
    let beside = installed.canonicalize().expect("lib").join("libgomp-offmem.so.1");
    assert_eq!(prints(&[], &["runtime"]).trim(), beside.display().to_string());
    assert_eq!(prints(&["--runtime", &staged], &["runtime"]).trim(), staged);
    assert_eq!(prints(&[], &["variable", "OFFMEM_MEMORY"]), "pinned\n");
    assert_eq!(prints(&["--memory=unified"], &["variable", "OFFMEM_MEMORY"]), "unified\n");
    assert_eq!(prints(&["--limit=3G"], &["variable", "OFFMEM_LIMIT"]), "3G\n");
}

#[test]
fn none_is_the_program_alone() {
    assert_eq!(prints(&["--memory=none"], &["runtime"]), "(none)\n");
    let mut command = offmem_run(&["--memory=none"]);
    command.arg(stock()).args(["variable", "OFFMEM_MEMORY"]).env("OFFMEM_MEMORY", "pinned");
    assert_eq!(succeed(&mut command), "(none)\n");
    // Without the runtime, what it cannot serve may run.
    assert_eq!(succeed(offmem_run(&["--memory=none"]).args(["echo", "x"])), "x\n");
}

#[test]
fn a_runtime_without_a_place_is_found_by_the_loader() {
    let folder = TempDir::new().expect("a temporary folder");
    let lonely = folder.path().join("offmem");
    fs::copy(Stage::get().offmem(), &lonely).expect("a copy");
    let command = || {
        let mut command = Command::new(&lonely);
        Stage::get().enter(&mut command).env("OFFMEM", "quiet");
        command.arg("run").arg(stock()).arg("runtime");
        command
    };
    let found = succeed(&mut command());
    assert_eq!(found.trim(), Stage::get().runtime().display().to_string(), "LD_LIBRARY_PATH");
    let output = run(command().env("LD_LIBRARY_PATH", ""));
    refused(&output, 125, "name it with --runtime");
}

#[test]
fn memory_is_locked_where_that_is_the_strategy() {
    // SAFETY: asks for a number.
    if unsafe { libc::geteuid() } != 0 {
        skipped("only root may surely lock memory");
        return;
    }
    let locked = ["--strategy=mlockall"];
    assert_eq!(prints(&locked, &["locked"]), "locked\n");
    assert_eq!(prints(&["--memory=none", "--strategy=mlockall"], &["locked"]), "not locked\n");
    // A shell on the way to the program is no program that offloads.
    let shell = "grep VmLck /proc/self/status; exec \"$0\" locked";
    let mut command = offmem_run(&["--strategy=mlockall", "--force", "--", "sh", "-c", shell]);
    let lines = succeed(command.arg(stock()));
    assert_eq!(lines.split_whitespace().collect::<Vec<_>>(), ["VmLck:", "0", "kB", "locked"]);
}

#[test]
fn scripts_pass_the_runtime_on() {
    let folder = TempDir::new().expect("a temporary folder");
    for (name, first_line) in [("with", "#!/bin/sh\n"), ("without", "")] {
        let script = folder.path().join(name);
        fs::write(&script, format!("{first_line}exec \"$@\"\n")).expect("a file");
        fs::set_permissions(&script, Permissions::from_mode(0o755)).expect("a mode");
        let mut command = offmem_run(&[]);
        let found = succeed(command.arg(&script).arg(stock()).arg("runtime"));
        assert!(found.contains("libgomp-offmem.so.1"), "{found}");
    }
}

#[test]
fn other_preloaded_libraries_stay() {
    let folder = TempDir::new().expect("a temporary folder");
    let source = folder.path().join("x.c");
    fs::write(&source, "int offmem_enable;\n").expect("a file");
    let other = folder.path().join("other.so");
    let mut gcc = Compiler::of(Language::C).command();
    succeed(gcc.args(["-shared", "-fPIC"]).arg(&source).arg("-o").arg(&other));
    let shown = |argument: &str, more: &[&str]| {
        let mut command = offmem_run(&[]);
        succeed(command.arg(stock()).arg(argument).args(more).env("LD_PRELOAD", &other))
    };
    let list = shown("variable", &["LD_PRELOAD"]);
    let (ours, others) = list.trim().split_once(':').expect("two");
    assert!(ours.ends_with("libgomp-offmem.so.1"), "{list}");
    assert_eq!(others, other.display().to_string());
    assert!(shown("runtime", &[]).contains("libgomp-offmem.so.1"), "ours comes first");
}

#[test]
fn programs_that_it_cannot_serve() {
    let folder = TempDir::new().expect("a temporary folder");
    let program = compile(folder.path(), &["-static", "-foffload=disable"]);
    refused(&run(offmem_run(&["--force"]).arg(&program)), 126, "is static");

    refused(&run(&mut offmem_run(&["echo", "x"])), 126, "--force");
    assert_eq!(succeed(&mut offmem_run(&["--force", "echo", "x"])), "x\n");

    let mut foreign = fs::read(stock()).expect("readable");
    foreign[18] = 8; // MIPS
    let program = folder.path().join("foreign");
    fs::write(&program, foreign).expect("a file");
    fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("a mode");
    refused(&run(offmem_run(&[]).arg(&program)), 126, "for another machine");
}

#[test]
fn a_libgomp_of_gcc_10_is_too_old() {
    let folder = TempDir::new().expect("a temporary folder");
    let file = |name: &str| folder.path().join(name);
    fs::write(file("old.c"), "int omp_get_max_threads (void) { return 1; }\n").expect("a file");
    let nodes = "OMP_1.0 { global: omp_get_max_threads; local: *; }; GOMP_5.0 { };\n";
    fs::write(file("old.map"), nodes).expect("a file");
    let mut gcc = Compiler::of(Language::C).command();
    gcc.args(["-shared", "-fPIC", "-Wl,-soname,libgomp.so.1"]).arg(file("old.c"));
    gcc.arg(format!("-Wl,--version-script={}", file("old.map").display()));
    succeed(gcc.arg("-o").arg(file("libgomp.so.1")));
    fs::write(
        file("x.c"),
        "int omp_get_max_threads (void);\nint main (void) { return omp_get_max_threads (); }\n",
    )
    .expect("a file");
    let mut gcc = Compiler::of(Language::C).command();
    gcc.arg(file("x.c")).arg(file("libgomp.so.1")).arg("-o").arg(file("old"));
    succeed(gcc.arg(format!("-Wl,-rpath,{}", folder.path().display())));

    refused(&run(offmem_run(&[]).arg(file("old"))), 126, "older than GCC 11's");
    let output = run(offmem_run(&["--memory=none"]).arg(file("old")));
    assert_eq!(output.status.code(), Some(1), "it runs by itself");
}

#[test]
fn a_program_with_rights_of_its_own_is_refused() {
    // SAFETY: asks for a number.
    if unsafe { libc::geteuid() } != 0 {
        skipped("only root can make a program somebody else's");
        return;
    }
    let folder = TempDir::new().expect("a temporary folder");
    let program = compile(folder.path(), &["-foffload=disable"]);
    chown(&program, Some(NOBODY), Some(NOBODY)).expect("root may");
    for (mode, reason) in [(0o4755, "is setuid"), (0o2755, "is setgid")] {
        fs::set_permissions(&program, Permissions::from_mode(mode)).expect("a mode");
        refused(&run(offmem_run(&[]).arg(&program)), 126, reason);
    }
    chown(&program, Some(0), Some(0)).expect("root may");
    fs::set_permissions(&program, Permissions::from_mode(0o6755)).expect("a mode");
    let output = run(offmem_run(&[]).arg(&program).args(["exit", "4"]));
    assert_eq!(output.status.code(), Some(4), "its owner's own: {}", text(&output));
}

#[test]
fn a_program_with_capabilities_is_refused() {
    let folder = TempDir::new().expect("a temporary folder");
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("a mode");
    let program = compile(folder.path(), &["-foffload=disable"]);
    // Version 2, effective, CAP_NET_BIND_SERVICE permitted; see <linux/capability.h>.
    let value: [u32; 5] = [0x0200_0001, 1 << 10, 0, 0, 0];
    let value = value.map(u32::to_le_bytes).concat();
    let path = std::ffi::CString::new(program.to_str().expect("UTF-8")).expect("no null");
    let name = c"security.capability".as_ptr();
    // SAFETY: C strings, and as many bytes as are said.
    let set = unsafe { libc::setxattr(path.as_ptr(), name, value.as_ptr().cast(), value.len(), 0) };
    let become_nobody = ["--reuid=65534", "--clear-groups", "--inh-caps=-all"];
    // A copy that nobody can reach.
    let offmem = folder.path().join("offmem");
    let runtime = folder.path().join("libgomp-offmem.so.1");
    fs::copy(Stage::get().offmem(), &offmem).expect("a copy");
    fs::copy(Stage::get().runtime(), &runtime).expect("a copy");
    let as_nobody = |program: &Path| {
        let mut command = Command::new("setpriv");
        command.args(become_nobody).arg(&offmem).arg("run").arg("--runtime").arg(&runtime);
        run(command.env("OFFMEM", "quiet").arg(program).args(["exit", "5"]))
    };
    let plain = as_nobody(stock());
    if set != 0 || plain.status.code() != Some(5) {
        skipped("only root can give capabilities and become somebody else");
        return;
    }
    refused(&as_nobody(&program), 126, "has file capabilities");
    let output = run(offmem_run(&[]).arg(&program).args(["exit", "6"]));
    assert_eq!(output.status.code(), Some(6), "root's do not grow: {}", text(&output));
}

#[test]
fn its_own_failures_have_a_status_of_their_own() {
    let folder = TempDir::new().expect("a temporary folder");
    let spaced = folder.path().join("a b.so");
    fs::copy(Stage::get().runtime(), &spaced).expect("a copy");
    for (runtime, reason) in [
        ("/absent.so", "cannot be read"),
        ("/etc/passwd", "is no library"),
        (spaced.to_str().expect("UTF-8"), "has a space or a colon"),
    ] {
        refused(&run(offmem_run(&["--runtime", runtime]).arg(stock())), 125, reason);
    }
    for wrong in [&[][..], &["--memory=fast", "x"], &["--no-such-option", "x"]] {
        let output = run(&mut offmem_run(wrong));
        assert_eq!(output.status.code(), Some(125), "{wrong:?}: {}", text(&output));
    }
    assert!(succeed(&mut offmem_run(&["--help"])).contains("mpirun -n 4 offmem run -- "));
}

#[test]
fn a_program_that_asks_for_another_mode_is_told() {
    let folder = TempDir::new().expect("a temporary folder");
    let program = folder.path().join("asking");
    let mut gcc = Compiler::of(Language::C).command();
    gcc.args(["-fopenmp", "-foffload=disable", "-foffload-memory=pinned"]);
    gcc.arg(root().join("testsuite/tests/programs/run.c")).arg("-o").arg(&program);
    succeed(Stage::get().enter(&mut gcc));
    let said = |memory: &str| {
        let mut command = Command::new(Stage::get().offmem());
        command.args(["run", "--memory", memory]).arg(&program).args(["exit", "0"]);
        succeed(Stage::get().enter(&mut command))
    };
    assert!(!said("pinned").contains("asks for"), "they agree");
    let said = said("unified");
    assert!(said.contains("run.c' asks for -foffload-memory=pinned"), "{said}");
    assert!(said.contains("'OFFMEM_MEMORY' for -foffload-memory=unified"), "{said}");
}

#[test]
fn a_stock_program_offloads_as_before() {
    if !Compiler::of(Language::C).offloads() {
        skipped("the compiler does not offload to nvptx");
        return;
    }
    let folder = TempDir::new().expect("a temporary folder");
    let program = compile(folder.path(), &["-foffload=nvptx-none", "-no-pie"]);
    for memory in ["none", "pinned", "unified"] {
        let mut command = Command::new(Stage::get().offmem());
        command.args(["run", "--memory", memory]).arg(&program).arg("offload");
        let output = run(Stage::get().enter_softcuda(&mut command).env("OFFMEM", "quiet"));
        assert_eq!(text(&output), "device 99001\n", "{memory}");
    }
}

//! The option in command lines and under tools that builds use.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use offmem_testsuite::{Compiler, Language, Stage, installed, run, succeed, text};
use tempfile::TempDir;

const PINNED: &str = "-foffload-memory=pinned";
const UNIFIED: &str = "-foffload-memory=unified";

const PROGRAM: &str = "#include <stdlib.h>\n\
    int main (void)\n{\n  int *a = (int *) calloc (9, sizeof (int));\n  int result;\n  if (a == NULL)\n    return 2;\n\
    #pragma omp target map(tofrom: a[0:9])\n  a[0]++;\n  result = a[0];\n  free (a);\n  return result != 1;\n}\n";

/// A folder with a space in its name, and PROGRAM in `x y.c`.
struct Project {
    folder: TempDir,
}

impl Project {
    fn new() -> Project {
        let folder = tempfile::Builder::new().prefix("a b").tempdir().expect("a folder");
        fs::write(folder.path().join("x y.c"), PROGRAM).expect("a file");
        Project { folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A command that is to run in the folder, on the stage.
    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.path()).stdin(Stdio::null());
        Stage::get().enter(&mut command);
        command
    }

    fn gcc(&self, arguments: &[&str]) -> Command {
        self.command(&Compiler::of(Language::C).name, arguments)
    }

    fn symbols(&self, file: &str) -> String {
        succeed(&mut self.command("nm", &[file]))
    }

    fn bytes(&self, file: &str) -> Vec<u8> {
        fs::read(self.path().join(file)).expect("a file")
    }
}

/// What a command says that has to fail.
fn fails(command: &mut Command) -> String {
    let output = run(command);
    assert!(!output.status.success(), "{command:?} succeeds");
    text(&output)
}

#[test]
fn programs_of_32_bits_are_refused() {
    let project = Project::new();
    for (option, mode) in [("-m32", PINNED), ("-m32", UNIFIED), ("-mx32", PINNED)] {
        // PROGRAM without its header, which only a multilib package has for -m32.
        let source = PROGRAM.replace(
            "#include <stdlib.h>",
            "#define NULL 0\nvoid *calloc (unsigned, unsigned);\nvoid free (void *);",
        );
        fs::write(project.path().join("z.c"), source).expect("a file");
        let options = [option, mode, "-fopenmp", "-foffload=disable", "-w", "-c", "z.c"];
        let said = fails(&mut project.gcc(&options));
        assert!(said.contains("'-foffload-memory' needs programs with 64-bit pointers"), "{said}");
        assert_eq!(said.matches("error:").count(), 1, "{said}");
        // Without a construct or an allocation there is nothing to refuse.
        fs::write(project.path().join("none.c"), "int none;\n").expect("a file");
        succeed(&mut project.gcc(&[option, mode, "-fopenmp", "-c", "none.c"]));
        let said = fails(&mut project.gcc(&[option, mode, "none.o"]));
        assert!(said.contains("needs programs with 64-bit pointers"), "{said}");
    }
}

#[test]
fn musl_is_refused() {
    if !installed(&["musl-gcc"]) {
        return;
    }
    let project = Project::new();
    let mut musl = project.command("musl-gcc", &[UNIFIED, "-c", "x y.c"]);
    let said = fails(musl.env("REALGCC", Compiler::of(Language::C).name));
    assert!(said.contains("'-foffload-memory' needs programs with glibc"), "{said}");

    let gcc = project.path().join("gcc");
    script(&gcc, "[ \"$1\" = -dumpmachine ] && echo x86_64-alpine-linux-musl");
    let offmem = Stage::get().offmem();
    let said = fails(Command::new(offmem).args(["specs", "--gcc"]).arg(&gcc));
    assert_eq!(said, "offmem: this GCC is for musl, and the runtime needs glibc\n");
}

#[test]
fn a_gcc_without_plugins_says_so() {
    let project = Project::new();
    let gcc = project.path().join("gcc");
    script(
        &gcc,
        "case $1 in -dumpmachine) echo x86_64-linux-gnu ;; -print-file-name=plugin) echo plugin ;; esac",
    );
    let said = fails(Command::new(Stage::get().offmem()).args(["specs", "--gcc"]).arg(&gcc));
    assert!(said.contains("has no plugin folder"), "{said}");
}

fn script(path: &Path, body: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, format!("#!/bin/sh\n{body}\n")).expect("a script");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("executable");
}

#[test]
fn ccache_tells_the_modes_apart() {
    if !installed(&["ccache"]) {
        return;
    }
    let project = Project::new();
    let gcc = Compiler::of(Language::C).name;
    let compile = |options: &[&str]| {
        let mut all = vec![&*gcc, "-fopenmp", "-c", "x y.c", "-o", "x.o"];
        all.extend(options);
        let mut command = project.command("ccache", &all);
        succeed(command.env("CCACHE_DIR", project.path().join("cache")));
        project.symbols("x.o")
    };
    let pinned = compile(&[PINNED]);
    assert!(pinned.contains("offmem_GOMP_target_ext") && !pinned.contains("offmem_calloc"));
    assert!(!compile(&[]).contains("offmem"));
    assert!(compile(&[UNIFIED]).contains("offmem_calloc"));
    assert_eq!(compile(&[PINNED]), pinned);
    let mut statistics = project.command("ccache", &["--print-stats"]);
    let said = succeed(statistics.env("CCACHE_DIR", project.path().join("cache")));
    assert!(said.contains("direct_cache_hit\t1\n"), "{said}");
    assert!(said.contains("cache_miss\t3\n"), "{said}");
}

/// A daemon that ends with the test.
struct Daemon(Child);

impl Drop for Daemon {
    fn drop(&mut self) {
        // SIGTERM, so that it ends its own processes.
        drop(run(Command::new("kill").arg(self.0.id().to_string())));
        drop(self.0.wait());
    }
}

#[test]
fn distcc_compiles_elsewhere() {
    if !installed(&["distcc"]) {
        return;
    }
    let project = Project::new();
    let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
    let port = port.expect("a free port").port();
    let log = project.path().join("log");
    // Root would become somebody else, who may not read the stage.
    let arguments = format!(
        "--user --map-user=1000 distccd --daemon --no-detach --log-stderr --jobs 1 \
         --enable-tcp-insecure --listen 127.0.0.1 --port {port} --allow 127.0.0.1"
    );
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    let mut command = project.command("unshare", &arguments);
    command.stderr(fs::File::create(&log).expect("a file"));
    let _daemon = Daemon(command.spawn().expect("a daemon"));
    for _ in 0..100 {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            break;
        }
        thread::sleep(Duration::from_millis(100));
    }
    for folder in ["lock", "state"] {
        fs::create_dir_all(project.path().join("distcc").join(folder)).expect("a folder");
    }
    let gcc = Compiler::of(Language::C).name;
    let compile = [&*gcc, "-fopenmp", PINNED, "-g", "-c", "x y.c", "-o", "x.o"];
    let mut command = project.command("distcc", &compile);
    command.env("DISTCC_FALLBACK", "0").env("DISTCC_HOSTS", format!("127.0.0.1:{port}"));
    succeed(command.env("DISTCC_DIR", project.path().join("distcc")));
    assert!(project.symbols("x.o").contains("offmem_GOMP_target_ext"));
    let said = fs::read_to_string(&log).expect("the daemon's log");
    assert!(said.contains("COMPILE_OK"), "{said}");
}

#[test]
fn debug_information_changes_no_code() {
    let project = Project::new();
    for mode in [PINNED, UNIFIED] {
        let options = [mode, "-fopenmp", "-O2", "-g", "-fcompare-debug", "-c", "x y.c"];
        assert_eq!(succeed(&mut project.gcc(&options)), "", "{mode}");
    }
}

#[test]
fn the_same_seed_makes_the_same_object() {
    let project = Project::new();
    for mode in [PINNED, UNIFIED] {
        let objects = ["1.o", "2.o"].map(|object| {
            let options =
                [mode, "-fopenmp", "-frandom-seed=7", "-flto", "-g", "-c", "x y.c", "-o", object];
            succeed(&mut project.gcc(&options));
            project.bytes(object)
        });
        assert!(objects[0] == objects[1], "{mode}");
    }
}

#[test]
fn a_strict_build_has_nothing_to_complain_about() {
    let project = Project::new();
    for mode in [PINNED, UNIFIED] {
        let options = [mode, "-fopenmp", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror", "-c"];
        let gcc = &mut project.gcc(&options);
        assert_eq!(succeed(gcc.arg("x y.c")), "", "{mode}");
    }
}

#[test]
fn precompiled_headers_serve_both_sides() {
    let project = Project::new();
    fs::write(project.path().join("h.h"), "#include <stdlib.h>\n").expect("a file");
    fs::write(project.path().join("h.c"), PROGRAM.replace("<stdlib.h>", "\"h.h\""))
        .expect("a file");
    // Made with the option or without, and used so.
    for (header, unit) in
        [(PINNED, PINNED), (UNIFIED, PINNED), ("-fopenmp", UNIFIED), (PINNED, "-fopenmp")]
    {
        succeed(&mut project.gcc(&["-fopenmp", header, "h.h", "-o", "h.h.gch"]));
        let options = ["-fopenmp", unit, "-Winvalid-pch", "-H", "-c", "h.c", "-o", "h.o"];
        let said = succeed(&mut project.gcc(&options));
        assert!(said.contains("! h.h.gch"), "the header was used: {said}");
        let symbols = project.symbols("h.o");
        assert_eq!(symbols.contains("offmem_enable"), unit != "-fopenmp", "{header}, {unit}");
        assert_eq!(symbols.contains("offmem_calloc"), unit == UNIFIED, "{header}, {unit}");
    }
}

#[test]
fn dependencies_are_those_of_stock_gcc() {
    let project = Project::new();
    let [stock, pinned] = ["-fopenmp", PINNED].map(|mode| {
        let options = ["-fopenmp", mode, "-MD", "-MF", "x.d", "-c", "x y.c", "-o", "x.o"];
        succeed(&mut project.gcc(&options));
        String::from_utf8(project.bytes("x.d")).expect("text")
    });
    assert!(stock.contains("stdlib.h"), "{stock}");
    assert_eq!(stock, pinned);
    let only = ["-fopenmp", PINNED, "-MM", "x y.c"];
    assert_eq!(succeed(&mut project.gcc(&only)), "x\\ y.o: x\\ y.c\n");
}

#[test]
fn units_come_from_pipes_and_options_from_files() {
    let project = Project::new();
    let source = fs::File::open(project.path().join("x y.c")).expect("a file");
    let options = ["-x", "c", "-", "-fopenmp", PINNED, "-c", "-o", "pipe.o"];
    succeed(project.gcc(&options).stdin(source));
    assert!(project.symbols("pipe.o").contains("offmem_GOMP_target_ext"));

    let options = format!("{UNIFIED} -fopenmp -pipe\n-c 'x y.c' -o response.o\n");
    fs::write(project.path().join("options"), options).expect("a file");
    succeed(&mut project.gcc(&["@options"]));
    assert!(project.symbols("response.o").contains("offmem_calloc"));
}

#[test]
fn temporary_files_may_be_kept() {
    let project = Project::new();
    let options = [PINNED, "-fopenmp", "-foffload=disable", "-save-temps", "x y.c", "-o", "z z"];
    assert_eq!(succeed(&mut project.gcc(&options)), "");
    succeed(&mut project.command("./z z", &[]));
    assert!(String::from_utf8_lossy(&project.bytes("z z-x y.s")).contains("offmem_enable"));
}
